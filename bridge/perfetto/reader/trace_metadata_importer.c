/* SPDX-License-Identifier: Apache-2.0
 *
 * What a trace says of itself: clock snapshots and attributes.
 */
#include "json/value.h"
#include "model/arg_lookup.h"
#include "perfetto/reader/reader.h"
#include "protos/perfetto/clock_snapshot.pb-c.h"
#include "protos/perfetto/trace_attributes.pb-c.h"

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static bool is_trace_clock(const struct tb_perfetto_reader *r, uint32_t clock) { return clock == r->state.trace_clock; }

/* Readings of the trace's clocks; those of a sequence are the reader's own business. */
static uint32_t read_clocks(struct tb_perfetto_reader *r, const Perfetto__Protos__ClockSnapshot *snapshot,
                            struct tb_clock_reading *readings) {
  uint32_t count = 0;
  for (size_t i = 0; i < snapshot->n_clocks; i++) {
    const Perfetto__Protos__ClockSnapshot__Clock *clock = snapshot->clocks[i];
    if (clock->clock_id >= TB_CLOCK_SEQUENCE_FIRST && clock->clock_id <= TB_CLOCK_SEQUENCE_LAST) continue;
    uint64_t multiplier = clock->unit_multiplier_ns ? clock->unit_multiplier_ns : 1;
    struct tb_clock_reading reading = {clock->clock_id, (int64_t)(clock->timestamp * multiplier)};
    readings[count++] = reading;
    if (!is_trace_clock(r, reading.clock)) continue;
    readings[count - 1] = readings[0];
    readings[0] = reading;
  }
  return count;
}

enum tb_status tb_perfetto_clock_snapshot(struct tb_perfetto_reader *r, struct tb_str payload) {
  ProtobufCMessage *message;
  enum tb_status status = tb_perfetto_unpack(r, &perfetto__protos__clock_snapshot__descriptor, payload, &message);
  if (status != TB_OK) return status;
  const Perfetto__Protos__ClockSnapshot *snapshot = (const Perfetto__Protos__ClockSnapshot *)message;
  struct tb_clock_reading *readings = tb_perfetto_alloc(r, (snapshot->n_clocks + 1) * sizeof(*readings));
  uint32_t count = readings ? read_clocks(r, snapshot, readings) : 0;
  if (count < 2) return TB_OK; /* nothing that relates two of them */
  struct tb_perfetto_track *of_machine = r->head.machine ? tb_perfetto_find_track(r, 0) : NULL;
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_CLOCK_SNAPSHOT);
  event->track = of_machine ? &of_machine->track : NULL;
  event->clocks = readings;
  event->clock_count = count;
  r->batch->has_clocks = true;
  return TB_OK;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static bool has_prefix(struct tb_str text, const char *prefix) {
  size_t len = strlen(prefix);
  return text.len >= len && memcmp(text.ptr, prefix, len) == 0;
}

/* Reads JSON text into arguments of the batch's memory; the count, 0 where it is no JSON. */
static uint32_t parse_json(struct tb_perfetto_reader *r, struct tb_str text, struct tb_arg **args) {
  return tb_json_parse_value(&r->batch->arena, text, args);
}

static const struct tb_arg *find_member(const struct tb_arg *object, const char *name) {
  return tb_find_member(object + 1, object->span - 1, tb_str_from(name));
}

static bool is_integer(const struct tb_arg *arg) {
  return arg && (arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT);
}

/* The track that a metadata event names by pid and tid. */
static struct tb_perfetto_track *metadata_track(struct tb_perfetto_reader *r, const struct tb_arg *object) {
  const struct tb_arg *pid = find_member(object, "pid"), *tid = find_member(object, "tid");
  if (is_integer(tid)) return tb_perfetto_thread(r, is_integer(pid) ? &pid->i : NULL, tid->i);
  return is_integer(pid) ? tb_perfetto_process(r, pid->i) : tb_perfetto_find_track(r, 0);
}

/* Members that are no field of the event. */
static bool is_extra(struct tb_str name) {
  static const char *const fields[] = {"name", "ph", "cat", "args", "pid", "tid", "ts"};
  for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
    if (tb_str_equal(name, tb_str_from(fields[i]))) return false;
  }
  return true;
}

static void set_extra(struct tb_perfetto_reader *r, struct tb_event *event, const struct tb_arg *object) {
  struct tb_arg *extra = tb_perfetto_alloc(r, object->span * sizeof(*extra));
  uint32_t count = 0;
  for (uint32_t i = 1; extra && i < object->span; i += object[i].span) {
    /* an id that comes again is text in the source's event */
    bool is_id = tb_str_equal(object[i].name, TB_STR("pid")) || tb_str_equal(object[i].name, TB_STR("tid"));
    bool again = is_id && tb_find_member(object + 1, i - 1, object[i].name) != NULL;
    if (!again && !is_extra(object[i].name)) continue;
    memcpy(&extra[count], &object[i], object[i].span * sizeof(*extra));
    count += object[i].span;
  }
  event->extra = count ? extra : NULL;
  event->extra_count = count;
}

