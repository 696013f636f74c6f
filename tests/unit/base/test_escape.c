/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "tracebridge/escape.h"

static char out[8192];
static size_t out_len;

static bool take(void *ctx, const char *text, size_t len) {
  (void)ctx;
  assert_true(out_len + len < sizeof(out));
  memcpy(out + out_len, text, len);
  out_len += len;
  out[out_len] = '\0';
  return true;
}

static const char *escaped(enum tb_escape_form form, struct tb_str text) {
  out_len = 0;
  out[0] = '\0';
  assert_true(tb_escape_text(form, text, take, NULL));
  return out;
}

#define ASSERT_ESCAPES(form, literal, expected) \
  assert_string_equal(escaped((form), (struct tb_str){(literal), sizeof(literal) - 1}), (expected))

static void plain_text_stays(void **state) {
  (void)state;
  for (enum tb_escape_form form = TB_ESCAPE_TEXT; form <= TB_ESCAPE_JSON_VALUE; form++) {
    ASSERT_ESCAPES(form, "", "");
    ASSERT_ESCAPES(form, "a b~/'%s \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
                   "a b~/'%s \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  }
}

static void each_form_escapes_in_its_own_way(void **state) {
  (void)state;
  static const char text[] = "\"\\\n\r\t\x1b\x7f\xc2\x9b\xe2\x80\xae\x9b\xe2\x80";
  struct tb_str all = {text, sizeof(text) - 1};
  assert_string_equal(escaped(TB_ESCAPE_TEXT, all),
                      "\"\\\\\\n\\x0d\\x09\\x1b\\x7f\\xc2\\x9b\\xe2\\x80\\xae\\x9b\\xe2\\x80");
  assert_string_equal(escaped(TB_ESCAPE_QUOTED, all),
                      "\\\"\\\\\\n\\x0d\\x09\\x1b\\x7f\\xc2\\x9b\\xe2\\x80\\xae\\x9b\\xe2\\x80");
  assert_string_equal(escaped(TB_ESCAPE_PROTOBUF, all),
                      "\\\"\\\\\\n\\r\\t\\033\\177\\302\\233\\342\\200\\256\\233\\342\\200");
  assert_string_equal(escaped(TB_ESCAPE_JSON, all),
                      "\\\"\\\\\\n\\r\\t\\u001b\\u007f\\u009b\\u202e" TB_UTF8_REPLACEMENT TB_UTF8_REPLACEMENT);
  ASSERT_ESCAPES(TB_ESCAPE_JSON, "\b\f\v", "\\b\\f\\u000b");
  ASSERT_ESCAPES(TB_ESCAPE_JSON_VALUE, "{\"a\\\"\x7f\xc2\x85\":\n\t[\"\xe2\x81\xa6\"]\r}",
                 "{\"a\\\"\\u007f\\u0085\":  [\"\\u2066\"] }");
}

static void html_takes_no_markup_of_others(void **state) {
  (void)state;
  ASSERT_ESCAPES(TB_ESCAPE_HTML, "<a b=\"c\" d='e'>&amp;", "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;");
  ASSERT_ESCAPES(TB_ESCAPE_HTML, "\\\n\r\x1b\xe2\x80\xae\x9b\xe2\x80",
                 "\\\\\\n\\x0d\\x1b\\xe2\\x80\\xae\\x9b\\xe2\\x80");
  /* They are no characters of XML. */
  ASSERT_ESCAPES(TB_ESCAPE_HTML, "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", "\\xef\\xbf\\xbe\\xef\\xbf\\xbf\xef\xbf\xbd");
  for (char c = 0x20; c < 0x7f; c++) {
    char text[] = {c};
    bool stays = !strchr("<>&\"'\\", c);
    assert_int_equal(strcmp(escaped(TB_ESCAPE_HTML, (struct tb_str){text, 1}), (char[]){c, 0}) == 0, stays);
  }
}

static bool must_not_show(uint32_t c) {
  static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},  {0x200e, 0x200f},
                                       {0x2028, 0x2029}, {0x202a, 0x202e}, {0x2066, 0x2069}};
  for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
    if (c >= ranges[i][0] && c <= ranges[i][1]) return true;
  return false;
}

/* What HTML has other forms for. */
static bool is_of_markup(uint32_t c) {
  return c == '<' || c == '>' || c == '&' || c == '\'' || c == 0xfffe || c == 0xffff;
}

