/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/tokenizer.h"
#include "model/batch.h"

struct fixture {
  struct tb_arena arena;
  struct tb_tokenizer scan;
  char text[4096 + TB_BATCH_PADDING];
};

static int setup(void **state) {
  static struct fixture fixture;
  tb_arena_init(&fixture.arena, tb_default_allocator(), 0);
  *state = &fixture;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  tb_arena_free(&f->arena);
  return 0;
}

static const char *use(struct fixture *f, const char *text, size_t len) {
  memset(f->text, 0, sizeof(f->text));
  memcpy(f->text, text, len);
  f->scan = (struct tb_tokenizer){.end = f->text + len, .arena = &f->arena};
  return f->text;
}

static void assert_string(struct fixture *f, const char *json, size_t json_len, const char *expected, size_t len) {
  struct tb_str text;
  const char *p = use(f, json, json_len), *end = tb_tokenizer_string(&f->scan, p + 1, &text);
  assert_ptr_equal(end, f->scan.end);
  assert_int_equal(text.len, len);
  assert_memory_equal(text.ptr, expected, len);
}
#define ASSERT_STRING(f, json, expected) assert_string(f, json, sizeof(json) - 1, expected, sizeof(expected) - 1)

static void plain_strings_point_into_the_text(void **state) {
  struct fixture *f = *state;
  struct tb_str text;
  for (size_t len = 0; len < 100; len++) {
    char json[128];
    memset(json, 'x', sizeof(json));
    json[0] = json[len + 1] = '"';
    const char *p = use(f, json, len + 2);
    assert_ptr_equal(tb_tokenizer_string(&f->scan, p + 1, &text), f->scan.end);
    assert_ptr_equal(text.ptr, p + 1);
    assert_int_equal(text.len, len);
  }
  ASSERT_STRING(f, "\"\xc3\xa4\xe2\x82\xac\"", "\xc3\xa4\xe2\x82\xac");
}

static void escapes_are_resolved(void **state) {
  struct fixture *f = *state;
  ASSERT_STRING(f, "\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\te\"", "a\"b\\c/d\b\f\n\r\te");
  ASSERT_STRING(f, "\"\\u0041\\u00e4\\u20ac\"", "A\xc3\xa4\xe2\x82\xac");
  ASSERT_STRING(f, "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80");
  ASSERT_STRING(f, "\"a\\u0000b\"", "a\0b");
}

static void lone_surrogates_become_the_replacement_character(void **state) {
  struct fixture *f = *state;
  ASSERT_STRING(f, "\"\\ud83d\"", "\xef\xbf\xbd");
  ASSERT_STRING(f, "\"\\ude00x\"", "\xef\xbf\xbdx");
  ASSERT_STRING(f, "\"\\ud83d\\u0041\"",
                "\xef\xbf\xbd"
                "A");
  ASSERT_STRING(f, "\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80");
}

static void bytes_that_are_no_utf8_become_the_replacement_character(void **state) {
  struct fixture *f = *state;
  ASSERT_STRING(f,
                "\"a\xff"
                "b\"",
                "a\xef\xbf\xbd"
                "b");
  ASSERT_STRING(f, "\"\xe2\x82\"", "\xef\xbf\xbd");
  ASSERT_STRING(f, "\"\xed\xa0\x80\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void raw_control_characters_and_unknown_escapes_stay(void **state) {
  struct fixture *f = *state;
  ASSERT_STRING(f, "\"a\tb\nc\x01\"", "a\tb\nc\x01");
  ASSERT_STRING(f, "\"a\0b\"", "a\0b");
  ASSERT_STRING(f, "\"\\x41\\q\"", "\\x41\\q");
  ASSERT_STRING(f, "\"\\u12\"", "\\u12");
}

static void a_string_that_the_text_ends_in_needs_more(void **state) {
  struct fixture *f = *state;
  static const char json[] = "\"ab\\\"c\\u0041\xc3\xa4 and some more than thirty-two bytes\"";
  for (size_t len = 1; len < sizeof(json) - 1; len++) {
    struct tb_str text;
    const char *p = use(f, json, len);
    assert_null(tb_tokenizer_string(&f->scan, p + 1, &text));
    assert_int_equal(f->scan.status, TB_TOKENIZER_MORE);
  }
}

static void numbers_of_every_length_are_read(void **state) {
  struct fixture *f = *state;
  uint64_t expected = 0;
  char json[32] = "";
  for (size_t len = 1; len <= 19; len++) {
    json[len - 1] = (char)('0' + len % 10);
    expected = expected * 10 + len % 10;
    json[len] = ',';
    struct tb_decimal number;
    const char *p = use(f, json, len + 1);
    assert_ptr_equal(tb_tokenizer_number(&f->scan, p, &number), p + len);
    assert_true(number.mantissa == expected);
    assert_true(number.integer);
  }
}

static void fractions_signs_and_exponents_are_read(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *json;
    uint64_t mantissa;
    int exponent;
    bool negative;
  } cases[] = {{"1.25,", 125, -2, false},
               {"-0.5}", 5, -1, true},
               {"12e3]", 12, 3, false},
               {"1.5E-7 ", 15, -8, false},
               {"1666382280874284.123,", 1666382280874284123, -3, false}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct tb_decimal number;
    const char *p = use(f, cases[i].json, strlen(cases[i].json));
    assert_ptr_equal(tb_tokenizer_number(&f->scan, p, &number), f->scan.end - 1);
    assert_true(number.mantissa == cases[i].mantissa);
    assert_int_equal(number.exponent, cases[i].exponent);
    assert_int_equal(number.negative, cases[i].negative);
    assert_false(number.integer);
  }
}

