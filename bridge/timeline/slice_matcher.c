/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/slice_matcher.h"

#include "base/map.h"

/* The lists that a BEGIN is in, newest first. */
enum chain {
  OF_KEY,  /* all of its key */
  OF_NAME, /* of its key and name; not while it is the only one of its key, likewise: */
  OF_BOTH, /* of its key, name and categories, where it has categories */
  CHAINS
};

/* A BEGIN that no END took yet. Links are numbers of others, + 1; 0: none. */
struct open_begin {
  uint64_t place;
  uint32_t key, name, categories;
  bool named;             /* it is in the lists of its name */
  uint32_t below[CHAINS]; /* the one before it; of one that is free, [OF_KEY] is the next that is */
  uint32_t above[CHAINS];
};

struct matcher {
  struct tb_sort_queue *queue;
  struct open_begin *begins;
  size_t count, capacity;
  uint32_t free;       /* + 1 */
  uint32_t *tops;      /* by key: its newest open BEGIN, + 1 */
  struct tb_map names; /* by key, name and categories: the newest of that list, + 1 */
  bool disordered;     /* an END of key 0 took another than the newest, and some are still open */
  bool out_of_memory;
};

static void set_ambiguous(struct matcher *m, uint64_t place) {
  struct tb_sort_queue *s = m->queue;
  if (!s->ambiguous) s->ambiguous = tb_calloc(s->allocator, (size_t)s->count);
  if (s->ambiguous)
    s->ambiguous[place] = 1;
  else
    m->out_of_memory = true;
}

/* Marks every open BEGIN of key 0 as ambiguous. */
static void mark_open_ambiguous(struct matcher *m) {
  for (uint32_t number = m->tops[0]; number && m->begins; number = m->begins[number - 1].below[OF_KEY])
    set_ambiguous(m, m->begins[number - 1].place);
}

static uint64_t name_key(uint32_t key, uint32_t name) { return (uint64_t)key << 32 | name; }

/* Puts the BEGIN in front of a list of its name, with these categories or all. */
static void put_in_front(struct matcher *m, uint32_t number, enum chain chain, uint32_t categories) {
  struct open_begin *begin = &m->begins[number - 1];
  uint64_t name = name_key(begin->key, begin->name);
  uint32_t newest = 0;
  (void)tb_map_get(&m->names, name, categories, &newest);
  if (tb_map_put(&m->names, name, categories, number) != TB_OK) m->out_of_memory = true;
  begin->below[chain] = newest;
  if (newest) m->begins[newest - 1].above[chain] = number;
}

static void put_in_names(struct matcher *m, uint32_t number) {
  struct open_begin *begin = &m->begins[number - 1];
  put_in_front(m, number, OF_NAME, 0);
  if (begin->categories) put_in_front(m, number, OF_BOTH, begin->categories);
  begin->named = true;
}

static enum tb_status push(struct matcher *m, const struct tb_staged_event *e, uint64_t place) {
  uint32_t number = m->free;
  if (number && m->begins) {
    m->free = m->begins[number - 1].below[OF_KEY];
  } else {
    void *begins = m->begins;
    if (tb_grow_array(m->queue->allocator, &begins, &m->capacity, m->count + 1, sizeof(*m->begins), UINT32_MAX - 1) !=
        TB_OK)
      return TB_NO_MEMORY;
    m->begins = begins;
    number = (uint32_t)++m->count;
  }
  uint32_t newest = m->tops[e->key];
  m->begins[number - 1] = (struct open_begin){place, e->key, e->name, e->categories, false, {newest}, {0}};
  m->tops[e->key] = number;
  if (newest) {
    m->begins[newest - 1].above[OF_KEY] = number;
    if (!m->begins[newest - 1].named) put_in_names(m, newest);
    put_in_names(m, number);
  }
  m->queue->matches[place] = INT64_MAX;
  if (e->key == 0 && m->disordered) set_ambiguous(m, place);
  return m->out_of_memory ? TB_NO_MEMORY : TB_OK;
}

