/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/packet_values.h"

#include <string.h>

#include "base/intern.h"
#include "base/times.h"
#include "protos/field_numbers.h"
#include "toolbox/cut/packet_edit.h"

enum { NS_OF_MS = 1000000 };

/* What a value is of is the first field of all its messages, and of some the second, too. */
enum { FIRST_ID = TB_SYS_STATS_MEMINFO_VALUE_KEY, SECOND_ID = TB_SYS_STATS_BUDDY_INFO_ZONE };

/* Which values a field of the payload holds. */
enum holds {
  HOLDS_NONE,    /* what is said of all of them, or of none */
  HOLDS_ONE,     /* of what its first field says, where it is a message, or of itself alone */
  HOLDS_TIMED,   /* the same, with a time of its own */
  HOLDS_INSTANT, /* a moment, which is no value */
  HOLDS_MANY     /* each field of its message is one, but for the first, which says of what they are */
};

struct appending {
  struct tb_walk *walk;
  tb_packet_value_choice choose;
  void *ctx;
  uint64_t common;
  bool at_own_times;
  struct tb_buffer *buffer;
  bool any, all;
};

bool tb_packet_holds_values(uint32_t kind) {
  switch (kind) {
    case TB_TRACE_PACKET_SYS_STATS:
    case TB_TRACE_PACKET_PROCESS_STATS:
    case TB_TRACE_PACKET_POWER_RAILS:
    case TB_TRACE_PACKET_ANDROID_ENERGY_ESTIMATION_BREAKDOWN:
    case TB_TRACE_PACKET_ENTITY_STATE_RESIDENCY:
    case TB_TRACE_PACKET_GPU_COUNTER_EVENT:
    case TB_TRACE_PACKET_ANDROID_SYSTEM_PROPERTY:
      return true;
    default:
      return false;
  }
}

bool tb_packet_values_end_at(uint32_t kind) { return kind == TB_TRACE_PACKET_GPU_COUNTER_EVENT; }

/* ---- properties of the system ------------------------------------------------------------------------------------ */

static bool starts_with(struct tb_str text, struct tb_str start) {
  return text.len >= start.len && memcmp(text.ptr, start.ptr, start.len) == 0;
}

/* Without what the names of all have in front. */
static struct tb_str property_name(const struct tb_wire_field *field) {
  static const struct tb_str front = {"debug.tracing.", sizeof("debug.tracing.") - 1};
  struct tb_str name = tb_wire_find_bytes(field->bytes, TB_ANDROID_SYSTEM_PROPERTY_PROPERTY_VALUE_NAME);
  return starts_with(name, front) ? (struct tb_str){name.ptr + front.len, name.len - front.len} : name;
}

static uint64_t property_key(struct tb_str name) { return tb_str_hash(name, TB_TRACE_PACKET_ANDROID_SYSTEM_PROPERTY); }

uint64_t tb_packet_values_mark_key(struct tb_str counter) {
  static const struct tb_str battery = {"battery_stats.", sizeof("battery_stats.") - 1};
  if (tb_str_equal(counter, tb_str_from("ScreenState"))) return property_key(tb_str_from("screen_state"));
  return starts_with(counter, battery) ? property_key(counter) : 0;
}

/* ---- which values there are -------------------------------------------------------------------------------------- */

static enum holds holds_of(uint32_t kind, const struct tb_wire_field *field) {
  switch (kind) {
    case TB_TRACE_PACKET_POWER_RAILS:
      return field->number == TB_POWER_RAILS_ENERGY_DATA && field->type == TB_WIRE_BYTES ? HOLDS_TIMED : HOLDS_NONE;
    case TB_TRACE_PACKET_PROCESS_STATS:
      return field->number == TB_PROCESS_STATS_PROCESSES && field->type == TB_WIRE_BYTES ? HOLDS_MANY : HOLDS_NONE;
    case TB_TRACE_PACKET_SYS_STATS:
      return field->number == TB_SYS_STATS_COLLECTION_END_TIMESTAMP ? HOLDS_NONE : HOLDS_ONE;
    case TB_TRACE_PACKET_GPU_COUNTER_EVENT:
      return field->number == TB_GPU_COUNTER_EVENT_COUNTERS ? HOLDS_ONE : HOLDS_NONE;
    case TB_TRACE_PACKET_ANDROID_SYSTEM_PROPERTY:
      if (field->number != TB_ANDROID_SYSTEM_PROPERTY_VALUES || field->type != TB_WIRE_BYTES) return HOLDS_NONE;
      return tb_str_equal(property_name(field), tb_str_from("device_state")) ? HOLDS_INSTANT : HOLDS_ONE;
    case TB_TRACE_PACKET_ENTITY_STATE_RESIDENCY:
      return field->number == TB_ENTITY_STATE_RESIDENCY_RESIDENCY ? HOLDS_ONE : HOLDS_NONE;
    default:
      return field->number == TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_UWS ||
                     field->number == TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_PER_UID_BREAKDOWN
                 ? HOLDS_ONE
                 : HOLDS_NONE;
  }
}

