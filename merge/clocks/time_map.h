/* SPDX-License-Identifier: Apache-2.0
 *
 * From the time of one clock to the time of another: known pairs, linear between them, one after the other.
 * All times are ns; arithmetic is exact but for the rounding of a line's middle.
 */
#ifndef TB_MERGE_CLOCKS_TIME_MAP_H
#define TB_MERGE_CLOCKS_TIME_MAP_H

#include "base/memory.h"
#include "base/times.h"

/* When one clock read x, the other read y. */
struct tb_time_anchor {
  int64_t x, y;
};

/* How a stage goes on between two anchors. */
enum tb_time_stage_kind {
  TB_TIME_LINE,  /* one anchor, and a drift from there */
  TB_TIME_STEPS, /* the earlier anchor's line holds up to the later one; before the first that one's */
  /* the line, unless they are apart by what no drift explains (a suspend, a clock that was set): then as
   * STEPS. Before the first and after the last anchor the nearest one's offset holds. */
  TB_TIME_ANCHORS
};

struct tb_time_stage {
  struct tb_time_anchor *anchors; /* sorted by x, at least one; owned */
  size_t count;
  enum tb_time_stage_kind kind;
  double drift; /* LINE, STEPS: as a fraction */
};

struct tb_time_map {
  const struct tb_allocator *allocator;
  struct tb_time_stage *stages;
  size_t count, capacity; /* count 0: both clocks are the same */
};

void tb_time_map_init(struct tb_time_map *map, const struct tb_allocator *allocator);
void tb_time_map_free(struct tb_time_map *map);

/* Adds a step at the end. The anchors are copied, sorted, and those that say the same twice left out; where all agree
 * on the offset within what reading two clocks one after the other costs (2 us), their median stands for all, so that
 * durations stay exact. `reversed` swaps x and y. TB_OK, TB_NO_MEMORY, TB_LIMIT (too many steps), TB_INVALID (no
 * anchor). */
TB_MUST_CHECK enum tb_status tb_time_map_add(struct tb_time_map *map, const struct tb_time_anchor *anchors,
                                             size_t count, bool reversed);
/* Adds y = x + offset + drift * (x - x0). Lines that follow each other become one. */
TB_MUST_CHECK enum tb_status tb_time_map_add_line(struct tb_time_map *map, int64_t x0, int64_t offset, double drift,
                                                  bool reversed);
/* Adds a stage of kind STEPS, of which each line has this drift. The anchors are copied. */
TB_MUST_CHECK enum tb_status tb_time_map_add_steps(struct tb_time_map *map, const struct tb_time_anchor *anchors,
                                                   size_t count, double drift, bool reversed);

int64_t tb_time_map_apply(const struct tb_time_map *map, int64_t time);

/* True where the map only adds *offset. */
bool tb_time_map_is_offset(const struct tb_time_map *map, int64_t *offset);

#endif
