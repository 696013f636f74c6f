/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as text of RFC 4648's alphabet, with padding.
 */
#ifndef TB_BASE_BASE64_H
#define TB_BASE_BASE64_H

#include "tracebridge/base.h"

/* How many characters `len` bytes take; SIZE_MAX where no size_t says it. */
static inline size_t tb_base64_size(size_t len) { return len > SIZE_MAX / 2 ? SIZE_MAX : (len + 2) / 3 * 4; }

/* Writes tb_base64_size(bytes.len) characters to `to`. */
void tb_base64_encode(struct tb_str bytes, char *to);

/* What a character of the alphabet stands for, -1 for any other. */
int tb_base64_digit(char c);

/* Writes the bytes that `text` encodes to `to`, which has room for text.len, and their number to *len. TB_OK or
 * TB_BAD_DATA. */
TB_MUST_CHECK enum tb_status tb_base64_decode(struct tb_str text, char *to, size_t *len);

#endif
