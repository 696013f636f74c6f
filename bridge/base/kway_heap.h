/* SPDX-License-Identifier: Apache-2.0
 *
 * A heap of inputs, the next one on top. Keys: time, then the input's number.
 */
#ifndef TB_BASE_KWAY_HEAP_H
#define TB_BASE_KWAY_HEAP_H

#include "base/memory.h"

struct tb_kway_entry {
  int64_t time;
  uint32_t input;
};

/* Caller-owned; `entries` has room for every input. */
struct tb_kway {
  struct tb_kway_entry *entries;
  size_t count;
};

void tb_kway_push(struct tb_kway *heap, struct tb_kway_entry entry);
/* Puts another entry in place of the top one: cheaper than taking it off and adding the other. */
void tb_kway_replace_top(struct tb_kway *heap, struct tb_kway_entry entry);
/* The latest time with which the top would stay on top. */
int64_t tb_kway_limit(const struct tb_kway *heap);
void tb_kway_drop_top(struct tb_kway *heap);

#endif
