/* SPDX-License-Identifier: Apache-2.0
 *
 * The one shape of events: the same whatever the format, in the order of time where that is asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/batch.h"
#include "support/event_text.h"

#define TRACE(name) TB_TEST_TRACES "/" name ".perfetto-trace"

static void read_all(struct tb_reader *reader, struct tb_buffer *out) {
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) tb_event_text(out, event);
  assert_int_equal(status, TB_END);
  assert_int_equal(tb_reader_next(reader, &event), TB_END);
  size_t count;
  const struct tb_loss *losses = tb_reader_losses(reader, &count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(tb_buffer_append(out, "lost: ", 6), TB_OK);
    assert_int_equal(tb_buffer_append(out, losses[i].reason, strlen(losses[i].reason)), TB_OK);
    assert_int_equal(tb_buffer_append(out, "\n", 1), TB_OK);
  }
  assert_int_equal(tb_buffer_append(out, "", 1), TB_OK);
}

/* Feeds the events of a JSON array and compares the lines of what comes. */
static void expect(const char *events, struct tb_reader_options options, const char *lines) {
  struct tb_reader *reader;
  struct tb_buffer out;
  options.size = sizeof(options);
  options.shape = TB_SHAPE_ONE;
  options.format = TB_FORMAT_JSON;
  tb_buffer_init(&out, tb_default_allocator(), 0);
  assert_int_equal(tb_reader_create_feed("fed", &options, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_feed(reader, events, strlen(events)), TB_OK);
  tb_reader_feed_end(reader);
  read_all(reader, &out);
  assert_string_equal(out.data, lines);
  tb_buffer_free(&out);
  tb_reader_close(reader);
}

#define ON "\"pid\":1,\"tid\":2,"
/* Complete slices as JSON has them: in the order in which they end, and their thread's name last. */
#define NESTED                                                                       \
  "[{\"ph\":\"X\"," ON                                                               \
  "\"ts\":0.010,\"dur\":0.005,\"name\":\"inner\",\"cat\":\"c\",\"args\":{\"a\":1}}," \
  "{\"ph\":\"X\"," ON                                                                \
  "\"ts\":0.005,\"dur\":0.020,\"name\":\"outer\"},"                                  \
  "{\"ph\":\"M\"," ON "\"name\":\"thread_name\",\"args\":{\"name\":\"worker\"}}]"

static void complete_slices_come_as_begins_and_ends_in_the_order_of_time(void **state) {
  (void)state;
  expect(NESTED, (struct tb_reader_options){.sorted = true, .slices = TB_SLICES_BEGIN_END},
         "TRACK process 1\n"
         "TRACK thread 1/2 'worker'\n"
         "METADATA[M] thread 1/2 'worker' \"thread_name\" {name='worker'}\n"
         "5 BEGIN[B] thread 1/2 'worker' \"outer\" #1\n"
         "10 BEGIN[B] thread 1/2 'worker' \"inner\" (c) #2 {a=1}\n"
         "15 END[E] thread 1/2 'worker' \"inner\" (c) #2\n"
         "25 END[E] thread 1/2 'worker' \"outer\" #1\n");
}

static void without_an_order_a_track_is_named_when_its_name_comes(void **state) {
  (void)state;
  expect(NESTED, (struct tb_reader_options){.slices = TB_SLICES_BEGIN_END},
         "TRACK process 1\n"
         "TRACK thread 1/2\n"
         "10 BEGIN[B] thread 1/2 \"inner\" (c) #1 {a=1}\n"
         "15 END[E] thread 1/2 \"inner\" (c) #1\n"
         "5 BEGIN[B] thread 1/2 \"outer\" #2\n"
         "25 END[E] thread 1/2 \"outer\" #2\n"
         "TRACK thread 1/2 'worker'\n"
         "METADATA[M] thread 1/2 'worker' \"thread_name\" {name='worker'}\n");
}

/* An END says nothing of its slice in the source; one ends nothing, and one slice never ends. */
#define PAIRS                                                          \
  "[{\"ph\":\"E\"," ON                                                 \
  "\"ts\":0.001},"                                                     \
  "{\"ph\":\"B\"," ON                                                  \
  "\"ts\":0.002,\"name\":\"outer\",\"cat\":\"c\",\"args\":{\"a\":1}}," \
  "{\"ph\":\"B\"," ON                                                  \
  "\"ts\":0.003,\"name\":\"inner\"},"                                  \
  "{\"ph\":\"E\"," ON                                                  \
  "\"ts\":0.004},"                                                     \
  "{\"ph\":\"E\"," ON                                                  \
  "\"ts\":0.006,\"args\":{\"b\":2}},"                                  \
  "{\"ph\":\"B\"," ON "\"ts\":0.007,\"name\":\"endless\"}]"

static void an_end_has_the_name_and_the_id_of_its_begin_and_one_that_ends_nothing_is_none(void **state) {
  (void)state;
  expect(PAIRS, (struct tb_reader_options){.slices = TB_SLICES_EITHER},
         "TRACK process 1\n"
         "TRACK thread 1/2\n"
         "2 BEGIN[B] thread 1/2 \"outer\" (c) #1 {a=1}\n"
         "3 BEGIN[B] thread 1/2 \"inner\" #2\n"
         "4 END[E] thread 1/2 \"inner\" #2\n"
         "6 END[E] thread 1/2 \"outer\" (c) #1 {b=2}\n"
         "7 BEGIN[B] thread 1/2 \"endless\" #3\n"
         "lost: end of a slice without its begin\n");
}

static void a_begin_and_its_end_are_one_complete_slice_where_that_is_asked_for(void **state) {
  (void)state;
  expect(PAIRS, (struct tb_reader_options){.slices = TB_SLICES_COMPLETE},
         "TRACK process 1\n"
         "TRACK thread 1/2\n"
         "3 COMPLETE[X] thread 1/2 \"inner\" dur 1 #2\n"
         "2 COMPLETE[X] thread 1/2 \"outer\" (c) dur 4 #1 {a=1 b=2}\n"
         "7 BEGIN[B] thread 1/2 \"endless\" #3\n"
         "lost: end of a slice without its begin\n");
}

static void an_end_at_the_time_of_a_complete_slice_ends_the_older_slice_first(void **state) {
  (void)state;
  expect("[{\"ph\":\"B\"," ON
         "\"ts\":0.001,\"name\":\"before\"},"
         "{\"ph\":\"X\"," ON
         "\"ts\":0.005,\"dur\":0.002,\"name\":\"behind\"},"
         "{\"ph\":\"E\"," ON "\"ts\":0.005}]",
         (struct tb_reader_options){.sorted = true},
         "TRACK process 1\n"
         "TRACK thread 1/2\n"
         "1 BEGIN[B] thread 1/2 \"before\" #1\n"
         "5 END[E] thread 1/2 \"before\" #1\n"
         "5 COMPLETE[X] thread 1/2 \"behind\" dur 2 #2\n");
}

static void each_series_of_a_counter_is_a_track_with_one_value(void **state) {
  (void)state;
  expect("[{\"ph\":\"C\",\"pid\":1,\"ts\":0.001,\"name\":\"mem\",\"args\":{\"used\":5,\"free\":\"7\",\"by\":\"me\"}}]",
         (struct tb_reader_options){.sorted = true},
         "TRACK process 1\n"
         "TRACK counter 1 'mem used'\n"
         "1 COUNTER[C] counter 1 'mem used' {5}\n"
         "TRACK counter 1 'mem free'\n"
         "1 COUNTER[C] counter 1 'mem free' {7d}\n");
}

static void async_events_are_slices_on_a_track_for_each_id(void **state) {
  (void)state;
  expect("[{\"ph\":\"b\"," ON
         "\"ts\":0.001,\"name\":\"load\",\"cat\":\"net\",\"id\":7},"
         "{\"ph\":\"b\"," ON
         "\"ts\":0.002,\"name\":\"load\",\"cat\":\"net\",\"id\":8},"
         "{\"ph\":\"n\"," ON
         "\"ts\":0.003,\"name\":\"half\",\"cat\":\"net\",\"id\":7},"
         "{\"ph\":\"e\"," ON
         "\"ts\":0.004,\"name\":\"load\",\"cat\":\"net\",\"id\":7},"
         "{\"ph\":\"e\"," ON "\"ts\":0.005,\"name\":\"load\",\"cat\":\"net\",\"id\":8}]",
         (struct tb_reader_options){.sorted = true, .slices = TB_SLICES_COMPLETE},
         "TRACK process 1\n"
         "TRACK track 1 'load'\n"
         "TRACK track 1 'load'\n"
         "3 INSTANT[i] track 1 'load' \"half\" (net) #3 id 7\n"
         "1 COMPLETE[X] track 1 'load' \"load\" (net) dur 3 #1 id 7\n"
         "2 COMPLETE[X] track 1 'load' \"load\" (net) dur 3 #2 id 8\n");
}

static void flows_are_edges_from_slice_to_slice(void **state) {
  (void)state;
  expect("[{\"ph\":\"X\"," ON
         "\"ts\":0.001,\"dur\":0.005,\"name\":\"from\"},"
         "{\"ph\":\"s\"," ON
         "\"ts\":0.002,\"name\":\"f\",\"cat\":\"c\",\"id\":1},"
         "{\"ph\":\"f\",\"pid\":1,\"tid\":3,\"ts\":0.010,\"name\":\"f\",\"cat\":\"c\",\"id\":1},"
         "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":0.011,\"dur\":0.001,\"name\":\"to\"}]",
         (struct tb_reader_options){.sorted = true},
         "TRACK process 1\n"
         "TRACK thread 1/2\n"
         "1 COMPLETE[X] thread 1/2 \"from\" dur 5 #1\n"
         "2 FLOW_BEGIN[s] thread 1/2 \"f\" (c) from #1 id 1\n"
         "TRACK thread 1/3\n"
         "10 FLOW_END[f] thread 1/3 \"f\" (c) id 1\n"
         "11 COMPLETE[X] thread 1/3 \"to\" dur 1 #2\n"
         "11 EDGE thread 1/3 from #1 #2\n");
}

/* Three instants, the second earlier than the first by less than the window, the last much later. */
#define AT(ts, name) "{\"ph\":\"i\"," ON "\"ts\":" ts ",\"name\":\"" name "\"},"

static size_t names_now(struct tb_reader *reader, char *names) {
  const struct tb_event *event;
  size_t count = 0;
  while (tb_reader_next(reader, &event) == TB_OK)
    if (event->type == TB_EVENT_INSTANT) names[count++] = event->name.ptr[0];
  names[count] = '\0';
  return count;
}

static void feed(struct tb_reader *reader, const char *text) {
  assert_int_equal(tb_reader_feed(reader, text, strlen(text)), TB_OK);
}

static void in_a_window_events_come_in_order_while_the_input_still_comes(void **state) {
  (void)state;
  struct tb_reader_options options = {
      .size = sizeof(options), .format = TB_FORMAT_JSON, .sort_window_ns = 1000 /* a microsecond */};
  struct tb_reader *reader;
  char names[16];
  size_t count;
  assert_int_equal(tb_reader_create_feed("live", &options, &reader, NULL), TB_OK);
  feed(reader, "[" AT("10.5", "b") AT("10.0", "a"));
  assert_int_equal(names_now(reader, names), 0);
  feed(reader, AT("11.2", "c"));
  (void)names_now(reader, names);
  assert_string_equal(names, "a"); /* a window before c */
  feed(reader, AT("20", "e") AT("5", "d"));
  (void)names_now(reader, names);
  assert_string_equal(names, "bcd"); /* d is too late */
  const struct tb_loss *losses = tb_reader_losses(reader, &count);
  assert_int_equal(count, 1);
  assert_string_equal(losses[0].reason, "order of an event that comes late");
  tb_reader_feed_end(reader);
  (void)names_now(reader, names);
  assert_string_equal(names, "e");
  tb_reader_close(reader);
}

static void a_window_as_wide_as_the_trace_gives_the_order_of_the_whole(void **state) {
  (void)state;
  static const char *const paths[] = {TRACE("unordered"), TRACE("ftrace"), TB_TEST_DATA "/phases/overlaps.json"};
  for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
    int64_t times[2][4096];
    size_t counts[2] = {0, 0};
    for (int windowed = 0; windowed < 2; windowed++) {
      struct tb_reader_options options = {
          .size = sizeof(options), .sorted = true, .sort_window_ns = windowed ? INT64_MAX : 0};
      struct tb_reader *reader;
      const struct tb_event *event;
      assert_int_equal(tb_reader_open(paths[i], &options, &reader, NULL), TB_OK);
      while (tb_reader_next(reader, &event) == TB_OK)
        if (event->has & TB_HAS_TS && counts[windowed] < 4096) times[windowed][counts[windowed]++] = event->ts;
      tb_reader_close(reader);
    }
    assert_true(counts[0] > 3);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(times[0], times[1], counts[0] * sizeof(int64_t));
  }
}

