/* SPDX-License-Identifier: Apache-2.0
 *
 * Which END belongs to which BEGIN, for strands whose events do not nest as they stand.
 */
#ifndef TB_TIMELINE_MATCHING_H
#define TB_TIMELINE_MATCHING_H

#include "timeline/strand.h"

/* Sets `match` of every BEGIN and END of an indexed strand: each to the other's place, -1 where there is none. Within a key an
 * END takes the newest open BEGIN that has its name and categories, where it says any; `keys` is one more than the highest
 * key. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_match_slices(struct tb_strand *strand, uint32_t keys);

#endif
