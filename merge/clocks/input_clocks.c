/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/input_clocks.h"

#include "base/times.h"
#include "perfetto/clock/remote_clock_sync.h"
#include "perfetto/clock/snapshot.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { SYNCS_MAX = 1 << 26 };

void tb_input_clocks_init(struct tb_input_clocks *c, const struct tb_allocator *allocator) {
  *c = (struct tb_input_clocks){.allocator = allocator, .primary = TB_CLOCK_BOOTTIME};
  tb_clock_graph_init(&c->graph, allocator);
  tb_merge_sequences_init(&c->sequences, allocator);
}

void tb_input_clocks_free(struct tb_input_clocks *c) {
  tb_clock_graph_free(&c->graph);
  for (size_t i = 0; i < c->fitted_count; i++) tb_time_map_free(&c->fitted[i].to_trace_clock);
  tb_free(c->allocator, c->syncs, c->sync_capacity * sizeof(*c->syncs));
  tb_merge_sequences_free(&c->sequences);
}

void tb_input_clocks_rewind(struct tb_input_clocks *c) {
  tb_merge_sequences_rewind(&c->sequences);
  tb_clock_graph_rewind(&c->graph);
}

/* ---- what packets say -------------------------------------------------------------------------------------------- */

/* A snapshot that relates nothing is counted at the first reading. */
static enum tb_status take_refusal(struct tb_input_clocks *c, enum tb_status status, bool learn) {
  if (status != TB_REFUSED && status != TB_BAD_DATA) return status;
  c->bad_snapshots += learn;
  return TB_OK;
}

static enum tb_status take_snapshot(struct tb_input_clocks *c, const struct tb_packet_header *head, bool learn) {
  struct tb_snapshot snapshot;
  (void)tb_snapshot_read(head->clock_snapshot, head->sequence, &snapshot); /* of a damaged one, what can be read */
  if (snapshot.primary && !c->primary_named) {
    c->primary = snapshot.primary;
    c->primary_named = true;
  }
  const struct tb_clock_reading_raw *readings = snapshot.readings;
  for (size_t i = 0; i < snapshot.count && head->derived; i++)
    c->monotonic_assumed |= readings[i].key == TB_CLOCK_MONOTONIC;
  enum tb_status status = learn ? tb_clock_graph_add(&c->graph, head->machine, readings, snapshot.count, c->primary)
                                : tb_clock_graph_replay(&c->graph, head->machine, readings, snapshot.count, c->primary);
  return take_refusal(c, status, learn);
}

static enum tb_status add_sync(struct tb_input_clocks *c, uint32_t machine, const struct tb_remote_clock *clock) {
  void *syncs = c->syncs;
  uint32_t number;
  enum tb_status status =
      tb_grow_array(c->allocator, &syncs, &c->sync_capacity, c->sync_count + 1, sizeof(*c->syncs), SYNCS_MAX);
  c->syncs = syncs;
  if (status == TB_OK) status = tb_clock_graph_add_node(&c->graph, machine, clock->id, &number);
  if (status == TB_OK) status = tb_clock_graph_add_node(&c->graph, 0, clock->id, &number);
  if (status != TB_OK) return status;
  c->syncs[c->sync_count++] =
      (struct tb_input_clock_sync){machine, clock->id, clock->ns, tb_wrap_sub(clock->ns, clock->ahead)};
  return TB_OK;
}

static enum tb_status take_sync(struct tb_input_clocks *c, struct tb_str bytes, const struct tb_packet_header *head) {
  struct tb_remote_clock clocks[TB_REMOTE_SYNC_CLOCKS];
  struct tb_sync_origin origin = {head->machine, head->sequence, c->primary};
  size_t count, refused;
  enum tb_status status = tb_remote_clock_sync_read(bytes, clocks, &count);
  if (status != TB_OK) return take_refusal(c, status, true);
  status = tb_remote_clock_sync_add(&c->graph, bytes, &origin, &refused);
  c->bad_snapshots += refused;
  for (size_t i = 0; i < count && status == TB_OK; i++)
    if (!tb_clock_of_sequence(clocks[i].id)) status = add_sync(c, head->machine, &clocks[i]);
  return status;
}

static uint32_t default_clock(struct tb_str defaults) {
  struct tb_wire_cursor cursor = tb_wire_cursor(defaults);
  struct tb_wire_field field;
  uint32_t clock = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID && field.type == TB_WIRE_VARINT)
      clock = (uint32_t)field.value;
  return clock;
}

