/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/encode/track_event_encoder.h"

#include "model/arg_lookup.h"
#include "model/fields_as_args.h"
#include "model/phases.h"
#include "perfetto/writer/encode/annotation_encoder.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum {
  ARG_ROOM = 64,     /* bytes that one argument takes at most, without the text that it holds */
  EVENT_ROOM = 1024, /* the same for the rest of an event */
  MAX_EVENT = 1 << 30
};

static const struct tb_str carried_name = {TB_CARRIED_ANNOTATION, sizeof(TB_CARRIED_ANNOTATION) - 1};
static const struct tb_str no_name = {"[No name]", 9};

void tb_event_encoder_init(struct tb_event_encoder *encoder, struct tb_interned *interned) {
  *encoder = (struct tb_event_encoder){.interned = interned};
  tb_buffer_init(&encoder->body, interned->allocator, MAX_EVENT);
  tb_json_emit_init(&encoder->json, interned->allocator);
}

void tb_event_encoder_free(struct tb_event_encoder *encoder) {
  tb_buffer_free(&encoder->body);
  tb_json_emit_free(&encoder->json);
}

size_t tb_encode_args_room(const struct tb_arg *args, uint32_t count) {
  size_t room = (size_t)count * ARG_ROOM;
  for (uint32_t i = 0; i < count; i++) {
    size_t mask = 0 - (size_t)tb_arg_holds_text(&args[i]); /* the next type is not predictable: so no branch */
    room += args[i].text.len & mask;
  }
  return EVENT_ROOM + 2 * room;
}

/* ---- what TrackEvent has no field for ---------------------------------------------------------------------------- */

static struct tb_arg text_arg(struct tb_str text) { return (struct tb_arg){.type = TB_ARG_STRING, .text = text}; }
/* One character is a number. */
static struct tb_arg phase_arg(struct tb_str phase) {
  bool one = phase.len == 1 && phase.ptr[0] > 0 && phase.ptr[0] <= TB_CARRIED_PHASE_LAST;
  return one ? (struct tb_arg){.type = TB_ARG_INT, .i = phase.ptr[0]} : text_arg(phase);
}
static struct tb_arg id_arg(int64_t number, struct tb_str text) {
  return text.len ? (struct tb_arg){.type = TB_ARG_STRING, .text = text}
                  : (struct tb_arg){.type = TB_ARG_INT, .i = number};
}

/* The thread that emitted the event, null where none did. */
static struct tb_arg tid_arg(const struct tb_event *event) {
  const struct tb_track *thread = event->thread;
  if (!thread && event->track && event->track->type == TB_TRACK_THREAD) thread = event->track;
  if (!thread) return (struct tb_arg){.type = TB_ARG_NULL};
  return id_arg(thread->tid, tb_track_get_details(thread)->tid_text);
}

static bool is_text_id(const struct tb_id *id) { return id->kind != TB_ID_NONE && !id->is_number; }

/* A bind_id that is a number is in the flow's id, or with what the writer learns at last; neither has one that says
 * no direction. */
static bool carries_bind_id(const struct tb_event *event) {
  return is_text_id(&event->bind_id) ||
         (event->bind_id.kind != TB_ID_NONE && !(event->has & (TB_HAS_FLOW_IN | TB_HAS_FLOW_OUT)));
}

/* An instant's scope is its track; of a phase that is carried it is visible nowhere else. */
static bool carries_scope(const struct tb_event *event, unsigned parts, const struct tb_carried_parts *carried) {
  return (carried->phase.len || parts & TB_ENCODE_PHASE) && event->instant_scope && event->phase != 'i' &&
         event->phase != 'I';
}

static bool carries_name(const struct tb_event *event, unsigned parts) {
  return parts & TB_ENCODE_OWN_NAME || (parts & TB_ENCODE_NO_NAME && event->name.len == 0);
}

static bool needs_carried(const struct tb_event *event, unsigned parts, const struct tb_carried_parts *carried) {
  return carried->phase.len || event->type == TB_EVENT_OTHER || carried->whole_args || carried->emitter ||
         carried->tid || (tb_carried_there(event, TB_CARRIED_TIMES) & carried->fields) || event->extra_count ||
         carries_scope(event, parts, carried) || ((parts & TB_ENCODE_IDS) && is_text_id(&event->id)) ||
         carries_bind_id(event) || carries_name(event, parts) || tb_carries_end_stack(event);
}

