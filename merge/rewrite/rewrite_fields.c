/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/rewrite/rewrite_fields.h"

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

const struct tb_id_field tb_id_fields[] = {
    {"trusted_packet_sequence_id", {10}, TB_FIELD_SEQUENCE},
    {"timestamp_clock_id", {58}, TB_FIELD_CLOCK},
    {"trace_packet_defaults.timestamp_clock_id", {59, 58}, TB_FIELD_CLOCK},
    {"clock_snapshot", {6}, TB_FIELD_SNAPSHOT},
    {"remote_clock_sync", {107}, TB_FIELD_SYNC},
    {"trace_stats.writer_stats.sequence_id", {35, 18, 1}, TB_FIELD_SEQUENCE},

    {"track_event.track_uuid", {11, 11}, TB_FIELD_UUID},
    {"track_event.extra_counter_track_uuids", {11, 31}, TB_FIELD_UUID},
    {"track_event.extra_double_counter_track_uuids", {11, 45}, TB_FIELD_UUID},
    {"trace_packet_defaults.track_event_defaults.track_uuid", {59, 11, 11}, TB_FIELD_UUID},
    {"trace_packet_defaults.track_event_defaults.extra_counter_track_uuids", {59, 11, 31}, TB_FIELD_UUID},
    {"trace_packet_defaults.track_event_defaults.extra_double_counter_track_uuids", {59, 11, 45}, TB_FIELD_UUID},
    {"track_descriptor.uuid", {60, 1}, TB_FIELD_TRACK},
    {"track_descriptor.parent_uuid", {60, 5}, TB_FIELD_TRACK},

    {"track_event.timestamp_delta_us", {11, 1}, TB_FIELD_DELTA},

    {"track_event.flow_ids_old", {11, 36}, TB_FIELD_FLOW},
    {"track_event.terminating_flow_ids_old", {11, 42}, TB_FIELD_FLOW},
    {"track_event.flow_ids", {11, 47}, TB_FIELD_FLOW},
    {"track_event.terminating_flow_ids", {11, 48}, TB_FIELD_FLOW},
    {"track_event.correlation_id", {11, 52}, TB_FIELD_FLOW},
    {"track_event.legacy_event.bind_id", {11, 6, 8}, TB_FIELD_FLOW},
    {"track_event.legacy_event.unscoped_id", {11, 6, 6}, TB_FIELD_FLOW},
    {"track_event.legacy_event.local_id", {11, 6, 10}, TB_FIELD_FLOW},
    {"track_event.legacy_event.global_id", {11, 6, 11}, TB_FIELD_FLOW},
    {"memory_tracker_snapshot.global_dump_id", {73, 1}, TB_FIELD_FLOW},
    {"chrome_trigger.flow_id", {109, 3}, TB_FIELD_FLOW},
    {"json_flows.id", {TB_TRACE_PACKET_JSON_FLOWS, TB_JSON_FLOW_ID}, TB_FIELD_FLOW},
    {"json_flows.source_id", {TB_TRACE_PACKET_JSON_FLOWS, TB_JSON_FLOW_SOURCE_ID}, TB_FIELD_FLOW},

    {"carried_event.track_uuid", {TB_TRACE_PACKET_CARRIED_EVENT, 11}, TB_FIELD_UUID},
    {"carried_event.legacy_event.unscoped_id", {TB_TRACE_PACKET_CARRIED_EVENT, 6, 6}, TB_FIELD_FLOW},
    {"carried_event.legacy_event.local_id", {TB_TRACE_PACKET_CARRIED_EVENT, 6, 10}, TB_FIELD_FLOW},
    {"carried_event.legacy_event.global_id", {TB_TRACE_PACKET_CARRIED_EVENT, 6, 11}, TB_FIELD_FLOW},
    {"carried_event.legacy_event.pid_override", {TB_TRACE_PACKET_CARRIED_EVENT, 6, 18}, TB_FIELD_PID},
    {"carried_event.legacy_event.tid_override", {TB_TRACE_PACKET_CARRIED_EVENT, 6, 19}, TB_FIELD_TID},

    {"ftrace_events.ftrace_timestamp", {1, 6}, TB_FIELD_FTRACE_READING},

    {"trusted_pid", {79}, TB_FIELD_PID},
    {"ftrace_events.event.pid", {1, 2, 2}, TB_FIELD_TID},
    {"ftrace_events.event.sched_switch.prev_pid", {1, 2, 4, 2}, TB_FIELD_TID},
    {"ftrace_events.event.sched_switch.next_pid", {1, 2, 4, 6}, TB_FIELD_TID},
    {"ftrace_events.event.sched_wakeup.pid", {1, 2, 17, 2}, TB_FIELD_TID},
    {"ftrace_events.event.sched_waking.pid", {1, 2, 20, 2}, TB_FIELD_TID},
    {"ftrace_events.compact_sched.switch_next_pid", {1, 4, 3}, TB_FIELD_TID},
    {"ftrace_events.compact_sched.waking_pid", {1, 4, 8}, TB_FIELD_TID},
    {"process_tree.processes.pid", {2, 1, 1}, TB_FIELD_PID},
    {"process_tree.processes.ppid", {2, 1, 2}, TB_FIELD_PID},
    {"process_tree.processes.cmdline", {2, 1, 3}, TB_FIELD_PROCESS_NAME},
    {"process_tree.threads.tid", {2, 2, 1}, TB_FIELD_TID},
    {"process_tree.threads.tgid", {2, 2, 3}, TB_FIELD_PID},
    {"process_stats.processes.pid", {9, 1, 1}, TB_FIELD_PID},
    {"process_stats.processes.threads.tid", {9, 1, 11, 1}, TB_FIELD_TID},
    {"track_event.legacy_event.pid_override", {11, 6, 18}, TB_FIELD_PID},
    {"track_event.legacy_event.tid_override", {11, 6, 19}, TB_FIELD_TID},
    {"profile_packet.process_dumps.pid", {37, 5, 1}, TB_FIELD_PID},
    {"android_log.events.pid", {39, 1, 2}, TB_FIELD_PID},
    {"android_log.events.tid", {39, 1, 3}, TB_FIELD_TID},
    {"process_descriptor.pid", {43, 1}, TB_FIELD_PID},
    {"process_descriptor.process_name", {43, 6}, TB_FIELD_PROCESS_NAME},
    {"thread_descriptor.pid", {44, 1}, TB_FIELD_PID},
    {"thread_descriptor.tid", {44, 2}, TB_FIELD_TID},
    {"heap_graph.pid", {56, 1}, TB_FIELD_PID},
    {"track_descriptor.process.pid", {60, 3, 1}, TB_FIELD_PID},
    {"track_descriptor.process.process_name", {60, 3, 6}, TB_FIELD_PROCESS_NAME},
    {"track_descriptor.thread.pid", {60, 4, 1}, TB_FIELD_PID},
    {"track_descriptor.thread.tid", {60, 4, 2}, TB_FIELD_TID},
    {"track_descriptor.description", {60, 14}, TB_FIELD_DESCRIPTION},
    {"perf_sample.pid", {66, 2}, TB_FIELD_PID},
    {"perf_sample.tid", {66, 3}, TB_FIELD_TID},
    {"memory_tracker_snapshot.process_memory_dumps.pid", {73, 3, 1}, TB_FIELD_PID},
    {"generic_kernel_task_state_event.tid", {117, 3}, TB_FIELD_TID},
    {"generic_kernel_process_tree.processes.pid", {122, 1, 1}, TB_FIELD_PID},
    {"generic_kernel_process_tree.processes.ppid", {122, 1, 2}, TB_FIELD_PID},
    {"generic_kernel_process_tree.processes.cmdline", {122, 1, 3}, TB_FIELD_PROCESS_NAME},
    {"generic_kernel_process_tree.threads.tid", {122, 2, 1}, TB_FIELD_TID},
    {"generic_kernel_process_tree.threads.pid", {122, 2, 2}, TB_FIELD_PID},
    {"stack_sample.task_context.pid", {135, 1, 2}, TB_FIELD_PID},
    {"stack_sample.task_context.tid", {135, 1, 3}, TB_FIELD_TID},
    {"interned_data.stack_sample_task_contexts.pid", {12, 48, 2}, TB_FIELD_PID},
    {"interned_data.stack_sample_task_contexts.tid", {12, 48, 3}, TB_FIELD_TID},
};

