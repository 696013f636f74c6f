/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow events that say more than a flow's ids can, and those that no slice takes.
 */
#ifndef TB_PERFETTO_WRITER_UNBOUND_FLOWS_H
#define TB_PERFETTO_WRITER_UNBOUND_FLOWS_H

#include "tracebridge/event.h"

struct tb_perfetto_writer;
struct tb_writer_sequence;

/* Keeps the flow event of that order whole, where it says more than phase, name, categories, id, time and place. */
TB_MUST_CHECK enum tb_status tb_perfetto_keep_full_flow_event(struct tb_perfetto_writer *p,
                                                              struct tb_writer_sequence *sequence,
                                                              const struct tb_event *event, uint32_t flow,
                                                              uint64_t order);
/* That event; NULL where there is none. */
struct tb_event *tb_perfetto_full_flow_event(const struct tb_perfetto_writer *p, uint64_t order);
/* Once flows are linked, writes what of them joins nothing, and gathers what the source says of the others. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_unbound_flows(struct tb_perfetto_writer *p);

#endif
