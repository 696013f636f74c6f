/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of the kernel that come at an edge of a window, written as packets of their own.
 */
#ifndef TB_TOOLBOX_TRIM_FTRACE_PACKET_H
#define TB_TOOLBOX_TRIM_FTRACE_PACKET_H

#include "toolbox/walk/ftrace_bundle.h"

/* Of one event that may come again at an edge: where it came from, and the message. */
struct tb_ftrace_kept {
  uint32_t cpu, machine;
  uint32_t symbol;           /* iid of its interned function, and ... */
  struct tb_str symbol_name; /* ... what that is called; 0: it has none */
  struct tb_str bytes;
};

/* A number that a field of an event's payload becomes. */
struct tb_ftrace_change {
  uint32_t number; /* of the field */
  uint64_t value;
};

/* Appends the event's thread and its payload, with changes. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_ftrace_append_changed(const struct tb_ftrace_event *event,
                                                      const struct tb_ftrace_change *changes, size_t count,
                                                      struct tb_buffer *b);

/* Appends the event at a time of machine 0's trace clock in a bundle of its own; nothing where nobody knows what its
 * machine's clock reads then. Errors as above. */
TB_MUST_CHECK enum tb_status tb_ftrace_append_packet(const struct tb_walk *walk, const struct tb_ftrace_kept *kept,
                                                     int64_t time, struct tb_buffer *b);
/* The same of a switch as a row of compact_sched. */
TB_MUST_CHECK enum tb_status tb_ftrace_append_row_packet(const struct tb_walk *walk, const struct tb_ftrace_kept *kept,
                                                         int64_t time, struct tb_buffer *b);

#endif
