/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/etw_edges.h"

#include <stdlib.h>

#include "base/times.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { FILES_MAX = 1 << 28, VALUES_MAX = 1 << 20 };

void tb_etw_edges_init(struct tb_etw_edges *edges, struct tb_walk *walk, const struct tb_window *window) {
  const struct tb_allocator *a = walk->merger.allocator;
  *edges = (struct tb_etw_edges){.walk = walk, .window = *window};
  tb_map_init(&edges->value_index, a);
  tb_map_init(&edges->gone, a);
  tb_arena_init(&edges->arena, a, 0);
  tb_buffer_init(&edges->first, a, 0);
  tb_buffer_init(&edges->last, a, 0);
}

void tb_etw_edges_free(struct tb_etw_edges *edges) {
  const struct tb_allocator *a = edges->value_index.allocator;
  if (!a) return;
  for (size_t i = 0; i < edges->value_count; i++) tb_buffer_free(&edges->values[i].buffer);
  tb_free(a, edges->values, edges->value_capacity * sizeof(*edges->values));
  tb_free(a, edges->files, edges->file_capacity * sizeof(*edges->files));
  tb_map_free(&edges->value_index);
  tb_map_free(&edges->gone);
  tb_arena_free(&edges->arena);
  tb_buffer_free(&edges->first);
  tb_buffer_free(&edges->last);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

enum { KINDS = TB_ETW_TRACE_EVENT_FILE_IO_OP_END + 1 };

/* Reads an event of the walk's current packet, without its processor where it does not say it. False where it has no
 * time. */
static bool read_row(const struct tb_walk *walk, struct tb_str bytes, struct tb_wire_field at[KINDS],
                     struct tb_etw_row *row) {
  (void)tb_wire_read_fields(bytes, at, KINDS);
  row->machine = walk->packet.head.machine;
  row->bytes = bytes;
  row->cpu = (uint32_t)at[TB_ETW_TRACE_EVENT_CPU].value;
  row->time = tb_etw_time(walk, at[TB_ETW_TRACE_EVENT_TIMESTAMP].value);
  return at[TB_ETW_TRACE_EVENT_TIMESTAMP].number != 0;
}

/* The field of an operation's event that is the id of its request packet; 0: it is none. */
static uint32_t packet_field(uint32_t kind) {
  switch (kind) {
    case TB_ETW_TRACE_EVENT_FILE_IO_CREATE:
      return TB_FILE_IO_CREATE_ETW_EVENT_IRP_PTR;
    case TB_ETW_TRACE_EVENT_FILE_IO_DIR_ENUM:
      return TB_FILE_IO_DIR_ENUM_ETW_EVENT_IRP_PTR;
    case TB_ETW_TRACE_EVENT_FILE_IO_INFO:
      return TB_FILE_IO_INFO_ETW_EVENT_IRP_PTR;
    case TB_ETW_TRACE_EVENT_FILE_IO_READ_WRITE:
      return TB_FILE_IO_READ_WRITE_ETW_EVENT_IRP_PTR;
    case TB_ETW_TRACE_EVENT_FILE_IO_SIMPLE_OP:
      return TB_FILE_IO_SIMPLE_OP_ETW_EVENT_IRP_PTR;
    case TB_ETW_TRACE_EVENT_FILE_IO_OP_END:
      return TB_FILE_IO_OP_END_ETW_EVENT_IRP_PTR;
    default:
      return 0;
  }
}

/* Whether the event of that kind is where an operation begins or ends; without an id it is a moment. */
static bool is_file_edge(const struct tb_wire_field *kind, uint64_t *packet) {
  uint32_t number = packet_field(kind->number);
  struct tb_wire_cursor cursor = tb_wire_cursor(kind->bytes);
  struct tb_wire_field field;
  bool found = false;
  while (number && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != number || field.type != TB_WIRE_VARINT) continue;
    *packet = field.value;
    found = true;
  }
  return found;
}

