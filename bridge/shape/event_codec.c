/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/event_codec.h"

#include <stddef.h>

enum { WORD = 8, WORDS = sizeof(struct tb_event) / WORD, WORDS_MAX = 64 };
_Static_assert(sizeof(struct tb_event) % WORD == 0 && WORDS <= WORDS_MAX, "the bitmap has a bit for each word");

/* Where an event's texts are, in bytes from its begin. */
static const uint16_t texts[] = {offsetof(struct tb_event, name),
                                 offsetof(struct tb_event, categories),
                                 offsetof(struct tb_event, id.text),
                                 offsetof(struct tb_event, scope),
                                 offsetof(struct tb_event, bind_id.text),
                                 offsetof(struct tb_event, stack.ref),
                                 offsetof(struct tb_event, end_stack.ref),
                                 offsetof(struct tb_event, correlation_text),
                                 offsetof(struct tb_event, source_location.function),
                                 offsetof(struct tb_event, source_location.file),
                                 offsetof(struct tb_event, source_location.mapping),
                                 offsetof(struct tb_event, phase_text),
                                 offsetof(struct tb_event, parent_frame),
                                 offsetof(struct tb_event, blob)};
enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };

/* ---- to bytes ---------------------------------------------------------------------------------------------------- */

static bool add(struct tb_buffer *to, const void *data, size_t len) { return tb_buffer_append(to, data, len) == TB_OK; }

static bool has_text(const struct tb_arg *arg) {
  return arg->type == TB_ARG_STRING || arg->type == TB_ARG_JSON || arg->type == TB_ARG_BLOB;
}

/* What an argument is, before its name and its value. */
struct arg_head {
  uint32_t span;
  uint16_t flags;
  uint8_t type, width;
  uint32_t name_len; /* a text of 4 GiB is longer than a record may be */
};
static const uint32_t NO_NAME = UINT32_MAX; /* as items of arrays have none */

static bool add_arg(struct tb_buffer *to, const struct tb_arg *arg) {
  const struct arg_head head = {arg->span, arg->flags, arg->type, arg->width,
                                arg->name.ptr ? (uint32_t)arg->name.len : NO_NAME};
  const uint64_t value = has_text(arg) ? arg->text.len : arg->u;
  return add(to, &head, sizeof(head)) && add(to, &value, sizeof(value)) &&
         (!arg->name.ptr || add(to, arg->name.ptr, arg->name.len)) &&
         (!has_text(arg) || add(to, arg->text.ptr, arg->text.len));
}

static bool add_args(struct tb_buffer *to, const struct tb_arg *args, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (!add_arg(to, &args[i])) return false;
  return true;
}

static bool add_frames(struct tb_buffer *to, const struct tb_stack *stack) {
  if (!add(to, stack->frames, stack->frame_count * sizeof(*stack->frames))) return false;
  for (uint32_t i = 0; i < stack->frame_count; i++) {
    const struct tb_frame *frame = &stack->frames[i];
    if (!add(to, frame->function.ptr, frame->function.len) || !add(to, frame->file.ptr, frame->file.len) ||
        !add(to, frame->mapping.ptr, frame->mapping.len))
      return false;
  }
  return true;
}

static bool add_words(struct tb_buffer *to, const struct tb_event *event) {
  uint64_t bitmap = 0, words[WORDS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < WORDS; i++) {
    uint64_t word = tb_load64((const char *)event + i * WORD);
    if (!word) continue;
    bitmap |= 1ULL << i;
    words[count++] = word;
  }
  return add(to, &bitmap, sizeof(bitmap)) && add(to, words, count * WORD);
}

enum tb_status tb_event_encode(struct tb_buffer *to, const struct tb_event *event) {
  if (!add_words(to, event)) return TB_NO_MEMORY;
  for (size_t i = 0; i < TEXTS; i++) {
    const struct tb_str *text = (const struct tb_str *)((const char *)event + texts[i]);
    if (text->len && !add(to, text->ptr, text->len)) return TB_NO_MEMORY;
  }
  bool ok = (!event->arg_count || add_args(to, event->args, event->arg_count)) &&
            (!event->extra_count || add_args(to, event->extra, event->extra_count)) &&
            (!event->stack.frame_count || add_frames(to, &event->stack)) &&
            (!event->end_stack.frame_count || add_frames(to, &event->end_stack)) &&
            add(to, event->flow_ids, event->flow_count * sizeof(*event->flow_ids)) &&
            add(to, event->terminating_flow_ids, event->terminating_flow_count * sizeof(*event->flow_ids)) &&
            add(to, event->clocks, event->clock_count * sizeof(*event->clocks));
  return ok ? TB_OK : TB_NO_MEMORY;
}

