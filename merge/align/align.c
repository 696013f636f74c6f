/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/align/align.h"

#include <math.h>
#include <stdlib.h>

#include "base/search.h"

enum { MARKS_MAX = 1 << 28 };

void tb_marks_init(struct tb_marks *marks, const struct tb_allocator *allocator) {
  *marks = (struct tb_marks){.allocator = allocator};
}

void tb_marks_free(struct tb_marks *marks) {
  tb_free(marks->allocator, marks->items, marks->capacity * sizeof(*marks->items));
  *marks = (struct tb_marks){.allocator = marks->allocator};
}

enum tb_status tb_marks_add(struct tb_marks *marks, const struct tb_mark *mark) {
  void *items = marks->items;
  enum tb_status status =
      tb_grow_array(marks->allocator, &items, &marks->capacity, marks->count + 1, sizeof(*mark), MARKS_MAX);
  marks->items = items;
  if (status == TB_OK) marks->items[marks->count++] = *mark;
  return status;
}

static int compare(const void *a, const void *b) {
  const struct tb_mark *p = a, *q = b;
  if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
  if (p->id != q->id) return p->id < q->id ? -1 : 1;
  if (p->source != q->source) return p->source < q->source ? -1 : 1;
  return p->time < q->time ? -1 : p->time > q->time;
}

void tb_marks_sort(struct tb_marks *marks) {
  if (marks->count) qsort(marks->items, marks->count, sizeof(*marks->items), compare);
}

void tb_alignment_free(struct tb_alignment *alignment, const struct tb_allocator *a) {
  tb_time_bound_free(&alignment->bound, a);
  tb_residuals_free(&alignment->residuals, a);
}

/* Events are matched along lines that drift by this much: more than may be followed, so that this can be said. */
static const double DRIFT_SOUGHT = 1e-3;

/* The marks of a kind, or of a kind, id and source: a row of them. */
struct row {
  const struct tb_mark *items;
  size_t count;
};

static size_t find_first(const struct tb_marks *marks, enum tb_mark_kind kind, uint64_t id, uint32_t source) {
  struct tb_mark key = {.kind = (uint8_t)kind, .id = id, .source = source, .time = INT64_MIN};
  size_t low = 0;
  TB_LOWER_BOUND(low, marks->count, i, compare(&marks->items[i], &key) < 0);
  return low;
}

/* An empty row, whose marks would be from `low` on. */
static struct row row_at(const struct tb_marks *marks, size_t low) {
  return (struct row){marks->items ? marks->items + low : NULL, 0};
}

static struct row find_row(const struct tb_marks *marks, enum tb_mark_kind kind, uint64_t id, uint32_t source) {
  size_t low = find_first(marks, kind, id, source);
  struct row row = row_at(marks, low);
  while (low + row.count < marks->count) {
    const struct tb_mark *mark = &marks->items[low + row.count];
    if (mark->kind != kind || mark->id != id || mark->source != source) break;
    row.count++;
  }
  return row;
}

/* All marks of a kind. */
static struct row find_kind(const struct tb_marks *marks, enum tb_mark_kind kind) {
  size_t low = find_first(marks, kind, 0, 0);
  struct row row = row_at(marks, low);
  while (low + row.count < marks->count && marks->items[low + row.count].kind == kind) row.count++;
  return row;
}

size_t tb_marks_named(const struct tb_marks *marks, uint32_t source) {
  return find_row(marks, TB_MARK_NAME, 0, source).count;
}

/* Times of a row alone. */
static int64_t *times_of(const struct tb_allocator *a, struct row row) {
  int64_t *times = tb_alloc(a, row.count * sizeof(*times));
  for (size_t i = 0; times && i < row.count; i++) times[i] = row.items[i].time;
  return times;
}

/* So many matches, so much nearer to the line than to the offset alone, belong together and do drift. */
enum { CERTAIN_MATCHES = 100, CERTAIN_GAIN = 10 };
/* So many matches outvote a wrong one. */
enum { ENOUGH_MATCHES = 8 };
/* Events that happen at one time are seen so near to each other by two programs. */
static const double SIMULTANEOUS_NS = 1e6;

/* Decides whether an alignment by name follows its drift. */
static void judge_drift(struct tb_alignment *alignment, double max_drift) {
  const struct tb_line_fit *line = &alignment->line, *level = &alignment->level;
  bool may_be = fabs(line->drift) <= max_drift, is_known = line->drift_error <= max_drift / 4;
  alignment->drift = may_be && is_known ? TB_DRIFT_FOLLOWED : TB_DRIFT_LEFT;
  alignment->fit = may_be && is_known ? *line : *level;
  if (!may_be && is_known && line->used >= CERTAIN_MATCHES && level->residual_ns > CERTAIN_GAIN * line->residual_ns)
    alignment->drift = TB_DRIFT_CERTAIN;
  /* few that no clock's drift explains contradict each other, and which of them is wrong nothing says */
  if (line->used < ENOUGH_MATCHES && fabs(line->drift) - line->drift_error > max_drift &&
      level->residual_ns > SIMULTANEOUS_NS)
    alignment->others_apart_ns = INFINITY;
}

