/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/diff/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/hex.h"
#include "base/intern.h"
#include "base/search.h"
#include "json/emitter.h"
#include "json/value.h"
#include "model/fields_as_args.h"
#include "timeline/slice_nester.h"
#include "toolbox/counter_name.h"

enum { ROWS_MAX = 1 << 28, NUMBER_TEXT = 32 };

int tb_diff_by_hash(const void *a, const void *b) {
  uint64_t x = ((const struct tb_diff_hashed *)a)->hash, y = ((const struct tb_diff_hashed *)b)->hash;
  return x < y ? -1 : x > y;
}

void tb_diff_rows_init(struct tb_diff_rows *rows, const struct tb_allocator *allocator) {
  *rows = (struct tb_diff_rows){.allocator = allocator};
  tb_arena_init(&rows->arena, allocator, 0);
  tb_buffer_init(&rows->text, allocator, 0);
  tb_buffer_init(&rows->counter, allocator, 0);
  tb_map_init(&rows->used, allocator);
  tb_map_init(&rows->lanes, allocator);
  tb_map_init(&rows->objects, allocator);
  tb_map_init(&rows->begins, allocator);
  tb_map_init(&rows->said, allocator);
}

/* What the begin of an open slice said. */
struct said_args {
  size_t count;
  uint64_t hashes[]; /* in order */
};

static size_t size_of_said(size_t count) { return sizeof(struct said_args) + count * sizeof(uint64_t); }

static void free_said(struct tb_diff_rows *rows, struct said_args *said) {
  tb_free(rows->allocator, said, size_of_said(said->count));
}

void tb_diff_rows_free(struct tb_diff_rows *rows) {
  size_t at = 0;
  struct tb_map_entry entry;
  while (tb_map_next(&rows->said, &at, &entry)) free_said(rows, (void *)(uintptr_t)entry.value);
  tb_free(rows->allocator, rows->items, rows->capacity * sizeof(*rows->items));
  tb_arena_free(&rows->arena);
  tb_buffer_free(&rows->text);
  tb_buffer_free(&rows->counter);
  tb_map_free(&rows->used);
  tb_map_free(&rows->lanes);
  tb_map_free(&rows->objects);
  tb_map_free(&rows->begins);
  tb_map_free(&rows->said);
}

void tb_diff_rows_clear(struct tb_diff_rows *rows) {
  rows->count = 0;
  tb_arena_reset(&rows->arena);
}

/* ---- hashing ----------------------------------------------------------------------------------------------------- */

static uint64_t mix_text(uint64_t hash, struct tb_str text) { return tb_str_hash(text, hash); }

static uint64_t mix(uint64_t hash, uint64_t value) {
  char bytes[sizeof(value)];
  memcpy(bytes, &value, sizeof(value));
  return mix_text(hash, (struct tb_str){bytes, sizeof(bytes)});
}

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
  char decimal[NUMBER_TEXT];
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

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A number is the same as an integer, as a fraction that is whole, and in text. */
static size_t number_text(const struct tb_arg *arg, char text[NUMBER_TEXT]) {
  int len;
  bool whole = arg->type == TB_ARG_DOUBLE && arg->d == floor(arg->d) && fabs(arg->d) < 9e15;
  if (whole)
    len = snprintf(text, NUMBER_TEXT, "%" PRId64, (int64_t)arg->d);
  else if (arg->type == TB_ARG_DOUBLE)
    len = snprintf(text, NUMBER_TEXT, "%.17g", arg->d);
  else if (arg->type == TB_ARG_INT)
    len = snprintf(text, NUMBER_TEXT, "%" PRId64, arg->i);
  else
    len = snprintf(text, NUMBER_TEXT, "%" PRIu64, arg->u);
  return (size_t)len;
}

