/* SPDX-License-Identifier: Apache-2.0
 *
 * Carrying call stacks: see fxt/callstack_names.h.
 */
#include "fxt/callstack_names.h"
#include "fxt/writer/writer.h"

enum { FRAME_ARGS = 6 };

static uint32_t add_text(struct tb_arg *args, uint32_t count, struct tb_str name, struct tb_str text) {
  if (!text.ptr) return count;
  args[count] = (struct tb_arg){.name = name, .text = text, .span = 1, .type = TB_ARG_STRING};
  return count + 1;
}

static uint32_t add_number(struct tb_arg *args, uint32_t count, struct tb_str name, uint64_t number) {
  if (number == 0) return count;
  args[count] = (struct tb_arg){.name = name, .u = number, .span = 1, .type = TB_ARG_UINT};
  return count + 1;
}

/* A frame as a dict; how many arguments that takes. */
static uint32_t put_frame(struct tb_arg *args, const struct tb_frame *frame) {
  uint32_t count = add_text(args, 1, TB_FXT_FRAME_FUNCTION, frame->function);
  count = add_text(args, count, TB_FXT_FRAME_MAPPING, frame->mapping);
  count = add_text(args, count, TB_FXT_FRAME_FILE, frame->file);
  count = add_number(args, count, TB_FXT_FRAME_LINE, frame->line);
  count = add_number(args, count, TB_FXT_FRAME_PC, frame->pc);
  args[0] = (struct tb_arg){.span = count, .type = TB_ARG_DICT};
  return count;
}

/* The frames as a list in JSON. */
static struct tb_str spell_frames(struct tb_fxt_writer *w, const struct tb_stack *stack) {
  struct tb_arg *args = tb_arena_alloc(&w->scratch, (1 + (size_t)stack->frame_count * FRAME_ARGS) * sizeof(*args));
  if (!args) {
    tb_fxt_fail(w, TB_NO_MEMORY);
    return (struct tb_str){NULL, 0};
  }
  uint32_t count = 1;
  for (uint32_t i = 0; i < stack->frame_count; i++) count += put_frame(&args[count], &stack->frames[i]);
  args[0] = (struct tb_arg){.span = count, .type = TB_ARG_ARRAY};
  return tb_fxt_as_json(w, args, count, false);
}

static void carry(struct tb_fxt_writer *w, const struct tb_stack *stack, enum tb_carried_id ref,
                  enum tb_carried_id frames) {
  if (stack->ref.ptr) {
    tb_fxt_carry_text(w, ref, stack->ref);
  } else if (stack->frame_count) {
    tb_fxt_carry_json(w, frames, spell_frames(w, stack));
  }
}

/* The stack of an end goes under the names that it has in a complete record, which may hold it. */
void tb_fxt_carry_stacks(struct tb_fxt_writer *w, const struct tb_event *event) {
  bool is_end = event->type == TB_EVENT_SLICE_END && (event->stack.ref.ptr || event->stack.frame_count);
  if (!is_end) carry(w, &event->stack, TB_CARRIED_STACK_REF, TB_CARRIED_STACK);
  carry(w, is_end ? &event->stack : &event->end_stack, TB_CARRIED_END_STACK_REF, TB_CARRIED_END_STACK);
}

void tb_fxt_put_stack_frame(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_arg args[3];
  struct tb_event blob = *event;
  uint32_t count = 0;
  if (event->has & TB_HAS_NAME || event->name.len) count = add_text(args, count, TB_FXT_FRAME_FUNCTION, event->name);
  if (event->has & TB_HAS_CATEGORIES || event->categories.len)
    count = add_text(args, count, TB_FXT_FRAME_MAPPING, event->categories);
  if (event->parent_frame.ptr) count = add_text(args, count, TB_FXT_FRAME_PARENT, event->parent_frame);
  blob.args = args;
  blob.arg_count = count;
  blob.name = event->id.text;
  tb_fxt_flatten(w, &blob);
  if (!w->provider) tb_fxt_use_process(w, 0);
  tb_fxt_put_large(w, &blob, TB_STR(TB_FXT_CATEGORY_FRAME), true);
}
