/* SPDX-License-Identifier: Apache-2.0 */
#include "io/archive.h"

#include <string.h>

#include "io/input.h"
#include "io/tar_magic.h"

bool tb_archive_detect(const char *data, size_t len) {
  if (len >= 4 && memcmp(data, "PK\3\4", 4) == 0) return true;
  return tb_looks_like_tar(data, len);
}

static enum tb_status read_input(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  return tb_input_read(ctx, to, capacity, got, error);
}

static enum tb_status seek_input(void *ctx, uint64_t offset, struct tb_error *error) {
  return tb_input_seek(ctx, offset, error);
}

enum tb_status tb_archive_source_of(struct tb_input *input, struct tb_archive_source *source, struct tb_error *error) {
  const char *data;
  size_t got;
  *source = (struct tb_archive_source){.ctx = input, .read = read_input};
  enum tb_status status = tb_input_peek(input, &data, 1, &got, error); /* it then knows whether it can seek */
  if (status != TB_OK || !tb_input_can_rewind(input)) return status;
  source->seek = seek_input;
  source->size = tb_input_size(input);
  return TB_OK;
}
