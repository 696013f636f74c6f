/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/dump_resolve.h"

#include <inttypes.h>
#include <stdio.h>

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { TEXT_BYTES = 160 };

_Static_assert((int)TB_INTERNED_DATA_GPU_COUNTER_DESCRIPTORS < (int)TB_RESOLVER_FIELDS, "the last field has room");

/* Fields that hold ids, and what of: a field of InternedData, or 0 for tracks. */
static const struct {
  const char *message, *field;
  uint32_t of;
} id_fields[] = {
    {"TrackEvent", "category_iids", TB_INTERNED_DATA_EVENT_CATEGORIES},
    {"TrackEvent", "name_iid", TB_INTERNED_DATA_EVENT_NAMES},
    {"TrackEvent", "source_location_iid", TB_INTERNED_DATA_SOURCE_LOCATIONS},
    {"TrackEvent", "correlation_id_str_iid", TB_INTERNED_DATA_CORRELATION_ID_STR},
    {"TrackEvent", "track_uuid", 0},
    {"TrackEvent", "extra_counter_track_uuids", 0},
    {"TrackEvent", "extra_double_counter_track_uuids", 0},
    {"LegacyEvent", "name_iid", TB_INTERNED_DATA_EVENT_NAMES},
    {"TaskExecution", "posted_from_iid", TB_INTERNED_DATA_SOURCE_LOCATIONS},
    {"LogMessage", "source_location_iid", TB_INTERNED_DATA_SOURCE_LOCATIONS},
    {"LogMessage", "body_iid", TB_INTERNED_DATA_LOG_MESSAGE_BODY},
    {"ChromeHistogramSample", "name_iid", TB_INTERNED_DATA_HISTOGRAM_NAMES},
    {"DebugAnnotation", "name_iid", TB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES},
    {"DebugAnnotation", "string_value_iid", TB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES},
    {"DebugAnnotation", "proto_type_name_iid", TB_INTERNED_DATA_DEBUG_ANNOTATION_VALUE_TYPE_NAMES},
    {"TrackEventDefaults", "track_uuid", 0},
    {"TrackEventDefaults", "extra_counter_track_uuids", 0},
    {"TrackEventDefaults", "extra_double_counter_track_uuids", 0},
    {"TrackDescriptor", "parent_uuid", 0},
    {"Frame", "function_name_id", TB_INTERNED_DATA_FUNCTION_NAMES},
    {"Frame", "source_path_iid", TB_INTERNED_DATA_SOURCE_PATHS},
    {"Callstack", "frame_ids", TB_INTERNED_DATA_FRAMES},
    {"Mapping", "path_string_ids", TB_INTERNED_DATA_MAPPING_PATHS},
};

void tb_resolver_init(struct tb_resolver *r, const struct tb_allocator *allocator) {
  *r = (struct tb_resolver){.allocator = allocator};
  tb_intern_init(&r->texts, allocator);
  tb_map_init(&r->tracks, allocator);
  tb_sequence_table_init(&r->sequences, allocator);
}

void tb_resolver_free(struct tb_resolver *r) {
  for (size_t i = 0; i < r->data_count; i++)
    for (size_t k = 0; k < TB_RESOLVER_FIELDS; k++) tb_iid_index_free(&r->data[i].fields[k]);
  tb_free(r->allocator, r->data, r->data_capacity * sizeof(*r->data));
  tb_sequence_table_free(&r->sequences);
  tb_map_free(&r->tracks);
  tb_intern_free(&r->texts);
}

/* ---- interned data ----------------------------------------------------------------------------------------------- */

/* The text of an iid of that field of InternedData, of the current packet. */
static struct tb_str find_interned(const struct tb_resolver *r, uint64_t iid, uint32_t of) {
  const struct tb_str *text = r->current ? tb_iid_index_get(&r->current->fields[of], iid) : NULL;
  return text ? *text : (struct tb_str){NULL, 0};
}

