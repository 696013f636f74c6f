/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/matching.h"

/* A BEGIN that no END took yet. */
struct open_begin {
  uint64_t place;
  uint32_t name, categories;
  uint32_t below; /* the open BEGIN before it of its key, + 1; or, when this one is free, the next that is */
};

struct matcher {
  struct tb_strand *strand;
  struct open_begin *begins;
  size_t count, capacity;
  uint32_t free;   /* + 1 */
  uint32_t *tops;  /* by key: its newest open BEGIN, + 1 */
  bool disordered; /* an END of key 0 took another than the newest, and some are still open */
  bool out_of_memory;
};

static void set_loose(struct matcher *m, uint64_t place) {
  struct tb_strand *s = m->strand;
  if (!s->loose) s->loose = tb_calloc(s->allocator, (size_t)s->count);
  if (s->loose)
    s->loose[place] = 1;
  else
    m->out_of_memory = true;
}

/* All that is open of key 0 is loose. */
static void loosen_open(struct matcher *m) {
  for (uint32_t number = m->tops[0]; number && m->begins; number = m->begins[number - 1].below)
    set_loose(m, m->begins[number - 1].place);
}

static enum tb_status push(struct matcher *m, const struct tb_entry *e, uint64_t place) {
  uint32_t number = m->free;
  if (number && m->begins) {
    m->free = m->begins[number - 1].below;
  } else {
    void *begins = m->begins;
    if (tb_grow_array(m->strand->allocator, &begins, &m->capacity, m->count + 1, sizeof(*m->begins), UINT32_MAX - 1) !=
        TB_OK)
      return TB_NO_MEMORY;
    m->begins = begins;
    number = (uint32_t)++m->count;
  }
  m->begins[number - 1] = (struct open_begin){place, e->name, e->categories, m->tops[e->key]};
  m->tops[e->key] = number;
  m->strand->matches[place] = INT64_MAX;
  if (e->key == 0 && m->disordered) set_loose(m, place);
  return m->out_of_memory ? TB_NO_MEMORY : TB_OK;
}

static void take(struct matcher *m, const struct tb_entry *end, uint64_t place) {
  int64_t *matches = m->strand->matches;
  matches[place] = TB_UNMATCHED;
  for (uint32_t *link = &m->tops[end->key]; *link && m->begins; link = &m->begins[*link - 1].below) {
    uint32_t number = *link;
    struct open_begin *begin = &m->begins[number - 1];
    if ((end->name && end->name != begin->name) || (end->categories && end->categories != begin->categories)) continue;
    if (end->key == 0 && link != &m->tops[0] && !m->disordered) {
      m->disordered = true;
      loosen_open(m);
    }
    matches[begin->place] = end->ts;
    matches[place] = (int64_t)begin->place;
    *link = begin->below;
    begin->below = m->free;
    m->free = number;
    if (m->tops[0] == 0) m->disordered = false;
    return;
  }
}

static enum tb_status match_all(struct matcher *m) {
  struct tb_strand_cursor cursor;
  struct tb_entry e;
  struct tb_error error = {.code = TB_OK};
  enum tb_status status = tb_strand_open(m->strand, NULL, &cursor, &error);
  while (status == TB_OK && (status = tb_strand_next(&cursor, &e, &error)) == TB_OK) {
    if (e.kind == TB_ENTRY_BEGIN) status = push(m, &e, cursor.place - 1);
    if (e.kind == TB_ENTRY_END) take(m, &e, cursor.place - 1);
  }
  tb_strand_close(&cursor);
  loosen_open(m); /* never ends */
  if (m->out_of_memory) return TB_NO_MEMORY;
  return status == TB_END ? TB_OK : status;
}

enum tb_status tb_match_slices(struct tb_strand *s, uint32_t keys) {
  if (s->count > SIZE_MAX / sizeof(*s->matches)) return TB_NO_MEMORY;
  struct matcher m = {.strand = s, .tops = tb_calloc(s->allocator, keys * sizeof(*m.tops))};
  s->matches = tb_alloc(s->allocator, (size_t)s->count * sizeof(*s->matches));
  enum tb_status status = m.tops && s->matches ? match_all(&m) : TB_NO_MEMORY;
  tb_free(s->allocator, m.tops, keys * sizeof(*m.tops));
  tb_free(s->allocator, m.begins, m.capacity * sizeof(*m.begins));
  return status;
}
