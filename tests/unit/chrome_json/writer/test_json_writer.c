/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/text.h"
#include "model/writer_ops.h"
#include "tracebridge/writer.h"

/* Tracks as the Perfetto reader gives them. */
static const struct tb_track process = {
    .index = 0, .type = TB_TRACK_PROCESS, .pid = 7, .has_pid = true, .uuid = 70, .name = {"app", 3}};
static const struct tb_track thread = {.index = 1,
                                       .type = TB_TRACK_THREAD,
                                       .parent = &process,
                                       .pid = 7,
                                       .tid = 8,
                                       .has_pid = true,
                                       .has_tid = true,
                                       .uuid = 71,
                                       .name = {"main", 4}};
static const struct tb_track other_thread = {.index = 2,
                                             .type = TB_TRACK_THREAD,
                                             .parent = &process,
                                             .pid = 7,
                                             .tid = 9,
                                             .has_pid = true,
                                             .has_tid = true,
                                             .uuid = 72};
static const struct tb_track lane = {.index = 3,
                                     .type = TB_TRACK_CUSTOM,
                                     .parent = &process,
                                     .pid = 7,
                                     .has_pid = true,
                                     .uuid = 0xabc,
                                     .name = {"lane", 4}};
static const struct tb_track global = {.index = 4, .type = TB_TRACK_GLOBAL};
static const struct tb_track counter = {.index = 5,
                                        .type = TB_TRACK_COUNTER,
                                        .parent = &process,
                                        .pid = 7,
                                        .has_pid = true,
                                        .uuid = 74,
                                        .name = {"mem used", 8}};
static const struct tb_track counter_free = {.index = 6,
                                             .type = TB_TRACK_COUNTER,
                                             .parent = &process,
                                             .pid = 7,
                                             .has_pid = true,
                                             .uuid = 75,
                                             .name = {"mem free", 8}};
static const struct tb_track counter_odd = {.index = 7,
                                            .type = TB_TRACK_COUNTER,
                                            .parent = &process,
                                            .pid = 7,
                                            .has_pid = true,
                                            .uuid = 76,
                                            .name = {"a b id: 5 c", 11},
                                            .description = {"[\"a b\",\"c\",\"5\"]", 15}};

static char path[64];
static char *written;
static struct tb_writer *writer;

static int start(void **state) {
  (void)state;
  strcpy(path, "/tmp/test_json_writer.XXXXXX");
  int fd = mkstemp(path);
  if (fd < 0) return -1;
  (void)close(fd);
  struct tb_writer_options options = {.size = sizeof(options), .format = TB_FORMAT_JSON, .source = TB_FORMAT_PERFETTO};
  return tb_writer_open(path, &options, &writer, NULL) == TB_OK ? 0 : -1;
}

static int stop(void **state) {
  (void)state;
  tb_writer_close(writer);
  free(written);
  written = NULL;
  return unlink(path);
}

/* As from a reader, which describes its tracks by events of their own. */
static void put(struct tb_event event) { assert_int_equal(tb_writer_take(writer, &event), TB_OK); }

static void finish(void) {
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  written = calloc(1, 65536);
  assert_non_null(written);
  size_t len = fread(written, 1, 65535, file);
  (void)fclose(file);
  assert_true(tb_json_is_valid((struct tb_str){written, len}, 100));
}

/* The output is exactly these events, in a row. */
static void finish_with(const char *events) {
  finish();
  char expected[8192];
  (void)snprintf(expected, sizeof(expected), "{\"traceEvents\":[\n%s\n]}\n", events);
  assert_string_equal(written, expected);
}

static struct tb_event event(enum tb_event_type type, const struct tb_track *track, int64_t ts, const char *name) {
  struct tb_event e = {.type = type, .track = track, .ts = ts, .has = TB_HAS_TS};
  if (name) {
    e.name = (struct tb_str){name, strlen(name)};
    e.has |= TB_HAS_NAME;
  }
  return e;
}

static void nothing_gives_an_empty_list(void **state) {
  (void)state;
  finish_with("");
}