/* ---- from bytes -------------------------------------------------------------------------------------------------- */

struct source {
  const char *at;
  struct tb_arena *arena;
};

/* A copy of the next bytes; NULL without memory. */
static void *take(struct source *s, size_t len) {
  void *to = tb_arena_alloc(s->arena, len);
  if (to && len) memcpy(to, s->at, len);
  s->at += len;
  return to;
}

/* Texts are in the arena's copy of the bytes. */
static void take_text(struct source *s, struct tb_str *text) {
  if (!text->len) return;
  text->ptr = s->at;
  s->at += text->len;
}

static void take_arg(struct source *s, struct tb_arg *arg) {
  struct arg_head head;
  uint64_t value = tb_load64(s->at + sizeof(head));
  memcpy(&head, s->at, sizeof(head));
  s->at += sizeof(head) + sizeof(value);
  *arg = (struct tb_arg){.span = head.span, .type = head.type, .width = head.width, .flags = head.flags};
  if (head.name_len != NO_NAME) arg->name = (struct tb_str){"", head.name_len};
  take_text(s, &arg->name);
  arg->u = value;
  if (!has_text(arg)) return;
  arg->text = (struct tb_str){"", (size_t)value};
  take_text(s, &arg->text);
}

static bool take_args(struct source *s, const struct tb_arg **args, uint32_t count) {
  if (!count) return true;
  struct tb_arg *own = tb_arena_alloc(s->arena, count * sizeof(*own));
  for (uint32_t i = 0; own && i < count; i++) take_arg(s, &own[i]);
  *args = own;
  return own != NULL;
}

static bool take_frames(struct source *s, struct tb_stack *stack) {
  if (!stack->frame_count) return true;
  struct tb_frame *own = take(s, stack->frame_count * sizeof(*own));
  for (uint32_t i = 0; own && i < stack->frame_count; i++) {
    take_text(s, &own[i].function);
    take_text(s, &own[i].file);
    take_text(s, &own[i].mapping);
  }
  stack->frames = own;
  return own != NULL;
}

static void take_words(struct source *s, struct tb_event *event) {
  uint64_t bitmap = tb_load64(s->at);
  s->at += WORD;
  memset(event, 0, sizeof(*event));
  for (; bitmap; bitmap &= bitmap - 1) {
    memcpy((char *)event + (size_t)__builtin_ctzll(bitmap) * WORD, s->at, WORD);
    s->at += WORD;
  }
}

enum tb_status tb_event_decode(struct tb_str bytes, struct tb_arena *arena, struct tb_event *event) {
  struct source s = {tb_arena_copy(arena, bytes).ptr, arena};
  if (!s.at) return TB_NO_MEMORY;
  take_words(&s, event);
  for (size_t i = 0; i < TEXTS; i++) take_text(&s, (struct tb_str *)((char *)event + texts[i]));
  bool ok = take_args(&s, &event->args, event->arg_count) && take_args(&s, &event->extra, event->extra_count) &&
            take_frames(&s, &event->stack) && take_frames(&s, &event->end_stack);
  if (!ok) return TB_NO_MEMORY;
  if (event->flow_count) event->flow_ids = take(&s, event->flow_count * sizeof(*event->flow_ids));
  if (event->terminating_flow_count)
    event->terminating_flow_ids = take(&s, event->terminating_flow_count * sizeof(*event->flow_ids));
  if (event->clock_count) event->clocks = take(&s, event->clock_count * sizeof(*event->clocks));
  ok = (!event->flow_count || event->flow_ids) && (!event->terminating_flow_count || event->terminating_flow_ids) &&
       (!event->clock_count || event->clocks);
  return ok ? TB_OK : TB_NO_MEMORY;
}
