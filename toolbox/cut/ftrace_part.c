/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/cut/ftrace_part.h"

#include "protobuf/number_cursor.h"
#include "protos/field_numbers.h"

enum { IDLE_PRIORITY = 120 };
static const struct tb_str idle_name = {"swapper", 7};

/* ---- what becomes of events -------------------------------------------------------------------------------------- */

struct deciding {
  const struct tb_ftrace_bundle *bundle;
  tb_ftrace_decider decide;
  void *ctx;
  struct tb_buffer *fates;
  bool any_kept, any_changed;
};

static enum tb_status decide_row(struct deciding *d, const struct tb_ftrace_row *row) {
  char fate = (char)d->decide(d->ctx, d->bundle, row);
  d->any_kept |= fate != TB_FTRACE_DROP;
  d->any_changed |= fate != TB_FTRACE_KEEP;
  return tb_buffer_append(d->fates, &fate, 1);
}

static enum tb_status decide_rows(struct deciding *d, enum tb_ftrace_row_kind kind, uint32_t times, uint32_t pids) {
  struct tb_ftrace_row row = {.kind = kind};
  struct tb_number_cursor time = tb_number_cursor(d->bundle->compact, times);
  struct tb_number_cursor pid = tb_number_cursor(d->bundle->compact, pids);
  enum tb_status status = TB_OK;
  uint64_t value;
  while (status == TB_OK && tb_ftrace_next_time(&time, &row.raw_time)) {
    row.pid = tb_number_cursor_next(&pid, &value) ? (int32_t)value : 0;
    status = decide_row(d, &row);
  }
  return status;
}

static enum tb_status decide_events(struct deciding *d) {
  struct tb_wire_cursor cursor = tb_wire_cursor(d->bundle->bytes);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (!tb_ftrace_is_event(&field)) continue;
    struct tb_ftrace_row row = {TB_FTRACE_ROW_EVENT, tb_ftrace_event_time(field.bytes), field.bytes, 0};
    status = decide_row(d, &row);
  }
  return status;
}

static enum tb_ftrace_part part_of(const struct deciding *d) {
  return !d->any_changed ? TB_FTRACE_ALL : d->any_kept ? TB_FTRACE_SOME : TB_FTRACE_NONE;
}

enum tb_status tb_ftrace_decide(const struct tb_ftrace_bundle *bundle, tb_ftrace_decider decide, void *ctx,
                                struct tb_buffer *fates, enum tb_ftrace_part *part) {
  struct deciding d = {bundle, decide, ctx, fates, false, false};
  fates->len = 0;
  enum tb_status status = decide_events(&d);
  if (status == TB_OK)
    status = decide_rows(&d, TB_FTRACE_ROW_SWITCH, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP,
                         TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PID);
  if (status == TB_OK)
    status = decide_rows(&d, TB_FTRACE_ROW_WAKING, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP,
                         TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_PID);
  *part = part_of(&d);
  return status;
}

static bool has_rows(struct tb_str compact, uint32_t times) {
  struct tb_number_cursor time = tb_number_cursor(compact, times);
  uint64_t raw = 0;
  return tb_ftrace_next_time(&time, &raw);
}

