/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters: what is known of each, and their samples, which go onto the shared sequence.
 */
#ifndef TB_PERFETTO_WRITER_COUNTERS_H
#define TB_PERFETTO_WRITER_COUNTERS_H

#include "base/memory.h"
#include "tracebridge/event.h"

struct tb_perfetto_writer;

struct tb_counter {
  const struct tb_track *parent;
  struct tb_str name, description, unit_name;
  enum tb_unit unit;
  uint64_t uuid;
  bool has_int, has_double, incremental;
  int64_t last_value;
  uint64_t absolute_bytes, delta_bytes;
};

struct tb_writer_counters {
  struct tb_counter *items; /* [0] is not used */
  size_t count, capacity;
};

void tb_writer_counters_free(struct tb_writer_counters *counters, const struct tb_allocator *allocator);

TB_MUST_CHECK enum tb_status tb_perfetto_put_counter(struct tb_perfetto_writer *p, const struct tb_event *event);

#endif
