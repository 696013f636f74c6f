/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of an output: a file that gets its name when it is whole, or standard output; compressed on the way where
 * asked.
 */
#ifndef TB_IO_OUTPUT_H
#define TB_IO_OUTPUT_H

#include <stdbool.h>

#include "base/memory.h"
#include "io/decompress.h"
#include "tracebridge/file.h"

struct tb_output; /* opaque; tb_output_open, then tb_output_close */

enum { TB_OUTPUT_PADDING_MAX = 512 };

/* Whether readers would take an output that starts with these bytes for one of another format. */
typedef bool (*tb_output_misleads)(const char *start, size_t len);
/* Writes bytes that readers pass over to `padding`, and returns how many these are. */
typedef size_t (*tb_output_padding)(char padding[TB_OUTPUT_PADDING_MAX]);

/* Where the bytes go: to the file of the path, where none of these is set; else the path is a name for errors. */
struct tb_output_place {
  const int *descriptor; /* it stays the caller's, and open */
  /* Takes all of `data`; false: TB_IO. It may be called in another thread. */
  bool (*write_bytes)(void *ctx, const void *data, size_t len);
  void *ctx;
  struct tb_buffer *memory;
};

struct tb_output_options {
  const struct tb_allocator *allocator;
  /* Asked once, before anything is written, with the first bytes of the output, all of it or many: where they mislead,
   * `padding` goes before them. NULL: none does. */
  tb_output_misleads misleads;
  tb_output_padding padding; /* of use where `misleads` is set */
  enum tb_compression compression;
  tb_temporary_name temporary_name; /* NULL: not called */
  void *temporary_name_ctx;
  unsigned threads; /* more than 1: compression and writing run in a thread of their own */
  struct tb_output_place place;
};

/* Creates a temporary file in the folder of `path`, or of what `path` links to; it has no name where the file system
 * supports that. "-", names of descriptors, devices and pipes are written directly. Errors: TB_IO, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_output_open(const char *path, const struct tb_output_options *options,
                                            struct tb_output **output, struct tb_error *error);

/* Lets tb_output_finish fail, TB_IO, where a file of that name is there by then, in place of replacing it. */
void tb_output_keep_existing(struct tb_output *output);

/* Writes all of `data`; buffered. After a failure each call returns the first status. */
TB_MUST_CHECK enum tb_status tb_output_write(struct tb_output *output, const void *data, size_t len,
                                             struct tb_error *error);

/* Room for `len` (at most 1 MiB) bytes to be written in place; tb_output_commit says how many were used. NULL on
 * failure. */
char *tb_output_reserve(struct tb_output *output, size_t len, struct tb_error *error);
void tb_output_commit(struct tb_output *output, size_t len);

/* Flushes, closes and renames. The file keeps the mode of the one that it replaces; a new one gets its mode by the
 * umask. On failure no new file appears under the name. */
TB_MUST_CHECK enum tb_status tb_output_finish(struct tb_output *output, struct tb_error *error);

uint64_t tb_output_bytes(const struct tb_output *output);         /* taken, before compression */
uint64_t tb_output_bytes_written(const struct tb_output *output); /* to the file; once it is finished */

/* Frees; removes the temporary file when not finished. NULL is ignored. */
void tb_output_close(struct tb_output *output);

#endif
