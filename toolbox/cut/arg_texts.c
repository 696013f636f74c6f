/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/cut/arg_texts.h"

#include "model/carried_fields.h"
#include "protos/field_numbers.h"

enum {
  KEPT_MAX = 64 << 20, /* of entries that an annotation of our own may still need: later ones are forgotten */
  FIELD_BITS = 8,      /* of a key */
  NESTED_MAX = TB_ARG_DEPTH_MAX
};

void tb_arg_texts_init(struct tb_arg_texts *texts, const struct tb_allocator *allocator) {
  tb_map_init(&texts->own, allocator);
  tb_map_init(&texts->places, allocator);
  tb_buffer_init(&texts->entries, allocator, 0);
  tb_buffer_init(&texts->again, allocator, 0);
}

void tb_arg_texts_free(struct tb_arg_texts *texts) {
  tb_map_free(&texts->own);
  tb_map_free(&texts->places);
  tb_buffer_free(&texts->entries);
  tb_buffer_free(&texts->again);
}

static bool is_of_args(const struct tb_wire_field *entry) {
  switch (entry->number) {
    case TB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES:
    case TB_INTERNED_DATA_DEBUG_ANNOTATION_VALUE_TYPE_NAMES:
    case TB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES:
    case TB_INTERNED_DATA_SOURCE_LOCATIONS:
    case TB_INTERNED_DATA_LOG_MESSAGE_BODY:
    case TB_INTERNED_DATA_HISTOGRAM_NAMES:
    case TB_INTERNED_DATA_CORRELATION_ID_STR:
      return entry->type == TB_WIRE_BYTES;
    default:
      return false;
  }
}

/* The name of the annotation that has what other formats need; *iid is its number. */
static bool is_own_name(const struct tb_wire_field *entry, uint64_t *iid) {
  static const struct tb_str own = {TB_CARRIED_ANNOTATION, sizeof(TB_CARRIED_ANNOTATION) - 1};
  struct tb_wire_field fields[TB_INTERNED_NAME_NAME + 1];
  if (entry->number != TB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES || entry->type != TB_WIRE_BYTES) return false;
  (void)tb_wire_read_fields(entry->bytes, fields, TB_INTERNED_NAME_NAME + 1);
  *iid = fields[TB_INTERNED_NAME_IID].value;
  return tb_str_equal(tb_wire_text(&fields[TB_INTERNED_NAME_NAME]), own);
}

static bool goes(const struct tb_wire_field *entry) {
  uint64_t iid;
  return is_of_args(entry) && !is_own_name(entry, &iid);
}

static uint64_t key_of(size_t sequence, uint32_t field) { return (uint64_t)sequence << FIELD_BITS | field; }

/* ---- what is left out -------------------------------------------------------------------------------------------- */

static enum tb_status take_entry(struct tb_arg_texts *texts, size_t sequence, const struct tb_wire_field *entry,
                                 const char *end) {
  uint64_t iid = tb_wire_find_number(entry->bytes, TB_INTERNED_NAME_IID);
  size_t place = texts->entries.len;
  if (place > KEPT_MAX) return TB_OK;
  enum tb_status status = tb_wire_buffer_field(&texts->entries, entry, end);
  return status == TB_OK ? tb_map_put(&texts->places, iid, key_of(sequence, entry->number), place) : status;
}

enum tb_status tb_arg_texts_take(struct tb_arg_texts *texts, size_t sequence, struct tb_str packet) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet), interned;
  struct tb_wire_field field, entry;
  uint64_t iid;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_TRACE_PACKET_INTERNED_DATA || field.type != TB_WIRE_BYTES) continue;
    interned = tb_wire_cursor(field.bytes);
    while (status == TB_OK && tb_wire_read(&interned, &entry) == TB_OK)
      if (is_own_name(&entry, &iid))
        status = tb_map_put(&texts->own, sequence, 0, iid);
      else if (is_of_args(&entry))
        status = take_entry(texts, sequence, &entry, interned.at);
  }
  return status;
}

