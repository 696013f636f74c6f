/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/owners/owners.h"

#include "base/error.h"
#include "ftrace/event_text.h"
#include "perfetto/reader/tables/chrome_names.h"
#include "protobuf/number_cursor.h"
#include "protos/field_numbers.h"
#include "toolbox/counter_name.h"
#include "toolbox/walk/atrace.h"

enum { OWNERS_MAX = 1 << 24, TRACKS_MAX = 1 << 24, MAKERS_MAX = 64 };
/* What names of processes and of threads are mixed with, so that those of one kind are no others'. */
enum { MIX_PROCESS = 0x7072, MIX_THREAD_NAME = 0x746e, MIX_MAIN = 0x6d61 };

void tb_owners_init(struct tb_owners *owners, const struct tb_allocator *allocator) {
  *owners = (struct tb_owners){.allocator = allocator};
  tb_map_init(&owners->process_index, allocator);
  tb_map_init(&owners->thread_index, allocator);
  tb_map_init(&owners->track_index, allocator);
  tb_map_init(&owners->judged, allocator);
  tb_map_init(&owners->recorders, allocator);
  tb_map_init(&owners->transactions, allocator);
  tb_memory_owners_init(&owners->memories, allocator);
  tb_buffer_init(&owners->scratch, allocator, 0);
  tb_intern_init(&owners->kept_names, allocator);
}

void tb_owners_free(struct tb_owners *owners) {
  if (!owners->allocator) return;
  tb_free(owners->allocator, owners->owners, owners->owner_capacity * sizeof(*owners->owners));
  tb_free(owners->allocator, owners->tracks, owners->track_capacity * sizeof(*owners->tracks));
  tb_map_free(&owners->process_index);
  tb_map_free(&owners->thread_index);
  tb_map_free(&owners->track_index);
  tb_map_free(&owners->judged);
  tb_map_free(&owners->recorders);
  tb_map_free(&owners->transactions);
  tb_memory_owners_free(&owners->memories);
  tb_buffer_free(&owners->scratch);
  tb_intern_free(&owners->kept_names);
}

/* ---- processes and threads --------------------------------------------------------------------------------------- */

/* What is named: a process, a thread of a process, or one of the system. */
struct who {
  bool is_thread;
  uint64_t first, second; /* in its index */
  int64_t id;
};

static struct who process_key(uint32_t machine, int64_t pid) {
  return (struct who){false, machine, (uint64_t)pid, pid};
}

static struct who thread_key(uint32_t machine, int64_t pid, int64_t tid) {
  return (struct who){true, (uint64_t)machine << 32 | (uint32_t)pid, (uint64_t)tid, tid};
}

static struct who system_thread(uint32_t machine, int64_t tid) {
  return (struct who){true, UINT64_C(1) << 63 | machine, (uint64_t)tid, tid};
}

static const struct tb_owner *find_owner(const struct tb_owners *owners, struct who who) {
  uint32_t number;
  const struct tb_map *index = who.is_thread ? &owners->thread_index : &owners->process_index;
  return tb_map_get(index, who.first, who.second, &number) ? &owners->owners[number] : NULL;
}

/* NULL where memory is out. */
static struct tb_owner *get_owner(struct tb_owners *owners, struct who who) {
  struct tb_map *index = who.is_thread ? &owners->thread_index : &owners->process_index;
  const struct tb_name_patterns *patterns = who.is_thread ? &owners->threads : &owners->processes;
  uint32_t number;
  if (tb_map_get(index, who.first, who.second, &number)) return &owners->owners[number];
  void *items = owners->owners;
  enum tb_status status = tb_grow_array(owners->allocator, &items, &owners->owner_capacity, owners->owner_count + 1,
                                        sizeof(*owners->owners), OWNERS_MAX);
  owners->owners = items;
  struct tb_owner owner = {
      .verdict = tb_name_judge_number(patterns, who.id), .pid = TB_OWNER_UNKNOWN, .maker = TB_OWNER_UNKNOWN};
  if (status != TB_OK || tb_map_put(index, who.first, who.second, owners->owner_count) != TB_OK) return NULL;
  owners->owners[owners->owner_count] = owner;
  return &owners->owners[owners->owner_count++];
}

