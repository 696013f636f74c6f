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

static void emit_json_text(struct tb_json_emit *emit, struct tb_str text, unsigned *bad_json) {
  if (tb_json_is_valid(text, TB_JSON_TEXT_DEPTH)) {
    if (emit->for_people)
      tb_json_emit_escaped(emit, TB_ESCAPE_JSON_VALUE, text);
    else
      tb_json_emit_raw(emit, text.ptr, text.len);
    return;
  }
  if (bad_json) ++*bad_json;
  tb_json_emit_string(emit, text);
}

static void emit_scalar(struct tb_json_emit *emit, const struct tb_arg *arg, unsigned *bad_json) {
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
    case TB_ARG_STRING:
    case TB_ARG_BLOB:
      tb_json_emit_string(emit, arg->text);
      return;
    case TB_ARG_JSON:
      emit_json_text(emit, arg->text, bad_json);
      return;
    case TB_ARG_NULL:
    case TB_ARG_DICT:
    case TB_ARG_ARRAY:
      break;
  }
  TB_JSON_EMIT(emit, "null");
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

typedef void sibling_sink(struct tb_json_emit *emit, const struct tb_arg *arg, unsigned *bad_json, unsigned depth);

static void for_each_last(struct tb_json_emit *emit, const struct tb_arg *args, size_t count, sibling_sink *put,
                          unsigned *bad_json, unsigned depth) {
  enum { FEW = 64 };
  struct tb_map last;
  bool mapped = count > FEW;
  if (mapped && !find_last(emit, &last, args, count)) count = 0;
  for (size_t i = 0; i < count; i += args[i].span) {
    const uint64_t *found = mapped ? tb_map_find(&last, tb_str_hash(args[i].name, 0), args[i].name.len) : NULL;
    bool again = found ? *found != i : is_repeated(args, count, i);
    if (!again) put(emit, &args[i], bad_json, depth);
  }
  if (mapped) tb_map_free(&last);
}

/* Calls `put` for each of the siblings, but of those of one name for the last alone; people are shown all. */
static void for_each_name(struct tb_json_emit *emit, const struct tb_arg *args, size_t count, sibling_sink *put,
                          unsigned *bad_json, unsigned depth) {
  if (count > 1 && !emit->for_people && may_repeat(args, count)) {
    for_each_last(emit, args, count, put, bad_json, depth);
    return;
  }
  for (size_t i = 0; i < count; i += args[i].span) put(emit, &args[i], bad_json, depth);
}

static void emit_children(struct tb_json_emit *emit, const struct tb_arg *arg, unsigned *bad_json, unsigned depth);

static void emit_at_depth(struct tb_json_emit *emit, const struct tb_arg *arg, unsigned *bad_json, unsigned depth) {
  bool nests = arg->type == TB_ARG_DICT || arg->type == TB_ARG_ARRAY;
  if (nests && depth >= TB_JSON_WRITE_DEPTH) emit->too_deep = true;
  if (nests && depth < TB_JSON_WRITE_DEPTH)
    emit_children(emit, arg, bad_json, depth + 1);
  else
    emit_scalar(emit, arg, bad_json);
}

/* `,"name":` */
static void emit_name(struct tb_json_emit *emit, struct tb_str name) {
  if (emit->for_people || name.len > SIZE_MAX / 16) {
    TB_JSON_EMIT(emit, ",");
    tb_json_emit_string(emit, name);
    TB_JSON_EMIT(emit, ":");
    return;
  }
  char *at = tb_json_emit_room(emit, name.len * 6 + TB_JSON_STRING_EXTRA + 2);
  if (!at) return;
  *at++ = ',';
  at = tb_json_put_string(at, name);
  *at++ = ':';
  tb_json_emit_end(emit, at);
}

/* A member of an object, with the comma before it. */
static void emit_member(struct tb_json_emit *emit, const struct tb_arg *arg, unsigned *bad_json, unsigned depth) {
  emit_name(emit, arg->name);
  emit_at_depth(emit, arg, bad_json, depth);
}

static void emit_children(struct tb_json_emit *emit, const struct tb_arg *arg, unsigned *bad_json, unsigned depth) {
  size_t start = emit->buffer.len;
  bool is_dict = arg->type == TB_ARG_DICT;
  const struct tb_arg *end = arg + arg->span;
  if (is_dict && arg->span > 1) {
    for_each_name(emit, arg + 1, arg->span - 1, emit_member, bad_json, depth);
    if (emit->status == TB_OK) emit->buffer.data[start] = '{';
    TB_JSON_EMIT(emit, "}");
    return;
  }
  tb_json_emit_raw(emit, is_dict ? "{" : "[", 1);
  for (const struct tb_arg *child = arg + 1; child < end; child += child->span) {
    if (child > arg + 1) TB_JSON_EMIT(emit, ",");
    emit_at_depth(emit, child, bad_json, depth);
  }
  tb_json_emit_raw(emit, is_dict ? "}" : "]", 1);
}

void tb_json_emit_value(struct tb_json_emit *emit, const struct tb_arg *arg, unsigned *bad_json) {
  emit_at_depth(emit, arg, bad_json, 0);
}

void tb_json_emit_members(struct tb_json_emit *emit, const struct tb_arg *args, size_t count, unsigned *bad_json) {
  for_each_name(emit, args, count, emit_member, bad_json, 0);
}

void tb_json_emit_object(struct tb_json_emit *emit, const struct tb_arg *args, size_t count, unsigned *bad_json) {
  size_t start = emit->buffer.len;
  tb_json_emit_members(emit, args, count, bad_json);
  if (emit->status == TB_OK && emit->buffer.len > start)
    emit->buffer.data[start] = '{';
  else
    TB_JSON_EMIT(emit, "{");
  TB_JSON_EMIT(emit, "}");
}