static void begin_and_end_on_a_thread_become_one_complete_event(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "outer"));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1500, "inner"));
  put(event(TB_EVENT_SLICE_END, &thread, 2001, NULL));
  put(event(TB_EVENT_SLICE_END, &thread, 3000, NULL));
  finish_with(
      "{\"name\":\"inner\",\"ph\":\"X\",\"ts\":1.5,\"dur\":0.501,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"outer\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":7,\"tid\":8}");
}

static void a_slice_without_a_name_is_the_first_that_is_held(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, NULL));
  put(event(TB_EVENT_SLICE_END, &thread, 3000, NULL));
  finish_with("{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":7,\"tid\":8}");
}

static void a_slice_longer_than_a_duration_can_be_has_the_longest(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, INT64_MIN, "ages"));
  put(event(TB_EVENT_SLICE_END, &thread, INT64_MAX, NULL));
  finish_with(
      "{\"name\":\"ages\",\"ph\":\"X\",\"ts\":-9223372036854775.808,\"dur\":9223372036854775.807,\"pid\":7,\"tid\":8}");
}

static void arguments_of_the_end_join_and_win(void **state) {
  (void)state;
  const struct tb_arg begin_args[] = {{.name = {"a", 1}, .type = TB_ARG_INT, .i = 1, .span = 1},
                                      {.name = {"b", 1}, .type = TB_ARG_DICT, .span = 2},
                                      {.name = {"x", 1}, .type = TB_ARG_STRING, .text = {"}\",", 3}, .span = 1},
                                      {.name = {"c", 1}, .type = TB_ARG_BOOL, .u = 1, .span = 1}};
  const struct tb_arg end_args[] = {{.name = {"a", 1}, .type = TB_ARG_INT, .i = 2, .span = 1},
                                    {.name = {"d", 1}, .type = TB_ARG_ARRAY, .span = 1}};
  struct tb_event begin = event(TB_EVENT_SLICE_BEGIN, &thread, 0, "n"),
                  end = event(TB_EVENT_SLICE_END, &thread, 1000, NULL);
  begin.args = begin_args;
  begin.arg_count = 4;
  end.args = end_args;
  end.arg_count = 2;
  put(begin);
  put(end);
  finish_with(
      "{\"name\":\"n\",\"ph\":\"X\",\"ts\":0,\"dur\":1,\"pid\":7,\"tid\":8,"
      "\"args\":{\"b\":{\"x\":\"}\\\",\"},\"c\":true,\"a\":2,\"d\":[]}}");
}

static void thread_times_of_begin_and_end_give_tts_and_tdur(void **state) {
  (void)state;
  struct tb_event begin = event(TB_EVENT_SLICE_BEGIN, &thread, 0, "n"),
                  end = event(TB_EVENT_SLICE_END, &thread, 1000, NULL);
  begin.has |= TB_HAS_THREAD_TS;
  begin.thread_ts = 500;
  end.has |= TB_HAS_THREAD_TS;
  end.thread_ts = 750;
  put(begin);
  put(end);
  finish_with("{\"name\":\"n\",\"ph\":\"X\",\"ts\":0,\"dur\":1,\"tts\":0.5,\"tdur\":0.25,\"pid\":7,\"tid\":8}");
}

static void an_open_slice_stays_a_begin_and_an_orphan_end_an_end(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_END, &thread, 5, NULL));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "open"));
  finish_with(
      "{\"ph\":\"E\",\"ts\":0.005,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"open\",\"ph\":\"B\",\"ts\":1,\"pid\":7,\"tid\":8}");
}

static void what_begins_with_a_slice_that_is_a_B_is_a_B_in_it(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "outer"));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "first"));
  put(event(TB_EVENT_SLICE_END, &thread, 2000, NULL));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 3000, "never"));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 3000, "second"));
  put(event(TB_EVENT_SLICE_END, &thread, 4000, NULL));
  put(event(TB_EVENT_SLICE_END, &thread, 5000, "outer"));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 6000, "alone"));
  put(event(TB_EVENT_SLICE_END, &thread, 7000, NULL));
  finish_with(
      "{\"name\":\"outer\",\"ph\":\"B\",\"ts\":1,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"first\",\"ph\":\"B\",\"ts\":1,\"pid\":7,\"tid\":8},\n"
      "{\"ph\":\"E\",\"ts\":2,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"never\",\"ph\":\"B\",\"ts\":3,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"second\",\"ph\":\"B\",\"ts\":3,\"pid\":7,\"tid\":8},\n"
      "{\"ph\":\"E\",\"ts\":4,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"outer\",\"ph\":\"E\",\"ts\":5,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"alone\",\"ph\":\"X\",\"ts\":6,\"dur\":1,\"pid\":7,\"tid\":8}");
}

