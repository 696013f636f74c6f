/* SPDX-License-Identifier: Apache-2.0 */
#include "json/emitter.h"

#include "base/intern.h"
#include "base/map.h"

enum { ESCAPED_BYTES = 4096 };

void tb_json_emit_init(struct tb_json_emit *emit, const struct tb_allocator *allocator) {
  *emit = (struct tb_json_emit){.status = TB_OK};
  tb_buffer_init(&emit->buffer, allocator, 0);
}

void tb_json_emit_free(struct tb_json_emit *emit) { tb_buffer_free(&emit->buffer); }

char *tb_json_emit_more_room(struct tb_json_emit *emit, size_t len) {
  enum tb_status status = tb_buffer_reserve(&emit->buffer, len ? len : 1); /* of nothing there is an address, too */
  if (status == TB_OK) return emit->buffer.data + emit->buffer.len;
  if (emit->status == TB_OK) emit->status = status;
  return NULL;
}

void tb_json_emit_escaped(struct tb_json_emit *emit, enum tb_escape_form form, struct tb_str text) {
  while (text.len) {
    size_t room = (text.len < ESCAPED_BYTES ? text.len : ESCAPED_BYTES) + TB_ESCAPE_MAX;
    char *at = tb_json_emit_room(emit, room);
    if (!at) return;
    tb_json_emit_end(emit, at + tb_escape(form, &text, at, room));
  }
}

static void emit_string_for_people(struct tb_json_emit *emit, struct tb_str text) {
  TB_JSON_EMIT(emit, "\"");
  tb_json_emit_escaped(emit, TB_ESCAPE_JSON, text);
  TB_JSON_EMIT(emit, "\"");
}

void tb_json_emit_string(struct tb_json_emit *emit, struct tb_str text) {
  if (text.len > SIZE_MAX / 16) {
    emit->status = TB_LIMIT;
    return;
  }
  if (emit->for_people) {
    emit_string_for_people(emit, text);
    return;
  }
  char *at = tb_json_emit_room(emit, text.len * 6 + TB_JSON_STRING_EXTRA);
  if (at) tb_json_emit_end(emit, tb_json_put_string(at, text));
}

void tb_json_emit_uint(struct tb_json_emit *emit, uint64_t value) {
  char *at = tb_json_emit_room(emit, TB_JSON_INTEGER_MAX);
  if (at) tb_json_emit_end(emit, tb_json_put_uint(at, value));
}

void tb_json_emit_int(struct tb_json_emit *emit, int64_t value) {
  char *at = tb_json_emit_room(emit, TB_JSON_INTEGER_MAX);
  if (at) tb_json_emit_end(emit, tb_json_put_int(at, value));
}

void tb_json_emit_micros(struct tb_json_emit *emit, int64_t ns) {
  char *at = tb_json_emit_room(emit, TB_JSON_MICROS_MAX);
  if (at) tb_json_emit_end(emit, tb_json_put_micros(at, ns));
}

void tb_json_emit_double(struct tb_json_emit *emit, double value) {
  char *at = tb_json_emit_room(emit, TB_JSON_DOUBLE_MAX);
  if (at) tb_json_emit_end(emit, tb_json_put_double(at, value));
}

void tb_json_emit_fixed(struct tb_json_emit *emit, double value, unsigned decimals) {
  char *at = tb_json_emit_room(emit, TB_JSON_FIXED_MAX);
  if (at) tb_json_emit_end(emit, tb_json_put_fixed(at, value, decimals));
}

void tb_json_emit_hex(struct tb_json_emit *emit, uint64_t value) {
  char *at = tb_json_emit_room(emit, TB_JSON_INTEGER_MAX);
  if (at) tb_json_emit_end(emit, tb_json_put_hex(at, value));
}

static void emit_json_text(struct tb_json_emit *emit, struct tb_str text) {
  if (tb_json_is_valid(text, TB_JSON_TEXT_DEPTH)) {
    if (emit->for_people)
      tb_json_emit_escaped(emit, TB_ESCAPE_JSON_VALUE, text);
    else
      tb_json_emit_raw(emit, text.ptr, text.len);
    return;
  }
  emit->bad_json++;
  tb_json_emit_string(emit, text);
}

/* ---- names that come again: an object has each once, and of several the last counts ------------------------------ */

/* Whether siblings may have one name: no two of different hashes do. */
static bool may_repeat(const struct tb_arg *args, size_t count) {
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i += args[i].span) {
    struct tb_str name = args[i].name;
    size_t hash = name.len ? name.len * 7 + (unsigned char)name.ptr[0] * 3 + (unsigned char)name.ptr[name.len - 1] : 0;
    uint64_t bit = UINT64_C(1) << (hash + (name.len > 2 ? (unsigned char)name.ptr[name.len / 2] * 5 : 0)) % 64;
    if (seen & bit) return true;
    seen |= bit;
  }
  return false;
}

/* Which of the siblings is the last of its name, in a map by the names' hashes. False without memory, which the status
 * shows then. */
static bool find_last(struct tb_json_emit *emit, struct tb_map *last, const struct tb_arg *args, size_t count) {
  tb_map_init(last, emit->buffer.allocator);
  for (size_t i = 0; i < count; i += args[i].span) {
    if (tb_map_put(last, tb_str_hash(args[i].name, 0), args[i].name.len, i) == TB_OK) continue;
    if (emit->status == TB_OK) emit->status = TB_NO_MEMORY;
    return false;
  }
  return true;
}

