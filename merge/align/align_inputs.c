/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the events that inputs have in common, and what follows for their clocks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mix64.h"
#include "convert/registry.h"
#include "io/path.h"
#include "merge/align/align.h"
#include "merge/clocks/input_relations.h"
#include "merge/merger.h"
#include "model/reader_ops.h"
#include "tracebridge/event.h"
#include "tracebridge/reader.h"

enum { DEPTH_MAX = 512 };

/* What is looked for in the events of one input. */
struct search {
  struct tb_merger *m;
  struct tb_source *source;
  struct tb_str name; /* empty: none */
  bool end, messages;
  struct tb_map depth; /* for ends: track << 16 | depth of the slices that are open to whether they have the name */
  struct tb_map open;  /* track to how many slices are open */
};

static enum tb_status mark(struct search *s, enum tb_mark_kind kind, uint64_t id, int64_t time) {
  struct tb_mark mark = {.kind = (uint8_t)kind, .id = id, .time = time, .source = s->source->index};
  return tb_marks_add(&s->m->marks, &mark);
}

/* Ends of slices have no name: what began last on the track ends. */
static enum tb_status look_at_end(struct search *s, const struct tb_event *event, bool named) {
  uint64_t track = event->track->index;
  const uint64_t *known = tb_map_find(&s->open, track, 0);
  uint64_t depth = known ? *known : 0;
  if (event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_ASYNC_BEGIN) {
    enum tb_status status = depth < DEPTH_MAX ? tb_map_put(&s->depth, track << 16 | depth, 0, named) : TB_OK;
    return status == TB_OK ? tb_map_put(&s->open, track, 0, depth + 1) : status;
  }
  if (depth == 0) return TB_OK;
  const uint64_t *was = tb_map_find(&s->depth, track << 16 | (depth - 1), 0);
  enum tb_status status = tb_map_put(&s->open, track, 0, depth - 1);
  return status == TB_OK && was && *was && depth <= DEPTH_MAX ? mark(s, TB_MARK_NAME, 0, event->ts) : status;
}

static enum tb_status look_at_name(struct search *s, const struct tb_event *event) {
  bool named = tb_str_equal(event->name, s->name);
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
    case TB_EVENT_ASYNC_BEGIN:
      if (s->end) return look_at_end(s, event, named);
      return named ? mark(s, TB_MARK_NAME, 0, event->ts) : TB_OK;
    case TB_EVENT_SLICE_END:
    case TB_EVENT_ASYNC_END:
      return s->end ? look_at_end(s, event, named) : TB_OK;
    case TB_EVENT_SLICE_COMPLETE:
      return named ? mark(s, TB_MARK_NAME, 0, s->end ? tb_time_add(event->ts, event->dur) : event->ts) : TB_OK;
    case TB_EVENT_INSTANT:
    case TB_EVENT_ASYNC_INSTANT:
      return named ? mark(s, TB_MARK_NAME, 0, event->ts) : TB_OK;
    default:
      return TB_OK;
  }
}

static enum tb_status look_at_flows(struct search *s, const struct tb_event *event) {
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; i < event->flow_count && status == TB_OK; i++)
    status = mark(s, TB_MARK_SENT, event->flow_ids[i], event->ts);
  for (uint32_t i = 0; i < event->terminating_flow_count && status == TB_OK; i++)
    status = mark(s, TB_MARK_RECEIVED, event->terminating_flow_ids[i], event->ts);
  return status;
}

static uint64_t hash_text(struct tb_str text) {
  uint64_t h = text.len;
  for (size_t i = 0; i < text.len; i++) h = tb_mix64(h ^ (unsigned char)text.ptr[i]);
  return h;
}

/* A number of microseconds as ns; false where the argument is none. */
static bool read_us(const struct tb_arg *arg, int64_t *ns) {
  if (arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT)
    *ns = tb_time_clamp((tb_wide)arg->i * 1000);
  else if (arg->type == TB_ARG_DOUBLE)
    *ns = tb_time_round(arg->d * 1000);
  else
    return false;
  return true;
}

