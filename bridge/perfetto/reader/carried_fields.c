/* SPDX-License-Identifier: Apache-2.0
 *
 * The annotation `trace_event`, in which our writer carries what TrackEvent has no field for: docs/MAPPING.md. It is in
 * fields of our own (TB_ARG_CARRIED); before these there were, it was a dict, and behind that texts.
 */
#include "model/carried_fields.h"

#include "base/intern.h"
#include "model/phases.h"
#include "perfetto/reader/legacy_event.h"
#include "perfetto/reader/track_event_fields.h"

static bool is_own(const struct tb_arg *arg) { return arg->flags & TB_ARG_CARRIED; }

/* What the writer learns only at the end came behind the dict, as texts: a phase, or how a slice's bind_id binds
 * that joins nothing. */
static bool is_late_phase(const struct tb_arg *arg) { return arg->type == TB_ARG_STRING && arg->text.len == 1; }
static bool is_late_binding(const struct tb_arg *arg) {
  return arg->type == TB_ARG_STRING && arg->text.len > 5 && memcmp(arg->text.ptr, "flow_", 5) == 0;
}
static bool is_late(const struct tb_arg *arg) { return is_late_phase(arg) || is_late_binding(arg); }

/* A dict without members is written as JSON text. */
static bool is_empty(const struct tb_arg *arg) {
  return arg->type == TB_ARG_NULL || (arg->type == TB_ARG_JSON && tb_str_equal(arg->text, TB_STR("{}")));
}

/* Whether it is the annotation as it was before there were fields for it, or a text behind that. */
static bool is_old_carried(const struct tb_arg *arg) {
  return tb_str_equal(arg->name, TB_STR(TB_CARRIED_ANNOTATION)) &&
         (arg->type == TB_ARG_DICT || is_empty(arg) || is_late(arg));
}

static void reverse(struct tb_arg *args, size_t count) {
  for (size_t i = 0, k = count; i + 1 < k; i++) {
    struct tb_arg arg = args[i];
    args[i] = args[--k];
    args[k] = arg;
  }
}

void tb_perfetto_put_carried_last(struct tb_perfetto_reader *r, struct tb_track_event_fields *fields) {
  if (!(fields->has & TB_TE_ARGS) || is_own(&r->batch->args[fields->first_top_arg])) return;
  struct tb_arg *args = r->batch->args;
  size_t end = r->batch->arg_count, carried = 0;
  for (size_t at = fields->first_arg, span; at + carried < end; at += span) {
    span = args[at].span;
    if (!is_own(&args[at])) continue;
    reverse(args + at, span);
    reverse(args + at + span, end - at - span);
    reverse(args + at, end - at);
    fields->first_top_arg = end - span;
    carried += span;
    span = 0;
  }
}

bool tb_perfetto_is_carried(const struct tb_perfetto_reader *r, const struct tb_track_event_fields *fields) {
  if (!(fields->has & TB_TE_ARGS)) return false;
  const struct tb_arg *last = &r->batch->args[fields->first_top_arg];
  return is_own(last) || is_old_carried(last);
}

/* Where the event was emitted: an event that Perfetto has no form for is on a track of its own below that. */
static const struct tb_track *emitter_of(const struct tb_event *event) {
  if (event->thread) return event->thread;
  return event->track->type == TB_TRACK_CUSTOM && event->track->parent ? event->track->parent : event->track;
}

static bool keeps_phase_text(const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_INSTANT:
      return event->phase == 'P';
    case TB_EVENT_SLICE_COMPLETE:
    case TB_EVENT_ASYNC_INSTANT:
    case TB_EVENT_OBJECT_SNAPSHOT:
      return false;
    default:
      return true;
  }
}

