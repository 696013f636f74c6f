/* SPDX-License-Identifier: Apache-2.0
 *
 * tar and zip files of traces, by libarchive; a build without it (TRACEBRIDGE_ARCHIVE=OFF) refuses them.
 */
#ifndef TB_IO_ARCHIVE_H
#define TB_IO_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "tracebridge/base.h"

/* True where a (decompressed) file that starts with these bytes is a tar or zip file. */
bool tb_archive_detect(const char *data, size_t len);

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

/* Walks over the archive. Files with a path component that starts with '.' are passed over. TB_OK; TB_BAD_DATA for a
 * damaged archive; TB_NO_MEMORY; TB_IO; what the sink returned. */
TB_MUST_CHECK enum tb_status tb_archive_walk(const char *path, const struct tb_archive_sink *sink,
                                             struct tb_error *error);

#endif
