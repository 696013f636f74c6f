/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/ftrace_bundle.h"

#include "base/times.h"
#include "protobuf/number_cursor.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

void tb_ftrace_bundle_read(struct tb_ftrace_bundle *bundle, struct tb_walk *walk) {
  enum { COUNT = TB_FTRACE_EVENT_BUNDLE_PREVIOUS_BUNDLE_END_TIMESTAMP + 1 };
  struct tb_wire_field f[COUNT];
  const struct tb_packet_header *head = &walk->packet.head;
  (void)tb_wire_read_fields(head->payload, f, COUNT);
  *bundle = (struct tb_ftrace_bundle){.walk = walk, .bytes = head->payload, .machine = head->machine};
  bundle->compact = tb_wire_text(&f[TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED]);
  bundle->cpu = (uint32_t)f[TB_FTRACE_EVENT_BUNDLE_CPU].value;
  bundle->ahead = tb_walk_ahead(walk, head->machine);
  bundle->whole_from = f[TB_FTRACE_EVENT_BUNDLE_PREVIOUS_BUNDLE_END_TIMESTAMP].number
                           ? f[TB_FTRACE_EVENT_BUNDLE_PREVIOUS_BUNDLE_END_TIMESTAMP].value
                           : f[TB_FTRACE_EVENT_BUNDLE_LAST_READ_EVENT_TIMESTAMP].value;
  uint64_t clock = f[TB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK].value;
  int64_t here = (int64_t)f[TB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP].value;
  int64_t boot = (int64_t)f[TB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP].value;
  if (clock == TB_FTRACE_CLOCK_UNSPECIFIED) {
    bundle->clock = TB_CLOCK_BOOTTIME;
  } else if (here && boot) {
    bundle->clock = TB_CLOCK_BOOTTIME;
    bundle->add = tb_wrap_sub(boot, here);
  } else if (clock == TB_FTRACE_CLOCK_MONO_RAW) {
    bundle->clock = TB_CLOCK_MONOTONIC_RAW;
  }
}

bool tb_ftrace_bundle_time(const struct tb_ftrace_bundle *bundle, uint64_t raw, int64_t *time) {
  struct tb_input_clocks *clocks = &bundle->walk->source->prescan.clocks;
  int64_t ns = tb_wrap_add((int64_t)raw, bundle->add);
  if (bundle->clock == TB_CLOCK_UNKNOWN) return false;
  if (bundle->clock != clocks->primary && !tb_input_clocks_convert(clocks, bundle->machine, bundle->clock, ns, &ns))
    return false;
  *time = tb_time_subtract(ns, bundle->ahead);
  return true;
}

/* Past the number of the field that a tag of one byte begins, where that is what comes next. */
static TB_ALWAYS_INLINE void read_if_next(struct tb_wire_cursor *cursor, char tag, uint64_t *value) {
  if (cursor->at == cursor->end || *cursor->at != tag) return;
  const char *after = tb_wire_read_varint(cursor->at + 1, cursor->end, value);
  if (after) cursor->at = after;
}

void tb_ftrace_event_read(struct tb_str bytes, struct tb_ftrace_event *event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  uint64_t pid = 0;
  *event = (struct tb_ftrace_event){.bytes = bytes};
  /* recorders write these first */
  read_if_next(&cursor, TB_WIRE_TAG(TB_FTRACE_EVENT_TIMESTAMP, TB_WIRE_VARINT), &event->raw_time);
  read_if_next(&cursor, TB_WIRE_TAG(TB_FTRACE_EVENT_PID, TB_WIRE_VARINT), &pid);
  event->pid = (int32_t)pid;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_FTRACE_EVENT_TIMESTAMP) {
      event->raw_time = field.value;
    } else if (field.number == TB_FTRACE_EVENT_PID) {
      event->pid = (int32_t)field.value;
    } else if (field.type == TB_WIRE_BYTES) {
      event->kind = field.number;
      event->payload = field.bytes;
    }
  }
}

uint64_t tb_ftrace_event_time(struct tb_str bytes) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  uint64_t time = 0;
  read_if_next(&cursor, TB_WIRE_TAG(TB_FTRACE_EVENT_TIMESTAMP, TB_WIRE_VARINT), &time);
  return cursor.at != bytes.ptr ? time : tb_wire_find_number(bytes, TB_FTRACE_EVENT_TIMESTAMP);
}

void tb_rss_stat_read(const struct tb_ftrace_event *event, struct tb_rss_stat *stat) {
  struct tb_wire_field f[TB_RSS_STAT_FTRACE_EVENT_MM_ID + 1];
  (void)tb_wire_read_fields(event->payload, f, TB_RSS_STAT_FTRACE_EVENT_MM_ID + 1);
  *stat = (struct tb_rss_stat){
      .says_whose = f[TB_RSS_STAT_FTRACE_EVENT_MM_ID].number && f[TB_RSS_STAT_FTRACE_EVENT_CURR].number,
      .is_own = f[TB_RSS_STAT_FTRACE_EVENT_CURR].value != 0,
      .memory = f[TB_RSS_STAT_FTRACE_EVENT_MM_ID].value,
      .size = f[TB_RSS_STAT_FTRACE_EVENT_SIZE].value,
      .member = (uint32_t)f[TB_RSS_STAT_FTRACE_EVENT_MEMBER].value};
}

