/* SPDX-License-Identifier: Apache-2.0
 *
 * One queue as a packet sequence: slices nested, times as differences on an incremental clock, everything else as the
 * queue's bodies have it.
 */
#include "perfetto/writer/sequence.h"
#include "base/error.h"
#include "perfetto/writer/cpu_profiles.h"
#include "perfetto/writer/descriptor_packets.h"
#include "perfetto/writer/encode/legacy_complete_event.h"
#include "perfetto/writer/fxt_passthrough.h"
#include "perfetto/writer/memory_dumps.h"
#include "perfetto/writer/sched_events.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/track_groups.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "timeline/slice_matcher.h"
#include "timeline/slice_nester.h"

enum { PROGRESS_ENTRIES = 4096, PROGRESS_BYTES = 64 * 1024 }; /* how often progress is reported */

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* The uuid of a new lane: its track's own for the first lane of a track, else that of a new track. */
static enum tb_status new_lane(struct tb_sequence_writer *w, const struct tb_lane *lane, uint64_t *uuid) {
  struct tb_perfetto_writer *p = w->p;
  if (!tb_sequence_is_shared(w)) {
    if (lane->number == 0) return TB_OK; /* the default track */
    *uuid = ++p->next_uuid;
    return tb_perfetto_write_lane(p, *uuid, w->sequence->track->track, TB_OVERLAPPING_SLICES);
  }
  const struct tb_lane_group *group = &p->groups.lanes[lane->lane_group];
  uint64_t above;
  if (group->class == TB_GROUP_CARRIED || group->class == TB_GROUP_PROFILE ||
      (group->class == TB_GROUP_TRACK && lane->number == 0)) {
    *uuid = group->parent ? p->tracks.items[group->parent->index].uuid : 0;
    return TB_OK;
  }
  if (group->named && lane->number == 0) return tb_perfetto_named_track(p, group->named, uuid);
  if (group->named && p->groups.items[group->named].above) {
    enum tb_status status = tb_perfetto_named_track(p, p->groups.items[group->named].above, &above);
    *uuid = ++p->next_uuid;
    return status == TB_OK ? tb_perfetto_write_lane_below(p, *uuid, above, group->name) : status;
  }
  *uuid = ++p->next_uuid;
  return tb_perfetto_write_lane(p, *uuid, group->parent,
                                group->class == TB_GROUP_TRACK ? TB_OVERLAPPING_SLICES : group->name);
}

static enum tb_status lane_track(struct tb_sequence_writer *w, const struct tb_lane *lane, uint32_t index,
                                 struct tb_event_head *head) {
  size_t before = w->lane_capacity;
  void *uuids = w->lane_uuids;
  if (tb_grow_array(w->p->allocator, &uuids, &w->lane_capacity, (size_t)index + 1, sizeof(*w->lane_uuids),
                    UINT32_MAX) != TB_OK)
    return tb_sequence_no_memory(w);
  w->lane_uuids = uuids;
  for (size_t i = before; i < w->lane_capacity; i++) w->lane_uuids[i] = UINT64_MAX;
  if (w->lane_uuids[index] == UINT64_MAX) {
    w->lane_uuids[index] = 0;
    enum tb_status status = new_lane(w, lane, &w->lane_uuids[index]);
    if (status != TB_OK) return status;
  }
  head->track = w->lane_uuids[index];
  head->has_track = tb_sequence_is_shared(w) || head->track;
  return TB_OK;
}

/* Whether the lane is one for slices that overlap: their phase is then no longer implied by their track. */
static bool is_overflow(const struct tb_sequence_writer *w, const struct tb_lane *lane) {
  return lane->number > 0 &&
         (!tb_sequence_is_shared(w) || w->p->groups.lanes[lane->lane_group].class == TB_GROUP_TRACK);
}

/* Whether the packets of a slice say their phases B and E: where they are to go back as two events, not as one X. */
static bool says_phases(const struct tb_sequence_writer *w, const struct tb_lane *lane, size_t place) {
  const struct tb_sort_queue *queue = tb_stager_as(&w->sequence->stager, &tb_form_queue);
  return is_overflow(w, lane) || tb_sort_queue_has_note(queue, place, TB_MATCH_AMBIGUOUS);
}

