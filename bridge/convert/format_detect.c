/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/format_detect.h"

#include <string.h>

#include "convert/registry.h"

const struct tb_format_entry *tb_format_find(const char *data, size_t len, enum tb_detection *sure) {
  const struct tb_format_entry *entry, *found = NULL;
  enum tb_detection best = TB_DETECT_NO;
  for (size_t i = 0; best < TB_DETECT_CERTAIN && (entry = tb_registry_at(i)); i++) {
    enum tb_detection found_here = entry->reader ? entry->reader->detect(data, len) : TB_DETECT_NO;
    if (found_here <= best) continue;
    best = found_here;
    found = entry;
  }
  *sure = best;
  return found;
}

enum tb_format tb_format_detect(const char *data, size_t len) {
  enum tb_detection sure;
  const struct tb_format_entry *found = tb_format_find(data, len, &sure);
  return found ? found->format : TB_FORMAT_UNKNOWN;
}

/* What people take for a trace, or keep one in: the bytes that are at an offset, and what to say. */
#define AT(offset, bytes, complaint) \
  { offset, sizeof(bytes) - 1, bytes, complaint }
static const char UTF16[] = "is text in UTF-16: make it UTF-8 first (iconv -f UTF-16 -t UTF-8)";
static const struct {
  size_t offset, len;
  const char *bytes, *complaint;
} known_foreign[] = {
    AT(0, "\xff\xfe", UTF16),
    AT(0, "\xfe\xff", UTF16),
    /* what is fed in pieces is not looked into */
    AT(0, "PK\3\4", "is a zip archive: unpack it first"),
    AT(257, "ustar", "is a tar archive: unpack it first"),
    AT(0, "BZh", "is compressed with bzip2: decompress it first"),
    AT(0, "\3757zXZ", "is compressed with xz: decompress it first"),
    AT(0, "\4\"M\30", "is compressed with lz4: decompress it first"),
    AT(0, "PERFILE2", "is a recording of Linux perf, which is not read"),
    AT(0, "\177ELF", "is a program and no trace"),
};
#undef AT

const char *tb_format_known_foreign(const char *data, size_t len) {
  for (size_t i = 0; i < sizeof(known_foreign) / sizeof(known_foreign[0]); i++)
    if (len >= known_foreign[i].offset + known_foreign[i].len &&
        memcmp(data + known_foreign[i].offset, known_foreign[i].bytes, known_foreign[i].len) == 0)
      return known_foreign[i].complaint;
  return NULL;
}
