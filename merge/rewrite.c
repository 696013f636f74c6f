/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite.h"

#include "perfetto/wire.h"
#include "tracebridge/event.h"

enum { FTRACE_BOOT_TIMESTAMP = 7, FTRACE_CLOCK = 5, LEGACY_PHASE = 2, LEGACY_IN_TRACK_EVENT = 6 };
enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_UNIT = 4 };
enum { SYNC_ROUNDS = 1, SYNC_CLIENT = 2, SYNC_HOST = 3 };
enum { TRACK_EVENT_UUID = 11, PREFIX_MAX = 4096 };

/* A message being rewritten: bytes before `copied` are in `out` already or need no copy yet. */
struct edit {
  const struct tb_field_tree *tree;
  struct tb_remap *map;
  const struct tb_merge_edit *packet;
  struct tb_buffer *out;
  bool own_ftrace_clock; /* the ftrace bundle's times are on a clock of its own */
  bool plain_legacy;     /* the legacy event has no phase: its ids are only kept for the way back */
};

/* Where a message's rewriting stands. */
struct place {
  const char *copied; /* bytes of the message up to here are in out */
  bool changed;
};

static enum tb_status copy_to(struct edit *e, struct place *place, const char *up_to) {
  enum tb_status status = tb_buffer_append(e->out, place->copied, (size_t)(up_to - place->copied));
  place->copied = up_to;
  place->changed = true;
  return status;
}

/* Puts a number in place of a field's; its tag stays. */
static enum tb_status put_number(struct edit *e, struct place *place, const struct tb_wire_field *field,
                                 const char *end, uint64_t value) {
  if (value == field->value) return TB_OK;
  enum tb_status status = copy_to(e, place, field->bytes.ptr);
  if (status == TB_OK) status = tb_buffer_reserve(e->out, TB_WIRE_VARINT_MAX);
  if (status != TB_OK) return status;
  char *at = e->out->data + e->out->len;
  if (field->type == TB_WIRE_VARINT) {
    e->out->len += (size_t)(tb_wire_put_varint(at, value) - at);
  } else {
    size_t size = field->type == TB_WIRE_FIXED64 ? 8 : 4;
    memcpy(at, &value, size);
    e->out->len += size;
  }
  place->copied = end;
  return TB_OK;
}

static enum tb_status add_field(struct edit *e, uint32_t number, uint64_t value) {
  enum tb_status status = tb_buffer_reserve(e->out, 2 * TB_WIRE_VARINT_MAX);
  if (status != TB_OK) return status;
  char *at = e->out->data + e->out->len;
  e->out->len += (size_t)(tb_wire_put_uint(at, number, value) - at);
  return TB_OK;
}

/* ---- ids ------------------------------------------------------------------------------------------------------------- */

static uint64_t salted(uint64_t id, uint64_t salt) {
  uint64_t out = tb_scatter(id + salt);
  return out ? out : salt; /* 0 would mean no id */
}

uint64_t tb_remap_uuid(const struct tb_remap *map, uint64_t uuid) {
  if (!map->uuid_salt || uuid == 0) return uuid;
  const uint64_t *known = map->uuids ? tb_table_get(map->uuids, uuid) : NULL;
  return known ? *known : salted(uuid, map->uuid_salt);
}

uint64_t tb_remap_flow(const struct tb_remap *map, uint64_t id) {
  return map->flow_salt ? salted(id, map->flow_salt) : id;
}

uint32_t tb_remap_sequence(const struct tb_remap *map, uint32_t id) {
  if (id == 0) return 0;
  const uint64_t *known = map->sequences ? tb_table_get(map->sequences, id) : NULL;
  return known ? (uint32_t)*known : id + map->sequence_base;
}

static const uint64_t *of_machine(const struct tb_table *table, uint32_t machine, uint64_t id) {
  return table && id <= UINT32_MAX ? tb_table_get(table, (uint64_t)machine << 32 | id) : NULL;
}

uint32_t tb_remap_clock(const struct tb_remap *map, uint32_t machine, uint32_t clock) {
  const uint64_t *known = of_machine(map->clocks, machine, clock);
  return known ? (uint32_t)*known : clock;
}

