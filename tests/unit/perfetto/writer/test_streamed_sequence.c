/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "perfetto/writer/staged/streamed_sequence.h"

static const struct tb_str instant = {"\x32\x01I", 3}; /* stands for what an instant carries */

static struct tb_staged_event entry(enum tb_staged_kind kind, int64_t ts, int64_t dur) {
  static const char body[2 + TB_PACKET_BYTES_AHEAD] = "\x50\x01";
  return (struct tb_staged_event){.kind = (uint8_t)kind, .ts = ts, .dur = dur, .body = {body, 2}};
}

static enum tb_status put(struct tb_streamed_sequence *s, struct tb_staged_event e) {
  return tb_streamed_sequence_put(s, &e, true, instant);
}

static void open_streamed(struct tb_streamed_sequence *s) { tb_streamed_sequence_init(s, tb_default_allocator(), 7); }

/* ---- what is written --------------------------------------------------------------------------------------------- */

struct seen {
  char types[64]; /* B, E or I for each packet */
  int64_t times[64];
  size_t count;
  int64_t ts;
  char last_bytes[64]; /* the newest packet that came by itself */
  size_t last_len;
};

static uint64_t field_of(struct tb_str message, uint32_t number, struct tb_str *bytes) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == number) {
      if (bytes) *bytes = field.bytes;
      return field.value;
    }
  fail_msg("field %u is missing", number);
  return 0;
}

static enum tb_status see_packets(void *ctx, struct tb_str packets) {
  struct seen *seen = ctx;
  struct tb_wire_cursor cursor = tb_wire_cursor(packets);
  struct tb_wire_field packet;
  while (tb_wire_next(&cursor, &packet) == TB_OK) {
    struct tb_str event = {NULL, 0};
    assert_int_equal(packet.number, TB_TRACE_PACKET);
    assert_int_equal(field_of(packet.bytes, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, NULL), 7);
    seen->ts += (int64_t)field_of(packet.bytes, TB_TRACE_PACKET_TIMESTAMP, NULL);
    (void)field_of(packet.bytes, TB_TRACE_PACKET_TRACK_EVENT, &event);
    uint64_t type = field_of(event, TB_TRACK_EVENT_TYPE, NULL);
    seen->times[seen->count] = seen->ts;
    seen->types[seen->count++] = type == TB_TRACK_EVENT_TYPE_SLICE_BEGIN ? 'B'
                                 : type == TB_TRACK_EVENT_TYPE_SLICE_END ? 'E'
                                                                         : 'I';
  }
  return TB_OK;
}

static enum tb_status see_packet(void *ctx, struct tb_str packet, uint64_t place, unsigned sides, struct tb_str fields,
                                 struct tb_str end_args) {
  struct seen *seen = ctx;
  (void)place;
  (void)sides;
  (void)fields;
  (void)end_args;
  assert_true(packet.len <= sizeof(seen->last_bytes));
  memcpy(seen->last_bytes, packet.ptr, packet.len);
  seen->last_len = packet.len;
  return see_packets(ctx, packet);
}

static struct seen finish(struct tb_streamed_sequence *s) {
  struct seen seen = {.ts = s->first_ts};
  const struct tb_streamed_sequence_sink sink = {&seen, see_packets, see_packet};
  assert_int_equal(tb_streamed_sequence_finish(s, NULL), TB_OK);
  assert_int_equal(tb_streamed_sequence_emit(s, &sink, NULL), TB_OK);
  return seen;
}

