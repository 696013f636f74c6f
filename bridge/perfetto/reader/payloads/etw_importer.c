/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of Windows (Event Tracing for Windows): which threads run, what memory is in use, and operations on files.
 */
#include "perfetto/reader/payloads/etw.h"

#include <stdio.h>

#include "perfetto/reader/sched.h"
#include "protobuf/number_cursor.h"

static const char LOSS_TIME[] = "an event of Windows without a timestamp or a processor";

/* A step (see tb_etw) makes no more events of ours than that, with their tracks, but for counters. */
enum { ROOM = 16 };

static void init(void *state, const struct tb_allocator *allocator) {
  struct tb_etw *etw = state;
  tb_map_init(&etw->begun, allocator);
  tb_map_init(&etw->lanes, allocator);
}

static void clean_up(void *state, const struct tb_allocator *allocator) {
  struct tb_etw *etw = state;
  tb_free(allocator, etw->operations, etw->capacity * sizeof(*etw->operations));
  tb_map_free(&etw->begun);
  tb_map_free(&etw->lanes);
}

const struct tb_importer_state tb_etw_state = {
    .size = sizeof(struct tb_etw), .init = init, .free = clean_up, .end = tb_etw_end_files};

/* ---- scheduling -------------------------------------------------------------------------------------------------- */

/* The id of a thread that the recorder does not tell. */
static const int64_t ANONYMOUS = UINT32_MAX;

static struct tb_str anonymous_name(int64_t tid) {
  return tid == ANONYMOUS ? TB_STR("Anonymized Process") : TB_STR("");
}

static int64_t thread_of(const struct tb_wire_field *tid) { return tid->number ? (uint32_t)tid->value : ANONYMOUS; }

/* Windows' state of a thread, and Linux' bits of prev_state for it. */
static enum tb_task_state read_state(const struct tb_wire_field *at, int64_t *bits) {
  enum { BIT_S = 1, BIT_D = 2, BIT_Z = 32 };
  static const struct {
    enum tb_task_state state;
    int64_t bits;
  } states[] = {
      [TB_C_SWITCH_ETW_EVENT_INITIALIZED] = {TB_TASK_CREATED, 0},
      [TB_C_SWITCH_ETW_EVENT_READY] = {TB_TASK_RUNNABLE, 0},
      [TB_C_SWITCH_ETW_EVENT_RUNNING] = {TB_TASK_RUNNABLE, 0},
      [TB_C_SWITCH_ETW_EVENT_STANDBY] = {TB_TASK_RUNNABLE, 0},
      [TB_C_SWITCH_ETW_EVENT_TERMINATED] = {TB_TASK_DEAD, BIT_Z},
      [TB_C_SWITCH_ETW_EVENT_WAITING] = {TB_TASK_INTERRUPTIBLE_SLEEP, BIT_S},
      [TB_C_SWITCH_ETW_EVENT_TRANSITION] = {TB_TASK_UNINTERRUPTIBLE_SLEEP, BIT_D},
      [TB_C_SWITCH_ETW_EVENT_DEFERRED_READY] = {TB_TASK_RUNNABLE, 0},
  };
  const struct tb_wire_field *named = &at[TB_C_SWITCH_ETW_EVENT_OLD_THREAD_STATE];
  uint64_t number = named->number
                        ? named->value
                        : (uint64_t)tb_wire_zigzag_decode(at[TB_C_SWITCH_ETW_EVENT_OLD_THREAD_STATE_INT].value);
  bool is_known = number < sizeof(states) / sizeof(states[0]);
  *bits = is_known ? states[number].bits : 0;
  return is_known ? states[number].state : TB_TASK_UNKNOWN;
}

static void emit_switch(struct tb_perfetto_reader *r, const struct tb_etw_event *event, struct tb_str message) {
  struct tb_wire_field at[TB_C_SWITCH_ETW_EVENT_OLD_THREAD_STATE_INT + 1];
  (void)tb_wire_read_fields(message, at, sizeof(at) / sizeof(at[0]));
  struct tb_kernel_state prev = {.ts = event->ts, .has_cpu = true, .cpu = event->cpu}, next = prev;
  int64_t bits;
  prev.tid = thread_of(&at[TB_C_SWITCH_ETW_EVENT_OLD_THREAD_ID]);
  prev.comm = anonymous_name(prev.tid);
  prev.has_priority = at[TB_C_SWITCH_ETW_EVENT_OLD_THREAD_PRIORITY].number != 0;
  prev.priority = (int32_t)tb_wire_zigzag_decode(at[TB_C_SWITCH_ETW_EVENT_OLD_THREAD_PRIORITY].value);
  prev.state = read_state(at, &bits);
  next.tid = thread_of(&at[TB_C_SWITCH_ETW_EVENT_NEW_THREAD_ID]);
  next.comm = anonymous_name(next.tid);
  next.has_priority = true;
  next.priority = (int32_t)tb_wire_zigzag_decode(at[TB_C_SWITCH_ETW_EVENT_NEW_THREAD_PRIORITY].value);
  next.state = TB_TASK_RUNNING;
  if (tb_perfetto_as_text(r)) {
    tb_perfetto_emit_switch_line(r, &prev, bits, &next);
    return;
  }
  tb_perfetto_emit_state(r, &prev);
  tb_perfetto_emit_state(r, &next);
}

