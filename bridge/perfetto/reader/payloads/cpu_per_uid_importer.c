/* SPDX-License-Identifier: Apache-2.0
 *
 * The time that processors worked for each user, in milliseconds: a counter for each user and cluster of processors,
 * and for the system's users and the applications together, called as the trace processor calls them. Packets say how
 * much a number has grown since the one before, the first one of a sequence's state what it is; each packet makes a
 * value of every counter that is known, of those that did not grow too, since readers of counters cannot tell "no
 * change" from "not measured".
 */
#include <inttypes.h>

#include "base/map.h"
#include "perfetto/reader/sched.h"
#include "protobuf/number_cursor.h"

enum { TOTALS_MAX = 1 << 16, SAMPLES_MAX = 1 << 24 };
/* Android's numbers of users: those of each of its users (people) begin anew, the applications' behind the system's. */
enum { UIDS_OF_A_USER = 100000, FIRST_APPLICATION = 10000 };

enum whose { OF_UID, OF_SYSTEM, OF_APPLICATIONS };

/* What a user, or all of a kind, have had of a cluster. */
struct total {
  uint64_t ms, owner; /* of a user: of which sequence and machine; of a kind: of which machine */
  uint32_t uid, cluster;
  uint32_t generation; /* it counts from the first packet of this state of its sequence */
  enum whose whose;
};

struct total_list {
  struct tb_map places; /* user or kind, and cluster; owner -> place in `items` */
  struct total *items;
  size_t count, capacity;
};

/* A value of a counter that the current packet makes. */
struct sample {
  uint64_t ms;
  uint32_t uid, cluster;
  enum whose whose;
};

struct cpu_per_uid {
  struct total_list users, kinds;
  struct tb_map latest;   /* user and cluster; machine -> what the last packet of any sequence said */
  struct tb_map clusters; /* sequence and machine -> how many there are, below its generation */
  struct tb_map said;     /* user -> the last packet that said something of it, counted by `packets` */
  uint64_t packets;
  /* of the current packet, which may be read again to give out the rest of them */
  struct sample *samples;
  size_t sample_count, sample_capacity;
  bool whole; /* they say all of it */
};

static void init(void *state, const struct tb_allocator *allocator) {
  struct cpu_per_uid *s = state;
  tb_map_init(&s->users.places, allocator);
  tb_map_init(&s->kinds.places, allocator);
  tb_map_init(&s->latest, allocator);
  tb_map_init(&s->clusters, allocator);
  tb_map_init(&s->said, allocator);
}

static void free_totals(struct total_list *list, const struct tb_allocator *allocator) {
  tb_free(allocator, list->items, list->capacity * sizeof(*list->items));
  tb_map_free(&list->places);
}

static void clean_up(void *state, const struct tb_allocator *allocator) {
  struct cpu_per_uid *s = state;
  free_totals(&s->users, allocator);
  free_totals(&s->kinds, allocator);
  tb_free(allocator, s->samples, s->sample_capacity * sizeof(*s->samples));
  tb_map_free(&s->latest);
  tb_map_free(&s->clusters);
  tb_map_free(&s->said);
}

const struct tb_importer_state tb_cpu_per_uid_state = {
    .size = sizeof(struct cpu_per_uid), .init = init, .free = clean_up};

static uint64_t sequence_of(const struct tb_perfetto_reader *r) {
  return (uint64_t)r->head.machine << 32 | r->head.sequence;
}

static uint32_t generation_of(const struct tb_perfetto_reader *r) {
  return r->context.sequence ? r->context.sequence->generation : 0;
}

/* ---- totals ------------------------------------------------------------------------------------------------------ */

/* The total like `wanted`, which it is at first and when the sequence's state begins anew. TB_OK, TB_LIMIT where there
 * are too many, or TB_NO_MEMORY. */
static enum tb_status find_total(struct total_list *list, const struct total *wanted, struct total **found) {
  uint64_t key = (uint64_t)(wanted->whose == OF_UID ? wanted->uid : wanted->whose) << 32 | wanted->cluster;
  uint32_t place;
  if (!tb_map_get(&list->places, key, wanted->owner, &place)) {
    void *items = list->items;
    enum tb_status status = tb_grow_array(list->places.allocator, &items, &list->capacity, list->count + 1,
                                          sizeof(*list->items), TOTALS_MAX);
    list->items = items;
    if (status == TB_OK) status = tb_map_put(&list->places, key, wanted->owner, list->count);
    if (status != TB_OK) return status;
    place = (uint32_t)list->count++;
    list->items[place] = *wanted;
  }
  *found = &list->items[place];
  if ((*found)->generation != wanted->generation) **found = *wanted;
  return TB_OK;
}

static enum tb_status add_sample(struct cpu_per_uid *s, const struct total *total) {
  void *samples = s->samples;
  enum tb_status status = tb_grow_array(s->latest.allocator, &samples, &s->sample_capacity, s->sample_count + 1,
                                        sizeof(*s->samples), SAMPLES_MAX);
  s->samples = samples;
  if (status != TB_OK) return status;
  s->samples[s->sample_count++] =
      (struct sample){.ms = total->ms, .uid = total->uid, .cluster = total->cluster, .whose = total->whose};
  return TB_OK;
}

