/* SPDX-License-Identifier: Apache-2.0
 *
 * Bundles of ftrace events: what ran where, and what userspace wrote into the kernel's trace.
 */
#include "ftrace/event_text.h"
#include "perfetto/reader/importers.h"
#include "perfetto/reader/sched.h"

enum { COMM_MAX = 16 }; /* names of Linux's tasks are no longer */

/* A thread that runs on a cpu; tid -1: none is known to. */
struct running {
  int64_t tid;
  int32_t priority;
  size_t comm_len;
  char comm[COMM_MAX];
};

/* What lasts from bundle to bundle. */
struct ftrace {
  struct tb_map running_on; /* cpu, machine -> which of `running` runs there, as ftrace says */
  struct running *running;
  size_t running_count, running_capacity;
  struct running bundle_first; /* the one that ran as the current bundle began */
  struct tb_buffer rest;       /* the events of the current bundle that no event of ours says */
};

static void init_ftrace(void *state, const struct tb_allocator *allocator) {
  struct ftrace *ftrace = state;
  tb_map_init(&ftrace->running_on, allocator);
  tb_buffer_init(&ftrace->rest, allocator, 0);
}

static void free_ftrace(void *state, const struct tb_allocator *allocator) {
  struct ftrace *ftrace = state;
  tb_free(allocator, ftrace->running, ftrace->running_capacity * sizeof(*ftrace->running));
  tb_map_free(&ftrace->running_on);
  tb_buffer_free(&ftrace->rest);
}

const struct tb_importer_state tb_ftrace_state = {
    .size = sizeof(struct ftrace), .init = init_ftrace, .free = free_ftrace};

static const char LOSS_CLOCK[] = "ftrace events on a clock that nothing relates to the trace clock";

/* The trace processor's name for the kernel's clocks `global` and `local`, which no snapshot has. */
enum { KERNEL_CLOCK = TB_CLOCK_SEQUENCE_FIRST };

/* Bits that sched_switch puts into prev_state. */
enum {
  STATE_S = 1,
  STATE_D = 2,
  STATE_STOPPED = 4,
  STATE_TRACED = 8,
  STATE_DEAD = 16,
  STATE_ZOMBIE = 32,
  STATE_BITS = 0xff
};

struct bundle {
  struct tb_perfetto_reader *r;
  uint32_t cpu;
  uint32_t clock; /* its times are on; TB_CLOCK_UNKNOWN: nobody knows */
  bool strange;   /* it has events that no event of ours says */
  bool said;      /* it has events that ours say */
  bool clock_lost, is_damaged;
  struct running *running; /* the thread that runs on this cpu */
  struct tb_str compact;
};

static int64_t bundle_time(struct bundle *b, uint64_t timestamp) {
  int64_t ts = (int64_t)timestamp;
  bool converted = b->clock && tb_trace_state_convert(&b->r->state, &b->r->head, b->clock, ts, &ts);
  /* a trace without snapshots has one clock: whatever its kernel used */
  if (!converted && (b->clock != TB_CLOCK_BOOTTIME || tb_trace_state_has_clocks(&b->r->state, &b->r->head)))
    b->clock_lost = true;
  return ts;
}

/* ---- scheduling -------------------------------------------------------------------------------------------------- */

static enum tb_task_state task_state(int64_t bits) {
  bits &= STATE_BITS;
  if (bits == 0) return TB_TASK_RUNNABLE;
  if (bits & STATE_ZOMBIE) return TB_TASK_DEAD;
  if (bits & STATE_DEAD) return TB_TASK_DESTROYED;
  if (bits & (STATE_STOPPED | STATE_TRACED)) return TB_TASK_STOPPED;
  if (bits & STATE_D) return TB_TASK_UNINTERRUPTIBLE_SLEEP;
  return bits & STATE_S ? TB_TASK_INTERRUPTIBLE_SLEEP : TB_TASK_UNKNOWN;
}

/* What runs on the cpu from now on. */
static void set_running(struct running *running, const struct tb_kernel_state *next) {
  running->tid = next->tid;
  running->priority = next->priority;
  running->comm_len = next->comm.len < sizeof(running->comm) ? next->comm.len : sizeof(running->comm);
  if (running->comm_len) memcpy(running->comm, next->comm.ptr, running->comm_len);
}

