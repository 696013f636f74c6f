/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of events of one time, where an END meets what came before it.
 *
 * An END of a slice that began earlier sorts first at its time: what begins there begins behind it, wherever the file
 * has it. But what came before the END in the file, and is closed by then, was in the slice: slices of no duration,
 * instants, points of flows. It stays in the slice, so it sorts first too, in the order in which it came:
 *
 *   as it came   BEGIN p 1, BEGIN z 5, END 5, END 5, COMPLETE q 5
 *   sorted       BEGIN p 1, BEGIN z 5, END 5, END 5 (all three first), COMPLETE q 5
 *
 * This is not known before the END comes, so the newest events of one time are noted, by their key, with the place of
 * the bit that says that they sort first. There are two such times, since a file may have a slice's begin behind what
 * is in it: the latest of all, and the newest before it. A COMPLETE of that time may last longer than the slice: what
 * came before it keeps its order. (A writer that keeps the order of the file asks tb_same_time_keeps_place alone.)
 */
#ifndef TB_TIMELINE_SAME_TIME_H
#define TB_TIMELINE_SAME_TIME_H

#include "base/memory.h"

struct tb_same_time_ref {
  char *head;    /* of the record; NULL where it keeps its order */
  uint32_t key;  /* the group of tracks */
  uint32_t next; /* the one of the key before it, + 1 */
  int8_t opens;  /* 1: a BEGIN, -1: an END */
};

struct tb_same_time_run {
  int64_t ts;
  bool has_others;               /* entries at `ts` that are not noted */
  struct tb_same_time_ref *refs; /* of entries at `ts` */
  size_t count, capacity;
  uint32_t *newest; /* by key: its newest ref, + 1; of another key, or past `count`, where the key has none */
  size_t key_capacity;
};

struct tb_same_time {
  struct tb_same_time_run latest, newest;
};

void tb_same_time_free(struct tb_same_time *times, const struct tb_allocator *allocator);

/* Forgets all entries: their records are gone. */
void tb_same_time_clear(struct tb_same_time *times);

/* Notes an entry of `key` at `ts` that is no END that sorts first; `head` and `opens` as above. TB_OK or
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_same_time_add(struct tb_same_time *times, const struct tb_allocator *allocator,
                                              uint32_t key, int64_t ts, char *head, int opens);

/* An entry at `ts` comes that is no part of any slice. */
void tb_same_time_pass(struct tb_same_time *times, int64_t ts);

/* An END of `key` comes at `ts` that sorts first, and all that `key` began at that time is closed: sets `bit` in the
 * heads of what it had in the slice. Returns whether these are all entries of that time. */
bool tb_same_time_raise(struct tb_same_time *times, uint32_t key, int64_t ts, char bit);

/* Whether an END of a slice that began at `begin` has to come behind what came last, at `last_ts`, and is no COMPLETE:
 * where both are of one time, it was in the slice. */
static inline bool tb_same_time_keeps_place(int64_t begin, int64_t end, int64_t last_ts) {
  return last_ts == end && begin < end;
}

#endif
