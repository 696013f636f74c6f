/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <stdbool.h>

/* How many bytes follow the lead byte, and the range of the first of them (Unicode Standard, table 3-7). */
static size_t follow(unsigned char lead, unsigned char *low, unsigned char *high) {
  *low = 0x80;
  *high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) return 1;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (lead == 0xe0) *low = 0xa0;
    if (lead == 0xed) *high = 0x9f;
    return 2;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (lead == 0xf0) *low = 0x90;
    if (lead == 0xf4) *high = 0x8f;
    return 3;
  }
  return 0;
}

size_t tb_utf8_character(const char *p, const char *end, size_t *skip) {
  unsigned char lead = (unsigned char)*p, low, high;
  *skip = 1;
  if (lead < 0x80) return 1;
  size_t more = follow(lead, &low, &high);
  if (!more) return 0;
  for (size_t i = 1; i <= more; i++) {
    if (p + i >= end) return 0;
    unsigned char byte = (unsigned char)p[i];
    if (byte < low || byte > high) return 0;
    *skip = i + 1;
    low = 0x80;
    high = 0xbf;
  }
  return more + 1;
}

uint32_t tb_utf8_decode(const char *p, size_t length) {
  static const unsigned char of_lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t c = (unsigned char)*p & of_lead[length];
  for (size_t i = 1; i < length; i++) c = c << 6 | ((unsigned char)p[i] & 0x3f);
  return c;
}

size_t tb_utf8_encode(uint32_t c, char *to) {
  if (c < 0x80) {
    to[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    to[0] = (char)(0xc0 | c >> 6);
    to[1] = (char)(0x80 | (c & 0x3f));
    return 2;
  }
  if (c < 0x10000) {
    to[0] = (char)(0xe0 | c >> 12);
    to[1] = (char)(0x80 | (c >> 6 & 0x3f));
    to[2] = (char)(0x80 | (c & 0x3f));
    return 3;
  }
  to[0] = (char)(0xf0 | c >> 18);
  to[1] = (char)(0x80 | (c >> 12 & 0x3f));
  to[2] = (char)(0x80 | (c >> 6 & 0x3f));
  to[3] = (char)(0x80 | (c & 0x3f));
  return 4;
}

bool tb_utf8_is_text(struct tb_str bytes) {
  const char *end = bytes.len ? bytes.ptr + bytes.len : bytes.ptr;
  for (const char *p = bytes.ptr; p != end;) {
    size_t skip, len = tb_utf8_character(p, end, &skip);
    if (!len || ((unsigned char)*p < 0x20 && *p != '\t' && *p != '\n' && *p != '\r')) return false;
    p += len;
  }
  return true;
}

static bool is_ascii(const char *p, size_t len) {
  uint64_t word;
  for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
    memcpy(&word, p, sizeof(word));
    if (word & UINT64_C(0x8080808080808080)) return false;
  }
  for (; len; p++, len--)
    if (*p & 0x80) return false;
  return true;
}

bool tb_utf8_is_valid(struct tb_str text) {
  if (is_ascii(text.ptr, text.len)) return true;
  const char *end = text.ptr + text.len;
  for (const char *p = text.ptr; p < end;) {
    size_t skip, size = tb_utf8_character(p, end, &skip);
    if (size == 0) return false;
    p += size;
  }
  return true;
}

enum tb_status tb_utf8_repair(struct tb_arena *arena, struct tb_str *text) {
  if (tb_utf8_is_valid(*text)) return TB_OK;
  if (text->len > SIZE_MAX / 4) return TB_NO_MEMORY;
  char *copy = tb_arena_alloc(arena, text->len * (sizeof(TB_UTF8_REPLACEMENT) - 1));
  if (!copy) return TB_NO_MEMORY;
  size_t n = 0;
  const char *end = text->ptr + text->len;
  for (const char *p = text->ptr; p < end;) {
    size_t skip, size = tb_utf8_character(p, end, &skip);
    size_t len = size ? size : sizeof(TB_UTF8_REPLACEMENT) - 1;
    memcpy(copy + n, size ? p : TB_UTF8_REPLACEMENT, len);
    n += len;
    p += size ? size : skip;
  }
  *text = (struct tb_str){copy, n};
  return TB_OK;
}
