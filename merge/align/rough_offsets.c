/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/align/rough_offsets.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/times.h"

/* By how much the later host's clock is to go ahead so that a message takes no time. */
struct pair_offset {
  uint32_t low, high; /* members */
  int64_t ahead;
};

static int compare_offsets(const void *a, const void *b) {
  const struct pair_offset *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return p->ahead < q->ahead ? -1 : p->ahead > q->ahead;
}

static struct pair_offset offset_of(const struct tb_network_message *m, const uint32_t *member_of) {
  uint32_t from = member_of[m->from], to = member_of[m->to];
  int64_t ahead = tb_time_subtract(m->sent, m->received);
  return from < to ? (struct pair_offset){from, to, ahead} : (struct pair_offset){to, from, tb_time_subtract(0, ahead)};
}

/* The median of each pair of members, in place; how many there are. */
static size_t take_medians(struct pair_offset *offsets, size_t count) {
  size_t pairs = 0;
  qsort(offsets, count, sizeof(*offsets), compare_offsets);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i; end < count && offsets[end].low == offsets[i].low && offsets[end].high == offsets[i].high;) end++;
    offsets[pairs++] = offsets[end - 1 - (end - 1 - i) / 2];
  }
  return pairs;
}

/* Goes from placed members to others until all are. */
static void place_members(const struct pair_offset *pairs, size_t count, bool *placed, int64_t *rough) {
  placed[0] = true;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < count; i++) {
      const struct pair_offset *p = &pairs[i];
      if (placed[p->low] == placed[p->high]) continue;
      if (placed[p->low])
        rough[p->high] = tb_time_add(rough[p->low], p->ahead);
      else
        rough[p->low] = tb_time_subtract(rough[p->high], p->ahead);
      placed[p->low] = placed[p->high] = more = true;
    }
  }
}

enum tb_status tb_rough_offsets(const struct tb_allocator *a, const struct tb_network_message *messages,
                                const size_t *own, size_t own_count, const uint32_t *member_of, size_t member_count,
                                int64_t *rough) {
  bool *placed = tb_calloc(a, member_count);
  struct pair_offset *offsets = tb_alloc(a, own_count * sizeof(*offsets));
  enum tb_status status = placed && offsets ? TB_OK : TB_NO_MEMORY;
  if (status == TB_OK) {
    for (size_t i = 0; i < own_count; i++) offsets[i] = offset_of(&messages[own[i]], member_of);
    place_members(offsets, take_medians(offsets, own_count), placed, rough);
  }
  tb_free(a, placed, member_count);
  tb_free(a, offsets, own_count * sizeof(*offsets));
  return status;
}
