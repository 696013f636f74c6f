/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "support/fxt_writing.h"
#include "tracebridge/writer.h"

static struct tb_event event_of(enum tb_event_type type, const char *name, int64_t ts) {
  return (struct tb_event){
      .type = type, .track = &thread, .name = {name, strlen(name)}, .ts = ts, .has = TB_HAS_TS | TB_HAS_NAME};
}

static void expect_slice(const char *name, int64_t ts, int64_t dur) {
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_SLICE_COMPLETE);
  assert_slice(event->name, name);
  assert_int_equal(event->ts, ts);
  assert_int_equal(event->dur, dur);
}

static void an_empty_trace_is_the_magic_record(void **state) {
  (void)state;
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  FILE *file = fopen(path, "rb");
  uint64_t words[2];
  assert_int_equal(fread(words, 8, 2, file), 1);
  fclose(file);
  assert_true(words[0] == TB_FXT_MAGIC);
}

static void slices_that_close_become_complete_records(void **state) {
  (void)state;
  put(event_of(TB_EVENT_SLICE_BEGIN, "outer", 10));
  put(event_of(TB_EVENT_SLICE_BEGIN, "inner", 20));
  put((struct tb_event){.type = TB_EVENT_SLICE_END, .track = &thread, .ts = 30, .has = TB_HAS_TS});
  put((struct tb_event){.type = TB_EVENT_SLICE_END, .track = &thread, .ts = 40, .has = TB_HAS_TS});
  read_back();
  expect_slice("inner", 20, 10);
  expect_slice("outer", 10, 30);
  expect_all_read();
}

static void thread_times_of_begin_and_end_are_one_records_time_and_duration(void **state) {
  (void)state;
  put((struct tb_event){.type = TB_EVENT_SLICE_BEGIN,
                        .has = TB_HAS_TS | TB_HAS_NAME | TB_HAS_THREAD_TS,
                        .ts = 10,
                        .thread_ts = 1000,
                        .track = &thread,
                        .name = TB_STR("timed")});
  put((struct tb_event){
      .type = TB_EVENT_SLICE_END, .has = TB_HAS_TS | TB_HAS_THREAD_TS, .ts = 20, .thread_ts = 1007, .track = &thread});
  read_back();
  const struct tb_event *back = fxt_next_of(reader, TB_EVENT_SLICE_COMPLETE);
  assert_int_equal(back->thread_ts, 1000);
  assert_int_equal(back->thread_dur, 7);
  assert_true(back->has & TB_HAS_THREAD_DUR);
  expect_all_read();
}

static void slices_that_begin_together_keep_their_order(void **state) {
  (void)state;
  put(event_of(TB_EVENT_SLICE_BEGIN, "outer", 10));
  put(event_of(TB_EVENT_SLICE_BEGIN, "inner", 10));
  put((struct tb_event){.type = TB_EVENT_SLICE_END, .track = &thread, .ts = 30, .has = TB_HAS_TS});
  put((struct tb_event){.type = TB_EVENT_SLICE_END, .track = &thread, .ts = 40, .has = TB_HAS_TS});
  read_back();
  const struct tb_event *event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_SLICE_BEGIN);
  assert_slice(event->name, "outer");
  event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_SLICE_BEGIN); /* no complete record, which some readers put before begins */
  assert_slice(event->name, "inner");
  event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_SLICE_END);
  assert_int_equal(event->ts, 30);
  event = fxt_next(reader);
  assert_int_equal(event->type, TB_EVENT_SLICE_END);
  assert_int_equal(event->ts, 40);
  expect_all_read();
}

