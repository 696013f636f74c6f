/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of parts are called: names that sort, and say what is in them.
 */
#ifndef TB_TOOLBOX_SPLIT_PART_NAME_H
#define TB_TOOLBOX_SPLIT_PART_NAME_H

#include "toolbox/split/split_plan.h"

enum { TB_PART_NAME_MAX = 160 };

/* Writes the name, with the suffix, of which at most 32 bytes count. */
void tb_part_name(const struct tb_split_plan *plan, size_t part, const char *suffix, char name[TB_PART_NAME_MAX]);

#endif
