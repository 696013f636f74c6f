/* SPDX-License-Identifier: Apache-2.0
 *
 * Argument trees as JSON text, for what FXT's flat arguments cannot hold.
 */
#ifndef TB_FXT_FXT_JSON_H
#define TB_FXT_FXT_JSON_H

#include "base/memory.h"
#include "tracebridge/event.h"

/* Appends the value of `arg`. TB_OK, TB_LIMIT or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_fxt_json_value(struct tb_buffer *to, const struct tb_arg *arg);

/* Appends `count` entries of a flat tree as one object. */
TB_MUST_CHECK enum tb_status tb_fxt_json_object(struct tb_buffer *to, const struct tb_arg *args, uint32_t count);

/* Appends a JSON string. */
TB_MUST_CHECK enum tb_status tb_fxt_json_string(struct tb_buffer *to, struct tb_str text);

#endif
