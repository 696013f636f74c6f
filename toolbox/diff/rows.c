/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/diff/rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hex.h"
#include "base/intern.h"
#include "model/arg_lookup.h"
#include "model/task_states.h"
#include "timeline/slice_nester.h"
#include "toolbox/counter_name.h"

enum { ROWS_MAX = 1 << 28 };

int tb_diff_by_hash(const void *a, const void *b) {
  uint64_t x = ((const struct tb_diff_hashed *)a)->hash, y = ((const struct tb_diff_hashed *)b)->hash;
  return x < y ? -1 : x > y;
}

void tb_diff_rows_init(struct tb_diff_rows *rows, const struct tb_allocator *allocator) {
  *rows = (struct tb_diff_rows){.allocator = allocator};
  tb_arena_init(&rows->arena, allocator, 0);
  tb_buffer_init(&rows->text, allocator, 0);
  tb_buffer_init(&rows->counter, allocator, 0);
  tb_buffer_init(&rows->details, allocator, 0);
  tb_map_init(&rows->used, allocator);
  tb_map_init(&rows->lanes, allocator);
  tb_diff_slices_init(&rows->slices, allocator);
  tb_diff_stacks_init(&rows->stacks, allocator);
}

void tb_diff_rows_free(struct tb_diff_rows *rows) {
  tb_free(rows->allocator, rows->items, rows->capacity * sizeof(*rows->items));
  tb_arena_free(&rows->arena);
  tb_buffer_free(&rows->text);
  tb_buffer_free(&rows->counter);
  tb_buffer_free(&rows->details);
  tb_map_free(&rows->used);
  tb_map_free(&rows->lanes);
  tb_diff_slices_free(&rows->slices);
  tb_diff_stacks_free(&rows->stacks);
}

void tb_diff_rows_clear(struct tb_diff_rows *rows) {
  rows->count = 0;
  tb_arena_reset(&rows->arena);
}

/* ---- hashing ----------------------------------------------------------------------------------------------------- */

static uint64_t mix_text(uint64_t hash, struct tb_str text) { return tb_str_hash(text, hash); }

static uint64_t mix(uint64_t hash, uint64_t value) { return tb_diff_mix(hash, value); }

static bool is_own(const struct tb_track *track) {
  return track->type == TB_TRACK_CUSTOM || track->type == TB_TRACK_COUNTER;
}

/* An id of a process or thread. One that is text has a number by which came first. */
static uint64_t mix_id(uint64_t hash, int64_t number, struct tb_str text) {
  return text.len && !tb_is_number_id(text) ? mix_text(hash, text) : mix(hash, (uint64_t)number);
}

/* Across formats: what is of process 0 may be of none. */
static uint64_t mix_process(const struct tb_diff_rows *rows, uint64_t hash, const struct tb_track *process) {
  if (rows->view.is_across && !process->pid) return hash;
  return mix_id(mix(hash, TB_TRACK_PROCESS), process->pid, tb_track_get_details(process)->pid_text);
}

static uint64_t mix_thread(uint64_t hash, const struct tb_track *thread) {
  const struct tb_track_details *details = tb_track_get_details(thread);
  return mix_id(mix_id(hash, thread->tid, details->tid_text), thread->pid, details->pid_text);
}

/* "name value" is "name": JSON has no counters without a series. */
static struct tb_str without_value(struct tb_str name) {
  const struct tb_str end = TB_STR(" value");
  bool ends = name.len > end.len && memcmp(name.ptr + name.len - end.len, end.ptr, end.len) == 0;
  return ends ? (struct tb_str){name.ptr, name.len - end.len} : name;
}

/* The name of a track as it is compared, in rows->counter where it is another. Without memory, which is noted, an empty
 * one. */
