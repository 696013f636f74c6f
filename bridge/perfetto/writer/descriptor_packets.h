/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets that say what tracks, counters and sequences are.
 */
#ifndef TB_PERFETTO_WRITER_DESCRIPTOR_PACKETS_H
#define TB_PERFETTO_WRITER_DESCRIPTOR_PACKETS_H

#include "perfetto/writer/counters.h"

/* Writes the descriptors of all tracks that have a state, the trace's attributes and clocks. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_preamble(struct tb_perfetto_writer *p);
/* The descriptors that the preamble left out, of threads that begin in the trace. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_created_threads(struct tb_perfetto_writer *p);
/* Writes the descriptor of a track without a process or thread of its own. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_lane(struct tb_perfetto_writer *p, uint64_t uuid,
                                                    const struct tb_track *parent, struct tb_str name);
/* The same below a track of that uuid, 0: below the trace. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_lane_below(struct tb_perfetto_writer *p, uint64_t uuid,
                                                          uint64_t parent_uuid, struct tb_str name);
/* Sets *uuid to that of the track of a key of class NAMED_ID, which is described where it was not, with those above. */
TB_MUST_CHECK enum tb_status tb_perfetto_named_track(struct tb_perfetto_writer *p, uint32_t key, uint64_t *uuid);
/* Writes on a sequence that its next events are of the thread, for readers who take it from there; to others the events
 * name it. The thread has a descriptor. */
TB_MUST_CHECK enum tb_status tb_perfetto_name_thread(struct tb_perfetto_writer *p, uint32_t sequence_id,
                                                     const struct tb_track *thread);
TB_MUST_CHECK enum tb_status tb_perfetto_write_counter_track(struct tb_perfetto_writer *p,
                                                             const struct tb_counter *counter);
TB_MUST_CHECK enum tb_status tb_perfetto_write_thread_time_track(struct tb_perfetto_writer *p, uint64_t uuid,
                                                                 uint64_t parent, bool in_us);
/* Writes the first packet of a sequence: cleared state, defaults, its clock that starts at `ts`. uuids of 0 are left
 * out. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_sequence_start(struct tb_perfetto_writer *p, uint32_t sequence_id,
                                                              int64_t ts, uint64_t track_uuid, uint64_t counter_uuid);

#endif