/* Adds to the kind's total what the user's has grown since any sequence said it last. */
static enum tb_status add_to_kind(struct tb_perfetto_reader *r, const struct total *user) {
  struct cpu_per_uid *s = r->importer_state;
  const uint64_t machine = r->head.machine, key = (uint64_t)user->uid << 32 | user->cluster;
  const uint64_t *latest = tb_map_find(&s->latest, key, machine);
  uint64_t grown = latest && user->ms > *latest ? user->ms - *latest : 0;
  bool is_system = user->uid % UIDS_OF_A_USER < FIRST_APPLICATION;
  struct total wanted = {.owner = machine, .cluster = user->cluster, .whose = is_system ? OF_SYSTEM : OF_APPLICATIONS};
  struct total *kind;
  enum tb_status status = tb_map_put(&s->latest, key, machine, user->ms);
  if (status == TB_OK) status = find_total(&s->kinds, &wanted, &kind);
  if (status == TB_OK) kind->ms += grown;
  return status;
}

static enum tb_status take_number(struct tb_perfetto_reader *r, uint32_t uid, uint32_t cluster, uint64_t grown) {
  struct cpu_per_uid *s = r->importer_state;
  struct total wanted = {
      .owner = sequence_of(r), .uid = uid, .cluster = cluster, .generation = generation_of(r), .whose = OF_UID};
  struct total *user;
  enum tb_status status = find_total(&s->users, &wanted, &user);
  if (status != TB_OK) return status;
  user->ms += grown;
  status = add_to_kind(r, user);
  if (status == TB_OK) status = tb_map_put(&s->said, uid, 0, s->packets);
  return status == TB_OK ? add_sample(s, user) : status;
}

static enum tb_status count_clusters(struct tb_perfetto_reader *r, struct tb_str payload, uint32_t *count) {
  struct cpu_per_uid *s = r->importer_state;
  struct tb_wire_field fields[TB_CPU_PER_UID_DATA_CLUSTER_COUNT + 1];
  const uint64_t generation = generation_of(r);
  (void)tb_wire_read_fields(payload, fields, sizeof(fields) / sizeof(fields[0]));
  if (!fields[TB_CPU_PER_UID_DATA_CLUSTER_COUNT].number) {
    const uint64_t *known = tb_map_find(&s->clusters, sequence_of(r), 0);
    *count = known && *known >> 32 == generation ? (uint32_t)*known : 0;
    return TB_OK;
  }
  *count = (uint32_t)fields[TB_CPU_PER_UID_DATA_CLUSTER_COUNT].value;
  return tb_map_put(&s->clusters, sequence_of(r), 0, generation << 32 | *count);
}

static enum tb_status take_numbers(struct tb_perfetto_reader *r, struct tb_str payload) {
  uint32_t clusters, cluster = 0;
  uint64_t uid = 0, grown;
  struct tb_number_cursor uids = tb_number_cursor(payload, TB_CPU_PER_UID_DATA_UID);
  struct tb_number_cursor times = tb_number_cursor(payload, TB_CPU_PER_UID_DATA_TOTAL_TIME_MS);
  enum tb_status status = count_clusters(r, payload, &clusters);
  while (status == TB_OK && tb_number_cursor_next(&times, &grown)) {
    if (cluster == 0 && !tb_number_cursor_next(&uids, &uid)) break;
    status = take_number(r, (uint32_t)uid, cluster, grown);
    if (++cluster >= clusters) cluster = 0;
  }
  return status;
}

/* Those of the machine's kinds, and of the sequence's users those of whom the packet says nothing. */
static enum tb_status add_others(struct tb_perfetto_reader *r) {
  struct cpu_per_uid *s = r->importer_state;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->kinds.count && status == TB_OK; i++)
    if (s->kinds.items[i].owner == r->head.machine) status = add_sample(s, &s->kinds.items[i]);
  for (size_t i = 0; i < s->users.count && status == TB_OK; i++) {
    const struct total *user = &s->users.items[i];
    const uint64_t *said = tb_map_find(&s->said, user->uid, 0);
    bool is_of_state = user->owner == sequence_of(r) && user->generation == generation_of(r);
    if (is_of_state && !(said && *said == s->packets)) status = add_sample(s, user);
  }
  return status;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/* False for a number that counters have no place for. */
static bool emit_sample(struct tb_perfetto_reader *r, const struct sample *sample) {
  if (sample->ms > INT64_MAX) return false;
  if (sample->whose == OF_UID)
    return tb_perfetto_emit_gauge(r, 0, (int64_t)sample->ms, "CPU for UID %" PRIu32 " CL%" PRIu32, sample->uid,
                                  sample->cluster);
  return tb_perfetto_emit_gauge(r, 0, (int64_t)sample->ms, "CPU for %s CL%" PRIu32,
                                sample->whose == OF_SYSTEM ? "System" : "Apps", sample->cluster);
}

enum tb_status tb_perfetto_cpu_per_uid(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct cpu_per_uid *s = r->importer_state;
  if (tb_perfetto_passes(r, r->context.has_ts)) return TB_OK;
  if (!r->given) {
    s->packets++;
    s->sample_count = 0;
    enum tb_status status = take_numbers(r, payload);
    s->whole = status == TB_OK; /* what is known of the others goes on */
    if (status == TB_OK || status == TB_LIMIT) status = add_others(r);
    if (status != TB_OK) r->out_of_memory = true;
  }
  for (size_t i = 0; i < s->sample_count && !r->full && !r->out_of_memory; i++) {
    if (r->emitted < r->given)
      r->emitted++;
    else
      s->whole = emit_sample(r, &s->samples[i]) && s->whole;
  }
  if (!s->whole && !r->full) tb_perfetto_pass_for_counters(r);
  return TB_OK;
}
