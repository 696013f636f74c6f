/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewriting clock snapshots: clocks get their new ids, the input's trace clock moves, and the merged trace's clock is
 * read too.
 */
#include "merge/rewrite/rewrite_internal.h"
#include "perfetto/clock/snapshot.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

static int64_t moved(struct tb_edit *e, uint32_t machine, int64_t ns) {
  return e->map->time(e->map->ctx, machine, TB_CLOCK_UNKNOWN, ns);
}

static enum tb_status change_number(struct tb_edit *e, const struct tb_wire_field *field, uint64_t value,
                                    uint64_t *count) {
  if (value == field->value) return TB_OK;
  if (count) ++*count;
  return tb_message_patches_number(e->patches, field, value);
}

/* One reading of a snapshot. */
static enum tb_status edit_reading(struct tb_edit *e, uint32_t machine, const struct tb_snapshot_clock *reading,
                                   struct tb_str in) {
  struct tb_remap *map = e->map;
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  bool moves = map->moved_clock && reading->id == map->moved_clock && reading->unit <= INT64_MAX;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID && reading->id <= UINT32_MAX) {
      uint32_t to = tb_remap_clock(map, machine, (uint32_t)reading->id);
      status = change_number(e, &field, to, &map->clocks_changed);
    } else if (field.number == TB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP && moves) {
      int64_t to = moved(e, machine, (int64_t)(field.value * reading->unit)) / (int64_t)reading->unit;
      status = change_number(e, &field, (uint64_t)to, &map->times_changed);
    }
  }
  return status;
}

/* A reading of the merged trace's clock, at the message's end. */
static enum tb_status add_reading(struct tb_edit *e, const char *end, int64_t time) {
  uint64_t value = (uint64_t)time, id = e->map->added_clock;
  size_t len = 2 + tb_wire_varint_size(id) + tb_wire_varint_size(value);
  enum tb_status status = tb_message_patches_varint(e->patches, end, 0, TB_CLOCK_SNAPSHOT_CLOCKS << 3 | TB_WIRE_BYTES);
  if (status == TB_OK) status = tb_message_patches_varint(e->patches, end, 0, len);
  if (status == TB_OK) status = tb_message_patches_insert(e->patches, end, TB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, id);
  return status == TB_OK ? tb_message_patches_insert(e->patches, end, TB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, value)
                         : status;
}

/* What the snapshot's readings say, before they change. */
struct addition {
  bool wanted;
  int64_t time;
};

static enum tb_status edit_clock(struct tb_edit *e, uint32_t machine, const struct tb_wire_field *field,
                                 struct addition *addition) {
  struct tb_snapshot_clock reading;
  (void)tb_snapshot_clock_read(field->bytes, &reading); /* of a damaged one, what can be read */
  if (e->map->added_clock && reading.id == e->map->added_from) {
    addition->wanted = true;
    addition->time = moved(e, machine, tb_snapshot_clock_ns(&reading));
  }
  struct tb_message_patches_mark mark;
  enum tb_status status = tb_message_patches_begin(e->patches, field, &mark);
  if (status == TB_OK) status = edit_reading(e, machine, &reading, field->bytes);
  if (status == TB_OK) tb_message_patches_end(e->patches, field, &mark);
  return status;
}

static enum tb_status edit_readings(struct tb_edit *e, uint32_t machine, struct tb_str in, bool add_primary) {
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  struct addition addition = {false, 0};
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK && field.type == TB_WIRE_VARINT && e->map->trace_clock) {
      status = change_number(e, &field, e->map->trace_clock, NULL);
      add_primary = false;
    } else if (field.number == TB_CLOCK_SNAPSHOT_CLOCKS && field.type == TB_WIRE_BYTES) {
      status = edit_clock(e, machine, &field, &addition);
    }
  }
  bool whole = cursor.at == cursor.end;
  if (status == TB_OK && addition.wanted && whole) status = add_reading(e, cursor.end, addition.time);
  if (status == TB_OK && add_primary && whole)
    status =
        tb_message_patches_insert(e->patches, cursor.end, TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, e->map->trace_clock);
  return status;
}

enum tb_status tb_edit_snapshot(struct tb_edit *e, uint32_t machine, struct tb_str in) {
  return edit_readings(e, machine, in, e->map->names_trace_clock);
}

/* One round of a RemoteClockSync: readings of the packet's machine and of the host. */
static enum tb_status edit_round(struct tb_edit *e, struct tb_str in) {
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES || (field.number != TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS &&
                                        field.number != TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_HOST_CLOCKS))
      continue;
    struct tb_message_patches_mark mark;
    status = tb_message_patches_begin(e->patches, &field, &mark);
    uint32_t machine = field.number == TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS ? e->packet->machine_in : 0;
    if (status == TB_OK) status = edit_readings(e, machine, field.bytes, false);
    if (status == TB_OK) tb_message_patches_end(e->patches, &field, &mark);
  }
  return status;
}

enum tb_status tb_edit_sync(struct tb_edit *e, struct tb_str in) {
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  for (size_t round = 0; status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK;) {
    if (field.number != TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS || field.type != TB_WIRE_BYTES) continue;
    if (round++ && e->map->ends_syncs) {
      status = tb_message_patches_remove(e->patches, &field);
      continue;
    }
    struct tb_message_patches_mark mark;
    status = tb_message_patches_begin(e->patches, &field, &mark);
    if (status == TB_OK) status = edit_round(e, field.bytes);
    if (status == TB_OK) tb_message_patches_end(e->patches, &field, &mark);
  }
  return status;
}
