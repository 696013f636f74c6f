/* SPDX-License-Identifier: Apache-2.0 */
#include "io/spool.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "io/temp_file.h"

enum { COPY_BYTES = 64 * 1024 };

void tb_spool_init(struct tb_spool *spool, const struct tb_allocator *allocator, size_t limit, const char *directory) {
  *spool = (struct tb_spool){.fd = -1, .limit = limit, .directory = directory};
  tb_buffer_init(&spool->buffer, allocator, 0);
}

static enum tb_status spill(struct tb_spool *spool, struct tb_error *error) {
  if (spool->fd < 0) {
    spool->fd = tb_temp_file_create_nameless(spool->directory, error);
    if (spool->fd < 0) return TB_IO;
  }
  const char *at = spool->buffer.data;
  size_t left = spool->buffer.len;
  while (left) {
    ssize_t n = write(spool->fd, at, left);
    if (n < 0) {
      if (errno == EINTR) continue;
      return tb_fail_errno(error, TB_IO, errno, "cannot write a temporary file");
    }
    at += n;
    left -= (size_t)n;
    spool->spilled += (uint64_t)n;
  }
  spool->buffer.len = 0;
  return TB_OK;
}

enum tb_status tb_spool_add(struct tb_spool *spool, const void *data, size_t len, struct tb_error *error) {
  if (spool->buffer.len && spool->buffer.len + len > spool->limit) {
    enum tb_status status = spill(spool, error);
    if (status != TB_OK) return status;
  }
  enum tb_status status = tb_buffer_append(&spool->buffer, data, len);
  return status == TB_OK ? status : tb_fail(error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

static enum tb_status read_file(struct tb_spool *spool, uint64_t offset, char *to, size_t len, struct tb_error *error) {
  while (len) {
    ssize_t n = pread(spool->fd, to, len, (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return tb_fail_errno(error, TB_IO, n < 0 ? errno : EIO, "cannot read a temporary file");
    to += n;
    offset += (uint64_t)n;
    len -= (size_t)n;
  }
  return TB_OK;
}

enum tb_status tb_spool_read(struct tb_spool *spool, uint64_t offset, void *data, size_t len, struct tb_error *error) {
  char *to = data;
  if (offset < spool->spilled) {
    size_t n = spool->spilled - offset < len ? (size_t)(spool->spilled - offset) : len;
    enum tb_status status = read_file(spool, offset, to, n, error);
    if (status != TB_OK) return status;
    to += n;
    offset += n;
    len -= n;
  }
  if (len) memcpy(to, spool->buffer.data + (offset - spool->spilled), len);
  return TB_OK;
}

static enum tb_status copy_file(struct tb_spool *spool, char *chunk, struct tb_output *output, struct tb_error *error) {
  for (uint64_t at = 0; at < spool->spilled;) {
    size_t n = spool->spilled - at < COPY_BYTES ? (size_t)(spool->spilled - at) : COPY_BYTES;
    enum tb_status status = read_file(spool, at, chunk, n, error);
    if (status == TB_OK) status = tb_output_write(output, chunk, n, error);
    if (status != TB_OK) return status;
    at += n;
  }
  return TB_OK;
}

enum tb_status tb_spool_write(struct tb_spool *spool, struct tb_output *output, struct tb_error *error) {
  if (spool->spilled) {
    char *chunk = tb_alloc(spool->buffer.allocator, COPY_BYTES);
    if (!chunk) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
    enum tb_status status = copy_file(spool, chunk, output, error);
    tb_free(spool->buffer.allocator, chunk, COPY_BYTES);
    if (status != TB_OK) return status;
  }
  return tb_output_write(output, spool->buffer.data, spool->buffer.len, error);
}

void tb_spool_free(struct tb_spool *spool) {
  if (spool->fd >= 0) (void)close(spool->fd);
  tb_buffer_free(&spool->buffer);
}
