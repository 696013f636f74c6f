/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void tb_base64_encode(struct tb_str bytes, char *to) {
  const unsigned char *p = (const unsigned char *)bytes.ptr;
  for (size_t i = 0; i < bytes.len; i += 3) {
    size_t left = bytes.len - i;
    uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);
    *to++ = digits[v >> 18];
    *to++ = digits[v >> 12 & 63];
    *to++ = left > 1 ? digits[v >> 6 & 63] : '=';
    *to++ = left > 2 ? digits[v & 63] : '=';
  }
}

int tb_base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

enum tb_status tb_base64_decode(struct tb_str text, char *to, size_t *len) {
  size_t n = 0, end = text.len;
  if (end % 4) return TB_BAD_DATA;
  while (end && text.len - end < 2 && text.ptr[end - 1] == '=') end--;
  uint32_t bits = 0;
  unsigned held = 0;
  for (size_t i = 0; i < end; i++) {
    int value = tb_base64_digit(text.ptr[i]);
    if (value < 0) return TB_BAD_DATA;
    bits = bits << 6 | (uint32_t)value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    to[n++] = (char)(bits >> held & 0xff);
  }
  *len = n;
  return TB_OK;
}
