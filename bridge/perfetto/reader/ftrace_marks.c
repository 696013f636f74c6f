/* SPDX-License-Identifier: Apache-2.0
 *
 * Ftrace events that mean a counter's value, or a slice's begin or end. Readers of text do not know it of all: they get
 * marks of that in addition to the events' own lines. Targets that get neither packets nor text get counters and slices
 * in place of the events. What belongs to no process is the system's: process 0's.
 */
#include <inttypes.h>
#include <stdio.h>

#include "perfetto/reader/sched.h"

enum { NAME_MAX_LEN = 200 };

/* What the current event says. */
struct marked {
  struct tb_perfetto_reader *r;
  int64_t ts, tid;
  uint32_t cpu;
  struct tb_str payload;
};

static uint64_t number_of(const struct marked *m, uint32_t number) {
  uint64_t value = 0;
  struct tb_wire_cursor cursor = tb_wire_cursor(m->payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number && field.type == TB_WIRE_VARINT) value = field.value;
  return value;
}

static struct tb_str text_of(const struct marked *m, uint32_t number) {
  struct tb_str text = {"", 0};
  struct tb_wire_cursor cursor = tb_wire_cursor(m->payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number && field.type == TB_WIRE_BYTES) text = field.bytes;
  return text;
}

/* The process of a thread; the thread's own number where it is not known. */
static int64_t process_of(const struct marked *m, int64_t tid) {
  const struct tb_perfetto_track *thread = tb_perfetto_thread(m->r, NULL, tid);
  return thread && thread->track.has_pid ? thread->track.pid : tid;
}

/* All of these: false where the event is one that no mark says. */
static bool mark_counter(const struct marked *m, int64_t pid, struct tb_str name, uint64_t value) {
  return tb_perfetto_emit_counter_line(m->r, m->ts, pid, name, (int64_t)value);
}

/* A slice of the system: S begins it, F ends it. */
static bool mark_async(const struct marked *m, char phase, int64_t ts, struct tb_str name, uint64_t id) {
  struct tb_ftrace_mark mark = {.phase = phase, .pid = 0, .name = name, .value = (int64_t)id};
  if (memchr(name.ptr, '|', name.len)) return false;
  tb_perfetto_emit_slice_line(m->r, ts, m->cpu, 0, &mark);
  return true;
}

/* A slice of the thread: B begins it, E ends it. */
static bool mark_thread(const struct marked *m, char phase, struct tb_str name) {
  struct tb_ftrace_mark mark = {.phase = phase, .pid = process_of(m, m->tid), .name = name};
  tb_perfetto_emit_slice_line(m->r, m->ts, m->cpu, m->tid, &mark);
  return true;
}

static bool mark_wakelock(const struct marked *m, char phase) {
  struct tb_str source = text_of(m, TB_WAKEUP_SOURCE_FTRACE_EVENT_NAME);
  char name[NAME_MAX_LEN + sizeof("Wakelock()")];
  if (source.len > NAME_MAX_LEN) return false;
  int len = snprintf(name, sizeof(name), "Wakelock(%.*s)", (int)source.len, source.len ? source.ptr : "");
  return mark_async(m, phase, m->ts, (struct tb_str){name, (size_t)len}, 0);
}

/* A fence lasts from its making until it is signaled; a timeline has one after the other. */
static bool mark_fence(const struct marked *m, char phase) {
  if (tb_str_equal(text_of(m, TB_DMA_FENCE_FTRACE_EVENT_TIMELINE), TB_STR("unbound"))) return false;
  uint64_t context = number_of(m, TB_DMA_FENCE_FTRACE_EVENT_CONTEXT);
  uint64_t number = number_of(m, TB_DMA_FENCE_FTRACE_EVENT_SEQNO);
  return mark_async(m, phase, m->ts, TB_STR("fence"), (context & INT32_MAX) << 32 | (uint32_t)number);
}

/* What an application let the GPU do in a while, called by how much of that time it was busy. Its times are the raw
 * clock's. */
