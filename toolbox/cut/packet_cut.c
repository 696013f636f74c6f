/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/cut/packet_cut.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/times.h"
#include "model/carried_fields.h"
#include "perfetto/clock/snapshot.h"
#include "protos/field_numbers.h"

/* State that may never be of use is held in memory up to so much, then written. */
enum { HELD_MAX = 64 << 20, SEQUENCES_MAX = 1 << 24, LATE_MAX = 1 << 24 };

void tb_cut_init(struct tb_cut *cut, struct tb_walk *walk, struct tb_track_events *events) {
  *cut = (struct tb_cut){.walk = walk, .events = events, .patches.allocator = walk->merger.allocator};
  tb_arg_texts_init(&cut->arg_texts, walk->merger.allocator);
  tb_buffer_init(&cut->late_bytes, walk->merger.allocator, 0);
}

void tb_cut_free(struct tb_cut *cut) {
  for (size_t i = 0; i < cut->sequence_count; i++) {
    tb_buffer_free(&cut->sequences[i].held);
    tb_map_free(&cut->sequences[i].clocks.by_key);
    tb_map_free(&cut->sequences[i].values.by_key);
  }
  tb_free(cut->walk->merger.allocator, cut->sequences, cut->sequence_capacity * sizeof(*cut->sequences));
  tb_arg_texts_free(&cut->arg_texts);
  tb_free(cut->walk->merger.allocator, cut->late, cut->late_capacity * sizeof(*cut->late));
  tb_buffer_free(&cut->late_bytes);
  tb_message_patches_free(&cut->patches);
}

/* NULL where memory is out. */
static struct tb_cut_sequence *get_sequence(struct tb_cut *cut) {
  const struct tb_allocator *a = cut->walk->merger.allocator;
  size_t number = cut->walk->sequence_number;
  if (number < cut->sequence_count) return &cut->sequences[number];
  void *items = cut->sequences;
  enum tb_status status =
      tb_grow_array(a, &items, &cut->sequence_capacity, number + 1, sizeof(*cut->sequences), SEQUENCES_MAX);
  cut->sequences = items;
  if (status != TB_OK) return NULL;
  for (; cut->sequence_count <= number; cut->sequence_count++) {
    struct tb_cut_sequence *sequence = &cut->sequences[cut->sequence_count];
    tb_buffer_init(&sequence->held, a, 0);
    tb_map_init(&sequence->clocks.by_key, a);
    tb_map_init(&sequence->values.by_key, a);
    sequence->clocks.pending = sequence->values.pending = 0;
    sequence->held_packets = 0;
    sequence->has_late = false;
  }
  return &cut->sequences[number];
}

/* ---- what was left out and counts on ----------------------------------------------------------------------------- */

/* What sums are of, in the maps of a sequence: clocks and counters, and what events count of their thread. */
enum { OF_COUNTER = 0, OF_THREAD = 1 };

/* Adds to a sum, or takes it: *pending is what it was. */
static enum tb_status settle_of(struct tb_cut_sums *sums, uint64_t key, uint64_t of, bool stays, uint64_t value,
                                int64_t *pending) {
  *pending = 0;
  if (stays && !sums->pending) return TB_OK;
  uint64_t *sum = tb_map_find(&sums->by_key, key, of);
  uint64_t before = sum ? *sum : 0, after = stays ? 0 : before + value;
  *pending = (int64_t)before;
  sums->pending += (size_t)(after != 0) - (size_t)(before != 0);
  if (!sum) return stays ? TB_OK : tb_map_put(&sums->by_key, key, of, after);
  *sum = after;
  return TB_OK;
}

static enum tb_status settle(struct tb_cut_sums *sums, uint64_t key, bool stays, uint64_t value, int64_t *pending) {
  return settle_of(sums, key, OF_COUNTER, stays, value, pending);
}

static void forget(struct tb_cut_sums *sums, uint64_t key) {
  uint64_t *sum = tb_map_find(&sums->by_key, key, OF_COUNTER);
  if (!sum || !*sum) return;
  *sum = 0;
  sums->pending--;
}