/* A further member may say an id in another way. */
static bool has_extra(const struct tb_event *event, enum tb_carried_id id) {
  return tb_find_member(event->extra, event->extra_count, tb_carried_key(id)) != NULL;
}

/* Which fields the annotation holds. */
static uint64_t fields_to_carry(const struct tb_event *event, unsigned parts, const struct tb_carried_parts *carried) {
  const struct tb_track *thread = event->thread;
  uint64_t fields = tb_carried_there(event, TB_CARRIED_TIMES) & carried->fields;
  if (event->type == TB_EVENT_SAMPLE) fields |= tb_carried_there(event, TB_CARRIED_BIT(CPU) | TB_CARRIED_BIT(WEIGHT));
  if (tb_event_is_untimed(event)) fields |= TB_CARRIED_BIT(NO_TS);
  if (carried->phase.len || event->type == TB_EVENT_OTHER) fields |= TB_CARRIED_BIT(PHASE);
  if (carries_scope(event, parts, carried)) fields |= TB_CARRIED_BIT(INSTANT_SCOPE);
  if (carries_name(event, parts)) fields |= TB_CARRIED_BIT(NAME);
  if (parts & TB_ENCODE_IDS && is_text_id(&event->id)) fields |= TB_CARRIED_BIT(ID);
  if (carries_bind_id(event)) fields |= TB_CARRIED_BIT(BIND_ID);
  if (tb_carries_end_stack(event)) fields |= TB_CARRIED_BIT(END_STACK_REF);
  if (carried->emitter && thread->has_pid && !has_extra(event, TB_CARRIED_PID)) fields |= TB_CARRIED_BIT(PID);
  if ((carried->tid || (carried->emitter && thread->has_tid)) && !has_extra(event, TB_CARRIED_TID))
    fields |= TB_CARRIED_BIT(TID);
  if (carried->whole_args && event->has & TB_HAS_ARGS) fields |= TB_CARRIED_BIT(ARGS);
  return fields;
}

/* What the members of the annotation are made of, and where the next one goes. The annotation is called as the first
 * member that goes by its name, which then has none. */
struct annotation_members {
  struct tb_body_encoding *e;
  const struct tb_event *event;
  const struct tb_carried_parts *carried;
  char *at;
  struct tb_str name;
};

static struct tb_str name_of_member(struct annotation_members *members, struct tb_str name) {
  if (members->name.ptr) return name;
  members->name = name;
  return (struct tb_str){NULL, 0};
}

static void put_named_member(struct annotation_members *members, struct tb_str name, const struct tb_arg *member) {
  members->at = tb_encode_annotation(members->e, members->at, TB_DEBUG_ANNOTATION_CARRIED,
                                     name_of_member(members, name), member, 1);
}

/* The args as one member `args`, with the dict around them that the event's flat tree leaves out. */
static void put_whole_args(struct annotation_members *members) {
  struct tb_body_encoding *e = members->e;
  const struct tb_event *event = members->event;
  char *at = tb_wire_open_message(members->at, TB_DEBUG_ANNOTATION_CARRIED), *start = at;
  struct tb_str name = name_of_member(members, tb_carried_key(TB_CARRIED_ARGS));
  if (name.ptr) at = tb_encode_annotation_name(e, at, name);
  if (event->arg_count == 0) {
    struct tb_arg empty = {.type = TB_ARG_DICT, .span = 1};
    at = tb_encode_children(e, at, &empty, 2);
  }
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span)
    at = tb_encode_annotation(e, at, TB_DEBUG_ANNOTATION_DICT_ENTRIES, event->args[i].name, &event->args[i], 2);
  members->at = tb_wire_close_message(start, at);
}