static uint64_t new_id(struct edit *e, enum tb_field_kind kind, uint64_t value) {
  struct tb_remap *map = e->map;
  const uint64_t *known;
  uint64_t out = value;
  switch (kind) {
    case TB_FIELD_SEQUENCE:
      return value <= UINT32_MAX ? tb_remap_sequence(map, (uint32_t)value) : value;
    case TB_FIELD_TRACK:
    case TB_FIELD_UUID:
      known = kind == TB_FIELD_TRACK && map->described ? tb_table_get(map->described, value) : NULL;
      out = known ? *known : tb_remap_uuid(map, value);
      map->uuids_changed += out != value;
      return out;
    case TB_FIELD_LEGACY_ID:
      if (e->plain_legacy) return value;
      /* fall through */
    case TB_FIELD_FLOW:
      out = tb_remap_flow(map, value);
      map->flows_changed += out != value;
      return out;
    case TB_FIELD_CLOCK:
      out = value <= UINT32_MAX ? tb_remap_clock(map, e->packet->machine_in, (uint32_t)value) : value;
      map->clocks_changed += out != value;
      return out;
    case TB_FIELD_PID:
    case TB_FIELD_TID:
      known = map->pid_added ? tb_table_get(map->pid_added, e->packet->machine_in) : NULL;
      return known && value && value >> TB_PID_BITS == 0 ? value + *known : value;
    default:
      return value;
  }
}

/* ---- numbers, alone or in a row ---------------------------------------------------------------------------------------- */

static int64_t new_time(struct edit *e, const struct tb_time_field *rule, int64_t value) {
  if (rule->form == TB_TIME_OPTIONAL && value == 0) return 0;
  tb_wide ns = (tb_wide)value * rule->unit;
  if (ns > INT64_MAX || ns < INT64_MIN) return value;
  int64_t moved = e->map->time(e->map->ctx, e->packet->machine_in, rule->clock, (int64_t)ns);
  tb_wide by = (tb_wide)moved - ns, half = rule->unit / 2;
  int64_t out = value + (int64_t)((by >= 0 ? by + half : by - half) / rule->unit);
  e->map->times_changed += out != value;
  return out;
}

static uint64_t new_number(struct edit *e, const struct tb_field_entry *entry, uint64_t value) {
  if (entry->kind != TB_FIELD_TIME) return new_id(e, entry->kind, value);
  return (uint64_t)new_time(e, &tb_time_fields[entry->rule], (int64_t)value);
}

/* The numbers of a packed field; `deltas`: each after the first is a distance. Nothing is written where none changes. */
static enum tb_status put_packed_numbers(struct edit *e, const struct tb_field_entry *entry, struct tb_slice in,
                                         bool *same) {
  bool deltas = entry->kind == TB_FIELD_TIME && tb_time_fields[entry->rule].form == TB_TIME_DELTAS;
  uint64_t old = 0, last = 0;
  *same = true;
  for (const char *at = in.ptr, *end = in.ptr + in.len; at < end;) {
    uint64_t value;
    const char *next = tb_wire_read_varint(at, end, &value);
    if (!next) return TB_BAD_DATA;
    uint64_t out;
    if (deltas) {
      old += value;
      uint64_t now = new_number(e, entry, old);
      out = now - last;
      last = now;
    } else {
      out = new_number(e, entry, value);
    }
    *same &= out == value;
    enum tb_status status = tb_buffer_reserve(e->out, TB_WIRE_VARINT_MAX);
    if (status != TB_OK) return status;
    char *to = e->out->data + e->out->len;
    e->out->len += (size_t)(tb_wire_put_varint(to, out) - to);
    at = next;
  }
  return TB_OK;
}

/* ---- messages --------------------------------------------------------------------------------------------------------------- */

enum { LENGTH_ROOM = TB_WIRE_VARINT_MAX };

/* A length-delimited field whose new content is being written. Room for what stands before it is kept free and filled in only
 * where the content changed, so that many unchanged fields in a row cost no copying. */
struct opened {
  size_t before, front; /* length of out; bytes to copy in front of the field's length */
};

