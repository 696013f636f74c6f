/* SPDX-License-Identifier: Apache-2.0
 *
 * Perfetto traces that go past what the reader goes along with: each costs what is said here, and nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "support/event_text.h"
#include "support/whole_file.h"
#include "tracebridge/reader.h"

enum { ROOM = 64 * 1024 };

struct trace {
  char bytes[ROOM], *end;
};

static struct trace *new_trace(void) {
  struct trace *trace = malloc(sizeof(*trace));
  assert_non_null(trace);
  trace->end = trace->bytes;
  return trace;
}

static void add_packet(struct trace *trace, const char *packet, const char *end) {
  trace->end = tb_wire_put_bytes(trace->end, TB_TRACE_PACKET, packet, (size_t)(end - packet));
}

/* An instant without more than a name at `ts` on a clock (0: the trace's). */
static void add_instant(struct trace *trace, uint64_t ts, uint32_t clock) {
  char event[64], packet[128], *to = event, *at = packet;
  to = tb_wire_put_uint(to, TB_TRACK_EVENT_TYPE, TB_TRACK_EVENT_TYPE_INSTANT);
  to = tb_wire_put_bytes(to, TB_TRACK_EVENT_NAME, "after", 5);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TIMESTAMP, ts);
  if (clock) at = tb_wire_put_uint(at, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, clock);
  at = tb_wire_put_bytes(at, TB_TRACE_PACKET_TRACK_EVENT, event, (size_t)(to - event));
  add_packet(trace, packet, at);
}

static void add_clock(char **at, uint32_t clock, uint64_t ns) {
  char reading[32], *end = tb_wire_put_uint(reading, TB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, clock);
  end = tb_wire_put_uint(end, TB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, ns);
  *at = tb_wire_put_bytes(*at, TB_CLOCK_SNAPSHOT_CLOCKS, reading, (size_t)(end - reading));
}

static void add_snapshot(struct trace *trace, const char *snapshot, const char *end) {
  static char packet[ROOM];
  add_packet(trace, packet,
             tb_wire_put_bytes(packet, TB_TRACE_PACKET_CLOCK_SNAPSHOT, snapshot, (size_t)(end - snapshot)));
}

/* Reads the trace; the text holds each of the lines. */
static void assert_gives(struct trace *trace, const char *line, const char *other) {
  struct tb_buffer text;
  assert_int_equal(tb_event_text_of_bytes(trace->bytes, (size_t)(trace->end - trace->bytes),
                                          (size_t)(trace->end - trace->bytes), &text),
                   TB_END);
  if (!strstr(text.data, line) || !strstr(text.data, other))
    fail_msg("neither '%s' nor '%s' in:\n%s", line, other, text.data);
  tb_buffer_free(&text);
  free(trace);
}

static void an_argument_that_nests_too_deep_is_cut_and_counted_at_its_packet(void **state) {
  (void)state;
  enum { DEPTH = 150 };
  static char inner[ROOM], outer[ROOM];
  struct trace *trace = new_trace();
  add_instant(trace, 1, 0);
  size_t before = (size_t)(trace->end - trace->bytes);
  char *end = tb_wire_put_uint(inner, TB_DEBUG_ANNOTATION_UINT_VALUE, 7);
  for (int i = 0; i < DEPTH; i++) {
    char *to = tb_wire_put_bytes(outer, TB_DEBUG_ANNOTATION_DICT_ENTRIES, inner, (size_t)(end - inner));
    memcpy(inner, outer, (size_t)(to - outer));
    end = inner + (to - outer);
  }
  char *to = tb_wire_put_uint(outer, TB_TRACK_EVENT_TYPE, TB_TRACK_EVENT_TYPE_INSTANT);
  to = tb_wire_put_bytes(to, TB_TRACK_EVENT_DEBUG_ANNOTATIONS, inner, (size_t)(end - inner));
  end = tb_wire_put_uint(inner, TB_TRACE_PACKET_TIMESTAMP, 2);
  end = tb_wire_put_bytes(end, TB_TRACE_PACKET_TRACK_EVENT, outer, (size_t)(to - outer));
  add_packet(trace, inner, end);
  add_instant(trace, 3, 0);
  char lost[100];
  (void)snprintf(lost, sizeof(lost), "lost 1 at %zu: an argument is nested too deep\n", before);
  assert_gives(trace, lost, "3 INSTANT[ig] trace \"after\"\n");
}

