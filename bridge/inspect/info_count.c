/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallies of events and packets as they come.
 */
#include "inspect/info_state.h"
#include "model/metadata.h"
#include "perfetto/clock/snapshot.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { CLOCKS_MAX = 4096, METADATA_MAX = 4096, KINDS_MAX = 1 << 16, SNAPSHOT_CLOCKS = 64 };
enum { FIRST_SEQUENCE_CLOCK = 64, LAST_SEQUENCE_CLOCK = 127 };

static bool grow(struct tb_info_state *s, void **items, size_t *capacity, size_t needed, size_t size, size_t max) {
  if (tb_grow_array(s->allocator, items, capacity, needed, size, max) == TB_OK) return true;
  s->out_of_memory = true;
  return false;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static struct tb_info_track *find_track(struct tb_info_state *s, const struct tb_track *track) {
  if (track->index >= s->track_count) {
    void *tracks = s->tracks;
    size_t before = s->track_count;
    if (!grow(s, &tracks, &s->track_count, (size_t)track->index + 1, sizeof(*s->tracks), UINT32_MAX)) return NULL;
    s->tracks = tracks;
    for (size_t i = before; i < s->track_count; i++)
      s->tracks[i] = (struct tb_info_track){.last_ts = INT64_MIN, .first_event = INT64_MAX, .last_event = INT64_MIN};
  }
  struct tb_info_track *track_counts = &s->tracks[track->index];
  track_counts->track = track;
  return track_counts;
}

static bool is_seen(const struct tb_info_state *s, const struct tb_track *track) {
  return track->index < s->track_count && s->tracks[track->index].track;
}

/* Tracks above count too, so that processes without events of their own are seen. */
bool tb_info_see_above(struct tb_info_state *s, const struct tb_track *track) {
  for (const struct tb_track *above = track->parent; above && !is_seen(s, above); above = above->parent)
    if (!find_track(s, above)) return false;
  return true;
}

static struct tb_info_track *see_track(struct tb_info_state *s, const struct tb_track *track) {
  if (is_seen(s, track)) return &s->tracks[track->index];
  return tb_info_see_above(s, track) ? find_track(s, track) : NULL;
}

static bool happens_in_time(const struct tb_event *event) {
  return event->type < TB_EVENT_TRACK || event->type == TB_EVENT_SAMPLE ||
         (event->type == TB_EVENT_SYSTEM_TRACE && event->has & TB_HAS_TS);
}

static void count_time(struct tb_info_state *s, const struct tb_event *event) {
  if (!(event->has & TB_HAS_TS)) {
    s->odd[TB_ODD_NO_TIME]++;
    return;
  }
  int64_t end = event->ts;
  if (event->has & TB_HAS_DUR && event->dur > 0 && event->dur <= INT64_MAX - (end > 0 ? end : 0)) end += event->dur;
  if (event->ts < s->info.first_ts) s->info.first_ts = event->ts;
  if (end > s->info.last_ts) s->info.last_ts = end;
  if (event->ts < 0) s->odd[TB_ODD_NEGATIVE_TIME]++;
  if (event->has & TB_HAS_DUR && event->dur < 0) s->odd[TB_ODD_NEGATIVE_DURATION]++;
}

static void count_track_time(struct tb_info_track *track, const struct tb_event *event) {
  if (!(event->has & TB_HAS_TS)) return;
  int64_t end = event->ts;
  if (event->has & TB_HAS_DUR && event->dur > 0 && event->dur <= INT64_MAX - (end > 0 ? end : 0)) end += event->dur;
  if (event->ts < track->first_event) track->first_event = event->ts;
  if (end > track->last_event) track->last_event = end;
}

/* Begins and ends only: other events may come whenever their writer was done with them. Those out of a processor's
 * buffer are counted later (inspect/info_cpu_slices.c). */
static void count_order(struct tb_info_state *s, struct tb_info_track *track, const struct tb_event *event) {
  if (event->type != TB_EVENT_SLICE_BEGIN && event->type != TB_EVENT_SLICE_END) return;
  if (event->has & TB_HAS_CPU && event->has & TB_HAS_TS) return;
  if (event->has & TB_HAS_TS) {
    if (event->ts < track->last_ts)
      s->odd[TB_ODD_DISORDER]++;
    else
      track->last_ts = event->ts;
  }
  if (event->type == TB_EVENT_SLICE_BEGIN)
    track->open++;
  else if (track->open)
    track->open--;
  else
    s->odd[TB_ODD_ORPHAN_END]++;
}

static struct tb_info_clock *find_clock(struct tb_info_state *s, uint32_t machine, uint32_t id) {
  for (size_t i = 0; i < s->clock_count; i++)
    if (s->clocks[i].id == id && s->clocks[i].machine == machine) return &s->clocks[i];
  void *clocks = s->clocks;
  if (s->clock_count == CLOCKS_MAX) return NULL;
  if (!grow(s, &clocks, &s->clock_capacity, s->clock_count + 1, sizeof(*s->clocks), CLOCKS_MAX)) return NULL;
  s->clocks = clocks;
  s->clocks[s->clock_count] = (struct tb_info_clock){.machine = machine, .id = id};
  return &s->clocks[s->clock_count++];
}

static const struct tb_info_clock *first_clock(const struct tb_info_state *s, uint32_t machine) {
  const struct tb_info_clock *clock = s->clocks;
  while (clock->machine != machine) clock++;
  return clock;
}

/* Snapshots in a row relate to the first clock of the machine's first. */
static void count_clocks(struct tb_info_state *s, uint32_t machine, const struct tb_clock_reading *readings,
                         uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct tb_info_clock *clock = find_clock(s, machine, readings[i].clock);
    if (!clock) return;
    if (!clock->readings++) clock->first_ns = readings[i].ns;
    clock->last_ns = readings[i].ns;
    const struct tb_info_clock *first = first_clock(s, machine);
    if (first->id != readings[0].clock || clock == first) continue;
    int64_t offset = (int64_t)((uint64_t)readings[i].ns - (uint64_t)readings[0].ns);
    if (!clock->has_offset) clock->offset_ns = offset;
    clock->has_offset = true;
    clock->offset_change_ns = (int64_t)((uint64_t)offset - (uint64_t)clock->offset_ns);
  }
}

