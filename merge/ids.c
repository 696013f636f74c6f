/* SPDX-License-Identifier: Apache-2.0
 *
 * What ids become: machines, packet sequences, tracks, flows, clocks. The first input keeps its own.
 */
#include <inttypes.h>

#include "base/error.h"
#include "clock_names.h"
#include "merger.h"
#include "tracebridge/event.h"

enum { PRIVATE_CLOCK_FIRST = TB_INPUT_CLOCK_TRACE_FIRST };

static enum tb_status no_memory(struct tb_merger *m, enum tb_status status) {
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

static uint32_t machine_out(const struct tb_source *s, uint32_t machine) {
  const uint64_t *out = tb_table_get(&s->machines, machine);
  return out ? (uint32_t)*out : machine;
}

/* ---- machines ---------------------------------------------------------------------------------------------------------------- */

/* Machine ids of the merged trace that are taken, and names and boots that have one. */
struct machine_book {
  struct tb_table taken, names, boots;
};

static uint64_t name_hash(const char *name) {
  uint64_t h = 1;
  for (; *name; name++) h = tb_scatter(h ^ (unsigned char)*name);
  return h;
}

static enum tb_status new_machine(struct tb_merger *m, struct machine_book *book, uint64_t seed, uint32_t *id) {
  do {
    seed = tb_scatter(seed);
    *id = (uint32_t)(seed & 0x7fffffff) | 0x40000000;
  } while (tb_table_get(&book->taken, *id));
  enum tb_status status = tb_table_put(&book->taken, *id, 1);
  return status == TB_OK ? tb_table_put(&m->new_machines, *id, 0) : status;
}

/* The id of the machine that an input's host is. */
static enum tb_status host_machine(struct tb_merger *m, struct machine_book *book, struct tb_source *s, bool first,
                                   uint32_t host, uint32_t *id) {
  uint64_t *known = s->machine_name ? tb_table_get(&book->names, name_hash(s->machine_name)) : NULL;
  if (!known && s->boot) known = tb_table_get(&book->boots, s->boot);
  bool other = s->machine_name || (s->boot && book->boots.count);
  enum tb_status status = TB_OK;
  if (known)
    *id = (uint32_t)*known;
  else if (host || first || !other)
    *id = host;
  else
    status = new_machine(m, book, s->machine_name ? name_hash(s->machine_name) : s->survey.content, id);
  if (status == TB_OK && s->machine_name) status = tb_table_put(&book->names, name_hash(s->machine_name), *id);
  if (status == TB_OK && s->boot) status = tb_table_put(&book->boots, s->boot, *id);
  return status;
}

/* The other machines of an input keep their ids, unless the manifest names them. */
static enum tb_status other_machine(struct machine_book *book, struct tb_source *s, uint32_t machine) {
  const char *name = tb_source_machine_name(s, machine);
  uint64_t *known = name ? tb_table_get(&book->names, name_hash(name)) : NULL;
  uint32_t id = known ? (uint32_t)*known : machine;
  enum tb_status status = name && !known ? tb_table_put(&book->names, name_hash(name), id) : TB_OK;
  return status == TB_OK ? tb_table_put(&s->machines, machine, id) : status;
}

static enum tb_status assign_machines(struct tb_merger *m, struct machine_book *book) {
  enum tb_status status = TB_OK;
  bool first = true;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    for (size_t k = 0; k < s->survey.machine_count && status == TB_OK; k++)
      status = tb_table_put(&book->taken, s->survey.machines[k].id, 1);
  }
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    uint32_t host = tb_source_host(s), id = 0;
    status = host_machine(m, book, s, first, host, &id);
    if (status == TB_OK) status = tb_table_put(&s->machines, host, id);
    for (size_t k = 0; k < s->survey.machine_count && status == TB_OK; k++)
      if (s->survey.machines[k].id != host) status = other_machine(book, s, s->survey.machines[k].id);
    first = false;
    struct tb_merge_input_report *in = tb_source_report(m, s);
    in->machine_id = id;
    in->machine = s->machine_name ? s->machine_name : "";
  }
  return status;
}

