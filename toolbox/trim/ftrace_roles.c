/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/ftrace_roles.h"

#include "base/intern.h"
#include "toolbox/trim/packet_values.h"
#include "toolbox/walk/atrace.h"

static struct tb_ftrace_event_role role_of_marker(const struct tb_ftrace_event *event) {
  static const enum tb_ftrace_role roles[] = {[TB_ATRACE_BEGIN] = TB_FTRACE_ROLE_BEGIN,
                                              [TB_ATRACE_END] = TB_FTRACE_ROLE_END,
                                              [TB_ATRACE_VALUE] = TB_FTRACE_ROLE_VALUE,
                                              [TB_ATRACE_INSTANT] = TB_FTRACE_ROLE_NONE};
  struct tb_atrace_mark marker;
  tb_atrace_read(event, &marker);
  uint64_t kind = TB_FTRACE_EVENT_PRINT | (marker.is_async ? UINT64_C(1) << 32 : 0);
  uint64_t stated = marker.role == TB_ATRACE_VALUE ? tb_packet_values_mark_key(marker.name) : 0;
  return (struct tb_ftrace_event_role){
      .role = roles[marker.role], .key = stated ? stated : marker.key, .kind = kind, .stated = stated};
}

static struct tb_ftrace_event_role of_thread_as(const struct tb_ftrace_event *event, enum tb_ftrace_role role) {
  return (struct tb_ftrace_event_role){.role = role, .key = (uint64_t)event->pid, .kind = TB_FTRACE_EVENT_PRINT};
}

/* A slice among those that print marks of the thread. */
static struct tb_ftrace_event_role of_thread(const struct tb_ftrace_event *event, bool begins) {
  return of_thread_as(event, begins ? TB_FTRACE_ROLE_BEGIN : TB_FTRACE_ROLE_END);
}

enum tb_ftrace_transaction tb_ftrace_transaction_of(const struct tb_ftrace_event *event) {
  enum { ONE_WAY = 1 };
  if (tb_wire_find_number(event->payload, TB_BINDER_TRANSACTION_FTRACE_EVENT_REPLY)) return TB_FTRACE_REPLY;
  uint64_t flags = tb_wire_find_number(event->payload, TB_BINDER_TRANSACTION_FTRACE_EVENT_FLAGS);
  return flags & ONE_WAY ? TB_FTRACE_ONE_WAY : TB_FTRACE_REQUEST;
}

/* A thread waits from its request until it receives the reply; another one works from what it received to its reply. */
static struct tb_ftrace_event_role role_of_transaction(const struct tb_ftrace_event *event) {
  enum tb_ftrace_transaction transaction = tb_ftrace_transaction_of(event);
  if (transaction == TB_FTRACE_ONE_WAY) return (struct tb_ftrace_event_role){.role = TB_FTRACE_ROLE_NONE};
  return of_thread(event, transaction == TB_FTRACE_REQUEST);
}

/* Readers end a call of write where a mark is written, which is in the middle of one, and rt_sigreturn where it begins.
 * Which number is which is the machine's: those of all machines are taken for it, which are of no others that last. */
static bool is_plain_call(uint64_t number) {
  static const uint64_t others[] = {1, 4, 64, 15, 139, 173};
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
    if (number == others[i]) return false;
  return true;
}

static struct tb_ftrace_event_role role_of_call(const struct tb_ftrace_event *event) {
  uint64_t number = tb_wire_find_number(event->payload, TB_SYS_FTRACE_EVENT_ID);
  if (!is_plain_call(number)) return (struct tb_ftrace_event_role){.role = TB_FTRACE_ROLE_NONE};
  struct tb_ftrace_event_role role = of_thread(event, event->kind == TB_FTRACE_EVENT_SYS_ENTER);
  role.call = number + 1;
  return role;
}

/* A step of falling asleep or waking up; of one of them the number is the processor's, which may change. */
static struct tb_ftrace_event_role role_of_suspend(const struct tb_ftrace_event *event) {
  struct tb_str action = tb_wire_find_bytes(event->payload, TB_SUSPEND_RESUME_FTRACE_EVENT_ACTION);
  bool any_cpu = tb_str_equal(action, (struct tb_str){"timekeeping_freeze", sizeof("timekeeping_freeze") - 1});
  uint64_t number = any_cpu ? 0 : tb_wire_find_number(event->payload, TB_SUSPEND_RESUME_FTRACE_EVENT_VAL);
  bool begins = tb_wire_find_number(event->payload, TB_SUSPEND_RESUME_FTRACE_EVENT_START);
  return (struct tb_ftrace_event_role){.role = begins ? TB_FTRACE_ROLE_BEGIN : TB_FTRACE_ROLE_END,
                                       .key = tb_str_hash(action, number),
                                       .kind = event->kind};
}

