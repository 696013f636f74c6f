/* SPDX-License-Identifier: Apache-2.0
 *
 * What a format gives to be written, and the part of a writer that all formats share.
 */
#ifndef TB_MODEL_WRITER_OPS_H
#define TB_MODEL_WRITER_OPS_H

#include "base/losses.h"
#include "base/memory.h"
#include "io/output.h"
#include "model/capabilities.h"
#include "model/track_counts.h"
#include "tracebridge/writer.h"

struct tb_writer;
struct tb_track_copies; /* convert/track_copies.h */

struct tb_writer_ops {
  enum tb_format format;
  enum tb_status (*create)(struct tb_writer *writer); /* allocates writer->state */
  /* Takes one event. On failure writer->error is set. What the target cannot hold is counted in writer->losses. */
  enum tb_status (*put)(struct tb_writer *writer, const struct tb_event *event);
  /* Fetches into the cache what is kept of the track of an event that `put` gets some events later. Called for each
   * stage from 0 on, since one finds what the next one follows; only while `prefetches`. NULL: nothing is fetched. */
  void (*prefetch)(const struct tb_writer *writer, const struct tb_event *event, unsigned stage);
  /* Writes what is held back to writer->output; the caller finishes the output. */
  enum tb_status (*finish)(struct tb_writer *writer);
  void (*destroy)(struct tb_writer *writer);
  tb_output_padding padding; /* before an output that would start like another format; NULL: none ever does */
  bool has_magic;            /* its outputs start with a magic number, before which readers look for tar's alone */
  bool takes_compress, takes_keep_packets; /* of tb_writer_options: what others take is refused */
  bool counts_tracks;             /* it counts processes, threads and counters itself; flows are counted by all */
  struct tb_target_traits target; /* what it takes; `create` may change the writer's copy as its options say */
};

struct tb_writer {
  const struct tb_writer_ops *ops;
  void *state;
  const struct tb_allocator *allocator; /* the guard's */
  struct tb_guard guard;
  struct tb_output *output;
  bool (*on_write_progress)(void *ctx, uint64_t bytes,
                            uint64_t size); /* progress of `finish`; NULL: none. False: cancel */
  void *on_write_progress_ctx;
  struct tb_writer_options options; /* with the defaults filled in */
  struct tb_target_traits target;
  struct tb_source_traits source; /* what its events mean */
  bool is_own_source;             /* they are of the writer's own format: each goes back as it was */
  struct tb_writer_summary summary;
  struct tb_track_counts track_counts;
  struct tb_track_copies *copies; /* of the tracks that users named; NULL: all events were a reader's */
  struct tb_buffer bytes;         /* of tb_writer_open_memory */
  bool is_finished;
  bool prefetches; /* set by a format that has ops->prefetch, once it keeps something of many tracks */
  struct tb_losses losses;
  struct tb_error error;
  struct tb_error refusal; /* of a call that changed nothing */
};

enum { TB_WRITER_PREFETCH_STAGES = 4 }; /* of ops->prefetch */

/* Bytes that a writer holds before they are spilled or written, if the user sets no budget and they are in order. */
enum { TB_WRITER_MEMORY_USUAL = 64 << 20 };

/* The user's budget, or `usual` where there is none. */
static inline size_t tb_writer_budget(const struct tb_writer *writer, size_t usual) {
  size_t budget = writer->options.memory_budget ? writer->options.memory_budget : usual;
  return budget < TB_WRITER_MEMORY_MIN ? TB_WRITER_MEMORY_MIN : budget;
}

/* tb_writer_put of an event that a reader made, whose tracks last. */
TB_MUST_CHECK enum tb_status tb_writer_take(struct tb_writer *writer, const struct tb_event *event);

/* tb_writer_open of a writer that is not in the registry; `ops` NULL: of that which the options or the name say. */
TB_MUST_CHECK enum tb_status tb_writer_open_as(const char *path, const struct tb_writer_ops *ops,
                                               const struct tb_writer_options *options, struct tb_writer **out,
                                               struct tb_error *error);

#endif