/* All machines become one: process and thread ids of each but machine 0 get its number in front, names the machine's name. To be
 * called when tracks are told apart by machine already. */
static enum tb_status flatten_machines(struct tb_merger *m) {
  struct tb_table numbers;
  tb_table_init(&numbers, m->allocator);
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    for (size_t k = 0; k < s->survey.machine_count && !s->skipped && status == TB_OK; k++) {
      uint32_t machine = s->survey.machines[k].id, out = machine_out(s, machine);
      if (out == 0) continue;
      const uint64_t *known = tb_table_get(&numbers, out);
      uint64_t number = known ? *known : numbers.count + 1;
      if (number >> (31 - TB_PID_BITS)) status = TB_LIMIT;
      if (status == TB_OK && !known) status = tb_table_put(&numbers, out, number);
      if (status == TB_OK) status = tb_table_put(&s->pid_added, machine, number << TB_PID_BITS);
      if (status == TB_OK) status = tb_table_put(&s->machines, machine, 0);
    }
    s->remap.pid_added = &s->pid_added;
    if (s->pid_added.count) s->remap.active |= 1u << TB_FIELD_PID | 1u << TB_FIELD_TID;
    if (!s->machine_name) continue;
    s->remap.process_prefix = tb_merge_report_print(m->report, "%s: ", s->machine_name);
    s->remap.active |= 1u << TB_FIELD_PROCESS_NAME;
  }
  tb_table_free(&numbers);
  tb_table_free(&m->new_machines);
  return status;
}

/* ---- packet sequences ---------------------------------------------------------------------------------------------------------- */

static enum tb_status number_one_by_one(struct tb_source *s, uint64_t *next) {
  for (size_t i = 0; i < s->survey.sequences.capacity; i++) {
    const struct tb_table_entry *entry = &s->survey.sequences.entries[i];
    if (!entry->used) continue;
    enum tb_status status = tb_table_put(&s->sequence_map, entry->key, *next + entry->value - 1);
    if (status != TB_OK) return status;
  }
  *next += s->survey.sequences.count;
  s->remap.sequences = &s->sequence_map;
  return *next <= (uint64_t)UINT32_MAX + 1 ? TB_OK : TB_LIMIT;
}

static enum tb_status assign_sequences(struct tb_merger *m) {
  uint64_t next = 1;
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    tb_source_report(m, s)->sequences = s->survey.sequences.count;
    if (next - 1 + s->survey.sequence_max > UINT32_MAX) {
      enum tb_status status = number_one_by_one(s, &next);
      if (status != TB_OK) return status;
    } else {
      s->remap.sequence_base = (uint32_t)(next - 1);
      next += s->survey.sequence_max;
    }
    if (s->remap.sequences || s->remap.sequence_base) s->remap.active |= 1u << TB_FIELD_SEQUENCE;
  }
  return TB_OK;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------------------------ */

/* Tracks that inputs described so far: uuids, each with the first input that has it; processes and threads, each with its uuid in
 * the merged trace; and for these uuids the input and the process' name. */
struct track_book {
  struct tb_table uuids, processes, threads, names;
};

static bool overlap(const struct tb_merger *m, const struct tb_source *a, const struct tb_source *b) {
  if (!a->survey.has_time || !b->survey.has_time) return false;
  const struct tb_merge_input_report *p = &m->report->inputs[a->index], *q = &m->report->inputs[b->index];
  return p->first_ns <= q->last_ns && q->first_ns <= p->last_ns;
}

static uint64_t process_key(const struct tb_source *s, const struct tb_surveyed_track *t) {
  return tb_scatter((uint64_t)machine_out(s, t->machine) << 32 | (uint32_t)t->pid);
}

