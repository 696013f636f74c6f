/* SPDX-License-Identifier: Apache-2.0
 *
 * A slice's arguments from those of its begin and its end.
 */
#ifndef TB_CHROME_JSON_WRITER_MERGE_ARGS_H
#define TB_CHROME_JSON_WRITER_MERGE_ARGS_H

#include "json/emitter.h"
#include "tracebridge/event.h"

/* Writes what tb_json_emit_args wrote of a begin and of its end, texts `,"args":{...}` or empty, as one: of a name that
 * both have, the end's value; of a typed message of the event `end` the fields of both. */
void tb_json_emit_merged_args(struct tb_json_emit *emit, struct tb_str first, struct tb_str second,
                              const struct tb_event *end);

#endif