static enum tb_status keep_name(struct tb_owners *owners, struct who who, struct tb_str name) {
  struct tb_owner *owner = get_owner(owners, who);
  if (!owner) return TB_NO_MEMORY;
  uint32_t hash = tb_intern_hash(name), id = tb_intern_find(&owners->kept_names, name, hash);
  owner->name = id ? id : tb_intern_add(&owners->kept_names, name, hash);
  return owner->name ? TB_OK : TB_NO_MEMORY;
}

static enum tb_status name_owner(struct tb_owners *owners, struct who who, struct tb_str name) {
  const struct tb_name_patterns *patterns = who.is_thread ? &owners->threads : &owners->processes;
  if (owners->keeps_names && name.len) return keep_name(owners, who, name);
  if (!patterns->count || !name.len) return TB_OK;
  uint64_t whose = tb_mix64(who.first) ^ who.second;
  uint64_t key = tb_str_hash(name, who.is_thread ? MIX_THREAD_NAME : MIX_PROCESS);
  if (tb_map_find(&owners->judged, key, whose)) return TB_OK;
  struct tb_owner *owner = get_owner(owners, who);
  if (!owner || tb_map_put(&owners->judged, key, whose, 1) != TB_OK) return TB_NO_MEMORY;
  owner->named = true;
  return tb_name_judge(patterns, name, &owners->scratch, &owner->verdict);
}

/* What the kernel calls a thread; so is its process called where it is the main one and nothing else is said. */
static enum tb_status name_comm(struct tb_owners *owners, uint32_t machine, int64_t tid, struct tb_str name) {
  const struct tb_owner *thread = find_owner(owners, system_thread(machine, tid));
  bool is_main = !thread || (thread->pid == TB_OWNER_UNKNOWN ? thread->maker == TB_OWNER_UNKNOWN : thread->pid == tid);
  uint64_t key = tb_str_hash(name, MIX_MAIN), whose = tb_mix64(machine) ^ (uint64_t)tid;
  if (owners->processes.count && is_main && name.len && !tb_map_find(&owners->judged, key, whose)) {
    struct tb_owner *process = get_owner(owners, process_key(machine, tid));
    if (!process || tb_map_put(&owners->judged, key, whose, 1) != TB_OK) return TB_NO_MEMORY;
    enum tb_status status = tb_name_judge(&owners->processes, name, &owners->scratch, &process->by_thread);
    if (status != TB_OK) return status;
  }
  return name_owner(owners, system_thread(machine, tid), name);
}

static enum tb_status put_system_thread(struct tb_owners *owners, uint32_t machine, int64_t pid, int64_t tid,
                                        bool is_sure) {
  struct tb_owner *owner = get_owner(owners, system_thread(machine, tid));
  if (!owner) return TB_NO_MEMORY;
  if (is_sure || owner->pid == TB_OWNER_UNKNOWN) owner->pid = pid;
  return get_owner(owners, process_key(machine, pid)) ? TB_OK : TB_NO_MEMORY;
}

/* The thread's process is the maker's, which may be said later. */
static enum tb_status put_made_thread(struct tb_owners *owners, uint32_t machine, int64_t maker, int64_t tid) {
  const struct tb_owner *parent = find_owner(owners, system_thread(machine, maker));
  if (parent && parent->pid != TB_OWNER_UNKNOWN) return put_system_thread(owners, machine, parent->pid, tid, true);
  struct tb_owner *made = get_owner(owners, system_thread(machine, tid));
  if (!made) return TB_NO_MEMORY;
  made->maker = maker;
  return get_owner(owners, process_key(machine, maker)) ? TB_OK : TB_NO_MEMORY;
}

static bool choose_process(const struct tb_owners *owners, uint32_t machine, int64_t pid) {
  const struct tb_owner *owner = find_owner(owners, process_key(machine, pid));
  if (!owner) return tb_name_verdict_is_chosen(tb_name_judge_number(&owners->processes, pid));
  struct tb_name_verdict verdict = owner->verdict;
  verdict.wanted |= !owner->named && owner->by_thread.wanted;
  verdict.refused |= !owner->named && owner->by_thread.refused;
  return tb_name_verdict_is_chosen(verdict);
}

