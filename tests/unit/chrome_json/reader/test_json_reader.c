/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "support/json_reading.h"
#include "support/source_shape.h"

static void assert_text(struct tb_str text, const char *expected) {
  if (text.len != strlen(expected) || (text.len && memcmp(text.ptr, expected, text.len) != 0))
    fail_msg("'%.*s' is not '%s'", (int)text.len, text.ptr ? text.ptr : "", expected);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void check_complete(const struct tb_event *e) {
  assert_int_equal(e->type, TB_EVENT_SLICE_COMPLETE);
  assert_int_equal(e->phase, 'X');
  assert_int_equal(e->has, TB_HAS_TS | TB_HAS_DUR | TB_HAS_THREAD_TS | TB_HAS_THREAD_DUR | TB_HAS_NAME |
                               TB_HAS_CATEGORIES | TB_HAS_ARGS);
  assert_int_equal(e->ts, 1666382280874284123);
  assert_int_equal(e->dur, 1500);
  assert_int_equal(e->thread_ts, 7000);
  assert_int_equal(e->thread_dur, 1);
  assert_text(e->name, "n");
  assert_text(e->categories, "c,d");
  assert_int_equal(e->arg_count, 0);
  assert_int_equal(e->offset, 1);
  assert_int_equal(e->track->type, TB_TRACK_THREAD);
  assert_int_equal(e->track->pid, 7);
  assert_int_equal(e->track->tid, 8);
  assert_int_equal(e->track->parent->type, TB_TRACK_PROCESS);
  assert_int_equal(e->track->parent->pid, 7);
  assert_null(e->thread);
}

static void a_complete_event_is_exact_to_the_nanosecond(void **state) {
  (void)state;
  with_event(
      "[{\"args\":{},\"cat\":\"c,d\",\"dur\":\"1.5\",\"name\":\"n\",\"ph\":\"X\",\"pid\":7,\"tid\":8,"
      "\"ts\":1666382280874284.123,\"tts\":7,\"tdur\":0.0005}]",
      0, check_complete);
}

static void every_phase_has_its_type(void **state) {
  (void)state;
  static const struct {
    const char *members;
    enum tb_event_type type;
    enum tb_track_type track;
  } cases[] = {
      {"\"ph\":\"B\"", TB_EVENT_SLICE_BEGIN, TB_TRACK_THREAD},
      {"\"ph\":\"E\"", TB_EVENT_SLICE_END, TB_TRACK_THREAD},
      {"\"ph\":\"X\",\"dur\":1", TB_EVENT_SLICE_COMPLETE, TB_TRACK_THREAD},
      {"\"ph\":\"X\"", TB_EVENT_INSTANT, TB_TRACK_THREAD},
      {"\"ph\":\"i\"", TB_EVENT_INSTANT, TB_TRACK_THREAD},
      {"\"ph\":\"i\",\"s\":\"t\"", TB_EVENT_INSTANT, TB_TRACK_THREAD},
      {"\"ph\":\"I\",\"s\":\"p\"", TB_EVENT_INSTANT, TB_TRACK_PROCESS},
      {"\"ph\":\"R\",\"s\":\"g\"", TB_EVENT_INSTANT, TB_TRACK_GLOBAL},
      {"\"ph\":\"P\"", TB_EVENT_INSTANT, TB_TRACK_THREAD},
      {"\"ph\":\"C\"", TB_EVENT_COUNTER, TB_TRACK_PROCESS},
      {"\"ph\":\"b\",\"id\":1", TB_EVENT_ASYNC_BEGIN, TB_TRACK_THREAD},
      {"\"ph\":\"S\",\"id\":1", TB_EVENT_ASYNC_BEGIN, TB_TRACK_THREAD},
      {"\"ph\":\"n\",\"id\":1", TB_EVENT_ASYNC_INSTANT, TB_TRACK_THREAD},
      {"\"ph\":\"T\",\"id\":1", TB_EVENT_ASYNC_INSTANT, TB_TRACK_THREAD},
      {"\"ph\":\"p\",\"id\":1", TB_EVENT_ASYNC_INSTANT, TB_TRACK_THREAD},
      {"\"ph\":\"e\",\"id\":1", TB_EVENT_ASYNC_END, TB_TRACK_THREAD},
      {"\"ph\":\"F\",\"id\":1", TB_EVENT_ASYNC_END, TB_TRACK_THREAD},
      {"\"ph\":\"s\",\"id\":1", TB_EVENT_FLOW_BEGIN, TB_TRACK_THREAD},
      {"\"ph\":\"t\",\"id\":1", TB_EVENT_FLOW_STEP, TB_TRACK_THREAD},
      {"\"ph\":\"f\",\"id\":1", TB_EVENT_FLOW_END, TB_TRACK_THREAD},
      {"\"ph\":\"N\",\"id\":1", TB_EVENT_OBJECT_CREATE, TB_TRACK_THREAD},
      {"\"ph\":\"O\",\"id\":1", TB_EVENT_OBJECT_SNAPSHOT, TB_TRACK_THREAD},
      {"\"ph\":\"D\",\"id\":1", TB_EVENT_OBJECT_DELETE, TB_TRACK_THREAD},
      {"\"ph\":\"b\"", TB_EVENT_OTHER, TB_TRACK_THREAD}, /* nothing without an id */
      {"\"ph\":\"f\"", TB_EVENT_OTHER, TB_TRACK_THREAD},
      {"\"ph\":\"D\"", TB_EVENT_OTHER, TB_TRACK_THREAD},
      {"\"ph\":\"(\"", TB_EVENT_CONTEXT_ENTER, TB_TRACK_THREAD},
      {"\"ph\":\")\"", TB_EVENT_CONTEXT_LEAVE, TB_TRACK_THREAD},
      {"\"ph\":\"=\"", TB_EVENT_ID_LINK, TB_TRACK_THREAD},
      {"\"ph\":\"c\"", TB_EVENT_CLOCK_SYNC, TB_TRACK_THREAD},
      {"\"ph\":\"V\"", TB_EVENT_MEMORY_DUMP, TB_TRACK_THREAD},
      {"\"ph\":\"v\"", TB_EVENT_MEMORY_DUMP, TB_TRACK_THREAD},
      {"\"ph\":\"T\",\"dur\":1", TB_EVENT_THREAD_STATE, TB_TRACK_THREAD},
      {"\"ph\":\"T\",\"name\":\"S\"", TB_EVENT_THREAD_STATE, TB_TRACK_THREAD},
      {"\"ph\":\"T\",\"name\":\"Running\",\"args\":{\"cpu\":1}", TB_EVENT_THREAD_STATE, TB_TRACK_THREAD},
      {"\"ph\":\"T\",\"name\":\"Running\"", TB_EVENT_OTHER, TB_TRACK_THREAD}, /* nowhere */
      {"\"ph\":\"T\",\"name\":\"Thinking\"", TB_EVENT_OTHER, TB_TRACK_THREAD},
      {"\"ph\":\"T\",\"name\":\"S\",\"cat\":\"c\"", TB_EVENT_OTHER, TB_TRACK_THREAD},
      {"\"ph\":\"T\",\"name\":\"S\",\"args\":{}", TB_EVENT_OTHER, TB_TRACK_THREAD},
      {"\"ph\":\"M\",\"name\":\"process_name\"", TB_EVENT_METADATA, TB_TRACK_PROCESS},
      {"\"ph\":\"M\",\"name\":\"thread_name\"", TB_EVENT_METADATA, TB_TRACK_THREAD},
      {"\"ph\":\"Q\"", TB_EVENT_OTHER, TB_TRACK_THREAD},
      {"\"ph\":\"long\"", TB_EVENT_OTHER, TB_TRACK_THREAD},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char text[200];
    (void)snprintf(text, sizeof(text), "[{\"pid\":1,\"tid\":2,\"ts\":3,%s}]", cases[i].members);
    struct tb_reader *reader;
    const struct tb_event *e;
    assert_int_equal(tb_reader_create_feed("test", &tb_source_shape, &reader, NULL), TB_OK);
    assert_int_equal(tb_reader_feed(reader, text, strlen(text)), TB_OK);
    tb_reader_feed_end(reader);
    assert_int_equal(tb_reader_next(reader, &e), TB_OK);
    if (e->type != cases[i].type || e->track->type != cases[i].track)
      fail_msg("%s: type %d on %d", text, e->type, e->track->type);
    if (e->track->type != TB_TRACK_THREAD) assert_int_equal(e->thread->tid, 2);
    tb_reader_close(reader);
  }
}

static void check_state(const struct tb_event *e) {
  assert_int_equal(e->type, TB_EVENT_THREAD_STATE);
  assert_int_equal(e->task_state, TB_TASK_UNINTERRUPTIBLE_SLEEP);
  assert_int_equal(e->has, TB_HAS_TS | TB_HAS_NAME | TB_HAS_ARGS | TB_HAS_CPU | TB_HAS_PRIORITY);
  assert_int_equal(e->cpu, 3);
  assert_int_equal(e->priority, -2);
  assert_int_equal(e->arg_count, 2);
  assert_text(e->args[1].name, "prio");
}

static void check_arguments_of_state(const struct tb_event *e) {
  assert_int_equal(e->type, TB_EVENT_THREAD_STATE);
  assert_false(e->has & (TB_HAS_CPU | TB_HAS_PRIORITY));
  assert_int_equal(e->arg_count, 2);
}

static void the_last_arguments_of_a_state_are_its_processor_and_priority(void **state) {
  (void)state;
  with_event("[{\"ph\":\"T\",\"name\":\"D\",\"ts\":1,\"tid\":2,\"args\":{\"a\":{\"prio\":1},\"cpu\":3,\"prio\":-2}}]",
             0, check_state);
  with_event("[{\"ph\":\"T\",\"name\":\"D\",\"ts\":1,\"tid\":2,\"args\":{\"cpu\":3,\"a\":1}}]", 0,
             check_arguments_of_state);
  with_event("[{\"ph\":\"T\",\"name\":\"D\",\"ts\":1,\"tid\":2,\"args\":{\"a\":{\"cpu\":3}}}]", 0,
             check_arguments_of_state);
  with_event("[{\"ph\":\"T\",\"name\":\"D\",\"ts\":1,\"tid\":2,\"args\":{\"a\":1,\"cpu\":-1}}]", 0,
             check_arguments_of_state);
}

static void check_ids(const struct tb_event *e) {
  assert_int_equal(e->id.kind, TB_ID_PLAIN);
  assert_true(e->id.is_number);
  assert_int_equal(e->id.value, 0x1f);
  assert_text(e->id.text, "0x1f");
  assert_text(e->scope, "sc");
  assert_int_equal(e->bind_id.value, 12);
  assert_int_equal(e->has & (TB_HAS_FLOW_IN | TB_HAS_FLOW_OUT | TB_HAS_BIND_ENCLOSING | TB_HAS_SCOPE),
                   TB_HAS_FLOW_IN | TB_HAS_BIND_ENCLOSING | TB_HAS_SCOPE);
}

static void check_local(const struct tb_event *e) {
  assert_int_equal(e->id.kind, TB_ID_LOCAL);
  assert_false(e->id.is_number);
  assert_text(e->id.text, "xyz");
}

static void ids_and_flows_are_read(void **state) {
  (void)state;
  with_event(
      "[{\"ph\":\"f\",\"id\":\"0x1f\",\"scope\":\"sc\",\"bind_id\":12,\"flow_in\":true,\"flow_out\":false,\"bp\":\"e\","
      "\"ts\":1}]",
      0, check_ids);
  with_event("[{\"ph\":\"b\",\"ts\":1,\"id2\":{\"local\":\"xyz\"}}]", 0, check_local);
}

static void check_stacks(const struct tb_event *e) {
  assert_int_equal(e->stack.frame_count, 2);
  assert_text(e->stack.frames[0].function, "main");
  assert_text(e->stack.frames[1].function, "0x1f");
  assert_int_equal(e->stack.frames[1].pc, 0x1f);
  assert_int_equal(e->end_stack.frame_count, 0);
  assert_text(e->end_stack.ref, "9");
}

static void stacks_are_read_root_first(void **state) {
  (void)state;
  with_event("[{\"ph\":\"X\",\"stack\":[\"main\",\"0x1f\"],\"esf\":9}]", 0, check_stacks);
}

static void check_extra(const struct tb_event *e) {
  static const char *const names[] = {"name", "cat", "ts", "args", "cname", "zz", "id2", "s"};
  assert_int_equal(e->has, 0);
  const struct tb_arg *a = e->extra;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++, a += a->span) assert_text(a->name, names[i]);
  assert_ptr_equal(a, e->extra + e->extra_count);
}

