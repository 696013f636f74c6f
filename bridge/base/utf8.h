/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8: validity, and the replacement of bytes that are not.
 */
#ifndef TB_BASE_UTF8_H
#define TB_BASE_UTF8_H

#include <stdbool.h>

#include "base/memory.h"

/* U+FFFD, the replacement character. */
#define TB_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Length (1 to 4) of the well-formed character at `p`, which is before `end`; 0 where there is none, and *skip is then
 * how many bytes (1 to 3) one replacement character stands for: the maximal subpart of the Unicode Standard, 3.9, D93b.
 */
size_t tb_utf8_character(const char *p, const char *end, size_t *skip);

/* The code point of the well-formed character of `length` bytes at `p`. */
uint32_t tb_utf8_decode(const char *p, size_t length);

/* Writes code point `c` (at most 0x10FFFF, no surrogate) to `to`, which has room for 4 bytes; returns how many. */
size_t tb_utf8_encode(uint32_t c, char *to);

bool tb_utf8_is_valid(struct tb_str text);

/* Makes *text valid: unchanged where it is; else a copy in `arena` with U+FFFD for each maximal part that is none.
 * TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_utf8_repair(struct tb_arena *arena, struct tb_str *text);

/* Is it text for people: well-formed, and without control characters but tabs and ends of lines? */
bool tb_utf8_is_text(struct tb_str bytes);

#endif
