/* SPDX-License-Identifier: Apache-2.0
 *
 * FXT event and log records.
 */
#include "base/utf8.h"
#include "fxt/reader/reader.h"
#include "json/value.h"
#include "model/arg_lookup.h"

/* What the types of event records become. */
static const struct {
  enum tb_event_type type;
  char phase;
  bool has_id;
} kinds[] = {
    [TB_FXT_INSTANT] = {TB_EVENT_INSTANT, 'i', false},
    [TB_FXT_COUNTER] = {TB_EVENT_COUNTER, 'C', true},
    [TB_FXT_DURATION_BEGIN] = {TB_EVENT_SLICE_BEGIN, 'B', false},
    [TB_FXT_DURATION_END] = {TB_EVENT_SLICE_END, 'E', false},
    [TB_FXT_DURATION_COMPLETE] = {TB_EVENT_SLICE_COMPLETE, 'X', false},
    [TB_FXT_ASYNC_BEGIN] = {TB_EVENT_ASYNC_BEGIN, 'b', true},
    [TB_FXT_ASYNC_INSTANT] = {TB_EVENT_ASYNC_INSTANT, 'n', true},
    [TB_FXT_ASYNC_END] = {TB_EVENT_ASYNC_END, 'e', true},
    [TB_FXT_FLOW_BEGIN] = {TB_EVENT_FLOW_BEGIN, 's', true},
    [TB_FXT_FLOW_STEP] = {TB_EVENT_FLOW_STEP, 't', true},
    [TB_FXT_FLOW_END] = {TB_EVENT_FLOW_END, 'f', true},
};

/* The parts that every event record has, resolved. */
struct record {
  unsigned type;
  int64_t ts;
  const struct tb_track *thread;
  struct tb_str category, name;
  uint64_t last_word; /* an id, or the end's ticks */
  int64_t end;
};

static enum tb_status parse_parts(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor *cursor,
                                  struct record *record) {
  enum tb_status status = tb_fxt_take_time(fx, cursor, &record->ts);
  if (status == TB_OK)
    status = tb_fxt_resolve_thread(fx, (uint32_t)tb_fxt_field(header, 24, 31), cursor, &record->thread);
  if (status == TB_OK)
    status = tb_fxt_resolve_string(fx, (uint32_t)tb_fxt_field(header, 32, 47), cursor, &record->category);
  if (status == TB_OK)
    status = tb_fxt_resolve_string(fx, (uint32_t)tb_fxt_field(header, 48, 63), cursor, &record->name);
  if (status == TB_OK) status = tb_fxt_parse_args(fx, (uint32_t)tb_fxt_field(header, 20, 23), cursor);
  if (status != TB_OK) return status;
  if (record->type == TB_FXT_DURATION_COMPLETE) {
    status = tb_fxt_take_time(fx, cursor, &record->end);
    if (status != TB_OK) return status;
    return record->end >= record->ts ? TB_OK : tb_fxt_malformed(fx, "a duration that ends before it begins", NULL);
  }
  if (!kinds[record->type].has_id || tb_fxt_take_word(cursor, &record->last_word)) return TB_OK;
  return tb_fxt_malformed(fx, "a record too short for its id", NULL);
}

static enum tb_status add_event(struct tb_fxt_reader *fx, const struct record *record, const struct tb_track *track,
                                struct tb_event **event) {
  enum tb_status status = tb_fxt_add_event(fx, kinds[record->type].type, track, event);
  if (status != TB_OK) return status;
  (*event)->phase = kinds[record->type].phase;
  (*event)->ts = record->ts;
  (*event)->has = TB_HAS_TS;
  /* An end closes the innermost slice whatever its name says, so it says none. */
  if (record->type == TB_FXT_DURATION_END) return TB_OK;
  (*event)->has |= TB_HAS_NAME;
  (*event)->name = record->name;
  (*event)->categories = record->category;
  if (record->category.len) (*event)->has |= TB_HAS_CATEGORIES;
  return TB_OK;
}