uint64_t tb_arg_texts_own(const struct tb_arg_texts *texts, size_t sequence) {
  const uint64_t *iid = tb_map_find(&texts->own, sequence, 0);
  return iid ? *iid : 0;
}

/* ---- what is needed again ---------------------------------------------------------------------------------------- */

static enum tb_status need(struct tb_arg_texts *texts, size_t sequence, uint32_t field, uint64_t iid) {
  const uint64_t *place = tb_map_find(&texts->places, iid, key_of(sequence, field));
  if (!place) return TB_OK;
  struct tb_str from = {texts->entries.data + *place, texts->entries.len - *place};
  struct tb_wire_cursor cursor = tb_wire_cursor(from);
  struct tb_wire_field entry;
  enum tb_status status = TB_OK;
  if (tb_wire_read(&cursor, &entry) == TB_OK) status = tb_wire_buffer_field(&texts->again, &entry, cursor.at);
  tb_map_remove(&texts->places, iid, key_of(sequence, field));
  return status;
}

static bool nests(uint32_t number) {
  return number == TB_DEBUG_ANNOTATION_DICT_ENTRIES || number == TB_DEBUG_ANNOTATION_ARRAY_VALUES ||
         number == TB_DEBUG_ANNOTATION_CARRIED;
}

static enum tb_status need_all(struct tb_arg_texts *texts, size_t sequence, struct tb_str annotation, unsigned depth) {
  struct tb_wire_cursor cursor = tb_wire_cursor(annotation);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (nests(field.number) && field.type == TB_WIRE_BYTES && depth < NESTED_MAX)
      status = need_all(texts, sequence, field.bytes, depth + 1);
    else if (field.number == TB_DEBUG_ANNOTATION_NAME_IID)
      status = need(texts, sequence, TB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES, field.value);
    else if (field.number == TB_DEBUG_ANNOTATION_STRING_VALUE_IID)
      status = need(texts, sequence, TB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, field.value);
    else if (field.number == TB_DEBUG_ANNOTATION_PROTO_TYPE_NAME_IID)
      status = need(texts, sequence, TB_INTERNED_DATA_DEBUG_ANNOTATION_VALUE_TYPE_NAMES, field.value);
  }
  return status;
}

enum tb_status tb_arg_texts_need(struct tb_arg_texts *texts, size_t sequence, struct tb_str annotation) {
  return need_all(texts, sequence, annotation, 0);
}

enum tb_status tb_arg_texts_need_kind(struct tb_arg_texts *texts, size_t sequence, uint64_t iid) {
  return need(texts, sequence, TB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, iid);
}

bool tb_arg_texts_refers(struct tb_str annotation) {
  struct tb_wire_cursor cursor = tb_wire_cursor(annotation);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (nests(field.number) || field.number == TB_DEBUG_ANNOTATION_STRING_VALUE_IID) return true;
  return false;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

enum tb_status tb_arg_texts_edit(const struct tb_wire_field *interned, struct tb_str again,
                                 struct tb_message_patch *patches) {
  struct tb_message_patches_mark mark;
  struct tb_wire_cursor cursor = tb_wire_cursor(interned->bytes);
  struct tb_wire_field entry;
  enum tb_status status = tb_message_patches_begin(patches, interned, &mark);
  while (status == TB_OK && tb_wire_read(&cursor, &entry) == TB_OK)
    if (goes(&entry)) status = tb_message_patches_remove(patches, &entry);
  if (status == TB_OK && again.len)
    status = tb_message_patches_insert_bytes(patches, interned->bytes.ptr + interned->bytes.len, again);
  if (status == TB_OK) tb_message_patches_end(patches, interned, &mark);
  return status;
}

enum tb_status tb_arg_texts_append_rest(const struct tb_wire_field *interned, struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(interned->bytes);
  struct tb_wire_field entry;
  enum tb_status status = tb_wire_buffer_open(buffer, interned->number);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &entry) == TB_OK)
    if (!goes(&entry)) status = tb_wire_buffer_field(buffer, &entry, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}
