/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/matching.h"

/* While it is open, a BEGIN's `match` is the place of the open BEGIN below it in its key's stack, -1 for none. */
static void match_end(struct tb_strand *s, int64_t *top, size_t place, const struct tb_entry *end) {
  int64_t above = -1;
  for (int64_t at = *top; at >= 0; above = at, at = s->refs[at].match) {
    struct tb_entry begin;
    tb_strand_entry_at(s, (size_t)at, &begin);
    if ((end->name && end->name != begin.name) || (end->categories && end->categories != begin.categories)) continue;
    int64_t below = s->refs[at].match;
    if (above >= 0)
      s->refs[above].match = below;
    else
      *top = below;
    s->refs[at].match = (int64_t)place;
    s->refs[place].match = at;
    return;
  }
  s->refs[place].match = -1;
}

enum tb_status tb_match_slices(struct tb_strand *s, uint32_t keys) {
  int64_t *tops = tb_alloc(s->allocator, keys * sizeof(*tops));
  if (!tops) return TB_NO_MEMORY;
  for (uint32_t i = 0; i < keys; i++) tops[i] = -1;
  for (size_t place = 0; place < s->ref_count; place++) {
    struct tb_entry e;
    tb_strand_entry_at(s, place, &e);
    if (e.kind == TB_ENTRY_BEGIN) {
      s->refs[place].match = tops[e.key];
      tops[e.key] = (int64_t)place;
    } else if (e.kind == TB_ENTRY_END) {
      match_end(s, &tops[e.key], place, &e);
    }
  }
  for (uint32_t i = 0; i < keys; i++) {
    for (int64_t at = tops[i], below; at >= 0; at = below) {
      below = s->refs[at].match;
      s->refs[at].match = -1;
    }
  }
  tb_free(s->allocator, tops, keys * sizeof(*tops));
  return TB_OK;
}
