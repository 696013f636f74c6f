/* SPDX-License-Identifier: Apache-2.0
 *
 * What ids become. Here: machines and packet sequences. The first input keeps its own.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/mix64.h"
#include "merge/rewrite/id_assignment.h"
#include "protos/field_numbers.h"

static enum tb_status no_memory(struct tb_merger *m, enum tb_status status) {
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

/* ---- machines ---------------------------------------------------------------------------------------------------- */

/* What machines are known by: all of it that is taken, what names and boots have, and what this merge made. */
struct machine_book {
  struct tb_map taken, names, boots, made;
  struct tb_map processes; /* machine and pid with no name, and with each name: the last input that has it */
};

static uint64_t name_hash(const char *name) {
  uint64_t h = 1;
  for (; *name; name++) h = tb_mix64(h ^ (unsigned char)*name);
  return h;
}

static enum tb_status new_machine(struct machine_book *book, uint64_t seed, uint32_t *id) {
  do {
    seed = tb_mix64(seed);
    *id = (uint32_t)(seed & 0x7fffffff) | 0x40000000;
  } while (tb_map_find(&book->taken, *id, 0));
  enum tb_status status = tb_map_put(&book->taken, *id, 0, 1);
  return status == TB_OK ? tb_map_put(&book->made, *id, 0, 1) : status;
}

/* When an input recorded one of its machines, on the merged clock; false where nobody knows. */
static bool find_extent(struct tb_merger *m, const struct tb_source *s, const struct tb_prescanned_machine *machine,
                        int64_t *first, int64_t *last) {
  const struct tb_merge_input_report *in = tb_source_report(m, s);
  *first = in->first_ns;
  *last = in->last_ns;
  if (machine->id == tb_source_host(s)) return s->prescan.has_time;
  *first = tb_source_time(s, machine->id, machine->extent.first);
  *last = tb_source_time(s, machine->id, machine->extent.last);
  return machine->extent.any;
}

/* Whether two inputs may have the same of a machine at one time; of packets without a time, as ftrace's may be, nobody
 * knows. */
static bool both_record_machine(struct tb_merger *m, const struct tb_source *a, const struct tb_prescanned_machine *p,
                                const struct tb_source *b, const struct tb_prescanned_machine *q) {
  int64_t first_a, last_a, first_b, last_b;
  bool timed = find_extent(m, a, p, &first_a, &last_a), both = find_extent(m, b, q, &first_b, &last_b) && timed;
  if (both && (first_a > last_b || first_b > last_a)) return false;
  return p->whole_kinds & q->whole_kinds;
}

/* The earlier input that recorded the same of this machine of the merged trace at the same time; NULL: none. */
static const struct tb_source *other_recorder(struct tb_merger *m, const struct tb_source *s,
                                              const struct tb_prescanned_machine *machine, uint32_t id) {
  for (const struct tb_source *other = m->sources; other < s; other++) {
    for (size_t i = 0; i < other->prescan.machine_count && !other->skipped; i++) {
      const struct tb_prescanned_machine *of = &other->prescan.machines[i];
      const uint64_t *out = tb_map_find(&other->machines, of->id, 0);
      if (out && *out == id && both_record_machine(m, other, of, s, machine)) return other;
    }
  }
  return NULL;
}

static const struct tb_prescanned_machine *machine_of(const struct tb_source *s, uint32_t id) {
  for (size_t i = 0; i < s->prescan.machine_count; i++)
    if (s->prescan.machines[i].id == id) return &s->prescan.machines[i];
  return NULL;
}

static uint64_t process_on(uint32_t machine, int32_t pid) { return tb_mix64((uint64_t)machine << 32 | (uint32_t)pid); }

static bool is_named_process(const struct tb_prescanned_track *t) { return t->kind == TB_SURVEYED_PROCESS && t->name; }

/* Keeps the names of all processes that the input has, for the inputs behind it. */
static enum tb_status keep_processes(struct machine_book *book, const struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->prescan.track_count && status == TB_OK; i++) {
    const struct tb_prescanned_track *t = &s->prescan.tracks[i];
    if (!is_named_process(t)) continue;
    uint64_t process = process_on(tb_source_machine_out(s, t->machine), t->pid);
    status = tb_map_put(&book->processes, process, 0, s->index);
    if (status == TB_OK) status = tb_map_put(&book->processes, process, t->name, s->index);
  }
  return status;
}

