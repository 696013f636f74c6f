/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/slice_matcher.h"

#include <stdlib.h>

#include "base/map.h"

/* The lists that a BEGIN is in, newest first. */
enum chain {
  OF_KEY,        /* all of its key */
  OF_NAME,       /* of its key and name; not while it is the only one of its key, likewise: */
  OF_BOTH,       /* of its key, name and categories, where it has categories; likewise: */
  OF_CATEGORIES, /* of its key and categories */
  CHAINS
};

/* Of the key of a BEGIN that is left open in a slice that ended: it is in lists of names alone. */
#define LEFT_OPEN (UINT32_C(1) << 31)

/* A BEGIN that no END took yet. Links are numbers of others, + 1; 0: none. */
struct open_begin {
  uint64_t place;
  int64_t ts, thread_ts; /* TB_NO_THREAD_TS: none */
  uint32_t key, name, categories;
  bool named;             /* it is in the lists of its name */
  uint64_t nameless;      /* of one that is left open: the ENDs without a name that came before that */
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
  size_t endless;      /* BEGINs of key 0 that are open */
  int64_t last_ts;     /* of what is no END */
  uint64_t nameless;   /* ENDs without a name */
  bool disordered;     /* an END of key 0 took another than the newest, and some are still open */
  bool out_of_memory;
};

static void set_note(struct matcher *m, uint64_t place, enum tb_match_note note) {
  struct tb_sort_queue *s = m->queue;
  if (!s->match_notes) s->match_notes = tb_calloc(s->allocator, (size_t)s->count);
  if (s->match_notes)
    s->match_notes[place] |= (unsigned char)note;
  else
    m->out_of_memory = true;
}

static void set_ambiguous(struct matcher *m, uint64_t place) { set_note(m, place, TB_MATCH_AMBIGUOUS); }

/* Marks every open BEGIN of key 0 as ambiguous. */
static void mark_open_ambiguous(struct matcher *m) {
  for (uint32_t number = m->tops[0]; number && m->begins; number = m->begins[number - 1].below[OF_KEY])
    set_ambiguous(m, m->begins[number - 1].place);
}

/* Keeps what the END says of a slice, for its BEGIN; the queue's memory has it. */
static void keep_end_args(struct matcher *m, uint64_t begin, struct tb_str body) {
  struct tb_sort_queue *s = m->queue;
  void *kept = s->end_args;
  if (tb_grow_array(s->allocator, &kept, &s->end_args_capacity, s->end_args_count + 1, sizeof(*s->end_args),
                    SIZE_MAX / sizeof(*s->end_args)) != TB_OK)
    m->out_of_memory = true;
  else
    ((struct tb_end_args *)kept)[s->end_args_count++] = (struct tb_end_args){begin, body};
  s->end_args = kept;
}