static void every_code_point_that_steers_is_escaped_and_no_other(void **state) {
  (void)state;
  for (uint32_t c = 0; c <= 0x10ffff; c++) {
    char text[4];
    if (c == '"' || c == '\\' || (c >= 0xd800 && c <= 0xdfff)) continue;
    struct tb_str character = {text, tb_utf8_encode(c, text)};
    for (enum tb_escape_form form = TB_ESCAPE_TEXT; form <= TB_ESCAPE_HTML; form++) {
      if (form == TB_ESCAPE_HTML && is_of_markup(c)) continue;
      char to[TB_ESCAPE_MAX];
      struct tb_str rest = character;
      size_t len = tb_escape(form, &rest, to, sizeof(to));
      bool stays = len == character.len && memcmp(to, text, len) == 0;
      assert_int_equal(stays, !must_not_show(c));
      for (size_t i = 0; !stays && i < len; i++) assert_true(to[i] >= 0x20 && to[i] < 0x7f);
    }
  }
}

static void no_byte_that_is_no_text_passes(void **state) {
  (void)state;
  for (int byte = 0x80; byte < 0x100; byte++) {
    char text[3] = {'a', (char)byte, 'b'}, expected[16];
    snprintf(expected, sizeof(expected), "a\\x%02xb", (unsigned)byte);
    assert_string_equal(escaped(TB_ESCAPE_TEXT, (struct tb_str){text, 3}), expected);
    assert_string_equal(escaped(TB_ESCAPE_QUOTED, (struct tb_str){text, 3}), expected);
    snprintf(expected, sizeof(expected), "a\\%03ob", (unsigned)byte);
    assert_string_equal(escaped(TB_ESCAPE_PROTOBUF, (struct tb_str){text, 3}), expected);
    assert_string_equal(escaped(TB_ESCAPE_JSON, (struct tb_str){text, 3}), "a" TB_UTF8_REPLACEMENT "b");
  }
  ASSERT_ESCAPES(TB_ESCAPE_TEXT, "\xc0\x9b|\xe0\x82\x9b|\xed\xa0\x80|\xf4\x90\x80\x80",
                 "\\xc0\\x9b|\\xe0\\x82\\x9b|\\xed\\xa0\\x80|\\xf4\\x90\\x80\\x80");
}

/* As fixed buffers cut names. */
static void a_character_that_is_cut_is_escaped(void **state) {
  (void)state;
  ASSERT_ESCAPES(TB_ESCAPE_TEXT, "n\xc3", "n\\xc3");
  ASSERT_ESCAPES(TB_ESCAPE_TEXT, "n\xe2\x80", "n\\xe2\\x80");
  ASSERT_ESCAPES(TB_ESCAPE_TEXT, "n\xf0\x9f\x98", "n\\xf0\\x9f\\x98");
  ASSERT_ESCAPES(TB_ESCAPE_PROTOBUF, "n\xf0\x9f\x98", "n\\360\\237\\230");
  ASSERT_ESCAPES(TB_ESCAPE_JSON, "n\xf0\x9f\x98", "n" TB_UTF8_REPLACEMENT);
}

/* Whatever the room, the pieces make the same whole, and no piece ends inside an escape or a character. */
static void pieces_of_any_size_are_the_same(void **state) {
  (void)state;
  static const char text[] = "ab\x1b\xe2\x80\xae\xf0\x9f\x98\x80\n\xf0\x9f\x98 \\\"\xc2\x9b\x9b\x9bx<&>'yz\xe2\x80";
  for (enum tb_escape_form form = TB_ESCAPE_TEXT; form <= TB_ESCAPE_HTML; form++) {
    char *whole = strdup(escaped(form, (struct tb_str){text, sizeof(text) - 1}));
    for (size_t capacity = TB_ESCAPE_MAX; capacity < 64; capacity++) {
      struct tb_str rest = {text, sizeof(text) - 1};
      for (out_len = 0; rest.len;) {
        char *piece = malloc(capacity); /* the sanitizer sees a byte too many */
        size_t len = tb_escape(form, &rest, piece, capacity);
        assert_true(len > 0 && len <= capacity);
        take(NULL, piece, len);
        free(piece);
      }
      assert_string_equal(out, whole);
    }
    free(whole);
  }
  struct tb_str rest = {text, 1};
  char small[TB_ESCAPE_MAX - 1];
  assert_int_equal(tb_escape(TB_ESCAPE_TEXT, &rest, small, sizeof(small)), 0);
  assert_int_equal(rest.len, 1);
}

