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
#include "base/memory.h"

enum { BLOCK_BYTES = 64 * 1024, ROOM_BYTES = 1 << 20, TAR_BLOCK = 512 };

static const char LIBRARY[] = "libarchive.so.13";

/* The functions of libarchive that are of use here, by their names in it. */
#define FUNCTIONS(X)                   \
  X(archive_errno)                     \
  X(archive_format)                    \
  X(archive_error_string)              \
  X(archive_entry_new)                 \
  X(archive_entry_free)                \
  X(archive_entry_filetype)            \
  X(archive_entry_pathname)            \
  X(archive_read_new)                  \
  X(archive_read_free)                 \
  X(archive_read_support_filter_bzip2) \
  X(archive_read_support_filter_lz4)   \
  X(archive_read_support_filter_xz)    \
  X(archive_read_support_format_raw)   \
  X(archive_read_support_format_tar)   \
  X(archive_read_support_format_zip)   \
  X(archive_read_set_callback_data)    \
  X(archive_read_set_read_callback)    \
  X(archive_read_set_seek_callback)    \
  X(archive_read_open1)                \
  X(archive_read_next_header2)         \
  X(archive_read_data_block)

/* An archive that is read. */
struct tb_archive {
  const struct tb_allocator *allocator;
  const struct tb_archive_source *source;
  const char *what;      /* in messages */
  uint64_t at;           /* in the source */
  enum tb_status status; /* of the source, where it failed; and *error */
  bool at_end;           /* it has no more bytes */
  size_t zeros;          /* that the bytes so far end with, at most TAR_BLOCK */
  struct tb_error error;
  enum tb_status ended; /* how the current file ended; TB_OK: it goes on */
  const char *block;    /* of the current file, [block_at, block_end), not yet read */
  uint64_t block_at, block_end, file_at;
  char *bytes; /* BLOCK_BYTES of the source */
  struct archive *archive;
  struct archive_entry *entry;               /* its own may be missing, where it got no memory for it */
#define MEMBER(name) __typeof__(name) *name; /* NOLINT(bugprone-macro-parentheses) */
  FUNCTIONS(MEMBER)
#undef MEMBER
};

