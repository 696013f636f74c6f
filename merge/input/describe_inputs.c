/* SPDX-License-Identifier: Apache-2.0
 *
 * What each input itself says of time, for the report: its clocks, its time span, and when that was by its wall clock.
 */
#include "base/time_text.h"
#include "merge/clocks/clock_names.h"
#include "merge/merger.h"

/* The clocks of its host that its snapshots read, or that the user names, by name. */
static const char *clocks_text(struct tb_merger *m, const struct tb_source *s) {
  const char *text = "";
  for (uint32_t clock = TB_CLOCK_REALTIME; clock <= TB_CLOCK_TRACE_FILE; clock++) {
    if (clock != s->clock && !tb_source_reads(s, clock)) continue;
    text = tb_merge_report_print(m->report, "%s%s%s", text, *text ? ", " : "", tb_clock_name(clock));
  }
  return text;
}

/* What the wall clock of its host read at its first event. */
static bool find_wall_time(struct tb_source *s, int64_t *wall) {
  if (!s->prescan.has_time) return false;
  if (s->prescan.clocks.primary == TB_CLOCK_REALTIME || s->clock == TB_CLOCK_REALTIME) {
    *wall = s->prescan.first;
    return true;
  }
  return tb_input_clocks_convert_back(&s->prescan.clocks, tb_source_host(s), TB_CLOCK_REALTIME, s->prescan.first, wall);
}

void tb_merger_describe_inputs(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    struct tb_merge_input_report *in = tb_source_report(m, s);
    if (s->skipped) continue;
    in->clock = tb_merge_report_print(m->report, "%s", tb_clock_name(s->prescan.clocks.primary));
    in->clocks = clocks_text(m, s);
    const struct tb_prescanned_extent own = tb_source_extent(s);
    in->has_own_time = own.any;
    in->own_first_ns = own.first;
    in->own_last_ns = own.last;
    in->has_wall_time = find_wall_time(s, &in->wall_first_ns);
  }
}
