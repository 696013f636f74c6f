/* SPDX-License-Identifier: Apache-2.0
 *
 * What the temporary file takes for events in every order, and for many tracks: never more than twice the input.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/convert.h"

enum { EVENTS = 150000, TRACKS = 50000, MEMORY = 1 << 20, ALL_MEMORY = 1 << 30 };

struct slice {
  int64_t ts, dur;
  int pid, tid;
};

static char directory[] = "/tmp/test_spill_orders.XXXXXX";
static char input[64], small[64], large[64];

/* ---- orders: the slice that is written as number `i` ------------------------------------------------------------- */

static struct slice chain_from_inside(int i) { return (struct slice){EVENTS - i, 2 * i + 1, 1, 1}; }

/* Groups of four: three children, then their parent. */
static struct slice children_first(int i) {
  int64_t begin = (int64_t)(i / 4) * 10;
  return i % 4 == 3 ? (struct slice){begin, 9, 1, 1} : (struct slice){begin + 1 + 2 * (i % 4), 1, 1, 1};
}

static struct slice of_thousand_threads(int i) {
  struct slice slice = children_first(i / 1000);
  slice.tid = 1 + i % 1000;
  return slice;
}

static struct slice overlapping_neighbours(int i) { return (struct slice){(int64_t)i * 10, 15, 1, 1}; }
static struct slice staircase(int i) { return (struct slice){i, EVENTS, 1, 1}; }

static struct slice in_random_order(int i) {
  uint32_t x = (uint32_t)i * 2654435761u;
  return (struct slice){x % (EVENTS * 10), 5, 1, 1};
}

static struct slice random_and_long(int i) {
  uint32_t x = (uint32_t)i * 2654435761u;
  return (struct slice){x % (EVENTS * 10), x % 4093, 1, 1};
}

static struct slice a_thread_each(int i) { return (struct slice){(int64_t)i * 10, 5, 1, i + 1}; }
static struct slice a_process_each(int i) { return (struct slice){(int64_t)i * 10, 5, i + 1, 1}; }

static void write_json(struct slice (*order)(int i), int count) {
  FILE *file = fopen(input, "w");
  assert_non_null(file);
  fputc('[', file);
  for (int i = 0; i < count; i++) {
    struct slice s = order(i);
    fprintf(file, "%s{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%lld,\"dur\":%lld,\"name\":\"n\"}", i ? ",\n" : "",
            s.pid, s.tid, (long long)s.ts, (long long)s.dur);
  }
  fputs("]\n", file);
  assert_int_equal(fclose(file), 0);
}

/* An instant on each of `count` sequences, which each have a track of their own. */
static void write_sequences(int count) {
  FILE *file = fopen(input, "wb");
  assert_non_null(file);
  for (int i = 0; i < count; i++) {
    char event[64], packet[128], head[16];
    char *at = tb_wire_put_uint(event, TB_TRACK_EVENT_TYPE, TB_TRACK_EVENT_TYPE_INSTANT);
    at = tb_wire_put_uint(at, TB_TRACK_EVENT_TRACK_UUID, (uint64_t)i + 5);
    at = tb_wire_put_bytes(at, TB_TRACK_EVENT_NAME, "hi", 2);
    size_t event_len = (size_t)(at - event);
    at = tb_wire_put_uint(packet, TB_TRACE_PACKET_TIMESTAMP, (uint64_t)i + 1000);
    at = tb_wire_put_uint(at, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, (uint64_t)i + 2);
    at = tb_wire_put_bytes(at, TB_TRACE_PACKET_TRACK_EVENT, event, event_len);
    size_t len = (size_t)(at - packet);
    at = tb_wire_put_varint(tb_wire_put_tag(head, 1, TB_WIRE_BYTES), len);
    assert_int_equal(fwrite(head, 1, (size_t)(at - head), file), at - head);
    assert_int_equal(fwrite(packet, 1, len, file), len);
  }
  assert_int_equal(fclose(file), 0);
}

/* ---- what is measured -------------------------------------------------------------------------------------------- */

static struct tb_convert_report convert(const char *to, size_t memory) {
  struct tb_convert_report report = {.size = sizeof(report)};
  const struct tb_writer_options writer = {.size = sizeof(writer), .memory_budget = memory};
  const struct tb_convert_options options = {.size = sizeof(options), .writer = &writer, .threads = 1};
  assert_int_equal(tb_convert(input, to, &options, &report, NULL), TB_OK);
  return report;
}

static void assert_same_bytes(void) {
  FILE *a = fopen(small, "rb"), *b = fopen(large, "rb");
  static char from_a[1 << 16], from_b[1 << 16];
  size_t n;
  assert_true(a && b);
  while ((n = fread(from_a, 1, sizeof(from_a), a)) > 0) {
    assert_int_equal(fread(from_b, 1, sizeof(from_b), b), n);
    assert_memory_equal(from_a, from_b, n);
  }
  assert_int_equal(fread(from_b, 1, 1, b), 0);
  fclose(a);
  fclose(b);
}

static void check_spill(const char *what) {
  struct tb_convert_report report = convert(small, MEMORY);
  print_message("%-24s %9llu bytes, %9llu spilled, %8llu held at most\n", what, (unsigned long long)report.input_bytes,
                (unsigned long long)report.summary.spilled_bytes, (unsigned long long)report.summary.peak_held_bytes);
  assert_true(report.summary.spilled_bytes > 0);
  assert_true(report.summary.spilled_bytes <= 2 * report.input_bytes);
  assert_int_equal(convert(large, ALL_MEMORY).summary.spilled_bytes, 0);
  assert_same_bytes();
}

static void no_order_spills_more_than_twice_the_input(void **state) {
  (void)state;
  static const struct {
    const char *name;
    struct slice (*order)(int i);
  } orders[] = {{"a chain from inside", chain_from_inside},
                {"children first", children_first},
                {"of a thousand threads", of_thousand_threads},
                {"overlapping neighbours", overlapping_neighbours},
                {"staircase", staircase},
                {"random", in_random_order},
                {"random and long", random_and_long}};
  for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
    write_json(orders[i].order, EVENTS);
    check_spill(orders[i].name);
  }
}

static void many_tracks_spill_no_more_than_twice_the_input(void **state) {
  (void)state;
  write_json(a_thread_each, TRACKS);
  check_spill("a thread each");
  write_json(a_process_each, TRACKS);
  check_spill("a process each");
  write_sequences(4 * TRACKS);
  check_spill("a sequence each");
}

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(directory)) return -1;
  (void)snprintf(input, sizeof(input), "%s/input", directory);
  (void)snprintf(small, sizeof(small), "%s/small.pftrace", directory);
  (void)snprintf(large, sizeof(large), "%s/large.pftrace", directory);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  (void)unlink(input);
  (void)unlink(small);
  (void)unlink(large);
  return rmdir(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_order_spills_more_than_twice_the_input),
      cmocka_unit_test(many_tracks_spill_no_more_than_twice_the_input),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
