/* SPDX-License-Identifier: Apache-2.0 */
#include "support/event_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const type_names[] = {
    "BEGIN",     "END",        "COMPLETE",  "INSTANT",    "COUNTER",    "ASYNC_BEGIN", "ASYNC_INSTANT",
    "ASYNC_END", "FLOW_BEGIN", "FLOW_STEP", "FLOW_END",   "OBJECT_NEW", "OBJECT",      "OBJECT_GONE",
    "ENTER",     "LEAVE",      "LINK",      "CLOCK_SYNC", "MEMORY",     "STATE",       "LOG",
    "OTHER",     "TRACK",      "METADATA",  "ATTRIBUTE",  "FRAME",      "SAMPLE",      "SYSTEM",
    "CLOCKS",    "LOSS",       "PACKETS",   "BLOB",       "EDGE"};

__attribute__((format(printf, 2, 3))) static void put(struct tb_buffer *out, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int len = vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  if (len < 0 || (size_t)len >= sizeof(text) || tb_buffer_append(out, text, (size_t)len) != TB_OK) abort();
}

static void put_slice(struct tb_buffer *out, const char *before, struct tb_str text) {
  put(out, "%s%.*s", before, (int)text.len, text.ptr ? text.ptr : "");
}

static void put_args(struct tb_buffer *out, const struct tb_arg *args, uint32_t count);

static void put_arg(struct tb_buffer *out, const struct tb_arg *arg) {
  if (arg->name.ptr) put_slice(out, "", arg->name);
  if (arg->name.ptr) put(out, arg->flags & TB_ARG_TYPED ? ":=" : "=");
  switch ((enum tb_arg_type)arg->type) {
    case TB_ARG_NULL:
      put(out, "null");
      break;
    case TB_ARG_BOOL:
      put(out, arg->u ? "true" : "false");
      break;
    case TB_ARG_INT:
      put(out, "%" PRId64, arg->i);
      break;
    case TB_ARG_UINT:
      put(out, "%" PRIu64 "u", arg->u);
      break;
    case TB_ARG_DOUBLE:
      put(out, "%gd", arg->d);
      break;
    case TB_ARG_STRING:
      put_slice(out, "'", arg->text);
      put(out, "'");
      break;
    case TB_ARG_POINTER:
      put(out, "0x%" PRIx64, arg->u);
      break;
    case TB_ARG_KOID:
      put(out, "koid %" PRIu64, arg->u);
      break;
    case TB_ARG_JSON:
      put_slice(out, "json ", arg->text);
      break;
    case TB_ARG_BLOB:
      put(out, "blob %zu", arg->text.len);
      break;
    case TB_ARG_DICT:
      put_args(out, arg + 1, arg->span - 1);
      break;
    case TB_ARG_ARRAY:
      put(out, "[");
      put_args(out, arg + 1, arg->span - 1);
      put(out, "]");
      break;
  }
}

static void put_args(struct tb_buffer *out, const struct tb_arg *args, uint32_t count) {
  put(out, "{");
  for (uint32_t i = 0; i < count; i += args[i].span) {
    if (i) put(out, " ");
    put_arg(out, &args[i]);
  }
  put(out, "}");
}

static void put_track(struct tb_buffer *out, const struct tb_track *track) {
  static const char *const names[] = {"trace", "process", "thread", "track", "counter"};
  put(out, "%s", names[track->type]);
  if (track->has_pid) put(out, " %" PRId64, track->pid);
  if (track->has_tid) put(out, "/%" PRId64, track->tid);
  if (track->machine) put(out, " on machine %" PRIu32, track->machine);
  if (track->name.len) {
    put_slice(out, " '", track->name);
    put(out, "'");
  }
}

static void put_id(struct tb_buffer *out, const char *what, const struct tb_id *id) {
  static const char *const kinds[] = {"", "", "local ", "global "};
  if (id->kind == TB_ID_NONE) return;
  put(out, " %s%s", what, kinds[id->kind]);
  if (id->is_number)
    put(out, "%" PRIu64, id->value);
  else
    put_slice(out, "", id->text);
}

static void put_frame(struct tb_buffer *out, const struct tb_frame *frame) {
  put_slice(out, " <", frame->function);
  if (frame->mapping.len) put_slice(out, " in ", frame->mapping);
  if (frame->file.len) put_slice(out, " at ", frame->file);
  if (frame->line) put(out, ":%" PRIu32, frame->line);
  if (frame->pc) put(out, " pc %" PRIu64, frame->pc);
  put(out, ">");
}

static void put_flows(struct tb_buffer *out, const struct tb_event *event) {
  for (uint32_t i = 0; i < event->flow_count; i++) put(out, " flow %" PRIu64, event->flow_ids[i]);
  for (uint32_t i = 0; i < event->terminating_flow_count; i++) {
    put(out, " flow end %" PRIu64, event->terminating_flow_ids[i]);
  }
  put_id(out, "bind ", &event->bind_id);
  if (event->has & TB_HAS_FLOW_IN) put(out, " in");
  if (event->has & TB_HAS_FLOW_OUT) put(out, " out");
  if (event->has & TB_HAS_BIND_ENCLOSING) put(out, " enclosing");
}

