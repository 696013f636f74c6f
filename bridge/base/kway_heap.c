/* SPDX-License-Identifier: Apache-2.0 */
#include "base/kway_heap.h"

static bool before(const void *ctx, uint32_t a, uint32_t b) {
  const int64_t *times = ctx;
  return times[a] != times[b] ? times[a] < times[b] : a < b;
}

static const struct tb_heap_order by_time = {before, NULL};

enum tb_status tb_kway_init(struct tb_kway *heap, const struct tb_allocator *allocator, size_t inputs) {
  *heap = (struct tb_kway){.input_count = inputs, .times = tb_calloc(allocator, inputs * sizeof(*heap->times))};
  return heap->times ? tb_heap_reserve(&heap->inputs, allocator, inputs) : TB_NO_MEMORY;
}

void tb_kway_free(struct tb_kway *heap, const struct tb_allocator *allocator) {
  tb_heap_free(&heap->inputs, allocator);
  tb_free(allocator, heap->times, heap->input_count * sizeof(*heap->times));
}

void tb_kway_push(struct tb_kway *heap, uint32_t input, int64_t time) {
  heap->times[input] = time;
  tb_heap_push(&heap->inputs, input, &by_time, heap->times);
}

void tb_kway_replace_top(struct tb_kway *heap, int64_t time) {
  heap->times[tb_kway_top(heap)] = time;
  tb_heap_settle(&heap->inputs, 0, &by_time, heap->times);
}

int64_t tb_kway_limit(const struct tb_kway *heap) {
  const uint32_t *inputs = heap->inputs.items;
  if (heap->inputs.count < 2) return INT64_MAX;
  uint32_t next = inputs[1];
  if (heap->inputs.count > 2 && before(heap->times, inputs[2], next)) next = inputs[2];
  int64_t time = heap->times[next];
  return next < inputs[0] && time > INT64_MIN ? time - 1 : time;
}

void tb_kway_drop_top(struct tb_kway *heap) { tb_heap_remove(&heap->inputs, 0, &by_time, heap->times); }
