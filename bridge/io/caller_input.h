/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that the library's caller has open already: bytes in memory, a descriptor, a function that reads. They are
 * read once, from the first byte to the last. Errors are those of tb_input_open_inside; `name` stands for them there.
 */
#ifndef TB_IO_CALLER_INPUT_H
#define TB_IO_CALLER_INPUT_H

#include "io/input.h"

/* The bytes stay as they are until the input is closed. */
TB_MUST_CHECK enum tb_status tb_input_open_memory(const char *name, struct tb_str bytes,
                                                  const struct tb_allocator *allocator, unsigned threads,
                                                  struct tb_input **input, struct tb_error *error);

/* From the descriptor's offset on. It stays the caller's, and open. */
TB_MUST_CHECK enum tb_status tb_input_open_descriptor(const char *name, int fd, const struct tb_allocator *allocator,
                                                      unsigned threads, struct tb_input **input,
                                                      struct tb_error *error);

/* `read` as tb_read_bytes of tracebridge/reader.h. */
TB_MUST_CHECK enum tb_status tb_input_open_callback(const char *name,
                                                    ptrdiff_t (*read)(void *ctx, void *to, size_t capacity), void *ctx,
                                                    const struct tb_allocator *allocator, unsigned threads,
                                                    struct tb_input **input, struct tb_error *error);

#endif
