/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which END belongs to which BEGIN, for queues whose slices do not nest in the order in which they came (see
 * tb_sort_queue.needs_matching). Other queues do not need it: there the newest open slice is always the right one.
 *
 *   ts 0 BEGIN a      ts 1 BEGIN b      ts 2 END a       ts 3 END b
 *   `----------------------------------------'                |        END a takes the newest open BEGIN called a,
 *                     `---------------------------------------'        although b began later and is still open
 *
 * The queue is read once in time order. Open BEGINs are in linked lists, newest first: all of a key, those of a key
 * and name, and those of a key, name and categories. So an END finds its BEGIN in constant time, however many are
 * open, unless it has categories without a name. Result: tb_sort_queue.matches, by place.
 */
#ifndef TB_TIMELINE_SLICE_MATCHER_H
#define TB_TIMELINE_SLICE_MATCHER_H

#include "timeline/sort_queue.h"

enum { TB_UNMATCHED = -1 }; /* of an END; of a BEGIN it is INT64_MAX */

/* Sets queue->matches. The queue must be in memory, in order or with its index built. Within a key an END takes the
 * newest open BEGIN that has its name and categories, where it has any, and that is in no slice that ended: such a one
 * it takes where it names it and no other. `keys` is one more than the highest key. TB_OK or TB_NO_MEMORY.
 *
 * Also notes in queue->match_notes complete slices of key 0 that a BEGIN is in that never ends, and BEGINs of key 0
 * about whose end readers may disagree: those that never end, those that were open when an END took another BEGIN than
 * the newest (some readers end all slices above it), and those that begin after that, until none is open; and BEGINs of
 * key 0 in whose slice the thread did not run. */
TB_MUST_CHECK enum tb_status tb_match_slices(struct tb_sort_queue *queue, uint32_t keys);

/* What the END says of the BEGIN at `place`, which is noted as one of TB_MATCH_NO_THREAD_TIME; empty: nothing. */
struct tb_str tb_matched_end_args(const struct tb_sort_queue *queue, uint64_t place);

/* Sees that of the queue's own slices that begin at one time those that enclose others come first, where a BEGIN or an
 * END that names another than the newest hides that. Builds the index where it does. Before flows are bound, since
 * places change. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_order_begins(struct tb_sort_queue *queue);

#endif
