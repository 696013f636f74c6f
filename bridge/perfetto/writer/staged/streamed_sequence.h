/* SPDX-License-Identifier: Apache-2.0
 *
 * A streamed sequence: the packets of a thread whose events arrive in time order and properly nested, as most
 * threads' do to their end. Nothing is sorted, and there is no record in a sort queue: each event becomes its packet
 * when it arrives.
 *
 *   tb_streamed_sequence_put
 *        |---> packets  [BEGIN a][BEGIN b][END b][END a] ...   a spill log
 *        |---> notes    [kind, names, flow, duration] ...      a spill log: what packets do not say
 *        `---> open     a, b                                   the slices that are not closed, innermost last
 *
 * A complete slice gets the packet of its end as soon as an event comes that is not before that end. Times are deltas
 * on the sequence's incremental clock, so packets cannot change places afterwards.
 *
 * The first event that is out of order, or does not nest, closes the streamed sequence. tb_streamed_sequence_replay
 * then makes staged events of the packets and notes again, in the order in which they came, for the forms of staging
 * that can sort (see staging.c). This happens at most once for a thread.
 *
 * Which slices flows join is known only when all events are there. So the packets of slices that may get flow ids are
 * marked (`marks`), and tb_streamed_sequence_emit passes these and large packets to its sink one by one; all others
 * go out in bulk. A BEGIN is marked too where its END says that the thread did not run: it gets what makes a legacy
 * event of it, and the END no packet (perfetto/writer/encode/legacy_complete_event.h).
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
  bool closed; /* an event came that was out of order or did not nest, or no more may come */
  struct tb_packet_delta stream;
  struct tb_spill_log packets; /* none goes over the end of a chunk */
  /* of each packet what is needed to take it back: see perfetto/writer/staged/streamed_sequence_internal.h */
  struct tb_spill_log notes;
  struct tb_streamed_slice *open; /* slices that are not closed, innermost last */
  size_t open_count, open_capacity;
  struct tb_patch_point *marks; /* packets that flows may be added to, and large ones */
  size_t mark_count, mark_capacity;
  uint64_t total; /* entries */
  int64_t first_ts, last_ts, last_rank, last_begin_ts;
  bool complete_first; /* set after init: see tb_source_traits */
  bool only_inner;     /* an END may come behind all that came at last_ts: see timeline/same_time.h */
  bool has_thread_times;
  /* packets of type INSTANT: not once there are thread times, see tb_slice_nester.instants_as_slices */
  bool has_instants;
};

void tb_streamed_sequence_init(struct tb_streamed_sequence *streamed, const struct tb_allocator *allocator,
                               uint32_t sequence_id);
void tb_streamed_sequence_free(struct tb_streamed_sequence *streamed);

/* Spills all packets. Errors: tb_spill_log_spill's. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_spill(struct tb_streamed_sequence *streamed,
                                                        struct tb_spill_file *file, struct tb_error *error);

/* Takes the next entry, whose body is followed by TB_PACKET_BYTES_AHEAD bytes that can be read; `in_us` says whether
 * all thread times so far are whole microseconds, `instant` is what an instant carries where thread times make it a
 * slice. Where the entry cannot be streamed, nothing has changed but streamed->closed, which is true then, and all
 * is to be replayed. TB_OK in both cases, or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_put(struct tb_streamed_sequence *streamed,
                                                      const struct tb_staged_event *entry, bool in_us,
                                                      struct tb_str instant);

/* The newest slice, as tb_slice_stack_top would give it: its ts and place. False when there is none. */
bool tb_streamed_sequence_top(const struct tb_streamed_sequence *streamed, struct tb_stack_frame_ref *top);
/* Notes that the packet of the newest slice may get fields of flows. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_mark_top(struct tb_streamed_sequence *streamed);

/* Replays all entries in the order in which they came, and frees them. `instant` as for tb_streamed_sequence_put.
 * Entries and their bodies are valid during the call. TB_OK, TB_NO_MEMORY, TB_IO, or what `take` returned. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_replay(struct tb_streamed_sequence *streamed, struct tb_str instant,
                                                         enum tb_status (*take)(void *ctx,
                                                                                struct tb_staged_event *entry),
                                                         void *ctx, struct tb_error *error);

/* Ends what is open, after the last entry. TB_OK, TB_NO_MEMORY or TB_IO. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_finish(struct tb_streamed_sequence *streamed, struct tb_error *error);

enum tb_streamed_side { TB_STREAMED_BEGIN = 1, TB_STREAMED_END = 2 };

/* What gets the packets at the end. */
struct tb_streamed_sequence_sink {
  void *ctx;
  /* Any number of whole packets, their tags and lengths included. */
  enum tb_status (*packets)(void *ctx, struct tb_str packets);
  /* One packet, with the place among the entries of the slice or the instant that it begins or ends, or both:
   * `sides`, of enum tb_streamed_side; 0 where it is only large. `fields` are to be added to its event, and then what
   * the END said of it, `end_args`. */
  enum tb_status (*packet)(void *ctx, struct tb_str packet, uint64_t place, unsigned sides, struct tb_str fields,
                           struct tb_str end_args);
};

/* Emits all packets and frees them: large and marked ones one by one, the others in bulk. TB_OK, TB_IO, TB_NO_MEMORY
 * or what the sink returned. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_emit(struct tb_streamed_sequence *streamed,
                                                       const struct tb_streamed_sequence_sink *sink,
                                                       struct tb_error *error);

/* Passes each packet to the sink by itself. TB_OK, TB_NO_MEMORY, TB_IO or what the sink returned. */
TB_MUST_CHECK enum tb_status tb_streamed_sequence_each_packet(struct tb_streamed_sequence *streamed,
                                                              const struct tb_streamed_sequence_sink *sink,
                                                              struct tb_error *error);

#endif