static void ends_complete_slices_when_they_are_over_and_the_inner_ones_first(void **state) {
  (void)state;
  struct tb_streamed_sequence s;
  open_streamed(&s);
  assert_int_equal(put(&s, entry(TB_STAGED_COMPLETE, 1000, 100)), TB_OK);
  assert_int_equal(put(&s, entry(TB_STAGED_COMPLETE, 1010, 20)), TB_OK);
  assert_int_equal(put(&s, entry(TB_STAGED_BEGIN, 1040, 0)), TB_OK);
  assert_int_equal(put(&s, entry(TB_STAGED_INSTANT, 1045, 0)), TB_OK);
  assert_int_equal(put(&s, entry(TB_STAGED_END, 1050, 0)), TB_OK);
  assert_int_equal(put(&s, entry(TB_STAGED_COMPLETE, 1100, 1)), TB_OK);
  struct seen seen = finish(&s);
  const int64_t times[] = {1000, 1010, 1030, 1040, 1045, 1050, 1100, 1100, 1101};
  assert_int_equal(seen.count, 9);
  assert_memory_equal(seen.types, "BBEBIEEBE", 9);
  assert_memory_equal(seen.times, times, sizeof(times));
  tb_streamed_sequence_free(&s);
}

static struct tb_staged_event without_thread_time(int64_t ts, int64_t dur) {
  struct tb_staged_event e = entry(dur ? TB_STAGED_COMPLETE : TB_STAGED_ZERO_LENGTH_SLICE, ts, dur);
  e.has_thread_ts = e.has_thread_dur = true;
  e.thread_ts = ts;
  return e;
}

static void slices_of_no_thread_time_say_their_end_at_once(void **state) {
  (void)state;
  struct tb_streamed_sequence s;
  open_streamed(&s);
  assert_int_equal(put(&s, without_thread_time(1000, 5000)), TB_OK);
  assert_int_equal(put(&s, without_thread_time(2000, 0)), TB_OK);
  assert_int_equal(put(&s, without_thread_time(3000, 500)), TB_OK); /* legacy times are microseconds */
  struct seen seen = finish(&s);
  assert_int_equal(seen.count, 4);
  assert_memory_equal(seen.types, "BBBE", 4);
  tb_streamed_sequence_free(&s);
}

static struct tb_staged_event timed(struct tb_staged_event e, int64_t thread_ts) {
  e.has_thread_ts = true;
  e.thread_ts = thread_ts;
  if (e.kind == TB_STAGED_END) e.body.len = 0;
  return e;
}

/* What the sink is to add to the packets of slices that begin at `place`. */
struct added {
  size_t count, ends;
  uint64_t places[4];
  uint64_t durations[4]; /* microseconds */
  char end_args[4];      /* their first bytes; 0: none */
};

static enum tb_status count_ends(void *ctx, struct tb_str packets) {
  struct seen seen = {0};
  assert_int_equal(see_packets(&seen, packets), TB_OK);
  for (size_t i = 0; i < seen.count; i++) ((struct added *)ctx)->ends += seen.types[i] == 'E';
  return TB_OK;
}

static enum tb_status see_fields(void *ctx, struct tb_str packet, uint64_t place, unsigned sides, struct tb_str fields,
                                 struct tb_str end_args) {
  struct added *added = ctx;
  struct tb_str legacy = {NULL, 0};
  if (!fields.len) return count_ends(ctx, packet);
  assert_true(added->count < 4);
  assert_int_equal(sides, TB_STREAMED_BEGIN | TB_STREAMED_END);
  (void)field_of(fields, TB_TRACK_EVENT_LEGACY_EVENT, &legacy);
  assert_int_equal(field_of(legacy, TB_TRACK_EVENT_LEGACY_EVENT_PHASE, NULL), 'X');
  assert_int_equal(field_of(legacy, TB_TRACK_EVENT_LEGACY_EVENT_THREAD_DURATION_US, NULL), 0);
  added->places[added->count] = place;
  added->end_args[added->count] = end_args.len ? end_args.ptr[0] : 0;
  added->durations[added->count++] = field_of(legacy, TB_TRACK_EVENT_LEGACY_EVENT_DURATION_US, NULL);
  return TB_OK;
}

static struct added add_to(const struct tb_staged_event *entries, size_t count, bool each, bool flows) {
  struct added added = {0};
  const struct tb_streamed_sequence_sink sink = {&added, count_ends, see_fields};
  struct tb_streamed_sequence s;
  open_streamed(&s);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(put(&s, entries[i]), TB_OK);
    if (flows) assert_int_equal(tb_streamed_sequence_mark_top(&s), TB_OK);
  }
  assert_false(s.closed);
  assert_int_equal(tb_streamed_sequence_finish(&s, NULL), TB_OK);
  assert_int_equal(
      each ? tb_streamed_sequence_each_packet(&s, &sink, NULL) : tb_streamed_sequence_emit(&s, &sink, NULL), TB_OK);
  tb_streamed_sequence_free(&s);
  return added;
}