static bool is_repeated(const struct tb_arg *args, size_t count, size_t at) {
  for (size_t i = at + args[at].span; i < count; i += args[i].span)
    if (tb_str_equal(args[i].name, args[at].name)) return true;
  return false;
}

/* `,"name":value`: a member of an object. */
static void emit_member(struct tb_json_emit *emit, const struct tb_arg *arg) {
  if (emit->for_people || arg->name.len > SIZE_MAX / 16) {
    TB_JSON_EMIT(emit, ",");
    tb_json_emit_string(emit, arg->name);
    TB_JSON_EMIT(emit, ":");
  } else {
    char *at = tb_json_emit_room(emit, arg->name.len * 6 + TB_JSON_STRING_EXTRA + 2);
    if (!at) return;
    *at++ = ',';
    at = tb_json_put_string(at, arg->name);
    *at++ = ':';
    tb_json_emit_end(emit, at);
  }
  tb_json_emit_value(emit, arg);
}

/* Of siblings of one name the last alone. */
static void emit_last_of_each(struct tb_json_emit *emit, const struct tb_arg *args, size_t count) {
  enum { FEW = 64 };
  struct tb_map last;
  bool mapped = count > FEW;
  if (mapped && !find_last(emit, &last, args, count)) count = 0;
  for (size_t i = 0; i < count; i += args[i].span) {
    const uint64_t *found = mapped ? tb_map_find(&last, tb_str_hash(args[i].name, 0), args[i].name.len) : NULL;
    bool again = found ? *found != i : is_repeated(args, count, i);
    if (!again) emit_member(emit, &args[i]);
  }
  if (mapped) tb_map_free(&last);
}

void tb_json_emit_members(struct tb_json_emit *emit, const struct tb_arg *args, size_t count) {
  if (count > 1 && !emit->for_people && may_repeat(args, count)) { /* people are shown all */
    emit_last_of_each(emit, args, count);
    return;
  }
  for (size_t i = 0; i < count; i += args[i].span) emit_member(emit, &args[i]);
}

void tb_json_emit_object(struct tb_json_emit *emit, const struct tb_arg *args, size_t count) {
  size_t start = emit->buffer.len;
  tb_json_emit_members(emit, args, count);
  if (emit->status == TB_OK && emit->buffer.len > start)
    emit->buffer.data[start] = '{';
  else
    TB_JSON_EMIT(emit, "{");
  TB_JSON_EMIT(emit, "}");
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void emit_array(struct tb_json_emit *emit, const struct tb_arg *array) {
  const struct tb_arg *end = array + array->span;
  TB_JSON_EMIT(emit, "[");
  for (const struct tb_arg *item = array + 1; item < end; item += item->span) {
    if (item > array + 1) TB_JSON_EMIT(emit, ",");
    tb_json_emit_value(emit, item);
  }
  TB_JSON_EMIT(emit, "]");
}

/* An object or array; null where it is nested too deep. */
static void emit_container(struct tb_json_emit *emit, const struct tb_arg *arg) {
  if (emit->depth == TB_JSON_WRITE_DEPTH) {
    emit->too_deep = true;
    TB_JSON_EMIT(emit, "null");
    return;
  }
  emit->depth++;
  if (arg->type == TB_ARG_DICT)
    tb_json_emit_object(emit, arg + 1, arg->span - 1);
  else
    emit_array(emit, arg);
  emit->depth--;
}

void tb_json_emit_value(struct tb_json_emit *emit, const struct tb_arg *arg) {
  switch ((enum tb_arg_type)arg->type) {
    case TB_ARG_BOOL:
      if (arg->u)
        TB_JSON_EMIT(emit, "true");
      else
        TB_JSON_EMIT(emit, "false");
      return;
    case TB_ARG_INT:
      tb_json_emit_int(emit, arg->i);
      return;
    case TB_ARG_POINTER:
      if (emit->hex_pointers)
        tb_json_emit_hex(emit, arg->u);
      else
        tb_json_emit_uint(emit, arg->u);
      return;
    case TB_ARG_UINT:
    case TB_ARG_KOID:
      tb_json_emit_uint(emit, arg->u);
      return;
    case TB_ARG_DOUBLE:
      tb_json_emit_double(emit, arg->d);
      return;
    case TB_ARG_BLOB:
      emit->blobs++;
      tb_json_emit_string(emit, arg->text);
      return;
    case TB_ARG_STRING:
      tb_json_emit_string(emit, arg->text);
      return;
    case TB_ARG_JSON:
      emit_json_text(emit, arg->text);
      return;
    case TB_ARG_DICT:
    case TB_ARG_ARRAY:
      emit_container(emit, arg);
      return;
    case TB_ARG_NULL:
      break;
  }
  TB_JSON_EMIT(emit, "null");
}

void tb_json_emit_frame_place(struct tb_json_emit *emit, const struct tb_frame *frame) {
  if (frame->mapping.len) {
    TB_JSON_EMIT(emit, ",\"category\":");
    tb_json_emit_string(emit, frame->mapping);
  }
  if (frame->file.len) {
    TB_JSON_EMIT(emit, ",\"file\":");
    tb_json_emit_string(emit, frame->file);
  }
  if (frame->line) {
    TB_JSON_EMIT(emit, ",\"line\":");
    tb_json_emit_uint(emit, frame->line);
  }
}
