/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the Trace Event Format: {"traceEvents":[ one event a line ], what else there is}. Events of JSON go out as
 * they came; those of other formats as JSON says the same.
 */
#include "chrome_json/writer/writer.h"
#include "base/error.h"
#include "model/flow_source.h"
#include "model/fxt_blobs.h"

enum {
  FLUSH_BYTES = 256 * 1024,
  SPOOL_BYTES = 16 << 20,
  FLOW_POINTS = 1 << 20 /* of 56 bytes each */
};

enum tb_status tb_json_fail(struct tb_json_writer *w, enum tb_status status) {
  return tb_fail(&w->writer->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

void tb_json_lose(struct tb_json_writer *w, const char *reason, const struct tb_event *event) {
  tb_losses_add(&w->writer->losses, reason, event->offset);
}

static enum tb_status flush(struct tb_json_writer *w) {
  if (w->writer->error.code != TB_OK) return w->writer->error.code;
  if (w->out.status != TB_OK) return tb_json_fail(w, w->out.status);
  enum tb_status status = tb_output_write(w->writer->output, w->out.buffer.data, w->out.buffer.len, &w->writer->error);
  w->out.buffer.len = 0;
  tb_json_forget_end_names(w);
  return status;
}

enum tb_status tb_json_flush_some(struct tb_json_writer *w) {
  if (w->writer->error.code != TB_OK) return w->writer->error.code;
  if (w->out.status != TB_OK) return tb_json_fail(w, w->out.status);
  return w->out.buffer.len < FLUSH_BYTES ? TB_OK : flush(w);
}

/* ---- members beyond the events -------------------------------------------------------------------------------- */

/* An entry of samples: its stack and its thread are named as in events, without a phase. */
static enum tb_status put_sample(struct tb_json_writer *w, const struct tb_event *event) {
  struct tb_json_emit *emit = &w->top; /* scratch is the stacks' */
  size_t before = emit->buffer.len;
  if (event->has & TB_HAS_CPU) {
    TB_JSON_MEMBER(emit, "cpu");
    tb_json_emit_uint(emit, event->cpu);
  }
  tb_json_emit_times(emit, event);
  tb_json_emit_head(emit, event);
  if (event->has & TB_HAS_WEIGHT) {
    TB_JSON_MEMBER(emit, "weight");
    tb_json_emit_double(emit, event->weight);
  }
  tb_json_emit_tail(w, emit, event);
  tb_json_emit_args(w, emit, event);
  if (emit->buffer.len == before) TB_JSON_EMIT(emit, "{");
  TB_JSON_EMIT(emit, "}");
  if (emit->status != TB_OK) return tb_json_fail(w, emit->status);
  emit->buffer.data[before] = '{';
  enum tb_status status = TB_OK;
  if (!tb_spool_empty(&w->samples)) status = tb_spool_add(&w->samples, ",\n", 2, &w->writer->error);
  if (status == TB_OK)
    status = tb_spool_add(&w->samples, emit->buffer.data + before, emit->buffer.len - before, &w->writer->error);
  emit->buffer.len = before;
  return status;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static char default_phase(const struct tb_event *event) {
  static const char phases[TB_EVENT_TYPE_COUNT] = {
      [TB_EVENT_SLICE_BEGIN] = 'B',     [TB_EVENT_SLICE_END] = 'E',     [TB_EVENT_SLICE_COMPLETE] = 'X',
      [TB_EVENT_INSTANT] = 'i',         [TB_EVENT_COUNTER] = 'C',       [TB_EVENT_ASYNC_BEGIN] = 'b',
      [TB_EVENT_ASYNC_INSTANT] = 'n',   [TB_EVENT_ASYNC_END] = 'e',     [TB_EVENT_FLOW_BEGIN] = 's',
      [TB_EVENT_FLOW_STEP] = 't',       [TB_EVENT_FLOW_END] = 'f',      [TB_EVENT_OBJECT_CREATE] = 'N',
      [TB_EVENT_OBJECT_SNAPSHOT] = 'O', [TB_EVENT_OBJECT_DELETE] = 'D', [TB_EVENT_CONTEXT_ENTER] = '(',
      [TB_EVENT_CONTEXT_LEAVE] = ')',   [TB_EVENT_ID_LINK] = '=',       [TB_EVENT_CLOCK_SYNC] = 'c',
      [TB_EVENT_MEMORY_DUMP] = 'v',     [TB_EVENT_THREAD_STATE] = 'T',  [TB_EVENT_LOG] = 'i',
      [TB_EVENT_METADATA] = 'M'};
  return event->phase ? event->phase : phases[event->type];
}

static enum tb_status put_whole(struct tb_json_writer *w, const struct tb_event *event) {
  tb_json_put_whole(w, event, default_phase(event));
  return w->writer->error.code;
}

/* Threads come one after the other, but a flow event must not come before the one that began the flow at its very
 * time. The end of a flow at the next slice stays in front of that. */
static enum tb_status put_flow(struct tb_json_writer *w, const struct tb_event *event) {
  tb_json_note_flow(w, event);
  if (event->type == TB_EVENT_FLOW_BEGIN)
    return tb_json_hold_flow(w, event, default_phase(event)) ? w->writer->error.code : put_whole(w, event);
  if (event->type == TB_EVENT_FLOW_END && !(event->has & TB_HAS_BIND_ENCLOSING)) return put_whole(w, event);
  tb_json_defer_whole(w, event, default_phase(event));
  return w->writer->error.code;
}

/* Of FXT: if slices carry the flow's id too, the ids are better evidence of which slices it joins, so the event is
 * left out. */
static enum tb_status put_id_only_flow(struct tb_json_writer *w, const struct tb_event *event) {
  if (tb_flow_source(event) == TB_FLOWS_DUPLICATED_BY_ID) return TB_OK;
  struct tb_event named = *event;
  tb_json_name_id_only_flow(w, &named);
  tb_json_end_before_flow(w, event);
  return put_flow(w, &named);
}

/* The first phases of async slices are no slices to readers of JSON any more: b, e and n say the same. */
static char async_phase(const struct tb_json_writer *w, const struct tb_event *event) {
  char phase = default_phase(event);
  if (!w->writer->source.old_async || event->has & TB_HAS_EXPLICIT_PHASE) return phase;
  return phase == 'S' ? 'b' : phase == 'F' ? 'e' : phase == 'T' || phase == 'p' ? 'n' : phase;
}

/* Events with flows go to the end of the trace, and an end must not be before its begin. */
static enum tb_status put_async(struct tb_json_writer *w, const struct tb_event *event) {
  char phase = async_phase(w, event);
  bool has_flows = tb_json_has_flows(event);
  if (w->async_deferred && !has_flows)
    tb_json_defer_whole(w, event, phase);
  else
    tb_json_put_whole(w, event, phase);
  w->async_deferred |= has_flows;
  return w->writer->error.code;
}

static enum tb_status put_foreign(struct tb_json_writer *w, const struct tb_event *event);

static enum tb_status put_carried(void *ctx, const struct tb_event *event) { return put_foreign(ctx, event); }

/* JSON has no blobs: they are in events (model/fxt_blobs.h). */
static enum tb_status put_blob(struct tb_json_writer *w, const struct tb_event *event) {
  enum tb_status status = tb_blob_put_as_event(w->writer->allocator, event, put_carried, w);
  return status == TB_OK ? TB_OK : tb_json_fail(w, status);
}

/* A mark of the recorder's is an instant, at the latest time so far where it has none. */
static enum tb_status put_data_loss(struct tb_json_writer *w, const struct tb_event *event) {
  const struct tb_writer_summary *so_far = &w->writer->summary;
  const struct tb_track *track = event->track;
  bool has_ts = event->has & TB_HAS_TS;
  if (!track || (!has_ts && so_far->first_ts > so_far->last_ts)) {
    tb_json_lose(w, "marks of data that the recorder lost, without a time (JSON has none)", event);
    return TB_OK;
  }
  struct tb_event mark = {.type = TB_EVENT_INSTANT,
                          .has = TB_HAS_NAME | TB_HAS_CATEGORIES | TB_HAS_TS,
                          .name = TB_STR("data loss"),
                          .categories = TB_STR("recorder"),
                          .ts = has_ts ? event->ts : so_far->last_ts,
                          .track = track,
                          .offset = event->offset};
  mark.instant_scope = track->type == TB_TRACK_THREAD ? 't' : track->type == TB_TRACK_PROCESS ? 'p' : 'g';
  tb_json_put_whole(w, &mark, 'i');
  return w->writer->error.code;
}

/* What goes out alike, whichever format it is of. */
static enum tb_status put_any(struct tb_json_writer *w, const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_STACK_FRAME:
      return tb_json_put_stack_frame(w, event);
    case TB_EVENT_SAMPLE:
      return put_sample(w, event);
    case TB_EVENT_SYSTEM_TRACE:
      return tb_json_put_system(w, event);
    case TB_EVENT_TRACE_METADATA:
      return tb_json_put_trace_member(w, event);
    case TB_EVENT_CLOCK_SNAPSHOT:
      tb_json_note_clocks(w, event);
      return TB_OK;
    case TB_EVENT_DATA_LOSS:
      return put_data_loss(w, event);
    case TB_EVENT_PACKETS:
      tb_losses_add_kind(&w->writer->losses, "Perfetto packets that JSON cannot hold",
                         event->blob_type ? TB_STR("in a blob of FXT") : event->name, event->offset);
      return TB_OK;
    case TB_EVENT_BLOB:
      return put_blob(w, event);
    default:
      return put_whole(w, event);
  }
}

/* Events that are not JSON's own. */
static enum tb_status put_foreign(struct tb_json_writer *w, const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_METADATA:
      if (!tb_str_equal(event->name, TB_STR("track_name"))) return put_whole(w, event);
      tb_json_put_track_name(w, event);
      break;
    case TB_EVENT_SLICE_BEGIN:
      tb_json_put_begin(w, event);
      break;
    case TB_EVENT_SLICE_END:
      tb_json_put_end(w, event);
      break;
    case TB_EVENT_INSTANT:
      tb_json_put_instant(w, event);
      break;
    case TB_EVENT_COUNTER:
      if (event->track->type == TB_TRACK_COUNTER) return tb_json_put_counter(w, event);
      return put_whole(w, event);
    case TB_EVENT_FLOW_BEGIN:
    case TB_EVENT_FLOW_STEP:
    case TB_EVENT_FLOW_END:
      return event->has & TB_HAS_ID_ONLY_MATCH ? put_id_only_flow(w, event) : put_flow(w, event);
    case TB_EVENT_ASYNC_BEGIN:
    case TB_EVENT_ASYNC_INSTANT:
    case TB_EVENT_ASYNC_END:
      return put_async(w, event);
    case TB_EVENT_TRACK:
      tb_json_put_track(w, event->track);
      break;
    default:
      return put_any(w, event);
  }
  return w->writer->error.code;
}

static enum tb_status put(struct tb_writer *writer, const struct tb_event *event) {
  struct tb_json_writer *w = writer->state;
  enum tb_status status = TB_OK;
  if (w->late_flow_track) tb_json_settle_flows(w, event);
  if (!w->from_json)
    status = put_foreign(w, event);
  else if (event->type != TB_EVENT_TRACK) /* JSON's own metadata says it */
    status = put_any(w, event);
  if (tb_open_stacks_are_full(&w->slices)) tb_json_make_room(w);
  return status == TB_OK ? tb_json_flush_some(w) : status;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static enum tb_status write_spool(struct tb_json_writer *w, struct tb_spool *spool, const char *before,
                                  const char *after) {
  if (tb_spool_empty(spool)) return TB_OK;
  struct tb_output *output = w->writer->output;
  enum tb_status status = tb_output_write(output, before, strlen(before), &w->writer->error);
  if (status == TB_OK) status = tb_spool_write(spool, output, &w->writer->error);
  if (status == TB_OK) status = tb_output_write(output, after, strlen(after), &w->writer->error);
  return status;
}

static enum tb_status finish(struct tb_writer *writer) {
  struct tb_json_writer *w = writer->state;
  tb_json_flush_counter(w);
  tb_json_close_tracks(w);
  tb_json_write_late_flows(w);
  enum tb_status status = tb_json_write_flows(w);
  TB_JSON_EMIT(&w->out, "\n]");
  if (status == TB_OK) status = flush(w);
  if (status == TB_OK) status = write_spool(w, &w->frames, ",\n\"stackFrames\":{\n", "\n}");
  if (status == TB_OK) status = write_spool(w, &w->samples, ",\n\"samples\":[\n", "\n]");
  if (status == TB_OK) status = write_spool(w, &w->system, ",\n\"systemTraceEvents\":\"", "\"");
  if (status == TB_OK) status = tb_json_write_packets(w);
  tb_json_write_trace_members(w);
  TB_JSON_EMIT(&w->out, "}\n");
  return status == TB_OK ? flush(w) : status;
}

static void destroy(struct tb_writer *writer) {
  struct tb_json_writer *w = writer->state;
  if (!w) return;
  tb_json_free_tracks(w);
  tb_free(writer->allocator, w->ends, w->end_capacity * sizeof(*w->ends));
  tb_json_emit_free(&w->out);
  tb_json_emit_free(&w->top);
  tb_json_emit_free(&w->metadata.members);
  tb_intern_free(&w->metadata.names);
  tb_json_emit_free(&w->scratch);
  tb_json_emit_free(&w->counter);
  tb_json_emit_free(&w->late_flows);
  tb_spool_free(&w->deferred);
  tb_spool_free(&w->frames);
  tb_spool_free(&w->samples);
  tb_spool_free(&w->system);
  tb_spool_free(&w->packets);
  tb_json_flow_sorter_free(&w->flows);
  tb_json_free_id_only_flows(w);
  tb_intern_free(&w->frame_ids);
  tb_intern_free(&w->top_names);
  tb_intern_free(&w->track_names);
  tb_free(writer->allocator, w, sizeof(*w));
  writer->state = NULL;
}

static enum tb_status create(struct tb_writer *writer) {
  const struct tb_allocator *a = writer->allocator;
  const char *directory = writer->options.temporary_directory;
  struct tb_json_writer *w = tb_calloc(a, sizeof(*w));
  if (!w) return tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  writer->state = w;
  w->writer = writer;
  w->from_json = writer->is_own_source;
  w->slices = (struct tb_open_stacks){
      .allocator = a, .size = sizeof(struct tb_json_slices), .frame_size = sizeof(struct tb_json_open)};
  w->slices.most = tb_writer_budget(writer, TB_WRITER_MEMORY_USUAL);
  tb_json_emit_init(&w->out, a);
  tb_json_emit_init(&w->top, a);
  tb_json_emit_init(&w->metadata.members, a);
  tb_intern_init(&w->metadata.names, a);
  tb_json_emit_init(&w->scratch, a);
  tb_json_emit_init(&w->counter, a);
  tb_json_emit_init(&w->late_flows, a);
  tb_json_emit_init(&w->no_slices.held, a);
  tb_json_emit_init(&w->no_slices.late, a);
  tb_json_emit_init(&w->no_slices.pending_ends, a);
  tb_spool_init(&w->deferred, a, SPOOL_BYTES, directory);
  tb_spool_init(&w->frames, a, SPOOL_BYTES, directory);
  tb_spool_init(&w->samples, a, SPOOL_BYTES, directory);
  tb_spool_init(&w->system, a, SPOOL_BYTES, directory);
  tb_spool_init(&w->packets, a, SPOOL_BYTES, directory);
  tb_json_flow_sorter_init(&w->flows, a, FLOW_POINTS, directory);
  tb_map_init(&w->id_only_places, a);
  tb_intern_init(&w->id_only_names, a);
  tb_intern_init(&w->frame_ids, a);
  tb_intern_init(&w->top_names, a);
  tb_intern_init(&w->track_names, a);
  TB_JSON_EMIT(&w->out, "{\"traceEvents\":[\n");
  return TB_OK;
}

const struct tb_writer_ops tb_json_writer_ops = {.format = TB_FORMAT_JSON,
                                                 .create = create,
                                                 .put = put,
                                                 .finish = finish,
                                                 .destroy = destroy,
                                                 .target = {.system_as_text = true,
                                                            .one_machine = true,
                                                            .recorder_members = true,
                                                            .unsigned_ids = true,
                                                            .bind_ids_apart = true}};
