/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices of the kernel's events that are open at the edges of a window. The events of a track come in no order, since
 * each processor writes those that happen on it: they wait until those of all processors were read up to some time, and
 * are paired up to it then (toolbox/walk/settling.h).
 *
 *   tb_ftrace_slices_add … tb_ftrace_slices_settle … tb_ftrace_slices_end
 */
#ifndef TB_TOOLBOX_TRIM_FTRACE_SLICES_H
#define TB_TOOLBOX_TRIM_FTRACE_SLICES_H

#include "toolbox/trim/ftrace_edges.h"
#include "toolbox/trim/ftrace_roles.h"

/* The next event of a track in the file; its bytes, where it may come at an edge again, are in edges->arena. TB_OK,
 * TB_NO_MEMORY, TB_LIMIT, as of those below. */
TB_MUST_CHECK enum tb_status tb_ftrace_slices_add(struct tb_ftrace_edges *edges, struct tb_ftrace_track *track,
                                                  const struct tb_ftrace_slice_edge *edge);

/* Whether an event of a track may come at an edge again. */
bool tb_ftrace_slices_may_repeat(const struct tb_ftrace_edges *edges, const struct tb_ftrace_slice_edge *edge);

/* Appends to a list of them. */
TB_MUST_CHECK enum tb_status tb_ftrace_slices_append(struct tb_ftrace_edges *edges, struct tb_ftrace_slice_edge **list,
                                                     size_t *count, size_t *capacity,
                                                     const struct tb_ftrace_slice_edge *edge);

/* What a transaction of binder is that was received, and when it was sent. False where the trace does not have it. */
bool tb_ftrace_slices_sent(const struct tb_ftrace_edges *edges, uint32_t number, uint32_t machine,
                           enum tb_ftrace_transaction *transaction, int64_t *time);

/* Pairs what can be, where much waits, as far as edges->reach has got. */
TB_MUST_CHECK enum tb_status tb_ftrace_slices_settle(struct tb_ftrace_edges *edges);

/* Pairs the rest: edges->repeated and edges->replies are complete then. */
TB_MUST_CHECK enum tb_status tb_ftrace_slices_end(struct tb_ftrace_edges *edges);

#endif