/* By all names that it has, as the one and as the other. */
static bool choose_thread(const struct tb_owners *owners, uint32_t machine, int64_t pid, int64_t tid) {
  const struct tb_owner *exact = find_owner(owners, thread_key(machine, pid, tid));
  const struct tb_owner *system = find_owner(owners, system_thread(machine, tid));
  struct tb_name_verdict verdict = exact ? exact->verdict : tb_name_judge_number(&owners->threads, tid);
  if (system && (system->pid == pid || system->pid == TB_OWNER_UNKNOWN)) {
    verdict.wanted |= system->verdict.wanted;
    verdict.refused |= system->verdict.refused;
  }
  return tb_name_verdict_is_chosen(verdict) && choose_process(owners, machine, pid);
}

static struct tb_str name_of(const struct tb_owners *owners, struct who who) {
  const struct tb_owner *owner = find_owner(owners, who);
  return owner && owner->name ? owners->kept_names.texts[owner->name - 1] : (struct tb_str){"", 0};
}

struct tb_str tb_owners_name(const struct tb_owners *owners, const struct tb_whose *whose) {
  struct tb_str name = {"", 0};
  if (whose->kind == TB_WHOSE_PROCESS) name = name_of(owners, process_key(whose->machine, whose->pid));
  if (whose->kind == TB_WHOSE_THREAD) name = name_of(owners, thread_key(whose->machine, whose->pid, whose->tid));
  if (name.len || whose->kind == TB_WHOSE_NOBODY) return name;
  return name_of(owners, system_thread(whose->machine, whose->kind == TB_WHOSE_PROCESS ? whose->pid : whose->tid));
}

bool tb_owners_choose(const struct tb_owners *owners, const struct tb_whose *whose) {
  if (whose->kind == TB_WHOSE_THREAD) return choose_thread(owners, whose->machine, whose->pid, whose->tid);
  return whose->kind == TB_WHOSE_NOBODY || choose_process(owners, whose->machine, whose->pid);
}

/* The process of a thread of the system; one that nothing is known of is taken to be a main thread. */
static int64_t process_of(const struct tb_owners *owners, uint32_t machine, int64_t tid) {
  const struct tb_owner *owner = find_owner(owners, system_thread(machine, tid));
  for (int depth = 0; owner && depth < MAKERS_MAX; depth++) {
    if (owner->pid != TB_OWNER_UNKNOWN) return owner->pid;
    if (owner->maker == TB_OWNER_UNKNOWN) break;
    tid = owner->maker;
    owner = find_owner(owners, system_thread(machine, tid));
  }
  return tid;
}

struct tb_whose tb_owners_process_of(const struct tb_owners *owners, uint32_t machine, int64_t tid) {
  return tb_whose_process(machine, process_of(owners, machine, tid));
}

struct tb_whose tb_owners_thread(const struct tb_owners *owners, uint32_t machine, int64_t tid) {
  return (struct tb_whose){TB_WHOSE_THREAD, machine, process_of(owners, machine, tid), tid};
}

static struct tb_map_key transaction_key(uint32_t machine, const struct tb_ftrace_event *event, bool received) {
  uint32_t field = event->kind == TB_FTRACE_EVENT_BINDER_TRANSACTION
                       ? TB_BINDER_TRANSACTION_FTRACE_EVENT_DEBUG_ID
                       : TB_BINDER_TRANSACTION_RECEIVED_FTRACE_EVENT_DEBUG_ID;
  return (struct tb_map_key){(uint32_t)tb_wire_find_number(event->payload, field), (uint64_t)machine << 1 | received};
}

