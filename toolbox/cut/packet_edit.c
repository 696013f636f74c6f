/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/cut/packet_edit.h"

#include "base/times.h"
#include "model/carried_fields.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "toolbox/cut/arg_texts.h"

enum { NS_OF_US = 1000 };

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static bool is_legacy_flow(uint32_t number) {
  return number == TB_TRACK_EVENT_LEGACY_EVENT_BIND_ID || number == TB_TRACK_EVENT_LEGACY_EVENT_BIND_TO_ENCLOSING ||
         number == TB_TRACK_EVENT_LEGACY_EVENT_FLOW_DIRECTION;
}

/* A message with `value` in its field `number` (0: no field), where it has that, and without those that `sheds` names
 * (NULL: none). */
static enum tb_status edit_message(const struct tb_wire_field *message, uint32_t number, uint64_t value,
                                   bool (*sheds)(uint32_t number), struct tb_message_patch *patches) {
  struct tb_message_patches_mark mark;
  struct tb_wire_cursor cursor = tb_wire_cursor(message->bytes);
  struct tb_wire_field field;
  enum tb_status status = tb_message_patches_begin(patches, message, &mark);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number && field.type == TB_WIRE_VARINT)
      status = tb_message_patches_number(patches, &field, value);
    else if (sheds && sheds(field.number))
      status = tb_message_patches_remove(patches, &field);
  if (status == TB_OK) tb_message_patches_end(patches, message, &mark);
  return status;
}

static enum tb_status edit_vulkan_event(const struct tb_packet_edit *edit, const struct tb_wire_field *event,
                                        struct tb_message_patch *patches) {
  struct tb_message_patches_mark mark;
  struct tb_wire_cursor cursor = tb_wire_cursor(event->bytes);
  struct tb_wire_field field;
  enum tb_status status = tb_message_patches_begin(patches, event, &mark);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT && field.type == TB_WIRE_BYTES)
      status = edit_message(&field, TB_VULKAN_API_EVENT_VK_QUEUE_SUBMIT_DURATION_NS, (uint64_t)edit->duration_ns, NULL,
                            patches);
  if (status == TB_OK) tb_message_patches_end(patches, event, &mark);
  return status;
}

static bool is_time(uint32_t number) {
  return number == TB_TRACK_EVENT_TIMESTAMP_DELTA_US || number == TB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US;
}

/* It has what other formats need of the event, and no value. */
static bool has_carried_field(struct tb_str annotation) {
  struct tb_wire_cursor cursor = tb_wire_cursor(annotation);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number >= TB_DEBUG_ANNOTATION_CARRIED && field.number <= TB_DEBUG_ANNOTATION_CARRIED_CPU) return true;
  return false;
}

bool tb_packet_edit_is_own_annotation(const struct tb_packet_edit *edit, const struct tb_wire_field *field) {
  static const struct tb_str own = {TB_CARRIED_ANNOTATION, sizeof(TB_CARRIED_ANNOTATION) - 1};
  struct tb_wire_field f[TB_DEBUG_ANNOTATION_NAME + 1];
  if (field->number != TB_TRACK_EVENT_DEBUG_ANNOTATIONS || field->type != TB_WIRE_BYTES) return false;
  if (has_carried_field(field->bytes)) return true;
  (void)tb_wire_read_fields(field->bytes, f, TB_DEBUG_ANNOTATION_NAME + 1);
  if (f[TB_DEBUG_ANNOTATION_NAME_IID].number)
    return edit->own_annotation && f[TB_DEBUG_ANNOTATION_NAME_IID].value == edit->own_annotation;
  return tb_str_equal(tb_wire_text(&f[TB_DEBUG_ANNOTATION_NAME]), own);
}

static bool is_thread_count(uint32_t number) {
  return number == TB_TRACK_EVENT_THREAD_TIME_DELTA_US || number == TB_TRACK_EVENT_THREAD_TIME_ABSOLUTE_US ||
         number == TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA ||
         number == TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE;
}

static bool is_argument(const struct tb_packet_edit *edit, const struct tb_wire_field *field) {
  return tb_event_field_is_argument(field->number) && !tb_packet_edit_is_own_annotation(edit, field);
}

/* Whether a field of a track event is left out. */
static bool sheds(const struct tb_packet_edit *edit, const struct tb_wire_field *field) {
  uint32_t number = field->number;
  return (edit->sheds_extras && tb_event_field_is_extra(number)) ||
         (edit->sheds_flows && tb_event_field_is_flow(number)) || (edit->sheds_args && is_argument(edit, field)) ||
         (edit->inserts_timestamp && is_time(number)) || (edit->sheds_thread_counts && is_thread_count(number));
}