/* `bits` are the kernel's prev_state. */
static void emit_switch(struct bundle *b, struct tb_kernel_state *prev, int64_t bits, struct tb_kernel_state *next) {
  prev->state = task_state(bits);
  next->state = TB_TASK_RUNNING;
  prev->has_cpu = next->has_cpu = true;
  prev->cpu = next->cpu = b->cpu;
  prev->has_kernel_state = bits >= 0 && bits <= UINT16_MAX;
  prev->kernel_state = prev->has_kernel_state ? (uint16_t)bits : 0;
  next->has_kernel_state = true;
  prev->has_priority = next->has_priority = true;
  if (tb_perfetto_as_text(b->r)) {
    tb_perfetto_emit_switch_line(b->r, prev, bits, next);
  } else {
    if (prev->tid >= 0) tb_perfetto_emit_state(b->r, prev);
    tb_perfetto_emit_state(b->r, next);
  }
  set_running(b->running, next);
}

static void emit_waking(struct bundle *b, int64_t waker, struct tb_kernel_state *woken, int32_t target_cpu) {
  woken->state = TB_TASK_RUNNABLE;
  woken->has_priority = woken->has_kernel_state = true;
  woken->waker = waker;
  if (tb_perfetto_as_text(b->r))
    tb_perfetto_emit_waking_line(b->r, b->cpu, waker, woken, target_cpu);
  else
    tb_perfetto_emit_state(b->r, woken);
}

static void read_switch(struct bundle *b, int64_t ts, struct tb_str message) {
  struct tb_kernel_state prev = {.ts = ts}, next = {.ts = ts};
  int64_t bits = 0;
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    switch (field.number) {
      case TB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM:
        prev.comm = field.bytes;
        break;
      case TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID:
        prev.tid = (int32_t)field.value;
        break;
      case TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PRIO:
        prev.priority = (int32_t)field.value;
        break;
      case TB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE:
        bits = (int64_t)field.value;
        break;
      case TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM:
        next.comm = field.bytes;
        break;
      case TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID:
        next.tid = (int32_t)field.value;
        break;
      case TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO:
        next.priority = (int32_t)field.value;
        break;
      default:
        break;
    }
  }
  emit_switch(b, &prev, bits, &next);
}

static void read_waking(struct bundle *b, int64_t ts, int64_t waker, struct tb_str message) {
  struct tb_kernel_state woken = {.ts = ts};
  int32_t target_cpu = 0;
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    switch (field.number) {
      case TB_SCHED_WAKING_FTRACE_EVENT_COMM:
        woken.comm = field.bytes;
        break;
      case TB_SCHED_WAKING_FTRACE_EVENT_PID:
        woken.tid = (int32_t)field.value;
        break;
      case TB_SCHED_WAKING_FTRACE_EVENT_PRIO:
        woken.priority = (int32_t)field.value;
        break;
      case TB_SCHED_WAKING_FTRACE_EVENT_TARGET_CPU:
        target_cpu = (int32_t)field.value;
        break;
      default:
        break;
    }
  }
  emit_waking(b, waker, &woken, target_cpu);
}

/* ---- compact scheduling: columns --------------------------------------------------------------------------------- */

/* A column: the packed varints of one field. */
static struct tb_wire_cursor column(struct tb_str message, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == number && field.type == TB_WIRE_BYTES) return tb_wire_cursor(field.bytes);
  }
  return (struct tb_wire_cursor){NULL, NULL};
}

static bool is_at_end(const struct tb_wire_cursor *column_cursor) { return column_cursor->at == column_cursor->end; }

/* False where the column ends, or its next value is damaged. */
static bool next_value(struct tb_wire_cursor *column_cursor, uint64_t *value) {
  if (is_at_end(column_cursor)) return false;
  const char *at = tb_wire_read_varint(column_cursor->at, column_cursor->end, value);
  column_cursor->at = at ? at : column_cursor->end;
  return at != NULL;
}

