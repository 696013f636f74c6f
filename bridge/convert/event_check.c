/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/event_check.h"

#include "base/error.h"

static enum tb_status refuse(struct tb_error *error, const char *what) {
  return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "no event: %s", what);
}

static bool is_text(struct tb_str text) { return text.ptr ? text.len <= PTRDIFF_MAX : text.len == 0; }

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static bool is_container(const struct tb_arg *arg) { return arg->type == TB_ARG_DICT || arg->type == TB_ARG_ARRAY; }

static const char *wrong_value(const struct tb_arg *arg) {
  if (arg->type > TB_ARG_BLOB) return "an argument's type is none of enum tb_arg_type";
  if (!is_text(arg->name)) return "an argument's name has a length, but no text";
  bool has_text = arg->type == TB_ARG_STRING || arg->type == TB_ARG_JSON || arg->type == TB_ARG_BLOB;
  return has_text && !is_text(arg->text) ? "an argument's text has a length, but no text" : NULL;
}

/* Of a tree in pre-order: that each span ends where, or before, that of what it is in does. */
static const char *wrong_args(const struct tb_arg *args, uint32_t count) {
  uint32_t ends[TB_ARG_DEPTH_MAX], depth = 0;
  if (count && !args) return "it has a count of arguments, but none";
  for (uint32_t i = 0; i < count; i++) {
    while (depth && ends[depth - 1] == i) depth--;
    const char *wrong = wrong_value(&args[i]);
    if (wrong) return wrong;
    uint32_t span = args[i].span, room = (depth ? ends[depth - 1] : count) - i;
    if (span == 0) return "an argument's span is 0: it counts the argument itself";
    if (span > room) return "an argument's span goes past the end of what it is in";
    if (span == 1) continue;
    if (!is_container(&args[i])) return "an argument that holds no others has a span of more than 1";
    if (depth == TB_ARG_DEPTH_MAX) return "its arguments nest too deep";
    ends[depth++] = i + span;
  }
  return NULL;
}

/* ---- what else is in memory of its own --------------------------------------------------------------------------- */

static const char *wrong_stack(const struct tb_stack *stack) {
  if (!is_text(stack->ref)) return "the reference to a stack has a length, but no text";
  if (stack->frame_count && !stack->frames) return "it has a count of frames, but none";
  for (uint32_t i = 0; i < stack->frame_count; i++) {
    const struct tb_frame *frame = &stack->frames[i];
    if (!is_text(frame->function) || !is_text(frame->file) || !is_text(frame->mapping))
      return "a text of a frame has a length, but no text";
  }
  return NULL;
}

static const char *wrong_texts(const struct tb_event *event) {
  const struct tb_str texts[] = {event->name,
                                 event->categories,
                                 event->scope,
                                 event->id.text,
                                 event->bind_id.text,
                                 event->correlation_text,
                                 event->phase_text,
                                 event->parent_frame,
                                 event->blob,
                                 event->source_location.function,
                                 event->source_location.file,
                                 event->source_location.mapping};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
    if (!is_text(texts[i])) return "one of its texts has a length, but no text";
  return NULL;
}

static const char *wrong_counts(const struct tb_event *event) {
  if (event->flow_count && !event->flow_ids) return "it has a count of flows, but none";
  if (event->terminating_flow_count && !event->terminating_flow_ids) return "it has a count of ending flows, but none";
  return event->clock_count && !event->clocks ? "it has a count of clocks, but none" : NULL;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static const char *wrong_track(const struct tb_track *track) {
  if ((unsigned)track->type > TB_TRACK_COUNTER) return "a track's type is none of enum tb_track_type";
  if ((unsigned)track->unit > TB_UNIT_SIZE_BYTES) return "a track's unit is none of enum tb_unit";
  const struct tb_track_details *details = tb_track_get_details(track);
  if (!is_text(track->name) || !is_text(details->description) || !is_text(details->unit_name) ||
      !is_text(details->pid_text) || !is_text(details->tid_text))
    return "a text of a track has a length, but no text";
  if (details->reserved) return "`reserved` of a track's details is not NULL";
  if (details->label_count && !details->labels) return "a track has a count of labels, but none";
  for (uint32_t i = 0; i < details->label_count; i++)
    if (!is_text(details->labels[i])) return "a label of a track has a length, but no text";
  return NULL;
}

static const char *wrong_tracks(const struct tb_track *track) {
  unsigned depth = 0;
  for (; track; track = track->parent) {
    const char *wrong = wrong_track(track);
    if (wrong) return wrong;
    if (depth++ == TB_TRACK_DEPTH_MAX) return "a track has too many parents, or is its own";
  }
  return NULL;
}

/* ---- the event --------------------------------------------------------------------------------------------------- */

static bool needs_track(enum tb_event_type type) { return type <= TB_EVENT_METADATA || type == TB_EVENT_SAMPLE; }

static const char *wrong_numbers(const struct tb_event *event) {
  if ((unsigned)event->type >= TB_EVENT_TYPE_COUNT) return "its type is none of enum tb_event_type";
  if (event->has & ~(uint32_t)TB_HAS_ANY) return "`has` has a bit that is none of enum tb_event_has";
  if (event->id.kind > TB_ID_GLOBAL || event->bind_id.kind > TB_ID_GLOBAL)
    return "an id's kind is none of enum tb_id_kind";
  if (event->log_level > TB_LOG_FATAL) return "its log level is none of enum tb_log_level";
  if (event->reserved) return "`reserved` is not NULL";
  if (event->task_state > TB_TASK_DESTROYED) return "its task state is none of enum tb_task_state";
  if (event->type < TB_EVENT_OTHER && !(event->has & TB_HAS_TS)) return "it has no time: `has` lacks TB_HAS_TS";
  if (event->type == TB_EVENT_SLICE_COMPLETE && !(event->has & TB_HAS_DUR))
    return "it has no duration: `has` lacks TB_HAS_DUR";
  return needs_track(event->type) && !event->track ? "it has no track" : NULL;
}

enum tb_status tb_event_check(const struct tb_event *event, struct tb_error *error) {
  if (!event) return refuse(error, "it is NULL");
  const char *wrong = wrong_numbers(event);
  if (!wrong) wrong = wrong_texts(event);
  if (!wrong) wrong = wrong_counts(event);
  if (!wrong) wrong = wrong_args(event->args, event->arg_count);
  if (!wrong) wrong = wrong_args(event->extra, event->extra_count);
  if (!wrong) wrong = wrong_stack(&event->stack);
  if (!wrong) wrong = wrong_stack(&event->end_stack);
  if (!wrong) wrong = wrong_tracks(event->track);
  if (!wrong) wrong = wrong_tracks(event->thread);
  return wrong ? refuse(error, wrong) : TB_OK;
}
