/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/filter/ftrace_choice.h"

#include "protos/field_numbers.h"
#include "toolbox/walk/atrace.h"

/* ---- the first reading ------------------------------------------------------------------------------------------- */

static bool chooses_marks(const struct tb_choice *choice) {
  return choice->names.count || choice->categories.count || choice->min_dur > 0;
}

static enum tb_status take_print(struct tb_choice *choice, const struct tb_ftrace_bundle *bundle,
                                 const struct tb_ftrace_event *event) {
  struct tb_atrace_mark mark;
  int64_t time;
  bool chosen = true;
  enum tb_status status = TB_OK;
  tb_atrace_read(event, &mark);
  if (mark.role == TB_ATRACE_VALUE) {
    const struct tb_name_patterns *counters = &choice->owners.counters;
    status = tb_name_is_chosen(counters, mark.name, &choice->owners.scratch, &chosen);
  } else if (mark.role == TB_ATRACE_INSTANT) {
    status = tb_choice_judge_mark(choice, mark.name, &chosen);
  } else if (mark.role != TB_ATRACE_NONE && chooses_marks(choice)) {
    if (!tb_ftrace_bundle_time(bundle, event->raw_time, &time)) time = (int64_t)event->raw_time;
    uint64_t kind = (uint64_t)bundle->machine << 1 | mark.is_async;
    return tb_choice_take_mark(choice, mark.key, kind, time, mark.role == TB_ATRACE_END, mark.name);
  }
  return status == TB_OK && !chosen ? tb_choice_leave_print_out(choice, choice->print) : status;
}

enum tb_status tb_choice_take_ftrace(struct tb_choice *choice) {
  struct tb_ftrace_bundle bundle;
  struct tb_ftrace_event event;
  struct tb_wire_field field;
  tb_ftrace_bundle_read(&bundle, choice->walk);
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle.bytes);
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_FTRACE_EVENT_BUNDLE_EVENT || field.type != TB_WIRE_BYTES) continue;
    tb_ftrace_event_read(field.bytes, &event);
    if (event.kind == TB_FTRACE_EVENT_PRINT) status = take_print(choice, &bundle, &event);
    choice->print++;
  }
  return status;
}

/* ---- the second reading ------------------------------------------------------------------------------------------ */

/* What is of the system or a processor, whichever thread was there. */
static bool is_of_system(uint32_t kind) {
  switch (kind) {
    case TB_FTRACE_EVENT_CPU_FREQUENCY:
    case TB_FTRACE_EVENT_CPU_FREQUENCY_LIMITS:
    case TB_FTRACE_EVENT_CPU_IDLE:
    case TB_FTRACE_EVENT_CLOCK_ENABLE:
    case TB_FTRACE_EVENT_CLOCK_DISABLE:
    case TB_FTRACE_EVENT_CLOCK_SET_RATE:
    case TB_FTRACE_EVENT_CLK_ENABLE:
    case TB_FTRACE_EVENT_CLK_DISABLE:
    case TB_FTRACE_EVENT_GPU_FREQUENCY:
    case TB_FTRACE_EVENT_GPU_WORK_PERIOD:
    case TB_FTRACE_EVENT_MALI_GPU_POWER_STATE:
    case TB_FTRACE_EVENT_ION_STAT:
    case TB_FTRACE_EVENT_DMA_HEAP_STAT:
    case TB_FTRACE_EVENT_DMA_FENCE_INIT:
    case TB_FTRACE_EVENT_DMA_FENCE_EMIT:
    case TB_FTRACE_EVENT_DMA_FENCE_SIGNALED:
    case TB_FTRACE_EVENT_THERMAL_TEMPERATURE:
    case TB_FTRACE_EVENT_CDEV_UPDATE:
    case TB_FTRACE_EVENT_SUSPEND_RESUME:
    case TB_FTRACE_EVENT_WAKEUP_SOURCE_ACTIVATE:
    case TB_FTRACE_EVENT_WAKEUP_SOURCE_DEACTIVATE:
    case TB_FTRACE_EVENT_IRQ_HANDLER_ENTRY:
    case TB_FTRACE_EVENT_IRQ_HANDLER_EXIT:
    case TB_FTRACE_EVENT_SOFTIRQ_ENTRY:
    case TB_FTRACE_EVENT_SOFTIRQ_EXIT:
    case TB_FTRACE_EVENT_SOFTIRQ_RAISE:
    case TB_FTRACE_EVENT_TASK_NEWTASK: /* and below: what threads are called and when they are */
    case TB_FTRACE_EVENT_TASK_RENAME:
    case TB_FTRACE_EVENT_SCHED_PROCESS_EXEC:
    case TB_FTRACE_EVENT_SCHED_PROCESS_EXIT:
    case TB_FTRACE_EVENT_SCHED_PROCESS_FORK:
    case TB_FTRACE_EVENT_SCHED_PROCESS_FREE:
      return true;
    default:
      return false;
  }
}

