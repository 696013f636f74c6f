/* SPDX-License-Identifier: Apache-2.0
 *
 * Call stacks: references to entries of stackFrames, which are written once each and are behind the events.
 */
#include "base/error.h"
#include "chrome_json/writer/writer.h"

enum { KEY_HEAD = 16 };

static enum tb_status add_entry(struct tb_json_writer *w) {
  const struct tb_buffer *text = &w->scratch.buffer;
  if (w->scratch.status != TB_OK) return w->scratch.status;
  size_t skip = tb_spool_empty(&w->frames) ? 2 : 0; /* the first needs no comma and line */
  return tb_spool_add(&w->frames, text->data + skip, text->len - skip, &w->writer->error);
}

/* The ids of frames that we make are not those of the source, which come first where it has both. */
static void note_id(struct tb_json_writer *w, struct tb_str id) {
  enum { DIGITS_MOST = 9 };
  uint32_t number = 0;
  if (id.len < 2 || id.len > 1 + DIGITS_MOST || id.ptr[0] != 'f' || w->frame_ids.count) return;
  for (size_t i = 1; i < id.len; i++) {
    if (id.ptr[i] < '0' || id.ptr[i] > '9') return;
    number = number * 10 + (uint32_t)(id.ptr[i] - '0');
  }
  if (number > w->first_frame) w->first_frame = number;
}

/* An entry that the source has. */
enum tb_status tb_json_put_stack_frame(struct tb_json_writer *w, const struct tb_event *event) {
  note_id(w, event->id.text);
  struct tb_json_emit *emit = &w->scratch;
  emit->buffer.len = 0;
  TB_JSON_EMIT(emit, ",\n");
  tb_json_emit_string(emit, event->id.text);
  TB_JSON_EMIT(emit, ":");
  size_t start = emit->buffer.len;
  if (event->has & TB_HAS_CATEGORIES || event->categories.len) {
    TB_JSON_EMIT(emit, ",\"category\":");
    tb_json_emit_string(emit, event->categories);
  }
  if (event->has & TB_HAS_NAME || event->name.len) {
    TB_JSON_EMIT(emit, ",\"name\":");
    tb_json_emit_string(emit, event->name);
  }
  if (event->parent_frame.ptr) {
    TB_JSON_EMIT(emit, ",\"parent\":");
    tb_json_emit_reference(emit, event->parent_frame);
  }
  tb_json_emit_members(emit, event->extra, event->extra_count);
  if (emit->buffer.len == start) TB_JSON_EMIT(emit, "{");
  if (emit->status == TB_OK) emit->buffer.data[start] = '{';
  TB_JSON_EMIT(emit, "}");
  return add_entry(w);
}

static void emit_frame_id(const struct tb_json_writer *w, struct tb_json_emit *emit, uint32_t id) {
  TB_JSON_EMIT(emit, "\"f");
  if (w->split_part.len) {
    tb_json_emit_raw(emit, w->split_part.ptr, w->split_part.len);
    TB_JSON_EMIT(emit, ".");
  }
  tb_json_emit_uint(emit, (uint64_t)w->first_frame + id);
  TB_JSON_EMIT(emit, "\"");
}

static enum tb_status write_frame(struct tb_json_writer *w, const struct tb_frame *frame, uint32_t id,
                                  uint32_t parent) {
  struct tb_json_emit *emit = &w->scratch;
  emit->buffer.len = 0;
  TB_JSON_EMIT(emit, ",\n");
  emit_frame_id(w, emit, id);
  TB_JSON_EMIT(emit, ":{\"name\":");
  if (frame->function.len || !frame->pc) {
    tb_json_emit_string(emit, frame->function);
  } else {
    char *at = tb_json_emit_room(emit, TB_JSON_INTEGER_MAX);
    if (at) tb_json_emit_end(emit, tb_json_put_hex(at, frame->pc));
  }
  tb_json_emit_frame_place(emit, frame);
  if (parent) {
    TB_JSON_EMIT(emit, ",\"parent\":");
    emit_frame_id(w, emit, parent);
  }
  TB_JSON_EMIT(emit, "}");
  return add_entry(w);
}

/* What tells one frame from another, as bytes in `scratch`. */
static struct tb_str frame_key(struct tb_json_emit *emit, const struct tb_frame *frame, uint32_t parent) {
  const struct tb_str texts[] = {frame->function, frame->mapping, frame->file};
  char head[KEY_HEAD];
  emit->buffer.len = 0;
  memcpy(head, &parent, 4);
  memcpy(head + 4, &frame->line, 4);
  memcpy(head + 8, &frame->pc, 8);
  tb_json_emit_raw(emit, head, sizeof(head));
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    uint64_t len = texts[i].len;
    tb_json_emit_raw(emit, (const char *)&len, sizeof(len));
    tb_json_emit_raw(emit, texts[i].ptr, texts[i].len);
  }
  return (struct tb_str){emit->buffer.data, emit->buffer.len};
}

/* The id of the innermost frame, 0 on failure. */
static uint32_t intern_stack(struct tb_json_writer *w, const struct tb_stack *stack) {
  uint32_t parent = 0;
  for (uint32_t i = 0; i < stack->frame_count; i++) {
    struct tb_str key = frame_key(&w->scratch, &stack->frames[i], parent);
    if (w->scratch.status != TB_OK) return 0;
    uint32_t hash = tb_intern_hash(key), id = tb_intern_find(&w->frame_ids, key, hash);
    if (!id) {
      id = tb_intern_add(&w->frame_ids, key, hash);
      if (!id || write_frame(w, &stack->frames[i], id, parent) != TB_OK) return 0;
    }
    parent = id;
  }
  return parent;
}

/* A stack that JSON gave in place, as an array of texts. */
static void emit_texts(struct tb_json_emit *emit, const struct tb_stack *stack) {
  for (uint32_t i = 0; i < stack->frame_count; i++) {
    tb_json_emit_raw(emit, i ? "," : "[", 1);
    tb_json_emit_string(emit, stack->frames[i].function);
  }
  TB_JSON_EMIT(emit, "]");
}

static void emit_stack(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_stack *stack, bool is_end) {
  if (stack->ref.ptr) {
    if (is_end)
      TB_JSON_EMIT(emit, ",\"esf\":");
    else
      TB_JSON_EMIT(emit, ",\"sf\":");
    tb_json_emit_reference(emit, stack->ref);
  } else if (stack->frame_count && w->from_json) {
    if (is_end)
      TB_JSON_EMIT(emit, ",\"estack\":");
    else
      TB_JSON_EMIT(emit, ",\"stack\":");
    emit_texts(emit, stack);
  } else if (stack->frame_count) {
    uint32_t id = intern_stack(w, stack);
    if (!id) {
      if (emit->status == TB_OK) emit->status = TB_NO_MEMORY;
      return;
    }
    if (is_end)
      TB_JSON_EMIT(emit, ",\"esf\":");
    else
      TB_JSON_EMIT(emit, ",\"sf\":");
    emit_frame_id(w, emit, id);
  }
}

void tb_json_emit_stacks(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event) {
  emit_stack(w, emit, &event->stack, false);
  emit_stack(w, emit, &event->end_stack, true);
}
