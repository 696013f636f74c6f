/* SPDX-License-Identifier: Apache-2.0
 *
 * Call stacks that an FXT trace carries: see fxt/callstack_names.h.
 */
#include "fxt/callstack_names.h"
#include "fxt/reader/reader.h"
#include "json/value.h"
#include "model/arg_lookup.h"

static struct tb_str text_of(const struct tb_arg *args, uint32_t count, struct tb_str name) {
  const struct tb_arg *arg = tb_find_member(args, count, name);
  return arg && arg->type == TB_ARG_STRING ? arg->text : (struct tb_str){NULL, 0};
}

static uint64_t number_of(const struct tb_arg *args, uint32_t count, struct tb_str name) {
  const struct tb_arg *arg = tb_find_member(args, count, name);
  return arg && (arg->type == TB_ARG_INT || arg->type == TB_ARG_UINT) ? arg->u : 0;
}

static struct tb_frame frame_of(const struct tb_arg *dict) {
  const struct tb_arg *parts = dict + 1;
  uint32_t count = dict->span - 1;
  return (struct tb_frame){.function = text_of(parts, count, TB_FXT_FRAME_FUNCTION),
                           .mapping = text_of(parts, count, TB_FXT_FRAME_MAPPING),
                           .file = text_of(parts, count, TB_FXT_FRAME_FILE),
                           .line = (uint32_t)number_of(parts, count, TB_FXT_FRAME_LINE),
                           .pc = number_of(parts, count, TB_FXT_FRAME_PC)};
}

static bool is_list_of_dicts(const struct tb_arg *list) {
  if (list->type != TB_ARG_ARRAY) return false;
  for (uint32_t i = 1; i < list->span; i += list[i].span)
    if (list[i].type != TB_ARG_DICT) return false;
  return true;
}

/* Reads a list of frames; false where it is none. */
static bool take_frames(struct tb_arena *arena, struct tb_str text, struct tb_stack *stack) {
  struct tb_arg *list;
  if (!tb_json_parse_value(arena, text, &list) || !is_list_of_dicts(list)) return false;
  struct tb_frame *frames = tb_arena_alloc(arena, list->span * sizeof(*frames));
  if (!frames) return false;
  stack->frames = frames;
  stack->frame_count = 0;
  for (uint32_t i = 1; i < list->span; i += list[i].span) frames[stack->frame_count++] = frame_of(&list[i]);
  return true;
}

bool tb_fxt_restore_stack(struct tb_fxt_reader *fx, struct tb_event *event, enum tb_carried_id field,
                          const struct tb_arg *arg) {
  bool is_of_end = field == TB_CARRIED_END_STACK_REF || field == TB_CARRIED_END_STACK;
  bool is_ref = field == TB_CARRIED_STACK_REF || field == TB_CARRIED_END_STACK_REF;
  struct tb_stack *stack = is_of_end && event->type != TB_EVENT_SLICE_END ? &event->end_stack : &event->stack;
  if (!is_ref) return arg->type == TB_ARG_JSON && take_frames(&fx->batch->arena, arg->text, stack);
  if (arg->type != TB_ARG_STRING) return false;
  stack->ref = arg->text;
  return true;
}

enum tb_status tb_fxt_add_stack_frame(struct tb_fxt_reader *fx, struct tb_str id) {
  struct tb_event *event;
  enum tb_status status = tb_fxt_add_event(fx, TB_EVENT_STACK_FRAME, NULL, &event);
  if (status == TB_OK) status = tb_fxt_give_args(fx, NULL, event);
  if (status != TB_OK) return status;
  event->id = (struct tb_id){.kind = TB_ID_PLAIN, .text = id};
  event->name = text_of(event->args, event->arg_count, TB_FXT_FRAME_FUNCTION);
  event->categories = text_of(event->args, event->arg_count, TB_FXT_FRAME_MAPPING);
  event->parent_frame = text_of(event->args, event->arg_count, TB_FXT_FRAME_PARENT);
  event->has = (event->name.ptr ? TB_HAS_NAME : 0) | (event->categories.ptr ? TB_HAS_CATEGORIES : 0);
  event->args = NULL;
  event->arg_count = 0;
  return TB_OK;
}
