/* SPDX-License-Identifier: Apache-2.0
 *
 * Which parts a trace is divided into, and which of them each thing is in.
 */
#ifndef TB_TOOLBOX_SPLIT_SPLIT_PLAN_H
#define TB_TOOLBOX_SPLIT_SPLIT_PLAN_H

#include "toolbox/cut/ftrace_part.h"
#include "toolbox/owners/packet_owner.h"
#include "toolbox/split/crossing_slices.h"
#include "toolbox/split/part_size.h"
#include "toolbox/walk/etw_bundle.h"
#include "tracebridge/split.h"

enum { TB_SPLIT_PARTS_MAX = 10000 };

/* In all parts, as far as they need it; or some of it in one and some in others. */
#define TB_SPLIT_ALL SIZE_MAX
#define TB_SPLIT_MIXED (SIZE_MAX - 1)

struct tb_split_piece {
  struct tb_whose whose; /* by process or thread; by machine its machine alone */
  uint64_t packets;      /* that it has, or a part of them; 0: it is not written */
  uint64_t first_number; /* by size: of its first packet */
  uint32_t place;        /* the caller's */
};

/* Caller-owned; tb_split_plan_init, then tb_split_plan_free. */
struct tb_split_plan {
  struct tb_walk *walk;
  struct tb_track_events *events;
  enum tb_split_by by;
  int64_t window_ns;
  uint64_t part_bytes; /* as Perfetto's packets */
  bool other_format;   /* parts will be converted */
  struct tb_owners owners;
  struct tb_open_frames frames;
  struct tb_map piece_index;     /* whose it is -> place in `pieces` */
  struct tb_split_piece *pieces; /* the first has what is nobody's, or comes first */
  size_t count, capacity;
  bool has_time;
  int64_t first, last;
  struct tb_crossing_slices crossing; /* by time and size */
  struct tb_part_size size;           /* by size: of the last part so far */
  struct tb_map states;               /* walk's number of a sequence -> bytes of its state since that was cleared */
  uint64_t state;                     /* of all sequences, ... */
  uint64_t state_most;                /* ... and at most */
  struct tb_map dumps;       /* of a heap: the walk's number of a sequence, kind -> the part that the rest of one
                                       * goes to, plus one; 0: it is whole */
  struct tb_event_view view; /* of the current packet, where it is a track event that was read */
  bool has_view;
  struct tb_buffer fates; /* of the rows of the current bundle */
  bool looks;             /* pieces are made */
  enum tb_status failed;  /* the first failure inside of a callback */
};

void tb_split_plan_init(struct tb_split_plan *plan, struct tb_walk *walk, struct tb_track_events *events);
void tb_split_plan_free(struct tb_split_plan *plan);

/* Reads the trace two or three times. What fails is in the walk's error. */
TB_MUST_CHECK enum tb_status tb_split_plan_make(struct tb_split_plan *plan);

/* Begins another reading of packets; of each, tb_split_plan_packet is then asked in their order. */
void tb_split_plan_rewind(struct tb_split_plan *plan);

/* Sets *part to where the walk's current packet is. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_split_plan_packet(struct tb_split_plan *plan, size_t *part);

/* By time and size: the part of an event with that time that is no end of another part's slice. */
size_t tb_split_plan_place(const struct tb_split_plan *plan, int64_t time, uint64_t number);

/* Of one that is TB_SPLIT_MIXED: where a row or an event of its bundle is, and what is someone's. */
size_t tb_split_plan_row(struct tb_split_plan *plan, const struct tb_ftrace_bundle *bundle,
                         const struct tb_ftrace_row *row);
size_t tb_split_plan_etw(const struct tb_split_plan *plan, struct tb_str event);
size_t tb_split_plan_whose(struct tb_split_plan *plan, const struct tb_whose *whose);

/* Of one that is TB_SPLIT_ALL: whether the part needs it, which is not the first one. */
bool tb_split_plan_needs(const struct tb_split_plan *plan, size_t part);
/* The same of an element of a process tree. */
bool tb_split_plan_names(const struct tb_split_plan *plan, size_t part, const struct tb_whose *whose);

#endif
