/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/ftrace_window.h"

#include "protobuf/number_cursor.h"
#include "protos/field_numbers.h"

static bool is_in(const struct tb_ftrace_bundle *bundle, const struct tb_window *window, uint64_t raw) {
  int64_t time;
  return !tb_ftrace_bundle_time(bundle, raw, &time) || tb_window_has(window, time);
}

/* The time of an event, which most have first. */
static uint64_t time_of(struct tb_str event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(event);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_FTRACE_EVENT_TIMESTAMP) return field.value;
  return 0;
}

enum tb_ftrace_part tb_ftrace_part_of(const struct tb_ftrace_bundle *bundle, const struct tb_window *window) {
  static const uint32_t columns[] = {TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP,
                                     TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP};
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle->bytes);
  struct tb_wire_field field;
  bool any_in = false, any_out = false;
  while (!(any_in && any_out) && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_FTRACE_EVENT_BUNDLE_EVENT || field.type != TB_WIRE_BYTES) continue;
    bool in = is_in(bundle, window, time_of(field.bytes));
    any_in |= in;
    any_out |= !in;
  }
  for (int i = 0; i < 2; i++) {
    struct tb_number_cursor column = tb_number_cursor(bundle->compact, columns[i]);
    uint64_t raw = 0;
    while (!(any_in && any_out) && tb_ftrace_next_time(&column, &raw)) {
      bool in = is_in(bundle, window, raw);
      any_in |= in;
      any_out |= !in;
    }
  }
  return !any_out ? TB_FTRACE_ALL : any_in ? TB_FTRACE_SOME : TB_FTRACE_NONE;
}

/* The rows of one column that are in the window, by the column of their times. */
static enum tb_status append_column(const struct tb_ftrace_bundle *bundle, const struct tb_window *window,
                                    uint32_t number, uint32_t times, struct tb_buffer *buffer) {
  struct tb_number_cursor column = tb_number_cursor(bundle->compact, number);
  struct tb_number_cursor time = tb_number_cursor(bundle->compact, times);
  uint64_t raw = 0, last = 0, value;
  enum tb_status status = tb_wire_buffer_open(buffer, number);
  size_t body = buffer->len;
  while (status == TB_OK && tb_ftrace_next_time(&time, &raw) && tb_number_cursor_next(&column, &value)) {
    if (!is_in(bundle, window, raw)) continue;
    if (number == times) value = raw - last;
    last = raw;
    status = tb_buffer_reserve(buffer, TB_WIRE_VARINT_MAX);
    if (status == TB_OK) buffer->len = (size_t)(tb_wire_put_varint(buffer->data + buffer->len, value) - buffer->data);
  }
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

static enum tb_status append_field(const struct tb_wire_field *field, const char *end, struct tb_buffer *buffer) {
  return tb_buffer_append(buffer, field->start, (size_t)(end - field->start));
}

static enum tb_status append_compact(const struct tb_ftrace_bundle *bundle, const struct tb_window *window,
                                     struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle->compact);
  struct tb_wire_field field;
  uint32_t done = 0; /* columns, as bits */
  enum tb_status status = tb_wire_buffer_open(buffer, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    bool switches = tb_ftrace_is_switch_column(field.number), wakings = tb_ftrace_is_waking_column(field.number);
    if (!switches && !wakings) {
      status = append_field(&field, cursor.at, buffer);
    } else if (!(done & 1u << field.number)) {
      done |= 1u << field.number;
      status = append_column(bundle, window, field.number,
                             switches ? TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP
                                      : TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP,
                             buffer);
    }
  }
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

static enum tb_status append_bundle(const struct tb_ftrace_bundle *bundle, const struct tb_window *window,
                                    struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle->bytes);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET_FTRACE_EVENTS);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED && field.type == TB_WIRE_BYTES)
      status = append_compact(bundle, window, buffer);
    else if (field.number != TB_FTRACE_EVENT_BUNDLE_EVENT || is_in(bundle, window, time_of(field.bytes)))
      status = append_field(&field, cursor.at, buffer);
  }
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

enum tb_status tb_ftrace_append_part(const struct tb_ftrace_bundle *bundle, struct tb_str packet,
                                     const struct tb_window *window, struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    status = field.number == TB_TRACE_PACKET_FTRACE_EVENTS && field.bytes.ptr == bundle->bytes.ptr
                 ? append_bundle(bundle, window, buffer)
                 : append_field(&field, cursor.at, buffer);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}