static void an_instant_at_a_slices_begin_or_end_stays_inside(void **state) {
  (void)state;
  put(event_of(TB_EVENT_SLICE_BEGIN, "a", 10));
  put(event_of(TB_EVENT_INSTANT, "at begin", 10));
  put((struct tb_event){.type = TB_EVENT_SLICE_END, .track = &thread, .ts = 20, .has = TB_HAS_TS});
  put(event_of(TB_EVENT_SLICE_BEGIN, "b", 30));
  put(event_of(TB_EVENT_INSTANT, "at end", 40));
  put((struct tb_event){.type = TB_EVENT_SLICE_END, .track = &thread, .ts = 40, .has = TB_HAS_TS});
  read_back();
  static const enum tb_event_type types[] = {TB_EVENT_SLICE_BEGIN, TB_EVENT_INSTANT,     TB_EVENT_SLICE_END,
                                             TB_EVENT_INSTANT,     TB_EVENT_SLICE_BEGIN, TB_EVENT_SLICE_END};
  for (size_t i = 0; i < 6; i++) assert_int_equal(fxt_next(reader)->type, types[i]);
  expect_all_read();
}

static void slices_that_never_end_are_begins(void **state) {
  (void)state;
  put(event_of(TB_EVENT_SLICE_BEGIN, "open", 10));
  read_back();
  assert_int_equal(fxt_next(reader)->type, TB_EVENT_SLICE_BEGIN);
  expect_all_read();
}

static void an_end_that_names_an_outer_slice_leaves_what_is_inside_without_an_end(void **state) {
  (void)state;
  put(event_of(TB_EVENT_SLICE_BEGIN, "outer", 10));
  put(event_of(TB_EVENT_SLICE_BEGIN, "inner", 20));
  put(event_of(TB_EVENT_SLICE_END, "no such", 25));
  put(event_of(TB_EVENT_SLICE_END, "outer", 30));
  size_t count;
  assert_null(tb_writer_losses(writer, &count));
  read_back();
  const struct tb_event *event = fxt_next_of(reader, TB_EVENT_OTHER);
  assert_slice(event->name, "no such");
  assert_slice(event->phase_text, "E");
  event = fxt_next_of(reader, TB_EVENT_SLICE_BEGIN);
  assert_slice(event->name, "outer");
  event = fxt_next_of(reader, TB_EVENT_SLICE_BEGIN);
  assert_slice(event->name, "inner");
  assert_int_equal(event->ts, 20);
  event = fxt_next_of(reader, TB_EVENT_SLICE_END); /* the one that says so: a complete slice would end nothing in it */
  assert_slice(event->name, "outer");
  assert_int_equal(event->ts, 30);
  expect_all_read();
}

static void more_strings_than_the_table_holds_all_come_back(void **state) {
  (void)state;
  enum { STRINGS = 70000 };
  char name[32];
  for (int i = 0; i < STRINGS; i++) {
    snprintf(name, sizeof(name), "name %d", i % 35000);
    put(event_of(TB_EVENT_INSTANT, name, i));
  }
  read_back();
  for (int i = 0; i < STRINGS; i++) {
    snprintf(name, sizeof(name), "name %d", i % 35000);
    const struct tb_event *event = fxt_next(reader);
    assert_int_equal(event->ts, i);
    assert_slice(event->name, name);
  }
  expect_all_read();
}

static void more_threads_than_the_table_holds_all_come_back(void **state) {
  (void)state;
  enum { THREADS = 300 };
  static struct tb_track threads[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    threads[i] = thread;
    threads[i].index = i + 1;
    threads[i].tid = 1000 + (int64_t)i;
  }
  for (int i = 0; i < 3 * THREADS; i++) {
    struct tb_event event = event_of(TB_EVENT_INSTANT, "x", i);
    event.track = &threads[i % THREADS];
    put(event);
  }
  read_back();
  for (int i = 0; i < 3 * THREADS; i++) assert_int_equal(fxt_next(reader)->track->tid, 1000 + i % THREADS);
  expect_all_read();
}

/* Where 300 threads take turns, each record has its thread: a record of a thread for each would be longer. */
static void threads_that_take_turns_are_in_their_records(void **state) {
  (void)state;
  enum { THREADS = 300, ROUNDS = 20, RECORD_WORDS = 4 };
  static struct tb_track threads[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    threads[i] = thread;
    threads[i].index = i + 1;
    threads[i].tid = 1000 + (int64_t)i;
  }
  for (int i = 0; i < ROUNDS * THREADS; i++) {
    struct tb_event event = event_of(TB_EVENT_INSTANT, "x", i);
    event.track = &threads[i % THREADS];
    put(event);
  }
  read_back();
  struct stat file;
  assert_int_equal(stat(path, &file), 0);
  assert_true(file.st_size < (ROUNDS + 2) * THREADS * RECORD_WORDS * TB_FXT_WORD);
  for (int i = 0; i < ROUNDS * THREADS; i++) assert_int_equal(fxt_next(reader)->track->tid, 1000 + i % THREADS);
  expect_all_read();
}

