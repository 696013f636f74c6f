/* SPDX-License-Identifier: Apache-2.0
 *
 * Ftrace's events as the kernel's own trace file says them, a line each:
 *
 *   TASK-TID (TGID) [CPU] .... SECONDS: NAME: ARGUMENTS
 */
#ifndef TB_FTRACE_EVENT_TEXT_H
#define TB_FTRACE_EVENT_TEXT_H

#include "ftrace/line_parser.h"
#include "json/emitter.h"
#include "protobuf/iid_index.h"

struct tb_ftrace_switch {
  struct tb_str prev_comm, next_comm;
  int64_t prev_tid, next_tid;
  int32_t prev_priority, next_priority;
  int64_t prev_state; /* the kernel's bits */
};

struct tb_ftrace_waking {
  struct tb_str comm;
  int64_t tid;
  int32_t priority, target_cpu;
};

/* Of the flags of a task_newtask: the task is a thread of the process that made it. */
enum { TB_FTRACE_CLONE_THREAD = 0x10000 };

/* Layouts of the bits of prev_state. A trace that does not say which kernel it has is of the old one, as the trace
 * processor takes it. */
enum tb_ftrace_states { TB_FTRACE_STATES_OLD, TB_FTRACE_STATES_4_14 };

/* The letters of the bits, lowest first; those past the last of them say that the thread could go on: "R+". */
const char *tb_ftrace_state_letters(enum tb_ftrace_states states);

/* The part before the event's name. Times are those that the trace processor, which reads seconds as a double and
 * cuts them to nanoseconds, takes for `ts`: where nine decimals would not do, a tenth follows. */
void tb_ftrace_put_line_head(struct tb_json_emit *out, const struct tb_ftrace_line *line);

void tb_ftrace_put_switch(struct tb_json_emit *out, const struct tb_ftrace_switch *change,
                          enum tb_ftrace_states states);
void tb_ftrace_put_waking(struct tb_json_emit *out, const struct tb_ftrace_waking *waking);

/* What userspace wrote: `text` without the line's end. */
void tb_ftrace_put_mark(struct tb_json_emit *out, struct tb_str text);

/* A mark in the form that userspace writes. `name` has no bar but for B. */
struct tb_ftrace_mark {
  char phase; /* B, E: slice of the thread; I: instant of it; S, F: async slice; C: counter */
  int64_t pid;
  struct tb_str name;     /* not of E */
  int64_t value;          /* of C; the id of S and F */
  struct tb_str category; /* of B, for who gets it as an event; no text has it */
};
/* Whether events of `kind` are what drivers mark by events of their own. */
bool tb_ftrace_is_driver_mark(uint32_t kind);
/* What such an event marks. False for what is no such mark. */
bool tb_ftrace_driver_mark(uint32_t kind, struct tb_str payload, struct tb_ftrace_mark *mark);
void tb_ftrace_put_kernel_mark(struct tb_json_emit *out, const struct tb_ftrace_mark *mark);

/* A text within a line, which it must not end. */
void tb_ftrace_put_text(struct tb_json_emit *out, struct tb_str text);

/* Whether the schema has a struct for events of `kind`, a field of FtraceEvent. */
bool tb_ftrace_is_known(uint32_t kind);

/* "NAME: ARGUMENTS" of an event of `kind`, a field of FtraceEvent. `symbols` are functions of the kernel by the
 * numbers that stand for them, or NULL. False, and nothing written, where the schema does not know it. */
bool tb_ftrace_put_event(struct tb_json_emit *out, uint32_t kind, struct tb_str payload,
                         const struct tb_iid_index *symbols);

/* How the kernel prints the fields of an event of `kind` where it is not "NAME=VALUE ...", else NULL: % with the kind
 * of value (s text, d and u number, x hexadecimal, y a symbol or hexadecimal) and the number of the field, a digit.
 * What is in [] at the end may be missing: old kernels do not print it. */
const char *tb_ftrace_format(uint32_t kind);

#endif