static enum tb_status edit_flow(const struct tb_packet_edit *edit, const struct tb_wire_field *field,
                                struct tb_message_patch *patches) {
  const struct tb_walk *walk = edit->walk;
  const struct tb_flow_end here = {
      .id = field->value, .time = walk->host_time, .number = walk->number, .machine = walk->packet.head.machine};
  uint64_t id = tb_flow_ends_id(edit->flow_ends, &here);
  return id == field->value ? TB_OK : tb_message_patches_number(patches, field, id);
}

static enum tb_status edit_annotation(const struct tb_packet_edit *edit, const struct tb_wire_field *annotation,
                                      struct tb_message_patch *patches) {
  struct tb_message_patches_mark mark;
  struct tb_wire_cursor cursor = tb_wire_cursor(annotation->bytes);
  struct tb_wire_field field;
  enum tb_status status = tb_message_patches_begin(patches, annotation, &mark);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.bytes.ptr != edit->annotation.ptr) continue;
    status = tb_message_patches_remove(patches, &field);
    if (status == TB_OK) status = tb_message_patches_insert_bytes(patches, cursor.at, edit->in_place);
  }
  if (status == TB_OK) tb_message_patches_end(patches, annotation, &mark);
  return status;
}

static enum tb_status edit_event(const struct tb_packet_edit *edit, const struct tb_wire_field *event,
                                 struct tb_message_patch *patches) {
  struct tb_message_patches_mark mark;
  struct tb_wire_cursor cursor = tb_wire_cursor(event->bytes);
  struct tb_wire_field field;
  enum tb_status status = tb_message_patches_begin(patches, event, &mark);
  size_t extra = 0;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (sheds(edit, &field))
      status = tb_message_patches_remove(patches, &field);
    else if (edit->add_to_thread_time && field.number == TB_TRACK_EVENT_THREAD_TIME_DELTA_US)
      status = tb_message_patches_number(patches, &field, field.value + (uint64_t)edit->add_to_thread_time);
    else if (edit->add_to_instructions && field.number == TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA)
      status = tb_message_patches_number(patches, &field, field.value + (uint64_t)edit->add_to_instructions);
    else if (edit->add_to_value && field.number == TB_TRACK_EVENT_COUNTER_VALUE && field.type == TB_WIRE_VARINT)
      status = tb_message_patches_number(patches, &field, field.value + (uint64_t)edit->add_to_value);
    else if (field.number == TB_TRACK_EVENT_EXTRA_COUNTER_VALUES && field.type == TB_WIRE_VARINT &&
             extra < edit->extra_count)
      status = tb_message_patches_number(patches, &field, field.value + (uint64_t)edit->add_to_extras[extra++]);
    else if (edit->annotation.ptr && field.number == TB_TRACK_EVENT_DEBUG_ANNOTATIONS && field.type == TB_WIRE_BYTES)
      status = edit_annotation(edit, &field, patches);
    else if (edit->flow_ends && tb_event_field_is_flow(field.number))
      status = edit_flow(edit, &field, patches);
    else if ((edit->sets_duration || edit->sheds_flows) && field.number == TB_TRACK_EVENT_LEGACY_EVENT &&
             field.type == TB_WIRE_BYTES)
      status =
          edit_message(&field, edit->sets_duration ? TB_TRACK_EVENT_LEGACY_EVENT_DURATION_US : 0,
                       (uint64_t)(edit->duration_ns / NS_OF_US), edit->sheds_flows ? is_legacy_flow : NULL, patches);
  }
  const char *end = event->bytes.ptr + event->bytes.len;
  for (size_t i = 0; i < edit->extras.count && status == TB_OK; i++) {
    status = tb_message_patches_insert(patches, end, TB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS, edit->extras.uuids[i]);
    if (status == TB_OK)
      status = tb_message_patches_insert(patches, end, TB_TRACK_EVENT_EXTRA_COUNTER_VALUES,
                                         (uint64_t)edit->extras.values[i]);
  }
  if (status == TB_OK) tb_message_patches_end(patches, event, &mark);
  return status;
}

/* An event of a flow is so long behind the packet's own. */
static uint64_t bounded_delay(const struct tb_packet_edit *edit, uint64_t delay) {
  int64_t time = tb_time_add(edit->walk->host_time, tb_wire_zigzag_decode(delay));
  if (time > edit->flows_until) time = edit->flows_until;
  if (time < edit->flows_from) time = edit->flows_from;
  return tb_wire_zigzag(tb_time_subtract(time, edit->moved_to));
}

