/* SPDX-License-Identifier: Apache-2.0
 *
 * What events say one by one, as they come. What slices and flows do depends on the order of time: it is found as they
 * come as long as those of each track come in it, and else when the log has sorted them. What that cannot tell the
 * shaper does, which gets a copy of each without arguments.
 */
#include "model/arg_lookup.h"
#include "model/phases.h"
#include "timeline/entry_rank.h"
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
  return tb_shaper_collect(&v->shaper, &bare, v->error);
}

/* ---- slices and flows as they come ------------------------------------------------------------------------------- */

/* What is logged before it is clear that it has to be: 16 MB. */
enum { LOGGED_AT_FIRST = 1 << 19 };

static uint64_t hash_of(struct tb_str text) { return text.len ? tb_str_hash(text, 0) | 1 : 0; }

static bool is_async(const struct tb_event *event) {
  return event->type >= TB_EVENT_ASYNC_BEGIN && event->type <= TB_EVENT_ASYNC_END;
}

static enum tb_slice_point_type type_of(const struct tb_event *event) {
  static const uint8_t types[] = {[TB_EVENT_SLICE_BEGIN] = TB_POINT_BEGIN,
                                  [TB_EVENT_SLICE_END] = TB_POINT_END,
                                  [TB_EVENT_SLICE_COMPLETE] = TB_POINT_COMPLETE,
                                  [TB_EVENT_INSTANT] = TB_POINT_INSTANT,
                                  [TB_EVENT_ASYNC_BEGIN] = TB_POINT_BEGIN,
                                  [TB_EVENT_ASYNC_INSTANT] = TB_POINT_INSTANT,
                                  [TB_EVENT_ASYNC_END] = TB_POINT_END};
  return event->type < TB_EVENT_FLOW_BEGIN ? (enum tb_slice_point_type)types[event->type] : TB_POINT_FLOW;
}

static struct tb_slice_point make_point(const struct tb_event *event, enum tb_slice_point_type type) {
  struct tb_slice_point point = {.ts = event->ts, .offset = event->offset};
  if (type == TB_POINT_COMPLETE) {
    point.dur = event->dur;
  } else if (type <= TB_POINT_END) {
    uint64_t categories = hash_of(event->categories);
    point.name = hash_of(event->name);
    point.categories = (uint32_t)categories;
  }
  return point;
}

static struct tb_verify_when when_of(const struct tb_verifier *v, const struct tb_event *event) {
  bool ranked = v->complete_first && event->type == TB_EVENT_SLICE_COMPLETE && event->dur > 0;
  return (struct tb_verify_when){event->ts, ranked ? event->dur : TB_RANK_OTHER, v->result.events};
}

/* Of each async id there is a stream, and its place in a map: together at most three points' memory. */
static bool has_room(const struct tb_verifier *v) {
  return v->log.count < v->log.chunk && v->log.count < LOGGED_AT_FIRST &&
         v->log.count + 3 * v->async_count < LOGGED_AT_FIRST + LOGGED_AT_FIRST / 2;
}

