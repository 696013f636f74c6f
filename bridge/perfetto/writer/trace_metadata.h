/* SPDX-License-Identifier: Apache-2.0
 *
 * What the trace says of itself: names and order of tracks, metadata, clocks.
 */
#ifndef TB_PERFETTO_WRITER_TRACE_METADATA_H
#define TB_PERFETTO_WRITER_TRACE_METADATA_H

#include "base/map.h"
#include "tracebridge/event.h"

struct tb_perfetto_writer;

struct tb_attribute {
  struct tb_str key, text;
  bool leads; /* goes before those that do not */
  bool left_out;
};

struct tb_writer_metadata {
  struct tb_attribute *attributes; /* texts in the writer's arena */
  size_t attribute_count, attribute_capacity;
  struct tb_clock_reading *clocks; /* of CLOCK_SNAPSHOT events, in rows of clock_rows[i] readings */
  size_t clock_count, clock_capacity;
  uint32_t *clock_rows;
  size_t clock_row_count, clock_row_capacity;
  struct tb_map empty_names; /* index of a track, 0 -> place of the attribute that holds its empty name */
};

void tb_writer_metadata_free(struct tb_writer_metadata *metadata, const struct tb_allocator *allocator);

TB_MUST_CHECK enum tb_status tb_perfetto_put_metadata(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_trace_metadata(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_clocks(struct tb_perfetto_writer *p, const struct tb_event *event);
/* Makes an attribute of the stack frames that are in no callstack: docs/MAPPING.md. */
TB_MUST_CHECK enum tb_status tb_perfetto_keep_stack_frames(struct tb_perfetto_writer *p);
TB_MUST_CHECK enum tb_status tb_perfetto_put_track(struct tb_perfetto_writer *p, const struct tb_track *track);

#endif
