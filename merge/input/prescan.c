/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/prescan.h"
#include "base/mix64.h"

#include "base/error.h"
#include "base/losses.h"
#include "merge/rewrite/rewrite_fields.h"
#include "perfetto/packet/packet_times.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { TRACKS_MAX = 1 << 26 };

static uint64_t hash_text(struct tb_str text) {
  uint64_t h = TB_MIX64_GOLDEN ^ text.len;
  for (size_t i = 0; i < text.len; i++) h = tb_mix_byte(h, (unsigned char)text.ptr[i]);
  return tb_mix64(h) | 1;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static void take_thread(struct tb_prescanned_track *track, struct tb_str bytes) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  track->kind = TB_SURVEYED_THREAD;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_THREAD_DESCRIPTOR_PID && field.type == TB_WIRE_VARINT) track->pid = (int32_t)field.value;
    if (field.number == TB_THREAD_DESCRIPTOR_TID && field.type == TB_WIRE_VARINT) track->tid = (int64_t)field.value;
  }
}

static void take_process(struct tb_prescanned_track *track, struct tb_str bytes) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  track->kind = TB_SURVEYED_PROCESS;
  track->name = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_PROCESS_DESCRIPTOR_PID && field.type == TB_WIRE_VARINT) track->pid = (int32_t)field.value;
    if (field.number == TB_PROCESS_DESCRIPTOR_PROCESS_NAME && field.bytes.len) track->name = hash_text(field.bytes);
  }
}

/* What a field says where it is left out does not count: two descriptors may say the same in other words. */
static uint64_t measure_with(uint64_t measure, const struct tb_wire_field *field, uint64_t unless) {
  if (field->type == TB_WIRE_BYTES)
    return field->bytes.len ? measure + tb_mix64(hash_text(field->bytes) ^ field->number) : measure;
  return field->value && field->value != unless ? measure + tb_mix64(field->value << 8 ^ field->number) : measure;
}

static void take_counter(struct tb_prescanned_track *track, struct tb_str bytes) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  track->kind = TB_SURVEYED_COUNTER;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    switch (field.number) {
      case TB_COUNTER_DESCRIPTOR_IS_INCREMENTAL:
        track->is_incremental = field.value != 0;
        break;
      case TB_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER:
        track->measure = measure_with(track->measure, &field, 1);
        break;
      case TB_COUNTER_DESCRIPTOR_TYPE:
      case TB_COUNTER_DESCRIPTOR_UNIT:
      case TB_COUNTER_DESCRIPTOR_UNIT_NAME:
        track->measure = measure_with(track->measure, &field, 0);
        break;
      default:
        break;
    }
  }
}

static struct tb_prescanned_track read_track(struct tb_str bytes, uint32_t machine) {
  struct tb_prescanned_track track = {.machine = machine};
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    switch (field.number) {
      case TB_TRACK_DESCRIPTOR_UUID:
        track.uuid = field.value;
        break;
      case TB_TRACK_DESCRIPTOR_PARENT_UUID:
        track.parent = field.value;
        break;
      case TB_TRACK_DESCRIPTOR_NAME:
      case TB_TRACK_DESCRIPTOR_STATIC_NAME:
      case TB_TRACK_DESCRIPTOR_ATRACE_NAME:
        if (track.kind != TB_SURVEYED_PROCESS) track.name = hash_text(field.bytes);
        break;
      case TB_TRACK_DESCRIPTOR_PROCESS:
        take_process(&track, field.bytes);
        break;
      case TB_TRACK_DESCRIPTOR_THREAD:
        take_thread(&track, field.bytes);
        break;
      case TB_TRACK_DESCRIPTOR_COUNTER:
        take_counter(&track, field.bytes);
        break;
      default:
        break;
    }
  }
  return track;
}

