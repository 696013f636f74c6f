/* SPDX-License-Identifier: Apache-2.0
 *
 * What a trace interns: a pool that keeps each text once for the whole trace, and a sequence's index from iid to text.
 *
 * Producers send their strings anew after each clear of the incremental state. The pool knows them by content, so that
 * this costs no memory, and texts stay valid for as long as the reader lives.
 */
#ifndef TB_PROTOBUF_IID_INDEX_H
#define TB_PROTOBUF_IID_INDEX_H

#include "base/intern.h"
#include "base/map.h"

/* The pool's copy of `text`. TB_OK, or TB_NO_MEMORY. */
TB_MUST_CHECK static inline enum tb_status tb_text_pool_add(struct tb_intern *pool, struct tb_str text,
                                                            struct tb_str *kept) {
  uint32_t id = tb_intern_id(pool, text);
  if (!id) return TB_NO_MEMORY;
  *kept = tb_intern_text(pool, id);
  return TB_OK;
}

/* One index of a sequence. iids are mostly small and dense; the others are in `sparse`. */
struct tb_iid_index {
  const struct tb_allocator *allocator;
  struct tb_str *dense; /* by iid; ptr NULL: no such entry */
  size_t dense_capacity;
  size_t dense_used; /* one past the largest iid set */
  struct tb_str *others;
  size_t other_count, other_capacity;
  struct tb_map sparse; /* iid -> index in others */
};

void tb_iid_index_init(struct tb_iid_index *index, const struct tb_allocator *allocator);
void tb_iid_index_clear(struct tb_iid_index *index);
void tb_iid_index_free(struct tb_iid_index *index);

/* Sets or replaces an entry. `text` must stay valid (the pool's). TB_OK, or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_iid_index_set(struct tb_iid_index *index, uint64_t iid, struct tb_str text);

const struct tb_str *tb_iid_index_find_sparse(const struct tb_iid_index *index, uint64_t iid);

/* The entry, or NULL where there is none. */
static inline const struct tb_str *tb_iid_index_get(const struct tb_iid_index *index, uint64_t iid) {
  if (iid < index->dense_used && index->dense[iid].ptr) return &index->dense[iid];
  return index->other_count ? tb_iid_index_find_sparse(index, iid) : NULL;
}

#endif