static enum tb_status load(struct tb_archive *r) {
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

/* libarchive ends the process where it gets no memory for a name or the text of an error. Those are small: it is not
 * asked to go on where there is not much more to be had. */
static bool has_room(void) {
  void *volatile room = malloc(ROOM_BYTES); /* volatile: else compilers know better than to ask */
  free(room);
  return room != NULL;
}

/* What failed without a reason had no memory for it; but at the end of its bytes a zip file lacks its directory. */
static enum tb_status damaged(const struct tb_archive *r, struct tb_error *error) {
  if (r->status != TB_OK) {
    if (error && error->code == TB_OK) *error = r->error;
    return r->status;
  }
  const char *why = r->archive_error_string(r->archive);
  if (!why && r->at_end && has_room()) why = "it ends early";
  if (!why || r->archive_errno(r->archive) == ENOMEM) return no_memory(error);
  return tb_fail(error, TB_BAD_DATA, TB_NO_OFFSET, "the %s cannot be read: %s", r->what, why);
}

/* ---- the bytes of the archive ------------------------------------------------------------------------------------ */

static void count_zeros(struct tb_archive *r, size_t got) {
  size_t zeros = 0;
  while (zeros < got && zeros < TAR_BLOCK && !r->bytes[got - zeros - 1]) zeros++;
  r->zeros = zeros < got ? zeros : r->zeros + zeros;
}

static la_ssize_t read_source(struct archive *archive, void *ctx, const void **bytes) {
  (void)archive;
  struct tb_archive *r = ctx;
  size_t got = 0;
  enum tb_status status = r->source->read(r->source->ctx, r->bytes, BLOCK_BYTES, &got, &r->error);
  *bytes = r->bytes;
  r->at += got;
  count_zeros(r, got);
  r->at_end = status == TB_END || status == TB_TRUNCATED;
  if (status == TB_OK || status == TB_END || status == TB_TRUNCATED) return (la_ssize_t)got;
  r->status = status;
  return ARCHIVE_FATAL;
}

static la_int64_t seek_source(struct archive *archive, void *ctx, la_int64_t offset, int whence) {
  (void)archive;
  struct tb_archive *r = ctx;
  uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? r->at : r->source->size, to = from + (uint64_t)offset;
  if (to > r->source->size) return ARCHIVE_FAILED;
  r->status = r->source->seek(r->source->ctx, to, &r->error);
  if (r->status != TB_OK) return ARCHIVE_FATAL;
  r->at = to;
  return (la_int64_t)to;
}

static enum tb_status open_source(struct tb_archive *r, bool compressed, struct tb_error *error) {
  if (!has_room()) return no_memory(error);
  bool good = true;
  if (compressed) /* a filter that would run another program says ARCHIVE_WARN */
    good = r->archive_read_support_filter_bzip2(r->archive) == ARCHIVE_OK &&
           r->archive_read_support_filter_lz4(r->archive) == ARCHIVE_OK &&
           r->archive_read_support_filter_xz(r->archive) == ARCHIVE_OK &&
           r->archive_read_support_format_raw(r->archive) == ARCHIVE_OK;
  else /* compressed is what our own input looks through */
    good = r->archive_read_support_format_tar(r->archive) >= ARCHIVE_WARN &&
           r->archive_read_support_format_zip(r->archive) >= ARCHIVE_WARN;
  good = good && r->archive_read_set_callback_data(r->archive, r) == ARCHIVE_OK &&
         r->archive_read_set_read_callback(r->archive, read_source) == ARCHIVE_OK &&
         (!r->source->seek || r->archive_read_set_seek_callback(r->archive, seek_source) == ARCHIVE_OK) &&
         r->archive_read_open1(r->archive) == ARCHIVE_OK;
  return good ? TB_OK : damaged(r, error);
}

/* ---- its files --------------------------------------------------------------------------------------------------- */

/* libarchive converts names that are UTF-8 to the locale, and gives none where that lacks a character, as C does. */
static int next_header(const struct tb_archive *r) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = utf8 ? uselocale(utf8) : (locale_t)0;
  int rc = r->archive_read_next_header2(r->archive, r->entry);
  if (!utf8) return rc;
  (void)uselocale(before);
  freelocale(utf8);
  return rc;
}

