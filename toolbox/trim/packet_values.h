/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets that hold many values, of which each is valid until the next one of its own: statistics of the system and of
 * processes, power rails, estimates of energy, counters of GPUs. Each is in a window or not by itself, and said again
 * at its start by itself.
 */
#ifndef TB_TOOLBOX_TRIM_PACKET_VALUES_H
#define TB_TOOLBOX_TRIM_PACKET_VALUES_H

#include "toolbox/walk/packet_walk.h"

/* One of them, in the current packet of a walk. */
struct tb_packet_value {
  uint64_t key;    /* what it is the value of, among all values of its machine; 0: it is an instant */
  int64_t time;    /* on machine 0's trace clock */
  uint64_t number; /* of a process' statistics: the value */
  bool counts;     /* readers show how much it is more than the one before it */
};

/* Whether packets of that payload hold such values. */
bool tb_packet_holds_values(uint32_t kind);

/* The key of the value in field `field` of a process' statistics. */
uint64_t tb_packet_values_process_key(uint64_t pid, uint32_t field);

/* The key of a property of the system that is the value of a counter which marks of atrace name, too; 0: none is. */
uint64_t tb_packet_values_mark_key(struct tb_str counter);

/* Whether such a value is of the time up to it: readers show it from the one before on. */
bool tb_packet_values_end_at(uint32_t kind);

/* Whether the walk's current packet is one value as a whole, of *key. */
bool tb_packet_is_value(const struct tb_walk *walk, uint64_t *key);

/* Takes in a value, or returns whether it is one of those that are wanted. */
typedef bool (*tb_packet_value_choice)(void *ctx, const struct tb_packet_value *value);

/* Appends to `buffer` a packet, framed, of those values of the walk's current packet that `choose` returns true for:
 * without its state, at `host_time` of machine 0's trace clock. Values that have times of their own lose them where
 * `at_own_times` is not set. Appends nothing where none is wanted. *all is whether all are. TB_OK, TB_NO_MEMORY,
 * TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_packet_values_append(struct tb_walk *walk, tb_packet_value_choice choose, void *ctx,
                                                     int64_t host_time, bool at_own_times, struct tb_buffer *buffer,
                                                     bool *all);

#endif
