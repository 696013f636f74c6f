/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a trace once or twice to find what is chosen, and writes it by another reading. For an output of some size that
 * is tried, written to a temporary file, with less and less until it fits.
 */
#include "tracebridge/filter.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/options.h"
#include "toolbox/cut/cut_file.h"
#include "toolbox/filter/choice.h"
#include "toolbox/filter/mixed_run.h"
#include "toolbox/walk/scanned_walk.h"
#include "tracebridge/file.h"

/* What is left out of the trace, besides what is chosen. */
struct filter_level {
  bool no_args, no_flows;
  int64_t min_dur;
};

struct filtering {
  struct tb_filter_options options;
  struct tb_walk walk;
  struct tb_track_events events;
  struct tb_choice choice;
  bool taken_in; /* the choice took the trace in, at that level */
  struct filter_level level;
  struct tb_filter_report report;
};

static enum tb_status fail(struct filtering *f, enum tb_status status, const char *message) {
  return tb_fail(&f->walk.merger.error, status, TB_NO_OFFSET, "%s", message);
}

/* ---- one time ---------------------------------------------------------------------------------------------------- */

static enum tb_status take_packet(struct filtering *f, struct tb_cut *cut) {
  struct tb_cut_order order = {.fate = TB_CUT_KEEP};
  if (!cut->sheds_args && !cut->sheds_flows && tb_choice_keeps(&f->choice) && !tb_cut_has_pending(cut))
    return tb_cut_pass(cut);
  if (f->walk.packet.packet.ptr) {
    enum tb_status status = tb_choice_decide(&f->choice, &order);
    if (status != TB_OK) return fail(f, status, tb_status_text(status));
  }
  return tb_cut_packet(cut, &order);
}

/* Takes a run of events that come next, or some of one; false: none does. */
static bool take_run(struct filtering *f, struct tb_cut *cut, enum tb_status *status) {
  struct tb_walk *walk = &f->walk;
  enum tb_run_fate fate;
  const struct tb_event_run *run = tb_choice_run_at(&f->choice, walk->next, &fate);
  if (!run) return false;
  bool whole = fate != TB_RUN_MIXED && tb_walk_enter_events(walk, &run->events);
  if (whole && fate == TB_RUN_GOES)
    *status = tb_cut_leave_run_out(cut, run, true);
  else if (whole && !tb_cut_has_pending(cut))
    *status = tb_cut_pass_run(cut, run);
  else
    return tb_mixed_run_take(cut, run, &f->choice.packets, status);
  return true;
}

static enum tb_status write_chosen(void *ctx) {
  struct filtering *f = ctx;
  struct tb_cut cut;
  tb_choice_rewind(&f->choice);
  tb_cut_init(&cut, &f->walk, &f->events);
  cut.sheds_args = f->level.no_args;
  cut.sheds_flows = f->level.no_flows;
  if (f->choice.flow_ends.count) cut.flow_ends = &f->choice.flow_ends;
  enum tb_status status = tb_walk_start(&f->walk);
  while (status == TB_OK) {
    if (take_run(f, &cut, &status)) continue;
    status = tb_walk_next(&f->walk);
    if (status == TB_OK) status = take_packet(f, &cut);
  }
  f->report.packets_in = f->walk.next;
  f->report.packets_out = cut.kept + cut.moved;
  tb_cut_free(&cut);
  return status == TB_END ? TB_OK : status;
}

static void begin_choice(struct filtering *f) {
  const struct tb_filter_options *o = &f->options;
  struct tb_choice *choice = &f->choice;
  tb_choice_init(choice, &f->walk, &f->events);
  choice->owners.processes = (struct tb_name_patterns){o->processes, o->process_count, &f->report.matched.processes};
  choice->owners.threads = (struct tb_name_patterns){o->threads, o->thread_count, &f->report.matched.threads};
  choice->owners.counters = (struct tb_name_patterns){o->counters, o->counter_count, &f->report.matched.counters};
  choice->owners.joins_series = f->walk.source->converted;
  choice->categories = (struct tb_name_patterns){o->categories, o->category_count, &f->report.matched.categories};
  choice->names = (struct tb_name_patterns){o->names, o->name_count, &f->report.matched.names};
  choice->looks_at_slices = o->max_bytes || o->category_count || o->name_count || f->level.min_dur > 0;
  choice->min_dur = f->level.min_dur;
  choice->no_flows = f->level.no_flows;
  choice->no_args = f->level.no_args;
  bool looks_at_tracks = o->process_count || o->thread_count || o->counter_count || f->level.no_flows;
  choice->runs_of_any = f->level.no_args && !choice->looks_at_slices && !looks_at_tracks;
  choice->runs_of_tracks = looks_at_tracks || (f->level.no_args && !choice->runs_of_any);
  f->events.ignores_names = !choice->looks_at_slices;
  f->events.ignores_fields = choice->runs_of_any;
}

static enum tb_status find_chosen(struct filtering *f, uint64_t durations[TB_DURATION_CLASSES]) {
  if (!f->taken_in) begin_choice(f);
  enum tb_status status = tb_choice_find(&f->choice, f->taken_in);
  f->taken_in = false;
  if (status == TB_OK && f->choice.marks.settling.is_late) {
    tb_choice_free(&f->choice);
    begin_choice(f);
    f->choice.marks.settling.never = true;
    status = tb_choice_find(&f->choice, false);
  }
  const struct tb_slice_counts *slices = &f->choice.slice_counts, *marks = &f->choice.mark_counts;
  f->report.slices_in = slices->all + marks->all;
  f->report.slices_out = slices->kept + marks->kept;
  for (int i = 0; i < TB_DURATION_CLASSES; i++) durations[i] = slices->durations[i] + marks->durations[i];
  return status;
}