static void what_begins_with_a_B_that_the_source_says_is_a_B_in_it(void **state) {
  (void)state;
  struct tb_event outer = event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "outer");
  outer.has |= TB_HAS_EXPLICIT_PHASE;
  outer.phase = 'B';
  put(outer);
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "inner"));
  put(event(TB_EVENT_SLICE_END, &thread, 2000, NULL));
  finish_with(
      "{\"name\":\"outer\",\"ph\":\"B\",\"ts\":1,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"inner\",\"ph\":\"B\",\"ts\":1,\"pid\":7,\"tid\":8},\n"
      "{\"ph\":\"E\",\"ts\":2,\"pid\":7,\"tid\":8}");
}

static void events_out_of_order_are_not_paired(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 2000, "late"));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "early"));
  put(event(TB_EVENT_SLICE_END, &thread, 3000, NULL));
  put(event(TB_EVENT_SLICE_END, &thread, 4000, NULL));
  finish_with(
      "{\"name\":\"late\",\"ph\":\"B\",\"ts\":2,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"early\",\"ph\":\"B\",\"ts\":1,\"pid\":7,\"tid\":8},\n"
      "{\"ph\":\"E\",\"ts\":3,\"pid\":7,\"tid\":8},\n"
      "{\"ph\":\"E\",\"ts\":4,\"pid\":7,\"tid\":8}");
}

static void an_end_that_names_an_outer_slice_is_not_paired_with_the_inner(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "outer"));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 2000, "inner"));
  put(event(TB_EVENT_SLICE_END, &thread, 3000, "outer"));
  finish_with(
      "{\"name\":\"outer\",\"ph\":\"B\",\"ts\":1,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"inner\",\"ph\":\"B\",\"ts\":2,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"outer\",\"ph\":\"E\",\"ts\":3,\"pid\":7,\"tid\":8}");
}

static void a_typed_message_of_begin_and_end_has_the_fields_of_both(void **state) {
  (void)state;
  struct tb_event begin = event(TB_EVENT_SLICE_BEGIN, &thread, 0, "n"),
                  end = event(TB_EVENT_SLICE_END, &thread, 1000, NULL);
  struct tb_arg begin_args[] = {{.name = {"m", 1}, .type = TB_ARG_DICT, .flags = TB_ARG_TYPED, .span = 3},
                                {.name = {"first", 5}, .type = TB_ARG_INT, .i = 1, .span = 1},
                                {.name = {"both", 4}, .type = TB_ARG_INT, .i = 2, .span = 1},
                                {.name = {"own", 3}, .type = TB_ARG_DICT, .span = 2},
                                {.name = {"first", 5}, .type = TB_ARG_INT, .i = 3, .span = 1}};
  struct tb_arg end_args[] = {{.name = {"m", 1}, .type = TB_ARG_DICT, .flags = TB_ARG_TYPED, .span = 3},
                              {.name = {"both", 4}, .type = TB_ARG_INT, .i = 4, .span = 1},
                              {.name = {"last", 4}, .type = TB_ARG_INT, .i = 5, .span = 1},
                              {.name = {"own", 3}, .type = TB_ARG_DICT, .span = 1}};
  begin.args = begin_args;
  begin.arg_count = 5;
  end.args = end_args;
  end.arg_count = 4;
  begin.has |= TB_HAS_ARGS;
  end.has |= TB_HAS_ARGS;
  put(begin);
  put(end);
  finish_with(
      "{\"name\":\"n\",\"ph\":\"X\",\"ts\":0,\"dur\":1,\"pid\":7,\"tid\":8,"
      "\"args\":{\"m\":{\"first\":1,\"both\":4,\"last\":5},\"own\":{}}}");
}

