/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments as rows, and what formats have as arguments or as fields.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/intern.h"
#include "base/mix64.h"
#include "base/search.h"
#include "json/value.h"
#include "model/arg_lookup.h"
#include "model/fields_as_args.h"
#include "toolbox/diff/rows.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A number is the same as an integer, as a fraction that is whole, and in text. */
static size_t number_text(const struct tb_arg *arg, char text[TB_DIFF_NUMBER]) {
  int len;
  bool whole = arg->type == TB_ARG_DOUBLE && arg->d == floor(arg->d) && fabs(arg->d) < 9e15;
  if (whole)
    len = snprintf(text, TB_DIFF_NUMBER, "%" PRId64, (int64_t)arg->d);
  else if (arg->type == TB_ARG_DOUBLE)
    len = snprintf(text, TB_DIFF_NUMBER, "%.17g", arg->d);
  else if (arg->type == TB_ARG_INT)
    len = snprintf(text, TB_DIFF_NUMBER, "%" PRId64, arg->i);
  else
    len = snprintf(text, TB_DIFF_NUMBER, "%" PRIu64, arg->u);
  return (size_t)len;
}

struct tb_str tb_diff_value(const struct tb_arg *arg, char text[TB_DIFF_NUMBER]) {
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

/* Formats differ in whether a number is an integer, and JSON has no pointers and ids of the kernel. */
static enum tb_diff_value_kind kind_of(const struct tb_diff_rows *rows, const struct tb_arg *arg) {
  switch (arg->type) {
    case TB_ARG_NULL:
      return TB_DIFF_NULL;
    case TB_ARG_BOOL:
      return TB_DIFF_BOOL;
    case TB_ARG_STRING:
      return TB_DIFF_TEXT;
    case TB_ARG_POINTER:
      return rows->view.is_across ? TB_DIFF_ANY_NUMBER : TB_DIFF_POINTER;
    case TB_ARG_KOID:
      return rows->view.is_across ? TB_DIFF_ANY_NUMBER : TB_DIFF_KOID;
    case TB_ARG_DICT:
      return TB_DIFF_EMPTY_DICT;
    case TB_ARG_ARRAY:
      return TB_DIFF_EMPTY_ARRAY;
    case TB_ARG_BLOB:
      return rows->view.is_across ? TB_DIFF_TEXT : TB_DIFF_BLOB;
    default: /* JSON text is a number that no 64 bits hold */
      return TB_DIFF_ANY_NUMBER;
  }
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static enum tb_status add_args(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_arg *args,
                               uint32_t count, bool in_array);

/* An argument whose key is in rows->text, and what is in it. */
static enum tb_status add_arg(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_arg *arg) {
  char text[TB_DIFF_NUMBER];
  if (arg->span > 1) return add_args(rows, row, arg + 1, arg->span - 1, arg->type == TB_ARG_ARRAY);
  uint64_t hash = row->hash;
  row->name = (struct tb_str){rows->text.data ? rows->text.data : "", rows->text.len};
  row->value = tb_diff_value(arg, text);
  row->kind = (uint8_t)kind_of(rows, arg);
  row->hash = tb_diff_mix(hash, row->kind);
  enum tb_status status = tb_diff_rows_add(rows, row);
  row->hash = hash;
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
  const struct tb_arg text = {.text = arg->text, .span = 1, .type = TB_ARG_STRING};
  rows->in_json = true;
  enum tb_status status = TB_OK;
  if (!is_read && tb_json_is_valid(arg->text, TB_JSON_TEXT_DEPTH))
    status = TB_NO_MEMORY;
  else
    status = add_arg(rows, row, is_read ? parsed : &text);
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
    char text[TB_DIFF_NUMBER];
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

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static enum tb_status add_field(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const char *key,
                                const struct tb_arg *arg) {
  rows->text.len = 0;
  enum tb_status status = tb_buffer_append(&rows->text, key, strlen(key));
  return status == TB_OK ? add_arg(rows, row, arg) : status;
}

static enum tb_status add_text(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const char *key,
                               struct tb_str text) {
  const struct tb_arg arg = {.text = text, .span = 1, .type = TB_ARG_STRING};
  return text.len ? add_field(rows, row, key, &arg) : TB_OK;
}

static enum tb_status add_int(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const char *key, int64_t number) {
  const struct tb_arg arg = {.i = number, .span = 1, .type = TB_ARG_INT};
  return add_field(rows, row, key, &arg);
}

static enum tb_status add_location(struct tb_diff_rows *rows, struct tb_diff_hashed *row,
                                   const struct tb_frame *location) {
  enum tb_status status = add_text(rows, row, TB_ARG_SOURCE_LOCATION "." TB_ARG_FUNCTION_NAME, location->function);
  if (status == TB_OK) status = add_text(rows, row, TB_ARG_SOURCE_LOCATION "." TB_ARG_FILE_NAME, location->file);
  if (status != TB_OK || !location->line || (!location->function.len && !location->file.len)) return status;
  return add_int(rows, row, TB_ARG_SOURCE_LOCATION "." TB_ARG_LINE_NUMBER, location->line);
}

static enum tb_status add_stack(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const char *key,
                                const struct tb_stack *stack) {
  if (!stack->frame_count && !stack->ref.len) return TB_OK;
  enum tb_status status = tb_diff_stacks_text(&rows->stacks, stack, !rows->view.is_across, &rows->details);
  return status == TB_OK ? add_text(rows, row, key, (struct tb_str){rows->details.data, rows->details.len}) : status;
}

/* Fields of slices and instants that not all formats have as fields. */
static enum tb_status add_fields(struct tb_diff_rows *rows, struct tb_diff_hashed *row, const struct tb_event *event) {
  bool ends = event->type == TB_EVENT_SLICE_END, is_one_format = !rows->view.is_across;
  enum tb_status status = add_text(rows, row, TB_ARG_LOG_LEVEL, tb_log_level_name(event->log_level));
  if (status == TB_OK) status = add_location(rows, row, &event->source_location);
  if (status == TB_OK && event->has & TB_HAS_CORRELATION)
    status = event->correlation_text.len ? add_text(rows, row, TB_ARG_CORRELATION, event->correlation_text)
                                         : add_int(rows, row, TB_ARG_CORRELATION, (int64_t)event->correlation_id);
  if (status == TB_OK && event->has & TB_HAS_THREAD_INSTRUCTIONS)
    status =
        add_int(rows, row, ends ? TB_ARG_INSTRUCTIONS_AT_END : TB_ARG_INSTRUCTIONS, event->thread_instruction_count);
  if (status == TB_OK && event->has & TB_HAS_THREAD_TS)
    status = add_int(rows, row, ends ? "thread_ts_at_end" : "thread_ts", event->thread_ts);
  if (status == TB_OK) status = add_stack(rows, row, ends ? "stack_at_end" : "stack", &event->stack);
  if (status == TB_OK && is_one_format) status = add_stack(rows, row, "stack_at_end", &event->end_stack);
  return status;
}

/* ---- the arguments of an event ----------------------------------------------------------------------------------- */

static bool has_said(const struct tb_diff_slice *slice, uint64_t hash) {
  size_t at = 0;
  TB_LOWER_BOUND(at, slice->said_count, i, slice->said[i] < hash);
  return at < slice->said_count && slice->said[at] == hash;
}

/* The rows from `first` on are the arguments of the slice. */
static enum tb_status leave_said_once(struct tb_diff_rows *rows, struct tb_diff_slice *slice, bool begins,
                                      size_t first) {
  struct tb_diff_hashed *items = rows->items;
  size_t kept = first;
  if (rows->count - first > 1) qsort(&items[first], rows->count - first, sizeof(*items), tb_diff_by_hash);
  for (size_t i = first; i < rows->count; i++) {
    if ((kept > first && items[kept - 1].hash == items[i].hash) || has_said(slice, items[i].hash)) continue;
    items[kept++] = items[i];
  }
  rows->count = kept;
  if (!begins || kept == first) return TB_OK;
  if (tb_diff_slices_say(&rows->slices, slice, kept - first) != TB_OK) return TB_NO_MEMORY;
  for (size_t i = first; i < kept; i++) slice->said[i - first] = items[i].hash;
  return TB_OK;
}

enum tb_status tb_diff_rows_add_args(struct tb_diff_rows *rows, const struct tb_diff_hashed *row,
                                     const struct tb_event *event, struct tb_diff_slice *slice) {
  struct tb_diff_hashed own = {
      .ts = row->ts, .has_ts = row->has_ts, .offset = row->offset, .track = row->track, .table = TB_DIFF_ARGS};
  size_t first = rows->count;
  own.of = slice ? slice->name : event->name;
  own.hash = tb_str_hash(own.of, 0);
  rows->text.len = 0;
  enum tb_status status = add_args(rows, &own, event->args, event->arg_count, false);
  if (status == TB_OK && row->table != TB_DIFF_EVENTS) status = add_fields(rows, &own, event);
  if (status != TB_OK || !slice || rows->count == first) return status;
  return leave_said_once(rows, slice, event->type == TB_EVENT_SLICE_BEGIN, first);
}