static void nested_arguments_come_back_nested(void **state) {
  (void)state;
  const struct tb_arg args[] = {
      {.name = TB_STR("a"), .type = TB_ARG_DICT, .span = 5},
      {.name = TB_STR("b"), .type = TB_ARG_INT, .i = 1, .span = 1},
      {.name = TB_STR("c"), .type = TB_ARG_ARRAY, .span = 3},
      {.type = TB_ARG_STRING, .text = TB_STR("x"), .span = 1},
      {.type = TB_ARG_BOOL, .u = 1, .span = 1},
      {.name = TB_STR("e"), .type = TB_ARG_DICT, .span = 1},
  };
  struct tb_event event = event_of(TB_EVENT_INSTANT, "x", 1);
  event.args = args;
  event.arg_count = 6;
  put(event);
  read_back();
  const struct tb_event *back = fxt_next(reader);
  assert_int_equal(back->arg_count, 6);
  for (uint32_t i = 0; i < 5; i++) {
    assert_true(tb_str_equal(back->args[i].name, args[i].name));
    assert_int_equal(back->args[i].type, args[i].type);
    assert_int_equal(back->args[i].span, args[i].span);
  }
  assert_int_equal(back->args[1].i, 1);
  assert_slice(back->args[3].text, "x");
  assert_slice(back->args[5].name, "e");
  assert_int_equal(back->args[5].type, TB_ARG_JSON);
  assert_slice(back->args[5].text, "{}");
  expect_all_read();
}

static void arguments_past_the_fifteenth_come_back(void **state) {
  (void)state;
  struct tb_arg args[20];
  char names[20][4];
  for (int i = 0; i < 20; i++) {
    snprintf(names[i], sizeof(names[i]), "k%d", i);
    args[i] = (struct tb_arg){.name = tb_str_from(names[i]), .type = TB_ARG_INT, .i = i, .span = 1};
  }
  struct tb_event event = event_of(TB_EVENT_INSTANT, "x", 1);
  event.args = args;
  event.arg_count = 20;
  put(event);
  read_back();
  const struct tb_event *back = fxt_next(reader);
  assert_int_equal(back->arg_count, 20);
  for (uint32_t i = 0; i < 20; i++) {
    assert_true(tb_str_equal(back->args[i].name, args[i].name));
    assert_int_equal(back->args[i].type, TB_ARG_INT);
    assert_int_equal(back->args[i].i, i);
  }
  expect_all_read();
}

static void texts_past_32000_bytes_are_cut_at_a_character_and_reported(void **state) {
  (void)state;
  static char text[32003];
  memset(text, 'a', 31999);
  memcpy(text + 31999, "\xe2\x82\xac", 4);
  put(event_of(TB_EVENT_INSTANT, text, 1));
  size_t count;
  assert_string_equal(tb_writer_losses(writer, &count)->reason, "the end of a text of more than 32,000 bytes");
  read_back();
  assert_int_equal(fxt_next(reader)->name.len, 31999);
  expect_all_read();
}

