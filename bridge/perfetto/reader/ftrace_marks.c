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

static uint64_t number_of(const struct marked *m, uint32_t number) { return tb_wire_find_number(m->payload, number); }

static struct tb_str text_of(const struct marked *m, uint32_t number) { return tb_wire_find_bytes(m->payload, number); }

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

/* ---- for targets that get neither packets nor text alone --------------------------------------------------------- */

/* What a process has of one kind of memory. */
static bool mark_memory(const struct marked *m) {
  static const char *const members[] = {"mem.rss.file", "mem.rss.anon", "mem.swap", "mem.rss.shmem",
                                        "mem.unreclaimable"};
  enum { MEMBERS = sizeof(members) / sizeof(members[0]) };
  uint64_t member = number_of(m, TB_RSS_STAT_FTRACE_EVENT_MEMBER);
  int64_t size = (int64_t)number_of(m, TB_RSS_STAT_FTRACE_EVENT_SIZE), tid = m->tid;
  if (tb_wire_has(m->payload, TB_RSS_STAT_FTRACE_EVENT_MM_ID) && tb_wire_has(m->payload, TB_RSS_STAT_FTRACE_EVENT_CURR))
    tid = tb_perfetto_ftrace_memory_owner(m->r, m->ts, tid, number_of(m, TB_RSS_STAT_FTRACE_EVENT_MM_ID),
                                          number_of(m, TB_RSS_STAT_FTRACE_EVENT_CURR) != 0);
  if (tid < 0 || size < 0) return false;
  return mark_counter(m, process_of(m, tid), tb_str_from(member < MEMBERS ? members[member] : "mem.unknown"),
                      (uint64_t)size);
}

/* A value of what is called by a text of the event, and by its kind. */
static bool mark_named(const struct marked *m, struct tb_str of, const char *kind, uint64_t value) {
  char name[NAME_MAX_LEN + 32];
  if (of.len > NAME_MAX_LEN) return false;
  int len = snprintf(name, sizeof(name), "%.*s %s", (int)of.len, of.len ? of.ptr : "", kind);
  return mark_counter(m, 0, (struct tb_str){name, (size_t)len}, value);
}

static bool mark_limit(const struct marked *m, const char *which, uint64_t khz) {
  uint32_t cpu = (uint32_t)number_of(m, TB_CPU_FREQUENCY_LIMITS_FTRACE_EVENT_CPU_ID);
  char name[32];
  int len = snprintf(name, sizeof(name), "Cpu %" PRIu32 " %s Freq Limit", cpu, which);
  return tb_perfetto_emit_cpu_counter(m->r, m->ts, cpu, (struct tb_str){name, (size_t)len}, (int64_t)khz);
}

static bool mark_limits(const struct marked *m) {
  return mark_limit(m, "Min", number_of(m, TB_CPU_FREQUENCY_LIMITS_FTRACE_EVENT_MIN_FREQ)) &&
         mark_limit(m, "Max", number_of(m, TB_CPU_FREQUENCY_LIMITS_FTRACE_EVENT_MAX_FREQ));
}

/* A worker runs a function of the kernel, which is called by its symbol where the trace has that. */
static bool mark_work(const struct marked *m) {
  uint64_t function = number_of(m, TB_WORKQUEUE_FTRACE_EVENT_FUNCTION);
  const struct tb_sequence_state *sequence = m->r->context.sequence;
  const struct tb_iid_index *symbols = sequence ? sequence->indexes[TB_INDEX_KERNEL_SYMBOLS] : NULL;
  const struct tb_str *symbol = symbols ? tb_iid_index_get(symbols, function) : NULL;
  char name[2 + 16 + 1];
  int len = snprintf(name, sizeof(name), "0x%" PRIx64, function);
  const struct tb_ftrace_mark mark = {.phase = 'B',
                                      .name = symbol ? *symbol : (struct tb_str){name, (size_t)len},
                                      .category = {"workqueue", sizeof("workqueue") - 1}};
  tb_perfetto_emit_mark(m->r, m->ts, m->cpu, m->tid, &mark);
  return true;
}

/* A processor serves an interrupt, or what one left to be done soon. */
static bool mark_interrupt(const struct marked *m, char phase, const char *kind, struct tb_str name) {
  char track[32];
  int len = snprintf(track, sizeof(track), "%s Cpu %" PRIu32, kind, m->cpu);
  struct tb_ftrace_mark mark = {.phase = phase, .name = name};
  if (phase == 'B') mark.category = TB_STR("irq");
  return tb_perfetto_emit_cpu_slice(m->r, m->ts, m->cpu, (struct tb_str){track, (size_t)len}, &mark);
}

