/* SPDX-License-Identifier: Apache-2.0
 *
 * Which events of the shared sequence belong together, and the groups of lanes that their tracks come from.
 */
#ifndef TB_PERFETTO_WRITER_TRACK_GROUPS_H
#define TB_PERFETTO_WRITER_TRACK_GROUPS_H

#include "base/intern.h"
#include "base/memory.h"
#include "tracebridge/event.h"

struct tb_perfetto_writer;

enum tb_track_group_class {
  TB_GROUP_TRACK,        /* a track of the source, as it is */
  TB_GROUP_SIDE,         /* a side track below its parent, for what would disturb the nesting there */
  TB_GROUP_SAMPLES,      /* the same, for samples */
  TB_GROUP_PROFILE,      /* a thread's events of V8's CPU profiles, on a sequence of their own */
  TB_GROUP_CARRIED,      /* what only the way back needs: in packets that no viewer shows, of the track itself */
  TB_GROUP_ASYNC,        /* b n e */
  TB_GROUP_LEGACY_ASYNC, /* S T p F */
  TB_GROUP_OBJECT,       /* N O D */
  TB_GROUP_CONTEXT,      /* ( ) */
  TB_GROUP_COUNTER,
  TB_GROUP_COUNTER_NAME, /* what a counter's series have in common; of no entry */
  TB_GROUP_KERNEL,       /* scheduling: its entries are COUNTERs, see perfetto/writer/sched_events.c */
  TB_GROUP_STATE,        /* states of JSON's threads: COUNTERs too, see perfetto/writer/sched_events.c */
  TB_GROUP_NAMED_ID,     /* an async id whose track the source names; of no entry */
  TB_GROUP_NAMED_SERIES, /* a counter's series that it names; of no entry */
  TB_GROUP_MEMORY        /* one memory dump: its entries are COUNTERs with the body of perfetto/writer/memory_dumps.h */
};

/* One group of tracks on the shared sequence: an async id, an object, a counter's series, … */
struct tb_track_group {
  uint8_t class;                 /* enum tb_track_group_class */
  bool shared;                   /* several processes use it */
  const struct tb_track *parent; /* the track that its tracks are below; NULL: the trace */
  uint32_t alias;                /* another key that it is one with, 0: none */
  int64_t last_begin_ts;         /* to tell an END at its BEGIN's time; of class MEMORY when it was */
  uint32_t begins_at_ts;
  uint32_t counter;              /* of class COUNTER: index of what is known of it, 0: nothing yet */
  const struct tb_track *thread; /* of class COUNTER_NAME: that emitted its first sample, NULL: none */
  const struct tb_str *name;     /* of classes ASYNC and NAMED_…: of the track, where the source names it; NULL */
  uint32_t named;                /* of class ASYNC: its key of class NAMED_ID, 0: none */
  uint32_t above;                /* of class NAMED_ID: the key of the track that its track is below, 0: `parent` */
  uint64_t uuid;                 /* the same: of its track, 0: it is not described yet */
};

/* Lanes that keys of one parent and name share. */
struct tb_lane_group {
  uint8_t class;
  const struct tb_track *parent;
  struct tb_str name;
  uint32_t named; /* as of the first key */
};

struct tb_writer_groups {
  const struct tb_allocator *allocator;
  struct tb_intern texts;
  struct tb_track_group *items; /* by key id; [0] is not used */
  size_t count, capacity;
  struct tb_intern lane_texts;
  struct tb_lane_group *lanes; /* by id; [0] is not used */
  size_t lane_count, lane_capacity;
  bool names_ids, names_series; /* some key is of class NAMED_… */
};

void tb_writer_groups_init(struct tb_writer_groups *groups, const struct tb_allocator *allocator);
void tb_writer_groups_free(struct tb_writer_groups *groups);

/* The key of an event on the shared sequence, 0 without memory. */
uint32_t tb_perfetto_async_group(struct tb_perfetto_writer *p, const struct tb_event *event,
                                 enum tb_track_group_class class);
uint32_t tb_perfetto_track_group(struct tb_perfetto_writer *p, const struct tb_track *track,
                                 enum tb_track_group_class class);
/* The key of the series `series` of a counter event; `number` is its place in the event. */
uint32_t tb_perfetto_counter_group(struct tb_perfetto_writer *p, const struct tb_event *event, struct tb_str series);
/* Sets *thread to the thread that emitted the counter's first sample, NULL for none. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_perfetto_counter_thread(struct tb_perfetto_writer *p, const struct tb_event *event,
                                                        const struct tb_track **thread);
/* The key of a memory dump. */
uint32_t tb_perfetto_memory_group(struct tb_perfetto_writer *p, const struct tb_event *event);
/* Takes from a metadata event `track_name` how the track of an async id or a counter is called, whose it is, and which
 * track it is below. */
enum tb_status tb_perfetto_take_track_name(struct tb_perfetto_writer *p, const struct tb_event *event);
/* Notes that two ids are one. */
enum tb_status tb_perfetto_link_ids(struct tb_perfetto_writer *p, const struct tb_event *event);
/* The key that stands for `key` after all links. */
uint32_t tb_perfetto_resolve_group(const struct tb_perfetto_writer *p, uint32_t key);
/* The group of lanes of a key for a tree that starts with a slice called `name`; 0 without memory. */
uint32_t tb_perfetto_lane_group(struct tb_perfetto_writer *p, uint32_t key, struct tb_str name);

#endif