/* A thread is one of its process, as the merged trace knows it; where no descriptor has the process, of its pid. */
static uint64_t thread_key(const struct tb_source *s, const struct tb_surveyed_track *t) {
  const uint64_t *parent = t->parent ? tb_table_get(&s->survey.track_index, t->parent) : NULL;
  const uint64_t *out = parent ? tb_table_get(&s->uuid_map, t->parent) : NULL;
  bool process = out && s->survey.tracks[*parent].kind == TB_SURVEYED_PROCESS;
  return tb_scatter(process ? *out : process_key(s, t)) ^ tb_scatter((uint64_t)t->tid);
}

/* Whether a track that is no process or thread is the one that an earlier input means by the same uuid. */
static bool same_track(const struct tb_merger *m, const struct track_book *book, const struct tb_source *s,
                       const struct tb_surveyed_track *t) {
  const uint64_t *first = tb_table_get(&book->uuids, t->uuid);
  const struct tb_source *other = first ? &m->sources[*first] : NULL;
  const uint64_t *at = first ? tb_table_get(&other->survey.track_index, t->uuid) : NULL;
  if (!at) return false; /* a uuid that the other input's got by the salt */
  return machine_out(other, other->survey.tracks[*at].machine) == machine_out(s, t->machine) &&
         tb_survey_identity(&other->survey, t->uuid) == tb_survey_identity(&s->survey, t->uuid);
}

/* A uuid for a track that no earlier input has: its own where that is free. */
static uint64_t fresh_uuid(const struct track_book *book, const struct tb_source *s, uint64_t uuid, bool own_is_free) {
  if (own_is_free) return uuid;
  uint64_t out = tb_remap_uuid(&s->remap, uuid);
  while (tb_table_get(&book->uuids, out)) out = tb_scatter(out + s->remap.uuid_salt);
  return out;
}

static enum tb_status set_uuid(struct tb_merger *m, struct track_book *book, struct tb_source *s, uint64_t from,
                               uint64_t to) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  if (from == to)
    in->uuids_kept++;
  else
    in->uuids_remapped++;
  enum tb_status status = tb_table_get(&book->uuids, to) ? TB_OK : tb_table_put(&book->uuids, to, s->index);
  return status == TB_OK ? tb_table_put(&s->uuid_map, from, to) : status;
}

static enum tb_status map_process(struct tb_merger *m, struct track_book *book, struct tb_source *s,
                                  const struct tb_surveyed_track *t) {
  const uint64_t *known = tb_table_get(&book->processes, process_key(s, t));
  const uint64_t *name = known ? tb_table_get(&book->names, *known) : NULL;
  if (known && (!name || !*name || !t->name || *name == t->name)) return set_uuid(m, book, s, t->uuid, *known);
  uint64_t to = fresh_uuid(book, s, t->uuid, !tb_table_get(&book->uuids, t->uuid));
  enum tb_status status = known ? TB_OK : tb_table_put(&book->processes, process_key(s, t), to);
  if (status == TB_OK) status = tb_table_put(&book->names, to, t->name);
  return status == TB_OK ? set_uuid(m, book, s, t->uuid, to) : status;
}

static enum tb_status map_thread(struct tb_merger *m, struct track_book *book, struct tb_source *s,
                                 const struct tb_surveyed_track *t) {
  const uint64_t *known = tb_table_get(&book->threads, thread_key(s, t));
  uint64_t of = known ? *known : 0;
  const uint64_t *owner = known ? tb_table_get(&book->uuids, of) : NULL;
  bool mine = owner && *owner == s->index;
  if (known && !mine && owner && !overlap(m, &m->sources[*owner], s)) return set_uuid(m, book, s, t->uuid, of);
  uint64_t to = fresh_uuid(book, s, t->uuid, !tb_table_get(&book->uuids, t->uuid));
  enum tb_status status = TB_OK;
  if (!known) {
    status = tb_table_put(&book->threads, thread_key(s, t), to);
  } else if (
      !mine) { /* slices of both at one time would close each other: those of this input get a track of their own */
    if (to == of) to = fresh_uuid(book, s, t->uuid, false);
    status = tb_table_put(&s->described, t->uuid, of);
    if (status == TB_OK) status = tb_table_put(&s->separate, t->uuid, 0);
  }
  return status == TB_OK ? set_uuid(m, book, s, t->uuid, to) : status;
}

