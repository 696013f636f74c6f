/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets of the merged trace that no input has.
 */
#ifndef TB_MERGE_WRITE_SYNTHESIZED_PACKETS_H
#define TB_MERGE_WRITE_SYNTHESIZED_PACKETS_H

#include "merge/merger.h"

/* Says that a machine which the merger made has its clock in step with the merged trace's, as of `time`, and what it
 * is known by: a RemoteClockSync and a snapshot. */
TB_MUST_CHECK enum tb_status tb_synthesize_machine(struct tb_merger *m, struct tb_source *s, uint32_t machine,
                                                   uint32_t identity, int64_t time);

/* Says what the merged trace's clock is, with a reading at `time`, before a packet of an input that says nothing of
 * clocks: readers settle on a clock at the first time that they meet. */
TB_MUST_CHECK enum tb_status tb_synthesize_clock(struct tb_merger *m, int64_t time);

/* Where the source's current packet describes a process or thread that it shares with another input: describes the
 * track below it that its own events go to, once. */
TB_MUST_CHECK enum tb_status tb_synthesize_track(struct tb_merger *m, struct tb_source *s, uint32_t machine);

/* What the manifest says of the archive as a whole. */
TB_MUST_CHECK enum tb_status tb_synthesize_attributes(struct tb_merger *m);

#endif