static void put_member(void *ctx, enum tb_carried_id id, struct tb_arg *member) {
  struct annotation_members *members = ctx;
  const struct tb_event *event = members->event;
  struct tb_arg value = *member;
  switch (id) {
    case TB_CARRIED_NO_TS:
      value = (struct tb_arg){.type = TB_ARG_BOOL, .u = 1};
      break;
    case TB_CARRIED_PHASE:
      value = phase_arg(members->carried->phase);
      if (!members->carried->phase.ptr) value = (struct tb_arg){.type = TB_ARG_NULL};
      break;
    case TB_CARRIED_INSTANT_SCOPE:
      value = text_arg((struct tb_str){&event->instant_scope, 1});
      break;
    case TB_CARRIED_NAME:
      value = event->has & TB_HAS_NAME ? text_arg(event->name) : (struct tb_arg){.type = TB_ARG_NULL};
      break;
    case TB_CARRIED_ID:
      value = text_arg(event->id.text);
      break;
    case TB_CARRIED_BIND_ID:
      value = id_arg((int64_t)event->bind_id.value, event->bind_id.text);
      break;
    case TB_CARRIED_END_STACK_REF:
      value = text_arg(event->end_stack.ref);
      break;
    case TB_CARRIED_PID:
      value = id_arg(event->thread->pid, tb_track_get_details(event->thread)->pid_text);
      break;
    case TB_CARRIED_TID:
      value = tid_arg(event);
      break;
    case TB_CARRIED_ARGS:
      put_whole_args(members);
      return;
    default:
      break;
  }
  uint32_t number = tb_carried_number(id);
  if (number && value.type == TB_ARG_INT) {
    members->at = tb_wire_put_uint(members->at, number, value.u);
    return;
  }
  value.span = 1;
  put_named_member(members, tb_carried_key_of(member->name), &value);
}

static char *put_carried(struct tb_body_encoding *e, char *at, const struct tb_event *event, unsigned parts,
                         const struct tb_carried_parts *carried) {
  char *start = at = tb_wire_open_message(at, TB_TRACK_EVENT_DEBUG_ANNOTATIONS);
  struct annotation_members members = {.e = e, .event = event, .carried = carried, .at = at};
  tb_carried_put(fields_to_carry(event, parts, carried), event, put_member, &members);
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span)
    put_named_member(&members, event->extra[i].name, &event->extra[i]);
  /* says nothing, but that the argument before it is the source's */
  if (members.at == at) members.at = tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_CARRIED_BINDING, 0);
  return tb_wire_close_message(
      start, tb_encode_annotation_name(e, members.at, members.name.ptr ? members.name : carried_name));
}

/* Begins the annotation of what is known late. */
static char *open_late(struct tb_body_encoding *e, char **at) {
  char *start = tb_wire_open_message(*at, TB_TRACK_EVENT_DEBUG_ANNOTATIONS);
  *at = tb_encode_annotation_name(e, start, carried_name);
  return start;
}

char *tb_encode_carried_phase(struct tb_event_encoder *encoder, struct tb_interned_uses *uses, char *at, char phase,
                              const int64_t *thread_ts) {
  struct tb_body_encoding e = {.interned = encoder->interned, .uses = uses, .json = &encoder->json, .ok = true};
  char *start = open_late(&e, &at);
  at = tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_CARRIED_PHASE, (unsigned char)phase);
  if (thread_ts) at = tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_CARRIED_TTS_NS, (uint64_t)*thread_ts);
  at = tb_wire_close_message(start, at);
  return e.ok ? at : NULL;
}

char *tb_encode_carried_no_name(struct tb_event_encoder *encoder, struct tb_interned_uses *uses, char *at) {
  struct tb_body_encoding e = {.interned = encoder->interned, .uses = uses, .json = &encoder->json, .ok = true};
  const struct tb_arg none = {.type = TB_ARG_NULL, .span = 1};
  char *start = at = tb_wire_open_message(at, TB_TRACK_EVENT_DEBUG_ANNOTATIONS);
  at = tb_encode_annotation(&e, at, TB_DEBUG_ANNOTATION_CARRIED, (struct tb_str){NULL, 0}, &none, 1);
  at = tb_wire_close_message(start, tb_encode_annotation_name(&e, at, tb_carried_key(TB_CARRIED_NAME)));
  return e.ok ? at : NULL;
}

