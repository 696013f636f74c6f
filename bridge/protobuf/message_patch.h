/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of a message on the wire, as a list of places and their new bytes: nothing is copied until all are known.
 *
 *   packet  |....[old]......[old]..........|      patches in the order of `at`; old may be empty: an insertion
 *   result  |....[new]......[newer]........|
 *
 * A nested message is begun before what changes in it, and ended behind: its length is patched where it changed.
 */
#ifndef TB_PROTOBUF_MESSAGE_PATCH_H
#define TB_PROTOBUF_MESSAGE_PATCH_H

#include "base/memory.h"
#include "protobuf/wire.h"

enum tb_patch_form { TB_PATCH_VARINT, TB_PATCH_FIXED /* little-endian */, TB_PATCH_DECIMAL /* text */ };

/* `bytes`, or where that is NULL: `value` in its form. */
struct tb_patch {
  const char *at;
  size_t old_len, new_len;
  uint64_t value;
  const char *bytes;
  uint8_t form; /* enum tb_patch_form */
};

/* Caller-owned; zero-initialise and set `allocator`, then tb_message_patches_free. */
struct tb_message_patch {
  const struct tb_allocator *allocator;
  struct tb_patch *items;
  size_t count, capacity;
  int64_t growth; /* bytes that the message has more than before, all patches of the open messages counted */
};

void tb_message_patches_free(struct tb_message_patch *patches);

/* Room for more patches. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_message_patches_grow(struct tb_message_patch *patches);

static inline enum tb_status tb_message_patches_room(struct tb_message_patch *patches, size_t more) {
  return patches->capacity - patches->count >= more ? TB_OK : tb_message_patches_grow(patches);
}

/* Puts a varint in place of the `old_len` bytes at `at`. */
TB_MUST_CHECK static inline enum tb_status tb_message_patches_varint(struct tb_message_patch *patches, const char *at,
                                                                     size_t old_len, uint64_t value) {
  enum tb_status status = tb_message_patches_room(patches, 1);
  if (status != TB_OK) return status;
  size_t new_len = tb_wire_varint_size(value);
  patches->items[patches->count++] = (struct tb_patch){at, old_len, new_len, value, NULL, TB_PATCH_VARINT};
  patches->growth += (int64_t)new_len - (int64_t)old_len;
  return TB_OK;
}

/* Puts another number in place of a field's; its tag stays. */
TB_MUST_CHECK enum tb_status tb_message_patches_number(struct tb_message_patch *patches,
                                                       const struct tb_wire_field *field, uint64_t value);

/* Puts a number in decimal in place of text. */
TB_MUST_CHECK enum tb_status tb_message_patches_decimal(struct tb_message_patch *patches, struct tb_str text,
                                                        uint64_t value);

/* Inserts a field that holds a number, or bytes, which must live until the patches are applied. */
TB_MUST_CHECK enum tb_status tb_message_patches_insert(struct tb_message_patch *patches, const char *at,
                                                       uint32_t number, uint64_t value);
TB_MUST_CHECK enum tb_status tb_message_patches_insert_bytes(struct tb_message_patch *patches, const char *at,
                                                             struct tb_str bytes);

/* Leaves a field out. */
TB_MUST_CHECK enum tb_status tb_message_patches_remove(struct tb_message_patch *patches,
                                                       const struct tb_wire_field *field);

/* Where a nested message began. */
struct tb_message_patches_mark {
  size_t count;
  int64_t growth;
};

/* Begins the message that is the payload of `field`. */
TB_MUST_CHECK static inline enum tb_status tb_message_patches_begin(struct tb_message_patch *patches,
                                                                    const struct tb_wire_field *field,
                                                                    struct tb_message_patches_mark *mark) {
  enum tb_status status = tb_message_patches_room(patches, 1);
  if (status != TB_OK) return status;
  *mark = (struct tb_message_patches_mark){patches->count, patches->growth};
  const char *length = field->start;
  while (*length++ & 0x80) continue; /* the tag */
  struct tb_patch *patch = &patches->items[patches->count++];
  patch->at = length;
  patch->old_len = (size_t)(field->bytes.ptr - length);
  return TB_OK;
}
/* Ends it: without patches inside nothing is left of it. */
void tb_message_patches_end(struct tb_message_patch *patches, const struct tb_wire_field *field,
                            const struct tb_message_patches_mark *mark);
/* Drops it with all patches inside. */
void tb_message_patches_drop(struct tb_message_patch *patches, const struct tb_message_patches_mark *mark);

/* memcpy, returning the byte after. Gaps are short as a rule: a call would cost more than the copying. */
static inline char *tb_message_patches_copy(char *to, const char *from, size_t len) {
  if (len > 16) {
    memcpy(to, from, len);
  } else if (len >= 8) {
    uint64_t first = tb_load64(from), last = tb_load64(from + len - 8);
    memcpy(to, &first, 8);
    memcpy(to + len - 8, &last, 8);
  } else {
    for (size_t i = 0; i < len; i++) to[i] = from[i];
  }
  return to + len;
}

/* Writes the message with all patches applied: message.len + patches->growth bytes. Returns the byte after them. */
char *tb_message_patches_apply(const struct tb_message_patch *patches, struct tb_str message, char *to);

#endif
