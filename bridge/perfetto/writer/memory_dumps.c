/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: memory dumps. The event itself is carried whole; where its arguments have the form of
 * Chrome's memory-infra, what they say of allocators also becomes a MemoryTrackerSnapshot, which the trace processor
 * makes its tables of. Readers of ours pass over that.
 *
 *   {"dumps": {"level_of_detail": …, "allocators": {NAME: {"guid": …, "flags": …, "attrs": {NAME: {"type", "units",
 *              "value"}}}}, "allocators_graph": [{"source", "target", "importance", "type"}]}}
 */
#include "perfetto/writer/memory_dumps.h"
#include "perfetto/writer/sequence.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/track_groups.h"

#include <string.h>

#include "base/hex.h"
#include "perfetto/writer/memory_graph.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { UINT_ROOM = 2 * TB_WIRE_VARINT_MAX, WEAK = 1, MAX_DEPTH = 64 /* of allocators: readers go down step by step */ };

/* ---- the arguments ----------------------------------------------------------------------------------------------- */

static const struct tb_arg *member(const struct tb_arg *dict, struct tb_str name, enum tb_arg_type type) {
  if (!dict || dict->type != TB_ARG_DICT) return NULL;
  for (uint32_t i = 1; i < dict->span; i += dict[i].span)
    if (tb_str_equal(dict[i].name, name)) return dict[i].type == type ? &dict[i] : NULL;
  return NULL;
}

static struct tb_str text_of(const struct tb_arg *dict, struct tb_str name) {
  const struct tb_arg *arg = member(dict, name, TB_ARG_STRING);
  return arg ? arg->text : (struct tb_str){"", 0};
}

