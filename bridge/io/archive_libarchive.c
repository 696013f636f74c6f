/* SPDX-License-Identifier: Apache-2.0 */
#include "io/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { BLOCK_BYTES = 64 * 1024, ROOM_BYTES = 1 << 20 };

static bool is_hidden(const char *path) {
  for (const char *p = path; *p; p++)
    if (*p == '.' && (p == path || p[-1] == '/') && p[1] != '/' && p[1] != '\0') return true;
  return false;
}

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* What failed without a reason had no memory for it. */
static enum tb_status damaged(struct archive *a, struct tb_error *error) {
  const char *why = archive_error_string(a);
  if (!why || archive_errno(a) == ENOMEM) return no_memory(error);
  return tb_fail(error, TB_BAD_DATA, TB_NO_OFFSET, "the archive cannot be read: %s", why);
}

/* libarchive ends the process where it gets no memory for a name or the text of an error. Those are small: it is not
 * asked to go on where there is not much more to be had. */
static bool has_room(void) {
  void *volatile room = malloc(ROOM_BYTES); /* volatile: else compilers know better than to ask */
  free(room);
  return room != NULL;
}

/* libarchive converts names that are UTF-8 to the locale, and gives none where that lacks a character, as C does. */
static int next_header(struct archive *a, struct archive_entry *entry) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = utf8 ? uselocale(utf8) : (locale_t)0;
  int rc = archive_read_next_header2(a, entry);
  if (!utf8) return rc;
  (void)uselocale(before);
  freelocale(utf8);
  return rc;
}

/* TB_END behind the last one. */
static enum tb_status next_member(struct archive *a, struct archive_entry *entry, struct tb_error *error) {
  if (!has_room()) return no_memory(error);
  int rc = next_header(a, entry);
  if (rc == ARCHIVE_EOF) return TB_END;
  return rc == ARCHIVE_OK || rc == ARCHIVE_WARN ? TB_OK : damaged(a, error);
}

static enum tb_status take_data(struct archive *a, const struct tb_archive_sink *sink, struct tb_error *error) {
  uint64_t end = 0;
  for (;;) {
    const void *data = NULL;
    size_t len = 0;
    la_int64_t offset = 0;
    int rc = archive_read_data_block(a, &data, &len, &offset);
    if ((rc != ARCHIVE_OK && rc != ARCHIVE_EOF) || offset < 0) return damaged(a, error);
    if ((uint64_t)offset + len > end) end = (uint64_t)offset + len;
    if (rc == ARCHIVE_EOF) return sink->end(sink->ctx, end, error);
    enum tb_status status = sink->put(sink->ctx, (uint64_t)offset, data, len, error);
    if (status != TB_OK) return status;
  }
}

static enum tb_status take_member(struct archive *a, struct archive_entry *entry, const struct tb_archive_sink *sink,
                                  struct tb_error *error) {
  const char *path = archive_entry_pathname(entry);
  if (archive_entry_filetype(entry) != AE_IFREG) return TB_OK;
  if (!path) return sink->nameless(sink->ctx, error);
  while (strncmp(path, "./", 2) == 0) path += 2;
  if (is_hidden(path)) return TB_OK;
  enum tb_status status = sink->begin(sink->ctx, path, error);
  return status == TB_OK ? take_data(a, sink, error) : status;
}

static enum tb_status walk(struct archive *a, struct archive_entry *entry, const char *path,
                           const struct tb_archive_sink *sink, struct tb_error *error) {
  /* Compressed by what our own input looks through, too. Filters that run other programs are none of these. */
  if (!has_room()) return no_memory(error);
  if (archive_read_support_filter_gzip(a) < ARCHIVE_WARN || archive_read_support_filter_zstd(a) < ARCHIVE_WARN ||
      archive_read_support_format_tar(a) < ARCHIVE_WARN || archive_read_support_format_zip(a) < ARCHIVE_WARN ||
      archive_read_open_filename(a, path, BLOCK_BYTES) != ARCHIVE_OK)
    return damaged(a, error);
  enum tb_status status;
  while ((status = next_member(a, entry, error)) == TB_OK) {
    status = take_member(a, entry, sink, error);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : status;
}

enum tb_status tb_archive_walk(const char *path, const struct tb_archive_sink *sink, struct tb_error *error) {
  if (!has_room()) return no_memory(error);
  struct archive *a = archive_read_new();
  /* The archive's own entry may be missing, where it got no memory for it. */
  struct archive_entry *entry = archive_entry_new();
  enum tb_status status = a && entry ? walk(a, entry, path, sink, error) : no_memory(error);
  archive_entry_free(entry);
  (void)archive_read_free(a);
  return status;
}
