/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices, instants, async events and flow events, by where they go. All return TB_OK, TB_NO_MEMORY or TB_LIMIT.
 */
#ifndef TB_PERFETTO_WRITER_SLICE_EVENTS_H
#define TB_PERFETTO_WRITER_SLICE_EVENTS_H

#include "perfetto/writer/track_groups.h"
#include "timeline/sort_queue.h"

struct tb_writer_sequence;

/* Appends the field of a callstack, where there is one, to the fields of an event of that sequence. */
TB_MUST_CHECK enum tb_status tb_perfetto_append_stack(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                                      const struct tb_stack *stack, struct tb_buffer *body);
/* A slice's begin or end, a complete slice or an instant, on its thread's sequence or the shared one. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_slice(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_async(struct tb_perfetto_writer *p, const struct tb_event *event,
                                                   enum tb_staged_kind kind, enum tb_track_group_class class);
/* On a side track, with everything carried: what the trace processor knows nothing of, and must not nest. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_deferred_side(struct tb_perfetto_writer *p, const struct tb_event *event,
                                                           enum tb_track_group_class class);
TB_MUST_CHECK enum tb_status tb_perfetto_put_flow(struct tb_perfetto_writer *p, const struct tb_event *event);

/* slice_fast_path.c: a slice on its thread's sequence that has no more than a name, categories and arguments. *taken is
 * false, and nothing done, for others. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_plain_slice(struct tb_perfetto_writer *p, const struct tb_event *event,
                                                         bool *taken);

#endif