static bool mark_gpu_work(const struct marked *m) {
  uint64_t start = number_of(m, TB_GPU_WORK_PERIOD_FTRACE_EVENT_START_TIME_NS);
  uint64_t end = number_of(m, TB_GPU_WORK_PERIOD_FTRACE_EVENT_END_TIME_NS);
  uint64_t active = number_of(m, TB_GPU_WORK_PERIOD_FTRACE_EVENT_TOTAL_ACTIVE_DURATION_NS);
  uint64_t id = number_of(m, TB_GPU_WORK_PERIOD_FTRACE_EVENT_GPU_ID) << 32 |
                (uint32_t)number_of(m, TB_GPU_WORK_PERIOD_FTRACE_EVENT_UID);
  int64_t ts;
  if (end <= start || end > INT64_MAX) return false;
  if (!tb_trace_state_convert(&m->r->state, &m->r->head, TB_CLOCK_MONOTONIC_RAW, (int64_t)start, &ts)) return false;
  char name[32];
  int len = snprintf(name, sizeof(name), "%%%.2f", 100.0 * ((double)active / (double)(end - start)));
  if (len < 0 || (size_t)len >= sizeof(name)) return false;
  return mark_async(m, 'S', ts, (struct tb_str){name, (size_t)len}, id & INT64_MAX) &&
         mark_async(m, 'F', (int64_t)((uint64_t)ts + (end - start)), (struct tb_str){name, (size_t)len},
                    id & INT64_MAX);
}

/* A buffer that processes share lasts from its allocation until it is freed, when its length is negative. Ion's and
 * the DMA heap's events have the same fields. */
static bool mark_buffer(const struct marked *m, struct tb_str total, struct tb_str change) {
  int64_t len = (int64_t)number_of(m, TB_DMA_HEAP_STAT_FTRACE_EVENT_LEN);
  bool said = mark_counter(m, 0, total, number_of(m, TB_DMA_HEAP_STAT_FTRACE_EVENT_TOTAL_ALLOCATED));
  struct tb_perfetto_track *thread = tb_perfetto_thread(m->r, NULL, m->tid);
  if (thread && !tb_perfetto_as_text(m->r))
    said &= tb_perfetto_emit_counter_below(m->r, m->ts, thread, change, len);
  else if (thread && thread->track.has_pid)
    said &= mark_counter(m, thread->track.pid, change, (uint64_t)len);
  if (!len || len == INT64_MIN) return said;
  char name[32];
  int name_len = snprintf(name, sizeof(name), "%" PRId64 " kB", (len < 0 ? -len : len) / 1024);
  return mark_async(m, len > 0 ? 'S' : 'F', m->ts, (struct tb_str){name, (size_t)name_len},
                    number_of(m, TB_DMA_HEAP_STAT_FTRACE_EVENT_INODE) & INT64_MAX) &&
         said;
}

/* What the GPU has of a process' memory, and of all. */
static bool mark_gpu_memory(const struct marked *m) {
  int64_t pid = (int32_t)number_of(m, TB_GPU_MEM_TOTAL_FTRACE_EVENT_PID);
  return mark_counter(m, pid ? process_of(m, pid) : 0, TB_STR("GPU Memory"),
                      number_of(m, TB_GPU_MEM_TOTAL_FTRACE_EVENT_SIZE));
}

/* A step of the machine's falling asleep or waking up. */
static bool mark_suspend(const struct marked *m) {
  struct tb_str action = text_of(m, TB_SUSPEND_RESUME_FTRACE_EVENT_ACTION);
  /* the value of this one is the processor that was on, which another may be at the end */
  bool any_cpu = tb_str_equal(action, TB_STR("timekeeping_freeze"));
  uint32_t value = any_cpu ? 0 : (uint32_t)number_of(m, TB_SUSPEND_RESUME_FTRACE_EVENT_VAL);
  char name[NAME_MAX_LEN + sizeof("(4294967295)")];
  if (!action.len || action.len > NAME_MAX_LEN) return false;
  int len = snprintf(name, sizeof(name), "%.*s(%u)", (int)action.len, action.ptr, (unsigned)value);
  return mark_async(m, number_of(m, TB_SUSPEND_RESUME_FTRACE_EVENT_START) ? 'S' : 'F', m->ts,
                    (struct tb_str){name, (size_t)len}, value);
}

static bool mark_score(const struct marked *m) {
  int64_t tid = (int32_t)number_of(m, TB_OOM_SCORE_ADJ_UPDATE_FTRACE_EVENT_PID);
  return mark_counter(m, process_of(m, tid), TB_STR("oom_score_adj"),
                      number_of(m, TB_OOM_SCORE_ADJ_UPDATE_FTRACE_EVENT_OOM_SCORE_ADJ));
}

