/* SPDX-License-Identifier: Apache-2.0
 *
 * What packets say: of sequences, clocks, tracks, and of what the recorder lost.
 */
#include "base/times.h"
#include "perfetto/clock/snapshot.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "toolbox/verify/verifier.h"

enum { DESCRIPTORS_MAX = 1 << 28, CLOCKS_MAX = 4096 };
enum { JUMP_NS = 100 * 1000 * 1000 };

/* ---- recordings -------------------------------------------------------------------------------------------------- */

static enum tb_status check_recording(struct tb_verifier *v, const struct tb_packet_header *head) {
  struct tb_merge_sequence *sequence = v->sequence;
  bool is_another = !sequence || sequence->id != head->sequence || sequence->machine != head->machine;
  if (is_another) v->sequence = sequence = tb_merge_sequence_get(&v->sequences, head->machine, head->sequence);
  if (!sequence) return TB_NO_MEMORY;
  bool seen = sequence->writer != 0;
  sequence->writer = 1;
  if (head->first || tb_recording_may_open(head->kind))
    return tb_recordings_take(&v->recordings, head, sequence, seen, head->offset);
  return head->kind ? tb_recordings_take_other(&v->recordings, head, sequence, head->offset) : TB_OK;
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

/* TB_NO_MEMORY; TB_LIMIT where there are too many. */
static enum tb_status find_clock(struct tb_verifier *v, const struct tb_packet *packet, uint32_t id,
                                 struct tb_verify_clock **clock, bool *is_new) {
  *is_new = false;
  for (size_t i = 0; i < v->clock_count; i++) {
    *clock = &v->clocks[i];
    if ((*clock)->id == id && (*clock)->machine == packet->machine && (*clock)->sequence == packet->sequence)
      return TB_OK;
  }
  void *clocks = v->clocks;
  enum tb_status status =
      tb_grow_array(v->allocator, &clocks, &v->clock_capacity, v->clock_count + 1, sizeof(*v->clocks), CLOCKS_MAX);
  v->clocks = clocks;
  if (status != TB_OK) return status;
  *is_new = true;
  *clock = &v->clocks[v->clock_count++];
  **clock = (struct tb_verify_clock){packet->machine, packet->sequence, id, 0};
  return TB_OK;
}

static bool is_far(int64_t a, int64_t b) {
  uint64_t apart = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
  return apart > JUMP_NS;
}

/* Whether a clock reads less than in the last snapshot of the same clocks, as the trace processor compares them. */
static enum tb_status check_order(struct tb_verifier *v, const struct tb_packet *packet,
                                  const struct tb_snapshot *snapshot, bool *backwards) {
  enum tb_status status = TB_OK;
  uint64_t group = tb_snapshot_group(snapshot, packet->machine);
  *backwards = false;
  if (tb_snapshot_has_increments(snapshot)) return TB_OK;
  for (size_t i = 0; i < snapshot->count && status == TB_OK; i++) {
    const struct tb_clock_reading_raw *reading = &snapshot->readings[i];
    const uint64_t *last = tb_map_find(&v->last_readings, group, reading->key);
    *backwards |= last && reading->ns < (int64_t)*last;
    status = tb_map_put(&v->last_readings, group, reading->key, (uint64_t)reading->ns);
  }
  return status;
}

/* Of the clocks of the operating system: what counts ticks says nothing in ns. */
static enum tb_status check_offsets(struct tb_verifier *v, const struct tb_packet *packet,
                                    const struct tb_snapshot *snapshot, bool *jumps) {
  const struct tb_clock_reading_raw *first = NULL;
  bool is_new;
  *jumps = false;
  for (size_t i = 0; i < snapshot->count; i++) {
    const struct tb_clock_reading_raw *reading = &snapshot->readings[i];
    if (reading->key > TB_CLOCK_BOOTTIME) continue;
    if (!first) first = reading;
    struct tb_verify_clock *clock;
    enum tb_status status = find_clock(v, packet, (uint32_t)reading->key, &clock, &is_new);
    if (status != TB_OK) return status == TB_LIMIT ? TB_OK : status;
    int64_t offset = tb_wrap_sub(reading->ns, first->ns);
    *jumps |= !is_new && is_far(offset, clock->offset);
    clock->offset = offset;
  }
  return TB_OK;
}

static enum tb_status check_snapshot(struct tb_verifier *v, const struct tb_packet *packet) {
  struct tb_snapshot snapshot;
  bool backwards, jumps = false;
  (void)tb_snapshot_read(packet->payload, packet->sequence, &snapshot); /* of a damaged one, what can be read */
  if (tb_snapshot_contradicts_itself(&snapshot))
    return tb_verifier_find(v, TB_FINDS_CLOCK_BACKWARDS, packet->offset), TB_OK;
  enum tb_status status = check_order(v, packet, &snapshot, &backwards);
  if (status == TB_OK) status = check_offsets(v, packet, &snapshot, &jumps);
  if (status != TB_OK) return status;
  if (backwards) tb_verifier_find(v, TB_FINDS_CLOCK_BACKWARDS, packet->offset);
  if (jumps && !backwards) tb_verifier_find(v, TB_FINDS_CLOCK_JUMP, packet->offset);
  return TB_OK;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

struct read_descriptor {
  struct tb_verify_descriptor is;
  bool has_uuid, has_pid, has_tid, has_ids; /* has_ids: those that its kind needs */
};

static void read_ids(struct tb_str message, uint32_t pid_field, uint32_t tid_field, struct read_descriptor *to) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == pid_field) to->is.pid = (int32_t)field.value, to->has_pid = true;
    if (tid_field && field.number == tid_field) to->is.tid = (int64_t)field.value, to->has_tid = true;
  }
}

