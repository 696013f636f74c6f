/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/rewrite/rewrite.h"
#include "base/mix64.h"

#include "merge/rewrite/rewrite_internal.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { PREFIX_MAX = 4096 };

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static uint64_t salted(uint64_t id, uint64_t salt) {
  uint64_t out = tb_mix64(id + salt);
  return out ? out : salt; /* 0 would mean no id */
}

uint64_t tb_remap_uuid(const struct tb_remap *map, uint64_t uuid) {
  const uint64_t *known = map->uuids && uuid ? tb_map_find(map->uuids, uuid, 0) : NULL;
  if (known) return *known;
  return map->uuid_salt && uuid ? salted(uuid, map->uuid_salt) : uuid;
}

uint64_t tb_remap_flow(const struct tb_remap *map, uint64_t id) {
  return map->flow_salt ? salted(id, map->flow_salt) : id;
}

uint32_t tb_remap_sequence(const struct tb_remap *map, uint32_t id) {
  if (id == 0) return 0;
  const uint64_t *known = map->sequences ? tb_map_find(map->sequences, id, 0) : NULL;
  return known ? (uint32_t)*known : id + map->sequence_base;
}

static const uint64_t *of_machine(const struct tb_map *table, uint32_t machine, uint64_t id) {
  return table && id <= UINT32_MAX ? tb_map_find(table, (uint64_t)machine << 32 | id, 0) : NULL;
}

uint32_t tb_remap_clock(const struct tb_remap *map, uint32_t machine, uint32_t clock) {
  const uint64_t *known = of_machine(map->clocks, machine, clock);
  return known ? (uint32_t)*known : clock;
}

/* Events follow others of their track. */
static uint64_t remap_event_uuid(struct tb_remap *map, uint64_t uuid) {
  if (uuid == map->last_uuid) return map->last_uuid_out;
  map->last_uuid_out = tb_remap_uuid(map, uuid);
  map->last_uuid = uuid;
  return map->last_uuid_out;
}

static uint64_t new_id(struct tb_edit *e, enum tb_field_kind kind, uint64_t value) {
  struct tb_remap *map = e->map;
  const uint64_t *known;
  uint64_t out = value;
  switch (kind) {
    case TB_FIELD_SEQUENCE:
      return value <= UINT32_MAX ? tb_remap_sequence(map, (uint32_t)value) : value;
    case TB_FIELD_TRACK:
    case TB_FIELD_UUID:
      known = kind == TB_FIELD_TRACK && map->described ? tb_map_find(map->described, value, 0) : NULL;
      out = known ? *known : remap_event_uuid(map, value);
      map->uuids_changed += out != value;
      return out;
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
      known = map->pid_added ? tb_map_find(map->pid_added, e->packet->machine_in, 0) : NULL;
      return known && value && value >> TB_PID_BITS == 0 ? value + *known : value;
    default:
      return value;
  }
}

/* ---- numbers, alone or in a row ---------------------------------------------------------------------------------- */

/* Whether the field is on the clock that its bundle of ftrace names. */
static bool is_of_bundle(const struct tb_time_field *rule) {
  return rule->path[0] == TB_TRACE_PACKET_FTRACE_EVENTS && rule->clock == TB_CLOCK_BOOTTIME &&
         rule->path[1] != TB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP;
}

static int64_t new_time(struct tb_edit *e, const struct tb_time_field *rule, int64_t value) {
  if (rule->form == TB_TIME_OPTIONAL && value == 0) return 0;
  tb_wide ns = (tb_wide)value * rule->unit;
  if (ns > INT64_MAX || ns < INT64_MIN) return value;
  uint32_t clock = is_of_bundle(rule) && e->ftrace == TB_FTRACE_ON_ANOTHERS ? TB_CLOCK_MONOTONIC_RAW : rule->clock;
  int64_t moved = e->map->time(e->map->ctx, e->packet->machine_in, clock, (int64_t)ns);
  tb_wide by = (tb_wide)moved - ns, half = rule->unit / 2;
  int64_t out = tb_time_clamp(value + (by >= 0 ? by + half : by - half) / rule->unit);
  e->map->times_changed += out != value;
  return out;
}