/* A snapshot says where the clocks of a sequence are, whatever came before. */
static void forget_clocks(const struct tb_cut *cut, struct tb_cut_sequence *sequence) {
  const struct tb_packet_header *head = &cut->walk->packet.head;
  const struct tb_clock_graph *graph = &cut->walk->source->prescan.clocks.graph;
  struct tb_snapshot snapshot;
  uint32_t node;
  if (!sequence->clocks.pending || tb_snapshot_read(head->payload, head->sequence, &snapshot) != TB_OK) return;
  for (size_t i = 0; i < snapshot.count; i++)
    if (tb_clock_graph_find(graph, head->machine, snapshot.readings[i].key, &node)) forget(&sequence->clocks, node);
}

/* An event that counts its time from the one before it gets a timestamp; what it counts of its thread is added up. It
 * is left out of an end that moves, which would say it too late, and of what is written behind others that count on. */
static enum tb_status edit_counted(const struct tb_cut *cut, struct tb_cut_sequence *sequence,
                                   const struct tb_cut_order *order, struct tb_packet_edit *edit) {
  const struct tb_walk *walk = cut->walk;
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field;
  bool moves = order->fate == TB_CUT_MOVE;
  edit->sheds_thread_counts = moves && (order->late || order->view.role == TB_ROLE_END);
  bool stays = order->fate != TB_CUT_DROP && !edit->sheds_thread_counts;
  int64_t host = moves ? order->host_time : walk->host_time;
  int64_t time = tb_time_add(host, tb_walk_ahead(walk, walk->packet.head.machine));
  enum tb_status status = TB_OK;
  edit->inserts_timestamp = true;
  edit->timestamp = (uint64_t)time;
  edit->clock = walk->source->prescan.clocks.primary;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    int64_t *add = field.number == TB_TRACK_EVENT_THREAD_TIME_DELTA_US             ? &edit->add_to_thread_time
                   : field.number == TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA ? &edit->add_to_instructions
                                                                                   : NULL;
    if (add) status = settle_of(&sequence->values, field.number, OF_THREAD, stays, field.value, add);
  }
  return status;
}

/* A time of machine 0's trace clock in place of the packet's own. */
static void set_time(const struct tb_cut *cut, int64_t host_time, struct tb_packet_edit *edit) {
  const struct tb_walk *walk = cut->walk;
  int64_t time = tb_time_add(host_time, tb_walk_ahead(walk, walk->packet.head.machine));
  edit->set_timestamp = true;
  edit->timestamp = (uint64_t)time;
  edit->clock = walk->source->prescan.clocks.primary;
  edit->set_clock = walk->time.clock != edit->clock;
}

static enum tb_status edit_time(const struct tb_cut *cut, struct tb_cut_sequence *sequence,
                                const struct tb_cut_order *order, struct tb_packet_edit *edit) {
  const struct tb_walk *walk = cut->walk;
  const struct tb_packet_header *head = &walk->packet.head;
  int64_t pending = 0;
  if (walk->counted) return edit_counted(cut, sequence, order, edit);
  if (!head->has_timestamp) return TB_OK;
  if (order->absolute) {
    set_time(cut, walk->host_time, edit);
    return TB_OK;
  }
  if (walk->node && walk->node->incremental) {
    enum tb_status status =
        settle(&sequence->clocks, walk->sequence->node - 1, order->fate == TB_CUT_KEEP, head->timestamp, &pending);
    if (status != TB_OK) return status;
  }
  if (order->fate == TB_CUT_KEEP && pending) {
    edit->set_timestamp = true;
    edit->timestamp = head->timestamp + (uint64_t)pending;
  } else if (order->fate == TB_CUT_MOVE) {
    set_time(cut, order->host_time, edit);
  }
  return TB_OK;
}

/* The value of a further counter that stays; NULL: it does not. */
static int64_t *find_kept(struct tb_packet_edit *edit, uint64_t uuid) {
  for (size_t i = 0; i < edit->extras.count; i++)
    if (edit->extras.uuids[i] == uuid) return &edit->extras.values[i];
  return NULL;
}