static void begins_and_ends_that_say_their_phase_stay_events_of_their_own(void **state) {
  (void)state;
  struct tb_event own = event(TB_EVENT_SLICE_BEGIN, &thread, 2000, "own");
  own.phase = 'B';
  own.has |= TB_HAS_EXPLICIT_PHASE;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "around"));
  put(own);
  put(event(TB_EVENT_SLICE_END, &thread, 4000, NULL));
  own.type = TB_EVENT_SLICE_END;
  own.phase = 'E';
  own.ts = 5000;
  put(own);
  finish_with(
      "{\"name\":\"own\",\"ph\":\"B\",\"ts\":2,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"own\",\"ph\":\"E\",\"ts\":5,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"around\",\"ph\":\"X\",\"ts\":1,\"dur\":3,\"pid\":7,\"tid\":8}");
}

static void an_end_that_overtakes_the_one_before_it_ends_the_inner_slice(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "outer"));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 2000, "inner"));
  put(event(TB_EVENT_SLICE_END, &thread, 4000, NULL));
  put(event(TB_EVENT_SLICE_END, &thread, 3000, NULL));
  finish_with(
      "{\"name\":\"inner\",\"ph\":\"X\",\"ts\":2,\"dur\":1,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"outer\",\"ph\":\"X\",\"ts\":1,\"dur\":3,\"pid\":7,\"tid\":8}");
}

static void an_end_that_says_only_where_it_is_in_the_source_says_it(void **state) {
  (void)state;
  struct tb_event end = event(TB_EVENT_SLICE_END, &thread, 2000, NULL);
  end.source_location.file = TB_STR("a.c");
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "n"));
  put(end);
  finish_with(
      "{\"name\":\"n\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":7,\"tid\":8,"
      "\"args\":{\"source_location\":{\"file_name\":\"a.c\"}}}");
}

static void an_end_takes_place_behind_all_that_is_earlier(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "first"));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 2000, "inner"));
  put(event(TB_EVENT_SLICE_END, &thread, 9000, NULL));
  put(event(TB_EVENT_SLICE_END, &thread, 5000, NULL));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 5000, "second"));
  put(event(TB_EVENT_SLICE_END, &thread, 6000, NULL));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 9000, "third"));
  put(event(TB_EVENT_SLICE_END, &thread, 9500, NULL));
  finish_with(
      "{\"name\":\"inner\",\"ph\":\"X\",\"ts\":2,\"dur\":3,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"second\",\"ph\":\"X\",\"ts\":5,\"dur\":1,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"first\",\"ph\":\"X\",\"ts\":1,\"dur\":8,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"third\",\"ph\":\"X\",\"ts\":9,\"dur\":0.5,\"pid\":7,\"tid\":8}");
}

static void slices_that_begin_out_of_order_leave_begins_and_ends_to_the_reader(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 3000, "later"));
  put(event(TB_EVENT_SLICE_BEGIN, &thread, 1000, "earlier"));
  put(event(TB_EVENT_SLICE_END, &thread, 4000, NULL));
  put(event(TB_EVENT_SLICE_END, &thread, 5000, NULL));
  finish_with(
      "{\"name\":\"later\",\"ph\":\"B\",\"ts\":3,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"earlier\",\"ph\":\"B\",\"ts\":1,\"pid\":7,\"tid\":8},\n"
      "{\"ph\":\"E\",\"ts\":4,\"pid\":7,\"tid\":8},\n"
      "{\"ph\":\"E\",\"ts\":5,\"pid\":7,\"tid\":8}");
}

static void an_end_that_comes_before_its_begin_has_its_category(void **state) {
  (void)state;
  struct tb_event begin = event(TB_EVENT_SLICE_BEGIN, &lane, 2000, "late");
  begin.categories = TB_STR("c");
  put(event(TB_EVENT_SLICE_END, &lane, 1000, NULL)); /* of what began before the trace */
  put(event(TB_EVENT_SLICE_END, &lane, 3000, NULL));
  put(begin);
  finish();
  const char *before = strstr(written, "{\"ph\":\"e\",\"ts\":1,"), *own = strstr(written, "{\"ph\":\"e\",\"ts\":3,");
  assert_non_null(before);
  assert_non_null(own);
  assert_true(memchr(before, '\n', (size_t)(own - before)) != NULL);
  assert_null(memmem(before, (size_t)(own - before), "\"cat\"", 5));
  assert_non_null(strstr(own, "\"cat\":\"c\""));
}