static void keep_metadata(struct tb_info_state *s, struct tb_str name) {
  for (size_t i = 0; i < s->metadata_count; i++)
    if (tb_str_equal(s->metadata[i], name)) return;
  void *metadata = s->metadata;
  if (s->metadata_count == METADATA_MAX) return;
  if (!grow(s, &metadata, &s->metadata_capacity, s->metadata_count + 1, sizeof(*s->metadata), METADATA_MAX)) return;
  s->metadata = metadata;
  struct tb_str copy = tb_arena_copy(&s->arena, name);
  if (copy.ptr)
    s->metadata[s->metadata_count++] = copy;
  else
    s->out_of_memory = true;
}

static void keep_name(struct tb_info_state *s, struct tb_info_track *track, const struct tb_event *event) {
  struct tb_str name = tb_metadata_track_name(event);
  if (!name.len || tb_str_equal(track->name, name)) return;
  track->name = tb_arena_copy(&s->arena, name);
  if (!track->name.ptr) s->out_of_memory = true;
}

void tb_info_count_event(struct tb_info_state *s, const struct tb_event *event) {
  if (event->type == TB_EVENT_PACKETS && !s->info.packet_count) return; /* of text, which was read as packets */
  s->info.events_by_type[event->type]++;
  s->info.arguments += event->arg_count;
  if (event->type == TB_EVENT_CLOCK_SNAPSHOT && !s->info.packet_count)
    count_clocks(s, 0, event->clocks, event->clock_count);
  if (event->type == TB_EVENT_TRACE_METADATA) {
    keep_metadata(s, event->name);
    tb_info_read_metadata(s, event);
  }
  struct tb_info_track *track = event->track ? see_track(s, event->track) : NULL;
  if (track) keep_name(s, track, event);
  if (!happens_in_time(event)) return;
  s->info.events++;
  count_time(s, event);
  tb_info_count_flows(s, event);
  tb_info_count_names(s, track, event);
  if (!track) return;
  track->events++;
  count_track_time(track, event);
  count_order(s, track, event);
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* The place that the key stands for: a new one, `count`, where it is new. */
static uint32_t place_of(struct tb_info_state *s, struct tb_map *map, uint64_t first, uint64_t second, size_t count) {
  uint32_t place;
  if (tb_map_get(map, first, second, &place)) return place;
  if (tb_map_put(map, first, second, (uint32_t)count) != TB_OK) s->out_of_memory = true;
  return (uint32_t)count;
}

static bool is_new(struct tb_info_state *s, struct tb_map *map, uint64_t first, uint64_t second) {
  size_t before = map->count;
  (void)place_of(s, map, first, second, before);
  return map->count > before;
}

static bool is_new_sequence(struct tb_info_state *s, uint32_t machine, uint32_t id) {
  uint32_t number;
  if (tb_sequence_table_find(&s->sequences, machine, id, &number)) return false;
  if (tb_sequence_table_add(&s->sequences, machine, id) == TB_OK) return true;
  s->out_of_memory = true;
  return false;
}

static void count_kind(struct tb_info_state *s, const struct tb_packet *packet) {
  uint32_t i = place_of(s, &s->packet_kinds, packet->kind, 0, s->packet_count);
  if (i == s->packet_count) {
    void *packets = s->packets;
    if (!grow(s, &packets, &s->packet_capacity, s->packet_count + 1, sizeof(*s->packets), KINDS_MAX)) return;
    s->packets = packets;
    s->packets[s->packet_count++] = (struct tb_info_packets){.field = packet->kind, .name = packet->kind_name};
  }
  s->packets[i].count++;
  s->packets[i].bytes += packet->bytes.len;
}

/* The process that wrote the packet, as the service wrote it down; -1 for what it did not. */
static void read_writer(const struct tb_packet *packet, int32_t *uid, int32_t *pid) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->bytes);
  struct tb_wire_field field;
  *uid = *pid = -1;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == TB_TRACE_PACKET_TRUSTED_UID) *uid = (int32_t)field.value;
    if (field.number == TB_TRACE_PACKET_TRUSTED_PID) *pid = (int32_t)field.value;
  }
}