bool tb_is_no_name(struct tb_str name) { return name.len == no_name.len && tb_str_equal(name, no_name); }

char *tb_encode_carried_binding(struct tb_event_encoder *encoder, struct tb_interned_uses *uses, char *at, bool in,
                                bool out, const uint64_t *bind_id) {
  struct tb_body_encoding e = {.interned = encoder->interned, .uses = uses, .json = &encoder->json, .ok = true};
  char *start = open_late(&e, &at);
  at = tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_CARRIED_BINDING,
                        (in ? TB_CARRIED_BINDS_IN : 0U) | (out ? TB_CARRIED_BINDS_OUT : 0U));
  if (bind_id) at = tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_CARRIED_BIND_ID, *bind_id);
  at = tb_wire_close_message(start, at);
  return e.ok ? at : NULL;
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static char *put_id(char *at, const struct tb_id *id) {
  static const uint32_t fields[] = {0, TB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID, TB_TRACK_EVENT_LEGACY_EVENT_LOCAL_ID,
                                    TB_TRACK_EVENT_LEGACY_EVENT_GLOBAL_ID};
  if (id->kind == TB_ID_NONE) return at;
  uint64_t value = id->is_number ? id->value : XXH3_64bits(id->text.ptr, id->text.len);
  return tb_wire_put_uint(at, fields[id->kind], value);
}

static char *put_id_alone(char *at, const struct tb_id *id) {
  char *start = at = tb_wire_open_message(at, TB_TRACK_EVENT_LEGACY_EVENT);
  return tb_wire_close_message(start, put_id(at, id));
}

/* The thread that emitted the event is named here, unless the annotation or the sequence does that. */
static char *put_legacy_event(char *at, const struct tb_event *event, unsigned parts, bool carries_emitter) {
  const struct tb_track *emitter = event->thread ? event->thread : event->track;
  if (carries_emitter || parts & TB_ENCODE_PHASE) emitter = NULL;
  char *start = at = tb_wire_open_message(at, TB_TRACK_EVENT_LEGACY_EVENT);
  if (parts & TB_ENCODE_PHASE) at = tb_wire_put_uint(at, TB_TRACK_EVENT_LEGACY_EVENT_PHASE, (uint64_t)event->phase);
  at = put_id(at, &event->id);
  if (event->has & TB_HAS_SCOPE)
    at = tb_wire_put_bytes(at, TB_TRACK_EVENT_LEGACY_EVENT_ID_SCOPE, event->scope.ptr, event->scope.len);
  if (event->has & TB_HAS_USE_ASYNC_TTS) at = tb_wire_put_uint(at, TB_TRACK_EVENT_LEGACY_EVENT_USE_ASYNC_TTS, 1);
  if (emitter && emitter->has_pid)
    at = tb_wire_put_uint(at, TB_TRACK_EVENT_LEGACY_EVENT_PID_OVERRIDE, (uint64_t)emitter->pid);
  if (emitter && emitter->has_tid)
    at = tb_wire_put_uint(at, TB_TRACK_EVENT_LEGACY_EVENT_TID_OVERRIDE, (uint64_t)emitter->tid);
  return tb_wire_close_message(start, at);
}

/* ---- the event --------------------------------------------------------------------------------------------------- */

static char *put_name(struct tb_body_encoding *e, char *at, const struct tb_event *event, unsigned parts,
                      uint32_t *iid) {
  struct tb_str name = event->name;
  if (name.len == 0 && parts & TB_ENCODE_NO_NAME) name = no_name;
  if (name.len == 0) return at;
  *iid = tb_interned_iid(e->interned, e->uses, TB_INTERNED_NAMES, name);
  if (!*iid) e->ok = false;
  return parts & TB_ENCODE_NAME ? tb_wire_put_uint(at, TB_TRACK_EVENT_NAME_IID, *iid) : at;
}

static char *put_categories(struct tb_body_encoding *e, char *at, struct tb_str categories, unsigned parts,
                            uint32_t *id) {
  const struct tb_category_list *list = tb_interned_categories(e->interned, e->uses, categories, id);
  if (!list) {
    e->ok = false;
    return at;
  }
  if (!(parts & TB_ENCODE_CATEGORIES)) return at;
  memcpy(at, list->encoded, list->encoded_len);
  return at + list->encoded_len;
}

