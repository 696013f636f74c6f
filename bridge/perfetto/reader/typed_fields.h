/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TB_PERFETTO_READER_TYPED_FIELDS_H
#define TB_PERFETTO_READER_TYPED_FIELDS_H

#include "perfetto/reader/reader.h"

/* Each appends arguments to the batch's, for which there must be room for as many as the message has bytes. */

/* A message whose type an annotation at `depth` names, into the argument at `slot`; false where the type is not
 * known. */
bool tb_perfetto_proto_value(struct tb_perfetto_reader *r, size_t slot, struct tb_str type_name, struct tb_str bytes,
                             unsigned depth);

/* A LogMessage: its level goes on the event, its text becomes an argument or, where the event has none, its name. */
void tb_perfetto_log_message(struct tb_perfetto_reader *r, struct tb_str message, struct tb_event *event);

/* A TaskExecution. */
void tb_perfetto_task_execution(struct tb_perfetto_reader *r, struct tb_str message);

/* All fields of a TrackEvent that the reader has no other place for. */
void tb_perfetto_typed_fields(struct tb_perfetto_reader *r, struct tb_str track_event);

/* All fields of a message of the type but those for which `is_own` is true. */
void tb_perfetto_message_fields(struct tb_perfetto_reader *r, uint32_t type, struct tb_str message,
                                bool (*is_own)(uint32_t number));

/* The same of a message whose type no trace describes: its input is not searched for a description. NULL: all
 * fields. */
void tb_perfetto_known_fields(struct tb_perfetto_reader *r, uint32_t type, struct tb_str message,
                              bool (*is_own)(uint32_t number));

/* A field that nothing describes, by its number. */
void tb_perfetto_unknown_field(struct tb_perfetto_reader *r, const struct tb_wire_field *wire);

#endif
