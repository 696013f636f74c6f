/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives events back what our writer put into arguments since FXT has no place for it: phases, scopes, thread times,
 * members that no format knows (docs/MAPPING.md).
 */
#include "fxt/reader/reader.h"
#include "json/value.h"
#include "model/phases.h"

static bool has_prefix(struct tb_str name) {
  enum { LEN = sizeof(TB_FXT_CARRIED) - 1 };
  return name.len > LEN && name.ptr[0] == TB_FXT_CARRIED[0] && memcmp(name.ptr, TB_FXT_CARRIED, LEN) == 0;
}

static bool has_suffix(struct tb_str name) {
  enum { LEN = sizeof(TB_FXT_JSON_SUFFIX) - 1 };
  return name.len > LEN && memcmp(name.ptr + name.len - LEN, TB_FXT_JSON_SUFFIX, LEN) == 0;
}

bool tb_fxt_is_carried(const struct tb_arg *arg) { return has_prefix(arg->name) || has_suffix(arg->name); }

/* ---- phases ------------------------------------------------------------------------------------------------------ */

/* The type that an instant's or async instant's phase makes of it. */
static enum tb_event_type type_of_phase(char phase, enum tb_event_type type) {
  if (phase == 'T' && type == TB_EVENT_INSTANT) return TB_EVENT_THREAD_STATE; /* else a step of a legacy async slice */
  enum tb_event_type named = tb_phase_event_type(phase);
  switch (named) {
    case TB_EVENT_INSTANT:
    case TB_EVENT_ASYNC_BEGIN:
    case TB_EVENT_ASYNC_INSTANT:
    case TB_EVENT_ASYNC_END:
      return type;
    case TB_EVENT_OBJECT_CREATE:
    case TB_EVENT_OBJECT_SNAPSHOT:
    case TB_EVENT_OBJECT_DELETE:
    case TB_EVENT_CONTEXT_ENTER:
    case TB_EVENT_CONTEXT_LEAVE:
    case TB_EVENT_ID_LINK:
    case TB_EVENT_CLOCK_SYNC:
    case TB_EVENT_MEMORY_DUMP:
      return named;
    default:
      return TB_EVENT_OTHER;
  }
}

static void restore_phase(struct tb_event *event, struct tb_str phase) {
  bool is_instant = event->type == TB_EVENT_INSTANT || event->type == TB_EVENT_ASYNC_INSTANT;
  if (is_instant && tb_str_equal(phase, TB_STR(TB_FXT_SAMPLE))) {
    event->type = TB_EVENT_SAMPLE;
    event->phase = event->instant_scope = '\0';
    return;
  }
  char c = phase.len == 1 ? phase.ptr[0] : '\0';
  if (is_instant) event->type = type_of_phase(c, event->type);
  event->phase = event->type == TB_EVENT_OTHER ? '\0' : c;
  if (event->type == TB_EVENT_OTHER) event->phase_text = phase;
  if (c != 'i' && c != 'I') event->instant_scope = '\0';
}

/* ---- the parts --------------------------------------------------------------------------------------------------- */

static enum tb_status restore_scope(struct tb_fxt_reader *fx, struct tb_event *event, struct tb_str scope) {
  const struct tb_track *thread = event->track;
  bool says_thread = scope.len == 2 && scope.ptr[1] == '0';
  if ((scope.len != 1 && !says_thread) || thread->type != TB_TRACK_THREAD) return TB_OK;
  const struct tb_track *to = thread->parent;
  if (scope.ptr[0] == 'g') {
    enum tb_status status = tb_fxt_global_track(&fx->tables, &to);
    if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  } else if (scope.ptr[0] != 'p' || !to) {
    return TB_OK;
  }
  event->instant_scope = scope.ptr[0];
  event->thread = thread->tid || says_thread ? thread : NULL;
  event->track = to;
  return TB_OK;
}

static void restore_id(struct tb_event *event, const struct tb_arg *arg) {
  event->has &= ~(uint32_t)TB_HAS_ID_ONLY_MATCH; /* the number was made up since categories kept equal ids apart */
  event->id.is_number = arg->type != TB_ARG_STRING;
  event->id.value = event->id.is_number ? arg->u : 0;
  event->id.text = event->id.is_number ? (struct tb_str){NULL, 0} : arg->text;
}

static void restore_time(struct tb_event *event, const struct tb_arg *arg, int64_t *time, uint32_t has) {
  if (arg->type != TB_ARG_INT) return;
  *time = arg->i;
  event->has |= has;
}

static bool restore_of_sample(struct tb_event *event, struct tb_str name, const struct tb_arg *arg) {
  if (event->type != TB_EVENT_SAMPLE) return false;
  if (tb_str_equal(name, TB_STR("cpu")) && arg->type == TB_ARG_INT) {
    event->has |= TB_HAS_CPU;
    event->cpu = (uint32_t)arg->u;
  } else if (tb_str_equal(name, TB_STR("weight")) && arg->type == TB_ARG_DOUBLE) {
    event->has |= TB_HAS_WEIGHT;
    event->weight = arg->d;
  } else {
    return false;
  }
  return true;
}