/* The lines of a file; what they are worth is a number. */
static uint64_t hash_of(const char *path, size_t budget, enum tb_slice_form slices) {
  struct tb_reader_options options = {
      .size = sizeof(options), .sorted = true, .slices = slices, .memory_budget = budget};
  struct tb_buffer out;
  assert_int_equal(tb_event_text_of_file(path, &options, &out), TB_END);
  uint64_t hash = 14695981039346656037U;
  for (size_t i = 0; i < out.len; i++) hash = (hash ^ (unsigned char)out.data[i]) * 1099511628211U;
  assert_true(out.len > 4096);
  tb_buffer_free(&out);
  return hash;
}

/* Instants, the latest first in each half, with a text of their own: more than the least budget. */
static char *make_many(size_t *len) {
  enum { COUNT = 30000, EVENT_BYTES = 256 };
  char *text = malloc(COUNT * EVENT_BYTES);
  assert_non_null(text);
  char *at = text;
  for (int i = 0; i < COUNT; i++)
    at +=
        snprintf(at, EVENT_BYTES,
                 "%c{\"ph\":\"i\",\"s\":\"t\"," ON "\"ts\":%d,\"name\":\"n%d\",\"args\":{\"text\":\"%070d\",\"n\":%d}}",
                 i ? ',' : '[', COUNT - i % (COUNT / 2), i, i, -i);
  *at++ = ']';
  *len = (size_t)(at - text);
  return text;
}