static void read_descriptor(const struct tb_packet *packet, struct read_descriptor *to) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->payload);
  struct tb_wire_field field;
  *to = (struct read_descriptor){.is = {.machine = packet->machine, .offset = packet->offset, .kind = TB_TRACK_CUSTOM}};
  to->has_ids = true;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_TRACK_DESCRIPTOR_UUID && field.type == TB_WIRE_VARINT)
      to->is.uuid = field.value, to->has_uuid = true;
    if (field.number == TB_TRACK_DESCRIPTOR_PARENT_UUID && field.type == TB_WIRE_VARINT)
      to->is.parent = field.value, to->is.has_parent = field.value != 0;
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_TRACK_DESCRIPTOR_COUNTER) to->is.kind = TB_TRACK_COUNTER;
    if (field.number == TB_TRACK_DESCRIPTOR_THREAD) {
      to->is.kind = TB_TRACK_THREAD;
      read_ids(field.bytes, TB_THREAD_DESCRIPTOR_PID, TB_THREAD_DESCRIPTOR_TID, to);
      to->has_ids = to->has_pid && to->has_tid;
    }
    if (field.number == TB_TRACK_DESCRIPTOR_PROCESS && to->is.kind != TB_TRACK_THREAD) {
      to->is.kind = TB_TRACK_PROCESS;
      read_ids(field.bytes, TB_PROCESS_DESCRIPTOR_PID, 0, to);
      to->has_ids = to->has_pid;
    }
  }
}

/* Whether two descriptors are of one track: names may change, and processes and threads need no parent. */
static bool is_same(const struct tb_verify_descriptor *a, const struct tb_verify_descriptor *b) {
  bool of_ids = a->kind == TB_TRACK_PROCESS || a->kind == TB_TRACK_THREAD;
  return a->kind == b->kind && a->pid == b->pid && a->tid == b->tid && (of_ids || a->parent == b->parent);
}