static void an_end_of_another_track_closes_the_slice_that_it_names(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &lane, 1000, "a"));
  put(event(TB_EVENT_SLICE_BEGIN, &lane, 2000, "b"));
  put(event(TB_EVENT_SLICE_END, &lane, 3000, "a"));
  put(event(TB_EVENT_SLICE_END, &lane, 4000, NULL));
  finish();
  assert_non_null(strstr(written, "{\"name\":\"a\",\"ph\":\"e\",\"ts\":3"));
  assert_non_null(strstr(written, "{\"name\":\"b\",\"ph\":\"e\",\"ts\":4"));
}

static void slices_of_other_tracks_become_async_pairs_with_the_tracks_id(void **state) {
  (void)state;
  struct tb_event begin = event(TB_EVENT_SLICE_BEGIN, &lane, 1000, "job");
  begin.categories = TB_STR("c");
  put(begin);
  put(event(TB_EVENT_INSTANT, &lane, 1500, "step"));
  put(event(TB_EVENT_SLICE_END, &lane, 2000, NULL));
  finish_with(
      "{\"name\":\"track_name\",\"ph\":\"M\",\"pid\":7,\"args\":{\"name\":\"lane\",\"id2\":{\"local\":\"0xabc\"}}},\n"
      "{\"name\":\"job\",\"cat\":\"c\",\"ph\":\"b\",\"ts\":1,\"pid\":7,\"id2\":{\"local\":\"0xabc\"}},\n"
      "{\"name\":\"step\",\"ph\":\"n\",\"ts\":1.5,\"pid\":7,\"id2\":{\"local\":\"0xabc\"}},\n"
      "{\"name\":\"job\",\"cat\":\"c\",\"ph\":\"e\",\"ts\":2,\"pid\":7,\"id2\":{\"local\":\"0xabc\"}}");
}

static void the_end_of_no_slice_of_another_track_stays_an_end(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_END, &lane, 2000, NULL));
  finish_with("{\"ph\":\"e\",\"ts\":2,\"pid\":7,\"id2\":{\"local\":\"0xabc\"}}");
}

static void slices_with_ids_of_their_own_keep_them_and_their_phase(void **state) {
  (void)state;
  struct tb_event begin = event(TB_EVENT_SLICE_BEGIN, &lane, 1000, "job");
  begin.id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true, .value = 31};
  begin.phase = 'S';
  begin.thread = &thread;
  put(begin);
  put(event(TB_EVENT_SLICE_END, &lane, 2000, NULL));
  finish_with(
      "{\"name\":\"job\",\"ph\":\"S\",\"ts\":1,\"pid\":7,\"tid\":8,\"id\":\"0x1f\"},\n"
      "{\"name\":\"job\",\"ph\":\"F\",\"ts\":2,\"pid\":7,\"tid\":8,\"id\":\"0x1f\"}");
}

static void instants_say_their_scope_by_their_track(void **state) {
  (void)state;
  put(event(TB_EVENT_INSTANT, &thread, 1000, "t"));
  put(event(TB_EVENT_INSTANT, &process, 1000, "p"));
  put(event(TB_EVENT_INSTANT, &global, 1000, "g"));
  finish_with(
      "{\"name\":\"t\",\"ph\":\"i\",\"ts\":1,\"pid\":7,\"tid\":8,\"s\":\"t\"},\n"
      "{\"name\":\"p\",\"ph\":\"i\",\"ts\":1,\"pid\":7,\"s\":\"p\"},\n"
      "{\"name\":\"g\",\"ph\":\"i\",\"ts\":1,\"s\":\"g\"}");
}

static void put_counter(const struct tb_track *track, int64_t ts, int64_t value) {
  struct tb_arg arg = {.type = TB_ARG_INT, .i = value, .span = 1};
  struct tb_event e = event(TB_EVENT_COUNTER, track, ts, NULL);
  e.args = &arg;
  e.arg_count = 1;
  put(e);
}

