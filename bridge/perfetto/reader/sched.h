/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TB_PERFETTO_READER_SCHED_H
#define TB_PERFETTO_READER_SCHED_H

#include "ftrace/event_text.h"
#include "perfetto/reader/reader.h"

struct tb_kernel_state {
  int64_t ts, tid;
  enum tb_task_state state;
  bool has_cpu, has_priority, has_kernel_state;
  uint32_t cpu;
  int32_t priority;
  uint16_t kernel_state; /* see tb_event */
  int64_t waker;         /* the thread that wakes this one; 0: none is said */
  uint32_t fxt_kind;     /* TB_GENERIC_KERNEL_TASK_STATE_EVENT_FXT_* */
  struct tb_str fxt_arguments;
  struct tb_str comm; /* the thread's name where the event says it; in memory of the batch */
};

/* Makes a TB_EVENT_THREAD_STATE. */
void tb_perfetto_emit_state(struct tb_perfetto_reader *r, const struct tb_kernel_state *state);

/* Makes known which process the thread `tid` that wrote the line belongs to, where the line says it. NULL when memory
 * is exhausted. */
struct tb_perfetto_track *tb_perfetto_marker_thread(struct tb_perfetto_reader *r, int64_t tid, struct tb_str line);

/* Makes the event that a line of userspace's trace marker says (B|pid|name and the like); `tid` wrote it. False where
 * the line says nothing of the kind. */
bool tb_perfetto_emit_marker(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, struct tb_str line);
/* The track of a processor, which those of its counters and slices are below. NULL when memory is exhausted. */
struct tb_perfetto_track *tb_perfetto_processor_track(struct tb_perfetto_reader *r, uint32_t cpu);
/* The slice or instant that a mark of the kernel's says: S and F are the system's, B, E and I the thread's, which is of
 * the process that it names (0: it names none). */
void tb_perfetto_emit_mark(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid,
                           const struct tb_ftrace_mark *mark);

/* What belongs to no process is below: of the first machine the trace, of others, to tell them apart, their process 0.
 * NULL when memory is exhausted. */
struct tb_perfetto_track *tb_perfetto_system_track(struct tb_perfetto_reader *r);

/* What the trace says of the machine's kernel: the state of `tb_system_state`. */
struct tb_system {
  uint32_t page_size;           /* 0 where it is not said */
  enum tb_ftrace_states states; /* as the kernel's version says */
};

/* Whether the current packet was made of ftrace text. */
bool tb_perfetto_made_of_text(const struct tb_perfetto_reader *r);
/* Whether it was, and the text was given to a target that takes it. */
bool tb_perfetto_is_in_text(struct tb_perfetto_reader *r);

/* What task_newtask and task_rename say of threads and processes: whose they are, and what they are called. `tid` is
 * who makes a task. Other kinds say nothing. (perfetto/reader/ftrace_lines.c) */
void tb_perfetto_apply_task(struct tb_perfetto_reader *r, int64_t ts, int64_t tid, uint32_t kind,
                            struct tb_str payload);

/* ---- ftrace as text, for JSON (perfetto/reader/ftrace_lines.c): each makes a TB_EVENT_SYSTEM_TRACE of one line --- */

/* `bits` are the kernel's prev_state. A `prev` with a negative tid is not known: the idle thread stands for it. */
void tb_perfetto_emit_switch_line(struct tb_perfetto_reader *r, const struct tb_kernel_state *prev, int64_t bits,
                                  const struct tb_kernel_state *next);
void tb_perfetto_emit_waking_line(struct tb_perfetto_reader *r, uint32_t cpu, int64_t waker,
                                  const struct tb_kernel_state *woken, int32_t target_cpu);
void tb_perfetto_emit_mark_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid,
                                struct tb_str text);
/* `kind` is a field of FtraceEvent. False, and no event, where the schema does not know it. */
bool tb_perfetto_emit_event_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                                 struct tb_str payload);
/* A mark of the kernel's that `tid` writes, or the event that it says where the target gets no text. */
void tb_perfetto_emit_slice_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid,
                                 const struct tb_ftrace_mark *mark);
