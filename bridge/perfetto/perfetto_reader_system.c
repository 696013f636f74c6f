/* SPDX-License-Identifier: Apache-2.0
 *
 * What recorders read off the system from time to time, and triggers, for targets that have the system's own events as text. Counters
 * have the names that the trace processor gives them.
 */
#include <math.h>
#include <stdio.h>

#include "perfetto/perfetto_reader_kernel.h"

enum { NAME_MAX_LEN = 200 };

/* A field that is a counter: its name, and what its unit is of the counter's. */
struct gauge {
  uint32_t number;
  const char *name;
  int64_t scale;
};

/* Is the packet one that goes out as it is? */
static bool passes(struct tb_perfetto_reader *r, bool has_ts) {
  if (r->reader->system_as_text && has_ts) return false;
  tb_perfetto_pass_packet(r);
  return true;
}

static const struct gauge *find_gauge(const struct gauge *gauges, size_t count, uint32_t number) {
  for (size_t i = 0; i < count; i++)
    if (gauges[i].number == number) return &gauges[i];
  return NULL;
}

/* ---- processes ---------------------------------------------------------------------------------------------------------- */

/* True where all is said that the message says. */
static bool read_process(struct tb_perfetto_reader *r, struct tb_slice message) {
  static const struct gauge gauges[] = {
      {TB_PROCESS_STATS_PROCESS_VM_SIZE_KB, "mem.virt", 1024},
      {TB_PROCESS_STATS_PROCESS_VM_RSS_KB, "mem.rss", 1024},
      {TB_PROCESS_STATS_PROCESS_RSS_ANON_KB, "mem.rss.anon", 1024},
      {TB_PROCESS_STATS_PROCESS_RSS_FILE_KB, "mem.rss.file", 1024},
      {TB_PROCESS_STATS_PROCESS_RSS_SHMEM_KB, "mem.rss.shmem", 1024},
      {TB_PROCESS_STATS_PROCESS_VM_SWAP_KB, "mem.swap", 1024},
      {TB_PROCESS_STATS_PROCESS_VM_LOCKED_KB, "mem.locked", 1024},
      {TB_PROCESS_STATS_PROCESS_VM_HWM_KB, "mem.rss.watermark", 1024},
      {TB_PROCESS_STATS_PROCESS_OOM_SCORE_ADJ, "oom_score_adj", 1},
      {TB_PROCESS_STATS_PROCESS_RUNTIME_USER_MODE, "runtime.user_ns", 1},
      {TB_PROCESS_STATS_PROCESS_RUNTIME_KERNEL_MODE, "runtime.kernel_ns", 1},
  };
  int64_t pid = 0;
  bool whole = true;
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_PROCESS_STATS_PROCESS_PID) pid = (int32_t)field.value;
  cursor = tb_wire_cursor(message);
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    const struct gauge *gauge = find_gauge(gauges, sizeof(gauges) / sizeof(gauges[0]), field.number);
    if (gauge)
      (void)tb_perfetto_emit_counter_line(r, r->context.ts, pid, tb_slice_from(gauge->name),
                                          (int64_t)(field.value * (uint64_t)gauge->scale));
    else if (field.number != TB_PROCESS_STATS_PROCESS_PID)
      whole = false;
  }
  return whole;
}

enum tb_status tb_perfetto_process_stats(struct tb_perfetto_reader *r, struct tb_slice payload) {
  if (passes(r, r->context.has_ts)) return TB_OK;
  bool whole = true;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK)
    if (field.number == TB_PROCESS_STATS_PROCESSES && field.type == TB_WIRE_BYTES)
      whole = read_process(r, field.bytes) && whole;
  if (status != TB_END) return TB_BAD_DATA;
  if (!whole) tb_perfetto_pass_packet(r);
  return TB_OK;
}

/* ---- power -------------------------------------------------------------------------------------------------------------- */

/* A counter's name of parts, in the batch's memory. Empty where they are too long. */
static struct tb_slice join(struct tb_perfetto_reader *r, const char *before, struct tb_slice middle,
                            const char *after) {
  size_t size = strlen(before) + middle.len + strlen(after) + 1;
  char *text = middle.len < NAME_MAX_LEN ? tb_perfetto_alloc(r, size) : NULL;
  if (!text) return TB_SLICE("");
  int len = snprintf(text, size, "%s%.*s%s", before, (int)middle.len, middle.len ? middle.ptr : "", after);
  return (struct tb_slice){text, (size_t)len};
}

