/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory dumps, as the arguments that Chrome's JSON has for them:
 *
 *   {"dumps": {"level_of_detail": …, "allocators": {NAME: {"guid": …, "attrs": {…}}}, "allocators_graph": [edges]}}
 */
#include <inttypes.h>
#include <stdio.h>

#include "perfetto/reader/reader.h"
#include "protos/perfetto/memory_tracker.pb-c.h"

/* The tree under construction, in the batch's memory: room for all of it was counted before. */
struct tree {
  struct tb_perfetto_reader *r;
  struct tb_arg *args;
  uint32_t count;
};

static struct tb_arg *add(struct tree *tree, struct tb_str name, enum tb_arg_type type) {
  struct tb_arg *arg = &tree->args[tree->count++];
  *arg = (struct tb_arg){.name = name, .type = (uint8_t)type, .span = 1};
  return arg;
}

static void add_text(struct tree *tree, struct tb_str name, struct tb_str text) {
  add(tree, name, TB_ARG_STRING)->text = text;
}

static struct tb_str hex(struct tree *tree, uint64_t value) {
  enum { HEX_MAX = 17 };
  char *text = tb_perfetto_alloc(tree->r, HEX_MAX);
  if (!text) return (struct tb_str){"", 0};
  int len = snprintf(text, HEX_MAX, "%" PRIx64, value);
  return (struct tb_str){text, (size_t)len};
}

/* Closes the dict or array at `slot`. */
static void close(struct tree *tree, uint32_t slot) { tree->args[slot].span = tree->count - slot; }

static void add_entry(struct tree *tree, struct tb_str name, bool bytes, bool is_text, uint64_t number,
                      struct tb_str text) {
  uint32_t slot = tree->count;
  add(tree, name, TB_ARG_DICT);
  add_text(tree, TB_STR("type"), is_text ? TB_STR("string") : TB_STR("scalar"));
  add_text(tree, TB_STR("units"), bytes ? TB_STR("bytes") : TB_STR("objects"));
  add_text(tree, TB_STR("value"), is_text ? text : hex(tree, number));
  close(tree, slot);
}

static void add_node(struct tree *tree,
                     const Perfetto__Protos__MemoryTrackerSnapshot__ProcessSnapshot__MemoryNode *node) {
  uint32_t slot = tree->count;
  add(tree, tb_message_str(node->absolute_name), TB_ARG_DICT);
  add_text(tree, TB_STR("guid"), hex(tree, node->id));
  if (node->weak) add(tree, TB_STR("flags"), TB_ARG_INT)->i = 1;
  uint32_t attributes = tree->count;
  add(tree, TB_STR("attrs"), TB_ARG_DICT);
  if (node->has_size_bytes) add_entry(tree, TB_STR("size"), true, false, node->size_bytes, (struct tb_str){"", 0});
  for (size_t i = 0; i < node->n_entries; i++) {
    const Perfetto__Protos__MemoryTrackerSnapshot__ProcessSnapshot__MemoryNode__MemoryNodeEntry *entry =
        node->entries[i];
    bool bytes = (int)entry->units == TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_MEMORY_NODE_ENTRY_BYTES;
    add_entry(tree, tb_message_str(entry->name), bytes, entry->has_value_string, entry->value_uint64,
              tb_message_str(entry->value_string));
  }
  close(tree, attributes);
  close(tree, slot);
}

static void add_edges(struct tree *tree, const Perfetto__Protos__MemoryTrackerSnapshot__ProcessSnapshot *process) {
  uint32_t slot = tree->count;
  add(tree, TB_STR("allocators_graph"), TB_ARG_ARRAY);
  for (size_t i = 0; i < process->n_memory_edges; i++) {
    uint32_t edge = tree->count;
    add(tree, (struct tb_str){NULL, 0}, TB_ARG_DICT);
    add_text(tree, TB_STR("source"), hex(tree, process->memory_edges[i]->source_id));
    add_text(tree, TB_STR("target"), hex(tree, process->memory_edges[i]->target_id));
    add(tree, TB_STR("importance"), TB_ARG_INT)->i = process->memory_edges[i]->importance;
    add_text(tree, TB_STR("type"), TB_STR("ownership"));
    close(tree, edge);
  }
  close(tree, slot);
}

static size_t count_args(const Perfetto__Protos__MemoryTrackerSnapshot__ProcessSnapshot *process) {
  size_t count = 8 + 5 * process->n_memory_edges;
  for (size_t i = 0; i < process->n_allocator_dumps; i++) count += 8 + 4 * process->allocator_dumps[i]->n_entries;
  return count;
}

static struct tb_str level_name(int level) {
  return level == TB_MEMORY_TRACKER_SNAPSHOT_DETAIL_LIGHT        ? TB_STR("light")
         : level == TB_MEMORY_TRACKER_SNAPSHOT_DETAIL_BACKGROUND ? TB_STR("background")
                                                                 : TB_STR("detailed");
}

static void emit_process(struct tb_perfetto_reader *r, const Perfetto__Protos__MemoryTrackerSnapshot *snapshot,
                         const Perfetto__Protos__MemoryTrackerSnapshot__ProcessSnapshot *process) {
  struct tb_perfetto_track *track = tb_perfetto_process(r, process->pid);
  struct tree tree = {.r = r, .args = tb_perfetto_alloc(r, count_args(process) * sizeof(struct tb_arg))};
  if (!track || !tree.args) return;
  add(&tree, TB_STR("dumps"), TB_ARG_DICT);
  add_text(&tree, TB_STR("level_of_detail"), level_name((int)snapshot->level_of_detail));
  uint32_t allocators = tree.count;
  add(&tree, TB_STR("allocators"), TB_ARG_DICT);
  for (size_t i = 0; i < process->n_allocator_dumps; i++) add_node(&tree, process->allocator_dumps[i]);
  close(&tree, allocators);
  if (process->n_memory_edges) add_edges(&tree, process);
  close(&tree, 0);
  tb_perfetto_emit_track(r, track);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_MEMORY_DUMP);
  event->has |= TB_HAS_ARGS | TB_HAS_NAME;
  event->phase = 'v';
  event->name = TB_STR("periodic_interval");
  event->track = &track->track;
  event->id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true, .value = snapshot->global_dump_id};
  event->args = tree.args;
  event->arg_count = tree.count;
}

enum tb_status tb_perfetto_memory_snapshot(struct tb_perfetto_reader *r, struct tb_str payload) {
  ProtobufCMessage *message;
  enum tb_status status =
      tb_perfetto_unpack(r, &perfetto__protos__memory_tracker_snapshot__descriptor, payload, &message);
  if (status != TB_OK) return status;
  const Perfetto__Protos__MemoryTrackerSnapshot *snapshot = (const Perfetto__Protos__MemoryTrackerSnapshot *)message;
  if (snapshot->derived) return TB_OK; /* our writer made it of events that are there too */
  for (size_t i = 0; i < snapshot->n_process_memory_dumps; i++) {
    emit_process(r, snapshot, snapshot->process_memory_dumps[i]);
  }
  return TB_OK;
}
