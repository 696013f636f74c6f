/* SPDX-License-Identifier: Apache-2.0
 *
 * TrackDescriptors. They are few, so that protobuf-c reads them.
 */
#include "json/emitter.h"
#include "json/value.h"
#include "model/arg_lookup.h"
#include "model/tracks.h"
#include "perfetto/reader/tables/chrome_names.h"
#include "perfetto/reader/tables/track_table.h"
#include "protobuf/unpack.h"
#include "protos/field_numbers.h"
#include "protos/perfetto/track_descriptor.pb-c.h"

enum { TRACK_DEPTH_MAX = 64 };
enum { KIND_RENDERER = 2 }; /* of ChromeProcessDescriptor.process_type */

/* The object that stands for the descriptor's track: a process or thread that is known by its id already is the same
 * one, as long as no other uuid claims it. A thread whose descriptor names no process is none of a process' threads. */
static struct tb_perfetto_track *find_object(struct tb_tracks *tracks, const Perfetto__Protos__TrackDescriptor *message,
                                             uint32_t machine, uint32_t sequence) {
  uint64_t uuid = message->uuid;
  struct tb_perfetto_track *track = tb_tracks_known_by_uuid(tracks, uuid, machine);
  if (track) return track;
  if (message->thread && message->thread->has_tid) {
    int64_t pid = tb_tracks_described_id(tracks, message->thread->pid);
    int64_t tid = tb_tracks_described_id(tracks, message->thread->tid);
    track = tb_tracks_thread(tracks, message->thread->has_pid ? &pid : NULL, tid, machine);
    if (!track) return NULL;
  } else if (message->process && message->process->has_pid) {
    track = tb_tracks_process(tracks, tb_tracks_described_id(tracks, message->process->pid), machine);
    if (!track) return NULL;
  }
  bool is_of_process = track && track->track.has_pid && message->thread && !message->thread->has_pid;
  if (!track || track->track.uuid || is_of_process) return tb_tracks_by_uuid(tracks, uuid, machine, sequence);
  if (tb_tracks_set_uuid(tracks, track, uuid) != TB_OK) return NULL;
  track->track.sequence = sequence;
  return track;
}

static enum tb_status set_text(struct tb_tracks *tracks, struct tb_str *to, struct tb_str text) {
  return tb_text_pool_add(tracks->pool, text, to);
}

static enum tb_status set_labels(struct tb_tracks *tracks, struct tb_track *track,
                                 const Perfetto__Protos__ProcessDescriptor *process) {
  size_t count = process->n_process_labels, first = tb_tracks_has_machine_label(tracks, track);
  if (count == 0 || count >= UINT32_MAX) return TB_OK;
  const struct tb_track_details *known = tb_track_get_details(track);
  bool same = count + first == known->label_count;
  for (size_t i = 0; same && i < count; i++)
    same = tb_str_equal(known->labels[first + i], tb_message_str(process->process_labels[i]));
  if (same) return TB_OK;
  struct tb_str *labels = tb_arena_alloc(&tracks->arena, (first + count) * sizeof(*labels));
  struct tb_track_details *details = tb_track_own_details(&tracks->arena, track);
  if (!labels || !details) return TB_NO_MEMORY;
  if (first && details->labels) labels[0] = details->labels[0];
  for (size_t i = 0; i < count; i++) {
    enum tb_status status = set_text(tracks, &labels[first + i], tb_message_str(process->process_labels[i]));
    if (status != TB_OK) return status;
  }
  count += first;
  details->labels = labels;
  details->label_count = (uint32_t)count;
  return TB_OK;
}

static enum tb_status set_sort_index(struct tb_tracks *tracks, struct tb_track *track, protobuf_c_boolean has,
                                     int32_t value) {
  if (!has) return TB_OK;
  struct tb_track_details *details = tb_track_own_details(&tracks->arena, track);
  if (!details) return TB_NO_MEMORY;
  track->has_sort_index = true;
  details->sort_index = value;
  return TB_OK;
}

/* The importer takes "Renderer" before any other name of a descriptor, and Chrome's other kinds behind them. A
 * command is the name until there is one. */
