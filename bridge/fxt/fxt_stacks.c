/* SPDX-License-Identifier: Apache-2.0
 *
 * Call stacks, which FXT has no place for: carried in arguments, as references or as JSON text, and the trace's stack frames in large
 * blobs.
 */
#include "fxt/reader/reader.h"
#include "fxt/writer/writer.h"
#include "json/value.h"
#include "model/arg_lookup.h"

/* Names of a frame's parts; the first may stand alone. */
#define FUNCTION TB_STR("name")
#define MAPPING TB_STR("category")
#define FILE_NAME TB_STR("file")
#define LINE TB_STR("line")
#define PC TB_STR("pc")
#define PARENT TB_STR("parent")

enum { FRAME_ARGS = 6 };

/* ---- writing ------------------------------------------------------------------------------------------------------- */

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
  uint32_t count = add_text(args, 1, FUNCTION, frame->function);
  count = add_text(args, count, MAPPING, frame->mapping);
  count = add_text(args, count, FILE_NAME, frame->file);
  count = add_number(args, count, LINE, frame->line);
  count = add_number(args, count, PC, frame->pc);
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

static void carry(struct tb_fxt_writer *w, const struct tb_stack *stack, const char *ref, const char *frames) {
  if (stack->ref.ptr) {
    tb_fxt_add_text(w, ref, stack->ref);
  } else if (stack->frame_count) {
    tb_fxt_add_text(w, frames, spell_frames(w, stack));
  }
}

/* The stack of an end goes under the names that it has in a complete record, which may hold it. */
void tb_fxt_carry_stacks(struct tb_fxt_writer *w, const struct tb_event *event) {
  bool is_end = event->type == TB_EVENT_SLICE_END;
  if (!is_end) carry(w, &event->stack, TB_FXT_CARRIED TB_FXT_STACK_REF, TB_FXT_CARRIED TB_FXT_STACK TB_FXT_JSON_SUFFIX);
  carry(w, is_end ? &event->stack : &event->end_stack, TB_FXT_CARRIED TB_FXT_END_STACK_REF,
        TB_FXT_CARRIED TB_FXT_END_STACK TB_FXT_JSON_SUFFIX);
}

void tb_fxt_put_stack_frame(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_arg args[3];
  struct tb_event blob = *event;
  uint32_t count = 0;
  if (event->has & TB_HAS_NAME || event->name.len) count = add_text(args, count, FUNCTION, event->name);
  if (event->has & TB_HAS_CATEGORIES || event->categories.len)
    count = add_text(args, count, MAPPING, event->categories);
  if (event->parent_frame.ptr) count = add_text(args, count, PARENT, event->parent_frame);
  blob.args = args;
  blob.arg_count = count;
  blob.name = event->id.text;
  tb_fxt_flatten(w, &blob);
  if (!w->provider) tb_fxt_use_process(w, 0);
  tb_fxt_put_large(w, &blob, TB_STR(TB_FXT_CATEGORY_FRAME), true);
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

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
  return (struct tb_frame){.function = text_of(parts, count, FUNCTION),
                           .mapping = text_of(parts, count, MAPPING),
                           .file = text_of(parts, count, FILE_NAME),
                           .line = (uint32_t)number_of(parts, count, LINE),
                           .pc = number_of(parts, count, PC)};
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

bool tb_fxt_restore_stack(struct tb_fxt_reader *fx, struct tb_event *event, struct tb_str name,
                          const struct tb_arg *arg) {
  bool is_ref = arg->type == TB_ARG_STRING, is_list = arg->type == TB_ARG_JSON;
  struct tb_stack *end_stack = event->type == TB_EVENT_SLICE_END ? &event->stack : &event->end_stack;
  if (is_ref && tb_str_equal(name, TB_STR(TB_FXT_STACK_REF)))
    event->stack.ref = arg->text;
  else if (is_ref && tb_str_equal(name, TB_STR(TB_FXT_END_STACK_REF)))
    end_stack->ref = arg->text;
  else if (is_list && tb_str_equal(name, TB_STR(TB_FXT_STACK)))
    return take_frames(&fx->batch->arena, arg->text, &event->stack);
  else if (is_list && tb_str_equal(name, TB_STR(TB_FXT_END_STACK)))
    return take_frames(&fx->batch->arena, arg->text, end_stack);
  else
    return false;
  return true;
}

enum tb_status tb_fxt_add_stack_frame(struct tb_fxt_reader *fx, struct tb_str id) {
  struct tb_event *event;
  enum tb_status status = tb_fxt_add_event(fx, TB_EVENT_STACK_FRAME, NULL, &event);
  if (status == TB_OK) status = tb_fxt_give_args(fx, NULL, event);
  if (status != TB_OK) return status;
  event->id = (struct tb_id){.kind = TB_ID_PLAIN, .text = id};
  event->name = text_of(event->args, event->arg_count, FUNCTION);
  event->categories = text_of(event->args, event->arg_count, MAPPING);
  event->parent_frame = text_of(event->args, event->arg_count, PARENT);
  event->has = (event->name.ptr ? TB_HAS_NAME : 0) | (event->categories.ptr ? TB_HAS_CATEGORIES : 0);
  event->args = NULL;
  event->arg_count = 0;
  return TB_OK;
}
