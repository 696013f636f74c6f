/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/tap.h"

#include "base/error.h"
#include "base/memory.h"

struct tb_tap {
  const struct tb_allocator *allocator;
  struct tb_input *from;
  struct tb_buffer kept;
  bool keeps;
  struct tb_output *output; /* NULL: none */
};

static enum tb_status read_tapped(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  struct tb_tap *tap = ctx;
  enum tb_status status = tb_input_read(tap->from, to, capacity, got, error);
  if (status != TB_OK) return status;
  if (tap->output) return tb_output_write(tap->output, to, *got, error);
  if (!tap->keeps || tb_buffer_append(&tap->kept, to, *got) == TB_OK) return TB_OK;
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static void close_tap(void *ctx) {
  struct tb_tap *tap = ctx;
  tb_buffer_free(&tap->kept);
  tb_free(tap->allocator, tap, sizeof(*tap));
}

enum tb_status tb_tap_open(struct tb_input **input, const struct tb_allocator *allocator, struct tb_tap **tap,
                           struct tb_error *error) {
  struct tb_tap *made = tb_calloc(allocator, sizeof(*made));
  if (!made) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  made->allocator = allocator;
  made->from = *input;
  made->keeps = true;
  tb_buffer_init(&made->kept, allocator, 0);
  const struct tb_input_source source = {.ctx = made, .read = read_tapped, .close = close_tap};
  struct tb_input *inside;
  enum tb_status status = tb_input_open_inside(tb_input_name(*input), &source, *input, allocator, 1, &inside, error);
  if (status != TB_OK) {
    close_tap(made);
    return status;
  }
  *input = inside;
  *tap = made;
  return TB_OK;
}

enum tb_status tb_tap_write(struct tb_tap *tap, struct tb_output *output, struct tb_error *error) {
  enum tb_status status = tb_output_write(output, tap->kept.data, tap->kept.len, error);
  tb_tap_end(tap);
  tap->output = output;
  return status;
}

void tb_tap_end(struct tb_tap *tap) {
  tb_buffer_free(&tap->kept);
  tap->keeps = false;
}
