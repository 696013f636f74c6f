/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/scan_times.h"

/* 32 MB; and how many lines a piece may be of, which are looked up one by one. */
enum { PIECES_MAX = 1 << 20, LINES_MAX = 1 << 12 };

void tb_scan_times_init(struct tb_scan_times *times, const struct tb_allocator *allocator) {
  *times = (struct tb_scan_times){.allocator = allocator};
  tb_map_init(&times->latest, allocator);
}

void tb_scan_times_free(struct tb_scan_times *times) {
  if (!times->allocator) return;
  tb_free(times->allocator, times->pieces, times->capacity * sizeof(*times->pieces));
  tb_map_free(&times->latest);
}

void tb_scan_times_turn_to(struct tb_scan_times *times, uint32_t node, int64_t own, uint64_t offset) {
  const uint64_t *latest = tb_map_find(&times->latest, node, 0);
  void *pieces = times->pieces;
  times->current = NULL;
  if (times->failed) return;
  if (latest && times->pieces[*latest - 1].offset == offset) {
    times->current = &times->pieces[*latest - 1];
    return;
  }
  enum tb_status status =
      tb_grow_array(times->allocator, &pieces, &times->capacity, times->count + 1, sizeof(*times->pieces), PIECES_MAX);
  times->pieces = pieces;
  if (status == TB_OK) status = tb_map_put(&times->latest, node, 0, times->count + 1);
  times->failed = status != TB_OK;
  if (times->failed) return;
  times->current = &times->pieces[times->count++];
  *times->current = (struct tb_scan_piece){node, offset, own, own};
}

/* Goes from line to line of those that the piece is of. */
static bool holds(const struct tb_scan_piece *piece, struct tb_clock_graph *graph, uint64_t primary) {
  const struct tb_clock_line *line = &graph->nodes[piece->node].line;
  int64_t own = piece->first, time;
  for (int i = 0; i < LINES_MAX; i++) {
    if (tb_clock_graph_convert_node(graph, piece->node, primary, own, &time) != TB_OK) return false;
    if ((uint64_t)time - (uint64_t)own != piece->offset) return false;
    if (line->changes != graph->changes || line->target != primary || own < line->from || own >= line->to) return false;
    if (piece->last < line->to) return true;
    own = line->to;
  }
  return false;
}

bool tb_scan_times_hold(const struct tb_scan_times *times, struct tb_input_clocks *clocks) {
  if (times->failed || clocks->fitted_count) return false;
  for (size_t i = 0; i < times->count; i++)
    if (!holds(&times->pieces[i], &clocks->graph, clocks->primary)) return false;
  return true;
}
