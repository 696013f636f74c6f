/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/owners/ftrace_owner.h"

#include "protos/field_numbers.h"
#include "toolbox/walk/atrace.h"

static const struct tb_whose nobody = {.kind = TB_WHOSE_NOBODY};

/* What a device does, which a driver or an interrupt ends in another thread. */
static bool is_of_device(uint32_t kind) {
  switch (kind) {
    case TB_FTRACE_EVENT_BLOCK_IO_START:
    case TB_FTRACE_EVENT_BLOCK_IO_DONE:
    case TB_FTRACE_EVENT_ANDROID_FS_DATAREAD_START:
    case TB_FTRACE_EVENT_ANDROID_FS_DATAREAD_END:
    case TB_FTRACE_EVENT_F2FS_IOSTAT:
    case TB_FTRACE_EVENT_F2FS_IOSTAT_LATENCY:
    case TB_FTRACE_EVENT_FASTRPC_DMA_STAT:
    case TB_FTRACE_EVENT_NETIF_RECEIVE_SKB:
    case TB_FTRACE_EVENT_NET_DEV_XMIT:
    case TB_FTRACE_EVENT_DRM_RUN_JOB:
    case TB_FTRACE_EVENT_DRM_SCHED_PROCESS_JOB:
    case TB_FTRACE_EVENT_DRM_SCHED_JOB_RUN:
    case TB_FTRACE_EVENT_DRM_SCHED_JOB_DONE:
    case TB_FTRACE_EVENT_VIRTIO_VIDEO_RESOURCE_QUEUE:
    case TB_FTRACE_EVENT_VIRTIO_VIDEO_RESOURCE_QUEUE_DONE:
      return true;
    default:
      return false;
  }
}

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
    case TB_FTRACE_EVENT_SUSPEND_RESUME_MINIMAL:
    case TB_FTRACE_EVENT_WAKEUP_SOURCE_ACTIVATE:
    case TB_FTRACE_EVENT_WAKEUP_SOURCE_DEACTIVATE:
    case TB_FTRACE_EVENT_IRQ_HANDLER_ENTRY:
    case TB_FTRACE_EVENT_IRQ_HANDLER_EXIT:
    case TB_FTRACE_EVENT_SOFTIRQ_ENTRY:
    case TB_FTRACE_EVENT_SOFTIRQ_EXIT:
    case TB_FTRACE_EVENT_SOFTIRQ_RAISE:
    case TB_FTRACE_EVENT_NAPI_GRO_RECEIVE_ENTRY:
    case TB_FTRACE_EVENT_NAPI_GRO_RECEIVE_EXIT:
    case TB_FTRACE_EVENT_HYP_ENTER:
    case TB_FTRACE_EVENT_HYP_EXIT:
    case TB_FTRACE_EVENT_HYPERVISOR_HYP_ENTER:
    case TB_FTRACE_EVENT_HYPERVISOR_HYP_EXIT:
    case TB_FTRACE_EVENT_SCHED_CPU_UTIL_CFS:
    case TB_FTRACE_EVENT_TASK_NEWTASK: /* and below: what threads are called and when they are */
    case TB_FTRACE_EVENT_TASK_RENAME:
    case TB_FTRACE_EVENT_SCHED_PROCESS_EXEC:
    case TB_FTRACE_EVENT_SCHED_PROCESS_EXIT:
    case TB_FTRACE_EVENT_SCHED_PROCESS_FORK:
    case TB_FTRACE_EVENT_SCHED_PROCESS_FREE:
      return true;
    default:
      return is_of_device(kind);
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

/* What a thread does, or what is of the process that the mark names, whoever writes it. */
static struct tb_whose of_mark(const struct tb_owners *owners, const struct tb_ftrace_bundle *bundle,
                               const struct tb_ftrace_event *event) {
  static const char battery[] = "battery_stats."; /* of the device, whoever says it */
  struct tb_atrace_mark mark;
  tb_atrace_read(event, &mark);
  if (mark.role == TB_ATRACE_VALUE && mark.name.len >= sizeof(battery) - 1 &&
      memcmp(mark.name.ptr, battery, sizeof(battery) - 1) == 0)
    return nobody;
  if (!mark.is_async || mark.pid < 0) return tb_owners_thread(owners, bundle->machine, event->pid);
  return tb_whose_process(bundle->machine, mark.pid);
}

struct tb_thread_switch tb_thread_switch_read(const struct tb_ftrace_event *event) {
  return (struct tb_thread_switch){(int32_t)tb_wire_find_number(event->payload, TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID),
                                   (int32_t)tb_wire_find_number(event->payload, TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID)};
}

bool tb_ftrace_is_scheduling(uint32_t kind) { return kind == TB_FTRACE_EVENT_SCHED_SWITCH || thread_field(kind) != 0; }

struct tb_whose tb_owners_of_ftrace(const struct tb_owners *owners, const struct tb_ftrace_bundle *bundle,
                                    const struct tb_ftrace_event *event) {
  if (tb_atrace_is_mark(event->kind)) return of_mark(owners, bundle, event);
  if (is_of_system(event->kind)) return nobody;
  if (event->kind == TB_FTRACE_EVENT_GPU_MEM_TOTAL) { /* 0: of all processes */
    int64_t pid = (int32_t)tb_wire_find_number(event->payload, TB_GPU_MEM_TOTAL_FTRACE_EVENT_PID);
    return pid ? tb_whose_process(bundle->machine, pid) : nobody;
  }
  if (event->kind == TB_FTRACE_EVENT_RSS_STAT)
    return tb_owners_process_of(owners, bundle->machine, tb_memory_owners_find(&owners->memories, bundle, event));
  if (event->kind == TB_FTRACE_EVENT_OOM_SCORE_ADJ_UPDATE)
    return tb_owners_process_of(owners, bundle->machine,
                                (int32_t)tb_wire_find_number(event->payload, TB_OOM_SCORE_ADJ_UPDATE_FTRACE_EVENT_PID));
  uint32_t field = thread_field(event->kind);
  return tb_owners_thread(owners, bundle->machine,
                          field ? (int32_t)tb_wire_find_number(event->payload, field) : event->pid);
}