static void a_BEGIN_says_its_end_where_the_thread_did_not_run(void **state) {
  (void)state;
  const struct tb_staged_event entries[] = {
      timed(entry(TB_STAGED_BEGIN, 1000, 0), 7000), timed(entry(TB_STAGED_BEGIN, 2000, 0), 7000),
      entry(TB_STAGED_COMPLETE, 3000, 500),         timed(entry(TB_STAGED_END, 9000, 0), 7000),
      timed(entry(TB_STAGED_BEGIN, 9000, 0), 7000), timed(entry(TB_STAGED_END, 10000, 0), 7000),
      timed(entry(TB_STAGED_END, 11000, 0), 8000)};
  for (int i = 0; i < 4; i++) {
    struct added added = add_to(entries, sizeof(entries) / sizeof(entries[0]), i & 1, i & 2);
    assert_int_equal(added.count, 2);
    assert_int_equal(added.places[0], 1);
    assert_int_equal(added.durations[0], 7);
    assert_int_equal(added.places[1], 4);
    assert_int_equal(added.durations[1], 1);
    assert_int_equal(added.ends, 2); /* of the COMPLETE and of the first BEGIN */
  }
}

/* Slices in which the thread did not run, one in the other, whose ENDs have arguments. */
static void make_ends_with_args(struct tb_staged_event entries[4], const char *outer, const char *inner, size_t len) {
  for (int i = 0; i < 4; i++)
    entries[i] =
        timed(entry(i < 2 ? TB_STAGED_BEGIN : TB_STAGED_END, 1000 * (i + 1), 0), i == 1 || i == 2 ? 8000 : 7000);
  entries[2].body = (struct tb_str){inner, len};
  entries[3].body = (struct tb_str){outer, len};
  entries[2].joinable = entries[3].joinable = true;
}

static void a_BEGIN_says_what_its_END_says(void **state) {
  (void)state;
  enum { LARGE = 5000 };
  static char outer[LARGE + TB_PACKET_BYTES_AHEAD] = "o", inner[LARGE + TB_PACKET_BYTES_AHEAD] = "i";
  static char id[TB_PACKET_BYTES_AHEAD + 4] = "\x32\x02\x50\x05"; /* a legacy event's */
  struct tb_staged_event entries[4];
  for (int i = 0; i < 8; i++) {
    make_ends_with_args(entries, outer, inner, i & 4 ? LARGE : 1);
    if (i & 4) entries[0].body = (struct tb_str){id, 4}; /* merged by readers with the one that says the end */
    struct added added = add_to(entries, 4, i & 1, i & 2);
    assert_int_equal(added.count, 2);
    assert_memory_equal(added.end_args, "oi", 2);
    assert_int_equal(added.durations[0], 3);
    assert_int_equal(added.durations[1], 1);
    assert_int_equal(added.ends, 0);
  }
}

static void a_BEGIN_does_not_where_a_whole_slice_would_say_something_else(void **state) {
  (void)state;
  static char carried[TB_PACKET_BYTES_AHEAD + 4] = "\x22\x02\x50\x05";
  struct tb_staged_event other[][3] = {
      {entry(TB_STAGED_BEGIN, 1000, 0), entry(TB_STAGED_COMPLETE, 1500, 5), entry(TB_STAGED_END, 2001, 0)},
      {entry(TB_STAGED_BEGIN, 1000, 0), entry(TB_STAGED_INSTANT, 2000, 0), entry(TB_STAGED_END, 2000, 0)},
      {entry(TB_STAGED_BEGIN, 1000, 0), entry(TB_STAGED_COMPLETE, 1500, 5), entry(TB_STAGED_END, 2000, 0)},
      {entry(TB_STAGED_COMPLETE, 1000, 1000), entry(TB_STAGED_BEGIN, 1500, 0), entry(TB_STAGED_END, 1500, 0)}};
  for (size_t i = 0; i < 4; i++)
    for (size_t k = 0; k < 3; k++) other[i][k] = timed(other[i][k], 7000);
  other[2][2].body = (struct tb_str){carried, 4}; /* not joinable */
  for (size_t i = 0; i < 4; i++) assert_int_equal(add_to(other[i], 3, false, false).count, 0);
}

