/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON text of a single value as a tree of arguments.
 */
#ifndef TB_JSON_VALUE_H
#define TB_JSON_VALUE_H

#include "base/memory.h"
#include "tracebridge/event.h"

/* Parses `text`, one JSON value, into arguments of the arena's memory; their count, 0 where it is no JSON or memory is exhausted. */
uint32_t tb_json_parse_value(struct tb_arena *arena, struct tb_str text, struct tb_arg **args);

#endif