static enum tb_status open_field(struct edit *e, const struct place *place, const struct tb_wire_field *field,
                                 struct opened *opened) {
  uint64_t number;
  const char *after_tag = tb_wire_read_varint(field->start, field->bytes.ptr, &number);
  opened->before = e->out->len;
  opened->front = (size_t)(after_tag - place->copied);
  enum tb_status status = tb_buffer_reserve(e->out, opened->front + LENGTH_ROOM);
  if (status == TB_OK) e->out->len += opened->front + LENGTH_ROOM;
  return status;
}

static void drop_field(struct edit *e, const struct opened *opened) { e->out->len = opened->before; }

static void close_field(struct edit *e, struct place *place, const struct opened *opened, const char *end) {
  size_t body = opened->before + opened->front + LENGTH_ROOM, len = e->out->len - body;
  char *at = e->out->data + opened->before;
  memcpy(at, place->copied, opened->front);
  at = tb_wire_put_varint(at + opened->front, len);
  memmove(at, e->out->data + body, len);
  e->out->len = (size_t)(at - e->out->data) + len;
  place->copied = end;
  place->changed = true;
}

static enum tb_status edit_message(struct edit *e, size_t node, struct tb_slice in, bool *changed);
static enum tb_status edit_snapshot(struct edit *e, uint32_t machine, struct tb_slice in, bool *changed);
static enum tb_status edit_sync(struct edit *e, struct tb_slice in, bool *changed);

static bool has_number(struct tb_slice message, uint32_t number, bool nonzero) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number && field.type == TB_WIRE_VARINT && (field.value || !nonzero)) return true;
  return false;
}

static enum tb_status edit_nested(struct edit *e, const struct tb_field_entry *entry, struct tb_slice in,
                                  bool *changed) {
  if (entry->kind == TB_FIELD_SNAPSHOT) return edit_snapshot(e, e->packet->machine_in, in, changed);
  return edit_message(e, entry->node, in, changed);
}

static enum tb_status put_name(struct edit *e, struct tb_slice in, bool *changed) {
  size_t len = strnlen(e->map->process_prefix, PREFIX_MAX);
  enum tb_status status = tb_buffer_append(e->out, e->map->process_prefix, len);
  if (status == TB_OK) status = tb_buffer_append(e->out, in.ptr, in.len);
  *changed = true;
  return status;
}

static enum tb_status edit_bytes(struct edit *e, struct place *place, const struct tb_field_entry *entry,
                                 const struct tb_wire_field *field, const char *end) {
  struct opened opened;
  enum tb_status status = open_field(e, place, field, &opened);
  bool changed = false, same = true;
  if (status == TB_OK) {
    if (entry->kind == TB_FIELD_MESSAGE || entry->kind == TB_FIELD_SNAPSHOT) {
      status = edit_nested(e, entry, field->bytes, &changed);
    } else if (entry->kind == TB_FIELD_PROCESS_NAME) {
      if (e->map->process_prefix) status = put_name(e, field->bytes, &changed);
    } else {
      status = put_packed_numbers(e, entry, field->bytes, &same);
      changed = !same;
      if (status == TB_BAD_DATA) changed = false, status = TB_OK;
    }
  }
  if (status != TB_OK || !changed)
    drop_field(e, &opened);
  else
    close_field(e, place, &opened, end);
  return status;
}

static bool is_active(const struct edit *e, const struct tb_field_entry *entry) {
  if (entry->kind == TB_FIELD_PLAIN) return false;
  if (entry->kind == TB_FIELD_MESSAGE) return true;
  if (!(e->map->active & 1u << entry->kind)) return false;
  if (entry->kind != TB_FIELD_TIME || !e->own_ftrace_clock) return true;
  const uint16_t *path = tb_time_fields[entry->rule].path;
  return path[0] != TB_MERGE_PACKET_FTRACE || path[1] == FTRACE_BOOT_TIMESTAMP;
}

static enum tb_status edit_field(struct edit *e, struct place *place, const struct tb_field_entry *entry,
                                 const struct tb_wire_field *field, const char *end) {
  if (!is_active(e, entry)) return TB_OK;
  switch (field->type) {
    case TB_WIRE_BYTES:
      return edit_bytes(e, place, entry, field, end);
    case TB_WIRE_VARINT:
    case TB_WIRE_FIXED64:
    case TB_WIRE_FIXED32:
      if (entry->kind == TB_FIELD_MESSAGE || entry->kind == TB_FIELD_SNAPSHOT) return TB_OK;
      return put_number(e, place, field, end, new_number(e, entry, field->value));
    case TB_WIRE_GROUP:
    case TB_WIRE_END_GROUP:
      break;
  }
  return TB_OK;
}

