/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/align.h"

#include <math.h>
#include <stdlib.h>

enum { MARKS_MAX = 1 << 28, SHIFTS_MAX = 256 };

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

/* The marks of a kind, id and source: a row of them. */
struct row {
  const struct tb_mark *items;
  size_t count;
};

static struct row find_row(const struct tb_marks *marks, enum tb_mark_kind kind, uint64_t id, uint32_t source) {
  struct tb_mark key = {.kind = (uint8_t)kind, .id = id, .source = source, .time = INT64_MIN};
  size_t low = 0, high = marks->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare(&marks->items[middle], &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  struct row row = {marks->items + low, 0};
  while (low + row.count < marks->count) {
    const struct tb_mark *mark = &marks->items[low + row.count];
    if (mark->kind != kind || mark->id != id || mark->source != source) break;
    row.count++;
  }
  return row;
}

size_t tb_marks_named(const struct tb_marks *marks, uint32_t source) {
  return find_row(marks, TB_MARK_NAME, 0, source).count;
}

static bool is_better(const struct tb_line_fit *fit, const struct tb_line_fit *than) {
  return fit->outliers < than->outliers || (fit->outliers == than->outliers && fit->residual_ns < than->residual_ns);
}

/* Where the rows differ in length, the shorter one is tried at each place of the longer one: the best fit counts. */
static enum tb_status fit_rows(const struct tb_allocator *a, struct row own, struct row other,
                               struct tb_alignment *alignment) {
  size_t pairs = own.count < other.count ? own.count : other.count;
  size_t shifts = (own.count > other.count ? own.count : other.count) - pairs + 1;
  struct tb_time_anchor *anchors = tb_alloc(a, pairs * sizeof(*anchors));
  if (!anchors) return TB_NO_MEMORY;
  enum tb_status status = TB_OK;
  alignment->first_with_first = shifts > SHIFTS_MAX || (shifts > 1 && pairs < 3); /* two or one always fit */
  if (alignment->first_with_first) shifts = 1;
  for (size_t shift = 0; shift < shifts && status == TB_OK; shift++) {
    size_t from_own = own.count > other.count ? shift : 0, from_other = own.count > other.count ? 0 : shift;
    for (size_t i = 0; i < pairs; i++)
      anchors[i] = (struct tb_time_anchor){own.items[from_own + i].time, other.items[from_other + i].time};
    struct tb_line_fit tried;
    status = tb_line_fit_pairs(a, anchors, pairs, true, &tried);
    if (status != TB_OK || (shift && !is_better(&tried, &alignment->line))) continue;
    alignment->line = tried;
    status = tb_line_fit_pairs(a, anchors, pairs, false, &alignment->level);
  }
  tb_free(a, anchors, pairs * sizeof(*anchors));
  return status;
}

enum tb_status tb_align_names(const struct tb_marks *marks, uint32_t source, uint32_t other,
                              struct tb_alignment *alignment, bool *found) {
  struct row own = find_row(marks, TB_MARK_NAME, 0, source), theirs = find_row(marks, TB_MARK_NAME, 0, other);
  *found = own.count && theirs.count;
  *alignment = (struct tb_alignment){.source = source,
                                     .other = other,
                                     .kind = TB_PLACEMENT_ALIGNED,
                                     .event_count = own.count,
                                     .other_events = theirs.count};
  if (!*found) return TB_OK;
  enum tb_status status = fit_rows(marks->allocator, own, theirs, alignment);
  alignment->fit = alignment->line;
  return status;
}

/* So many matches, so much nearer to the line than to the offset alone, belong together and do drift. */
enum { CERTAIN_MATCHES = 100, CERTAIN_GAIN = 10 };

void tb_alignment_judge_drift(struct tb_alignment *alignment, double max_drift) {
  const struct tb_line_fit *line = &alignment->line, *level = &alignment->level;
  bool may_be = fabs(line->drift) <= max_drift, is_known = line->drift_error <= max_drift / 4;
  alignment->drift = may_be && is_known ? TB_DRIFT_FOLLOWED : TB_DRIFT_LEFT;
  alignment->fit = may_be && is_known ? *line : *level;
  if (!may_be && is_known && line->used >= CERTAIN_MATCHES && level->residual_ns > CERTAIN_GAIN * line->residual_ns)
    alignment->drift = TB_DRIFT_CERTAIN;
}

/* Messages from one input to another: flows that were sent once there and received here; both times on their own clocks. */
static void gather_messages(const struct tb_marks *marks, uint32_t from, uint32_t to, bool from_other,
                            struct tb_line_fit_message *messages, size_t *count) {
  for (size_t i = 0; i < marks->count; i++) {
    const struct tb_mark *received = &marks->items[i];
    if (received->kind != TB_MARK_RECEIVED || received->source != to) continue;
    struct row sent = find_row(marks, TB_MARK_SENT, received->id, from);
    if (sent.count != 1) continue; /* none, or nobody can say which */
    if (find_row(marks, TB_MARK_RECEIVED, received->id, to).items != received)
      continue; /* the first to arrive counts */
    if (messages)
      messages[*count] =
          from_other ? (struct tb_line_fit_message){received->time, sent.items->time, received->id, true, false}
                     : (struct tb_line_fit_message){sent.items->time, received->time, received->id, false, false};
    ++*count;
  }
}

enum tb_status tb_marks_messages(const struct tb_marks *marks, uint32_t source, uint32_t other,
                                 struct tb_line_fit_message **messages, size_t *count) {
  size_t filled = 0;
  *messages = NULL;
  *count = 0;
  gather_messages(marks, other, source, true, NULL, count);
  gather_messages(marks, source, other, false, NULL, count);
  if (!*count) return TB_OK;
  *messages = tb_alloc(marks->allocator, *count * sizeof(**messages));
  if (!*messages) return TB_NO_MEMORY;
  gather_messages(marks, other, source, true, *messages, &filled);
  gather_messages(marks, source, other, false, *messages, &filled);
  return TB_OK;
}

enum tb_status tb_align_messages(const struct tb_marks *marks, uint32_t source, uint32_t other,
                                 struct tb_alignment *alignment, bool *found) {
  struct tb_line_fit_message *messages;
  size_t count;
  *alignment = (struct tb_alignment){.source = source, .other = other, .kind = TB_PLACEMENT_MESSAGES};
  enum tb_status status = tb_marks_messages(marks, source, other, &messages, &count);
  *found = count > 0;
  if (status != TB_OK || !count) return status;
  status = tb_line_fit_messages(marks->allocator, messages, count, &alignment->fit);
  tb_free(marks->allocator, messages, count * sizeof(*messages));
  return status;
}

/* The middle of the issuer's wait meets what the receiver wrote down; half the wait is the most that can be wrong. */
static void add_sync(const struct tb_mark *issuer, const struct tb_mark *receiver, bool issuer_is_other,
                     struct tb_time_anchor *anchor, int64_t *half) {
  int64_t wait = issuer->time > issuer->issued ? tb_time_subtract(issuer->time, issuer->issued) : 0;
  int64_t middle = issuer->issued + wait / 2;
  *anchor = issuer_is_other ? (struct tb_time_anchor){receiver->time, middle}
                            : (struct tb_time_anchor){middle, receiver->time};
  *half = wait / 2 + 1;
}

enum tb_status tb_align_syncs(const struct tb_marks *marks, uint32_t source, uint32_t other,
                              struct tb_alignment *alignment, bool *found) {
  *alignment = (struct tb_alignment){.source = source, .other = other, .kind = TB_PLACEMENT_CLOCK_SYNC};
  *found = false;
  struct tb_time_anchor *anchors = tb_alloc(marks->allocator, marks->count * sizeof(*anchors));
  if (!anchors) return TB_NO_MEMORY;
  size_t count = 0;
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < marks->count; i++) {
    const struct tb_mark *issuer = &marks->items[i];
    if (issuer->kind != TB_MARK_SYNC_ISSUER || (issuer->source != source && issuer->source != other)) continue;
    struct row receiver = find_row(marks, TB_MARK_SYNC_RECEIVER, issuer->id, issuer->source == source ? other : source);
    if (receiver.count != 1) continue;
    int64_t half;
    add_sync(issuer, receiver.items, issuer->source == other, &anchors[count++], &half);
    if (half < least) least = half;
  }
  enum tb_status status = TB_OK;
  if (count) {
    *found = true;
    status = tb_line_fit_pairs(marks->allocator, anchors, count, true, &alignment->fit);
    alignment->fit.has_bound = true;
    alignment->fit.bound_ns = tb_time_add(least, tb_time_round(floor(alignment->fit.residual_ns)));
  }
  tb_free(marks->allocator, anchors, marks->count * sizeof(*anchors));
  return status;
}