/* A slice keeps its type, for its end has no phase by which it is recognised. */
static void set_phase(struct tb_event *event, struct tb_str phase) {
  if (!(event->has & TB_HAS_TS)) {
    event->type = TB_EVENT_OTHER;
    event->phase_text = phase.len ? phase : (struct tb_str){NULL, 0};
    event->phase = event->instant_scope = 0;
    event->track = emitter_of(event);
    if (event->thread == event->track) event->thread = NULL;
    return;
  }
  event->phase = phase.len == 1 ? phase.ptr[0] : 0;
  if (event->type == TB_EVENT_COUNTER) return;
  if (event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_SLICE_END) {
    event->has |= TB_HAS_EXPLICIT_PHASE;
    return;
  }
  if (tb_str_equal(phase, TB_STR("sample"))) {
    event->type = TB_EVENT_SAMPLE;
  } else {
    event->type = event->phase ? tb_phase_event_type(event->phase) : TB_EVENT_OTHER;
  }
  if (event->type == TB_EVENT_SLICE_COMPLETE) event->type = tb_complete_event_type(event);
  bool is_async =
      event->type == TB_EVENT_ASYNC_BEGIN || event->type == TB_EVENT_ASYNC_INSTANT || event->type == TB_EVENT_ASYNC_END;
  bool lacks_id = is_async && event->id.kind == TB_ID_NONE;
  /* an end of what did not begin would end what did; async events without an id join no other, as in JSON */
  if (event->type == TB_EVENT_SLICE_END || lacks_id) event->type = TB_EVENT_OTHER;
  if (event->type == TB_EVENT_OTHER) event->phase_text = phase.len ? phase : (struct tb_str){NULL, 0};
  if (is_async && !lacks_id) event->has |= TB_HAS_EXPLICIT_PHASE;
  if (event->phase != 'i' && event->phase != 'I') event->instant_scope = 0;
  /* T is a legacy async step, and Perfetto's own phase of a thread's state, which has a duration */
  if (event->phase == 'T' && event->has & TB_HAS_DUR) event->type = TB_EVENT_THREAD_STATE;
  if (!keeps_phase_text(event)) return;
  event->track = emitter_of(event);
  if (event->thread == event->track) event->thread = NULL;
}

/* Whether a merge has separated the id from another input's of the same text: only the number distinguishes them. */
static bool is_renumbered(const struct tb_id *id, struct tb_str text) {
  return id->kind != TB_ID_NONE && id->is_number && XXH3_64bits(text.ptr ? text.ptr : "", text.len) != id->value;
}

static void set_text_id(struct tb_id *id, struct tb_str text) {
  if (id->kind == TB_ID_NONE) id->kind = TB_ID_PLAIN;
  id->is_number = false;
  id->value = 0;
  id->text = text;
}

/* A null stands for no name: its replacement is for the viewer. */
static bool take_name(struct tb_event *event, const struct tb_arg *member) {
  if (member->type == TB_ARG_STRING) {
    event->name = member->text;
    event->has |= TB_HAS_NAME;
  } else if (member->type == TB_ARG_NULL) {
    event->name = (struct tb_str){NULL, 0};
    event->has &= ~(uint32_t)TB_HAS_NAME;
  } else {
    return false;
  }
  return true;
}

static bool take_member(struct tb_event *event, const struct tb_arg *member) {
  const struct tb_carried_field *field = tb_carried_find(TB_CARRIER_PERFETTO, member->name, member);
  if (!field) return false;
  if (field->type != TB_CARRIED_OWN) {
    tb_carried_get(field, member, event);
    return true;
  }
  if (field->id == TB_CARRIED_NAME) return take_name(event, member);
  if (field->id == TB_CARRIED_NO_TS) {
    event->has &= ~(uint32_t)TB_HAS_TS;
    return true;
  }
  if (member->type != TB_ARG_STRING) return false;
  switch ((enum tb_carried_id)field->id) {
    case TB_CARRIED_ID:
      if (!is_renumbered(&event->id, member->text)) set_text_id(&event->id, member->text);
      return true;
    case TB_CARRIED_BIND_ID:
      set_text_id(&event->bind_id, member->text);
      return true;
    case TB_CARRIED_END_STACK_REF:
      event->end_stack.ref = member->text;
      return true;
    default:
      return false;
  }
}

/* What the phase means may hang on the other members, so it goes last. A null stands for no phase. */
static bool is_phase(const struct tb_arg *member) {
  return (member->type == TB_ARG_STRING || member->type == TB_ARG_NULL) &&
         tb_str_equal(member->name, tb_carried_key(TB_CARRIED_PHASE));
}

/* The last top-level argument of those before `end`; `end` where there is none. */
static size_t last_before(const struct tb_perfetto_reader *r, size_t first, size_t end) {
  size_t last = end;
  for (size_t i = first; i < end; i += r->batch->args[i].span) last = i;
  return last;
}

static bool skip(struct tb_str *text, struct tb_str word) {
  if (text->len < word.len || memcmp(text->ptr, word.ptr, word.len) != 0) return false;
  *text = (struct tb_str){text->ptr + word.len, text->len - word.len};
  return true;
}

/* "flow_in flow_out ID", each where it is so. */
static void take_binding(struct tb_event *event, struct tb_str text) {
  if (skip(&text, TB_STR("flow_in "))) event->has |= TB_HAS_FLOW_IN;
  if (skip(&text, TB_STR("flow_out "))) event->has |= TB_HAS_FLOW_OUT;
  if (!text.len) return;
  event->bind_id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true};
  for (size_t i = 0; i < text.len; i++)
    event->bind_id.value = event->bind_id.value * 10 + (uint64_t)(unsigned char)text.ptr[i] - '0';
}

