/* SPDX-License-Identifier: Apache-2.0
 *
 * Escapes untrusted text (names of files, archive members, events) for display. A name can hold characters that
 * control the terminal that shows it: control characters (U+0000 to U+001F, U+007F to U+009F), marks that turn the
 * direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) and ends of lines (U+2028,
 * U+2029). These are written as escapes here, and so is what is no UTF-8. The library gives names as they are (`file`
 * and `message` of tb_error, `reason` of tb_loss, the texts of tb_merge_input_report): whoever prints them escapes
 * them. tb_info_text, tb_info_json, tb_dump and tb_merge_report_render write escaped text.
 *
 *     char line[64];
 *     struct tb_str name = {"a\x1b[2Jb", 6};
 *     size_t len = tb_escape(TB_ESCAPE_TEXT, &name, line, sizeof(line));
 *     printf("%.*s\n", (int)len, line);
 */
#ifndef TRACEBRIDGE_ESCAPE_H
#define TRACEBRIDGE_ESCAPE_H

#include <stdarg.h>
#include <stdbool.h>

#include "tracebridge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tb_escape_form {
  /* For messages: a newline as \n, a backslash as \\, each byte of all else that is escaped as \xHH: what $'...' of
   * bash and %b of printf read back. */
  TB_ESCAPE_TEXT,
  TB_ESCAPE_QUOTED,     /* the same, with \" for a quote */
  TB_ESCAPE_PROTOBUF,   /* inside a string of protobuf's text format: \n, \r, \t, \", \\ and octal bytes */
  TB_ESCAPE_JSON,       /* inside a string of JSON: \uHHHH, and what is no UTF-8 as U+FFFD */
  TB_ESCAPE_JSON_VALUE, /* a whole value, valid JSON: strings as above, line breaks between tokens as spaces */
  /* As TB_ESCAPE_TEXT, in text and quoted attributes of HTML and XML: with &amp; &lt; &gt; &quot; &#39;, and the bytes
   * of U+FFFE and U+FFFF, which XML does not allow. */
  TB_ESCAPE_HTML
};

/* Bytes that become of one character, at most; of one byte of text 4, in JSON and HTML 6. */
enum { TB_ESCAPE_MAX = 12 };

/* Takes characters off the front of *text and writes them to `to` for as long as the next one is sure to fit. Returns
 * how many bytes it wrote; 0 only where *text is empty or `capacity` less than TB_ESCAPE_MAX. */
TB_API size_t tb_escape(enum tb_escape_form form, struct tb_str *text, char *to, size_t capacity);

/* Takes text in pieces; returns false to stop. */
typedef bool (*tb_text_sink)(void *ctx, const char *text, size_t len);

/* Writes all of `text` to `sink`. False: the sink stopped. */
TB_API bool tb_escape_text(enum tb_escape_form form, struct tb_str text, tb_text_sink sink, void *ctx);

/* As vprintf to `sink`, with what the arguments gave in the form TB_ESCAPE_TEXT: all from the first conversion of
 * `format` to its last is escaped, so line breaks may be before and behind these only. False: the sink stopped. */
TB_API bool tb_escape_print(tb_text_sink sink, void *ctx, const char *format, va_list args) TB_PRINTF(3, 0);

#ifdef __cplusplus
}
#endif
#endif
