/* SPDX-License-Identifier: Apache-2.0 */
#include "json/valid_text.h"

#include <stddef.h>

const char *tb_json_after_string(const char *p) {
  for (p++; *p != '"'; p++)
    if (*p == '\\') p++;
  return p + 1;
}

const char *tb_json_after_value(const char *p) {
  size_t depth = 0;
  for (;; p++) {
    if (*p == '"')
      p = tb_json_after_string(p) - 1;
    else if (*p == '{' || *p == '[')
      depth++;
    else if ((*p == '}' || *p == ']' || *p == ',') && depth == 0)
      return p;
    else if (*p == '}' || *p == ']')
      depth--;
  }
}