/* "batt.WHAT", or "batt.NAME.WHAT" where there are several. */
static struct tb_slice battery_counter(struct tb_perfetto_reader *r, struct tb_slice battery, const char *what) {
  if (!battery.len) return join(r, "batt.", (struct tb_slice){what, strlen(what)}, "");
  struct tb_slice before = join(r, "batt.", battery, ".");
  return before.len ? join(r, before.ptr, (struct tb_slice){what, strlen(what)}, "") : before;
}

static bool whole_percent(uint64_t bits, int64_t *percent) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof(value));
  if (!(value >= 0 && value <= 100) || floorf(value) < value) return false;
  *percent = (int64_t)value;
  return true;
}

enum tb_status tb_perfetto_battery(struct tb_perfetto_reader *r, struct tb_slice payload) {
  static const struct gauge gauges[] = {{TB_BATTERY_COUNTERS_CHARGE_COUNTER_UAH, "charge_uah", 1},
                                        {TB_BATTERY_COUNTERS_CAPACITY_PERCENT, "capacity_pct", 1},
                                        {TB_BATTERY_COUNTERS_CURRENT_UA, "current_ua", 1},
                                        {TB_BATTERY_COUNTERS_CURRENT_AVG_UA, "current.avg_ua", 1},
                                        {TB_BATTERY_COUNTERS_VOLTAGE_UV, "voltage_uv", 1}};
  if (passes(r, r->context.has_ts)) return TB_OK;
  struct tb_slice name = {"", 0};
  bool whole = true;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_BATTERY_COUNTERS_NAME) name = field.bytes;
  cursor = tb_wire_cursor(payload);
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    const struct gauge *gauge = find_gauge(gauges, sizeof(gauges) / sizeof(gauges[0]), field.number);
    int64_t value = (int64_t)field.value;
    bool said = gauge && (field.type != TB_WIRE_FIXED32 || whole_percent(field.value, &value));
    if (said) said = tb_perfetto_emit_counter_line(r, r->context.ts, 0, battery_counter(r, name, gauge->name), value);
    if (!said && field.number != TB_BATTERY_COUNTERS_NAME) whole = false;
  }
  if (status != TB_END) return TB_BAD_DATA;
  if (!whole) tb_perfetto_pass_packet(r);
  return TB_OK;
}

struct rail_message {
  uint64_t index, timestamp_ms, energy;
  bool has_timestamp;
  struct tb_slice name;
};

/* RailDescriptor and EnergyData have an index first, and differ in type in what follows. */
static struct rail_message read_rail(struct tb_slice message) {
  struct rail_message rail = {0};
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_POWER_RAILS_ENERGY_DATA_INDEX) rail.index = field.value;
    if (field.number == TB_POWER_RAILS_ENERGY_DATA_ENERGY && field.type == TB_WIRE_VARINT) rail.energy = field.value;
    if (field.number != TB_POWER_RAILS_ENERGY_DATA_TIMESTAMP_MS) continue;
    rail.has_timestamp = field.type == TB_WIRE_VARINT;
    rail.timestamp_ms = field.value;
    if (field.type == TB_WIRE_BYTES) rail.name = field.bytes;
  }
  return rail;
}

/* A rail's number is the recording session's; its counter keeps its name. */
static bool describe_rail(struct tb_perfetto_reader *r, uint64_t session, struct tb_slice message) {
  struct rail_message rail = read_rail(message);
  struct tb_perfetto_track *trace = tb_perfetto_find_track(r, 0);
  struct tb_slice name = join(r, "power.", rail.name, "_uws");
  if (!trace || !rail.name.len || !name.len) return false;
  struct tb_perfetto_track *counter = tb_tracks_named_counter(&r->tracks, trace, name);
  if (!counter || tb_map_put(&r->rails, rail.index, session, counter->track.index) != TB_OK) r->out_of_memory = true;
  return true;
}

