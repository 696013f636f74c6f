/* SPDX-License-Identifier: Apache-2.0
 *
 * Words that formats have of their own, which say nothing of what was traced: each is one in its place alone.
 */
#ifndef TB_TOOLBOX_REDACT_OWN_WORDS_H
#define TB_TOOLBOX_REDACT_OWN_WORDS_H

#include "tracebridge/event.h"

/* What JSON's metadata events that formats share say, of processes and threads. */
bool tb_is_own_metadata(struct tb_str name);

/* An event's name: a metadata event's, a state of a thread, an event of V8's CPU profiles. */
bool tb_is_own_name(const struct tb_event *event);

/* The key of an argument of the event, in whatever dict. */
bool tb_is_own_key(const struct tb_event *event, struct tb_str key);

/* The text of an argument: in CPU profiles functions of V8's own, and numbers of scripts; numbers that are values of a
 * counter, or what states of threads and metadata say. */
bool tb_is_own_value(const struct tb_event *event, const struct tb_arg *arg);

/* A further member of the event: the process or the thread by which it writes them otherwise than its track, or not at
 * all; a color of the Trace Event Format's; a sample's numbers that are text. */
bool tb_is_own_member(const struct tb_event *event, const struct tb_arg *member);

/* The name that Linux has for the idle thread of each CPU; by it readers know that a CPU is idle. */
bool tb_is_idle_name(const struct tb_track *track, struct tb_str name);

/* The label by which readers say the machine of a process, which is a number. */
bool tb_is_machine_label(const struct tb_track *track, struct tb_str label);

/* A text of digits is an id, and no name. */
bool tb_is_number_text(struct tb_str text);

/* A number, as readers take it from text. */
bool tb_says_number(struct tb_str text);

#endif
