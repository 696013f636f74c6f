/* SPDX-License-Identifier: Apache-2.0
 *
 * How often each name and category of slices comes, how long slices of a name lasted, and which counters there are that
 * are no tracks. Memory is bounded: names beyond a limit are not counted.
 */
#include <stdlib.h>

#include "inspect/info_state.h"
#include "model/tracks.h"

enum { NAMES_MAX = 1 << 16, SHOWN = 20 };

/* The text's id; 0 where it is not known and there is room for no more. */
static uint32_t id_of(struct tb_info_state *s, struct tb_intern *table, struct tb_str text) {
  bool full = table->count >= NAMES_MAX;
  uint32_t id = full ? tb_intern_find(table, text, tb_intern_hash(text)) : tb_intern_id(table, text);
  s->out_of_memory |= !id && !full;
  s->names_left_out |= !id && full;
  return id;
}

/* Returns the text's id; 0 where it is not counted. */
static uint32_t count_text(struct tb_info_state *s, struct tb_info_names *names, struct tb_str text) {
  uint32_t id = id_of(s, &names->table, text);
  if (!id) return 0;
  void *tallies = names->tallies;
  size_t before = names->capacity, size = sizeof(*names->tallies);
  if (tb_grow_array(s->allocator, &tallies, &names->capacity, id, size, NAMES_MAX + 1) != TB_OK) {
    s->out_of_memory = true;
    return 0;
  }
  names->tallies = tallies;
  if (names->capacity > before) memset(names->tallies + before, 0, (names->capacity - before) * size);
  names->tallies[id - 1].count++;
  return id;
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
  struct tb_str category;
  while (tb_comma_list_next(&list, &category))
    if (category.len) (void)count_text(s, &s->categories, category);
}

/* ---- self time --------------------------------------------------------------------------------------------------- */

void tb_info_add_self(void *ctx, uint32_t name, int64_t ns) {
  struct tb_info_state *s = ctx;
  int64_t *self = &s->slice_names.tallies[name - 1].self_ns;
  *self = (int64_t)((uint64_t)*self + (uint64_t)ns);
}

/* `name`: the slice's, where it begins. */
static bool count_self(struct tb_info_state *s, struct tb_self_track *track, const struct tb_event *event,
                       uint32_t name) {
  bool is_point = event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_SLICE_END;
  if (is_point && event->has & TB_HAS_CPU) {
    tb_info_keep_cpu_point(s, event, name);
    return true;
  }
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
      return tb_self_track_begin(s->allocator, track, event->ts, name);
    case TB_EVENT_SLICE_END:
      return tb_self_track_end(s->allocator, track, event->ts, tb_info_add_self, s);
    case TB_EVENT_SLICE_COMPLETE: {
      bool has_end = event->has & TB_HAS_DUR && event->dur >= 0 && event->ts <= INT64_MAX - event->dur;
      return !has_end ||
             tb_self_track_slice(s->allocator, track, event->ts, event->ts + event->dur, name, tb_info_add_self, s);
    }
    default:
      return true;
  }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

void tb_info_count_names(struct tb_info_state *s, struct tb_info_track *track, const struct tb_event *event) {
  if (event->type == TB_EVENT_COUNTER && event->track) {
    count_series(s, event);
    struct tb_str name = event->name.len ? event->name : event->track->name;
    if (name.len) (void)count_text(s, &s->counter_names, name);
  }
  bool begins = event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_SLICE_COMPLETE ||
                event->type == TB_EVENT_ASYNC_BEGIN;
  uint32_t name = begins && event->name.len ? count_text(s, &s->slice_names, event->name) : 0;
  count_categories(s, event->categories);
  if (track && event->has & TB_HAS_TS && !count_self(s, &track->self, event, name)) s->out_of_memory = true;
}

static int compare_texts(const struct tb_info_name *x, const struct tb_info_name *y) {
  size_t shorter = x->text.len < y->text.len ? x->text.len : y->text.len;
  int order = memcmp(x->text.ptr, y->text.ptr, shorter);
  return order ? order : (x->text.len > y->text.len) - (x->text.len < y->text.len);
}

static int compare_counts(const void *a, const void *b) {
  const struct tb_info_name *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return compare_texts(x, y);
}

static int compare_self(const void *a, const void *b) {
  const struct tb_info_name *x = a, *y = b;
  if (x->self_ns != y->self_ns) return x->self_ns < y->self_ns ? 1 : -1;
  return compare_counts(a, b);
}

/* The first of them in that order; *total of all. */
static const struct tb_info_name *gather(struct tb_info_state *s, const struct tb_info_names *names,
                                         int (*compare)(const void *, const void *), size_t *count, size_t *total) {
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
    all[i] = (struct tb_info_name){tb_intern_text(&names->table, (uint32_t)i + 1), names->tallies[i].count,
                                   names->tallies[i].self_ns > 0 ? (uint64_t)names->tallies[i].self_ns : 0};
  if (n) qsort(all, n, sizeof(*all), compare);
  return all;
}

void tb_info_gather_names(struct tb_info_state *s) {
  struct tb_info *info = &s->info;
  size_t total;
  info->slice_names = gather(s, &s->slice_names, compare_counts, &info->slice_name_count, &info->slice_name_total);
  info->slices_by_self = gather(s, &s->slice_names, compare_self, &info->slices_by_self_count, &total);
  while (info->slices_by_self_count && !info->slices_by_self[info->slices_by_self_count - 1].self_ns)
    info->slices_by_self_count--;
  info->categories = gather(s, &s->categories, compare_counts, &info->category_count, &info->category_total);
  info->counter_names =
      gather(s, &s->counter_names, compare_counts, &info->counter_name_count, &info->counter_name_total);
  info->counter_tracks += s->counter_series.count;
}
