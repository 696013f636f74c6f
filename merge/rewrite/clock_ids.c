/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of clock ids, and of readings of clocks inside payloads.
 */
#include "merge/rewrite/id_assignment.h"
#include "tracebridge/event.h"

enum { PRIVATE_CLOCK_FIRST = TB_CLOCK_SEQUENCE_LAST + 1 };

static uint64_t clock_key(uint32_t machine, uint32_t clock) { return (uint64_t)machine << 32 | clock; }

/* A source's machine, as the owner of a clock: where machines are flattened several of one source are one. */
static uint64_t owner_of(const struct tb_source *s, uint32_t machine) { return (uint64_t)s->index << 32 | machine; }

/* Gives the clock to the source's machine unless another has it on the same machine of the merged trace. */
static enum tb_status own_clock(struct tb_merger *m, struct tb_source *s, uint32_t machine, uint32_t clock,
                                bool *owned) {
  uint64_t key = clock_key(tb_source_machine_out(s, machine), clock);
  const uint64_t *owner = tb_map_find(&m->clock_owner, key, 0);
  *owned = !owner || *owner == owner_of(s, machine);
  enum tb_status status = owner ? TB_OK : tb_map_put(&m->clock_owner, key, 0, owner_of(s, machine));
  return status == TB_OK && *owned ? tb_map_put(&s->owned, clock_key(machine, clock), 0, 1) : status;
}

/* A clock id that no input has on that machine. */
static enum tb_status rename_clock(struct tb_merger *m, struct tb_source *s, uint32_t machine, uint32_t clock) {
  uint32_t id = PRIVATE_CLOCK_FIRST + (uint32_t)(m->clock_owner.count & 0xffffff);
  while (tb_map_find(&m->clock_owner, clock_key(tb_source_machine_out(s, machine), id), 0)) id++;
  enum tb_status status =
      tb_map_put(&m->clock_owner, clock_key(tb_source_machine_out(s, machine), id), 0, owner_of(s, machine));
  tb_source_report(m, s)->clocks_remapped++;
  return status == TB_OK ? tb_map_put(&s->clock_map, clock_key(machine, clock), 0, id) : status;
}

/* Whether the source's own snapshots read the merged trace's clock, and stay. That its times are of it, as the user may
 * say, makes no such reading; and what an offset places reads another clock than the merged trace's. */
static bool keeps_trace_clock(const struct tb_merger *m, const struct tb_source *s) {
  return s->index == m->reference && !s->has_offset && tb_source_reads(s, m->trace_clock);
}

static enum tb_status assign_clock(struct tb_merger *m, struct tb_source *s, const struct tb_clock_node *node) {
  uint32_t primary = s->prescan.clocks.primary;
  uint32_t clock = tb_clock_node_clock(node);
  if (tb_clock_node_sequence(node)) return TB_OK;
  if (clock == m->trace_clock && (primary == m->trace_clock || keeps_trace_clock(m, s)))
    return TB_OK; /* the merged trace's own */
  bool owned = false;
  enum tb_status status = TB_OK;
  if (clock != m->trace_clock) status = own_clock(m, s, node->machine, clock, &owned);
  if (status != TB_OK || owned) return status;
  return rename_clock(m, s, node->machine, clock);
}

/* Ids of the trace's own clocks are taken before any is made; MONOTONIC by those who read it. */
static enum tb_status reserve_clocks(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    for (size_t k = 0; k < s->prescan.clocks.graph.node_count; k++) {
      const struct tb_clock_node *node = &s->prescan.clocks.graph.nodes[k];
      bool owned;
      uint32_t clock = tb_clock_node_clock(node);
      bool is_read = clock == TB_CLOCK_MONOTONIC && clock != m->trace_clock && !s->prescan.clocks.monotonic_assumed;
      if (tb_clock_node_sequence(node) || (clock < PRIVATE_CLOCK_FIRST && !is_read)) continue;
      enum tb_status status = own_clock(m, s, node->machine, clock, &owned);
      if (status != TB_OK) return status;
    }
  }
  return TB_OK;
}

enum tb_status tb_assign_clocks(struct tb_merger *m) {
  enum tb_status status = reserve_clocks(m);
  bool first = true;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    uint32_t primary = s->prescan.clocks.primary;
    for (size_t k = 0; k < s->prescan.clocks.graph.node_count && status == TB_OK; k++)
      status = assign_clock(m, s, &s->prescan.clocks.graph.nodes[k]);
    s->remap.clocks = &s->clock_map;
    if (s->clock_map.count) s->remap.active |= 1u << TB_FIELD_CLOCK | 1u << TB_FIELD_SNAPSHOT;
    bool still = s->fixed && s->moved_by == 0 && !s->realigned, is_primary = primary == m->trace_clock;
    if (!still || !first || !is_primary) {
      s->remap.trace_clock = m->trace_clock;
      s->remap.names_trace_clock = m->trace_clock != TB_CLOCK_BOOTTIME;
      s->remap.moved_clock = is_primary ? primary : 0;
      s->remap.added_clock = is_primary || keeps_trace_clock(m, s) ? 0 : m->trace_clock;
      s->remap.added_from = primary;
      s->remap.active |= 1u << TB_FIELD_SNAPSHOT;
    }
    bool fits = s->prescan.clocks.fitted_count;
    if (!still || s->clock_map.count || !is_primary || fits) s->remap.active |= 1u << TB_FIELD_TIME;
    first = false;
  }
  return status;
}

/* ---- times in payloads ------------------------------------------------------------------------------------------- */

/* A reading of a clock that another input owns on this machine: what that clock reads at the same merged time. */
static int64_t on_owners_clock(struct tb_source *owner, uint32_t machine, uint32_t clock, int64_t merged,
                               int64_t value) {
  int64_t own = tb_time_map_apply(&owner->back, tb_time_subtract(merged, owner->shift)), reading;
  return tb_input_clocks_convert_back(&owner->prescan.clocks, machine, clock, own, &reading) ? reading : value;
}

struct time_context {
  struct tb_merger *merger;
  struct tb_source *source;
};

static int64_t payload_time(void *ctx, uint32_t machine, uint32_t clock, int64_t value) {
  struct time_context *context = ctx;
  struct tb_source *s = context->source;
  struct tb_merger *m = context->merger;
  uint32_t primary = s->prescan.clocks.primary;
  if (clock == TB_CLOCK_UNKNOWN || (clock == primary && primary == m->trace_clock))
    return tb_source_time(s, machine, value);
  bool owned = tb_map_find(&s->owned, clock_key(machine, clock), 0);
  if (owned && !tb_input_clocks_fit_of(&s->prescan.clocks, machine, clock)) return value;
  int64_t own;
  if (!tb_input_clocks_convert(&s->prescan.clocks, machine, clock, value, &own)) return value;
  int64_t merged = tb_source_time(s, machine, own);
  if (clock == m->trace_clock) return merged;
  const uint64_t *owner = tb_map_find(&m->clock_owner, clock_key(tb_source_machine_out(s, machine), clock), 0);
  return owner ? on_owners_clock(&m->sources[*owner >> 32], (uint32_t)*owner, clock, merged, value) : value;
}

enum tb_status tb_assign_times(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    struct time_context *context = tb_arena_alloc(&m->arena, sizeof(*context));
    if (!context) return TB_NO_MEMORY;
    *context = (struct time_context){m, s};
    s->remap.time = payload_time;
    s->remap.ctx = context;
  }
  return TB_OK;
}