static enum tb_status look_at_sync(struct search *s, const struct tb_event *event) {
  struct tb_mark found = {.kind = TB_MARK_SYNC_RECEIVER, .time = event->ts, .source = s->source->index};
  bool has_id = false;
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    const struct tb_arg *arg = &event->args[i];
    if (tb_str_equal(arg->name, TB_STR("sync_id")) && arg->type == TB_ARG_STRING) {
      has_id = true;
      found.id = hash_text(arg->text);
    } else if (tb_str_equal(arg->name, TB_STR("issue_ts")) && read_us(arg, &found.issued)) {
      found.kind = TB_MARK_SYNC_ISSUER;
    }
  }
  return has_id ? tb_marks_add(&s->m->marks, &found) : TB_OK;
}

static enum tb_status look_at(struct search *s, const struct tb_event *event) {
  enum tb_status status = TB_OK;
  if (event->type == TB_EVENT_CLOCK_SYNC) return look_at_sync(s, event);
  if (s->name.len) status = look_at_name(s, event);
  return status == TB_OK && s->messages ? look_at_flows(s, event) : status;
}

static enum tb_status read_events(struct search *s) {
  struct tb_reader *reader;
  struct tb_reader_options options = {.size = sizeof(options),
                                      .format = TB_FORMAT_PERFETTO,
                                      .allocator = s->m->options.allocator,
                                      .shape = TB_SHAPE_SOURCE};
  enum tb_status status = tb_reader_open_place(&s->source->place, &options, NULL, &reader, &s->m->error);
  if (status != TB_OK) return status;
  const struct tb_event *event;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) {
    status = look_at(s, event);
    if (status != TB_OK) break;
  }
  if (status != TB_OK && status != TB_END && s->m->error.code == TB_OK && tb_reader_error(reader)->code != TB_OK)
    s->m->error = *tb_reader_error(reader);
  tb_reader_close(reader);
  return status == TB_END || status == TB_TRUNCATED ? TB_OK : status;
}

/* NAME[:begin|end] */
static void read_name(const char *text, struct search *s) {
  if (!text) return;
  s->name = tb_str_from(text);
  static const struct {
    const char *suffix;
    bool end;
  } ends[] = {{":begin", false}, {":end", true}};
  for (size_t i = 0; i < 2; i++) {
    size_t len = strlen(ends[i].suffix);
    if (s->name.len <= len || memcmp(text + s->name.len - len, ends[i].suffix, len) != 0) continue;
    s->name.len -= len;
    s->end = ends[i].end;
    return;
  }
}

static bool may_have_syncs(const struct tb_source *s) {
  return s->converted && tb_registry_reader(s->format)->source.clock_syncs;
}

static enum tb_status run_search(struct search *s) {
  tb_map_init(&s->depth, s->m->allocator);
  tb_map_init(&s->open, s->m->allocator);
  enum tb_status status = read_events(s);
  tb_map_free(&s->depth);
  tb_map_free(&s->open);
  if (status != TB_OK) tb_error_set_file(&s->m->error, s->source->name);
  return status;
}

static enum tb_status read_source(struct tb_merger *m, struct tb_source *source) {
  struct search s = {.m = m, .source = source, .messages = m->options.align_messages};
  read_name(m->options.align_on, &s);
  return s.name.len || s.messages || may_have_syncs(source) ? run_search(&s) : TB_OK;
}

/* The names of the inputs that have an event of the name, or of those that have none: as many as there is room for.
 * `last_part`: of their names that alone. False where some are left out. */
static bool list_inputs(const struct tb_merger *m, bool with, bool last_part, char *text, size_t size) {
  static const char room_for_rest[] = ", and 1000000 more";
  size_t len = 0, left_out = 0;
  *text = 0;
  for (uint32_t i = 0; i < m->source_count; i++) {
    if (m->sources[i].skipped || (tb_marks_named(&m->marks, i) > 0) != with) continue;
    const char *name = last_part ? tb_path_last_part(m->sources[i].name) : m->sources[i].name;
    size_t room = size - sizeof(room_for_rest);
    if (len + strlen(name) > room && (len || !last_part))
      left_out++;
    else
      len += (size_t)snprintf(text + len, size - len, "%s%.*s", len ? ", " : "", (int)room, name);
  }
  if (left_out)
    (void)snprintf(text + len, size - len, "%s%zu%s", len ? " and " : "", left_out, len ? " more" : " inputs");
  return left_out == 0;
}

