/* SPDX-License-Identifier: Apache-2.0
 *
 * What events of Windows (Event Tracing for Windows) are at the edges of a window: which thread runs on each processor,
 * what memory is in use, and operations on files that are open. The events of a bundle have times of their own, which
 * are the trace clock's.
 */
#ifndef TB_TOOLBOX_TRIM_ETW_EDGES_H
#define TB_TOOLBOX_TRIM_ETW_EDGES_H

#include "base/map.h"
#include "toolbox/trim/edges.h"
#include "toolbox/walk/etw_bundle.h"

/* An event. */
struct tb_etw_row {
  int64_t time; /* on machine 0's trace clock */
  uint32_t machine, cpu;
  uint32_t kind;       /* field of the message that counts here */
  struct tb_str bytes; /* the message */
};

/* Where an operation on a file begins or ends. */
struct tb_etw_file_edge {
  struct tb_etw_row row; /* bytes.ptr NULL: it cannot be of use at an edge */
  uint64_t order;        /* of events in the file */
  uint64_t packet;       /* the id of its I/O request packet, of one operation at a time */
  uint32_t thread;
  bool ends, repeated;
};

/* The last of the events before the start that are valid until the next of their kind. */
struct tb_etw_value {
  struct tb_etw_row row; /* its bytes are in `buffer` */
  bool has_value, has_value_at_start;
  struct tb_buffer buffer;
};

/* Caller-owned; tb_etw_edges_init, then tb_etw_edges_free. */
struct tb_etw_edges {
  struct tb_walk *walk;
  struct tb_window window;
  struct tb_etw_file_edge *files;
  size_t file_count, file_capacity;
  struct tb_map value_index; /* field of an event and processor; machine -> place in `values` */
  struct tb_etw_value *values;
  size_t value_count, value_capacity;
  struct tb_map gone; /* id of a request packet; machine -> ends at the start of what is not in the window */
  struct tb_arena arena;
  /* after tb_etw_edges_end: framed packets of what comes at the start, and at the end, which comes behind all others
   * for readers that take events in the order of the file */
  struct tb_buffer first, last;
  uint64_t slices_at_start, slices_at_end, values_at_start;
};

void tb_etw_edges_init(struct tb_etw_edges *edges, struct tb_walk *walk, const struct tb_window *window);
void tb_etw_edges_free(struct tb_etw_edges *edges);

/* Takes in the walk's current packet, which is a bundle. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_etw_edges_take(struct tb_etw_edges *edges);
/* Makes the packets of all that was taken in. Errors as above. */
TB_MUST_CHECK enum tb_status tb_etw_edges_end(struct tb_etw_edges *edges);

/* How many events of a bundle are in the window, stay, and were left out. */
struct tb_etw_part {
  uint64_t inside;
  size_t kept, left;
};
/* Appends the walk's current packet, framed, with those of its events that are in the window, or do not say when they
 * are. After tb_etw_edges_end, of packets in the order of the file. Errors as above. */
TB_MUST_CHECK enum tb_status tb_etw_edges_append_part(struct tb_etw_edges *edges, struct tb_buffer *b,
                                                      struct tb_etw_part *part);

#endif
