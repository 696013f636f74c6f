/* SPDX-License-Identifier: Apache-2.0
 *
 * What a packet's track event is to tools that cut: whether it begins or ends something, on which track, and under
 * which name. Everything else in it stays unread.
 */
#ifndef TB_TOOLBOX_WALK_TRACK_EVENTS_H
#define TB_TOOLBOX_WALK_TRACK_EVENTS_H

#include "base/intern.h"
#include "base/map.h"
#include "toolbox/walk/packet_walk.h"

enum tb_event_role {
  TB_ROLE_OTHER,
  TB_ROLE_BEGIN,
  TB_ROLE_END,
  TB_ROLE_COMPLETE, /* both, `duration_ns` apart */
  TB_ROLE_VALUE,    /* of a counter, or a state: holds until the next of its track */
  TB_ROLE_ABOUT     /* says what something is called, at no time */
};

struct tb_event_view {
  enum tb_event_role role;
  uint64_t track;          /* the uuid; what slices without one are matched by mixed to a number */
  bool has_uuid;           /* it is a uuid */
  uint64_t from;           /* as `track`, of an async event of before there were tracks where it comes from */
  bool from_uuid;          /* it is a uuid */
  char phase;              /* of the same; 0: none */
  bool of_process, of_all; /* of its process, or of the trace, though a thread emitted it */
  int64_t duration_ns;
  uint32_t name, categories; /* in `texts`, of several categories one number for all; 0: none */
  bool has_value;            /* of a counter: `value`, a whole number */
  int64_t value;
  bool has_extras; /* values of further counters */
  bool has_flows;  /* ids of flows, of events with tracks */
};

/* What an event has among its fields; EXTRAS: values of further counters. */
enum {
  TB_EVENT_HAS_TRACK = 1,
  TB_EVENT_HAS_ARGS = 2,
  TB_EVENT_HAS_FLOWS = 4,
  TB_EVENT_HAS_EXTRAS = 8,
  TB_EVENT_HAS_VALUE = 16
};

/* What of an event is read before it is known what it is. */
struct tb_event_fields {
  uint64_t type;
  uint64_t track;            /* the uuid that it names; of a tb_plain_event its sequence's where it names none */
  struct tb_str legacy;      /* ptr NULL: none */
  uint32_t name, categories; /* as of tb_event_view */
  uint32_t has;              /* TB_EVENT_HAS_… */
  uint32_t extra_uuids;      /* of tracks of further counters */
  int64_t value;             /* where TB_EVENT_HAS_VALUE */
};

/* The values of further counters that an event has, with their tracks. */
enum { TB_EXTRA_COUNTERS = 16 };
struct tb_event_extras {
  size_t count;
  uint64_t uuids[TB_EXTRA_COUNTERS];
  int64_t values[TB_EXTRA_COUNTERS];
};

/* Of one sequence. */
struct tb_event_sequence {
  bool valid;          /* its incremental state is whole */
  struct tb_map names; /* iid, field of InternedData -> id in `texts` */
  bool has_default_track;
  uint64_t default_track; /* 0: it has none, or that */
  uint64_t thread;        /* what the thread of its ThreadDescriptor is known by; 0: it has none */
  uint64_t pid;           /* of the same */
  size_t extra_count;
  uint64_t extras[TB_EXTRA_COUNTERS]; /* the tracks of further counters, of events that name none; the first */
};

/* A name or category that was looked up lately. */
struct tb_recent_name {
  uint64_t iid;
  uint32_t whose; /* the sequence and what it interns, as one number; UINT32_MAX: none */
  uint32_t id;
};
enum { TB_RECENT_NAMES = 4096 };

/* Caller-owned; tb_track_events_init, then tb_track_events_free. */
struct tb_track_events {
  const struct tb_allocator *allocator;
  struct tb_intern texts;
  struct tb_recent_name recent[TB_RECENT_NAMES];
  struct tb_event_extras extras; /* of the packet `extras_of` */
  uint64_t extras_of;
  struct tb_event_sequence *sequences; /* by the walk's numbers */
  size_t sequence_count, sequence_capacity;
  struct tb_map incremental; /* uuids of counters whose values are increments */
  bool ignores_names;        /* the caller's: names and categories that have ids are taken to be none */
  bool ignores_fields;       /* the caller's: any common packet is a tb_plain_event, of which only `packet` is set */
};

