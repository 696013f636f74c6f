/* SPDX-License-Identifier: Apache-2.0
 *
 * What events say one by one, as they come. What slices and flows do depends on the order of time: where those of a
 * track do not come in it, the shaper gets a copy of each without arguments, which it sorts.
 */
#include "model/arg_lookup.h"
#include "toolbox/verify/verifier.h"

static bool is_number(const struct tb_arg *arg) {
  double number;
  return arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT || arg->type == TB_ARG_DOUBLE ||
         tb_arg_number_in_text(arg, &number);
}

static bool has_number(const struct tb_event *event) {
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span)
    if (is_number(&event->args[i])) return true;
  return false;
}

/* NULL without memory. */
static struct tb_verify_use *find_use(struct tb_verifier *v, const struct tb_event *event) {
  const size_t index = event->track->index;
  if (index >= v->use_count) {
    void *uses = v->uses;
    enum tb_status status = tb_grow_zeroed(v->allocator, &uses, &v->use_count, index + 1, sizeof(*v->uses), UINT32_MAX);
    v->uses = uses;
    if (status != TB_OK) return NULL;
  }
  struct tb_verify_use *use = &v->uses[index];
  if (!use->track) *use = (struct tb_verify_use){event->track, event->offset, TB_VERIFY_STREAM_START};
  return use;
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
  return event->type <= TB_EVENT_FLOW_END && event->type != TB_EVENT_COUNTER;
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
  if (tb_verify_has_flow_ids(event) || event->type >= TB_EVENT_FLOW_BEGIN)
    bare.correlation_id = v->result.events; /* where it is among flows */
  return tb_shaper_collect(&v->shaper, &bare, v->error);
}

static enum tb_verify_sorts sort_of(const struct tb_event *event) {
  if (event->type >= TB_EVENT_ASYNC_BEGIN && event->type <= TB_EVENT_ASYNC_END) return TB_SORTS_ASYNC;
  return event->track->type == TB_TRACK_THREAD ? TB_SORTS_THREADS : TB_SORTS_OTHERS;
}

/* What an event of slices does: now, where its track is in order, else once all are sorted. */
static enum tb_status take_slice(struct tb_verifier *v, struct tb_verify_stream *stream,
                                 const struct tb_source_traits *source, const struct tb_event *event) {
  const enum tb_verify_sorts sort = sort_of(event);
  if (v->sorts & sort) return keep_for_slices(v, source, event);
  enum tb_status status = sort == TB_SORTS_ASYNC ? tb_verify_stream_async(v, source, event)
                                                 : tb_verify_stream_event(v, stream, source, event);
  if (status != TB_UNSUPPORTED) return status;
  /* where complete slices sort first, what is at their time on other tracks depends on them */
  if (!v->forgot_too_early) v->sorts = (uint8_t)(source->complete_first ? TB_SORTS_ALL : v->sorts | sort);
  v->needs_more_sorted = true;
  return status;
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
  if (!event->track) return TB_OK;
  struct tb_verify_use *use = find_use(v, event);
  if (!use) return TB_NO_MEMORY;
  return is_of_slices(event) ? take_slice(v, &use->stream, source, event) : TB_OK;
}