static enum tb_status map_other(struct tb_merger *m, struct track_book *book, struct tb_source *s,
                                const struct tb_surveyed_track *t) {
  bool free = !tb_table_get(&book->uuids, t->uuid);
  uint64_t to = t->uuid && !free && same_track(m, book, s, t) ? t->uuid : fresh_uuid(book, s, t->uuid, free);
  return set_uuid(m, book, s, t->uuid, to);
}

/* Processes first, for threads are theirs. */
static enum tb_status map_tracks(struct tb_merger *m, struct track_book *book, struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (int pass = 0; pass < 3; pass++) {
    for (size_t i = 0; i < s->survey.track_count && status == TB_OK; i++) {
      const struct tb_surveyed_track *t = &s->survey.tracks[i];
      bool process = t->kind == TB_SURVEYED_PROCESS, thread = t->kind == TB_SURVEYED_THREAD;
      if (pass == 0 && process) status = map_process(m, book, s, t);
      if (pass == 1 && thread) status = map_thread(m, book, s, t);
      if (pass == 2 && !process && !thread) status = map_other(m, book, s, t);
    }
  }
  return status;
}

/* The first input's tracks stay as they are. */
static enum tb_status enter_tracks(struct tb_merger *m, struct track_book *book, struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->survey.track_count && status == TB_OK; i++)
    status = set_uuid(m, book, s, s->survey.tracks[i].uuid, s->survey.tracks[i].uuid);
  for (size_t i = 0; i < s->survey.track_count && status == TB_OK; i++) {
    const struct tb_surveyed_track *t = &s->survey.tracks[i];
    if (t->kind == TB_SURVEYED_PROCESS && !tb_table_get(&book->processes, process_key(s, t))) {
      status = tb_table_put(&book->processes, process_key(s, t), t->uuid);
      if (status == TB_OK) status = tb_table_put(&book->names, t->uuid, t->name);
    } else if (t->kind == TB_SURVEYED_THREAD && !tb_table_get(&book->threads, thread_key(s, t))) {
      status = tb_table_put(&book->threads, thread_key(s, t), t->uuid);
    }
  }
  return status;
}

static enum tb_status assign_tracks(struct tb_merger *m, struct track_book *book) {
  enum tb_status status = TB_OK;
  uint64_t salt = 0;
  bool first = true;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    salt = tb_scatter(salt ^
                      s->survey.content); /* of this and all inputs before: no two merges give two inputs one salt */
    if (!first) {
      s->remap.uuid_salt = salt | 1;
      s->remap.flow_salt = m->options.share_flows ? 0 : tb_scatter(salt) | 1;
      s->remap.uuids = &s->uuid_map;
      s->remap.active |= 1u << TB_FIELD_UUID | 1u << TB_FIELD_TRACK;
      if (s->remap.flow_salt) s->remap.active |= 1u << TB_FIELD_FLOW | 1u << TB_FIELD_LEGACY_ID;
      s->remap.described = &s->described;
      status = map_tracks(m, book, s);
    } else {
      status = enter_tracks(m, book, s);
    }
    first = false;
  }
  return status;
}

/* ---- clocks ----------------------------------------------------------------------------------------------------------------------- */

static uint64_t clock_key(uint32_t machine, uint32_t clock) { return (uint64_t)machine << 32 | clock; }

/* Gives the clock to the source unless another has it on the same machine. */
static enum tb_status own_clock(struct tb_merger *m, struct tb_source *s, uint32_t machine, uint32_t clock,
                                bool *owned) {
  uint64_t key = clock_key(machine_out(s, machine), clock);
  const uint64_t *owner = tb_table_get(&m->clock_owner, key);
  *owned = !owner || *owner == s->index;
  enum tb_status status = owner ? TB_OK : tb_table_put(&m->clock_owner, key, s->index);
  return status == TB_OK && *owned ? tb_table_put(&s->owned, clock_key(machine, clock), 1) : status;
}

