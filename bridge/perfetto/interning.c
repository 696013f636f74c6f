/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/interning.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { DENSE_GAP = 1024, DENSE_MAX = 1 << 22 };

void tb_text_pool_init(struct tb_text_pool *pool, const struct tb_allocator *allocator) {
  *pool = (struct tb_text_pool){0};
  tb_arena_init(&pool->arena, allocator, 0);
}

static void free_table(struct tb_text_pool *pool) {
  tb_free(pool->arena.allocator, pool->table, pool->capacity * sizeof(*pool->table));
  tb_free(pool->arena.allocator, pool->hashes, pool->capacity * sizeof(*pool->hashes));
}

void tb_text_pool_free(struct tb_text_pool *pool) {
  free_table(pool);
  tb_arena_free(&pool->arena);
}

static size_t find_place(const struct tb_text_pool *pool, uint64_t hash, struct tb_slice text) {
  size_t mask = pool->capacity - 1, i = (size_t)hash & mask;
  while (pool->table[i].ptr && (pool->hashes[i] != hash || !tb_slice_equal(pool->table[i], text))) i = (i + 1) & mask;
  return i;
}

static enum tb_status grow(struct tb_text_pool *pool) {
  const struct tb_allocator *allocator = pool->arena.allocator;
  struct tb_text_pool bigger = *pool;
  bigger.capacity = pool->capacity ? pool->capacity * 2 : 256;
  bigger.table = tb_calloc(allocator, bigger.capacity * sizeof(*bigger.table));
  bigger.hashes = tb_calloc(allocator, bigger.capacity * sizeof(*bigger.hashes));
  if (!bigger.table || !bigger.hashes) {
    free_table(&bigger);
    return TB_NO_MEMORY;
  }
  for (size_t i = 0; i < pool->capacity; i++) {
    if (!pool->table[i].ptr) continue;
    size_t place = find_place(&bigger, pool->hashes[i], pool->table[i]);
    bigger.table[place] = pool->table[i];
    bigger.hashes[place] = pool->hashes[i];
  }
  free_table(pool);
  *pool = bigger;
  return TB_OK;
}

enum tb_status tb_text_pool_add(struct tb_text_pool *pool, struct tb_slice text, struct tb_slice *kept) {
  if (pool->count >= pool->capacity / 2) {
    enum tb_status status = grow(pool);
    if (status != TB_OK) return status;
  }
  uint64_t hash = XXH3_64bits(text.len ? text.ptr : "", text.len);
  size_t place = find_place(pool, hash, text);
  if (!pool->table[place].ptr) {
    struct tb_slice copy = tb_arena_copy(&pool->arena, text);
    if (!copy.ptr) return TB_NO_MEMORY;
    pool->table[place] = copy;
    pool->hashes[place] = hash;
    pool->count++;
  }
  *kept = pool->table[place];
  return TB_OK;
}

void tb_iid_index_init(struct tb_iid_index *index, const struct tb_allocator *allocator) {
  *index = (struct tb_iid_index){.allocator = allocator};
  tb_hash_map_init(&index->sparse, allocator);
}

void tb_iid_index_clear(struct tb_iid_index *index) {
  if (index->dense_used) memset(index->dense, 0, index->dense_used * sizeof(*index->dense));
  index->dense_used = index->other_count = 0;
  tb_hash_map_clear(&index->sparse);
}

void tb_iid_index_free(struct tb_iid_index *index) {
  tb_free(index->allocator, index->dense, index->dense_capacity * sizeof(*index->dense));
  tb_free(index->allocator, index->others, index->other_capacity * sizeof(*index->others));
  tb_hash_map_free(&index->sparse);
}

static enum tb_status set_dense(struct tb_iid_index *index, size_t iid, struct tb_slice text) {
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

static enum tb_status set_sparse(struct tb_iid_index *index, uint64_t iid, struct tb_slice text) {
  uint32_t place;
  if (tb_hash_map_get(&index->sparse, iid, 0, &place)) {
    index->others[place] = text;
    return TB_OK;
  }
  void *others = index->others;
  enum tb_status status = tb_grow_array(index->allocator, &others, &index->other_capacity, index->other_count + 1,
                                        sizeof(text), UINT32_MAX - 1);
  if (status != TB_OK) return TB_NO_MEMORY;
  index->others = others;
  status = tb_hash_map_set(&index->sparse, iid, 0, (uint32_t)index->other_count);
  if (status != TB_OK) return status;
  index->others[index->other_count++] = text;
  return TB_OK;
}

enum tb_status tb_iid_index_set(struct tb_iid_index *index, uint64_t iid, struct tb_slice text) {
  if (iid < DENSE_MAX && iid < index->dense_used + DENSE_GAP && !tb_iid_index_find_sparse(index, iid)) {
    return set_dense(index, (size_t)iid, text);
  }
  return set_sparse(index, iid, text);
}

const struct tb_slice *tb_iid_index_find_sparse(const struct tb_iid_index *index, uint64_t iid) {
  uint32_t place;
  return tb_hash_map_get(&index->sparse, iid, 0, &place) ? &index->others[place] : NULL;
}