static bool read_energy(struct tb_perfetto_reader *r, uint64_t session, struct tb_slice message) {
  struct rail_message rail = read_rail(message);
  uint32_t index;
  if (!tb_map_get(&r->rails, rail.index, session, &index)) return false;
  int64_t ts = r->context.ts;
  if (!rail.has_timestamp && !r->context.has_ts) return false;
  if (rail.has_timestamp) {
    ts = (int64_t)(rail.timestamp_ms * 1000000u);
    bool converted = tb_trace_state_convert(&r->state, TB_CLOCK_BOOTTIME, r->head.sequence, ts, &ts);
    if (!converted && r->state.clocks.node_count) return false; /* a trace without snapshots has one clock */
  }
  return tb_perfetto_emit_counter_line(r, ts, 0, r->tracks.tracks[index]->track.name, (int64_t)rail.energy);
}

enum tb_status tb_perfetto_power_rails(struct tb_perfetto_reader *r, struct tb_slice payload) {
  if (passes(r, true)) return TB_OK;
  uint64_t session = 0;
  bool whole = true;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_POWER_RAILS_SESSION_UUID) session = field.value;
  cursor = tb_wire_cursor(payload);
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_POWER_RAILS_RAIL_DESCRIPTOR) whole = describe_rail(r, session, field.bytes) && whole;
    if (field.number == TB_POWER_RAILS_ENERGY_DATA) whole = read_energy(r, session, field.bytes) && whole;
  }
  if (status != TB_END) return TB_BAD_DATA;
  if (!whole) tb_perfetto_pass_packet(r);
  return TB_OK;
}

/* ---- triggers ----------------------------------------------------------------------------------------------------------- */

/* An instant of the whole trace; what else the packet says are its arguments. */
static struct tb_event *emit_trigger(struct tb_perfetto_reader *r, struct tb_slice name) {
  struct tb_perfetto_track *trace = tb_perfetto_find_track(r, 0);
  if (!trace) return NULL;
  tb_perfetto_tell_track(r, trace);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_INSTANT);
  event->has |= TB_HAS_NAME;
  event->track = &trace->track;
  event->phase = 'i';
  event->instant_scope = 'g';
  event->name = name;
  return event;
}

static void add_argument(struct tb_perfetto_reader *r, const char *name, const struct tb_wire_field *field) {
  struct tb_arg *arg = tb_perfetto_add_arg(r, tb_slice_from(name));
  if (field->type == TB_WIRE_BYTES) {
    arg->type = TB_ARG_STRING;
    arg->text = field->bytes;
  } else {
    arg->type = TB_ARG_UINT;
    arg->u = field->value;
  }
}

static enum tb_status read_trigger(struct tb_perfetto_reader *r, struct tb_slice payload, struct tb_slice name,
                                   const char *const *fields, uint32_t field_count) {
  size_t first = r->batch->arg_count;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.number >= field_count || r->batch->arg_count == first + field_count) continue;
    if (fields[field.number])
      add_argument(r, fields[field.number], &field);
    else if (field.type == TB_WIRE_BYTES)
      name = field.bytes;
  }
  if (status != TB_END) return TB_BAD_DATA;
  struct tb_event *event = emit_trigger(r, name);
  if (!event || r->batch->arg_count == first) return TB_OK;
  event->has |= TB_HAS_ARGS;
  event->args = &r->batch->args[first];
  event->arg_count = (uint32_t)(r->batch->arg_count - first);
  return TB_OK;
}

enum tb_status tb_perfetto_trigger(struct tb_perfetto_reader *r, struct tb_slice payload) {
  static const char *const fields[] = {NULL, NULL, "producer_name", "trusted_producer_uid"};
  return passes(r, r->context.has_ts)
             ? TB_OK
             : read_trigger(r, payload, TB_SLICE(""), fields, sizeof(fields) / sizeof(fields[0]));
}

enum tb_status tb_perfetto_chrome_trigger(struct tb_perfetto_reader *r, struct tb_slice payload) {
  static const char *const fields[] = {NULL, NULL, "trigger_name_hash"};
  if (passes(r, r->context.has_ts)) return TB_OK;
  return read_trigger(r, payload, TB_SLICE("chrome_trigger"), fields, sizeof(fields) / sizeof(fields[0]));
}
