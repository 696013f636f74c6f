/* SPDX-License-Identifier: Apache-2.0
 *
 * What an ftrace event is to a window: whether it begins or ends something or is a value, and of what.
 */
#ifndef TB_TOOLBOX_TRIM_FTRACE_ROLES_H
#define TB_TOOLBOX_TRIM_FTRACE_ROLES_H

#include "protos/field_numbers.h"
#include "toolbox/walk/ftrace_bundle.h"

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
  uint64_t stated;  /* of a value: the key of the one in packets (packet_values.h) that says the same; 0: none does */
  uint32_t adds;    /* field of a value's payload that readers add up, where it is no value by itself; 0: none */
  bool is_queue;    /* an end is of what began first, and readers show what is first only */
  bool is_interned; /* a begin that names by an interned id what it is of: its slices are not said again at the start */
};

/* Whether its slices are among those that print marks of a thread. */
static inline bool tb_ftrace_role_is_mark(const struct tb_ftrace_event_role *role) {
  return (uint32_t)role->kind == TB_FTRACE_EVENT_PRINT;
}

struct tb_ftrace_event_role tb_ftrace_role_of(const struct tb_ftrace_bundle *bundle,
                                              const struct tb_ftrace_event *event);

/* A transaction of binder: a request that is waited for, its reply, or a request that nobody waits for. */
enum tb_ftrace_transaction { TB_FTRACE_REQUEST, TB_FTRACE_REPLY, TB_FTRACE_ONE_WAY };
enum tb_ftrace_transaction tb_ftrace_transaction_of(const struct tb_ftrace_event *event);

/* The process that a print mark says its thread is of; 0: it says none. */
int64_t tb_ftrace_marked_process(const struct tb_ftrace_event *event);

#endif
