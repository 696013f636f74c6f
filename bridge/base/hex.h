/* SPDX-License-Identifier: Apache-2.0
 *
 * Hexadecimal numbers, as ids and addresses are written in texts.
 */
#ifndef TB_BASE_HEX_H
#define TB_BASE_HEX_H

#include <stdbool.h>

#include "tracebridge/base.h"

enum { TB_HEX_DIGITS_MAX = 16 };

/* The value of a digit of either case; -1 where `c` is none. */
static inline int tb_hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char letter = (char)(c | 0x20);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* One to sixteen digits of either case, all of the text. False, and *value unchanged, where it is anything else. */
static inline bool tb_hex_parse(struct tb_str digits, uint64_t *value) {
  uint64_t v = 0;
  if (digits.len == 0 || digits.len > TB_HEX_DIGITS_MAX) return false;
  for (size_t i = 0; i < digits.len; i++) {
    int digit = tb_hex_digit(digits.ptr[i]);
    if (digit < 0) return false;
    v = v << 4 | (unsigned)digit;
  }
  *value = v;
  return true;
}

/* The same behind "0x" or "0X". */
static inline bool tb_hex_parse_prefixed(struct tb_str text, uint64_t *value) {
  if (text.len < 3 || text.ptr[0] != '0' || (text.ptr[1] | 0x20) != 'x') return false;
  return tb_hex_parse((struct tb_str){text.ptr + 2, text.len - 2}, value);
}

#endif