static void members_of_a_wrong_type_and_unknown_ones_are_kept_as_extra(void **state) {
  (void)state;
  with_event(
      "[{\"ph\":\"X\",\"name\":5,\"cat\":[\"x\"],\"ts\":\"soon\",\"args\":3,\"cname\":\"good\",\"zz\":{\"q\":[1]},"
      "\"id2\":{\"x\":1},\"s\":\"t2\"}]",
      0, check_extra);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void check_args(const struct tb_event *e) {
  const struct tb_arg *a = e->args;
  assert_int_equal(e->arg_count, 18);
  assert_int_equal(a->type, TB_ARG_INT);
  assert_true(a->i == 9007199254740993);
  assert_int_equal(a[1].type, TB_ARG_UINT);
  assert_true(a[1].u == UINT64_MAX);
  assert_int_equal(a[2].type, TB_ARG_INT);
  assert_true(a[2].i == INT64_MIN);
  assert_int_equal(a[3].type, TB_ARG_DOUBLE);
  assert_true(a[3].d == 1.0);
  assert_int_equal(a[4].type, TB_ARG_JSON);
  assert_text(a[4].text, "1e400");
  assert_int_equal(a[5].type, TB_ARG_DOUBLE);
  assert_true(isnan(a[5].d));
  assert_int_equal(a[6].type, TB_ARG_JSON);
  assert_text(a[6].text, "18446744073709551616");
  assert_int_equal(a[7].type, TB_ARG_BOOL);
  assert_int_equal(a[7].u, 1);
  assert_int_equal(a[8].type, TB_ARG_NULL);
  assert_int_equal(a[9].type, TB_ARG_STRING);
  assert_text(a[9].text, "\xf0\x9f\x98\x80");
  assert_int_equal(a[10].type, TB_ARG_DICT);
  assert_int_equal(a[10].span, 6);
  assert_int_equal(a[11].type, TB_ARG_ARRAY);
  assert_text(a[11].name, "b");
  assert_int_equal(a[11].span, 4);
  assert_int_equal(a[12].name.len, 0);
  assert_int_equal(a[15].type, TB_ARG_DICT);
  assert_int_equal(a[15].span, 1);
  assert_text(a[16].name, "k");
  assert_text(a[17].name, "k");
}

static void arguments_keep_type_value_order_and_nesting(void **state) {
  (void)state;
  with_event(
      "[{\"ph\":\"X\",\"args\":{\"i\":9007199254740993,\"u\":18446744073709551615,\"m\":-9223372036854775808,\"d\":1.0,"
      "\"o\":1e400,\"n\":NaN,\"big\":18446744073709551616,\"t\":true,\"z\":null,\"s\":\"\\ud83d\\ude00\","
      "\"a\":{\"b\":[1,2,3],\"c\":{}},\"k\":1,\"k\":2}}]",
      0, check_args);
}

static void check_numbers_that_json_lacks(const struct tb_event *e) {
  const double expected[] = {(double)INFINITY, -(double)INFINITY, (double)INFINITY, -(double)INFINITY};
  assert_int_equal(e->arg_count, 6);
  for (int i = 0; i < 6; i++) assert_int_equal(e->args[i].type, TB_ARG_DOUBLE);
  for (int i = 0; i < 4; i++) assert_true(e->args[i].d == expected[i]);
  assert_true(isnan(e->args[4].d) && isnan(e->args[5].d));
}

static void numbers_that_json_lacks_are_doubles(void **state) {
  (void)state;
  with_event("[{\"ph\":\"X\",\"args\":{\"a\":Infinity,\"b\":-Infinity,\"c\":inf,\"d\":-inf,\"e\":nan,\"f\":NaN}}]", 0,
             check_numbers_that_json_lacks);
}

static void check_depth(const struct tb_event *e) {
  /* args itself is level 1, so 63 dicts in it make 64 */
  for (int i = 0; i < 63; i++) {
    assert_int_equal(e->args[i].type, TB_ARG_DICT);
    assert_int_equal(e->args[i].span, 64 - i);
  }
  assert_int_equal(e->args[63].type, TB_ARG_JSON);
  assert_text(e->args[63].text, "{\"a\":{\"a\":1}}");
}

static void sixty_four_levels_nest_and_deeper_ones_are_text(void **state) {
  (void)state;
  char text[1024] = "[{\"ph\":\"X\",\"args\":";
  for (int i = 0; i < 66; i++) strcat(text, "{\"a\":");
  strcat(text, "1");
  for (int i = 0; i < 66; i++) strcat(text, "}");
  strcat(text, "}]");
  with_event(text, 0, check_depth);
}

static void check_many(const struct tb_event *e) {
  assert_int_equal(e->arg_count, 50001);
  assert_int_equal(e->args[50000].i, 49999);
}

static void an_event_may_have_more_arguments_than_a_batch(void **state) {
  (void)state;
  static char text[500000];
  size_t n = (size_t)snprintf(text, sizeof(text), "[{\"ph\":\"B\",\"name\":\"first\"},{\"ph\":\"X\",\"args\":{\"a\":[");
  for (int i = 0; i < 50000; i++) n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d", i ? "," : "", i);
  (void)snprintf(text + n, sizeof(text) - n, "]}}]");
  with_event(text, 1, check_many);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static void ids_of_any_kind_never_fall_together(void **state) {
  (void)state;
  static const char *const ids[] = {"1",          "\"01\"",     "-1",         "140213339461376", "140213339461377",
                                    "\"main\"",   "1.5",        "1879048192", "1879048193",      "\"+1879048192\"",
                                    "4294967297", "2147483647", "-2147483649"};
  enum { COUNT = sizeof(ids) / sizeof(ids[0]) };
  char text[4096] = "[";
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < COUNT; i++)
      (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "{\"ph\":\"B\",\"pid\":%s,\"tid\":%s},", ids[i],
                     ids[i]);
  struct tb_reader *reader;
  const struct tb_event *e;
  const struct tb_track *tracks[COUNT];
  assert_int_equal(tb_reader_create_feed("test", &tb_source_shape, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_feed(reader, text, strlen(text)), TB_OK);
  tb_reader_feed_end(reader);
  for (size_t i = 0; i < COUNT; i++) {
    assert_int_equal(tb_reader_next(reader, &e), TB_OK);
    tracks[i] = e->track;
    assert_true(e->track->pid >= INT32_MIN && e->track->pid <= INT32_MAX);
    for (size_t k = 0; k < i; k++) {
      assert_true(tracks[k]->pid != tracks[i]->pid);
      assert_true(tracks[k]->tid != tracks[i]->tid);
    }
  }
  for (size_t i = 0; i < COUNT; i++) {
    assert_int_equal(tb_reader_next(reader, &e), TB_OK);
    assert_ptr_equal(e->track, tracks[i]);
  }
  assert_int_equal(tracks[3]->tid, 140213339461376);
  assert_int_equal(tracks[2]->pid, -1);
  tb_reader_close(reader);
}

static void digits_in_a_text_are_the_number(void **state) {
  (void)state;
  static const char text[] =
      "[{\"ph\":\"B\",\"ts\":1,\"pid\":\"2\",\"tid\":-7},{\"ph\":\"B\",\"ts\":1,\"pid\":2,\"tid\":\"-7\"},"
      "{\"ph\":\"B\",\"ts\":1,\"pid\":\"2\",\"tid\":-7}]";
  struct tb_reader *reader;
  const struct tb_event *e;
  assert_int_equal(tb_reader_create_feed("test", &tb_source_shape, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_feed(reader, text, strlen(text)), TB_OK);
  tb_reader_feed_end(reader);
  assert_int_equal(tb_reader_next(reader, &e), TB_OK);
  const struct tb_track *track = e->track;
  assert_int_equal(track->pid, 2);
  assert_text(tb_track_get_details(track)->pid_text, "2");
  assert_int_equal(track->tid, -7);
  assert_null(tb_track_get_details(track)->tid_text.ptr);
  assert_int_equal(e->extra_count, 0);
  assert_int_equal(tb_reader_next(reader, &e), TB_OK);
  assert_ptr_equal(e->track, track);
  assert_int_equal(e->extra_count, 2); /* what it writes in another way */
  assert_int_equal(e->extra[0].i, 2);
  assert_text(e->extra[1].text, "-7");
  assert_int_equal(tb_reader_next(reader, &e), TB_OK);
  assert_ptr_equal(e->track, track);
  assert_int_equal(e->extra_count, 0);
  tb_reader_close(reader);
}

static void check_absent(const struct tb_event *e) {
  assert_false(e->track->has_tid);
  assert_true(e->track->has_pid);
  assert_int_equal(e->track->tid, 5);
}

static void check_no_ids(const struct tb_event *e) {
  assert_false(e->track->has_tid);
  assert_false(e->track->has_pid);
  assert_int_equal(e->track->pid, 0);
  assert_int_equal(e->track->tid, 0);
}

static void an_absent_tid_is_the_pid_and_an_absent_pid_is_zero(void **state) {
  (void)state;
  with_event("[{\"ph\":\"B\",\"ts\":1,\"pid\":5}]", 0, check_absent);
  with_event("[{\"ph\":\"B\",\"ts\":1}]", 0, check_no_ids);
}

/* ---- events without a time --------------------------------------------------------------------------------------- */

/* In a row: before any time (metadata has none that counts), behind one, with a time of a wrong type, without a phase;
 * and objects that say nothing. */
static const char untimed[] =
    "[{},{\"ph\":\"X\",\"name\":\"a\",\"dur\":3},{\"ph\":\"M\",\"name\":\"m\",\"ts\":0},{\"ph\":\"i\",\"name\":\"b\","
    "\"ts\":5},"
    "{ },{\"ph\":\"C\",\"name\":\"c\",\"ts\":null},{\"ph\":\"i\",\"name\":\"d\",\"ts\":9},"
    "{\"ph\":\"B\",\"name\":\"e\",\"ts\":\"x\"},{\"name\":\"f\"},{}]";

static void expect_untimed(size_t chunk) {
  static const struct {
    const char *name, *phase; /* NULL: it has a time */
    int64_t ts;
  } events[] = {{"a", "X", 5000},  {"m", NULL, 0},   {"b", NULL, 5000}, {"c", "C", 5000},
                {"d", NULL, 9000}, {"e", "B", 9000}, {"f", "", 9000}};
  struct tb_reader *reader;
  const struct tb_event *e;
  size_t at = 0, count = 0;
  assert_int_equal(tb_reader_create_feed("test", &tb_source_shape, &reader, NULL), TB_OK);
  for (enum tb_status status; (status = tb_reader_next(reader, &e)) != TB_END;) {
    if (status == TB_AGAIN) {
      size_t n = sizeof(untimed) - 1 - at < chunk ? sizeof(untimed) - 1 - at : chunk;
      assert_int_equal(tb_reader_feed(reader, untimed + at, n), TB_OK);
      at += n;
      if (at == sizeof(untimed) - 1) tb_reader_feed_end(reader);
      continue;
    }
    assert_int_equal(status, TB_OK);
    assert_text(e->name, events[count].name);
    assert_int_equal(e->ts, events[count].ts);
    if (events[count].phase) {
      assert_int_equal(e->type, TB_EVENT_OTHER);
      assert_false(e->has & TB_HAS_TS);
      assert_text(e->phase_text, events[count].phase);
    } else {
      assert_true(e->has & TB_HAS_TS);
    }
    count++;
  }
  assert_int_equal(count, sizeof(events) / sizeof(events[0]));
  size_t losses;
  (void)tb_reader_losses(reader, &losses);
  assert_int_equal(losses, 0);
  tb_reader_close(reader);
}

static void an_event_without_a_time_has_that_of_its_neighbour(void **state) {
  (void)state;
  expect_untimed(SIZE_MAX);
  expect_untimed(1);
  expect_untimed(7);
}

/* ---- events under another key ------------------------------------------------------------------------------------ */

#define ONE_EVENT "{\"name\":\"a\",\"ph\":\"i\",\"ts\":1}"

/* However the text comes in, so many events of name a are read, and so many other members. */
static void expect_read(const char *text, enum tb_status end, size_t events, size_t members) {
  static const size_t chunks[] = {SIZE_MAX, 1, 7};
  for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
    struct reading r;
    read_text(&r, text, strlen(text), chunks[i], false);
    size_t named = 0;
    for (const char *at = r.events; (at = strstr(at, "i:a")); at++) named++;
    if (r.end != end || named != events || r.count != events + members)
      fail_msg("%s in pieces of %zu: status %d, events %s", text, chunks[i], r.end, r.events);
    reading_close(&r);
  }
}

static void trace_events_are_the_events_where_they_begin_with_one_and_there_are_no_others(void **state) {
  (void)state;
  expect_read("{\"trace_events\":[" ONE_EVENT "],\"history\":[]}", TB_END, 1, 1);
  expect_read("{\"other_data\":{},\"trace_events\":[{},{ }, " ONE_EVENT "]}", TB_END, 1, 1);
  expect_read("{\"trace_events\":[" ONE_EVENT, TB_END, 1, 0);
  expect_read("{\"trace_events\":[" ONE_EVENT "," ONE_EVENT "]}", TB_END, 2, 0);
  expect_read("{\"traceEvents\":[],\"trace_events\":[" ONE_EVENT "]}", TB_END, 0, 1);
  expect_read("{\"trace_events\":[{\"name\":\"no phase\"}]}", TB_UNKNOWN_FORMAT, 0, 1);
  expect_read("{\"trace_events\":[{}]}", TB_UNKNOWN_FORMAT, 0, 1);
  expect_read("{\"trace_events\":[1]}", TB_UNKNOWN_FORMAT, 0, 1);
  expect_read("{\"trace_events\":7,\"traceEvents\":[]}", TB_END, 0, 1);
}

/* ---- the trace itself -------------------------------------------------------------------------------------------- */

static void check_realtime(const struct tb_event *e) {
  assert_int_equal(e->type, TB_EVENT_CLOCK_SNAPSHOT);
  assert_int_equal(e->clock_count, 2);
  assert_int_equal(e->clocks[0].clock, TB_CLOCK_UNKNOWN);
  assert_int_equal(e->clocks[0].ns, 0);
  assert_int_equal(e->clocks[1].clock, TB_CLOCK_REALTIME);
  assert_true(e->clocks[1].ns == 1700000000123456789);
}

static void check_beginning(const struct tb_event *e) {
  assert_int_equal(e->type, TB_EVENT_CLOCK_SNAPSHOT);
  assert_int_equal(e->clocks[1].clock, TB_CLOCK_REALTIME);
  assert_true(e->clocks[1].ns == 1700000000123456000);
}

static void check_monotonic(const struct tb_event *e) {
  assert_int_equal(e->type, TB_EVENT_CLOCK_SNAPSHOT);
  assert_int_equal(e->clocks[0].clock, TB_CLOCK_MONOTONIC);
  assert_int_equal(e->clocks[1].clock, TB_CLOCK_REALTIME);
  assert_true(e->clocks[1].ns == 1600000000000001000);
}

static void clocks_that_the_trace_names_are_snapshots(void **state) {
  (void)state;
  with_event("{\"baseTimeNanoseconds\":1700000000123456789,\"traceEvents\":[]}", 1, check_realtime);
  with_event("{\"traceEvents\":[],\"beginningOfTime\":1700000000123456}", 1, check_beginning);
  with_event(
      "{\"traceEvents\":[],\"metadata\":{\"clock-domain\":\"LINUX_CLOCK_MONOTONIC\",\"clock-offset-since-epoch\":"
      "\"1600000000000001\"}}",
      1, check_monotonic);
}

static void check_frame(const struct tb_event *e) {
  assert_int_equal(e->type, TB_EVENT_STACK_FRAME);
  assert_text(e->id.text, "7");
  assert_text(e->name, "f");
  assert_text(e->categories, "lib");
  assert_text(e->parent_frame, "5");
  assert_int_equal(e->extra_count, 1);
  assert_text(e->extra->name, "line");
}

static void check_sample(const struct tb_event *e) {
  assert_int_equal(e->type, TB_EVENT_SAMPLE);
  assert_text(e->name, "cycles:HG");
  assert_int_equal(e->ts, 1000000);
  assert_int_equal(e->track->tid, 1);
  assert_text(e->stack.ref, "3");
  assert_true(e->weight == 2.0);
  assert_int_equal(e->cpu, 4);
  assert_int_equal(e->has, TB_HAS_NAME | TB_HAS_TS | TB_HAS_WEIGHT | TB_HAS_CPU);
  assert_int_equal(e->extra_count, 0);
}

static void stack_frames_and_samples_come_before_or_behind_the_events(void **state) {
  (void)state;
  with_event(
      "{\"traceEvents\":[],\"stackFrames\":{\"7\":{\"name\":\"f\",\"line\":3,\"category\":\"lib\",\"parent\":5}}}", 0,
      check_frame);
  with_event(
      "{\"samples\":[{\"cpu\":4,\"tid\":1,\"ts\":1000.0,\"name\":\"cycles:HG\",\"sf\":3,\"weight\":2}],\"traceEvents\":"
      "[]}",
      0, check_sample);
}

static void check_other_data(const struct tb_event *e) {
  assert_int_equal(e->type, TB_EVENT_TRACE_METADATA);
  assert_text(e->name, "otherData");
  assert_int_equal(e->arg_count, 2);
  assert_int_equal(e->args[0].type, TB_ARG_DICT);
  assert_text(e->args[1].text, "1.0");
}

static void other_members_of_the_outermost_object_are_metadata(void **state) {
  (void)state;
  with_event("{\"otherData\":{\"version\":\"1.0\"},\"traceEvents\":[]}", 0, check_other_data);
}

static void system_traces_come_in_pieces_at_line_ends(void **state) {
  (void)state;
  enum { LINES = 20000 };
  static char text[LINES * 32], expected[LINES * 32], got[LINES * 32];
  size_t n = (size_t)snprintf(text, sizeof(text), "{\"traceEvents\":[],\"systemTraceEvents\":\"  "), len = 2;
  memcpy(expected, "  ", 2);
  for (int i = 0; i < LINES; i++) {
    n += (size_t)snprintf(text + n, sizeof(text) - n, "a\\\"b \\\\ %d\\n", i);
    len += (size_t)snprintf(expected + len, sizeof(expected) - len, "a\"b \\ %d\n", i);
  }
  (void)snprintf(text + n, sizeof(text) - n, "\"}");
  struct tb_reader *reader;
  const struct tb_event *e;
  assert_int_equal(tb_reader_create_feed("test", &tb_source_shape, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_feed(reader, text, strlen(text)), TB_OK);
  tb_reader_feed_end(reader);
  size_t at = 0, pieces = 0;
  for (; tb_reader_next(reader, &e) == TB_OK; pieces++) {
    assert_int_equal(e->type, TB_EVENT_SYSTEM_TRACE);
    assert_int_equal(e->blob.ptr[e->blob.len - 1], '\n');
    memcpy(got + at, e->blob.ptr, e->blob.len);
    at += e->blob.len;
  }
  assert_true(pieces > 1);
  assert_int_equal(at, len);
  assert_memory_equal(got, expected, len);
  tb_reader_close(reader);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_complete_event_is_exact_to_the_nanosecond),
      cmocka_unit_test(every_phase_has_its_type),
      cmocka_unit_test(the_last_arguments_of_a_state_are_its_processor_and_priority),
      cmocka_unit_test(ids_and_flows_are_read),
      cmocka_unit_test(stacks_are_read_root_first),
      cmocka_unit_test(members_of_a_wrong_type_and_unknown_ones_are_kept_as_extra),
      cmocka_unit_test(arguments_keep_type_value_order_and_nesting),
      cmocka_unit_test(numbers_that_json_lacks_are_doubles),
      cmocka_unit_test(sixty_four_levels_nest_and_deeper_ones_are_text),
      cmocka_unit_test(an_event_may_have_more_arguments_than_a_batch),
      cmocka_unit_test(ids_of_any_kind_never_fall_together),
      cmocka_unit_test(digits_in_a_text_are_the_number),
      cmocka_unit_test(an_absent_tid_is_the_pid_and_an_absent_pid_is_zero),
      cmocka_unit_test(an_event_without_a_time_has_that_of_its_neighbour),
      cmocka_unit_test(trace_events_are_the_events_where_they_begin_with_one_and_there_are_no_others),
      cmocka_unit_test(clocks_that_the_trace_names_are_snapshots),
      cmocka_unit_test(stack_frames_and_samples_come_before_or_behind_the_events),
      cmocka_unit_test(other_members_of_the_outermost_object_are_metadata),
      cmocka_unit_test(system_traces_come_in_pieces_at_line_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