static uint64_t hash_of_many(const char *data, size_t len, size_t budget) {
  const struct tb_reader_options options = {.size = sizeof(options), .sorted = true, .memory_budget = budget};
  struct tb_reader *reader;
  struct tb_buffer out;
  tb_buffer_init(&out, tb_default_allocator(), 0);
  assert_int_equal(tb_reader_open_memory("many", data, len, &options, &reader, NULL), TB_OK);
  read_all(reader, &out);
  tb_reader_close(reader);
  uint64_t hash = 14695981039346656037U;
  for (size_t i = 0; i < out.len; i++) hash = (hash ^ (unsigned char)out.data[i]) * 1099511628211U;
  assert_true(out.len > len / 2);
  tb_buffer_free(&out);
  return hash;
}

static void a_small_budget_of_memory_spills_and_gives_the_same(void **state) {
  (void)state;
  const char *path = TB_TEST_DATA "/real/node-trace-events.json";
  for (enum tb_slice_form slices = TB_SLICES_EITHER; slices <= TB_SLICES_COMPLETE; slices++)
    assert_int_equal(hash_of(path, 1, slices), hash_of(path, 0, slices));
  size_t len;
  char *many = make_many(&len);
  assert_int_equal(hash_of_many(many, len, 1), hash_of_many(many, len, 0));
  const struct tb_reader_options nowhere = {
      .size = sizeof(nowhere), .sorted = true, .memory_budget = 1, .temporary_directory = "/nothing/there"};
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_open_memory("many", many, len, &nowhere, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_next(reader, &event), TB_IO); /* it does spill */
  tb_reader_close(reader);
  free(many);
}

