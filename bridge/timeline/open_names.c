/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/open_names.h"

void tb_open_names_free(struct tb_open_names *names) {
  if (!names->counts) return;
  const struct tb_allocator *allocator = names->counts->allocator;
  tb_map_free(names->counts);
  tb_free(allocator, names->counts, sizeof(*names->counts));
  names->counts = NULL;
}

enum tb_status tb_open_names_count_up(struct tb_open_names *names, const struct tb_allocator *allocator, uint64_t name,
                                      uint64_t categories) {
  if (!names->counts) {
    names->counts = tb_alloc(allocator, sizeof(*names->counts));
    if (!names->counts) return TB_NO_MEMORY;
    tb_map_init(names->counts, allocator);
  }
  enum tb_status status = tb_map_count_up(names->counts, name, 0);
  if (status == TB_OK && categories) status = tb_map_count_up(names->counts, name, categories);
  return status == TB_OK && categories ? tb_map_count_up(names->counts, 0, categories) : status;
}

void tb_open_names_count_down(struct tb_open_names *names, uint64_t name, uint64_t categories) {
  tb_map_count_down(names->counts, name, 0);
  if (categories) tb_map_count_down(names->counts, name, categories);
  if (categories) tb_map_count_down(names->counts, 0, categories);
}
