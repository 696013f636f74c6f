/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/format_detect.h"

#include <stdio.h>

#include "base/error.h"
#include "convert/registry.h"

enum { FORMATS_TEXT = 256 };

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

/* ---- none -------------------------------------------------------------------------------------------------------- */

/* "A, B or C", of the formats that are read. */
static void list_formats(char *text, size_t size) {
  const struct tb_format_entry *entry, *last = NULL;
  size_t len = 0;
  for (size_t i = 0; (entry = tb_registry_at(i)); i++)
    if (entry->reader || entry->decoder) last = entry;
  for (size_t i = 0; (entry = tb_registry_at(i)) && len < size; i++) {
    if (!entry->reader && !entry->decoder) continue;
    const char *before = len == 0 ? "" : entry == last ? " or " : ", ";
    len += (size_t)snprintf(text + len, size - len, "%s%s", before, entry->title);
  }
}

enum tb_status tb_format_fail_unknown(struct tb_error *error, const char *data, size_t len) {
  const char *foreign = tb_format_known_foreign(data, len);
  const char *hint = tb_format_is_foreign_document(data, len)
                         ? " (where it has events further on, tb_reader_options.format json reads them)"
                         : "";
  if (foreign) return tb_fail(error, TB_UNKNOWN_FORMAT, 0, "%s%s", foreign, hint);
  char formats[FORMATS_TEXT];
  list_formats(formats, sizeof(formats));
  return tb_fail(error, TB_UNKNOWN_FORMAT, 0, "is no trace of a known format (%s); tb_reader_options.format names one",
                 formats);
}
