/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the Trace Event Format: {"traceEvents":[ one event a line ], what else there is}. Events go out as they come.
 */
#include "base/error.h"
#include "json/json_writer_state.h"

enum { FLUSH_BYTES = 256 * 1024, SPOOL_BYTES = 16 << 20 };

static enum tb_status fail(struct tb_json_writer *w, enum tb_status status) {
  return tb_fail(&w->writer->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

static enum tb_status flush(struct tb_json_writer *w) {
  enum tb_status status = tb_output_write(w->writer->output, w->out.buffer.data, w->out.buffer.len, &w->writer->error);
  w->out.buffer.len = 0;
  return status;
}

void tb_json_lose(struct tb_json_writer *w, const char *reason, const struct tb_event *event) {
  tb_losses_add(&w->writer->losses, reason, event->offset);
}

/* Moves what was written in `scratch` to a spool, parted by commas. */
static enum tb_status spool_scratch(struct tb_json_writer *w, struct tb_spool *spool) {
  const struct tb_buffer *text = &w->scratch.buffer;
  if (w->scratch.status != TB_OK) return fail(w, w->scratch.status);
  size_t skip = tb_spool_empty(spool) ? 1 : 0; /* the first needs no comma */
  return tb_spool_add(spool, text->data + skip, text->len - skip, &w->writer->error);
}

static enum tb_status put_stack_frame(struct tb_json_writer *w, const struct tb_event *event) {
  struct tb_json_emit *emit = &w->scratch;
  emit->buffer.len = 0;
  TB_JSON_EMIT(emit, ",\n");
  tb_json_emit_string(emit, event->id.text);
  TB_JSON_EMIT(emit, ":");
  size_t start = emit->buffer.len;
  tb_json_event_head(emit, event);
  (void)start;
  return spool_scratch(w, &w->frames);
}

static enum tb_status put_top(struct tb_json_writer *w, const struct tb_event *event) {
  if (!event->arg_count) return TB_OK;
  TB_JSON_EMIT(&w->top, ",\n");
  tb_json_emit_string(&w->top, event->name);
  TB_JSON_EMIT(&w->top, ":");
  tb_json_emit_value(&w->top, event->args, NULL);
  return w->top.status == TB_OK ? TB_OK : fail(w, w->top.status);
}

static char default_phase(const struct tb_event *event) {
  if (event->phase) return event->phase;
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN: return 'B';
    case TB_EVENT_SLICE_END: return 'E';
    case TB_EVENT_SLICE_COMPLETE: return 'X';
    case TB_EVENT_LOG:
    case TB_EVENT_INSTANT: return 'i';
    case TB_EVENT_COUNTER: return 'C';
    case TB_EVENT_ASYNC_BEGIN: return 'b';
    case TB_EVENT_ASYNC_INSTANT: return 'n';
    case TB_EVENT_ASYNC_END: return 'e';
    case TB_EVENT_FLOW_BEGIN: return 's';
    case TB_EVENT_FLOW_STEP: return 't';
    case TB_EVENT_FLOW_END: return 'f';
    case TB_EVENT_OBJECT_CREATE: return 'N';
    case TB_EVENT_OBJECT_SNAPSHOT: return 'O';
    case TB_EVENT_OBJECT_DELETE: return 'D';
    case TB_EVENT_CONTEXT_ENTER: return '(';
    case TB_EVENT_CONTEXT_LEAVE: return ')';
    case TB_EVENT_ID_LINK: return '=';
    case TB_EVENT_CLOCK_SYNC: return 'c';
    case TB_EVENT_MEMORY_DUMP: return 'v';
    case TB_EVENT_THREAD_STATE: return 'T';
    case TB_EVENT_METADATA: return 'M';
    default: return 0;
  }
}

static enum tb_status put_any(struct tb_json_writer *w, const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_STACK_FRAME: return put_stack_frame(w, event);
    case TB_EVENT_TRACE_METADATA: return put_top(w, event);
    case TB_EVENT_TRACK: return TB_OK;
    default: tb_json_event_whole(w, event, default_phase(event)); return TB_OK;
  }
}

static enum tb_status put(struct tb_writer *writer, const struct tb_event *event) {
  struct tb_json_writer *w = writer->state;
  enum tb_status status = put_any(w, event);
  if (status != TB_OK) return status;
  if (w->out.status != TB_OK) return fail(w, w->out.status);
  return w->out.buffer.len < FLUSH_BYTES ? TB_OK : flush(w);
}

static enum tb_status finish(struct tb_writer *writer) {
  struct tb_json_writer *w = writer->state;
  TB_JSON_EMIT(&w->out, "\n]");
  tb_json_emit_raw(&w->out, w->top.buffer.data, w->top.buffer.len);
  TB_JSON_EMIT(&w->out, "}\n");
  if (w->out.status != TB_OK) return fail(w, w->out.status);
  return flush(w);
}

static void destroy(struct tb_writer *writer) {
  struct tb_json_writer *w = writer->state;
  if (!w) return;
  tb_json_emit_free(&w->out);
  tb_json_emit_free(&w->top);
  tb_json_emit_free(&w->scratch);
  tb_spool_free(&w->frames);
  tb_spool_free(&w->samples);
  tb_spool_free(&w->system);
  tb_free(writer->allocator, w, sizeof(*w));
  writer->state = NULL;
}

static enum tb_status create(struct tb_writer *writer) {
  struct tb_json_writer *w = tb_calloc(writer->allocator, sizeof(*w));
  if (!w) return tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  writer->state = w;
  w->writer = writer;
  tb_json_emit_init(&w->out, writer->allocator);
  tb_json_emit_init(&w->top, writer->allocator);
  tb_json_emit_init(&w->scratch, writer->allocator);
  tb_spool_init(&w->frames, writer->allocator, SPOOL_BYTES, writer->options.temporary_directory);
  tb_spool_init(&w->samples, writer->allocator, SPOOL_BYTES, writer->options.temporary_directory);
  tb_spool_init(&w->system, writer->allocator, SPOOL_BYTES, writer->options.temporary_directory);
  TB_JSON_EMIT(&w->out, "{\"traceEvents\":[\n");
  return TB_OK;
}

const struct tb_writer_ops tb_json_writer_ops = {TB_FORMAT_JSON, create, put, finish, destroy};
