/* SPDX-License-Identifier: Apache-2.0
 *
 * What is not a slice: counters, the names of tracks, flows, call stacks, losses.
 */
#include "json_writer_fixture.h"

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

static size_t loss_count(void) {
  size_t count = 0;
  (void)tb_writer_losses(writer, &count);
  return count;
}

static void put_end_without_a_name(int64_t ts) {
  struct tb_event e = event(TB_EVENT_SLICE_END, &lane, ts, NULL);
  put(e);
}

static void an_end_loses_our_name_where_an_earlier_begin_follows(void **state) {
  (void)state;
  put(event(TB_EVENT_SLICE_BEGIN, &lane, 1000, "a"));
  put_end_without_a_name(9000);
  put(event(TB_EVENT_SLICE_BEGIN, &lane, 2000, "b"));
  finish();
  assert_non_null(strstr(written, "{\"ph\":\"e\",\"ts\":9,"));
  assert_int_equal(loss_count(), 0);
}

static void an_end_of_a_category_is_of_the_innermost_slice_of_it(void **state) {
  (void)state;
  struct tb_event e[3] = {event(TB_EVENT_SLICE_BEGIN, &lane, 1000, "a"), event(TB_EVENT_SLICE_BEGIN, &lane, 2000, "b"),
                          event(TB_EVENT_SLICE_END, &lane, 3000, NULL)};
  e[0].categories = e[2].categories = TB_STR("c");
  e[1].categories = TB_STR("d");
  for (size_t i = 0; i < 3; i++) {
    if (e[i].categories.len) e[i].has |= TB_HAS_CATEGORIES;
    put(e[i]);
  }
  finish();
  assert_non_null(strstr(written, "{\"name\":\"a\",\"cat\":\"c\",\"ph\":\"e\""));
}

static void an_earlier_begin_far_behind_an_end_is_counted(void **state) {
  (void)state;
  char text[30000];
  memset(text, 'x', sizeof(text) - 1);
  text[sizeof(text) - 1] = 0;
  put(event(TB_EVENT_SLICE_BEGIN, &lane, 1000, "a"));
  put_end_without_a_name(9000);
  for (int i = 0; i < 10; i++) put(event(TB_EVENT_INSTANT, &thread, 9000, text));
  put(event(TB_EVENT_SLICE_BEGIN, &lane, 10000, "c"));
  assert_int_equal(loss_count(), 0);
  put(event(TB_EVENT_SLICE_BEGIN, &lane, 2000, "b"));
  assert_int_equal(loss_count(), 1);
  assert_int_equal(tb_writer_finish(writer), TB_OK);
}

static void tracks_are_named_once_until_they_change(void **state) {
  (void)state;
  const struct tb_str labels[] = {TB_STR("one"), TB_STR("two")};
  struct tb_track labelled = process;
  const struct tb_track_details details = {.labels = labels, .label_count = 2, .sort_index = -3};
  labelled.details = &details;
  labelled.has_sort_index = true;
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

static void a_process_is_named_once_whoever_names_it(void **state) {
  (void)state;
  const struct tb_track lane_of_trace = {.index = 8, .type = TB_TRACK_CUSTOM, .parent = &global, .uuid = 0xabc};
  const struct tb_arg pid = {.name = TB_STR("pid"), .type = TB_ARG_INT, .i = 6, .span = 1};
  struct tb_event e = event(TB_EVENT_INSTANT, &lane_of_trace, 1000, "a");
  put(e);
  e.extra = &pid;
  e.extra_count = 1;
  put(e);
  e.extra_count = 0;
  e.thread = &thread;
  put(e);
  finish();
  assert_non_null(strstr(written, "\"ts\":1,\"pid\":0,\"id\":\"0xabc\"}"));
  assert_non_null(strstr(written, "\"ts\":1,\"id\":\"0xabc\",\"pid\":6}"));
  assert_non_null(strstr(written, "\"ts\":1,\"pid\":7,\"tid\":8,\"id\":\"0xabc\"}"));
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
      cmocka_unit_test_setup_teardown(bytes_that_are_no_text_are_counted, start, stop),
      cmocka_unit_test_setup_teardown(an_end_loses_our_name_where_an_earlier_begin_follows, start, stop),
      cmocka_unit_test_setup_teardown(an_end_of_a_category_is_of_the_innermost_slice_of_it, start, stop),
      cmocka_unit_test_setup_teardown(an_earlier_begin_far_behind_an_end_is_counted, start, stop),
      cmocka_unit_test_setup_teardown(series_of_one_counter_and_time_join_in_one_event, start, stop),
      cmocka_unit_test_setup_teardown(a_series_that_follows_joins_whatever_else_the_first_one_has, start, stop),
      cmocka_unit_test_setup_teardown(tracks_are_named_once_until_they_change, start, stop),
      cmocka_unit_test_setup_teardown(flows_are_written_in_the_order_of_time, start, stop),
      cmocka_unit_test_setup_teardown(flows_of_other_tracks_are_named_by_their_events, start, stop),
      cmocka_unit_test_setup_teardown(a_process_is_named_once_whoever_names_it, start, stop),
      cmocka_unit_test_setup_teardown(call_stacks_share_their_frames, start, stop),
      cmocka_unit_test_setup_teardown(what_json_cannot_hold_is_counted, start, stop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