static enum tb_status edit_json_flow(const struct tb_packet_edit *edit, const struct tb_wire_field *flow,
                                     struct tb_message_patch *patches) {
  struct tb_message_patches_mark mark;
  struct tb_wire_cursor cursor = tb_wire_cursor(flow->bytes);
  struct tb_wire_field field;
  const struct tb_packet_edit of_event = {.sheds_args = true, .own_annotation = edit->own_annotation};
  enum tb_status status = tb_message_patches_begin(patches, flow, &mark);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (edit->bounds_flows && field.number == TB_JSON_FLOW_DELAY && field.type == TB_WIRE_VARINT)
      status = tb_message_patches_number(patches, &field, bounded_delay(edit, field.value));
    else if (edit->sheds_args && field.number == TB_JSON_FLOW_EVENT && field.type == TB_WIRE_BYTES)
      status = edit_event(&of_event, &field, patches);
  if (status == TB_OK) tb_message_patches_end(patches, flow, &mark);
  return status;
}

/* Of the packet's own fields; those that it gets anew are inserted in front. */
static bool removes_field(const struct tb_packet_edit *edit, uint32_t number) {
  if (number == TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID) return edit->set_clock || edit->inserts_timestamp;
  if (number == TB_TRACE_PACKET_TIMESTAMP) return edit->inserts_timestamp;
  return number == TB_TRACE_PACKET_JSON_FLOWS && edit->sheds_flows;
}

/* Whether the field is an event in which something changes: of one that readers pass over, arguments and flows. */
static bool edits_event(const struct tb_packet_edit *edit, uint32_t number) {
  if (number == TB_TRACE_PACKET_CARRIED_EVENT) return edit->sheds_args || edit->sheds_flows;
  return number == TB_TRACE_PACKET_TRACK_EVENT &&
         (edit->inserts_timestamp || edit->add_to_thread_time || edit->add_to_instructions || edit->sheds_args ||
          edit->sheds_flows || edit->sheds_extras || edit->sets_duration || edit->add_to_value || edit->flow_ends ||
          edit->annotation.ptr || edit->extra_count);
}

static enum tb_status insert_interned(const char *at, struct tb_str entries, struct tb_message_patch *patches) {
  const uint64_t tag = TB_TRACE_PACKET_INTERNED_DATA << 3 | TB_WIRE_BYTES;
  enum tb_status status = tb_message_patches_varint(patches, at, 0, tag);
  if (status == TB_OK) status = tb_message_patches_varint(patches, at, 0, entries.len);
  return status == TB_OK ? tb_message_patches_insert_bytes(patches, at, entries) : status;
}

enum tb_status tb_packet_edit_make(const struct tb_packet_edit *edit, struct tb_str packet,
                                   struct tb_message_patch *patches) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  patches->count = 0;
  patches->growth = 0;
  if (edit->inserts_timestamp)
    status = tb_message_patches_insert(patches, packet.ptr, TB_TRACE_PACKET_TIMESTAMP, edit->timestamp);
  if (status == TB_OK && (edit->set_clock || edit->inserts_timestamp))
    status = tb_message_patches_insert(patches, packet.ptr, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, edit->clock);
  if (status == TB_OK && edit->again.len && !edit->sheds_interned)
    status = insert_interned(packet.ptr, edit->again, patches);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (edit->set_timestamp && field.number == TB_TRACE_PACKET_TIMESTAMP && field.type == TB_WIRE_VARINT)
      status = tb_message_patches_number(patches, &field, edit->timestamp);
    else if (edit->sheds_interned && field.number == TB_TRACE_PACKET_INTERNED_DATA && field.type == TB_WIRE_BYTES)
      status = tb_arg_texts_edit(&field, edit->again, patches);
    else if (removes_field(edit, field.number))
      status = tb_message_patches_remove(patches, &field);
    else if (field.type == TB_WIRE_BYTES && edits_event(edit, field.number))
      status = edit_event(edit, &field, patches);
    else if ((edit->bounds_flows || edit->sheds_args) && field.number == TB_TRACE_PACKET_JSON_FLOWS &&
             field.type == TB_WIRE_BYTES)
      status = edit_json_flow(edit, &field, patches);
    else if (field.number == TB_TRACE_PACKET_GPU_RENDER_STAGE_EVENT && field.type == TB_WIRE_BYTES &&
             edit->sets_duration)
      status = edit_message(&field, TB_GPU_RENDER_STAGE_EVENT_DURATION, (uint64_t)edit->duration_ns, NULL, patches);
    else if (field.number == TB_TRACE_PACKET_VULKAN_API_EVENT && field.type == TB_WIRE_BYTES && edit->sets_duration)
      status = edit_vulkan_event(edit, &field, patches);
  }
  return status;
}

/* ---- state alone ------------------------------------------------------------------------------------------------- */