static void times_never_go_back_where_an_order_is_asked_for(void **state) {
  (void)state;
  static const char *const paths[] = {TRACE("unordered"), TRACE("ftrace"), TRACE("records"), TRACE("gpu")};
  for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
    struct tb_reader_options options = {.size = sizeof(options), .sorted = true, .slices = TB_SLICES_BEGIN_END};
    struct tb_reader *reader;
    const struct tb_event *event;
    int64_t last = INT64_MIN;
    size_t count = 0;
    assert_int_equal(tb_reader_open(paths[i], &options, &reader, NULL), TB_OK);
    while (tb_reader_next(reader, &event) == TB_OK) {
      if (!(event->has & TB_HAS_TS)) continue;
      assert_true(event->ts >= last);
      last = event->ts;
      count++;
    }
    assert_true(count > 3);
    tb_reader_close(reader);
  }
}

/* A trace as text with a bundle of ftrace events, which the caller writes, and ends. */
static FILE *open_bundle(char *path) {
  int fd = mkstemp(path);
  FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
  assert_non_null(file);
  fputs("packet { ftrace_events { cpu: 0\n", file);
  return file;
}

/* Marks of atrace: H names the track that G began on, and not the slice. */
static void a_mark_that_ends_on_a_track_ends_the_slice_there(void **state) {
  (void)state;
  const char *const marks[] = {"G|1|track|ev|7", "G|1|track|other|8", "H|1|track|8", "H|1|track|7"};
  char path[] = "/tmp/test_shaper.XXXXXX";
  FILE *file = open_bundle(path);
  for (int i = 0; i < 4; i++)
    fprintf(file, "event { timestamp: %d pid: 1 print { buf: \"%s\\n\" } }\n", 10 * (i + 1), marks[i]);
  fputs("} }\n", file);
  assert_int_equal(fclose(file), 0);
  struct tb_reader_options options = {
      .size = sizeof(options), .format = TB_FORMAT_TEXT, .slices = TB_SLICES_COMPLETE, .sorted = true};
  struct tb_reader *reader;
  const struct tb_event *event;
  int64_t dur[2] = {0, 0};
  size_t count, slices = 0;
  assert_int_equal(tb_reader_open(path, &options, &reader, NULL), TB_OK);
  while (tb_reader_next(reader, &event) == TB_OK) {
    if (event->type != TB_EVENT_SLICE_COMPLETE) continue;
    dur[tb_str_equal(event->name, TB_STR("other"))] = event->dur;
    slices++;
  }
  assert_null(tb_reader_losses(reader, &count));
  assert_int_equal(slices, 2);
  assert_int_equal(dur[0], 30);
  assert_int_equal(dur[1], 10);
  tb_reader_close(reader);
  assert_int_equal(unlink(path), 0);
}

