/* SPDX-License-Identifier: Apache-2.0
 *
 * The time that processors worked for each user, in milliseconds, for targets that have the system's own events as
 * text: a mark of a counter for each user and cluster of processors, called as the trace processor calls it. Packets
 * say how much a number has grown since the one before, the first one of a sequence's state what it is.
 */
#include <inttypes.h>

#include "base/map.h"
#include "perfetto/reader/sched.h"
#include "protobuf/number_cursor.h"

enum { TOTALS_MAX = 1 << 16 };

/* A total counts from the first packet of its sequence's state. */
struct total {
  uint64_t ms;
  uint32_t generation;
};

struct cpu_per_uid {
  struct tb_map places; /* user and cluster; sequence -> place in `totals` */
  struct total *totals;
  size_t count, capacity;
  struct tb_map clusters; /* sequence -> how many there are, below its generation */
};

static void init(void *state, const struct tb_allocator *allocator) {
  struct cpu_per_uid *s = state;
  tb_map_init(&s->places, allocator);
  tb_map_init(&s->clusters, allocator);
}

static void clean_up(void *state, const struct tb_allocator *allocator) {
  struct cpu_per_uid *s = state;
  tb_free(allocator, s->totals, s->capacity * sizeof(*s->totals));
  tb_map_free(&s->places);
  tb_map_free(&s->clusters);
}

const struct tb_importer_state tb_cpu_per_uid_state = {
    .size = sizeof(struct cpu_per_uid), .init = init, .free = clean_up};

/* The total of that key, 0 at first and when the sequence's state begins anew. TB_OK, TB_LIMIT where there are too
 * many, or TB_NO_MEMORY. */
static enum tb_status find_total(struct cpu_per_uid *s, uint64_t key, const struct tb_sequence_state *of,
                                 uint64_t **total) {
  uint64_t sequence = of ? of->id : 0;
  uint32_t place, generation = of ? of->generation : 0;
  if (!tb_map_get(&s->places, key, sequence, &place)) {
    void *totals = s->totals;
    enum tb_status status =
        tb_grow_array(s->places.allocator, &totals, &s->capacity, s->count + 1, sizeof(*s->totals), TOTALS_MAX);
    s->totals = totals;
    if (status == TB_OK) status = tb_map_put(&s->places, key, sequence, (uint32_t)s->count);
    if (status != TB_OK) return status;
    place = (uint32_t)s->count++;
    s->totals[place] = (struct total){0, generation};
  }
  if (s->totals[place].generation != generation) s->totals[place] = (struct total){0, generation};
  *total = &s->totals[place].ms;
  return TB_OK;
}

static uint32_t cluster_count(struct tb_perfetto_reader *r, struct tb_str payload, const struct tb_sequence_state *of) {
  struct cpu_per_uid *s = r->importer_state;
  struct tb_wire_field fields[TB_CPU_PER_UID_DATA_CLUSTER_COUNT + 1];
  uint64_t sequence = of ? of->id : 0, generation = of ? of->generation : 0;
  (void)tb_wire_read_fields(payload, fields, sizeof(fields) / sizeof(fields[0]));
  if (!fields[TB_CPU_PER_UID_DATA_CLUSTER_COUNT].number) {
    const uint64_t *known = tb_map_find(&s->clusters, sequence, 0);
    return known && *known >> 32 == generation ? (uint32_t)*known : 0;
  }
  uint32_t count = (uint32_t)fields[TB_CPU_PER_UID_DATA_CLUSTER_COUNT].value;
  if (tb_map_put(&s->clusters, sequence, 0, generation << 32 | count) != TB_OK) r->out_of_memory = true;
  return count;
}

enum tb_status tb_perfetto_cpu_per_uid(struct tb_perfetto_reader *r, struct tb_str payload) {
  const struct tb_sequence_state *of = r->context.sequence;
  uint64_t uid = 0, grown;
  /* counters say less: nothing of numbers that did not grow, nor the sums */
  if (!tb_perfetto_wants_ftrace_instants(r)) {
    tb_perfetto_pass_packet(r);
    return TB_OK;
  }
  if (tb_perfetto_passes(r, r->context.has_ts)) return TB_OK;
  uint32_t clusters = cluster_count(r, payload, of), cluster = 0;
  struct tb_number_cursor uids = tb_number_cursor(payload, TB_CPU_PER_UID_DATA_UID);
  struct tb_number_cursor times = tb_number_cursor(payload, TB_CPU_PER_UID_DATA_TOTAL_TIME_MS);
  bool again = r->given > 0, whole = true;
  while (tb_number_cursor_next(&times, &grown)) {
    if (cluster == 0 && !tb_number_cursor_next(&uids, &uid)) break;
    uint64_t *total;
    enum tb_status status = find_total(r->importer_state, (uid & UINT32_MAX) << 32 | cluster, of, &total);
    if (status != TB_OK) {
      if (status != TB_LIMIT) r->out_of_memory = true;
      whole = false; /* what is known of the others goes on */
      break;
    }
    if (!again) *total += grown; /* a packet that is read again has said so */
    whole &= *total <= INT64_MAX && tb_perfetto_emit_gauge(r, 0, (int64_t)*total, "CPU for UID %" PRIu32 " CL%" PRIu32,
                                                           (uint32_t)uid, cluster);
    if (++cluster >= clusters) cluster = 0;
  }
  if (!whole) tb_perfetto_pass_packet(r);
  return TB_OK;
}
