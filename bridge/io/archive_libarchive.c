/* SPDX-License-Identifier: Apache-2.0
 *
 * libarchive brings some ten other libraries along, and takes 3.5 MB of memory and 4.5 million instructions to load: it
 * is loaded when an archive is read.
 */
#include "io/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/loaded_library.h"

enum { BLOCK_BYTES = 64 * 1024, ROOM_BYTES = 1 << 20 };

static const char LIBRARY[] = "libarchive.so.13";

/* The functions of libarchive that are of use here, by their names in it. */
#define FUNCTIONS(X)                  \
  X(archive_errno)                    \
  X(archive_error_string)             \
  X(archive_entry_new)                \
  X(archive_entry_free)               \
  X(archive_entry_filetype)           \
  X(archive_entry_pathname)           \
  X(archive_read_new)                 \
  X(archive_read_free)                \
  X(archive_read_support_filter_gzip) \
  X(archive_read_support_filter_zstd) \
  X(archive_read_support_format_tar)  \
  X(archive_read_support_format_zip)  \
  X(archive_read_open_filename)       \
  X(archive_read_next_header2)        \
  X(archive_read_data_block)

/* An archive that is read. */
struct reading {
  struct archive *archive;
  struct archive_entry *entry;               /* its own may be missing, where it got no memory for it */
#define MEMBER(name) __typeof__(name) *name; /* NOLINT(bugprone-macro-parentheses) */
  FUNCTIONS(MEMBER)
#undef MEMBER
};

static enum tb_status load(struct reading *r) {
#define FUNCTION(name) {#name, &r->name},
  const struct tb_library_function functions[] = {FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return tb_library_load(LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));
}

static bool is_hidden(const char *path) {
  for (const char *p = path; *p; p++)
    if (*p == '.' && (p == path || p[-1] == '/') && p[1] != '/' && p[1] != '\0') return true;
  return false;
}

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* What failed without a reason had no memory for it. */
static enum tb_status damaged(const struct reading *r, struct tb_error *error) {
  const char *why = r->archive_error_string(r->archive);
  if (!why || r->archive_errno(r->archive) == ENOMEM) return no_memory(error);
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
static int next_header(const struct reading *r) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = utf8 ? uselocale(utf8) : (locale_t)0;
  int rc = r->archive_read_next_header2(r->archive, r->entry);
  if (!utf8) return rc;
  (void)uselocale(before);
  freelocale(utf8);
  return rc;
}

/* TB_END behind the last one. */
static enum tb_status next_member(const struct reading *r, struct tb_error *error) {
  if (!has_room()) return no_memory(error);
  int rc = next_header(r);
  if (rc == ARCHIVE_EOF) return TB_END;
  return rc == ARCHIVE_OK || rc == ARCHIVE_WARN ? TB_OK : damaged(r, error);
}

static enum tb_status take_data(const struct reading *r, const struct tb_archive_sink *sink, struct tb_error *error) {
  uint64_t end = 0;
  for (;;) {
    const void *data = NULL;
    size_t len = 0;
    la_int64_t offset = 0;
    int rc = r->archive_read_data_block(r->archive, &data, &len, &offset);
    if ((rc != ARCHIVE_OK && rc != ARCHIVE_EOF) || offset < 0) return damaged(r, error);
    if ((uint64_t)offset + len > end) end = (uint64_t)offset + len;
    if (rc == ARCHIVE_EOF) return sink->end(sink->ctx, end, error);
    enum tb_status status = sink->put(sink->ctx, (uint64_t)offset, data, len, error);
    if (status != TB_OK) return status;
  }
}

static enum tb_status take_member(const struct reading *r, const struct tb_archive_sink *sink, struct tb_error *error) {
  const char *path = r->archive_entry_pathname(r->entry);
  if (r->archive_entry_filetype(r->entry) != AE_IFREG) return TB_OK;
  if (!path) return sink->nameless(sink->ctx, error);
  while (strncmp(path, "./", 2) == 0) path += 2;
  if (is_hidden(path)) return TB_OK;
  enum tb_status status = sink->begin(sink->ctx, path, error);
  return status == TB_OK ? take_data(r, sink, error) : status;
}

static enum tb_status walk(const struct reading *r, const char *path, const struct tb_archive_sink *sink,
                           struct tb_error *error) {
  /* Compressed by what our own input looks through, too. Filters that run other programs are none of these. */
  if (!has_room()) return no_memory(error);
  if (r->archive_read_support_filter_gzip(r->archive) < ARCHIVE_WARN ||
      r->archive_read_support_filter_zstd(r->archive) < ARCHIVE_WARN ||
      r->archive_read_support_format_tar(r->archive) < ARCHIVE_WARN ||
      r->archive_read_support_format_zip(r->archive) < ARCHIVE_WARN ||
      r->archive_read_open_filename(r->archive, path, BLOCK_BYTES) != ARCHIVE_OK)
    return damaged(r, error);
  enum tb_status status;
  while ((status = next_member(r, error)) == TB_OK) {
    status = take_member(r, sink, error);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : status;
}

enum tb_status tb_archive_walk(const char *path, const struct tb_archive_sink *sink, struct tb_error *error) {
  struct reading r;
  if (!has_room()) return no_memory(error);
  enum tb_status status = load(&r);
  if (status == TB_NO_MEMORY) return no_memory(error);
  if (status != TB_OK)
    return tb_fail(error, status, TB_NO_OFFSET, "archives are read by %s, which is not installed; unpack it first",
                   LIBRARY);
  r.archive = r.archive_read_new();
  r.entry = r.archive_entry_new();
  status = r.archive && r.entry ? walk(&r, path, sink, error) : no_memory(error);
  r.archive_entry_free(r.entry);
  (void)r.archive_read_free(r.archive);
  return status;
}
