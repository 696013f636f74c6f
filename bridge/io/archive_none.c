/* SPDX-License-Identifier: Apache-2.0
 *
 * A build without libarchive: archives are known as such, and not read.
 */
#include "base/error.h"
#include "io/archive.h"

enum tb_status tb_archive_walk(const char *path, const struct tb_archive_sink *sink, struct tb_error *error) {
  (void)path;
  (void)sink;
  return tb_fail(error, TB_UNSUPPORTED, TB_NO_OFFSET,
                 "archives are not read by this build, which is without libarchive; unpack it first");
}