const size_t tb_id_field_count = sizeof(tb_id_fields) / sizeof(tb_id_fields[0]);

/* The entry of a number that the node may not have had yet; NULL without memory. */
static struct tb_field_entry *entry_of(struct tb_field_node *node, const struct tb_allocator *allocator,
                                       size_t number) {
  if (number >= node->count) {
    size_t old = node->count * sizeof(*node->fields),
           count = number < TB_FIELD_ONE_BYTE ? TB_FIELD_ONE_BYTE : number + 1;
    struct tb_field_entry *fields = tb_realloc(allocator, node->fields, old, count * sizeof(*fields));
    if (!fields) return NULL;
    memset(fields + node->count, 0, (count - node->count) * sizeof(*fields));
    *node = (struct tb_field_node){fields, count};
  }
  return &node->fields[number];
}

/* Sets the entry at the path's end; messages on the way get nodes. */
static enum tb_status plant(struct tb_field_tree *tree, const struct tb_allocator *allocator, const uint16_t *path,
                            uint8_t kind, uint8_t rule) {
  size_t node = 0;
  for (size_t i = 0; i < 6 && path[i]; i++) {
    struct tb_field_entry *entry = entry_of(&tree->nodes[node], allocator, path[i]);
    if (!entry) return TB_NO_MEMORY;
    if (i == 5 || !path[i + 1]) {
      *entry = (struct tb_field_entry){kind, rule, 0};
      return TB_OK;
    }
    if (entry->kind != TB_FIELD_MESSAGE) {
      if (tree->count == TB_FIELD_NODES) return TB_LIMIT;
      *entry = (struct tb_field_entry){TB_FIELD_MESSAGE, 0, (uint16_t)tree->count++};
    }
    node = entry->node;
  }
  return TB_INVALID;
}

