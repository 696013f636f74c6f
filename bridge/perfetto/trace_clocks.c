/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of a trace's state that is clocks: what snapshots say of them, and the times of packets.
 */
#include "perfetto/fields.h"
#include "perfetto/sequence.h"
#include "perfetto/wire.h"
#include "tracebridge/event.h"

static const char LOSS_SNAPSHOT[] = "a clock snapshot is damaged";
static const char LOSS_BACKWARDS[] = "the trace clock runs backwards in a clock snapshot";

static enum tb_status read_clock(struct tb_slice bytes, uint32_t sequence, struct tb_clock_reading_raw *reading) {
  uint32_t clock = 0;
  uint64_t timestamp = 0;
  *reading = (struct tb_clock_reading_raw){.unit_multiplier = 1};
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID) clock = (uint32_t)field.value;
    if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP) timestamp = field.value;
    if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL) reading->incremental = field.value != 0;
    if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_UNIT_MULTIPLIER_NS && field.value) {
      reading->unit_multiplier = field.value;
    }
  }
  reading->key = tb_clock_key(clock, sequence);
  reading->ns = (int64_t)(timestamp * reading->unit_multiplier);
  if (reading->key == clock) reading->incremental = false; /* deltas need a sequence that they run along */
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

static enum tb_status read_snapshot(struct tb_slice snapshot, uint32_t sequence, struct tb_clock_reading_raw *readings,
                                    size_t *count, uint64_t *primary) {
  struct tb_wire_cursor cursor = tb_wire_cursor(snapshot);
  struct tb_wire_field field;
  enum tb_status status;
  *count = 0;
  *primary = 0;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.number == TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK && field.type == TB_WIRE_VARINT) *primary = field.value;
    if (field.number != TB_CLOCK_SNAPSHOT_CLOCKS || field.type != TB_WIRE_BYTES) continue;
    if (*count == TB_CLOCKS_IN_SNAPSHOT_MAX) continue;
    status = read_clock(field.bytes, sequence, &readings[*count]);
    if (status != TB_OK) return status;
    ++*count;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

enum tb_status tb_trace_state_add_snapshot(struct tb_trace_state *state, struct tb_slice snapshot, uint32_t sequence,
                                           uint64_t offset, bool *has_trace_ns, int64_t *trace_ns) {
  struct tb_clock_reading_raw readings[TB_CLOCKS_IN_SNAPSHOT_MAX];
  size_t count;
  uint64_t primary;
  *has_trace_ns = false;
  if (read_snapshot(snapshot, sequence, readings, &count, &primary) != TB_OK) {
    return state->lose(state->lose_ctx, LOSS_SNAPSHOT, offset);
  }
  if (primary && !state->trace_clock_said) {
    state->trace_clock = primary;
    state->trace_clock_said = true;
  }
  enum tb_status status = tb_clock_graph_add(&state->clocks, readings, count, state->trace_clock);
  if (status == TB_REFUSED) return state->lose(state->lose_ctx, LOSS_BACKWARDS, offset);
  if (status != TB_OK) return tb_trace_state_full(state, offset);
  for (size_t i = 0; i < count; i++) {
    if (readings[i].key != state->trace_clock) continue;
    *has_trace_ns = true;
    *trace_ns = readings[i].ns;
  }
  return TB_OK;
}

bool tb_trace_state_convert(struct tb_trace_state *state, uint32_t clock, uint32_t sequence, int64_t ns,
                            int64_t *converted) {
  uint64_t key = tb_clock_key(clock, sequence);
  if (tb_clock_graph_convert(&state->clocks, key, state->trace_clock, ns, converted) == TB_OK) return true;
  *converted = ns;
  return clock ==
         TB_CLOCK_TRACE_FILE; /* the clock of a trace that names none: there is nothing it could be apart from */
}

void tb_trace_state_resolve_slowly(struct tb_trace_state *state, const struct tb_packet_head *head, uint32_t clock,
                                   struct tb_packet_context *context) {
  uint64_t key = tb_clock_key(clock, head->sequence);
  int64_t ns;
  if (tb_clock_graph_resolve(&state->clocks, key, head->timestamp, &ns) == TB_OK &&
      tb_trace_state_convert(state, clock, head->sequence, ns, &context->ts)) {
    tb_clock_graph_find_line(&state->clocks, key, state->trace_clock, ns, &context->sequence->line);
    return;
  }
  context->has_ts = false;
  context->clock_lost = true;
  context->unusable = 1;
}
