/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/writer/open_slices.h"

enum { FORGOTTEN_AT_ONCE = TB_FXT_OPEN_MAX / 8 };

static void free_block(struct tb_fxt_writer *w, struct tb_fxt_open *slice) {
  tb_free(w->writer->allocator, slice->block, slice->block_size);
  slice->block = NULL;
  w->slices.bytes -= sizeof(*slice) + slice->block_size;
}

void tb_fxt_count_held(struct tb_fxt_track_state *track_state) {
  uint32_t n = 0;
  while (n < track_state->slices->stack.count &&
         !tb_fxt_opened(track_state)[track_state->slices->stack.count - n - 1].written)
    n++;
  track_state->slices->held_count = n;
}

bool tb_fxt_take_slices(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_fxt_track_state *track_state) {
  if (track_state->slices != &w->no_slices) return true;
  struct tb_open_stack *stack = tb_open_stacks_take(&w->slices, track->index);
  if (!stack) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return false;
  }
  track_state->slices = (struct tb_fxt_slices *)stack;
  track_state->slices->track = track;
  return true;
}

void tb_fxt_return_slices(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state) {
  struct tb_fxt_slices *slices = track_state->slices;
  if (slices == &w->no_slices || slices->stack.count || slices->waiting.track) return;
  tb_open_stacks_return(&w->slices, &slices->stack);
  track_state->slices = &w->no_slices;
}

static const struct tb_fxt_slice_extras no_extras = {.flow_ts = INT64_MIN, .outer_flow_ts = INT64_MIN};

const struct tb_fxt_slice_extras *tb_fxt_slice_extras(const struct tb_fxt_open *slice) {
  return slice->has_extras ? (const void *)slice->block : &no_extras;
}

bool tb_fxt_open_slice(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_fxt_open *slice) {
  size_t size;
  char *block = tb_fxt_copy_parts(w, event, sizeof(no_extras), &size);
  if (!block) return false;
  if (size > UINT32_MAX) {
    tb_free(w->writer->allocator, block, size);
    tb_fxt_fail(w, TB_LIMIT);
    return false;
  }
  memcpy(block, &no_extras, sizeof(no_extras));
  *slice = (struct tb_fxt_open){.open = {.ts = event->ts},
                                .block = block,
                                .block_size = (uint32_t)size,
                                .name_len = (uint32_t)event->name.len,
                                .category_len = (uint32_t)event->categories.len,
                                .arg_count = w->args.count & TB_FXT_MAX_ARGS, /* at most that many */
                                .has_extras = true};
  return true;
}

/* The block anew, with no arguments, but with or without extras. */
static void remake_block(struct tb_fxt_writer *w, struct tb_fxt_open *slice, bool has_extras) {
  struct tb_fxt_slice_extras extras = *tb_fxt_slice_extras(slice);
  struct tb_str name = tb_fxt_open_name(slice), category = tb_fxt_open_category(slice);
  size_t front = has_extras ? sizeof(extras) : 0, size = front + name.len + category.len;
  bool is_short = !has_extras && size <= sizeof(slice->text);
  char *block = is_short ? NULL : tb_alloc(w->writer->allocator, size), *to = is_short ? slice->text : block;
  if (!to) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return;
  }
  if (has_extras) memcpy(to, &extras, sizeof(extras));
  if (name.len) memcpy(to + front, name.ptr, name.len);
  if (category.len) memcpy(to + front + name.len, category.ptr, category.len);
  tb_free(w->writer->allocator, slice->block, slice->block_size);
  if (is_short) size = 0;
  w->slices.bytes += size;
  w->slices.bytes -= slice->block_size;
  slice->block = block;
  slice->block_size = (uint32_t)size;
  slice->has_extras = has_extras;
  slice->arg_count = 0;
}