/* What names say of whether an input's host is a machine that earlier inputs have. */
struct name_evidence {
  size_t alike;                                /* processes that have one id and one name in both */
  const struct tb_prescanned_track *otherwise; /* a process whose id has another name there; NULL: none */
  const struct tb_source *there;
};

/* A process that has several names, in turn, is one that has one of them. */
static enum tb_status compare_names(const struct tb_merger *m, const struct machine_book *book,
                                    const struct tb_source *s, uint32_t id, struct name_evidence *evidence) {
  struct tb_map alike;
  enum tb_status status = TB_OK;
  *evidence = (struct name_evidence){.alike = 0};
  tb_map_init(&alike, m->allocator);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < s->prescan.track_count && status == TB_OK; i++) {
      const struct tb_prescanned_track *t = &s->prescan.tracks[i];
      if (!is_named_process(t) || t->machine != tb_source_host(s)) continue;
      uint64_t process = process_on(id, t->pid);
      const uint64_t *there = tb_map_find(&book->processes, process, 0);
      if (pass == 0 && there && tb_map_find(&book->processes, process, t->name))
        status = tb_map_put(&alike, process, 0, 1);
      if (pass == 0 || !there || evidence->otherwise || tb_map_find(&alike, process, 0)) continue;
      evidence->otherwise = t;
      evidence->there = &m->sources[*there];
    }
  }
  evidence->alike = alike.count;
  tb_map_free(&alike);
  return status;
}

static bool recorded_at_once(struct tb_merger *m, const struct tb_source *a, const struct tb_source *b) {
  const struct tb_merge_input_report *p = tb_source_report(m, a), *q = tb_source_report(m, b);
  return a->prescan.has_time && b->prescan.has_time && p->first_ns <= q->last_ns && q->first_ns <= p->last_ns;
}

/* Sets *other where a process of the input's host cannot be what an earlier input has by that id: its name is another.
 * Both are of one machine only where they have another process in common, and the id could be given anew in between.
 * One boot is no sign of that: containers of one host have the same. */
static enum tb_status is_other_by_names(struct tb_merger *m, const struct machine_book *book, const struct tb_source *s,
                                        uint32_t id, bool *other) {
  struct name_evidence names;
  enum tb_status status = compare_names(m, book, s, id, &names);
  *other = status == TB_OK && names.otherwise && (!names.alike || recorded_at_once(m, s, names.there));
  if (*other)
    tb_merge_report_add_note(
        m->report, TB_MERGE_NOTE_NAMES_CONTRADICT, s->index,
        "its process %" PRId32
        " has another name than that of %s: taken for a process of another machine, as "
        "those of two containers are, it has a machine of its own; with tb_merge_input.machine FILE=NAME, one name "
        "for both, they are on one",
        names.otherwise->pid, names.there->name);
  return status;
}

/* What the machine is known by that an input's host is. */
static enum tb_status host_machine(struct tb_merger *m, struct machine_book *book, struct tb_source *s, bool first,
                                   uint32_t *id) {
  uint32_t host = tb_prescan_machine(&s->prescan, tb_source_host(s));
  uint64_t *known = s->machine_name ? tb_map_find(&book->names, name_hash(s->machine_name), 0) : NULL;
  if (!known && s->boot) known = tb_map_find(&book->boots, s->boot, 0);
  bool other = s->machine_name || (s->boot && book->boots.count);
  enum tb_status status = TB_OK;
  *id = known ? (uint32_t)*known : host;
  const struct tb_prescanned_machine *own = machine_of(s, tb_source_host(s));
  const struct tb_source *recorder = s->machine_name || !own ? NULL : other_recorder(m, s, own, *id);
  if (recorder) {
    tb_merge_report_add_note(
        m->report, TB_MERGE_NOTE_OWN_MACHINE, s->index,
        "recorded its machine at the same time as %s: it is a machine of its own, lest they end "
        "each other's slices; with tb_merge_input.machine FILE=NAME, one name for both, they are one",
        recorder->name);
    return new_machine(book, s->prescan.content, id);
  }
  bool is_new = !known && !host && !first && other, contradicts = false;
  if (is_new)
    status = new_machine(book, s->machine_name ? name_hash(s->machine_name) : s->prescan.content, id);
  else if (!s->machine_name)
    status = is_other_by_names(m, book, s, *id, &contradicts);
  if (contradicts) {
    status = new_machine(book, s->prescan.content, id);
    if (known) return status;
  }
  if (status == TB_OK && s->machine_name) status = tb_map_put(&book->names, name_hash(s->machine_name), 0, *id);
  if (status == TB_OK && s->boot) status = tb_map_put(&book->boots, s->boot, 0, *id);
  return status;
}