/* A clock id that no input has on that machine. */
static enum tb_status rename_clock(struct tb_merger *m, struct tb_source *s, uint32_t machine, uint32_t clock) {
  uint32_t id = PRIVATE_CLOCK_FIRST + (uint32_t)(m->clock_owner.count & 0xffffff);
  while (tb_table_get(&m->clock_owner, clock_key(machine_out(s, machine), id))) id++;
  enum tb_status status = tb_table_put(&m->clock_owner, clock_key(machine_out(s, machine), id), s->index);
  tb_source_report(m, s)->clocks_remapped++;
  return status == TB_OK ? tb_table_put(&s->clock_map, clock_key(machine, clock), id) : status;
}

static enum tb_status assign_clock(struct tb_merger *m, struct tb_source *s, const struct tb_input_clock *node) {
  uint32_t primary = s->survey.clocks.primary;
  if (node->sequence) return TB_OK;
  if (node->clock == m->trace_clock && (primary == m->trace_clock || s->index == m->reference))
    return TB_OK; /* the merged trace's own */
  bool owned = false;
  enum tb_status status = TB_OK;
  if (node->clock != m->trace_clock) status = own_clock(m, s, node->machine, node->clock, &owned);
  if (status != TB_OK || owned) return status;
  return rename_clock(m, s, node->machine, node->clock);
}

/* Ids of the trace's own clocks are taken before any is made. */
static enum tb_status reserve_clocks(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    for (size_t k = 0; k < s->survey.clocks.node_count; k++) {
      const struct tb_input_clock *node = &s->survey.clocks.nodes[k];
      bool owned;
      if (node->sequence || node->clock < TB_INPUT_CLOCK_TRACE_FIRST) continue;
      enum tb_status status = own_clock(m, s, node->machine, node->clock, &owned);
      if (status != TB_OK) return status;
    }
  }
  return TB_OK;
}

static enum tb_status assign_clocks(struct tb_merger *m) {
  enum tb_status status = reserve_clocks(m);
  bool first = true;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    uint32_t primary = s->survey.clocks.primary;
    for (size_t k = 0; k < s->survey.clocks.node_count && status == TB_OK; k++)
      status = assign_clock(m, s, &s->survey.clocks.nodes[k]);
    s->remap.clocks = &s->clock_map;
    if (s->clock_map.count) s->remap.active |= 1u << TB_FIELD_CLOCK | 1u << TB_FIELD_SNAPSHOT;
    bool still = s->fixed && s->moved_by == 0;
    if (!still || !first) {
      s->remap.trace_clock = m->trace_clock;
      s->remap.moved_clock = primary == m->trace_clock ? primary : 0;
      s->remap.added_clock = primary != m->trace_clock && s->index != m->reference ? m->trace_clock : 0;
      s->remap.added_from = primary;
      s->remap.active |= 1u << TB_FIELD_SNAPSHOT;
    }
    if (!still || s->clock_map.count || primary != m->trace_clock) s->remap.active |= 1u << TB_FIELD_TIME;
    first = false;
  }
  return status;
}

/* ---- times in payloads ---------------------------------------------------------------------------------------------------------------- */

/* A reading of a clock that another input owns on this machine: what that clock reads at the same merged time. */
static int64_t on_owners_clock(const struct tb_source *s, struct tb_source *owner, uint32_t machine, uint32_t clock,
                               int64_t merged, int64_t value) {
  uint32_t out = machine_out(s, machine);
  for (size_t i = 0; i < owner->survey.machine_count; i++) {
    uint32_t of_owner = owner->survey.machines[i].id;
    if (machine_out(owner, of_owner) != out) continue;
    int64_t own = tb_time_map_apply(&owner->back, merged - owner->shift), reading;
    return tb_input_clocks_convert_back(&owner->survey.clocks, of_owner, clock, own, &reading) ? reading : value;
  }
  return value;
}

struct time_context {
  struct tb_merger *merger;
  struct tb_source *source;
};

