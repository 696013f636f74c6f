/* SPDX-License-Identifier: Apache-2.0
 *
 * Bundles of events of Windows (Event Tracing for Windows): each has a time of its own, which is the trace clock's.
 */
#ifndef TB_TOOLBOX_WALK_ETW_BUNDLE_H
#define TB_TOOLBOX_WALK_ETW_BUNDLE_H

#include "protobuf/wire.h"
#include "toolbox/walk/packet_walk.h"

/* Whether a field of a bundle is an event. */
static inline bool tb_etw_is_event(const struct tb_wire_field *field) {
  return field->number == TB_ETW_TRACE_EVENT_BUNDLE_EVENT && field->type == TB_WIRE_BYTES;
}

/* The time that an event of the walk's current packet says, on machine 0's trace clock. */
int64_t tb_etw_time(const struct tb_walk *walk, uint64_t timestamp);
/* When an event of the walk's current packet is, on machine 0's trace clock; false where it does not say. */
bool tb_etw_event_time(const struct tb_walk *walk, struct tb_str event, int64_t *time);

/* Lowers *first and raises *last where events of the walk's current packet are before and behind them. */
void tb_etw_extend(const struct tb_walk *walk, int64_t *first, int64_t *last);

/* Appends the walk's current packet, framed, with those of its events that `keeps` is true for; how many these are, and
 * how many not, is added to *kept and *left. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_etw_append_part(const struct tb_walk *walk,
                                                bool (*keeps)(void *ctx, struct tb_str event), void *ctx,
                                                struct tb_buffer *b, size_t *kept, size_t *left);

#endif
