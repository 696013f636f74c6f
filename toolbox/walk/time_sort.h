/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting by time what comes nearly in its order: the kernel's events, of a thread that several processors ran in turn.
 */
#ifndef TB_TOOLBOX_WALK_TIME_SORT_H
#define TB_TOOLBOX_WALK_TIME_SORT_H

#include "base/memory.h"

/* Sorts `count` items of `size` bytes by their time, an int64_t that each begins with; those of one time stay in their
 * order. TB_OK; TB_NO_MEMORY, and nothing is sorted. */
TB_MUST_CHECK enum tb_status tb_sort_by_time(const struct tb_allocator *allocator, void *items, size_t count,
                                             size_t size);

#endif
