/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/redact/redact_event.h"

#include "model/arg_lookup.h"
#include "model/tracks.h"

enum { SHORT_PHASE = 3 };

static enum tb_status replace(struct tb_redactor *r, struct tb_str *text) {
  return tb_pseudonym(&r->names, &r->scratch, text);
}

static enum tb_status replace_lasting(struct tb_redactor *r, struct tb_str *text) {
  return tb_pseudonym(&r->names, &r->lasting, text);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* A text of digits is an id, and no name. */
static enum tb_status replace_id_text(struct tb_redactor *r, struct tb_str *text) {
  for (size_t i = 0; i < text->len; i++)
    if (text->ptr[i] < '0' || text->ptr[i] > '9') return replace_lasting(r, text);
  return TB_OK;
}

static enum tb_status replace_labels(struct tb_redactor *r, struct tb_track_details *details) {
  if (!details->label_count) return TB_OK;
  struct tb_str *labels = tb_arena_alloc(&r->lasting, details->label_count * sizeof(*labels));
  if (!labels) return TB_NO_MEMORY;
  memcpy(labels, details->labels, details->label_count * sizeof(*labels));
  details->labels = labels;
  for (uint32_t i = 0; i < details->label_count; i++)
    if (replace_lasting(r, &labels[i]) != TB_OK) return TB_NO_MEMORY;
  return TB_OK;
}

static enum tb_status replace_details(struct tb_redactor *r, struct tb_track *track) {
  if (!track->details) return TB_OK;
  struct tb_track_details *details = tb_track_copy_details(&r->lasting, track);
  if (!details) return TB_NO_MEMORY;
  details->description = (struct tb_str){NULL, 0};
  enum tb_status status = replace_id_text(r, &details->pid_text);
  if (status == TB_OK) status = replace_id_text(r, &details->tid_text);
  if (status == TB_OK) status = replace_lasting(r, &details->unit_name);
  return status == TB_OK ? replace_labels(r, details) : status;
}

static enum tb_status find_track(struct tb_redactor *r, const struct tb_track **track, bool anew);

static enum tb_status fill_track(struct tb_redactor *r, struct tb_track *to, const struct tb_track *from) {
  *to = *from;
  enum tb_status status = replace_lasting(r, &to->name);
  if (status == TB_OK) status = replace_details(r, to);
  return status == TB_OK && to->parent ? find_track(r, &to->parent, false) : status;
}

/* Replaces the source's track by ours; `anew`: what is known of it has changed. */
static enum tb_status find_track(struct tb_redactor *r, const struct tb_track **track, bool anew) {
  const struct tb_track *from = *track;
  if (from->index >= r->track_count) {
    void *tracks = r->tracks;
    enum tb_status status =
        tb_grow_zeroed(r->allocator, &tracks, &r->track_count, (size_t)from->index + 1, sizeof(*r->tracks), UINT32_MAX);
    r->tracks = tracks;
    if (status != TB_OK) return status;
  }
  struct tb_track *own = r->tracks[from->index];
  bool is_new = !own;
  if (is_new) own = r->tracks[from->index] = tb_arena_alloc(&r->lasting, sizeof(*own));
  if (!own) return TB_NO_MEMORY;
  *track = own;
  return is_new || anew ? fill_track(r, own, from) : TB_OK;
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

/* A further member by which an event writes a process or a thread otherwise than its track does, or not at all. */
static bool says_id(const struct tb_arg *member) {
  bool is_id = tb_str_equal(member->name, TB_STR("pid")) || tb_str_equal(member->name, TB_STR("tid"));
  return is_id && (member->type == TB_ARG_INT || tb_is_absent_id(member));
}

/* Leaves all other further members out. */
static enum tb_status keep_ids(struct tb_redactor *r, struct tb_event *event) {
  const struct tb_arg *extra = event->extra;
  struct tb_arg *ids = event->extra_count ? tb_arena_alloc(&r->scratch, event->extra_count * sizeof(*ids)) : NULL;
  if (event->extra_count && !ids) return TB_NO_MEMORY;
  uint32_t count = 0;
  for (uint32_t i = 0; i < event->extra_count; i += extra[i].span)
    if (says_id(&extra[i])) ids[count++] = extra[i];
  event->extra = count ? ids : NULL;
  event->extra_count = count;
  return TB_OK;
}

/* ---- arguments and stacks ---------------------------------------------------------------------------------------- */

/* Of what JSON's metadata events say of processes and threads the names are the format's own. */
static bool is_own_metadata(struct tb_str name) {
  static const char *const names[] = {"process_name", "thread_name", "process_labels", "process_sort_index",
                                      "thread_sort_index"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (tb_str_equal(name, tb_str_from(names[i]))) return true;
  return false;
}

static bool is_own_key(struct tb_str name) {
  return tb_str_equal(name, TB_STR("name")) || tb_str_equal(name, TB_STR("labels")) ||
         tb_str_equal(name, TB_STR("sort_index"));
}

static enum tb_status replace_args(struct tb_redactor *r, struct tb_event *event) {
  if (!event->arg_count) return TB_OK;
  struct tb_arg *args = tb_arena_alloc(&r->scratch, event->arg_count * sizeof(*args));
  if (!args) return TB_NO_MEMORY;
  memcpy(args, event->args, event->arg_count * sizeof(*args));
  event->args = args;
  for (uint32_t i = 0; i < event->arg_count; i++) {
    struct tb_arg *arg = &args[i];
    bool own = event->type == TB_EVENT_METADATA && is_own_key(arg->name);
    if (!own && replace(r, &arg->name) != TB_OK) return TB_NO_MEMORY;
    if (arg->type != TB_ARG_STRING && arg->type != TB_ARG_JSON && arg->type != TB_ARG_BLOB) continue;
    arg->type = TB_ARG_STRING;
    if (replace(r, &arg->text) != TB_OK) return TB_NO_MEMORY;
  }
  return TB_OK;
}

static enum tb_status replace_frame(struct tb_redactor *r, struct tb_frame *frame) {
  enum tb_status status = replace(r, &frame->function);
  if (status == TB_OK) status = replace(r, &frame->file);
  return status == TB_OK ? replace(r, &frame->mapping) : status;
}

static enum tb_status replace_stack(struct tb_redactor *r, struct tb_stack *stack) {
  struct tb_frame *frames = NULL;
  if (stack->frame_count) {
    frames = tb_arena_alloc(&r->scratch, stack->frame_count * sizeof(*frames));
    if (!frames) return TB_NO_MEMORY;
    memcpy(frames, stack->frames, stack->frame_count * sizeof(*frames));
  }
  stack->frames = frames;
  for (uint32_t i = 0; i < stack->frame_count; i++)
    if (replace_frame(r, &frames[i]) != TB_OK) return TB_NO_MEMORY;
  return replace(r, &stack->ref);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static enum tb_status replace_id(struct tb_redactor *r, struct tb_id *id) {
  if (id->is_number) id->text = (struct tb_str){NULL, 0};
  return replace(r, &id->text);
}

/* Names that formats make: states of threads, and metadata. */
static bool keeps_name(const struct tb_event *event) {
  if (event->type == TB_EVENT_METADATA) return true;
  if (event->type != TB_EVENT_THREAD_STATE) return false;
  return event->name.len <= 2 || tb_str_equal(event->name, TB_STR("waking")) ||
         tb_str_equal(event->name, TB_STR("new"));
}

static bool cannot_be(const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_PACKETS:
    case TB_EVENT_BLOB:
    case TB_EVENT_SYSTEM_TRACE:
    case TB_EVENT_TRACE_METADATA:
      return true;
    case TB_EVENT_METADATA:
      return !is_own_metadata(event->name);
    case TB_EVENT_OTHER:
      return event->phase_text.len > SHORT_PHASE;
    default:
      return false;
  }
}

static enum tb_status replace_texts(struct tb_redactor *r, struct tb_event *event) {
  enum tb_status status = keeps_name(event) ? TB_OK : replace(r, &event->name);
  if (status == TB_OK) status = tb_pseudonym_list(&r->names, &r->scratch, &event->categories);
  if (status == TB_OK) status = replace_id(r, &event->id);
  if (status == TB_OK) status = replace_id(r, &event->bind_id);
  if (status == TB_OK) status = replace(r, &event->scope);
  if (status == TB_OK) status = replace(r, &event->correlation_text);
  if (status == TB_OK) status = replace(r, &event->parent_frame);
  if (status == TB_OK) status = replace_frame(r, &event->source_location);
  if (status == TB_OK) status = replace_stack(r, &event->stack);
  if (status == TB_OK) status = replace_stack(r, &event->end_stack);
  return status == TB_OK ? replace_args(r, event) : status;
}

enum tb_status tb_redact_event(struct tb_redactor *r, struct tb_event *event, bool *left_out) {
  enum tb_status status = TB_OK;
  tb_arena_reset(&r->scratch);
  *left_out = cannot_be(event);
  if (*left_out) return TB_OK;
  event->blob = (struct tb_str){NULL, 0};
  if (r->no_args && event->type != TB_EVENT_METADATA && event->type != TB_EVENT_COUNTER) {
    event->args = NULL;
    event->arg_count = 0;
    event->has &= ~(uint32_t)TB_HAS_ARGS;
  }
  if (event->extra_count) status = keep_ids(r, event);
  if (status == TB_OK && event->track) status = find_track(r, &event->track, event->type == TB_EVENT_TRACK);
  if (status == TB_OK && event->thread) status = find_track(r, &event->thread, false);
  return status == TB_OK ? replace_texts(r, event) : status;
}
