/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TB_MERGE_CLOCKS_CLOCK_NAMES_H
#define TB_MERGE_CLOCKS_CLOCK_NAMES_H

#include "tracebridge/info.h"

/* tb_clock_id_name, and for ids without a name a text that says so. Never NULL. */
static inline const char *tb_clock_name(uint32_t clock) {
  const char *name = tb_clock_id_name(clock);
  return name ? name : "a clock of its own";
}

#endif
