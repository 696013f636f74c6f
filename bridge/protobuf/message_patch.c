/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf/message_patch.h"

enum { PATCHES_MAX = 1 << 26 };

void tb_message_patches_free(struct tb_message_patch *patches) {
  tb_free(patches->allocator, patches->items, patches->capacity * sizeof(*patches->items));
  patches->items = NULL;
  patches->count = patches->capacity = 0;
}

enum tb_status tb_message_patches_grow(struct tb_message_patch *patches) {
  void *items = patches->items;
  enum tb_status status = tb_grow_array(patches->allocator, &items, &patches->capacity, patches->count + 16,
                                        sizeof(*patches->items), PATCHES_MAX);
  patches->items = items;
  return status;
}

static void add(struct tb_message_patch *patches, const struct tb_patch *patch) {
  patches->items[patches->count++] = *patch;
  patches->growth += (int64_t)patch->new_len - (int64_t)patch->old_len;
}

enum tb_status tb_message_patches_number(struct tb_message_patch *patches, const struct tb_wire_field *field,
                                         uint64_t value) {
  if (field->type == TB_WIRE_VARINT)
    return tb_message_patches_varint(patches, field->bytes.ptr, field->bytes.len, value);
  enum tb_status status = tb_message_patches_room(patches, 1);
  if (status != TB_OK) return status;
  add(patches, &(struct tb_patch){field->bytes.ptr, field->bytes.len, field->bytes.len, value, NULL, TB_PATCH_FIXED});
  return TB_OK;
}

enum tb_status tb_message_patches_decimal(struct tb_message_patch *patches, struct tb_str text, uint64_t value) {
  enum tb_status status = tb_message_patches_room(patches, 1);
  if (status != TB_OK) return status;
  size_t digits = 1;
  for (uint64_t rest = value; rest >= 10; rest /= 10) digits++;
  add(patches, &(struct tb_patch){text.ptr, text.len, digits, value, NULL, TB_PATCH_DECIMAL});
  return TB_OK;
}

enum tb_status tb_message_patches_insert(struct tb_message_patch *patches, const char *at, uint32_t number,
                                         uint64_t value) {
  enum tb_status status = tb_message_patches_varint(patches, at, 0, (uint64_t)number << 3 | TB_WIRE_VARINT);
  return status == TB_OK ? tb_message_patches_varint(patches, at, 0, value) : status;
}

enum tb_status tb_message_patches_insert_bytes(struct tb_message_patch *patches, const char *at, struct tb_str bytes) {
  enum tb_status status = tb_message_patches_room(patches, 1);
  if (status != TB_OK) return status;
  add(patches, &(struct tb_patch){at, 0, bytes.len, 0, bytes.ptr, TB_PATCH_VARINT});
  return TB_OK;
}

enum tb_status tb_message_patches_remove(struct tb_message_patch *patches, const struct tb_wire_field *field) {
  enum tb_status status = tb_message_patches_room(patches, 1);
  if (status != TB_OK) return status;
  size_t len = (size_t)(field->bytes.ptr + field->bytes.len - field->start);
  add(patches, &(struct tb_patch){field->start, len, 0, 0, "", TB_PATCH_VARINT});
  return TB_OK;
}

void tb_message_patches_drop(struct tb_message_patch *patches, const struct tb_message_patches_mark *mark) {
  patches->count = mark->count;
  patches->growth = mark->growth;
}

void tb_message_patches_end(struct tb_message_patch *patches, const struct tb_wire_field *field,
                            const struct tb_message_patches_mark *mark) {
  if (patches->count == mark->count + 1) {
    patches->count = mark->count;
    return;
  }
  struct tb_patch *length = &patches->items[mark->count];
  int64_t inner = patches->growth - mark->growth;
  length->value = (uint64_t)((int64_t)field->bytes.len + inner);
  length->bytes = inner ? NULL : length->at; /* a length that is right keeps its bytes, however long it is written */
  length->new_len = inner ? tb_wire_varint_size(length->value) : length->old_len;
  length->form = TB_PATCH_VARINT;
  patches->growth += (int64_t)length->new_len - (int64_t)length->old_len;
}

static char *put_number(const struct tb_patch *p, char *to) {
  if (p->form == TB_PATCH_VARINT) return tb_wire_put_varint(to, p->value);
  if (p->form == TB_PATCH_FIXED)
    return tb_message_patches_copy(to, (const char *)&p->value, p->new_len); /* little-endian hosts only */
  uint64_t rest = p->value;
  for (size_t i = p->new_len; i-- > 0; rest /= 10) to[i] = (char)('0' + rest % 10);
  return to + p->new_len;
}

char *tb_message_patches_apply(const struct tb_message_patch *patches, struct tb_str message, char *to) {
  const char *copied = message.ptr;
  for (size_t i = 0; i < patches->count; i++) {
    const struct tb_patch *p = &patches->items[i];
    to = tb_message_patches_copy(to, copied, (size_t)(p->at - copied));
    copied = p->at + p->old_len;
    to = p->bytes ? tb_message_patches_copy(to, p->bytes, p->new_len) : put_number(p, to);
  }
  return tb_message_patches_copy(to, copied, (size_t)(message.ptr + message.len - copied));
}
