/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/dump.h"
#include "model/arg_lookup.h"

static void put_key(struct tb_json_emit *e, const char *key) {
  TB_JSON_EMIT(e, " ");
  tb_json_emit_raw(e, key, strlen(key));
  TB_JSON_EMIT(e, "=");
}

static void put_number(struct tb_json_emit *e, const char *key, int64_t value) {
  put_key(e, key);
  tb_json_emit_int(e, value);
}

static void put_text(struct tb_json_emit *e, const char *key, struct tb_str text) {
  put_key(e, key);
  tb_json_emit_string(e, text);
}

static void put_process_id(struct tb_json_emit *e, const char *key, bool has, int64_t number, struct tb_str text) {
  if (text.ptr)
    put_text(e, key, text);
  else if (has)
    put_number(e, key, number);
}

static void put_track(struct tb_json_emit *e, const struct tb_event *event) {
  static const char *const types[] = {[TB_TRACK_GLOBAL] = "global",
                                      [TB_TRACK_PROCESS] = "process",
                                      [TB_TRACK_THREAD] = "thread",
                                      [TB_TRACK_CUSTOM] = "custom",
                                      [TB_TRACK_COUNTER] = "counter"};
  const struct tb_track *track = event->track, *place = event->thread ? event->thread : event->track;
  if (place) {
    put_process_id(e, "pid", place->has_pid, place->pid, tb_track_get_details(place)->pid_text);
    put_process_id(e, "tid", place->has_tid, place->tid, tb_track_get_details(place)->tid_text);
  }
  if (!track || (track->type == TB_TRACK_THREAD && event->type != TB_EVENT_TRACK)) return;
  put_key(e, "track");
  tb_json_emit_raw(e, types[track->type], strlen(types[track->type]));
  if (track->name.len) {
    TB_JSON_EMIT(e, ":");
    tb_json_emit_string(e, track->name);
  }
}

static void put_times(struct tb_json_emit *e, const struct tb_event *event) {
  if (event->has & TB_HAS_TS) put_number(e, "ts", event->ts);
  if (event->has & TB_HAS_DUR) put_number(e, "dur", event->dur);
  if (event->has & TB_HAS_THREAD_TS) put_number(e, "thread_ts", event->thread_ts);
  if (event->has & TB_HAS_THREAD_DUR) put_number(e, "thread_dur", event->thread_dur);
}

static void put_id(struct tb_json_emit *e, const char *key, const struct tb_id *id) {
  static const char *const kinds[] = {"", "", "local:", "global:"};
  put_key(e, key);
  tb_json_emit_raw(e, kinds[id->kind & 3], strlen(kinds[id->kind & 3]));
  if (id->text.ptr)
    tb_json_emit_string(e, id->text);
  else
    tb_json_emit_uint(e, id->value);
}

static void put_flows(struct tb_json_emit *e, const char *key, const uint64_t *flows, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    put_key(e, key);
    tb_json_emit_uint(e, flows[i]);
  }
}

static void put_ids(struct tb_json_emit *e, const struct tb_event *event) {
  if (event->id.kind) put_id(e, "id", &event->id);
  if (event->scope.ptr) put_text(e, "scope", event->scope);
  if (event->bind_id.kind) put_id(e, "bind_id", &event->bind_id);
  if (event->has & TB_HAS_FLOW_IN) put_number(e, "flow_in", 1);
  if (event->has & TB_HAS_FLOW_OUT) put_number(e, "flow_out", 1);
  if (event->has & TB_HAS_BIND_ENCLOSING) put_text(e, "bp", TB_STR("e"));
  put_flows(e, "flow", event->flow_ids, event->flow_count);
  put_flows(e, "terminating_flow", event->terminating_flow_ids, event->terminating_flow_count);
  if (event->stack.ref.ptr) put_text(e, "stack", event->stack.ref);
  if (event->stack.frame_count) put_number(e, "stack_frames", event->stack.frame_count);
}

static void put_clocks(struct tb_json_emit *e, const struct tb_event *event) {
  for (uint32_t i = 0; i < event->clock_count; i++) {
    const char *name = tb_clock_id_name(event->clocks[i].clock);
    put_key(e, name ? name : "clock");
    if (!name) {
      tb_json_emit_uint(e, event->clocks[i].clock);
      TB_JSON_EMIT(e, ":");
    }
    tb_json_emit_int(e, event->clocks[i].ns);
  }
}

/* An id that the event has not, though its track has one, is no member: it is said behind them. */
static void put_extra(struct tb_json_emit *e, const struct tb_event *event) {
  size_t before = e->buffer.len;
  put_key(e, "extra");
  size_t start = e->buffer.len;
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span)
    if (!tb_is_absent_id(&event->extra[i])) tb_json_emit_members(e, &event->extra[i], event->extra[i].span);
  if (e->buffer.len == start) {
    e->buffer.len = before;
  } else if (e->status == TB_OK) {
    e->buffer.data[start] = '{';
    TB_JSON_EMIT(e, "}");
  }
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span) {
    if (!tb_is_absent_id(&event->extra[i])) continue;
    put_key(e, "without");
    tb_json_emit_raw(e, event->extra[i].name.ptr, event->extra[i].name.len);
  }
}

/* Of blobs only the size is shown: their content is for other programs. */
static void put_rest(struct tb_json_emit *e, const struct tb_event *event) {
  if (event->has & TB_HAS_CPU) put_number(e, "cpu", event->cpu);
  if (event->has & TB_HAS_WEIGHT) {
    put_key(e, "weight");
    tb_json_emit_double(e, event->weight);
  }
  if (event->log_level) put_number(e, "log_level", event->log_level);
  if (event->task_state) put_number(e, "task_state", event->task_state);
  put_clocks(e, event);
  if (event->parent_frame.ptr) put_text(e, "parent", event->parent_frame);
  if (event->blob.len) put_number(e, "bytes", (int64_t)event->blob.len);
  if (event->has & TB_HAS_ARGS || event->arg_count) {
    put_key(e, "args");
    /* a value without a name, as a counter's, stands for itself */
    if (event->arg_count && !event->args[0].name.ptr)
      tb_json_emit_value(e, event->args);
    else
      tb_json_emit_object(e, event->args, event->arg_count);
  }
  put_extra(e, event);
}

void tb_dump_event(struct tb_json_emit *e, const struct tb_event *event) {
  const char *type = tb_event_type_name(event->type);
  TB_JSON_EMIT(e, "@");
  tb_json_emit_uint(e, event->offset);
  TB_JSON_EMIT(e, " ");
  tb_json_emit_raw(e, type, strlen(type));
  if (event->phase)
    put_text(e, "ph", (struct tb_str){&event->phase, 1});
  else if (event->phase_text.ptr)
    put_text(e, "ph", event->phase_text);
  put_times(e, event);
  put_track(e, event);
  if (event->has & TB_HAS_NAME || event->name.len) put_text(e, "name", event->name);
  if (event->has & TB_HAS_CATEGORIES || event->categories.len) put_text(e, "cat", event->categories);
  put_ids(e, event);
  put_rest(e, event);
  TB_JSON_EMIT(e, "\n");
}
