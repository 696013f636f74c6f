/* SPDX-License-Identifier: Apache-2.0
 *
 * Android's log.
 */
#include "perfetto/reader/reader.h"

static const char LOSS_CLOCK[] = "log messages on a clock that nothing relates to the trace clock";

enum { LOG_ARGS_MAX = 64 };

struct log_line {
  int64_t pid, tid, ts;
  struct tb_str tag, message;
  uint8_t level;
  struct tb_arg *args;
  uint32_t arg_count;
};

static void read_arg(struct tb_str message, struct tb_arg *arg) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  *arg = (struct tb_arg){.span = 1};
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    switch (field.number) {
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_ARG_NAME:
        arg->name = field.bytes;
        break;
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_ARG_INT_VALUE:
        arg->type = TB_ARG_INT;
        arg->u = field.value;
        break;
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_ARG_FLOAT_VALUE: {
        float number;
        memcpy(&number, &field.value, sizeof(number));
        arg->type = TB_ARG_DOUBLE;
        arg->d = (double)number;
        break;
      }
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_ARG_STRING_VALUE:
        arg->type = TB_ARG_STRING;
        arg->text = field.bytes;
        break;
      default:
        break;
    }
  }
}

static void add_arg(struct tb_perfetto_reader *r, struct log_line *line, const struct tb_arg *arg) {
  if (!line->args) line->args = tb_perfetto_alloc(r, LOG_ARGS_MAX * sizeof(*line->args));
  if (line->args && line->arg_count < LOG_ARGS_MAX) line->args[line->arg_count++] = *arg;
}

static enum tb_status read_line(struct tb_perfetto_reader *r, struct tb_str message, struct log_line *line) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  struct tb_arg arg;
  *line = (struct log_line){0};
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    switch (field.number) {
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_PID:
        line->pid = (int32_t)field.value;
        break;
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_TID:
        line->tid = (int32_t)field.value;
        break;
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_TIMESTAMP:
        line->ts = (int64_t)field.value;
        break;
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_TAG:
        line->tag = field.bytes;
        arg = (struct tb_arg){.name = TB_STR("tag"), .type = TB_ARG_STRING, .text = field.bytes, .span = 1};
        add_arg(r, line, &arg);
        break;
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_PRIO:
        line->level = (uint8_t)field.value;
        break;
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_MESSAGE:
        line->message = field.bytes;
        break;
      case TB_ANDROID_LOG_PACKET_LOG_EVENT_ARGS:
        read_arg(field.bytes, &arg);
        add_arg(r, line, &arg);
        break;
      default:
        break;
    }
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

static enum tb_status emit_line(struct tb_perfetto_reader *r, struct log_line *line) {
  bool related = tb_trace_state_convert(&r->state, &r->head, TB_CLOCK_REALTIME, line->ts, &line->ts);
  if (!related && tb_trace_state_has_clocks(&r->state, &r->head)) return tb_perfetto_lose(r, LOSS_CLOCK);
  struct tb_perfetto_track *track = tb_perfetto_thread(r, &line->pid, line->tid);
  if (!track) return TB_OK;
  tb_perfetto_emit_track(r, track);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_LOG);
  event->has = TB_HAS_TS | TB_HAS_NAME | (line->arg_count ? TB_HAS_ARGS : 0u);
  event->ts = line->ts;
  event->track = &track->track;
  event->name = line->message.len ? line->message : line->tag;
  event->log_level = line->level <= TB_LOG_FATAL ? line->level : TB_LOG_NONE;
  event->args = line->args;
  event->arg_count = line->arg_count;
  return TB_OK;
}

enum tb_status tb_perfetto_android_log(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  while (!r->full && (status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.number != TB_ANDROID_LOG_PACKET_EVENTS || field.type != TB_WIRE_BYTES) continue;
    struct log_line line;
    status = read_line(r, field.bytes, &line);
    if (status == TB_OK) status = emit_line(r, &line);
    if (status != TB_OK) return status;
  }
  return r->full || status == TB_END ? TB_OK : TB_BAD_DATA;
}
