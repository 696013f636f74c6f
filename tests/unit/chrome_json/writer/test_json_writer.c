/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices and instants: how begins and ends become events of JSON.
 */
#include "json_writer_fixture.h"

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
      "{\"name\":\"around\",\"ph\":\"X\",\"ts\":1,\"dur\":3,\"pid\":7,\"tid\":8},\n"
      "{\"name\":\"own\",\"ph\":\"E\",\"ts\":5,\"pid\":7,\"tid\":8}");
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_gives_an_empty_list, start, stop),
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
      cmocka_unit_test_setup_teardown(instants_say_their_scope_by_their_track, start, stop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