/* The message is the event's name too, for those who look at slices. */
static char *put_log(struct tb_body_encoding *e, char *at, const struct tb_event *event) {
  uint32_t body = tb_interned_iid(e->interned, e->uses, TB_INTERNED_LOG_BODIES, event->name);
  if (!body) e->ok = false;
  char *start = at = tb_wire_open_message(at, TB_TRACK_EVENT_LOG_MESSAGE);
  at = tb_wire_put_uint(at, TB_LOG_MESSAGE_BODY_IID, body);
  if (event->log_level) at = tb_wire_put_uint(at, TB_LOG_MESSAGE_PRIO, event->log_level);
  return tb_wire_close_message(start, at);
}

/* TrackEvent has a place for the level of a log message alone: that of another event is an argument, as in JSON. */
static char *put_level(struct tb_body_encoding *e, char *at, const struct tb_event *event) {
  const struct tb_arg level = {.type = TB_ARG_STRING, .span = 1, .text = tb_log_level_name(event->log_level)};
  if (!level.text.len) return at;
  return tb_encode_annotation(e, at, TB_TRACK_EVENT_DEBUG_ANNOTATIONS, TB_STR(TB_ARG_LOG_LEVEL), &level, 1);
}

static char *put_source_location(char *at, const struct tb_frame *location) {
  char *start = at = tb_wire_open_message(at, TB_TRACK_EVENT_SOURCE_LOCATION);
  struct tb_str file = location->file, function = location->function;
  if (file.len) at = tb_wire_put_bytes(at, TB_SOURCE_LOCATION_FILE_NAME, file.ptr, file.len);
  if (function.len) at = tb_wire_put_bytes(at, TB_SOURCE_LOCATION_FUNCTION_NAME, function.ptr, function.len);
  if (location->line) at = tb_wire_put_uint(at, TB_SOURCE_LOCATION_LINE_NUMBER, location->line);
  return tb_wire_close_message(start, at);
}

/* What few events have, in fields that are TrackEvent's own. */
static char *put_rare_fields(char *at, const struct tb_event *event) {
  const struct tb_frame *location = &event->source_location;
  if (location->file.len || location->function.len || location->line) at = put_source_location(at, location);
  if (event->has & TB_HAS_CORRELATION) {
    struct tb_str text = event->correlation_text;
    at = text.len ? tb_wire_put_bytes(at, TB_TRACK_EVENT_CORRELATION_ID_STR, text.ptr, text.len)
                  : tb_wire_put_uint(at, TB_TRACK_EVENT_CORRELATION_ID, event->correlation_id);
  }
  if (event->has & TB_HAS_THREAD_INSTRUCTIONS)
    at = tb_wire_put_uint(at, TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE,
                          (uint64_t)event->thread_instruction_count);
  return at;
}

/* An argument with an odd name, as levels. e->odd stays true, and only encoder->body.len says where it is to begin,
 * where levels do not say it. NULL without memory. */
static char *put_path(struct tb_event_encoder *encoder, struct tb_body_encoding *e, char *start,
                      const struct tb_arg *arg, size_t room) {
  unsigned levels = tb_annotation_levels(arg->name);
  encoder->body.len = (size_t)(start - encoder->body.data);
  if (!tb_annotation_fits_levels(arg, levels)) return start;
  if (tb_buffer_reserve(&encoder->body, levels * ARG_ROOM + room) != TB_OK) return NULL;
  e->odd = false;
  return tb_encode_annotation_levels(e, encoder->body.data + encoder->body.len, TB_TRACK_EVENT_DEBUG_ANNOTATIONS,
                                     arg->name, arg, levels, true);
}

/* All args. Where an odd name comes up, that argument is written again as JSON text, and all are carried as they were
 * if it was at the top. NULL without memory. */
