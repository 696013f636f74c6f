/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

enum { PIECE_BYTES = 1024, LINE_BYTES = 1024 };

static const char hex[] = "0123456789abcdef";

/* ---- one character ----------------------------------------------------------------------------------------------- */

/* Whether it controls a terminal, the direction of writing or line breaks. */
static bool is_control(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Whether it is itself in every form. */
static bool is_plain(char c) {
  return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f && c != '"' && c != '\\' && c != '&' && c != '\'' &&
         c != '<' && c != '>';
}

static const char *html_entity(uint32_t c) {
  if (c == '&') return "&amp;";
  if (c == '<') return "&lt;";
  if (c == '>') return "&gt;";
  if (c == '"') return "&quot;";
  return c == '\'' ? "&#39;" : NULL;
}

char *tb_escape_json_character(char *at, uint32_t c) {
  static const char shorts[] = "btn\0fr"; /* 0x08 to 0x0d; 0x0b has none */
  *at++ = '\\';
  if (c == '"' || c == '\\') {
    *at++ = (char)c;
  } else if (c >= 0x08 && c <= 0x0d && c != 0x0b) {
    *at++ = shorts[c - 0x08];
  } else {
    *at++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4) *at++ = hex[c >> shift & 15];
  }
  return at;
}

/* The letter of an escape that is no number, 0 where the form has none for `c`. */
static char letter_of(enum tb_escape_form form, uint32_t c) {
  bool protobuf = form == TB_ESCAPE_PROTOBUF;
  if (c == '\\') return '\\';
  if (c == '\n') return 'n';
  if (c == '"' && form != TB_ESCAPE_TEXT) return '"';
  if (c == '\r' && protobuf) return 'r';
  return c == '\t' && protobuf ? 't' : 0;
}

static char *put_byte(enum tb_escape_form form, char *at, unsigned char byte) {
  *at++ = '\\';
  *at++ = form == TB_ESCAPE_PROTOBUF ? (char)('0' + (byte >> 6)) : 'x';
  *at++ = form == TB_ESCAPE_PROTOBUF ? (char)('0' + (byte >> 3 & 7)) : hex[byte >> 4];
  *at++ = form == TB_ESCAPE_PROTOBUF ? (char)('0' + (byte & 7)) : hex[byte & 15];
  return at;
}

static char *put(char *at, const char *from, size_t len) {
  memcpy(at, from, len);
  return at + len;
}

/* A character of `len` bytes, or, where that is 0, `skip` bytes that are none. */
static char *put_in_bytes(enum tb_escape_form form, char *at, const char *from, size_t len, size_t skip) {
  uint32_t c = len ? tb_utf8_decode(from, len) : 0;
  char letter = len ? letter_of(form, c) : 0;
  bool html = form == TB_ESCAPE_HTML;
  const char *entity = len && html ? html_entity(c) : NULL;
  if (entity) return put(at, entity, strlen(entity));
  if (len && !letter && !is_control(c) && !(html && (c == 0xfffe || c == 0xffff))) return put(at, from, len);
  if (letter) {
    *at++ = '\\';
    *at++ = letter;
    return at;
  }
  for (size_t i = 0; i < (len ? len : skip); i++) at = put_byte(form, at, (unsigned char)from[i]);
  return at;
}

