/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "convert/format_detect.h"
#include "convert/format_lookalike.h"
#include "io/tar_magic.h"
#include "perfetto/writer/encode/padding.h"

enum { START_BYTES = 600, TAR_MAGIC_AT = 257 };

/* A packet whose ftrace_text, or whatever else, has `text` from byte `at` on. */
static size_t put_packet(char start[START_BYTES], size_t at, struct tb_str text) {
  static const char head[] = {0x0a, (char)0xd5, 0x04, (char)0xca, 0x7c, (char)0xd0, 0x04};
  memset(start, 0x07, START_BYTES);
  memcpy(start, head, sizeof(head));
  memcpy(start + at, text.ptr, text.len);
  return START_BYTES;
}

static bool looks_like_other(const char *start, size_t len) { return tb_looks_like_other_format(start, len); }

static bool misleads(size_t at, struct tb_str text) {
  char start[START_BYTES];
  return looks_like_other(start, put_packet(start, at, text));
}

static void words_near_the_start_mislead(void **state) {
  (void)state;
  assert_true(misleads(7, TB_STR("# tracer: nop\n")));
  assert_true(misleads(40, TB_STR("# tracer")));
  assert_true(misleads(120, TB_STR("# tracer")));
  assert_true(misleads(7, TB_STR("capturing trace... done\nTRACE:\n")));
  assert_true(misleads(7, TB_STR("TRACE:\n\x78\x9c")));
}

static void lines_of_other_formats_mislead(void **state) {
  (void)state;
  assert_true(misleads(7, TB_STR("a;b 1\na;c 2\nb;c 3\n")));
  assert_true(misleads(7, TB_STR("a;b 1\n# comment\n\nb;c 3\nb;d 4\n")));
  char start[START_BYTES];
  assert_true(looks_like_other(start, put_packet(start, 0, TB_STR("\n\n[pid 1] read(3)\n"))));
  assert_true(looks_like_other(start, put_packet(start, 0, TB_STR("\n\n1 0.5 <... read resumed>\n"))));
}

static void a_tar_magic_misleads_where_tar_has_it(void **state) {
  (void)state;
  assert_true(misleads(TAR_MAGIC_AT, TB_STR("ustar\0")));
  assert_true(misleads(TAR_MAGIC_AT, TB_STR("ustar  \0")));
  assert_false(misleads(TAR_MAGIC_AT + 1, TB_STR("ustar\0")));
  assert_false(misleads(TAR_MAGIC_AT, TB_STR("ustars")));
  assert_false(tb_looks_like_tar("ustar", 5));
}

static void lengths_that_read_as_json_mislead(void **state) {
  (void)state;
  char start[START_BYTES];
  size_t len = put_packet(start, 0, TB_STR("\n{\xca\x7c\x78"));
  assert_false(looks_like_other(start, len));
  len = put_packet(start, 0, TB_STR("\n{\"y"));
  assert_true(looks_like_other(start, len));
  len = put_packet(start, 0, TB_STR("\n{\n\"\x08\x01"));
  assert_true(looks_like_other(start, len));
}

static void plain_packets_do_not_mislead(void **state) {
  (void)state;
  assert_false(misleads(7, TB_STR("TRACE: a name")));
  assert_false(misleads(7, TB_STR("tracer")));
  assert_false(misleads(7, TB_STR("one; two\nthree\n")));
  assert_false(misleads(7, TB_STR("{\"traceEvents\":[")));
  assert_false(misleads(TB_LOOKALIKE_BYTES + 1, TB_STR("# tracer")));
}

/* The first byte is a packet's tag, an empty line to a reader of text; its length, a digit, and tags go on to a
 * bracket. */
static void a_length_that_is_a_digit_does_not_mislead(void **state) {
  (void)state;
  char start[START_BYTES];
  size_t len = put_packet(start, 0, TB_STR("\n1P\x01\xe2\x03,\x08\x02\x1a("));
  assert_false(looks_like_other(start, len));
}

static void nothing_misleads_behind_the_lead(void **state) {
  (void)state;
  const struct tb_str texts[] = {TB_STR("# tracer"), TB_STR("TRACE:\n"), TB_STR("a;b 1\na;c 2\nb;c 3\n")};
  char start[TB_OUTPUT_PADDING_MAX + START_BYTES], padding[TB_OUTPUT_PADDING_MAX];
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    size_t len = put_packet(start, 7, texts[i]), before = tb_perfetto_padding(padding);
    assert_true(before > 0 && tb_looks_like_other_format(start, len));
    memmove(start + before, start, len);
    memcpy(start, padding, before);
    assert_false(looks_like_other(start, before + len));
    assert_int_equal(tb_format_detect(start, before + len), TB_FORMAT_PERFETTO);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_near_the_start_mislead),
      cmocka_unit_test(lines_of_other_formats_mislead),
      cmocka_unit_test(a_tar_magic_misleads_where_tar_has_it),
      cmocka_unit_test(lengths_that_read_as_json_mislead),
      cmocka_unit_test(plain_packets_do_not_mislead),
      cmocka_unit_test(a_length_that_is_a_digit_does_not_mislead),
      cmocka_unit_test(nothing_misleads_behind_the_lead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