static enum tb_status take_track(struct tb_prescan *s, struct tb_str bytes, const struct tb_packet_header *head) {
  uint32_t machine = head->machine;
  struct tb_prescanned_track track = read_track(bytes, machine);
  track.identity = head->merge_identity ? head->merge_identity : track.uuid;
  const uint64_t *known = tb_map_find(&s->track_index, track.uuid, 0);
  if (known) { /* described again: what it says now counts, but it cannot stop being a process or thread */
    struct tb_prescanned_track *old = &s->tracks[*known];
    if (track.kind == TB_SURVEYED_OTHER || !track.name) {
      if (track.kind == TB_SURVEYED_OTHER) {
        track.kind = old->kind, track.pid = old->pid, track.tid = old->tid;
        track.is_incremental = old->is_incremental, track.measure = old->measure;
      }
      if (!track.name) track.name = old->name;
    }
    if (!track.parent) track.parent = old->parent;
    track.identity = old->identity;
    *old = track;
    return TB_OK;
  }
  void *tracks = s->tracks;
  const struct tb_allocator *a = s->clocks.allocator;
  enum tb_status status =
      tb_grow_array(a, &tracks, &s->track_capacity, s->track_count + 1, sizeof(*s->tracks), TRACKS_MAX);
  s->tracks = tracks;
  if (status == TB_OK) status = tb_map_put(&s->track_index, track.uuid, 0, s->track_count);
  if (status == TB_OK && track.identity != track.uuid) status = tb_map_put(&s->uuids, track.identity, 0, track.uuid);
  if (status == TB_OK) s->tracks[s->track_count++] = track;
  uint64_t of = (uint64_t)machine << 32;
  if (status == TB_OK && (track.kind == TB_SURVEYED_PROCESS || track.kind == TB_SURVEYED_THREAD))
    status = tb_map_put(&s->pids, of | (uint32_t)track.pid, 0, 0);
  if (status == TB_OK && track.kind == TB_SURVEYED_THREAD)
    status = tb_map_put(&s->tids, of | (uint32_t)track.tid, 0, 0);
  return status;
}

const struct tb_prescanned_track *tb_prescan_track(const struct tb_prescan *s, uint64_t identity) {
  const uint64_t *uuid = tb_map_find(&s->uuids, identity, 0);
  const uint64_t *at = tb_map_find(&s->track_index, uuid ? *uuid : identity, 0);
  return at && s->tracks[*at].identity == identity ? &s->tracks[*at] : NULL;
}

uint64_t tb_prescan_identity(const struct tb_prescan *s, uint64_t uuid) {
  uint64_t identity = 0x5bd1e995;
  for (int depth = 0; depth < TB_PRESCAN_PARENTS && uuid; depth++) {
    const uint64_t *at = tb_map_find(&s->track_index, uuid, 0);
    if (!at) return depth ? tb_mix64(identity ^ uuid) | 1 : 0;
    const struct tb_prescanned_track *t = &s->tracks[*at];
    identity = tb_mix64(identity ^ t->kind ^ (uint64_t)tb_prescan_machine(s, t->machine) << 8);
    if (t->kind == TB_SURVEYED_PROCESS) return tb_mix64(identity ^ (uint32_t)t->pid) | 1;
    if (t->kind == TB_SURVEYED_THREAD) return tb_mix64(tb_mix64(identity ^ (uint32_t)t->pid) ^ (uint64_t)t->tid) | 1;
    identity = tb_mix64(tb_mix64(identity ^ t->name) ^ t->measure ^ t->is_incremental);
    uuid = t->parent;
  }
  return identity | 1;
}

/* ---- the packets ------------------------------------------------------------------------------------------------- */

/* The machine of that id; NULL where there are too many. */
static struct tb_prescanned_machine *take_machine(struct tb_prescan *s, uint32_t id) {
  for (size_t i = 0; i < s->machine_count; i++) {
    if (s->machines[i].id == id) return &s->machines[i];
  }
  if (s->machine_count == TB_PRESCAN_MACHINES) {
    s->too_many_machines = true;
    return NULL;
  }
  s->machines[s->machine_count] = (struct tb_prescanned_machine){.id = id};
  return &s->machines[s->machine_count++];
}

/* Payloads that readers take together for a machine, whoever recorded them, as a bit; 0: it is another. Two recordings
 * of them at one time end each other's slices, or are taken for changes of one value. */