/* A tar file ends with blocks of zeros. libarchive takes one that was cut behind a member as whole. */
static bool is_cut_tar(const struct tb_archive *r) {
  bool is_tar = (r->archive_format(r->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
  return is_tar && r->at_end && r->zeros < TAR_BLOCK;
}

/* TB_END behind the last one. */
static enum tb_status next_entry(struct tb_archive *r, struct tb_error *error) {
  if (!has_room()) return no_memory(error);
  r->ended = TB_OK;
  r->block_at = r->block_end = r->file_at = 0;
  int rc = next_header(r);
  if (rc == ARCHIVE_EOF && is_cut_tar(r))
    return tb_fail(error, TB_BAD_DATA, TB_NO_OFFSET, "the archive cannot be read: it ends early");
  if (rc == ARCHIVE_EOF) return TB_END;
  return rc == ARCHIVE_OK || rc == ARCHIVE_WARN ? TB_OK : damaged(r, error);
}

enum tb_status tb_archive_next(struct tb_archive *r, const char **path, struct tb_error *error) {
  enum tb_status status;
  while ((status = next_entry(r, error)) == TB_OK) {
    if (r->archive_entry_filetype(r->entry) != AE_IFREG) continue;
    *path = r->archive_entry_pathname(r->entry);
    if (!*path) return TB_OK;
    while (strncmp(*path, "./", 2) == 0) *path += 2;
    if (!is_hidden(*path)) return TB_OK;
  }
  return status;
}

/* The next block of the current file is [block_at, block_end) of it. TB_END: it ends at block_end. */
static enum tb_status next_block(struct tb_archive *r, struct tb_error *error) {
  const void *data = NULL;
  size_t len = 0;
  la_int64_t offset = 0;
  int rc = r->archive_read_data_block(r->archive, &data, &len, &offset);
  if ((rc != ARCHIVE_OK && rc != ARCHIVE_EOF) || offset < 0) return damaged(r, error);
  r->block = data;
  r->block_at = (uint64_t)offset;
  r->block_end = r->block_at + len;
  return rc == ARCHIVE_EOF ? TB_END : TB_OK;
}

/* Where no block is, the file has a hole, which reads as zeros. */
enum tb_status tb_archive_read(struct tb_archive *r, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  *got = 0;
  while (r->file_at >= r->block_end && r->ended == TB_OK) r->ended = next_block(r, error);
  if (r->file_at >= r->block_end) return r->ended;
  bool hole = r->file_at < r->block_at;
  uint64_t left = (hole ? r->block_at : r->block_end) - r->file_at;
  *got = left < capacity ? (size_t)left : capacity;
  if (hole)
    memset(to, 0, *got);
  else
    memcpy(to, r->block + (r->file_at - r->block_at), *got);
  r->file_at += *got;
  return TB_OK;
}

static enum tb_status take_data(struct tb_archive *r, const struct tb_archive_sink *sink, struct tb_error *error) {
  for (uint64_t end = 0;;) {
    enum tb_status status = next_block(r, error);
    if (status != TB_OK && status != TB_END) return status;
    if (r->block_end > end) end = r->block_end;
    if (status == TB_END) return sink->end(sink->ctx, end, error);
    status = sink->put(sink->ctx, r->block_at, r->block, (size_t)(r->block_end - r->block_at), error);
    if (status != TB_OK) return status;
  }
}

enum tb_status tb_archive_walk(struct tb_archive *r, const struct tb_archive_sink *sink, struct tb_error *error) {
  const char *path;
  enum tb_status status;
  while ((status = tb_archive_next(r, &path, error)) == TB_OK) {
    status = path ? sink->begin(sink->ctx, path, error) : sink->nameless(sink->ctx, error);
    if (status == TB_OK && path) status = take_data(r, sink, error);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : status;
}

/* ---- open and close ---------------------------------------------------------------------------------------------- */

static enum tb_status open_any(const struct tb_archive_source *source, const struct tb_allocator *allocator,
                               bool compressed, struct tb_archive **archive, struct tb_error *error) {
  *archive = NULL;
  struct tb_archive *r = has_room() ? tb_calloc(allocator, sizeof(*r)) : NULL;
  if (!r) return no_memory(error);
  r->allocator = allocator;
  r->source = source;
  r->what = compressed ? "compressed data" : "archive";
  r->bytes = tb_alloc(allocator, BLOCK_BYTES);
  enum tb_status status = r->bytes ? load(r) : TB_NO_MEMORY;
  if (status == TB_OK) {
    r->archive = r->archive_read_new();
    r->entry = r->archive_entry_new();
    status = r->archive && r->entry ? open_source(r, compressed, error) : TB_NO_MEMORY;
  } else if (status == TB_UNSUPPORTED) {
    status = tb_fail(error, status, TB_NO_OFFSET, "is read by %s, which is not installed; unpack it first", LIBRARY);
  }
  if (status == TB_OK) {
    *archive = r;
    return TB_OK;
  }
  tb_archive_close(r);
  return status == TB_NO_MEMORY ? no_memory(error) : status;
}

enum tb_status tb_archive_open(const struct tb_archive_source *source, const struct tb_allocator *allocator,
                               struct tb_archive **archive, struct tb_error *error) {
  return open_any(source, allocator, false, archive, error);
}

enum tb_status tb_archive_open_compressed(const struct tb_archive_source *source, const struct tb_allocator *allocator,
                                          struct tb_archive **archive, struct tb_error *error) {
  enum tb_status status = open_any(source, allocator, true, archive, error);
  if (status != TB_OK || !*archive) return status;
  status = next_entry(*archive, error);
  if (status == TB_OK) return TB_OK;
  tb_archive_close(*archive);
  *archive = NULL;
  return status == TB_END ? tb_fail(error, TB_BAD_DATA, TB_NO_OFFSET, "the compressed data is damaged") : status;
}

void tb_archive_close(struct tb_archive *r) {
  if (!r) return;
  if (r->entry) r->archive_entry_free(r->entry);
  if (r->archive) (void)r->archive_read_free(r->archive);
  if (r->bytes) tb_free(r->allocator, r->bytes, BLOCK_BYTES);
  tb_free(r->allocator, r, sizeof(*r));
}