static enum tb_status take_file_edge(struct tb_etw_edges *edges, const struct tb_etw_file_edge *edge) {
  void *files = edges->files;
  enum tb_status status = tb_grow_array(edges->value_index.allocator, &files, &edges->file_capacity,
                                        edges->file_count + 1, sizeof(*edges->files), FILES_MAX);
  edges->files = files;
  if (status != TB_OK) return status;
  struct tb_etw_file_edge *taken = &edges->files[edges->file_count];
  int64_t time = edge->row.time;
  bool may_repeat = edge->ends ? time >= edges->window.end : time < edges->window.start;
  *taken = *edge;
  taken->order = edges->file_count;
  taken->row.bytes = may_repeat ? tb_arena_copy(&edges->arena, edge->row.bytes) : (struct tb_str){NULL, 0};
  if (may_repeat && !taken->row.bytes.ptr) return TB_NO_MEMORY;
  edges->file_count++;
  return TB_OK;
}

/* NULL where memory is out. */
static struct tb_etw_value *get_value(struct tb_etw_edges *edges, uint64_t key, uint32_t machine) {
  const struct tb_allocator *a = edges->value_index.allocator;
  uint32_t place;
  if (tb_map_get(&edges->value_index, key, machine, &place)) return &edges->values[place];
  void *values = edges->values;
  enum tb_status status =
      tb_grow_array(a, &values, &edges->value_capacity, edges->value_count + 1, sizeof(*edges->values), VALUES_MAX);
  edges->values = values;
  if (status != TB_OK || tb_map_put(&edges->value_index, key, machine, edges->value_count) != TB_OK) return NULL;
  struct tb_etw_value *value = &edges->values[edges->value_count++];
  *value = (struct tb_etw_value){.has_value = false};
  tb_buffer_init(&value->buffer, a, 0);
  return value;
}

static enum tb_status take_value(struct tb_etw_edges *edges, const struct tb_etw_row *row, uint32_t of) {
  struct tb_etw_value *value = get_value(edges, (uint64_t)row->kind << 32 | of, row->machine);
  if (!value) return TB_NO_MEMORY;
  value->has_value_at_start |= row->time == edges->window.start;
  if (row->time >= edges->window.start || (value->has_value && row->time < value->row.time)) return TB_OK;
  value->has_value = true;
  value->row = *row;
  value->buffer.len = 0;
  return tb_buffer_append(&value->buffer, row->bytes.ptr, row->bytes.len);
}

static enum tb_status take_kind(struct tb_etw_edges *edges, struct tb_etw_file_edge *edge,
                                const struct tb_wire_field *kind) {
  const struct tb_etw_row *row = &edge->row;
  if (kind->number == TB_ETW_TRACE_EVENT_C_SWITCH) return take_value(edges, row, row->cpu);
  if (kind->number == TB_ETW_TRACE_EVENT_MEM_INFO) return take_value(edges, row, 0);
  edge->ends = kind->number == TB_ETW_TRACE_EVENT_FILE_IO_OP_END;
  return is_file_edge(kind, &edge->packet) ? take_file_edge(edges, edge) : TB_OK;
}

/* `cpu`: the bundle's, for events that do not say theirs. Readers show nothing of one of no processor. */
static enum tb_status take_event(struct tb_etw_edges *edges, const struct tb_wire_field *cpu, struct tb_str bytes) {
  struct tb_wire_field at[KINDS];
  struct tb_etw_file_edge edge = {.repeated = false};
  struct tb_etw_row *row = &edge.row;
  enum tb_status status = TB_OK;
  if (!read_row(edges->walk, bytes, at, row) || !(at[TB_ETW_TRACE_EVENT_CPU].number || cpu->number)) return TB_OK;
  if (!at[TB_ETW_TRACE_EVENT_CPU].number) row->cpu = (uint32_t)cpu->value;
  edge.thread = (uint32_t)at[TB_ETW_TRACE_EVENT_THREAD_ID].value;
  for (row->kind = 0; row->kind < KINDS && status == TB_OK; row->kind++)
    if (at[row->kind].number && at[row->kind].type == TB_WIRE_BYTES) status = take_kind(edges, &edge, &at[row->kind]);
  return status;
}

enum tb_status tb_etw_edges_take(struct tb_etw_edges *edges) {
  struct tb_str payload = edges->walk->packet.head.payload;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field, of_bundle[TB_ETW_TRACE_EVENT_BUNDLE_CPU + 1];
  enum tb_status status = TB_OK;
  (void)tb_wire_read_fields(payload, of_bundle, TB_ETW_TRACE_EVENT_BUNDLE_CPU + 1);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (tb_etw_is_event(&field)) status = take_event(edges, &of_bundle[TB_ETW_TRACE_EVENT_BUNDLE_CPU], field.bytes);
  return status;
}

