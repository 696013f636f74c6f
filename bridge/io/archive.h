/* SPDX-License-Identifier: Apache-2.0
 *
 * tar and zip files of traces, and the compressions that zlib and zstd do not read, by libarchive; a build without it
 * (TRACEBRIDGE_ARCHIVE=OFF) refuses them.
 */
#ifndef TB_IO_ARCHIVE_H
#define TB_IO_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "tracebridge/base.h"

/* True where a (decompressed) file that starts with these bytes is a tar or zip file. */
bool tb_archive_detect(const char *data, size_t len);

/* Where an archive's bytes come from. */
struct tb_archive_source {
  void *ctx;
  /* Up to `capacity` bytes, at least one where TB_OK; TB_END and TB_TRUNCATED: there are no more. */
  enum tb_status (*read)(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error);
  /* Goes on at `offset`; NULL: it cannot. The bytes are then `size`. */
  enum tb_status (*seek)(void *ctx, uint64_t offset, struct tb_error *error);
  uint64_t size;
};

struct tb_input;

/* Fills *source with what reads `input`, which must stay as long as it: by seeking, where the input can. Errors as
 * tb_input_peek's. */
TB_MUST_CHECK enum tb_status tb_archive_source_of(struct tb_input *input, struct tb_archive_source *source,
                                                  struct tb_error *error);

struct tb_archive; /* opaque; tb_archive_open or tb_archive_open_compressed, then tb_archive_close */

/* Opens a tar or zip file. The source must stay until it is closed. TB_OK; TB_UNSUPPORTED where libarchive is not
 * there; TB_NO_MEMORY; TB_BAD_DATA; TB_IO and what else the source says. */
TB_MUST_CHECK enum tb_status tb_archive_open(const struct tb_archive_source *source,
                                             const struct tb_allocator *allocator, struct tb_archive **archive,
                                             struct tb_error *error);

/* Opens data compressed by xz, bzip2 or lz4, of which tb_archive_read then gives the content. Errors as
 * tb_archive_open. */
TB_MUST_CHECK enum tb_status tb_archive_open_compressed(const struct tb_archive_source *source,
                                                        const struct tb_allocator *allocator,
                                                        struct tb_archive **archive, struct tb_error *error);

/* Goes to the next regular file that has no path component that starts with '.'. *path is its name in the archive,
 * valid until the next call; NULL where that cannot be read. TB_END behind the last; errors as tb_archive_open. */
TB_MUST_CHECK enum tb_status tb_archive_next(struct tb_archive *archive, const char **path, struct tb_error *error);

/* Up to `capacity` bytes of the current file. TB_OK: at least one; TB_END: no more; TB_BAD_DATA: the file is damaged
 * from here on. */
TB_MUST_CHECK enum tb_status tb_archive_read(struct tb_archive *archive, char *to, size_t capacity, size_t *got,
                                             struct tb_error *error);

/* NULL is ignored. */
void tb_archive_close(struct tb_archive *archive);

/* What becomes of the members. A status that is not TB_OK ends the walk. */
struct tb_archive_sink {
  void *ctx;
  /* A regular file, in the archive's order: `path` is its name in it. */
  enum tb_status (*begin)(void *ctx, const char *path, struct tb_error *error);
  /* Bytes of it, from front to back; bytes that no call gives are zero, as in files with holes. */
  enum tb_status (*put)(void *ctx, uint64_t offset, const void *data, size_t len, struct tb_error *error);
  /* It was read to its end and has `len` bytes. */
  enum tb_status (*end)(void *ctx, uint64_t len, struct tb_error *error);
  /* Instead of these: a regular file whose name cannot be read. It is passed over. */
  enum tb_status (*nameless)(void *ctx, struct tb_error *error);
};

/* Walks over the files that tb_archive_next gives. TB_OK; errors as tb_archive_open; what the sink returned. */
TB_MUST_CHECK enum tb_status tb_archive_walk(struct tb_archive *archive, const struct tb_archive_sink *sink,
                                             struct tb_error *error);

#endif
