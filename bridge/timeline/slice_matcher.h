/* SPDX-License-Identifier: Apache-2.0
 *
 * Which END belongs to which BEGIN, for queues whose events do not nest as they stand.
 */
#ifndef TB_TIMELINE_SLICE_MATCHER_H
#define TB_TIMELINE_SLICE_MATCHER_H

#include "timeline/sort_queue.h"

enum { TB_UNMATCHED = -1 }; /* of an END; of a BEGIN it is INT64_MAX */

/* Sets queue->matches of a queue in memory whose entries are in order, by its index where they did not come so. Within
 * a key an END takes the newest open BEGIN that has its name and categories, where it says any; `keys` is one more than
 * the highest key. TB_OK or TB_NO_MEMORY.
 *
 * Of key 0, a BEGIN is loose whose slice other readers may see otherwise: that never ends, or that was open when an END
 * took another BEGIN than the newest (to some, that ends all above it), or that began before none was open again. */
TB_MUST_CHECK enum tb_status tb_match_slices(struct tb_sort_queue *queue, uint32_t keys);

#endif
