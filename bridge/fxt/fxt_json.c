/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/fxt_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MAX_DEPTH = 128 };

enum tb_status tb_fxt_json_string(struct tb_buffer *to, struct tb_str text) {
  enum tb_status status = tb_buffer_append(to, "\"", 1);
  for (size_t i = 0; i < text.len && status == TB_OK; i++) {
    unsigned char c = (unsigned char)text.ptr[i];
    char escaped[8];
    int len = 1;
    if (c < 0x20)
      len = snprintf(escaped, sizeof(escaped), "\\u%04x", c);
    else if (c == '"' || c == '\\')
      len = snprintf(escaped, sizeof(escaped), "\\%c", c);
    else
      escaped[0] = (char)c;
    status = tb_buffer_append(to, escaped, (size_t)len);
  }
  return status == TB_OK ? tb_buffer_append(to, "\"", 1) : status;
}

static enum tb_status put_double(struct tb_buffer *to, double d) {
  char text[40];
  if (!isfinite(d))
    return tb_fxt_json_string(to, isnan(d) ? TB_STR("NaN") : d > 0 ? TB_STR("Infinity") : TB_STR("-Infinity"));
  int len = snprintf(text, sizeof(text), "%.17g", d);
  return tb_buffer_append(to, text, (size_t)len);
}

static enum tb_status put_members(struct tb_buffer *to, const struct tb_arg *args, uint32_t count, bool named,
                                  unsigned depth);

static enum tb_status put_value(struct tb_buffer *to, const struct tb_arg *arg, unsigned depth) {
  char text[32];
  int len = 0;
  if (depth > MAX_DEPTH) return TB_LIMIT;
  switch ((enum tb_arg_type)arg->type) {
    case TB_ARG_NULL:
      return tb_buffer_append(to, "null", 4);
    case TB_ARG_BOOL:
      return arg->u ? tb_buffer_append(to, "true", 4) : tb_buffer_append(to, "false", 5);
    case TB_ARG_INT:
      len = snprintf(text, sizeof(text), "%" PRId64, arg->i);
      break;
    case TB_ARG_UINT:
    case TB_ARG_KOID:
      len = snprintf(text, sizeof(text), "%" PRIu64, arg->u);
      break;
    case TB_ARG_POINTER:
      len = snprintf(text, sizeof(text), "\"0x%" PRIx64 "\"", arg->u);
      break;
    case TB_ARG_DOUBLE:
      return put_double(to, arg->d);
    case TB_ARG_STRING:
    case TB_ARG_BLOB:
      return tb_fxt_json_string(to, arg->text);
    case TB_ARG_JSON:
      return tb_buffer_append(to, arg->text.ptr, arg->text.len);
    case TB_ARG_DICT:
    case TB_ARG_ARRAY:
      return put_members(to, arg + 1, arg->span - 1, arg->type == TB_ARG_DICT, depth);
  }
  return tb_buffer_append(to, text, (size_t)len);
}

static enum tb_status put_members(struct tb_buffer *to, const struct tb_arg *args, uint32_t count, bool named,
                                  unsigned depth) {
  enum tb_status status = tb_buffer_append(to, named ? "{" : "[", 1);
  for (uint32_t i = 0; i < count && status == TB_OK; i += args[i].span) {
    if (i) status = tb_buffer_append(to, ",", 1);
    if (status == TB_OK && named) status = tb_fxt_json_string(to, args[i].name);
    if (status == TB_OK && named) status = tb_buffer_append(to, ":", 1);
    if (status == TB_OK) status = put_value(to, &args[i], depth + 1);
  }
  return status == TB_OK ? tb_buffer_append(to, named ? "}" : "]", 1) : status;
}

enum tb_status tb_fxt_json_value(struct tb_buffer *to, const struct tb_arg *arg) { return put_value(to, arg, 0); }

enum tb_status tb_fxt_json_object(struct tb_buffer *to, const struct tb_arg *args, uint32_t count) {
  return put_members(to, args, count, true, 0);
}