static struct tb_str value_text(const struct tb_arg *arg, char text[NUMBER_TEXT]) {
  switch (arg->type) {
    case TB_ARG_STRING:
    case TB_ARG_JSON:
    case TB_ARG_BLOB:
      return arg->text;
    case TB_ARG_NULL:
      return TB_STR("null");
    case TB_ARG_BOOL:
      return arg->u ? TB_STR("true") : TB_STR("false");
    case TB_ARG_DICT:
      return TB_STR("{}");
    case TB_ARG_ARRAY:
      return TB_STR("[]");
    default:
      return (struct tb_str){text, number_text(arg, text)};
  }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The row's hash comes before its texts, which are copied. */
static enum tb_status add(struct tb_diff_rows *rows, const struct tb_diff_hashed *row) {
  void *items = rows->items;
  enum tb_status status =
      tb_grow_array(rows->allocator, &items, &rows->capacity, rows->count + 1, sizeof(*rows->items), ROWS_MAX);
  rows->items = items;
  if (status != TB_OK) return status;
  struct tb_diff_hashed *added = &rows->items[rows->count];
  *added = *row;
  added->name = tb_arena_copy(&rows->arena, row->name);
  added->value = tb_arena_copy(&rows->arena, row->value);
  if (!added->name.ptr || !added->value.ptr) return TB_NO_MEMORY;
  added->hash = mix(row->hash, row->table);
  if (row->has_ts) added->hash = mix(added->hash, (uint64_t)row->ts);
  if (row->track) added->hash = mix_track(rows, added->hash, row->track);
  added->hash = mix_text(mix_text(added->hash, added->name), added->value);
  if (rows->lacks_memory) return TB_NO_MEMORY;
  rows->count++;
  return TB_OK;
}

static enum tb_status add_args(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_arg *args,
                               uint32_t count, bool in_array);

/* An argument whose key is in rows->text, and what is in it. */
static enum tb_status add_arg(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_arg *arg) {
  char text[NUMBER_TEXT];
  if (arg->span > 1) return add_args(rows, row, arg + 1, arg->span - 1, arg->type == TB_ARG_ARRAY);
  row->name = (struct tb_str){rows->text.data ? rows->text.data : "", rows->text.len};
  row->value = value_text(arg, text);
  enum tb_status status = add(rows, row);
  row->value = (struct tb_str){NULL, 0}; /* it may be in `text` */
  return status;
}

/* A value that is JSON text (`legacy_json_value`) is what the text says, as to the trace processor; numbers that no
 * 64-bit type holds, and what is nested deeper than arguments are, stay text. */
static enum tb_status add_json(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_arg *arg) {
  struct tb_arena arena;
  struct tb_arg *parsed = NULL;
  tb_arena_init(&arena, rows->allocator, 0);
  bool is_read = tb_json_parse_value(&arena, arg->text, &parsed) != 0;
  rows->in_json = true;
  enum tb_status status = TB_OK;
  if (!is_read && tb_json_is_valid(arg->text, TB_JSON_TEXT_DEPTH))
    status = TB_NO_MEMORY;
  else
    status = add_arg(rows, row, is_read ? parsed : arg);
  rows->in_json = false;
  tb_arena_free(&arena);
  return status;
}

/* The key of an argument within others, such as "a.b[2]", in rows->text from `start` on. */
static enum tb_status add_args(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_arg *args,
                               uint32_t count, bool in_array) {
  struct tb_buffer *key = &rows->text;
  size_t start = key->len;
  uint32_t place = 0;
  for (uint32_t i = 0; i < count; i += args[i].span, place++) {
    char text[NUMBER_TEXT];
    const struct tb_arg *arg = &args[i];
    if (arg->flags & TB_ARG_DERIVED) continue;
    key->len = start;
    int len = in_array ? snprintf(text, sizeof(text), "[%u]", place) : snprintf(text, sizeof(text), start ? "." : "");
    enum tb_status status = tb_buffer_append(key, text, (size_t)len);
    if (status == TB_OK && arg->name.len) status = tb_buffer_append(key, arg->name.ptr, arg->name.len);
    if (status == TB_OK)
      status = arg->type == TB_ARG_JSON && !rows->in_json ? add_json(rows, row, arg) : add_arg(rows, row, arg);
    if (status != TB_OK) return status;
  }
  key->len = start;
  return TB_OK;
}

static enum tb_status add_field(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const char *key,
                                struct tb_str text) {
  const struct tb_arg arg = {.text = text, .span = 1, .type = TB_ARG_STRING};
  if (!text.len) return TB_OK;
  rows->text.len = 0;
  enum tb_status status = tb_buffer_append(&rows->text, key, strlen(key));
  return status == TB_OK ? add_arg(rows, row, &arg) : status;
}

/* Fields that JSON has as arguments. */
static enum tb_status add_fields(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_event *event) {
  char number[NUMBER_TEXT];
  const struct tb_frame *from = &event->source_location;
  enum tb_status status = add_field(rows, row, TB_ARG_LOG_LEVEL, tb_log_level_name(event->log_level));
  if (status == TB_OK) status = add_field(rows, row, TB_ARG_SOURCE_LOCATION "." TB_ARG_FUNCTION_NAME, from->function);
  if (status == TB_OK) status = add_field(rows, row, TB_ARG_SOURCE_LOCATION "." TB_ARG_FILE_NAME, from->file);
  if (status == TB_OK && from->line && (from->function.len || from->file.len)) {
    snprintf(number, sizeof(number), "%" PRIu32, from->line);
    status = add_field(rows, row, TB_ARG_SOURCE_LOCATION "." TB_ARG_LINE_NUMBER, tb_str_from(number));
  }
  if (status == TB_OK && event->has & TB_HAS_CORRELATION) {
    snprintf(number, sizeof(number), "%" PRIu64, event->correlation_id);
    struct tb_str text = event->correlation_text.len ? event->correlation_text : tb_str_from(number);
    status = add_field(rows, row, TB_ARG_CORRELATION, text);
  }
  if (status != TB_OK || !(event->has & TB_HAS_THREAD_INSTRUCTIONS)) return status;
  snprintf(number, sizeof(number), "%" PRId64, event->thread_instruction_count);
  const char *key = event->type == TB_EVENT_SLICE_END ? TB_ARG_INSTRUCTIONS_AT_END : TB_ARG_INSTRUCTIONS;
  return add_field(rows, row, key, tb_str_from(number));
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

enum slice_kind { KIND_SLICE, KIND_INSTANT, KIND_ASYNC_INSTANT };

/* Where a format names no tracks, slices of a process' own track are as those of its tracks; instants are not. */
static enum slice_kind kind_of(const struct tb_diff_rows *rows, const struct tb_event *event) {
  if (event->type != TB_EVENT_INSTANT) return KIND_SLICE;
  return event->track->type == TB_TRACK_CUSTOM && !rows->view.names_tracks ? KIND_ASYNC_INSTANT : KIND_INSTANT;
}

/* When the event's slice began: an argument is the slice's, be it said at its begin or at its end. */
static enum tb_status find_begin(struct tb_diff_rows *rows, const struct tb_event *event, int64_t *begin) {
  if (event->type == TB_EVENT_SLICE_BEGIN) return tb_map_put(&rows->begins, event->slice_id, 0, (uint64_t)event->ts);
  const uint64_t *found = event->type == TB_EVENT_SLICE_END ? tb_map_find(&rows->begins, event->slice_id, 0) : NULL;
  if (!found) return TB_OK;
  *begin = (int64_t)*found;
  tb_map_remove(&rows->begins, event->slice_id, 0);
  return TB_OK;
}

static bool has_said(const struct said_args *said, uint64_t hash) {
  size_t at = 0;
  if (!said) return false;
  TB_LOWER_BOUND(at, said->count, i, said->hashes[i] < hash);
  return at < said->count && said->hashes[at] == hash;
}

/* The rows from `first` on are the event's arguments. */
static enum tb_status note_said(struct tb_diff_rows *rows, uint64_t slice, size_t first) {
  size_t count = rows->count - first;
  struct said_args *said = tb_alloc(rows->allocator, size_of_said(count));
  if (!said) return TB_NO_MEMORY;
  said->count = count;
  for (size_t i = 0; i < count; i++) said->hashes[i] = rows->items[first + i].hash;
  enum tb_status status = tb_map_put(&rows->said, slice, 0, (uint64_t)(uintptr_t)said);
  if (status != TB_OK) free_said(rows, said);
  return status;
}

/* Leaves one of equal arguments of a slice, be they of its begin, its end or both: an argument has one value. */
static enum tb_status leave_said_once(struct tb_diff_rows *rows, const struct tb_event *event, size_t first) {
  bool ends = event->type == TB_EVENT_SLICE_END;
  struct said_args *said = ends ? tb_map_find_pointer(&rows->said, event->slice_id, 0) : NULL;
  size_t kept = first;
  if (rows->count - first > 1) qsort(&rows->items[first], rows->count - first, sizeof(*rows->items), tb_diff_by_hash);
  for (size_t i = first; i < rows->count; i++) {
    uint64_t hash = rows->items[i].hash;
    if ((kept > first && rows->items[kept - 1].hash == hash) || has_said(said, hash)) continue;
    rows->items[kept++] = rows->items[i];
  }
  rows->count = kept;
  if (said) {
    tb_map_remove(&rows->said, event->slice_id, 0);
    free_said(rows, said);
  }
  return event->type == TB_EVENT_SLICE_BEGIN && kept > first ? note_said(rows, event->slice_id, first) : TB_OK;
}

static enum tb_status add_slice(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_event *event) {
  bool ends = event->type == TB_EVENT_SLICE_END;
  row->table = ends ? TB_DIFF_ENDS : TB_DIFF_SLICES;
  row->hash = ends ? 0 : mix(kind_of(rows, event), hash_categories(event->categories));
  row->name = event->name;
  if (ends && !event->offset) row->offset = TB_NO_OFFSET; /* the reader made it of a duration */
  enum tb_status status = add(rows, row);
  if (status == TB_OK) status = find_begin(rows, event, &row->ts);
  row->table = TB_DIFF_ARGS;
  row->hash = 0;
  rows->text.len = 0;
  size_t first = rows->count;
  if (status == TB_OK) status = add_args(rows, row, event->args, event->arg_count, false);
  if (status == TB_OK) status = add_fields(rows, row, event);
  return status == TB_OK ? leave_said_once(rows, event, first) : status;
}

static enum tb_status add_counter(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_event *event) {
  char text[NUMBER_TEXT];
  row->table = TB_DIFF_COUNTERS;
  row->name = compared_name(rows, event->track);
  if (event->arg_count) row->value = value_text(&event->args[0], text);
  enum tb_status status = add(rows, row);
  row->value = (struct tb_str){NULL, 0}; /* it may be in `text` */
  return status;
}

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
static enum tb_status find_type(struct tb_diff_rows *rows, const struct tb_event *event, enum tb_event_type *type) {
  *type = event->type;
  if (event->type == TB_EVENT_SLICE_BEGIN && event->phase == 'N') {
    *type = TB_EVENT_OBJECT_CREATE;
    return tb_map_put(&rows->objects, event->slice_id, 0, 1);
  }
  if (event->type != TB_EVENT_SLICE_END || !tb_map_find(&rows->objects, event->slice_id, 0)) return TB_OK;
  tb_map_remove(&rows->objects, event->slice_id, 0);
  *type = TB_EVENT_OBJECT_DELETE;
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
  enum tb_event_type type;
  if (is_passed_over(rows, event)) return TB_OK;
  if (note_lane(rows, event) != TB_OK) return TB_NO_MEMORY;
  if (find_type(rows, event, &type) != TB_OK) return TB_NO_MEMORY;
  struct tb_diff_hashed row = {.ts = event->ts,
                               .has_ts = event->has & TB_HAS_TS,
                               .offset = event->offset,
                               .track = owner_of(rows, event, type),
                               .name = {"", 0},
                               .value = {"", 0}};
  if (use(rows, row.track) != TB_OK) return TB_NO_MEMORY;
  switch (type) {
    case TB_EVENT_SLICE_BEGIN:
    case TB_EVENT_SLICE_COMPLETE:
    case TB_EVENT_SLICE_END:
    case TB_EVENT_INSTANT:
      return add_slice(rows, &row, event);
    case TB_EVENT_COUNTER:
      return add_counter(rows, &row, event);
    case TB_EVENT_FLOW_EDGE:
      row.table = TB_DIFF_FLOWS;
      return add(rows, &row);
    case TB_EVENT_FLOW_BEGIN:
    case TB_EVENT_FLOW_STEP:
    case TB_EVENT_FLOW_END: /* the edges say it */
      return TB_OK;
    default:
      break;
  }
  row.table = TB_DIFF_EVENTS;
  row.hash = mix(type, event->task_state);
  if (rows->view.names_states || !event->task_state) row.name = event->name;
  return add(rows, &row);
}

/* Conversions name what has an id of text after it. */
static bool is_id(const struct tb_track *track) {
  const struct tb_track_details *details = tb_track_get_details(track);
  if (track->type == TB_TRACK_PROCESS) return details->pid_text.len && tb_str_equal(details->pid_text, track->name);
  return track->type == TB_TRACK_THREAD && details->tid_text.len && tb_str_equal(details->tid_text, track->name);
}

/* A track without events shows nothing; across formats what has no name says nothing that its events do not. */
static bool is_row(const struct tb_diff_rows *rows, const struct tb_track *track) {
  const struct tb_diff_view *view = &rows->view;
  bool is_used = tb_map_find(&rows->used, track->index, 0), is_named = track->name.len && !is_id(track);
  if (view->is_across && (is_id(track) || without_lane(rows, track) != track)) return false;
  if (track->type == TB_TRACK_GLOBAL) return false;
  if (track->type == TB_TRACK_CUSTOM && !view->names_tracks) return false;
  if (track->type == TB_TRACK_THREAD && !view->names_states && !track->tid) return false;
  if (is_own(track)) return is_used;
  return is_named || (!view->is_across && is_used);
}

enum tb_status tb_diff_rows_add_track(struct tb_diff_rows *rows, const struct tb_track *track) {
  if (!is_row(rows, track)) return TB_OK;
  struct tb_diff_hashed row = {.offset = TB_NO_OFFSET, .track = track, .name = track->name, .value = {"", 0}};
  if (is_own(track)) row.name = compared_name(rows, track);
  if (is_id(track)) row.name = (struct tb_str){"", 0};
  row.table = track->type == TB_TRACK_PROCESS  ? TB_DIFF_PROCESSES
              : track->type == TB_TRACK_THREAD ? TB_DIFF_THREADS
                                               : TB_DIFF_TRACKS;
  return add(rows, &row);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static enum tb_status put(struct tb_buffer *to, const char *text) { return tb_buffer_append(to, text, strlen(text)); }

static enum tb_status put_track(struct tb_buffer *to, const struct tb_track *track) {
  char text[64];
  for (unsigned depth = 0; track && track->type != TB_TRACK_GLOBAL && depth < 8; track = track->parent, depth++) {
    const char *kind = track->type == TB_TRACK_PROCESS ? "pid" : track->type == TB_TRACK_THREAD ? "tid" : "track";
    bool by_id = track->type == TB_TRACK_PROCESS || track->type == TB_TRACK_THREAD;
    int64_t id = track->type == TB_TRACK_PROCESS ? track->pid : track->tid;
    snprintf(text, sizeof(text), " %s ", kind);
    enum tb_status status = put(to, text);
    snprintf(text, sizeof(text), "%" PRId64, id);
    if (status == TB_OK) status = by_id ? put(to, text) : tb_buffer_append(to, track->name.ptr, track->name.len);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

enum tb_status tb_diff_row_text(const struct tb_diff_hashed *row, struct tb_buffer *to) {
  enum tb_status status = tb_buffer_append(to, row->name.ptr, row->name.len);
  if (status == TB_OK && row->value.len) status = put(to, " = ");
  if (status == TB_OK) status = tb_buffer_append(to, row->value.ptr, row->value.len);
  if (status == TB_OK && row->track) status = put(to, ", of");
  return status == TB_OK ? put_track(to, row->track) : status;
}