/* Adds what a match is off by. Those that the fit left out are further off than any that it used. */
static enum tb_status keep_match(const struct tb_allocator *a, const struct tb_time_anchor *match, bool disagrees,
                                 struct tb_alignment *alignment) {
  enum { ROUNDING_NS = 1 };
  const struct tb_line_fit *fit = &alignment->fit;
  int64_t line = tb_time_add(fit->offset, tb_time_round(fit->drift * (double)((tb_wide)match->x - fit->x0)));
  int64_t off = tb_time_subtract(tb_time_subtract(match->y, match->x), line);
  bool is_outlier = disagrees || fabs((double)off) > fit->most_ns + ROUNDING_NS;
  return tb_residuals_add(&alignment->residuals, a,
                          &(struct tb_residual){.time = match->x, .off_ns = off, .is_outlier = is_outlier});
}

static struct tb_time_anchor anchor_of(struct row own, struct row other, struct tb_event_pair pair) {
  return (struct tb_time_anchor){own.items[pair.own].time, other.items[pair.other].time};
}

static enum tb_status keep_matches(const struct tb_allocator *a, const struct tb_row_match *match, struct row own,
                                   struct row other, struct tb_alignment *alignment) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < match->count + match->disagreeing && status == TB_OK; i++) {
    bool disagrees = i >= match->count;
    struct tb_time_anchor anchor = anchor_of(own, other, disagrees ? match->apart[i - match->count] : match->pairs[i]);
    status = keep_match(a, &anchor, disagrees, alignment);
  }
  tb_residuals_sort(&alignment->residuals);
  return status;
}

static enum tb_status fit_matches(const struct tb_allocator *a, const struct tb_row_match *match, struct row own,
                                  struct row other, double max_drift, struct tb_alignment *alignment) {
  struct tb_time_anchor *anchors = tb_alloc(a, match->count * sizeof(*anchors));
  if (!anchors) return TB_NO_MEMORY;
  for (size_t i = 0; i < match->count; i++) anchors[i] = anchor_of(own, other, match->pairs[i]);
  enum tb_status status = tb_line_fit_pairs(a, anchors, match->count, true, &alignment->line);
  if (status == TB_OK) status = tb_line_fit_pairs(a, anchors, match->count, false, &alignment->level);
  if (status == TB_OK) {
    judge_drift(alignment, max_drift);
    alignment->fit.outliers += match->disagreeing;
    status = keep_matches(a, match, own, other, alignment);
  }
  if (status == TB_OK) status = tb_alignment_bound_line(a, alignment, anchors[0].x, anchors[match->count - 1].x);
  tb_free(a, anchors, match->count * sizeof(*anchors));
  return status;
}

static enum tb_status match_rows(const struct tb_allocator *a, struct row own, struct row other,
                                 const struct tb_align_options *options, struct tb_alignment *alignment, bool *found) {
  const double drift_max = fmax(DRIFT_SOUGHT, 2 * options->max_drift);
  struct tb_event_row rows[2] = {{times_of(a, own), own.count}, {times_of(a, other), other.count}};
  struct tb_row_match match = {0};
  enum tb_status status = TB_NO_MEMORY;
  if (rows[0].times && rows[1].times)
    status = tb_row_match_find(a, rows[0], rows[1], &options->prior, drift_max, &match);
  if (status == TB_OK) {
    alignment->others_apart_ns = match.others_apart_ns;
    alignment->events_alone = match.own_alone;
    alignment->other_alone = match.other_alone;
    alignment->is_ambiguous = match.is_ambiguous;
    alignment->is_contradicted = match.is_contradicted;
    alignment->is_incomplete = match.is_incomplete;
    *found = !match.is_by_chance;
    alignment->second_matches = match.second_count;
    alignment->second_offset = match.second_offset;
    alignment->first_offset =
        tb_time_subtract(other.items[match.pairs[0].other].time, own.items[match.pairs[0].own].time);
    status = fit_matches(a, &match, own, other, options->max_drift, alignment);
  }
  tb_row_match_free(&match, a);
  for (int i = 0; i < 2; i++) tb_free(a, (void *)(uintptr_t)rows[i].times, rows[i].count * sizeof(*rows[i].times));
  return status;
}

enum tb_status tb_align_names(const struct tb_marks *marks, uint32_t source, uint32_t other,
                              const struct tb_align_options *options, struct tb_alignment *alignment, bool *found) {
  struct row own = find_row(marks, TB_MARK_NAME, 0, source), theirs = find_row(marks, TB_MARK_NAME, 0, other);
  *found = false;
  *alignment = (struct tb_alignment){.source = source,
                                     .other = other,
                                     .kind = TB_PLACEMENT_ALIGNED,
                                     .event_count = own.count,
                                     .other_events = theirs.count};
  return own.count && theirs.count ? match_rows(marks->allocator, own, theirs, options, alignment, found) : TB_OK;
}

