/* SPDX-License-Identifier: Apache-2.0
 *
 * Refusing an input that nothing places: which one is the odd one, what there is, what was tried, and what would place
 * it.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/time_text.h"
#include "merge/clocks/clock_names.h"
#include "merge/merger.h"

enum { INPUTS_SHOWN = 20, OFFSETS_SHOWN = 8 };

/* How many inputs that say something of time one tree of the clock graph has. */
static size_t inputs_of(const struct tb_merger *m, uint32_t root) {
  size_t n = 0;
  for (size_t i = 0; i < m->source_count; i++)
    n += !m->sources[i].skipped && tb_source_knows_time(&m->sources[i]) && tb_source_root(m, &m->sources[i]) == root;
  return n;
}

/* The odd one: what nothing relates to more inputs than it is. That may be the reference. */
static const struct tb_source *find_odd(const struct tb_merger *m, const struct tb_source *unplaced) {
  const struct tb_source *first = &m->sources[m->reference];
  bool alone = inputs_of(m, m->target) < 2 && inputs_of(m, tb_source_root(m, unplaced)) > 1;
  return alone ? first : unplaced;
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */

static void advise_of_input(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_merge_input_report *in = tb_source_report(m, s);
  char first[TB_TIME_TEXT], last[TB_TIME_TEXT], date[TB_TIME_TEXT] = "";
  tb_seconds_text(in->own_first_ns, first);
  tb_seconds_text(in->own_last_ns, last);
  if (in->has_wall_time) tb_date_text(in->wall_first_ns, date);
  const char *clocks = in->clocks[0] ? in->clocks : in->clock;
  if (in->has_own_time)
    tb_merge_report_advise(m->report, "  %s: from %s to %s%s%s; clocks: %s", s->name, first, last,
                           date[0] ? ", recorded " : "", date, clocks);
  else
    tb_merge_report_advise(m->report, "  %s: has no event with a time; clocks: %s", s->name, clocks);
}

static void advise_of_inputs(struct tb_merger *m, const struct tb_source *odd) {
  size_t shown = 1, left = 0;
  advise_of_input(m, odd);
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    if (s == odd || s->skipped) continue;
    if (shown++ < INPUTS_SHOWN)
      advise_of_input(m, s);
    else
      left++;
  }
  if (left) tb_merge_report_advise(m->report, "  and %zu more inputs", left);
}

static void advise_of_methods(struct tb_merger *m, const struct tb_source *odd) {
  const struct tb_merge_input_report *in = tb_source_report(m, odd);
  const char *on = m->options.align_on;
  tb_merge_report_advise(
      m->report, "  tried: clock snapshots (%s), wall clocks (%s), clock_sync events (none match)%s%s%s%s",
      strcmp(in->clocks, in->clock) != 0 && in->clocks[0] ? "no clock that others have" : "it has none",
      in->has_wall_time ? "the others have none" : "it has none", on ? ", tb_merge_options.align_on " : "",
      on ? on : "", on ? " (nothing joins it)" : "",
      m->options.align_messages ? ", tb_merge_options.align_messages (none joins it)" : "");
}

/* ---- what would place it ----------------------------------------------------------------------------------------- */

static size_t count_quotes(const char *name) {
  size_t n = 0;
  for (; *name; name++) n += *name == '\'';
  return n;
}

/* The name as a shell takes it for one word; NULL without memory. */
static const char *shell_word(struct tb_merger *m, const char *name) {
  static const char quote[] = "'\"'\"'"; /* ends the quoted part, a quote in others, and begins the next part */
  if (*name && !strpbrk(name, " \t\n'\"$&;()*?[]<>|\\`!#~{}")) return name;
  char *word = tb_arena_alloc(&m->arena, strlen(name) + count_quotes(name) * sizeof(quote) + sizeof("''")), *at = word;
  if (!word) return NULL;
  *at++ = '\'';
  for (; *name; name++) {
    if (*name == '\'') {
      memcpy(at, quote, sizeof(quote) - 1);
      at += sizeof(quote) - 1;
    } else {
      *at++ = *name;
    }
  }
  *at++ = '\'';
  *at = '\0';
  return word;
}

/* Whether another input has the same name, to the letter. */
static bool shares_name(const struct tb_merger *m, const struct tb_source *s) {
  for (size_t i = 0; i < m->source_count; i++)
    if (&m->sources[i] != s && !m->sources[i].member && strcmp(m->sources[i].name, s->name) == 0) return true;
  return false;
}

