/* SPDX-License-Identifier: Apache-2.0
 *
 * The tracks of a trace: by uuid as descriptors say, and by process and thread id as the kernel knows them.
 */
#ifndef TB_PERFETTO_READER_TABLES_TRACK_TABLE_H
#define TB_PERFETTO_READER_TABLES_TRACK_TABLE_H

#include "base/limit_allocator.h"
#include "base/map.h"
#include "protobuf/iid_index.h"
#include "tracebridge/event.h"

/* Where the name of a process or thread comes from, the better the later: as the importer has it. */
enum tb_name_rank {
  TB_NAME_NONE,
  TB_NAME_COMMAND,     /* of a process, its command line in a descriptor */
  TB_NAME_EVENT,       /* of a thread, what the kernel calls it in an event */
  TB_NAME_THREAD_TREE, /* of a thread, a process tree */
  TB_NAME_KIND,        /* Chrome's number of its kind */
  TB_NAME_DESCRIPTOR,
  TB_NAME_RENDERER, /* one of Chrome's kinds: see name_process */
  TB_NAME_PROCESS_TREE
};

/* Who says a name, and when: of equal rank the latest counts. */
struct tb_name_source {
  /* on the trace clock; where the packet has no time the latest seen, INT64_MIN for one read ahead of its turn */
  int64_t ts;
  uint8_t rank; /* enum tb_name_rank */
  bool renamed; /* a process by the kernel, in place of the name of that rank: those from before no longer count */
};

/* What threads of which no counter is below have none of: there may be a million. */
struct tb_track_more {
  uint32_t value_generation, value_place; /* see value_sequence */
  /* of the innermost open slices, the innermost lowest: whether it is an instant written as a slice */
  uint64_t zero_length_slices;
  int64_t unit_multiplier;
  /* where a sequence keeps the last value of this counter, as long as its generation is the same */
  const void *value_sequence;
  struct tb_perfetto_track *first_child, *next_sibling; /* custom tracks and counters below it */
};

/* A tb_track with what the reader alone knows of it. `track` is first, so that pointers convert. */
struct tb_perfetto_track {
  struct tb_track track;
  int64_t named_at; /* tb_name_source of its name */
  uint8_t name_rank;
  bool renamed : 1;
  bool described : 1; /* a descriptor was seen, or the track needs none */
  bool placed : 1;    /* so for all that are above it too */
  bool incremental : 1;
  bool in_state : 1;    /* a TYPE_STATE event began a slice that the next one ends */
  bool emitted : 1;     /* given out as TB_EVENT_TRACK since it last changed */
  bool zero_length : 1; /* some of tb_track_more.zero_length_slices is */
  uint32_t more;        /* place in tb_tracks.more, + 1; 0: it has none of that */
};

enum {
  TB_TRACKS_RECENT = 64,
  TB_PID_BITS = 22 /* process and thread ids of Linux are below 2^22: the bits above can hold the machine */
};

struct tb_tracks {
  struct tb_limit_allocator *budget;
  struct tb_intern *pool;
  void (*before_change)(void *ctx); /* called before a track changes that may have been given out; NULL: nothing is */
  void *change_ctx;
  struct tb_arena arena, scratch;
  bool misfits;           /* tb_message_read's, of the last description */
  struct tb_pages tracks; /* by index, the first of which is first_index */
  uint32_t first_index;
  size_t count;
  struct tb_pages more; /* of struct tb_track_more */
  size_t more_count;
  struct tb_index_map by_uuid;            /* uuid, machine */
  struct tb_map processes;                /* pid, machine */
  struct tb_index_map threads;            /* tid, machine: the last one known */
  struct tb_index_map threads_of_process; /* tid, mixed with pid and machine */
  /* the same, of threads that have had other ids since: a description may give them some */
  struct tb_map threads_before, threads_of_process_before;
  struct tb_map counters, customs; /* that have no uuid, by name (its place in the pool) and parent */
  /* The consumer supports one machine, the first that appears. Pids and tids of other machines get the machine's
   * number in their upper bits. */
  bool one_machine, has_first_machine;
  bool unsigned_ids; /* the consumer has no negative ids */
  uint32_t first_machine;
  struct tb_map other_numbers; /* machine, 0 -> number, from 1; and index of a process whose pid another has, 1 */
  size_t renumbered;           /* of these processes */
  struct tb_perfetto_track *recent[TB_TRACKS_RECENT]; /* by uuid: events ask for few tracks again and again */
};

void tb_tracks_init(struct tb_tracks *tracks, struct tb_limit_allocator *budget, struct tb_intern *pool);
void tb_tracks_free(struct tb_tracks *tracks);

/* The track with that index, which one of the table's has. */
static inline struct tb_perfetto_track *tb_tracks_at(const struct tb_tracks *tracks, uint32_t index) {
  return tb_pages_at(&tracks->tracks, index - tracks->first_index, sizeof(struct tb_perfetto_track));
}