/* Adds the messages that the first of a row of receptions ends: one from each other input that sent the flow once. The
 * first to arrive counts; of a flow that was sent twice nobody can say which. */
static enum tb_status add_messages(const struct tb_marks *marks, const struct tb_mark *received,
                                   struct tb_messages *messages) {
  enum tb_status status = TB_OK;
  struct row sent = find_row(marks, TB_MARK_SENT, received->id, 0);
  const struct tb_mark *end = marks->items + marks->count;
  for (const struct tb_mark *at = sent.items; at < end && status == TB_OK; at += sent.count) {
    if (at->kind != TB_MARK_SENT || at->id != received->id) break;
    sent = find_row(marks, TB_MARK_SENT, received->id, at->source);
    if (sent.count != 1 || at->source == received->source) continue;
    void *items = messages->items;
    status = tb_grow_array(marks->allocator, &items, &messages->capacity, messages->count + 1, sizeof(*messages->items),
                           MARKS_MAX);
    messages->items = items;
    if (status == TB_OK)
      messages->items[messages->count++] = (struct tb_network_message){
          .from = at->source, .to = received->source, .sent = at->time, .received = received->time, .id = at->id};
  }
  return status;
}

enum tb_status tb_marks_messages(const struct tb_marks *marks, struct tb_messages *messages) {
  const struct tb_mark *last = NULL;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < marks->count && status == TB_OK; i++) {
    const struct tb_mark *received = &marks->items[i];
    if (received->kind != TB_MARK_RECEIVED) continue;
    if (last && last->id == received->id && last->source == received->source) continue;
    last = received;
    status = add_messages(marks, received, messages);
  }
  return status;
}

/* The receiver's stamp is between the issuer's asking and its answer, on whichever clock that was. */
static struct tb_line_interval interval_of(const struct tb_mark *issuer, const struct tb_mark *receiver,
                                           bool issuer_is_other) {
  int64_t asked = issuer->issued, answered = issuer->time, stamp = receiver->time;
  if (issuer_is_other)
    return (struct tb_line_interval){stamp, stamp, tb_time_subtract(asked, stamp), tb_time_subtract(answered, stamp)};
  return (struct tb_line_interval){answered, asked, tb_time_subtract(stamp, answered), tb_time_subtract(stamp, asked)};
}

/* Adds how far the middles of the intervals are from the line; it leaves out those that it does not meet. */
static enum tb_status keep_intervals(const struct tb_allocator *a, const struct tb_line_interval *intervals,
                                     size_t count, struct tb_alignment *alignment) {
  static const double rounding = 2;
  const struct tb_line_fit *fit = &alignment->fit;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < count && status == TB_OK; i++) {
    const struct tb_line_interval *n = &intervals[i];
    double offset = (double)fit->offset;
    double over_low = offset + fit->drift * (double)((tb_wide)n->low_at - fit->x0) - (double)n->low;
    double under_high = (double)n->high - offset - fit->drift * (double)((tb_wide)n->high_at - fit->x0);
    struct tb_residual residual = {.time = tb_time_clamp(((tb_wide)n->low_at + n->high_at) / 2),
                                   .off_ns = tb_time_round((under_high - over_low) / 2),
                                   .within_ns = tb_time_round((under_high + over_low) / 2),
                                   .is_outlier = over_low < -rounding || under_high < -rounding};
    status = tb_residuals_add(&alignment->residuals, a, &residual);
  }
  tb_residuals_sort(&alignment->residuals);
  return status;
}

enum tb_status tb_align_syncs(const struct tb_marks *marks, uint32_t source, uint32_t other,
                              const struct tb_align_options *options, struct tb_alignment *alignment, bool *found) {
  *alignment = (struct tb_alignment){.source = source, .other = other, .kind = TB_PLACEMENT_CLOCK_SYNC};
  *found = false;
  struct row issuers = find_kind(marks, TB_MARK_SYNC_ISSUER);
  if (!issuers.count) return TB_OK;
  struct tb_line_interval *intervals = tb_alloc(marks->allocator, issuers.count * sizeof(*intervals));
  if (!intervals) return TB_NO_MEMORY;
  size_t count = 0;
  for (size_t i = 0; i < issuers.count; i++) {
    const struct tb_mark *issuer = &issuers.items[i];
    if (issuer->source != source && issuer->source != other) continue;
    struct row receiver = find_row(marks, TB_MARK_SYNC_RECEIVER, issuer->id, issuer->source == source ? other : source);
    if (receiver.count != 1) continue;
    alignment->backwards += issuer->time < issuer->issued;
    if (issuer->time >= issuer->issued)
      intervals[count++] = interval_of(issuer, receiver.items, issuer->source == other);
  }
  enum tb_status status = TB_OK;
  *found = count > 0;
  if (count)
    status = tb_line_fit_intervals(marks->allocator, intervals, count, options->max_drift, &alignment->fit,
                                   &alignment->bound);
  if (count && status == TB_OK) status = keep_intervals(marks->allocator, intervals, count, alignment);
  tb_free(marks->allocator, intervals, issuers.count * sizeof(*intervals));
  return status;
}