struct tb_whose tb_owners_other_side(const struct tb_owners *owners, uint32_t machine,
                                     const struct tb_ftrace_event *event) {
  static const struct tb_whose nobody = {.kind = TB_WHOSE_NOBODY};
  bool sent = event->kind == TB_FTRACE_EVENT_BINDER_TRANSACTION;
  if (!sent && event->kind != TB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED) return nobody;
  struct tb_map_key key = transaction_key(machine, event, sent);
  const uint64_t *tid = tb_map_find(&owners->transactions, key.first, key.second);
  if (tid) return tb_owners_thread(owners, machine, (int64_t)*tid);
  uint64_t to = sent ? tb_wire_find_number(event->payload, TB_BINDER_TRANSACTION_FTRACE_EVENT_TO_THREAD) : 0;
  return to ? tb_owners_thread(owners, machine, (int32_t)to) : nobody;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static uint64_t kind_of(const struct tb_track_key *track) { return (uint64_t)track->machine << 1 | track->is_uuid; }

/* NULL where memory is out. */
static struct tb_owned_track *get_track(struct tb_owners *owners, const struct tb_track_key *track) {
  uint64_t key = track->key, kind = kind_of(track);
  uint32_t number;
  if (tb_map_get(&owners->track_index, key, kind, &number)) return &owners->tracks[number];
  void *items = owners->tracks;
  enum tb_status status = tb_grow_array(owners->allocator, &items, &owners->track_capacity, owners->track_count + 1,
                                        sizeof(*owners->tracks), TRACKS_MAX);
  owners->tracks = items;
  if (status != TB_OK || tb_map_put(&owners->track_index, key, kind, owners->track_count) != TB_OK) return NULL;
  owners->tracks[owners->track_count] =
      (struct tb_owned_track){.pid = TB_OWNER_UNKNOWN,
                              .tid = TB_OWNER_UNKNOWN,
                              .verdict = {tb_name_patterns_want_all(&owners->counters), false}};
  return &owners->tracks[owners->track_count++];
}

static const struct tb_owned_track *find_track(const struct tb_owners *owners, const struct tb_track_key *track) {
  uint32_t number;
  return tb_map_get(&owners->track_index, track->key, kind_of(track), &number) ? &owners->tracks[number] : NULL;
}

struct tb_whose tb_owners_of_track(const struct tb_owners *owners, const struct tb_track_key *track, bool of_process) {
  static const struct tb_whose nobody = {.kind = TB_WHOSE_NOBODY};
  struct tb_track_key key = *track;
  const struct tb_owned_track *at = find_track(owners, &key);
  for (int depth = 0; at && depth < TB_TRACK_DEPTH_MAX; depth++) {
    if (at->tid != TB_OWNER_UNKNOWN && !of_process)
      return (struct tb_whose){TB_WHOSE_THREAD, key.machine, at->pid, at->tid};
    if (at->pid != TB_OWNER_UNKNOWN) return tb_whose_process(key.machine, at->pid);
    if (!at->parent) return nobody;
    key = (struct tb_track_key){key.machine, at->parent, true};
    at = find_track(owners, &key);
  }
  return nobody;
}

struct tb_whose tb_owners_of_event(const struct tb_owners *owners, uint32_t machine, const struct tb_event_view *view) {
  struct tb_track_key track = {machine, view->from, view->from_uuid};
  if (view->of_all) return (struct tb_whose){.kind = TB_WHOSE_NOBODY};
  return tb_owners_of_track(owners, &track, view->of_process);
}

bool tb_owners_is_counter(const struct tb_owners *owners, uint32_t machine, uint64_t uuid) {
  const struct tb_owned_track *track = find_track(owners, &(struct tb_track_key){machine, uuid, true});
  return track && track->is_counter;
}

bool tb_owners_choose_counter(const struct tb_owners *owners, uint32_t machine, uint64_t uuid) {
  const struct tb_owned_track *track = find_track(owners, &(struct tb_track_key){machine, uuid, true});
  return !track || !track->is_counter || tb_name_verdict_is_chosen(track->verdict);
}

/* ---- what packets say -------------------------------------------------------------------------------------------- */

static enum tb_status take_process(struct tb_owners *owners, uint32_t machine, struct tb_str descriptor, uint64_t type,
                                   struct tb_owned_track *track) {
  struct tb_wire_field f[TB_PROCESS_DESCRIPTOR_PROCESS_NAME + 1];
  (void)tb_wire_read_fields(descriptor, f, TB_PROCESS_DESCRIPTOR_PROCESS_NAME + 1);
  int64_t pid = (int64_t)f[TB_PROCESS_DESCRIPTOR_PID].value;
  struct tb_str name = tb_wire_text(&f[TB_PROCESS_DESCRIPTOR_PROCESS_NAME]);
  if (!name.len && !type) type = f[TB_PROCESS_DESCRIPTOR_CHROME_PROCESS_TYPE].value;
  if (!name.len) name = tb_chrome_process_name((int32_t)type);
  if (track) track->pid = pid;
  if (!get_owner(owners, process_key(machine, pid))) return TB_NO_MEMORY;
  return name_owner(owners, process_key(machine, pid), name);
}

/* `type` is the thread's for Chrome, which is its name where it has none. */
static enum tb_status take_thread(struct tb_owners *owners, uint32_t machine, struct tb_str descriptor, uint64_t type,
                                  const struct tb_track_key *key) {
  struct tb_wire_field f[TB_THREAD_DESCRIPTOR_THREAD_NAME + 1];
  (void)tb_wire_read_fields(descriptor, f, TB_THREAD_DESCRIPTOR_THREAD_NAME + 1);
  int64_t pid = (int64_t)f[TB_THREAD_DESCRIPTOR_PID].value, tid = (int64_t)f[TB_THREAD_DESCRIPTOR_TID].value;
  struct tb_str name = tb_wire_text(&f[TB_THREAD_DESCRIPTOR_THREAD_NAME]);
  if (!name.len && !type) type = f[TB_THREAD_DESCRIPTOR_CHROME_THREAD_TYPE].value;
  if (!name.len) name = tb_chrome_thread_name((int32_t)type);
  struct tb_owned_track *track = get_track(owners, key);
  if (!track) return TB_NO_MEMORY;
  track->pid = pid;
  track->tid = tid;
  enum tb_status status = put_system_thread(owners, machine, pid, tid, false);
  if (status == TB_OK && !get_owner(owners, thread_key(machine, pid, tid))) status = TB_NO_MEMORY;
  return status == TB_OK ? name_owner(owners, thread_key(machine, pid, tid), name) : status;
}

/* Of a sequence whose events name no track: as that, and as the track where it has one. */
static enum tb_status take_sequence_thread(struct tb_owners *owners, uint32_t machine, struct tb_str descriptor,
                                           uint64_t type) {
  struct tb_wire_field f[TB_THREAD_DESCRIPTOR_TID + 1];
  (void)tb_wire_read_fields(descriptor, f, TB_THREAD_DESCRIPTOR_TID + 1);
  uint64_t key = tb_track_events_thread(f[TB_THREAD_DESCRIPTOR_PID].value, f[TB_THREAD_DESCRIPTOR_TID].value);
  return take_thread(owners, machine, descriptor, type, &(struct tb_track_key){machine, key, false});
}

/* By its track's name, and by what the input calls it where several series may be of one counter. */
static enum tb_status judge_counter(struct tb_owners *owners, struct tb_str name, struct tb_name_verdict *verdict) {
  const struct tb_name_patterns *patterns = &owners->counters;
  enum tb_status status = patterns->count ? tb_name_judge(patterns, name, &owners->scratch, verdict) : TB_OK;
  if (status != TB_OK || !patterns->count || !owners->joins_series) return status;
  return tb_name_judge(patterns, tb_counter_name_without_series(name), &owners->scratch, verdict);
}

static enum tb_status take_counter(struct tb_owners *owners, struct tb_str descriptor, struct tb_str name,
                                   struct tb_owned_track *track) {
  struct tb_wire_field f[TB_COUNTER_DESCRIPTOR_TYPE + 1];
  (void)tb_wire_read_fields(descriptor, f, TB_COUNTER_DESCRIPTOR_TYPE + 1);
  track->is_counter = f[TB_COUNTER_DESCRIPTOR_TYPE].value == TB_COUNTER_DESCRIPTOR_COUNTER_UNSPECIFIED;
  return judge_counter(owners, name, &track->verdict);
}

static enum tb_status take_track(struct tb_owners *owners, uint32_t machine, struct tb_str descriptor) {
  enum { COUNT = TB_TRACK_DESCRIPTOR_ATRACE_NAME + 1 };
  struct tb_wire_field f[COUNT];
  (void)tb_wire_read_fields(descriptor, f, COUNT);
  const struct tb_track_key key = {machine, f[TB_TRACK_DESCRIPTOR_UUID].value, true};
  struct tb_owned_track *track = get_track(owners, &key);
  enum tb_status status = track ? TB_OK : TB_NO_MEMORY;
  if (!track) return status;
  if (f[TB_TRACK_DESCRIPTOR_PARENT_UUID].number) track->parent = f[TB_TRACK_DESCRIPTOR_PARENT_UUID].value;
  struct tb_str name = tb_wire_text(&f[TB_TRACK_DESCRIPTOR_NAME]);
  if (!name.len) name = tb_wire_text(&f[TB_TRACK_DESCRIPTOR_STATIC_NAME]);
  if (f[TB_TRACK_DESCRIPTOR_COUNTER].number)
    status = take_counter(owners, f[TB_TRACK_DESCRIPTOR_COUNTER].bytes, name, track);
  if (status == TB_OK && f[TB_TRACK_DESCRIPTOR_PROCESS].number)
    status = take_process(owners, machine, f[TB_TRACK_DESCRIPTOR_PROCESS].bytes,
                          tb_wire_find_number(tb_wire_text(&f[TB_TRACK_DESCRIPTOR_CHROME_PROCESS]),
                                              TB_CHROME_PROCESS_DESCRIPTOR_PROCESS_TYPE),
                          track);
  if (status != TB_OK || !f[TB_TRACK_DESCRIPTOR_THREAD].number) return status;
  struct tb_str thread = f[TB_TRACK_DESCRIPTOR_THREAD].bytes;
  uint64_t type =
      tb_wire_find_number(tb_wire_text(&f[TB_TRACK_DESCRIPTOR_CHROME_THREAD]), TB_CHROME_THREAD_DESCRIPTOR_THREAD_TYPE);
  status = take_thread(owners, machine, thread, type, &key);
  return status == TB_OK ? take_sequence_thread(owners, machine, thread, type) : status;
}

/* A worker of the kernel has what it works on at the time in its name, behind a + or -, which readers leave out. */
static struct tb_str without_work(struct tb_str name) {
  static const char worker[] = "kworker/";
  if (name.len < sizeof(worker) || memcmp(name.ptr, worker, sizeof(worker) - 1) != 0) return name;
  for (size_t i = sizeof(worker) - 1; i < name.len; i++)
    if (name.ptr[i] == '+' || name.ptr[i] == '-') return (struct tb_str){name.ptr, i};
  return name;
}

static enum tb_status take_tree_process(struct tb_owners *owners, uint32_t machine, struct tb_str process) {
  struct tb_wire_cursor cursor = tb_wire_cursor(process);
  struct tb_wire_field field;
  struct tb_str name = {"", 0};
  int64_t pid = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_PROCESS_TREE_PROCESS_PID) pid = (int64_t)field.value;
    if (field.number == TB_PROCESS_TREE_PROCESS_CMDLINE && field.type == TB_WIRE_BYTES && !name.len) name = field.bytes;
  }
  if (!get_owner(owners, process_key(machine, pid))) return TB_NO_MEMORY;
  enum tb_status status = name_owner(owners, process_key(machine, pid), name);
  struct tb_str short_name = without_work(name);
  return status == TB_OK && short_name.len < name.len ? name_owner(owners, process_key(machine, pid), short_name)
                                                      : status;
}

