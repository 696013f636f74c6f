/* SPDX-License-Identifier: Apache-2.0 */
#include "unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <string.h>

#include "base/error.h"

enum { TAR_MAGIC_AT = 257, BLOCK_BYTES = 64 * 1024 };

bool tb_archive_detect(const char *data, size_t len) {
  if (len >= 4 && memcmp(data, "PK\3\4", 4) == 0) return true;
  return len >= TAR_MAGIC_AT + 5 && memcmp(data + TAR_MAGIC_AT, "ustar", 5) == 0;
}

static bool is_hidden(const char *path) {
  for (const char *p = path; *p; p++)
    if (*p == '.' && (p == path || p[-1] == '/') && p[1] != '/' && p[1] != '\0') return true;
  return false;
}

static enum tb_status damaged(struct archive *a, struct tb_error *error) {
  const char *why = archive_error_string(a);
  return tb_fail(error, TB_BAD_DATA, TB_NO_OFFSET, "the archive cannot be read: %s", why ? why : "it is damaged");
}

/* libarchive converts names that are UTF-8 to the locale, and gives none where that lacks a character, as C does. */
static int next_header(struct archive *a, struct archive_entry **entry) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = utf8 ? uselocale(utf8) : (locale_t)0;
  int rc = archive_read_next_header(a, entry);
  if (!utf8) return rc;
  (void)uselocale(before);
  freelocale(utf8);
  return rc;
}

static enum tb_status take_data(struct archive *a, const struct tb_archive_taker *taker, struct tb_error *error) {
  uint64_t end = 0;
  for (;;) {
    const void *data = NULL;
    size_t len = 0;
    la_int64_t offset = 0;
    int rc = archive_read_data_block(a, &data, &len, &offset);
    if ((rc != ARCHIVE_OK && rc != ARCHIVE_EOF) || offset < 0) return damaged(a, error);
    if ((uint64_t)offset + len > end) end = (uint64_t)offset + len;
    if (rc == ARCHIVE_EOF) return taker->end(taker->ctx, end, error);
    enum tb_status status = taker->put(taker->ctx, (uint64_t)offset, data, len, error);
    if (status != TB_OK) return status;
  }
}

static enum tb_status take_member(struct archive *a, struct archive_entry *entry, const struct tb_archive_taker *taker,
                                  struct tb_error *error) {
  const char *path = archive_entry_pathname(entry);
  if (archive_entry_filetype(entry) != AE_IFREG) return TB_OK;
  if (!path) return tb_fail(error, TB_BAD_DATA, TB_NO_OFFSET, "the name of a member cannot be read");
  while (strncmp(path, "./", 2) == 0) path += 2;
  if (is_hidden(path)) return TB_OK;
  enum tb_status status = taker->begin(taker->ctx, path, error);
  return status == TB_OK ? take_data(a, taker, error) : status;
}

enum tb_status tb_archive_walk(const char *path, const struct tb_archive_taker *taker, struct tb_error *error) {
  struct archive *a = archive_read_new();
  if (!a) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  (void)archive_read_support_filter_all(a);
  (void)archive_read_support_format_tar(a);
  (void)archive_read_support_format_zip(a);
  enum tb_status status = archive_read_open_filename(a, path, BLOCK_BYTES) == ARCHIVE_OK ? TB_OK : damaged(a, error);
  struct archive_entry *entry;
  int rc;
  while (status == TB_OK && (rc = next_header(a, &entry)) != ARCHIVE_EOF)
    status = rc == ARCHIVE_OK || rc == ARCHIVE_WARN ? take_member(a, entry, taker, error) : damaged(a, error);
  (void)archive_read_free(a);
  return status;
}