static enum tb_status check_descriptor(struct tb_verifier *v, const struct tb_packet *packet) {
  struct read_descriptor described;
  uint32_t place;
  read_descriptor(packet, &described);
  if (!described.has_uuid || !described.has_ids) tb_verifier_find(v, TB_FINDS_TRACK_INCOMPLETE, packet->offset);
  if (!described.has_uuid) return TB_OK;
  if (tb_map_get(&v->by_uuid, described.is.uuid, packet->machine, &place)) {
    if (!is_same(&v->descriptors[place], &described.is))
      tb_verifier_find(v, TB_FINDS_TRACK_TWO_MEANINGS, packet->offset);
    return TB_OK;
  }
  void *descriptors = v->descriptors;
  enum tb_status status = tb_grow_array(v->allocator, &descriptors, &v->descriptor_capacity, v->descriptor_count + 1,
                                        sizeof(*v->descriptors), DESCRIPTORS_MAX);
  v->descriptors = descriptors;
  if (status == TB_OK) status = tb_map_put(&v->by_uuid, described.is.uuid, packet->machine, v->descriptor_count);
  if (status != TB_OK) return TB_NO_MEMORY;
  v->descriptors[v->descriptor_count++] = described.is;
  return TB_OK;
}

/* The descriptor above; NULL: there is none. */
static struct tb_verify_descriptor *parent_of(struct tb_verifier *v, const struct tb_verify_descriptor *track) {
  uint32_t place;
  bool found = track->has_parent && tb_map_get(&v->by_uuid, track->parent, track->machine, &place);
  return found ? &v->descriptors[place] : NULL;
}

/* Two walkers, one of them twice as fast, meet where the way up leads in a circle. Each circle is one finding, at the
 * first descriptor of it. */
static void check_loop(struct tb_verifier *v, struct tb_verify_descriptor *track) {
  struct tb_verify_descriptor *slow = track, *fast = track;
  do {
    slow = slow ? parent_of(v, slow) : NULL;
    fast = fast ? parent_of(v, fast) : NULL;
    fast = fast ? parent_of(v, fast) : NULL;
  } while (fast && fast != slow);
  if (!fast || slow->is_in_loop) return;
  uint64_t first = slow->offset;
  do {
    slow->is_in_loop = true;
    if (slow->offset < first) first = slow->offset;
    slow = parent_of(v, slow);
  } while (slow != fast);
  tb_verifier_find(v, TB_FINDS_TRACK_LOOP, first);
}

/* ---- track events ------------------------------------------------------------------------------------------------ */

struct checked_event {
  uint64_t type, name_iid;
  bool has_value, has_time, has_iid, misses_iid;
};

static void check_iid(const struct tb_packet_reader *packets, uint32_t index, uint64_t iid, struct checked_event *to) {
  struct tb_str entry;
  if (!tb_packet_interned(packets, index, iid, &entry)) to->misses_iid = true;
}

static void read_track_event(const struct tb_packet_reader *packets, const struct tb_packet *packet,
                             struct checked_event *to) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->payload);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    switch (field.number) {
      case TB_TRACK_EVENT_TYPE:
        to->type = field.value;
        break;
      case TB_TRACK_EVENT_NAME_IID:
        check_iid(packets, TB_INTERNED_DATA_EVENT_NAMES, field.value, to);
        break;
      case TB_TRACK_EVENT_CATEGORY_IIDS:
        if (field.type == TB_WIRE_VARINT) check_iid(packets, TB_INTERNED_DATA_EVENT_CATEGORIES, field.value, to);
        break;
      case TB_TRACK_EVENT_COUNTER_VALUE:
      case TB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
        to->has_value = true;
        break;
      case TB_TRACK_EVENT_TIMESTAMP_DELTA_US:
      case TB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US:
        to->has_time = true;
        break;
      default:
        break;
    }
  }
}

/* An id of 0 counts where it is said. */
static bool says_sequence(const struct tb_packet *packet) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->bytes);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID) return true;
  return false;
}

