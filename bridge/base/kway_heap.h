/* SPDX-License-Identifier: Apache-2.0
 *
 * A binary min-heap for merging k sorted inputs into one: each input has one entry with its current time, and the
 * entry with the earliest time is on top; of equal times the input with the lower number.
 *
 *   input 0   3 7 9 ...           heap   1 (input 2)         take input 2's item; its next time is 5:
 *   input 1   4 6 8 ...                 /           \         tb_kway_replace_top(5), and 3 (input 0) is on top
 *   input 2   1 5 ...              4 (input 1)  3 (input 0)
 *
 * tb_kway_limit says how far the top input may advance before another one comes first. A caller can take a run of its
 * items up to that time without touching the heap.
 */
#ifndef TB_BASE_KWAY_HEAP_H
#define TB_BASE_KWAY_HEAP_H

#include "base/heap.h"

/* Caller-owned; tb_kway_init, then tb_kway_free. */
struct tb_kway {
  struct tb_heap inputs;
  int64_t *times; /* by input, of those in the heap */
  size_t input_count;
};

/* For inputs below `inputs`. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_kway_init(struct tb_kway *heap, const struct tb_allocator *allocator, size_t inputs);
void tb_kway_free(struct tb_kway *heap, const struct tb_allocator *allocator);

/* An input that is not in the heap. */
void tb_kway_push(struct tb_kway *heap, uint32_t input, int64_t time);
static inline bool tb_kway_empty(const struct tb_kway *heap) { return !heap->inputs.count; }
static inline uint32_t tb_kway_top(const struct tb_kway *heap) { return heap->inputs.items[0]; }
/* Gives the top another time: cheaper than taking it off and adding it again. */
void tb_kway_replace_top(struct tb_kway *heap, int64_t time);
/* The latest time with which the top would stay on top. */
int64_t tb_kway_limit(const struct tb_kway *heap);
void tb_kway_drop_top(struct tb_kway *heap);

#endif
