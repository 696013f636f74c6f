/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/reader_clocks.h"

#include "perfetto/clock/clock_graph.h"

void tb_reader_free_clocks(struct tb_reader *reader) {
  if (!reader->clocks) return;
  tb_clock_graph_free(reader->clocks);
  tb_free(reader->allocator, reader->clocks, sizeof(*reader->clocks));
  reader->clocks = NULL;
}

/* A snapshot that contradicts itself relates nothing: the reader has counted it. */
static enum tb_status take_snapshot(struct tb_reader *reader, const struct tb_event *event) {
  struct tb_clock_reading_raw readings[TB_CLOCKS_IN_SNAPSHOT_MAX];
  size_t count = 0;
  for (; count < event->clock_count && count < TB_CLOCKS_IN_SNAPSHOT_MAX; count++)
    readings[count] = (struct tb_clock_reading_raw){
        .key = event->clocks[count].clock, .ns = event->clocks[count].ns, .unit_multiplier = 1};
  if (!reader->clocks) {
    reader->clocks = tb_alloc(reader->allocator, sizeof(*reader->clocks));
    if (!reader->clocks) return TB_NO_MEMORY;
    tb_clock_graph_init(reader->clocks, reader->allocator);
  }
  reader->trace_clock = event->clocks[0].clock;
  enum tb_status status = tb_clock_graph_add(reader->clocks, 0, readings, count, reader->trace_clock);
  return status == TB_NO_MEMORY ? status : TB_OK;
}

enum tb_status tb_reader_take_clocks(struct tb_reader *reader) {
  const struct tb_batch *batch = &reader->batch;
  for (size_t i = 0; i < batch->event_count; i++) {
    const struct tb_event *event = &batch->events[i];
    bool is_of_recorder = event->type == TB_EVENT_CLOCK_SNAPSHOT && !event->track && event->clock_count > 1;
    if (is_of_recorder && take_snapshot(reader, event) != TB_OK) return TB_NO_MEMORY;
  }
  return TB_OK;
}

static enum tb_status convert(const struct tb_reader *reader, uint64_t from, uint64_t to, int64_t ns, int64_t *out) {
  if (from == to) {
    *out = ns;
    return TB_OK;
  }
  return tb_clock_graph_convert(reader->clocks, 0, from, to, ns, out);
}

enum tb_status tb_reader_to_clock(struct tb_reader *reader, int64_t ts, uint32_t clock, int64_t *ns) {
  if (!reader || !ns) return TB_INVALID;
  return reader->clocks ? convert(reader, reader->trace_clock, clock, ts, ns) : TB_UNSUPPORTED;
}

enum tb_status tb_reader_from_clock(struct tb_reader *reader, uint32_t clock, int64_t ns, int64_t *ts) {
  if (!reader || !ts) return TB_INVALID;
  return reader->clocks ? convert(reader, clock, reader->trace_clock, ns, ts) : TB_UNSUPPORTED;
}
