/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of a trace's state that is clocks: what snapshots say of them, and the times of packets. Each machine has
 * clocks of its own. Those of other machines than the one that recorded are apart from its by what RemoteClockSyncs
 * say.
 */
#include "base/error.h"
#include "base/times.h"
#include "perfetto/clock/remote_clock_sync.h"
#include "perfetto/clock/snapshot.h"
#include "perfetto/packet/sequence_state.h"
#include "tracebridge/event.h"

static const char LOSS_SNAPSHOT[] = "a clock snapshot is damaged";
static const char LOSS_SYNC[] = "a remote clock sync is damaged";
static const char LOSS_CONTRADICTION[] = "a clock snapshot contradicts itself";
static const char LOSS_BACKWARDS[] = "the trace clock runs backwards in a clock snapshot";

/* How far the machine's trace clock is ahead of machine 0's. */
static int64_t ahead_of(const struct tb_trace_state *state, uint32_t machine) {
  const uint64_t *ahead = machine ? tb_map_find(&state->clocks_ahead, state->trace_clock, machine) : NULL;
  return ahead ? (int64_t)*ahead : 0;
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

static enum tb_status add_readings(struct tb_trace_state *state, const struct tb_clock_reading_raw *readings,
                                   size_t count, const struct tb_packet_header *head) {
  enum tb_status status = tb_clock_graph_add(&state->clocks, head->machine, readings, count, state->trace_clock);
  if (status == TB_REFUSED) return state->lose(state->lose_ctx, LOSS_BACKWARDS, head->offset);
  if (status == TB_BAD_DATA) return state->lose(state->lose_ctx, LOSS_CONTRADICTION, head->offset);
  return status == TB_OK ? TB_OK : tb_trace_state_full(state, head->offset);
}

enum tb_status tb_trace_state_add_snapshot(struct tb_trace_state *state, const struct tb_packet_header *head,
                                           bool *has_trace_ns, int64_t *trace_ns) {
  struct tb_snapshot snapshot;
  *has_trace_ns = false;
  if (tb_snapshot_read(head->payload, head->sequence, &snapshot) != TB_OK)
    return state->lose(state->lose_ctx, LOSS_SNAPSHOT, head->offset);
  if (snapshot.primary && !state->trace_clock_said) {
    state->trace_clock = snapshot.primary;
    state->trace_clock_said = true;
  }
  enum tb_status status = add_readings(state, snapshot.readings, snapshot.count, head);
  if (status != TB_OK) return status;
  for (size_t i = 0; i < snapshot.count; i++) {
    if (snapshot.readings[i].key != state->trace_clock) continue;
    *has_trace_ns = true;
    *trace_ns = tb_wrap_sub(snapshot.readings[i].ns, ahead_of(state, head->machine));
  }
  return TB_OK;
}

enum tb_status tb_trace_state_add_pair(struct tb_trace_state *state, const struct tb_packet_header *head,
                                       uint32_t clock, int64_t ns, uint32_t other, int64_t other_ns) {
  struct tb_clock_reading_raw readings[] = {{tb_clock_key(clock, head->sequence), ns, 1, false},
                                            {tb_clock_key(other, head->sequence), other_ns, 1, false}};
  return add_readings(state, readings, 2, head);
}

void tb_trace_state_clear_clocks(struct tb_trace_state *state, const struct tb_sequence_state *sequence) {
  tb_clock_graph_clear_sequence(&state->clocks, sequence->machine, sequence->id);
}

/* ---- syncs of machines ------------------------------------------------------------------------------------------- */

enum tb_status tb_trace_state_add_sync(struct tb_trace_state *state, const struct tb_packet_header *head) {
  struct tb_remote_clock clocks[TB_REMOTE_SYNC_CLOCKS];
  struct tb_sync_origin origin = {head->machine, head->sequence, state->trace_clock};
  size_t count, refused;
  if (tb_remote_clock_sync_read(head->payload, clocks, &count) != TB_OK)
    return state->lose(state->lose_ctx, LOSS_SYNC, head->offset);
  enum tb_status status = tb_remote_clock_sync_add(&state->clocks, head->payload, &origin, &refused);
  if (status != TB_OK) return tb_trace_state_full(state, head->offset);
  for (size_t i = 0; i < count; i++)
    if (tb_map_put(&state->clocks_ahead, clocks[i].id, head->machine, (uint64_t)clocks[i].ahead) != TB_OK)
      return tb_trace_state_full(state, head->offset);
  for (; refused && status == TB_OK; refused--) status = state->lose(state->lose_ctx, LOSS_BACKWARDS, head->offset);
  return status;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

bool tb_trace_state_has_clocks(const struct tb_trace_state *state, const struct tb_packet_header *head) {
  return tb_clock_graph_has_machine(&state->clocks, head->machine);
}

/* To the machine's own trace clock. */
static bool convert_there(struct tb_trace_state *state, uint32_t machine, uint64_t key, int64_t ns,
                          int64_t *converted) {
  if (tb_clock_graph_convert(&state->clocks, machine, key, state->trace_clock, ns, converted) == TB_OK) return true;
  *converted = ns;
  /* the clock of a trace that names none: there is nothing it could be apart from */
  return key == TB_CLOCK_TRACE_FILE;
}

bool tb_trace_state_convert(struct tb_trace_state *state, const struct tb_packet_header *head, uint32_t clock,
                            int64_t ns, int64_t *converted) {
  uint64_t key = tb_clock_key(clock, head->sequence);
  if (!convert_there(state, head->machine, key, ns, converted)) return false;
  *converted = tb_wrap_sub(*converted, ahead_of(state, head->machine));
  return true;
}

static void lose_clock(struct tb_packet_context *context) {
  context->has_ts = false;
  context->clock_lost = true;
  context->unusable = 1;
}

void tb_trace_state_resolve_slowly(struct tb_trace_state *state, const struct tb_packet_header *head, uint32_t clock,
                                   struct tb_packet_context *context) {
  uint64_t key = tb_clock_key(clock, head->sequence);
  int64_t ns;
  if (tb_clock_graph_resolve(&state->clocks, 0, key, head->timestamp, &ns) != TB_OK ||
      !convert_there(state, 0, key, ns, &context->ts)) {
    lose_clock(context);
    return;
  }
  struct tb_sequence_extras *extras = tb_sequence_own_extras(state, context->sequence);
  if (extras) tb_clock_graph_find_line(&state->clocks, 0, key, state->trace_clock, ns, &extras->line);
}

void tb_trace_state_resolve_remote(struct tb_trace_state *state, const struct tb_packet_header *head,
                                   struct tb_packet_context *context) {
  uint32_t clock = tb_packet_clock(head, context->sequence);
  uint64_t key = tb_clock_key(clock, head->sequence);
  int64_t ns = (int64_t)head->timestamp;
  context->has_ts = head->has_timestamp;
  if (!head->has_timestamp) return;
  if (!clock) {
    context->ts = tb_wrap_sub(ns, ahead_of(state, head->machine));
    return;
  }
  if (tb_clock_graph_resolve(&state->clocks, head->machine, key, head->timestamp, &ns) == TB_OK &&
      convert_there(state, head->machine, key, ns, &context->ts))
    context->ts = tb_wrap_sub(context->ts, ahead_of(state, head->machine));
  else
    lose_clock(context);
}
