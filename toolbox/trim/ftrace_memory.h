/* SPDX-License-Identifier: Apache-2.0
 *
 * How much memory processes have by the kernel's events (rss_stat). An event says of which memory it is, by a number,
 * and whether that is its own thread's; whose it is readers know from the last event that said so. Both hold at a
 * window's start.
 */
#ifndef TB_TOOLBOX_TRIM_FTRACE_MEMORY_H
#define TB_TOOLBOX_TRIM_FTRACE_MEMORY_H

#include "base/map.h"
#include "toolbox/walk/ftrace_bundle.h"

/* An event up to the start that is not settled: a value, or what changes whose it is. */
struct tb_memory_event {
  int64_t time, tid;
  uint64_t order;  /* in the file */
  uint64_t memory; /* its number; of a thread that begins, the thread that made it */
  uint64_t size;
  uint32_t machine, cpu, member;
  enum { TB_MEMORY_PLAIN, TB_MEMORY_OWN, TB_MEMORY_OTHER, TB_MEMORY_GONE, TB_MEMORY_THREAD, TB_MEMORY_PROCESS } what;
};

/* The last value before the start of a member of a process' memory. */
struct tb_memory_value {
  int64_t time, process;
  int64_t tid;     /* a thread of the process, which is known to own ... */
  uint64_t memory; /* ... this one; 0: none */
  uint64_t size;
  uint32_t machine, cpu, member;
  bool has_value, has_value_at_start;
};

struct tb_ftrace_memory {
  const struct tb_allocator *allocator;
  int64_t start;
  struct tb_memory_event *events;
  size_t event_count, event_capacity;
  uint64_t taken;
  struct tb_map processes; /* tid, machine -> pid, by trees, by new threads and by marks */
  struct tb_map owners;    /* number of a memory, machine -> tid */
  struct tb_map gone;      /* tid, machine -> 1 where the thread is gone, 0 where there is one again */
  struct tb_map value_index;
  struct tb_memory_value *values;
  size_t value_count, value_capacity;
};

void tb_ftrace_memory_init(struct tb_ftrace_memory *memory, const struct tb_allocator *allocator, int64_t start);
void tb_ftrace_memory_free(struct tb_ftrace_memory *memory);

/* Takes in an event of a bundle, if it is one of those. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_memory_take(struct tb_ftrace_memory *memory,
                                                   const struct tb_ftrace_bundle *bundle,
                                                   const struct tb_ftrace_event *event);
/* Takes in which threads are of which processes from the walk's current packet, a process tree. Errors as above. */
TB_MUST_CHECK enum tb_status tb_ftrace_memory_take_tree(struct tb_ftrace_memory *memory, const struct tb_walk *walk);

/* Where many events wait for others that are before them: settles those that are first in time, so that memory is
 * bounded. What comes still, and is before these, is settled after them. Errors as above. */
TB_MUST_CHECK enum tb_status tb_ftrace_memory_settle(struct tb_ftrace_memory *memory, const struct tb_map *whole_from);
/* Makes `values` of all that was taken in, but for what is before the time that *whole_from has of a machine, under
 * 0. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_memory_end(struct tb_ftrace_memory *memory, const struct tb_map *whole_from);

/* Appends to *b the fields of an event that says a value, and whose the memory is. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_memory_append(const struct tb_memory_value *value, struct tb_buffer *b);

/* The field of a process' statistics that says the same; 0: none does. */
uint32_t tb_ftrace_memory_field(uint32_t member);

#endif