static void check_track_event(struct tb_verifier *v, const struct tb_packet_reader *packets,
                              const struct tb_packet *packet) {
  struct checked_event event = {.type = 0};
  if (packet->unreadable) return; /* the reader counts it */
  read_track_event(packets, packet, &event);
  if (!packet->sequence && !says_sequence(packet)) tb_verifier_find(v, TB_FINDS_NO_SEQUENCE, packet->offset);
  if (!packet->has_timestamp && !packet->clock_unknown && !event.has_time)
    tb_verifier_find(v, TB_FINDS_NO_TIME, packet->offset);
  if (event.misses_iid) tb_verifier_find(v, TB_FINDS_INTERNED_MISSING, packet->offset);
  if (event.type == TB_TRACK_EVENT_TYPE_COUNTER && !event.has_value)
    tb_verifier_find(v, TB_FINDS_COUNTER_NO_VALUE, packet->offset);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

enum tb_status tb_verify_packet(struct tb_verifier *v, const struct tb_packet_reader *packets,
                                const struct tb_packet *packet) {
  v->result.packets++;
  if (check_recording(v, tb_packet_reader_header(packets)) != TB_OK) return TB_NO_MEMORY;
  if (packet->lost_before) tb_verifier_find(v, TB_FINDS_EVENTS_LOST, packet->offset);
  switch (packet->kind) {
    case TB_TRACE_PACKET_TRACK_EVENT:
      check_track_event(v, packets, packet);
      return TB_OK;
    case TB_TRACE_PACKET_TRACK_DESCRIPTOR:
      return packet->unreadable ? TB_OK : check_descriptor(v, packet);
    case TB_TRACE_PACKET_CLOCK_SNAPSHOT:
      return check_snapshot(v, packet);
    case TB_TRACE_PACKET_TRACE_STATS:
      v->stats_offset = packet->offset;
      break;
    case TB_TRACE_PACKET_FTRACE_STATS:
      v->kernel_stats_offset = packet->offset;
      break;
    default:
      return TB_OK;
  }
  tb_recorder_losses_read(&v->recorder, packet);
  return TB_OK;
}

static void check_recorder(struct tb_verifier *v) {
  static const enum tb_finding_code codes[TB_MISSED_COUNT] = {
      [TB_MISSED_OVERWRITTEN] = TB_FINDS_BUFFER_OVERWRITTEN,
      [TB_MISSED_DISCARDED] = TB_FINDS_BUFFER_FULL,
      [TB_MISSED_WRITER] = TB_FINDS_WRITER_DROPPED,
      [TB_MISSED_PATCHES] = TB_FINDS_PATCHES_LATE,
      [TB_MISSED_INVALID] = TB_FINDS_PACKETS_INVALID,
      [TB_MISSED_FLUSHES] = TB_FINDS_FLUSH_FAILED,
      [TB_MISSED_FTRACE_OVERRUN] = TB_FINDS_KERNEL_OVERWRITTEN,
      [TB_MISSED_FTRACE_DROPPED] = TB_FINDS_KERNEL_DROPPED,
  };
  for (unsigned i = 0; i < TB_MISSED_COUNT; i++) {
    uint64_t count = tb_recorder_losses_count(&v->recorder, i);
    bool of_kernel = i >= TB_MISSED_FTRACE_OVERRUN;
    if (count) tb_verifier_find_many(v, codes[i], count, of_kernel ? v->kernel_stats_offset : v->stats_offset);
  }
}

void tb_verify_packets_end(struct tb_verifier *v) {
  uint32_t place;
  check_recorder(v);
  if (v->recordings.count)
    tb_verifier_find_many(v, TB_FINDS_SECOND_TRACE, v->recordings.count, v->recordings.offsets[0]);
  for (size_t i = 0; i < v->descriptor_count; i++) {
    struct tb_verify_descriptor *track = &v->descriptors[i];
    bool of_ids = track->kind == TB_TRACK_PROCESS || track->kind == TB_TRACK_THREAD;
    if (of_ids || !track->has_parent) continue;
    if (!tb_map_get(&v->by_uuid, track->parent, track->machine, &place))
      tb_verifier_find(v, TB_FINDS_PARENT_UNDESCRIBED, track->offset);
    check_loop(v, track);
  }
  for (size_t i = 0; i < v->use_count; i++) {
    const struct tb_track *track = v->uses[i].track;
    if (track && track->uuid && !tb_map_get(&v->by_uuid, track->uuid, track->machine, &place))
      tb_verifier_find(v, TB_FINDS_TRACK_UNDESCRIBED, v->uses[i].first_offset);
  }
}