static int compare_end_args(const void *a, const void *b) {
  const struct tb_end_args *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static uint64_t name_key(uint32_t key, uint32_t name) { return (uint64_t)key << 32 | name; }

/* By what a list is found: a name, categories, 0 where it is of any. */
struct list_key {
  uint64_t name;
  uint32_t categories;
};

static struct list_key list_key(const struct open_begin *begin, enum chain chain) {
  return (struct list_key){name_key(begin->key, chain == OF_CATEGORIES ? 0 : begin->name),
                           chain == OF_NAME ? 0 : begin->categories};
}

/* Puts the BEGIN in front of a list of its name, of its categories, or of both. */
static void put_in_front(struct matcher *m, uint32_t number, enum chain chain) {
  struct open_begin *begin = &m->begins[number - 1];
  struct list_key key = list_key(begin, chain);
  uint32_t newest = 0;
  (void)tb_map_get(&m->names, key.name, key.categories, &newest);
  if (tb_map_put(&m->names, key.name, key.categories, number) != TB_OK) m->out_of_memory = true;
  begin->below[chain] = newest;
  if (newest) m->begins[newest - 1].above[chain] = number;
}

static void put_in_names(struct matcher *m, uint32_t number) {
  struct open_begin *begin = &m->begins[number - 1];
  put_in_front(m, number, OF_NAME);
  if (begin->categories) put_in_front(m, number, OF_BOTH);
  if (begin->categories) put_in_front(m, number, OF_CATEGORIES);
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
  m->begins[number - 1] = (struct open_begin){.place = place,
                                              .ts = e->ts,
                                              .thread_ts = e->has_thread_ts ? e->thread_ts : TB_NO_THREAD_TS,
                                              .key = e->key,
                                              .name = e->name,
                                              .categories = e->categories,
                                              .below = {newest}};
  m->tops[e->key] = number;
  if (newest) {
    m->begins[newest - 1].above[OF_KEY] = number;
    if (!m->begins[newest - 1].named) put_in_names(m, newest);
    put_in_names(m, number);
  }
  m->queue->matches[place] = INT64_MAX;
  m->endless += e->key == 0;
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

static void take_out_of_names(struct matcher *m, uint32_t number, enum chain chain) {
  const struct open_begin *begin = &m->begins[number - 1];
  struct list_key key = list_key(begin, chain);
  uint32_t newest = 0;
  unlink_begin(m, number, chain, &newest);
  uint64_t *entry = begin->above[chain] ? NULL : tb_map_find(&m->names, key.name, key.categories);
  if (entry && newest)
    *entry = newest;
  else if (entry)
    tb_map_remove(&m->names, key.name, key.categories);
}

static void take_out(struct matcher *m, uint32_t number) {
  const struct open_begin *begin = &m->begins[number - 1];
  if (!(begin->key & LEFT_OPEN)) unlink_begin(m, number, OF_KEY, &m->tops[begin->key]);
  if (begin->named) take_out_of_names(m, number, OF_NAME);
  if (begin->named && begin->categories) take_out_of_names(m, number, OF_BOTH);
  if (begin->named && begin->categories) take_out_of_names(m, number, OF_CATEGORIES);
}

static void forget(struct matcher *m, uint32_t number) {
  take_out(m, number);
  m->begins[number - 1].below[OF_KEY] = m->free;
  m->free = number;
}

/* Takes the BEGINs above `number` off the list of all: an END without a name passes them by from now on. */
static void leave_open_above(struct matcher *m, uint32_t number) {
  uint32_t key = m->begins[number - 1].key;
  while (m->tops[key] != number) {
    uint32_t top = m->tops[key];
    struct open_begin *begin = &m->begins[top - 1];
    take_out(m, top);
    begin->key |= LEFT_OPEN;
    begin->nameless = m->nameless;
    memset(begin->below, 0, sizeof(begin->below));
    memset(begin->above, 0, sizeof(begin->above));
    put_in_names(m, top);
  }
}

/* The newest one of those in slices that ended; END `e` names it. */
static uint32_t find_left_open(const struct matcher *m, const struct tb_staged_event *e) {
  uint32_t number = 0;
  if (e->name) (void)tb_map_get(&m->names, name_key(e->key | LEFT_OPEN, e->name), e->categories, &number);
  return number;
}

/* The newest open BEGIN that END `e` matches, + 1; 0: none. */
static uint32_t find_begin(const struct matcher *m, const struct tb_staged_event *e) {
  uint32_t number = m->tops[e->key];
  if (number && (e->name || e->categories)) {
    const struct open_begin *top = &m->begins[number - 1];
    bool fits = (!e->name || e->name == top->name) && (!e->categories || e->categories == top->categories);
    if (!fits && top->named) /* not the only one of its key */
      number = tb_map_get(&m->names, name_key(e->key, e->name), e->categories, &number) ? number : 0;
    else if (!fits)
      number = 0;
  }
  return number ? number : find_left_open(m, e);
}

static void take(struct matcher *m, const struct tb_staged_event *end, uint64_t place) {
  int64_t *matches = m->queue->matches;
  uint32_t number = m->begins ? find_begin(m, end) : 0;
  matches[place] = TB_UNMATCHED;
  if (!end->name) m->nameless++;
  if (!number) return;
  if (end->key == 0 && number != m->tops[0] && !m->disordered) {
    m->disordered = true;
    mark_open_ambiguous(m);
  }
  if (!(m->begins[number - 1].key & LEFT_OPEN)) leave_open_above(m, number);
  const struct open_begin *open = &m->begins[number - 1];
  uint64_t begin = open->place;
  if (open->key & LEFT_OPEN && open->nameless != m->nameless) set_note(m, begin, TB_MATCH_PASSED);
  if (end->key == 0 && m->last_ts < end->ts && tb_is_without_thread_time(open->ts, open->thread_ts, end)) {
    set_note(m, begin, TB_MATCH_NO_THREAD_TIME);
    if (end->body.len) keep_end_args(m, begin, end->body);
  }
  matches[begin] = end->ts;
  m->endless -= end->key == 0;
  matches[place] = (int64_t)begin;
  forget(m, number);
  if (m->tops[0] == 0) m->disordered = false;
}

struct endless {
  uint64_t place;
  int64_t ts;
};

/* Calls back with each entry and its place. */
static enum tb_status for_each(const struct matcher *m,
                               void (*visit)(void *ctx, const struct tb_staged_event *e, uint64_t place), void *ctx) {
  struct tb_sort_queue_cursor cursor;
  struct tb_staged_event e;
  struct tb_error error = {.code = TB_OK};
  enum tb_status status = tb_sort_queue_open(m->queue, NULL, &cursor, &error);
  while (status == TB_OK && (status = tb_sort_queue_next(&cursor, &e, &error)) == TB_OK)
    visit(ctx, &e, cursor.place - 1);
  tb_sort_queue_close(&cursor);
  return status == TB_END ? TB_OK : status;
}

struct endless_list {
  struct matcher *m;
  struct endless *items; /* in the order of places */
  size_t count, next;    /* the first one behind a slice */
};

static void add_endless(void *ctx, const struct tb_staged_event *e, uint64_t place) {
  struct endless_list *list = ctx;
  if (e->kind == TB_STAGED_BEGIN && !e->key && list->m->queue->matches[place] == INT64_MAX)
    list->items[list->count++] = (struct endless){place, e->ts};
}

static void note_if_around(void *ctx, const struct tb_staged_event *e, uint64_t place) {
  struct endless_list *list = ctx;
  while (list->next < list->count && list->items[list->next].place <= place) list->next++;
  if (list->next < list->count && e->kind == TB_STAGED_COMPLETE && !e->key &&
      list->items[list->next].ts < tb_slice_end(e->ts, e->dur))
    set_note(list->m, place, TB_MATCH_AROUND_ENDLESS);
}

/* Notes the complete slices that BEGINs of key 0 are in that never end. */
static enum tb_status note_around_endless(struct matcher *m) {
  struct tb_sort_queue *s = m->queue;
  if (!m->endless || !s->has_complete) return TB_OK;
  struct endless_list list = {.m = m, .items = tb_alloc(s->allocator, m->endless * sizeof(*list.items))};
  if (!list.items) return TB_NO_MEMORY;
  enum tb_status status = for_each(m, add_endless, &list);
  if (status == TB_OK) status = for_each(m, note_if_around, &list);
  tb_free(s->allocator, list.items, m->endless * sizeof(*list.items));
  return status;
}

static void match_entry(void *ctx, const struct tb_staged_event *e, uint64_t place) {
  struct matcher *m = ctx;
  if (e->kind != TB_STAGED_END && e->kind != TB_STAGED_FLOW) m->last_ts = e->ts;
  if (e->kind == TB_STAGED_BEGIN && push(m, e, place) != TB_OK) m->out_of_memory = true;
  if (e->kind == TB_STAGED_END) take(m, e, place);
}

static enum tb_status match_all(struct matcher *m) {
  enum tb_status status = for_each(m, match_entry, m);
  mark_open_ambiguous(m); /* never ends */
  if (status == TB_OK) status = note_around_endless(m);
  struct tb_sort_queue *s = m->queue;
  if (s->end_args_count) qsort(s->end_args, s->end_args_count, sizeof(*s->end_args), compare_end_args);
  return m->out_of_memory ? TB_NO_MEMORY : status;
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

struct tb_str tb_matched_end_args(const struct tb_sort_queue *s, uint64_t place) {
  const struct tb_end_args key = {.begin = place};
  const struct tb_end_args *found =
      s->end_args_count ? bsearch(&key, s->end_args, s->end_args_count, sizeof(key), compare_end_args) : NULL;
  return found ? found->body : (struct tb_str){NULL, 0};
}

enum tb_status tb_order_begins(struct tb_sort_queue *s) {
  bool nests_as_it_came = s->sorted && !s->needs_matching;
  if (!s->begins_together || s->run_count || nests_as_it_came) return TB_OK;
  enum tb_status status = tb_sort_queue_index(s);
  if (status == TB_OK) status = tb_match_slices(s, 1);
  for (uint64_t i = 0; status == TB_OK && s->match_notes && i < s->count; i++)
    if (tb_sort_queue_has_note(s, i, TB_MATCH_PASSED)) s->matches[i] = INT64_MIN; /* it keeps its place */
  if (status == TB_OK) status = tb_sort_queue_order_begins(s, s->matches);
  tb_sort_queue_forget_matches(s);
  s->begins_together = false; /* they are ordered */
  return status;
}