/* ---- counters -------------------------------------------------------------------------------------------------------
 */

static bool is_number(const struct tb_arg *arg) {
  return arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT || arg->type == TB_ARG_DOUBLE;
}

/* Makes the sample's value the text that it is in the source, and takes such texts out of the event's extra members. */
static void take_texts(struct tb_event *event, struct tb_arg *value, struct tb_str series) {
  struct tb_arg *extra = (struct tb_arg *)(uintptr_t)event->extra; /* of the batch's memory */
  for (uint32_t i = 0; i < event->extra_count; i += extra[i].span) {
    if (!tb_str_equal(extra[i].name, TB_STR(TB_CARRIED_PREFIX TB_FXT_SERIES_TEXTS))) continue;
    const struct tb_arg *text = tb_find_member(&extra[i + 1], extra[i].span - 1, series);
    if (text && !is_number(text)) *value = *text;
    uint32_t span = extra[i].span;
    memmove(&extra[i], &extra[i + span], (event->extra_count - i - span) * sizeof(*extra));
    event->extra_count -= span;
    return;
  }
}

/* What our writer kept of a counter before its record: `count` members, 0 for none. */
struct members {
  const struct tb_arg *items;
  uint32_t count;
};

static enum tb_status parse_members(struct tb_fxt_reader *fx, struct members *members) {
  *members = (struct members){NULL, 0};
  if (!fx->counter_members.len) return TB_OK;
  struct tb_str text = {fx->counter_members.data, fx->counter_members.len},
                copy = tb_arena_copy(&fx->batch->arena, text);
  struct tb_arg *object;
  enum tb_status status = copy.ptr ? tb_utf8_repair(&fx->batch->arena, &copy) : TB_NO_MEMORY;
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  uint32_t count = tb_json_parse_value(&fx->batch->arena, copy, &object);
  if (!count || object->type != TB_ARG_DICT)
    return tb_fxt_lose(fx, "members of a counter that are no JSON object", NULL);
  *members = (struct members){object + 1, count - 1};
  return TB_OK;
}

/* The counter's id where it is a text. */
static struct tb_str text_id(const struct members *members) {
  const struct tb_arg *id = tb_find_member(members->items, members->count, tb_carried_path(TB_CARRIED_ID));
  return id && id->type == TB_ARG_STRING ? id->text : (struct tb_str){NULL, 0};
}

static enum tb_status add_sample(struct tb_fxt_reader *fx, const struct record *record, const struct tb_arg *value) {
  const struct tb_track *track;
  struct members members;
  enum tb_status status = parse_members(fx, &members);
  if (status != TB_OK) return status;
  status = tb_fxt_counter_track(&fx->tables, record->thread, record->name, record->last_word, text_id(&members), value,
                                &track);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  struct tb_event *event;
  status = add_event(fx, record, track, &event);
  if (status != TB_OK) return status;
  struct tb_arg *arg = tb_arena_alloc(&fx->batch->arena, sizeof(*arg));
  if (!arg) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  *arg = *value;
  arg->name = (struct tb_str){NULL, 0};
  event->name = (struct tb_str){NULL, 0}; /* the track says it */
  event->has = (event->has | TB_HAS_ARGS) & ~(uint32_t)TB_HAS_NAME;
  event->thread = record->thread;
  event->args = arg;
  event->arg_count = 1;
  if (!members.count) return TB_OK;
  status = tb_fxt_restore_members(fx, event, members.items, members.count);
  take_texts(event, arg, value->name);
  return status;
}

/* A counter's arguments that are no numbers make an instant that says which counter it belongs to. */
static enum tb_status add_remark(struct tb_fxt_reader *fx, const struct record *record) {
  struct tb_event *event;
  enum tb_status status = add_event(fx, record, record->thread, &event);
  if (status != TB_OK) return status;
  event->type = TB_EVENT_INSTANT;
  event->phase = 'i';
  event->instant_scope = 't';
  status = tb_fxt_give_args(fx, record->thread, event);
  if (status != TB_OK) return status;
  struct tb_arg *extra = tb_arena_alloc(&fx->batch->arena, (event->extra_count + 1) * sizeof(*extra));
  if (!extra) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  if (event->extra_count) memcpy(extra, event->extra, event->extra_count * sizeof(*extra));
  extra[event->extra_count++] = (struct tb_arg){.name = tb_carried_key(TB_CARRIED_FXT_COUNTER),
                                                .u = record->last_word,
                                                .span = 1,
                                                .type = TB_ARG_UINT,
                                                .width = 64};
  event->extra = extra;
  return TB_OK;
}

