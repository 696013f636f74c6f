/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of call stacks.
 */
#include "perfetto/reader/reader.h"
#include "protobuf/number_cursor.h"

static const char LOSS_TIME[] = "a sample has no timestamp";
static const char LOSS_THREAD[] = "samples of a sequence that has no thread";

enum tb_status tb_perfetto_perf_sample(struct tb_perfetto_reader *r, struct tb_str payload) {
  int64_t pid = 0, tid = 0;
  uint64_t callstack = 0, count = 0, cpu = 0;
  bool has_pid = false, has_callstack = false, has_count = false, has_cpu = false, is_loss = false;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    switch (field.number) {
      case TB_PERF_SAMPLE_CPU:
        has_cpu = true;
        cpu = field.value;
        break;
      case TB_PERF_SAMPLE_PID:
        has_pid = true;
        pid = (int64_t)(uint32_t)field.value;
        break;
      case TB_PERF_SAMPLE_TID:
        tid = (int64_t)(uint32_t)field.value;
        break;
      case TB_PERF_SAMPLE_CALLSTACK_IID:
        has_callstack = true;
        callstack = field.value;
        break;
      case TB_PERF_SAMPLE_TIMEBASE_COUNT:
        has_count = true;
        count = field.value;
        break;
      case TB_PERF_SAMPLE_KERNEL_RECORDS_LOST:
        is_loss = true;
        break;
      default:
        break;
    }
  }
  if (status != TB_END) return TB_BAD_DATA;
  if (!r->context.has_ts) return tb_perfetto_lose(r, LOSS_TIME);
  struct tb_perfetto_track *track =
      is_loss ? tb_perfetto_find_track(r, 0) : tb_perfetto_thread(r, has_pid ? &pid : NULL, tid);
  if (!track) return TB_OK;
  tb_perfetto_emit_track(r, track);
  struct tb_event *event = tb_perfetto_emit(r, is_loss ? TB_EVENT_DATA_LOSS : TB_EVENT_SAMPLE);
  event->track = &track->track;
  event->cpu = (uint32_t)cpu;
  event->weight = (double)count;
  event->has |= (has_cpu ? TB_HAS_CPU : 0u) | (has_count ? TB_HAS_WEIGHT : 0u);
  if (has_callstack) event->stack = tb_perfetto_interned_stack(r, callstack);
  return TB_OK;
}

/* ---- Chrome's sampler: stacks and times as two lists of one packet ----------------------------------------------- */

/* Where the sequence's running time is behind the packet, which what comes next builds on. */
static enum tb_status move_reference(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_sequence_extras *extras = tb_sequence_own_extras(&r->state, r->context.sequence);
  if (!extras) return TB_NO_MEMORY;
  struct tb_number_cursor deltas = tb_number_cursor(payload, TB_STREAMING_PROFILE_PACKET_TIMESTAMP_DELTA_US);
  uint64_t delta, reference = (uint64_t)extras->reference_us;
  while (tb_number_cursor_next(&deltas, &delta)) reference += delta;
  extras->reference_us = (int64_t)reference;
  return TB_OK;
}

/* The packet's time, else the sequence's running one, which is Chrome's: it reads the monotonic clock. */
static uint64_t start_of_profile(struct tb_perfetto_reader *r) {
  if (r->context.has_ts) return (uint64_t)r->context.ts;
  int64_t ts = (int64_t)((uint64_t)r->context.sequence->extras->reference_us * 1000u);
  (void)tb_trace_state_convert(&r->state, &r->head, TB_CLOCK_MONOTONIC, ts, &ts);
  return (uint64_t)ts;
}

enum tb_status tb_perfetto_streaming_profile(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_sequence_state *sequence = r->context.sequence;
  if (!r->context.has_ts && !sequence->has_reference) return tb_perfetto_lose(r, LOSS_TIME);
  struct tb_perfetto_track *track = tb_perfetto_default_track(r);
  if (!track) return tb_perfetto_lose(r, LOSS_THREAD);
  tb_perfetto_emit_track(r, track);
  struct tb_number_cursor stacks = tb_number_cursor(payload, TB_STREAMING_PROFILE_PACKET_CALLSTACK_IID);
  struct tb_number_cursor deltas = tb_number_cursor(payload, TB_STREAMING_PROFILE_PACKET_TIMESTAMP_DELTA_US);
  uint64_t callstack, delta, ts = start_of_profile(r);
  while (!r->full && tb_number_cursor_next(&stacks, &callstack)) {
    if (tb_number_cursor_next(&deltas, &delta)) ts += delta * 1000u;
    struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_SAMPLE);
    event->has = TB_HAS_TS;
    event->ts = (int64_t)ts;
    event->track = &track->track;
    event->stack = tb_perfetto_interned_stack(r, callstack);
  }
  return r->full || r->context.has_ts ? TB_OK : move_reference(r, payload);
}