static void gives_marked_packets_by_themselves(void **state) {
  (void)state;
  struct tb_streamed_sequence s;
  open_streamed(&s);
  assert_int_equal(put(&s, entry(TB_STAGED_COMPLETE, 1, 100)), TB_OK);
  assert_int_equal(put(&s, entry(TB_STAGED_BEGIN, 2, 0)), TB_OK);
  assert_int_equal(tb_streamed_sequence_mark_top(&s), TB_OK);
  assert_int_equal(put(&s, entry(TB_STAGED_END, 3, 0)), TB_OK);
  struct seen seen = finish(&s);
  assert_int_equal(seen.count, 4);
  assert_memory_equal(seen.types, "BBEE", 4);
  struct tb_str last = {seen.last_bytes, seen.last_len};
  char longer[256];
  char *end = tb_event_packet_extend(&s.stream, longer, last, (struct tb_str){"\x58\x05", 2});
  assert_int_equal(end - longer, last.len + 2);
  struct tb_str whole = {NULL, 0}, event = {NULL, 0};
  (void)field_of((struct tb_str){longer, (size_t)(end - longer)}, TB_TRACE_PACKET, &whole);
  (void)field_of(whole, TB_TRACE_PACKET_TRACK_EVENT, &event);
  assert_int_equal(field_of(event, TB_TRACK_EVENT_TRACK_UUID, NULL), 5);
  tb_streamed_sequence_free(&s);
}

/* ---- what is not in order --------------------------------------------------------------------------------------- */

static void refuses_what_comes_before_its_time_or_cuts_a_slice(void **state) {
  (void)state;
  const struct tb_staged_event wrong[] = {
      entry(TB_STAGED_BEGIN, 90, 0),      /* earlier than the last entry */
      entry(TB_STAGED_COMPLETE, 150, 60), /* outlasts the slice around it */
      entry(TB_STAGED_END, 150, 0),       /* ends nothing */
      entry(TB_STAGED_COMPLETE, 100, 101) /* longer than the one at the same time: it comes before that */
  };
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    struct tb_streamed_sequence s;
    open_streamed(&s);
    assert_int_equal(put(&s, entry(TB_STAGED_COMPLETE, 100, 100)), TB_OK);
    assert_false(s.closed);
    assert_int_equal(put(&s, wrong[i]), TB_OK);
    assert_true(s.closed);
    assert_int_equal(s.total, 1);
    tb_streamed_sequence_free(&s);
  }
}

static void refuses_thread_times_after_instants_without_them(void **state) {
  (void)state;
  struct tb_streamed_sequence s;
  open_streamed(&s);
  assert_int_equal(put(&s, entry(TB_STAGED_INSTANT, 10, 0)), TB_OK);
  assert_false(s.closed);
  assert_int_equal(put(&s, timed(entry(TB_STAGED_COMPLETE, 20, 5), 3000)), TB_OK);
  assert_true(s.closed);
  tb_streamed_sequence_free(&s);
}

static void refuses_an_END_of_another_name(void **state) {
  (void)state;
  struct tb_streamed_sequence s;
  open_streamed(&s);
  struct tb_staged_event begin = entry(TB_STAGED_BEGIN, 1, 0), end = entry(TB_STAGED_END, 2, 0);
  begin.name = 3;
  end.name = 4;
  assert_int_equal(put(&s, begin), TB_OK);
  assert_false(s.closed);
  assert_int_equal(put(&s, end), TB_OK);
  assert_true(s.closed);
  tb_streamed_sequence_free(&s);
}