static void series_of_one_counter_and_time_join_in_one_event(void **state) {
  (void)state;
  put_counter(&counter, 1000, 1);
  put_counter(&counter_free, 1000, 2);
  put_counter(&counter, 1000, 3);
  put_counter(&counter, 2000, 4);
  put_counter(&counter_odd, 2000, 5);
  finish_with(
      "{\"name\":\"mem\",\"ph\":\"C\",\"ts\":1,\"pid\":7,\"args\":{\"used\":1,\"free\":2}},\n"
      "{\"name\":\"mem\",\"ph\":\"C\",\"ts\":1,\"pid\":7,\"args\":{\"used\":3}},\n"
      "{\"name\":\"mem\",\"ph\":\"C\",\"ts\":2,\"pid\":7,\"args\":{\"used\":4}},\n"
      "{\"name\":\"a b\",\"ph\":\"C\",\"ts\":2,\"pid\":7,\"id\":\"5\",\"args\":{\"c\":5}}");
}

static void a_series_that_follows_joins_whatever_else_the_first_one_has(void **state) {
  (void)state;
  struct tb_arg value = {.span = 1, .type = TB_ARG_INT, .i = 3};
  struct tb_event first = event(TB_EVENT_COUNTER, &counter, 1000, NULL), second = first;
  first.args = second.args = &value;
  first.arg_count = second.arg_count = 1;
  first.has |= TB_HAS_THREAD_TS;
  first.thread_ts = 5000;
  second.track = &counter_free;
  second.phase = '+';
  put(first);
  put(second);
  finish_with("{\"name\":\"mem\",\"ph\":\"C\",\"ts\":1,\"tts\":5,\"pid\":7,\"args\":{\"used\":3,\"free\":3}}");
}

static void tracks_are_named_once_until_they_change(void **state) {
  (void)state;
  const struct tb_str labels[] = {TB_STR("one"), TB_STR("two")};
  struct tb_track labelled = process;
  labelled.labels = labels;
  labelled.label_count = 2;
  labelled.has_sort_index = true;
  labelled.sort_index = -3;
  put((struct tb_event){.type = TB_EVENT_TRACK, .track = &thread});
  put((struct tb_event){.type = TB_EVENT_TRACK, .track = &thread});
  put((struct tb_event){.type = TB_EVENT_TRACK, .track = &labelled});
  finish_with(
      "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":7,\"tid\":8,\"args\":{\"name\":\"main\"}},\n"
      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":7,\"args\":{\"name\":\"app\"}},\n"
      "{\"name\":\"process_labels\",\"ph\":\"M\",\"pid\":7,\"args\":{\"labels\":\"one,two\"}},\n"
      "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":7,\"args\":{\"sort_index\":-3}}");
}

static void flows_are_written_in_the_order_of_time(void **state) {
  (void)state;
  const uint64_t flow = 99;
  struct tb_event late = event(TB_EVENT_INSTANT, &other_thread, 3000, "late");
  late.terminating_flow_ids = &flow;
  late.terminating_flow_count = 1;
  struct tb_event sorts_first = event(TB_EVENT_INSTANT, &thread, 1000, "early");
  sorts_first.flow_ids = &flow;
  sorts_first.flow_count = 1;
  struct tb_event middle = sorts_first;
  middle.ts = 2000;
  middle.name = TB_STR("middle");
  put(late);
  put(middle);
  put(sorts_first);
  finish_with(
      "{\"name\":\"late\",\"ph\":\"i\",\"ts\":3,\"pid\":7,\"tid\":9,\"s\":\"t\"},\n"
      "{\"name\":\"middle\",\"ph\":\"i\",\"ts\":2,\"pid\":7,\"tid\":8,\"s\":\"t\"},\n"
      "{\"name\":\"early\",\"ph\":\"i\",\"ts\":1,\"pid\":7,\"tid\":8,\"s\":\"t\"},\n"
      "{\"name\":\"flow\",\"cat\":\"flow\",\"ph\":\"s\",\"ts\":1,\"pid\":7,\"tid\":8,\"id\":1},\n"
      "{\"name\":\"flow\",\"cat\":\"flow\",\"ph\":\"t\",\"ts\":2,\"pid\":7,\"tid\":8,\"id\":1},\n"
      "{\"name\":\"flow\",\"cat\":\"flow\",\"ph\":\"f\",\"ts\":3,\"pid\":7,\"tid\":9,\"id\":1,\"bp\":\"e\"}");
}