static enum tb_status take_tree_thread(struct tb_owners *owners, uint32_t machine, struct tb_str thread) {
  struct tb_wire_field f[TB_PROCESS_TREE_THREAD_TGID + 1];
  (void)tb_wire_read_fields(thread, f, TB_PROCESS_TREE_THREAD_TGID + 1);
  int64_t tid = (int64_t)f[TB_PROCESS_TREE_THREAD_TID].value;
  enum tb_status status = put_system_thread(owners, machine, (int64_t)f[TB_PROCESS_TREE_THREAD_TGID].value, tid, true);
  return status == TB_OK ? name_comm(owners, machine, tid, tb_wire_text(&f[TB_PROCESS_TREE_THREAD_NAME])) : status;
}

static enum tb_status take_tree(struct tb_owners *owners, uint32_t machine, struct tb_str tree) {
  struct tb_wire_cursor cursor = tb_wire_cursor(tree);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_PROCESS_TREE_PROCESSES && field.type == TB_WIRE_BYTES)
      status = take_tree_process(owners, machine, field.bytes);
    else if (field.number == TB_PROCESS_TREE_THREADS && field.type == TB_WIRE_BYTES)
      status = take_tree_thread(owners, machine, field.bytes);
  }
  return status;
}

/* ---- names of threads in ftrace ---------------------------------------------------------------------------------- */