/* Keeps what boots of a machine there are; the machine that one of them is known by, NULL: none. */
static const uint64_t *find_boot(struct machine_book *book, const struct tb_source *s, uint32_t machine) {
  const uint64_t *known = NULL;
  for (size_t i = 0; i < s->prescan.boots.count && !known; i++) {
    const struct tb_kept_boot *boot = &s->prescan.boots.items[i];
    if (boot->machine == machine && boot->boot) known = tb_map_find(&book->boots, boot->boot, 0);
  }
  return known;
}

static enum tb_status keep_boots_of(struct machine_book *book, const struct tb_source *s, uint32_t machine,
                                    uint32_t id) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < s->prescan.boots.count && status == TB_OK; i++) {
    const struct tb_kept_boot *boot = &s->prescan.boots.items[i];
    if (boot->machine == machine && boot->boot && !tb_map_find(&book->boots, boot->boot, 0))
      status = tb_map_put(&book->boots, boot->boot, 0, id);
  }
  return status;
}

/* Whether another machine of the input is this one of the merged trace already. */
static bool has_machine(const struct tb_source *s, uint32_t machine, uint32_t id) {
  for (size_t i = 0; i < s->prescan.machine_count; i++) {
    uint32_t other = s->prescan.machines[i].id;
    const uint64_t *out = other != machine ? tb_map_find(&s->machines, other, 0) : NULL;
    if (out && *out == id) return true;
  }
  return false;
}

/* The other machines of an input stay what they are, unless they have the name of another or, as machines of a merged
 * trace may, its boot. Two machines of one input are never one by their boot: who merged it kept two recordings of one
 * boot apart. */
static enum tb_status other_machine(struct tb_merger *m, struct machine_book *book, struct tb_source *s,
                                    uint32_t machine) {
  const char *name = tb_source_machine_name(s, machine);
  const uint64_t *known = name ? tb_map_find(&book->names, name_hash(name), 0) : find_boot(book, s, machine);
  uint32_t id = tb_prescan_machine(&s->prescan, machine);
  const struct tb_prescanned_machine *own = machine_of(s, machine);
  if (known && !name &&
      (has_machine(s, machine, (uint32_t)*known) || (own && other_recorder(m, s, own, (uint32_t)*known))))
    known = NULL;
  if (known) id = (uint32_t)*known;
  enum tb_status status = name && !known ? tb_map_put(&book->names, name_hash(name), 0, id) : TB_OK;
  if (status == TB_OK) status = keep_boots_of(book, s, machine, id);
  return status == TB_OK ? tb_map_put(&s->machines, machine, 0, id) : status;
}

/* Which machines are one. */
static enum tb_status identify_machines(struct tb_merger *m, struct machine_book *book) {
  enum tb_status status = TB_OK;
  bool first = true;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    const struct tb_prescan *prescan = &m->sources[i].prescan;
    for (size_t k = 0; k < prescan->machine_count && status == TB_OK; k++)
      status = tb_map_put(&book->taken, tb_prescan_machine(prescan, prescan->machines[k].id), 0, 1);
  }
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    uint32_t host = tb_source_host(s), id = 0;
    status = host_machine(m, book, s, first, &id);
    if (status == TB_OK) status = tb_map_put(&s->machines, host, 0, id);
    for (size_t k = 0; k < s->prescan.machine_count && status == TB_OK; k++)
      if (s->prescan.machines[k].id != host) status = other_machine(m, book, s, s->prescan.machines[k].id);
    if (status == TB_OK) status = keep_processes(book, s);
    first = false;
  }
  return status;
}