/* A counter's value that is left out, where it is an increment. */
static enum tb_status leave_value_out(const struct tb_cut *cut, struct tb_cut_sequence *sequence, uint64_t uuid,
                                      int64_t value) {
  int64_t before;
  if (!tb_map_find(&cut->events->incremental, uuid, 0)) return TB_OK;
  return settle(&sequence->values, uuid, false, (uint64_t)value, &before);
}

/* The increments in an event that is left out. */
static enum tb_status leave_values_out(const struct tb_cut *cut, struct tb_cut_sequence *sequence,
                                       const struct tb_event_view *view) {
  enum tb_status status = TB_OK;
  if (view->role == TB_ROLE_VALUE && view->has_value) status = leave_value_out(cut, sequence, view->track, view->value);
  if (!view->has_extras || status != TB_OK) return status;
  const struct tb_event_extras *extras = tb_track_events_extras(cut->events, cut->walk);
  for (size_t i = 0; i < extras->count && status == TB_OK; i++)
    status = leave_value_out(cut, sequence, extras->uuids[i], extras->values[i]);
  return status;
}

/* The increments in one that stays: values of further counters stay with events that stay where they are. */
static enum tb_status edit_values(const struct tb_cut *cut, struct tb_cut_sequence *sequence,
                                  const struct tb_cut_order *order, struct tb_packet_edit *edit) {
  const struct tb_map *incremental = &cut->events->incremental;
  const struct tb_event_view *view = &order->view;
  enum tb_status status = TB_OK;
  bool keep = order->fate == TB_CUT_KEEP;
  edit->sheds_extras = (!keep && view->has_extras) || order->extras;
  if (order->extras) edit->extras = *order->extras;
  if (!incremental->count || (keep && !order->extras && !sequence->values.pending)) return TB_OK;
  if (view->role == TB_ROLE_VALUE && view->has_value && tb_map_find(incremental, view->track, 0))
    status = settle(&sequence->values, view->track, true, (uint64_t)view->value, &edit->add_to_value);
  if (!view->has_extras || status != TB_OK) return status;
  const struct tb_event_extras *extras = tb_track_events_extras(cut->events, cut->walk);
  for (size_t i = 0; i < extras->count && status == TB_OK; i++) {
    edit->add_to_extras[i] = 0;
    if (!tb_map_find(incremental, extras->uuids[i], 0)) continue;
    int64_t *kept = keep && order->extras ? find_kept(edit, extras->uuids[i]) : NULL;
    bool stays = keep && (!order->extras || kept);
    status = settle(&sequence->values, extras->uuids[i], stays, (uint64_t)extras->values[i], &edit->add_to_extras[i]);
    if (kept) *kept += edit->add_to_extras[i];
    if (edit->add_to_extras[i] && stays && !order->extras) edit->extra_count = extras->count;
  }
  return status;
}

/* What events that are added to the walk's current packet have of it. */
static struct tb_event_packet event_at(const struct tb_walk *walk, int64_t host_time) {
  const struct tb_packet_header *head = &walk->packet.head;
  int64_t time = tb_time_add(host_time, tb_walk_ahead(walk, head->machine));
  return (struct tb_event_packet){.sequence = head->sequence,
                                  .machine = head->machine,
                                  .clock = walk->source->prescan.clocks.primary,
                                  .timestamp = (uint64_t)time};
}

/* Says the values of further counters by packets of their own, which are appended to what is held. */
static enum tb_status state_values(struct tb_cut *cut, struct tb_cut_sequence *sequence,
                                   const struct tb_cut_order *order) {
  const struct tb_walk *walk = cut->walk;
  struct tb_event_packet counter = event_at(walk, order->host_time);
  enum tb_status status = TB_OK;
  size_t before = sequence->held.len;
  const struct tb_event_extras *extras = tb_track_events_extras(cut->events, walk);
  for (size_t i = 0; i < order->stated_count && status == TB_OK; i++) {
    counter.uuid = order->stated[i];
    counter.value = 0;
    for (size_t j = 0; j < extras->count; j++)
      if (extras->uuids[j] == counter.uuid) counter.value = extras->values[j];
    if (tb_map_find(&cut->events->incremental, counter.uuid, 0))
      status = settle(&sequence->values, counter.uuid, true, 0, &counter.value);
    if (status == TB_OK) status = tb_packet_edit_append_event(&counter, &sequence->held);
  }
  cut->held += sequence->held.len - before;
  return status;
}