/* A bundle of more events than a batch has is read in several turns; the number of a memory becomes another's half way
 * through, and is the first one's again at the start of each turn. */
static void whose_memory_it_is_does_not_depend_on_batches(void **state) {
  (void)state;
  enum { FIRST = TB_BATCH_EVENTS, ALL = 3 * TB_BATCH_EVENTS };
  char path[] = "/tmp/test_shaper.XXXXXX";
  FILE *file = open_bundle(path);
  for (int i = 0; i < ALL; i++) {
    bool own = i == 0 || i == FIRST;
    int pid = !own ? 8 : i < FIRST ? 7 : 9;
    fprintf(file, "event { timestamp: %d pid: %d rss_stat { member: 1 size: %d curr: %d mm_id: 5 } }\n", i + 1, pid, i,
            own);
  }
  fputs("} }\n", file);
  assert_int_equal(fclose(file), 0);
  struct tb_reader_options options = {.size = sizeof(options), .format = TB_FORMAT_TEXT};
  struct tb_reader *reader;
  const struct tb_event *event;
  int64_t counters = 0;
  assert_int_equal(tb_reader_open(path, &options, &reader, NULL), TB_OK);
  while (tb_reader_next(reader, &event) == TB_OK) {
    assert_int_not_equal(event->type, TB_EVENT_PACKETS);
    if (event->type != TB_EVENT_COUNTER) continue;
    assert_int_equal(event->track->pid, counters < FIRST ? 7 : 9);
    assert_int_equal(event->args->i, counters++);
  }
  assert_int_equal(counters, ALL);
  tb_reader_close(reader);
  assert_int_equal(unlink(path), 0);
}