enum tb_status tb_ftrace_decide_events(const struct tb_ftrace_bundle *bundle, tb_ftrace_decider decide, void *ctx,
                                       struct tb_buffer *fates, enum tb_ftrace_part *part) {
  struct deciding d = {bundle, decide, ctx, fates, false, false};
  fates->len = 0;
  enum tb_status status = decide_events(&d);
  d.any_kept |= has_rows(bundle->compact, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP) ||
                has_rows(bundle->compact, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP);
  *part = part_of(&d);
  return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct part {
  const struct tb_ftrace_bundle *bundle;
  const uint8_t *fates;     /* of events, ...; NULL: all stay */
  size_t switches, wakings; /* ... and from these on of switches and wakings */
  uint64_t idle;            /* index of the idle thread's name in the bundle's table */
  bool names_idle, changes_rows;
  struct tb_buffer *buffer;
};

static enum tb_status append_varint(uint64_t value, struct tb_buffer *buffer) {
  enum tb_status status = tb_buffer_reserve(buffer, TB_WIRE_VARINT_MAX);
  if (status == TB_OK) buffer->len = (size_t)(tb_wire_put_varint(buffer->data + buffer->len, value) - buffer->data);
  return status;
}

/* A value of the column, where the thread that runs next, or ran before, is the idle one. */
static uint64_t replace(const struct part *part, uint32_t column, uint8_t fate, uint64_t value) {
  if (fate & TB_FTRACE_IDLE_PREV && column == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_PREV_STATE) return 0;
  if (!(fate & TB_FTRACE_IDLE_NEXT)) return value;
  if (column == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PID) return 0;
  if (column == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PRIO) return IDLE_PRIORITY;
  if (column == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_COMM_INDEX) return part->idle;
  return value;
}

/* The rows of one column that stay, by the column of their times. */
static enum tb_status append_column(const struct part *part, uint32_t number, bool switches) {
  struct tb_buffer *buffer = part->buffer;
  uint32_t times = switches ? TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP
                            : TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP;
  const uint8_t *fate = part->fates + (switches ? part->switches : part->wakings);
  struct tb_number_cursor column = tb_number_cursor(part->bundle->compact, number);
  struct tb_number_cursor time = tb_number_cursor(part->bundle->compact, times);
  uint64_t raw = 0, last = 0, value;
  enum tb_status status = tb_wire_buffer_open(buffer, number);
  size_t body = buffer->len;
  for (; status == TB_OK && tb_ftrace_next_time(&time, &raw) && tb_number_cursor_next(&column, &value); fate++) {
    if (*fate == TB_FTRACE_DROP) continue;
    value = number == times ? raw - last : replace(part, number, *fate, value);
    last = raw;
    status = append_varint(value, buffer);
  }
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

static enum tb_status append_compact(const struct part *part) {
  struct tb_wire_cursor cursor = tb_wire_cursor(part->bundle->compact);
  struct tb_wire_field field;
  struct tb_buffer *buffer = part->buffer;
  uint32_t done = 0; /* columns, as bits */
  enum tb_status status = tb_wire_buffer_open(buffer, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    bool switches = tb_ftrace_is_switch_column(field.number), wakings = tb_ftrace_is_waking_column(field.number);
    if (!switches && !wakings) {
      status = tb_wire_buffer_field(buffer, &field, cursor.at);
    } else if (!(done & 1u << field.number)) {
      done |= 1u << field.number;
      status = append_column(part, field.number, switches);
    }
  }
  if (status == TB_OK && part->names_idle)
    status = tb_wire_buffer_bytes(buffer, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE, idle_name);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

/* A field of a switch; true where one of the idle thread is appended in its place. */
static bool replace_field(uint8_t fate, uint32_t number, struct tb_buffer *buffer, enum tb_status *status) {
  bool prev = fate & TB_FTRACE_IDLE_PREV, next = fate & TB_FTRACE_IDLE_NEXT;
  if ((prev && number == TB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM) ||
      (next && number == TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM))
    *status = tb_wire_buffer_bytes(buffer, number, idle_name);
  else if ((prev && number == TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PRIO) ||
           (next && number == TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO))
    *status = tb_wire_buffer_uint(buffer, number, IDLE_PRIORITY);
  else if ((prev &&
            (number == TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID || number == TB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE)) ||
           (next && number == TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID))
    *status = tb_wire_buffer_uint(buffer, number, 0);
  else
    return false;
  return true;
}

static enum tb_status append_switch(struct tb_str bytes, uint8_t fate, struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_FTRACE_EVENT_SCHED_SWITCH);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (!replace_field(fate, field.number, buffer, &status)) status = tb_wire_buffer_field(buffer, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

/* An event of which a thread becomes the idle one: the thread that a switch leaves is also the event's own. */
static enum tb_status append_event(struct tb_str bytes, uint8_t fate, struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_FTRACE_EVENT_BUNDLE_EVENT);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_FTRACE_EVENT_SCHED_SWITCH && field.type == TB_WIRE_BYTES)
      status = append_switch(field.bytes, fate, buffer);
    else if (field.number == TB_FTRACE_EVENT_PID && fate & TB_FTRACE_IDLE_PREV)
      status = tb_wire_buffer_uint(buffer, TB_FTRACE_EVENT_PID, 0);
    else
      status = tb_wire_buffer_field(buffer, &field, cursor.at);
  }
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

static bool says_whole_from(uint32_t number) {
  return number == TB_FTRACE_EVENT_BUNDLE_PREVIOUS_BUNDLE_END_TIMESTAMP ||
         number == TB_FTRACE_EVENT_BUNDLE_LAST_READ_EVENT_TIMESTAMP;
}

/* Appends what begins at *from, where anything does, and sets *from to NULL. */
static enum tb_status append_from(const char **from, const char *end, struct tb_buffer *buffer) {
  enum tb_status status = *from ? tb_buffer_append(buffer, *from, (size_t)(end - *from)) : TB_OK;
  *from = NULL;
  return status;
}

static enum tb_status append_bundle(const struct part *part) {
  struct tb_wire_cursor cursor = tb_wire_cursor(part->bundle->bytes);
  struct tb_wire_field field;
  struct tb_buffer *buffer = part->buffer;
  const uint8_t *fate = part->fates;
  const char *from = NULL; /* where the fields begin that stay as they are and are not appended yet */
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET_FTRACE_EVENTS);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    bool is_compact = field.number == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED && field.type == TB_WIRE_BYTES;
    uint8_t is = fate && tb_ftrace_is_event(&field) ? *fate++ : TB_FTRACE_KEEP;
    bool stays = is != TB_FTRACE_DROP && (part->bundle->whole_from || !says_whole_from(field.number));
    if (stays && is == TB_FTRACE_KEEP && !(is_compact && part->changes_rows)) {
      if (!from) from = field.start;
      continue;
    }
    status = append_from(&from, field.start, buffer);
    if (status == TB_OK && stays) status = is_compact ? append_compact(part) : append_event(field.bytes, is, buffer);
  }
  if (status == TB_OK) status = append_from(&from, cursor.at, buffer);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

/* Where the fates of switches and wakings are, whether any of those changes, and whether the idle thread needs a
 * name. */
static void find_rows(struct part *part, size_t fate_count) {
  struct tb_wire_cursor cursor = tb_wire_cursor(part->bundle->bytes), compact = tb_wire_cursor(part->bundle->compact);
  struct tb_wire_field field;
  uint64_t raw = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) part->switches += tb_ftrace_is_event(&field);
  for (size_t i = part->switches; i < fate_count && !part->changes_rows; i++)
    part->changes_rows = part->fates[i] != TB_FTRACE_KEEP;
  part->wakings = part->switches;
  if (!part->changes_rows) return;
  struct tb_number_cursor time =
      tb_number_cursor(part->bundle->compact, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP);
  for (; tb_ftrace_next_time(&time, &raw) && part->wakings < fate_count; part->wakings++)
    part->names_idle |= (part->fates[part->wakings] & TB_FTRACE_IDLE_NEXT) != 0;
  while (tb_wire_read(&compact, &field) == TB_OK)
    part->idle += field.number == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE && field.type == TB_WIRE_BYTES;
}