static enum tb_status name_process(struct tb_tracks *tracks, struct tb_perfetto_track *track,
                                   const Perfetto__Protos__TrackDescriptor *message, int64_t ts) {
  const Perfetto__Protos__ProcessDescriptor *process = message->process;
  struct tb_str name = tb_message_str(process->process_name), kind = {"", 0};
  bool is_renderer = false;
  if (message->chrome_process) {
    kind = tb_chrome_process_name(message->chrome_process->process_type);
    is_renderer = (int)message->chrome_process->process_type == KIND_RENDERER;
  }
  struct tb_name_source by = {.rank = TB_NAME_DESCRIPTOR, .ts = ts};
  if (is_renderer)
    name = kind, by.rank = TB_NAME_RENDERER;
  else if (!name.len && kind.len)
    name = kind, by.rank = TB_NAME_KIND;
  else if (!name.len && process->n_cmdline)
    name = tb_message_str(process->cmdline[0]), by.rank = TB_NAME_COMMAND;
  return name.len ? tb_tracks_set_name(tracks, track, name, by) : TB_OK;
}

/* Whether the process is another than the pid's last one: both are described, each with a uuid of its own. */
static bool is_another(const struct tb_tracks *tracks, const struct tb_perfetto_track *track, uint32_t before,
                       const Perfetto__Protos__TrackDescriptor *message) {
  const struct tb_perfetto_track *other = tb_tracks_at(tracks, before);
  return other != track && other->described && other->track.type == TB_TRACK_PROCESS &&
         other->track.uuid != message->uuid;
}

static enum tb_status describe_process(struct tb_tracks *tracks, struct tb_perfetto_track *track,
                                       const Perfetto__Protos__TrackDescriptor *message, int64_t ts) {
  const Perfetto__Protos__ProcessDescriptor *process = message->process;
  struct tb_track *base = &track->track;
  base->type = TB_TRACK_PROCESS;
  base->parent = NULL; /* one that it had as another track may itself be below a thread of this process */
  if (tb_tracks_label_machine(tracks, base) != TB_OK) return TB_NO_MEMORY;
  if (process->has_pid) {
    int64_t pid = tb_tracks_id(tracks, tb_tracks_described_id(tracks, process->pid), base->machine);
    uint32_t before;
    bool is_known = tb_map_get(&tracks->processes, (uint64_t)pid, base->machine, &before);
    if (!tb_map_find(&tracks->other_numbers, base->index, 1)) base->pid = pid;
    if (is_known && !track->described && is_another(tracks, track, before, message))
      base->pid = tb_tracks_another_id(tracks, pid, base->index);
    base->has_pid = true;
    if (!base->name.len && is_known) {
      const struct tb_perfetto_track *named = tb_tracks_at(tracks, before);
      base->name = named->track.name;
      track->named_at = named->named_at;
      track->name_rank = named->name_rank;
      track->renamed = named->renamed;
    }
    /* the newest track of a pid is where its threads belong from here on */
    enum tb_status status = tb_map_put(&tracks->processes, (uint64_t)pid, base->machine, base->index);
    if (status == TB_OK && base->pid != pid)
      status = tb_map_put(&tracks->processes, (uint64_t)base->pid, base->machine, base->index);
    if (status != TB_OK) return status;
  }
  const Perfetto__Protos__ChromeProcessDescriptor *chrome = message->chrome_process;
  enum tb_status status = set_sort_index(tracks, base, process->has_legacy_sort_index, process->legacy_sort_index);
  if (status == TB_OK && chrome)
    status = set_sort_index(tracks, base, chrome->has_legacy_sort_index, chrome->legacy_sort_index);
  if (status == TB_OK) status = set_labels(tracks, base, process);
  return status == TB_OK ? name_process(tracks, track, message, ts) : status;
}

static enum tb_status name_thread(struct tb_tracks *tracks, struct tb_perfetto_track *track,
                                  const Perfetto__Protos__TrackDescriptor *message, int64_t ts) {
  struct tb_name_source by = {.rank = TB_NAME_DESCRIPTOR, .ts = ts};
  struct tb_str name = tb_message_str(message->thread->thread_name);
  if (!message->thread->has_thread_name) {
    if (!message->chrome_thread) return TB_OK;
    name = tb_chrome_thread_name(message->chrome_thread->thread_type);
    by.rank = TB_NAME_KIND;
  }
  return tb_tracks_set_name(tracks, track, name, by);
}