static void groups_that_nest_too_deep_cost_their_packet(void **state) {
  (void)state;
  static char packet[1024];
  struct trace *trace = new_trace();
  add_instant(trace, 1, 0);
  size_t before = (size_t)(trace->end - trace->bytes);
  char *at = tb_wire_put_uint(packet, TB_TRACE_PACKET_TIMESTAMP, 2);
  for (int i = 0; i <= TB_WIRE_GROUP_DEPTH; i++) at = tb_wire_put_tag(at, 1000, TB_WIRE_GROUP);
  for (int i = 0; i <= TB_WIRE_GROUP_DEPTH; i++) at = tb_wire_put_tag(at, 1000, TB_WIRE_END_GROUP);
  add_packet(trace, packet, at);
  add_instant(trace, 3, 0);
  char lost[100];
  (void)snprintf(lost, sizeof(lost), "lost 1 at %zu: a packet is damaged\n", before);
  assert_gives(trace, lost, "3 INSTANT[ig] trace \"after\"\n");
}

static void more_clocks_than_a_snapshot_is_read_for_are_unknown(void **state) {
  (void)state;
  static char snapshot[ROOM];
  char *at = snapshot;
  struct trace *trace = new_trace();
  add_clock(&at, 6, 1000);
  for (uint32_t i = 0; i < 100; i++) add_clock(&at, 200 + i, 50);
  add_snapshot(trace, snapshot, at);
  add_instant(trace, 60, 200);
  size_t before = (size_t)(trace->end - trace->bytes);
  add_instant(trace, 60, 299);
  char lost[120];
  (void)snprintf(lost, sizeof(lost), "lost 1 at %zu: timestamps on a clock that nothing relates to the trace clock\n",
                 before);
  assert_gives(trace, "1010 INSTANT[ig] trace \"after\"\n", lost);
}

static void a_path_over_more_clocks_than_are_followed_is_none(void **state) {
  (void)state;
  struct trace *trace = new_trace();
  for (uint32_t i = 0; i < 12; i++) {
    char snapshot[64], *at = snapshot;
    add_clock(&at, i ? 200 + i : 6, 100);
    add_clock(&at, 201 + i, 200);
    add_snapshot(trace, snapshot, at);
  }
  add_instant(trace, 1000, 208); /* eight steps */
  size_t before = (size_t)(trace->end - trace->bytes);
  add_instant(trace, 1000, 212);
  char lost[120];
  (void)snprintf(lost, sizeof(lost), "lost 1 at %zu: timestamps on a clock that nothing relates to the trace clock\n",
                 before);
  assert_gives(trace, "200 INSTANT[ig] trace \"after\"\n", lost);
}

static void flows_past_the_limit_are_counted_and_the_event_is_kept(void **state) {
  (void)state;
  enum { FLOWS = 203 };
  static char event[ROOM], packet[ROOM];
  struct trace *trace = new_trace();
  char *to = tb_wire_put_uint(event, TB_TRACK_EVENT_TYPE, TB_TRACK_EVENT_TYPE_INSTANT);
  for (uint64_t i = 1; i <= FLOWS; i++) to = tb_wire_put_fixed64(to, TB_TRACK_EVENT_FLOW_IDS, i);
  char *at = tb_wire_put_uint(packet, TB_TRACE_PACKET_TIMESTAMP, 2);
  at = tb_wire_put_bytes(at, TB_TRACE_PACKET_TRACK_EVENT, event, (size_t)(to - event));
  add_packet(trace, packet, at);
  assert_gives(trace, "2 INSTANT[ig] trace", "lost 3 at 0: an event has more flows or counters than are read\n");
}

static void a_flow_of_json_without_an_id_costs_its_packet(void **state) {
  (void)state;
  char interned[64], event[64], flow[16], packet[256];
  struct trace *trace = new_trace();
  add_instant(trace, 1, 0);
  size_t before = (size_t)(trace->end - trace->bytes);
  char *to = tb_wire_put_uint(event, TB_INTERNED_STRING_IID, 1);
  to = tb_wire_put_bytes(to, TB_INTERNED_STRING_STR, "s", 1);
  char *end = tb_wire_put_bytes(interned, TB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, event, (size_t)(to - event));
  char *at = tb_wire_put_uint(packet, TB_TRACE_PACKET_TIMESTAMP, 2);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED);
  at = tb_wire_put_bytes(at, TB_TRACE_PACKET_INTERNED_DATA, interned, (size_t)(end - interned));
  to = tb_wire_put_uint(event, TB_TRACK_EVENT_TYPE, TB_TRACK_EVENT_TYPE_INSTANT);
  at = tb_wire_put_bytes(at, TB_TRACE_PACKET_TRACK_EVENT, event, (size_t)(to - event));
  end = tb_wire_put_uint(flow, TB_JSON_FLOW_KIND_IID, 1);
  at = tb_wire_put_bytes(at, TB_TRACE_PACKET_JSON_FLOWS, flow, (size_t)(end - flow));
  add_packet(trace, packet, at);
  add_instant(trace, 3, 0);
  char lost[100];
  (void)snprintf(lost, sizeof(lost), "lost 1 at %zu: a packet's payload is damaged\n", before);
  assert_gives(trace, lost, "3 INSTANT[ig] trace \"after\"\n");
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct count {
  size_t now, most;
};

