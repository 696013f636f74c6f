/* SPDX-License-Identifier: Apache-2.0
 *
 * What an ftrace event is to a window: whether it begins or ends something or is a value, and of what.
 */
#ifndef TB_TOOLBOX_TRIM_FTRACE_ROLES_H
#define TB_TOOLBOX_TRIM_FTRACE_ROLES_H

#include "protos/field_numbers.h"
#include "toolbox/walk/ftrace_bundle.h"

/* Calls of functions of the kernel: protos/perfetto has no fields for them, since text is made of their names alone. */
enum { TB_FTRACE_EVENT_FUNCGRAPH_ENTRY = 437, TB_FTRACE_EVENT_FUNCGRAPH_EXIT = 438 };
enum { TB_FUNCGRAPH_ENTRY_FTRACE_EVENT_FUNC = 2, TB_FUNCGRAPH_EXIT_FTRACE_EVENT_FUNC = 3 };
/* The same of calls of the system, whose first field is their number. */
enum { TB_FTRACE_EVENT_SYS_ENTER = 329, TB_FTRACE_EVENT_SYS_EXIT = 330, TB_SYS_FTRACE_EVENT_ID = 1 };

enum tb_ftrace_role {
  TB_FTRACE_ROLE_NONE,
  TB_FTRACE_ROLE_BEGIN,
  TB_FTRACE_ROLE_END,
  TB_FTRACE_ROLE_VALUE,
  TB_FTRACE_ROLE_RECEIVED /* of binder: a request begins something, a reply ends something, by another event */
};

/* The role, and what those of its kind are matched by. */
struct tb_ftrace_event_role {
  enum tb_ftrace_role role;
  uint64_t key, kind;
  uint64_t stated; /* of a value: the key of the one in packets (packet_values.h) that says the same; 0: none does */
  uint32_t adds;   /* field of a value's payload that readers add up, where it is no value by itself; 0: none */
  uint32_t symbol; /* field of the payload that is the interned id of a function of the kernel; 0: none */
  uint64_t call;   /* of the system: its number and 1 more; an end is of that one alone; 0: another event */
  bool is_queue;   /* an end is of what began first, and readers show what is first only */
};

/* Whether the slices of a track are in each other in a thread, whatever processors that was on: marks, and calls of
 * functions but of idle threads. */
static inline bool tb_ftrace_role_nests(const struct tb_ftrace_event_role *role, int64_t pid) {
  uint32_t kind = (uint32_t)role->kind;
  return kind == TB_FTRACE_EVENT_PRINT || (kind == TB_FTRACE_EVENT_FUNCGRAPH_ENTRY && pid);
}

struct tb_ftrace_event_role tb_ftrace_role_of(const struct tb_ftrace_bundle *bundle,
                                              const struct tb_ftrace_event *event);

/* A transaction of binder: a request that is waited for, its reply, or a request that nobody waits for. */
enum tb_ftrace_transaction { TB_FTRACE_REQUEST, TB_FTRACE_REPLY, TB_FTRACE_ONE_WAY };
enum tb_ftrace_transaction tb_ftrace_transaction_of(const struct tb_ftrace_event *event);

#endif
