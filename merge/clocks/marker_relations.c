/* SPDX-License-Identifier: Apache-2.0
 *
 * Placing ftrace text by what its marks say of its clock: MONOTONIC of the machine, as other inputs of it have it, else
 * wall time.
 */
#include "merge/clocks/input_relations.h"
#include "merge/merger.h"
#include "tracebridge/event.h"

/* A mark is written some microseconds after the clock was read; wall time is cut to milliseconds. */
enum { WRITTEN_NS = 20000, HALF_A_MILLISECOND = 500000 };
/* The text's clock is not the one that was read. */
static const double UNKNOWN_RATE = 50e-6;
/* One machine's recordings are near each other on MONOTONIC, and agree on when that began. */
static const int64_t APART_NS = 60000000000, EPOCH_APART_NS = 1000000000;

static enum tb_status node_of(struct tb_merger *m, const struct tb_source *s, uint32_t clock, uint32_t *node) {
  return tb_sync_graph_node(&m->graph, (struct tb_graph_key){s->index, tb_source_host(s), clock}, node);
}

static enum tb_status relate(struct tb_merger *m, const struct tb_source *s, const struct tb_ftrace_marker *marker,
                             uint32_t clock, int64_t later, int64_t bound_ns) {
  struct tb_time_bound_point point = {marker->at, bound_ns};
  struct tb_graph_edge edge = {.source = TB_PLACEMENT_SNAPSHOTS, .rank = TB_RANK_SNAPSHOTS, .x0 = marker->at};
  edge.offset = tb_time_add(tb_time_subtract(marker->reading, marker->at), later);
  edge.bound = (struct tb_time_bound){.points = &point, .count = 1, .growth = UNKNOWN_RATE};
  enum tb_status status = node_of(m, s, s->prescan.clocks.primary, &edge.a);
  if (status == TB_OK) status = node_of(m, s, clock, &edge.b);
  return status == TB_OK ? tb_sync_graph_edge(&m->graph, &edge) : status;
}

enum tb_status tb_merger_relate_markers(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_ftrace_markers *markers = &s->prescan.markers;
  enum tb_status status = TB_OK;
  if (s->format != TB_FORMAT_FTRACE) return TB_OK;
  if (markers->monotonic.known) status = relate(m, s, &markers->monotonic, TB_CLOCK_MONOTONIC, 0, WRITTEN_NS);
  if (status == TB_OK && markers->realtime.known)
    status = relate(m, s, &markers->realtime, TB_CLOCK_REALTIME, HALF_A_MILLISECOND, HALF_A_MILLISECOND + WRITTEN_NS);
  return status;
}

/* ---- whose MONOTONIC it is --------------------------------------------------------------------------------------- */

static int64_t monotonic_ahead(const struct tb_source *text) {
  const struct tb_ftrace_marker *mark = &text->prescan.markers.monotonic;
  return tb_time_subtract(mark->reading, mark->at);
}

/* When an input begins and ends on its MONOTONIC. */
static bool find_extent(struct tb_source *s, int64_t *first, int64_t *last) {
  if (s->format == TB_FORMAT_FTRACE) {
    *first = tb_time_add(s->prescan.markers.first, monotonic_ahead(s));
    *last = tb_time_add(s->prescan.markers.last, monotonic_ahead(s));
    return s->prescan.markers.monotonic.known;
  }
  struct tb_input_clocks *c = &s->prescan.clocks;
  uint32_t host = tb_source_host(s);
  return s->prescan.has_time && tb_input_clocks_convert_back(c, host, TB_CLOCK_MONOTONIC, s->prescan.first, first) &&
         tb_input_clocks_convert_back(c, host, TB_CLOCK_MONOTONIC, s->prescan.last, last);
}

/* Whether both say the same of when MONOTONIC began; true where one says nothing of it. */
static enum tb_status compare_epochs(struct tb_merger *m, const struct tb_source *s, const struct tb_source *text,
                                     bool *same) {
  const struct tb_ftrace_markers *markers = &text->prescan.markers;
  struct tb_time_anchor *pairs;
  size_t count;
  *same = true;
  if (!markers->realtime.known) return TB_OK;
  enum tb_status status = tb_source_readings(s, m->allocator, TB_CLOCK_MONOTONIC, TB_CLOCK_REALTIME, &pairs, &count);
  if (status != TB_OK || !count) return status;
  int64_t own =
      tb_time_subtract(tb_time_subtract(markers->realtime.reading, markers->realtime.at), monotonic_ahead(text));
  int64_t apart = tb_time_subtract(own, tb_time_subtract(pairs[0].y, pairs[0].x));
  *same = apart <= EPOCH_APART_NS && apart >= -EPOCH_APART_NS;
  tb_free(m->allocator, pairs, count * sizeof(*pairs));
  return TB_OK;
}

/* Whether an input seems to be of the machine that the text is of. */
static enum tb_status is_of_machine(struct tb_merger *m, struct tb_source *s, struct tb_source *text, bool *same) {
  int64_t first, last, text_first, text_last;
  *same = false;
  if (s == text || s->skipped || !find_extent(s, &first, &last) || !find_extent(text, &text_first, &text_last))
    return TB_OK;
  if (s->machine_name && text->machine_name && strcmp(s->machine_name, text->machine_name) != 0) return TB_OK;
  if (text_first > tb_time_add(last, APART_NS) || text_last < tb_time_subtract(first, APART_NS)) return TB_OK;
  return compare_epochs(m, s, text, same);
}

static enum tb_status join_machine(struct tb_merger *m, struct tb_source *text, const struct tb_source *s) {
  struct tb_graph_edge edge = {.source = TB_PLACEMENT_SNAPSHOTS, .rank = TB_RANK_SAME_BOOT};
  enum tb_status status = node_of(m, text, TB_CLOCK_MONOTONIC, &edge.a);
  if (status == TB_OK) status = node_of(m, s, TB_CLOCK_MONOTONIC, &edge.b);
  if (!text->boot) text->boot = s->boot;
  return status == TB_OK ? tb_sync_graph_edge(&m->graph, &edge) : status;
}

enum tb_status tb_merger_join_markers(struct tb_merger *m) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct tb_source *text = &m->sources[i];
    bool same = false;
    if (text->skipped || text->format != TB_FORMAT_FTRACE || !text->prescan.markers.monotonic.known) continue;
    for (size_t k = 0; k < m->source_count && status == TB_OK && !same; k++) {
      status = is_of_machine(m, &m->sources[k], text, &same);
      if (status == TB_OK && same) status = join_machine(m, text, &m->sources[k]);
    }
  }
  return status;
}