static enum tb_status add_counter(struct tb_fxt_reader *fx, const struct record *record) {
  enum tb_status status = TB_OK;
  uint32_t others = 0;
  for (uint32_t i = 0; i < fx->arg_count && status == TB_OK; i++) {
    if (is_number(&fx->args[i]))
      status = add_sample(fx, record, &fx->args[i]);
    else
      fx->args[others++] = fx->args[i];
  }
  fx->counter_members.len = 0;
  bool only_remark = fx->arg_count == 0;
  fx->arg_count = others;
  return status == TB_OK && (others || only_remark) ? add_remark(fx, record) : status;
}

/* ---- the records ------------------------------------------------------------------------------------------------- */

enum tb_status tb_fxt_parse_event(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  struct record record = {.type = (unsigned)tb_fxt_field(header, 16, 19)};
  if (record.type >= sizeof(kinds) / sizeof(kinds[0])) return tb_fxt_malformed(fx, "an event of unknown type", NULL);
  enum tb_status status = parse_parts(fx, header, &cursor, &record);
  if (status != TB_OK) return status;
  if (record.type == TB_FXT_COUNTER) return add_counter(fx, &record);
  struct tb_event *event;
  status = add_event(fx, &record, record.thread, &event);
  if (status != TB_OK) return status;
  if (record.type == TB_FXT_INSTANT) {
    event->instant_scope = 't';
  } else if (record.type == TB_FXT_DURATION_COMPLETE) {
    event->dur = record.end - record.ts;
    event->has |= TB_HAS_DUR;
  } else if (kinds[record.type].has_id) {
    event->id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true, .value = record.last_word};
    event->has |= TB_HAS_ID_ONLY_MATCH;
    if (record.type == TB_FXT_FLOW_END) event->has |= TB_HAS_BIND_ENCLOSING;
  }
  status = tb_fxt_give_args(fx, record.thread, event);
  if (record.type == TB_FXT_DURATION_END && event->has & TB_HAS_NAME && record.category.len) {
    event->categories = record.category; /* an end that says which slice it is of says all of it */
    event->has |= TB_HAS_CATEGORIES;
    if (!event->name.len) event->has &= ~(uint32_t)TB_HAS_NAME; /* a slice without a name, which has a category */
  }
  if (fx->is_no_event) {
    fx->is_no_event = false;
    fx->batch->event_count--;
  }
  return status;
}

enum tb_status tb_fxt_parse_log(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  int64_t ts;
  const struct tb_track *thread;
  struct tb_str message;
  enum tb_status status = tb_fxt_take_time(fx, &cursor, &ts);
  if (status == TB_OK) status = tb_fxt_resolve_thread(fx, (uint32_t)tb_fxt_field(header, 32, 39), &cursor, &thread);
  if (status != TB_OK) return status;
  if (!tb_fxt_take_stream(&cursor, (size_t)tb_fxt_field(header, 16, 30), &message))
    return tb_fxt_malformed(fx, "a log message runs past its record", NULL);
  status = tb_utf8_repair(&fx->batch->arena, &message);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  struct tb_event *event;
  status = tb_fxt_add_event(fx, TB_EVENT_LOG, thread, &event);
  if (status != TB_OK) return status;
  event->ts = ts;
  event->has = TB_HAS_TS | TB_HAS_NAME;
  event->name = message;
  status = tb_fxt_parse_appended_args(fx, &cursor);
  return status == TB_OK ? tb_fxt_give_args(fx, thread, event) : status;
}