/* Whether a slice is written as a legacy event, without a packet for its end: the trace processor has a thread duration
 * of 0 from nothing else, and would unwind by the end the slice itself, or one in it that never ends. */
static bool is_whole(const struct tb_sequence_writer *w, const struct tb_lane *lane,
                     const struct tb_staged_event *entry, size_t place) {
  if (is_overflow(w, lane)) return false; /* the importer knows them on threads alone */
  const struct tb_sort_queue *queue = tb_stager_as(&w->sequence->stager, &tb_form_queue);
  bool needs = (entry->has_thread_dur && !entry->thread_dur) || tb_lane_is_above_ended_slice(lane, entry->ts) ||
               tb_sort_queue_has_note(queue, place, TB_MATCH_AROUND_ENDLESS);
  return needs && tb_may_be_legacy_complete(entry);
}

/* Whether begin and end of a slice may be one event, and its thread did not run meanwhile. */
static bool is_pair_without_thread_time(const struct tb_sequence_writer *w, const struct tb_staged_event *entry,
                                        size_t place) {
  const struct tb_sort_queue *queue = tb_stager_as(&w->sequence->stager, &tb_form_queue);
  return entry->kind == TB_STAGED_BEGIN && tb_sort_queue_has_note(queue, place, TB_MATCH_NO_THREAD_TIME) &&
         !tb_sort_queue_has_note(queue, place, TB_MATCH_AMBIGUOUS);
}

/* Returns what the END of the slice says. */
static struct tb_str complete_without_thread_time(struct tb_staged_event *slice) {
  struct tb_str end_args = slice->end_body;
  slice->kind = TB_STAGED_COMPLETE;
  slice->has_thread_dur = true;
  slice->thread_dur = 0;
  slice->end_body.len = 0;
  return end_args;
}

/* ---- what nesting tells ------------------------------------------------------------------------------------------ */

static struct tb_str interned_name(const struct tb_perfetto_writer *p, uint32_t iid) {
  return iid ? tb_intern_text(&p->interned.tables[TB_INTERNED_NAMES], iid) : (struct tb_str){NULL, 0};
}

static enum tb_status lane_group(void *ctx, const struct tb_staged_event *root, uint32_t *group_id) {
  struct tb_sequence_writer *w = ctx;
  *group_id = 0;
  if (!tb_sequence_is_shared(w)) return TB_OK;
  *group_id = tb_perfetto_lane_group(w->p, root->key, interned_name(w->p, root->name));
  return *group_id ? TB_OK : tb_sequence_no_memory(w);
}

/* Adds to the next packet what says its end too, with what that end says and its flows. */
static enum tb_status add_legacy_complete(struct tb_sequence_writer *w, const struct tb_staged_event *entry,
                                          struct tb_str end_args, size_t place) {
  if (tb_buffer_reserve(&w->extra, TB_LEGACY_COMPLETE_MAX) != TB_OK) return tb_sequence_no_memory(w);
  w->extra.len = (size_t)(tb_legacy_complete_write(w->extra.data + w->extra.len, entry) - w->extra.data);
  if (tb_buffer_append(&w->extra, end_args.ptr, end_args.len) != TB_OK) return tb_sequence_no_memory(w);
  return tb_sequence_add_end_flows(w, place);
}

/* Writes a packet of an event that viewers do not show. */
static enum tb_status put_carried_event(struct tb_sequence_writer *w, const struct tb_event_head *head,
                                        struct tb_str body) {
  char fields[TB_EVENT_PACKET_ROOM];
  char *end = tb_wire_put_uint(fields, TB_TRACK_EVENT_TYPE, head->type);
  end = tb_wire_put_uint(end, TB_TRACK_EVENT_TRACK_UUID, head->track);
  w->extra.len = 0;
  if (tb_buffer_append(&w->extra, fields, (size_t)(end - fields)) != TB_OK ||
      tb_buffer_append(&w->extra, body.ptr, body.len) != TB_OK)
    return tb_sequence_no_memory(w);
  struct tb_str event = {w->extra.data, w->extra.len};
  w->extra.len = 0;
  return tb_sequence_put_payload(w, head->ts, TB_TRACE_PACKET_CARRIED_EVENT, event);
}