/* What a track has of it, to be read. */
extern const struct tb_track_more tb_track_no_more;
static inline const struct tb_track_more *tb_tracks_more(const struct tb_tracks *tracks,
                                                         const struct tb_perfetto_track *track) {
  return track->more ? tb_pages_at(&tracks->more, track->more - 1, sizeof(struct tb_track_more)) : &tb_track_no_more;
}
/* The track's own, to be written; NULL when memory is exhausted. */
struct tb_track_more *tb_tracks_own_more(struct tb_tracks *tracks, struct tb_perfetto_track *track);

/* The track `uuid` (0: the trace itself), made where it is not known yet. NULL when memory is exhausted. */
struct tb_perfetto_track *tb_tracks_by_uuid(struct tb_tracks *tracks, uint64_t uuid, uint32_t machine,
                                            uint32_t sequence);

/* The same, NULL where it is not known yet. */
struct tb_perfetto_track *tb_tracks_known_by_uuid(const struct tb_tracks *tracks, uint64_t uuid, uint32_t machine);
/* Gives a track that has none its uuid. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_tracks_set_uuid(struct tb_tracks *tracks, struct tb_perfetto_track *track,
                                                uint64_t uuid);

/* Whether the machine is the first that appears; it is where none has appeared. */
bool tb_tracks_is_first_machine(struct tb_tracks *tracks, uint32_t machine);

/* To be called before a track changes that was made earlier. */
void tb_tracks_before_change(struct tb_tracks *tracks);

/* The id by which the user knows a process or thread of a machine. An id that was returned once is returned
 * unchanged. */
int64_t tb_tracks_id(struct tb_tracks *tracks, int64_t id, uint32_t machine);

/* The id that a descriptor says, whose field has 32 bits: as an unsigned number, where the consumer has no negative
 * ids. Those that a description restores are the source's own and stay. */
static inline int64_t tb_tracks_described_id(const struct tb_tracks *tracks, int64_t id) {
  return tracks->unsigned_ids && id < 0 && id >= INT32_MIN ? (int64_t)(uint32_t)id : id;
}

/* The id of the process `index` where another one has `id`: to such a user they would be one. */
int64_t tb_tracks_another_id(struct tb_tracks *tracks, int64_t id, uint32_t index);

/* If ids of other machines are changed this way, the first label of such a machine's process names the machine.
 * TB_OK or TB_NO_MEMORY. */
static inline bool tb_tracks_has_machine_label(const struct tb_tracks *tracks, const struct tb_track *track) {
  return tracks->one_machine && tracks->has_first_machine && track->machine != tracks->first_machine;
}
TB_MUST_CHECK enum tb_status tb_tracks_label_machine(struct tb_tracks *tracks, struct tb_track *track);

/* The track of a process or of a thread, made where it is not known yet; a thread's process as well. Where the process
 * is not known (`pid` NULL) the last thread of that tid. A thread of no process becomes one of `pid`, unless a
 * descriptor has said that it has none. NULL when memory is exhausted. */
struct tb_perfetto_track *tb_tracks_process(struct tb_tracks *tracks, int64_t pid, uint32_t machine);
struct tb_perfetto_track *tb_tracks_thread(struct tb_tracks *tracks, const int64_t *pid, int64_t tid, uint32_t machine);

bool tb_tracks_has_process(struct tb_tracks *tracks, int64_t pid, uint32_t machine);

/* Whether a track and all that are above it are described. */
bool tb_tracks_is_placed(struct tb_perfetto_track *track);

/* The counter, or track of slices and instants, of that name below `parent`, made where it is not known yet, with no
 * uuid. NULL when memory is exhausted. */
struct tb_perfetto_track *tb_tracks_named_counter(struct tb_tracks *tracks, struct tb_perfetto_track *parent,
                                                  struct tb_str name);
struct tb_perfetto_track *tb_tracks_named_custom(struct tb_tracks *tracks, struct tb_perfetto_track *parent,
                                                 struct tb_str name);

/* To be called before a track's pid or tid changes: as a thread it stays known by those that it had. TB_OK or
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_tracks_before_ids(struct tb_tracks *tracks, struct tb_perfetto_track *track);
/* After that, and after its ids were changed: a lookup by pid and tid finds it by the new ones, too, unless another
 * thread has them. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_tracks_also_by_ids(struct tb_tracks *tracks, struct tb_perfetto_track *track);

/* Makes a thread's track known by its tid, pid and machine. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_tracks_add_thread(struct tb_tracks *tracks, struct tb_perfetto_track *track);

/* Applies a TrackDescriptor message that is said at time `ts`, see tb_name_source. TB_OK and *track, whose `emitted`
 * is false where it changed; TB_BAD_DATA where the message is damaged; TB_NO_MEMORY. `only_new`: leaves a track alone
 * that is described already. */
TB_MUST_CHECK enum tb_status tb_tracks_describe(struct tb_tracks *tracks, struct tb_str descriptor, uint32_t machine,
                                                uint32_t sequence, int64_t ts, bool only_new,
                                                struct tb_perfetto_track **track);

/* Gives a process or thread its name, where it has no better one. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_tracks_set_name(struct tb_tracks *tracks, struct tb_perfetto_track *track,
                                                struct tb_str name, struct tb_name_source by);

/* Gives a process another name, wherever the one that it has at that time comes from. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_tracks_rename(struct tb_tracks *tracks, struct tb_perfetto_track *process,
                                              struct tb_str name, int64_t ts);

#endif
