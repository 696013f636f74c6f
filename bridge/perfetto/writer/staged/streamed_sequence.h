/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread whose events arrive in time order and properly nested, as most threads' do to their end. Its packets are written as the events
 * arrive, without a record in a sort queue. The first event that is out of order, or does not nest, closes the streamed sequence: all
 * events before it are then replayed, from the packets and from the notes beside them, into the sort queue.
 */
#ifndef TB_PERFETTO_WRITER_STAGED_STREAMED_SEQUENCE_H
#define TB_PERFETTO_WRITER_STAGED_STREAMED_SEQUENCE_H

#include "io/spill_log.h"
#include "perfetto/writer/encode/track_event_packet.h"
#include "timeline/sort_queue.h"

struct tb_streamed_slice;
struct tb_patch_point;

struct tb_streamed_sequence {
  const struct tb_allocator *allocator;
  bool closed; /* an event came that was not straight, or none may come any more */
  struct tb_packet_delta stream;
  struct tb_spill_log packets; /* none goes over the end of a chunk */
  struct tb_spill_log
      notes; /* of each packet what is needed to take it back: see perfetto/writer/staged/streamed_sequence_internal.h */
  struct tb_streamed_slice *open; /* slices that are not over, innermost last */
  size_t open_count, open_capacity;
  struct tb_patch_point *marks; /* packets that flows may be added to, and large ones */
  size_t mark_count, mark_capacity;
  uint64_t total; /* entries */
  int64_t first_ts, last_ts, last_rank;
  bool has_thread_times;
  bool
      has_instants; /* packets of type INSTANT: not once there are thread times, see tb_slice_nester.instants_as_slices */
};

void tb_streamed_sequence_init(struct tb_streamed_sequence *streamed, const struct tb_allocator *allocator,
                               uint32_t sequence_id);
void tb_streamed_sequence_free(struct tb_streamed_sequence *streamed);

/* Puts all packets away. Errors: tb_spill_log_spill's. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_spill(struct tb_streamed_sequence *streamed,
                                                        struct tb_spill_file *file, struct tb_error *error);

/* Takes the next entry, whose body is followed by TB_PACKET_BYTES_AHEAD bytes that can be read; `in_us` says whether
 * all thread times so far are whole microseconds, `instant` is what an instant carries where thread times make it a slice.
 * Where the entry cannot be streamed, nothing has changed but streamed->closed, which is true then, and all is to be
 * replayed. TB_OK in both cases, or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_put(struct tb_streamed_sequence *streamed,
                                                      const struct tb_staged_event *entry, bool in_us,
                                                      struct tb_str instant);

/* The newest slice, as tb_slice_stack_top would give it: its ts and place. False when there is none. */
bool tb_streamed_sequence_top(const struct tb_streamed_sequence *streamed, struct tb_stack_frame_ref *top);
/* Notes that the packet of the newest slice may get fields of flows. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_mark_top(struct tb_streamed_sequence *streamed);

/* Gives all entries in the order in which they came, and frees them. `instant` as for tb_streamed_sequence_put. Entries and their bodies are valid
 * during the call. TB_OK, TB_NO_MEMORY, TB_IO, or what `take` returned. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_replay(struct tb_streamed_sequence *streamed, struct tb_str instant,
                                                         enum tb_status (*take)(void *ctx,
                                                                                struct tb_staged_event *entry),
                                                         void *ctx, struct tb_error *error);

/* Ends what is open, after the last entry. TB_OK, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_finish(struct tb_streamed_sequence *streamed, struct tb_error *error);

enum tb_streamed_side { TB_STREAMED_BEGIN = 1, TB_STREAMED_END = 2 };

/* What takes the packets at the end. */
struct tb_streamed_sequence_sink {
  void *ctx;
  /* Any number of whole packets, their tags and lengths included. */
  enum tb_status (*packets)(void *ctx, struct tb_str packets);
  /* One packet, with the place among the entries of the slice or the instant that it begins or ends, or both: `sides`, of enum
   * tb_streamed_side; 0 where it is only large. */
  enum tb_status (*packet)(void *ctx, struct tb_str packet, uint64_t place, unsigned sides);
};

/* Gives all packets, by themselves those that are large or were marked. They are gone then. TB_OK, TB_IO, TB_NO_MEMORY or what the taker
 * returned. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_emit(struct tb_streamed_sequence *streamed,
                                                       const struct tb_streamed_sequence_sink *sink,
                                                       struct tb_error *error);

/* Gives each packet by itself. TB_OK, TB_NO_MEMORY, TB_IO or what the taker returned. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_each_packet(const struct tb_streamed_sequence *streamed,
                                                              const struct tb_streamed_sequence_sink *sink,
                                                              struct tb_error *error);

#endif
