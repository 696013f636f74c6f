/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a run of plain track events of which some stay and some go, or whose arguments go: from frame to frame. What
 * stays makes up for timestamps and values of counters that count on from what goes.
 */
#ifndef TB_TOOLBOX_FILTER_MIXED_RUN_H
#define TB_TOOLBOX_FILTER_MIXED_RUN_H

#include "toolbox/cut/packet_cut.h"
#include "toolbox/filter/choice.h"

/* Takes what is at hand of a run, from the walk's next packet on, which it has. False, and nothing was taken, where
 * that packet has to be looked at: state comes before it, or more of it has to be known. Else *status; what fails is in
 * the walk's error. */
bool tb_mixed_run_take(struct tb_cut *cut, const struct tb_event_run *run, const struct tb_number_set *left_out,
                       enum tb_status *status);

#endif