/* Parts of what Perfetto alone has; false where it is none. */
static bool restore_particular(struct tb_event *event, struct tb_str name, const struct tb_arg *arg) {
  bool is_text = arg->type == TB_ARG_STRING, is_number = arg->type == TB_ARG_INT;
  if (tb_str_equal(name, TB_STR("log_level")) && is_number) {
    event->log_level = arg->u <= TB_LOG_FATAL ? (uint8_t)arg->u : TB_LOG_NONE;
  } else if (tb_str_equal(name, TB_STR("source_function")) && is_text) {
    event->source_location.function = arg->text;
  } else if (tb_str_equal(name, TB_STR("source_file")) && is_text) {
    event->source_location.file = arg->text;
  } else if (tb_str_equal(name, TB_STR("source_line")) && is_number) {
    event->source_location.line = (uint32_t)arg->u;
  } else if (tb_str_equal(name, TB_STR("correlation_id")) && (is_text || arg->type == TB_ARG_UINT)) {
    event->has |= TB_HAS_CORRELATION;
    if (is_text)
      event->correlation_text = arg->text;
    else
      event->correlation_id = arg->u;
  } else if (tb_str_equal(name, TB_STR("thread_instruction_count"))) {
    restore_time(event, arg, &event->thread_instruction_count, TB_HAS_THREAD_INSTRUCTIONS);
  } else {
    return false;
  }
  return true;
}

/* Gives one part back; false where it is none that an event has a field for. */
static bool restore_part(struct tb_fxt_reader *fx, struct tb_event *event, struct tb_str name, const struct tb_arg *arg,
                         enum tb_status *status) {
  bool is_text = arg->type == TB_ARG_STRING;
  if (tb_str_equal(name, TB_STR("ph")) && is_text) {
    restore_phase(event, arg->text);
  } else if (tb_str_equal(name, TB_STR("s")) && is_text) {
    *status = restore_scope(fx, event, arg->text);
  } else if (tb_str_equal(name, TB_STR("bp")) && is_text) {
    event->has &= ~(uint32_t)TB_HAS_BIND_ENCLOSING;
  } else if (tb_str_equal(name, TB_STR("id")) && event->id.kind != TB_ID_NONE) {
    restore_id(event, arg);
  } else if (tb_str_equal(name, TB_STR("id2")) && is_text && event->id.kind != TB_ID_NONE) {
    event->id.kind = tb_str_equal(arg->text, TB_STR("local")) ? TB_ID_LOCAL : TB_ID_GLOBAL;
  } else if (tb_str_equal(name, TB_STR("scope")) && is_text) {
    event->scope = arg->text;
    event->has |= TB_HAS_SCOPE;
  } else if (tb_str_equal(name, TB_STR("tts_ns"))) {
    restore_time(event, arg, &event->thread_ts, TB_HAS_THREAD_TS);
  } else if (tb_str_equal(name, TB_STR("tdur_ns"))) {
    restore_time(event, arg, &event->thread_dur, TB_HAS_THREAD_DUR);
  } else if (tb_str_equal(name, TB_STR("dur_ns"))) {
    restore_time(event, arg, &event->dur, TB_HAS_DUR);
  } else if (tb_str_equal(name, TB_STR("ts_ns"))) {
    restore_time(event, arg, &event->ts, TB_HAS_TS);
  } else {
    return restore_particular(event, name, arg) || restore_of_sample(event, name, arg) ||
           tb_fxt_restore_stack(fx, event, name, arg);
  }
  return true;
}

static void drop_suffix(struct tb_arg *arg) {
  if (arg->type != TB_ARG_STRING || !has_suffix(arg->name)) return;
  arg->type = TB_ARG_JSON;
  arg->name.len -= sizeof(TB_FXT_JSON_SUFFIX) - 1;
}

/* The arguments that had no room as such; false where it is none of our texts. */
static bool take_rest(struct tb_fxt_reader *fx, struct tb_str text) {
  struct tb_arg *args;
  uint32_t count = tb_json_parse_value(&fx->batch->arena, text, &args);
  if (!count || args[0].type != TB_ARG_DICT) return false;
  fx->rest = args + 1;
  fx->rest_count = count - 1;
  return true;
}

static struct tb_str without_prefix(struct tb_str name) {
  enum { LEN = sizeof(TB_FXT_CARRIED) - 1 };
  return (struct tb_str){name.ptr + LEN, name.len - LEN};
}

enum tb_status tb_fxt_restore_members(struct tb_fxt_reader *fx, struct tb_event *event, const struct tb_arg *members,
                                      uint32_t count) {
  struct tb_arg *extra = tb_arena_alloc(&fx->batch->arena, count * sizeof(*extra));
  if (!extra) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  enum tb_status status = TB_OK;
  event->extra = extra;
  for (uint32_t i = 0; i < count && status == TB_OK; i += members[i].span) {
    const struct tb_arg *member = &members[i];
    if (has_prefix(member->name) && restore_part(fx, event, without_prefix(member->name), member, &status)) continue;
    memcpy(&extra[event->extra_count], member, member->span * sizeof(*extra));
    event->extra_count += member->span;
  }
  return status;
}

enum tb_status tb_fxt_restore(struct tb_fxt_reader *fx, struct tb_event *event) {
  struct tb_arg *extra = tb_arena_alloc(&fx->batch->arena, fx->arg_count * sizeof(*extra));
  if (!extra) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  uint32_t kept = 0;
  enum tb_status status = TB_OK;
  event->extra = extra;
  for (uint32_t i = 0; i < fx->arg_count && status == TB_OK; i++) {
    struct tb_arg arg = fx->args[i];
    drop_suffix(&arg);
    if (!has_prefix(arg.name)) {
      fx->args[kept++] = arg;
      continue;
    }
    struct tb_str name = without_prefix(arg.name);
    if (tb_str_equal(name, TB_STR(TB_FXT_NESTED)) && arg.type == TB_ARG_STRING) {
      tb_fxt_note_nested(fx, kept, arg.text);
      continue;
    }
    if (tb_str_equal(name, TB_STR("args")) && arg.type == TB_ARG_JSON && take_rest(fx, arg.text)) continue;
    if (restore_part(fx, event, name, &arg, &status)) continue;
    arg.name = name;
    extra[event->extra_count++] = arg;
  }
  fx->arg_count = kept;
  return status;
}
