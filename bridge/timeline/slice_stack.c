/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/slice_stack.h"

#include "base/times.h"

enum { OPEN = -1 };

/* Leaves the `count` outermost slices. */
static inline void cut_to(struct tb_slice_stack *s, size_t count) {
  for (; s->count > TB_NAMES_COUNTED_FROM && s->count > count; s->count--) {
    const struct tb_stack_frame_ref *f = &s->frames[s->count - 1];
    if (f->dur == OPEN) tb_open_names_remove(&s->names, s->count - 1, f->name, f->categories);
  }
  if (s->count > count) s->count = count;
}

void tb_slice_stack_free(struct tb_slice_stack *stack, const struct tb_allocator *allocator) {
  tb_open_names_free(&stack->names);
  tb_free(allocator, stack->frames, stack->capacity * sizeof(*stack->frames));
  *stack = (struct tb_slice_stack){0};
}

/* As clear() below, but looks at every slice. */
static bool clear_all(struct tb_slice_stack *s, int64_t ts, int64_t dur, bool *cut) {
  bool open_above = false;
  for (size_t i = s->count; i-- > 0;) {
    const struct tb_stack_frame_ref *f = &s->frames[i];
    if (f->dur == OPEN) {
      open_above = true;
      continue;
    }
    int64_t end = tb_slice_end(f->ts, f->dur);
    if (open_above) {
      if (ts <= end) continue;
      cut_to(s, i);
      open_above = false;
      *cut = true;
      continue;
    }
    if (end < ts || (end == ts && !(f->dur == 0 && dur == 0))) {
      s->count--;
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
  while (s->count && !s->disturbed) {
    const struct tb_stack_frame_ref *f = &s->frames[s->count - 1];
    if (f->dur == OPEN) {
      if (f->first_end >= ts) return true;
      break;
    }
    int64_t end = tb_slice_end(f->ts, f->dur);
    if (end < ts || (end == ts && !(f->dur == 0 && dur == 0))) {
      s->count--;
      continue;
    }
    if (f->first_end < ts) break;
    return dur == OPEN || ts == end || tb_slice_end(ts, dur) <= end;
  }
  return s->count == 0 || clear_all(s, ts, dur, cut);
}

static inline enum tb_status push(struct tb_slice_stack *s, const struct tb_allocator *allocator,
                                  struct tb_stack_frame_ref frame) {
  int64_t end = frame.dur == OPEN ? INT64_MAX : tb_slice_end(frame.ts, frame.dur);
  frame.first_end = s->count && s->frames[s->count - 1].first_end < end ? s->frames[s->count - 1].first_end : end;
  if (s->count == s->capacity) {
    void *frames = s->frames;
    if (tb_grow_array(allocator, &frames, &s->capacity, s->count + 1, sizeof(*s->frames), SIZE_MAX / 128) != TB_OK)
      return TB_NO_MEMORY;
    s->frames = frames;
  }
  size_t place = s->count++;
  s->frames[place] = frame;
  return frame.dur == OPEN ? tb_open_names_add(&s->names, allocator, place, frame.name, frame.categories) : TB_OK;
}

enum tb_status tb_slice_stack_begin(struct tb_slice_stack *s, const struct tb_allocator *allocator,
                                    const struct tb_staged_event *e, uint64_t place, bool *nests, bool *pushed) {
  int64_t dur = e->kind == TB_STAGED_BEGIN ? OPEN : e->kind == TB_STAGED_COMPLETE ? e->dur : 0;
  bool cut = false;
  *pushed = clear(s, e->ts, dur, &cut);
  *nests = *pushed && !cut;
  if (!*pushed) return TB_OK;
  return push(s, allocator, (struct tb_stack_frame_ref){e->ts, dur, 0, place, e->name, e->categories});
}

bool tb_slice_stack_end(struct tb_slice_stack *s, const struct tb_staged_event *e, int64_t *begin_ts) {
  bool cut = false;
  (void)clear(s, e->ts, OPEN, &cut);
  *begin_ts = INT64_MAX;
  for (size_t i = tb_open_names_reach(&s->names, s->count, e->name, e->categories); i-- > 0;) {
    struct tb_stack_frame_ref *f = &s->frames[i];
    if (f->dur != OPEN || (e->name && f->name != e->name) || (e->categories && f->categories != e->categories))
      continue;
    *begin_ts = f->ts;
    tb_open_names_remove(&s->names, i, f->name, f->categories);
    f->dur = tb_time_subtract(e->ts, f->ts);
    if (i + 1 != s->count) {
      s->disturbed = true;
      return false;
    }
    s->count--;
    return !cut;
  }
  return false;
}