static uint64_t new_number(struct tb_edit *e, const struct tb_field_entry *entry, uint64_t value) {
  if (entry->kind != TB_FIELD_TIME) return new_id(e, entry->kind, value);
  return (uint64_t)new_time(e, &tb_time_fields[entry->rule], (int64_t)value);
}

/* The numbers of a packed field; `deltas`: each after the first is a distance. None changes where the field is
 * damaged. */
static enum tb_status edit_packed_numbers(struct tb_edit *e, const struct tb_field_entry *entry, struct tb_str in) {
  bool deltas = entry->kind == TB_FIELD_TIME && tb_time_fields[entry->rule].form == TB_TIME_DELTAS;
  struct tb_message_patches_mark start = {e->patches->count, e->patches->growth};
  uint64_t old = 0, last = 0;
  for (const char *at = in.ptr, *end = in.ptr + in.len; at < end;) {
    uint64_t value, out;
    const char *next = tb_wire_read_varint(at, end, &value);
    if (!next) {
      tb_message_patches_drop(e->patches, &start);
      return TB_OK;
    }
    if (deltas) {
      old += value;
      uint64_t now = new_number(e, entry, old);
      out = now - last;
      last = now;
    } else {
      out = new_number(e, entry, value);
    }
    if (out != value) {
      enum tb_status status = tb_message_patches_varint(e->patches, at, (size_t)(next - at), out);
      if (status != TB_OK) return status;
    }
    at = next;
  }
  return TB_OK;
}

/* The description of a counter says in the end which thread emits it: `…{"tid":N}]`; so does a thread's,
 * `{"tid":N}`, of its own id. */
static enum tb_status edit_description(struct tb_edit *e, struct tb_str text) {
  static const struct tb_str key = {"\"tid\":", 6};
  enum { DIGITS_MOST = 9 };
  size_t end = text.len, at;
  if (end && text.ptr[end - 1] == ']') end--;
  if (!end || text.ptr[--end] != '}') return TB_OK;
  for (at = end; at && text.ptr[at - 1] >= '0' && text.ptr[at - 1] <= '9';) at--;
  if (at == end || end - at > DIGITS_MOST || at < key.len || memcmp(text.ptr + at - key.len, key.ptr, key.len) != 0)
    return TB_OK;
  uint64_t tid = 0;
  for (size_t i = at; i < end; i++) tid = tid * 10 + (uint64_t)(text.ptr[i] - '0');
  uint64_t to = new_id(e, TB_FIELD_TID, tid);
  return to == tid ? TB_OK : tb_message_patches_decimal(e->patches, (struct tb_str){text.ptr + at, end - at}, to);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* The first number but 0 of the field. */
static uint64_t find_number(struct tb_str message, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number && field.type == TB_WIRE_VARINT && field.value) return field.value;
  return 0;
}

/* Whether the field is a track event's own time, which it may have besides its packet's. */
static bool is_event_time(const struct tb_field_entry *entry, uint32_t number) {
  return entry->kind == TB_FIELD_DELTA || number == TB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US;
}

static bool is_active(const struct tb_edit *e, const struct tb_field_entry *entry) {
  if (entry->kind == TB_FIELD_MESSAGE || entry->kind == TB_FIELD_SYNC) return true;
  if (entry->kind == TB_FIELD_FTRACE_READING) return e->ftrace == TB_FTRACE_ON_ANOTHERS;
  if (!(e->map->active & 1u << entry->kind)) return false;
  return entry->kind != TB_FIELD_TIME || e->ftrace != TB_FTRACE_ON_ITS_OWN ||
         !is_of_bundle(&tb_time_fields[entry->rule]);
}