static void emit_ready(struct tb_perfetto_reader *r, const struct tb_etw_event *event, struct tb_str message) {
  struct tb_kernel_state woken = {.ts = event->ts,
                                  .tid = (uint32_t)tb_wire_find_number(message, TB_READY_THREAD_ETW_EVENT_T_THREAD_ID),
                                  .state = TB_TASK_RUNNABLE,
                                  .waker = event->tid};
  if (tb_perfetto_as_text(r))
    tb_perfetto_emit_waking_line(r, event->cpu, event->tid, &woken, 0);
  else
    tb_perfetto_emit_state(r, &woken);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A counter at the event's time; those that were given out in an earlier batch, and those that the batch does not
 * take, are not made again. */
static void emit_pages(struct tb_perfetto_reader *r, const struct tb_etw_event *event, uint64_t count, const char *name,
                       unsigned priority, bool has_priority) {
  char text[64];
  if (r->full) return;
  if (r->emitted < r->given) {
    r->emitted++;
    return;
  }
  int len = has_priority ? snprintf(text, sizeof(text), "%s Pri-%u Page Count", name, priority)
                         : snprintf(text, sizeof(text), "%s Page Count", name);
  if (count <= INT64_MAX)
    (void)tb_perfetto_emit_counter_line(r, event->ts, 0, (struct tb_str){text, (size_t)len}, (int64_t)count);
}

static void emit_memory(struct tb_perfetto_reader *r, const struct tb_etw_event *event, struct tb_str message) {
  static const struct {
    uint32_t number;
    const char *name;
  } counters[] = {{TB_MEM_INFO_ETW_EVENT_ZERO_PAGE_COUNT, "Zero"},
                  {TB_MEM_INFO_ETW_EVENT_FREE_PAGE_COUNT, "Free"},
                  {TB_MEM_INFO_ETW_EVENT_MODIFIED_PAGE_COUNT, "Modified"},
                  {TB_MEM_INFO_ETW_EVENT_MODIFIED_NO_WRITE_PAGE_COUNT, "ModifiedNoWrite"},
                  {TB_MEM_INFO_ETW_EVENT_BAD_PAGE_COUNT, "Bad"},
                  {TB_MEM_INFO_ETW_EVENT_MODIFIED_PAGE_COUNT_PAGE_FILE, "ModifiedPageFile"},
                  {TB_MEM_INFO_ETW_EVENT_PAGED_POOL_PAGE_COUNT, "PagedPool"},
                  {TB_MEM_INFO_ETW_EVENT_NON_PAGED_POOL_PAGE_COUNT, "NonPagedPool"},
                  {TB_MEM_INFO_ETW_EVENT_MDL_PAGE_COUNT, "Mdl"},
                  {TB_MEM_INFO_ETW_EVENT_COMMIT_PAGE_COUNT, "Commit"}},
    lists[] = {{TB_MEM_INFO_ETW_EVENT_STANDBY_PAGE_COUNTS, "Standby"},
               {TB_MEM_INFO_ETW_EVENT_REPURPOSED_PAGE_COUNTS, "Repurposed"}};
  for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
    emit_pages(r, event, tb_wire_find_number(message, counters[i].number), counters[i].name, 0, false);
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    struct tb_number_cursor counts = tb_number_cursor(message, lists[i].number);
    uint64_t count;
    for (unsigned priority = 0; !r->full && tb_number_cursor_next(&counts, &count); priority++)
      emit_pages(r, event, count, lists[i].name, priority, true);
  }
}

/* ---- bundles ----------------------------------------------------------------------------------------------------- */

static bool is_header(uint32_t number) {
  return number == TB_ETW_TRACE_EVENT_TIMESTAMP || number == TB_ETW_TRACE_EVENT_CPU ||
         number == TB_ETW_TRACE_EVENT_THREAD_ID;
}

static bool is_read(uint32_t number) {
  return is_header(number) || number == TB_ETW_TRACE_EVENT_C_SWITCH || number == TB_ETW_TRACE_EVENT_READY_THREAD ||
         number == TB_ETW_TRACE_EVENT_MEM_INFO || tb_etw_is_file(number);
}