static uint8_t whole_machine_kind(uint32_t kind) {
  switch (kind) {
    case TB_TRACE_PACKET_FTRACE_EVENTS:
      return 1 << 0;
    case TB_TRACE_PACKET_SYS_STATS:
      return 1 << 1;
    case TB_TRACE_PACKET_GPU_COUNTER_EVENT:
      return 1 << 2;
    case TB_TRACE_PACKET_GRAPHICS_FRAME_EVENT:
      return 1 << 3;
    case TB_TRACE_PACKET_FRAME_TIMELINE_EVENT:
      return 1 << 4;
    case TB_TRACE_PACKET_ETW_EVENTS:
      return 1 << 5;
    case TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT:
      return 1 << 6;
    case TB_TRACE_PACKET_CPU_PER_UID_DATA:
      return 1 << 7;
    default:
      return 0;
  }
}

/* How a merge introduced a machine that it made. */
static enum tb_status take_introduction(struct tb_prescan *s, const struct tb_packet_header *head,
                                        struct tb_prescanned_machine *machine) {
  if (machine->id && !machine->identity) machine->identity = (uint32_t)head->merge_identity;
  return tb_kept_boots_take(&s->boots, s->clocks.allocator, machine->id, head->bytes);
}

uint32_t tb_prescan_machine(const struct tb_prescan *s, uint32_t id) {
  for (size_t i = 0; i < s->machine_count; i++)
    if (s->machines[i].id == id && s->machines[i].identity) return s->machines[i].identity;
  return id;
}

static inline void extend(struct tb_prescanned_extent *extent, int64_t time) {
  if (!extent->any || time < extent->first) extent->first = time;
  if (!extent->any || time > extent->last) extent->last = time;
  extent->any = true;
}

static void use_clock(struct tb_prescan *s, uint32_t clock) {
  if (clock < TB_CLOCK_SEQUENCE_FIRST) s->clocks_used |= UINT64_C(1) << clock;
}

/* What a clock of the host read first and last, where its times are kept as they were read; else NULL. */
static struct tb_prescanned_extent *clock_extent(struct tb_prescan *s, uint32_t machine, uint32_t clock) {
  return machine == 0 && clock < TB_PRESCAN_CLOCKS && clock != s->clocks.primary ? &s->clock_extents[clock] : NULL;
}

/* The time of a packet of a sequence that was looked up, on its own clock. */
static int64_t own_time(const struct tb_clock_node *node, uint64_t timestamp) {
  return (int64_t)(timestamp * node->unit_multiplier);
}

static void take_time(struct tb_prescan *s, const struct tb_packet_header *head, struct tb_merge_sequence *sequence,
                      struct tb_prescanned_machine *machine, struct tb_merge_packet_time *time) {
  tb_input_clocks_time(&s->clocks, head, sequence, time);
  if (!time->resolved) return;
  use_clock(s, time->clock);
  tb_sequence_extent_add(&sequence->extent, time->time);
  if (!head->machine && !tb_packet_is_timeless(head->kind)) extend(&s->shown, time->time);
  struct tb_prescanned_extent *own = clock_extent(s, head->machine, time->clock);
  if (own)
    extend(own, own_time(tb_input_clocks_of(&s->clocks, sequence, time->clock), head->timestamp));
  else if (machine)
    extend(&machine->extent, time->time);
  if (head->kind == TB_TRACE_PACKET_SERVICE_EVENT && tb_service_event_says_started(head->payload))
    s->has_started = true, s->started = time->time;
}

/* Counts a packet that needs state which the sequence does not have yet. */
static inline void take_state(struct tb_prescan *s, struct tb_merge_sequence *sequence, bool cleared, bool needed) {
  sequence->has_state |= cleared;
  if (!needed || sequence->has_state) return;
  s->headless |= !s->trace_uuid && !s->clocks.primary_named;
  sequence->lacking++;
  if (!s->packets && !sequence->machine) s->starts_within = sequence->id;
}

static uint32_t read_iid(struct tb_str entry) {
  struct tb_wire_cursor cursor = tb_wire_cursor(entry);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_INTERNED_NAME_IID && field.type == TB_WIRE_VARINT) return (uint32_t)field.value;
  return 0;
}

