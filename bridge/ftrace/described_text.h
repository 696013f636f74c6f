/* SPDX-License-Identifier: Apache-2.0
 *
 * Ftrace events of kinds that the schema has no struct for, as the lines of event_text.h: by descriptors, and what
 * nothing describes by number.
 */
#ifndef TB_FTRACE_DESCRIBED_TEXT_H
#define TB_FTRACE_DESCRIBED_TEXT_H

#include "json/emitter.h"
#include "protobuf/descriptor_pool.h"

/* Finds the field of FtraceEvent that is a kind, in what the schema has of it and what only names are read of. */
bool tb_ftrace_find_kind(struct tb_descriptor_pool *schema, uint32_t kind, struct tb_descriptor_field *event);

/* "NAME: FIELD=VALUE ..." of an event of `kind`, a field of FtraceEvent that tb_ftrace_put_event does not know. A kind
 * that nothing describes is called ftrace_event_KIND, a field field_NUMBER; bytes are hexadecimal digits.
 * `symbols` as for tb_ftrace_put_event. */
void tb_ftrace_put_described(struct tb_json_emit *out, struct tb_descriptor_pool *schema, uint32_t kind,
                             struct tb_str payload, const struct tb_iid_index *symbols);

#endif
