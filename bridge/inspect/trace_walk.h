/* SPDX-License-Identifier: Apache-2.0
 *
 * All that is in a trace, seen once: the bytes of the input go to a reader of events and, where it is Perfetto's, to
 * one of packets too, so that pipes work as files do. Packets come before the events of the same bytes.
 */
#ifndef TB_INSPECT_TRACE_WALK_H
#define TB_INSPECT_TRACE_WALK_H

#include "convert/trace_input.h"
#include "model/reader_ops.h"
#include "tracebridge/convert.h"
#include "tracebridge/packet.h"

/* Who sees it. A status but TB_OK ends the walk. `packet` and `record` may be NULL. */
struct tb_trace_visitor {
  enum tb_status (*event)(void *ctx, const struct tb_event *event);
  enum tb_status (*packet)(void *ctx, const struct tb_packet *packet);
  void (*record)(void *ctx, const struct tb_record_note *note); /* of formats that show records */
  void *ctx;
  tb_progress progress; /* NULL: none */
  void *progress_ctx;
  bool system_as_events; /* text of ftrace, also inside of JSON, comes as the events that it says */
};

/* Zero-initialise, then set `allocator`. */
struct tb_trace_walk {
  const struct tb_allocator *allocator;
  struct tb_input *input;
  struct tb_reader *reader;            /* of events, in the source's shape */
  struct tb_packet_reader *packets;    /* NULL where there are none */
  const struct tb_record_ops *records; /* NULL: the format shows none */
  const struct tb_trace_visitor *visitor;
  char *chunk;
  uint64_t read;  /* bytes of the decompressed input so far */
  bool cut_short; /* the input's compression ends early, or is damaged */
  struct tb_trace_format format;
  struct tb_unread_traces unread;
};

/* Opens the trace `path` and walks over it to its end. Whatever it returns, tb_trace_walk_close is due. Codes as
 * tb_reader_open and tb_reader_next, TB_CANCELLED by `progress`, or what the visitor returned; all are in *error, but
 * for the visitor's where it sets no error. */
TB_MUST_CHECK enum tb_status tb_trace_walk(struct tb_trace_walk *walk, const char *path,
                                           const struct tb_reader_options *options,
                                           const struct tb_trace_visitor *visitor, struct tb_error *error);

/* What was lost, over input and reader; *count of at most `capacity`. By the reader of packets it would be reported
 * twice. */
void tb_trace_walk_losses(const struct tb_trace_walk *walk, struct tb_loss *losses, size_t capacity, size_t *count);

/* The format of the trace as the user knows it. */
enum tb_format tb_trace_walk_format(const struct tb_trace_walk *walk);

void tb_trace_walk_close(struct tb_trace_walk *walk);

#endif
