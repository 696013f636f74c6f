/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets that are of a process, or have parts that are.
 */
#ifndef TB_TOOLBOX_FILTER_PACKET_OWNER_H
#define TB_TOOLBOX_FILTER_PACKET_OWNER_H

#include "toolbox/filter/choice.h"

/* What becomes of the walk's current packet, which is neither a track event nor ftrace. TB_OK, TB_NO_MEMORY,
 * TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_choice_decide_packet(struct tb_choice *choice, struct tb_cut_order *order);

#endif
