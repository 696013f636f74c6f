/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/slice_stack.h"

#include "base/times.h"

enum { OPEN = -1 };

static inline struct tb_stack_frame_ref *frames_of(const struct tb_slice_stack *s) { return s->slices.frames; }

void tb_slice_stack_free(struct tb_slice_stack *stack, const struct tb_allocator *allocator) {
  tb_open_stack_free(&stack->slices, allocator);
  *stack = (struct tb_slice_stack){.disturbed = false};
}

/* As clear() below, but looks at every slice. */
static bool clear_all(struct tb_slice_stack *s, int64_t ts, int64_t dur, bool *cut) {
  bool open_above = false;
  for (size_t i = s->slices.count; i-- > 0;) {
    const struct tb_stack_frame_ref *f = &frames_of(s)[i];
    if (f->dur == OPEN) {
      open_above = true;
      continue;
    }
    int64_t end = tb_slice_end(f->open.ts, f->dur);
    if (open_above) {
      if (ts <= end) continue;
      tb_open_stack_cut(&s->slices, i);
      open_above = false;
      *cut = true;
      continue;
    }
    if (end < ts || (end == ts && !(f->dur == 0 && dur == 0))) {
      s->slices.count--; /* its end is known: its name is not counted */
      continue;
    }
    if (dur != OPEN && ts < end && tb_slice_end(ts, dur) > end) return false;
  }
  return true;
}

/* Removes the slices that are closed at `ts`. False if a slice of `dur` would overlap one that is not closed. *cut is
 * set when an open slice is removed because the slice below it is closed. Slices without an end stay; a slice removes
 * those above it only past its own end. As long as no slice below is closed, only the newest one
 * has to be looked at. */
static inline bool clear(struct tb_slice_stack *s, int64_t ts, int64_t dur, bool *cut) {
  while (s->slices.count && !s->disturbed) {
    const struct tb_stack_frame_ref *f = &frames_of(s)[s->slices.count - 1];
    if (f->dur == OPEN) {
      if (f->first_end >= ts) return true;
      break;
    }
    int64_t end = tb_slice_end(f->open.ts, f->dur);
    if (end < ts || (end == ts && !(f->dur == 0 && dur == 0))) {
      s->slices.count--;
      continue;
    }
    if (f->first_end < ts) break;
    return dur == OPEN || ts == end || tb_slice_end(ts, dur) <= end;
  }
  return s->slices.count == 0 || clear_all(s, ts, dur, cut);
}

static inline enum tb_status push(struct tb_slice_stack *s, const struct tb_allocator *allocator,
                                  const struct tb_staged_event *e, int64_t dur, uint64_t place) {
  const struct tb_open_frame open = {.ts = e->ts, .name = e->name, .categories = e->categories, .ended = dur != OPEN};
  s->slices.frame_size = sizeof(struct tb_stack_frame_ref);
  if (!tb_open_stack_push(&s->slices, allocator, &open, SIZE_MAX / 128)) return TB_NO_MEMORY;
  struct tb_stack_frame_ref *frame = &frames_of(s)[s->slices.count - 1];
  int64_t end = dur == OPEN ? INT64_MAX : tb_slice_end(e->ts, dur);
  frame->first_end = s->slices.count > 1 && frame[-1].first_end < end ? frame[-1].first_end : end;
  frame->dur = dur;
  frame->thread_ts = e->has_thread_ts && dur == OPEN ? e->thread_ts : TB_NO_THREAD_TS;
  frame->place = place;
  return TB_OK;
}

enum tb_status tb_slice_stack_begin(struct tb_slice_stack *s, const struct tb_allocator *allocator,
                                    const struct tb_staged_event *e, uint64_t place, bool *nests, bool *pushed) {
  int64_t dur = e->kind == TB_STAGED_BEGIN ? OPEN : e->kind == TB_STAGED_COMPLETE ? e->dur : 0;
  bool cut = false;
  *pushed = clear(s, e->ts, dur, &cut);
  *nests = *pushed && !cut;
  return *pushed ? push(s, allocator, e, dur, place) : TB_OK;
}

static bool is_ended_by(const void *ctx, const struct tb_open_frame *frame) {
  const struct tb_staged_event *e = ctx;
  return (!e->name || frame->name == e->name) && (!e->categories || frame->categories == e->categories);
}

bool tb_slice_stack_end(struct tb_slice_stack *s, const struct tb_staged_event *e, struct tb_stack_frame_ref *ended) {
  bool cut = false;
  (void)clear(s, e->ts, OPEN, &cut);
  *ended = (struct tb_stack_frame_ref){.open = {.ts = INT64_MAX}, .thread_ts = TB_NO_THREAD_TS};
  size_t found = tb_open_stack_find(&s->slices, e->name, e->categories, is_ended_by, e);
  if (!found) return false;
  struct tb_stack_frame_ref *f = &frames_of(s)[found - 1];
  *ended = *f;
  f->dur = tb_time_subtract(e->ts, f->open.ts);
  if (!tb_open_stack_end(&s->slices, found - 1)) {
    s->disturbed = true;
    return false;
  }
  s->slices.count--;
  return !cut;
}

bool tb_slice_stack_is_around_open(const struct tb_slice_stack *s) {
  const struct tb_stack_frame_ref *frames = s->slices.frames;
  bool complete = false;
  for (size_t i = 0; i < s->slices.count; i++) {
    if (frames[i].dur == OPEN && complete) return true;
    complete |= frames[i].dur > 0;
  }
  return false;
}