/* Takes in which interned ids a packet introduces: where they go on says which part of a trace comes after which. */
static void take_interned(struct tb_merge_sequence *sequence, const struct tb_packet_header *head) {
  struct tb_wire_cursor cursor = tb_wire_cursor(head->interned);
  struct tb_wire_field field;
  for (int i = 0; i < TB_INTERNED_RUNS && head->cleared; i++) sequence->interned[i].last = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number < 1 || field.number > TB_INTERNED_RUNS || field.type != TB_WIRE_BYTES) continue;
    struct tb_interned_run *run = &sequence->interned[field.number - 1];
    uint32_t iid = read_iid(field.bytes);
    if (!run->first && !sequence->has_state) run->first = iid;
    if (iid > run->last) run->last = iid;
  }
}

/* Whether readers need the state of a packet: descriptors say all by themselves, and producers write them before it is
 * clear. */
static bool needs_state(const struct tb_packet_header *head) {
  return head->flags & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE && head->kind != 0 &&
         head->kind != TB_TRACE_PACKET_TRACK_DESCRIPTOR;
}

/* A hash over what packets are, one more taken in. */
static inline uint64_t content_with(uint64_t content, uint64_t timestamp, size_t len, uint32_t sequence) {
  return tb_mix64(content ^ timestamp ^ (uint64_t)len << 40 ^ (uint64_t)sequence << 32);
}

/* Who wrote a packet, as a number that is not 0. */
static uint32_t read_writer(struct tb_str packet) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  uint64_t user = 0, process = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_TRACE_PACKET_TRUSTED_UID) user = field.value;
    if (field.number == TB_TRACE_PACKET_TRUSTED_PID) process = field.value;
  }
  return (uint32_t)tb_mix64(user << 32 | (uint32_t)process) | 1;
}

/* Whether a recording begins with such a packet, and has none in its middle. */
static bool is_start(const struct tb_prescan *s, const struct tb_packet_header *head) {
  return head->kind == TB_TRACE_PACKET_TRACE_CONFIG || head->kind == TB_TRACE_PACKET_TRACE_UUID ||
         head->kind == TB_TRACE_PACKET_SYSTEM_INFO || (!s->has_events && head->clock_snapshot.ptr);
}

static bool is_event(const struct tb_packet_header *head) {
  return head->kind == TB_TRACE_PACKET_FTRACE_EVENTS ||
         (head->has_timestamp && head->kind && head->kind != TB_TRACE_PACKET_TRACK_DESCRIPTOR);
}

/* ---- the listener ------------------------------------------------------------------------------------------------ */

static void pass_on(struct tb_prescan *s, const struct tb_raw_packet *packet, const struct tb_merge_sequence *sequence,
                    const struct tb_merge_packet_time *time) {
  const struct tb_scanned_packet scanned = {s->packets - (sequence != NULL), sequence, *time};
  if (!s->listener->take_packet(s->listener->ctx, &scanned, packet)) s->listener = NULL;
}

/* ---- packets as nearly all are ----------------------------------------------------------------------------------- */

/* Common packets of one sequence, one after the other, until those of another come. */
struct sequence_scan {
  struct tb_event_clock events;
  struct tb_clock_cursor clock;
  struct tb_sequence_extent extent; /* the sequence's, but `first` and `last` are of these packets alone */
  struct tb_prescanned_extent *own; /* of its clock, where its times are kept as they were read; else NULL */
};

static void end_sequence_scan(struct tb_prescan *s, const struct sequence_scan *scan,
                              struct tb_prescanned_extent *all) {
  if (!scan->events.sequence) return;
  tb_clock_cursor_close(&scan->clock);
  struct tb_sequence_extent *extent = &scan->events.sequence->extent, before = *extent;
  if (scan->extent.first > scan->extent.last) return; /* none of them has a time */
  *extent = scan->extent;
  if (before.any && before.first < extent->first) extent->first = before.first;
  if (before.any && before.last > extent->last) extent->last = before.last;
  extend(&s->shown, scan->extent.first);
  extend(&s->shown, scan->extent.last);
  if (scan->own) return;
  extend(all, scan->extent.first);
  extend(all, scan->extent.last);
}

