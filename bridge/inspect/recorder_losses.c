/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/recorder_losses.h"

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

static const char *const texts[TB_MISSED_COUNT] = {
    [TB_MISSED_OVERWRITTEN] = "chunks of full buffers, written over",
    [TB_MISSED_DISCARDED] = "chunks that full buffers did not take",
    [TB_MISSED_WRITER] = "packets that their writers dropped",
    [TB_MISSED_PATCHES] = "patches that came too late",
    [TB_MISSED_INVALID] = "packets that were not valid",
    [TB_MISSED_FLUSHES] = "flushes that failed",
    [TB_MISSED_FTRACE_OVERRUN] = "events of the kernel, written over before they were read",
    [TB_MISSED_FTRACE_DROPPED] = "events of the kernel that found no room"};

static void read_buffer_stats(struct tb_recorder_losses *s, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == TB_TRACE_STATS_BUFFER_STATS_CHUNKS_OVERWRITTEN) s->count[TB_MISSED_OVERWRITTEN] += field.value;
    if (field.number == TB_TRACE_STATS_BUFFER_STATS_CHUNKS_DISCARDED) s->count[TB_MISSED_DISCARDED] += field.value;
    if (field.number == TB_TRACE_STATS_BUFFER_STATS_TRACE_WRITER_PACKET_LOSS) s->count[TB_MISSED_WRITER] += field.value;
  }
}

static void read_stats(struct tb_recorder_losses *s, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  for (int i = 0; i < TB_MISSED_FTRACE_OVERRUN; i++) s->count[i] = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_TRACE_STATS_BUFFER_STATS && field.type == TB_WIRE_BYTES) read_buffer_stats(s, field.bytes);
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == TB_TRACE_STATS_PATCHES_DISCARDED) s->count[TB_MISSED_PATCHES] = field.value;
    if (field.number == TB_TRACE_STATS_INVALID_PACKETS) s->count[TB_MISSED_INVALID] = field.value;
    if (field.number == TB_TRACE_STATS_FLUSHES_FAILED) s->count[TB_MISSED_FLUSHES] = field.value;
  }
}

static void read_cpu_stats(struct tb_str message, uint64_t *overrun, uint64_t *dropped) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == TB_FTRACE_CPU_STATS_OVERRUN) *overrun += field.value;
    if (field.number == TB_FTRACE_CPU_STATS_DROPPED_EVENTS) *dropped += field.value;
  }
}

/* The kernel counts from its boot on: what was lost while recording is the end's count less the start's. */
static void read_ftrace_stats(struct tb_recorder_losses *s, struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  uint64_t phase = 0, overrun = 0, dropped = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_FTRACE_STATS_PHASE && field.type == TB_WIRE_VARINT) phase = field.value;
    if (field.number == TB_FTRACE_STATS_CPU_STATS && field.type == TB_WIRE_BYTES)
      read_cpu_stats(field.bytes, &overrun, &dropped);
  }
  uint64_t *missed = phase == TB_FTRACE_STATS_START_OF_TRACE ? s->before : s->count;
  missed[TB_MISSED_FTRACE_OVERRUN] += overrun;
  missed[TB_MISSED_FTRACE_DROPPED] += dropped;
  s->ftrace_ended |= phase == TB_FTRACE_STATS_END_OF_TRACE;
}

void tb_recorder_losses_read(struct tb_recorder_losses *s, const struct tb_packet *packet) {
  if (packet->kind == TB_TRACE_PACKET_TRACE_STATS) read_stats(s, packet->payload);
  if (packet->kind == TB_TRACE_PACKET_FTRACE_STATS) read_ftrace_stats(s, packet->payload);
}

uint64_t tb_recorder_losses_count(const struct tb_recorder_losses *s, enum tb_recorder_loss kind) {
  if (kind < TB_MISSED_FTRACE_OVERRUN) return s->count[kind];
  if (!s->ftrace_ended || s->count[kind] <= s->before[kind]) return 0; /* a count that went back says nothing */
  return s->count[kind] - s->before[kind];
}

const char *tb_recorder_loss_text(enum tb_recorder_loss kind) { return texts[kind]; }
