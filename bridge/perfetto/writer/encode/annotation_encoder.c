/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/encode/annotation_encoder.h"

#include <math.h>

#include "model/arg_lookup.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum {
  MAX_DEPTH = 128, /* readers stop at 64 */
  MAX_LEVELS = 16  /* of an argument's name, and of what may be below it */
};

static char *put_string(struct tb_body_encoding *e, char *at, struct tb_str text) {
  uint32_t iid = tb_interned_string(e->interned, e->uses, text);
  if (iid) return tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_STRING_VALUE_IID, iid);
  return tb_wire_put_bytes(at, TB_DEBUG_ANNOTATION_STRING_VALUE, text.ptr, text.len);
}

/* An empty dict or array has no form of its own that readers count as an item: JSON text does. */
char *tb_encode_children(struct tb_body_encoding *e, char *at, const struct tb_arg *arg, unsigned depth) {
  bool dict = arg->type == TB_ARG_DICT;
  if (arg->span <= 1) return tb_wire_put_bytes(at, TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE, dict ? "{}" : "[]", 2);
  uint32_t field = dict ? TB_DEBUG_ANNOTATION_DICT_ENTRIES : TB_DEBUG_ANNOTATION_ARRAY_VALUES;
  for (uint32_t i = 1; i < arg->span; i += arg[i].span)
    at = tb_encode_annotation(e, at, field, arg[i].name, &arg[i], depth + 1);
  return at;
}

/* Whether an array has no item but null, or arrays of such. */
static bool holds_only_nulls(const struct tb_arg *array) {
  for (uint32_t i = 1; i < array->span; i += array[i].span)
    if (array[i].type != TB_ARG_NULL && (array[i].type != TB_ARG_ARRAY || !holds_only_nulls(&array[i]))) return false;
  return true;
}

/* An array that is an item of another: of nothing but nulls readers do not count it as an item, but as JSON text. */
static char *put_array(struct tb_body_encoding *e, char *at, const struct tb_arg *array, unsigned depth) {
  if (array->name.ptr || array->span <= 1 || !holds_only_nulls(array)) return tb_encode_children(e, at, array, depth);
  e->json->buffer.len = 0;
  tb_json_emit_value(e->json, array);
  if (e->json->status != TB_OK) e->ok = false;
  return tb_wire_put_bytes(at, TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE, e->json->buffer.data, e->json->buffer.len);
}

/* JSON text. The trace processor drops a number that no 64 bits hold: it takes the double in front of it, and readers
 * of the field that comes last the text. */
static char *put_json(char *at, const struct tb_arg *arg) {
  double number;
  if (tb_arg_number_in_text(arg, &number) && fabs(number) >= 0x1p63)
    at = tb_wire_put_double(at, TB_DEBUG_ANNOTATION_DOUBLE_VALUE, number);
  return tb_wire_put_bytes(at, TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE, arg->text.ptr, arg->text.len);
}

static char *put_value(struct tb_body_encoding *e, char *at, const struct tb_arg *arg, unsigned depth) {
  switch ((enum tb_arg_type)arg->type) {
    case TB_ARG_NULL:
      return at;
    case TB_ARG_BOOL:
      return tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_BOOL_VALUE, arg->u);
    case TB_ARG_INT:
      return tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_INT_VALUE, (uint64_t)arg->i);
    case TB_ARG_UINT:
      return tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_UINT_VALUE, arg->u);
    case TB_ARG_DOUBLE:
      return tb_wire_put_double(at, TB_DEBUG_ANNOTATION_DOUBLE_VALUE, arg->d);
    case TB_ARG_STRING:
      return put_string(e, at, arg->text);
    case TB_ARG_POINTER:
    case TB_ARG_KOID:
      return tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_POINTER_VALUE, arg->u);
    case TB_ARG_JSON:
      return put_json(at, arg);
    case TB_ARG_BLOB:
      return tb_wire_put_bytes(at, TB_DEBUG_ANNOTATION_STRING_VALUE, arg->text.ptr, arg->text.len);
    case TB_ARG_DICT:
    case TB_ARG_ARRAY:
      if (depth < MAX_DEPTH)
        return arg->type == TB_ARG_ARRAY ? put_array(e, at, arg, depth) : tb_encode_children(e, at, arg, depth);
      e->ok = false;
      return at;
  }
  return at;
}

char *tb_encode_annotation_name(struct tb_body_encoding *e, char *at, struct tb_str name) {
  uint32_t iid = tb_interned_arg_name(e->interned, e->uses, name, &e->odd);
  if (!iid) e->ok = false;
  return tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_NAME_IID, iid);
}

char *tb_encode_annotation(struct tb_body_encoding *e, char *at, uint32_t field, struct tb_str name,
                           const struct tb_arg *arg, unsigned depth) {
  char *start = at = tb_wire_open_message(at, field);
  if (name.ptr) at = tb_encode_annotation_name(e, at, name);
  if (arg->type == TB_ARG_STRING) return tb_wire_close_message(start, put_string(e, at, arg->text));
  if (arg->type == TB_ARG_INT)
    return tb_wire_close_message(start, tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_INT_VALUE, (uint64_t)arg->i));
  return tb_wire_close_message(start, put_value(e, at, arg, depth));
}

