/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/repair/snapshot_choice.h"

/* LOOKED_AT: snapshots before one that it may follow, so that a hostile file takes no minutes. */
enum { SNAPSHOTS_MAX = 1 << 26, LOOKED_AT = 2048 };

void tb_snapshot_choice_init(struct tb_snapshot_choice *c, const struct tb_allocator *allocator) {
  *c = (struct tb_snapshot_choice){.allocator = allocator};
  tb_map_init(&c->groups, allocator);
  tb_map_init(&c->wrong, allocator);
}

void tb_snapshot_choice_free(struct tb_snapshot_choice *c) {
  tb_free(c->allocator, c->snapshots, c->capacity * sizeof(*c->snapshots));
  tb_free(c->allocator, c->readings, c->reading_capacity * sizeof(*c->readings));
  tb_free(c->allocator, c->lines, c->line_capacity * sizeof(*c->lines));
  tb_map_free(&c->groups);
  tb_map_free(&c->wrong);
}

void tb_snapshot_choice_clear(struct tb_snapshot_choice *c) {
  c->count = c->reading_count = c->line_count = 0;
  tb_map_clear(&c->groups);
  tb_map_clear(&c->wrong);
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

/* Whether no clock of `later` reads less than in `earlier`. */
static bool can_follow(const struct tb_snapshot_choice *c, const struct tb_chosen_snapshot *earlier,
                       const struct tb_chosen_snapshot *later) {
  const struct tb_chosen_reading *before = c->readings + earlier->first, *after = c->readings + later->first;
  for (uint32_t i = 0; i < later->count && i < earlier->count; i++)
    if (before[i].key == after[i].key && after[i].ns < before[i].ns) return false;
  return true;
}

static enum tb_status add_readings(struct tb_snapshot_choice *c, const struct tb_snapshot *snapshot) {
  void *readings = c->readings;
  enum tb_status status =
      tb_grow_array(c->allocator, &readings, &c->reading_capacity, c->reading_count + snapshot->count,
                    sizeof(*c->readings), (size_t)SNAPSHOTS_MAX * TB_CLOCKS_IN_SNAPSHOT_MAX);
  c->readings = readings;
  if (status != TB_OK) return TB_NO_MEMORY;
  struct tb_chosen_reading *own = c->readings + c->reading_count;
  for (size_t i = 0; i < snapshot->count; i++) {
    size_t at = i;
    for (; at && own[at - 1].key > snapshot->readings[i].key; at--) own[at] = own[at - 1];
    own[at] = (struct tb_chosen_reading){snapshot->readings[i].key, snapshot->readings[i].ns};
  }
  c->reading_count += snapshot->count;
  return TB_OK;
}

/* NULL without memory. */
static struct tb_snapshot_line *find_line(struct tb_snapshot_choice *c, uint64_t group) {
  uint32_t number;
  if (tb_map_get(&c->groups, group, 0, &number)) return &c->lines[number];
  void *lines = c->lines;
  enum tb_status status =
      tb_grow_array(c->allocator, &lines, &c->line_capacity, c->line_count + 1, sizeof(*c->lines), SNAPSHOTS_MAX);
  c->lines = lines;
  if (status == TB_OK) status = tb_map_put(&c->groups, group, 0, c->line_count);
  if (status != TB_OK) return NULL;
  c->lines[c->line_count] = (struct tb_snapshot_line){.first = 0};
  return &c->lines[c->line_count++];
}

enum tb_status tb_snapshot_choice_add(struct tb_snapshot_choice *c, uint64_t number, uint32_t machine,
                                      const struct tb_snapshot *snapshot) {
  if (tb_snapshot_contradicts_itself(snapshot)) return tb_map_put(&c->wrong, number, 0, 1);
  if (!snapshot->count || tb_snapshot_has_increments(snapshot)) return TB_OK;
  void *snapshots = c->snapshots;
  enum tb_status status =
      tb_grow_array(c->allocator, &snapshots, &c->capacity, c->count + 1, sizeof(*c->snapshots), SNAPSHOTS_MAX);
  c->snapshots = snapshots;
  struct tb_snapshot_line *line = status == TB_OK ? find_line(c, tb_snapshot_group(snapshot, machine)) : NULL;
  if (!line || add_readings(c, snapshot) != TB_OK) return TB_NO_MEMORY;
  struct tb_chosen_snapshot *own = &c->snapshots[c->count++];
  *own = (struct tb_chosen_snapshot){
      .number = number, .first = c->reading_count - snapshot->count, .count = (uint32_t)snapshot->count};
  if (line->last) {
    struct tb_chosen_snapshot *last = &c->snapshots[line->last - 1];
    line->runs_back |= !can_follow(c, last, own);
    last->next = (uint32_t)c->count;
  } else {
    line->first = (uint32_t)c->count;
  }
  line->last = (uint32_t)c->count;
  return TB_OK;
}

/* ---- which ones stay --------------------------------------------------------------------------------------------- */

/* The longest row of snapshots that can follow one another, found from the front: of several as long as each other the
 * one with the earliest. */
static void measure(struct tb_snapshot_choice *c, const uint32_t *members, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct tb_chosen_snapshot *own = &c->snapshots[members[i]];
    own->stay = 1;
    own->before = 0;
    for (size_t k = i > LOOKED_AT ? i - LOOKED_AT : 0; k < i; k++) {
      const struct tb_chosen_snapshot *earlier = &c->snapshots[members[k]];
      if (earlier->stay < own->stay || !can_follow(c, earlier, own)) continue;
      own->stay = earlier->stay + 1;
      own->before = members[k] + 1;
    }
  }
}

static enum tb_status decide(struct tb_snapshot_choice *c, const uint32_t *members, size_t count) {
  enum tb_status status = TB_OK;
  size_t best = 0;
  measure(c, members, count);
  for (size_t i = 1; i < count; i++)
    if (c->snapshots[members[i]].stay > c->snapshots[members[best]].stay) best = i;
  uint32_t stays = members[best] + 1;
  for (size_t i = count; i-- && status == TB_OK;) {
    if (members[i] + 1 == stays)
      stays = c->snapshots[members[i]].before;
    else
      status = tb_map_put(&c->wrong, c->snapshots[members[i]].number, 0, 1);
  }
  return status;
}

enum tb_status tb_snapshot_choice_decide(struct tb_snapshot_choice *c) {
  uint32_t *members = tb_alloc(c->allocator, (c->count + 1) * sizeof(*members));
  enum tb_status status = members ? TB_OK : TB_NO_MEMORY;
  for (size_t i = 0; i < c->line_count && status == TB_OK; i++) {
    size_t count = 0;
    if (!c->lines[i].runs_back) continue;
    for (uint32_t at = c->lines[i].first; at; at = c->snapshots[at - 1].next) members[count++] = at - 1;
    status = decide(c, members, count);
  }
  tb_free(c->allocator, members, (c->count + 1) * sizeof(*members));
  return status;
}