static void an_idle_thread_is_one_for_each_processor(void **state) {
  (void)state;
  struct tb_reader_options options = {.size = sizeof(options), .sorted = true};
  struct tb_reader *reader;
  const struct tb_event *event;
  size_t idle = 0;
  assert_int_equal(tb_reader_open(TRACE("ftrace"), &options, &reader, NULL), TB_OK);
  while (tb_reader_next(reader, &event) == TB_OK) {
    if (event->type != TB_EVENT_THREAD_STATE || event->track->tid != 0) continue;
    char name[32];
    int len = snprintf(name, sizeof(name), "swapper/%u", event->cpu);
    assert_true(tb_str_equal(event->track->name, (struct tb_str){name, (size_t)len}));
    idle++;
  }
  assert_true(idle > 1);
  tb_reader_close(reader);
}

/* Memory that ends after some calls. */
static void *reallocate(void *ctx, void *p, size_t old_size, size_t new_size) {
  size_t *left = ctx;
  (void)old_size;
  if (!new_size) {
    free(p);
    return NULL;
  }
  if (*left == 0) return NULL;
  --*left;
  return realloc(p, new_size);
}

static void memory_that_runs_out_anywhere_is_an_error(void **state) {
  (void)state;
  bool ran_out = true;
  for (size_t calls = 0; ran_out; calls++) {
    size_t left = calls;
    struct tb_allocator allocator = {reallocate, &left};
    struct tb_reader_options options = {
        .size = sizeof(options), .allocator = &allocator, .sorted = true, .slices = TB_SLICES_COMPLETE};
    struct tb_reader *reader;
    const struct tb_event *event;
    enum tb_status status = tb_reader_open(TB_TEST_DATA "/phases/flows.json", &options, &reader, NULL);
    while (status == TB_OK) status = tb_reader_next(reader, &event);
    ran_out = status != TB_END;
    if (ran_out) assert_int_equal(status, TB_NO_MEMORY);
    tb_reader_close(reader);
  }
}

/* Who asks for nothing has the one shape; the source's own is asked for. */
static void the_one_shape_is_what_comes_unless_another_is_asked_for(void **state) {
  (void)state;
  static const char events[] = "[{\"ph\":\"B\"," ON "\"ts\":1,\"name\":\"a\"},{\"ph\":\"E\"," ON "\"ts\":2}]";
  const struct tb_reader_options source = {.size = sizeof(source), .shape = TB_SHAPE_SOURCE};
  static const char *const lines[] = {
      "TRACK process 1\nTRACK thread 1/2\n"
      "1000 BEGIN[B] thread 1/2 \"a\" #1\n2000 END[E] thread 1/2 \"a\" #1\n",
      "1000 BEGIN[B] thread 1/2 \"a\"\n2000 END[E] thread 1/2\n"};
  for (int i = 0; i < 2; i++) {
    struct tb_reader *reader;
    struct tb_buffer out;
    tb_buffer_init(&out, tb_default_allocator(), 0);
    assert_int_equal(tb_reader_open_memory("a", events, sizeof(events) - 1, i ? &source : NULL, &reader, NULL), TB_OK);
    read_all(reader, &out);
    assert_string_equal(out.data, lines[i]);
    tb_buffer_free(&out);
    tb_reader_close(reader);
  }
}