/* What is left of the message, where any of it changed. */
static enum tb_status finish_message(struct edit *e, struct place *place, struct tb_slice in, bool *changed) {
  *changed = place->changed;
  if (!place->changed) return TB_OK;
  return tb_buffer_append(e->out, place->copied, (size_t)(in.ptr + in.len - place->copied));
}

static void look_at_guards(struct edit *e, const struct tb_field_node *parent, uint32_t number, struct tb_slice in) {
  if (parent == e->tree->nodes && number == TB_MERGE_PACKET_FTRACE)
    e->own_ftrace_clock = has_number(in, FTRACE_CLOCK, true);
  if (number == LEGACY_IN_TRACK_EVENT &&
      parent == e->tree->nodes + e->tree->nodes->fields[TB_MERGE_PACKET_TRACK_EVENT].node)
    e->plain_legacy = !has_number(in, LEGACY_PHASE, true);
}

static enum tb_status edit_message(struct edit *e, size_t node_index, struct tb_slice in, bool *changed) {
  const struct tb_field_node *node = &e->tree->nodes[node_index];
  struct place place = {in.ptr, false};
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    const struct tb_field_entry *entry = tb_field_find(node, field.number);
    if (entry->kind == TB_FIELD_PLAIN) continue;
    if (entry->kind == TB_FIELD_MESSAGE) look_at_guards(e, node, field.number, field.bytes);
    enum tb_status status = edit_field(e, &place, entry, &field, cursor.at);
    if (status != TB_OK) return status;
  }
  return finish_message(e, &place, in, changed);
}

/* ---- clock snapshots -------------------------------------------------------------------------------------------------------- */

struct reading {
  uint64_t id, timestamp, unit;
};

static struct reading read_clock(struct tb_slice in) {
  struct reading reading = {.unit = 1};
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == CLOCK_ID) reading.id = field.value;
    if (field.number == CLOCK_TIMESTAMP) reading.timestamp = field.value;
    if (field.number == CLOCK_UNIT && field.value) reading.unit = field.value;
  }
  return reading;
}

static int64_t moved(struct edit *e, uint32_t machine, int64_t ns) {
  return e->map->time(e->map->ctx, machine, TB_CLOCK_UNKNOWN, ns);
}

static enum tb_status edit_clock(struct edit *e, uint32_t machine, const struct reading *reading, struct tb_slice in,
                                 bool *changed) {
  const struct tb_remap *map = e->map;
  struct place place = {in.ptr, false};
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  bool moves = map->moved_clock && reading->id == map->moved_clock && reading->unit <= INT64_MAX;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == CLOCK_ID && reading->id <= UINT32_MAX) {
      uint32_t to = tb_remap_clock(map, machine, (uint32_t)reading->id);
      e->map->clocks_changed += to != reading->id;
      status = put_number(e, &place, &field, cursor.at, to);
    } else if (field.number == CLOCK_TIMESTAMP && moves) {
      int64_t unit = (int64_t)reading->unit;
      e->map->times_changed++;
      status = put_number(e, &place, &field, cursor.at,
                          (uint64_t)(moved(e, machine, (int64_t)(field.value * reading->unit)) / unit));
    }
  }
  if (status != TB_OK) return status;
  return finish_message(e, &place, in, changed);
}

/* One reading of a snapshot. */
static enum tb_status edit_reading(struct edit *e, uint32_t machine, const struct reading *reading, struct place *place,
                                   const struct tb_wire_field *field, const char *end) {
  struct opened opened;
  bool changed = false;
  enum tb_status status = open_field(e, place, field, &opened);
  if (status == TB_OK) status = edit_clock(e, machine, reading, field->bytes, &changed);
  if (status != TB_OK || !changed)
    drop_field(e, &opened);
  else
    close_field(e, place, &opened, end);
  return status;
}