static enum tb_status begin(void *ctx, const struct tb_staged_event *entry, size_t place, const struct tb_lane *lane,
                            uint32_t lane_index, bool *whole) {
  struct tb_sequence_writer *w = ctx;
  struct tb_event_head head = {
      .ts = entry->ts, .has_thread_time = entry->has_thread_ts, .thread_time = entry->thread_ts};
  bool instant = entry->kind == TB_STAGED_INSTANT || entry->kind == TB_STAGED_INSTANT_WITH_PHASE;
  head.type = instant && !w->instants_as_slices ? TB_TRACK_EVENT_TYPE_INSTANT : TB_TRACK_EVENT_TYPE_SLICE_BEGIN;
  enum tb_status status = lane_track(w, lane, lane_index, &head);
  if (status == TB_OK && tb_sequence_is_shared(w) && w->p->groups.items[entry->key].class == TB_GROUP_CARRIED)
    return put_carried_event(w, &head, entry->body);
  if (status == TB_OK && tb_sequence_is_shared(w) && w->p->groups.items[entry->key].class == TB_GROUP_PROFILE)
    status = tb_profile_sequence_name_thread(w, w->p->groups.items[entry->key].parent);
  if (status == TB_OK && entry->kind == TB_STAGED_BEGIN && says_phases(w, lane, place))
    status = tb_sequence_carry_phase(w, 'B');
  else if (status == TB_OK && is_overflow(w, lane) && !instant)
    status = tb_sequence_carry_phase(w, 'X');
  if (status == TB_OK && w->instants_as_slices && entry->kind == TB_STAGED_INSTANT)
    status = tb_sequence_carry_phase(w, 'i');
  struct tb_staged_event slice = *entry;
  struct tb_str end_args = {NULL, 0};
  if (is_pair_without_thread_time(w, entry, place)) end_args = complete_without_thread_time(&slice);
  *whole = is_whole(w, lane, &slice, place);
  if (status == TB_OK && *whole) status = add_legacy_complete(w, &slice, end_args, place);
  if (status == TB_OK && w->flow < w->flow_end) status = tb_sequence_add_flows(w, place);
  return status == TB_OK ? tb_sequence_put_event(w, &head, (struct tb_str){NULL, 0}, entry->body) : status;
}

struct label {
  uint64_t name;
  struct tb_str categories;
};

static struct label label_of(struct tb_str body) {
  struct label label = {0};
  struct tb_wire_cursor cursor = tb_wire_cursor(body);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK &&
         (field.number == TB_TRACK_EVENT_NAME_IID || field.number == TB_TRACK_EVENT_CATEGORY_IIDS)) {
    if (field.number == TB_TRACK_EVENT_NAME_IID) label.name = field.value;
    if (field.number == TB_TRACK_EVENT_NAME_IID) continue;
    if (!label.categories.ptr) label.categories.ptr = field.start;
    label.categories.len = (size_t)(cursor.at - label.categories.ptr);
  }
  return label;
}

/* Whether an end that says the label of `slice` would end `above`: readers take the newest that fits. */
static bool hides(const struct tb_open_slice *above, const struct tb_open_slice *slice) {
  if (above->complete || above->whole || !slice->body.len) return false;
  struct label own = label_of(slice->body), other = label_of(above->body);
  return own.name == other.name && (!own.categories.len || tb_str_equal(own.categories, other.categories));
}

