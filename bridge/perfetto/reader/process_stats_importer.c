/* SPDX-License-Identifier: Apache-2.0
 *
 * What recorders read of processes from time to time, and triggers, for targets that have the system's own events as
 * text. Counters have the names that the trace processor gives them.
 */
#include "perfetto/reader/sched.h"

/* A field that is a counter: its name, and what its unit is of the counter's. */
struct gauge {
  uint32_t number;
  const char *name;
  int64_t scale;
};

static const struct gauge *find_gauge(const struct gauge *gauges, size_t count, uint32_t number) {
  for (size_t i = 0; i < count; i++)
    if (gauges[i].number == number) return &gauges[i];
  return NULL;
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* True where all is said that the message says. */
static bool read_process(struct tb_perfetto_reader *r, struct tb_str message) {
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
      {TB_PROCESS_STATS_PROCESS_DMABUF_RSS_KB, "mem.dmabuf_rss", 1024},
      {TB_PROCESS_STATS_PROCESS_SMR_RSS_KB, "mem.smaps.rss", 1024},
      {TB_PROCESS_STATS_PROCESS_SMR_PSS_KB, "mem.smaps.pss", 1024},
      {TB_PROCESS_STATS_PROCESS_SMR_PSS_ANON_KB, "mem.smaps.pss.anon", 1024},
      {TB_PROCESS_STATS_PROCESS_SMR_PSS_FILE_KB, "mem.smaps.pss.file", 1024},
      {TB_PROCESS_STATS_PROCESS_SMR_PSS_SHMEM_KB, "mem.smaps.pss.smem", 1024},
      {TB_PROCESS_STATS_PROCESS_SMR_SWAP_PSS_KB, "mem.smaps.swap.pss", 1024},
      {TB_PROCESS_STATS_PROCESS_CHROME_PRIVATE_FOOTPRINT_KB, "chrome.private_footprint_kb", 1024},
      {TB_PROCESS_STATS_PROCESS_CHROME_PEAK_RESIDENT_SET_KB, "chrome.peak_resident_set_kb", 1024},
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
      (void)tb_perfetto_emit_counter_line(r, r->context.ts, pid, tb_str_from(gauge->name),
                                          (int64_t)(field.value * (uint64_t)gauge->scale));
    else if (field.number != TB_PROCESS_STATS_PROCESS_PID &&
             field.number != TB_PROCESS_STATS_PROCESS_IS_PEAK_RSS_RESETTABLE)
      whole = false;
  }
  return whole;
}

enum tb_status tb_perfetto_process_stats(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (tb_perfetto_passes(r, r->context.has_ts)) return TB_OK;
  bool whole = true;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK)
    if (field.number == TB_PROCESS_STATS_PROCESSES && field.type == TB_WIRE_BYTES)
      whole = read_process(r, field.bytes) && whole;
  if (status != TB_END) return TB_BAD_DATA;
  if (!whole) tb_perfetto_pass_for_counters(r);
  return TB_OK;
}

/* ---- triggers ---------------------------------------------------------------------------------------------------- */

/* An instant of the whole trace; what else the packet says are its arguments. */
static struct tb_event *emit_trigger(struct tb_perfetto_reader *r, struct tb_str name) {
  struct tb_perfetto_track *trace = tb_perfetto_find_track(r, 0);
  if (!trace) return NULL;
  tb_perfetto_emit_track(r, trace);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_INSTANT);
  event->has |= TB_HAS_NAME;
  event->track = &trace->track;
  event->phase = 'i';
  event->instant_scope = 'g';
  event->name = name;
  return event;
}

static void add_argument(struct tb_perfetto_reader *r, const char *name, const struct tb_wire_field *field) {
  struct tb_arg *arg = tb_perfetto_add_arg(r, tb_str_from(name));
  if (field->type == TB_WIRE_BYTES) {
    arg->type = TB_ARG_STRING;
    arg->text = field->bytes;
  } else {
    arg->type = TB_ARG_UINT;
    arg->u = field->value;
  }
}

static enum tb_status read_trigger(struct tb_perfetto_reader *r, struct tb_str payload, struct tb_str name,
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

enum tb_status tb_perfetto_trigger(struct tb_perfetto_reader *r, struct tb_str payload) {
  static const char *const fields[] = {NULL, NULL, "producer_name", "trusted_producer_uid"};
  return tb_perfetto_passes(r, r->context.has_ts)
             ? TB_OK
             : read_trigger(r, payload, TB_STR(""), fields, sizeof(fields) / sizeof(fields[0]));
}

enum tb_status tb_perfetto_chrome_trigger(struct tb_perfetto_reader *r, struct tb_str payload) {
  static const char *const fields[] = {NULL, NULL, "trigger_name_hash"};
  if (tb_perfetto_passes(r, r->context.has_ts)) return TB_OK;
  return read_trigger(r, payload, TB_STR("chrome_trigger"), fields, sizeof(fields) / sizeof(fields[0]));
}