/* ---- what values are of ------------------------------------------------------------------------------------------ */

static uint64_t key_with(uint64_t key, const struct tb_wire_field *field) {
  if (field->type == TB_WIRE_BYTES) return tb_str_hash(field->bytes, key);
  return tb_mix64(key ^ field->value);
}

/* Whether a field of a value's message says what it is of: the first, and of some the second. */
static bool is_id(uint32_t kind, uint32_t field, uint32_t number) {
  bool has_two = kind == TB_TRACE_PACKET_ENTITY_STATE_RESIDENCY ||
                 (kind == TB_TRACE_PACKET_SYS_STATS && field == TB_SYS_STATS_BUDDY_INFO);
  return number == FIRST_ID || (has_two && number == SECOND_ID);
}

/* What the field `of` of the payload says of its values; 0: no field does. */
static uint64_t key_by(const struct tb_packet_header *head, uint32_t of) {
  struct tb_wire_cursor cursor = tb_wire_cursor(head->payload);
  struct tb_wire_field field;
  uint64_t key = tb_mix64(head->kind);
  while (of && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == of) key = key_with(key, &field);
  return key;
}

/* What the payload says of what all its values are. */
static uint64_t common_key(const struct tb_packet_header *head) {
  switch (head->kind) {
    case TB_TRACE_PACKET_POWER_RAILS:
      return key_by(head, TB_POWER_RAILS_SESSION_UUID);
    case TB_TRACE_PACKET_ANDROID_ENERGY_ESTIMATION_BREAKDOWN:
      return key_by(head, TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_CONSUMER_ID);
    case TB_TRACE_PACKET_GPU_COUNTER_EVENT:
      return key_by(head, TB_GPU_COUNTER_EVENT_GPU_ID);
    default:
      return key_by(head, 0);
  }
}

/* Of a field that holds one. */
static uint64_t key_of(uint64_t common, uint32_t kind, const struct tb_wire_field *field) {
  uint64_t key = tb_mix64(common ^ field->number);
  if (field->type != TB_WIRE_BYTES) return key;
  if (kind == TB_TRACE_PACKET_ANDROID_SYSTEM_PROPERTY) return property_key(property_name(field));
  struct tb_wire_cursor cursor = tb_wire_cursor(field->bytes);
  struct tb_wire_field part;
  while (tb_wire_read(&cursor, &part) == TB_OK)
    if (is_id(kind, field->number, part.number)) key = key_with(key, &part);
  return key;
}

/* Of the field of a message whose fields are values of what its first says, which has the key `of`. */
static uint64_t key_in(uint64_t of, uint32_t field) { return tb_mix64(of ^ field); }

uint64_t tb_packet_values_process_key(uint64_t pid, uint32_t field) {
  uint64_t common = tb_mix64(TB_TRACE_PACKET_PROCESS_STATS);
  return key_in(tb_mix64(tb_mix64(common ^ TB_PROCESS_STATS_PROCESSES) ^ pid), field);
}

bool tb_packet_is_value(const struct tb_walk *walk, uint64_t *key) {
  const struct tb_packet_header *head = &walk->packet.head;
  uint32_t of = 0;
  if (head->kind == TB_TRACE_PACKET_BATTERY) of = TB_BATTERY_COUNTERS_NAME;
  if (head->kind == TB_TRACE_PACKET_GENERIC_KERNEL_CPU_FREQ_EVENT) of = TB_GENERIC_KERNEL_CPU_FREQUENCY_EVENT_CPU;
  /* which objects of a GPU are called what */
  if (head->kind == TB_TRACE_PACKET_VULKAN_API_EVENT) of = TB_VULKAN_API_EVENT_VK_DEBUG_UTILS_OBJECT_NAME;
  *key = key_by(head, of);
  return of != 0;
}