enum tb_status tb_input_clocks_take(struct tb_input_clocks *c, const struct tb_packet_header *head,
                                    struct tb_merge_sequence *sequence, bool learn) {
  enum tb_status status = TB_OK;
  struct tb_str sync = tb_packet_header_payload(head, TB_TRACE_PACKET_REMOTE_CLOCK_SYNC);
  if (head->cleared) sequence->default_clock = 0;
  if (head->defaults.ptr) sequence->default_clock = default_clock(head->defaults);
  if (head->clock_snapshot.ptr) status = take_snapshot(c, head, learn);
  if (status == TB_OK && sync.ptr && learn && head->machine) status = take_sync(c, sync, head);
  return status;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static bool find(const struct tb_input_clocks *c, uint32_t machine, uint32_t sequence, uint32_t clock,
                 uint32_t *number) {
  return tb_clock_graph_find(&c->graph, machine, tb_clock_key(clock, sequence), number);
}

void tb_input_clocks_fit(struct tb_input_clocks *c, uint32_t machine, uint32_t clock, struct tb_time_map *map) {
  uint32_t number;
  int64_t converted;
  bool takes = c->fitted_count < TB_FITTED_CLOCKS && find(c, machine, 0, clock, &number) &&
               tb_clock_graph_convert_node(&c->graph, number, c->primary, 0, &converted) == TB_OK;
  if (!takes) {
    tb_time_map_free(map);
    return;
  }
  c->fitted[c->fitted_count++] = (struct tb_fitted_clock){number, *map};
  c->graph.nodes[number].line.changes = 0; /* the line of a snapshot no longer holds */
}

const struct tb_fitted_clock *tb_input_clocks_fitted(const struct tb_input_clocks *c,
                                                     const struct tb_clock_node *node) {
  for (size_t i = 0; i < c->fitted_count; i++)
    if (node == &c->graph.nodes[c->fitted[i].node]) return &c->fitted[i];
  return NULL;
}

const struct tb_fitted_clock *tb_input_clocks_fit_of(const struct tb_input_clocks *c, uint32_t machine,
                                                     uint32_t clock) {
  uint32_t number;
  if (!c->fitted_count || !find(c, machine, 0, clock, &number)) return NULL;
  return tb_input_clocks_fitted(c, &c->graph.nodes[number]);
}

bool tb_input_clocks_read_slowly(struct tb_input_clocks *c, struct tb_clock_node *node, uint64_t timestamp,
                                 int64_t *time) {
  int64_t ns = (int64_t)(timestamp * node->unit_multiplier);
  const struct tb_fitted_clock *fitted = tb_input_clocks_fitted(c, node);
  if (fitted) {
    *time = tb_time_map_apply(&fitted->to_trace_clock, ns);
    return true;
  }
  if (node->incremental) ns = node->last = tb_wrap_add(node->last, ns);
  return tb_clock_graph_convert_node(&c->graph, (uint32_t)(node - c->graph.nodes), c->primary, ns, time) == TB_OK;
}

void tb_input_clocks_look_up(struct tb_input_clocks *c, struct tb_merge_sequence *sequence, uint32_t clock) {
  uint32_t number;
  bool found = find(c, sequence->machine, sequence->id, clock, &number);
  sequence->clock = clock;
  sequence->node = found ? number + 1 : 0;
  sequence->node_count = (uint32_t)c->graph.node_count;
}

void tb_input_clocks_events_of(struct tb_input_clocks *c, uint32_t sequence, struct tb_event_clock *events) {
  struct tb_merge_sequence *s = tb_merge_sequence_get(&c->sequences, 0, sequence);
  *events = (struct tb_event_clock){.id = sequence, .sequence = s};
  if (!s) return;
  events->default_clock = s->id && s->default_clock;
  events->clock = events->default_clock ? s->default_clock : c->primary;
  events->node = tb_input_clocks_of(c, s, events->clock);
  events->fitted = tb_input_clocks_fitted(c, events->node);
}

void tb_input_clocks_open_cursor(struct tb_input_clocks *c, const struct tb_event_clock *events,
                                 struct tb_clock_cursor *cursor) {
  if (events->node) {
    tb_clock_cursor_open(cursor, &c->graph, events->node, c->primary);
    return;
  }
  /* all but the last time there is, which tb_input_clocks_read reads */
  bool is_primary = events->clock == c->primary;
  *cursor = (struct tb_clock_cursor){.multiplier = 1, .from = (uint64_t)INT64_MIN, .span = is_primary ? UINT64_MAX : 0};
}

bool tb_input_clocks_read_past_cursor(struct tb_input_clocks *c, const struct tb_event_clock *events,
                                      struct tb_clock_cursor *cursor, uint64_t timestamp, int64_t *time) {
  tb_clock_cursor_close(cursor);
  bool resolved = tb_input_clocks_read(c, events->node, events->clock, timestamp, time);
  tb_input_clocks_open_cursor(c, events, cursor);
  return resolved;
}

uint32_t tb_input_clocks_implied(struct tb_input_clocks *c, const struct tb_packet_header *head) {
  bool chrome = head->kind == TB_TRACE_PACKET_CHROME_EVENTS || head->kind == TB_TRACE_PACKET_CHROME_METADATA;
  uint32_t number;
  return chrome && find(c, head->machine, 0, TB_CLOCK_MONOTONIC, &number) ? TB_CLOCK_MONOTONIC : c->primary;
}

bool tb_input_clocks_convert(struct tb_input_clocks *c, uint32_t machine, uint32_t clock, int64_t value,
                             int64_t *time) {
  const struct tb_fitted_clock *fitted = tb_input_clocks_fit_of(c, machine, clock);
  if (fitted) *time = tb_time_map_apply(&fitted->to_trace_clock, value);
  return fitted || tb_clock_graph_convert(&c->graph, machine, clock, c->primary, value, time) == TB_OK;
}

bool tb_input_clocks_convert_back(struct tb_input_clocks *c, uint32_t machine, uint32_t clock, int64_t time,
                                  int64_t *value) {
  return tb_clock_graph_convert(&c->graph, machine, c->primary, clock, time, value) == TB_OK;
}

bool tb_input_clocks_ahead(const struct tb_input_clocks *c, uint32_t machine, int64_t *ahead) {
  for (size_t i = 0; i < c->sync_count; i++) {
    const struct tb_input_clock_sync *sync = &c->syncs[i];
    if (sync->machine != machine || sync->clock != c->primary) continue;
    *ahead = tb_wrap_sub(sync->ns, sync->host_ns);
    return true;
  }
  return false;
}