/* The ends that the source lacks of slices in a complete one, so that the end of this is its own. */
static enum tb_status end_those_above(struct tb_sequence_writer *w, const struct tb_event_head *end,
                                      const struct tb_open_slice *slice, const struct tb_lane *lane) {
  const struct tb_event_head head = {
      .ts = end->ts, .type = TB_TRACK_EVENT_TYPE_SLICE_END, .has_track = end->has_track, .track = end->track};
  enum tb_status status = TB_OK;
  for (size_t i = lane->open_count; status == TB_OK && i-- > 0 && lane->open[i].place > slice->place;) {
    if (!hides(&lane->open[i], slice)) continue;
    lane->open[i].whole = true; /* for those around it, too */
    status = tb_sequence_add_label(w, slice->body);
    if (status == TB_OK && tb_wire_buffer_uint(&w->packet_fields, TB_TRACE_PACKET_DERIVED, 1) != TB_OK)
      status = tb_sequence_no_memory(w);
    if (status == TB_OK) status = tb_sequence_put_event(w, &head, (struct tb_str){NULL, 0}, (struct tb_str){NULL, 0});
  }
  return status;
}

static enum tb_status end(void *ctx, int64_t ts, const struct tb_staged_event *entry, const struct tb_open_slice *slice,
                          bool innermost, bool cut, const struct tb_lane *lane, uint32_t lane_index) {
  struct tb_sequence_writer *w = ctx;
  struct tb_event_head head = {.ts = ts, .type = TB_TRACK_EVENT_TYPE_SLICE_END};
  struct tb_str body = slice->end_body;
  if (entry) {
    head.has_thread_time = entry->has_thread_ts;
    head.thread_time = entry->thread_ts;
    body = entry->body;
  } else if (slice->complete) {
    head.has_thread_time = slice->has_thread_end;
    head.thread_time = slice->thread_end;
  }
  enum tb_status status = lane_track(w, lane, lane_index, &head);
  bool alone = entry && says_phases(w, lane, slice->place);
  if (status == TB_OK && !innermost && !entry) status = end_those_above(w, &head, slice, lane);
  if (status == TB_OK && (!innermost || (alone && entry->name))) status = tb_sequence_add_label(w, slice->body);
  if (status == TB_OK && alone) status = tb_sequence_carry_phase(w, 'E');
  if (cut)
    tb_losses_add(&w->p->writer->losses,
                  "slices cut short: they overlap others, which the memory budget leaves no room to sort out", 0);
  if (status == TB_OK) status = tb_sequence_add_end_flows(w, slice->place);
  return status == TB_OK ? tb_sequence_put_event(w, &head, (struct tb_str){NULL, 0}, body) : status;
}

/* The side track: a track next to the queue's own, for what must not nest there. */
static enum tb_status side_track(struct tb_sequence_writer *w, const struct tb_track *parent, uint64_t *uuid) {
  if (tb_sequence_is_shared(w) || !w->side_uuid) {
    w->side_uuid = ++w->p->next_uuid;
    enum tb_status status = tb_perfetto_write_lane(w->p, w->side_uuid, parent, TB_STR("other events"));
    if (status != TB_OK) return status;
  }
  *uuid = w->side_uuid;
  return TB_OK;
}

static char orphan_phase(const struct tb_sequence_writer *w, const struct tb_staged_event *entry) {
  if (!tb_sequence_is_shared(w)) return 'E';
  switch (w->p->groups.items[entry->key].class) {
    case TB_GROUP_ASYNC:
      return 'e';
    case TB_GROUP_LEGACY_ASYNC:
      return 'F';
    case TB_GROUP_OBJECT:
      return 'D';
    case TB_GROUP_CONTEXT:
      return ')';
    default:
      return 'E';
  }
}

/* An instant on the side track; among open slices of a thread an end, which readers leave unmatched as we do. A user
 * may have left its begin out, so that it is none of anything. */
