/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets that come once: descriptors, clocks, attributes, the start of a sequence. nanopb encodes them.
 */
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "json/emitter.h"
#include "perfetto/packet/recording_starts.h"
#include "perfetto/writer/cpu_profiles.h"
#include "perfetto/writer/descriptor_packets.h"
#include "perfetto/writer/sched_events.h"
#include "perfetto/writer/writer.h"
#include "protobuf/nanopb_util.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "protos/perfetto/trace_packet.pb.h"

enum { SEQUENCE_CLOCK = 64 };

/* A message that is a field of a TracePacket. */
struct descriptor_part {
  uint32_t number;
  const pb_msgdesc_t *fields;
  const void *message;
};

/* Writes a packet of these messages, behind what says of which sequence it is. nanopb encodes each alone: for the
 * packet around them it would look at all that a packet can have, several times over. */
static enum tb_status write_packet(struct tb_perfetto_writer *p, uint32_t sequence_id, uint32_t flags, bool derived,
                                   const struct descriptor_part *parts, size_t count) {
  char head[4 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_uint(head, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence_id);
  if (flags) end = tb_wire_put_uint(end, TB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
  if (derived) end = tb_wire_put_uint(end, TB_TRACE_PACKET_DERIVED, 1);
  p->scratch.len = 0;
  enum tb_status status = tb_buffer_append(&p->scratch, head, (size_t)(end - head));
  for (size_t i = 0; status == TB_OK && i < count; i++)
    status = tb_nanopb_append_field(&p->scratch, parts[i].number, parts[i].fields, parts[i].message);
  if (status != TB_OK) return tb_fail(&p->writer->error, status, TB_NO_OFFSET, "cannot encode a packet");
  return tb_packet_sink_put_fields(&p->sink, (struct tb_str){p->scratch.data, p->scratch.len});
}

static enum tb_status write_of_trace(struct tb_perfetto_writer *p, uint32_t number, const pb_msgdesc_t *fields,
                                     const void *message) {
  const struct descriptor_part part = {number, fields, message};
  return write_packet(p, TB_DESCRIPTOR_SEQUENCE, 0, false, &part, 1);
}

static enum tb_status write_descriptor(struct tb_perfetto_writer *p,
                                       const perfetto_protos_TrackDescriptor *descriptor) {
  return write_of_trace(p, TB_TRACE_PACKET_TRACK_DESCRIPTOR, perfetto_protos_TrackDescriptor_fields, descriptor);
}

static uint64_t uuid_of(const struct tb_perfetto_writer *p, const struct tb_track *track) {
  return track ? p->tracks.items[track->index].uuid : 0;
}

static void set_parent(perfetto_protos_TrackDescriptor *descriptor, uint64_t parent) {
  descriptor->has_parent_uuid = parent != 0;
  descriptor->parent_uuid = parent;
}

/* ---- processes and threads --------------------------------------------------------------------------------------- */

enum { MAX_LABELS = 256 };
enum { ORDERING_EXPLICIT = 1 };

/* Later readers take the order of processes and threads from their ranks, where write_order says so; before these there
 * was a field of each descriptor. */
static void set_rank(perfetto_protos_TrackDescriptor *descriptor, const struct tb_track_state *state) {
  descriptor->has_sibling_order_rank = state->has_sort_index;
  descriptor->sibling_order_rank = state->sort_index;
}

/* The trace's own descriptor, where the source orders its processes or threads. */
static enum tb_status write_order(struct tb_perfetto_writer *p) {
  perfetto_protos_TrackDescriptor root = perfetto_protos_TrackDescriptor_init_zero;
  root.has_uuid = true;
  root.process_ordering = root.thread_ordering = ORDERING_EXPLICIT;
  for (size_t i = 0; i < p->tracks.count; i++) {
    const struct tb_track_state *state = &p->tracks.items[i];
    if (!state->track || !state->has_sort_index) continue;
    root.has_process_ordering |= state->track->type == TB_TRACK_PROCESS;
    root.has_thread_ordering |= state->track->type == TB_TRACK_THREAD;
  }
  return root.has_process_ordering || root.has_thread_ordering ? write_descriptor(p, &root) : TB_OK;
}

static void split_labels(struct tb_str labels, struct tb_str *parts, struct tb_nanopb_strs *list) {
  list->items = parts;
  list->count = 0;
  const char *at = labels.ptr, *end = labels.ptr + labels.len;
  while (at <= end && list->count < MAX_LABELS) {
    const char *comma = list->count == MAX_LABELS - 1 ? NULL : memchr(at, ',', (size_t)(end - at));
    const char *stop = comma ? comma : end;
    parts[list->count++] = (struct tb_str){at, (size_t)(stop - at)};
    at = stop + 1;
  }
}

/* ---- ids that the descriptor's fields cannot say: a JSON object in the description, as docs/MAPPING.md has it ---- */

static bool is_integer(struct tb_str text) {
  size_t i = text.len > 1 && text.ptr[0] == '-' ? 1 : 0;
  if (i == text.len) return false;
  for (; i < text.len; i++)
    if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
  return true;
}

/* Whether an id's text stands for a number of the source that its field does not take: all those have more digits,
 * so that "2" was text. */
static bool is_number_past_field(struct tb_str id) {
  enum { DIGITS_THAT_FIT = 9 };
  return id.len > DIGITS_THAT_FIT && is_integer(id);
}

/* A negative number of another format's is its own: those of Perfetto are 32 bits, which JSON has unsigned. */
static bool is_own_negative(const struct tb_perfetto_writer *p, int64_t number) {
  return number < 0 && !p->writer->is_own_source;
}

/* A text id is the name too, where there is no other; a number is none. */
static struct tb_str name_or_id(const struct tb_track_state *state, struct tb_str id, int64_t number) {
  return state->name.len || is_number_past_field(id) || tb_json_is_text_of(id, number) ? state->name : id;
}

/* Begins a member of the object, which is empty so far or not. */
static void emit_key(struct tb_json_emit *emit, const char *key) {
  tb_json_emit_raw(emit, emit->buffer.len ? "," : "{", 1);
  tb_json_emit_raw(emit, key, strlen(key));
}

/* Whether an id that is digits is to be written as a number: a koid that no int64 holds is not, since what is read as
 * one has been a number of JSON. */
static bool is_written_as_number(struct tb_str text, bool is_number, int64_t number) {
  struct tb_decimal decimal;
  int64_t value;
  if (is_number || !is_number_past_field(text) || tb_json_is_text_of(text, number)) return is_number;
  const char *end = text.ptr + text.len;
  return tb_decimal_parse(text.ptr, end, &decimal) == end && tb_decimal_to_int(&decimal, 0, &value);
}

static void emit_id(struct tb_json_emit *emit, bool of_thread, const struct tb_track *track) {
  const struct tb_track_details *details = tb_track_get_details(track);
  struct tb_str text = of_thread ? details->tid_text : details->pid_text;
  bool there = of_thread ? track->has_tid : track->has_pid;
  bool is_number = of_thread ? details->tid_is_number : details->pid_is_number;
  int64_t number = of_thread ? track->tid : track->pid;
  emit_key(emit, of_thread ? "\"tid\":" : "\"pid\":");
  if (!there)
    TB_JSON_EMIT(emit, "null");
  else if (!text.len)
    tb_json_emit_int(emit, number);
  else if (is_written_as_number(text, is_number, number))
    tb_json_emit_raw(emit, text.ptr, text.len);
  else
    tb_json_emit_string(emit, text);
}

/* What a metadata event that is kept whole says again. Comes before the id, which merging finds by its being last. */
static void emit_said(struct tb_json_emit *emit, const struct tb_track_state *state) {
  if (!state->said_by_metadata) return;
  emit_key(emit, "\"said_by_metadata\":");
  tb_json_emit_uint(emit, state->said_by_metadata);
}

static enum tb_status describe_ids(struct tb_perfetto_writer *p, struct tb_json_emit *emit,
                                   struct tb_str *description) {
  *description = (struct tb_str){emit->buffer.data, emit->buffer.len};
  return emit->status == TB_OK ? TB_OK : tb_fail(&p->writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static enum tb_status write_described(struct tb_perfetto_writer *p, perfetto_protos_TrackDescriptor *descriptor,
                                      struct tb_json_emit *emit) {
  struct tb_str description;
  enum tb_status status = TB_OK;
  if (emit->buffer.len) {
    TB_JSON_EMIT(emit, "}");
    status = describe_ids(p, emit, &description);
    descriptor->description = tb_nanopb_str(&description);
  }
  if (status == TB_OK) status = write_descriptor(p, descriptor);
  tb_json_emit_free(emit);
  return status;
}

static enum tb_status write_process(struct tb_perfetto_writer *p, const struct tb_track_state *state) {
  perfetto_protos_ProcessDescriptor process = perfetto_protos_ProcessDescriptor_init_zero;
  struct tb_str parts[MAX_LABELS];
  struct tb_nanopb_strs labels;
  process.has_pid = true;
  process.pid = (int32_t)state->track->pid;
  struct tb_str name = name_or_id(state, tb_track_get_details(state->track)->pid_text, state->track->pid);
  if (name.len) process.process_name = tb_nanopb_str(&name);
  if (state->labels && state->labels->len) {
    split_labels(*state->labels, parts, &labels);
    process.process_labels = tb_nanopb_strs(&labels);
  }
  process.has_legacy_sort_index = state->has_sort_index;
  process.legacy_sort_index = state->sort_index;
  perfetto_protos_TrackDescriptor descriptor = perfetto_protos_TrackDescriptor_init_zero;
  descriptor.has_uuid = true;
  descriptor.uuid = state->uuid;
  descriptor.process = &process;
  set_rank(&descriptor, state);
  struct tb_json_emit ids;
  tb_json_emit_init(&ids, p->allocator);
  const struct tb_track *track = state->track;
  emit_said(&ids, state);
  if (!track->has_pid || tb_track_get_details(track)->pid_text.len || is_own_negative(p, track->pid))
    emit_id(&ids, false, track);
  return write_described(p, &descriptor, &ids);
}

/* The trace processor's importer of JSON takes thread 0 of a process for its main thread, whose id is the process'.
 * So do we, where that is free. */
static bool is_main_thread_zero(const struct tb_perfetto_writer *p, const struct tb_track *thread) {
  return !p->writer->source.thread_zero && thread->tid == 0 && thread->pid != 0 &&
         !tb_track_get_details(thread)->tid_text.len && !tb_map_find(&p->tracks.main_threads, (uint64_t)thread->pid, 0);
}

/* Readers take thread 0 of process 0 for the kernel's idle thread, and call it `swapper`, whatever its name. In
 * Perfetto's own traces it is that. */
static bool is_named_zero(const struct tb_perfetto_writer *p, const struct tb_track_state *state) {
  const struct tb_track *thread = state->track;
  const struct tb_str idle = TB_STR("swapper"), name = state->name;
  if (p->writer->is_own_source || !name.len || (name.len >= idle.len && memcmp(name.ptr, idle.ptr, idle.len) == 0))
    return false;
  return thread && thread->type == TB_TRACK_THREAD && !p->writer->source.thread_zero && thread->tid == 0 &&
         thread->pid == 0 && thread->has_tid && !tb_track_get_details(thread)->pid_text.len &&
         !tb_track_get_details(thread)->tid_text.len;
}

/* Where nothing in the trace is of the idle thread, its end makes way for another thread of that number: in front of
 * all that names a process. Without a time it is earlier than all events, and no reader shows when. */
static enum tb_status free_thread_zero(struct tb_perfetto_writer *p) {
  bool is_named = false;
  for (size_t i = 0; i < p->tracks.count && !is_named; i++) is_named = is_named_zero(p, &p->tracks.items[i]);
  p->sched.zero_is_free = is_named && tb_ftrace_text_is_empty(&p->ftrace);
  if (!p->sched.zero_is_free) return TB_OK;
  char fields[4 * TB_WIRE_VARINT_MAX + TB_THREAD_END_MAX], message[TB_THREAD_END_MAX];
  size_t len = tb_perfetto_encode_thread_end(message, 0);
  char *at = tb_wire_put_uint(fields, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, TB_DESCRIPTOR_SEQUENCE);
  at = tb_wire_put_bytes(at, TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT, message, len);
  return tb_packet_sink_put_fields(&p->sink, (struct tb_str){fields, (size_t)(at - fields)});
}

/* The number that a thread's descriptor has; *zero: in place of 0. */
static int64_t described_tid(const struct tb_perfetto_writer *p, const struct tb_track_state *state, bool *zero) {
  enum { NAMED_ZERO = INT32_MAX };
  bool named = !p->sched.zero_is_free && is_named_zero(p, state);
  *zero = named || is_main_thread_zero(p, state->track);
  return named ? NAMED_ZERO : *zero ? state->track->pid : state->track->tid;
}

static enum tb_status write_thread(struct tb_perfetto_writer *p, const struct tb_track_state *state) {
  perfetto_protos_ThreadDescriptor thread = perfetto_protos_ThreadDescriptor_init_zero;
  bool zero;
  thread.has_pid = thread.has_tid = true;
  thread.pid = (int32_t)state->track->pid;
  thread.tid = described_tid(p, state, &zero);
  struct tb_str name = name_or_id(state, tb_track_get_details(state->track)->tid_text, state->track->tid);
  if (name.len) thread.thread_name = tb_nanopb_str(&name);
  thread.has_legacy_sort_index = state->has_sort_index;
  thread.legacy_sort_index = state->sort_index;
  perfetto_protos_TrackDescriptor descriptor = perfetto_protos_TrackDescriptor_init_zero;
  descriptor.has_uuid = true;
  descriptor.uuid = state->uuid;
  set_parent(&descriptor, uuid_of(p, state->track->parent));
  descriptor.thread = &thread;
  set_rank(&descriptor, state);
  struct tb_json_emit ids;
  const struct tb_track *track = state->track;
  tb_json_emit_init(&ids, p->allocator);
  emit_said(&ids, state);
  if (zero && track->has_tid) {
    emit_key(&ids, "\"tid\":");
    TB_JSON_EMIT(&ids, "0");
  } else if (!track->has_tid || tb_track_get_details(track)->tid_text.len || is_own_negative(p, track->tid)) {
    emit_id(&ids, true, track);
  }
  return write_described(p, &descriptor, &ids);
}

enum tb_status tb_perfetto_name_thread(struct tb_perfetto_writer *p, uint32_t sequence_id,
                                       const struct tb_track *thread) {
  enum { FIELDS = 8 };
  const struct tb_track_state *state = &p->tracks.items[thread->index];
  char packet[FIELDS * 2 * TB_WIRE_VARINT_MAX];
  bool zero;
  char *at = tb_wire_put_uint(packet, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence_id);
  char *descriptor = at = tb_wire_open_message(at, TB_TRACE_PACKET_TRACK_DESCRIPTOR);
  at = tb_wire_put_uint(at, TB_TRACK_DESCRIPTOR_UUID, state->uuid);
  char *ids = at = tb_wire_open_message(at, TB_TRACK_DESCRIPTOR_THREAD);
  at = tb_wire_put_uint(at, TB_THREAD_DESCRIPTOR_PID, (uint64_t)(int32_t)thread->pid);
  at = tb_wire_put_uint(at, TB_THREAD_DESCRIPTOR_TID, (uint64_t)described_tid(p, state, &zero));
  at = tb_wire_close_message(ids, at);
  if (thread->parent) at = tb_wire_put_uint(at, TB_TRACK_DESCRIPTOR_PARENT_UUID, uuid_of(p, thread->parent));
  at = tb_wire_put_uint(tb_wire_close_message(descriptor, at), TB_TRACE_PACKET_DERIVED, 1);
  return tb_packet_sink_put_fields(&p->sink, (struct tb_str){packet, (size_t)(at - packet)});
}

/* Not by nanopb: where slices overlap, there are as many lanes as slices. */
enum tb_status tb_perfetto_write_lane_below(struct tb_perfetto_writer *p, uint64_t uuid, uint64_t parent_uuid,
                                            struct tb_str name) {
  enum { FIELDS = 5 };
  p->scratch.len = 0;
  if (tb_buffer_reserve(&p->scratch, (size_t)2 * FIELDS * TB_WIRE_VARINT_MAX + name.len) != TB_OK)
    return tb_fail(&p->writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  char *at = tb_wire_put_uint(p->scratch.data, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, TB_DESCRIPTOR_SEQUENCE);
  char *descriptor = at = tb_wire_open_message(at, TB_TRACE_PACKET_TRACK_DESCRIPTOR);
  at = tb_wire_put_uint(at, TB_TRACK_DESCRIPTOR_UUID, uuid);
  if (name.len) at = tb_wire_put_bytes(at, TB_TRACK_DESCRIPTOR_NAME, name.ptr, name.len);
  if (parent_uuid) at = tb_wire_put_uint(at, TB_TRACK_DESCRIPTOR_PARENT_UUID, parent_uuid);
  at = tb_wire_close_message(descriptor, at);
  return tb_packet_sink_put_fields(&p->sink, (struct tb_str){p->scratch.data, (size_t)(at - p->scratch.data)});
}

enum tb_status tb_perfetto_write_lane(struct tb_perfetto_writer *p, uint64_t uuid, const struct tb_track *parent,
                                      struct tb_str name) {
  return tb_perfetto_write_lane_below(p, uuid, uuid_of(p, parent), name);
}

enum tb_status tb_perfetto_named_track(struct tb_perfetto_writer *p, uint32_t key, uint64_t *uuid) {
  struct tb_track_group *named = &p->groups.items[key];
  uint64_t above = uuid_of(p, named->parent);
  enum tb_status status = TB_OK;
  *uuid = named->uuid;
  if (*uuid) return TB_OK;
  if (named->above) status = tb_perfetto_named_track(p, named->above, &above);
  *uuid = named->uuid = ++p->next_uuid;
  struct tb_str none = {NULL, 0};
  return status == TB_OK ? tb_perfetto_write_lane_below(p, *uuid, above, named->name ? *named->name : none) : status;
}

static enum tb_status write_track(struct tb_perfetto_writer *p, const struct tb_track_state *state) {
  switch (state->track->type) {
    case TB_TRACK_PROCESS:
      return write_process(p, state);
    case TB_TRACK_THREAD:
      return write_thread(p, state);
    case TB_TRACK_CUSTOM:
      return tb_perfetto_write_lane(p, state->uuid, state->track->parent, state->name);
    default:
      return TB_OK; /* the trace itself needs no descriptor, and counters are written by key */
  }
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

enum tb_status tb_perfetto_write_counter_track(struct tb_perfetto_writer *p, const struct tb_counter *counter) {
  perfetto_protos_CounterDescriptor described = perfetto_protos_CounterDescriptor_init_zero;
  described.has_is_incremental = counter->incremental;
  described.is_incremental = counter->incremental;
  described.has_unit = counter->unit != TB_UNIT_NONE;
  described.unit = (perfetto_protos_CounterDescriptor_Unit)counter->unit;
  if (counter->unit_name.len) described.unit_name = tb_nanopb_str(&counter->unit_name);
  perfetto_protos_TrackDescriptor descriptor = perfetto_protos_TrackDescriptor_init_zero;
  descriptor.has_uuid = true;
  descriptor.uuid = counter->uuid;
  set_parent(&descriptor, uuid_of(p, counter->parent));
  descriptor.name = tb_nanopb_str(&counter->name);
  if (counter->description.len) descriptor.description = tb_nanopb_str(&counter->description);
  descriptor.counter = &described;
  return write_descriptor(p, &descriptor);
}

enum tb_status tb_perfetto_write_thread_time_track(struct tb_perfetto_writer *p, uint64_t uuid, uint64_t parent,
                                                   bool in_us) {
  perfetto_protos_CounterDescriptor counter = perfetto_protos_CounterDescriptor_init_zero;
  counter.has_type = true;
  counter.type = perfetto_protos_CounterDescriptor_BuiltinCounterType_COUNTER_THREAD_TIME_NS;
  counter.has_unit_multiplier = in_us;
  counter.unit_multiplier = 1000;
  counter.has_is_incremental = counter.is_incremental = true;
  perfetto_protos_TrackDescriptor descriptor = perfetto_protos_TrackDescriptor_init_zero;
  descriptor.has_uuid = true;
  descriptor.uuid = uuid;
  set_parent(&descriptor, parent);
  descriptor.counter = &counter;
  return write_descriptor(p, &descriptor);
}

/* ---- clocks and sequences ---------------------------------------------------------------------------------------- */

static void set_clock(perfetto_protos_ClockSnapshot_Clock *clock, uint32_t id, int64_t ns) {
  clock->has_clock_id = clock->has_timestamp = true;
  clock->clock_id = id;
  clock->timestamp = (uint64_t)ns;
}

enum tb_status tb_perfetto_write_sequence_start(struct tb_perfetto_writer *p, uint32_t sequence_id, int64_t ts,
                                                uint64_t track_uuid, uint64_t counter_uuid) {
  perfetto_protos_ClockSnapshot_Clock clocks[2] = {perfetto_protos_ClockSnapshot_Clock_init_zero,
                                                   perfetto_protos_ClockSnapshot_Clock_init_zero};
  set_clock(&clocks[0], SEQUENCE_CLOCK, ts);
  clocks[0].has_is_incremental = clocks[0].is_incremental = true;
  set_clock(&clocks[1], p->trace_clock, ts);
  perfetto_protos_ClockSnapshot snapshot = {2, clocks, true, p->trace_clock};
  perfetto_protos_TracePacketDefaults defaults = perfetto_protos_TracePacketDefaults_init_zero;
  struct tb_nanopb_varints counters = {&counter_uuid, counter_uuid ? 1 : 0};
  defaults.has_timestamp_clock_id = true;
  defaults.timestamp_clock_id = SEQUENCE_CLOCK;
  defaults.has_track_event_defaults = true;
  defaults.track_event_defaults.has_track_uuid = track_uuid != 0;
  defaults.track_event_defaults.track_uuid = track_uuid;
  if (counter_uuid) defaults.track_event_defaults.extra_counter_track_uuids = tb_nanopb_varints(&counters);
  const struct descriptor_part parts[] = {
      {TB_TRACE_PACKET_CLOCK_SNAPSHOT, perfetto_protos_ClockSnapshot_fields, &snapshot},
      {TB_TRACE_PACKET_TRACE_PACKET_DEFAULTS, perfetto_protos_TracePacketDefaults_fields, &defaults}};
  return write_packet(p, sequence_id, TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED, false, parts, 2);
}

/* Packets that are taken as they are have times on a clock, which some readers know by a snapshot alone. */
static enum tb_status write_clock_of_packets(struct tb_perfetto_writer *p) {
  perfetto_protos_ClockSnapshot_Clock clock = perfetto_protos_ClockSnapshot_Clock_init_zero;
  perfetto_protos_ClockSnapshot snapshot = {1, &clock, true, p->trace_clock};
  set_clock(&clock, p->trace_clock, 0);
  return write_of_trace(p, TB_TRACE_PACKET_CLOCK_SNAPSHOT, perfetto_protos_ClockSnapshot_fields, &snapshot);
}

/* Readers take the starts of V8's CPU profiles for times of MONOTONIC. Where nothing relates that to the trace's clock,
 * as in JSON, it is the same here. */
static enum tb_status write_clock_of_profiles(struct tb_perfetto_writer *p) {
  perfetto_protos_ClockSnapshot_Clock clocks[2] = {perfetto_protos_ClockSnapshot_Clock_init_zero,
                                                   perfetto_protos_ClockSnapshot_Clock_init_zero};
  perfetto_protos_ClockSnapshot snapshot = {2, clocks, true, p->trace_clock};
  const struct descriptor_part part = {TB_TRACE_PACKET_CLOCK_SNAPSHOT, perfetto_protos_ClockSnapshot_fields, &snapshot};
  set_clock(&clocks[0], p->trace_clock, 0);
  set_clock(&clocks[1], TB_CLOCK_MONOTONIC, 0);
  return write_packet(p, TB_DESCRIPTOR_SEQUENCE, 0, true, &part, 1);
}

/* The clock relations that the source states. */
static enum tb_status write_clocks(struct tb_perfetto_writer *p) {
  enum tb_status status = TB_OK;
  if (!p->metadata.clock_row_count && p->writer->is_own_source && p->passthrough.packets.len)
    status = write_clock_of_packets(p);
  if (status == TB_OK && p->profiles && !tb_perfetto_knows_monotonic(p)) status = write_clock_of_profiles(p);
  const struct tb_clock_reading *row = p->metadata.clocks;
  for (size_t i = 0; status == TB_OK && i < p->metadata.clock_row_count; row += p->metadata.clock_rows[i++]) {
    uint32_t count = p->metadata.clock_rows[i];
    perfetto_protos_ClockSnapshot_Clock *clocks = tb_calloc(p->allocator, count * sizeof(*clocks));
    if (!clocks) return tb_fail(&p->writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
    for (uint32_t k = 0; k < count; k++) set_clock(&clocks[k], row[k].clock ? row[k].clock : p->trace_clock, row[k].ns);
    perfetto_protos_ClockSnapshot snapshot = {(pb_size_t)count, clocks, true, p->trace_clock};
    status = write_of_trace(p, TB_TRACE_PACKET_CLOCK_SNAPSHOT, perfetto_protos_ClockSnapshot_fields, &snapshot);
    tb_free(p->allocator, clocks, count * sizeof(*clocks));
  }
  return status;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static enum tb_status write_attribute(struct tb_perfetto_writer *p, const struct tb_attribute *attribute) {
  perfetto_protos_TraceAttributes_Attribute a = perfetto_protos_TraceAttributes_Attribute_init_zero;
  a.key = tb_nanopb_str(&attribute->key);
  a.string_value = tb_nanopb_str(&attribute->text);
  perfetto_protos_TraceAttributes attributes = {1, &a};
  return write_of_trace(p, TB_TRACE_PACKET_TRACE_ATTRIBUTES, perfetto_protos_TraceAttributes_fields, &attributes);
}

static enum tb_status write_attributes(struct tb_perfetto_writer *p, bool leading) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < p->metadata.attribute_count; i++)
    if (p->metadata.attributes[i].leads == leading && !p->metadata.attributes[i].left_out)
      status = write_attribute(p, &p->metadata.attributes[i]);
  return status;
}

/* A descriptor of a thread has a process. One of none goes without, where its states say all that is known of it. */
static bool needs_no_descriptor(const struct tb_track_state *state) {
  const struct tb_track *track = state->track;
  return track->type == TB_TRACK_THREAD && !track->has_pid && track->has_tid && track->tid > 0 && state->has_state &&
         !state->is_used && !state->has_sort_index && !state->has_empty_name && !state->said_by_metadata &&
         !tb_track_get_details(track)->tid_text.len;
}

/* The process that stands for none is described where anything needs it. */
static bool is_needed(const struct tb_perfetto_writer *p, const struct tb_track_state *state) {
  const struct tb_track *track = state->track;
  if (track->type != TB_TRACK_PROCESS || track->has_pid || state->is_used || state->name.len) return true;
  bool has_thread = false;
  for (size_t i = 0; i < p->tracks.count; i++) {
    const struct tb_track_state *child = &p->tracks.items[i];
    if (!child->track || child->track->parent != track) continue;
    if (!needs_no_descriptor(child)) return true;
    has_thread = true;
  }
  return !has_thread;
}

/* To readers a thread that is described is there, and cannot be created any more. */
static enum tb_status write_tracks(struct tb_perfetto_writer *p, bool created) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < p->tracks.count; i++)
    if (p->tracks.items[i].track && p->tracks.items[i].is_created == created &&
        !needs_no_descriptor(&p->tracks.items[i]) && is_needed(p, &p->tracks.items[i]))
      status = write_track(p, &p->tracks.items[i]);
  return status;
}

enum tb_status tb_perfetto_write_created_threads(struct tb_perfetto_writer *p) { return write_tracks(p, true); }

enum tb_status tb_perfetto_write_preamble(struct tb_perfetto_writer *p) {
  enum tb_status status = free_thread_zero(p);
  if (status == TB_OK) status = write_clocks(p);
  if (status == TB_OK) status = write_order(p);
  if (status == TB_OK) status = write_tracks(p, false);
  for (size_t i = 1; status == TB_OK && i < p->counters.count; i++) {
    struct tb_counter *counter = &p->counters.items[i];
    counter->incremental = counter->has_int && !counter->has_double && counter->delta_bytes < counter->absolute_bytes;
    counter->last_value = 0;
    status = tb_perfetto_write_counter_track(p, counter);
  }
  if (status == TB_OK) status = write_attributes(p, true);
  return status == TB_OK ? write_attributes(p, false) : status;
}