enum tb_status tb_verify_make_room(struct tb_verifier *v) {
  if (!v->has_log || v->way == TB_VERIFY_LOGGED || has_room(v)) return TB_OK;
  enum tb_status status = tb_verify_take_logged_async(v);
  if (status != TB_OK || v->way == TB_VERIFY_LOGGED) return status;
  tb_slice_log_free(&v->log);
  v->has_log = false;
  return tb_verify_forget_idle(v) ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_verify_take_point(struct tb_verifier *v, struct tb_verify_stream *stream,
                                    const struct tb_slice_point *point) {
  enum tb_status status = tb_verify_make_room(v);
  if (status == TB_OK && v->has_log) status = tb_slice_log_add(&v->log, point, v->error);
  if (status != TB_OK || v->way == TB_VERIFY_LOGGED) return status;
  status = tb_verify_stream_take(v, stream, point, v->complete_first);
  return status == TB_UNSUPPORTED ? tb_verify_start_log(v) : status;
}

static enum tb_status ask_for_shaper(struct tb_verifier *v) {
  v->next_way = TB_VERIFY_SHAPED;
  return TB_UNSUPPORTED;
}

/* Flows that an END is at count where it ends a slice. */
static enum tb_status take_flows_of_end(struct tb_verifier *v, const struct tb_event *event) {
  enum tb_status status = is_async(event) ? tb_verify_take_waiting(v) : TB_OK;
  if (status != TB_OK) return status;
  v->ended_with_flows = true;
  bool depends = v->end_has_begin && v->complete_first; /* where it is among flows depends on other tracks */
  if (v->way == TB_VERIFY_LOGGED || depends) return ask_for_shaper(v);
  return v->end_has_begin ? tb_verify_flow_ids(v, event, when_of(v, event)) : TB_OK;
}

/* What can be found: not of an async instant, since no flow event is bound to what is on its track. */
static bool has_point(const struct tb_event *event, enum tb_slice_point_type type) {
  if (type == TB_POINT_FLOW) return tb_verify_needs_slice(event);
  return type != TB_POINT_INSTANT || !is_async(event);
}

static enum tb_status take_slice(struct tb_verifier *v, struct tb_verify_stream *stream, const struct tb_event *event) {
  const enum tb_slice_point_type type = type_of(event);
  enum tb_status status = TB_OK;
  if (type == TB_POINT_FLOW) status = tb_verify_flow_event(v, event, when_of(v, event));
  if (status == TB_OK && has_point(event, type)) {
    struct tb_slice_point point = make_point(event, type);
    point.place = tb_slice_point_place(type, is_async(event) ? 0 : event->track->index << 1);
    status = is_async(event) ? tb_verify_take_async(v, event, &point) : tb_verify_take_point(v, stream, &point);
  }
  if (status != TB_OK || type == TB_POINT_FLOW || !tb_verify_has_flow_ids(event)) return status;
  if (type == TB_POINT_END) return take_flows_of_end(v, event);
  return tb_verify_flow_ids(v, event, when_of(v, event));
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void check_times(struct tb_verifier *v, const struct tb_event *event) {
  if (event->has & TB_HAS_TS && event->ts < 0) tb_verifier_find(v, TB_FINDS_NEGATIVE_TIME, event->offset);
  if (event->has & TB_HAS_DUR && event->dur < 0) tb_verifier_find(v, TB_FINDS_NEGATIVE_DURATION, event->offset);
}

/* Whether the event is by itself, whatever else there is; `code` says why. Of type OTHER are events without a time, an
 * END that its reader knows to end nothing, and flow and object events of JSON without an id. */
static bool joins_nothing(const struct tb_event *event, enum tb_finding_code *code) {
  bool by_id = event->type >= TB_EVENT_FLOW_BEGIN && event->type <= TB_EVENT_OBJECT_DELETE;
  *code = TB_FINDS_NO_ID;
  if (event->type != TB_EVENT_OTHER) return by_id && event->id.kind == TB_ID_NONE;
  char phase = event->phase_text.len == 1 ? event->phase_text.ptr[0] : '\0';
  enum tb_event_type type = phase ? tb_phase_event_type(phase) : TB_EVENT_OTHER;
  if (type == TB_EVENT_OTHER) *code = TB_FINDS_UNKNOWN_PHASE;
  if (type == TB_EVENT_SLICE_END) *code = TB_FINDS_END_WITHOUT_BEGIN;
  if (!(event->has & TB_HAS_TS)) *code = TB_FINDS_NO_TIME;
  return true;
}

enum tb_status tb_verify_event(struct tb_verifier *v, const struct tb_source_traits *source,
                               const struct tb_event *event) {
  if (event->type == TB_EVENT_DATA_LOSS && !v->result.packets) tb_verifier_find(v, TB_FINDS_EVENTS_LOST, event->offset);
  if (event->type >= TB_EVENT_TRACK && event->type != TB_EVENT_SAMPLE) return TB_OK;
  v->result.events++;
  check_times(v, event);
  if (event->type == TB_EVENT_COUNTER && !has_number(event))
    tb_verifier_find(v, TB_FINDS_COUNTER_NO_VALUE, event->offset);
  enum tb_finding_code code;
  if (joins_nothing(event, &code)) {
    tb_verifier_find(v, code, event->offset);
    if (code == TB_FINDS_END_WITHOUT_BEGIN && !v->unpaired_ends.count++) v->unpaired_ends.first_offset = event->offset;
    if (is_of_slices(event)) return TB_OK;
  }
  if (!event->track) return TB_OK;
  struct tb_verify_use *use = find_use(v, event);
  if (!use) return TB_NO_MEMORY;
  if (!is_of_slices(event)) return TB_OK;
  return v->way == TB_VERIFY_SHAPED ? keep_for_slices(v, source, event) : take_slice(v, &use->stream, event);
}