static enum tb_status set_interned(struct tb_resolver *r, uint64_t iid, uint32_t of, struct tb_str text) {
  if (text.len > TEXT_BYTES) text.len = TEXT_BYTES;
  enum tb_status status = tb_text_pool_add(&r->texts, text, &text);
  return status == TB_OK ? tb_iid_index_set(&r->current->fields[of], iid, text) : status;
}

/* What an entry is shown as: its text; of frames the function, of source locations all three fields. */
static struct tb_str entry_text(const struct tb_resolver *r, uint32_t kind, struct tb_str entry, uint64_t *iid,
                                char buffer[TEXT_BYTES]) {
  struct tb_wire_cursor cursor = tb_wire_cursor(entry);
  struct tb_wire_field field;
  enum { IID = TB_INTERNED_NAME_IID, TEXT = TB_INTERNED_NAME_NAME }; /* of entries of any kind */
  struct tb_str text = {NULL, 0}, function = {NULL, 0};
  uint64_t line = 0;
  *iid = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == IID && field.type == TB_WIRE_VARINT) *iid = field.value;
    if (field.number == TEXT && field.type == TB_WIRE_BYTES) text = field.bytes;
    if (field.number == TB_FRAME_FUNCTION_NAME_ID && field.type == TB_WIRE_VARINT && kind == TB_INTERNED_DATA_FRAMES)
      text = find_interned(r, field.value, TB_INTERNED_DATA_FUNCTION_NAMES);
    if (field.number == TB_SOURCE_LOCATION_FUNCTION_NAME && field.type == TB_WIRE_BYTES) function = field.bytes;
    if (field.number == TB_SOURCE_LOCATION_LINE_NUMBER && field.type == TB_WIRE_VARINT) line = field.value;
  }
  if (kind != TB_INTERNED_DATA_SOURCE_LOCATIONS) return text;
  int len = snprintf(buffer, TEXT_BYTES, "%.*s:%" PRIu64 " %.*s", (int)(text.len < 100 ? text.len : 100),
                     text.len ? text.ptr : "", line, (int)(function.len < 100 ? function.len : 100),
                     function.len ? function.ptr : "");
  return (struct tb_str){buffer, len < TEXT_BYTES ? (size_t)len : TEXT_BYTES - 1};
}

static enum tb_status take_interned(struct tb_resolver *r, struct tb_str interned) {
  struct tb_wire_cursor cursor = tb_wire_cursor(interned);
  struct tb_wire_field field;
  char buffer[TEXT_BYTES];
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    uint64_t iid;
    if (field.type != TB_WIRE_BYTES || field.number >= TB_RESOLVER_FIELDS) continue;
    struct tb_str text = entry_text(r, field.number, field.bytes, &iid, buffer);
    if (text.len && set_interned(r, iid, field.number, text) != TB_OK) return TB_NO_MEMORY;
  }
  return TB_OK;
}

