/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf/iid_index.h"

enum { DENSE_GAP = 1024, DENSE_MAX = 1 << 22 };

void tb_iid_index_init(struct tb_iid_index *index, const struct tb_allocator *allocator) {
  *index = (struct tb_iid_index){.allocator = allocator};
  tb_map_init(&index->sparse, allocator);
}

void tb_iid_index_clear(struct tb_iid_index *index) {
  if (index->dense_used) memset(index->dense, 0, index->dense_used * sizeof(*index->dense));
  index->dense_used = index->other_count = 0;
  tb_map_clear(&index->sparse);
}

void tb_iid_index_free(struct tb_iid_index *index) {
  tb_free(index->allocator, index->dense, index->dense_capacity * sizeof(*index->dense));
  tb_free(index->allocator, index->others, index->other_capacity * sizeof(*index->others));
  tb_map_free(&index->sparse);
}

static enum tb_status set_dense(struct tb_iid_index *index, size_t iid, struct tb_str text) {
  size_t before = index->dense_capacity;
  void *dense = index->dense;
  enum tb_status status =
      tb_grow_array(index->allocator, &dense, &index->dense_capacity, iid + 1, sizeof(text), DENSE_MAX);
  if (status != TB_OK) return TB_NO_MEMORY;
  index->dense = dense;
  memset(index->dense + before, 0, (index->dense_capacity - before) * sizeof(text));
  index->dense[iid] = text;
  if (iid >= index->dense_used) index->dense_used = iid + 1;
  return TB_OK;
}

static enum tb_status set_sparse(struct tb_iid_index *index, uint64_t iid, struct tb_str text) {
  uint32_t at;
  if (tb_map_get(&index->sparse, iid, 0, &at)) {
    index->others[at] = text;
    return TB_OK;
  }
  void *others = index->others;
  enum tb_status status = tb_grow_array(index->allocator, &others, &index->other_capacity, index->other_count + 1,
                                        sizeof(text), UINT32_MAX - 1);
  if (status != TB_OK) return TB_NO_MEMORY;
  index->others = others;
  status = tb_map_put(&index->sparse, iid, 0, (uint32_t)index->other_count);
  if (status != TB_OK) return status;
  index->others[index->other_count++] = text;
  return TB_OK;
}

enum tb_status tb_iid_index_set(struct tb_iid_index *index, uint64_t iid, struct tb_str text) {
  if (iid < DENSE_MAX && iid < index->dense_used + DENSE_GAP && !tb_iid_index_find_sparse(index, iid)) {
    return set_dense(index, (size_t)iid, text);
  }
  return set_sparse(index, iid, text);
}

const struct tb_str *tb_iid_index_find_sparse(const struct tb_iid_index *index, uint64_t iid) {
  uint32_t at;
  return tb_map_get(&index->sparse, iid, 0, &at) ? &index->others[at] : NULL;
}
