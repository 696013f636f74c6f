/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/cpu_profiles.h"

#include <string.h>

#include "base/times.h"
#include "json/emitter.h"
#include "model/arg_lookup.h"
#include "perfetto/packet/profile_event.h"
#include "perfetto/writer/descriptor_packets.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/track_groups.h"

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

/* The reading of a clock among those of a snapshot, which call the trace clock 0; NULL: it was not read. */
static const struct tb_clock_reading *find_reading(const struct tb_perfetto_writer *p,
                                                   const struct tb_clock_reading *row, uint32_t count, uint32_t clock) {
  for (uint32_t i = 0; i < count; i++)
    if ((row[i].clock ? row[i].clock : p->trace_clock) == clock) return &row[i];
  return NULL;
}

/* Sets how far MONOTONIC is ahead of the trace clock by the last snapshot before `ts`, else the first one; false where
 * none has both. */
static bool monotonic_ahead(const struct tb_perfetto_writer *p, int64_t ts, int64_t *ahead) {
  const struct tb_clock_reading *row = p->metadata.clocks;
  bool found = false;
  *ahead = 0;
  if (p->trace_clock == TB_CLOCK_MONOTONIC) return true;
  for (size_t i = 0; i < p->metadata.clock_row_count; row += p->metadata.clock_rows[i++]) {
    const uint32_t count = p->metadata.clock_rows[i];
    const struct tb_clock_reading *trace = find_reading(p, row, count, p->trace_clock);
    const struct tb_clock_reading *monotonic = find_reading(p, row, count, TB_CLOCK_MONOTONIC);
    if (!trace || !monotonic || (found && trace->ns > ts)) continue;
    *ahead = tb_time_subtract(monotonic->ns, trace->ns);
    found = true;
  }
  return found;
}

bool tb_perfetto_knows_monotonic(const struct tb_perfetto_writer *p) {
  int64_t ahead;
  return monotonic_ahead(p, 0, &ahead);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The argument that has the profile; NULL: the event is of none. */
static const struct tb_arg *find_data(const struct tb_event *event) {
  const struct tb_track *track = event->track;
  if (track->type != TB_TRACK_THREAD || event->type != TB_EVENT_INSTANT) return NULL;
  if (event->id.kind != TB_ID_PLAIN || !event->id.is_number || !track->has_pid || !track->has_tid) return NULL;
  if (tb_stack_is_there(&event->stack) || event->flow_count + event->terminating_flow_count) return NULL;
  const struct tb_arg *data = tb_find_member(event->args, event->arg_count, TB_STR("data"));
  if (!data) return NULL;
  if (data->type == TB_ARG_JSON) return tb_profile_json(data->text) ? data : NULL;
  if (data->type != TB_ARG_DICT) return NULL;
  return tb_find_member(data + 1, data->span - 1, TB_STR("startTime")) ||
                 tb_find_member(data + 1, data->span - 1, TB_STR("cpuProfile"))
             ? data
             : NULL;
}

/* Appends the JSON, its start as MONOTONIC has it. */
static void emit_data(const struct tb_perfetto_writer *p, struct tb_json_emit *emit, const struct tb_arg *data) {
  struct tb_str digits;
  int64_t ns, ahead;
  tb_json_emit_value(emit, data);
  const struct tb_str json = {emit->buffer.data, emit->buffer.len};
  if (emit->status != TB_OK || !tb_profile_start(json, &digits, &ns) || !monotonic_ahead(p, ns, &ahead) || !ahead)
    return;
  struct tb_json_emit moved;
  tb_json_emit_init(&moved, p->allocator);
  tb_json_emit_raw(&moved, json.ptr, (size_t)(digits.ptr - json.ptr));
  tb_json_emit_int(&moved, tb_profile_start_us(tb_time_add(ns, ahead)));
  const size_t behind = (size_t)(digits.ptr - json.ptr) + digits.len;
  tb_json_emit_raw(&moved, json.ptr + behind, json.len - behind);
  tb_json_emit_free(emit);
  *emit = moved;
}

static enum tb_status add(struct tb_perfetto_writer *p, const struct tb_event *event) {
  const struct tb_carried_parts carried = {.fields = TB_CARRIED_TIMES};
  const unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS | TB_ENCODE_IDS | TB_ENCODE_PHASE;
  struct tb_writer_sequence *sequence = tb_perfetto_profile_sequence(p);
  struct tb_staged_event entry = {.ts = event->ts, .kind = TB_STAGED_INSTANT};
  if (!sequence || !tb_perfetto_track_state(p, event->track)) return TB_NO_MEMORY;
  entry.key = tb_perfetto_track_group(p, event->track, TB_GROUP_PROFILE);
  if (!entry.key) return TB_NO_MEMORY;
  enum tb_status status =
      tb_encode_event(&p->encoder, sequence->uses, event, parts, &carried, &entry.name, &entry.categories);
  if (status != TB_OK) return status;
  entry.body = (struct tb_str){p->encoder.body.data, p->encoder.body.len};
  return tb_perfetto_add_entry(p, sequence, &entry);
}

/* Puts the event with its `data` as JSON. */
static enum tb_status put_with_json(struct tb_perfetto_writer *p, const struct tb_event *event,
                                    const struct tb_arg *data, struct tb_str json) {
  struct tb_event with_json = *event;
  const size_t before = (size_t)(data - event->args), behind = event->arg_count - before - data->span;
  struct tb_arg *args = tb_alloc(p->allocator, (before + 1 + behind) * sizeof(*args));
  if (!args) return TB_NO_MEMORY;
  memcpy(args, event->args, before * sizeof(*args));
  args[before] = (struct tb_arg){.name = data->name, .text = json, .type = TB_ARG_JSON, .span = 1};
  memcpy(args + before + 1, data + data->span, behind * sizeof(*args));
  with_json.args = args;
  with_json.arg_count = (uint32_t)(before + 1 + behind);
  enum tb_status status = add(p, &with_json);
  tb_free(p->allocator, args, (before + 1 + behind) * sizeof(*args));
  return status;
}

enum tb_status tb_perfetto_put_profile_event(struct tb_perfetto_writer *p, const struct tb_event *event) {
  const struct tb_arg *data = find_data(event);
  if (!data) return tb_perfetto_put_deferred_side(p, event, TB_GROUP_SAMPLES);
  struct tb_json_emit emit;
  tb_json_emit_init(&emit, p->allocator);
  emit_data(p, &emit, data);
  enum tb_status status = emit.status;
  if (status == TB_OK) status = put_with_json(p, event, data, (struct tb_str){emit.buffer.data, emit.buffer.len});
  tb_json_emit_free(&emit);
  return status;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

enum tb_status tb_profile_sequence_name_thread(struct tb_sequence_writer *w, const struct tb_track *thread) {
  if (w->named_thread == thread) return TB_OK;
  w->named_thread = thread;
  return tb_perfetto_name_thread(w->p, w->id, thread);
}