/* MONOTONIC_RAW is a bundle's own clock where the input's readings of it are the machine's in the merged trace. */
static enum tb_ftrace_clock ftrace_clock(const struct tb_edit *e, struct tb_str bundle) {
  uint64_t clock = find_number(bundle, TB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK);
  if (clock == TB_FTRACE_CLOCK_UNSPECIFIED) return TB_FTRACE_ON_BOOTTIME;
  uint32_t raw = tb_remap_clock(e->map, e->packet->machine_in, TB_CLOCK_MONOTONIC_RAW);
  return clock == TB_FTRACE_CLOCK_MONO_RAW && raw != TB_CLOCK_MONOTONIC_RAW ? TB_FTRACE_ON_ANOTHERS
                                                                            : TB_FTRACE_ON_ITS_OWN;
}

/* What decides about fields of a message before they are come to. */
static void look_at_guards(struct tb_edit *e, const struct tb_field_node *parent, uint32_t number, struct tb_str in) {
  if (parent == e->tree->nodes && number == TB_TRACE_PACKET_FTRACE_EVENTS) e->ftrace = ftrace_clock(e, in);
  if (number == TB_TRACK_EVENT_LEGACY_EVENT && parent == e->track_event) e->has_legacy = true;
}

static enum tb_status edit_message(struct tb_edit *e, const struct tb_field_node *node, struct tb_str in);

static enum tb_status edit_content(struct tb_edit *e, const struct tb_field_entry *entry, struct tb_str in) {
  switch (entry->kind) {
    case TB_FIELD_MESSAGE:
      return edit_message(e, &e->tree->nodes[entry->node], in);
    case TB_FIELD_SNAPSHOT:
      return tb_edit_snapshot(e, e->packet->machine_in, in);
    case TB_FIELD_SYNC:
      return tb_edit_sync(e, in);
    case TB_FIELD_DESCRIPTION:
      return edit_description(e, in);
    case TB_FIELD_PROCESS_NAME: {
      const char *prefix = e->map->process_prefix;
      struct tb_str text = {prefix, prefix ? strnlen(prefix, PREFIX_MAX) : 0};
      return prefix ? tb_message_patches_insert_bytes(e->patches, in.ptr, text) : TB_OK;
    }
    default:
      return edit_packed_numbers(e, entry, in);
  }
}

static bool holds_message(const struct tb_field_entry *entry) {
  return entry->kind == TB_FIELD_MESSAGE || entry->kind == TB_FIELD_SNAPSHOT || entry->kind == TB_FIELD_SYNC;
}

static enum tb_status edit_number(struct tb_edit *e, const struct tb_field_entry *entry,
                                  const struct tb_wire_field *field) {
  if (holds_message(entry)) return TB_OK;
  if (entry->kind == TB_FIELD_FTRACE_READING) return tb_message_patches_remove(e->patches, field);
  uint64_t value = new_number(e, entry, field->value);
  return value == field->value ? TB_OK : tb_message_patches_number(e->patches, field, value);
}

static enum tb_status edit_field(struct tb_edit *e, const struct tb_field_entry *entry,
                                 const struct tb_wire_field *field) {
  struct tb_message_patches_mark mark;
  enum tb_status status;
  switch (field->type) {
    case TB_WIRE_BYTES:
      status = tb_message_patches_begin(e->patches, field, &mark);
      if (status == TB_OK) status = edit_content(e, entry, field->bytes);
      if (status == TB_OK) tb_message_patches_end(e->patches, field, &mark);
      return status;
    case TB_WIRE_VARINT:
    case TB_WIRE_FIXED64:
    case TB_WIRE_FIXED32:
      return edit_number(e, entry, field);
    case TB_WIRE_GROUP:
    case TB_WIRE_END_GROUP:
      break;
  }
  return TB_OK;
}

/* Passes over fields that are nothing to us, as most are, recognised by the one byte of their tag. */
static const char *pass_plain(const struct tb_field_node *node, const char *at, const char *end) {
  while (end - at > 1) {
    unsigned char tag = (unsigned char)*at;
    uint64_t value;
    if (tag & 0x80 || tag < 8 || tag & 5 || node->fields[tag >> 3].kind != TB_FIELD_PLAIN) break;
    const char *next = tb_wire_read_varint(at + 1, end, &value);
    if (!next || (tag & 2 && value > (uint64_t)(end - next))) break;
    at = tag & 2 ? next + value : next;
  }
  return at;
}

