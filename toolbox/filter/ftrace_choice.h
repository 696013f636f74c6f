/* SPDX-License-Identifier: Apache-2.0
 *
 * What of ftrace is chosen: marks as slices are, and events by the thread that they are of.
 */
#ifndef TB_TOOLBOX_FILTER_FTRACE_CHOICE_H
#define TB_TOOLBOX_FILTER_FTRACE_CHOICE_H

#include "toolbox/filter/choice.h"

/* Takes in the walk's current packet, a bundle. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_choice_take_ftrace(struct tb_choice *choice);

/* What becomes of it. The same. */
TB_MUST_CHECK enum tb_status tb_choice_decide_ftrace(struct tb_choice *choice, struct tb_cut_order *order);

#endif