/* The same without its steps. */
static struct tb_ftrace_event_role role_of_minimal_suspend(const struct tb_ftrace_event *event) {
  bool begins = tb_wire_find_number(event->payload, TB_SUSPEND_RESUME_MINIMAL_FTRACE_EVENT_START);
  return (struct tb_ftrace_event_role){.role = begins ? TB_FTRACE_ROLE_BEGIN : TB_FTRACE_ROLE_END, .kind = event->kind};
}

/* By which of its fields events of a kind belong together: up to three numbers, or a text, or none where it has one of
 * all. */
static const struct kind {
  uint32_t of; /* the kind that begins what this one ends, and else itself */
  enum tb_ftrace_role role;
  enum {
    BY_NOTHING,
    BY_CPU,
    BY_THREAD,
    BY_RUNNER,
    BY_NUMBERS,
    BY_TEXT
  } by; /* runner: the thread, or of an idle one the CPU */
  uint32_t fields[3];
  uint32_t adds, symbol; /* see struct tb_ftrace_event_role */
  bool is_queue;         /* see there */
} kinds[] = {
#define BEGIN(name, ...) \
  [TB_FTRACE_EVENT_##name] = {.of = TB_FTRACE_EVENT_##name, .role = TB_FTRACE_ROLE_BEGIN, __VA_ARGS__}
#define END(name, began, ...) \
  [TB_FTRACE_EVENT_##name] = {.of = TB_FTRACE_EVENT_##began, .role = TB_FTRACE_ROLE_END, __VA_ARGS__}
#define VALUE(name, ...) \
  [TB_FTRACE_EVENT_##name] = {.of = TB_FTRACE_EVENT_##name, .role = TB_FTRACE_ROLE_VALUE, __VA_ARGS__}
#define FENCE .by = BY_NUMBERS, .fields = {TB_DMA_FENCE_FTRACE_EVENT_CONTEXT}, .is_queue = true
#define BLOCK \
  BY_NUMBERS, { TB_BLOCK_IO_START_FTRACE_EVENT_DEV, TB_BLOCK_IO_START_FTRACE_EVENT_SECTOR }
#define RESOURCE                                                                                                    \
  BY_NUMBERS, {                                                                                                     \
    TB_VIRTIO_VIDEO_RESOURCE_QUEUE_FTRACE_EVENT_RESOURCE_ID, TB_VIRTIO_VIDEO_RESOURCE_QUEUE_FTRACE_EVENT_STREAM_ID, \
        TB_VIRTIO_VIDEO_RESOURCE_QUEUE_FTRACE_EVENT_QUEUE_TYPE                                                      \
  }
#define SOURCE \
  BY_TEXT, { TB_WAKEUP_SOURCE_FTRACE_EVENT_NAME, 0 }
    BEGIN(IRQ_HANDLER_ENTRY, BY_CPU, {0, 0}),
    END(IRQ_HANDLER_EXIT, IRQ_HANDLER_ENTRY, BY_CPU, {0, 0}),
    BEGIN(SOFTIRQ_ENTRY, BY_CPU, {0, 0}),
    END(SOFTIRQ_EXIT, SOFTIRQ_ENTRY, BY_CPU, {0, 0}),
    BEGIN(NAPI_GRO_RECEIVE_ENTRY, BY_CPU, {0, 0}),
    END(NAPI_GRO_RECEIVE_EXIT, NAPI_GRO_RECEIVE_ENTRY, BY_CPU, {0, 0}),
    BEGIN(BLOCK_IO_START, BLOCK),
    END(BLOCK_IO_DONE, BLOCK_IO_START, BLOCK),
    BEGIN(ANDROID_FS_DATAREAD_START, BY_NUMBERS,
          {TB_ANDROID_FS_DATAREAD_START_FTRACE_EVENT_INO, TB_ANDROID_FS_DATAREAD_START_FTRACE_EVENT_OFFSET}),
    END(ANDROID_FS_DATAREAD_END, ANDROID_FS_DATAREAD_START, BY_NUMBERS,
        {TB_ANDROID_FS_DATAREAD_END_FTRACE_EVENT_INO, TB_ANDROID_FS_DATAREAD_END_FTRACE_EVENT_OFFSET}),
    VALUE(F2FS_IOSTAT, BY_NUMBERS, {TB_F2FS_IOSTAT_FTRACE_EVENT_DEV, 0}),
    VALUE(F2FS_IOSTAT_LATENCY, BY_NUMBERS, {TB_F2FS_IOSTAT_LATENCY_FTRACE_EVENT_DEV, 0}),
    VALUE(SCHED_CPU_UTIL_CFS, BY_NUMBERS, {TB_SCHED_CPU_UTIL_CFS_FTRACE_EVENT_CPU, 0}),
    VALUE(ION_STAT, BY_NOTHING, {0, 0}),
    VALUE(DMA_HEAP_STAT, BY_NOTHING, {0, 0}),
    VALUE(FASTRPC_DMA_STAT, BY_NUMBERS, {TB_FASTRPC_DMA_STAT_FTRACE_EVENT_CID, 0}),
    VALUE(NETIF_RECEIVE_SKB, BY_TEXT, {TB_NETIF_RECEIVE_SKB_FTRACE_EVENT_NAME, 0},
          TB_NETIF_RECEIVE_SKB_FTRACE_EVENT_LEN),
    VALUE(NET_DEV_XMIT, BY_TEXT, {TB_NET_DEV_XMIT_FTRACE_EVENT_NAME, 0}, TB_NET_DEV_XMIT_FTRACE_EVENT_LEN),
    VALUE(CPU_FREQUENCY, BY_NUMBERS, {TB_CPU_FREQUENCY_FTRACE_EVENT_CPU_ID, 0}),
    VALUE(CPU_FREQUENCY_LIMITS, BY_NUMBERS, {TB_CPU_FREQUENCY_LIMITS_FTRACE_EVENT_CPU_ID, 0}),
    VALUE(CPU_IDLE, BY_NUMBERS, {TB_CPU_IDLE_FTRACE_EVENT_CPU_ID, 0}),
    VALUE(CLOCK_SET_RATE, BY_TEXT, {TB_CLOCK_FTRACE_EVENT_NAME, 0}),
    VALUE(CLOCK_ENABLE, BY_TEXT, {TB_CLOCK_FTRACE_EVENT_NAME, 0}),
    [TB_FTRACE_EVENT_CLOCK_DISABLE] = {.of = TB_FTRACE_EVENT_CLOCK_ENABLE,
                                       .role = TB_FTRACE_ROLE_VALUE,
                                       .by = BY_TEXT,
                                       .fields = {TB_CLOCK_FTRACE_EVENT_NAME}},
    VALUE(GPU_FREQUENCY, BY_NUMBERS, {TB_GPU_FREQUENCY_FTRACE_EVENT_GPU_ID, 0}),
    VALUE(GPU_MEM_TOTAL, BY_NUMBERS, {TB_GPU_MEM_TOTAL_FTRACE_EVENT_PID, 0}),
    VALUE(MALI_GPU_POWER_STATE, BY_NOTHING, {0, 0}),
    VALUE(OOM_SCORE_ADJ_UPDATE, BY_NUMBERS, {TB_OOM_SCORE_ADJ_UPDATE_FTRACE_EVENT_PID, 0}),
    VALUE(THERMAL_TEMPERATURE, BY_TEXT, {TB_THERMAL_TEMPERATURE_FTRACE_EVENT_THERMAL_ZONE, 0}),
    VALUE(CDEV_UPDATE, BY_TEXT, {TB_CDEV_UPDATE_FTRACE_EVENT_TYPE, 0}),
    BEGIN(WAKEUP_SOURCE_ACTIVATE, SOURCE),
    END(WAKEUP_SOURCE_DEACTIVATE, WAKEUP_SOURCE_ACTIVATE, SOURCE),
    BEGIN(DMA_FENCE_INIT, FENCE),
    END(DMA_FENCE_SIGNALED, DMA_FENCE_INIT, FENCE),
    BEGIN(DMA_FENCE_WAIT_START, BY_THREAD, {0, 0}),
    END(DMA_FENCE_WAIT_END, DMA_FENCE_WAIT_START, BY_THREAD, {0, 0}),
    BEGIN(DRM_RUN_JOB, BY_NUMBERS, {TB_DRM_SCHED_JOB_FTRACE_EVENT_FENCE}),
    END(DRM_SCHED_PROCESS_JOB, DRM_RUN_JOB, BY_NUMBERS, {TB_DRM_SCHED_PROCESS_JOB_FTRACE_EVENT_FENCE}),
    BEGIN(DRM_SCHED_JOB_RUN, BY_NUMBERS,
          {TB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_FENCE_CONTEXT, TB_DRM_SCHED_JOB_QUEUE_FTRACE_EVENT_FENCE_SEQNO}),
    END(DRM_SCHED_JOB_DONE, DRM_SCHED_JOB_RUN, BY_NUMBERS,
        {TB_DRM_SCHED_JOB_DONE_FTRACE_EVENT_FENCE_CONTEXT, TB_DRM_SCHED_JOB_DONE_FTRACE_EVENT_FENCE_SEQNO}),
    BEGIN(VIRTIO_VIDEO_RESOURCE_QUEUE, RESOURCE),
    END(VIRTIO_VIDEO_RESOURCE_QUEUE_DONE, VIRTIO_VIDEO_RESOURCE_QUEUE, RESOURCE),
    BEGIN(WORKQUEUE_EXECUTE_START, BY_THREAD, .symbol = TB_WORKQUEUE_FTRACE_EVENT_FUNCTION),
    END(WORKQUEUE_EXECUTE_END, WORKQUEUE_EXECUTE_START, BY_THREAD),
    BEGIN(FUNCGRAPH_ENTRY, BY_RUNNER, .symbol = TB_FUNCGRAPH_ENTRY_FTRACE_EVENT_FUNC),
    END(FUNCGRAPH_EXIT, FUNCGRAPH_ENTRY, BY_RUNNER, .symbol = TB_FUNCGRAPH_EXIT_FTRACE_EVENT_FUNC),
    BEGIN(HYP_ENTER, BY_CPU),
    END(HYP_EXIT, HYP_ENTER, BY_CPU),
    BEGIN(HYPERVISOR_HYP_ENTER, BY_CPU),
    END(HYPERVISOR_HYP_EXIT, HYPERVISOR_HYP_ENTER, BY_CPU),
#undef BEGIN
#undef END
#undef VALUE
#undef FENCE
#undef BLOCK
#undef RESOURCE
#undef SOURCE
};

static uint64_t key_of_numbers(const uint32_t fields[3], const struct tb_ftrace_event *event) {
  uint64_t key = tb_wire_find_number(event->payload, fields[0]);
  for (size_t i = 1; i < 3 && fields[i]; i++)
    key = tb_mix64(key ^ tb_mix64(tb_wire_find_number(event->payload, fields[i])));
  return key;
}

static uint64_t key_of(const struct kind *kind, const struct tb_ftrace_bundle *bundle,
                       const struct tb_ftrace_event *event) {
  switch (kind->by) {
    case BY_CPU:
      return bundle->cpu;
    case BY_THREAD:
      return (uint64_t)event->pid;
    case BY_RUNNER:
      return event->pid ? (uint64_t)event->pid : UINT64_C(1) << 32 | bundle->cpu;
    case BY_TEXT:
      return tb_str_hash(tb_wire_find_bytes(event->payload, kind->fields[0]), 0);
    case BY_NUMBERS:
      return key_of_numbers(kind->fields, event);
    case BY_NOTHING:
    default:
      return 0;
  }
}

/* See struct tb_ftrace_event_role. */
static uint64_t stated_value(uint32_t kind, uint64_t key) {
  bool is_score = kind == TB_FTRACE_EVENT_OOM_SCORE_ADJ_UPDATE;
  return is_score ? tb_packet_values_process_key(key, TB_PROCESS_STATS_PROCESS_OOM_SCORE_ADJ) : 0;
}

struct tb_ftrace_event_role tb_ftrace_role_of(const struct tb_ftrace_bundle *bundle,
                                              const struct tb_ftrace_event *event) {
  if (tb_atrace_is_mark(event->kind)) return role_of_marker(event);
  switch (event->kind) {
    case TB_FTRACE_EVENT_SUSPEND_RESUME:
      return role_of_suspend(event);
    case TB_FTRACE_EVENT_SUSPEND_RESUME_MINIMAL:
      return role_of_minimal_suspend(event);
    case TB_FTRACE_EVENT_BINDER_TRANSACTION:
      return role_of_transaction(event);
    case TB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED:
      return of_thread_as(event, TB_FTRACE_ROLE_RECEIVED);
    case TB_FTRACE_EVENT_SYS_ENTER:
    case TB_FTRACE_EVENT_SYS_EXIT:
      return role_of_call(event);
    case TB_FTRACE_EVENT_NET_DEV_XMIT: /* one that the driver did not take is not counted */
      if (tb_wire_find_number(event->payload, TB_NET_DEV_XMIT_FTRACE_EVENT_RC))
        return (struct tb_ftrace_event_role){.role = TB_FTRACE_ROLE_NONE};
      break;
    default:
      break;
  }
  if (event->kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[event->kind].role)
    return (struct tb_ftrace_event_role){.role = TB_FTRACE_ROLE_NONE};
  const struct kind *kind = &kinds[event->kind];
  uint64_t key = key_of(kind, bundle, event);
  return (struct tb_ftrace_event_role){.role = kind->role,
                                       .key = key,
                                       .kind = kind->of,
                                       .stated = stated_value(event->kind, key),
                                       .adds = kind->adds,
                                       .symbol = kind->symbol,
                                       .is_queue = kind->is_queue};
}
