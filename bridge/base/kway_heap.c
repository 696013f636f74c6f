/* SPDX-License-Identifier: Apache-2.0 */
#include "base/kway_heap.h"

static bool before(const struct tb_kway_entry *a, const struct tb_kway_entry *b) {
  return a->time != b->time ? a->time < b->time : a->input < b->input;
}

static void sink(struct tb_kway *heap, size_t at) {
  struct tb_kway_entry entry = heap->entries[at];
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= heap->count) break;
    if (child + 1 < heap->count && before(&heap->entries[child + 1], &heap->entries[child])) child++;
    if (!before(&heap->entries[child], &entry)) break;
    heap->entries[at] = heap->entries[child];
    at = child;
  }
  heap->entries[at] = entry;
}

void tb_kway_push(struct tb_kway *heap, struct tb_kway_entry entry) {
  size_t at = heap->count++;
  while (at && before(&entry, &heap->entries[(at - 1) / 2])) {
    heap->entries[at] = heap->entries[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap->entries[at] = entry;
}

void tb_kway_replace_top(struct tb_kway *heap, struct tb_kway_entry entry) {
  heap->entries[0] = entry;
  sink(heap, 0);
}

int64_t tb_kway_limit(const struct tb_kway *heap) {
  if (heap->count < 2) return INT64_MAX;
  const struct tb_kway_entry *next = &heap->entries[1];
  if (heap->count > 2 && before(&heap->entries[2], next)) next = &heap->entries[2];
  return next->input < heap->entries[0].input && next->time > INT64_MIN ? next->time - 1 : next->time;
}

void tb_kway_drop_top(struct tb_kway *heap) {
  heap->entries[0] = heap->entries[--heap->count];
  if (heap->count) sink(heap, 0);
}