/* Reads the last texts; *last is then what comes before them. False if that is not the dict. */
static bool take_late(struct tb_perfetto_reader *r, const struct tb_track_event_fields *fields, struct tb_event *event,
                      size_t *last, struct tb_str *phase) {
  while (is_late(&r->batch->args[*last])) {
    const struct tb_arg *late = &r->batch->args[*last];
    if (is_late_phase(late))
      *phase = late->text;
    else
      take_binding(event, late->text);
    size_t before = last_before(r, fields->first_arg, *last);
    if (before == *last || !is_old_carried(&r->batch->args[before])) return false;
    *last = before;
  }
  return true;
}

/* How a bind_id binds that joins nothing: bits without a name, or its number. */
static void take_binding_number(struct tb_event *event, const struct tb_arg *number) {
  if (number->name.ptr) {
    event->bind_id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true, .value = number->u};
    return;
  }
  if (number->u & TB_CARRIED_BINDS_IN) event->has |= TB_HAS_FLOW_IN;
  if (number->u & TB_CARRIED_BINDS_OUT) event->has |= TB_HAS_FLOW_OUT;
}

/* The members, of which one without a name has the annotation's; what is none of ours becomes the event's extra. */
static void take_members(struct tb_perfetto_reader *r, struct tb_arg *annotation, struct tb_event *event,
                         struct tb_str *phase) {
  uint32_t count = annotation->span - 1, kept = 0;
  struct tb_arg *extra = count ? tb_perfetto_alloc(r, count * sizeof(*extra)) : NULL;
  for (uint32_t i = 1; extra && i <= count; i += annotation[i].span) {
    if (!annotation[i].name.ptr && !is_own(&annotation[i])) annotation[i].name = annotation->name;
    if (is_own(&annotation[i]) && annotation[i].type == TB_ARG_INT) {
      take_binding_number(event, &annotation[i]);
    } else if (is_phase(&annotation[i])) {
      if (!phase->ptr) *phase = annotation[i].type == TB_ARG_NULL ? TB_STR("") : annotation[i].text;
    } else if (!take_member(event, &annotation[i])) {
      memcpy(&extra[kept], &annotation[i], annotation[i].span * sizeof(*extra));
      kept += annotation[i].span;
    }
  }
  event->extra = kept ? extra : NULL;
  event->extra_count = kept;
}

/* The annotations with fields of our own, the last one first: that of the event itself has what is late behind it.
 * Returns where the first one is. */
static size_t take_own(struct tb_perfetto_reader *r, const struct tb_track_event_fields *fields, struct tb_event *event,
                       struct tb_str *phase) {
  size_t at = fields->first_top_arg, before;
  for (;; at = before) {
    take_members(r, &r->batch->args[at], event, phase);
    before = last_before(r, fields->first_arg, at);
    if (before == at || !is_own(&r->batch->args[before])) return at;
  }
}

/* The writer puts `bp` behind all other members of a flow's end. */
static void take_enclosing(struct tb_event *event) {
  const struct tb_arg *last = NULL;
  for (uint32_t i = 0; i < event->extra_count; i += event->extra[i].span) last = &event->extra[i];
  if (event->type != TB_EVENT_FLOW_END || !last || last->type != TB_ARG_STRING ||
      !tb_str_equal(last->name, tb_carried_key(TB_CARRIED_BIND_ENCLOSING)) || !tb_str_equal(last->text, TB_STR("e")))
    return;
  event->has |= TB_HAS_BIND_ENCLOSING;
  event->extra_count--;
}

void tb_perfetto_apply_carried(struct tb_perfetto_reader *r, const struct tb_track_event_fields *fields,
                               struct tb_event *event) {
  size_t last = fields->first_top_arg;
  struct tb_str phase = {NULL, 0};
  bool samples_counter = event->type == TB_EVENT_COUNTER; /* by its packet, not by a phase that is carried */
  if (is_own(&r->batch->args[last]))
    last = take_own(r, fields, event, &phase);
  else if (take_late(r, fields, event, &last, &phase))
    take_members(r, &r->batch->args[last], event, &phase);
  if (phase.ptr) set_phase(event, phase);
  if (event->extra_count) take_enclosing(event);
  /* a counter's value is behind the annotation */
  if (!samples_counter) r->batch->arg_count = last;
}