static void flows_of_other_tracks_are_named_by_their_events(void **state) {
  (void)state;
  const uint64_t one = 5, two = 6;
  struct tb_event first = event(TB_EVENT_INSTANT, &thread, 1000, "first");
  first.flow_ids = &one;
  first.flow_count = 1;
  struct tb_event middle = event(TB_EVENT_SLICE_BEGIN, &process, 2000, "middle");
  middle.terminating_flow_ids = &one;
  middle.terminating_flow_count = 1;
  middle.flow_ids = &two;
  middle.flow_count = 1;
  struct tb_event last = event(TB_EVENT_SLICE_BEGIN, &process, 3000, "last");
  last.flow_ids = &two;
  last.flow_count = 1;
  put(first);
  put(middle);
  put(last);
  put(event(TB_EVENT_SLICE_END, &process, 4000, NULL));
  finish();
  assert_non_null(strstr(written, "\"s\":\"t\",\"bind_id\":\"0x10000000001\",\"flow_out\":true},\n"));
  assert_non_null(strstr(written, "\"bind_id\":\"0x10000000001\",\"flow_in\":true,\"flow_out\":true},\n"));
  assert_non_null(strstr(written,
                         "\"bind_id\":\"0x10000000001\",\"flow_in\":true},\n"
                         "{\"name\":\"last\",\"ph\":\"e\",\"ts\":4"));
}

static void call_stacks_share_their_frames(void **state) {
  (void)state;
  const struct tb_frame frames[] = {{.function = {"main", 4}, .mapping = {"app", 3}},
                                    {.function = {"work", 4}, .file = {"w.c", 3}, .line = 12},
                                    {.pc = 0xbeef}};
  struct tb_event e = event(TB_EVENT_INSTANT, &thread, 1000, "deep");
  e.stack = (struct tb_stack){.frames = frames, .frame_count = 3};
  put(e);
  e.stack.frame_count = 2;
  put(e);
  finish();
  assert_string_equal(written,
                      "{\"traceEvents\":[\n"
                      "{\"name\":\"deep\",\"ph\":\"i\",\"ts\":1,\"pid\":7,\"tid\":8,\"s\":\"t\",\"sf\":\"f3\"},\n"
                      "{\"name\":\"deep\",\"ph\":\"i\",\"ts\":1,\"pid\":7,\"tid\":8,\"s\":\"t\",\"sf\":\"f2\"}\n"
                      "],\n\"stackFrames\":{\n"
                      "\"f1\":{\"name\":\"main\",\"category\":\"app\"},\n"
                      "\"f2\":{\"name\":\"work\",\"file\":\"w.c\",\"line\":12,\"parent\":\"f1\"},\n"
                      "\"f3\":{\"name\":\"0xbeef\",\"parent\":\"f2\"}\n"
                      "}}\n");
}

static void what_json_cannot_hold_is_counted(void **state) {
  (void)state;
  put((struct tb_event){.type = TB_EVENT_PACKETS, .offset = 12});
  put((struct tb_event){.type = TB_EVENT_PACKETS, .offset = 50});
  size_t count;
  const struct tb_loss *losses = tb_writer_losses(writer, &count);
  assert_int_equal(count, 1);
  assert_int_equal(losses[0].count, 2);
  assert_int_equal(losses[0].first_offset, 12);
  finish_with("");
}