/* ---- replay ----------------------------------------------------------------------------------------------------- */

struct expected {
  const struct tb_staged_event *entries;
  size_t count, seen;
};

static enum tb_status check_entry(void *ctx, struct tb_staged_event *e) {
  struct expected *expected = ctx;
  assert_true(expected->seen < expected->count);
  const struct tb_staged_event *want = &expected->entries[expected->seen++];
  assert_int_equal(e->kind, want->kind);
  assert_int_equal(e->ts, want->ts);
  assert_int_equal(e->dur, want->kind == TB_STAGED_COMPLETE ? want->dur : 0);
  assert_int_equal(e->has_thread_ts, want->has_thread_ts);
  assert_int_equal(e->thread_ts, want->thread_ts);
  assert_int_equal(e->has_thread_dur, want->has_thread_dur);
  assert_int_equal(e->thread_dur, want->thread_dur);
  assert_int_equal(e->flow, want->flow);
  assert_int_equal(e->flow_key, want->flow_key);
  assert_int_equal(e->order, want->order);
  assert_int_equal(e->name, want->kind == TB_STAGED_BEGIN || want->kind == TB_STAGED_END ? want->name : 0);
  assert_int_equal(e->joinable, want->joinable);
  assert_int_equal(e->body.len, want->body.len);
  if (want->body.len) assert_memory_equal(e->body.ptr, want->body.ptr, want->body.len);
  return TB_OK;
}

/* Puts entries; after each `step` of them what is there goes to the file, where there is one. */
static void put_all(struct tb_streamed_sequence *s, const struct tb_staged_event *entries, size_t count, bool in_us,
                    struct tb_spill_file *file, size_t step) {
  open_streamed(s);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(tb_streamed_sequence_put(s, &entries[i], in_us, instant), TB_OK);
    if (file && i % step == 0) {
      assert_int_equal(tb_streamed_sequence_spill(s, file, NULL), TB_OK);
      assert_int_equal(s->packets.bytes + s->notes.bytes, 0);
    }
  }
}

static void check_replayed(const struct tb_staged_event *entries, size_t count, bool in_us) {
  struct tb_spill_file *file;
  assert_int_equal(tb_spill_file_create(NULL, tb_default_allocator(), &file, NULL), TB_OK);
  for (size_t step = 0; step < 4; step++) { /* 0: all stays in memory */
    struct tb_streamed_sequence s;
    struct expected expected = {entries, count, 0};
    put_all(&s, entries, count, in_us, step ? file : NULL, step == 3 ? count / 2 : step);
    assert_int_equal(tb_streamed_sequence_replay(&s, instant, check_entry, &expected, NULL), TB_OK);
    assert_int_equal(expected.seen, count);
    tb_streamed_sequence_free(&s);
  }
  tb_spill_file_close(file);
}

static void replays_what_is_closed_and_what_is_open(void **state) {
  (void)state;
  struct tb_staged_event entries[] = {
      entry(TB_STAGED_COMPLETE, -50, 1000),
      entry(TB_STAGED_INSTANT, -40, 0),
      entry(TB_STAGED_COMPLETE, 0, 10),
      entry(TB_STAGED_ZERO_LENGTH_SLICE, 10, 0),
      entry(TB_STAGED_BEGIN, 20, 0),
      entry(TB_STAGED_FLOW, 21, 0),
      entry(TB_STAGED_COMPLETE, 22, 1000000000),
      entry(TB_STAGED_INSTANT_WITH_PHASE, 30, 0),
      entry(TB_STAGED_BEGIN, 31, 0),
      entry(TB_STAGED_END, 32, 0),
  };
  entries[4].name = 300;
  entries[5].flow = TB_FLOW_OUT;
  entries[5].flow_key = 1000;
  entries[5].order = 77;
  entries[5].body.len = 0;
  entries[6].flow = TB_FLOW_IN;
  entries[6].flow_key = 5;
  entries[6].order = 78;
  entries[8].name = 9;
  entries[9].name = 9;
  check_replayed(entries, sizeof(entries) / sizeof(entries[0]), true);
}

