/* SPDX-License-Identifier: Apache-2.0
 *
 * What the text format is made of: blanks and comments, words, numbers, literals.
 */
#ifndef TB_PROTOBUF_TEXT_LEXER_H
#define TB_PROTOBUF_TEXT_LEXER_H

#include <stdbool.h>

#include "base/memory.h"

/* Where a text is read. Caller-owned. */
struct tb_text_cursor {
  const char *at, *end;
};

/* How a field was encoded where that is not as the schema says; text_parser.h has the words. */
struct tb_text_encoding {
  unsigned width, tag_width; /* 0: as short as it can be */
  bool packed, unpacked, first, group;
};

enum tb_text_number_form { TB_TEXT_NO_NUMBER, TB_TEXT_INTEGER, TB_TEXT_HEX, TB_TEXT_DECIMAL };

struct tb_text_number {
  enum tb_text_number_form form;
  bool negative;
  uint64_t magnitude; /* of an integer */
  size_t digits;      /* of a hexadecimal one, with the zeros before it */
  double value;       /* of any */
};

/* Passes over blanks, ends of lines and comments. */
void tb_text_skip(struct tb_text_cursor *cursor);

/* Passes over the character where it is the next that is neither blank nor comment. */
bool tb_text_take(struct tb_text_cursor *cursor, char c);

/* The word that is next; empty where none is. */
struct tb_str tb_text_word(struct tb_text_cursor *cursor);

/* The number that is next, with its sign. `form` TB_TEXT_NO_NUMBER: none is, and the cursor is where it was. */
struct tb_text_number tb_text_number(struct tb_text_cursor *cursor);

/* Appends the bytes of the literal that is next. TB_OK; TB_BAD_DATA: it does not end in its line, or has an escape that
 * is none; TB_NO_MEMORY or TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_text_literal(struct tb_text_cursor *cursor, struct tb_buffer *out);

/* The comment on an encoding that is next in the line, which is passed over; all zero where none is. */
struct tb_text_encoding tb_text_encoding_comment(struct tb_text_cursor *cursor);

#endif