/* Numbers are hexadecimal text, most without "0x". */
static bool parse_hex(struct tb_str text, uint64_t *value) {
  return tb_hex_parse(text, value) || tb_hex_parse_prefixed(text, value);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static bool put_uint(struct tb_buffer *b, uint32_t field, uint64_t value) {
  if (tb_buffer_reserve(b, UINT_ROOM) != TB_OK) return false;
  b->len = (size_t)(tb_wire_put_uint(b->data + b->len, field, value) - b->data);
  return true;
}

static bool put_bytes(struct tb_buffer *b, uint32_t field, struct tb_str bytes) {
  if (tb_buffer_reserve(b, UINT_ROOM + bytes.len) != TB_OK) return false;
  b->len = (size_t)(tb_wire_put_bytes(b->data + b->len, field, bytes.ptr, bytes.len) - b->data);
  return true;
}

/* A message whose fields are appended between these two. */
static bool open_message(struct tb_buffer *b, uint32_t field, size_t *start) {
  if (tb_wire_buffer_open(b, field) != TB_OK) return false;
  *start = b->len;
  return true;
}

static bool close_message(struct tb_buffer *b, size_t start) { return tb_wire_buffer_close(b, start) == TB_OK; }

/* ---- allocators -------------------------------------------------------------------------------------------------- */

static bool put_entry(struct tb_buffer *b, const struct tb_arg *attribute) {
  struct tb_str units = text_of(attribute, TB_STR("units")), value = text_of(attribute, TB_STR("value"));
  bool bytes = tb_str_equal(units, TB_STR("bytes")), count = tb_str_equal(units, TB_STR("objects"));
  uint64_t number;
  bool scalar = tb_str_equal(text_of(attribute, TB_STR("type")), TB_STR("scalar")) && parse_hex(value, &number);
  if (scalar && bytes && tb_str_equal(attribute->name, TB_STR("size")))
    return put_uint(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_SIZE_BYTES, number);
  size_t start;
  bool ok =
      open_message(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_ENTRIES, &start) &&
      put_bytes(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_MEMORY_NODE_ENTRY_NAME, attribute->name);
  if (bytes || count)
    ok = ok && put_uint(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_MEMORY_NODE_ENTRY_UNITS,
                        bytes ? TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_MEMORY_NODE_ENTRY_BYTES
                              : TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_MEMORY_NODE_ENTRY_COUNT);
  if (scalar)
    ok = ok &&
         put_uint(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_MEMORY_NODE_ENTRY_VALUE_UINT64, number);
  else
    ok = ok &&
         put_bytes(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_MEMORY_NODE_ENTRY_VALUE_STRING, value);
  return ok && close_message(b, start);
}

static size_t depth_of(struct tb_str path) {
  size_t depth = 0;
  for (size_t i = 0; i < path.len; i++) depth += path.ptr[i] == '/';
  return depth;
}

static bool put_node(struct tb_buffer *b, const struct tb_arg *node) {
  if (depth_of(node->name) > MAX_DEPTH) return true;
  size_t start;
  uint64_t id;
  bool ok = open_message(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_ALLOCATOR_DUMPS, &start);
  if (ok && parse_hex(text_of(node, TB_STR("guid")), &id))
    ok = put_uint(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_ID, id);
  ok = ok && put_bytes(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_ABSOLUTE_NAME, node->name);
  const struct tb_arg *flags = member(node, TB_STR("flags"), TB_ARG_INT);
  if (flags && flags->i & WEAK) ok = ok && put_uint(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_NODE_WEAK, 1);
  const struct tb_arg *attributes = member(node, TB_STR("attrs"), TB_ARG_DICT);
  for (uint32_t i = 1; ok && attributes && i < attributes->span; i += attributes[i].span)
    if (attributes[i].type == TB_ARG_DICT) ok = put_entry(b, &attributes[i]);
  return ok && close_message(b, start);
}

/* An edge from an allocator to itself would say nothing. */
static bool put_edge(struct tb_buffer *b, const struct tb_arg *edge) {
  uint64_t source, target;
  if (!tb_str_equal(text_of(edge, TB_STR("type")), TB_STR("ownership")) ||
      !parse_hex(text_of(edge, TB_STR("source")), &source) || !parse_hex(text_of(edge, TB_STR("target")), &target) ||
      source == target)
    return true;
  size_t start;
  const struct tb_arg *importance = member(edge, TB_STR("importance"), TB_ARG_INT);
  bool ok = open_message(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_EDGES, &start) &&
            put_uint(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_EDGE_SOURCE_ID, source) &&
            put_uint(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_EDGE_TARGET_ID, target);
  if (importance && importance->i > 0 && importance->i <= UINT32_MAX)
    ok = ok && put_uint(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_EDGE_IMPORTANCE, importance->u);
  return ok && close_message(b, start);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static uint64_t level_of(const struct tb_arg *dumps) {
  struct tb_str level = text_of(dumps, TB_STR("level_of_detail"));
  return tb_str_equal(level, TB_STR("light"))        ? TB_MEMORY_TRACKER_SNAPSHOT_DETAIL_LIGHT
         : tb_str_equal(level, TB_STR("background")) ? TB_MEMORY_TRACKER_SNAPSHOT_DETAIL_BACKGROUND
                                                     : TB_MEMORY_TRACKER_SNAPSHOT_DETAIL_FULL;
}

static enum tb_status put_snapshot(struct tb_perfetto_writer *p, const struct tb_event *event,
                                   const struct tb_arg *dumps, const struct tb_arg *allocators) {
  uint32_t key = tb_perfetto_memory_group(p, event);
  if (!key) return TB_NO_MEMORY;
  const struct tb_arg *edges = member(dumps, TB_STR("allocators_graph"), TB_ARG_ARRAY);
  struct tb_memory_snapshot_head head = {
      .dump = event->id.value, .level = level_of(dumps), .pid = (uint64_t)event->track->pid};
  struct tb_buffer *b = &p->scratch;
  b->len = 0;
  if (tb_buffer_append(b, &head, sizeof(head)) != TB_OK) return TB_NO_MEMORY;
  bool ok = true;
  for (uint32_t i = 1; ok && i < allocators->span; i += allocators[i].span)
    if (allocators[i].type == TB_ARG_DICT) ok = put_node(b, &allocators[i]);
  for (uint32_t i = 1; ok && edges && i < edges->span; i += edges[i].span) ok = put_edge(b, &edges[i]);
  if (!ok) return TB_NO_MEMORY;
  struct tb_track_group *dump = &p->groups.items[key];
  if (dump->last_begin_ts == INT64_MIN)
    dump->last_begin_ts = event->ts; /* a dump is of one moment: that of its first event */
  struct tb_staged_event entry = {.ts = dump->last_begin_ts, .kind = TB_STAGED_COUNTER, .key = key};
  entry.body = (struct tb_str){b->data, b->len};
  return tb_perfetto_add_entry(p, p->sequences[TB_SHARED_SEQUENCE], &entry);
}

enum tb_status tb_perfetto_put_memory_dump(struct tb_perfetto_writer *p, const struct tb_event *event) {
  enum tb_status status = tb_perfetto_put_deferred_side(p, event, TB_GROUP_SIDE);
  if (status != TB_OK || !event->track->has_pid) return status;
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    const struct tb_arg *dumps = &event->args[i];
    if (!tb_str_equal(dumps->name, TB_STR("dumps"))) continue;
    const struct tb_arg *allocators = member(dumps, TB_STR("allocators"), TB_ARG_DICT);
    return allocators ? put_snapshot(p, event, dumps, allocators) : TB_OK;
  }
  return TB_OK;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

void tb_memory_snapshots_init(struct tb_memory_snapshots *s, const struct tb_allocator *allocator) {
  *s = (struct tb_memory_snapshots){.allocator = allocator};
}

static void forget(struct tb_memory_snapshots *s) {
  for (size_t i = 0; i < s->count; i++) tb_buffer_free(&s->processes[i].fields);
  s->count = 0;
}

void tb_memory_snapshots_free(struct tb_memory_snapshots *s) {
  forget(s);
  tb_free(s->allocator, s->processes, s->capacity * sizeof(*s->processes));
}

enum tb_status tb_memory_snapshots_take(struct tb_memory_snapshots *s, const struct tb_staged_event *entry) {
  struct tb_memory_snapshot_head head;
  memcpy(&head, entry->body.ptr, sizeof(head));
  struct tb_str fields = {entry->body.ptr + sizeof(head), entry->body.len - sizeof(head)};
  size_t i = 0;
  while (i < s->count && (s->processes[i].key != entry->key || s->processes[i].head.pid != head.pid)) i++;
  if (i == s->count) {
    void *processes = s->processes;
    if (tb_grow_array(s->allocator, &processes, &s->capacity, s->count + 1, sizeof(*s->processes), UINT32_MAX) != TB_OK)
      return TB_NO_MEMORY;
    s->processes = processes;
    s->processes[i] = (struct tb_process_snapshot){.key = entry->key, .head = head};
    tb_buffer_init(&s->processes[i].fields, s->allocator, 0);
    s->count++;
  }
  s->ts = entry->ts;
  return tb_buffer_append(&s->processes[i].fields, fields.ptr, fields.len);
}

static struct tb_str fields_of(const struct tb_process_snapshot *process) {
  return (struct tb_str){process->fields.data, process->fields.len};
}

/* Whether what owns what in the dump of process `first` can be written: see memory_graph.h. */
static enum tb_status check_edges(const struct tb_memory_snapshots *s, size_t first, bool *sound) {
  struct tb_memory_graph graph;
  tb_memory_graph_init(&graph, s->allocator);
  enum tb_status status = TB_OK;
  for (size_t i = first; status == TB_OK && i < s->count; i++)
    if (s->processes[i].key == s->processes[first].key)
      status = tb_memory_graph_add(&graph, s->processes[i].head.pid, fields_of(&s->processes[i]));
  if (status == TB_OK) status = tb_memory_graph_check(&graph, sound);
  tb_memory_graph_free(&graph);
  return status;
}

static bool put_process(struct tb_buffer *b, const struct tb_process_snapshot *process, bool with_edges) {
  size_t start;
  struct tb_wire_cursor cursor = tb_wire_cursor(fields_of(process));
  struct tb_wire_field field;
  bool ok = open_message(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_MEMORY_DUMPS, &start) &&
            put_uint(b, TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_PID, process->head.pid);
  while (ok && tb_wire_next(&cursor, &field) == TB_OK)
    if (with_edges || field.number != TB_MEMORY_TRACKER_SNAPSHOT_PROCESS_SNAPSHOT_MEMORY_EDGES)
      ok = tb_wire_buffer_field(b, &field, cursor.at) == TB_OK;
  return ok && close_message(b, start);
}

/* The packet of the dump that process `first` is of, with all its processes. */
static enum tb_status put_dump(struct tb_memory_snapshots *s, struct tb_sequence_writer *w, size_t first) {
  const struct tb_process_snapshot *of = &s->processes[first];
  struct tb_buffer b;
  tb_buffer_init(&b, s->allocator, 0);
  bool sound = false;
  bool ok = check_edges(s, first, &sound) == TB_OK &&
            put_uint(&b, TB_MEMORY_TRACKER_SNAPSHOT_GLOBAL_DUMP_ID, of->head.dump) &&
            put_uint(&b, TB_MEMORY_TRACKER_SNAPSHOT_LEVEL_OF_DETAIL, of->head.level);
  for (size_t i = first; ok && i < s->count; i++) {
    struct tb_process_snapshot *process = &s->processes[i];
    if (process->key != of->key) continue;
    ok = put_process(&b, process, sound);
    if (i > first) process->key = 0; /* is written */
  }
  ok = ok && put_uint(&b, TB_MEMORY_TRACKER_SNAPSHOT_DERIVED, 1);
  enum tb_status status =
      ok ? tb_sequence_put_payload(w, s->ts, TB_TRACE_PACKET_MEMORY_TRACKER_SNAPSHOT, (struct tb_str){b.data, b.len})
         : tb_sequence_no_memory(w);
  tb_buffer_free(&b);
  return status;
}

enum tb_status tb_memory_snapshots_put(struct tb_memory_snapshots *s, struct tb_sequence_writer *w) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < s->count; i++)
    if (s->processes[i].key) status = put_dump(s, w, i);
  forget(s);
  return status;
}
