/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives events back what our writer put into arguments since FXT has no place for it: phases, scopes, thread times,
 * members that no format knows (docs/MAPPING.md).
 */
#include "fxt/reader/reader.h"
#include "json/value.h"
#include "model/phases.h"

static bool has_suffix(struct tb_str name) {
  enum { LEN = sizeof(TB_FXT_JSON_SUFFIX) - 1 };
  return name.len >= LEN && memcmp(name.ptr + name.len - LEN, TB_FXT_JSON_SUFFIX, LEN) == 0;
}

bool tb_fxt_is_carried(const struct tb_arg *arg) { return tb_carried_is_path(arg->name) || has_suffix(arg->name); }

/* ---- phases ------------------------------------------------------------------------------------------------------ */

/* The type that an instant's or async instant's phase makes of it. */
static enum tb_event_type type_of_phase(char phase, enum tb_event_type type) {
  if (phase == 'T' && type == TB_EVENT_INSTANT) return TB_EVENT_THREAD_STATE; /* else a step of a legacy async slice */
  enum tb_event_type named = tb_phase_event_type(phase);
  switch (named) {
    case TB_EVENT_SLICE_COMPLETE: /* its duration comes behind the phase, if at all */
      return TB_EVENT_INSTANT;
    case TB_EVENT_INSTANT:
      return type;
    case TB_EVENT_ASYNC_BEGIN:
    case TB_EVENT_ASYNC_INSTANT:
    case TB_EVENT_ASYNC_END: /* without an id they join no other, as in JSON */
      return type == TB_EVENT_INSTANT ? TB_EVENT_OTHER : type;
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
  const struct tb_str text = phase.len ? phase : (struct tb_str){NULL, 0};
  if (!(event->has & TB_HAS_TS)) {
    event->type = TB_EVENT_OTHER;
    event->phase = event->instant_scope = '\0';
    event->phase_text = text;
    return;
  }
  bool is_instant = event->type == TB_EVENT_INSTANT || event->type == TB_EVENT_ASYNC_INSTANT;
  if (is_instant && tb_str_equal(phase, TB_STR(TB_FXT_SAMPLE))) {
    event->type = TB_EVENT_SAMPLE;
    event->phase = event->instant_scope = '\0';
    return;
  }
  char c = phase.len == 1 ? phase.ptr[0] : '\0';
  if (event->type == TB_EVENT_ASYNC_INSTANT && tb_phase_event_type(c) == TB_EVENT_INSTANT) {
    event->type = TB_EVENT_INSTANT; /* of a thread, with an id */
    event->instant_scope = 't';
  }
  if (is_instant) event->type = type_of_phase(c, event->type);
  event->phase = event->type == TB_EVENT_OTHER ? '\0' : c;
  if (event->type == TB_EVENT_OTHER) event->phase_text = text;
  if (c != 'i' && c != 'I') event->instant_scope = '\0';
}

/* ---- the parts --------------------------------------------------------------------------------------------------- */

/* A scope that no writer of ours made is a member that JSON has in that place. */
static bool is_scope(struct tb_str text) { return text.len == 1 || (text.len == 2 && text.ptr[1] == '0'); }

static enum tb_status restore_scope(struct tb_fxt_reader *fx, struct tb_event *event, struct tb_str scope) {
  const struct tb_track *thread = event->track;
  bool says_thread = scope.len == 2 && scope.ptr[1] == '0';
  if (thread->type != TB_TRACK_THREAD) return TB_OK;
  const struct tb_track *to = thread->parent;
  if (scope.ptr[0] == 't' && event->type == TB_EVENT_INSTANT) {
    event->instant_scope = 't';
    return TB_OK;
  }
  if (scope.ptr[0] == 'g') {
    enum tb_status status = tb_fxt_global_track(&fx->tables, &to);
    if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  } else if (scope.ptr[0] != 'p' || !to) {
    return TB_OK;
  }
  bool is_sample = event->type == TB_EVENT_SAMPLE; /* of a process alone it has a thread without an id */
  if (!is_sample) event->instant_scope = scope.ptr[0];
  event->thread = says_thread || (thread->has_tid ? thread->tid != 0 : !is_sample) ? thread : NULL;
  event->track = to;
  return TB_OK;
}

static bool is_slice(const struct tb_event *event) {
  return event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_SLICE_END ||
         event->type == TB_EVENT_SLICE_COMPLETE;
}

/* False where the record has no place for an id, and is no slice that had one without. */
static bool restore_id(struct tb_event *event, const struct tb_arg *arg) {
  if (event->id.kind == TB_ID_NONE && !is_slice(event)) return false;
  if (event->id.kind == TB_ID_NONE) event->id.kind = TB_ID_PLAIN;
  event->has &= ~(uint32_t)TB_HAS_ID_ONLY_MATCH; /* the number was made up since categories kept equal ids apart */
  event->id.is_number = arg->type != TB_ARG_STRING;
  event->id.value = event->id.is_number ? arg->u : 0;
  event->id.text = event->id.is_number ? (struct tb_str){NULL, 0} : arg->text;
  return true;
}

/* The arguments that had no room as such; false where it is none of our texts. */
static bool take_rest(struct tb_fxt_reader *fx, const struct tb_arg *rest) {
  struct tb_arg *args;
  if (rest->type != TB_ARG_JSON) return false;
  uint32_t count = tb_json_parse_value(&fx->batch->arena, rest->text, &args);
  if (!count || args[0].type != TB_ARG_DICT) return false;
  fx->rest = args + 1;
  fx->rest_count = count - 1;
  return true;
}

/* False: a member that says something else. */
static bool restore_binding(struct tb_event *event, struct tb_str binding) {
  if (tb_str_equal(binding, TB_STR("t")))
    event->has &= ~(uint32_t)TB_HAS_BIND_ENCLOSING;
  else if (tb_str_equal(binding, TB_STR("e")))
    event->has |= TB_HAS_BIND_ENCLOSING;
  else
    return false;
  return true;
}

/* A null: the event has none, whatever its record says. An end has a name where it ends another slice than the
 * innermost. */
static bool restore_name(struct tb_event *event, const struct tb_arg *name) {
  bool is_of_end = event->type == TB_EVENT_SLICE_END && name->type == TB_ARG_STRING;
  if (!is_of_end && name->type != TB_ARG_NULL) return false;
  event->name = is_of_end ? name->text : (struct tb_str){NULL, 0};
  if (is_of_end)
    event->has |= TB_HAS_NAME;
  else
    event->has &= ~(uint32_t)TB_HAS_NAME;
  return true;
}

/* A slice that never ends is a complete one, or has an end, so that FXT's readers nest others as they are. What may be
 * its end after all is an instant. */
static bool restore_endless(struct tb_fxt_reader *fx, struct tb_event *event) {
  if (event->type == TB_EVENT_SLICE_END) return fx->is_no_event = true;
  if (event->type == TB_EVENT_OTHER && tb_str_equal(event->phase_text, TB_STR("E"))) {
    event->type = TB_EVENT_SLICE_END;
    event->phase = 'E';
    event->phase_text = (struct tb_str){NULL, 0};
    return true;
  }
  if (event->type != TB_EVENT_SLICE_COMPLETE) return false;
  event->type = TB_EVENT_SLICE_BEGIN;
  event->phase = 'B';
  event->has &= ~(uint32_t)TB_HAS_DUR;
  event->dur = 0;
  return true;
}

/* Restores one of FXT's own fields; false where the argument is not such a one. */
static bool restore_own(struct tb_fxt_reader *fx, struct tb_event *event, enum tb_carried_id field,
                        const struct tb_arg *arg, enum tb_status *status) {
  bool is_text = arg->type == TB_ARG_STRING;
  switch (field) {
    case TB_CARRIED_NO_TS: /* comes before the phase, and no other event is written so */
      event->has &= ~(uint32_t)TB_HAS_TS;
      return true;
    case TB_CARRIED_PHASE:
      if (is_text) restore_phase(event, arg->text);
      return is_text;
    case TB_CARRIED_INSTANT_SCOPE:
      if (!is_text || !is_scope(arg->text)) return false;
      *status = restore_scope(fx, event, arg->text);
      return true;
    case TB_CARRIED_BIND_ENCLOSING:
      if (!(event->has & TB_HAS_TS)) return false; /* a member of an event that joins nothing */
      return is_text && restore_binding(event, arg->text);
    case TB_CARRIED_NAME:
      return restore_name(event, arg);
    case TB_CARRIED_NO_END:
      return restore_endless(fx, event);
    case TB_CARRIED_ID:
      if (event->type == TB_EVENT_COUNTER) return true; /* its track says it */
      return restore_id(event, arg);
    case TB_CARRIED_ID2:
      if (!is_text || event->id.kind == TB_ID_NONE) return false;
      event->id.kind = tb_str_equal(arg->text, TB_STR("local")) ? TB_ID_LOCAL : TB_ID_GLOBAL;
      return true;
    case TB_CARRIED_ARGS:
      return take_rest(fx, arg);
    default:
      return tb_fxt_restore_stack(fx, event, field, arg);
  }
}

/* Restores one part; false where it is none that an event has a field for. */
static bool restore_part(struct tb_fxt_reader *fx, struct tb_event *event, struct tb_str name, const struct tb_arg *arg,
                         enum tb_status *status) {
  const struct tb_carried_field *field = tb_carried_find(TB_CARRIER_FXT, name, arg);
  if (!field) return false;
  if (field->type == TB_CARRIED_OWN) return restore_own(fx, event, (enum tb_carried_id)field->id, arg, status);
  bool is_of_sample = field->id == TB_CARRIED_CPU || field->id == TB_CARRIED_WEIGHT;
  if (is_of_sample && event->type != TB_EVENT_SAMPLE) return false;
  bool is_time_of_none = field->id == TB_CARRIED_TS && !(event->has & TB_HAS_TS); /* of the event before it */
  tb_carried_get(field, arg, event);
  if (is_time_of_none) event->has &= ~(uint32_t)TB_HAS_TS;
  return true;
}

static void drop_suffix(struct tb_arg *arg) {
  if (arg->type != TB_ARG_STRING || !has_suffix(arg->name)) return;
  arg->type = TB_ARG_JSON;
  arg->name.len -= sizeof(TB_FXT_JSON_SUFFIX) - 1;
}

enum tb_status tb_fxt_restore_members(struct tb_fxt_reader *fx, struct tb_event *event, const struct tb_arg *members,
                                      uint32_t count) {
  struct tb_arg *extra = tb_arena_alloc(&fx->batch->arena, count * sizeof(*extra));
  if (!extra) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  enum tb_status status = TB_OK;
  event->extra = extra;
  for (uint32_t i = 0; i < count && status == TB_OK; i += members[i].span) {
    const struct tb_arg *member = &members[i];
    if (tb_carried_is_path(member->name) && restore_part(fx, event, tb_carried_key_of(member->name), member, &status))
      continue;
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
    if (!tb_carried_is_path(arg.name)) {
      fx->args[kept++] = arg;
      continue;
    }
    struct tb_str name = tb_carried_key_of(arg.name);
    if (tb_str_equal(name, TB_STR(TB_FXT_NESTED)) && arg.type == TB_ARG_STRING) {
      tb_fxt_note_nested(fx, kept, arg.text);
      continue;
    }
    if (restore_part(fx, event, name, &arg, &status)) continue;
    arg.name = name;
    extra[event->extra_count++] = arg;
  }
  fx->arg_count = kept;
  if (event->type == TB_EVENT_INSTANT && event->phase == 'X') event->type = tb_complete_event_type(event);
  return status;
}
