/* SPDX-License-Identifier: Apache-2.0
 *
 * What Chrome's own tracing writes as Perfetto: a sequence for each thread, with descriptor, defaults and interned data
 * at its start, deltas of a clock in microseconds, the thread's time as an extra counter, tasks with their source
 * locations and now and then debug annotations. Names, sizes and shares are those of traces of Chromium 156.
 */
#include <string.h>

#include "generate.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum {
  THREADS = 24,
  MAX_DEPTH = 12,
  CHUNK_EVENTS = 64,
  NAMES = 64,
  CATEGORIES = 12,
  PLACES = 200,
  ARG_NAMES = 8,
  DELTA_CLOCK = 64,
  ROOM = 512 /* of one packet but for the first of a sequence */
};

struct thread {
  unsigned pid, tid;
  uint64_t now_us;
  int depth;
};

/* ---- messages that are in others ------------------------------------------------------------------------------- */

static char *put_text(char *at, uint32_t number, const char *text) {
  return tb_wire_put_bytes(at, number, text, strlen(text));
}

static char *put_message(char *at, uint32_t number, const char *message, const char *end) {
  return tb_wire_put_bytes(at, number, message, (size_t)(end - message));
}

static void write_packet(struct bench_generator *g, const char *packet, const char *end) {
  char head[16];
  char *at = tb_wire_put_tag(head, TB_TRACE_PACKET, TB_WIRE_BYTES);
  at = tb_wire_put_varint(at, (uint64_t)(end - packet));
  fwrite(head, 1, (size_t)(at - head), g->file);
  fwrite(packet, 1, (size_t)(end - packet), g->file);
  g->bytes += (uint64_t)(at - head) + (uint64_t)(end - packet);
}

/* ---- the start of a sequence ------------------------------------------------------------------------------------- */

static char *put_clock(char *at, uint32_t clock, uint64_t time, bool delta) {
  char inner[64], *end = inner;
  end = tb_wire_put_uint(end, TB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, clock);
  end = tb_wire_put_uint(end, TB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, time);
  if (delta) {
    end = tb_wire_put_uint(end, TB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL, 1);
    end = tb_wire_put_uint(end, TB_CLOCK_SNAPSHOT_CLOCK_UNIT_MULTIPLIER_NS, 1000);
  }
  return put_message(at, TB_CLOCK_SNAPSHOT_CLOCKS, inner, end);
}

static char *put_defaults(char *at, unsigned sequence) {
  char event[64], inner[96], *end = event;
  end = tb_wire_put_uint(end, TB_TRACK_EVENT_DEFAULTS_TRACK_UUID, 2 * sequence);
  end = tb_wire_put_uint(end, TB_TRACK_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS, 2 * sequence + 1);
  char *to = put_message(inner, TB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS, event, end);
  to = tb_wire_put_uint(to, TB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, DELTA_CLOCK);
  return put_message(at, TB_TRACE_PACKET_TRACE_PACKET_DEFAULTS, inner, to);
}

static char *put_named(char *at, uint32_t index, uint32_t iid, const char *pattern) {
  char text[64], inner[96], *end = inner;
  snprintf(text, sizeof(text), pattern, iid);
  end = tb_wire_put_uint(end, TB_INTERNED_NAME_IID, iid);
  end = put_text(end, TB_INTERNED_NAME_NAME, text);
  return put_message(at, index, inner, end);
}

static char *put_place(char *at, uint32_t iid) {
  char text[64], inner[160], *end = inner;
  end = tb_wire_put_uint(end, TB_SOURCE_LOCATION_IID, iid);
  snprintf(text, sizeof(text), "../../content/browser/part_%u/file_%u.cc", iid % 7, iid);
  end = put_text(end, TB_SOURCE_LOCATION_FILE_NAME, text);
  snprintf(text, sizeof(text), "OnTask%u", iid);
  end = put_text(end, TB_SOURCE_LOCATION_FUNCTION_NAME, text);
  end = tb_wire_put_uint(end, TB_SOURCE_LOCATION_LINE_NUMBER, 10 * iid);
  return put_message(at, TB_INTERNED_DATA_SOURCE_LOCATIONS, inner, end);
}

static char *put_interned(char *at) {
  for (uint32_t i = 1; i <= CATEGORIES; i++) at = put_named(at, TB_INTERNED_DATA_EVENT_CATEGORIES, i, "category_%u");
  for (uint32_t i = 1; i <= NAMES; i++)
    at = put_named(at, TB_INTERNED_DATA_EVENT_NAMES, i, "ThreadControllerImpl::RunTask%u");
  for (uint32_t i = 1; i <= ARG_NAMES; i++)
    at = put_named(at, TB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES, i, "argument_%u");
  for (uint32_t i = 1; i <= PLACES; i++) at = put_place(at, i);
  return at;
}

static void write_descriptor(struct bench_generator *g, unsigned sequence, const char *descriptor, const char *end) {
  char packet[256], *at = packet;
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence);
  at = put_message(at, TB_TRACE_PACKET_TRACK_DESCRIPTOR, descriptor, end);
  write_packet(g, packet, at);
}