static void count_producer(struct tb_info_state *s, const struct tb_packet *packet, bool new_sequence) {
  int32_t uid, pid;
  read_writer(packet, &uid, &pid);
  if (pid < 0 && uid < 0) return;
  uint64_t key = (uint64_t)(uint32_t)uid << 32 | (uint32_t)pid;
  uint32_t i = place_of(s, &s->producer_ids, key, packet->machine, s->producer_count);
  if (i == s->producer_count) {
    void *producers = s->producers;
    size_t needed = s->producer_count + 1;
    if (!grow(s, &producers, &s->producer_capacity, needed, sizeof(*s->producers), UINT32_MAX - 1)) return;
    s->producers = producers;
    s->producers[s->producer_count++] = (struct tb_info_producer){.machine = packet->machine, .uid = uid, .pid = pid};
  }
  s->producers[i].packets++;
  s->producers[i].bytes += packet->bytes.len;
  s->producers[i].sequences += new_sequence;
}

/* The clocks of a snapshot, the trace's first. Clocks that belong to one sequence are left out. */
static void count_snapshot(struct tb_info_state *s, const struct tb_packet *packet) {
  struct tb_clock_reading readings[SNAPSHOT_CLOCKS];
  uint32_t count = 0, primary = TB_CLOCK_BOOTTIME;
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->payload);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK) primary = (uint32_t)field.value;
    if (field.number != TB_CLOCK_SNAPSHOT_CLOCKS || field.type != TB_WIRE_BYTES || count == SNAPSHOT_CLOCKS) continue;
    struct tb_snapshot_clock clock;
    (void)tb_snapshot_clock_read(field.bytes, &clock); /* the reader counts what is damaged */
    readings[count] = (struct tb_clock_reading){(uint32_t)clock.id, tb_snapshot_clock_ns(&clock)};
    if (readings[count].clock < FIRST_SEQUENCE_CLOCK || readings[count].clock > LAST_SEQUENCE_CLOCK) count++;
  }
  for (uint32_t i = 1; i < count; i++) {
    if (readings[i].clock != primary) continue;
    struct tb_clock_reading first = readings[0];
    readings[0] = readings[i];
    readings[i] = first;
  }
  count_clocks(s, packet->machine, readings, count);
  if (!packet->machine || !packet->has_timestamp || !count || readings[0].clock != primary) return;
  struct tb_info_clock *clock = find_clock(s, packet->machine, primary);
  if (!clock) return;
  clock->offset_ns = (int64_t)((uint64_t)readings[0].ns - (uint64_t)packet->timestamp);
  clock->has_offset = clock->offset_ns != 0;
}

void tb_info_count_packet(struct tb_info_state *s, const struct tb_packet *packet) {
  s->info.packet_count++;
  count_kind(s, packet);
  (void)is_new(s, &s->machines, packet->machine, 0);
  bool new_sequence = packet->sequence && is_new_sequence(s, packet->machine, packet->sequence);
  count_producer(s, packet, new_sequence);
  bool is_recorded = packet->kind == TB_TRACE_PACKET_CLOCK_SNAPSHOT && /* a derived one is for other readers alone */
                     !tb_wire_find_number(packet->bytes, TB_TRACE_PACKET_DERIVED);
  if (is_recorded) count_snapshot(s, packet);
  tb_info_read_recorder(s, packet);
  s->odd[TB_ODD_DATA_LOSS] += packet->lost_before;
  s->odd[TB_ODD_UNREADABLE] += packet->unreadable;
  s->odd[TB_ODD_UNRELATED_CLOCK] += packet->clock_unknown;
  s->odd[TB_ODD_UNKNOWN_PACKET] += packet->kind && !packet->kind_name.len;
}