/* Machines by what they are known by, each with its id in the merged trace; and ids that have one. */
struct machine_numbers {
  struct tb_map ids, taken;
  uint32_t next;
};

static enum tb_status number_machine(struct machine_numbers *numbers, uint32_t machine, uint32_t id) {
  enum tb_status status = tb_map_put(&numbers->ids, machine, 0, id);
  return status == TB_OK ? tb_map_put(&numbers->taken, id, 0, 1) : status;
}

/* Ids that recordings brought stay: no packet says what such a machine is known by but its id. */
static enum tb_status keep_machines(struct tb_merger *m, struct machine_numbers *numbers) {
  enum tb_status status = number_machine(numbers, 0, 0);
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    for (size_t k = 0; k < s->prescan.machine_count && !s->skipped && status == TB_OK; k++) {
      const struct tb_prescanned_machine *machine = &s->prescan.machines[k];
      if (!machine->identity && tb_source_machine_out(s, machine->id) == machine->id)
        status = number_machine(numbers, machine->id, machine->id);
    }
  }
  return status;
}

/* Others get the smallest that are free, since each packet has its machine's; what an earlier merge gave stays where it
 * may. */
static enum tb_status number_machines(struct machine_numbers *numbers, struct tb_source *s) {
  enum tb_status status = TB_OK;
  for (size_t k = 0; k < s->prescan.machine_count && status == TB_OK; k++) {
    const struct tb_prescanned_machine *machine = &s->prescan.machines[k];
    uint32_t known_by = tb_source_machine_out(s, machine->id), id = machine->id;
    const uint64_t *known = tb_map_find(&numbers->ids, known_by, 0);
    if (known) {
      id = (uint32_t)*known;
    } else {
      if (!machine->identity || tb_map_find(&numbers->taken, id, 0)) {
        while (tb_map_find(&numbers->taken, numbers->next, 0)) numbers->next++;
        id = numbers->next;
      }
      status = number_machine(numbers, known_by, id);
    }
    if (status == TB_OK) status = tb_map_put(&s->machines, machine->id, 0, id);
  }
  return status;
}

/* Machines that this merge made are introduced. */
static enum tb_status list_new_machines(struct tb_merger *m, const struct machine_book *book,
                                        const struct machine_numbers *numbers) {
  enum tb_status status = TB_OK;
  size_t at = 0;
  for (struct tb_map_entry made; status == TB_OK && tb_map_next(&book->made, &at, &made);) {
    const uint64_t *id = tb_map_find(&numbers->ids, made.first, 0);
    if (id) status = tb_map_put(&m->new_machines, *id, 0, made.first);
  }
  m->unintroduced = m->new_machines.count;
  return status;
}

static enum tb_status assign_machines(struct tb_merger *m, struct machine_book *book) {
  struct machine_numbers numbers = {.next = 1};
  tb_map_init(&numbers.ids, m->allocator);
  tb_map_init(&numbers.taken, m->allocator);
  enum tb_status status = identify_machines(m, book);
  if (status == TB_OK) status = keep_machines(m, &numbers);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    status = number_machines(&numbers, s);
    struct tb_merge_input_report *in = tb_source_report(m, s);
    in->machine_id = tb_source_machine_out(s, tb_source_host(s));
    in->machine = s->machine_name ? tb_merge_report_print(m->report, "%s", s->machine_name) : "";
  }
  if (status == TB_OK) status = list_new_machines(m, book, &numbers);
  tb_map_free(&numbers.ids);
  tb_map_free(&numbers.taken);
  return status;
}

/* Where inputs bring several machines in addition to the first, one of them ahead of its host, none may stay so: the
 * trace processor takes what a RemoteClockSync says for all machines. Neither may it where all become one. One input
 * alone stays as it is. */
static enum tb_status choose_clocks_of_machines(struct tb_merger *m, bool *in_step) {
  struct tb_map others;
  tb_map_init(&others, m->allocator);
  enum tb_status status = TB_OK;
  bool any_ahead = false;
  size_t inputs = 0;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    inputs += !s->skipped;
    for (size_t k = 0; k < s->prescan.machine_count && !s->skipped && status == TB_OK; k++) {
      uint32_t out = tb_source_machine_out(s, s->prescan.machines[k].id);
      any_ahead |= s->prescan.machines[k].ahead != 0;
      if (out) status = tb_map_put(&others, out, 0, 1);
    }
  }
  *in_step = any_ahead && (m->options.flatten_machines || (inputs > 1 && others.count > 1));
  tb_map_free(&others);
  return status;
}