static bool mark_irq(const struct marked *m) {
  struct tb_str irq = text_of(m, TB_IRQ_HANDLER_ENTRY_FTRACE_EVENT_NAME);
  char name[NAME_MAX_LEN + sizeof("IRQ ()")];
  if (irq.len > NAME_MAX_LEN) return false;
  int len = snprintf(name, sizeof(name), "IRQ (%.*s)", (int)irq.len, irq.len ? irq.ptr : "");
  return mark_interrupt(m, 'B', "Irq", (struct tb_str){name, (size_t)len});
}

/* The kernel has ten kinds; the trace processor shows no others. */
static bool mark_softirq(const struct marked *m, char phase) {
  static const char *const names[] = {"HI",           "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                      "BLOCK_IOPOLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
  uint64_t kind = number_of(m, TB_SOFTIRQ_FTRACE_EVENT_VEC);
  if (kind >= sizeof(names) / sizeof(names[0])) return false;
  return mark_interrupt(m, phase, "SoftIrq", phase == 'B' ? tb_str_from(names[kind]) : TB_STR(""));
}

static bool mark_of_driver(const struct marked *m, uint32_t kind) {
  struct tb_ftrace_mark mark;
  if (!tb_ftrace_driver_mark(kind, m->payload, &mark)) return false;
  if (mark.phase == 'C')
    return mark_counter(m, mark.pid ? process_of(m, mark.pid) : 0, mark.name, (uint64_t)mark.value);
  tb_perfetto_emit_mark(m->r, m->ts, m->cpu, m->tid, &mark);
  return true;
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
      return mark_named(&m, text_of(&m, TB_CLOCK_FTRACE_EVENT_NAME), "Frequency",
                        number_of(&m, TB_CLOCK_FTRACE_EVENT_STATE));
    case TB_FTRACE_EVENT_SCHED_PROCESS_FREE:
      tb_perfetto_ftrace_memory_gone(r, ts, (int32_t)number_of(&m, TB_SCHED_PROCESS_FTRACE_EVENT_PID), true);
      return false;
    case TB_FTRACE_EVENT_TASK_NEWTASK:
      tb_perfetto_ftrace_memory_gone(r, ts, (int32_t)number_of(&m, TB_TASK_NEWTASK_FTRACE_EVENT_PID), false);
      return false;
    case TB_FTRACE_EVENT_RSS_STAT:
      return mark_memory(&m);
    case TB_FTRACE_EVENT_BINDER_TRANSACTION:
    case TB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED:
      return tb_perfetto_emit_binder(r, ts, cpu, tid, kind, payload);
    case TB_FTRACE_EVENT_THERMAL_TEMPERATURE:
      return mark_named(&m, text_of(&m, TB_THERMAL_TEMPERATURE_FTRACE_EVENT_THERMAL_ZONE), "Temperature",
                        number_of(&m, TB_THERMAL_TEMPERATURE_FTRACE_EVENT_TEMP));
    case TB_FTRACE_EVENT_CDEV_UPDATE:
      return mark_named(&m, text_of(&m, TB_CDEV_UPDATE_FTRACE_EVENT_TYPE), "Cooling Device",
                        number_of(&m, TB_CDEV_UPDATE_FTRACE_EVENT_TARGET));
    case TB_FTRACE_EVENT_CPU_FREQUENCY_LIMITS:
      return mark_limits(&m);
    case TB_FTRACE_EVENT_WORKQUEUE_EXECUTE_START:
      return mark_work(&m);
    case TB_FTRACE_EVENT_WORKQUEUE_EXECUTE_END:
      return mark_thread(&m, 'E', TB_STR(""));
    case TB_FTRACE_EVENT_IRQ_HANDLER_ENTRY:
      return mark_irq(&m);
    case TB_FTRACE_EVENT_IRQ_HANDLER_EXIT:
      return mark_interrupt(&m, 'E', "Irq", TB_STR(""));
    case TB_FTRACE_EVENT_SOFTIRQ_ENTRY:
      return mark_softirq(&m, 'B');
    case TB_FTRACE_EVENT_SOFTIRQ_EXIT:
      return mark_softirq(&m, 'E');
    case TB_FTRACE_EVENT_DMA_FENCE_INIT:
    case TB_FTRACE_EVENT_DMA_FENCE_SIGNALED:
      return false; /* the importer ends one of a timeline where the next begins */
    default:
      return tb_perfetto_mark_event(r, ts, cpu, tid, kind, payload) || mark_of_driver(&m, kind);
  }
}
