/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/ftrace_packet.h"

#include "base/times.h"
#include "protos/field_numbers.h"

/* The change of a field; NULL: it stays. */
static const struct tb_ftrace_change *find_change(const struct tb_ftrace_change *changes, size_t count,
                                                  uint32_t number) {
  for (size_t i = 0; i < count; i++)
    if (changes[i].number == number) return &changes[i];
  return NULL;
}

enum tb_status tb_ftrace_append_changed(const struct tb_ftrace_event *event, const struct tb_ftrace_change *changes,
                                        size_t count, struct tb_buffer *b) {
  struct tb_wire_cursor cursor = tb_wire_cursor(event->payload);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_uint(b, TB_FTRACE_EVENT_PID, (uint64_t)event->pid);
  if (status == TB_OK) status = tb_wire_buffer_open(b, event->kind);
  size_t body = b->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    const struct tb_ftrace_change *change = find_change(changes, count, field.number);
    status = change ? tb_wire_buffer_uint(b, field.number, change->value) : tb_wire_buffer_field(b, &field, cursor.at);
  }
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* Time of machine 0's trace clock as a machine reads BOOTTIME, on which a bundle's times are that says nothing else. */
static bool to_boot(const struct tb_walk *walk, uint32_t machine, int64_t time, uint64_t *raw) {
  struct tb_input_clocks *clocks = &walk->source->prescan.clocks;
  int64_t ns = tb_time_add(time, tb_walk_ahead(walk, machine));
  if (clocks->primary != TB_CLOCK_BOOTTIME &&
      !tb_input_clocks_convert_back(clocks, machine, TB_CLOCK_BOOTTIME, ns, &ns))
    return false;
  *raw = (uint64_t)ns;
  return true;
}

/* The event's fields but its time. */
static enum tb_status append_event(struct tb_str event, uint64_t raw, struct tb_buffer *b) {
  struct tb_wire_cursor cursor = tb_wire_cursor(event);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(b, TB_FTRACE_EVENT_BUNDLE_EVENT);
  size_t body = b->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_FTRACE_EVENT_TIMESTAMP, raw);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number != TB_FTRACE_EVENT_TIMESTAMP) status = tb_wire_buffer_field(b, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

/* A list with one number in it. */
static enum tb_status append_column(uint32_t number, uint64_t value, struct tb_buffer *b) {
  enum tb_status status = tb_wire_buffer_open(b, number);
  size_t body = b->len;
  if (status == TB_OK) status = tb_buffer_reserve(b, TB_WIRE_VARINT_MAX);
  if (status != TB_OK) return status;
  b->len = (size_t)(tb_wire_put_varint(b->data + b->len, value) - b->data);
  return tb_wire_buffer_close(b, body);
}

/* A switch as the row of compact_sched that it was. Readers do not show the first one of a processor, but take it for
 * what runs before the next. */
static enum tb_status append_row(struct tb_str event, uint64_t raw, struct tb_buffer *b) {
  struct tb_ftrace_event read;
  tb_ftrace_event_read(event, &read);
  enum tb_status status = tb_wire_buffer_open(b, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED);
  size_t body = b->len;
  if (status == TB_OK)
    status = tb_wire_buffer_bytes(b, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE,
                                  tb_wire_find_bytes(read.payload, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM));
  if (status == TB_OK) status = append_column(TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP, raw, b);
  if (status == TB_OK) status = append_column(TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_PREV_STATE, 0, b);
  if (status == TB_OK)
    status = append_column(TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PID,
                           tb_wire_find_number(read.payload, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID), b);
  if (status == TB_OK)
    status = append_column(TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PRIO,
                           tb_wire_find_number(read.payload, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO), b);
  if (status == TB_OK) status = append_column(TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_COMM_INDEX, 0, b);
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

/* The function that an event names, to a sequence that the trace does not have. */
static enum tb_status append_symbol(const struct tb_walk *walk, struct tb_str name, uint32_t symbol,
                                    struct tb_buffer *b) {
  uint32_t own = walk->source->prescan.clocks.sequences.max_id + 1;
  uint64_t flags = TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED | TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE;
  enum tb_status status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, own);
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
  if (status == TB_OK) status = tb_wire_buffer_open(b, TB_TRACE_PACKET_INTERNED_DATA);
  size_t interned = b->len;
  if (status == TB_OK) status = tb_wire_buffer_open(b, TB_INTERNED_DATA_KERNEL_SYMBOLS);
  size_t entry = b->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_INTERNED_STRING_IID, symbol);
  if (status == TB_OK) status = tb_wire_buffer_bytes(b, TB_INTERNED_STRING_STR, name);
  if (status == TB_OK) status = tb_wire_buffer_close(b, entry);
  return status == TB_OK ? tb_wire_buffer_close(b, interned) : status;
}

/* The event in a bundle of its own, in the form that `append` writes. */
static enum tb_status append_bundle(const struct tb_walk *walk, const struct tb_ftrace_kept *kept, int64_t time,
                                    enum tb_status (*append)(struct tb_str event, uint64_t raw, struct tb_buffer *b),
                                    struct tb_buffer *b) {
  uint64_t raw;
  if (!to_boot(walk, kept->machine, time, &raw)) return TB_OK;
  enum tb_status status = tb_wire_buffer_open(b, TB_TRACE_PACKET);
  size_t packet = b->len;
  if (status == TB_OK && kept->machine) status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_MACHINE_ID, kept->machine);
  if (status == TB_OK && kept->symbol) status = append_symbol(walk, kept->symbol_name, kept->symbol, b);
  if (status == TB_OK) status = tb_wire_buffer_open(b, TB_TRACE_PACKET_FTRACE_EVENTS);
  size_t bundle = b->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_FTRACE_EVENT_BUNDLE_CPU, kept->cpu);
  if (status == TB_OK) status = append(kept->bytes, raw, b);
  if (status == TB_OK) status = tb_wire_buffer_close(b, bundle);
  return status == TB_OK ? tb_wire_buffer_close(b, packet) : status;
}

enum tb_status tb_ftrace_append_packet(const struct tb_walk *walk, const struct tb_ftrace_kept *kept, int64_t time,
                                       struct tb_buffer *b) {
  return append_bundle(walk, kept, time, append_event, b);
}

enum tb_status tb_ftrace_append_row_packet(const struct tb_walk *walk, const struct tb_ftrace_kept *kept, int64_t time,
                                           struct tb_buffer *b) {
  return append_bundle(walk, kept, time, append_row, b);
}
