/* SPDX-License-Identifier: Apache-2.0
 *
 * What events say one by one, as they come. What slices and flows do depends on the order of time: of them the shaper
 * gets a copy without arguments, which it sorts.
 */
#include "base/decimal.h"
#include "toolbox/verify/verifier.h"

static bool is_number(const struct tb_arg *arg) {
  double number;
  if (arg->type == TB_ARG_STRING) return tb_number_in_text(arg->text, &number);
  return arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT || arg->type == TB_ARG_DOUBLE;
}

static bool has_number(const struct tb_event *event) {
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span)
    if (is_number(&event->args[i])) return true;
  return false;
}

static enum tb_status note_use(struct tb_verifier *v, const struct tb_event *event) {
  const struct tb_track *track = event->track;
  if (track->index >= v->use_count) {
    void *uses = v->uses;
    enum tb_status status =
        tb_grow_zeroed(v->allocator, &uses, &v->use_count, (size_t)track->index + 1, sizeof(*v->uses), UINT32_MAX);
    v->uses = uses;
    if (status != TB_OK) return status;
  }
  struct tb_verify_use *use = &v->uses[track->index];
  if (!use->track) *use = (struct tb_verify_use){track, event->offset};
  return TB_OK;
}

static enum tb_status open_shaper(struct tb_verifier *v, const struct tb_source_traits *source) {
  const struct tb_reader_options options = {
      .sorted = true, .memory_budget = v->memory_budget, .temporary_directory = v->temporary_directory};
  tb_shaper_init(&v->shaper, v->allocator, source, &options, &v->unpaired);
  v->has_shaper = true;
  return TB_OK;
}

/* Slices, and what flows are bound to and go over. */
static bool is_of_slices(const struct tb_event *event) {
  return event->type <= TB_EVENT_FLOW_END && event->type != TB_EVENT_COUNTER && event->track;
}

static enum tb_status keep_for_slices(struct tb_verifier *v, const struct tb_source_traits *source,
                                      const struct tb_event *event) {
  struct tb_event bare = *event;
  if (!v->has_shaper && open_shaper(v, source) != TB_OK) return TB_NO_MEMORY;
  bare.args = bare.extra = NULL;
  bare.arg_count = bare.extra_count = 0;
  bare.has &= ~(uint32_t)(TB_HAS_ARGS | TB_HAS_THREAD_TS | TB_HAS_THREAD_DUR);
  bare.thread_ts = bare.thread_dur = 0;
  bare.thread = NULL;
  bare.stack = bare.end_stack = (struct tb_stack){.frames = NULL};
  bare.source_location = (struct tb_frame){.line = 0};
  bare.correlation_text = (struct tb_str){NULL, 0};
  if (event->type == TB_EVENT_SLICE_COMPLETE || event->type == TB_EVENT_INSTANT) { /* no END looks for them */
    bare.name = bare.categories = (struct tb_str){NULL, 0};
    bare.has &= ~(uint32_t)(TB_HAS_NAME | TB_HAS_CATEGORIES);
  }
  return tb_shaper_collect(&v->shaper, &bare, v->error);
}

static void check_times(struct tb_verifier *v, const struct tb_event *event) {
  if (event->has & TB_HAS_TS && event->ts < 0) tb_verifier_find(v, TB_FINDS_NEGATIVE_TIME, event->offset);
  if (event->has & TB_HAS_DUR && event->dur < 0) tb_verifier_find(v, TB_FINDS_NEGATIVE_DURATION, event->offset);
}

enum tb_status tb_verify_event(struct tb_verifier *v, const struct tb_source_traits *source,
                               const struct tb_event *event) {
  if (event->type == TB_EVENT_DATA_LOSS && !v->result.packets) tb_verifier_find(v, TB_FINDS_EVENTS_LOST, event->offset);
  if (event->type >= TB_EVENT_TRACK && event->type != TB_EVENT_SAMPLE) return TB_OK;
  v->result.events++;
  check_times(v, event);
  if (event->type == TB_EVENT_COUNTER && !has_number(event))
    tb_verifier_find(v, TB_FINDS_COUNTER_NO_VALUE, event->offset);
  if (event->type == TB_EVENT_OTHER) /* one without a time is of this type, whatever its phase */
    tb_verifier_find(v, event->has & TB_HAS_TS ? TB_FINDS_UNKNOWN_PHASE : TB_FINDS_NO_TIME, event->offset);
  enum tb_status status = event->track ? note_use(v, event) : TB_OK;
  if (status != TB_OK || !is_of_slices(event)) return status;
  return keep_for_slices(v, source, event);
}