/* ---- packets of the edges ---------------------------------------------------------------------------------------- */

/* A switch as one from the idle thread, of which readers then say nothing. */
static enum tb_status append_switch(struct tb_str payload, struct tb_buffer *b) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(b, TB_ETW_TRACE_EVENT_C_SWITCH);
  size_t body = b->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_C_SWITCH_ETW_EVENT_OLD_THREAD_ID, 0);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_C_SWITCH_ETW_EVENT_NEW_THREAD_ID ||
        field.number == TB_C_SWITCH_ETW_EVENT_NEW_THREAD_PRIORITY)
      status = tb_wire_buffer_field(b, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

/* What counts of the event. */
static enum tb_status append_event(const struct tb_etw_row *row, uint64_t raw, struct tb_buffer *b) {
  struct tb_wire_cursor cursor = tb_wire_cursor(row->bytes);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(b, TB_ETW_TRACE_EVENT_BUNDLE_EVENT);
  size_t body = b->len;
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_ETW_TRACE_EVENT_TIMESTAMP, raw);
  if (status == TB_OK) status = tb_wire_buffer_uint(b, TB_ETW_TRACE_EVENT_CPU, row->cpu);
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    bool is_kind = field.number == row->kind && field.type == TB_WIRE_BYTES;
    if (is_kind && row->kind == TB_ETW_TRACE_EVENT_C_SWITCH)
      status = append_switch(field.bytes, b);
    else if (is_kind || field.number == TB_ETW_TRACE_EVENT_THREAD_ID)
      status = tb_wire_buffer_field(b, &field, cursor.at);
  }
  return status == TB_OK ? tb_wire_buffer_close(b, body) : status;
}

/* The event at an edge in a packet of its own. */
static enum tb_status append_packet(struct tb_etw_edges *edges, const struct tb_etw_row *row) {
  bool at_start = row->time < edges->window.start;
  struct tb_buffer *b = at_start ? &edges->first : &edges->last;
  int64_t time = at_start ? edges->window.start : edges->window.end;
  int64_t raw = tb_time_add(time, tb_walk_ahead(edges->walk, row->machine));
  enum tb_status status = tb_wire_buffer_open(b, TB_TRACE_PACKET);
  size_t packet = b->len;
  if (status == TB_OK && row->machine) status = tb_wire_buffer_uint(b, TB_TRACE_PACKET_MACHINE_ID, row->machine);
  if (status == TB_OK) status = tb_wire_buffer_open(b, TB_TRACE_PACKET_ETW_EVENTS);
  size_t bundle = b->len;
  if (status == TB_OK) status = append_event(row, (uint64_t)raw, b);
  if (status == TB_OK) status = tb_wire_buffer_close(b, bundle);
  return status == TB_OK ? tb_wire_buffer_close(b, packet) : status;
}

