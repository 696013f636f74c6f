/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose the kernel's events are.
 */
#ifndef TB_TOOLBOX_OWNERS_FTRACE_OWNER_H
#define TB_TOOLBOX_OWNERS_FTRACE_OWNER_H

#include "toolbox/owners/owners.h"

/* The threads that a switch, which is an event of the bundle, is between. */
struct tb_thread_switch {
  int64_t prev, next;
};
struct tb_thread_switch tb_thread_switch_read(const struct tb_ftrace_event *event);

/* Whether an event says of a thread when it runs or waits: what the scheduler does. */
bool tb_ftrace_is_scheduling(uint32_t kind);

/* Whose an event is that is no switch. */
struct tb_whose tb_owners_of_ftrace(const struct tb_owners *owners, const struct tb_ftrace_bundle *bundle,
                                    const struct tb_ftrace_event *event);

#endif
