/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/format_detect.h"

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
  if (best == TB_DETECT_LIKELY && tb_format_is_foreign_document(data, len)) return NULL;
  return found;
}

enum tb_format tb_format_detect(const char *data, size_t len) {
  enum tb_detection sure;
  const struct tb_format_entry *found = tb_format_find(data, len, &sure);
  return found ? found->format : TB_FORMAT_UNKNOWN;
}