void tb_fxt_note_flow_of_slice(struct tb_fxt_writer *w, struct tb_fxt_open *slice, int64_t ts) {
  if (tb_fxt_slice_extras(slice)->flow_ts >= ts) return;
  if (!slice->has_extras) remake_block(w, slice, true);
  if (slice->has_extras && slice->block) ((struct tb_fxt_slice_extras *)(void *)slice->block)->flow_ts = ts;
}

void tb_fxt_push_slice(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, struct tb_fxt_open *slice) {
  struct tb_open_stack *stack = &track_state->slices->stack;
  if (stack->count) {
    const struct tb_fxt_slice_extras *outer = tb_fxt_slice_extras(&tb_fxt_opened(track_state)[stack->count - 1]);
    struct tb_fxt_slice_extras *extras = (void *)slice->block;
    extras->outer_flow_ts = outer->flow_ts > outer->outer_flow_ts ? outer->flow_ts : outer->outer_flow_ts;
  }
  slice->open.name = tb_open_name_of(tb_fxt_open_name(slice), stack->count);
  w->slices.bytes += sizeof(*slice) + slice->block_size;
  struct tb_fxt_open *top = (void *)tb_open_stack_push(stack, w->writer->allocator, &slice->open, TB_FXT_OPEN_MAX);
  if (!top) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    free_block(w, slice);
    return;
  }
  slice->open = top->open;
  *top = *slice;
  track_state->slices->held_count++;
}

void tb_fxt_pop_slice(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state) {
  struct tb_fxt_slices *slices = track_state->slices;
  struct tb_fxt_open *slice = &tb_fxt_opened(track_state)[slices->stack.count - 1];
  bool was_held = !slice->written;
  free_block(w, slice);
  tb_open_stack_pop(&slices->stack);
  if (was_held)
    slices->held_count--;
  else
    tb_fxt_count_held(track_state);
  tb_fxt_return_slices(w, track_state);
}

void tb_fxt_forget_outermost(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state) {
  struct tb_fxt_slices *slices = track_state->slices;
  for (size_t i = 0; i < FORGOTTEN_AT_ONCE; i++) free_block(w, &tb_fxt_opened(track_state)[i]);
  tb_open_stack_forget(&slices->stack, FORGOTTEN_AT_ONCE);
  if (slices->held_count > slices->stack.count) slices->held_count = slices->stack.count;
}

void tb_fxt_shrink_slice(struct tb_fxt_writer *w, struct tb_fxt_open *slice) {
  bool has_extras = slice->has_extras && memcmp(slice->block, &no_extras, sizeof(no_extras)) != 0;
  size_t size = (has_extras ? sizeof(no_extras) : 0) + slice->name_len + slice->category_len;
  if (slice->written && size < slice->block_size) remake_block(w, slice, has_extras);
}

void tb_fxt_init_slices(struct tb_fxt_writer *w) {
  w->slices = (struct tb_open_stacks){.allocator = w->writer->allocator,
                                      .size = sizeof(struct tb_fxt_slices),
                                      .frame_size = sizeof(struct tb_fxt_open)};
  w->slices.most = tb_writer_budget(w->writer, TB_WRITER_MEMORY_USUAL);
}

static void free_blocks(const void *ctx, struct tb_open_stack *stack) {
  const struct tb_fxt_open *slices = stack->frames;
  for (size_t i = 0; i < stack->count; i++) tb_free(ctx, slices[i].block, slices[i].block_size);
}

void tb_fxt_free_slices(struct tb_fxt_writer *w) {
  tb_open_stacks_free(&w->slices, free_blocks, w->writer->allocator);
  for (size_t i = 0; i < w->more_count; i++) {
    const struct tb_fxt_track_more *more = tb_pages_at(&w->more, i, sizeof(*more));
    tb_free(w->writer->allocator, more->name, more->name_len);
  }
  tb_pages_free(&w->more, sizeof(struct tb_fxt_track_more));
  tb_free(w->writer->allocator, w->track_states, w->track_state_capacity * sizeof(*w->track_states));
}
