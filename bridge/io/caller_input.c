/* SPDX-License-Identifier: Apache-2.0 */
#include "io/caller_input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

struct caller_input {
  const struct tb_allocator *allocator;
  struct tb_str left; /* in memory */
  int fd;
  ptrdiff_t (*read)(void *ctx, void *to, size_t capacity);
  void *ctx; /* of `read` */
};

static enum tb_status read_memory(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  (void)error;
  struct tb_str *left = &((struct caller_input *)ctx)->left;
  *got = left->len < capacity ? left->len : capacity;
  if (!*got) return TB_END;
  memcpy(to, left->ptr, *got);
  *left = (struct tb_str){left->ptr + *got, left->len - *got};
  return TB_OK;
}

static enum tb_status read_descriptor(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  ssize_t len;
  do len = read(((const struct caller_input *)ctx)->fd, to, capacity);
  while (len < 0 && errno == EINTR);
  if (len < 0) return tb_fail_errno(error, TB_IO, errno, "cannot be read");
  *got = (size_t)len;
  return len ? TB_OK : TB_END;
}

static enum tb_status read_callback(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  const struct caller_input *in = ctx;
  ptrdiff_t len = in->read(in->ctx, to, capacity);
  if (len < 0 || (size_t)len > capacity) return tb_fail(error, TB_IO, TB_NO_OFFSET, "cannot be read");
  *got = (size_t)len;
  return len ? TB_OK : TB_END;
}

static void close_input(void *ctx) {
  struct caller_input *in = ctx;
  tb_free(in->allocator, in, sizeof(*in));
}

static enum tb_status open_input(const char *name, const struct caller_input *as, struct tb_input_source source,
                                 unsigned threads, struct tb_input **input, struct tb_error *error) {
  struct caller_input *in = tb_alloc(as->allocator, sizeof(*in));
  *input = NULL;
  if (!in) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  *in = *as;
  source.ctx = in;
  source.close = close_input;
  enum tb_status status = tb_input_open_inside(name, &source, NULL, as->allocator, threads, input, error);
  if (status != TB_OK) close_input(in);
  return status;
}

enum tb_status tb_input_open_memory(const char *name, struct tb_str bytes, const struct tb_allocator *allocator,
                                    unsigned threads, struct tb_input **input, struct tb_error *error) {
  return open_input(name, &(const struct caller_input){.allocator = allocator, .left = bytes},
                    (struct tb_input_source){.read = read_memory}, threads, input, error);
}

enum tb_status tb_input_open_descriptor(const char *name, int fd, const struct tb_allocator *allocator,
                                        unsigned threads, struct tb_input **input, struct tb_error *error) {
  return open_input(name, &(const struct caller_input){.allocator = allocator, .fd = fd},
                    (struct tb_input_source){.read = read_descriptor}, threads, input, error);
}

enum tb_status tb_input_open_callback(const char *name, ptrdiff_t (*read)(void *ctx, void *to, size_t capacity),
                                      void *ctx, const struct tb_allocator *allocator, unsigned threads,
                                      struct tb_input **input, struct tb_error *error) {
  return open_input(name, &(const struct caller_input){.allocator = allocator, .read = read, .ctx = ctx},
                    (struct tb_input_source){.read = read_callback}, threads, input, error);
}