void tb_track_events_init(struct tb_track_events *events, const struct tb_allocator *allocator);
void tb_track_events_free(struct tb_track_events *events);
/* Forgets what belongs to a place in the file. */
void tb_track_events_rewind(struct tb_track_events *events);

/* Takes in what the walk's current packet says to its sequence; before tb_track_events_read of the same packet. TB_OK,
 * TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_track_events_take_state(struct tb_track_events *events, const struct tb_walk *walk);
TB_MUST_CHECK static inline enum tb_status tb_track_events_take(struct tb_track_events *events,
                                                                const struct tb_walk *walk) {
  const struct tb_packet_header *head = &walk->packet.head;
  return !head->rare && head->kind == TB_TRACE_PACKET_TRACK_EVENT ? TB_OK : tb_track_events_take_state(events, walk);
}

/* Whether readers pass over a packet with those flags since it needs state that its sequence does not have. */
static inline bool tb_track_events_lack_state_of(const struct tb_track_events *events, size_t sequence,
                                                 uint32_t flags) {
  return (flags & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE) &&
         (sequence >= events->sequence_count || !events->sequences[sequence].valid);
}
/* The same of the walk's current packet. */
static inline bool tb_track_events_lack_state(const struct tb_track_events *events, const struct tb_walk *walk) {
  return tb_track_events_lack_state_of(events, walk->sequence_number, walk->packet.head.flags);
}

/* Reads the walk's current packet, which is a track event. What is damaged is as far as it can be read. TB_OK or
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_track_events_read(struct tb_track_events *events, const struct tb_walk *walk,
                                                  struct tb_event_view *view);

/* A plain track event (tb_walk_at_plain_event) that begins or ends a slice, is one, or an instant, on a track that it
 * names or its sequence does, under a name that is interned, and has no time of its own. */
struct tb_plain_event {
  struct tb_event_fields fields;
  enum tb_event_role role; /* OTHER: an instant */
  int64_t duration_ns;     /* of a COMPLETE one */
  struct tb_packet_part packet;
};

/* Whether what is said of an event of before there were tracks makes it a whole slice of no length: so most of them are
 * said in traces that are converted. */
bool tb_legacy_event_is_short(struct tb_str legacy);

/* Takes the walk's next packet where it is such an event, at a known time and of the sequence of the plain events
 * before it: as tb_walk_next and tb_track_events_read, but of the walk only `number`, `host_time` and the payload are
 * its. False, and nothing was taken, where it is another one. */
bool tb_track_events_next_plain(struct tb_track_events *events, struct tb_walk *walk, struct tb_plain_event *event);

/* The same of a packet that was read by a cursor and is the walk's but for its payload. */
bool tb_track_events_take_plain(struct tb_track_events *events, struct tb_walk *walk,
                                const struct tb_common_packet *packet, struct tb_plain_event *event);

/* Sets view->name and view->categories to those of the event, a plain one of the sequence that the walk is in, whose
 * packet begins at `at`, ahead of the walk's next one. False where memory is out. */
bool tb_track_events_read_ahead(struct tb_track_events *events, const struct tb_walk *walk, const char *at,
                                struct tb_event_view *view);

/* A category that the walk's current packet names by its iid; empty where its sequence has none of it. */
struct tb_str tb_track_events_category(const struct tb_track_events *events, const struct tb_walk *walk, uint64_t iid);

/* A function of the kernel that the walk's current packet names by its iid: its id in `texts`; 0: none. */
uint32_t tb_track_events_symbol(const struct tb_track_events *events, const struct tb_walk *walk, uint64_t iid);

/* What a thread is known by on which events are that name no track, or it by its ids. */
uint64_t tb_track_events_thread(uint64_t pid, uint64_t tid);

/* The whole numbers among the values of further counters of the walk's current packet, a track event. Valid until the
 * next packet is read. */
const struct tb_event_extras *tb_track_events_read_extras(struct tb_track_events *events, const struct tb_walk *walk);
static inline const struct tb_event_extras *tb_track_events_extras(struct tb_track_events *events,
                                                                   const struct tb_walk *walk) {
  return events->extras_of == walk->number ? &events->extras : tb_track_events_read_extras(events, walk);
}

#endif