static void phases_that_fxt_does_not_know_come_back(void **state) {
  (void)state;
  struct tb_event event = event_of(TB_EVENT_OBJECT_CREATE, "obj", 1);
  event.phase = 'N';
  event.id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true, .value = 0x1000};
  put(event);
  event = event_of(TB_EVENT_INSTANT, "mark", 2);
  event.phase = 'R';
  put(event);
  event = event_of(TB_EVENT_INSTANT, "global", 3);
  struct tb_track global = {.index = 2, .type = TB_TRACK_GLOBAL};
  event.track = &global;
  event.thread = &thread;
  event.phase = 'i';
  put(event);
  event = event_of(TB_EVENT_OTHER, "odd", 4);
  event.phase_text = TB_STR("zz");
  const struct tb_arg extra = {.name = TB_STR("cname"), .type = TB_ARG_STRING, .text = TB_STR("red"), .span = 1};
  event.extra = &extra;
  event.extra_count = 1;
  put(event);
  event = event_of(TB_EVENT_ASYNC_BEGIN, "async", 5);
  event.phase = 'b';
  event.id = (struct tb_id){.kind = TB_ID_LOCAL, .text = TB_STR("text")};
  put(event);
  read_back();
  const struct tb_event *back = fxt_next(reader);
  assert_int_equal(back->type, TB_EVENT_OBJECT_CREATE);
  assert_int_equal(back->phase, 'N');
  assert_int_equal(back->id.value, 0x1000);
  back = fxt_next(reader);
  assert_int_equal(back->type, TB_EVENT_INSTANT);
  assert_int_equal(back->phase, 'R');
  assert_int_equal(back->arg_count, 0);
  back = fxt_next(reader);
  assert_int_equal(back->track->type, TB_TRACK_GLOBAL);
  assert_int_equal(back->instant_scope, 'g');
  assert_int_equal(back->thread->tid, 8);
  back = fxt_next(reader);
  assert_int_equal(back->type, TB_EVENT_OTHER);
  assert_slice(back->phase_text, "zz");
  assert_slice(back->extra[0].name, "cname");
  assert_slice(back->extra[0].text, "red");
  back = fxt_next(reader);
  assert_int_equal(back->id.kind, TB_ID_LOCAL);
  assert_slice(back->id.text, "text");
  expect_all_read();
}

static void ids_of_other_categories_get_other_numbers(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    struct tb_event event = event_of(i % 2 ? TB_EVENT_ASYNC_END : TB_EVENT_ASYNC_BEGIN, "x", i);
    event.phase = i % 2 ? 'e' : 'b';
    event.categories = i < 2 ? TB_STR("one") : TB_STR("two");
    event.has |= TB_HAS_CATEGORIES;
    event.id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true, .value = 5};
    put(event);
  }
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  uint64_t words[64], ids[4];
  FILE *file = fopen(path, "rb");
  size_t count = fread(words, 8, 64, file), found = 0;
  fclose(file);
  for (size_t at = 0; at < count; at += (size_t)tb_fxt_field(words[at], 4, 15))
    if ((words[at] & 15) == TB_FXT_EVENT) ids[found++] = words[at + (size_t)tb_fxt_field(words[at], 4, 15) - 1];
  assert_int_equal(found, 4);
  assert_int_equal(ids[0], 5);
  assert_int_equal(ids[1], 5);
  assert_true(ids[2] != 5 && ids[2] == ids[3]);
  assert_int_equal(tb_reader_open(path, &tb_source_shape, &reader, NULL), TB_OK);
  for (int i = 0; i < 4; i++) assert_int_equal(fxt_next(reader)->id.value, 5);
  expect_all_read();
}

static void names_of_tracks_are_kernel_objects(void **state) {
  (void)state;
  process.name = TB_STR("app");
  thread.name = TB_STR("main");
  put((struct tb_event){.type = TB_EVENT_TRACK, .track = &thread});
  put(event_of(TB_EVENT_INSTANT, "x", 1));
  read_back();
  assert_slice(fxt_next(reader)->track->name, "main");
  assert_slice(fxt_next(reader)->track->name, "app");
  assert_int_equal(fxt_next(reader)->type, TB_EVENT_INSTANT);
  expect_all_read();
}

