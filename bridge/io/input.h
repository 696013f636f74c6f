/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of an input: a file, a pipe, what a caller feeds, or what is inside of another input. gzip (all members), zstd
 * and atrace's zlib are decompressed on the way, and but for what is fed xz, bzip2 and lz4.
 */
#ifndef TB_IO_INPUT_H
#define TB_IO_INPUT_H

#include <stdbool.h>

#include "base/losses.h"

struct tb_input; /* opaque; tb_input_open or tb_input_create_feed, then tb_input_close */

/* What to read: a file, or a part of an open one. */
struct tb_input_place {
  const char *name; /* the file's path ("-": standard input); the name of a part in errors */
  /* The bytes [start, start + len) of the file `fd`, which must stay open meanwhile. They are read without another
   * descriptor and without moving the file's offset, so that any number of threads may do so. */
  bool part;
  int fd;
  uint64_t start, len;
};

/* Opens `path` ("-": standard input). With threads > 1 decompression runs in a thread of its own. Errors as
 * tb_reader_open's. */
TB_MUST_CHECK enum tb_status tb_input_open(const char *path, const struct tb_allocator *allocator, unsigned threads,
                                           struct tb_input **input, struct tb_error *error);
TB_MUST_CHECK enum tb_status tb_input_open_place(const struct tb_input_place *place,
                                                 const struct tb_allocator *allocator, unsigned threads,
                                                 struct tb_input **input, struct tb_error *error);
/* Whether tb_input_open_again can open it: a regular file or a part of one, compressed or not. */
bool tb_input_can_open_again(const struct tb_input *input);
/* Opens a second input that reads what `input` reads, from its start. It must be closed before `input`. */
TB_MUST_CHECK enum tb_status tb_input_open_again(const struct tb_input *input, const struct tb_allocator *allocator,
                                                 struct tb_input **again, struct tb_error *error);
TB_MUST_CHECK enum tb_status tb_input_create_feed(const char *name, const struct tb_allocator *allocator,
                                                  struct tb_input **input, struct tb_error *error);

/* What is inside of something else, such as an archive. */
struct tb_input_source {
  void *ctx;
  /* Up to `capacity` bytes. TB_OK: at least one. TB_END, TB_TRUNCATED (it is damaged from here on) and any other: no
   * more, however often it is asked. */
  enum tb_status (*read)(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error);
  void (*close)(void *ctx);       /* when the input is closed; NULL: nothing to do */
  const struct tb_losses *losses; /* of what was read, which last as long as ctx; NULL: there are none */
  /* Where in what this reads from the byte at `offset` came from; TB_NO_OFFSET: not known any more. NULL: places are
   * those of what is read. */
  uint64_t (*place)(const void *ctx, uint64_t offset);
};

/* Opens what `source` reads. `beneath` (NULL: none) is what that reads from, and says how much of the stored bytes was
 * read. On success the new input owns both, else the caller does. TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_input_open_inside(const char *name, const struct tb_input_source *source,
                                                  struct tb_input *beneath, const struct tb_allocator *allocator,
                                                  unsigned threads, struct tb_input **input, struct tb_error *error);

/* Where `input` can be read once only, reads it to its end into a temporary file, and makes *input one that can be
 * opened again, which is as long as it can be read. TB_OK; TB_IO, TB_NO_MEMORY, TB_LIMIT (it unpacks to more than 1 GiB
 * and 256 times what was read of it): *input is as it was, or partly read. */
TB_MUST_CHECK enum tb_status tb_input_keep(struct tb_input **input, struct tb_error *error);
/* The same with another bound than 1 GiB. */
TB_MUST_CHECK enum tb_status tb_input_keep_within(struct tb_input **input, uint64_t most, struct tb_error *error);

TB_MUST_CHECK enum tb_status tb_input_feed(struct tb_input *input, const void *data, size_t len);
void tb_input_feed_end(struct tb_input *input);

/* Reads up to `capacity` decompressed bytes, at least one unless the status is not TB_OK. TB_OK: *got bytes are there.
 * TB_END: no more. TB_AGAIN: a fed input needs more. TB_TRUNCATED: the compressed data ends too early or is damaged;
 * what came before it was given. TB_IO: see *error. */
TB_MUST_CHECK enum tb_status tb_input_read(struct tb_input *input, char *buffer, size_t capacity, size_t *got,
                                           struct tb_error *error);

/* Where that was TB_TRUNCATED: whether the compressed data is known to be damaged, and not only to end early. */
bool tb_input_is_bad(const struct tb_input *input);

/* The first decompressed bytes, not consumed: up to `capacity` of them (at most 4096), fewer only at the end of the
 * input. Statuses as tb_input_read. */
TB_MUST_CHECK enum tb_status tb_input_peek(struct tb_input *input, const char **data, size_t capacity, size_t *got,
                                           struct tb_error *error);

/* True where the input is a plain, uncompressed regular file, or a part of one, that can be read again from the start
 * with tb_input_rewind. */
bool tb_input_can_rewind(const struct tb_input *input);
TB_MUST_CHECK enum tb_status tb_input_rewind(struct tb_input *input, struct tb_error *error);
/* Goes on at byte `offset` of such an input. TB_INVALID for any other input; TB_IO. */
TB_MUST_CHECK enum tb_status tb_input_seek(struct tb_input *input, uint64_t offset, struct tb_error *error);

/* What was lost of what was read, by the source, or by one beneath; NULL: nothing is counted. */
const struct tb_losses *tb_input_losses(const struct tb_input *input);

/* Says that what is fed to `fed` is read from `from`, which lasts as long. */
void tb_input_feed_from(struct tb_input *fed, const struct tb_input *from);
/* What tb_input_open_again can open to read the same bytes: the input where it can be rewound, or what it is fed from;
 * NULL: nothing. */
const struct tb_input *tb_input_to_read_again(const struct tb_input *input);

/* The place by which users know the byte at `offset`: in the text, where that is decoded. */
uint64_t tb_input_place_of(const struct tb_input *input, uint64_t offset);

const char *tb_input_name(const struct tb_input *input);
uint64_t tb_input_bytes_read(const struct tb_input *input); /* of the file as it is stored */
uint64_t tb_input_size(const struct tb_input *input);       /* of the file as it is stored; 0: unknown */
void tb_input_close(struct tb_input *input);

#endif