/* The texts of the intern table, in the batch's memory. */
static struct tb_str *read_intern_table(struct bundle *b, uint32_t *count) {
  struct tb_str *table = NULL;
  for (int pass = 0; pass < 2; pass++) {
    struct tb_wire_cursor cursor = tb_wire_cursor(b->compact);
    struct tb_wire_field field;
    *count = 0;
    while (tb_wire_read(&cursor, &field) == TB_OK) {
      if (field.number != TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE || field.type != TB_WIRE_BYTES) continue;
      if (table) table[*count] = field.bytes;
      ++*count;
    }
    if (!table) table = tb_perfetto_alloc(b->r, (*count + 1) * sizeof(*table));
    if (!table) *count = 0;
  }
  return table;
}

struct compact_row {
  bool present;
  uint64_t timestamp;
  int64_t tid;
  int64_t prev_state;
  int32_t priority, target_cpu;
  uint64_t comm;
};

struct compact_columns {
  struct tb_wire_cursor timestamp, tid, prev_state, priority, comm, target_cpu;
  bool is_damaged; /* a column is shorter than another */
};

static struct compact_columns switch_columns(struct tb_str m) {
  return (struct compact_columns){column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP),
                                  column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PID),
                                  column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_PREV_STATE),
                                  column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PRIO),
                                  column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_COMM_INDEX),
                                  {NULL, NULL},
                                  false};
}

static struct compact_columns waking_columns(struct tb_str m) {
  return (struct compact_columns){column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP),
                                  column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_PID),
                                  {NULL, NULL},
                                  column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_PRIO),
                                  column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_COMM_INDEX),
                                  column(m, TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TARGET_CPU),
                                  false};
}

/* A value of a column that need not be there. */
static void next_of(struct compact_columns *columns, struct tb_wire_cursor *column_cursor, uint64_t *value) {
  if (column_cursor->end && !next_value(column_cursor, value)) columns->is_damaged = true;
}

static bool have_ended(const struct compact_columns *c) {
  return is_at_end(&c->timestamp) && is_at_end(&c->tid) && is_at_end(&c->prev_state) && is_at_end(&c->priority) &&
         is_at_end(&c->comm) && is_at_end(&c->target_cpu);
}

/* The next row; times are differences to the row before. */
static void next_row(struct compact_columns *columns, struct compact_row *row) {
  uint64_t delta, tid, state = 0, priority = 0, comm = UINT64_MAX, target_cpu = 0;
  bool has_time = next_value(&columns->timestamp, &delta);
  row->present = has_time && next_value(&columns->tid, &tid);
  if (!row->present) {
    columns->is_damaged |= has_time || !have_ended(columns);
    return;
  }
  next_of(columns, &columns->prev_state, &state);
  next_of(columns, &columns->priority, &priority);
  next_of(columns, &columns->comm, &comm);
  next_of(columns, &columns->target_cpu, &target_cpu);
  row->timestamp += delta;
  row->tid = (int32_t)tid;
  row->prev_state = (int64_t)state;
  row->priority = (int32_t)priority;
  row->comm = comm;
  row->target_cpu = (int32_t)target_cpu;
}

static void read_compact(struct bundle *b) {
  uint32_t count;
  b->said = true;
  const struct tb_str *names = read_intern_table(b, &count);
  struct compact_columns switches = switch_columns(b->compact), wakings = waking_columns(b->compact);
  struct compact_row run = {0}, wake = {0};
  next_row(&switches, &run);
  next_row(&wakings, &wake);
  while ((run.present || wake.present) && !b->r->full) {
    bool switching = run.present && (!wake.present || run.timestamp <= wake.timestamp);
    const struct compact_row *row = switching ? &run : &wake;
    struct tb_kernel_state state = {.ts = bundle_time(b, row->timestamp), .tid = row->tid, .priority = row->priority};
    if (row->comm < count) state.comm = names[row->comm];
    if (switching) {
      struct tb_kernel_state prev = {.ts = state.ts, .tid = b->running->tid, .priority = b->running->priority};
      prev.comm = (struct tb_str){b->running->comm, b->running->comm_len};
      emit_switch(b, &prev, row->prev_state, &state);
      next_row(&switches, &run);
    } else {
      emit_waking(b, b->running->tid, &state, row->target_cpu);
      next_row(&wakings, &wake);
    }
  }
  b->is_damaged = switches.is_damaged || wakings.is_damaged;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static struct tb_str print_text(struct tb_str message) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_PRINT_FTRACE_EVENT_BUF && field.type == TB_WIRE_BYTES) return field.bytes;
  }
  return (struct tb_str){"", 0};
}

