/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON text of single values: numbers, times, strings. Each function writes at `at`, where the caller has seen to the
 * room that the constants below name, and returns the byte after what it wrote. What is written is always valid strict
 * JSON in valid UTF-8, and never depends on the locale.
 */
#ifndef TB_JSON_TEXT_H
#define TB_JSON_TEXT_H

#include <stdbool.h>

#include "tracebridge/base.h"

enum { TB_JSON_DECIMALS_MAX = 9 };

/* Levels of nesting. */
enum {
  /* Text becomes a tree down to this level, by recursion; what is deeper stays text. A document that is deeper is
   * refused. */
  TB_JSON_TREE_DEPTH = 64,
  /* Trees of arguments are written down to this level, by recursion. More than text has: other formats' readers make
   * trees of 100 (Perfetto) and 128 (FXT) levels, below which a value with a tree of its own may be. */
  TB_JSON_WRITE_DEPTH = 256,
  /* Text is checked without recursion, and goes out as it came. Parsers that recurse stop near this (Python's does). */
  TB_JSON_TEXT_DEPTH = 1000
};

enum {
  /* room that the functions below need, which may write more than they say: digits are copied eight at a time */
  TB_JSON_INTEGER_MAX = 1 + 24, /* -9223372036854775808, 18446744073709551615 */
  TB_JSON_MICROS_MAX = TB_JSON_INTEGER_MAX + 4,
  TB_JSON_DOUBLE_MAX = TB_JSON_INTEGER_MAX + 24,
  TB_JSON_FIXED_MAX = 1 + 310 + 1 + TB_JSON_DECIMALS_MAX, /* -DBL_MAX in full */
  TB_JSON_STRING_EXTRA = 18                               /* room for a string of n bytes: 6 * n + this */
};

char *tb_json_put_uint(char *at, uint64_t value);
char *tb_json_put_int(char *at, int64_t value);

/* Whether the text is the digits of the number. */
bool tb_json_is_text_of(struct tb_str text, int64_t number);

/* "0x" and lower-case hexadecimal digits, in quotes. Needs TB_JSON_INTEGER_MAX bytes. */
char *tb_json_put_hex(char *at, uint64_t value);

/* Nanoseconds as microseconds, exact, with as many decimals as there are (none to three). */
char *tb_json_put_micros(char *at, int64_t ns);

/* The shortest decimal that reads back as the same double, always with a point or an exponent, so that it reads back as
 * a double at all. Not a number and the infinities, which JSON lacks, become the strings "NaN", "Infinity" and
 * "-Infinity". */
char *tb_json_put_double(char *at, double value);

/* With that many decimals, from one to TB_JSON_DECIMALS_MAX, rounded as printf does. Needs TB_JSON_FIXED_MAX bytes.
 * What is no number as tb_json_put_double. */
char *tb_json_put_fixed(char *at, double value, unsigned decimals);

/* A string in quotes. Control characters (DEL among them: some readers refuse it), quotes and backslashes are escaped;
 * bytes that are no UTF-8 become U+FFFD, one for each maximal part of a character, as the Unicode standard advises.
 * This is JSON for programs: what is shown to people is escaped further (tracebridge/escape.h). */
char *tb_json_put_string(char *at, struct tb_str text);

/* True where `text` is one JSON value by RFC 8259, in valid UTF-8, that nests at most `max_depth` deep, which is at
 * most TB_JSON_TEXT_DEPTH. */
bool tb_json_is_valid(struct tb_str text, unsigned max_depth);

#endif
