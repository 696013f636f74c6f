/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/trim.h"

#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/options.h"
#include "base/times.h"
#include "io/temp_file.h"
#include "perfetto/packet/packet_times.h"
#include "perfetto/packet/recording_starts.h"
#include "protos/field_numbers.h"
#include "toolbox/cut/cut_file.h"
#include "toolbox/cut/ftrace_part.h"
#include "toolbox/cut/packet_cut.h"
#include "toolbox/trim/cpu_profiles.h"
#include "toolbox/trim/edges.h"
#include "toolbox/trim/etw_edges.h"
#include "toolbox/trim/ftrace_edges.h"
#include "tracebridge/info.h"

struct trimming {
  struct tb_trim_options options;
  struct tb_walk walk;
  struct tb_track_events events;
  struct tb_slice_runs slice_runs; /* found as the trace is scanned */
  struct tb_window window;
  struct tb_edges edges;
  struct tb_ftrace_edges ftrace;
  struct tb_etw_edges etw;
  struct tb_cpu_profiles profiles;
  bool ftrace_written, etw_written;
  struct tb_buffer part, fates;       /* of the current bundle */
  uint64_t stated[TB_EXTRA_COUNTERS]; /* of the current packet */
  bool writes_late; /* the output is Perfetto's; others are written from it in the order of the file */
  struct tb_trim_report report;
};