/* False where no event of ours says this one. */
static bool read_kind(struct bundle *b, int64_t ts, int64_t tid, struct tb_wire_field payload) {
  switch (payload.number) {
    case TB_FTRACE_EVENT_SCHED_SWITCH:
      read_switch(b, ts, payload.bytes);
      return true;
    case TB_FTRACE_EVENT_SCHED_WAKING:
      read_waking(b, ts, tid, payload.bytes);
      return true;
    case TB_FTRACE_EVENT_PRINT:
      if (!tb_perfetto_as_text(b->r)) return tb_perfetto_emit_marker(b->r, ts, b->cpu, tid, print_text(payload.bytes));
      tb_perfetto_emit_mark_line(b->r, ts, b->cpu, tid, print_text(payload.bytes));
      return true;
    default:
      if (tb_perfetto_as_text(b->r))
        return tb_perfetto_emit_event_line(b->r, ts, b->cpu, tid, payload.number, payload.bytes);
      tb_perfetto_apply_task(b->r, ts, tid, payload.number, payload.bytes);
      return !tb_perfetto_wants_ftrace_instants(b->r) && !b->r->reader->target.packets &&
             tb_perfetto_emit_ftrace_event(b->r, ts, b->cpu, tid, payload.number, payload.bytes);
  }
}

static enum tb_status read_event(struct bundle *b, struct tb_wire_field event, const char *end) {
  uint64_t timestamp = 0, pid = 0;
  struct tb_wire_field payload = {0};
  struct tb_wire_cursor cursor = tb_wire_cursor(event.bytes);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.number == TB_FTRACE_EVENT_TIMESTAMP) timestamp = field.value;
    if (field.number == TB_FTRACE_EVENT_PID) pid = field.value;
    if (field.type == TB_WIRE_BYTES) payload = field;
  }
  if (status != TB_END) return TB_BAD_DATA;
  if (payload.number == 0) return TB_OK; /* of no kind: it says nothing */
  int64_t ts = bundle_time(b, timestamp);
  if (read_kind(b, ts, (int32_t)pid, payload) ||
      tb_perfetto_emit_ftrace_instant(b->r, ts, b->cpu, (int32_t)pid, payload.number, payload.bytes)) {
    b->said = true;
    return TB_OK;
  }
  b->strange = true;
  struct ftrace *ftrace = b->r->importer_state;
  if (tb_buffer_append(&ftrace->rest, event.start, (size_t)(end - event.start)) != TB_OK) b->r->out_of_memory = true;
  return TB_OK;
}

/* The clock that a value of ftrace_clock stands for. */
static uint32_t clock_of(uint64_t ftrace_clock) {
  switch (ftrace_clock) {
    case TB_FTRACE_CLOCK_UNSPECIFIED:
      return TB_CLOCK_BOOTTIME;
    case TB_FTRACE_CLOCK_GLOBAL:
    case TB_FTRACE_CLOCK_LOCAL:
      return KERNEL_CLOCK;
    case TB_FTRACE_CLOCK_MONO_RAW:
      return TB_CLOCK_MONOTONIC_RAW;
    default:
      return TB_CLOCK_UNKNOWN;
  }
}

/* What the bundle says of its clock besides. */
struct clock_pair {
  int64_t ftrace_ns, boot_ns;
  bool has_ftrace, has_boot;
};

static enum tb_status relate_clock(struct bundle *b, const struct clock_pair *pair) {
  if (!b->clock || b->clock == TB_CLOCK_BOOTTIME || !pair->has_ftrace || !pair->has_boot) return TB_OK;
  return tb_trace_state_add_pair(&b->r->state, &b->r->head, b->clock, pair->ftrace_ns, TB_CLOCK_BOOTTIME,
                                 pair->boot_ns);
}

