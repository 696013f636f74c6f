/* SPDX-License-Identifier: Apache-2.0
 *
 * Begins and ends of slices out of a processor's buffer: those of other processors that are earlier may come later. So
 * they are kept, and counted in the order of time when all are there. Memory is bounded: of those beyond a limit the
 * self times are not known.
 */
#include <stdlib.h>

#include "inspect/info_state.h"

enum { POINTS_MAX = 1 << 22 };

void tb_info_keep_cpu_point(struct tb_info_state *s, const struct tb_event *event, uint32_t name) {
  void *points = s->cpu_points;
  if (s->cpu_point_count == POINTS_MAX) {
    s->self_left_out = true;
    return;
  }
  enum tb_status status = tb_grow_array(s->allocator, &points, &s->cpu_point_capacity, s->cpu_point_count + 1,
                                        sizeof(*s->cpu_points), POINTS_MAX);
  s->cpu_points = points;
  if (status != TB_OK) {
    s->out_of_memory = true;
    return;
  }
  s->cpu_points[s->cpu_point_count] = (struct tb_info_cpu_point){.ts = event->ts,
                                                                 .track = event->track->index,
                                                                 .name = name,
                                                                 .number = (uint32_t)s->cpu_point_count,
                                                                 .ends = event->type == TB_EVENT_SLICE_END};
  s->cpu_point_count++;
}

static int compare(const void *a, const void *b) {
  const struct tb_info_cpu_point *x = a, *y = b;
  if (x->track != y->track) return x->track < y->track ? -1 : 1;
  if (x->ts != y->ts) return x->ts < y->ts ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

void tb_info_gather_cpu_points(struct tb_info_state *s) {
  if (s->cpu_point_count) qsort(s->cpu_points, s->cpu_point_count, sizeof(*s->cpu_points), compare);
  for (size_t i = 0; i < s->cpu_point_count; i++) {
    const struct tb_info_cpu_point *point = &s->cpu_points[i];
    struct tb_info_track *track = &s->tracks[point->track];
    if (point->ends && track->open)
      track->open--;
    else if (point->ends)
      s->odd[TB_ODD_ORPHAN_END]++;
    else
      track->open++;
    bool kept = point->ends ? tb_self_track_end(s->allocator, &track->self, point->ts, tb_info_add_self, s)
                            : tb_self_track_begin(s->allocator, &track->self, point->ts, point->name);
    if (!kept) s->out_of_memory = true;
  }
}
