/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the model's enumerations, for people.
 */
#include <string.h>
#include <strings.h>

#include "tracebridge/info.h"

const char *tb_event_type_name(enum tb_event_type type) {
  static const char *const names[TB_EVENT_TYPE_COUNT] = {[TB_EVENT_SLICE_BEGIN] = "slice begin",
                                                         [TB_EVENT_SLICE_END] = "slice end",
                                                         [TB_EVENT_SLICE_COMPLETE] = "slice complete",
                                                         [TB_EVENT_INSTANT] = "instant",
                                                         [TB_EVENT_COUNTER] = "counter",
                                                         [TB_EVENT_ASYNC_BEGIN] = "async begin",
                                                         [TB_EVENT_ASYNC_INSTANT] = "async instant",
                                                         [TB_EVENT_ASYNC_END] = "async end",
                                                         [TB_EVENT_FLOW_BEGIN] = "flow begin",
                                                         [TB_EVENT_FLOW_STEP] = "flow step",
                                                         [TB_EVENT_FLOW_END] = "flow end",
                                                         [TB_EVENT_OBJECT_CREATE] = "object create",
                                                         [TB_EVENT_OBJECT_SNAPSHOT] = "object snapshot",
                                                         [TB_EVENT_OBJECT_DELETE] = "object delete",
                                                         [TB_EVENT_CONTEXT_ENTER] = "context enter",
                                                         [TB_EVENT_CONTEXT_LEAVE] = "context leave",
                                                         [TB_EVENT_ID_LINK] = "id link",
                                                         [TB_EVENT_CLOCK_SYNC] = "clock sync",
                                                         [TB_EVENT_MEMORY_DUMP] = "memory dump",
                                                         [TB_EVENT_THREAD_STATE] = "thread state",
                                                         [TB_EVENT_LOG] = "log message",
                                                         [TB_EVENT_OTHER] = "other",
                                                         [TB_EVENT_TRACK] = "track description",
                                                         [TB_EVENT_METADATA] = "metadata",
                                                         [TB_EVENT_TRACE_METADATA] = "trace metadata",
                                                         [TB_EVENT_STACK_FRAME] = "stack frame",
                                                         [TB_EVENT_SAMPLE] = "sample",
                                                         [TB_EVENT_SYSTEM_TRACE] = "system trace text",
                                                         [TB_EVENT_CLOCK_SNAPSHOT] = "clock snapshot",
                                                         [TB_EVENT_DATA_LOSS] = "data loss mark",
                                                         [TB_EVENT_PACKETS] = "packets",
                                                         [TB_EVENT_BLOB] = "blob",
                                                         [TB_EVENT_FLOW_EDGE] = "flow edge"};
  return (unsigned)type < TB_EVENT_TYPE_COUNT ? names[type] : "unknown";
}

uint32_t tb_clock_id_from_name(struct tb_str name) {
  for (uint32_t clock = TB_CLOCK_REALTIME; clock <= TB_CLOCK_TRACE_FILE; clock++) {
    const char *own = tb_clock_id_name(clock);
    if (own && strlen(own) == name.len && strncasecmp(own, name.ptr, name.len) == 0) return clock;
  }
  return 0;
}

const char *tb_clock_id_name(uint32_t clock) {
  switch (clock) {
    case TB_CLOCK_REALTIME:
      return "REALTIME";
    case TB_CLOCK_REALTIME_COARSE:
      return "REALTIME_COARSE";
    case TB_CLOCK_MONOTONIC:
      return "MONOTONIC";
    case TB_CLOCK_MONOTONIC_COARSE:
      return "MONOTONIC_COARSE";
    case TB_CLOCK_MONOTONIC_RAW:
      return "MONOTONIC_RAW";
    case TB_CLOCK_BOOTTIME:
      return "BOOTTIME";
    case TB_CLOCK_TSC:
      return "TSC";
    case TB_CLOCK_PERF:
      return "PERF";
    case TB_CLOCK_TRACE_FILE:
      return "TRACE_FILE";
    default:
      return NULL;
  }
}