/* A name that fewer than two inputs have places nothing: what the user meant is not there. */
static enum tb_status check_name(struct tb_merger *m) {
  char having[100], lacking[160]; /* with 100 of the event's name an error holds them */
  size_t inputs = 0, named = 0;
  for (uint32_t i = 0; i < m->source_count; i++) {
    inputs += !m->sources[i].skipped;
    named += !m->sources[i].skipped && tb_marks_named(&m->marks, i);
  }
  if (named > 1 || inputs < 2) return TB_OK;
  if (!list_inputs(m, true, false, having, sizeof(having))) (void)list_inputs(m, true, true, having, sizeof(having));
  if (!list_inputs(m, false, false, lacking, sizeof(lacking)))
    (void)list_inputs(m, false, true, lacking, sizeof(lacking));
  if (!named)
    return tb_fail(&m->error, TB_REFUSED, TB_NO_OFFSET, "tb_merge_options.align_on: no event '%.100s' in %s",
                   m->options.align_on, lacking);
  return tb_fail(&m->error, TB_REFUSED, TB_NO_OFFSET,
                 "tb_merge_options.align_on: only %s has an event '%.100s', not %s", having, m->options.align_on,
                 lacking);
}

/* ---- what wall clocks say beforehand ----------------------------------------------------------------------------- */

enum { WALL_UNCERTAINTY_NS = 20000000 }; /* of wall clocks that NTP keeps */

/* Adds the way from an input's trace clock to its wall clock, or back, by all of its snapshots, and how far off that
 * may be. The prior is not known where no snapshot has both. */
static enum tb_status add_wall(const struct tb_merger *m, const struct tb_source *s, bool to_trace_clock,
                               struct tb_offset_prior *prior, struct tb_time_map *map) {
  uint32_t primary = s->prescan.clocks.primary;
  struct tb_time_anchor *readings;
  struct tb_reading_fit fit;
  size_t count;
  if (primary == TB_CLOCK_REALTIME) return TB_OK;
  enum tb_status status = tb_source_readings(s, m->allocator, primary, TB_CLOCK_REALTIME, &readings, &count);
  prior->known &= count > 0;
  if (status != TB_OK || !count) return status;
  status = tb_reading_fit_make(&fit, m->allocator, readings, count, TB_READING_DRIFTS, NULL);
  if (status == TB_OK) {
    int64_t offset = fit.segments[fit.main].offset;
    status = tb_time_map_add_line(map, fit.x0, offset, fit.drift, to_trace_clock);
    prior->uncertainty_ns = tb_time_add(prior->uncertainty_ns, tb_time_bound_at(&fit.bound, fit.error.readings.middle));
  }
  tb_reading_fit_free(&fit);
  tb_free(m->allocator, readings, count * sizeof(*readings));
  return status;
}

/* What two wall clocks that show the same time say of the trace clocks. */
static enum tb_status read_prior(const struct tb_merger *m, uint32_t source, uint32_t other,
                                 struct tb_offset_prior *prior) {
  static const int64_t while_ns = INT64_C(1000000000000);
  int64_t x0 = m->sources[source].prescan.first;
  struct tb_time_map map;
  tb_time_map_init(&map, m->allocator);
  *prior = (struct tb_offset_prior){.known = true, .x0 = x0, .uncertainty_ns = WALL_UNCERTAINTY_NS};
  enum tb_status status = add_wall(m, &m->sources[source], false, prior, &map);
  if (status == TB_OK) status = add_wall(m, &m->sources[other], true, prior, &map);
  int64_t y0 = tb_time_map_apply(&map, x0), later = tb_time_map_apply(&map, tb_time_add(x0, while_ns));
  prior->offset = tb_time_subtract(y0, x0);
  prior->drift = (double)tb_time_subtract(tb_time_subtract(later, y0), while_ns) / (double)while_ns;
  tb_time_map_free(&map);
  return status;
}

/* ---- pairs of inputs --------------------------------------------------------------------------------------------- */