static void *reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct count *count = ctx;
  count->now += new_size - old_size;
  if (count->now > count->most) count->most = count->now;
  if (new_size) return realloc(ptr, new_size);
  free(ptr);
  return NULL;
}

/* 40 MB of packets, of which one in `every` is an instant with a name of 150 bytes, and the others nothing that is
 * reported. */
static void read_many(unsigned every, struct count *count, size_t *events) {
  const struct tb_allocator allocator = {reallocate, count};
  const struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .allocator = &allocator};
  static char name[150], event[300], packet[400];
  struct tb_reader *reader;
  const struct tb_event *given;
  char path[] = "/tmp/test_perfetto_limits.XXXXXX";
  int fd = mkstemp(path);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
  assert_non_null(file);
  for (unsigned i = 0; i < 200000; i++) {
    char *to = tb_wire_put_uint(event, TB_TRACK_EVENT_TYPE, TB_TRACK_EVENT_TYPE_INSTANT);
    to = tb_wire_put_bytes(to, TB_TRACK_EVENT_NAME, name, sizeof(name));
    char *at = tb_wire_put_uint(packet, TB_TRACE_PACKET_TIMESTAMP, 1000);
    uint32_t kind = i % every ? TB_TRACE_PACKET_SYNCHRONIZATION_MARKER : TB_TRACE_PACKET_TRACK_EVENT;
    at = tb_wire_put_bytes(at, kind, event, (size_t)(to - event));
    char framed[500], *end = tb_wire_put_bytes(framed, TB_TRACE_PACKET, packet, (size_t)(at - packet));
    assert_int_equal(fwrite(framed, 1, (size_t)(end - framed), file), end - framed);
  }
  assert_int_equal(fclose(file), 0);
  assert_int_equal(tb_reader_open(path, &options, &reader, NULL), TB_OK);
  while (tb_reader_next(reader, &given) == TB_OK) *events += given->type == TB_EVENT_INSTANT;
  assert_int_equal(unlink(path), 0);
  tb_reader_close(reader);
  assert_int_equal(count->now, 0);
}

static void memory_does_not_grow_with_packets_whether_they_make_events_or_not(void **state) {
  (void)state;
  static const unsigned every[] = {1, 70, 300000};
  for (size_t i = 0; i < sizeof(every) / sizeof(every[0]); i++) {
    struct count count = {0};
    size_t events = 0;
    read_many(every[i], &count, &events);
    assert_int_equal(events, (200000 + every[i] - 1) / every[i]);
    assert_in_range(count.most, 1, 8 << 20);
  }
}

static void a_damaged_flow_leaves_the_arguments_of_the_flow_events_before_it(void **state) {
  (void)state;
  static const char packets[] =
      "\x0a\x32\x50\x01\x40\xb8\x17\x68\x02\x5a\x0e\x48\x01\x58\x01\xf9\x02\x09\x00\x00\x00\x00\x00\x00\x00"
      "\xba\x7c\x13\x08\x03\x22\x0f\xba\x01\x05whole\x22\x05\x52\x01\x61\x20\x01\xba\x7c\x02\x08\x03"
      "\x0a\x14\x50\x01\x40\x9c\x18\x68\x02\x5a\x0b\x48\x03\x58\x01\x22\x05\x52\x01\x62\x20\x02";
  struct tb_buffer bytes = read_file_to_buffer(TB_TEST_TRACES "/json_flows.perfetto-trace"), text;
  assert_int_equal(tb_buffer_append(&bytes, packets, sizeof(packets) - 1), TB_OK);
  assert_int_equal(tb_event_text_of_bytes(bytes.data, bytes.len, bytes.len, &text), TB_END);
  assert_non_null(strstr(text.data, "\"whole\" id 9 {a=1}\n3100 INSTANT[it] thread 7/8 {b=2}\n"));
  assert_non_null(strstr(text.data, ": a packet's payload is damaged\n"));
  tb_buffer_free(&text);
  tb_buffer_free(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_argument_that_nests_too_deep_is_cut_and_counted_at_its_packet),
      cmocka_unit_test(groups_that_nest_too_deep_cost_their_packet),
      cmocka_unit_test(more_clocks_than_a_snapshot_is_read_for_are_unknown),
      cmocka_unit_test(a_path_over_more_clocks_than_are_followed_is_none),
      cmocka_unit_test(flows_past_the_limit_are_counted_and_the_event_is_kept),
      cmocka_unit_test(a_flow_of_json_without_an_id_costs_its_packet),
      cmocka_unit_test(a_damaged_flow_leaves_the_arguments_of_the_flow_events_before_it),
      cmocka_unit_test(memory_does_not_grow_with_packets_whether_they_make_events_or_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