static void metadata_comes_back_as_metadata(void **state) {
  (void)state;
  const struct tb_arg arg = {.name = TB_STR("labels"), .type = TB_ARG_STRING, .text = TB_STR("a,b"), .span = 1};
  put((struct tb_event){.type = TB_EVENT_METADATA,
                        .track = &process,
                        .name = TB_STR("process_labels"),
                        .args = &arg,
                        .arg_count = 1,
                        .has = TB_HAS_NAME | TB_HAS_ARGS});
  put((struct tb_event){.type = TB_EVENT_TRACE_METADATA,
                        .name = TB_STR("otherData"),
                        .args = &arg,
                        .arg_count = 1,
                        .has = TB_HAS_NAME | TB_HAS_ARGS});
  read_back();
  const struct tb_event *back = fxt_next(reader);
  assert_int_equal(back->type, TB_EVENT_METADATA);
  assert_slice(back->name, "process_labels");
  assert_int_equal(back->track->type, TB_TRACK_PROCESS);
  assert_int_equal(back->track->pid, 7);
  assert_slice(back->args[0].text, "a,b");
  back = fxt_next(reader);
  assert_int_equal(back->type, TB_EVENT_TRACE_METADATA);
  assert_slice(back->name, "otherData");
  expect_all_read();
}

static void states_of_the_idle_thread_say_that_it_is_idle(void **state) {
  (void)state;
  struct tb_track idle = {.index = 2, .type = TB_TRACK_THREAD, .has_tid = true};
  struct tb_event running = {.type = TB_EVENT_THREAD_STATE,
                             .track = &idle,
                             .ts = 10,
                             .has = TB_HAS_TS | TB_HAS_CPU | TB_HAS_NAME,
                             .task_state = TB_TASK_RUNNING,
                             .name = TB_STR("running"),
                             .priority = 120};
  put(running);
  struct tb_event runnable = running;
  runnable.ts = 20;
  runnable.task_state = TB_TASK_RUNNABLE;
  runnable.name = TB_STR("preempted");
  put(runnable);
  running.ts = 20;
  running.track = &thread;
  put(running);
  read_back();
  const struct tb_event *event = fxt_next_of(reader, TB_EVENT_THREAD_STATE);
  assert_int_equal(event->ts, 20);
  assert_int_equal(event->track->tid, 8);
  assert_int_equal(event->task_state, TB_TASK_RUNNING);
  assert_int_equal(event->priority, 120);
  expect_all_read();
}

static void packets_need_leave_to_come_along(void **state) {
  (void)state;
  put((struct tb_event){.type = TB_EVENT_PACKETS, .blob = TB_STR("\x0a\x02\x40\x01")});
  size_t count;
  assert_string_equal(tb_writer_losses(writer, &count)->reason,
                      "packets that FXT has no records for (tb_writer_options.keep_packets keeps them): unknown");
  put((struct tb_event){
      .type = TB_EVENT_PACKETS, .name = TB_STR("p"), .has = TB_HAS_NAME, .blob = TB_STR("\x0a\x02\x40\x01")});
  assert_string_equal(tb_writer_losses(writer, &count)[1].reason,
                      "packets that FXT has no records for (tb_writer_options.keep_packets keeps them): p");
  put((struct tb_event){.type = TB_EVENT_PACKETS,
                        .name = TB_STR("p"),
                        .has = TB_HAS_NAME,
                        .blob_type = TB_FXT_BLOB_PERFETTO,
                        .blob = TB_STR("\x0a\x02\x40\x01")});
  read_back();
  const struct tb_event *back = fxt_next(reader);
  assert_int_equal(back->type, TB_EVENT_PACKETS);
  assert_int_equal(back->blob.len, 4);
  expect_all_read();
}

/* ---- open slices of many tracks ---------------------------------------------------------------------------------- */

static void *count_bytes(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  *(size_t *)ctx += new_size - old_size;
  if (new_size) return realloc(ptr, new_size);
  free(ptr);
  return NULL;
}

