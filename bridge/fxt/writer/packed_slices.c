/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/writer/packed_slices.h"

enum {
  NAMES_MAX = 1 << 15, /* they are not forgotten */
  LEN_SIZE = 1,        /* an interned text is the length of the name, the name, and the category */
  NAMES_SIZE = 256
};

void tb_fxt_packed_slices_init(struct tb_fxt_packed_slices *packed, const struct tb_allocator *allocator) {
  *packed = (struct tb_fxt_packed_slices){.places = {.allocator = allocator}};
  tb_intern_init(&packed->names, allocator);
}

void tb_fxt_packed_slices_free(struct tb_fxt_packed_slices *packed) {
  tb_pages_free(&packed->places, sizeof(struct tb_fxt_packed_slice));
  tb_intern_free(&packed->names);
}

static struct tb_fxt_packed_slice *slice_at(const struct tb_fxt_packed_slices *packed, uint32_t place) {
  return tb_pages_at(&packed->places, place - 1, sizeof(struct tb_fxt_packed_slice));
}

static enum tb_status intern_names(struct tb_intern *names, const struct tb_fxt_unpacked_slice *slice, uint32_t *id) {
  char text[NAMES_SIZE];
  struct tb_str name = slice->name, category = slice->category, both = {text, LEN_SIZE + name.len + category.len};
  if (name.len >= NAMES_SIZE || category.len >= NAMES_SIZE || both.len > NAMES_SIZE) return TB_LIMIT;
  text[0] = (char)(unsigned char)name.len;
  if (name.len) memcpy(text + LEN_SIZE, name.ptr, name.len);
  if (category.len) memcpy(text + LEN_SIZE + name.len, category.ptr, category.len);
  bool is_full = names->count >= NAMES_MAX;
  *id = is_full ? tb_intern_find(names, both, tb_intern_hash(both)) : tb_intern_id(names, both);
  return *id ? TB_OK : is_full ? TB_LIMIT : TB_NO_MEMORY;
}

/* A place, + 1. */
static enum tb_status take_place(struct tb_fxt_packed_slices *packed, uint32_t *place) {
  *place = packed->free;
  if (*place) {
    packed->free = slice_at(packed, *place)->below;
    return TB_OK;
  }
  enum tb_status status =
      tb_pages_reach(&packed->places, packed->count, sizeof(struct tb_fxt_packed_slice), UINT32_MAX - 1);
  if (status == TB_OK) *place = (uint32_t)++packed->count;
  return status;
}

enum tb_status tb_fxt_packed_slices_push(struct tb_fxt_packed_slices *packed, const struct tb_fxt_unpacked_slice *slice,
                                         uint32_t *top) {
  uint32_t names, place;
  enum tb_status status = intern_names(&packed->names, slice, &names);
  if (status == TB_OK) status = take_place(packed, &place);
  if (status != TB_OK) return status;
  *slice_at(packed, place) = (struct tb_fxt_packed_slice){.ts = slice->ts, .names = names, .below = *top};
  *top = place;
  return TB_OK;
}

struct tb_fxt_unpacked_slice tb_fxt_packed_slices_pop(struct tb_fxt_packed_slices *packed, uint32_t *top) {
  uint32_t place = *top;
  struct tb_fxt_packed_slice *slice = slice_at(packed, place);
  struct tb_str names = tb_intern_text(&packed->names, slice->names);
  size_t name_len = (unsigned char)names.ptr[0];
  const struct tb_fxt_unpacked_slice popped = {
      .ts = slice->ts,
      .name = {names.ptr + LEN_SIZE, name_len},
      .category = {names.ptr + LEN_SIZE + name_len, names.len - LEN_SIZE - name_len}};
  *top = slice->below;
  slice->below = packed->free;
  packed->free = place;
  return popped;
}