/* The time that a value of a power rail has of its own; the packet's where it has none, or nothing relates them. */
static int64_t time_of(struct tb_walk *walk, const struct tb_wire_field *field) {
  struct tb_input_clocks *clocks = &walk->source->prescan.clocks;
  uint32_t machine = walk->packet.head.machine;
  struct tb_wire_cursor cursor = tb_wire_cursor(field->bytes);
  struct tb_wire_field part;
  while (tb_wire_read(&cursor, &part) == TB_OK) {
    if (part.number != TB_POWER_RAILS_ENERGY_DATA_TIMESTAMP_MS || part.type != TB_WIRE_VARINT) continue;
    int64_t ns = (int64_t)(part.value * NS_OF_MS);
    if (clocks->primary != TB_CLOCK_BOOTTIME && !tb_input_clocks_convert(clocks, machine, TB_CLOCK_BOOTTIME, ns, &ns))
      break;
    return tb_time_subtract(ns, tb_walk_ahead(walk, machine));
  }
  return walk->host_time;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static bool choose(struct appending *a, const struct tb_packet_value *value) {
  bool chosen = a->choose(a->ctx, value);
  a->any |= chosen;
  a->all &= chosen;
  return chosen;
}

/* A value without its time. */
static enum tb_status append_untimed(const struct appending *a, const struct tb_wire_field *value) {
  struct tb_wire_cursor cursor = tb_wire_cursor(value->bytes);
  struct tb_wire_field part;
  enum tb_status status = tb_wire_buffer_open(a->buffer, value->number);
  size_t body = a->buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &part) == TB_OK)
    if (part.number != TB_POWER_RAILS_ENERGY_DATA_TIMESTAMP_MS)
      status = tb_wire_buffer_field(a->buffer, &part, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(a->buffer, body) : status;
}

/* A message whose fields are values of what its first says. */
static enum tb_status append_many(struct appending *a, const struct tb_wire_field *field) {
  struct tb_wire_cursor cursor = tb_wire_cursor(field->bytes);
  struct tb_wire_field part;
  uint64_t of = key_of(a->common, TB_TRACE_PACKET_PROCESS_STATS, field);
  size_t start = a->buffer->len;
  bool any = false;
  enum tb_status status = tb_wire_buffer_open(a->buffer, field->number);
  size_t body = a->buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &part) == TB_OK) {
    bool is_value = part.number != TB_PROCESS_STATS_PROCESS_PID;
    const struct tb_packet_value value = {key_in(of, part.number), a->walk->host_time, part.value, false};
    if (is_value && !choose(a, &value)) continue;
    any |= is_value;
    status = tb_wire_buffer_field(a->buffer, &part, cursor.at);
  }
  if (status == TB_OK) status = tb_wire_buffer_close(a->buffer, body);
  if (!any) a->buffer->len = start;
  return status;
}

static enum tb_status append_value(struct appending *a, const struct tb_wire_field *field, const char *end) {
  uint32_t kind = a->walk->packet.head.kind;
  enum holds holds = holds_of(kind, field);
  if (holds == HOLDS_NONE) return tb_wire_buffer_field(a->buffer, field, end);
  if (holds == HOLDS_MANY) return append_many(a, field);
  const struct tb_packet_value value = {
      .key = holds == HOLDS_INSTANT ? 0 : key_of(a->common, kind, field),
      .time = holds == HOLDS_TIMED ? time_of(a->walk, field) : a->walk->host_time,
      .counts = kind == TB_TRACE_PACKET_SYS_STATS && field->number == TB_SYS_STATS_DISK_STAT,
  };
  if (!choose(a, &value)) return TB_OK;
  return holds == HOLDS_TIMED && !a->at_own_times ? append_untimed(a, field)
                                                  : tb_wire_buffer_field(a->buffer, field, end);
}

enum tb_status tb_packet_values_append(struct tb_walk *walk, tb_packet_value_choice choose_value, void *ctx,
                                       int64_t host_time, bool at_own_times, struct tb_buffer *buffer, bool *all) {
  struct appending a = {walk, choose_value, ctx, common_key(&walk->packet.head), at_own_times, buffer, false, true};
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field;
  size_t start = buffer->len;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t packet = buffer->len;
  if (status == TB_OK) status = tb_packet_edit_append_head(walk, host_time, buffer);
  if (status == TB_OK) status = tb_wire_buffer_open(buffer, walk->packet.head.kind);
  size_t payload = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) status = append_value(&a, &field, cursor.at);
  if (status == TB_OK) status = tb_wire_buffer_close(buffer, payload);
  if (status == TB_OK) status = tb_wire_buffer_close(buffer, packet);
  if (!a.any) buffer->len = start;
  *all = a.all;
  return status;
}