/* Two slices, one in the other, are open on each of many threads at the same time. */
static void open_slices_of_many_tracks_take_few_bytes(void **state) {
  (void)state;
  enum { THREADS = 20000, DEPTH = 2, BYTES_MAX = 160 };
  static struct tb_track threads[THREADS];
  static const char *const names[DEPTH] = {"outer slice, of a long name", "inner"};
  static size_t bytes; /* the writer is closed behind this */
  static const struct tb_allocator counting = {count_bytes, &bytes};
  const struct tb_writer_options options = {
      .size = sizeof(options), .allocator = &counting, .memory_budget = TB_WRITER_MEMORY_MIN};
  tb_writer_close(writer);
  assert_int_equal(tb_writer_open(path, &options, &writer, NULL), TB_OK);
  size_t before = bytes;
  for (uint32_t i = 0; i < THREADS; i++) {
    threads[i] = thread;
    threads[i].index = i + 1;
    threads[i].tid = 1000 + (int64_t)i;
  }
  for (int depth = 0; depth < DEPTH; depth++)
    for (int i = 0; i < THREADS; i++) {
      struct tb_event event = event_of(TB_EVENT_SLICE_BEGIN, names[depth], depth * THREADS + i);
      event.track = &threads[i];
      put(event);
    }
  assert_true(bytes - before < (size_t)THREADS * BYTES_MAX);
  for (int depth = DEPTH; depth-- > 0;)
    for (int i = 0; i < THREADS; i++) {
      struct tb_event event = event_of(TB_EVENT_SLICE_END, names[depth], (2 * DEPTH - depth) * THREADS + i);
      event.track = &threads[i];
      put(event);
    }
  read_back();
  static int open[THREADS];
  for (int ended = 0; ended < THREADS * DEPTH;) {
    const struct tb_event *event = fxt_next(reader);
    int i = (int)event->track->tid - 1000, depth = open[i];
    if (event->type == TB_EVENT_SLICE_BEGIN) {
      assert_int_equal(event->ts, depth * THREADS + i);
      assert_slice(event->name, names[depth]);
      open[i]++;
      continue;
    }
    bool is_complete = event->type == TB_EVENT_SLICE_COMPLETE;
    if (!is_complete) depth = --open[i];
    int64_t end = (2 * DEPTH - depth) * THREADS + i;
    if (is_complete) assert_slice(event->name, names[depth]);
    assert_int_equal(event->ts + (is_complete ? event->dur : 0), end);
    ended++;
  }
  expect_all_read();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_empty_trace_is_the_magic_record, start, stop),
      cmocka_unit_test_setup_teardown(slices_that_close_become_complete_records, start, stop),
      cmocka_unit_test_setup_teardown(thread_times_of_begin_and_end_are_one_records_time_and_duration, start, stop),
      cmocka_unit_test_setup_teardown(slices_that_begin_together_keep_their_order, start, stop),
      cmocka_unit_test_setup_teardown(an_instant_at_a_slices_begin_or_end_stays_inside, start, stop),
      cmocka_unit_test_setup_teardown(slices_that_never_end_are_begins, start, stop),
      cmocka_unit_test_setup_teardown(an_end_that_names_an_outer_slice_leaves_what_is_inside_without_an_end, start,
                                      stop),
      cmocka_unit_test_setup_teardown(more_strings_than_the_table_holds_all_come_back, start, stop),
      cmocka_unit_test_setup_teardown(more_threads_than_the_table_holds_all_come_back, start, stop),
      cmocka_unit_test_setup_teardown(threads_that_take_turns_are_in_their_records, start, stop),
      cmocka_unit_test_setup_teardown(open_slices_of_many_tracks_take_few_bytes, start, stop),
      cmocka_unit_test_setup_teardown(nested_arguments_come_back_nested, start, stop),
      cmocka_unit_test_setup_teardown(arguments_past_the_fifteenth_come_back, start, stop),
      cmocka_unit_test_setup_teardown(texts_past_32000_bytes_are_cut_at_a_character_and_reported, start, stop),
      cmocka_unit_test_setup_teardown(phases_that_fxt_does_not_know_come_back, start, stop),
      cmocka_unit_test_setup_teardown(ids_of_other_categories_get_other_numbers, start, stop),
      cmocka_unit_test_setup_teardown(names_of_tracks_are_kernel_objects, start, stop),
      cmocka_unit_test_setup_teardown(metadata_comes_back_as_metadata, start, stop),
      cmocka_unit_test_setup_teardown(states_of_the_idle_thread_say_that_it_is_idle, start, stop),
      cmocka_unit_test_setup_teardown(packets_need_leave_to_come_along, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