static enum tb_status describe_thread(struct tb_tracks *tracks, struct tb_perfetto_track *track,
                                      const Perfetto__Protos__TrackDescriptor *message, int64_t ts) {
  const Perfetto__Protos__ThreadDescriptor *thread = message->thread;
  struct tb_track *base = &track->track;
  base->type = TB_TRACK_THREAD;
  if (thread->has_tid) {
    int64_t tid = tb_tracks_id(tracks, tb_tracks_described_id(tracks, thread->tid), base->machine);
    if (tid != base->tid && tb_tracks_before_ids(tracks, track) != TB_OK) return TB_NO_MEMORY;
    base->tid = tid;
    base->has_tid = true;
  }
  const Perfetto__Protos__ChromeThreadDescriptor *chrome = message->chrome_thread;
  enum tb_status status = set_sort_index(tracks, base, thread->has_legacy_sort_index, thread->legacy_sort_index);
  if (status == TB_OK && chrome)
    status = set_sort_index(tracks, base, chrome->has_legacy_sort_index, chrome->legacy_sort_index);
  if (status != TB_OK) return status;
  if (thread->has_pid && thread->has_tid) {
    int64_t pid = tb_tracks_described_id(tracks, thread->pid);
    struct tb_perfetto_track *process = tb_tracks_process(tracks, pid, base->machine);
    if (!process) return TB_NO_MEMORY;
    if (base->pid != process->track.pid && tb_tracks_before_ids(tracks, track) != TB_OK) return TB_NO_MEMORY;
    base->pid = process->track.pid;
    base->has_pid = true;
    base->parent = &process->track;
    status = tb_tracks_add_thread(tracks, track);
    if (status != TB_OK) return status;
  }
  return name_thread(tracks, track, message, ts);
}

static enum tb_status describe_counter(struct tb_tracks *tracks, struct tb_perfetto_track *track,
                                       const Perfetto__Protos__CounterDescriptor *counter) {
  struct tb_track *base = &track->track;
  base->type = TB_TRACK_COUNTER;
  base->is_thread_time = (int)counter->type == TB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS;
  base->is_thread_instruction_count = (int)counter->type == TB_COUNTER_DESCRIPTOR_COUNTER_THREAD_INSTRUCTION_COUNT;
  /* as the trace processor calls those that have no name, which formats that go by the name would take for one */
  if (!base->name.len && base->is_thread_time) base->name = TB_STR("thread_time");
  if (!base->name.len && base->is_thread_instruction_count) base->name = TB_STR("thread_instruction_count");
  bool is_known = (int)counter->unit >= TB_COUNTER_DESCRIPTOR_UNIT_TIME_NS &&
                  (int)counter->unit <= TB_COUNTER_DESCRIPTOR_UNIT_SIZE_BYTES;
  base->unit = is_known ? (uint8_t)counter->unit : TB_UNIT_NONE;
  if (base->unit == TB_UNIT_NONE && base->is_thread_time) base->unit = TB_UNIT_TIME_NS;
  if (base->unit == TB_UNIT_NONE && base->is_thread_instruction_count) base->unit = TB_UNIT_COUNT;
  int64_t multiplier = counter->has_unit_multiplier && counter->unit_multiplier ? counter->unit_multiplier : 1;
  if (multiplier != tb_tracks_more(tracks, track)->unit_multiplier) {
    struct tb_track_more *more = tb_tracks_own_more(tracks, track);
    if (!more) return TB_NO_MEMORY;
    more->unit_multiplier = multiplier;
  }
  track->incremental = counter->is_incremental;
  if (!counter->has_unit_name) return TB_OK;
  struct tb_track_details *details = tb_track_own_details(&tracks->arena, base);
  return details ? set_text(tracks, &details->unit_name, tb_message_str(counter->unit_name)) : TB_NO_MEMORY;
}

/* A loop of parents would make every walk over them endless. */
static bool is_above(const struct tb_track *track, const struct tb_track *of) {
  for (unsigned depth = 0; of; of = of->parent) {
    if (of == track || ++depth > TRACK_DEPTH_MAX) return true;
  }
  return false;
}

static struct tb_perfetto_track *first_child(const struct tb_tracks *tracks, const struct tb_perfetto_track *track) {
  return tb_tracks_more(tracks, track)->first_child;
}
static struct tb_perfetto_track *next_child(const struct tb_tracks *tracks, const struct tb_perfetto_track *child) {
  return tb_tracks_more(tracks, child)->next_sibling;
}

/* A custom track or counter lives where its parent does; its children with it. */
static enum tb_status inherit(struct tb_tracks *tracks, struct tb_perfetto_track *track, unsigned depth) {
  struct tb_track *base = &track->track;
  const struct tb_track *parent = base->parent;
  enum tb_status status = TB_OK;
  if (base->type == TB_TRACK_PROCESS || base->type == TB_TRACK_THREAD || depth > TRACK_DEPTH_MAX) return TB_OK;
  if (parent) {
    base->pid = parent->pid;
    base->tid = parent->tid;
    base->has_pid = parent->has_pid;
    base->has_tid = parent->has_tid;
    status = tb_track_take_id_texts(&tracks->arena, base, parent, true);
  }
  struct tb_perfetto_track *child = first_child(tracks, track);
  for (; child && status == TB_OK; child = next_child(tracks, child)) status = inherit(tracks, child, depth + 1);
  return status;
}