static char *put_in_json(enum tb_escape_form form, char *at, const char *from, size_t len) {
  if (!len) return put(at, TB_UTF8_REPLACEMENT, 3);
  uint32_t c = tb_utf8_decode(from, len);
  bool is_value = form == TB_ESCAPE_JSON_VALUE;
  if (is_value && c < 0x20) return put(at, " ", 1); /* it is between tokens */
  if (is_control(c) || (!is_value && (c == '"' || c == '\\'))) return tb_escape_json_character(at, c);
  return put(at, from, len);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

size_t tb_escape(enum tb_escape_form form, struct tb_str *text, char *to, size_t capacity) {
  if (!text || !text->ptr || !text->len || !to) return 0;
  const char *from = text->ptr, *end = from + text->len;
  char *at = to;
  while (from < end && capacity - (size_t)(at - to) >= TB_ESCAPE_MAX) {
    if (is_plain(*from)) {
      *at++ = *from++;
      continue;
    }
    size_t skip, len = tb_utf8_character(from, end, &skip);
    bool json = form == TB_ESCAPE_JSON || form == TB_ESCAPE_JSON_VALUE;
    at = json ? put_in_json(form, at, from, len) : put_in_bytes(form, at, from, len, skip);
    from += len ? len : skip;
  }
  *text = (struct tb_str){from, (size_t)(end - from)};
  return (size_t)(at - to);
}

/* What gathers pieces for a sink, so that a line reaches a terminal in one. */
struct gathering {
  tb_text_sink sink;
  void *ctx;
  bool stopped;
  size_t len;
  char text[PIECE_BYTES];
};

static void start(struct gathering *g, tb_text_sink sink, void *ctx) {
  g->sink = sink;
  g->ctx = ctx;
  g->stopped = false;
  g->len = 0;
}

static void flush(struct gathering *g) {
  if (!g->stopped && g->len && !g->sink(g->ctx, g->text, g->len)) g->stopped = true;
  g->len = 0;
}

static void add_escaped(struct gathering *g, enum tb_escape_form form, struct tb_str text) {
  while (text.len) {
    if (sizeof(g->text) - g->len < TB_ESCAPE_MAX) flush(g);
    g->len += tb_escape(form, &text, g->text + g->len, sizeof(g->text) - g->len);
  }
}

static void add_raw(struct gathering *g, const char *text, size_t len) {
  while (len) {
    if (g->len == sizeof(g->text)) flush(g);
    size_t room = sizeof(g->text) - g->len, part = len < room ? len : room;
    memcpy(g->text + g->len, text, part);
    g->len += part;
    text += part;
    len -= part;
  }
}

bool tb_escape_text(enum tb_escape_form form, struct tb_str text, tb_text_sink sink, void *ctx) {
  struct gathering g;
  if (!sink || (!text.ptr && text.len)) return false;
  start(&g, sink, ctx);
  add_escaped(&g, form, text);
  flush(&g);
  return !g.stopped;
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static const char *after_conversions(const char *format) {
  for (const char *percent; (percent = strchr(format, '%'));) {
    format = percent + 1 + strspn(percent + 1, "-+ #0123456789.*hljztL");
    if (*format) format++;
  }
  return format;
}

/* `printed` is what became of the format. */
static bool print(tb_text_sink sink, void *ctx, const char *format, const char *printed, size_t len) {
  struct gathering g;
  start(&g, sink, ctx);
  const char *tail = after_conversions(format);
  size_t before = strcspn(format, "%"), behind = format[before] ? strlen(tail) : 0;
  if (before > len) before = len;
  if (behind > len - before) behind = len - before;
  add_raw(&g, printed, before);
  add_escaped(&g, TB_ESCAPE_TEXT, (struct tb_str){printed + before, len - before - behind});
  add_raw(&g, tail, behind);
  flush(&g);
  return !g.stopped;
}

bool tb_escape_print(tb_text_sink sink, void *ctx, const char *format, va_list args) {
  char line[LINE_BYTES], *all = NULL;
  va_list again;
  if (!sink || !format) return false;
  va_copy(again, args);
  int n = vsnprintf(line, sizeof(line), format, args);
  size_t size = n < 0 ? 1 : (size_t)n + 1;
  if (n < 0) line[0] = '\0';
  if (size > sizeof(line)) all = tb_alloc(tb_default_allocator(), size);
  if (all) (void)vsnprintf(all, size, format, again);
  va_end(again);
  bool goes_on = print(sink, ctx, format, all ? all : line, all || size <= sizeof(line) ? size - 1 : sizeof(line) - 1);
  if (all) tb_free(tb_default_allocator(), all, size);
  return goes_on;
}
