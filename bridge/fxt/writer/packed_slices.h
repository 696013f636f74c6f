/* SPDX-License-Identifier: Apache-2.0
 *
 * Open slices in 16 bytes each: those of a million tracks, whose begins are written, so that only their times and names
 * are left. Each track has a stack of them; names are interned.
 */
#ifndef TB_FXT_WRITER_PACKED_SLICES_H
#define TB_FXT_WRITER_PACKED_SLICES_H

#include "base/intern.h"

struct tb_fxt_packed_slice {
  int64_t ts;
  uint32_t names; /* id of both: see packed_slices.c */
  uint32_t below; /* place of the slice around it, or of another free one, + 1; 0: none */
};

/* Caller-owned; tb_fxt_packed_slices_init, then tb_fxt_packed_slices_free. */
struct tb_fxt_packed_slices {
  struct tb_pages places; /* of struct tb_fxt_packed_slice */
  size_t count;           /* of places that were ever used */
  uint32_t free;          /* place of a free one, + 1; 0: none */
  struct tb_intern names;
};

struct tb_fxt_unpacked_slice {
  int64_t ts;
  struct tb_str name, category;
};

void tb_fxt_packed_slices_init(struct tb_fxt_packed_slices *packed, const struct tb_allocator *allocator);
void tb_fxt_packed_slices_free(struct tb_fxt_packed_slices *packed);

/* Pushes a slice on the stack whose innermost slice is at *top, 0 where it is empty. TB_OK; TB_LIMIT where its names
 * are long, or there are too many to be kept; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_fxt_packed_slices_push(struct tb_fxt_packed_slices *packed,
                                                       const struct tb_fxt_unpacked_slice *slice, uint32_t *top);

/* Takes the innermost slice off a stack that is not empty. Its names last as long as `packed`. */
struct tb_fxt_unpacked_slice tb_fxt_packed_slices_pop(struct tb_fxt_packed_slices *packed, uint32_t *top);

static inline void tb_fxt_packed_slices_prefetch(const struct tb_fxt_packed_slices *packed, uint32_t top) {
  tb_prefetch(tb_pages_at(&packed->places, top - 1, sizeof(struct tb_fxt_packed_slice)), 1);
}

#endif