static char *put_args(struct tb_event_encoder *encoder, struct tb_body_encoding *e, char *at,
                      const struct tb_event *event, struct tb_carried_parts *carried, size_t room) {
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    char *start = at;
    e->odd = false;
    if (event->args[i].name.len == carried_name.len && tb_str_equal(event->args[i].name, carried_name))
      e->own_carried = true;
    at = tb_encode_annotation(e, at, TB_TRACK_EVENT_DEBUG_ANNOTATIONS, event->args[i].name, &event->args[i], 1);
    if (!e->odd || tb_annotation_stays_plain(&event->args[i])) continue;
    at = put_path(encoder, e, start, &event->args[i], room);
    if (!at) return NULL;
    if (!e->odd) continue;
    start = encoder->body.data + encoder->body.len;
    struct tb_arg json = tb_annotation_as_json(e, &event->args[i]);
    if (json.name.len != event->args[i].name.len) carried->whole_args = true;
    size_t used = (size_t)(start - encoder->body.data);
    /* room for the text, and again for everything that is still to come */
    if (tb_buffer_reserve(&encoder->body, json.text.len + room) != TB_OK) return NULL;
    at = tb_encode_annotation(e, encoder->body.data + used, TB_TRACK_EVENT_DEBUG_ANNOTATIONS, json.name, &json, 1);
  }
  encoder->args_end = (size_t)(at - encoder->body.data);
  return at;
}

char *tb_encode_args(struct tb_event_encoder *encoder, struct tb_interned_uses *uses, const struct tb_event *event,
                     char *at, size_t room) {
  struct tb_body_encoding e = {.interned = encoder->interned, .uses = uses, .json = &encoder->json, .ok = true};
  struct tb_carried_parts carried = {.whole_args = false};
  at = put_args(encoder, &e, at, event, &carried, room);
  if (at && (e.own_carried || carried.whole_args)) at = put_carried(&e, at, event, TB_ENCODE_ARGS, &carried);
  return e.ok ? at : NULL;
}

enum tb_status tb_encode_event(struct tb_event_encoder *encoder, struct tb_interned_uses *uses,
                               const struct tb_event *event, unsigned parts, const struct tb_carried_parts *carried,
                               uint32_t *name, uint32_t *categories) {
  struct tb_buffer *body = &encoder->body;
  struct tb_body_encoding e = {.interned = encoder->interned, .uses = uses, .json = &encoder->json, .ok = true};
  uint32_t name_iid = 0, list_id = 0;
  body->len = 0;
  /* a list has at most a category for each byte */
  size_t room = tb_encode_args_room(event->args, event->arg_count) +
                tb_encode_args_room(event->extra, event->extra_count) + event->id.text.len + event->bind_id.text.len +
                event->scope.len + event->end_stack.ref.len + carried->phase.len + event->correlation_text.len +
                event->source_location.file.len + event->source_location.function.len +
                event->categories.len * (1 + TB_WIRE_VARINT_MAX) + (parts & TB_ENCODE_OWN_NAME ? event->name.len : 0);
  if (room > body->capacity) {
    enum tb_status status = tb_buffer_reserve(body, room);
    if (status != TB_OK) return status;
  }
  char *at = body->data;
  at = put_name(&e, at, event, parts, &name_iid);
  if (event->categories.len) at = put_categories(&e, at, event->categories, parts, &list_id);
  struct tb_carried_parts all_carried = *carried;
  if (parts & TB_ENCODE_ARGS) at = put_args(encoder, &e, at, event, &all_carried, room);
  if (!at) return TB_NO_MEMORY;
  if (e.own_carried || needs_carried(event, parts, &all_carried)) at = put_carried(&e, at, event, parts, &all_carried);
  if (parts & TB_ENCODE_IDS) at = put_legacy_event(at, event, parts, carried->emitter);
  if (parts & TB_ENCODE_ID2 && event->id.kind > TB_ID_PLAIN) at = put_id_alone(at, &event->id);
  if (event->type == TB_EVENT_LOG)
    at = put_log(&e, at, event);
  else if (event->log_level && parts & TB_ENCODE_ARGS)
    at = put_level(&e, at, event);
  at = put_rare_fields(at, event);
  body->len = (size_t)(at - body->data);
  if (name) *name = name_iid;
  if (categories) *categories = list_id;
  return e.ok ? TB_OK : TB_NO_MEMORY;
}
