/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/time_sort.h"

#include "timeline/sort_queue.h"

static int64_t time_of(const char *item) {
  int64_t time;
  memcpy(&time, item, sizeof(time));
  return time;
}

static bool are_sorted(const char *items, size_t count, size_t size) {
  for (size_t i = 1; i < count; i++)
    if (time_of(items + i * size) < time_of(items + (i - 1) * size)) return false;
  return true;
}

enum tb_status tb_sort_by_time(const struct tb_allocator *allocator, void *items, size_t count, size_t size) {
  char *all = items;
  if (are_sorted(all, count, size)) return TB_OK;
  const size_t bytes = count * sizeof(struct tb_sort_queue_ref);
  struct tb_sort_queue_ref *refs = tb_alloc(allocator, bytes), *spare = tb_alloc(allocator, bytes);
  char *sorted = tb_alloc(allocator, count * size);
  enum tb_status status = refs && spare && sorted ? TB_OK : TB_NO_MEMORY;
  if (status == TB_OK) {
    for (size_t i = 0; i < count; i++) refs[i] = (struct tb_sort_queue_ref){time_of(all + i * size), 0, all + i * size};
    tb_sort_queue_sort_refs(refs, count, spare);
    for (size_t i = 0; i < count; i++) memcpy(sorted + i * size, refs[i].record, size);
    memcpy(all, sorted, count * size);
  }
  tb_free(allocator, refs, bytes);
  tb_free(allocator, spare, bytes);
  tb_free(allocator, sorted, count * size);
  return status;
}
