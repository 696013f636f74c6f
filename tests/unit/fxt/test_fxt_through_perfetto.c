/* SPDX-License-Identifier: Apache-2.0
 *
 * FXT to Perfetto and back: what the archive says is the same, thing by thing. With TRACEBRIDGE_CORPUS set, also for
 * all FXT files below that folder.
 */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "support/fxt_builder.h"
#include "support/fxt_lines.h"
#include "tracebridge/convert.h"
#include "tracebridge/packet.h"

static char between[64], back[64];

static int start(void **state) {
  (void)state;
  snprintf(between, sizeof(between), "/tmp/test_fxt_through_perfetto.%ld.perfetto-trace", (long)getpid());
  snprintf(back, sizeof(back), "/tmp/test_fxt_through_perfetto.%ld.fxt", (long)getpid());
  return 0;
}

static int stop(void **state) {
  (void)state;
  (void)unlink(between);
  (void)unlink(back);
  return 0;
}

static size_t differences_of(const char *path) {
  const struct tb_reader_options reader = {.size = sizeof(reader), .format = TB_FORMAT_FXT};
  const struct tb_convert_options options = {.size = sizeof(options), .reader = &reader};
  enum tb_status forward = tb_convert(path, between, &options, NULL, NULL);
  assert_true(forward == TB_OK || forward == TB_PARTIAL);
  assert_int_equal(tb_convert(between, back, NULL, NULL, NULL), TB_OK);
  struct fxt_lines expected, actual;
  fxt_lines_read(path, &expected);
  fxt_lines_read(back, &actual);
  size_t differences = fxt_lines_compare(&expected, &actual);
  if (differences) print_error("%s: %zu differences\n", path, differences);
  fxt_lines_free(&expected);
  fxt_lines_free(&actual);
  return differences;
}

static void expect_same(const char *name) {
  char path[512];
  snprintf(path, sizeof(path), "%s/fxt/%s.fxt", TB_TEST_TRACES, name);
  assert_int_equal(differences_of(path), 0);
}

static void all_events_and_arguments_keep_their_types(void **state) {
  (void)state;
  expect_same("events");
}

static void counters_keep_names_of_any_characters(void **state) {
  (void)state;
  expect_same("counter_names");
}

static void koids_stay_what_they_were(void **state) {
  (void)state;
  expect_same("koids");
}

static void complete_events_that_overlap_stay_complete_events(void **state) {
  (void)state;
  expect_same("overlaps");
}

static void flows_keep_ids_threads_and_order(void **state) {
  (void)state;
  expect_same("flows");
  expect_same("flow_ids_again");
}

static void flow_records_keep_names_times_and_arguments(void **state) {
  (void)state;
  expect_same("flow_records");
}

static void scheduling_keeps_states_weights_and_arguments(void **state) {
  (void)state;
  expect_same("scheduling");
  expect_same("dying");
}

static void write_source(const struct fxt_builder *b, char path[80]) {
  snprintf(path, 80, "%s.source", back);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(b->words, 8, b->count, file), b->count);
  assert_int_equal(fclose(file), 0);
}

/* How many kernel objects of the archive `path` have no name. */
static unsigned count_unnamed(const char *path) {
  static uint64_t words[4096];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t count = fread(words, 8, sizeof(words) / 8, file);
  assert_int_equal(fclose(file), 0);
  unsigned unnamed = 0;
  for (size_t at = 0; at < count; at += (size_t)tb_fxt_field(words[at], 4, 15))
    unnamed += (words[at] & 15) == TB_FXT_KERNEL_OBJECT && !tb_fxt_field(words[at], 24, 39);
  return unnamed;
}

static void threads_without_a_name_have_none(void **state) {
  (void)state;
  static struct fxt_builder b;
  char path[80];
  b.count = 0;
  fxt_magic(&b);
  fxt_thread(&b, 1, 7, 8);
  fxt_event(&b, TB_FXT_INSTANT, 0, 1, 0, 0, 5), fxt_end(&b);
  fxt_begin(&b, TB_FXT_SCHEDULING, UINT64_C(1) << 60 | UINT64_C(3) << 36 | UINT64_C(1) << 20);
  fxt_word(&b, 10), fxt_word(&b, 2), fxt_word(&b, 8), fxt_end(&b);
  write_source(&b, path);
  assert_int_equal(differences_of(path), 0);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(count_unnamed(back), 0);
}

