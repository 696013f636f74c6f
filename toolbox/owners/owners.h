/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose things are: processes and threads with all the names that a trace has for them, and tracks. Names may come
 * behind what they name, so that all is taken in before anything is asked.
 */
#ifndef TB_TOOLBOX_OWNERS_OWNERS_H
#define TB_TOOLBOX_OWNERS_OWNERS_H

#include "toolbox/name_pattern.h"
#include "toolbox/owners/memory_owner.h"
#include "toolbox/walk/ftrace_bundle.h"
#include "toolbox/walk/track_events.h"

#define TB_OWNER_UNKNOWN INT64_MIN

struct tb_owner {
  struct tb_name_verdict verdict;
  bool named;                       /* of a process: the trace has a name for it; else it is called as ... */
  struct tb_name_verdict by_thread; /* ... its main thread is */
  int64_t pid;                      /* of a thread: its process, or unknown, and then ... */
  int64_t maker;                    /* ... that of the thread which made it for its own process, or unknown */
  uint32_t name;                    /* the last one, of those that are kept; 0: none */
};

/* What a track is of; unknown where it is of none. */
struct tb_owned_track {
  uint64_t parent; /* 0: none */
  int64_t pid, tid;
  bool is_counter; /* of values that the engine shows as a counter */
  struct tb_name_verdict verdict;
};

/* Caller-owned; tb_owners_init, then tb_owners_free. */
struct tb_owners {
  const struct tb_allocator *allocator;
  struct tb_name_patterns processes, threads, counters; /* the caller's, set before anything is taken in */
  struct tb_map process_index;                          /* machine, id -> place in `owners` */
  /* The same of threads: process and id, since formats number threads by process; and of the system's by the id alone,
   * which is all that ftrace has. */
  struct tb_map thread_index;
  struct tb_owner *owners;
  size_t owner_count, owner_capacity;
  struct tb_map track_index; /* what a track is known by, machine and kind of that -> place in `tracks` */
  struct tb_owned_track *tracks;
  size_t track_count, track_capacity;
  struct tb_map judged;       /* names that were, with whose they are */
  struct tb_map recorders;    /* ids of processes that record others */
  struct tb_map transactions; /* of binder: number, machine and whether it is the one who receives -> id of thread */
  struct tb_memory_owners memories;
  struct tb_buffer scratch;
  bool keeps_names;  /* the caller's, set before anything is taken in */
  bool joins_series; /* the same: the input is of a format whose counters may have several series */
  struct tb_intern kept_names;
};

void tb_owners_init(struct tb_owners *owners, const struct tb_allocator *allocator);
void tb_owners_free(struct tb_owners *owners);

/* Takes in what the walk's current packet says. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_owners_take(struct tb_owners *owners, struct tb_walk *walk);

/* Whose something is. */
enum tb_whose_kind { TB_WHOSE_NOBODY, TB_WHOSE_PROCESS, TB_WHOSE_THREAD };
struct tb_whose {
  enum tb_whose_kind kind;
  uint32_t machine;
  int64_t pid, tid; /* tid: of a thread alone */
};

static inline struct tb_whose tb_whose_process(uint32_t machine, int64_t pid) {
  return (struct tb_whose){TB_WHOSE_PROCESS, machine, pid, TB_OWNER_UNKNOWN};
}

/* A thread of the system by its id, and its process. */
struct tb_whose tb_owners_thread(const struct tb_owners *owners, uint32_t machine, int64_t tid);
struct tb_whose tb_owners_process_of(const struct tb_owners *owners, uint32_t machine, int64_t tid);

/* Of an event of binder by which a thread sends to another, or receives: the other one. Slices of each need the events
 * of both. Nobody: it is no such event, or not known. */
struct tb_whose tb_owners_other_side(const struct tb_owners *owners, uint32_t machine,
                                     const struct tb_ftrace_event *event);

/* A track, by its uuid or by what threads are known by that have none. */
struct tb_track_key {
  uint32_t machine;
  uint64_t key;
  bool is_uuid;
};

/* Whose what is on a track is; `of_process`: though the track is a thread's, it is of the process. */
struct tb_whose tb_owners_of_track(const struct tb_owners *owners, const struct tb_track_key *track, bool of_process);

/* Whose a track event is, which was read. */
struct tb_whose tb_owners_of_event(const struct tb_owners *owners, uint32_t machine, const struct tb_event_view *view);

/* Whose a packet of a kind is that says nothing of its own: of the process that wrote it. */
struct tb_whose tb_owners_of_writer(const struct tb_owners *owners, const struct tb_walk *walk);

/* Its name, where names are kept: of a process without one what its main thread is called. Empty: it has none. */
struct tb_str tb_owners_name(const struct tb_owners *owners, const struct tb_whose *whose);

/* Whether it counts whose something is: some processes or threads are chosen. */
static inline bool tb_owners_are_chosen(const struct tb_owners *owners) {
  return owners->processes.count || owners->threads.count;
}

/* Whether what is of it stays; what is nobody's does. */
bool tb_owners_choose(const struct tb_owners *owners, const struct tb_whose *whose);

/* Whether values of the counter with that track stay, as far as its name says. */
bool tb_owners_choose_counter(const struct tb_owners *owners, uint32_t machine, uint64_t uuid);
bool tb_owners_is_counter(const struct tb_owners *owners, uint32_t machine, uint64_t uuid);

#endif
