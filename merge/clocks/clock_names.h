/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TB_MERGE_CLOCKS_CLOCK_NAMES_H
#define TB_MERGE_CLOCKS_CLOCK_NAMES_H

#include <stdint.h>

#include "tracebridge/base.h"

/* "BOOTTIME" and the like; for ids without a name "a clock of its own". Never NULL. */
const char *tb_clock_name(uint32_t clock);

/* The id of a name as Perfetto's manifest has it (REALTIME, BOOTTIME, ...); 0 where it is none. */
uint32_t tb_clock_from_name(struct tb_str name);

#endif