static enum tb_status orphan_end(void *ctx, const struct tb_staged_event *entry, bool among_open) {
  struct tb_sequence_writer *w = ctx;
  if (w->p->writer->copies) {
    tb_losses_add(&w->p->writer->losses, "end of a slice without its begin", TB_NO_OFFSET);
    return TB_OK;
  }
  bool is_end = among_open && !tb_sequence_is_shared(w);
  struct tb_event_head head = {.ts = entry->ts,
                               .has_track = !is_end,
                               .type = is_end ? TB_TRACK_EVENT_TYPE_SLICE_END : TB_TRACK_EVENT_TYPE_INSTANT,
                               .has_thread_time = is_end && entry->has_thread_ts,
                               .thread_time = entry->thread_ts};
  const struct tb_track *parent =
      tb_sequence_is_shared(w) ? w->p->groups.items[entry->key].parent : w->sequence->track->track;
  enum tb_status status = is_end ? TB_OK : side_track(w, parent, &head.track);
  if (status == TB_OK)
    status = is_end ? tb_sequence_carry_phase(w, orphan_phase(w, entry))
                    : tb_sequence_carry_end(w, orphan_phase(w, entry), entry);
  if (status != TB_OK) return status;
  char name[1 + TB_WIRE_VARINT_MAX];
  size_t name_len = entry->name ? (size_t)(tb_wire_put_uint(name, TB_TRACK_EVENT_NAME_IID, entry->name) - name) : 0;
  if (entry->categories) {
    const struct tb_category_list *list = &w->p->interned.list_entries[entry->categories - 1];
    if (tb_buffer_append(&w->extra, list->encoded, list->encoded_len) != TB_OK) return tb_sequence_no_memory(w);
  }
  return tb_sequence_put_event(w, &head, (struct tb_str){name, name_len}, entry->body);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static enum tb_status put_counter(struct tb_sequence_writer *w, const struct tb_staged_event *entry) {
  if (w->p->groups.items[entry->key].class == TB_GROUP_STATE) return tb_perfetto_write_state(w, entry);
  if (w->p->groups.items[entry->key].class == TB_GROUP_KERNEL) return tb_perfetto_write_kernel(w, entry);
  struct tb_counter *counter = &w->p->counters.items[w->p->groups.items[entry->key].counter];
  struct tb_event_head head = {
      .ts = entry->ts, .has_track = true, .track = counter->uuid, .type = TB_TRACK_EVENT_TYPE_COUNTER};
  uint64_t bits;
  memcpy(&bits, entry->body.ptr + 1, sizeof(bits));
  char value[2 + TB_WIRE_VARINT_MAX];
  char *end;
  if (entry->body.ptr[0]) {
    end = tb_wire_put_fixed64(value, TB_TRACK_EVENT_DOUBLE_COUNTER_VALUE, bits);
  } else {
    uint64_t base = counter->incremental ? (uint64_t)counter->last_value : 0;
    end = tb_wire_put_uint(value, TB_TRACK_EVENT_COUNTER_VALUE, bits - base);
    counter->last_value = (int64_t)bits;
  }
  struct tb_str rest = {entry->body.ptr + 1 + sizeof(bits), entry->body.len - 1 - sizeof(bits)};
  return tb_sequence_put_event(w, &head, (struct tb_str){value, (size_t)(end - value)}, rest);
}

/* ---- the sequence ------------------------------------------------------------------------------------------------ */

/* Matches the queue's slices where they do not nest as they come. */
static enum tb_status prepare(struct tb_sequence_writer *w, bool *matched) {
  struct tb_sort_queue *s = tb_stager_as(&w->sequence->stager, &tb_form_queue);
  *matched = !s->run_count && (s->needs_matching || (!s->sorted && s->has_begin));
  if (!*matched) return TB_OK;
  enum tb_status status = tb_match_slices(s, tb_sequence_is_shared(w) ? (uint32_t)w->p->groups.count + 1 : 1);
  return status == TB_OK ? TB_OK : tb_sequence_no_memory(w);
}

/* What is no slice: counters, scheduling, memory dumps. */
static enum tb_status put_other(struct tb_sequence_writer *w, const struct tb_staged_event *entry,
                                struct tb_slice_nester *nesting, struct tb_memory_snapshots *snapshots) {
  enum tb_status status = tb_slice_nester_advance(nesting, entry->ts);
  if (status != TB_OK || w->p->groups.items[entry->key].class != TB_GROUP_MEMORY)
    return status == TB_OK ? put_counter(w, entry) : status;
  return tb_memory_snapshots_take(snapshots, entry) == TB_OK ? TB_OK : tb_sequence_no_memory(w);
}

static enum tb_status put_entries(struct tb_sequence_writer *w, struct tb_sort_queue_cursor *cursor,
                                  struct tb_slice_nester *nesting, struct tb_memory_snapshots *snapshots) {
  struct tb_staged_event entry;
  enum tb_status status;
  struct tb_error *error = &w->p->writer->error;
  while ((status = tb_sort_queue_next(cursor, &entry, error)) == TB_OK) {
    if (cursor->place % PROGRESS_ENTRIES == 0 && tb_perfetto_report_progress(w->p, cursor->place) != TB_OK)
      return TB_CANCELLED;
    if (cursor->place == 1) status = tb_sequence_put_start(w, entry.ts);
    if (status == TB_OK && snapshots->count && snapshots->ts != entry.ts)
      status = tb_memory_snapshots_put(snapshots, w);
    if (status != TB_OK) return status;
    if (entry.kind == TB_STAGED_FLOW) continue;
    if (tb_sequence_is_shared(w)) entry.key = tb_perfetto_resolve_group(w->p, entry.key);
    status = entry.kind == TB_STAGED_COUNTER ? put_other(w, &entry, nesting, snapshots)
                                             : tb_slice_nester_put(nesting, &entry, cursor->place - 1);
    if (status != TB_OK) return status;
  }
  if (status == TB_END) status = tb_memory_snapshots_put(snapshots, w);
  return status == TB_OK ? tb_slice_nester_finish(nesting) : status;
}

/* Slices on lanes, in any order and with any overlap. */
static enum tb_status write_lanes(struct tb_sequence_writer *w) {
  struct tb_perfetto_writer *p = w->p;
  struct tb_sort_queue *queue = tb_stager_as(&w->sequence->stager, &tb_form_queue);
  bool matched;
  enum tb_status status = prepare(w, &matched);
  const struct tb_slice_nester_sink sink = {
      .ctx = w, .lane_group = lane_group, .begin = begin, .end = end, .orphan_end = orphan_end};
  struct tb_sort_queue_cursor cursor = {0};
  struct tb_slice_nester nesting;
  tb_slice_nester_init(&nesting, queue, matched, tb_sequence_is_shared(w) ? (uint32_t)p->groups.count + 1 : 1, &sink);
  nesting.instants_as_slices = w->instants_as_slices;
  if (status == TB_OK) status = tb_sort_queue_open(queue, p->staging.spill, &cursor, &p->writer->error);
  struct tb_memory_snapshots snapshots;
  tb_memory_snapshots_init(&snapshots, p->allocator);
  if (status == TB_OK) status = put_entries(w, &cursor, &nesting, &snapshots);
  tb_memory_snapshots_free(&snapshots);
  tb_sort_queue_close(&cursor);
  tb_slice_nester_free(&nesting);
  tb_free(p->allocator, w->lane_uuids, w->lane_capacity * sizeof(*w->lane_uuids));
  return status;
}

/* Counts packets that were made before, and reports progress now and then. */
static enum tb_status count_given(struct tb_sequence_writer *w, size_t len) {
  uint64_t before = w->given;
  w->given += len;
  if (before / PROGRESS_BYTES == w->given / PROGRESS_BYTES) return TB_OK;
  double share = (double)w->given / (double)w->given_total;
  return tb_perfetto_report_progress(w->p, (uint64_t)(share * (double)w->given_entries));
}

static enum tb_status put_packets(void *ctx, struct tb_str packets) {
  struct tb_sequence_writer *w = ctx;
  enum tb_status status = count_given(w, packets.len);
  return status == TB_OK ? tb_packet_sink_put_packets(&w->p->sink, packets) : status;
}

static enum tb_status put_packet(void *ctx, struct tb_str packet, uint64_t place, unsigned sides, struct tb_str fields,
                                 struct tb_str end_args) {
  struct tb_sequence_writer *w = ctx;
  enum tb_status status = count_given(w, packet.len);
  if (fields.len && tb_buffer_append(&w->extra, fields.ptr, fields.len) != TB_OK) return tb_sequence_no_memory(w);
  if (end_args.len && tb_buffer_append(&w->extra, end_args.ptr, end_args.len) != TB_OK) return tb_sequence_no_memory(w);
  if (status == TB_OK && sides & TB_STREAMED_END) status = tb_sequence_add_end_flows(w, place);
  if (status == TB_OK && sides & TB_STREAMED_BEGIN && w->flow < w->flow_end) status = tb_sequence_add_flows(w, place);
  return status == TB_OK ? tb_sequence_put_extended(w, packet) : status;
}

/* What is in packets already. */
static enum tb_status write_streamed(struct tb_sequence_writer *w) {
  struct tb_streamed_sequence *streamed = tb_stager_as(&w->sequence->stager, &tb_form_streamed);
  struct tb_error *error = &w->p->writer->error;
  enum tb_status status = tb_streamed_sequence_finish(streamed, error);
  if (status == TB_OK) status = tb_sequence_put_start(w, streamed->first_ts);
  w->given_total = tb_spill_log_total(&streamed->packets);
  w->given_entries = streamed->total;
  tb_sequence_find_flows(w);
  bool any_at_end = false;
  for (const struct tb_slice_flow *f = w->flow; f < w->flow_end; f++) any_at_end |= f->at_end;
  const struct tb_streamed_sequence_sink sink = {w, put_packets, put_packet};
  if (status == TB_OK)
    status = any_at_end ? tb_streamed_sequence_each_packet(streamed, &sink, error)
                        : tb_streamed_sequence_emit(streamed, &sink, error);
  if (status == TB_NO_MEMORY) (void)tb_sequence_no_memory(w);
  return status;
}

static enum tb_status put_start(void *ctx, int64_t ts, uint64_t bytes) {
  struct tb_sequence_writer *w = ctx;
  w->given_total = bytes;
  w->given_entries = tb_stager_entries(&w->sequence->stager);
  return tb_sequence_put_start(w, ts);
}

static enum tb_status make_room(void *ctx, struct tb_spill_log *packets) {
  struct tb_sequence_writer *w = ctx;
  return tb_perfetto_make_room(w->p, packets);
}

/* What came when it ended, and nests. */
static enum tb_status write_end_ordered(struct tb_sequence_writer *w) {
  const struct tb_end_ordered_sequence_sink sink = {w, put_start, put_packets, make_room};
  enum tb_status status = tb_end_ordered_sequence_emit(w->sequence->stager.state, w->id, &sink, &w->p->writer->error);
  if (status == TB_NO_MEMORY) (void)tb_sequence_no_memory(w);
  return status;
}

static enum tb_status write_queue(struct tb_sequence_writer *w) {
  tb_sequence_find_flows(w);
  /* The trace processor gives an instant with a thread time a thread duration too, which JSON's have not: a slice
   * without one has none */
  w->instants_as_slices = w->sequence->has_thread_times;
  return write_lanes(w);
}

enum tb_status tb_perfetto_write_sequence(struct tb_perfetto_writer *p, uint32_t index) {
  struct tb_writer_sequence *sequence = p->sequences[index];
  struct tb_sequence_writer w = {.p = p, .sequence = sequence, .index = index, .id = index + TB_FIRST_SEQUENCE_ID};
  tb_packet_delta_init(&w.stream, w.id);
  w.stream.thread_times_in_us = sequence->thread_times_in_us;
  tb_buffer_init(&w.extra, p->allocator, 0);
  tb_buffer_init(&w.packet_fields, p->allocator, 0);
  enum tb_status status = TB_OK;
  if (tb_stager_entries(&sequence->stager))
    status = sequence->stager.form == &tb_form_streamed      ? write_streamed(&w)
             : sequence->stager.form == &tb_form_end_ordered ? write_end_ordered(&w)
                                                             : write_queue(&w);
  tb_stager_close(&sequence->stager);
  if (status == TB_OK && sequence->lossy) status = tb_perfetto_write_loss(p, w.id);
  tb_buffer_free(&w.extra);
  tb_buffer_free(&w.packet_fields);
  return status;
}
