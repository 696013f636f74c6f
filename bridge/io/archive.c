/* SPDX-License-Identifier: Apache-2.0 */
#include "io/archive.h"

#include <string.h>

#include "io/tar_magic.h"

bool tb_archive_detect(const char *data, size_t len) {
  if (len >= 4 && memcmp(data, "PK\3\4", 4) == 0) return true;
  return tb_looks_like_tar(data, len);
}