/* A reading of the merged trace's clock, at the message's end. */
static enum tb_status add_reading(struct edit *e, struct place *place, const char *end, int64_t time) {
  enum tb_status status = copy_to(e, place, end);
  if (status == TB_OK) status = tb_buffer_reserve(e->out, 4 * TB_WIRE_VARINT_MAX);
  if (status != TB_OK) return status;
  char body[4 * TB_WIRE_VARINT_MAX];
  char *at = tb_wire_put_uint(body, CLOCK_ID, e->map->added_clock);
  at = tb_wire_put_uint(at, CLOCK_TIMESTAMP, (uint64_t)time);
  char *to = e->out->data + e->out->len;
  e->out->len += (size_t)(tb_wire_put_bytes(to, SNAPSHOT_CLOCKS, body, (size_t)(at - body)) - to);
  return TB_OK;
}

static enum tb_status edit_snapshot(struct edit *e, uint32_t machine, struct tb_slice in, bool *changed) {
  const struct tb_remap *map = e->map;
  struct place place = {in.ptr, false};
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  bool adds = false;
  int64_t added = 0;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == SNAPSHOT_PRIMARY && field.type == TB_WIRE_VARINT && map->trace_clock) {
      status = put_number(e, &place, &field, cursor.at, map->trace_clock);
    } else if (field.number == SNAPSHOT_CLOCKS && field.type == TB_WIRE_BYTES) {
      struct reading reading = read_clock(field.bytes);
      if (map->added_clock && reading.id == map->added_from) {
        adds = true;
        added = moved(e, machine, (int64_t)(reading.timestamp * reading.unit));
      }
      status = edit_reading(e, machine, &reading, &place, &field, cursor.at);
    }
  }
  if (status == TB_OK && adds && cursor.at == cursor.end) status = add_reading(e, &place, cursor.end, added);
  if (status != TB_OK) return status;
  return finish_message(e, &place, in, changed);
}

/* One round of a RemoteClockSync: readings of the packet's machine and of the host. */
static enum tb_status edit_round(struct edit *e, struct tb_slice in, bool *changed) {
  struct place place = {in.ptr, false};
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES || (field.number != SYNC_CLIENT && field.number != SYNC_HOST)) continue;
    struct opened opened;
    bool inner = false;
    status = open_field(e, &place, &field, &opened);
    if (status == TB_OK)
      status = edit_snapshot(e, field.number == SYNC_CLIENT ? e->packet->machine_in : 0, field.bytes, &inner);
    if (status != TB_OK || !inner)
      drop_field(e, &opened);
    else
      close_field(e, &place, &opened, cursor.at);
  }
  if (status != TB_OK) return status;
  return finish_message(e, &place, in, changed);
}

static enum tb_status edit_sync(struct edit *e, struct tb_slice in, bool *changed) {
  struct place place = {in.ptr, false};
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != SYNC_ROUNDS || field.type != TB_WIRE_BYTES) continue;
    struct opened opened;
    bool inner = false;
    status = open_field(e, &place, &field, &opened);
    if (status == TB_OK) status = edit_round(e, field.bytes, &inner);
    if (status != TB_OK || !inner)
      drop_field(e, &opened);
    else
      close_field(e, &place, &opened, cursor.at);
  }
  if (status != TB_OK) return status;
  return finish_message(e, &place, in, changed);
}

/* ---- the packet ------------------------------------------------------------------------------------------------------------- */

/* A payload that gets a field more: edited or as it was, then the new one. */
static enum tb_status edit_and_add(struct edit *e, struct place *place, const struct tb_wire_field *field,
                                   const char *end, uint32_t number, uint64_t value) {
  struct opened opened;
  bool changed = false;
  enum tb_status status = open_field(e, place, field, &opened);
  if (status == TB_OK) status = edit_nested(e, &e->tree->nodes->fields[field->number], field->bytes, &changed);
  if (status == TB_OK && !changed) status = tb_buffer_append(e->out, field->bytes.ptr, field->bytes.len);
  if (status == TB_OK) status = add_field(e, number, value);
  if (status == TB_OK) close_field(e, place, &opened, end);
  return status;
}