/* False where memory is out. */
static bool begin_sequence_scan(struct tb_prescan *s, struct sequence_scan *scan,
                                const struct tb_common_packet *packet) {
  tb_input_clocks_events_of(&s->clocks, packet->head.sequence, &scan->events);
  if (!scan->events.sequence) return false;
  tb_recordings_take_events(&s->recordings, scan->events.sequence);
  if (!scan->events.sequence->writer) scan->events.sequence->writer = read_writer(packet->bytes);
  tb_input_clocks_open_cursor(&s->clocks, &scan->events, &scan->clock);
  use_clock(s, scan->events.clock);
  scan->extent = scan->events.sequence->extent;
  scan->extent.first = INT64_MAX;
  scan->extent.last = INT64_MIN;
  scan->own = scan->events.node ? clock_extent(s, 0, scan->events.clock) : NULL;
  return true;
}

static TB_ALWAYS_INLINE enum tb_status scan_common(struct tb_prescan *s, struct tb_packet_tokenizer *stream,
                                                   const struct tb_prescan_listener *listener) {
  struct sequence_scan scan = {.events.id = TB_EVENT_CLOCK_NONE};
  struct tb_packet_cursor packets = tb_packet_tokenizer_open_cursor(stream);
  struct tb_common_packet packet;
  struct tb_prescanned_extent extent = {.any = false};
  enum tb_status status = TB_OK;
  uint64_t taken = 0, content = s->content;
  for (; tb_packet_cursor_take(&packets, &packet); taken++) {
    const struct tb_packet_common *head = &packet.head;
    if (scan.events.id != head->sequence) {
      end_sequence_scan(s, &scan, &extent);
      if (!begin_sequence_scan(s, &scan, &packet)) {
        status = TB_NO_MEMORY;
        break;
      }
      if (listener) listener->turn_to(listener->ctx, scan.events.sequence, &scan.clock);
    }
    content = content_with(content, head->timestamp, packet.bytes.len, head->sequence);
    if (head->flags & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE) take_state(s, scan.events.sequence, false, true);
    if (!head->timestamp_at) continue;
    int64_t time;
    if (!tb_input_clocks_read_at_cursor(&s->clocks, &scan.events, &scan.clock, head->timestamp, &time)) continue;
    tb_sequence_extent_add(&scan.extent, time);
    if (scan.own) extend(scan.own, own_time(scan.events.node, head->timestamp));
    if (listener && s->listener && !listener->take_event(listener->ctx, &packet, s->packets + taken, time))
      s->listener = NULL;
  }
  tb_packet_tokenizer_close_cursor(stream, &packets);
  end_sequence_scan(s, &scan, &extent);
  s->packets += taken;
  s->has_events |= taken > 0;
  s->content = content;
  struct tb_prescanned_machine *host = taken ? take_machine(s, 0) : NULL;
  if (!host || !extent.any) return status;
  extend(&host->extent, extent.first);
  extend(&host->extent, extent.last);
  return status;
}

static __attribute__((noinline)) enum tb_status scan_common_alone(struct tb_prescan *s,
                                                                  struct tb_packet_tokenizer *stream) {
  return scan_common(s, stream, NULL);
}

/* Takes the packets that follow as long as they are common ones: two copies, since each packet is in registers as long
 * as nobody is given it. */
static enum tb_status take_common(struct tb_prescan *s, struct tb_packet_tokenizer *stream) {
  return s->listener ? scan_common(s, stream, s->listener) : scan_common_alone(s, stream);
}

/* A packet of ours is first but for padding. */
static void take_split_mark(struct tb_prescan *s, const struct tb_packet_header *head) {
  struct tb_split_mark mark;
  if (head->kind == TB_TRACE_PACKET_SPLIT_PART && s->packets > 2) return;
  if (tb_split_mark_read(head->kind, head->payload, &mark)) s->split = mark;
}