/* A machine has one clock in the merged trace: as much ahead as in the first input that has it, or in step with the
 * merged trace's. */
static enum tb_status align_machines(struct tb_merger *m) {
  struct tb_map aheads;
  bool in_step;
  tb_map_init(&aheads, m->allocator);
  enum tb_status status = choose_clocks_of_machines(m, &in_step);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    for (size_t k = 0; k < s->prescan.machine_count && !s->skipped && status == TB_OK; k++) {
      struct tb_prescanned_machine *machine = &s->prescan.machines[k];
      uint32_t out = tb_source_machine_out(s, machine->id);
      const uint64_t *known = tb_map_find(&aheads, out, 0);
      if (!known) status = tb_map_put(&aheads, out, 0, in_step ? 0 : (uint64_t)machine->ahead);
      if (known || in_step) machine->merged_ahead = in_step ? 0 : (int64_t)*known;
      s->realigned |= machine->merged_ahead != machine->ahead;
    }
    s->remap.ends_syncs = in_step;
  }
  tb_map_free(&aheads);
  return status;
}

/* All machines become one: process and thread ids of each but machine 0 get its number in front, names the machine's
 * name. To be called when tracks are separated by machine already. */
static enum tb_status flatten_machines(struct tb_merger *m) {
  struct tb_map numbers;
  tb_map_init(&numbers, m->allocator);
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    for (size_t k = 0; k < s->prescan.machine_count && !s->skipped && status == TB_OK; k++) {
      uint32_t machine = s->prescan.machines[k].id, out = tb_source_machine_out(s, machine);
      if (out == 0) continue;
      const uint64_t *known = tb_map_find(&numbers, out, 0);
      uint64_t number = known ? *known : numbers.count + 1;
      if (number >> (31 - TB_PID_BITS)) status = TB_LIMIT;
      if (status == TB_OK && !known) status = tb_map_put(&numbers, out, 0, number);
      if (status == TB_OK) status = tb_map_put(&s->pid_added, machine, 0, number << TB_PID_BITS);
      if (status == TB_OK) status = tb_map_put(&s->machines, machine, 0, 0);
    }
    s->remap.pid_added = &s->pid_added;
    if (s->pid_added.count) s->remap.active |= 1u << TB_FIELD_PID | 1u << TB_FIELD_TID | 1u << TB_FIELD_DESCRIPTION;
    if (!s->machine_name) continue;
    s->remap.process_prefix = tb_merge_report_print(m->report, "%s: ", s->machine_name);
    s->remap.active |= 1u << TB_FIELD_PROCESS_NAME;
  }
  tb_map_free(&numbers);
  tb_map_free(&m->new_machines);
  return status;
}

/* ---- packet sequences -------------------------------------------------------------------------------------------- */

/* Ids that no sequence of an earlier input has got. */
static enum tb_status number_one_by_one(struct tb_source *s, struct tb_map *taken, uint32_t *next) {
  const struct tb_merge_sequences *sequences = &s->prescan.clocks.sequences;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < sequences->count && status == TB_OK; i++) {
    uint32_t id = sequences->items[i].id;
    if (id == 0 || tb_map_find(&s->sequence_map, id, 0)) continue; /* the same id of another machine */
    while (tb_map_find(taken, *next, 0)) ++*next;
    status = tb_map_put(&s->sequence_map, id, 0, *next);
    if (status == TB_OK) status = tb_map_put(taken, *next, 0, 1);
  }
  s->remap.sequences = &s->sequence_map;
  return status;
}

/* Where the highest ids add up to more than an id can be: the first input keeps its own, all others get what is
 * free. */