static enum tb_status edit_sync_field(struct edit *e, struct place *place, const struct tb_wire_field *field,
                                      const char *end) {
  struct opened opened;
  bool changed = false;
  enum tb_status status = open_field(e, place, field, &opened);
  if (status == TB_OK) status = edit_sync(e, field->bytes, &changed);
  if (status != TB_OK || !changed)
    drop_field(e, &opened);
  else
    close_field(e, place, &opened, end);
  return status;
}

static enum tb_status edit_payload(struct edit *e, struct place *place, const struct tb_wire_field *field,
                                   const char *end) {
  const struct tb_merge_edit *packet = e->packet;
  const struct tb_field_entry *entry = tb_field_find(e->tree->nodes, field->number);
  if (field->type == TB_WIRE_BYTES) {
    if (field->number == TB_MERGE_PACKET_REMOTE_CLOCK_SYNC) return edit_sync_field(e, place, field, end);
    if (field->number == TB_MERGE_PACKET_TRACK_EVENT && packet->set_track)
      return edit_and_add(e, place, field, end, TRACK_EVENT_UUID, packet->track);
    if (entry->kind == TB_FIELD_MESSAGE) look_at_guards(e, e->tree->nodes, field->number, field->bytes);
  }
  return edit_field(e, place, entry, field, end);
}

/* Fields of the head that are there get their new value; *left loses the bit of each. */
enum { LEFT_TIMESTAMP = 1, LEFT_CLOCK = 2, LEFT_MACHINE = 4 };

static enum tb_status edit_head(struct edit *e, struct place *place, const struct tb_wire_field *field, const char *end,
                                unsigned *left) {
  const struct tb_merge_edit *packet = e->packet;
  if (field->type != TB_WIRE_VARINT) return edit_payload(e, place, field, end);
  if (field->number == TB_MERGE_PACKET_TIMESTAMP && packet->set_timestamp) {
    *left &= ~(unsigned)LEFT_TIMESTAMP;
    e->map->times_changed += field->value != packet->timestamp;
    return put_number(e, place, field, end, packet->timestamp);
  }
  if (field->number == TB_MERGE_PACKET_CLOCK_ID && packet->set_clock) {
    *left &= ~(unsigned)LEFT_CLOCK;
    return put_number(e, place, field, end, packet->clock);
  }
  if (field->number == TB_MERGE_PACKET_MACHINE_ID && packet->set_machine) {
    *left &= ~(unsigned)LEFT_MACHINE;
    return put_number(e, place, field, end, packet->machine);
  }
  return edit_payload(e, place, field, end);
}

static enum tb_status add_left(struct edit *e, struct place *place, const char *end, unsigned left) {
  enum tb_status status = left ? copy_to(e, place, end) : TB_OK;
  if (status == TB_OK && left & LEFT_TIMESTAMP) status = add_field(e, TB_MERGE_PACKET_TIMESTAMP, e->packet->timestamp);
  if (status == TB_OK && left & LEFT_CLOCK) status = add_field(e, TB_MERGE_PACKET_CLOCK_ID, e->packet->clock);
  if (status == TB_OK && left & LEFT_MACHINE) status = add_field(e, TB_MERGE_PACKET_MACHINE_ID, e->packet->machine);
  return status;
}

enum tb_status tb_rewrite_packet(const struct tb_field_tree *tree, struct tb_remap *map,
                                 const struct tb_merge_edit *packet, struct tb_slice in, struct tb_buffer *out,
                                 bool *changed) {
  struct edit e = {.tree = tree, .map = map, .packet = packet, .out = out};
  struct place place = {in.ptr, false};
  size_t before = out->len;
  unsigned left = (packet->set_timestamp ? LEFT_TIMESTAMP : 0u) | (packet->set_clock ? LEFT_CLOCK : 0u) |
                  (packet->set_machine && packet->machine ? LEFT_MACHINE : 0u);
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    status = edit_head(&e, &place, &field, cursor.at, &left);
  if (status == TB_OK && cursor.at == cursor.end) status = add_left(&e, &place, cursor.end, left);
  if (status == TB_OK) status = finish_message(&e, &place, in, changed);
  if (status != TB_OK || !*changed) out->len = before;
  return status;
}