/* With a greater number the trace processor ends, so that packets of our own have to say it. */
static void processors_past_4095_stay_in_packets_of_our_own(void **state) {
  (void)state;
  static struct fxt_builder b;
  fxt_magic(&b);
  for (uint64_t i = 0; i < 4; i++) {
    uint64_t cpu = i < 2 ? 5000 : 4095, blocked = UINT64_C(3) << 36;
    fxt_begin(&b, TB_FXT_SCHEDULING, UINT64_C(1) << 60 | blocked | cpu << 20);
    fxt_word(&b, 10 * i + 10), fxt_word(&b, i % 2 ? 2 : 7), fxt_word(&b, i % 2 ? 7 : 2), fxt_end(&b);
  }
  char path[80];
  write_source(&b, path);
  assert_int_equal(differences_of(path), 0);
  assert_int_equal(unlink(path), 0);
  struct tb_packet_reader *reader;
  const struct tb_packet *packet;
  assert_int_equal(tb_packet_reader_open(between, NULL, &reader, NULL), TB_OK);
  unsigned own = 0, others = 0;
  while (tb_packet_next(reader, &packet) == TB_OK) {
    own += tb_str_equal(packet->kind_name, TB_STR("far_task_state"));
    others += tb_str_equal(packet->kind_name, TB_STR("generic_kernel_task_state_event"));
  }
  tb_packet_reader_close(reader);
  assert_int_equal(own, 2); /* only running is on a processor */
  assert_int_equal(others, 6);
}

static void logs_objects_blobs_and_losses_stay(void **state) {
  (void)state;
  expect_same("carried");
}

static void packets_in_blobs_are_the_same_bytes(void **state) {
  (void)state;
  expect_same("packets");
}

static void providers_and_their_clocks_become_one_time(void **state) {
  (void)state;
  expect_same("providers");
  expect_same("ticks");
}

/* ---- a corpus ---------------------------------------------------------------------------------------------------- */

static size_t corpus_differences;

static int visit(const char *path, const struct stat *st, int type) {
  (void)st;
  size_t len = strlen(path);
  bool is_fxt = (len > 4 && strcmp(path + len - 4, ".fxt") == 0) || (len > 7 && strcmp(path + len - 7, ".fxt.gz") == 0);
  if (type == FTW_F && is_fxt) corpus_differences += differences_of(path);
  return 0;
}

static void a_corpus_says_the_same(void **state) {
  (void)state;
  const char *corpus = getenv("TRACEBRIDGE_CORPUS");
  if (!corpus) {
    skip();
    return;
  }
  assert_int_equal(ftw(corpus, visit, 16), 0);
  assert_int_equal(corpus_differences, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(all_events_and_arguments_keep_their_types, start, stop),
      cmocka_unit_test_setup_teardown(counters_keep_names_of_any_characters, start, stop),
      cmocka_unit_test_setup_teardown(koids_stay_what_they_were, start, stop),
      cmocka_unit_test_setup_teardown(complete_events_that_overlap_stay_complete_events, start, stop),
      cmocka_unit_test_setup_teardown(flows_keep_ids_threads_and_order, start, stop),
      cmocka_unit_test_setup_teardown(flow_records_keep_names_times_and_arguments, start, stop),
      cmocka_unit_test_setup_teardown(scheduling_keeps_states_weights_and_arguments, start, stop),
      cmocka_unit_test_setup_teardown(threads_without_a_name_have_none, start, stop),
      cmocka_unit_test_setup_teardown(processors_past_4095_stay_in_packets_of_our_own, start, stop),
      cmocka_unit_test_setup_teardown(logs_objects_blobs_and_losses_stay, start, stop),
      cmocka_unit_test_setup_teardown(packets_in_blobs_are_the_same_bytes, start, stop),
      cmocka_unit_test_setup_teardown(providers_and_their_clocks_become_one_time, start, stop),
      cmocka_unit_test_setup_teardown(a_corpus_says_the_same, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