static void a_number_at_the_end_of_the_text_needs_more(void **state) {
  struct fixture *f = *state;
  static const char *const cases[] = {"1", "12.5", "-", "1e", "1e+", "12345678901234567890", "1."};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct tb_decimal number;
    const char *p = use(f, cases[i], strlen(cases[i]));
    assert_null(tb_tokenizer_number(&f->scan, p, &number));
    assert_int_equal(f->scan.status, TB_TOKENIZER_MORE);
  }
}

static void white_space_of_every_length_is_passed(void **state) {
  struct fixture *f = *state;
  for (size_t len = 0; len < 70; len++) {
    char json[128];
    for (size_t i = 0; i < len; i++) json[i] = " \n\r\t"[i % 4];
    json[len] = 'x';
    const char *p = use(f, json, len + 1);
    assert_ptr_equal(tb_tokenizer_space(p), p + len);
  }
}

static void whole_values_are_passed_over(void **state) {
  struct fixture *f = *state;
  static const char *const cases[] = {"{\"a\":[1,2,{\"b\":\"}]\"}],\"c\":null},",
                                      "[[[[]]]],",
                                      "\"x\\\"y\",",
                                      "-1.5e3,",
                                      "true,",
                                      "NaN,",
                                      "-Infinity,",
                                      "{ } ,"};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char *p = use(f, cases[i], strlen(cases[i])), *end = tb_tokenizer_skip_value(&f->scan, p);
    assert_non_null(end);
    assert_ptr_equal(tb_tokenizer_space(end), f->scan.end - 1);
  }
}

static void what_is_no_value_is_refused_at_its_offset(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *json;
    size_t at;
  } cases[] = {{"x,", 0}, {"[1,trux,2],", 3}, {"{\"a\":%},", 5}, {"],", 0}, {"[1}", 2}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char *p = use(f, cases[i].json, strlen(cases[i].json));
    assert_null(tb_tokenizer_skip_value(&f->scan, p));
    assert_int_equal(f->scan.status, TB_TOKENIZER_BAD);
    assert_int_equal(f->scan.at - p, cases[i].at);
  }
}

static void raw_text_is_made_valid(void **state) {
  struct fixture *f = *state;
  static const char json[] = "{\"a\":\"x\x01\\\"\xff\"}", expected[] = "{\"a\":\"x\\u0001\\\"\xef\xbf\xbd\"}";
  const char *p = use(f, json, sizeof(json) - 1);
  struct tb_str text = tb_tokenizer_raw(&f->scan, p, f->scan.end);
  assert_int_equal(text.len, sizeof(expected) - 1);
  assert_memory_equal(text.ptr, expected, text.len);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(plain_strings_point_into_the_text),
      TEST(escapes_are_resolved),
      TEST(lone_surrogates_become_the_replacement_character),
      TEST(bytes_that_are_no_utf8_become_the_replacement_character),
      TEST(raw_control_characters_and_unknown_escapes_stay),
      TEST(a_string_that_the_text_ends_in_needs_more),
      TEST(numbers_of_every_length_are_read),
      TEST(fractions_signs_and_exponents_are_read),
      TEST(a_number_at_the_end_of_the_text_needs_more),
      TEST(white_space_of_every_length_is_passed),
      TEST(whole_values_are_passed_over),
      TEST(what_is_no_value_is_refused_at_its_offset),
      TEST(raw_text_is_made_valid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