static enum tb_status pass_on(struct tb_tracks *tracks, const struct tb_perfetto_track *track) {
  enum tb_status status = TB_OK;
  struct tb_perfetto_track *child = first_child(tracks, track);
  for (; child && status == TB_OK; child = next_child(tracks, child)) status = inherit(tracks, child, 0);
  return status;
}

static enum tb_status add_child(struct tb_tracks *tracks, struct tb_perfetto_track *parent,
                                struct tb_perfetto_track *track) {
  struct tb_track_more *above = tb_tracks_own_more(tracks, parent);
  struct tb_track_more *below = above ? tb_tracks_own_more(tracks, track) : NULL;
  if (!below) return TB_NO_MEMORY;
  track->track.parent = &parent->track;
  below->next_sibling = above->first_child;
  above->first_child = track;
  return TB_OK;
}

static enum tb_status describe_parent(struct tb_tracks *tracks, struct tb_perfetto_track *track,
                                      const Perfetto__Protos__TrackDescriptor *message, uint32_t sequence) {
  struct tb_track *base = &track->track;
  if (base->type == TB_TRACK_PROCESS || base->type == TB_TRACK_THREAD) return TB_OK;
  if (message->has_parent_uuid && message->parent_uuid) {
    struct tb_perfetto_track *parent = tb_tracks_by_uuid(tracks, message->parent_uuid, base->machine, sequence);
    if (!parent) return TB_NO_MEMORY;
    if (!base->parent && !is_above(base, &parent->track)) {
      enum tb_status status = add_child(tracks, parent, track);
      if (status != TB_OK) return status;
    }
  }
  return inherit(tracks, track, 0);
}

/* ---- what the descriptor's fields cannot say: docs/MAPPING.md ---------------------------------------------------- */

/* The object that a description of our writer is, as {"tid":0}; NULL where it is none. */
static const struct tb_arg *described(struct tb_tracks *tracks, struct tb_str description) {
  struct tb_arg *object;
  if (description.len < 2 || description.ptr[0] != '{') return NULL;
  if (!tb_json_parse_value(&tracks->scratch, description, &object) || object->type != TB_ARG_DICT) return NULL;
  return object;
}

static const struct tb_arg *member_of(const struct tb_arg *object, struct tb_str name) {
  return object ? tb_find_member(object + 1, object->span - 1, name) : NULL;
}

/* Whether a text is an integer, but another one; negative ones may have been made unsigned since. */
static bool is_other_number(struct tb_str text, int64_t number) {
  struct tb_decimal parsed;
  int64_t value;
  const char *end = text.ptr + text.len;
  if (!text.len || tb_decimal_parse(text.ptr, end, &parsed) != end || !tb_decimal_to_int(&parsed, 0, &value))
    return false;
  char digits[TB_JSON_INTEGER_MAX];
  bool is_canonical = tb_str_equal(text, (struct tb_str){digits, (size_t)(tb_json_put_int(digits, value) - digits)});
  return is_canonical && value != number && (int64_t)(uint32_t)value != number;
}

/* Sets number, text and presence of an id from what its description says. */
static enum tb_status restore_id(struct tb_tracks *tracks, struct tb_track *track, const struct tb_arg *id,
                                 bool of_thread) {
  char digits[24];
  struct tb_str said;
  int64_t *number = of_thread ? &track->tid : &track->pid;
  bool *there = of_thread ? &track->has_tid : &track->has_pid;
  if (!id) return TB_OK;
  switch (id->type) {
    case TB_ARG_NULL:
      *there = false;
      return TB_OK;
    case TB_ARG_INT:
      *number = tb_tracks_id(tracks, id->i, track->machine);
      return TB_OK;
    case TB_ARG_UINT:
      said = (struct tb_str){digits, (size_t)(tb_json_put_uint(digits, id->u) - digits)};
      break;
    case TB_ARG_STRING:
      if (is_other_number(id->text, *number)) return TB_OK; /* merging gave it another since */
      said = id->text;
      break;
    case TB_ARG_JSON:
      said = id->text;
      break;
    default:
      return TB_OK;
  }
  struct tb_track_details *details = tb_track_own_details(&tracks->arena, track);
  if (!details) return TB_NO_MEMORY;
  *(of_thread ? &details->tid_is_number : &details->pid_is_number) = id->type == TB_ARG_UINT;
  return set_text(tracks, of_thread ? &details->tid_text : &details->pid_text, said);
}

