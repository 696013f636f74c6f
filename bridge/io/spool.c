/* SPDX-License-Identifier: Apache-2.0 */
#include "io/spool.h"

#include "base/error.h"

enum { COPY_BYTES = 64 * 1024 };

void tb_spool_init(struct tb_spool *spool, const struct tb_allocator *allocator, size_t limit, const char *directory) {
  *spool = (struct tb_spool){.limit = limit, .directory = directory};
  tb_buffer_init(&spool->buffer, allocator, 0);
}

static enum tb_status spill(struct tb_spool *spool, struct tb_error *error) {
  enum tb_status status = TB_OK;
  if (!spool->file) status = tb_spill_file_create(spool->directory, spool->buffer.allocator, &spool->file, error);
  if (status == TB_OK) status = tb_spill_file_append(spool->file, spool->buffer.data, spool->buffer.len, error);
  if (status == TB_OK) spool->buffer.len = 0;
  return status;
}

enum tb_status tb_spool_add(struct tb_spool *spool, const void *data, size_t len, struct tb_error *error) {
  if (spool->buffer.len && spool->buffer.len + len > spool->limit) {
    enum tb_status status = spill(spool, error);
    if (status != TB_OK) return status;
  }
  enum tb_status status = tb_buffer_append(&spool->buffer, data, len);
  return status == TB_OK ? status : tb_fail(error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

enum tb_status tb_spool_read(struct tb_spool *spool, uint64_t offset, void *data, size_t len, struct tb_error *error) {
  uint64_t spilled = tb_spool_spilled(spool);
  size_t in_file = offset >= spilled ? 0 : spilled - offset < len ? (size_t)(spilled - offset) : len;
  if (in_file) {
    enum tb_status status = tb_spill_file_get(spool->file, offset, data, in_file, error);
    if (status != TB_OK) return status;
  }
  if (in_file < len) memcpy((char *)data + in_file, spool->buffer.data + (offset + in_file - spilled), len - in_file);
  return TB_OK;
}

static enum tb_status copy_file(struct tb_spool *spool, char *chunk, struct tb_output *output, struct tb_error *error) {
  for (uint64_t at = 0, end = tb_spool_spilled(spool); at < end;) {
    size_t n = end - at < COPY_BYTES ? (size_t)(end - at) : COPY_BYTES;
    enum tb_status status = tb_spill_file_get(spool->file, at, chunk, n, error);
    if (status == TB_OK) status = tb_output_write(output, chunk, n, error);
    if (status != TB_OK) return status;
    at += n;
  }
  return TB_OK;
}

enum tb_status tb_spool_write(struct tb_spool *spool, struct tb_output *output, struct tb_error *error) {
  if (spool->file) {
    char *chunk = tb_alloc(spool->buffer.allocator, COPY_BYTES);
    if (!chunk) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
    enum tb_status status = copy_file(spool, chunk, output, error);
    tb_free(spool->buffer.allocator, chunk, COPY_BYTES);
    if (status != TB_OK) return status;
  }
  return tb_output_write(output, spool->buffer.data, spool->buffer.len, error);
}

void tb_spool_free(struct tb_spool *spool) {
  tb_spill_file_close(spool->file);
  tb_buffer_free(&spool->buffer);
}