static enum tb_status number_sequences(struct tb_merger *m) {
  struct tb_map taken;
  tb_map_init(&taken, m->allocator);
  enum tb_status status = TB_OK;
  uint32_t next = 1;
  bool first = true;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *s = &m->sources[i];
    const struct tb_merge_sequences *sequences = &s->prescan.clocks.sequences;
    if (s->skipped) continue;
    for (size_t k = 0; first && k < sequences->count && status == TB_OK; k++)
      status = tb_map_put(&taken, sequences->items[k].id, 0, 1);
    if (!first && status == TB_OK) status = number_one_by_one(s, &taken, &next);
    s->remap.sequence_base = 0;
    if (!first) s->remap.active |= 1u << TB_FIELD_SEQUENCE;
    first = false;
  }
  tb_map_free(&taken);
  return status;
}

/* A range of ids for each input, as long as they fit. */
static enum tb_status assign_sequences(struct tb_merger *m) {
  uint64_t next = 0;
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    const struct tb_merge_sequences *sequences = &s->prescan.clocks.sequences;
    if (s->skipped) continue;
    for (size_t k = 0; k < sequences->count; k++) tb_source_report(m, s)->sequences += sequences->items[k].id != 0;
    s->remap.sequence_base = (uint32_t)next;
    if (next) s->remap.active |= 1u << TB_FIELD_SEQUENCE;
    next += sequences->max_id;
  }
  return next <= UINT32_MAX ? TB_OK : number_sequences(m);
}

/* ---- all ids ----------------------------------------------------------------------------------------------------- */

/* Readers drop ftrace data from before the recording started: on each machine the first start counts. */
static enum tb_status choose_starters(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    if (s->skipped || !s->prescan.has_started) continue;
    uint32_t machine = tb_source_machine_out(s, tb_source_host(s));
    const uint64_t *other = tb_map_find(&m->starters, machine, 0);
    const struct tb_source *o = other ? &m->sources[*other] : NULL;
    if (o && tb_source_time(o, 0, o->prescan.started) <= tb_source_time(s, 0, s->prescan.started)) continue;
    enum tb_status status = tb_map_put(&m->starters, machine, 0, s->index);
    if (status != TB_OK) return status;
  }
  for (size_t i = 0; i < m->source_count;
       i++) { /* an input whose data is older than any start had none: no start counts */
    const struct tb_source *s = &m->sources[i];
    uint64_t *starter = s->skipped ? NULL : tb_map_find(&m->starters, tb_source_machine_out(s, tb_source_host(s)), 0);
    if (!starter || *starter == s->index || *starter >= m->source_count || !s->prescan.has_time) continue;
    const struct tb_source *o = &m->sources[*starter];
    if (!s->prescan.has_started && tb_source_time(s, 0, s->prescan.first) < tb_source_time(o, 0, o->prescan.started))
      *starter = UINT64_MAX;
  }
  return TB_OK;
}

static bool moves_machines(const struct tb_source *s) {
  for (size_t i = 0; i < s->prescan.machine_count; i++)
    if (tb_source_machine_out(s, s->prescan.machines[i].id) != s->prescan.machines[i].id) return true;
  return false;
}

enum tb_status tb_merger_assign_ids(struct tb_merger *m) {
  struct machine_book machines;
  tb_map_init(&machines.taken, m->allocator);
  tb_map_init(&machines.names, m->allocator);
  tb_map_init(&machines.boots, m->allocator);
  tb_map_init(&machines.made, m->allocator);
  tb_map_init(&machines.processes, m->allocator);
  enum tb_status status = assign_machines(m, &machines);
  if (status == TB_OK) status = align_machines(m);
  if (status == TB_OK) status = assign_sequences(m);
  if (status == TB_OK) status = tb_assign_tracks(m);
  if (status == TB_OK && m->options.flatten_machines) status = flatten_machines(m);
  if (status == TB_OK) status = tb_assign_clocks(m);
  if (status == TB_OK) status = tb_assign_times(m);
  if (status == TB_OK) status = choose_starters(m);
  tb_map_free(&machines.taken);
  tb_map_free(&machines.names);
  tb_map_free(&machines.boots);
  tb_map_free(&machines.made);
  tb_map_free(&machines.processes);
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    s->moves_machines = moves_machines(s);
    s->untouched = s->remap.active == 0 && !s->moves_machines && !s->prescan.clocks.fitted_count;
    if (s->numbered) s->remap.active |= 1u << TB_FIELD_UUID | 1u << TB_FIELD_TRACK;
  }
  return no_memory(m, status);
}