/* Takes a BEGIN out of a list; `top` is the list's newest. */
static void unlink_begin(struct matcher *m, uint32_t number, enum chain chain, uint32_t *top) {
  const struct open_begin *begin = &m->begins[number - 1];
  uint32_t below = begin->below[chain], above = begin->above[chain];
  if (below) m->begins[below - 1].above[chain] = above;
  if (above)
    m->begins[above - 1].below[chain] = below;
  else
    *top = below;
}

static void take_out_of_names(struct matcher *m, uint32_t number, enum chain chain, uint32_t categories) {
  const struct open_begin *begin = &m->begins[number - 1];
  uint64_t name = name_key(begin->key, begin->name);
  uint32_t newest = 0;
  unlink_begin(m, number, chain, &newest);
  uint64_t *entry = begin->above[chain] ? NULL : tb_map_find(&m->names, name, categories);
  if (entry && newest)
    *entry = newest;
  else if (entry)
    tb_map_remove(&m->names, name, categories);
}

static void forget(struct matcher *m, uint32_t number) {
  struct open_begin *begin = &m->begins[number - 1];
  unlink_begin(m, number, OF_KEY, &m->tops[begin->key]);
  if (begin->named) take_out_of_names(m, number, OF_NAME, 0);
  if (begin->named && begin->categories) take_out_of_names(m, number, OF_BOTH, begin->categories);
  begin->below[OF_KEY] = m->free;
  m->free = number;
}

/* The newest open BEGIN that END `e` matches, + 1; 0: none. */
static uint32_t find_begin(const struct matcher *m, const struct tb_staged_event *e) {
  uint32_t number = m->tops[e->key];
  if (e->name && number && m->begins[number - 1].named) {
    number = 0;
    (void)tb_map_get(&m->names, name_key(e->key, e->name), e->categories, &number);
    return number;
  }
  for (; number; number = m->begins[number - 1].below[OF_KEY]) {
    const struct open_begin *begin = &m->begins[number - 1];
    if ((!e->name || e->name == begin->name) && (!e->categories || e->categories == begin->categories)) break;
  }
  return number;
}

static void take(struct matcher *m, const struct tb_staged_event *end, uint64_t place) {
  int64_t *matches = m->queue->matches;
  uint32_t number = m->begins ? find_begin(m, end) : 0;
  matches[place] = TB_UNMATCHED;
  if (!number) return;
  if (end->key == 0 && number != m->tops[0] && !m->disordered) {
    m->disordered = true;
    mark_open_ambiguous(m);
  }
  uint64_t begin = m->begins[number - 1].place;
  matches[begin] = end->ts;
  matches[place] = (int64_t)begin;
  forget(m, number);
  if (m->tops[0] == 0) m->disordered = false;
}

static enum tb_status match_all(struct matcher *m) {
  struct tb_sort_queue_cursor cursor;
  struct tb_staged_event e;
  struct tb_error error = {.code = TB_OK};
  enum tb_status status = tb_sort_queue_open(m->queue, NULL, &cursor, &error);
  while (status == TB_OK && (status = tb_sort_queue_next(&cursor, &e, &error)) == TB_OK) {
    if (e.kind == TB_STAGED_BEGIN) status = push(m, &e, cursor.place - 1);
    if (e.kind == TB_STAGED_END) take(m, &e, cursor.place - 1);
  }
  tb_sort_queue_close(&cursor);
  mark_open_ambiguous(m); /* never ends */
  if (m->out_of_memory) return TB_NO_MEMORY;
  return status == TB_END ? TB_OK : status;
}

enum tb_status tb_match_slices(struct tb_sort_queue *s, uint32_t keys) {
  if (s->count > SIZE_MAX / sizeof(*s->matches)) return TB_NO_MEMORY;
  struct matcher m = {.queue = s, .tops = tb_calloc(s->allocator, keys * sizeof(*m.tops))};
  tb_map_init(&m.names, s->allocator);
  s->matches = tb_alloc(s->allocator, (size_t)s->count * sizeof(*s->matches));
  enum tb_status status = m.tops && s->matches ? match_all(&m) : TB_NO_MEMORY;
  tb_free(s->allocator, m.tops, keys * sizeof(*m.tops));
  tb_free(s->allocator, m.begins, m.capacity * sizeof(*m.begins));
  tb_map_free(&m.names);
  return status;
}
