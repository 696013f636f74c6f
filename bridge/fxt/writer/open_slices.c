/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/writer/open_slices.h"

enum { FORGOTTEN_AT_ONCE = TB_FXT_OPEN_MAX / 8, PACKED_DEPTH_MAX = 16 };

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

/* Puts extras, where there are some, and names into a slice that has nothing of its own. False where the writer
 * failed. */
static bool put_parts(struct tb_fxt_writer *w, struct tb_fxt_open *slice, const struct tb_fxt_slice_extras *extras,
                      struct tb_str name, struct tb_str category) {
  size_t front = extras ? sizeof(*extras) : 0, size = front + name.len + category.len;
  bool is_short = !extras && size <= sizeof(slice->text);
  char *block = is_short ? NULL : tb_alloc(w->writer->allocator, size), *to = is_short ? slice->text : block;
  if (!to) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return false;
  }
  if (extras) memcpy(to, extras, sizeof(*extras));
  if (name.len) memcpy(to + front, name.ptr, name.len);
  if (category.len) memcpy(to + front + name.len, category.ptr, category.len);
  slice->block = block;
  slice->block_size = is_short ? 0 : (uint32_t)size;
  slice->has_extras = extras != NULL;
  return true;
}

/* The block anew, with no arguments, but with or without extras. */
static void remake_block(struct tb_fxt_writer *w, struct tb_fxt_open *slice, bool has_extras) {
  struct tb_fxt_slice_extras extras = *tb_fxt_slice_extras(slice);
  char *block = slice->block;
  uint32_t size = slice->block_size;
  if (!put_parts(w, slice, has_extras ? &extras : NULL, tb_fxt_open_name(slice), tb_fxt_open_category(slice))) return;
  tb_free(w->writer->allocator, block, size);
  w->slices.bytes += slice->block_size;
  w->slices.bytes -= size;
  slice->arg_count = 0;
}

void tb_fxt_note_flow_of_slice(struct tb_fxt_writer *w, struct tb_fxt_open *slice, int64_t ts) {
  if (tb_fxt_slice_extras(slice)->flow_ts >= ts) return;
  if (!slice->has_extras) remake_block(w, slice, true);
  if (slice->has_extras && slice->block) ((struct tb_fxt_slice_extras *)(void *)slice->block)->flow_ts = ts;
}

/* Takes the slice's block, or frees it where the writer failed. */
static TB_ALWAYS_INLINE void push(struct tb_fxt_writer *w, struct tb_open_stack *stack, struct tb_fxt_open *slice) {
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
}

void tb_fxt_push_slice(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, struct tb_fxt_open *slice) {
  struct tb_open_stack *stack = &track_state->slices->stack;
  if (stack->count) {
    const struct tb_fxt_slice_extras *outer = tb_fxt_slice_extras(&tb_fxt_opened(track_state)[stack->count - 1]);
    struct tb_fxt_slice_extras *extras = (void *)slice->block;
    extras->outer_flow_ts = outer->flow_ts > outer->outer_flow_ts ? outer->flow_ts : outer->outer_flow_ts;
  }
  push(w, stack, slice);
  if (w->status == TB_OK) track_state->slices->held_count++;
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

void tb_fxt_end_outer_slice(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, size_t index) {
  struct tb_fxt_open *slice = &tb_fxt_opened(track_state)[index];
  free_block(w, slice);
  slice->block_size = 0;
  slice->has_extras = false;
  slice->name_len = slice->category_len = slice->arg_count = 0;
  (void)tb_open_stack_end(&track_state->slices->stack, index);
}

void tb_fxt_forget_outermost(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state) {
  struct tb_fxt_slices *slices = track_state->slices;
  for (size_t i = 0; i < FORGOTTEN_AT_ONCE; i++)
    if (!tb_fxt_opened(track_state)[i].open.ended) free_block(w, &tb_fxt_opened(track_state)[i]);
  tb_open_stack_forget(&slices->stack, FORGOTTEN_AT_ONCE);
  if (slices->held_count > slices->stack.count) slices->held_count = slices->stack.count;
}

void tb_fxt_shrink_slice(struct tb_fxt_writer *w, struct tb_fxt_open *slice) {
  bool has_extras = slice->has_extras && memcmp(slice->block, &no_extras, sizeof(no_extras)) != 0;
  size_t size = (has_extras ? sizeof(no_extras) : 0) + slice->name_len + slice->category_len;
  if (slice->written && size < slice->block_size) remake_block(w, slice, has_extras);
}

/* ---- packed slices ----------------------------------------------------------------------------------------------- */

static bool is_packable(const struct tb_fxt_open *slice) {
  return slice->written && !slice->has_extras && !slice->overlaps && !slice->open.ended;
}

static uint32_t pop_packed(struct tb_fxt_writer *w, uint32_t *top, struct tb_fxt_unpacked_slice *slices) {
  uint32_t count = 0;
  while (*top) slices[count++] = tb_fxt_packed_slices_pop(&w->packed, top);
  w->slices.bytes -= count * sizeof(struct tb_fxt_packed_slice);
  return count;
}

/* Packs what is in the stack and leaves it there. False where it has no place. */
static bool push_packed(struct tb_fxt_writer *w, const struct tb_open_stack *stack, uint32_t *top) {
  const struct tb_fxt_open *slices = stack->frames;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < stack->count && status == TB_OK; i++) {
    const struct tb_fxt_unpacked_slice slice = {
        .ts = slices[i].open.ts, .name = tb_fxt_open_name(&slices[i]), .category = tb_fxt_open_category(&slices[i])};
    status = is_packable(&slices[i]) ? tb_fxt_packed_slices_push(&w->packed, &slice, top) : TB_LIMIT;
    if (status == TB_OK) w->slices.bytes += sizeof(struct tb_fxt_packed_slice);
  }
  if (status == TB_OK) return true;
  struct tb_fxt_unpacked_slice unpacked[PACKED_DEPTH_MAX];
  pop_packed(w, top, unpacked);
  if (status == TB_NO_MEMORY) tb_fxt_fail(w, status);
  return false;
}

