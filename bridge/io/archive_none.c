/* SPDX-License-Identifier: Apache-2.0
 *
 * A build without libarchive: archives are known as such, and not read.
 */
#include "base/error.h"
#include "io/archive.h"

static enum tb_status refuse(struct tb_archive **archive, struct tb_error *error, const char *what) {
  *archive = NULL;
  return tb_fail(error, TB_UNSUPPORTED, TB_NO_OFFSET,
                 "%s not read by this build, which is without libarchive; unpack it first", what);
}

enum tb_status tb_archive_open(const struct tb_archive_source *source, const struct tb_allocator *allocator,
                               struct tb_archive **archive, struct tb_error *error) {
  (void)source;
  (void)allocator;
  return refuse(archive, error, "archives are");
}

enum tb_status tb_archive_open_compressed(const struct tb_archive_source *source, const struct tb_allocator *allocator,
                                          struct tb_archive **archive, struct tb_error *error) {
  (void)source;
  (void)allocator;
  return refuse(archive, error, "xz, bzip2 and lz4 are");
}

enum tb_status tb_archive_next(struct tb_archive *archive, const char **path, struct tb_error *error) {
  (void)archive;
  (void)path;
  (void)error;
  return TB_END;
}

enum tb_status tb_archive_read(struct tb_archive *archive, char *to, size_t capacity, size_t *got,
                               struct tb_error *error) {
  (void)archive;
  (void)to;
  (void)capacity;
  (void)error;
  *got = 0;
  return TB_END;
}

enum tb_status tb_archive_walk(struct tb_archive *archive, const struct tb_archive_sink *sink, struct tb_error *error) {
  (void)archive;
  (void)sink;
  (void)error;
  return TB_OK;
}

void tb_archive_close(struct tb_archive *archive) { (void)archive; }