static void put_rare(struct tb_buffer *out, const struct tb_event *event) {
  put_id(out, "id ", &event->id);
  if (event->scope.len) put_slice(out, " scope ", event->scope);
  put_flows(out, event);
  if (event->has & TB_HAS_CORRELATION) put(out, " correlation %" PRIu64, event->correlation_id);
  if (event->correlation_text.len) put_slice(out, " ", event->correlation_text);
  if (event->has & TB_HAS_CPU) put(out, " cpu %" PRIu32, event->cpu);
  if (event->priority) put(out, " prio %" PRId32, event->priority);
  if (event->has & TB_HAS_WEIGHT) put(out, " weight %g", event->weight);
  if (event->log_level) put(out, " level %d", event->log_level);
  if (event->phase_text.len) put_slice(out, " phase ", event->phase_text);
  if (event->parent_frame.len) put_slice(out, " parent ", event->parent_frame);
  for (uint32_t i = 0; i < event->stack.frame_count; i++) put_frame(out, &event->stack.frames[i]);
  if (event->source_location.function.len || event->source_location.file.len) {
    put(out, " from");
    put_frame(out, &event->source_location);
  }
  for (uint32_t i = 0; i < event->clock_count; i++) {
    put(out, " %" PRIu32 "=%" PRId64, event->clocks[i].clock, event->clocks[i].ns);
  }
  if (event->blob.len) put(out, " blob %zu", event->blob.len);
}

void tb_event_text(struct tb_buffer *out, const struct tb_event *event) {
  if (event->has & TB_HAS_TS) put(out, "%" PRId64 " ", event->ts);
  put(out, "%s", type_names[event->type]);
  if (event->phase) put(out, "[%c%c", event->phase, event->instant_scope ? event->instant_scope : ']');
  if (event->phase && event->instant_scope) put(out, "]");
  if (event->track) {
    put(out, " ");
    put_track(out, event->track);
  }
  if (event->thread) put(out, " by %" PRId64 "/%" PRId64, event->thread->pid, event->thread->tid);
  if (event->has & TB_HAS_NAME) put_slice(out, " \"", event->name);
  if (event->has & TB_HAS_NAME) put(out, "\"");
  if (event->has & TB_HAS_CATEGORIES) put_slice(out, " (", event->categories);
  if (event->has & TB_HAS_CATEGORIES) put(out, ")");
  if (event->has & TB_HAS_DUR) put(out, " dur %" PRId64, event->dur);
  if (event->has & TB_HAS_THREAD_TS) put(out, " tts %" PRId64, event->thread_ts);
  if (event->has & TB_HAS_THREAD_DUR) put(out, " tdur %" PRId64, event->thread_dur);
  if (event->has & TB_HAS_THREAD_INSTRUCTIONS) put(out, " instructions %" PRId64, event->thread_instruction_count);
  if (event->flow_from) put(out, " from #%" PRIu64, event->flow_from);
  if (event->slice_id) put(out, " #%" PRIu64, event->slice_id);
  put_rare(out, event);
  if (event->arg_count) put(out, " ");
  if (event->arg_count) put_args(out, event->args, event->arg_count);
  if (event->extra_count) put(out, " extra ");
  if (event->extra_count) put_args(out, event->extra, event->extra_count);
  put(out, "\n");
}

static enum tb_status take(struct tb_reader *reader, struct tb_buffer *out) {
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) tb_event_text(out, event);
  return status;
}

static void finish(struct tb_reader *reader, struct tb_buffer *out) {
  size_t count;
  const struct tb_loss *losses = tb_reader_losses(reader, &count);
  for (size_t i = 0; i < count; i++) {
    put(out, "lost %" PRIu64 " at %" PRIu64 ": %s\n", losses[i].count, losses[i].first_offset, losses[i].reason);
  }
  tb_reader_close(reader);
  if (tb_buffer_append(out, "", 1) != TB_OK) abort();
}

enum tb_status tb_event_text_of_file(const char *path, const struct tb_reader_options *options, struct tb_buffer *out) {
  struct tb_reader *reader;
  tb_buffer_init(out, tb_default_allocator(), 0);
  enum tb_status status = tb_reader_open(path, options, &reader, NULL);
  if (status != TB_OK) return status;
  status = take(reader, out);
  finish(reader, out);
  return status;
}

enum tb_status tb_event_text_of_bytes(const char *data, size_t len, size_t step, struct tb_buffer *out) {
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .format = TB_FORMAT_PERFETTO};
  struct tb_reader *reader;
  tb_buffer_init(out, tb_default_allocator(), 0);
  enum tb_status status = tb_reader_create_feed("bytes", &options, &reader, NULL);
  if (status != TB_OK) return status;
  for (size_t at = 0; at < len && (status == TB_OK || status == TB_AGAIN); at += step) {
    status = tb_reader_feed(reader, data + at, len - at < step ? len - at : step);
    if (status == TB_OK) status = take(reader, out);
  }
  tb_reader_feed_end(reader);
  if (status == TB_OK || status == TB_AGAIN) status = take(reader, out);
  finish(reader, out);
  return status;
}