static int64_t payload_time(void *ctx, uint32_t machine, uint32_t clock, int64_t value) {
  struct time_context *context = ctx;
  struct tb_source *s = context->source;
  struct tb_merger *m = context->merger;
  uint32_t primary = s->survey.clocks.primary;
  if (clock == TB_CLOCK_UNKNOWN || (clock == primary && primary == m->trace_clock))
    return tb_source_time(s, machine, value);
  if (tb_table_get(&s->owned, clock_key(machine, clock))) return value;
  int64_t own;
  if (!tb_input_clocks_convert(&s->survey.clocks, machine, clock, value, &own)) return value;
  int64_t merged = tb_source_time(s, machine, own);
  if (clock == m->trace_clock) return merged;
  const uint64_t *owner = tb_table_get(&m->clock_owner, clock_key(machine_out(s, machine), clock));
  return owner ? on_owners_clock(s, &m->sources[*owner], machine, clock, merged, value) : value;
}

static enum tb_status set_times(struct tb_merger *m) {
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

/* Readers drop ftrace data from before the recording started: on each machine the first start counts. */
static enum tb_status choose_starters(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    if (s->skipped || !s->survey.has_started) continue;
    uint32_t machine = machine_out(s, tb_source_host(s));
    const uint64_t *other = tb_table_get(&m->starters, machine);
    const struct tb_source *o = other ? &m->sources[*other] : NULL;
    if (o && tb_source_time(o, 0, o->survey.started) <= tb_source_time(s, 0, s->survey.started)) continue;
    enum tb_status status = tb_table_put(&m->starters, machine, s->index);
    if (status != TB_OK) return status;
  }
  for (size_t i = 0; i < m->source_count;
       i++) { /* an input whose data is older than any start had none: no start counts */
    const struct tb_source *s = &m->sources[i];
    uint64_t *starter = s->skipped ? NULL : tb_table_get(&m->starters, machine_out(s, tb_source_host(s)));
    if (!starter || *starter == s->index || *starter >= m->source_count || !s->survey.has_time) continue;
    const struct tb_source *o = &m->sources[*starter];
    if (!s->survey.has_started && tb_source_time(s, 0, s->survey.first) < tb_source_time(o, 0, o->survey.started))
      *starter = UINT64_MAX;
  }
  return TB_OK;
}

static bool moves_machines(const struct tb_source *s) {
  for (size_t i = 0; i < s->survey.machine_count; i++)
    if (machine_out(s, s->survey.machines[i].id) != s->survey.machines[i].id) return true;
  return false;
}

enum tb_status tb_merger_assign_ids(struct tb_merger *m) {
  struct machine_book machines;
  tb_table_init(&machines.taken, m->allocator);
  tb_table_init(&machines.names, m->allocator);
  tb_table_init(&machines.boots, m->allocator);
  struct track_book tracks;
  tb_table_init(&tracks.uuids, m->allocator);
  tb_table_init(&tracks.processes, m->allocator);
  tb_table_init(&tracks.threads, m->allocator);
  tb_table_init(&tracks.names, m->allocator);
  enum tb_status status = assign_machines(m, &machines);
  if (status == TB_OK) status = assign_sequences(m);
  if (status == TB_OK) status = assign_tracks(m, &tracks);
  if (status == TB_OK && m->options.flatten_machines) status = flatten_machines(m);
  if (status == TB_OK) status = assign_clocks(m);
  if (status == TB_OK) status = set_times(m);
  if (status == TB_OK) status = choose_starters(m);
  tb_table_free(&machines.taken);
  tb_table_free(&machines.names);
  tb_table_free(&machines.boots);
  tb_table_free(&tracks.uuids);
  tb_table_free(&tracks.processes);
  tb_table_free(&tracks.threads);
  tb_table_free(&tracks.names);
  for (size_t i = 0; i < m->source_count; i++)
    m->sources[i].untouched = m->sources[i].remap.active == 0 && !moves_machines(&m->sources[i]);
  return no_memory(m, status);
}