enum tb_status tb_merger_keep_alignment(struct tb_merger *m, struct tb_alignment *alignment) {
  void *items = m->alignments;
  enum tb_status status = tb_grow_array(m->allocator, &items, &m->alignment_capacity, m->alignment_count + 1,
                                        sizeof(*alignment), (size_t)1 << 24);
  m->alignments = items;
  if (status == TB_OK)
    m->alignments[m->alignment_count++] = *alignment;
  else
    tb_alignment_free(alignment, m->allocator);
  return status;
}

/* Keeps what was found of a pair, where anything was. */
static enum tb_status keep_found(struct tb_merger *m, enum tb_status status, bool found,
                                 struct tb_alignment *alignment) {
  if (status == TB_OK && found) return tb_merger_keep_alignment(m, alignment);
  tb_alignment_free(alignment, m->allocator);
  return status;
}

static enum tb_status align_names(struct tb_merger *m, uint32_t source, uint32_t other, bool *found) {
  struct tb_alignment alignment = {0};
  struct tb_align_options options = {.max_drift = m->options.max_drift_ppm * 1e-6};
  *found = false;
  enum tb_status status = read_prior(m, source, other, &options.prior);
  if (status == TB_OK) status = tb_align_names(&m->marks, source, other, &options, &alignment, found);
  return keep_found(m, status, *found, &alignment);
}

/* Aligns each input that has the event with the first that it shares moments with, and so with all that this one is
 * aligned with; where others have none in common with those, with them, too: a chain comes together in any order.
 * `trees` says of each input which ones it is aligned with. */
static enum tb_status align_by_name(struct tb_merger *m, uint32_t *trees) {
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; i < m->source_count && status == TB_OK; i++) {
    trees[i] = i;
    for (uint32_t k = 0; k < i && status == TB_OK; k++) {
      bool found, both = tb_marks_named(&m->marks, i) && tb_marks_named(&m->marks, k);
      if (!both || trees[k] == trees[i]) continue;
      status = align_names(m, i, k, &found);
      for (uint32_t j = 0, from = trees[i], to = trees[k]; j <= i && status == TB_OK && found; j++)
        if (trees[j] == from) trees[j] = to;
    }
  }
  return status;
}

static enum tb_status align_all_by_name(struct tb_merger *m) {
  uint32_t *trees = tb_alloc(m->allocator, m->source_count * sizeof(*trees));
  enum tb_status status = trees ? align_by_name(m, trees) : TB_NO_MEMORY;
  tb_free(m->allocator, trees, m->source_count * sizeof(*trees));
  return status;
}

/* Aligns each input with those before it by clock_sync events. */
static enum tb_status align_syncs(struct tb_merger *m) {
  const struct tb_align_options options = {.max_drift = m->options.max_drift_ppm * 1e-6};
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; i < m->source_count; i++) {
    for (uint32_t k = 0; k < i && status == TB_OK; k++) {
      struct tb_alignment alignment = {0};
      bool found = false;
      if (m->sources[i].skipped || m->sources[k].skipped) continue;
      status = tb_align_syncs(&m->marks, i, k, &options, &alignment, &found);
      if (!found && alignment.backwards) tb_merger_note_syncs(m, &alignment);
      status = keep_found(m, status, found, &alignment);
    }
  }
  return status;
}

enum tb_status tb_merger_align(struct tb_merger *m) {
  if (m->source_count < 2) return TB_OK;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++)
    if (!m->sources[i].skipped) status = read_source(m, &m->sources[i]);
  tb_marks_sort(&m->marks);
  if (status == TB_OK && m->options.align_on) status = check_name(m);
  if (status == TB_OK && m->options.align_on) status = align_all_by_name(m);
  if (status == TB_OK && m->options.align_messages) status = tb_merger_align_messages(m);
  if (status == TB_OK && m->marks.count) status = align_syncs(m);
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

enum tb_status tb_merger_read_flows(struct tb_merger *m) {
  enum tb_status status = TB_OK;
  tb_marks_free(&m->marks);
  for (size_t i = 0; i < m->source_count && status == TB_OK; i++) {
    struct search s = {.m = m, .source = &m->sources[i], .messages = true};
    if (!s.source->skipped) status = run_search(&s);
  }
  tb_marks_sort(&m->marks);
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}
