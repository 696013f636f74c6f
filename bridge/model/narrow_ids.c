/* SPDX-License-Identifier: Apache-2.0 */
#include "model/narrow_ids.h"

void tb_narrow_ids_init(struct tb_narrow_ids *ids, const struct tb_allocator *allocator) {
  tb_map_init(&ids->known, allocator);
  tb_map_init(&ids->taken, allocator);
}

void tb_narrow_ids_free(struct tb_narrow_ids *ids) {
  tb_map_free(&ids->known);
  tb_map_free(&ids->taken);
}

enum tb_status tb_narrow_id(struct tb_narrow_ids *ids, uint64_t id, int64_t *narrow) {
  const uint64_t *known = tb_map_find(&ids->known, id, 0);
  if (known) {
    *narrow = (int64_t)*known;
    return TB_OK;
  }
  const uint32_t first = TB_NARROW_ID_FIRST;
  uint32_t number = first | ((uint32_t)id & (first - 1));
  while (tb_map_find(&ids->taken, number, 0)) number = first | ((number - 1) & (first - 1));
  *narrow = (int64_t)number;
  enum tb_status status = tb_map_put(&ids->taken, number, 0, 1);
  return status == TB_OK ? tb_map_put(&ids->known, id, 0, number) : status;
}