/* A BEGIN's memory is used again while its slice is open, and a slice that has ended leaves its place to another. */
static void an_end_has_its_begins_names_however_much_comes_between(void **state) {
  (void)state;
  enum { ROUNDS = 1200 };
  struct tb_buffer json;
  tb_buffer_init(&json, tb_default_allocator(), 0);
  assert_int_equal(tb_buffer_append(&json, "[", 1), TB_OK);
  for (int i = 0; i < 2 * ROUNDS; i++) {
    char line[200];
    int len = snprintf(line, sizeof(line),
                       "{\"ph\":\"%c\"," ON
                       "\"ts\":%d,\"name\":\"%s %d\",\"cat\":\"cat %d\"},"
                       "{\"ph\":\"B\"," ON "\"ts\":%d,\"name\":\"short %d\"},{\"ph\":\"E\"," ON "\"ts\":%d},",
                       i < ROUNDS ? 'B' : 'E', 3 * i, "long", i < ROUNDS ? i : 2 * ROUNDS - 1 - i,
                       i < ROUNDS ? i : 2 * ROUNDS - 1 - i, 3 * i + 1, i, 3 * i + 2);
    assert_int_equal(tb_buffer_append(&json, line, (size_t)len), TB_OK);
  }
  json.data[json.len - 1] = ']';
  for (int sorted = 0; sorted < 2; sorted++) {
    const struct tb_reader_options options = {.size = sizeof(options), .sorted = sorted};
    struct tb_reader *reader;
    const struct tb_event *event;
    size_t longs = 0, shorts = 0, losses;
    assert_int_equal(tb_reader_open_memory("a", json.data, json.len, &options, &reader, NULL), TB_OK);
    while (tb_reader_next(reader, &event) == TB_OK) {
      char name[32], categories[32] = "";
      if (event->type != TB_EVENT_SLICE_END) continue;
      bool is_long = event->categories.len;
      size_t number = is_long ? ROUNDS - 1 - longs++ : shorts++;
      int len = snprintf(name, sizeof(name), is_long ? "long %zu" : "short %zu", number);
      assert_true(tb_str_equal(event->name, (struct tb_str){name, (size_t)len}));
      if (is_long) (void)snprintf(categories, sizeof(categories), "cat %zu", number);
      assert_true(tb_str_equal(event->categories, tb_str_from(categories)));
    }
    assert_int_equal(longs, ROUNDS);
    assert_int_equal(shorts, 2 * ROUNDS);
    assert_null(tb_reader_losses(reader, &losses));
    tb_reader_close(reader);
  }
  tb_buffer_free(&json);
}

static void a_shape_that_there_is_none_of_is_refused(void **state) {
  (void)state;
  struct tb_reader *reader;
  struct tb_reader_options options = {.size = sizeof(options), .slices = (enum tb_slice_form)3};
  assert_int_equal(tb_reader_open(TRACE("events"), &options, &reader, NULL), TB_INVALID);
  options = (struct tb_reader_options){.size = sizeof(options), .shape = (enum tb_shape)2};
  assert_int_equal(tb_reader_open(TRACE("events"), &options, &reader, NULL), TB_INVALID);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(complete_slices_come_as_begins_and_ends_in_the_order_of_time),
      cmocka_unit_test(without_an_order_a_track_is_named_when_its_name_comes),
      cmocka_unit_test(an_end_has_the_name_and_the_id_of_its_begin_and_one_that_ends_nothing_is_none),
      cmocka_unit_test(a_begin_and_its_end_are_one_complete_slice_where_that_is_asked_for),
      cmocka_unit_test(an_end_at_the_time_of_a_complete_slice_ends_the_older_slice_first),
      cmocka_unit_test(each_series_of_a_counter_is_a_track_with_one_value),
      cmocka_unit_test(async_events_are_slices_on_a_track_for_each_id),
      cmocka_unit_test(flows_are_edges_from_slice_to_slice),
      cmocka_unit_test(in_a_window_events_come_in_order_while_the_input_still_comes),
      cmocka_unit_test(a_window_as_wide_as_the_trace_gives_the_order_of_the_whole),
      cmocka_unit_test(a_small_budget_of_memory_spills_and_gives_the_same),
      cmocka_unit_test(times_never_go_back_where_an_order_is_asked_for),
      cmocka_unit_test(a_mark_that_ends_on_a_track_ends_the_slice_there),
      cmocka_unit_test(whose_memory_it_is_does_not_depend_on_batches),
      cmocka_unit_test(an_idle_thread_is_one_for_each_processor),
      cmocka_unit_test(memory_that_runs_out_anywhere_is_an_error),
      cmocka_unit_test(the_one_shape_is_what_comes_unless_another_is_asked_for),
      cmocka_unit_test(an_end_has_its_begins_names_however_much_comes_between),
      cmocka_unit_test(a_shape_that_there_is_none_of_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