static struct tb_str compared_name(struct tb_diff_rows *rows, const struct tb_track *track) {
  struct tb_counter_name parts = {.id = {"", 0}};
  char decimal[TB_DIFF_NUMBER];
  uint64_t number;
  if (!rows->view.is_across || track->type != TB_TRACK_COUNTER) return track->name;
  if (!tb_counter_name_with_id(track->name, rows->view.counters_by_id, &parts)) return without_value(track->name);
  if (tb_hex_parse_prefixed(parts.id, &number)) {
    snprintf(decimal, sizeof(decimal), "%" PRIu64, number);
    parts.id = tb_str_from(decimal);
  }
  const struct tb_str all[] = {parts.name, parts.id.len ? TB_STR(" id: ") : TB_STR(""), parts.id, TB_STR(" "),
                               parts.series};
  rows->counter.len = 0;
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
    rows->lacks_memory |= tb_buffer_append(&rows->counter, all[i].ptr, all[i].len) != TB_OK;
  if (rows->lacks_memory) return (struct tb_str){"", 0};
  return without_value((struct tb_str){rows->counter.data, rows->counter.len});
}

/* Across formats: slices that overlap others of their track are on it. */
static const struct tb_track *without_lane(const struct tb_diff_rows *rows, const struct tb_track *track) {
  bool is_lane = rows->view.is_across && track->type == TB_TRACK_CUSTOM && track->parent &&
                 (tb_str_equal(track->name, TB_OVERLAPPING_SLICES) || tb_map_find(&rows->lanes, track->index, 0));
  return is_lane ? track->parent : track;
}

/* Ids of processes and threads, and names of tracks that have none; never how a file numbers its tracks. Where a format
 * names no tracks, what is on one is its process'. */
