/* SPDX-License-Identifier: Apache-2.0
 *
 * How often each name and category of slices comes, and which counters there are that are no tracks. Memory is bounded:
 * names beyond a limit are counted together.
 */
#include <stdlib.h>

#include "inspect/info_state.h"

enum { NAMES_MAX = 1 << 16, SHOWN = 20 };

/* The text's id; 0 where it is not known and there is room for no more. */
static uint32_t id_of(struct tb_info_state *s, struct tb_intern *table, struct tb_str text) {
  bool full = table->count >= NAMES_MAX;
  uint32_t id = full ? tb_intern_find(table, text, tb_intern_hash(text)) : tb_intern_id(table, text);
  s->out_of_memory |= !id && !full;
  s->names_left_out |= !id && full;
  return id;
}

static void count_text(struct tb_info_state *s, struct tb_info_names *names, struct tb_str text) {
  uint32_t id = id_of(s, &names->table, text);
  if (!id) return;
  void *counts = names->counts;
  size_t before = names->capacity;
  if (tb_grow_array(s->allocator, &counts, &names->capacity, id, sizeof(*names->counts), NAMES_MAX + 1) != TB_OK) {
    s->out_of_memory = true;
    return;
  }
  names->counts = counts;
  if (names->capacity > before) memset(names->counts + before, 0, (names->capacity - before) * sizeof(*names->counts));
  names->counts[id - 1]++;
}

/* A JSON counter is a name of its process; each argument is a series. */
static void count_series(struct tb_info_state *s, const struct tb_event *event) {
  if (event->track->type == TB_TRACK_COUNTER || !event->name.len) return;
  uint32_t name = id_of(s, &s->counters.table, event->name);
  for (uint32_t i = 0; name && i < event->arg_count; i += event->args[i].span) {
    uint32_t series = id_of(s, &s->counters.table, event->args[i].name.len ? event->args[i].name : event->name);
    bool known = tb_map_find(&s->counter_series, (uint64_t)name << 32 | series, event->track->index) != NULL;
    s->names_left_out |= series && !known && s->counter_series.count >= NAMES_MAX;
    if (!series || known || s->counter_series.count >= NAMES_MAX) continue;
    if (tb_map_put(&s->counter_series, (uint64_t)name << 32 | series, event->track->index, 0) != TB_OK)
      s->out_of_memory = true;
  }
}

/* Each of a comma list. */
static void count_categories(struct tb_info_state *s, struct tb_str list) {
  while (list.len) {
    const char *comma = memchr(list.ptr, ',', list.len);
    size_t len = comma ? (size_t)(comma - list.ptr) : list.len;
    if (len) count_text(s, &s->categories, (struct tb_str){list.ptr, len});
    len += comma != NULL;
    list = (struct tb_str){list.ptr + len, list.len - len};
  }
}

void tb_info_count_names(struct tb_info_state *s, const struct tb_event *event) {
  if (event->type == TB_EVENT_COUNTER && event->track) count_series(s, event);
  bool begins = event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_SLICE_COMPLETE ||
                event->type == TB_EVENT_ASYNC_BEGIN;
  if (begins && event->name.len) count_text(s, &s->slice_names, event->name);
  count_categories(s, event->categories);
}

static int compare(const void *a, const void *b) {
  const struct tb_info_name *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  size_t shorter = x->text.len < y->text.len ? x->text.len : y->text.len;
  int order = memcmp(x->text.ptr, y->text.ptr, shorter);
  return order ? order : (x->text.len > y->text.len) - (x->text.len < y->text.len);
}

/* The most frequent; *total of all. */
static const struct tb_info_name *gather(struct tb_info_state *s, const struct tb_info_names *names, size_t *count,
                                         size_t *total) {
  size_t n = names->table.count;
  *total = n;
  *count = n < SHOWN ? n : SHOWN;
  struct tb_info_name *all = s->out_of_memory ? NULL : tb_arena_alloc(&s->arena, n * sizeof(*all));
  if (!all) { /* where memory ran out there are texts without a count */
    s->out_of_memory = true;
    *count = *total = 0;
    return NULL;
  }
  for (size_t i = 0; i < n; i++)
    all[i] = (struct tb_info_name){tb_intern_text(&names->table, (uint32_t)i + 1), names->counts[i]};
  if (n) qsort(all, n, sizeof(*all), compare);
  return all;
}

void tb_info_gather_names(struct tb_info_state *s) {
  s->info.slice_names = gather(s, &s->slice_names, &s->info.slice_name_count, &s->info.slice_name_total);
  s->info.categories = gather(s, &s->categories, &s->info.category_count, &s->info.category_total);
  s->info.counter_tracks += s->counter_series.count;
}