static enum tb_status take_switch(struct tb_owners *owners, uint32_t machine, struct tb_str payload) {
  struct tb_wire_field f[TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID + 1];
  (void)tb_wire_read_fields(payload, f, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID + 1);
  enum tb_status status = name_comm(owners, machine, (int32_t)f[TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID].value,
                                    tb_wire_text(&f[TB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM]));
  return status == TB_OK ? name_comm(owners, machine, (int32_t)f[TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID].value,
                                     tb_wire_text(&f[TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM]))
                         : status;
}

static enum tb_status take_waking(struct tb_owners *owners, uint32_t machine, struct tb_str payload) {
  struct tb_wire_field f[TB_SCHED_WAKING_FTRACE_EVENT_PID + 1];
  (void)tb_wire_read_fields(payload, f, TB_SCHED_WAKING_FTRACE_EVENT_PID + 1);
  return name_comm(owners, machine, (int32_t)f[TB_SCHED_WAKING_FTRACE_EVENT_PID].value,
                   tb_wire_text(&f[TB_SCHED_WAKING_FTRACE_EVENT_COMM]));
}

/* A thread that clones itself with CLONE_THREAD makes one of its own process. */
static enum tb_status take_newtask(struct tb_owners *owners, uint32_t machine, const struct tb_ftrace_event *event) {
  struct tb_wire_field f[TB_TASK_NEWTASK_FTRACE_EVENT_CLONE_FLAGS + 1];
  (void)tb_wire_read_fields(event->payload, f, TB_TASK_NEWTASK_FTRACE_EVENT_CLONE_FLAGS + 1);
  int64_t tid = (int32_t)f[TB_TASK_NEWTASK_FTRACE_EVENT_PID].value;
  enum tb_status status = TB_OK;
  if (f[TB_TASK_NEWTASK_FTRACE_EVENT_CLONE_FLAGS].value & TB_FTRACE_CLONE_THREAD)
    status = put_made_thread(owners, machine, event->pid, tid);
  return status == TB_OK ? name_comm(owners, machine, tid, tb_wire_text(&f[TB_TASK_NEWTASK_FTRACE_EVENT_COMM]))
                         : status;
}

