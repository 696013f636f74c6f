/* SPDX-License-Identifier: Apache-2.0 */
#include "io/spill_file.h"

#include <unistd.h>

#include "base/error.h"
#include "io/temp_file.h"

enum {
  WRITE_BYTES = 256 * 1024,
  PAGE = 4096,
  PAGED_BYTES = 64 * 1024, /* what is as large is written at once, to pages of its own, which can be freed */
  WINDOW_BYTES = 64 * 1024,
  NEAR_BYTES = 4096 /* a read that is no farther from the one before goes on in its direction */
};

struct tb_spill_file {
  const struct tb_allocator *allocator;
  int fd;
  uint64_t written; /* bytes in the file, without those in the buffer */
  char *buffer;     /* WRITE_BYTES; NULL: none yet */
  size_t len;
  char *window; /* bytes [window_at, window_at + window_len) of the file, for many small reads; NULL: none yet */
  uint64_t window_at, last_from, last_to;
  size_t window_len;
};

enum tb_status tb_spill_file_create(const char *directory, const struct tb_allocator *allocator,
                                    struct tb_spill_file **out, struct tb_error *error) {
  *out = NULL;
  struct tb_spill_file *file = tb_calloc(allocator, sizeof(*file));
  if (!file) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  file->allocator = allocator;
  file->fd = tb_temp_file_create_nameless(directory, error);
  if (file->fd < 0) {
    tb_spill_file_close(file);
    return TB_IO;
  }
  *out = file;
  return TB_OK;
}

/* Writes bytes behind what is in the file. */
static enum tb_status write_out(struct tb_spill_file *file, const char *data, size_t len, struct tb_error *error) {
  enum tb_status status = tb_temp_file_write_all_at(file->fd, file->written, data, len, error);
  if (status == TB_OK) file->written += len;
  return status;
}

static enum tb_status flush(struct tb_spill_file *file, struct tb_error *error) {
  enum tb_status status = write_out(file, file->buffer, file->len, error);
  if (status == TB_OK) file->len = 0;
  return status;
}

/* Puts bytes that find room there into the buffer. */
static enum tb_status put_buffered(struct tb_spill_file *file, const void *data, size_t len, struct tb_error *error) {
  if (!file->buffer) file->buffer = tb_alloc(file->allocator, WRITE_BYTES);
  if (!file->buffer) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  if (len) memcpy(file->buffer + file->len, data, len);
  file->len += len;
  return TB_OK;
}

enum tb_status tb_spill_file_append(struct tb_spill_file *file, const void *data, size_t len, struct tb_error *error) {
  const char *from = data;
  while (len) {
    enum tb_status status = TB_OK;
    size_t n = WRITE_BYTES - file->len < len ? WRITE_BYTES - file->len : len;
    if (n == WRITE_BYTES) { /* whole buffers are not copied */
      n = len;
      status = write_out(file, from, n, error);
    } else {
      if (n) status = put_buffered(file, from, n, error);
      if (status == TB_OK && file->len == WRITE_BYTES) status = flush(file, error);
    }
    if (status != TB_OK) return status;
    from += n;
    len -= n;
  }
  return TB_OK;
}

static enum tb_status put_pages(struct tb_spill_file *file, const void *data, size_t len, uint64_t *offset,
                                struct tb_error *error) {
  enum tb_status status = flush(file, error);
  uint64_t before = file->written;
  if (status != TB_OK) return status;
  file->written = (before + PAGE - 1) / PAGE * PAGE;
  *offset = file->written;
  status = write_out(file, data, len, error);
  if (status != TB_OK) file->written = before;
  return status;
}

enum tb_status tb_spill_file_put(struct tb_spill_file *file, const void *data, size_t len, uint64_t *offset,
                                 struct tb_error *error) {
  if (len >= PAGED_BYTES) return put_pages(file, data, len, offset, error);
  if (len > WRITE_BYTES - file->len) {
    enum tb_status status = flush(file, error);
    if (status != TB_OK) return status;
  }
  *offset = tb_spill_file_size(file);
  return put_buffered(file, data, len, error);
}

void tb_spill_file_forget(struct tb_spill_file *file, uint64_t offset, size_t len) {
  if (len >= PAGED_BYTES) tb_temp_file_free_pages(file->fd, offset, len);
}

/* Where a window begins that has [from, to) and what the next reads will ask for; UINT64_MAX: reads go to and fro, or
 * are large. */
static uint64_t window_start(const struct tb_spill_file *file, uint64_t from, uint64_t to) {
  if (to - from >= WINDOW_BYTES / 2) return UINT64_MAX;
  if (from >= file->last_to && from - file->last_to <= NEAR_BYTES) return from;
  if (to <= file->last_from && file->last_from - to <= NEAR_BYTES) return to > WINDOW_BYTES ? to - WINDOW_BYTES : 0;
  return UINT64_MAX;
}

/* Reads what is in the file and not in the buffer. Many small chunks were put one behind the other, and are read in
 * that order, or backwards. */
static enum tb_status get_written(struct tb_spill_file *file, uint64_t from, char *data, size_t len,
                                  struct tb_error *error) {
  bool inside = from >= file->window_at && from + len <= file->window_at + file->window_len;
  uint64_t start = inside ? file->window_at : window_start(file, from, from + len);
  file->last_from = from;
  file->last_to = from + len;
  if (!inside && start != UINT64_MAX && !file->window) file->window = tb_alloc(file->allocator, WINDOW_BYTES);
  if (start == UINT64_MAX || !file->window) return tb_temp_file_read_all_at(file->fd, from, data, len, error);
  if (!inside) {
    uint64_t rest = file->written - start;
    file->window_len = 0;
    size_t n = rest < WINDOW_BYTES ? (size_t)rest : WINDOW_BYTES;
    enum tb_status status = tb_temp_file_read_all_at(file->fd, start, file->window, n, error);
    if (status != TB_OK) return status;
    file->window_at = start;
    file->window_len = n;
  }
  memcpy(data, file->window + (from - file->window_at), len);
  return TB_OK;
}

enum tb_status tb_spill_file_get(struct tb_spill_file *file, uint64_t offset, void *data, size_t len,
                                 struct tb_error *error) {
  char *to = data;
  size_t in_file = offset >= file->written ? 0 : len;
  if (in_file > file->written - offset) in_file = (size_t)(file->written - offset);
  if (in_file) {
    enum tb_status status = get_written(file, offset, to, in_file, error);
    if (status != TB_OK) return status;
  }
  if (in_file < len) memcpy(to + in_file, file->buffer + (offset + in_file - file->written), len - in_file);
  return TB_OK;
}

uint64_t tb_spill_file_size(const struct tb_spill_file *file) { return file->written + file->len; }

void tb_spill_file_close(struct tb_spill_file *file) {
  if (!file) return;
  if (file->fd >= 0) (void)close(file->fd);
  tb_free(file->allocator, file->buffer, WRITE_BYTES);
  tb_free(file->allocator, file->window, WINDOW_BYTES);
  tb_free(file->allocator, file, sizeof(*file));
}