static void bytes_that_are_no_text_are_counted(void **state) {
  (void)state;
  const struct tb_arg args[] = {
      {.name = TB_STR("field_1"), .type = TB_ARG_BLOB, .text = TB_STR("\x01 text"), .span = 1},
      {.name = TB_STR("field_2"), .type = TB_ARG_BLOB, .text = TB_STR("a\xff"), .span = 1}};
  struct tb_event e = event(TB_EVENT_INSTANT, &thread, 1000, "x");
  e.has |= TB_HAS_ARGS;
  e.offset = 7;
  e.args = args;
  e.arg_count = 2;
  put(e);
  size_t count;
  const struct tb_loss *losses = tb_writer_losses(writer, &count);
  assert_int_equal(count, 1);
  assert_int_equal(losses[0].count, 1);
  assert_int_equal(losses[0].first_offset, 7);
  finish();
  assert_non_null(strstr(written, "\"field_2\":\"a\xef\xbf\xbd\""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_gives_an_empty_list, start, stop),
      cmocka_unit_test_setup_teardown(bytes_that_are_no_text_are_counted, start, stop),
      cmocka_unit_test_setup_teardown(begin_and_end_on_a_thread_become_one_complete_event, start, stop),
      cmocka_unit_test_setup_teardown(a_slice_without_a_name_is_the_first_that_is_held, start, stop),
      cmocka_unit_test_setup_teardown(a_slice_longer_than_a_duration_can_be_has_the_longest, start, stop),
      cmocka_unit_test_setup_teardown(arguments_of_the_end_join_and_win, start, stop),
      cmocka_unit_test_setup_teardown(thread_times_of_begin_and_end_give_tts_and_tdur, start, stop),
      cmocka_unit_test_setup_teardown(an_open_slice_stays_a_begin_and_an_orphan_end_an_end, start, stop),
      cmocka_unit_test_setup_teardown(what_begins_with_a_slice_that_is_a_B_is_a_B_in_it, start, stop),
      cmocka_unit_test_setup_teardown(what_begins_with_a_B_that_the_source_says_is_a_B_in_it, start, stop),
      cmocka_unit_test_setup_teardown(events_out_of_order_are_not_paired, start, stop),
      cmocka_unit_test_setup_teardown(an_end_that_names_an_outer_slice_is_not_paired_with_the_inner, start, stop),
      cmocka_unit_test_setup_teardown(a_typed_message_of_begin_and_end_has_the_fields_of_both, start, stop),
      cmocka_unit_test_setup_teardown(begins_and_ends_that_say_their_phase_stay_events_of_their_own, start, stop),
      cmocka_unit_test_setup_teardown(an_end_that_overtakes_the_one_before_it_ends_the_inner_slice, start, stop),
      cmocka_unit_test_setup_teardown(an_end_that_says_only_where_it_is_in_the_source_says_it, start, stop),
      cmocka_unit_test_setup_teardown(an_end_takes_place_behind_all_that_is_earlier, start, stop),
      cmocka_unit_test_setup_teardown(slices_that_begin_out_of_order_leave_begins_and_ends_to_the_reader, start, stop),
      cmocka_unit_test_setup_teardown(an_end_that_comes_before_its_begin_has_its_category, start, stop),
      cmocka_unit_test_setup_teardown(an_end_of_another_track_closes_the_slice_that_it_names, start, stop),
      cmocka_unit_test_setup_teardown(slices_of_other_tracks_become_async_pairs_with_the_tracks_id, start, stop),
      cmocka_unit_test_setup_teardown(the_end_of_no_slice_of_another_track_stays_an_end, start, stop),
      cmocka_unit_test_setup_teardown(slices_with_ids_of_their_own_keep_them_and_their_phase, start, stop),
      cmocka_unit_test_setup_teardown(instants_say_their_scope_by_their_track, start, stop),
      cmocka_unit_test_setup_teardown(series_of_one_counter_and_time_join_in_one_event, start, stop),
      cmocka_unit_test_setup_teardown(a_series_that_follows_joins_whatever_else_the_first_one_has, start, stop),
      cmocka_unit_test_setup_teardown(tracks_are_named_once_until_they_change, start, stop),
      cmocka_unit_test_setup_teardown(flows_are_written_in_the_order_of_time, start, stop),
      cmocka_unit_test_setup_teardown(flows_of_other_tracks_are_named_by_their_events, start, stop),
      cmocka_unit_test_setup_teardown(call_stacks_share_their_frames, start, stop),
      cmocka_unit_test_setup_teardown(what_json_cannot_hold_is_counted, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