static enum tb_status take_rename(struct tb_owners *owners, uint32_t machine, struct tb_str payload) {
  struct tb_wire_field f[TB_TASK_RENAME_FTRACE_EVENT_NEWCOMM + 1];
  (void)tb_wire_read_fields(payload, f, TB_TASK_RENAME_FTRACE_EVENT_NEWCOMM + 1);
  return name_comm(owners, machine, (int32_t)f[TB_TASK_RENAME_FTRACE_EVENT_PID].value,
                   tb_wire_text(&f[TB_TASK_RENAME_FTRACE_EVENT_NEWCOMM]));
}

/* Marks of a thread name its process, which nothing else may. */
static enum tb_status take_mark(struct tb_owners *owners, uint32_t machine, const struct tb_ftrace_event *event) {
  struct tb_ftrace_mark mark;
  int64_t pid = tb_atrace_process_of(event);
  if (event->kind == TB_FTRACE_EVENT_ZERO && tb_ftrace_driver_mark(event->kind, event->payload, &mark) &&
      mark.phase != 'C')
    pid = mark.pid;
  return pid > 0 && event->pid > 0 ? put_system_thread(owners, machine, pid, event->pid, false) : TB_OK;
}

/* Who sends, and who receives, what the kernel knows by a number. */
static enum tb_status take_transaction(struct tb_owners *owners, uint32_t machine,
                                       const struct tb_ftrace_event *event) {
  struct tb_map_key key = transaction_key(machine, event, event->kind == TB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED);
  return tb_map_put(&owners->transactions, key.first, key.second, (uint64_t)event->pid);
}

static enum tb_status take_compact(struct tb_owners *owners, const struct tb_ftrace_bundle *bundle) {
  enum { COMMS = 256 };
  struct tb_str comms[COMMS], compact = bundle->compact;
  size_t count = tb_ftrace_compact_names(compact, comms, COMMS);
  struct tb_number_cursor pids = tb_number_cursor(compact, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PID);
  struct tb_number_cursor names =
      tb_number_cursor(compact, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_COMM_INDEX);
  uint64_t pid, name;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_number_cursor_next(&pids, &pid) && tb_number_cursor_next(&names, &name))
    if (name < count) status = name_comm(owners, bundle->machine, (int32_t)pid, comms[name]);
  return status;
}