static void list_plain_tags(struct tb_field_tree *tree) {
  const struct tb_field_node *event = &tree->nodes[tree->nodes->fields[TB_TRACE_PACKET_TRACK_EVENT].node];
  for (unsigned number = 1; number < TB_FIELD_ONE_BYTE; number++) {
    uint8_t kind = event->fields[number].kind;
    bool plain = kind == TB_FIELD_PLAIN || kind == TB_FIELD_DELTA; /* whoever changes these looks at all events */
    tree->event_tags[number << 3 | TB_WIRE_VARINT] = plain ? TB_FIELD_PASS_NUMBER : TB_FIELD_STOP;
    tree->event_tags[number << 3 | TB_WIRE_BYTES] = plain ? TB_FIELD_PASS_BYTES : TB_FIELD_STOP;
  }
}

enum tb_status tb_field_tree_grow(struct tb_field_tree *tree, const struct tb_allocator *allocator) {
  tree->nodes = tb_calloc(allocator, TB_FIELD_NODES * sizeof(*tree->nodes));
  if (!tree->nodes) return TB_NO_MEMORY;
  tree->count = 1;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < tb_id_field_count && status == TB_OK; i++)
    status = plant(tree, allocator, tb_id_fields[i].path, tb_id_fields[i].kind, 0);
  for (size_t i = 0; i < tb_time_field_count && status == TB_OK; i++)
    status = plant(tree, allocator, tb_time_fields[i].path, TB_FIELD_TIME, (uint8_t)i);
  if (status == TB_OK) list_plain_tags(tree);
  return status;
}

void tb_field_tree_free(struct tb_field_tree *tree, const struct tb_allocator *allocator) {
  for (size_t i = 0; i < tree->count; i++)
    tb_free(allocator, tree->nodes[i].fields, tree->nodes[i].count * sizeof(*tree->nodes[i].fields));
  tb_free(allocator, tree->nodes, TB_FIELD_NODES * sizeof(*tree->nodes));
  *tree = (struct tb_field_tree){0};
}