static int compare_edges(const void *a, const void *b) {
  const struct tb_etw_file_edge *x = a, *y = b;
  if (x->row.time != y->row.time) return x->row.time < y->row.time ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Readers take what another thread ends for ended, but its slice goes on for ever. */
static enum tb_status end_elsewhere(struct tb_etw_edges *edges, struct tb_etw_file_edge *begin,
                                    struct tb_etw_file_edge *end) {
  enum { FIELD = 1 + TB_WIRE_VARINT_MAX };
  char body[FIELD], bytes[2 * FIELD + sizeof(body)];
  begin->repeated = begin->row.time < edges->window.start;
  end->repeated = end->row.time < edges->window.start || end->row.time >= edges->window.end;
  edges->slices_at_start += begin->repeated;
  if (!end->repeated || end->row.bytes.ptr) return TB_OK;
  /* before the start it is said that it ends, behind its begin */
  char *to = tb_wire_put_uint(body, TB_FILE_IO_OP_END_ETW_EVENT_IRP_PTR, end->packet);
  char *at = tb_wire_put_uint(bytes, TB_ETW_TRACE_EVENT_THREAD_ID, end->thread);
  at = tb_wire_put_bytes(at, TB_ETW_TRACE_EVENT_FILE_IO_OP_END, body, (size_t)(to - body));
  end->row.cpu = begin->row.cpu;
  end->row.bytes = tb_arena_copy(&edges->arena, (struct tb_str){bytes, (size_t)(at - bytes)});
  return end->row.bytes.ptr ? TB_OK : TB_NO_MEMORY;
}

/* Which events of an operation come at an edge. */
static enum tb_status end_operation(struct tb_etw_edges *edges, struct tb_etw_file_edge *begin,
                                    struct tb_etw_file_edge *end) {
  const struct tb_window *window = &edges->window;
  if (begin->row.time >= window->end) return TB_OK;
  if (begin->thread != end->thread) return end_elsewhere(edges, begin, end);
  if (begin->row.time < window->start && end->row.time < window->start) return TB_OK;
  if (begin->row.time < window->start && end->row.time == window->start)
    return tb_map_count_up(&edges->gone, end->packet, end->row.machine);
  begin->repeated = begin->row.time < window->start;
  end->repeated = end->row.time >= window->end;
  edges->slices_at_start += begin->repeated;
  edges->slices_at_end += end->repeated;
  return TB_OK;
}

/* Finds which operations are open at the edges. One whose end the trace does not have lasts no time. */
static enum tb_status match_files(struct tb_etw_edges *edges) {
  struct tb_map open; /* id of a request packet; machine -> place of its begin */
  enum tb_status status = TB_OK;
  if (edges->file_count) qsort(edges->files, edges->file_count, sizeof(*edges->files), compare_edges);
  tb_map_init(&open, edges->value_index.allocator);
  for (size_t i = 0; i < edges->file_count && status == TB_OK; i++) {
    struct tb_etw_file_edge *edge = &edges->files[i];
    uint64_t *begin = tb_map_find(&open, edge->packet, edge->row.machine);
    if (!edge->ends) {
      status = tb_map_put(&open, edge->packet, edge->row.machine, i);
    } else if (begin) {
      status = end_operation(edges, &edges->files[*begin], edge);
      tb_map_remove(&open, edge->packet, edge->row.machine);
    }
  }
  tb_map_free(&open);
  return status;
}

enum tb_status tb_etw_edges_end(struct tb_etw_edges *edges) {
  enum tb_status status = match_files(edges);
  for (size_t i = 0; i < edges->value_count && status == TB_OK; i++) {
    struct tb_etw_value *value = &edges->values[i];
    if (!value->has_value || value->has_value_at_start) continue;
    value->row.bytes = (struct tb_str){value->buffer.data, value->buffer.len};
    edges->values_at_start++;
    status = append_packet(edges, &value->row);
  }
  for (size_t i = 0; i < edges->file_count && status == TB_OK; i++)
    if (edges->files[i].repeated) status = append_packet(edges, &edges->files[i].row);
  return status;
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

/* Whether the event, at the start, ends an operation that is not in the window. */
static bool is_gone(struct tb_etw_edges *edges, const struct tb_wire_field at[KINDS], uint32_t machine) {
  uint64_t packet;
  if (!at[TB_ETW_TRACE_EVENT_FILE_IO_OP_END].number || !is_file_edge(&at[TB_ETW_TRACE_EVENT_FILE_IO_OP_END], &packet) ||
      !tb_map_find(&edges->gone, packet, machine))
    return false;
  tb_map_count_down(&edges->gone, packet, machine);
  return true;
}

struct etw_deciding {
  struct tb_etw_edges *edges;
  struct tb_etw_part *part;
};

/* Of an event: whether it stays. */
static bool stays(void *ctx, struct tb_str bytes) {
  const struct etw_deciding *d = ctx;
  struct tb_wire_field at[KINDS];
  struct tb_etw_row row;
  if (!read_row(d->edges->walk, bytes, at, &row)) return true;
  if (!tb_window_has(&d->edges->window, row.time)) return false;
  d->part->inside++;
  return row.time != d->edges->window.start || !is_gone(d->edges, at, row.machine);
}

enum tb_status tb_etw_edges_append_part(struct tb_etw_edges *edges, struct tb_buffer *b, struct tb_etw_part *part) {
  *part = (struct tb_etw_part){.kept = 0};
  struct etw_deciding deciding = {edges, part};
  return tb_etw_append_part(edges->walk, stays, &deciding, b, &part->kept, &part->left);
}
