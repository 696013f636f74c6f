/* SPDX-License-Identifier: Apache-2.0 */
#include "json/value.h"

#include <math.h>

static const char *full(struct tb_tokenizer *scan) {
  scan->status = TB_TOKENIZER_FULL;
  return NULL;
}

static struct tb_str between(const char *from, const char *to) { return (struct tb_str){from, (size_t)(to - from)}; }

static const char *number(struct tb_tokenizer *scan, struct tb_arg *arg, const char *p) {
  struct tb_decimal n;
  const char *end = tb_tokenizer_number(scan, p, &n);
  if (!end) return NULL;
  if (n.integer && !n.inexact) {
    if (tb_decimal_to_int(&n, 0, &arg->i)) {
      arg->type = TB_ARG_INT;
      return end;
    }
    if (!n.negative) {
      arg->type = TB_ARG_UINT;
      arg->u = n.mantissa;
      if (n.exponent == 0) return end;
    }
  } else if (!n.integer && tb_decimal_to_double(&n, p, end, &arg->d)) {
    arg->type = TB_ARG_DOUBLE;
    return end;
  }
  arg->type = TB_ARG_JSON;
  arg->text = between(p, end);
  return end;
}

static const char *literal(struct tb_tokenizer *scan, struct tb_arg *arg, const char *p) {
  if (*p == '-' && p[1] >= '0' && p[1] <= '9') return number(scan, arg, p);
  const char *end = tb_tokenizer_literal(scan, p);
  if (!end) return NULL;
  if (*p == 't' || *p == 'f') {
    arg->type = TB_ARG_BOOL;
    arg->u = *p == 't';
  } else if (end - p == 4 && memcmp(p, "null", 4) == 0) {
    arg->type = TB_ARG_NULL;
  } else { /* a number that JSON lacks */
    bool is_nan = end[-1] == 'N' || end[-1] == 'n';
    arg->type = TB_ARG_DOUBLE;
    arg->d = is_nan ? (double)NAN : *p == '-' ? -(double)INFINITY : (double)INFINITY;
  }
  return end;
}

/* A value that nests too deep, as text. */
const char *tb_json_raw(struct tb_tokenizer *scan, struct tb_arg *arg, const char *p) {
  const char *end = tb_tokenizer_skip_value(scan, p);
  if (!end) return NULL;
  arg->type = TB_ARG_JSON;
  arg->text = tb_tokenizer_raw(scan, p, end);
  return arg->text.ptr ? end : NULL;
}

/* The object or array at `p`. */
static const char *container(struct tb_tokenizer *scan, struct tb_json_sink *sink, struct tb_arg *arg, const char *p,
                             unsigned depth);

static inline const char *value(struct tb_tokenizer *scan, struct tb_json_sink *sink, const char *p, struct tb_str name,
                                unsigned depth) {
  if (sink->count == sink->capacity) return full(scan);
  struct tb_arg *arg = &sink->args[sink->count++];
  arg->name = name;
  arg->span = 1;
  arg->width = 0;
  arg->flags = 0;
  if (*p == '"') {
    arg->type = TB_ARG_STRING;
    return tb_tokenizer_string(scan, p + 1, &arg->text);
  }
  if (*p == '{' || *p == '[') return container(scan, sink, arg, p, depth);
  if (*p < '0' || *p > '9') return literal(scan, arg, p);
  uint64_t whole = 0; /* as nearly all numbers are, and small */
  const char *end = tb_tokenizer_digits(p, &whole);
  if (end - p > 18 || (*end != ',' && *end != '}')) return number(scan, arg, p);
  arg->type = TB_ARG_INT;
  arg->i = (int64_t)whole;
  return end;
}

static const char *items(struct tb_tokenizer *scan, struct tb_json_sink *sink, const char *p, unsigned depth) {
  p = tb_tokenizer_space(p);
  while (*p != ']') {
    p = value(scan, sink, p, (struct tb_str){NULL, 0}, depth);
    if (!p) return NULL;
    p = tb_tokenizer_space(p);
    if (*p == ',')
      p = tb_tokenizer_space(p + 1);
    else if (*p != ']')
      return tb_tokenizer_fail(scan, p);
  }
  return p + 1;
}

const char *tb_json_members(struct tb_tokenizer *scan, struct tb_json_sink *sink, const char *p, unsigned depth) {
  p = tb_tokenizer_space(p);
  while (*p != '}') {
    struct tb_str name;
    if (*p != '"') return tb_tokenizer_fail(scan, p);
    p = tb_tokenizer_name(scan, p + 1, &name);
    if (!p) return NULL;
    p = tb_tokenizer_space(p);
    if (*p != ':') return tb_tokenizer_fail(scan, p);
    p = value(scan, sink, tb_tokenizer_space(p + 1), name, depth);
    if (!p) return NULL;
    p = tb_tokenizer_space(p);
    if (*p == ',')
      p = tb_tokenizer_space(p + 1);
    else if (*p != '}')
      return tb_tokenizer_fail(scan, p);
  }
  return p + 1;
}

static const char *container(struct tb_tokenizer *scan, struct tb_json_sink *sink, struct tb_arg *arg, const char *p,
                             unsigned depth) {
  if (depth >= TB_JSON_TREE_DEPTH) return tb_json_raw(scan, arg, p);
  size_t index = sink->count - 1;
  arg->type = *p == '{' ? TB_ARG_DICT : TB_ARG_ARRAY;
  arg->text = (struct tb_str){NULL, 0};
  p = *p == '{' ? tb_json_members(scan, sink, p + 1, depth + 1) : items(scan, sink, p + 1, depth + 1);
  arg->span = (uint32_t)(sink->count - index);
  return p;
}

const char *tb_json_value(struct tb_tokenizer *scan, struct tb_json_sink *sink, const char *p, struct tb_str name,
                          unsigned depth) {
  return value(scan, sink, p, name, depth);
}

uint32_t tb_json_parse_value(struct tb_arena *arena, struct tb_str text, struct tb_arg **args) {
  char *copy = tb_arena_alloc(arena, text.len + 1 + TB_TOKENIZER_PADDING);
  struct tb_json_sink sink = {.capacity = text.len / 2 + 1};
  sink.args = tb_arena_alloc(arena, sink.capacity * sizeof(*sink.args));
  if (!copy || !sink.args) return 0;
  if (text.len) memcpy(copy, text.ptr, text.len);
  memset(copy + text.len, 0, TB_TOKENIZER_PADDING + 1);
  copy[text.len] = '\n'; /* so that a number at the end is known to be whole */
  struct tb_tokenizer scan = {.end = copy + text.len + 1, .arena = arena};
  const char *end = tb_json_value(&scan, &sink, tb_tokenizer_space(copy), (struct tb_str){NULL, 0}, 0);
  if (!end || tb_tokenizer_space(end) != scan.end) return 0;
  *args = sink.args;
  return (uint32_t)sink.count;
}
