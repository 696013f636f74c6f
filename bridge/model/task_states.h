/* SPDX-License-Identifier: Apache-2.0
 *
 * What states of threads are called.
 */
#ifndef TB_MODEL_TASK_STATES_H
#define TB_MODEL_TASK_STATES_H

#include "tracebridge/event.h"

/* The state that a name says: Linux' letters, the words of FXT, and those that trace viewers show; TB_TASK_UNKNOWN
 * where it says none. */
enum tb_task_state tb_task_state_named(struct tb_str name);

/* The name that Linux and the trace processor have for a state: a letter, or a word where there is none. */
struct tb_str tb_task_state_letter(enum tb_task_state state);

#endif