static unsigned char of_hex(const char *at) {
  const char digits[3] = {at[0], at[1], 0};
  return (unsigned char)strtoul(digits, NULL, 16);
}

static void the_escapes_of_messages_give_every_name_back(void **state) {
  (void)state;
  char name[255];
  for (int round = 0; round < 1000; round++) {
    unsigned seed = (unsigned)round * 2654435761u;
    size_t len = 1 + (seed >> 8) % sizeof(name), got = 0;
    for (size_t i = 0; i < len; i++) name[i] = (char)((seed = seed * 1664525u + 1013904223u) >> 24);
    for (const char *at = escaped(TB_ESCAPE_TEXT, (struct tb_str){name, len}); *at; got++) {
      unsigned char byte = (unsigned char)*at++;
      if (byte == '\\') {
        byte = *at == 'n' ? '\n' : *at == 'x' ? of_hex(at + 1) : '\\';
        at += *at == 'x' ? 3 : 1;
      }
      assert_int_equal(byte, (unsigned char)name[got]);
    }
    assert_int_equal(got, len);
  }
}

static bool print(tb_text_sink sink, const char *format, ...) TB_PRINTF(2, 3);
static bool print(tb_text_sink sink, const char *format, ...) {
  va_list args;
  va_start(args, format);
  out_len = 0;
  out[0] = '\0';
  bool goes_on = tb_escape_print(sink, NULL, format, args);
  va_end(args);
  return goes_on;
}

static void what_is_printed_is_escaped_between_its_conversions(void **state) {
  (void)state;
  assert_true(print(take, "\n\\ no conversion\n"));
  assert_string_equal(out, "\n\\ no conversion\n");
  assert_true(print(take, "\n%s: at %d: %s\n", "a\n\x1b", 7, "\xc2\x9b\\"));
  assert_string_equal(out, "\na\\n\\x1b: at 7: \\xc2\\x9b\\\\\n");
  assert_true(print(take, "%-6.*s|%5.1f %%\n", 3, "a\nbc", 2.5));
  assert_string_equal(out, "a\\nb   |  2.5 %\n");
  assert_true(print(take, "100 %%\n\n"));
  assert_string_equal(out, "100 %\n\n");
  assert_true(print(take, "%zu%%%s", (size_t)1, "\n"));
  assert_string_equal(out, "1%\\n");
  assert_true(print(take, "%s", ""));
  assert_string_equal(out, "");
}

static void names_of_any_length_are_printed_whole(void **state) {
  (void)state;
  for (size_t len = 1000; len < 1050; len++) { /* what a line on the stack holds ends here */
    char name[1100], expected[sizeof(name) + 8];
    memset(name, 'x', len);
    memcpy(name + len, "\x1b|", 3);
    assert_true(print(take, "%s\n", name));
    snprintf(expected, sizeof(expected), "%.*s\\x1b|\n", (int)len, name);
    assert_string_equal(out, expected);
  }
}

static bool stop(void *ctx, const char *text, size_t len) {
  (void)ctx;
  (void)text;
  (void)len;
  return false;
}

static void a_sink_stops_the_printing(void **state) {
  (void)state;
  assert_false(tb_escape_text(TB_ESCAPE_TEXT, TB_STR("x"), stop, NULL));
  assert_false(print(stop, "%d\n", 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_text_stays),
      cmocka_unit_test(html_takes_no_markup_of_others),
      cmocka_unit_test(each_form_escapes_in_its_own_way),
      cmocka_unit_test(every_code_point_that_steers_is_escaped_and_no_other),
      cmocka_unit_test(no_byte_that_is_no_text_passes),
      cmocka_unit_test(a_character_that_is_cut_is_escaped),
      cmocka_unit_test(pieces_of_any_size_are_the_same),
      cmocka_unit_test(the_escapes_of_messages_give_every_name_back),
      cmocka_unit_test(what_is_printed_is_escaped_between_its_conversions),
      cmocka_unit_test(names_of_any_length_are_printed_whole),
      cmocka_unit_test(a_sink_stops_the_printing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
