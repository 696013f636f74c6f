/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON text as a tree of arguments: what the reader of traces makes of events, and single values.
 */
#ifndef TB_JSON_VALUE_H
#define TB_JSON_VALUE_H

#include "json/text.h"
#include "json/tokenizer.h"
#include "tracebridge/event.h"

/* Where a tree of values goes: `count` of `capacity` entries are used. */
struct tb_json_sink {
  struct tb_arg *args;
  size_t count, capacity;
};

/* Adds the value at `p` (white space skipped) and all in it to the sink under `name`; `depth` levels are open around
 * it. What nests deeper than TB_JSON_TREE_DEPTH becomes JSON text. Returns the byte after it; NULL on failure (the sink
 * may then hold a part). */
const char *tb_json_value(struct tb_tokenizer *scan, struct tb_json_sink *sink, const char *p, struct tb_str name,
                          unsigned depth);

/* Takes the value at `p` as JSON text, however deep or long it is. As tb_json_value. */
const char *tb_json_raw(struct tb_tokenizer *scan, struct tb_arg *arg, const char *p);

/* Adds the members of the object whose `{` is before `p`. As tb_json_value. */
const char *tb_json_members(struct tb_tokenizer *scan, struct tb_json_sink *sink, const char *p, unsigned depth);

/* Parses `text`, one JSON value, into arguments of the arena's memory; their count, 0 where it is no JSON or memory is
 * exhausted. */
uint32_t tb_json_parse_value(struct tb_arena *arena, struct tb_str text, struct tb_arg **args);

#endif