static enum tb_status take_packet(struct tb_prescan *s, const struct tb_raw_packet *packet) {
  const struct tb_packet_header *head = &packet->head;
  struct tb_merge_sequence *sequence = tb_merge_sequence_get(&s->clocks.sequences, head->machine, head->sequence);
  if (!sequence) return TB_NO_MEMORY;
  enum tb_status status = TB_OK;
  if (head->first || tb_recording_may_open(head->kind))
    status = tb_recordings_take(&s->recordings, head, sequence, sequence->writer != 0, packet->offset);
  else if (head->kind)
    status = tb_recordings_take_other(&s->recordings, head, sequence, packet->offset);
  if (!sequence->writer) sequence->writer = read_writer(packet->packet);
  s->has_start |= is_start(s, head);
  s->has_events |= is_event(head) && !head->clock_snapshot.ptr;
  take_state(s, sequence, head->cleared, needs_state(head));
  if (head->cleared || head->interned_count) take_interned(sequence, head);
  s->packets++;
  s->unreadable += packet->unreadable;
  s->content = content_with(s->content, head->timestamp, packet->packet.len, head->sequence);
  struct tb_prescanned_machine *machine = take_machine(s, head->machine);
  if (status == TB_OK && (head->kind != TB_TRACE_PACKET_TRACK_EVENT || head->cleared || head->defaults.ptr)) {
    if (head->kind < TB_PAYLOAD_KINDS) {
      s->unknown_kinds[head->kind] |= !s->known_kinds[head->kind];
      if (!tb_frees_thread_zero(head)) s->seen_kinds[head->kind] = 1;
    }
    status = tb_input_clocks_take(&s->clocks, head, sequence, true);
    if (head->kind == TB_TRACE_PACKET_FTRACE_TEXT) tb_ftrace_markers_take(&s->markers, head->payload);
    if (head->kind == TB_TRACE_PACKET_TRACE_UUID) s->trace_uuid = hash_text(head->payload);
    if (head->kind == TB_TRACE_PACKET_SPLIT_PART || head->kind == TB_TRACE_PACKET_TRACE_ATTRIBUTES)
      take_split_mark(s, head);
    struct tb_str track = tb_packet_header_payload(head, TB_TRACE_PACKET_TRACK_DESCRIPTOR);
    if (status == TB_OK && track.ptr) status = take_track(s, track, head);
    if (machine && !tb_frees_thread_zero(head)) machine->whole_kinds |= whole_machine_kind(head->kind);
    if (status == TB_OK && head->kind == TB_TRACE_PACKET_REMOTE_CLOCK_SYNC && machine)
      status = take_introduction(s, head, machine);
  }
  struct tb_merge_packet_time time = {.resolved = false};
  if (status == TB_OK && head->has_timestamp) take_time(s, head, sequence, machine, &time);
  if (status == TB_OK && s->listener) pass_on(s, packet, sequence, &time);
  return status;
}

/* A field that is no packet. */
static void take_foreign(struct tb_prescan *s, const struct tb_raw_packet *packet) {
  const struct tb_merge_packet_time none = {.resolved = false};
  s->foreign = true;
  if (s->listener) pass_on(s, packet, NULL, &none);
}

/* How far each machine's clock is ahead of the host's: the first sync between them. */
static void measure_machines(struct tb_prescan *s) {
  for (size_t i = 0; i < s->machine_count; i++)
    (void)tb_input_clocks_ahead(&s->clocks, s->machines[i].id, &s->machines[i].ahead);
}

bool tb_prescan_loses_differences(const struct tb_prescan *s) {
  return s->goes_on && tb_clock_graph_has_differences(&s->clocks.graph);
}

void tb_prescan_measure(struct tb_prescan *s) {
  struct tb_prescanned_extent all = {.any = false};
  for (uint32_t clock = 0; clock < TB_PRESCAN_CLOCKS; clock++) {
    int64_t first, last;
    const struct tb_prescanned_extent *own = &s->clock_extents[clock];
    if (!own->any || !tb_input_clocks_convert(&s->clocks, 0, clock, own->first, &first)) continue;
    if (!tb_input_clocks_convert(&s->clocks, 0, clock, own->last, &last)) continue;
    extend(&all, first);
    extend(&all, last);
  }
  for (size_t i = 0; i < s->machine_count; i++) {
    struct tb_prescanned_machine *m = &s->machines[i];
    m->merged_ahead = m->ahead;
    if (!m->extent.any) continue;
    extend(&all, (int64_t)((uint64_t)m->extent.first - (uint64_t)m->ahead));
    extend(&all, (int64_t)((uint64_t)m->extent.last - (uint64_t)m->ahead));
  }
  s->has_time = all.any;
  s->first = all.first;
  s->last = all.last;
}

