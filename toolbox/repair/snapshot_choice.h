/* SPDX-License-Identifier: Apache-2.0
 *
 * Which clock snapshots of a trace are wrong: clocks do not run backwards from one to the next of the same clocks, so
 * that as few as possible are left out where they do. A snapshot that contradicts itself relates nothing, and is wrong
 * too. One that starts an incremental clock stays.
 */
#ifndef TB_TOOLBOX_REPAIR_SNAPSHOT_CHOICE_H
#define TB_TOOLBOX_REPAIR_SNAPSHOT_CHOICE_H

#include "base/map.h"
#include "perfetto/clock/snapshot.h"

struct tb_chosen_reading {
  uint64_t key;
  int64_t ns;
};

/* A snapshot of at least one clock. */
struct tb_chosen_snapshot {
  uint64_t number; /* of its packet */
  size_t first;    /* of its readings, in the order of their keys */
  uint32_t count;
  uint32_t next; /* of the same clocks, + 1; 0: none */
  /* the most snapshots that can stay up to this one, and the one before it of them, + 1; 0: none */
  uint32_t stay, before;
};

/* Of the same clocks of one machine. */
struct tb_snapshot_line {
  uint32_t first, last; /* of the snapshots, + 1 */
  bool runs_back;
};

/* Caller-owned; tb_snapshot_choice_init, then tb_snapshot_choice_free. */
struct tb_snapshot_choice {
  const struct tb_allocator *allocator;
  struct tb_chosen_snapshot *snapshots;
  size_t count, capacity;
  struct tb_chosen_reading *readings;
  size_t reading_count, reading_capacity;
  struct tb_snapshot_line *lines;
  size_t line_count, line_capacity;
  struct tb_map groups; /* tb_snapshot_group -> number of the line */
  struct tb_map wrong;  /* number of a packet -> 1 */
};

void tb_snapshot_choice_init(struct tb_snapshot_choice *choice, const struct tb_allocator *allocator);
void tb_snapshot_choice_free(struct tb_snapshot_choice *choice);
/* There is no snapshot any more. */
void tb_snapshot_choice_clear(struct tb_snapshot_choice *choice);

/* Adds a machine's snapshots in the order of the file; `number`: of the packet. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_snapshot_choice_add(struct tb_snapshot_choice *choice, uint64_t number,
                                                    uint32_t machine, const struct tb_snapshot *snapshot);
/* Decides, once all were added. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_snapshot_choice_decide(struct tb_snapshot_choice *choice);

static inline bool tb_snapshot_choice_is_wrong(const struct tb_snapshot_choice *choice, uint64_t number) {
  return choice->wrong.count && tb_map_find(&choice->wrong, number, 0);
}

#endif