void tb_fxt_pack_slices(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state) {
  struct tb_open_stack *stack = &track_state->slices->stack;
  uint32_t packed = 0;
  if (!stack->count || stack->count > PACKED_DEPTH_MAX || track_state->slices->waiting.track) return;
  if (!push_packed(w, stack, &packed)) return;
  for (size_t i = 0; i < stack->count; i++) free_block(w, &tb_fxt_opened(track_state)[i]);
  tb_open_stack_cut(stack, 0);
  tb_fxt_return_slices(w, track_state);
  track_state->packed = packed;
  track_state->is_packed = true;
}

static void unpack(struct tb_fxt_writer *w, struct tb_open_stack *stack, const struct tb_fxt_unpacked_slice *from) {
  struct tb_fxt_open slice = {.open = {.ts = from->ts},
                              .name_len = (uint32_t)from->name.len,
                              .category_len = (uint32_t)from->category.len,
                              .written = true};
  if (put_parts(w, &slice, NULL, from->name, from->category)) push(w, stack, &slice);
}

bool tb_fxt_unpack_slices(struct tb_fxt_writer *w, const struct tb_track *track,
                          struct tb_fxt_track_state *track_state) {
  struct tb_fxt_unpacked_slice slices[PACKED_DEPTH_MAX];
  uint32_t count = pop_packed(w, &track_state->packed, slices);
  track_state->is_packed = false;
  track_state->slices = &w->no_slices;
  if (!tb_fxt_take_slices(w, track, track_state)) return false;
  while (count > 0 && w->status == TB_OK) unpack(w, &track_state->slices->stack, &slices[--count]);
  return w->status == TB_OK;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

void tb_fxt_init_slices(struct tb_fxt_writer *w) {
  w->slices = (struct tb_open_stacks){.allocator = w->writer->allocator,
                                      .size = sizeof(struct tb_fxt_slices),
                                      .frame_size = sizeof(struct tb_fxt_open)};
  tb_fxt_packed_slices_init(&w->packed, w->writer->allocator);
  w->slices.most = tb_writer_budget(w->writer, TB_WRITER_MEMORY_USUAL);
}

static void free_blocks(const void *ctx, struct tb_open_stack *stack) {
  const struct tb_fxt_open *slices = stack->frames;
  for (size_t i = 0; i < stack->count; i++) tb_free(ctx, slices[i].block, slices[i].block_size);
}

void tb_fxt_free_slices(struct tb_fxt_writer *w) {
  tb_open_stacks_free(&w->slices, free_blocks, w->writer->allocator);
  tb_fxt_packed_slices_free(&w->packed);
  for (size_t i = 0; i < w->more_count; i++) {
    const struct tb_fxt_track_more *more = tb_pages_at(&w->more, i, sizeof(*more));
    tb_free(w->writer->allocator, more->name, more->name_len);
  }
  tb_pages_free(&w->more, sizeof(struct tb_fxt_track_more));
  tb_free(w->writer->allocator, w->track_states, w->track_state_capacity * sizeof(*w->track_states));
}
