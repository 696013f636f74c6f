/* SPDX-License-Identifier: Apache-2.0
 *
 * What metadata events of the Trace Event Format say of processes and threads.
 */
#ifndef TB_MODEL_METADATA_H
#define TB_MODEL_METADATA_H

#include "tracebridge/event.h"

/* The member of the trace that says which part of a split one it is. */
#define TB_METADATA_SPLIT_PART "tracebridge_split"
bool tb_metadata_is_split_part(const struct tb_event *event);

/* Whether metadata of this name (`thread_…`) is of a thread, even of one whose id is 0. */
bool tb_metadata_is_of_thread(struct tb_str name);

/* The name that a metadata event gives its track: a `process_name` a process, a `thread_name` a thread. Empty where it
 * gives none; valid as long as the event. */
struct tb_str tb_metadata_track_name(const struct tb_event *event);

/* Microseconds, a whole number or a text, as nanoseconds. False: it is neither. */
bool tb_metadata_micros(const struct tb_arg *arg, int64_t *ns);

#endif