static enum tb_status take_ftrace_event(struct tb_owners *owners, const struct tb_ftrace_bundle *bundle,
                                        const struct tb_ftrace_event *event) {
  uint32_t machine = bundle->machine;
  switch (event->kind) {
    case TB_FTRACE_EVENT_SCHED_SWITCH:
      return take_switch(owners, machine, event->payload);
    case TB_FTRACE_EVENT_SCHED_WAKING:
    case TB_FTRACE_EVENT_SCHED_WAKEUP:
    case TB_FTRACE_EVENT_SCHED_WAKEUP_NEW:
      return take_waking(owners, machine, event->payload);
    case TB_FTRACE_EVENT_TASK_NEWTASK:
      return take_newtask(owners, machine, event);
    case TB_FTRACE_EVENT_TASK_RENAME:
      return take_rename(owners, machine, event->payload);
    case TB_FTRACE_EVENT_BINDER_TRANSACTION:
    case TB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED:
      return take_transaction(owners, machine, event);
    case TB_FTRACE_EVENT_RSS_STAT:
    case TB_FTRACE_EVENT_SCHED_PROCESS_FREE:
      return tb_memory_owners_take(&owners->memories, bundle, event);
    case TB_FTRACE_EVENT_PRINT:
    case TB_FTRACE_EVENT_ZERO:
      return take_mark(owners, machine, event);
    default:
      return TB_OK;
  }
}

static enum tb_status take_ftrace(struct tb_owners *owners, struct tb_walk *walk) {
  struct tb_ftrace_bundle bundle;
  struct tb_ftrace_event event;
  struct tb_wire_field field;
  tb_ftrace_bundle_read(&bundle, walk);
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle.bytes);
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (!tb_ftrace_is_event(&field)) continue;
    tb_ftrace_event_read(field.bytes, &event);
    status = take_ftrace_event(owners, &bundle, &event);
  }
  return status == TB_OK && bundle.compact.len ? take_compact(owners, &bundle) : status;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static uint64_t writer_of(const struct tb_walk *walk) {
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.packet);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET_TRUSTED_PID) return field.value;
  return 0;
}

/* What records the system writes of processes that are not its own. */
static bool is_recorders(uint32_t kind) {
  return kind == TB_TRACE_PACKET_FTRACE_EVENTS || kind == TB_TRACE_PACKET_PROCESS_TREE ||
         kind == TB_TRACE_PACKET_TRACE_CONFIG || kind == TB_TRACE_PACKET_SYSTEM_INFO ||
         kind == TB_TRACE_PACKET_PROCESS_STATS;
}

struct tb_whose tb_owners_of_writer(const struct tb_owners *owners, const struct tb_walk *walk) {
  uint64_t pid = writer_of(walk);
  uint32_t machine = walk->packet.head.machine;
  if (!pid || tb_map_find(&owners->recorders, pid, machine)) return (struct tb_whose){.kind = TB_WHOSE_NOBODY};
  return tb_whose_process(machine, (int64_t)pid);
}

static enum tb_status take_state(struct tb_owners *owners, uint32_t machine, struct tb_str payload) {
  struct tb_wire_field f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID + 1];
  (void)tb_wire_read_fields(payload, f, TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID + 1);
  return name_comm(owners, machine, (int64_t)f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_TID].value,
                   tb_wire_text(&f[TB_GENERIC_KERNEL_TASK_STATE_EVENT_COMM]));
}

enum tb_status tb_owners_take(struct tb_owners *owners, struct tb_walk *walk) {
  const struct tb_packet_header *head = &walk->packet.head;
  if (is_recorders(head->kind)) {
    uint64_t pid = writer_of(walk);
    if (pid && tb_map_put(&owners->recorders, pid, head->machine, 1) != TB_OK) return TB_NO_MEMORY;
  }
  switch (head->kind) {
    case TB_TRACE_PACKET_TRACK_DESCRIPTOR:
      return take_track(owners, head->machine, head->payload);
    case TB_TRACE_PACKET_PROCESS_DESCRIPTOR:
      return take_process(owners, head->machine, head->payload, 0, NULL);
    case TB_TRACE_PACKET_THREAD_DESCRIPTOR:
      return take_sequence_thread(owners, head->machine, head->payload, 0);
    case TB_TRACE_PACKET_PROCESS_TREE:
      return take_tree(owners, head->machine, head->payload);
    case TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT:
      return take_state(owners, head->machine, head->payload);
    case TB_TRACE_PACKET_FTRACE_EVENTS:
      return tb_owners_are_chosen(owners) || owners->keeps_names ? take_ftrace(owners, walk) : TB_OK;
    default:
      return TB_OK;
  }
}
