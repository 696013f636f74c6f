/* SPDX-License-Identifier: Apache-2.0
 *
 * How many open slices of a stack have a name, so that an END that names none of thousands need not look at them.
 *
 * An END with a name ends the newest open slice of that name. Few stacks are deeper than 64 slices, and these are
 * looked at one by one; the slices above them are counted by name. Whoever has a stack of open slices adds and removes
 * them here, by their place from the outermost on, and asks how far down an END has to look.
 */
#ifndef TB_TIMELINE_OPEN_NAMES_H
#define TB_TIMELINE_OPEN_NAMES_H

#include "base/intern.h"
#include "base/map.h"

enum { TB_NAMES_COUNTED_FROM = 64 };

/* All 0 at first. A name is an id or a hash of it, and so are categories; 0: none. */
struct tb_open_names {
  /* (name, 0), where it has categories also (name, categories), (0, categories) -> how many; NULL before any was
   * counted, since there may be a stack for each of a million tracks */
  struct tb_map *counts;
};

/* A text as a name, for a stack of `count` open slices; 0, which is not asked for, where these are few. */
static inline uint64_t tb_open_name_of(struct tb_str text, size_t count) {
  return count < TB_NAMES_COUNTED_FROM ? 0 : tb_str_hash(text, 0) | 1;
}

void tb_open_names_free(struct tb_open_names *names);

enum tb_status tb_open_names_count_up(struct tb_open_names *names, const struct tb_allocator *allocator, uint64_t name,
                                      uint64_t categories);
void tb_open_names_count_down(struct tb_open_names *names, uint64_t name, uint64_t categories);

/* The slice at `place` opens. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK static inline enum tb_status tb_open_names_add(struct tb_open_names *names,
                                                             const struct tb_allocator *allocator, size_t place,
                                                             uint64_t name, uint64_t categories) {
  return place < TB_NAMES_COUNTED_FROM ? TB_OK : tb_open_names_count_up(names, allocator, name, categories);
}

/* It is open no more. */
static inline void tb_open_names_remove(struct tb_open_names *names, size_t place, uint64_t name, uint64_t categories) {
  if (place >= TB_NAMES_COUNTED_FROM) tb_open_names_count_down(names, name, categories);
}

/* How many of the `count` open slices an END has to look at, from the outermost on; 0 of both: any slice is its own. */
static inline size_t tb_open_names_reach(const struct tb_open_names *names, size_t count, uint64_t name,
                                         uint64_t categories) {
  if (count <= TB_NAMES_COUNTED_FROM || (!name && !categories)) return count;
  return names->counts && tb_map_find(names->counts, name, categories) ? count : TB_NAMES_COUNTED_FROM;
}

#endif