static enum tb_status write_level(struct filtering *f, const char *out) {
  uint64_t durations[TB_DURATION_CLASSES];
  enum tb_status status = find_chosen(f, durations);
  if (status == TB_OK) status = tb_merger_write_out(&f->walk.merger, out, write_chosen, f);
  tb_choice_free(&f->choice);
  return status;
}

/* ---- an output of some size -------------------------------------------------------------------------------------- */

/* Leaves more out: arguments, then flows, then slices, of which at least the share of `over` in `size` goes. False:
 * there is nothing more. */
static bool leave_more_out(struct filtering *f, const uint64_t durations[TB_DURATION_CLASSES], uint64_t size) {
  struct filter_level *level = &f->level;
  double share = 1 - (double)f->options.max_bytes / (double)size;
  uint64_t all = 0, gone = 0;
  if (!level->no_args) return level->no_args = f->report.left_out_args = true;
  if (!level->no_flows) return level->no_flows = f->report.left_out_flows = true;
  for (int i = 0; i < TB_DURATION_CLASSES; i++) all += durations[i];
  if (!all) return false;
  int class = 0;
  for (; class < TB_DURATION_CLASSES - 2; class ++) {
    gone += durations[class];
    if (gone && (double)gone >= share * (double)all) break;
  }
  level->min_dur = gone == all ? INT64_MAX : tb_duration_class_start(class + 1);
  f->report.min_dur_ns = level->min_dur;
  return true;
}

static enum tb_status find_level(struct filtering *f, const char *out) {
  uint64_t durations[TB_DURATION_CLASSES], bytes = 0;
  for (;;) {
    enum tb_status status = find_chosen(f, durations);
    if (status == TB_OK) status = tb_merger_measure(&f->walk.merger, out, write_chosen, f, &bytes);
    tb_choice_free(&f->choice);
    if (status != TB_OK || bytes <= f->options.max_bytes) return status;
    if (!leave_more_out(f, durations, bytes))
      return tb_fail(&f->walk.merger.error, TB_REFUSED, TB_NO_OFFSET,
                     "without arguments, flows and slices it still has %" PRIu64
                     " bytes; choose fewer processes or counters",
                     bytes);
  }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool are_there(const char *const *globs, size_t count) {
  return tb_name_patterns_are_there(&(struct tb_name_patterns){globs, count, NULL});
}

static enum tb_status check(const char *in, const char *out, const struct tb_filter_options *options,
                            struct tb_error *error) {
  enum tb_status status = tb_cut_check_files(in, out, error);
  if (status != TB_OK) return status;
  if (!are_there(options->processes, options->process_count) || !are_there(options->threads, options->thread_count) ||
      !are_there(options->categories, options->category_count) || !are_there(options->names, options->name_count) ||
      !are_there(options->counters, options->counter_count))
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "a glob is NULL");
  if (options->min_dur_ns < 0) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "a duration is not negative");
  if (options->max_bytes && !tb_file_is_plain(out))
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "only a file can be made to fit a size");
  return TB_OK;
}

static enum tb_status run(struct filtering *f, const char *out, struct tb_error *error) {
  struct tb_merger *m = &f->walk.merger;
  enum tb_status status = f->options.max_bytes ? find_level(f, out) : TB_OK;
  if (status == TB_OK) status = write_level(f, out);
  return tb_cut_settle(m, status, error);
}

static void begin(void *ctx) {
  struct filtering *f = ctx;
  tb_track_events_init(&f->events, f->walk.merger.allocator);
  f->level = (struct filter_level){f->options.no_args, f->options.no_flows, f->options.min_dur_ns};
  f->report.min_dur_ns = f->options.min_dur_ns;
  begin_choice(f);
}

/* Opens the trace, and takes it in as far as it can be. */
static enum tb_status open_trace(struct filtering *f, const char *in, struct tb_error *error) {
  struct tb_merge_options merge = TB_CUT_MERGE_OPTIONS(&f->options, worker_threads);
  struct tb_scanned_walk scanned = {
      .walk = &f->walk,
      .events = &f->events,
      .reader = {begin, f, tb_choice_take_scanned_event, tb_choice_take_scanned_packet, &f->choice}};
  enum tb_status status = tb_scanned_walk_open(&scanned, in, &merge, error);
  f->taken_in = status == TB_OK && tb_scanned_walk_holds(&scanned);
  if (!f->taken_in) tb_choice_free(&f->choice);
  if (status != TB_OK && f->events.allocator) tb_track_events_free(&f->events);
  tb_scanned_walk_free(&scanned);
  return status;
}

enum tb_status tb_filter(const char *in, const char *out, const struct tb_filter_options *options,
                         struct tb_filter_report *report, struct tb_error *error) {
  struct filtering f = {.options = {.size = sizeof(f.options)}};
  enum tb_status status = tb_report_begin(report, sizeof(*report), error);
  if (status == TB_OK) status = tb_options_take(&f.options, sizeof(f.options), options, error);
  if (status == TB_OK) status = check(in, out, &f.options, error);
  if (status != TB_OK) return status;
  status = open_trace(&f, in, error);
  if (status == TB_OK) {
    status = run(&f, out, error);
    tb_track_events_free(&f.events);
    tb_walk_close(&f.walk);
  }
  f.report.merge = f.walk.merger.report;
  tb_report_give(report, &f.report, sizeof(f.report));
  if (!TB_REPORT_HAS(report, struct tb_filter_report, merge)) tb_merge_report_free(f.report.merge);
  return status;
}

void tb_filter_report_free(struct tb_filter_report *report) {
  if (!TB_REPORT_HAS(report, struct tb_filter_report, merge)) return;
  tb_merge_report_free(report->merge);
  report->merge = NULL;
}