bool tb_ftrace_is_switch_column(uint32_t number) {
  return number >= TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP &&
         number <= TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_COMM_INDEX &&
         number != TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE;
}

bool tb_ftrace_is_waking_column(uint32_t number) {
  return number >= TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP &&
         number <= TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_COMMON_FLAGS;
}

size_t tb_ftrace_compact_names(struct tb_str compact, struct tb_str *names, size_t room) {
  struct tb_wire_cursor cursor = tb_wire_cursor(compact);
  struct tb_wire_field field;
  size_t count = 0;
  while (count < room && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE) names[count++] = field.bytes;
  return count;
}

bool tb_ftrace_next_time(struct tb_number_cursor *column, uint64_t *raw) {
  uint64_t step;
  if (!tb_number_cursor_next(column, &step)) return false;
  *raw += step;
  return true;
}

/* Of compact_sched. */
static const uint32_t time_columns[] = {TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP,
                                        TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP};

/* Calls `take` with the time of each event of a bundle, as it is there. */
static TB_ALWAYS_INLINE void each_time(const struct tb_ftrace_bundle *bundle, void (*take)(void *ctx, uint64_t raw),
                                       void *ctx) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle->bytes);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (tb_ftrace_is_event(&field)) take(ctx, tb_ftrace_event_time(field.bytes));
  for (int i = 0; i < 2; i++) {
    struct tb_number_cursor column = tb_number_cursor(bundle->compact, time_columns[i]);
    uint64_t raw = 0;
    while (tb_ftrace_next_time(&column, &raw)) take(ctx, raw);
  }
}

static TB_ALWAYS_INLINE void widen(void *ctx, uint64_t raw) {
  struct tb_ftrace_extent *extent = ctx;
  int64_t time = (int64_t)raw;
  if (time < extent->first) extent->first = time;
  if (time > extent->last) extent->last = time;
  extent->count++;
}

bool tb_ftrace_bundle_extent(const struct tb_ftrace_bundle *bundle, struct tb_ftrace_extent *extent) {
  *extent = (struct tb_ftrace_extent){INT64_MAX, INT64_MIN, 0};
  if (bundle->clock == TB_CLOCK_UNKNOWN || bundle->clock != bundle->walk->source->prescan.clocks.primary) return false;
  each_time(bundle, widen, extent);
  return !extent->count || (tb_ftrace_bundle_time(bundle, (uint64_t)extent->first, &extent->first) &&
                            tb_ftrace_bundle_time(bundle, (uint64_t)extent->last, &extent->last) &&
                            extent->first <= extent->last); /* else a sum of times is past 2^63 */
}

struct extending {
  const struct tb_ftrace_bundle *bundle;
  int64_t *first, *last;
};

static TB_ALWAYS_INLINE void extend(void *ctx, uint64_t raw) {
  const struct extending *e = ctx;
  int64_t time;
  if (!tb_ftrace_bundle_time(e->bundle, raw, &time)) return;
  if (time < *e->first) *e->first = time;
  if (time > *e->last) *e->last = time;
}

void tb_ftrace_bundle_extend(const struct tb_ftrace_bundle *bundle, int64_t *first, int64_t *last) {
  struct tb_ftrace_extent extent;
  struct extending e = {bundle, first, last};
  if (!tb_ftrace_bundle_extent(bundle, &extent)) {
    each_time(bundle, extend, &e);
    return;
  }
  if (extent.first < *first) *first = extent.first;
  if (extent.last > *last) *last = extent.last;
}

int64_t tb_ftrace_compact_last(const struct tb_ftrace_bundle *bundle) {
  int64_t last = INT64_MIN, time;
  for (int i = 0; i < 2; i++) {
    struct tb_number_cursor column = tb_number_cursor(bundle->compact, time_columns[i]);
    uint64_t raw = 0;
    while (tb_ftrace_next_time(&column, &raw)) {
    }
    if (raw && tb_ftrace_bundle_time(bundle, raw, &time) && time > last) last = time;
  }
  return last;
}

enum tb_status tb_ftrace_reach_take(struct tb_ftrace_reach *reach, const struct tb_ftrace_bundle *bundle,
                                    int64_t last) {
  uint64_t *known = tb_map_find(&reach->processors, bundle->machine, bundle->cpu);
  if (!known) return tb_map_put(&reach->processors, bundle->machine, bundle->cpu, (uint64_t)last);
  if (last > (int64_t)*known) *known = (uint64_t)last;
  return TB_OK;
}

int64_t tb_ftrace_reached_by_all(const struct tb_ftrace_reach *reach) {
  struct tb_map_entry processor;
  int64_t least = INT64_MAX;
  for (size_t at = 0; tb_map_next(&reach->processors, &at, &processor);)
    if ((int64_t)processor.value < least) least = (int64_t)processor.value;
  return least;
}