/* An input to be placed by hand, so that all that are related to it go along. */
static void advise_offset(struct tb_merger *m, const struct tb_source *s, int64_t start) {
  const char *word = shell_word(m, s->name);
  int64_t offset = s->prescan.has_time ? tb_time_subtract(start, s->prescan.first) : 0;
  if (s->member)
    tb_merge_report_advise(m->report, "    tb_merge_options.manifest FILE, with \"clocks\" for %s", s->member);
  else if (word && shares_name(m, s))
    tb_merge_report_advise(m->report,
                           "    tb_merge_input.offset_ns %s%s=%+" PRId64 "ns, with one of both inputs named so",
                           *word == '/' ? "/." : "./", word, offset);
  else if (word)
    tb_merge_report_advise(m->report, "    tb_merge_input.offset_ns %s=%+" PRId64 "ns", word, offset);
}

/* Whether its times, of no clock that is known, are those of a wall clock. */
static bool looks_like_dates(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_merge_input_report *in = tb_source_report(m, s);
  return !s->skipped && in->has_own_time && !in->has_wall_time && !s->clock && tb_is_wall_time(in->own_first_ns) &&
         tb_is_wall_time(in->own_last_ns);
}

/* Wall clocks that inputs do not name, where more than one input then has one. */
static void advise_clocks(struct tb_merger *m) {
  size_t walls = 0, shown = 0;
  for (size_t i = 0; i < m->source_count; i++)
    walls += looks_like_dates(m, &m->sources[i]) || tb_source_report(m, &m->sources[i])->has_wall_time;
  for (size_t i = 0; i < m->source_count && walls > 1; i++) {
    const struct tb_source *s = &m->sources[i];
    char date[TB_TIME_TEXT];
    if (s->member || !looks_like_dates(m, s)) continue;
    const char *word = shell_word(m, s->name);
    if (shown++ >= OFFSETS_SHOWN || !word) continue;
    tb_date_text(s->prescan.first, date);
    tb_merge_report_advise(m->report,
                           "    tb_merge_input.clock %s=REALTIME would place it: its times look like dates, from %s on",
                           word, date);
  }
  if (shown > OFFSETS_SHOWN)
    tb_merge_report_advise(m->report, "    and so for %zu more whose times look like dates", shown - OFFSETS_SHOWN);
}

/* One offset for each tree of inputs that the merged trace's clock is not in. */
static void advise_offsets(struct tb_merger *m, int64_t start) {
  size_t shown = 0;
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    uint32_t root = tb_source_root(m, s);
    bool earlier = false;
    if (s->skipped || root == m->target || !tb_source_knows_time(s)) continue;
    for (size_t k = 0; k < i && !earlier; k++)
      earlier =
          !m->sources[k].skipped && tb_source_knows_time(&m->sources[k]) && tb_source_root(m, &m->sources[k]) == root;
    if (earlier) continue;
    if (shown++ < OFFSETS_SHOWN) advise_offset(m, s, start);
  }
  if (shown > OFFSETS_SHOWN)
    tb_merge_report_advise(m->report, "    and so for %zu more that nothing relates", shown - OFFSETS_SHOWN);
}

static void advise(struct tb_merger *m, const struct tb_source *odd, int64_t start) {
  advise_of_inputs(m, odd);
  advise_of_methods(m, odd);
  tb_merge_report_advise(
      m->report, "  what would place it (these offsets put first event on first event; give what is known instead):");
  advise_clocks(m);
  advise_offsets(m, start);
  if (!m->options.align_on)
    tb_merge_report_advise(m->report,
                           "    tb_merge_options.align_on NAME, an event that happened in both at the same time");
  if (!m->options.align_messages)
    tb_merge_report_advise(m->report, "    tb_merge_options.align_messages, where flows go from one to the other");
  tb_merge_report_advise(m->report, "    tb_merge_options.unplaced=start, which does that with all of them");
}

enum tb_status tb_merger_refuse(struct tb_merger *m, const struct tb_source *unplaced, int64_t start) {
  const struct tb_source *s = find_odd(m, unplaced);
  const char *clock = tb_clock_name(s->prescan.clocks.primary);
  advise(m, s, start);
  tb_error_set_file(&m->error, s->name);
  if (m->options.align_on && !tb_marks_named(&m->marks, s->index))
    return tb_fail(
        &m->error, TB_REFUSED, TB_NO_OFFSET,
        "has no event '%.100s', and nothing else relates its clock (%s) to the others'; use tb_merge_input.offset_ns, "
        "tb_merge_options.manifest or tb_merge_options.unplaced=start|drop",
        m->options.align_on, clock);
  return tb_fail(&m->error, TB_REFUSED, TB_NO_OFFSET,
                 "nothing relates its clock (%s) to the others'; use tb_merge_input.offset_ns, "
                 "tb_merge_options.manifest, tb_merge_options.align_on, "
                 "tb_merge_options.align_messages or tb_merge_options.unplaced=start|drop",
                 clock);
}