/* Ends slices that are in the one that the walk's current packet ends, on its track, by packets that are held. */
static enum tb_status end_outlived(struct tb_cut *cut, struct tb_cut_sequence *sequence,
                                   const struct tb_cut_order *order) {
  struct tb_event_packet end =
      event_at(cut->walk, order->fate == TB_CUT_MOVE ? order->host_time : cut->walk->host_time);
  enum tb_status status = TB_OK;
  size_t before = sequence->held.len;
  end.ends = true;
  end.uuid = order->view.track;
  for (uint32_t i = 0; i < order->outlived && order->view.has_uuid && status == TB_OK; i++)
    status = tb_packet_edit_append_event(&end, &sequence->held);
  cut->held += sequence->held.len - before;
  return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static enum tb_status write_held(struct tb_cut *cut, struct tb_cut_sequence *sequence) {
  struct tb_str held = {sequence->held.data, sequence->held.len};
  if (!held.len) return TB_OK;
  cut->held -= held.len;
  cut->kept += sequence->held_packets;
  sequence->held.len = sequence->held_packets = 0;
  return tb_walk_write(cut->walk, held);
}

static int compare_late(const void *a, const void *b) {
  const struct tb_late_packet *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

enum tb_status tb_cut_write_late(struct tb_cut *cut) {
  enum tb_status status = TB_OK;
  if (cut->late_count) qsort(cut->late, cut->late_count, sizeof(*cut->late), compare_late);
  for (size_t i = 0; i < cut->late_count && status == TB_OK; i++)
    status = tb_walk_write(cut->walk, (struct tb_str){cut->late_bytes.data + cut->late[i].at, cut->late[i].len});
  for (size_t i = 0; cut->late_count && i < cut->sequence_count; i++) cut->sequences[i].has_late = false;
  cut->late_count = cut->late_bytes.len = 0;
  return status;
}

/* Keeps the walk's current packet, patched. What it says to its sequence later packets need before. */
static enum tb_status put_late(struct tb_cut *cut, struct tb_cut_sequence *sequence) {
  const struct tb_walk *walk = cut->walk;
  struct tb_str framed;
  void *items = cut->late;
  enum tb_status status = tb_grow_array(walk->merger.allocator, &items, &cut->late_capacity, cut->late_count + 1,
                                        sizeof(*cut->late), LATE_MAX);
  cut->late = items;
  if (status == TB_OK && walk->packet.head.interned_count)
    status = tb_packet_edit_append_state(walk->packet.head.bytes, cut->sheds_args, &sequence->held);
  if (status == TB_OK) status = tb_walk_patch(cut->walk, &cut->patches, &framed);
  if (status != TB_OK) return status;
  cut->held += sequence->held.len;
  status = write_held(cut, sequence);
  cut->late[cut->late_count++] =
      (struct tb_late_packet){walk->host_time, walk->number, cut->late_bytes.len, framed.len};
  sequence->has_late = true;
  if (status == TB_OK) status = tb_buffer_append(&cut->late_bytes, framed.ptr, framed.len);
  return status == TB_OK && cut->late_bytes.len > HELD_MAX ? tb_cut_write_late(cut) : status;
}

static enum tb_status drop(struct tb_cut *cut, struct tb_cut_sequence *sequence, const struct tb_cut_order *order) {
  const struct tb_packet_header *head = &cut->walk->packet.head;
  bool state = head->cleared || head->dropped || head->first || head->has_defaults || head->interned_count;
  cut->dropped++;
  if (!state && !order->keep && !order->stated_count) return TB_OK;
  size_t before = sequence->held.len;
  enum tb_status status = !state && !order->keep ? TB_OK
                          : order->keep          ? tb_packet_edit_append_described(head->bytes, head->kind, order->keep,
                                                                                   cut->sheds_args, &sequence->held)
                                        : tb_packet_edit_append_state(head->bytes, cut->sheds_args, &sequence->held);
  if (status != TB_OK) return status;
  cut->held += sequence->held.len - before;
  if (order->stated_count) status = state_values(cut, sequence, order);
  if (status != TB_OK) return status;
  return order->keep || order->stated_count || cut->held > HELD_MAX ? write_held(cut, sequence) : TB_OK;
}

/* Whether the walk's current packet says what it does whatever its sequence's state is, and changes none of that: that
 * state waits on, and is not written where nothing needs it. */
static bool needs_no_state(const struct tb_packet_header *head) {
  return head->kind == TB_TRACE_PACKET_TRACK_DESCRIPTOR && !head->cleared && !head->dropped && !head->first &&
         !head->has_defaults && !head->interned_count && !(head->flags & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE);
}

/* Whether it has interned data, and nothing that is not for its sequence alone, and stays as it is. */
static bool is_state(const struct tb_packet_header *head, const struct tb_packet_edit *edit) {
  return !head->kind && head->interned_count && !head->first && !head->dropped && !edit->set_timestamp;
}

/* Keeps the walk's current packet until another one of its sequence is written, which may need it. */
static enum tb_status hold(struct tb_cut *cut, struct tb_cut_sequence *sequence, const struct tb_packet_edit *edit) {
  struct tb_str framed = cut->walk->packet.framed;
  enum tb_status status = TB_OK;
  if (edit->sheds_interned) {
    status = tb_packet_edit_make(edit, cut->walk->packet.packet, &cut->patches);
    if (status == TB_OK) status = tb_walk_patch(cut->walk, &cut->patches, &framed);
  }
  if (status == TB_OK) status = tb_buffer_append(&sequence->held, framed.ptr, framed.len);
  if (status != TB_OK) return status;
  cut->held += framed.len;
  sequence->held_packets++;
  return cut->held > HELD_MAX ? write_held(cut, sequence) : TB_OK;
}

static enum tb_status keep(struct tb_cut *cut, struct tb_cut_sequence *sequence, const struct tb_cut_order *order,
                           const struct tb_packet_edit *edit) {
  struct tb_walk *walk = cut->walk;
  enum tb_status status = order->outlived ? end_outlived(cut, sequence, order) : TB_OK;
  if (status == TB_OK && !needs_no_state(&walk->packet.head)) status = write_held(cut, sequence);
  if (status != TB_OK) return status;
  if (order->replaced.ptr) return tb_walk_write(walk, order->replaced);
  cut->patches.count = 0;
  if (edit->inserts_timestamp || edit->sheds_args || edit->sheds_interned || edit->sheds_flows || edit->set_timestamp ||
      edit->sheds_extras || edit->sets_duration || edit->bounds_flows || edit->add_to_value || edit->flow_ends ||
      edit->annotation.ptr || edit->extra_count)
    status = tb_packet_edit_make(edit, walk->packet.packet, &cut->patches);
  if (status == TB_OK) status = order->late ? put_late(cut, sequence) : tb_walk_write_patched(walk, &cut->patches);
  if (status != TB_OK || !order->stated_count) return status;
  status = state_values(cut, sequence, order);
  return status == TB_OK ? write_held(cut, sequence) : status;
}

/* What stays of an event's arguments may refer to texts that have gone: they come with it. */
static enum tb_status need_of_event(struct tb_cut *cut, const struct tb_packet_edit *edit, struct tb_str event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(event);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (tb_packet_edit_is_own_annotation(edit, &field))
      status = tb_arg_texts_need(&cut->arg_texts, cut->walk->sequence_number, field.bytes);
  return status;
}

static enum tb_status need_of_flow(struct tb_cut *cut, const struct tb_packet_edit *edit, struct tb_str flow) {
  struct tb_wire_field event = {.number = 0};
  struct tb_wire_cursor cursor = tb_wire_cursor(flow);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_JSON_FLOW_KIND_IID)
      status = tb_arg_texts_need_kind(&cut->arg_texts, cut->walk->sequence_number, field.value);
    else if (field.number == TB_JSON_FLOW_EVENT && field.type == TB_WIRE_BYTES)
      event = field;
  return status == TB_OK && event.number ? need_of_event(cut, edit, event.bytes) : status;
}

static enum tb_status need_texts(struct tb_cut *cut, struct tb_packet_edit *edit) {
  const struct tb_packet_header *head = &cut->walk->packet.head;
  struct tb_wire_cursor cursor = tb_wire_cursor(head->bytes);
  struct tb_wire_field field;
  cut->arg_texts.again.len = 0;
  if (!cut->arg_texts.places.count) return TB_OK;
  enum tb_status status = need_of_event(cut, edit, head->payload);
  while (status == TB_OK && head->json_flow_count && !edit->sheds_flows && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET_JSON_FLOWS && field.type == TB_WIRE_BYTES)
      status = need_of_flow(cut, edit, field.bytes);
  edit->again = (struct tb_str){cut->arg_texts.again.data, cut->arg_texts.again.len};
  return status;
}

static enum tb_status shed(struct tb_cut *cut, bool stays, struct tb_packet_edit *edit) {
  const struct tb_packet_header *head = &cut->walk->packet.head;
  size_t sequence = cut->walk->sequence_number;
  edit->sheds_interned = cut->sheds_args && head->interned_count;
  enum tb_status status = edit->sheds_interned ? tb_arg_texts_take(&cut->arg_texts, sequence, head->bytes) : TB_OK;
  if (head->kind != TB_TRACE_PACKET_TRACK_EVENT && head->kind != TB_TRACE_PACKET_CARRIED_EVENT) return status;
  edit->sheds_args = cut->sheds_args;
  edit->sheds_flows = cut->sheds_flows;
  if (!cut->sheds_args) return status;
  edit->own_annotation = tb_arg_texts_own(&cut->arg_texts, sequence);
  return status == TB_OK && stays ? need_texts(cut, edit) : status;
}

/* The status, and what fails in the walk's error. */
static enum tb_status fail_with(struct tb_cut *cut, enum tb_status status) {
  return status == TB_OK ? TB_OK
                         : tb_fail(&cut->walk->merger.error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

/* settle, of the walk's clock; *pending is 0 where that does not count on. sequence NULL: memory is out. */
static enum tb_status settle_ticks(struct tb_cut *cut, struct tb_cut_sequence *sequence, bool stays, uint64_t ticks,
                                   int64_t *pending) {
  const struct tb_walk *walk = cut->walk;
  *pending = 0;
  if (!sequence) return TB_NO_MEMORY;
  if (!walk->node || !walk->node->incremental) return TB_OK;
  return settle(&sequence->clocks, walk->sequence->node - 1, stays, ticks, pending);
}

enum tb_status tb_cut_take_ticks(struct tb_cut *cut, uint64_t *ticks) {
  int64_t pending;
  enum tb_status status = settle_ticks(cut, get_sequence(cut), true, 0, &pending);
  *ticks = (uint64_t)pending;
  return fail_with(cut, status);
}

enum tb_status tb_cut_leave_ticks_out(struct tb_cut *cut, uint64_t ticks) {
  int64_t before;
  return fail_with(cut, settle_ticks(cut, get_sequence(cut), false, ticks, &before));
}

enum tb_status tb_cut_take_value(struct tb_cut *cut, uint64_t uuid, int64_t *value) {
  struct tb_cut_sequence *sequence = get_sequence(cut);
  *value = 0;
  return fail_with(cut, sequence ? settle(&sequence->values, uuid, true, 0, value) : TB_NO_MEMORY);
}

enum tb_status tb_cut_leave_value_out(struct tb_cut *cut, uint64_t uuid, int64_t value) {
  struct tb_cut_sequence *sequence = get_sequence(cut);
  return fail_with(cut, sequence ? leave_value_out(cut, sequence, uuid, value) : TB_NO_MEMORY);
}

enum tb_status tb_cut_leave_out(struct tb_cut *cut, bool counts) {
  const struct tb_walk *walk = cut->walk;
  struct tb_event_view view;
  int64_t before;
  cut->dropped++;
  if (!counts) return TB_OK;
  struct tb_cut_sequence *sequence = get_sequence(cut);
  enum tb_status status = settle_ticks(cut, sequence, false, walk->packet.head.timestamp, &before);
  if (status == TB_OK && cut->events->incremental.count) {
    status = tb_track_events_read(cut->events, walk, &view);
    if (status == TB_OK) status = leave_values_out(cut, sequence, &view);
  }
  return fail_with(cut, status);
}

enum tb_status tb_cut_leave_run_out(struct tb_cut *cut, const struct tb_event_run *run, bool counts) {
  int64_t before;
  cut->dropped += run->events.count;
  (void)tb_walk_pass_events(cut->walk, &run->events);
  if (!counts) return TB_OK;
  struct tb_cut_sequence *sequence = get_sequence(cut);
  enum tb_status status = settle_ticks(cut, sequence, false, run->events.ticks, &before);
  for (uint8_t i = 0; i < run->counters && status == TB_OK; i++)
    status = leave_value_out(cut, sequence, run->uuids[i], (int64_t)run->sums[i]);
  return fail_with(cut, status);
}

enum tb_status tb_cut_packet(struct tb_cut *cut, const struct tb_cut_order *order) {
  struct tb_walk *walk = cut->walk;
  const struct tb_packet_header *head = &walk->packet.head;
  if (!walk->packet.packet.ptr) return tb_walk_write(walk, walk->packet.framed);
  if (head->kind == TB_TRACE_PACKET_FTRACE_TEXT && !cut->keeps_all) { /* bundles say what stays of it */
    cut->dropped++;
    return TB_OK;
  }
  struct tb_cut_sequence *sequence = get_sequence(cut);
  struct tb_packet_edit edit = {.sets_duration = order->sets_duration,
                                .duration_ns = order->duration_ns,
                                .bounds_flows = order->bounds_flows,
                                .flows_from = order->flows_from,
                                .flows_until = order->flows_until,
                                .moved_to = order->fate == TB_CUT_MOVE ? order->host_time : walk->host_time};
  enum tb_status status = sequence ? TB_OK : TB_NO_MEMORY;
  if (sequence && sequence->has_late && (head->cleared || head->dropped || head->has_defaults))
    status = tb_cut_write_late(cut);
  if (sequence && head->cleared) {
    cut->held -= sequence->held.len;
    sequence->held.len = sequence->held_packets = 0;
    tb_map_clear(&sequence->values.by_key);
    sequence->values.pending = 0;
  }
  if (sequence && head->kind == TB_TRACE_PACKET_CLOCK_SNAPSHOT) forget_clocks(cut, sequence);
  if (status == TB_OK) status = edit_time(cut, sequence, order, &edit);
  if (status == TB_OK && head->kind == TB_TRACE_PACKET_TRACK_EVENT)
    status = order->fate == TB_CUT_DROP ? leave_values_out(cut, sequence, &order->view)
                                        : edit_values(cut, sequence, order, &edit);
  if (walk->time.resolved) edit.flow_ends = cut->flow_ends;
  edit.walk = walk;
  edit.annotation = order->annotation;
  edit.in_place = order->in_place;
  if (status == TB_OK && (cut->sheds_args || cut->sheds_flows)) status = shed(cut, order->fate != TB_CUT_DROP, &edit);
  bool holds = order->fate == TB_CUT_KEEP && is_state(head, &edit) && !cut->keeps_all;
  if (status == TB_OK)
    status = holds                        ? hold(cut, sequence, &edit)
             : order->fate == TB_CUT_DROP ? drop(cut, sequence, order)
                                          : keep(cut, sequence, order, &edit);
  cut->kept += order->fate == TB_CUT_KEEP && !holds;
  cut->moved += order->fate == TB_CUT_MOVE;
  return status == TB_OK ? TB_OK
                         : tb_fail(&walk->merger.error, status, walk->packet.offset, "%s", tb_status_text(status));
}