bool tb_perfetto_mark_event(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                            struct tb_str payload) {
  const struct marked m = {.r = r, .ts = ts, .tid = tid, .cpu = cpu, .payload = payload};
  switch (kind) {
    case TB_FTRACE_EVENT_OOM_SCORE_ADJ_UPDATE:
      return mark_score(&m);
    case TB_FTRACE_EVENT_ION_STAT:
      return mark_buffer(&m, TB_STR("mem.ion"), TB_STR("mem.ion_change"));
    case TB_FTRACE_EVENT_DMA_HEAP_STAT:
      return mark_buffer(&m, TB_STR("mem.dma_heap"), TB_STR("mem.dma_heap_change"));
    case TB_FTRACE_EVENT_GPU_MEM_TOTAL:
      return mark_gpu_memory(&m);
    case TB_FTRACE_EVENT_SUSPEND_RESUME:
      return mark_suspend(&m);
    case TB_FTRACE_EVENT_GPU_FREQUENCY:
      return mark_counter(&m, 0, TB_STR("gpufreq"), number_of(&m, TB_GPU_FREQUENCY_FTRACE_EVENT_STATE));
    case TB_FTRACE_EVENT_MALI_GPU_POWER_STATE:
      return mark_counter(&m, 0, TB_STR("mali_gpu_power_state"),
                          number_of(&m, TB_MALI_GPU_POWER_STATE_FTRACE_EVENT_TO_STATE));
    case TB_FTRACE_EVENT_WAKEUP_SOURCE_ACTIVATE:
      return mark_wakelock(&m, 'S');
    case TB_FTRACE_EVENT_WAKEUP_SOURCE_DEACTIVATE:
      return mark_wakelock(&m, 'F');
    case TB_FTRACE_EVENT_DMA_FENCE_INIT:
      return mark_fence(&m, 'S');
    case TB_FTRACE_EVENT_DMA_FENCE_SIGNALED:
      return mark_fence(&m, 'F');
    case TB_FTRACE_EVENT_DMA_FENCE_WAIT_START:
      return mark_thread(&m, 'B', TB_STR("dma_fence_wait"));
    case TB_FTRACE_EVENT_DMA_FENCE_WAIT_END:
      return mark_thread(&m, 'E', TB_STR(""));
    case TB_FTRACE_EVENT_GPU_WORK_PERIOD:
      return mark_gpu_work(&m);
    default:
      return false;
  }
}

/* The frequency of what `name` is the clock of. */
static bool mark_clock(const struct marked *m) {
  struct tb_str clock = text_of(m, TB_CLOCK_FTRACE_EVENT_NAME);
  char name[NAME_MAX_LEN + sizeof(" Frequency")];
  if (clock.len > NAME_MAX_LEN) return false;
  int len = snprintf(name, sizeof(name), "%.*s Frequency", (int)clock.len, clock.len ? clock.ptr : "");
  return mark_counter(m, 0, (struct tb_str){name, (size_t)len}, number_of(m, TB_CLOCK_FTRACE_EVENT_STATE));
}

bool tb_perfetto_emit_ftrace_event(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                                   struct tb_str payload) {
  const struct marked m = {.r = r, .ts = ts, .tid = tid, .cpu = cpu, .payload = payload};
  switch (kind) {
    case TB_FTRACE_EVENT_CPU_FREQUENCY:
      return tb_perfetto_emit_cpu_counter(r, ts, (uint32_t)number_of(&m, TB_CPU_FREQUENCY_FTRACE_EVENT_CPU_ID),
                                          TB_STR("cpufreq"),
                                          (int64_t)number_of(&m, TB_CPU_FREQUENCY_FTRACE_EVENT_STATE));
    case TB_FTRACE_EVENT_CPU_IDLE:
      return tb_perfetto_emit_cpu_counter(r, ts, (uint32_t)number_of(&m, TB_CPU_IDLE_FTRACE_EVENT_CPU_ID),
                                          TB_STR("cpuidle"), (int64_t)number_of(&m, TB_CPU_IDLE_FTRACE_EVENT_STATE));
    case TB_FTRACE_EVENT_CLOCK_SET_RATE:
      return mark_clock(&m);
    case TB_FTRACE_EVENT_DMA_FENCE_INIT:
    case TB_FTRACE_EVENT_DMA_FENCE_SIGNALED:
      return false; /* the importer ends one of a timeline where the next begins */
    default:
      return tb_perfetto_mark_event(r, ts, cpu, tid, kind, payload);
  }
}