/* A metadata event of JSON that Perfetto has no field for; carried whole. False where the text is no such event. */
static bool emit_metadata(struct tb_perfetto_reader *r, struct tb_str text) {
  struct tb_arg *object;
  uint32_t count = parse_json(r, text, &object);
  if (!count || object->type != TB_ARG_DICT) return false;
  struct tb_perfetto_track *track = metadata_track(r, object);
  if (!track) return false;
  tb_perfetto_emit_track(r, track);
  const struct tb_arg *name = find_member(object, "name"), *categories = find_member(object, "cat");
  const struct tb_arg *args = find_member(object, "args"), *ts = find_member(object, "ts");
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_METADATA);
  event->has = 0;
  event->phase = 'M';
  event->track = &track->track;
  if (name && name->type == TB_ARG_STRING) {
    event->has |= TB_HAS_NAME;
    event->name = name->text;
  }
  if (categories && categories->type == TB_ARG_STRING) {
    event->has |= TB_HAS_CATEGORIES;
    event->categories = categories->text;
  }
  if (args && args->type == TB_ARG_DICT) {
    event->has |= TB_HAS_ARGS;
    event->args = args + 1;
    event->arg_count = args->span - 1;
  }
  if (is_integer(ts)) {
    event->has |= TB_HAS_TS;
    event->ts = (int64_t)((uint64_t)ts->i * 1000u);
  }
  set_extra(r, event, object);
  return true;
}

/* Where a frame is in its source. */
static void set_frame_extra(struct tb_perfetto_reader *r, struct tb_event *event, const struct tb_arg *frame) {
  const struct tb_arg *members[] = {find_member(frame, "file"), find_member(frame, "line")};
  struct tb_arg *extra = tb_perfetto_alloc(r, sizeof(members) / sizeof(members[0]) * sizeof(*extra));
  for (size_t i = 0; extra && i < sizeof(members) / sizeof(members[0]); i++)
    if (members[i] && members[i]->span == 1) extra[event->extra_count++] = *members[i];
  if (event->extra_count) event->extra = extra;
}

/* stackFrames: an object of {name, category, parent} by id. */
static bool emit_frames(struct tb_perfetto_reader *r, struct tb_str text) {
  struct tb_arg *object;
  uint32_t count = parse_json(r, text, &object);
  if (!count || object->type != TB_ARG_DICT) return false;
  for (uint32_t i = 1; i < object->span; i += object[i].span) {
    const struct tb_arg *frame = &object[i];
    if (frame->type != TB_ARG_DICT) continue;
    const struct tb_arg *name = find_member(frame, "name"), *category = find_member(frame, "category");
    const struct tb_arg *parent = find_member(frame, "parent");
    struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_STACK_FRAME);
    event->has = 0;
    event->id = (struct tb_id){.kind = TB_ID_PLAIN, .text = frame->name};
    if (name && name->type == TB_ARG_STRING) {
      event->has |= TB_HAS_NAME;
      event->name = name->text;
    }
    if (category && category->type == TB_ARG_STRING) {
      event->has |= TB_HAS_CATEGORIES;
      event->categories = category->text;
    }
    if (parent && parent->type == TB_ARG_STRING) event->parent_frame = parent->text;
    set_frame_extra(r, event, frame);
  }
  return true;
}

static void emit_trace_metadata(struct tb_perfetto_reader *r, struct tb_str name, const struct tb_arg *value) {
  struct tb_arg *arg = tb_perfetto_alloc(r, sizeof(*arg));
  if (!arg) return;
  *arg = *value;
  arg->name = name;
  arg->span = 1;
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_TRACE_METADATA);
  event->has = TB_HAS_NAME | TB_HAS_ARGS;
  event->ts = 0;
  event->name = name;
  event->args = arg;
  event->arg_count = 1;
}

static void read_attribute(struct tb_perfetto_reader *r,
                           const Perfetto__Protos__TraceAttributes__Attribute *attribute) {
  struct tb_str key = tb_message_str(attribute->key), text = tb_message_str(attribute->string_value);
  if (tb_str_equal(key, TB_STR("json.M")) && emit_metadata(r, text)) return;
  if (tb_str_equal(key, TB_STR("json.stackFrames")) && emit_frames(r, text)) return;
  struct tb_arg value = {.type = TB_ARG_STRING, .text = text};
  if (has_prefix(key, "json.")) {
    key = (struct tb_str){key.ptr + 5, key.len - 5};
    struct tb_arg *parsed = NULL;
    bool is_text = text.len && text.ptr[0] == '"' && parse_json(r, text, &parsed) == 1 && parsed->type == TB_ARG_STRING;
    if (is_text)
      value = *parsed;
    else
      value.type = TB_ARG_JSON;
  } else if (attribute->has_long_value) {
    value = (struct tb_arg){.type = TB_ARG_INT, .i = attribute->long_value};
  }
  emit_trace_metadata(r, key, &value);
}

enum tb_status tb_perfetto_trace_attributes(struct tb_perfetto_reader *r, struct tb_str payload) {
  ProtobufCMessage *message;
  enum tb_status status = tb_perfetto_unpack(r, &perfetto__protos__trace_attributes__descriptor, payload, &message);
  if (status != TB_OK) return status;
  const Perfetto__Protos__TraceAttributes *attributes = (const Perfetto__Protos__TraceAttributes *)message;
  for (size_t i = 0; i < attributes->n_attribute; i++) read_attribute(r, attributes->attribute[i]);
  return TB_OK;
}