/* The thread that an event is of, whoever wrote it: the number of the field that says it; 0: who wrote it. */
static uint32_t thread_field(uint32_t kind) {
  switch (kind) {
    case TB_FTRACE_EVENT_SCHED_WAKEUP:
    case TB_FTRACE_EVENT_SCHED_WAKEUP_NEW:
    case TB_FTRACE_EVENT_SCHED_WAKING:
      return TB_SCHED_WAKING_FTRACE_EVENT_PID;
    case TB_FTRACE_EVENT_SCHED_BLOCKED_REASON:
      return TB_SCHED_BLOCKED_REASON_FTRACE_EVENT_PID;
    default:
      return 0;
  }
}

static int64_t number_of(struct tb_str message, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number) return (int32_t)field.value;
  return 0;
}

/* A switch between two threads on a processor. One that is not chosen becomes the idle one; where both are not, nothing
 * changes there. */
static uint8_t decide_switch(struct tb_choice *choice, const struct tb_ftrace_bundle *bundle, int64_t prev,
                             bool prev_chosen, int64_t next) {
  bool next_chosen = tb_owners_choose_thread(&choice->owners, bundle->machine, next);
  if (!prev_chosen && !next_chosen) return TB_FTRACE_DROP;
  return (uint8_t)(TB_FTRACE_KEEP | (prev_chosen || !prev ? 0 : TB_FTRACE_IDLE_PREV) |
                   (next_chosen || !next ? 0 : TB_FTRACE_IDLE_NEXT));
}

static uint8_t decide_print(const struct tb_choice *choice, const struct tb_ftrace_bundle *bundle,
                            const struct tb_ftrace_event *event) {
  static const char battery[] = "battery_stats."; /* of the device, whoever says it */
  struct tb_atrace_mark mark;
  tb_atrace_read(event, &mark);
  if (mark.role == TB_ATRACE_VALUE && mark.name.len >= sizeof(battery) - 1 &&
      memcmp(mark.name.ptr, battery, sizeof(battery) - 1) == 0)
    return TB_FTRACE_KEEP;
  if (!mark.is_async || mark.pid < 0) return tb_owners_choose_thread(&choice->owners, bundle->machine, event->pid);
  return tb_owners_choose_process(&choice->owners, bundle->machine, mark.pid);
}

