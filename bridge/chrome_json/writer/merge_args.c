/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome_json/writer/merge_args.h"

#include <string.h>

#include "json/valid_text.h"

/* A member of an object, and where the one after it begins. */
struct member {
  const char *key, *value, *end, *next;
};

/* Takes the member that begins at `p`; false at the end of the object. */
static bool take_member(const char *p, struct member *m) {
  if (*p != '"') return false;
  m->key = p;
  m->value = tb_json_after_string(p) + 1;
  m->end = tb_json_after_value(m->value);
  m->next = *m->end == ',' ? m->end + 1 : m->end;
  return true;
}

/* The value that `object` ({…}) has for the key of `m`, NULL where it has none. */
static const char *find_value(const char *object, const struct member *m) {
  size_t len = (size_t)(m->value - m->key);
  struct member own;
  for (const char *p = object + 1; take_member(p, &own); p = own.next)
    if ((size_t)(own.value - own.key) == len && memcmp(own.key, m->key, len) == 0) return own.value;
  return NULL;
}

/* Whether the key of `m` is that of a typed message of the event, of which begin and end say different fields. */
static bool is_typed(const struct tb_event *event, const struct member *m) {
  struct tb_str key = {m->key + 1, (size_t)(m->value - m->key) - 3}; /* without "": */
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span)
    if (event->args[i].flags & TB_ARG_TYPED && tb_str_equal(event->args[i].name, key)) return true;
  return false;
}

static void emit_member(struct tb_json_emit *emit, const char *from, const char *to, bool *any) {
  if (*any) TB_JSON_EMIT(emit, ",");
  *any = true;
  tb_json_emit_raw(emit, from, (size_t)(to - from));
}

/* Writes an object with the members of `first` that `second` has not, and all of `second`; both are {…}, written by us.
 * Of messages of `end` that both have, where it is not NULL, the same of their fields. */
static void emit_object(struct tb_json_emit *emit, const char *first, const char *second, const struct tb_event *end) {
  struct member m;
  bool any = false;
  TB_JSON_EMIT(emit, "{");
  for (const char *p = first + 1; take_member(p, &m); p = m.next)
    if (!find_value(second, &m)) emit_member(emit, m.key, m.end, &any);
  for (const char *p = second + 1; take_member(p, &m); p = m.next) {
    const char *other = end && *m.value == '{' && is_typed(end, &m) ? find_value(first, &m) : NULL;
    if (other && *other == '{') {
      emit_member(emit, m.key, m.value, &any);
      emit_object(emit, other, m.value, NULL);
    } else {
      emit_member(emit, m.key, m.end, &any);
    }
  }
  TB_JSON_EMIT(emit, "}");
}

enum { ARGS_KEY = sizeof(",\"args\":") - 1 };

void tb_json_emit_merged_args(struct tb_json_emit *emit, struct tb_str first, struct tb_str second,
                              const struct tb_event *end) {
  bool are_objects = first.len && second.len && first.ptr[ARGS_KEY] == '{' && second.ptr[ARGS_KEY] == '{';
  if (!are_objects) {
    struct tb_str one = second.len ? second : first;
    tb_json_emit_raw(emit, one.ptr, one.len);
    return;
  }
  tb_json_emit_raw(emit, second.ptr, ARGS_KEY);
  emit_object(emit, first.ptr + ARGS_KEY, second.ptr + ARGS_KEY, end);
}