static void replays_thread_times_of_either_unit(void **state) {
  (void)state;
  for (int64_t unit = 1; unit <= 1000; unit *= 1000) {
    struct tb_staged_event entries[] = {entry(TB_STAGED_COMPLETE, 100, 100), entry(TB_STAGED_COMPLETE, 110, 5),
                                        entry(TB_STAGED_INSTANT, 150, 0), entry(TB_STAGED_COMPLETE, 300, 100)};
    for (size_t i = 0; i < 4; i++) {
      if (i == 1) continue;
      entries[i].has_thread_ts = true;
      entries[i].thread_ts = (int64_t)(10 + 7 * i) * unit;
      entries[i].has_thread_dur = entries[i].kind == TB_STAGED_COMPLETE;
      entries[i].thread_dur = entries[i].has_thread_dur ? 3 * unit : 0;
    }
    check_replayed(entries, 4, unit == 1000);
  }
}

static void replays_slices_whose_packet_says_their_end(void **state) {
  (void)state;
  struct tb_staged_event entries[] = {without_thread_time(1000, 9000000), without_thread_time(2000, 0),
                                      without_thread_time(3000, 500), entry(TB_STAGED_COMPLETE, 4000, 1),
                                      without_thread_time(5000, 1000)};
  check_replayed(entries, sizeof(entries) / sizeof(entries[0]), true);
}

static void replays_an_END_that_has_no_packet(void **state) {
  (void)state;
  for (int64_t unit = 1; unit <= 1000; unit *= 1000) {
    struct tb_staged_event entries[] = {
        timed(entry(TB_STAGED_BEGIN, 1000, 0), 7 * unit), timed(entry(TB_STAGED_COMPLETE, 1500, 100), 9 * unit),
        timed(entry(TB_STAGED_END, 3000, 0), 7 * unit),   entry(TB_STAGED_FLOW, 3500, 0),
        timed(entry(TB_STAGED_BEGIN, 4000, 0), 8 * unit), timed(entry(TB_STAGED_END, 5000, 0), 8 * unit),
        timed(entry(TB_STAGED_BEGIN, 6000, 0), 9 * unit)};
    entries[0].name = entries[2].name = 300;
    entries[3].flow = TB_FLOW_OUT;
    entries[3].body.len = 0;
    check_replayed(entries, sizeof(entries) / sizeof(entries[0]), unit == 1000);
  }
}

static void replays_ENDs_with_arguments(void **state) {
  (void)state;
  struct tb_staged_event entries[4];
  static const char inner[TB_PACKET_BYTES_AHEAD + 3] = "in", outer[TB_PACKET_BYTES_AHEAD + 3] = "ou";
  for (int whole = 0; whole < 2; whole++) {
    make_ends_with_args(entries, outer, inner, 2);
    if (!whole) entries[1].thread_ts = 6000; /* the thread ran in the inner one */
    check_replayed(entries, 4, true);
  }
}

static void replays_more_than_a_chunk_holds(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  static struct tb_staged_event entries[COUNT];
  enum { LARGE = 3000 };
  static char body[LARGE + TB_PACKET_BYTES_AHEAD];
  memset(body, 'x', LARGE);
  for (int i = 0; i < COUNT; i++) {
    entries[i] = entry(TB_STAGED_COMPLETE, i * 10, 1 + i % 9);
    entries[i].body = (struct tb_str){body, i % 500 == 0 ? LARGE : (size_t)(i % 60)};
  }
  check_replayed(entries, COUNT, true);
}

/* ---- spilled ---------------------------------------------------------------------------------------------------- */

struct given {
  struct tb_buffer bytes;
  unsigned marked;
};

static enum tb_status take_packets(void *ctx, struct tb_str packets) {
  return tb_buffer_append(&((struct given *)ctx)->bytes, packets.ptr, packets.len);
}

static enum tb_status take_packet(void *ctx, struct tb_str packet, uint64_t place, unsigned sides, struct tb_str fields,
                                  struct tb_str end_args) {
  const char mark[] = {'m', (char)place, (char)sides};
  (void)fields;
  (void)end_args;
  ((struct given *)ctx)->marked++;
  assert_int_equal(take_packets(ctx, (struct tb_str){mark, sizeof(mark)}), TB_OK);
  return take_packets(ctx, packet);
}