/* The next event of a bundle: TB_OK, TB_END, or what is wrong with it. */
static enum tb_status next_event(struct tb_wire_cursor *bundle, struct tb_str *event) {
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(bundle, &field)) == TB_OK) {
    if (field.number != TB_ETW_TRACE_EVENT_BUNDLE_EVENT || field.type != TB_WIRE_BYTES) continue;
    *event = field.bytes;
    return TB_OK;
  }
  return status;
}

/* Whether all events of the bundle are of kinds that become events of ours. */
static enum tb_status check(struct tb_str payload, bool *all_read) {
  struct tb_wire_cursor bundle = tb_wire_cursor(payload);
  struct tb_str event;
  enum tb_status status;
  *all_read = true;
  while ((status = next_event(&bundle, &event)) == TB_OK) {
    struct tb_wire_cursor cursor = tb_wire_cursor(event);
    struct tb_wire_field field;
    while ((status = tb_wire_read(&cursor, &field)) == TB_OK)
      *all_read &= is_read(field.number) && is_header(field.number) == (field.type == TB_WIRE_VARINT);
    if (status != TB_END) return TB_BAD_DATA;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

static void emit_kind(struct tb_perfetto_reader *r, const struct tb_etw_event *event,
                      const struct tb_wire_field *kind) {
  if (kind->number == TB_ETW_TRACE_EVENT_C_SWITCH)
    emit_switch(r, event, kind->bytes);
  else if (kind->number == TB_ETW_TRACE_EVENT_READY_THREAD)
    emit_ready(r, event, kind->bytes);
  else if (kind->number == TB_ETW_TRACE_EVENT_MEM_INFO)
    emit_memory(r, event, kind->bytes);
  else if (tb_etw_is_file(kind->number))
    tb_etw_emit_file(r, event, kind->number, kind->bytes);
}

/* False where an earlier batch has the events of the next step, or this one has no room for them. */
static bool begin_step(struct tb_perfetto_reader *r) {
  struct tb_etw *etw = r->importer_state;
  if (r->full || etw->step++ < etw->done) return false;
  etw->done = etw->step - 1;
  etw->emitted = r->emitted;
  r->full = r->batch->event_count && r->batch->event_count + ROOM > TB_BATCH_EVENTS;
  return !r->full;
}

/* `cpu`: the bundle's, for events that do not say theirs. */
static enum tb_status read_event(struct tb_perfetto_reader *r, const struct tb_wire_field *cpu, struct tb_str message) {
  enum { KINDS = TB_ETW_TRACE_EVENT_FILE_IO_OP_END + 1 };
  struct tb_wire_field at[KINDS];
  (void)tb_wire_read_fields(message, at, KINDS);
  if (at[TB_ETW_TRACE_EVENT_CPU].number) cpu = &at[TB_ETW_TRACE_EVENT_CPU];
  if (!at[TB_ETW_TRACE_EVENT_TIMESTAMP].number || !cpu->number)
    return begin_step(r) ? tb_perfetto_lose(r, LOSS_TIME) : TB_OK;
  struct tb_etw_event event = {.ts = (int64_t)at[TB_ETW_TRACE_EVENT_TIMESTAMP].value,
                               .tid = (uint32_t)at[TB_ETW_TRACE_EVENT_THREAD_ID].value,
                               .cpu = (uint32_t)cpu->value};
  for (uint32_t kind = 0; kind < KINDS && !r->out_of_memory; kind++)
    if (at[kind].number && !is_header(kind) && begin_step(r)) emit_kind(r, &event, &at[kind]);
  return TB_OK;
}

static enum tb_status read_events(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_etw *etw = r->importer_state;
  struct tb_wire_field fields[TB_ETW_TRACE_EVENT_BUNDLE_CPU + 1];
  struct tb_wire_cursor bundle = tb_wire_cursor(payload);
  struct tb_str event;
  enum tb_status status = TB_OK;
  (void)tb_wire_read_fields(payload, fields, sizeof(fields) / sizeof(fields[0]));
  if (etw->resumes) r->emitted = etw->emitted;
  if (!etw->resumes) etw->done = 0;
  etw->step = 0;
  while (status == TB_OK && !r->full && !r->out_of_memory && next_event(&bundle, &event) == TB_OK)
    status = read_event(r, &fields[TB_ETW_TRACE_EVENT_BUNDLE_CPU], event);
  etw->resumes = r->full;
  return status;
}

enum tb_status tb_perfetto_etw(struct tb_perfetto_reader *r, struct tb_str payload) {
  bool all_read;
  if (r->reader->target.packets) {
    tb_perfetto_pass_packet(r);
    return TB_OK;
  }
  enum tb_status status = check(payload, &all_read);
  if (status != TB_OK) return status;
  return all_read ? read_events(r, payload) : tb_perfetto_whole_packet(r, payload);
}