static enum tb_status read_bundle_head(struct bundle *b, struct tb_str payload, bool *has_lost) {
  struct clock_pair pair = {0};
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    switch (field.number) {
      case TB_FTRACE_EVENT_BUNDLE_CPU:
        b->cpu = (uint32_t)field.value;
        break;
      case TB_FTRACE_EVENT_BUNDLE_LOST_EVENTS:
        *has_lost = field.value != 0;
        break;
      case TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED:
        b->compact = field.bytes;
        break;
      case TB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK:
        b->clock = clock_of(field.value);
        break;
      case TB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP:
        pair.ftrace_ns = (int64_t)field.value;
        pair.has_ftrace = true;
        break;
      case TB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP:
        pair.boot_ns = (int64_t)field.value;
        pair.has_boot = true;
        break;
      default:
        break;
    }
  }
  return status == TB_END ? relate_clock(b, &pair) : TB_BAD_DATA;
}

/* Where the reader keeps the thread that runs on the cpu, with tid -1 at first. NULL when memory is exhausted. */
static struct running *running_on(struct tb_perfetto_reader *r, uint32_t cpu) {
  struct ftrace *ftrace = r->importer_state;
  uint32_t place;
  if (!tb_map_get(&ftrace->running_on, cpu, r->head.machine, &place)) {
    void *running = ftrace->running;
    place = (uint32_t)ftrace->running_count;
    enum tb_status status = tb_grow_array(ftrace->running_on.allocator, &running, &ftrace->running_capacity,
                                          ftrace->running_count + 1, sizeof(*ftrace->running), 1 << 20);
    ftrace->running = running;
    if (status != TB_OK || tb_map_put(&ftrace->running_on, cpu, r->head.machine, place) != TB_OK) return NULL;
    ftrace->running[ftrace->running_count++] = (struct running){.tid = -1};
  }
  return &ftrace->running[place];
}

static enum tb_status read_events(struct bundle *b, struct tb_str payload) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK && !b->r->full) {
    if (field.number != TB_FTRACE_EVENT_BUNDLE_EVENT || field.type != TB_WIRE_BYTES) continue;
    enum tb_status status = read_event(b, field, cursor.at);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

/* ---- what events do not say -------------------------------------------------------------------------------------- */

/* The bundle's own fields, then its events that no event of ours says. */
static char *put_rest_of_bundle(const struct ftrace *ftrace, char *at, struct tb_str payload) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_FTRACE_EVENT_BUNDLE_EVENT || field.number == TB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED) continue;
    size_t len = (size_t)(cursor.at - field.start);
    memcpy(at, field.start, len);
    at += len;
  }
  if (ftrace->rest.len) memcpy(at, ftrace->rest.data, ftrace->rest.len);
  return at + ftrace->rest.len;
}

/* The packet with what is left of its bundle. `fields` has room for all of the packet. */
static char *put_rest_of_packet(struct tb_perfetto_reader *r, char *at, struct tb_str bundle) {
  struct tb_wire_cursor cursor = tb_wire_cursor(r->head.bytes);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number == TB_TRACE_PACKET_FTRACE_EVENTS && field.type == TB_WIRE_BYTES) continue;
    size_t len = (size_t)(cursor.at - field.start);
    memcpy(at, field.start, len);
    at += len;
  }
  at = tb_wire_put_bytes(at, TB_TRACE_PACKET_FTRACE_EVENTS, bundle.ptr, bundle.len);
  return at;
}

/* Emits the packet with what no event says, so that events and packets together say everything once. */
static void pass_rest(struct tb_perfetto_reader *r, struct tb_str payload) {
  const struct ftrace *ftrace = r->importer_state;
  enum { HEADS = 4 * TB_WIRE_VARINT_MAX };
  size_t most = r->head.bytes.len + payload.len + ftrace->rest.len + HEADS;
  char *bundle = tb_perfetto_alloc(r, most), *packet = tb_perfetto_alloc(r, most), *whole = tb_perfetto_alloc(r, most);
  if (!bundle || !packet || !whole) return;
  char *end = put_rest_of_bundle(ftrace, bundle, payload);
  end = put_rest_of_packet(r, packet, (struct tb_str){bundle, (size_t)(end - bundle)});
  end = tb_wire_put_bytes(whole, TB_TRACE_PACKET, packet, (size_t)(end - packet));
  tb_perfetto_pass_bytes(r, (struct tb_str){whole, (size_t)(end - whole)});
}