static void write_descriptors(struct bench_generator *g, const struct thread *t, unsigned sequence) {
  char descriptor[160], inner[96], *end = inner, *to = descriptor;
  end = tb_wire_put_uint(end, TB_THREAD_DESCRIPTOR_PID, t->pid);
  end = tb_wire_put_uint(end, TB_THREAD_DESCRIPTOR_TID, t->tid);
  end = put_text(end, TB_THREAD_DESCRIPTOR_THREAD_NAME, "ThreadPoolForegroundWorker");
  to = tb_wire_put_uint(to, TB_TRACK_DESCRIPTOR_UUID, 2 * sequence);
  to = put_message(to, TB_TRACK_DESCRIPTOR_THREAD, inner, end);
  write_descriptor(g, sequence, descriptor, to);
  end = inner;
  to = descriptor;
  end = tb_wire_put_uint(end, TB_COUNTER_DESCRIPTOR_TYPE, TB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS);
  end = tb_wire_put_uint(end, TB_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER, 1000);
  end = tb_wire_put_uint(end, TB_COUNTER_DESCRIPTOR_IS_INCREMENTAL, 1);
  to = tb_wire_put_uint(to, TB_TRACK_DESCRIPTOR_UUID, 2 * sequence + 1);
  to = tb_wire_put_uint(to, TB_TRACK_DESCRIPTOR_PARENT_UUID, 2 * sequence);
  to = put_message(to, TB_TRACK_DESCRIPTOR_COUNTER, inner, end);
  write_descriptor(g, sequence, descriptor, to);
}

static void start_sequence(struct bench_generator *g, const struct thread *t, unsigned sequence) {
  static char packet[64 * 1024], inner[64 * 1024];
  char *end = put_clock(inner, DELTA_CLOCK, t->now_us, true);
  end = put_clock(end, 3, t->now_us * 1000, false); /* MONOTONIC, which is the trace's clock */
  end = tb_wire_put_uint(end, TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, 3);
  char *at = tb_wire_put_uint(packet, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED);
  at = put_message(at, TB_TRACE_PACKET_CLOCK_SNAPSHOT, inner, end);
  at = put_defaults(at, sequence);
  at = put_message(at, TB_TRACE_PACKET_INTERNED_DATA, inner, put_interned(inner));
  write_packet(g, packet, at);
  write_descriptors(g, t, sequence);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static char *put_annotation(struct bench_generator *g, char *at) {
  char inner[64], *end = inner;
  end = tb_wire_put_uint(end, TB_DEBUG_ANNOTATION_NAME_IID, 1 + bench_pick(g, ARG_NAMES));
  switch (bench_pick(g, 3)) {
    case 0:
      end = tb_wire_put_uint(end, TB_DEBUG_ANNOTATION_UINT_VALUE, bench_pick(g, 100000));
      break;
    case 1:
      end = put_text(end, TB_DEBUG_ANNOTATION_STRING_VALUE, "frame_loading_control_tq");
      break;
    default:
      end = tb_wire_put_uint(end, TB_DEBUG_ANNOTATION_BOOL_VALUE, bench_pick(g, 2));
  }
  return put_message(at, TB_TRACK_EVENT_DEBUG_ANNOTATIONS, inner, end);
}

static char *put_begin(struct bench_generator *g, char *at) {
  char inner[16];
  at = tb_wire_put_uint(at, TB_TRACK_EVENT_CATEGORY_IIDS, 1 + bench_pick(g, CATEGORIES));
  at = tb_wire_put_uint(at, TB_TRACK_EVENT_NAME_IID, 1 + bench_pick(g, NAMES));
  unsigned kind = bench_pick(g, 8);
  if (kind < 3)
    return put_message(at, TB_TRACK_EVENT_TASK_EXECUTION, inner,
                       tb_wire_put_uint(inner, TB_TASK_EXECUTION_POSTED_FROM_IID, 1 + bench_pick(g, PLACES)));
  for (; kind > 4; kind--) at = put_annotation(g, at);
  return at;
}

static void write_event(struct bench_generator *g, struct thread *t, unsigned sequence) {
  char packet[ROOM], inner[ROOM], *end = inner, *at = packet;
  uint32_t step = bench_pick_skewed(g, 200);
  bool begin = t->depth == 0 || (t->depth < MAX_DEPTH && bench_pick(g, 2));
  t->now_us += step;
  t->depth += begin ? 1 : -1;
  end = tb_wire_put_uint(end, TB_TRACK_EVENT_TYPE,
                         begin ? TB_TRACK_EVENT_TYPE_SLICE_BEGIN : TB_TRACK_EVENT_TYPE_SLICE_END);
  end = tb_wire_put_uint(end, TB_TRACK_EVENT_EXTRA_COUNTER_VALUES, step - bench_pick(g, step / 3 + 1));
  if (begin) end = put_begin(g, end);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TIMESTAMP, step);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE);
  at = put_message(at, TB_TRACE_PACKET_TRACK_EVENT, inner, end);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TRUSTED_UID, 0);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence);
  write_packet(g, packet, at);
  g->events += begin;
}

void bench_generate_chrome_perfetto(struct bench_generator *g, uint64_t bytes) {
  struct thread threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    threads[i] = (struct thread){.pid = 1200 + 37 * (i / 6), .now_us = 73610000842u + i};
    threads[i].tid = threads[i].pid + i % 6;
    start_sequence(g, &threads[i], i + 1);
  }
  for (unsigned i = 0; g->bytes < bytes; i = (i + 1) % THREADS)
    for (int n = 0; n < CHUNK_EVENTS && g->bytes < bytes; n++) write_event(g, &threads[i], i + 1);
}
