/* SPDX-License-Identifier: Apache-2.0 */
#include "io/tar_magic.h"

#include <string.h>

enum { TAR_MAGIC_AT = 257 };

static bool is_at(const char *start, size_t len, const char *magic, size_t magic_len) {
  return len >= TAR_MAGIC_AT + magic_len && memcmp(start + TAR_MAGIC_AT, magic, magic_len) == 0;
}

bool tb_looks_like_tar(const char *start, size_t len) {
  return is_at(start, len, "ustar", sizeof("ustar")) || is_at(start, len, "ustar  ", sizeof("ustar  "));
}