/* Points `current` at the sequence's entries. */
static enum tb_status choose_sequence(struct tb_resolver *r, const struct tb_packet *packet) {
  uint32_t index;
  r->current = NULL;
  if (!packet->sequence) return TB_OK;
  if (!tb_sequence_table_find(&r->sequences, packet->machine, packet->sequence, &index)) {
    void *data = r->data;
    index = (uint32_t)r->data_count;
    if (tb_grow_array(r->allocator, &data, &r->data_capacity, r->data_count + 1, sizeof(*r->data), UINT32_MAX - 1) !=
        TB_OK)
      return TB_NO_MEMORY;
    r->data = data;
    if (tb_sequence_table_add(&r->sequences, packet->machine, packet->sequence) != TB_OK) return TB_NO_MEMORY;
    for (size_t k = 0; k < TB_RESOLVER_FIELDS; k++) tb_iid_index_init(&r->data[index].fields[k], r->allocator);
    r->data_count++;
  }
  r->current = &r->data[index];
  return TB_OK;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static struct tb_str find_track(const struct tb_resolver *r, uint64_t uuid) {
  uint32_t id;
  return tb_map_get(&r->tracks, uuid, 0, &id) ? tb_intern_text(&r->texts, id) : (struct tb_str){NULL, 0};
}

static enum tb_status set_track(struct tb_resolver *r, uint64_t uuid, const char *text) {
  uint32_t id = tb_intern_id(&r->texts, tb_str_from(text));
  return id ? tb_map_put(&r->tracks, uuid, 0, id) : TB_NO_MEMORY;
}

static struct tb_str text_field(struct tb_str message, uint32_t number) {
  struct tb_str text = tb_wire_find_bytes(message, number);
  if (text.len > TEXT_BYTES / 2) text.len = TEXT_BYTES / 2;
  return text;
}

static void describe(struct tb_str descriptor, uint64_t *uuid, char text[TEXT_BYTES]) {
  static const uint32_t names[] = {TB_TRACK_DESCRIPTOR_NAME, TB_TRACK_DESCRIPTOR_STATIC_NAME,
                                   TB_TRACK_DESCRIPTOR_ATRACE_NAME};
  struct tb_str thread = {NULL, 0}, process = {NULL, 0}, name = {NULL, 0};
  struct tb_wire_cursor cursor = tb_wire_cursor(descriptor);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_TRACK_DESCRIPTOR_THREAD) thread = field.bytes;
    if (field.number == TB_TRACK_DESCRIPTOR_PROCESS) process = field.bytes;
  }
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !name.len; i++) name = text_field(descriptor, names[i]);
  *uuid = tb_wire_find_number(descriptor, TB_TRACK_DESCRIPTOR_UUID);
  if (thread.len) {
    if (!name.len) name = text_field(thread, TB_THREAD_DESCRIPTOR_THREAD_NAME);
    (void)snprintf(text, TEXT_BYTES, "thread %" PRId64 " of %" PRId32 " %.*s",
                   (int64_t)tb_wire_find_number(thread, TB_THREAD_DESCRIPTOR_TID),
                   (int32_t)tb_wire_find_number(thread, TB_THREAD_DESCRIPTOR_PID), (int)name.len,
                   name.len ? name.ptr : "");
  } else if (process.len) {
    if (!name.len) name = text_field(process, TB_PROCESS_DESCRIPTOR_PROCESS_NAME);
    (void)snprintf(text, TEXT_BYTES, "process %" PRId32 " %.*s",
                   (int32_t)tb_wire_find_number(process, TB_PROCESS_DESCRIPTOR_PID), (int)name.len,
                   name.len ? name.ptr : "");
  } else {
    (void)snprintf(text, TEXT_BYTES, "%.*s", (int)name.len, name.len ? name.ptr : "");
  }
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

enum tb_status tb_resolver_packet(struct tb_resolver *r, const struct tb_packet *packet) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->bytes);
  struct tb_wire_field field;
  if (choose_sequence(r, packet) != TB_OK) return TB_NO_MEMORY;
  uint64_t cleared = (tb_wire_find_number(packet->bytes, TB_TRACE_PACKET_SEQUENCE_FLAGS) &
                      TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED) |
                     tb_wire_find_number(packet->bytes, TB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED);
  for (size_t k = 0; cleared && r->current && k < TB_RESOLVER_FIELDS; k++) tb_iid_index_clear(&r->current->fields[k]);
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_TRACE_PACKET_INTERNED_DATA && r->current && take_interned(r, field.bytes) != TB_OK)
      return TB_NO_MEMORY;
    if (field.number != TB_TRACE_PACKET_TRACK_DESCRIPTOR) continue;
    char text[TEXT_BYTES];
    uint64_t uuid;
    describe(field.bytes, &uuid, text);
    if (set_track(r, uuid, text) != TB_OK) return TB_NO_MEMORY;
  }
  return TB_OK;
}

struct tb_str tb_resolver_text(const struct tb_resolver *r, const ProtobufCMessageDescriptor *message,
                               const ProtobufCFieldDescriptor *field, uint64_t value) {
  for (size_t i = 0; i < sizeof(id_fields) / sizeof(id_fields[0]); i++) {
    if (strcmp(id_fields[i].field, field->name) != 0 || strcmp(id_fields[i].message, message->short_name) != 0)
      continue;
    return id_fields[i].of ? find_interned(r, value, id_fields[i].of) : find_track(r, value);
  }
  return (struct tb_str){NULL, 0};
}