/* ---- ftrace as text ---------------------------------------------------------------------------------------------- */

static const char NOTE_TEXT[] =
    "pieces of ftrace text are left out: events say it (tb_writer_options.keep_packets keeps them)";

struct ftrace_text {
  struct tb_map sequences; /* that have had ftrace as text */
};

static void init_ftrace_text(void *state, const struct tb_allocator *allocator) {
  tb_map_init(&((struct ftrace_text *)state)->sequences, allocator);
}

static void free_ftrace_text(void *state, const struct tb_allocator *allocator) {
  (void)allocator;
  tb_map_free(&((struct ftrace_text *)state)->sequences);
}

const struct tb_importer_state tb_ftrace_text_state = {
    .size = sizeof(struct ftrace_text), .init = init_ftrace_text, .free = free_ftrace_text};

bool tb_perfetto_made_of_text(const struct tb_perfetto_reader *r) {
  struct tb_wire_cursor packet = tb_wire_cursor(r->head.bytes);
  struct tb_wire_field field;
  while (tb_wire_next(&packet, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET_FTRACE_FROM_TEXT) return field.value != 0;
  return false;
}

bool tb_perfetto_is_in_text(struct tb_perfetto_reader *r) {
  const struct ftrace_text *text = tb_perfetto_state_of(r, &tb_ftrace_text_state);
  return text && text->sequences.count && tb_map_find(&text->sequences, r->head.sequence, 0) &&
         tb_perfetto_made_of_text(r);
}

enum tb_status tb_perfetto_ftrace(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct ftrace *ftrace = r->importer_state;
  struct bundle b = {.r = r, .clock = TB_CLOCK_BOOTTIME};
  bool lost = false;
  if (tb_perfetto_is_in_text(r)) return TB_OK;
  if (r->reader->target.ftrace_bundles) {
    tb_perfetto_pass_packet(r);
    return TB_OK;
  }
  enum tb_status status = read_bundle_head(&b, payload, &lost);
  if (status != TB_OK) return status;
  b.running = running_on(r, b.cpu);
  if (!b.running) {
    r->out_of_memory = true;
    return TB_OK;
  }
  /* a bundle that is read again begins with what ran then */
  if (r->given == 0) {
    ftrace->bundle_first = *b.running;
  } else {
    *b.running = ftrace->bundle_first;
  }
  if (lost) {
    struct tb_perfetto_track *global = tb_perfetto_find_track(r, 0);
    if (global) tb_perfetto_emit(r, TB_EVENT_DATA_LOSS)->track = &global->track;
  }
  tb_perfetto_ftrace_memory_bundle(r);
  ftrace->rest.len = 0;
  if (b.compact.len) read_compact(&b);
  status = read_events(&b, payload);
  if (status == TB_OK && b.strange) {
    if (b.said)
      pass_rest(r, payload);
    else
      tb_perfetto_pass_packet(r);
  }
  if (status == TB_OK && b.clock_lost) return tb_perfetto_lose(r, LOSS_CLOCK);
  return status == TB_OK && b.is_damaged && !r->full ? TB_BAD_DATA : status; /* what could be read was given */
}

/* What a source had as text: the events of other packets say it too, for targets that have no such text. */
enum tb_status tb_perfetto_ftrace_text(struct tb_perfetto_reader *r, struct tb_str payload) {
  if (!tb_perfetto_as_text(r)) {
    if (!r->reader->target.redacted) tb_perfetto_pass_or_note(r, NOTE_TEXT);
    return TB_OK;
  }
  struct ftrace_text *text = r->importer_state;
  if (tb_map_put(&text->sequences, r->head.sequence, 0, 1) != TB_OK) r->out_of_memory = true;
  tb_perfetto_emit(r, TB_EVENT_SYSTEM_TRACE)->blob = payload;
  return TB_OK;
}