static enum tb_status edit_message(struct tb_edit *e, const struct tb_field_node *node, struct tb_str in) {
  struct tb_wire_cursor cursor = tb_wire_cursor(in);
  struct tb_wire_field field;
  for (;;) {
    cursor.at = pass_plain(node, cursor.at, cursor.end);
    if (cursor.at == cursor.end || tb_wire_read(&cursor, &field) != TB_OK) break;
    const struct tb_field_entry *entry = tb_field_find(node, field.number);
    if (entry->kind == TB_FIELD_PLAIN) continue;
    if (entry->kind == TB_FIELD_MESSAGE) look_at_guards(e, node, field.number, field.bytes);
    if (field.number == TB_TRACK_EVENT_TRACK_UUID && node == e->track_event) {
      e->names_track = true;
      e->track = field.value;
    }
    bool drops = node == e->track_event && e->packet->drops_time && is_event_time(entry, field.number);
    if (!drops && (entry->kind == TB_FIELD_DELTA || !is_active(e, entry))) continue;
    enum tb_status status = drops ? tb_message_patches_remove(e->patches, &field) : edit_field(e, entry, &field);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

/* ---- the packet -------------------------------------------------------------------------------------------------- */

static bool wants_track(const struct tb_edit *e) {
  if (e->packet->track_rule == TB_TRACK_STAYS || e->has_legacy) return false;
  return e->names_track ? e->track == 0 : e->packet->track_rule == TB_TRACK_FOR_NONE;
}

/* Its fields. Times move: so may the start of a profile. */
static enum tb_status edit_event(struct tb_edit *e, struct tb_str in) {
  struct tb_profile_start start;
  if (!(e->map->active & 1u << TB_FIELD_TIME) || !tb_find_profile_start(in, &start))
    return edit_message(e, e->track_event, in);
  const struct tb_str front = {in.ptr, (size_t)(start.event.at - in.ptr)};
  const struct tb_str rest = {start.event.after, (size_t)(in.ptr + in.len - start.event.after)};
  enum tb_status status = edit_message(e, e->track_event, front);
  if (status == TB_OK) status = tb_edit_profile_start(e, &start);
  return status == TB_OK ? edit_message(e, e->track_event, rest) : status;
}

static enum tb_status edit_track_event(struct tb_edit *e, const struct tb_wire_field *field) {
  struct tb_message_patches_mark mark;
  enum tb_status status = tb_message_patches_begin(e->patches, field, &mark);
  e->names_track = e->has_legacy = false;
  if (status == TB_OK) status = edit_event(e, field->bytes);
  if (status == TB_OK && wants_track(e))
    status = tb_message_patches_insert(e->patches, field->bytes.ptr + field->bytes.len, TB_TRACK_EVENT_TRACK_UUID,
                                       e->packet->track);
  if (status == TB_OK) tb_message_patches_end(e->patches, field, &mark);
  return status;
}

static enum tb_status edit_payload(struct tb_edit *e, const struct tb_wire_field *field) {
  const struct tb_field_entry *entry = tb_field_find(e->tree->nodes, field->number);
  if (field->number == TB_TRACE_PACKET_TRACK_EVENT && field->type == TB_WIRE_BYTES) return edit_track_event(e, field);
  if (entry->kind == TB_FIELD_PLAIN) return TB_OK;
  if (entry->kind == TB_FIELD_MESSAGE) look_at_guards(e, e->tree->nodes, field->number, field->bytes);
  return is_active(e, entry) ? edit_field(e, entry, field) : TB_OK;
}

/* Fields of the head that are there get their new value; *left loses the bit of each. */
enum { LEFT_TIMESTAMP = 1, LEFT_CLOCK = 2, LEFT_MACHINE = 4, LEFT_IDENTITY = 8 };

static enum tb_status replace(struct tb_edit *e, const struct tb_wire_field *field, uint64_t value, unsigned bit,
                              unsigned *left) {
  *left &= ~bit;
  return field->value == value ? TB_OK : tb_message_patches_number(e->patches, field, value);
}

static enum tb_status edit_head(struct tb_edit *e, const struct tb_wire_field *field, unsigned *left) {
  const struct tb_merge_edit *packet = e->packet;
  if (field->type == TB_WIRE_VARINT) {
    if (field->number == TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID) {
      uint32_t id = tb_remap_sequence(e->map, (uint32_t)field->value);
      if (id == field->value || field->value > UINT32_MAX) return TB_OK;
      return tb_message_patches_varint(e->patches, field->bytes.ptr, field->bytes.len, id);
    }
    if (field->number == TB_TRACE_PACKET_TIMESTAMP) {
      if (!packet->set_timestamp) return TB_OK;
      e->map->times_changed += field->value != packet->timestamp;
      return replace(e, field, packet->timestamp, LEFT_TIMESTAMP, left);
    }
    if (field->number == TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID && packet->set_clock)
      return replace(e, field, packet->clock, LEFT_CLOCK, left);
    if (field->number == TB_TRACE_PACKET_MACHINE_ID && packet->set_machine)
      return replace(e, field, packet->machine, LEFT_MACHINE, left);
    if (field->number == TB_TRACE_PACKET_MERGE_IDENTITY && packet->set_identity)
      return packet->identity ? replace(e, field, packet->identity, LEFT_IDENTITY, left)
                              : tb_message_patches_remove(e->patches, field);
  }
  return edit_payload(e, field);
}

static enum tb_status add_left(struct tb_edit *e, const char *end, unsigned left) {
  enum tb_status status = TB_OK;
  if (left & LEFT_TIMESTAMP)
    status = tb_message_patches_insert(e->patches, end, TB_TRACE_PACKET_TIMESTAMP, e->packet->timestamp);
  if (status == TB_OK && left & LEFT_CLOCK)
    status = tb_message_patches_insert(e->patches, end, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, e->packet->clock);
  if (status == TB_OK && left & LEFT_MACHINE)
    status = tb_message_patches_insert(e->patches, end, TB_TRACE_PACKET_MACHINE_ID, e->packet->machine);
  if (status == TB_OK && left & LEFT_IDENTITY)
    status = tb_message_patches_insert(e->patches, end, TB_TRACE_PACKET_MERGE_IDENTITY, e->packet->identity);
  return status;
}

enum tb_status tb_rewrite_packet(const struct tb_field_tree *tree, struct tb_remap *map,
                                 const struct tb_merge_edit *edit, struct tb_str packet,
                                 const struct tb_packet_fields *fields, struct tb_message_patch *patches) {
  struct tb_edit e = {.tree = tree, .map = map, .packet = edit, .patches = patches};
  e.track_event = &tree->nodes[tree->nodes->fields[TB_TRACE_PACKET_TRACK_EVENT].node];
  patches->count = 0;
  patches->growth = 0;
  unsigned left = (edit->set_timestamp ? LEFT_TIMESTAMP : 0u) | (edit->set_clock ? LEFT_CLOCK : 0u) |
                  (edit->set_machine && edit->machine ? LEFT_MACHINE : 0u) |
                  (edit->set_identity && edit->identity ? LEFT_IDENTITY : 0u);
  bool listed = fields->count <= TB_PACKET_FIELDS_MAX && !(map->active & 1u << TB_FIELD_PID);
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field read = {0, TB_WIRE_VARINT, 0, {NULL, 0}, NULL};
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; status == TB_OK && (!listed || i < fields->count); i++) {
    const struct tb_wire_field *field = listed ? &fields->list[i] : &read;
    if (!listed && tb_wire_read(&cursor, &read) != TB_OK) break;
    status = edit_head(&e, field, &left);
  }
  if (status == TB_OK && left && !fields->damaged) status = add_left(&e, packet.ptr + packet.len, left);
  return status;
}
