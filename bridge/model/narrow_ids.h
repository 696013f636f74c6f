/* SPDX-License-Identifier: Apache-2.0
 *
 * Process and thread ids that do not fit Perfetto's int32, whose trace processor takes negative ones apart, as ids of
 * 31 bits: from 2^30 on, the lower 30 bits if they are free, so that none meets another.
 */
#ifndef TB_MODEL_NARROW_IDS_H
#define TB_MODEL_NARROW_IDS_H

#include "base/map.h"

struct tb_narrow_ids {
  struct tb_map known; /* id, 0 -> its narrow one */
  struct tb_map taken; /* narrow id, 0 */
};

enum { TB_NARROW_ID_FIRST = 1 << 30 };

void tb_narrow_ids_init(struct tb_narrow_ids *ids, const struct tb_allocator *allocator);
void tb_narrow_ids_free(struct tb_narrow_ids *ids);

/* The narrow id of `id`, always the same one. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_narrow_id(struct tb_narrow_ids *ids, uint64_t id, int64_t *narrow);

#endif
