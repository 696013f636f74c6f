/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_damage.h"

#include "protobuf/unpack.h"
#include "protos/field_numbers.h"
#include "protos/perfetto/trace_packet.pb-c.h"

struct tb_packet_damage tb_packet_find_damage(struct tb_str packet, uint32_t kind) {
  struct tb_packet_damage damage = {.payload = false};
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    const ProtobufCFieldDescriptor *known =
        protobuf_c_message_descriptor_get_field(&perfetto__protos__trace_packet__descriptor, field.number);
    if (!known || known->type != PROTOBUF_C_TYPE_MESSAGE) continue;
    if (tb_message_check(known->descriptor, field.bytes) != TB_BAD_DATA) continue;
    *(field.number == kind ? &damage.payload : &damage.rest) = true;
  }
  return damage;
}

/* ---- columns of a bundle ----------------------------------------------------------------------------------------- */

enum { COLUMNS_MAX = 5 };

/* How many values the packed column has; false where it is damaged. *is_there: the message has such a field. */
static bool count_values(struct tb_str compact, uint32_t number, size_t *count, bool *is_there) {
  struct tb_wire_cursor cursor = tb_wire_cursor(compact);
  struct tb_wire_field field;
  enum tb_status status;
  *count = 0;
  *is_there = false;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK)
    if (field.number == number && field.type == TB_WIRE_BYTES) break;
  if (status != TB_OK) return true;
  *is_there = true;
  const char *at = field.bytes.ptr, *end = field.bytes.ptr + field.bytes.len;
  for (uint64_t value; at && at < end; *count += at != NULL) at = tb_wire_read_varint(at, end, &value);
  return at != NULL || !field.bytes.len;
}

/* `numbers`: the columns, of which the first two are needed; 0: no more. */
static bool are_damaged(struct tb_str compact, const uint32_t numbers[COLUMNS_MAX]) {
  size_t rows = 0;
  for (size_t i = 0; i < COLUMNS_MAX && numbers[i]; i++) {
    size_t count;
    bool is_there;
    if (!count_values(compact, numbers[i], &count, &is_there)) return true;
    if (!i) rows = count;
    if ((is_there || i == 1) && count != rows) return true;
  }
  return false;
}

bool tb_bundle_has_damaged_columns(struct tb_str bundle) {
  static const uint32_t switches[COLUMNS_MAX] = {
      TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PID,
      TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_PREV_STATE, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PRIO,
      TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_COMM_INDEX};
  static const uint32_t wakings[COLUMNS_MAX] = {
      TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_PID,
      TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_PRIO, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_COMM_INDEX,
      TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TARGET_CPU};
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle);
  struct tb_wire_field field;
  struct tb_str compact = {NULL, 0};
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED && field.type == TB_WIRE_BYTES) compact = field.bytes;
  return are_damaged(compact, switches) || are_damaged(compact, wakings);
}
