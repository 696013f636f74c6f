/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of a trace's state that is clocks: what snapshots say of them, and the times of packets. Each machine has clocks of its
 * own. Those of other machines than the one that recorded are apart from its by what RemoteClockSyncs say.
 */
#include "base/error.h"
#include "perfetto/clock/remote_clock_sync.h"
#include "perfetto/clock/snapshot.h"
#include "perfetto/packet/sequence_state.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

static const char LOSS_SNAPSHOT[] = "a clock snapshot is damaged";
static const char LOSS_SYNC[] = "a remote clock sync is damaged";
static const char LOSS_BACKWARDS[] = "the trace clock runs backwards in a clock snapshot";

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static enum tb_status read_clock(struct tb_str bytes, uint32_t sequence, struct tb_clock_reading_raw *reading) {
  struct tb_snapshot_clock clock;
  enum tb_status status = tb_snapshot_clock_read(bytes, &clock);
  uint32_t id = (uint32_t)clock.id;
  *reading = (struct tb_clock_reading_raw){
      .key = tb_clock_key(id, sequence), .ns = tb_snapshot_clock_ns(&clock), .unit_multiplier = clock.unit};
  reading->incremental = clock.incremental && reading->key != id; /* deltas need a sequence that they run along */
  return status;
}

static enum tb_status read_snapshot(struct tb_str snapshot, uint32_t sequence, struct tb_clock_reading_raw *readings,
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

/* ---- machines ---------------------------------------------------------------------------------------------------- */

static void free_remote(const struct tb_allocator *allocator, struct tb_remote_clocks *remote) {
  tb_clock_graph_free(&remote->graph);
  tb_map_free(&remote->ahead);
  tb_free(allocator, remote, sizeof(*remote));
}

void tb_trace_state_free_clocks(struct tb_trace_state *state) {
  tb_clock_graph_free(&state->clocks);
  for (size_t i = 0; i < state->remote_clocks.capacity; i++) {
    const struct tb_map_entry *entry = &state->remote_clocks.entries[i];
    if (entry->used) free_remote(&state->budget.allocator, (void *)(uintptr_t)entry->value);
  }
  tb_map_free(&state->remote_clocks);
}

static struct tb_remote_clocks *find_remote(const struct tb_trace_state *state, uint32_t machine) {
  return tb_map_find_pointer(&state->remote_clocks, machine, 0);
}

/* NULL where memory is out. */
static struct tb_remote_clocks *find_or_add_remote(struct tb_trace_state *state, uint32_t machine) {
  const struct tb_allocator *allocator = &state->budget.allocator;
  struct tb_remote_clocks *remote = find_remote(state, machine);
  if (remote) return remote;
  remote = tb_alloc(allocator, sizeof(*remote));
  if (!remote) return NULL;
  tb_clock_graph_init(&remote->graph, allocator);
  tb_map_init(&remote->ahead, allocator);
  if (tb_map_put(&state->remote_clocks, machine, 0, (uintptr_t)remote) == TB_OK) return remote;
  free_remote(allocator, remote);
  return NULL;
}

/* How far the machine's trace clock is ahead of machine 0's. */
static int64_t ahead_of(const struct tb_trace_state *state, uint32_t machine) {
  const struct tb_remote_clocks *remote = machine ? find_remote(state, machine) : NULL;
  const uint64_t *ahead = remote ? tb_map_find(&remote->ahead, state->trace_clock, 0) : NULL;
  return ahead ? (int64_t)*ahead : 0;
}

static struct tb_clock_graph *graph_of(struct tb_trace_state *state, uint32_t machine) {
  if (!machine) return &state->clocks;
  struct tb_remote_clocks *remote = find_remote(state, machine);
  return remote ? &remote->graph : NULL;
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

/* Readings that were taken at once. */
struct snapshot_readings {
  struct tb_clock_reading_raw items[TB_CLOCKS_IN_SNAPSHOT_MAX];
  size_t count;
};

static enum tb_status add_readings(struct tb_trace_state *state, const struct snapshot_readings *readings,
                                   const struct tb_packet_header *head) {
  if (head->machine && !find_or_add_remote(state, head->machine)) return tb_trace_state_full(state, head->offset);
  enum tb_status status =
      tb_clock_graph_add(graph_of(state, head->machine), readings->items, readings->count, state->trace_clock);
  if (status == TB_REFUSED) return state->lose(state->lose_ctx, LOSS_BACKWARDS, head->offset);
  return status == TB_OK ? TB_OK : tb_trace_state_full(state, head->offset);
}

enum tb_status tb_trace_state_add_snapshot(struct tb_trace_state *state, const struct tb_packet_header *head,
                                           bool *has_trace_ns, int64_t *trace_ns) {
  struct snapshot_readings readings;
  uint64_t primary;
  *has_trace_ns = false;
  if (read_snapshot(head->payload, head->sequence, readings.items, &readings.count, &primary) != TB_OK)
    return state->lose(state->lose_ctx, LOSS_SNAPSHOT, head->offset);
  if (primary && !state->trace_clock_said) {
    state->trace_clock = (uint32_t)primary;
    state->trace_clock_said = true;
  }
  enum tb_status status = add_readings(state, &readings, head);
  if (status != TB_OK) return status;
  for (size_t i = 0; i < readings.count; i++) {
    if (readings.items[i].key != state->trace_clock) continue;
    *has_trace_ns = true;
    *trace_ns = tb_clock_subtract(readings.items[i].ns, ahead_of(state, head->machine));
  }
  return TB_OK;
}

enum tb_status tb_trace_state_add_pair(struct tb_trace_state *state, const struct tb_packet_header *head,
                                       uint32_t clock, int64_t ns, uint32_t other, int64_t other_ns) {
  struct snapshot_readings readings = {.count = 2};
  readings.items[0] = (struct tb_clock_reading_raw){tb_clock_key(clock, head->sequence), ns, 1, false};
  readings.items[1] = (struct tb_clock_reading_raw){tb_clock_key(other, head->sequence), other_ns, 1, false};
  return add_readings(state, &readings, head);
}

void tb_trace_state_clear_clocks(struct tb_trace_state *state, const struct tb_sequence_state *sequence) {
  struct tb_clock_graph *graph = graph_of(state, sequence->machine);
  if (graph) tb_clock_graph_clear_sequence(graph, sequence->id);
}

/* ---- syncs of machines ------------------------------------------------------------------------------------------- */

/* The other machine's readings are snapshots of its clocks, as the trace processor has it. */
static enum tb_status add_round(struct tb_trace_state *state, struct tb_str round,
                                const struct tb_packet_header *head) {
  struct tb_wire_cursor cursor = tb_wire_cursor(round);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    struct snapshot_readings readings;
    uint64_t primary;
    if (field.number != TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS || field.type != TB_WIRE_BYTES) continue;
    if (read_snapshot(field.bytes, head->sequence, readings.items, &readings.count, &primary) != TB_OK)
      return state->lose(state->lose_ctx, LOSS_SYNC, head->offset);
    enum tb_status status = add_readings(state, &readings, head);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

enum tb_status tb_trace_state_add_sync(struct tb_trace_state *state, const struct tb_packet_header *head) {
  struct tb_remote_clock clocks[TB_REMOTE_SYNC_CLOCKS];
  size_t count;
  if (tb_remote_clock_sync_read(head->payload, clocks, &count) != TB_OK)
    return state->lose(state->lose_ctx, LOSS_SYNC, head->offset);
  struct tb_wire_cursor cursor = tb_wire_cursor(head->payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS || field.type != TB_WIRE_BYTES) continue;
    enum tb_status status = add_round(state, field.bytes, head);
    if (status != TB_OK) return status;
  }
  struct tb_remote_clocks *remote = count ? find_or_add_remote(state, head->machine) : NULL;
  for (size_t i = 0; i < count; i++)
    if (!remote || tb_map_put(&remote->ahead, clocks[i].id, 0, (uint64_t)clocks[i].ahead) != TB_OK)
      return tb_trace_state_full(state, head->offset);
  return TB_OK;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

bool tb_trace_state_has_clocks(const struct tb_trace_state *state, const struct tb_packet_header *head) {
  if (!head->machine) return state->clocks.node_count > 0;
  const struct tb_remote_clocks *remote = find_remote(state, head->machine);
  return remote && remote->graph.node_count > 0;
}

/* To the machine's own trace clock. */
static bool convert_there(struct tb_clock_graph *graph, uint64_t key, uint32_t trace_clock, int64_t ns,
                          int64_t *converted) {
  if (graph && tb_clock_graph_convert(graph, key, trace_clock, ns, converted) == TB_OK) return true;
  *converted = ns;
  /* the clock of a trace that names none: there is nothing it could be apart from */
  return key == trace_clock || key == TB_CLOCK_TRACE_FILE;
}

bool tb_trace_state_convert(struct tb_trace_state *state, const struct tb_packet_header *head, uint32_t clock,
                            int64_t ns, int64_t *converted) {
  uint64_t key = tb_clock_key(clock, head->sequence);
  if (!convert_there(graph_of(state, head->machine), key, state->trace_clock, ns, converted)) return false;
  *converted = tb_clock_subtract(*converted, ahead_of(state, head->machine));
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
  if (tb_clock_graph_resolve(&state->clocks, key, head->timestamp, &ns) == TB_OK &&
      convert_there(&state->clocks, key, state->trace_clock, ns, &context->ts))
    tb_clock_graph_find_line(&state->clocks, key, state->trace_clock, ns, &context->sequence->line);
  else
    lose_clock(context);
}

void tb_trace_state_resolve_remote(struct tb_trace_state *state, const struct tb_packet_header *head,
                                   struct tb_packet_context *context) {
  struct tb_remote_clocks *remote = find_remote(state, head->machine);
  struct tb_clock_graph *graph = remote ? &remote->graph : NULL;
  uint32_t clock = tb_packet_clock(head, context->sequence);
  uint64_t key = tb_clock_key(clock, head->sequence);
  int64_t ns = (int64_t)head->timestamp;
  context->has_ts = head->has_timestamp;
  if (!head->has_timestamp) return;
  bool known = !clock || !graph || tb_clock_graph_resolve(graph, key, head->timestamp, &ns) == TB_OK;
  if (!known || !convert_there(graph, clock ? key : state->trace_clock, state->trace_clock, ns, &context->ts))
    lose_clock(context);
  else
    context->ts = tb_clock_subtract(context->ts, ahead_of(state, head->machine));
}
