/* SPDX-License-Identifier: Apache-2.0
 *
 * The slices of a track are a stack, which is that of the reader: a slice that has ended stays on it until the next one
 * begins, since a flow that comes behind its end is still of it.
 */
#include "toolbox/diff/open_slices.h"

#include "base/memory.h"

void tb_diff_slices_init(struct tb_diff_slices *slices, const struct tb_allocator *allocator) {
  slices->allocator = allocator;
  tb_map_init(&slices->by_id, allocator);
  tb_map_init(&slices->newest, allocator);
}

static void free_said(struct tb_diff_slices *slices, struct tb_diff_slice *slice) {
  tb_free(slices->allocator, slice->said, slice->said_count * sizeof(*slice->said));
  slice->said = NULL;
  slice->said_count = 0;
}

static void free_slice(struct tb_diff_slices *slices, struct tb_diff_slice *slice) {
  free_said(slices, slice);
  tb_free(slices->allocator, slice, slice->size);
}

void tb_diff_slices_free(struct tb_diff_slices *slices) {
  size_t at = 0;
  struct tb_map_entry entry;
  while (tb_map_next(&slices->by_id, &at, &entry)) free_slice(slices, (void *)(uintptr_t)entry.value);
  tb_map_free(&slices->by_id);
  tb_map_free(&slices->newest);
}

/* The newest slice of the track that has not ended; forgets those above it. */
static struct tb_diff_slice *drop_ended(struct tb_diff_slices *slices, struct tb_diff_slice *top) {
  while (top && top->has_ended) {
    struct tb_diff_slice *below = top->below;
    if (!top->is_of_flow) {
      tb_map_remove(&slices->by_id, top->id, 0);
      free_slice(slices, top);
    }
    top = below;
  }
  return top;
}

static struct tb_diff_slice *make(struct tb_diff_slices *slices, const struct tb_event *event) {
  size_t size = sizeof(struct tb_diff_slice) + event->name.len;
  struct tb_diff_slice *slice = tb_alloc(slices->allocator, size);
  if (!slice) return NULL;
  char *name = (char *)(slice + 1);
  if (event->name.len) memcpy(name, event->name.ptr, event->name.len);
  *slice = (struct tb_diff_slice){.size = size, .id = event->slice_id, .ts = event->ts, .track = event->track};
  slice->name = (struct tb_str){name, event->name.len};
  slice->has_ended = event->type == TB_EVENT_INSTANT;
  return slice;
}

struct tb_diff_slice *tb_diff_slices_begin(struct tb_diff_slices *slices, const struct tb_event *event) {
  struct tb_diff_slice *slice = make(slices, event);
  if (!slice) return NULL;
  uint64_t track = event->track->index;
  slice->below = drop_ended(slices, tb_map_find_pointer(&slices->newest, track, 0));
  if (tb_map_put(&slices->by_id, slice->id, 0, (uint64_t)(uintptr_t)slice) != TB_OK) {
    free_slice(slices, slice);
    return NULL;
  }
  return tb_map_put(&slices->newest, track, 0, (uint64_t)(uintptr_t)slice) == TB_OK ? slice : NULL;
}

struct tb_diff_slice *tb_diff_slices_find(const struct tb_diff_slices *slices, uint64_t id) {
  return tb_map_find_pointer(&slices->by_id, id, 0);
}

enum tb_status tb_diff_slices_say(struct tb_diff_slices *slices, struct tb_diff_slice *slice, size_t count) {
  slice->said = tb_alloc(slices->allocator, count * sizeof(*slice->said));
  if (!slice->said) return TB_NO_MEMORY;
  slice->said_count = count;
  return TB_OK;
}

void tb_diff_slices_end(struct tb_diff_slices *slices, struct tb_diff_slice *slice) {
  if (!slice) return;
  slice->has_ended = true;
  free_said(slices, slice);
}