static enum tb_status fail(struct trimming *t, enum tb_status status, const char *message) {
  return tb_fail(&t->walk.merger.error, status, TB_NO_OFFSET, "%s", message);
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

static enum tb_status check_extent(struct trimming *t, int64_t first, int64_t last) {
  return first <= last ? TB_OK : fail(t, TB_REFUSED, "there is no event with a time in it");
}

/* What find_edges will find to be the trace's first and last events, most likely; false where nothing says so. */
static bool expect_extent(const struct trimming *t, int64_t *first, int64_t *last) {
  const struct tb_prescan *prescan = &t->walk.source->prescan;
  *first = prescan->shown.first;
  *last = prescan->shown.last;
  bool bundles = prescan->seen_kinds[TB_TRACE_PACKET_FTRACE_EVENTS] || prescan->seen_kinds[TB_TRACE_PACKET_ETW_EVENTS];
  return prescan->shown.any && prescan->machine_count == 1 && !bundles; /* whose events have times of their own */
}

/* When the trace's first and last events are, of those that can be read. */
static enum tb_status measure(struct trimming *t, int64_t *first, int64_t *last) {
  struct tb_walk *walk = &t->walk;
  enum tb_status status = tb_walk_start(walk);
  *first = INT64_MAX;
  *last = INT64_MIN;
  while (status == TB_OK && (status = tb_walk_next(walk)) == TB_OK) {
    if (!walk->packet.packet.ptr) continue;
    status = tb_track_events_take(&t->events, walk);
    if (walk->packet.head.kind == TB_TRACE_PACKET_FTRACE_EVENTS) {
      struct tb_ftrace_bundle bundle;
      tb_ftrace_bundle_read(&bundle, walk);
      tb_ftrace_bundle_extend(&bundle, first, last);
      continue;
    }
    if (walk->packet.head.kind == TB_TRACE_PACKET_ETW_EVENTS) {
      tb_etw_extend(walk, first, last);
      continue;
    }
    if (!walk->time.resolved || tb_packet_is_timeless(walk->packet.head.kind) ||
        tb_track_events_lack_state(&t->events, walk))
      continue;
    if (walk->host_time < *first) *first = walk->host_time;
    if (walk->host_time > *last) *last = walk->host_time;
  }
  return status == TB_END ? check_extent(t, *first, *last) : status;
}

static enum tb_status resolve(struct trimming *t, const struct tb_trim_point *point, int64_t first, int64_t *time) {
  struct tb_walk *walk = &t->walk;
  if (point->kind == TB_TRIM_POINT_OPEN) return TB_OK;
  if (point->kind == TB_TRIM_POINT_AFTER) {
    *time = tb_time_add(first, point->ns);
    return TB_OK;
  }
  if (point->clock == TB_CLOCK_UNKNOWN) {
    *time = point->ns;
    return TB_OK;
  }
  struct tb_input_clocks *clocks = &walk->source->prescan.clocks;
  bool is_known = !(point->clock == TB_CLOCK_MONOTONIC && clocks->monotonic_assumed);
  if (is_known &&
      tb_input_clocks_convert(clocks, tb_source_host(walk->source), (uint32_t)point->clock, point->ns, time))
    return TB_OK;
  return tb_fail(&walk->merger.error, TB_REFUSED, TB_NO_OFFSET, "nothing in the trace says what its clock %s read",
                 tb_clock_id_name((uint32_t)point->clock));
}

static enum tb_status set_window(struct trimming *t, int64_t first, int64_t last) {
  const struct tb_trim_options *options = &t->options;
  t->window = (struct tb_window){INT64_MIN, INT64_MAX};
  if (options->last_ns) t->window.start = tb_time_subtract(last, options->last_ns);
  enum tb_status status = resolve(t, &options->start, first, &t->window.start);
  if (status == TB_OK) status = resolve(t, &options->end, first, &t->window.end);
  if (status == TB_OK && t->window.start > t->window.end)
    status = fail(t, TB_INVALID, "the window ends before it starts");
  if (status == TB_OK && t->window.start == t->window.end)
    status =
        fail(t, TB_INVALID, "the window is empty: it ends where it starts, and what is at its end is outside of it");
  t->report.start_ns = t->window.start;
  t->report.end_ns = t->window.end;
  return status;
}

static void free_edges(struct trimming *t) {
  tb_edges_free(&t->edges);
  tb_ftrace_edges_free(&t->ftrace);
  tb_etw_edges_free(&t->etw);
  t->edges = (struct tb_edges){.allocator = NULL};
  t->ftrace = (struct tb_ftrace_edges){.walk = NULL};
  t->etw = (struct tb_etw_edges){.walk = NULL};
}

static enum tb_status take_edges(struct trimming *t, bool settles) {
  tb_ftrace_edges_init(&t->ftrace, &t->walk, &t->events, &t->window);
  t->ftrace.settling.never = !settles;
  tb_etw_edges_init(&t->etw, &t->walk, &t->window);
  return tb_edges_find(&t->edges, &t->walk, &t->events, &t->window, &t->slice_runs, &t->ftrace, &t->etw);
}

static enum tb_status find_edges(struct trimming *t) {
  enum tb_status status = take_edges(t, true);
  if (status != TB_OK || !t->ftrace.settling.is_late) return status;
  free_edges(t);
  return take_edges(t, false);
}

/* The window of a trace that is expected to begin and end there, and its edges; once more where it does not. */
static enum tb_status try_window(struct trimming *t, int64_t first, int64_t last) {
  enum tb_status status = set_window(t, first, last);
  if (status == TB_OK) status = find_edges(t);
  if (status != TB_OK) return status;
  if (t->options.last_ns ? t->edges.last == last : t->edges.first == first) return TB_OK;
  first = t->edges.first;
  last = t->edges.last;
  free_edges(t);
  status = check_extent(t, first, last);
  if (status == TB_OK) status = set_window(t, first, last);
  return status == TB_OK ? find_edges(t) : status;
}

static bool is_relative(const struct tb_trim_point *point) { return point->kind == TB_TRIM_POINT_AFTER; }

static enum tb_status find_window(struct trimming *t) {
  const struct tb_trim_options *options = &t->options;
  int64_t first = 0, last = 0;
  enum tb_status status = TB_OK;
  if (options->last_ns || is_relative(&options->start) || is_relative(&options->end)) {
    bool all = options->start.kind != TB_TRIM_POINT_CLOCK && options->end.kind != TB_TRIM_POINT_CLOCK;
    if (all && expect_extent(t, &first, &last)) return try_window(t, first, last);
    status = measure(t, &first, &last);
  }
  if (status == TB_OK) status = set_window(t, first, last);
  return status == TB_OK ? find_edges(t) : status;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* An event that is a slice by itself: as much of it as is in the window. */
static void shorten(const struct trimming *t, int64_t time, int64_t duration, struct tb_cut_order *order) {
  int64_t from = time < t->window.start ? t->window.start : time, to = tb_time_add(time, duration);
  if (to <= t->window.end && from == time) return;
  if (to > t->window.end) to = t->window.end;
  order->sets_duration = true;
  order->duration_ns = tb_time_subtract(to, from);
}

/* The values of further counters that come at the start; `all`: those of the packet are of the start itself. */
static void state_values(struct trimming *t, bool all, struct tb_cut_order *order) {
  const struct tb_event_extras *extras = tb_track_events_extras(&t->events, &t->walk);
  order->stated = t->stated;
  order->stated_count = all ? extras->count : tb_edges_stated(&t->edges, t->walk.number, extras, t->stated);
  if (all) memcpy(t->stated, extras->uuids, extras->count * sizeof(extras->uuids[0]));
  order->host_time = t->window.start;
}

/* Events whose time nobody knows stay. */
static uint8_t decide_ftrace(void *ctx, const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_row *row) {
  struct trimming *t = ctx;
  int64_t time;
  if (!tb_ftrace_bundle_time(bundle, row->raw_time, &time)) return TB_FTRACE_KEEP;
  bool shown = row->kind != TB_FTRACE_ROW_EVENT || time >= tb_ftrace_edges_whole_from(&t->ftrace, bundle->machine);
  t->report.inside += tb_window_has(&t->window, time);
  bool stays = shown && tb_window_has(&t->window, time) &&
               !(row->kind == TB_FTRACE_ROW_EVENT && tb_ftrace_edges_replaces(&t->ftrace, bundle, row->event, time));
  return stays ? TB_FTRACE_KEEP : TB_FTRACE_DROP;
}

/* What of a bundle stays that is before, behind or in the window as a whole, where nothing comes in the place of its
 * events; false: it has to be seen of each. */
static bool decide_whole(struct trimming *t, const struct tb_ftrace_bundle *bundle, enum tb_ftrace_part *part) {
  struct tb_ftrace_extent extent;
  if (!tb_ftrace_bundle_extent(bundle, &extent)) return false;
  bool outside = extent.last < t->window.start || extent.first >= t->window.end;
  bool inside = extent.first > t->window.start && extent.last < t->window.end && !t->ftrace.has_work &&
                extent.first >= tb_ftrace_edges_whole_from(&t->ftrace, bundle->machine);
  *part = outside && extent.count ? TB_FTRACE_NONE : TB_FTRACE_ALL;
  if (inside) t->report.inside += extent.count;
  return !extent.count || outside || inside;
}

/* The events of a bundle have times of their own. What comes at the start goes in front of the first bundle, where what
 * readers need of clocks is said. */
static enum tb_status decide_bundle(struct trimming *t, struct tb_cut_order *order) {
  struct tb_ftrace_bundle bundle;
  enum tb_status status = TB_OK;
  if (!t->ftrace_written)
    status = tb_walk_write(&t->walk, (struct tb_str){t->ftrace.packets.data, t->ftrace.packets.len});
  t->ftrace_written = true;
  tb_ftrace_bundle_read(&bundle, &t->walk);
  enum tb_ftrace_part part = TB_FTRACE_ALL;
  bool whole = decide_whole(t, &bundle, &part);
  if (status == TB_OK && !whole) status = tb_ftrace_decide(&bundle, decide_ftrace, t, &t->fates, &part);
  /* the first bundles of the window may be others, which say it of what is missing there alone */
  int64_t from;
  if (bundle.whole_from && tb_ftrace_bundle_time(&bundle, bundle.whole_from, &from) &&
      from > tb_ftrace_edges_whole_from(&t->ftrace, bundle.machine)) {
    bundle.whole_from = 0;
    if (part == TB_FTRACE_ALL) part = TB_FTRACE_SOME;
  }
  if (part == TB_FTRACE_NONE) order->fate = TB_CUT_DROP;
  if (status != TB_OK || part != TB_FTRACE_SOME) return status;
  t->part.len = 0;
  status = tb_ftrace_append_part(&bundle, t->walk.packet.packet, whole ? NULL : &t->fates, &t->part);
  order->replaced = (struct tb_str){t->part.data, t->part.len};
  return status;
}

/* The same of events of Windows. */
static enum tb_status decide_etw(struct trimming *t, struct tb_cut_order *order) {
  enum tb_status status = TB_OK;
  struct tb_etw_part part;
  if (!t->etw_written) status = tb_walk_write(&t->walk, (struct tb_str){t->etw.first.data, t->etw.first.len});
  t->etw_written = true;
  t->part.len = 0;
  if (status == TB_OK) status = tb_etw_edges_append_part(&t->etw, &t->part, &part);
  if (status != TB_OK) return status;
  t->report.inside += part.inside;
  if (part.left && !part.kept) order->fate = TB_CUT_DROP;
  if (part.left && part.kept) order->replaced = (struct tb_str){t->part.data, t->part.len};
  return TB_OK;
}

static bool is_last_value(void *ctx, const struct tb_packet_value *value) {
  const struct trimming *t = ctx;
  return tb_edges_is_last(&t->edges, &t->walk, value);
}

static bool is_next_value(void *ctx, const struct tb_packet_value *value) {
  const struct trimming *t = ctx;
  return tb_edges_is_next(&t->edges, &t->walk, value);
}

static bool is_in_window(void *ctx, const struct tb_packet_value *value) {
  struct trimming *t = ctx;
  bool inside = tb_window_has(&t->window, value->time);
  t->report.inside += inside;
  return inside;
}

/* A packet of many values: those that are in the window, those that hold at its start, and at its end those that say
 * what the ones before them are. */
static enum tb_status decide_values(struct trimming *t, struct tb_cut_order *order) {
  struct tb_walk *walk = &t->walk;
  const struct tb_window *window = &t->window;
  int64_t time = walk->host_time < window->start ? window->start : walk->host_time;
  bool all;
  if (time >= window->end) time = window->end - 1;
  t->part.len = 0;
  enum tb_status status = tb_packet_values_append(walk, is_last_value, t, window->start, false, &t->part, &all);
  if (status == TB_OK) status = tb_packet_values_append(walk, is_in_window, t, time, true, &t->part, &all);
  if (status != TB_OK || (all && time == walk->host_time)) return status;
  if (tb_packet_values_end_at(walk->packet.head.kind))
    status = tb_packet_values_append(walk, is_next_value, t, window->end, false, &t->part, &all);
  if (status != TB_OK) return status;
  order->fate = TB_CUT_DROP;
  order->keep = tb_packet_describing_field(walk->packet.head.kind);
  return t->part.len ? tb_walk_write(walk, (struct tb_str){t->part.data, t->part.len}) : TB_OK;
}

/* A packet of wakelocks up to the start: the last one of a sequence says what all did. */
static enum tb_status decide_wakelocks(struct trimming *t, struct tb_cut_order *order) {
  t->part.len = 0;
  enum tb_status status = tb_wakelocks_append(&t->edges.wakelocks, &t->walk, t->window.start, &t->part);
  order->fate = t->part.len ? TB_CUT_MOVE : TB_CUT_DROP;
  order->host_time = t->window.start;
  if (t->part.len) order->replaced = (struct tb_str){t->part.data, t->part.len};
  return status;
}

/* Whether packets of its sequence behind it are read otherwise than those before it. */
static bool says_state(const struct tb_packet_header *head) {
  return head->cleared || head->dropped || head->first || head->has_defaults;
}

static bool says_written(const struct tb_walk *walk) {
  return walk->packet.head.kind == TB_TRACE_PACKET_SERVICE_EVENT &&
         tb_service_event_says_written(walk->packet.head.payload);
}

static bool is_inside(const struct trimming *t) {
  return t->walk.time.resolved && tb_window_has(&t->window, t->walk.host_time);
}

/* What begins before the window is written late where the file does not have it in order, and with it what is at the
 * start itself. */
static bool has_late(const struct trimming *t) { return t->writes_late && t->edges.begins_disordered; }

static bool is_at_start(const struct trimming *t) {
  return t->walk.time.resolved && t->walk.host_time == t->window.start;
}

/* Of an event at the start itself: nothing counts from it, nor is anything else written with it. */
static bool may_be_late(const struct trimming *t, const struct tb_edge_packet *at_edge,
                        const struct tb_cut_order *order) {
  const struct tb_packet_header *head = &t->walk.packet.head;
  const struct tb_event_view *view = &order->view;
  return head->kind == TB_TRACE_PACKET_TRACK_EVENT && head->has_timestamp && !says_state(head) && !view->has_extras &&
         view->phase != 'P' && view->role != TB_ROLE_VALUE && view->role != TB_ROLE_ABOUT &&
         !(at_edge && (at_edge->stated || at_edge->outlived));
}

static void decide(struct trimming *t, const struct tb_edge_packet *at_edge, struct tb_cut_order *order) {
  const struct tb_walk *walk = &t->walk;
  const struct tb_packet_header *head = &walk->packet.head;
  if (says_written(walk) && !is_inside(t)) {
    /* not so any more: what is at the edges comes from there, and names keep their times */
    order->fate = TB_CUT_DROP;
    return;
  }
  if (tb_packet_is_timeless(head->kind) || order->view.role == TB_ROLE_ABOUT || !(head->has_timestamp || walk->counted))
    return;
  if (!walk->time.resolved) {
    t->report.untimed++;
    return;
  }
  if (at_edge) order->outlived = at_edge->outlived;
  order->bounds_flows = head->json_flow_count != 0;
  order->flows_from = t->window.start;
  order->flows_until = t->window.end - 1;
  bool inside = tb_window_has(&t->window, walk->host_time);
  t->report.inside += inside;
  if (inside && walk->host_time > t->window.start) at_edge = NULL;
  enum tb_edge edge = at_edge ? at_edge->edge : TB_EDGE_NONE;
  if (edge == TB_EDGE_GONE || (!inside && at_edge && at_edge->stated)) state_values(t, edge == TB_EDGE_GONE, order);
  if (edge == TB_EDGE_GONE || (!inside && edge == TB_EDGE_NONE)) {
    order->fate = TB_CUT_DROP;
    order->keep = tb_packet_describing_field(head->kind);
    return;
  }
  if (!inside) {
    order->fate = TB_CUT_MOVE;
    order->host_time = edge == TB_EDGE_START ? t->window.start : t->window.end;
    bool begins = order->view.role == TB_ROLE_BEGIN || order->view.role == TB_ROLE_COMPLETE;
    order->late = edge == TB_EDGE_START && begins && has_late(t) && !says_state(head);
  }
  if (inside && is_at_start(t) && has_late(t) && may_be_late(t, at_edge, order)) {
    order->fate = TB_CUT_MOVE;
    order->host_time = t->window.start;
    order->late = true;
  }
  if (order->view.role == TB_ROLE_COMPLETE) shorten(t, walk->host_time, order->view.duration_ns, order);
  int64_t duration;
  if (tb_edges_is_slice(walk, &duration)) shorten(t, walk->host_time, duration, order);
}

/* An event of a profile: it is needed outside of the window, too. */
static enum tb_status decide_profile(struct trimming *t, const struct tb_edge_packet *at_edge,
                                     struct tb_cut_order *order) {
  const struct tb_walk *walk = &t->walk;
  const uint64_t pid = t->events.sequences[walk->sequence_number].pid;
  const bool before = walk->host_time < t->window.start;
  struct tb_cpu_profile_part part;
  enum tb_status status = tb_cpu_profiles_take(&t->profiles, walk, pid, &t->window, &part);
  if (status != TB_OK) return status;
  bool stays = before ? part.starts || part.nodes || part.samples : part.samples;
  if (part.is_profile && stays && !tb_window_has(&t->window, walk->host_time)) {
    order->fate = TB_CUT_MOVE;
    order->host_time = before ? t->window.start : t->window.end - 1;
    if (at_edge && at_edge->stated) state_values(t, false, order);
  } else {
    decide(t, at_edge, order);
  }
  order->annotation = part.of;
  order->in_place = part.in_place;
  return TB_OK;
}

/* Most packets are events that stay as they are or are left out; false: it is another one. */
static bool take_event(struct trimming *t, struct tb_cut *cut, enum tb_status *status) {
  const struct tb_walk *walk = &t->walk;
  if (!tb_walk_at_plain_event(walk) || !walk->time.resolved) return false;
  bool inside = tb_window_has(&t->window, walk->host_time);
  if (t->edges.has_profiles || (inside ? tb_cut_has_pending(cut) : t->edges.has_about)) return false;
  if (has_late(t) && walk->host_time == t->window.start) return false;
  t->report.inside += inside;
  *status = inside ? tb_cut_pass(cut) : tb_cut_leave_out(cut, walk->number < t->edges.last_to_stay);
  return true;
}

/* Takes a run of such events that come next; false: none does. */
static bool take_run(struct trimming *t, struct tb_cut *cut, enum tb_status *status) {
  struct tb_walk *walk = &t->walk;
  const struct tb_event_run *run = tb_edges_run_at(&t->edges, walk->next);
  if (!run || (run->marked && has_late(t)) || !tb_walk_enter_events(walk, &run->events)) return false;
  if (run->stays && tb_cut_has_pending(cut)) return false;
  if (run->stays) t->report.inside += run->events.count;
  *status = run->stays ? tb_cut_pass_run(cut, run)
                       : tb_cut_leave_run_out(cut, run, run->events.first < t->edges.last_to_stay);
  return true;
}

/* What ends earlier events to readers comes behind what is late, and so does an event of the start that is not. */
static bool ends_lateness(const struct trimming *t, const struct tb_edge_packet *at_edge,
                          const struct tb_cut_order *order) {
  const struct tb_walk *walk = &t->walk;
  if (says_written(walk)) return is_inside(t);
  return walk->packet.head.kind == TB_TRACE_PACKET_TRACK_EVENT && is_at_start(t) && !may_be_late(t, at_edge, order);
}

static enum tb_status take_packet(struct trimming *t, struct tb_cut *cut) {
  struct tb_walk *walk = &t->walk;
  const struct tb_edge_packet *at_edge = tb_edges_of(&t->edges, walk->number);
  enum tb_status status = TB_OK;
  if (!at_edge && take_event(t, cut, &status)) return status;
  struct tb_cut_order order = {.fate = TB_CUT_KEEP};
  if (walk->packet.packet.ptr) {
    status = tb_track_events_take(&t->events, walk);
    if (status == TB_OK && walk->packet.head.kind == TB_TRACE_PACKET_TRACK_EVENT &&
        (at_edge || t->edges.has_about || t->edges.has_profiles || t->events.incremental.count ||
         (has_late(t) && is_at_start(t))))
      status = tb_track_events_read(&t->events, walk, &order.view);
    if (status == TB_OK && cut->late_count && ends_lateness(t, at_edge, &order)) status = tb_cut_write_late(cut);
    if (status == TB_OK && walk->packet.head.kind == TB_TRACE_PACKET_FTRACE_EVENTS)
      status = decide_bundle(t, &order);
    else if (status == TB_OK && walk->packet.head.kind == TB_TRACE_PACKET_ETW_EVENTS)
      status = decide_etw(t, &order);
    else if (status == TB_OK && order.view.phase == 'P' && walk->time.resolved)
      status = decide_profile(t, at_edge, &order);
    else if (status == TB_OK && walk->time.resolved && walk->packet.head.has_timestamp &&
             tb_packet_holds_values(walk->packet.head.kind))
      status = decide_values(t, &order);
    else if (status == TB_OK && walk->time.resolved && walk->packet.head.has_timestamp &&
             walk->packet.head.kind == TB_TRACE_PACKET_KERNEL_WAKELOCK_DATA && walk->host_time <= t->window.start)
      status = decide_wakelocks(t, &order);
    else
      decide(t, at_edge, &order);
    if (status != TB_OK) return fail(t, status, tb_status_text(status));
  }
  return tb_cut_packet(cut, &order);
}

static enum tb_status write_window(void *ctx) {
  struct trimming *t = ctx;
  struct tb_cut cut;
  tb_track_events_rewind(&t->events);
  tb_buffer_init(&t->part, t->walk.merger.allocator, 0);
  tb_buffer_init(&t->fates, t->walk.merger.allocator, 0);
  t->ftrace_written = t->etw_written = false;
  tb_edges_rewind(&t->edges);
  tb_cpu_profiles_init(&t->profiles, t->walk.merger.allocator);
  tb_cut_init(&cut, &t->walk, &t->events);
  enum tb_status status = tb_walk_start(&t->walk);
  while (status == TB_OK) {
    if (take_run(t, &cut, &status)) continue;
    status = tb_walk_next(&t->walk);
    if (status == TB_OK) status = take_packet(t, &cut);
  }
  if (status == TB_END) {
    status = tb_cut_write_late(&cut);
    if (status == TB_OK) status = tb_walk_write(&t->walk, (struct tb_str){t->ftrace.last.data, t->ftrace.last.len});
    if (status == TB_OK) status = tb_walk_write(&t->walk, (struct tb_str){t->etw.last.data, t->etw.last.len});
    if (status == TB_OK) status = TB_END;
  }
  t->report.packets_in = t->walk.next;
  t->report.packets_out = cut.kept + cut.moved;
  tb_cut_free(&cut);
  tb_cpu_profiles_free(&t->profiles);
  tb_buffer_free(&t->part);
  tb_buffer_free(&t->fates);
  return status == TB_END ? TB_OK : status;
}

/* ---- at other times ---------------------------------------------------------------------------------------------- */

/* Writes the window to a temporary file, and the merge of that alone, by an offset, to the output. */
static enum tb_status write_shifted(struct trimming *t, const char *out, const struct tb_merge_options *options) {
  enum { NAME_ROOM = 32 };
  struct tb_merger *m = &t->walk.merger;
  char name[NAME_ROOM];
  int fd = tb_temp_file_create_nameless(t->options.temporary_directory, &m->error);
  if (fd < 0) return TB_IO;
  (void)snprintf(name, sizeof(name), "/dev/fd/%d", fd);
  m->options.output_format = TB_FORMAT_UNKNOWN; /* of the temporary file; *options has that of the output */
  enum tb_status status = tb_merger_write_out(m, name, write_window, t);
  if (status == TB_OK && lseek(fd, 0, SEEK_SET) < 0) status = TB_IO;
  if (status == TB_OK) {
    struct tb_merge_input input = {.path = name, .has_offset = true, .offset_ns = t->options.shift_ns};
    status = tb_merge(&input, 1, out, options, &t->report.shifted, &m->error);
  }
  int64_t moved = t->report.shifted ? tb_merge_report_summary(t->report.shifted)->shift_ns : 0;
  t->report.shift_ns = tb_time_add(t->options.shift_ns, moved);
  (void)close(fd);
  return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static enum tb_status check(const char *in, const char *out, const struct tb_trim_options *options,
                            struct tb_error *error) {
  if (options->last_ns < 0 || (options->last_ns && (options->start.kind || options->end.kind)))
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the last part of a trace has no other edges");
  return tb_cut_check_files(in, out, error);
}

static enum tb_status run(struct trimming *t, const char *out, const struct tb_merge_options *options,
                          struct tb_error *error) {
  struct tb_merger *m = &t->walk.merger;
  tb_track_events_init(&t->events, m->allocator);
  t->writes_late = !tb_merger_converts_to(m, out);
  enum tb_status status = find_window(t);
  t->report.slices_at_start = t->edges.slices_at_start + t->ftrace.slices_at_start + t->etw.slices_at_start;
  t->report.slices_at_end = t->edges.slices_at_end + t->ftrace.slices_at_end + t->etw.slices_at_end;
  t->report.values_at_start = t->edges.values_at_start + t->ftrace.values_at_start + t->etw.values_at_start;
  if (status == TB_OK)
    status = t->options.shift_ns ? write_shifted(t, out, options) : tb_merger_write_out(m, out, write_window, t);
  status = tb_cut_settle(m, status, error);
  free_edges(t);
  tb_track_events_free(&t->events);
  return status;
}

void tb_trim_report_free(struct tb_trim_report *report) {
  if (TB_REPORT_HAS(report, struct tb_trim_report, merge)) {
    tb_merge_report_free(report->merge);
    report->merge = NULL;
  }
  if (TB_REPORT_HAS(report, struct tb_trim_report, shifted)) {
    tb_merge_report_free(report->shifted);
    report->shifted = NULL;
  }
}

/* What the caller has no room for is freed. */
static void give_report(struct tb_trim_report *report, const struct tb_trim_report *made) {
  tb_report_give(report, made, sizeof(*made));
  if (!TB_REPORT_HAS(report, struct tb_trim_report, merge)) tb_merge_report_free(made->merge);
  if (!TB_REPORT_HAS(report, struct tb_trim_report, shifted)) tb_merge_report_free(made->shifted);
}

enum tb_status tb_trim(const char *in, const char *out, const struct tb_trim_options *options,
                       struct tb_trim_report *report, struct tb_error *error) {
  struct trimming t = {.options = {.size = sizeof(t.options)}};
  enum tb_status status = tb_report_begin(report, sizeof(*report), error);
  if (status == TB_OK) status = tb_options_take(&t.options, sizeof(t.options), options, error);
  if (status == TB_OK) status = check(in, out, &t.options, error);
  if (status != TB_OK) return status;
  struct tb_merge_options merge = TB_CUT_MERGE_OPTIONS(&t.options, threads);
  const struct tb_prescan_listener listener = tb_slice_runs_listen(&t.slice_runs);
  status = tb_walk_open_listening(&t.walk, in, &merge, &listener, error);
  if (status == TB_OK) {
    status = run(&t, out, &merge, error);
    tb_walk_close(&t.walk);
  }
  tb_slice_runs_free(&t.slice_runs);
  t.report.merge = t.walk.merger.report;
  give_report(report, &t.report);
  return status;
}