enum { WATCHED_BYTES = 4 << 20 };

/* Asks the watch after each WATCHED_BYTES or so of the decompressed file; *next is when. */
static bool goes_on(const struct tb_prescan_watch *watch, const struct tb_raw_packet_reader *packets, uint64_t *next) {
  uint64_t offset = tb_raw_packet_reader_offset(packets);
  if (!watch || offset < *next) return true;
  *next = offset + WATCHED_BYTES;
  return watch->goes_on(watch->ctx, tb_raw_packet_reader_stored(packets));
}

static enum tb_status read_all(struct tb_prescan *s, struct tb_raw_packet_reader *packets,
                               const struct tb_prescan_watch *watch, struct tb_error *error) {
  struct tb_raw_packet packet = {.offset = 0};
  enum tb_status status;
  uint64_t next = 0;
  for (;;) {
    if (!goes_on(watch, packets, &next)) return tb_fail(error, TB_CANCELLED, TB_NO_OFFSET, "cancelled");
    status = take_common(s, tb_raw_packet_reader_stream(packets));
    if (status != TB_OK)
      return tb_fail(error, status, tb_raw_packet_reader_offset(packets), "%s", tb_status_text(status));
    if (s->packets > s->unreadable) tb_raw_packet_reader_stream(packets)->max_junk = 0;
    status = tb_raw_packet_reader_next(packets, &packet, error);
    if (status != TB_OK) break;
    if (packet.packet.ptr)
      status = take_packet(s, &packet);
    else
      take_foreign(s, &packet);
    if (status != TB_OK) return tb_fail(error, status, packet.offset, "%s", tb_status_text(status));
  }
  if (status != TB_END) return status;
  s->bytes = tb_raw_packet_reader_offset(packets);
  s->losses = tb_raw_packet_reader_damage(packets, &s->damage_offset, &s->damage);
  s->goes_on =
      s->unreadable ||
      (s->losses && (tb_loss_kind_of(s->damage) != TB_LOSS_CUT || tb_raw_packet_reader_stream(packets)->resumed));
  if (s->packets > s->unreadable || (!s->unreadable && !s->losses)) return TB_OK;
  return tb_fail(error, TB_BAD_DATA, s->losses ? s->damage_offset : 0, "nothing in it can be read as perfetto: %s",
                 s->losses ? s->damage : "its packets are damaged");
}

enum tb_status tb_prescan_run(struct tb_prescan *s, const struct tb_allocator *a, const struct tb_input_place *place,
                              const struct tb_prescan_options *options, struct tb_error *error) {
  *s = (struct tb_prescan){.damage = ""};
  tb_input_clocks_init(&s->clocks, a);
  tb_payload_times_known_all(s->known_kinds);
  tb_map_init(&s->track_index, a);
  tb_map_init(&s->uuids, a);
  tb_map_init(&s->pids, a);
  tb_map_init(&s->tids, a);
  tb_recordings_init(&s->recordings, a);
  s->listener = options->listener;
  if (s->listener) s->listener->begin(s->listener->ctx, a);
  struct tb_raw_packet_reader *packets;
  struct tb_raw_packet_reader_options reading = {.allocator = a, .only_heads = true, .max_junk = options->max_junk};
  enum tb_status status = tb_raw_packet_reader_open(place, &reading, &packets, error);
  if (status == TB_OK) status = read_all(s, packets, options->watch, error);
  s->listener = NULL;
  tb_raw_packet_reader_close(packets);
  measure_machines(s);
  tb_prescan_measure(s);
  if (status != TB_OK) tb_error_set_file(error, place->name);
  return status;
}

void tb_prescan_free(struct tb_prescan *s) {
  const struct tb_allocator *a = s->clocks.allocator;
  if (!a) return;
  tb_input_clocks_free(&s->clocks);
  tb_kept_boots_free(&s->boots, a);
  tb_map_free(&s->track_index);
  tb_map_free(&s->uuids);
  tb_map_free(&s->pids);
  tb_map_free(&s->tids);
  tb_recordings_free(&s->recordings);
  tb_free(a, s->tracks, s->track_capacity * sizeof(*s->tracks));
}