static uint64_t mix_track(struct tb_diff_rows *rows, uint64_t hash, const struct tb_track *track) {
  track = without_lane(rows, track);
  bool names_all = rows->view.names_tracks, is_nameless = track->type == TB_TRACK_CUSTOM && !names_all;
  for (unsigned depth = 0; track && depth < TB_TRACK_DEPTH_MAX; track = track->parent, depth++) {
    bool passes = track->type == TB_TRACK_GLOBAL || (track->type == TB_TRACK_CUSTOM && !names_all) ||
                  (track->type == TB_TRACK_THREAD && is_nameless);
    if (passes) continue;
    if (track->type == TB_TRACK_PROCESS) return mix_process(rows, hash, track);
    hash = mix(hash, (uint64_t)track->type);
    if (track->type == TB_TRACK_THREAD) return mix_thread(hash, track);
    hash = mix_text(hash, compared_name(rows, track));
  }
  return hash;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

enum tb_status tb_diff_rows_add(struct tb_diff_rows *rows, const struct tb_diff_hashed *row) {
  void *items = rows->items;
  enum tb_status status =
      tb_grow_array(rows->allocator, &items, &rows->capacity, rows->count + 1, sizeof(*rows->items), ROWS_MAX);
  rows->items = items;
  if (status != TB_OK) return status;
  struct tb_diff_hashed *added = &rows->items[rows->count];
  *added = *row;
  added->name = tb_arena_copy(&rows->arena, row->name);
  added->value = tb_arena_copy(&rows->arena, row->value);
  added->of = tb_arena_copy(&rows->arena, row->of);
  if (!added->name.ptr || !added->value.ptr || !added->of.ptr) return TB_NO_MEMORY;
  added->hash = mix(row->hash, row->table);
  if (row->has_ts) added->hash = mix(added->hash, (uint64_t)row->ts);
  if (row->track) added->hash = mix_track(rows, added->hash, row->track);
  added->hash = mix_text(mix_text(added->hash, added->name), added->value);
  if (rows->lacks_memory) return TB_NO_MEMORY;
  rows->count++;
  return TB_OK;
}

/* Categories are a set in Perfetto, and a list in JSON. */
static uint64_t hash_categories(struct tb_str list) {
  uint64_t sum = 0;
  for (size_t at = 0; at < list.len;) {
    const char *comma = memchr(list.ptr + at, ',', list.len - at);
    size_t end = comma ? (size_t)(comma - list.ptr) : list.len;
    if (end > at) sum += mix_text(1, (struct tb_str){list.ptr + at, end - at});
    at = end + 1;
  }
  return sum;
}

/* Where a format names no tracks, slices of a process' own track are as those of its tracks; instants are not. */
static enum tb_diff_slice_kind kind_of(const struct tb_diff_rows *rows, const struct tb_event *event) {
  if (event->type != TB_EVENT_INSTANT) return TB_DIFF_SLICE;
  bool is_async = event->track->type == TB_TRACK_CUSTOM && !rows->view.names_tracks;
  return is_async ? TB_DIFF_ASYNC_INSTANT : TB_DIFF_INSTANT;
}

/* Whether an end counts by its begin. Formats differ in which of a thread's slices of one name an end is of, where they
 * overlap: one may be on a track of its own. */
static bool is_tied(const struct tb_diff_rows *rows, const struct tb_diff_slice *slice) {
  if (!rows->view.is_across) return true;
  return slice->track && without_lane(rows, slice->track)->type != TB_TRACK_THREAD;
}

static enum tb_status add_slice(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_event *event,
                                struct tb_diff_slice *slice) {
  bool ends = event->type == TB_EVENT_SLICE_END;
  row->table = ends ? TB_DIFF_ENDS : TB_DIFF_SLICES;
  row->kind = (uint8_t)kind_of(rows, event);
  row->hash = ends ? 0 : mix(row->kind, hash_categories(event->categories));
  row->name = event->name;
  if (!ends) row->of = event->categories;
  if (ends && !event->offset) row->offset = TB_NO_OFFSET; /* the reader made it of a duration */
  if (ends && slice && is_tied(rows, slice)) {
    row->has_began = true;
    row->began = slice->ts;
    row->hash = mix(1, (uint64_t)slice->ts);
  }
  enum tb_status status = tb_diff_rows_add(rows, row);
  if (slice) row->ts = slice->ts;
  if (status == TB_OK) status = tb_diff_rows_add_args(rows, row, event, slice);
  if (ends) tb_diff_slices_end(&rows->slices, slice);
  return status;
}

static enum tb_status add_counter(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_event *event) {
  char text[TB_DIFF_NUMBER];
  row->table = TB_DIFF_COUNTERS;
  row->name = compared_name(rows, event->track);
  if (event->arg_count) row->value = tb_diff_value(&event->args[0], text);
  return tb_diff_rows_add(rows, row);
}

/* Across formats its thread alone: of slices that overlap, formats differ in which one the flow is at. */
static uint64_t hash_slice(struct tb_diff_rows *rows, const struct tb_diff_slice *slice) {
  if (!slice) return 0;
  uint64_t hash = mix_track(rows, 0, slice->track);
  return rows->view.is_across ? hash : mix_text(mix(hash, (uint64_t)slice->ts), slice->name);
}

/* Both slices that it joins count. */
static enum tb_status add_flow(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_event *event) {
  const struct tb_diff_slice *from = tb_diff_slices_find(&rows->slices, event->flow_from);
  const struct tb_diff_slice *to = tb_diff_slices_find(&rows->slices, event->slice_id);
  row->table = TB_DIFF_FLOWS;
  row->hash = mix(hash_slice(rows, from), hash_slice(rows, to));
  if (to && !rows->view.is_across) row->name = to->name;
  if (from) {
    row->of = from->name;
    row->from = from->track;
    row->has_began = true;
    row->began = from->ts;
  }
  return tb_diff_rows_add(rows, row);
}

/* ---- what else happens ------------------------------------------------------------------------------------------- */

static enum tb_status put_text(struct tb_buffer *to, struct tb_str text) {
  return tb_buffer_append(to, text.ptr, text.len);
}

static enum tb_status put_detail(struct tb_diff_rows *rows, const char *key, const struct tb_arg *arg) {
  char number[TB_DIFF_NUMBER];
  if (!arg) return TB_OK;
  enum tb_status status = put_text(&rows->details, rows->details.len ? TB_STR(", ") : TB_STR(""));
  if (status == TB_OK) status = put_text(&rows->details, tb_str_from(key));
  return status == TB_OK ? put_text(&rows->details, tb_diff_value(arg, number)) : status;
}

/* The field, or what a conversion keeps as a further member. NULL: neither. */
static const struct tb_arg *field_of(const struct tb_event *event, uint32_t has, struct tb_arg *field,
                                     const char *key) {
  return event->has & has ? field : tb_find_member(event->extra, event->extra_count, tb_str_from(key));
}

/* Formats differ in whether a thread that waits for a CPU names one. */
static bool compares_cpu(const struct tb_diff_rows *rows, const struct tb_event *event) {
  return event->type == TB_EVENT_SAMPLE ||
         (event->type == TB_EVENT_THREAD_STATE &&
          (!rows->view.is_across || event->task_state == TB_TASK_RUNNING || event->task_state > TB_TASK_RUNNING));
}

/* The stack comes first, since it is made in the same memory. */
static enum tb_status say_details(struct tb_diff_rows *rows, const struct tb_event *event) {
  struct tb_arg cpu = {.u = event->cpu, .span = 1, .type = TB_ARG_UINT};
  struct tb_arg weight = {.d = event->weight, .span = 1, .type = TB_ARG_DOUBLE};
  struct tb_arg priority = {.i = event->priority, .span = 1, .type = TB_ARG_INT};
  struct tb_arg state = {.u = event->kernel_state, .span = 1, .type = TB_ARG_UINT};
  bool is_sample = event->type == TB_EVENT_SAMPLE, is_one_format = !rows->view.is_across;
  enum tb_status status = tb_diff_stacks_text(&rows->stacks, &event->stack, is_one_format, &rows->details);
  if (status == TB_OK && compares_cpu(rows, event))
    status = put_detail(rows, "cpu ", field_of(event, TB_HAS_CPU, &cpu, "cpu"));
  if (status == TB_OK && is_sample)
    status = put_detail(rows, "weight ", field_of(event, TB_HAS_WEIGHT, &weight, "weight"));
  if (status == TB_OK && is_one_format && event->has & TB_HAS_PRIORITY)
    status = put_detail(rows, "priority ", &priority);
  if (status == TB_OK && is_one_format && event->has & TB_HAS_KERNEL_STATE && event->kernel_state)
    status = put_detail(rows, "kernel's state ", &state);
  return status;
}

static enum tb_status add_other(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_event *event,
                                enum tb_event_type type) {
  if (say_details(rows, event) != TB_OK) return TB_NO_MEMORY;
  row->table = TB_DIFF_EVENTS;
  row->kind = (uint8_t)type;
  row->hash = mix(type, event->task_state);
  row->of = event->task_state ? tb_task_state_letter((enum tb_task_state)event->task_state) : TB_STR("");
  if (rows->view.names_states || !event->task_state) row->name = event->name;
  row->value = (struct tb_str){rows->details.len ? rows->details.data : "", rows->details.len};
  enum tb_status status = tb_diff_rows_add(rows, row);
  row->value = TB_STR("");
  return status == TB_OK ? tb_diff_rows_add_args(rows, row, event, NULL) : status;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static enum tb_status use(struct tb_diff_rows *rows, const struct tb_track *track) {
  enum tb_status status = TB_OK;
  for (; status == TB_OK && track && !tb_map_find(&rows->used, track->index, 0); track = track->parent)
    status = tb_map_put(&rows->used, track->index, 0, 1);
  return status;
}

/* Formats differ in the track of what is a process' own. Where one names no tracks, an async slice is of the process
 * that says it: the track of an id that several processes share is no one's in Perfetto, and the first one's in JSON.
 */
static const struct tb_track *owner_of(const struct tb_diff_rows *rows, const struct tb_event *event,
                                       enum tb_event_type type) {
  const struct tb_track *track = event->track;
  bool is_async = !rows->view.names_tracks && track && track->type == TB_TRACK_CUSTOM && event->thread;
  switch (type) {
    case TB_EVENT_OBJECT_CREATE:
    case TB_EVENT_OBJECT_SNAPSHOT:
    case TB_EVENT_OBJECT_DELETE:
    case TB_EVENT_MEMORY_DUMP:
      while (track && track->type != TB_TRACK_PROCESS && track->parent) track = track->parent;
      return track;
    default:
      if (is_async) track = event->thread;
      while (is_async && track->type != TB_TRACK_PROCESS && track->parent) track = track->parent;
      return track;
  }
}

/* An object's life is a slice in Perfetto, and comes with its phase. */
static enum tb_event_type type_of(const struct tb_event *event, const struct tb_diff_slice *slice) {
  if (!slice || !slice->is_object) return event->type;
  return event->type == TB_EVENT_SLICE_BEGIN ? TB_EVENT_OBJECT_CREATE : TB_EVENT_OBJECT_DELETE;
}

/* The slice that the event begins, ends, or is a flow's event in; NULL for any other, and for an end of nothing. */
static enum tb_status find_slice(struct tb_diff_rows *rows, const struct tb_event *event,
                                 struct tb_diff_slice **slice) {
  bool begins = event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_INSTANT;
  bool flows = event->type == TB_EVENT_FLOW_BEGIN || event->type == TB_EVENT_FLOW_STEP;
  *slice = NULL;
  if (!begins && !flows && event->type != TB_EVENT_SLICE_END) return TB_OK;
  uint64_t id = flows ? event->flow_from : event->slice_id;
  *slice = begins ? tb_diff_slices_begin(&rows->slices, event) : tb_diff_slices_find(&rows->slices, id);
  if (!*slice) return begins ? TB_NO_MEMORY : TB_OK;
  if (begins) (*slice)->is_object = event->type == TB_EVENT_SLICE_BEGIN && event->phase == 'N';
  (*slice)->is_of_flow |= flows || event->flow_count || event->has & TB_HAS_FLOW_OUT;
  return TB_OK;
}

/* Of no event that the formats have both. */
static bool is_passed_over(const struct tb_diff_rows *rows, const struct tb_event *event) {
  if (event->type == TB_EVENT_OTHER) return tb_str_equal(event->phase_text, TB_STR("E")); /* it ends nothing */
  return event->type == TB_EVENT_THREAD_STATE && !rows->view.names_states && event->track && !event->track->tid;
}

/* Slices that say that they are their thread's, such as those of Windows' files: writers of formats without such tracks
 * take them for that. */
static enum tb_status note_lane(struct tb_diff_rows *rows, const struct tb_event *event) {
  const struct tb_track *track = event->track;
  bool is_one = event->type == TB_EVENT_SLICE_BEGIN && (event->phase == 'X' || event->phase == 'B') &&
                rows->view.is_across && track->type == TB_TRACK_CUSTOM && track->has_tid && track->parent &&
                track->parent->type == TB_TRACK_THREAD;
  return is_one ? tb_map_put(&rows->lanes, track->index, 0, 1) : TB_OK;
}

enum tb_status tb_diff_rows_add_event(struct tb_diff_rows *rows, const struct tb_event *event) {
  struct tb_diff_slice *slice;
  if (is_passed_over(rows, event)) return TB_OK;
  if (note_lane(rows, event) != TB_OK || find_slice(rows, event, &slice) != TB_OK) return TB_NO_MEMORY;
  enum tb_event_type type = type_of(event, slice);
  struct tb_diff_hashed row = {.ts = event->ts,
                               .has_ts = event->has & TB_HAS_TS,
                               .offset = event->offset,
                               .track = owner_of(rows, event, type),
                               .name = {"", 0},
                               .value = {"", 0},
                               .of = {"", 0}};
  if (slice && (event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_INSTANT)) slice->track = row.track;
  if (use(rows, row.track) != TB_OK) return TB_NO_MEMORY;
  switch (type) {
    case TB_EVENT_SLICE_BEGIN:
    case TB_EVENT_SLICE_COMPLETE:
    case TB_EVENT_SLICE_END:
    case TB_EVENT_INSTANT:
      return add_slice(rows, &row, event, slice);
    case TB_EVENT_COUNTER:
      return add_counter(rows, &row, event);
    case TB_EVENT_FLOW_EDGE:
      return add_flow(rows, &row, event);
    case TB_EVENT_FLOW_BEGIN:
    case TB_EVENT_FLOW_STEP:
    case TB_EVENT_FLOW_END: /* the edges say it */
      return TB_OK;
    default:
      break;
  }
  enum tb_status status = add_other(rows, &row, event, type);
  if (type == TB_EVENT_OBJECT_DELETE) tb_diff_slices_end(&rows->slices, slice);
  return status;
}

enum tb_status tb_diff_rows_add_frame(struct tb_diff_rows *rows, const struct tb_event *event) {
  return tb_diff_stacks_add(&rows->stacks, event);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* Conversions name what has an id of text after it. */
static bool is_id(const struct tb_track *track) {
  const struct tb_track_details *details = tb_track_get_details(track);
  if (track->type == TB_TRACK_PROCESS) return details->pid_text.len && tb_str_equal(details->pid_text, track->name);
  return track->type == TB_TRACK_THREAD && details->tid_text.len && tb_str_equal(details->tid_text, track->name);
}

/* A track without events shows nothing; across formats what has no name says nothing that its events do not. */
static bool is_row(const struct tb_diff_rows *rows, const struct tb_track *track) {
  const struct tb_diff_view *view = &rows->view;
  bool is_used = tb_map_find(&rows->used, track->index, 0), has_labels = tb_track_get_details(track)->label_count;
  bool is_named = (track->name.len && !is_id(track)) || has_labels;
  if (view->is_across && (is_id(track) || without_lane(rows, track) != track)) return false;
  if (track->type == TB_TRACK_GLOBAL) return false;
  if (track->type == TB_TRACK_CUSTOM && !view->names_tracks) return false;
  if (track->type == TB_TRACK_THREAD && !view->names_states && !track->tid) return false;
  if (is_own(track)) return is_used;
  return is_named || (!view->is_across && is_used);
}

static enum tb_status say_labels(struct tb_diff_rows *rows, const struct tb_track *track) {
  const struct tb_track_details *details = tb_track_get_details(track);
  enum tb_status status = TB_OK;
  rows->details.len = 0;
  for (uint32_t i = 0; i < details->label_count && status == TB_OK; i++) {
    status = put_text(&rows->details, i ? TB_STR(", ") : TB_STR("labels "));
    if (status == TB_OK) status = put_text(&rows->details, details->labels[i]);
  }
  return status;
}

enum tb_status tb_diff_rows_add_track(struct tb_diff_rows *rows, const struct tb_track *track) {
  if (!is_row(rows, track)) return TB_OK;
  struct tb_diff_hashed row = {
      .offset = TB_NO_OFFSET, .track = track, .name = track->name, .value = {"", 0}, .of = {"", 0}};
  if (say_labels(rows, track) != TB_OK) return TB_NO_MEMORY;
  row.value = (struct tb_str){rows->details.len ? rows->details.data : "", rows->details.len};
  if (is_own(track)) row.name = compared_name(rows, track);
  if (is_id(track)) row.name = (struct tb_str){"", 0};
  row.table = track->type == TB_TRACK_PROCESS  ? TB_DIFF_PROCESSES
              : track->type == TB_TRACK_THREAD ? TB_DIFF_THREADS
                                               : TB_DIFF_TRACKS;
  return tb_diff_rows_add(rows, &row);
}