/* Whether a name is that of an array's first item, as flat lists of arguments have it: `mailbox[0]`. */
static bool names_first_item(struct tb_str name) {
  return name.len > 3 && memcmp(name.ptr + name.len - 3, "[0]", 3) == 0 && memchr(name.ptr, '[', name.len - 3) == NULL;
}

/* ---- names that are paths: readers take a dot in a name for another character, but levels for a dot -------------- */

unsigned tb_annotation_levels(struct tb_str name) {
  if (names_first_item(name)) return memchr(name.ptr, '.', name.len) == NULL ? 2 : 1;
  unsigned levels = 1;
  for (size_t i = 0; i < name.len; i++) {
    if (name.ptr[i] == '[' || name.ptr[i] == ']') return 1;
    if (name.ptr[i] != '.') continue;
    bool empty = i == 0 || name.ptr[i - 1] == '.' || i + 1 == name.len;
    if (empty || ++levels > MAX_LEVELS) return 1;
  }
  return levels;
}

static unsigned levels_below(const struct tb_arg *arg) {
  unsigned most = 0;
  for (uint32_t i = 1; i < arg->span; i += arg[i].span) {
    unsigned below = 1 + levels_below(&arg[i]);
    if (below > most) most = below;
  }
  return most;
}

char *tb_encode_annotation_levels(struct tb_body_encoding *e, char *at, uint32_t field, struct tb_str name,
                                  const struct tb_arg *arg, unsigned levels, bool first) {
  bool item = first && names_first_item(name);
  const char *dot = item ? name.ptr + name.len - 3 : name.len ? memchr(name.ptr, '.', name.len) : NULL;
  if (!dot) return tb_encode_annotation(e, at, field, name, arg, 1 + levels);
  char *start = at = tb_wire_open_message(at, field);
  at = tb_encode_annotation_name(e, at, (struct tb_str){name.ptr, (size_t)(dot - name.ptr)});
  if (first) at = tb_wire_put_uint(at, TB_DEBUG_ANNOTATION_NAME_LEVELS, levels - 1);
  struct tb_str rest = {dot + 1, name.len - (size_t)(dot + 1 - name.ptr)};
  if (item)
    at = tb_encode_annotation(e, at, TB_DEBUG_ANNOTATION_ARRAY_VALUES, (struct tb_str){NULL, 0}, arg, 1 + levels);
  else
    at = tb_encode_annotation_levels(e, at, TB_DEBUG_ANNOTATION_DICT_ENTRIES, rest, arg, levels, false);
  return tb_wire_close_message(start, at);
}

bool tb_annotation_fits_levels(const struct tb_arg *arg, unsigned levels) {
  if (levels < 2 || arg->type == TB_ARG_NULL || levels_below(arg) > MAX_LEVELS) return false;
  if (arg->type == TB_ARG_ARRAY && names_first_item(arg->name)) return false; /* put_array takes it for no item */
  const struct tb_str carried = TB_STR(TB_CARRIED_ANNOTATION);
  size_t len = carried.len;
  bool is_carried = arg->name.len > len && memcmp(arg->name.ptr, carried.ptr, len) == 0 &&
                    (arg->name.ptr[len] == '.' || arg->name.ptr[len] == '[');
  return !is_carried;
}

bool tb_annotation_stays_plain(const struct tb_arg *arg) {
  return arg->span == 1 && arg->type != TB_ARG_DICT && arg->type != TB_ARG_ARRAY && !names_first_item(arg->name) &&
         arg->name.len && memchr(arg->name.ptr, '.', arg->name.len) == NULL;
}

struct tb_arg tb_annotation_as_json(struct tb_body_encoding *e, const struct tb_arg *arg) {
  struct tb_arg json = {.type = TB_ARG_JSON, .span = 1, .name = arg->name};
  const char *dot = arg->name.len ? memchr(arg->name.ptr, '.', arg->name.len) : NULL;
  e->json->buffer.len = 0;
  if (dot) {
    json.name.len = (size_t)(dot - arg->name.ptr);
    TB_JSON_EMIT(e->json, "{");
    tb_json_emit_string(e->json, (struct tb_str){dot + 1, arg->name.len - json.name.len - 1});
    TB_JSON_EMIT(e->json, ":");
  }
  bool first_item = !dot && names_first_item(arg->name);
  if (first_item) {
    json.name.len -= 3;
    TB_JSON_EMIT(e->json, "[");
  }
  tb_json_emit_value(e->json, arg);
  if (first_item) TB_JSON_EMIT(e->json, "]");
  if (dot) TB_JSON_EMIT(e->json, "}");
  if (e->json->status != TB_OK) e->ok = false;
  json.text = (struct tb_str){e->json->buffer.data, e->json->buffer.len};
  return json;
}