static bool is_state(uint32_t number) {
  switch (number) {
    case TB_TRACE_PACKET_TRUSTED_UID:
    case TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID:
    case TB_TRACE_PACKET_TRUSTED_PID:
    case TB_TRACE_PACKET_INTERNED_DATA:
    case TB_TRACE_PACKET_SEQUENCE_FLAGS:
    case TB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED:
    case TB_TRACE_PACKET_TRACE_PACKET_DEFAULTS:
    case TB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED:
    case TB_TRACE_PACKET_FIRST_PACKET_ON_SEQUENCE:
    case TB_TRACE_PACKET_MACHINE_ID:
    case TB_TRACE_PACKET_FXT_ORIGIN: /* whose sequence it is in FXT */
      return true;
    default:
      return false;
  }
}

/* Whether a field of a payload says of which recording or GPU what describes it is: it stays with that. */
static bool says_whose(uint32_t kind, uint32_t number) {
  switch (kind) {
    case TB_TRACE_PACKET_POWER_RAILS:
      return number == TB_POWER_RAILS_SESSION_UUID;
    case TB_TRACE_PACKET_GPU_COUNTER_EVENT:
      return number == TB_GPU_COUNTER_EVENT_GPU_ID;
    case TB_TRACE_PACKET_GPU_RENDER_STAGE_EVENT:
      return number == TB_GPU_RENDER_STAGE_EVENT_GPU_ID;
    default:
      return false;
  }
}

static enum tb_status append_kept(const struct tb_wire_field *payload, uint32_t keep, struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload->bytes);
  struct tb_wire_field field;
  size_t start = buffer->len;
  enum tb_status status = tb_wire_buffer_open(buffer, payload->number);
  size_t body = buffer->len;
  bool describes = false;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    describes |= field.number == keep;
    if (field.number == keep || says_whose(payload->number, field.number))
      status = tb_wire_buffer_field(buffer, &field, cursor.at);
  }
  if (status == TB_OK && !describes) {
    buffer->len = start;
    return TB_OK;
  }
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

enum tb_status tb_packet_edit_append_described(struct tb_str packet, uint32_t kind, uint32_t keep, bool sheds_args,
                                               struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (sheds_args && field.number == TB_TRACE_PACKET_INTERNED_DATA && field.type == TB_WIRE_BYTES)
      status = tb_arg_texts_append_rest(&field, buffer);
    else if (is_state(field.number))
      status = tb_wire_buffer_field(buffer, &field, cursor.at);
    else if (field.number == kind && field.type == TB_WIRE_BYTES)
      status = append_kept(&field, keep, buffer);
  }
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

enum tb_status tb_packet_edit_append_state(struct tb_str packet, bool sheds_args, struct tb_buffer *buffer) {
  return tb_packet_edit_append_described(packet, 0, 0, sheds_args, buffer);
}

enum tb_status tb_packet_edit_append_head(const struct tb_walk *walk, int64_t host_time, struct tb_buffer *b) {
  const struct tb_packet_header *head = &walk->packet.head;
  int64_t time = tb_time_add(host_time, tb_walk_ahead(walk, head->machine));
  enum tb_status status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_TIMESTAMP, (uint64_t)time);
  if (status == TB_OK)
    status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, walk->source->prescan.clocks.primary);
  if (status == TB_OK && head->sequence)
    status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, head->sequence);
  if (status == TB_OK && head->machine) status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_MACHINE_ID, head->machine);
  return status;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

enum tb_status tb_packet_edit_append_event(const struct tb_event_packet *event, struct tb_buffer *buffer) {
  enum { ROOM = 16 * TB_WIRE_VARINT_MAX };
  enum tb_status status = tb_buffer_reserve(buffer, ROOM);
  if (status != TB_OK) return status;
  char *packet = tb_wire_open_message(buffer->data + buffer->len, TB_TRACE_PACKET), *at = packet;
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TIMESTAMP, event->timestamp);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, event->clock);
  if (event->sequence) at = tb_wire_put_uint(at, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, event->sequence);
  if (event->machine) at = tb_wire_put_uint(at, TB_TRACE_PACKET_MACHINE_ID, event->machine);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE);
  char *body = at = tb_wire_open_message(at, TB_TRACE_PACKET_TRACK_EVENT);
  at = tb_wire_put_uint(at, TB_TRACK_EVENT_TYPE,
                        event->ends ? TB_TRACK_EVENT_TYPE_SLICE_END : TB_TRACK_EVENT_TYPE_COUNTER);
  at = tb_wire_put_uint(at, TB_TRACK_EVENT_TRACK_UUID, event->uuid);
  if (!event->ends) at = tb_wire_put_uint(at, TB_TRACK_EVENT_COUNTER_VALUE, (uint64_t)event->value);
  at = tb_wire_close_message(packet, tb_wire_close_message(body, at));
  buffer->len = (size_t)(at - buffer->data);
  return TB_OK;
}
