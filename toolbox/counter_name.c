/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/counter_name.h"

#include "base/hex.h"

bool tb_is_number_id(struct tb_str id) {
  uint64_t number;
  for (size_t i = 0; i < id.len; i++)
    if (id.ptr[i] < '0' || id.ptr[i] > '9') return tb_hex_parse_prefixed(id, &number);
  return id.len;
}

/* The text before the last `separator`, and what is behind it; false where there is none. */
static bool split_last(struct tb_str text, struct tb_str separator, struct tb_str *before, struct tb_str *behind) {
  for (size_t at = text.len; at-- > 1;) {
    if (text.len - at < separator.len || memcmp(text.ptr + at, separator.ptr, separator.len) != 0) continue;
    *before = (struct tb_str){text.ptr, at};
    *behind = (struct tb_str){text.ptr + at + separator.len, text.len - at - separator.len};
    return true;
  }
  return false;
}

bool tb_counter_name_with_id(struct tb_str text, bool with_texts, struct tb_counter_name *parts) {
  struct tb_str before, behind;
  if (split_last(text, TB_STR(":"), &before, &parts->id) && !memchr(parts->id.ptr, ' ', parts->id.len) &&
      (with_texts || tb_is_number_id(parts->id)) && split_last(before, TB_STR(":"), &parts->name, &parts->series)) {
    if (tb_str_equal(parts->id, TB_STR("0"))) parts->id.len = 0;
    return true;
  }
  if (!split_last(text, TB_STR(" id: "), &parts->name, &behind)) return false;
  const char *space = memchr(behind.ptr, ' ', behind.len);
  parts->id = (struct tb_str){behind.ptr, space ? (size_t)(space - behind.ptr) : behind.len};
  parts->series = space ? (struct tb_str){space + 1, behind.len - parts->id.len - 1} : TB_STR("value");
  return true;
}

struct tb_str tb_counter_name_without_series(struct tb_str text) {
  struct tb_counter_name parts;
  bool has_series =
      tb_counter_name_with_id(text, true, &parts) || split_last(text, TB_STR(" "), &parts.name, &parts.series);
  return has_series ? parts.name : text;
}