enum tb_status tb_ftrace_append_part(const struct tb_ftrace_bundle *bundle, struct tb_str packet,
                                     const struct tb_buffer *fates, struct tb_buffer *buffer) {
  struct part part = {.bundle = bundle, .fates = fates ? (const uint8_t *)fates->data : NULL, .buffer = buffer};
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  if (fates) find_rows(&part, fates->len);
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t body = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    status = field.number == TB_TRACE_PACKET_FTRACE_EVENTS && field.bytes.ptr == bundle->bytes.ptr
                 ? append_bundle(&part)
                 : tb_wire_buffer_field(buffer, &field, cursor.at);
  return status == TB_OK ? tb_wire_buffer_close(buffer, body) : status;
}

/* ---- the first bundles of processors ----------------------------------------------------------------------------- */

/* What is left of a bundle without its events, and without what it lost. */
static enum tb_status append_empty(const struct tb_ftrace_bundle *bundle, struct tb_buffer *buffer) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bundle->bytes);
  struct tb_wire_field field;
  bool says = false;
  enum tb_status status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET);
  size_t body = buffer->len;
  if (status == TB_OK && bundle->machine)
    status = tb_wire_buffer_uint(buffer, TB_TRACE_PACKET_MACHINE_ID, bundle->machine);
  if (status == TB_OK) status = tb_wire_buffer_open(buffer, TB_TRACE_PACKET_FTRACE_EVENTS);
  size_t inner = buffer->len;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    bool is_clock =
        field.number >= TB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK && field.number <= TB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP;
    if (field.number == TB_FTRACE_EVENT_BUNDLE_CPU || is_clock || says_whole_from(field.number))
      status = tb_wire_buffer_field(buffer, &field, cursor.at);
    says |= says_whole_from(field.number);
  }
  if (status == TB_OK) status = tb_wire_buffer_close(buffer, inner);
  if (status == TB_OK) status = tb_wire_buffer_close(buffer, body);
  if (!says) buffer->len = 0;
  return status;
}

enum tb_status tb_ftrace_write_first(const struct tb_ftrace_bundle *bundle, enum tb_ftrace_part part,
                                     struct tb_map *begun) {
  struct tb_buffer buffer;
  if (tb_map_find(begun, bundle->machine, bundle->cpu)) return TB_OK;
  enum tb_status status = tb_map_put(begun, bundle->machine, bundle->cpu, 1);
  if (status != TB_OK || part != TB_FTRACE_NONE) return status;
  tb_buffer_init(&buffer, bundle->walk->merger.allocator, 0);
  status = append_empty(bundle, &buffer);
  if (status == TB_OK) status = tb_walk_write(bundle->walk, (struct tb_str){buffer.data, buffer.len});
  tb_buffer_free(&buffer);
  return status;
}