/* All that is given of slices in each other, of which some are marked or large, and some stay open around one that
 * never ends. */
static struct given give(struct tb_spill_file *file, size_t step, bool each) {
  static char body[2000] = "\x50\x01\x1a\xca\x0f"; /* a name, and a field that takes the rest */
  struct tb_streamed_sequence s;
  open_streamed(&s);
  for (int i = 0; i < 300; i++) {
    struct tb_staged_event e =
        entry(i == 40 ? TB_STAGED_BEGIN : TB_STAGED_COMPLETE, i * 10, i < 50 ? 100000 - 20 * i : 1 + i % 7);
    e.body = (struct tb_str){body, i % 100 == 99 ? sizeof(body) : 2};
    if (i > 40 && i < 50) e.dur = 5;
    assert_int_equal(put(&s, e), TB_OK);
    if (i % 30 == 0) assert_int_equal(tb_streamed_sequence_mark_top(&s), TB_OK);
    if (file && (size_t)i % step == 0) assert_int_equal(tb_streamed_sequence_spill(&s, file, NULL), TB_OK);
  }
  struct given given = {.marked = 0};
  tb_buffer_init(&given.bytes, tb_default_allocator(), 0);
  const struct tb_streamed_sequence_sink sink = {&given, take_packets, take_packet};
  assert_int_equal(tb_streamed_sequence_finish(&s, NULL), TB_OK);
  if (each)
    assert_int_equal(tb_streamed_sequence_each_packet(&s, &sink, NULL), TB_OK);
  else
    assert_int_equal(tb_streamed_sequence_emit(&s, &sink, NULL), TB_OK);
  tb_streamed_sequence_free(&s);
  return given;
}

static void what_was_spilled_is_emitted_as_if_it_had_stayed(void **state) {
  (void)state;
  struct tb_spill_file *file;
  assert_int_equal(tb_spill_file_create(NULL, tb_default_allocator(), &file, NULL), TB_OK);
  for (int each = 0; each < 2; each++) {
    struct given whole = give(NULL, 0, each);
    assert_int_equal(whole.marked, each ? 599 : 13); /* one slice never ends; ten were marked, three are large */
    for (size_t step = 1; step < 200; step = step * 3 + 1) {
      struct given given = give(file, step, each);
      assert_int_equal(given.bytes.len, whole.bytes.len);
      assert_memory_equal(given.bytes.data, whole.bytes.data, whole.bytes.len);
      tb_buffer_free(&given.bytes);
    }
    tb_buffer_free(&whole.bytes);
  }
  tb_spill_file_close(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_complete_slices_when_they_are_over_and_the_inner_ones_first),
      cmocka_unit_test(slices_of_no_thread_time_say_their_end_at_once),
      cmocka_unit_test(a_BEGIN_says_its_end_where_the_thread_did_not_run),
      cmocka_unit_test(a_BEGIN_says_what_its_END_says),
      cmocka_unit_test(a_BEGIN_does_not_where_a_whole_slice_would_say_something_else),
      cmocka_unit_test(gives_marked_packets_by_themselves),
      cmocka_unit_test(refuses_what_comes_before_its_time_or_cuts_a_slice),
      cmocka_unit_test(refuses_thread_times_after_instants_without_them),
      cmocka_unit_test(refuses_an_END_of_another_name),
      cmocka_unit_test(replays_what_is_closed_and_what_is_open),
      cmocka_unit_test(replays_thread_times_of_either_unit),
      cmocka_unit_test(replays_slices_whose_packet_says_their_end),
      cmocka_unit_test(replays_an_END_that_has_no_packet),
      cmocka_unit_test(replays_ENDs_with_arguments),
      cmocka_unit_test(replays_more_than_a_chunk_holds),
      cmocka_unit_test(what_was_spilled_is_emitted_as_if_it_had_stayed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