/* Marks for readers of text what the event means, in addition to its own line (perfetto/reader/ftrace_marks.c). False
 * where marks do not say it. */
bool tb_perfetto_mark_event(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                            struct tb_str payload);
/* The event as a counter or a slice, for targets that get neither packets nor text; false where it is none. */
bool tb_perfetto_emit_ftrace_event(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                                   struct tb_str payload);
/* What thread `tid` sends or receives by Android's binder, as slices and flows; false where nothing says what it
 * receives (perfetto/reader/payloads/ftrace_binder.c). */
bool tb_perfetto_emit_binder(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                             struct tb_str payload);
/* The thread whose memory `mm_id` is at `ts`, as an event of thread `tid` says, whose own it is or not; -1: nothing
 * says it, or memory is exhausted (perfetto/reader/ftrace_memory.c). */
int64_t tb_perfetto_ftrace_memory_owner(struct tb_perfetto_reader *r, int64_t ts, int64_t tid, uint64_t mm_id,
                                        bool is_own);
/* A thread is gone, or there is a new one of the number: whose memory it was is not known any more. */
void tb_perfetto_ftrace_memory_gone(struct tb_perfetto_reader *r, int64_t ts, int64_t tid, bool is_gone);
/* Before the events of a bundle: of one that is read again, what it changed is as it was. */
void tb_perfetto_ftrace_memory_bundle(struct tb_perfetto_reader *r);

/* A value of the counter of that name below `parent` (NULL: none), or below the processor's own track. True. */
bool tb_perfetto_emit_counter_below(struct tb_perfetto_reader *r, int64_t ts, struct tb_perfetto_track *parent,
                                    struct tb_str name, int64_t value);
bool tb_perfetto_emit_cpu_counter(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, struct tb_str name,
                                  int64_t value);
/* A slice on the track `kind` below the processor's: B begins it, E ends it. True. */
bool tb_perfetto_emit_cpu_slice(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, struct tb_str kind,
                                const struct tb_ftrace_mark *mark);
/* A counter of a process (0: of the system), as userspace would mark it, or an event where the target gets no text.
 * A `name` with a bar has no form as a mark: false. */
bool tb_perfetto_emit_counter_line(struct tb_perfetto_reader *r, int64_t ts, int64_t pid, struct tb_str name,
                                   int64_t value);
/* The same at the packet's time, called as printf would print it. False also for names of 250 bytes and more. */
bool tb_perfetto_emit_gauge(struct tb_perfetto_reader *r, int64_t pid, int64_t value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A processor's frequency at the packet's time, as the kernel's own event says it: a line, an instant or a counter, as
 * the target has it. */
void tb_perfetto_emit_frequency_line(struct tb_perfetto_reader *r, uint32_t cpu, uint64_t khz);

/* Whether the target gets the system's own events as text. Lines do not name the machine: those of other machines
 * than the first become events. */
static inline bool tb_perfetto_as_text(struct tb_perfetto_reader *r) {
  return r->reader->target.system_as_text && tb_tracks_is_first_machine(&r->tracks, r->head.machine);
}

/* ---- ftrace as instants, for users of the one shape and targets that get neither packets nor such text ----------- */

/* Makes an instant of thread `tid` of an event of `kind`, a field of FtraceEvent. False, and no event, where its packet
 * is given out instead (perfetto/reader/payloads/ftrace_instants.c). */
bool tb_perfetto_emit_ftrace_instant(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                                     struct tb_str payload);

/* Whether the target has no place for an event that no event of ours says but an instant. */
static inline bool tb_perfetto_wants_ftrace_instants(const struct tb_perfetto_reader *r) {
  return !r->reader->target.packets && (r->reader->target.system_as_events || r->reader->target.system_as_text);
}

/* Whether the packet's numbers have no place as text or events, for want of a time or by the target: it is given out
 * as it is. */
bool tb_perfetto_passes(struct tb_perfetto_reader *r, bool has_ts);
/* Gives out a packet that says more than the counters that were made of it: a target that takes it gets it in their
 * place, so that nothing comes twice. */
void tb_perfetto_pass_for_counters(struct tb_perfetto_reader *r);

#endif