static uint8_t decide_event(struct tb_choice *choice, const struct tb_ftrace_bundle *bundle, struct tb_str bytes) {
  const struct tb_owners *owners = &choice->owners;
  struct tb_ftrace_event event;
  if (tb_choice_leaves_print_out(choice, choice->print++)) return TB_FTRACE_DROP;
  if (!owners->processes.count && !owners->threads.count) return TB_FTRACE_KEEP;
  tb_ftrace_event_read(bytes, &event);
  if (event.kind == TB_FTRACE_EVENT_SCHED_SWITCH) {
    int64_t prev = number_of(event.payload, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID);
    int64_t next = number_of(event.payload, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID);
    return decide_switch(choice, bundle, prev, tb_owners_choose_thread(owners, bundle->machine, prev), next);
  }
  if (event.kind == TB_FTRACE_EVENT_PRINT) return decide_print(choice, bundle, &event);
  if (is_of_system(event.kind)) return TB_FTRACE_KEEP;
  if (event.kind == TB_FTRACE_EVENT_GPU_MEM_TOTAL) { /* 0: of all processes */
    int64_t pid = number_of(event.payload, TB_GPU_MEM_TOTAL_FTRACE_EVENT_PID);
    return !pid || tb_owners_choose_process(owners, bundle->machine, pid);
  }
  if (event.kind == TB_FTRACE_EVENT_RSS_STAT || event.kind == TB_FTRACE_EVENT_DPU_TRACING_MARK_WRITE)
    return tb_owners_choose_process_of(owners, bundle->machine, event.pid);
  if (event.kind == TB_FTRACE_EVENT_OOM_SCORE_ADJ_UPDATE)
    return tb_owners_choose_process_of(owners, bundle->machine,
                                       number_of(event.payload, TB_OOM_SCORE_ADJ_UPDATE_FTRACE_EVENT_PID));
  uint32_t field = thread_field(event.kind);
  int64_t tid = field ? number_of(event.payload, field) : event.pid;
  return tb_owners_choose_thread(owners, bundle->machine, tid);
}

/* The thread that a switch of compact_sched leaves is that of the one before on its processor. */
static uint8_t decide_row(void *ctx, const struct tb_ftrace_bundle *bundle, const struct tb_ftrace_row *row) {
  struct tb_choice *choice = ctx;
  const struct tb_owners *owners = &choice->owners;
  if (row->kind == TB_FTRACE_ROW_EVENT) return decide_event(choice, bundle, row->event);
  if (!owners->processes.count && !owners->threads.count) return TB_FTRACE_KEEP;
  if (row->kind == TB_FTRACE_ROW_WAKING) return tb_owners_choose_thread(owners, bundle->machine, row->pid);
  uint64_t *running = tb_map_find(&choice->running, bundle->machine, bundle->cpu);
  int64_t prev = running ? (int64_t)*running : -1;
  bool prev_chosen = running && tb_owners_choose_thread(owners, bundle->machine, prev);
  if (running)
    *running = (uint64_t)row->pid;
  else if (tb_map_put(&choice->running, bundle->machine, bundle->cpu, (uint64_t)row->pid) != TB_OK)
    choice->failed = true;
  /* The first one of a processor says where readers begin, and is kept. */
  uint8_t fate = decide_switch(choice, bundle, prev, prev_chosen, row->pid);
  if (running || fate != TB_FTRACE_DROP) return fate;
  return row->pid ? TB_FTRACE_KEEP | TB_FTRACE_IDLE_NEXT : TB_FTRACE_KEEP;
}

enum tb_status tb_choice_decide_ftrace(struct tb_choice *choice, struct tb_cut_order *order) {
  struct tb_ftrace_bundle bundle;
  enum tb_ftrace_part part;
  tb_ftrace_bundle_read(&bundle, choice->walk);
  enum tb_status status = tb_ftrace_decide(&bundle, decide_row, choice, &choice->fates, &part);
  if (choice->failed) return TB_NO_MEMORY;
  if (part == TB_FTRACE_NONE) order->fate = TB_CUT_DROP;
  if (status != TB_OK || part != TB_FTRACE_SOME) return status;
  choice->part.len = 0;
  status = tb_ftrace_append_part(&bundle, choice->walk->packet.packet, &choice->fates, &choice->part);
  order->replaced = (struct tb_str){choice->part.data, choice->part.len};
  return status;
}