static enum tb_status restore_described(struct tb_tracks *tracks, struct tb_perfetto_track *track) {
  struct tb_track *base = &track->track;
  if (base->type != TB_TRACK_PROCESS && base->type != TB_TRACK_THREAD) return TB_OK;
  const struct tb_arg *object = described(tracks, tb_track_get_details(base)->description);
  const struct tb_arg *said = member_of(object, TB_STR("said_by_metadata"));
  base->said_by_metadata = said && said->type == TB_ARG_INT ? (uint8_t)said->i : 0;
  if (base->type == TB_TRACK_PROCESS) return restore_id(tracks, base, member_of(object, TB_STR("pid")), false);
  bool moves = member_of(object, TB_STR("tid")) || (base->parent && base->pid != base->parent->pid);
  if (moves && tb_tracks_before_ids(tracks, track) != TB_OK) return TB_NO_MEMORY;
  if (base->parent) {
    base->pid = base->parent->pid;
    base->has_pid = base->parent->has_pid;
    if (tb_track_take_id_texts(&tracks->arena, base, base->parent, false) != TB_OK) return TB_NO_MEMORY;
  }
  const struct tb_arg *tid = member_of(object, TB_STR("tid"));
  enum tb_status status = restore_id(tracks, base, tid, true);
  return status == TB_OK && tid && tid->type == TB_ARG_INT ? tb_tracks_also_by_ids(tracks, track) : status;
}

static enum tb_status apply(struct tb_tracks *tracks, struct tb_perfetto_track *track,
                            const Perfetto__Protos__TrackDescriptor *message, uint32_t sequence, int64_t ts) {
  struct tb_track *base = &track->track;
  enum tb_status status = TB_OK;
  ProtobufCBinaryData name = message->has_name          ? message->name
                             : message->has_static_name ? message->static_name
                                                        : message->atrace_name;
  if (name.len) status = set_text(tracks, &base->name, tb_message_str(name));
  if (status == TB_OK && message->has_description) {
    struct tb_track_details *details = tb_track_own_details(&tracks->arena, base);
    status = details ? set_text(tracks, &details->description, tb_message_str(message->description)) : TB_NO_MEMORY;
  }
  if (status == TB_OK)
    status = set_sort_index(tracks, base, message->has_sibling_order_rank, message->sibling_order_rank);
  if (status == TB_OK && message->counter) status = describe_counter(tracks, track, message->counter);
  if (status == TB_OK && message->thread) status = describe_thread(tracks, track, message, ts);
  if (status == TB_OK && message->process && !message->thread) status = describe_process(tracks, track, message, ts);
  if (status == TB_OK) status = restore_described(tracks, track);
  if (status == TB_OK) status = describe_parent(tracks, track, message, sequence);
  return status == TB_OK ? pass_on(tracks, track) : status;
}

/* A process or thread stays one: traces that were put behind each other have equal uuids for others. A process that
 * became a thread would be its own parent. */
static bool is_of_another(const struct tb_perfetto_track *track, const Perfetto__Protos__TrackDescriptor *message) {
  if (!track->described) return false;
  bool is_process = message->process && !message->thread;
  if (track->track.type == TB_TRACK_PROCESS) return message->thread || message->counter;
  return track->track.type == TB_TRACK_THREAD && (is_process || message->counter);
}

enum tb_status tb_tracks_describe(struct tb_tracks *tracks, struct tb_str descriptor, uint32_t machine,
                                  uint32_t sequence, int64_t ts, bool only_new, struct tb_perfetto_track **out) {
  *out = NULL;
  ProtobufCMessage *message;
  tb_arena_reset(&tracks->scratch);
  enum tb_status status = tb_message_read(&tracks->scratch, &perfetto__protos__track_descriptor__descriptor, descriptor,
                                          &message, &tracks->misfits);
  if (status != TB_OK) return status;
  const Perfetto__Protos__TrackDescriptor *read = (const Perfetto__Protos__TrackDescriptor *)message;
  tb_tracks_before_change(tracks);
  struct tb_perfetto_track *track = find_object(tracks, read, machine, sequence);
  if (!track) return TB_NO_MEMORY;
  *out = track;
  if ((only_new && track->described) || is_of_another(track, read)) return TB_OK;
  struct tb_track before;
  memcpy(&before, &track->track, sizeof(before));
  status = apply(tracks, track, read, sequence, ts);
  /* one is a copy of the other's bytes, padding included;
   * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-*) */
  if (!track->described || memcmp(&before, &track->track, sizeof(before)) != 0) track->emitted = false;
  track->described = true;
  return status;
}
