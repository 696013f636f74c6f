/* SPDX-License-Identifier: Apache-2.0
 *
 * Ftrace text as packets. It stays whole, in packets that only our reader knows, for the way back; the events in it
 * are bundles of ftrace events too, so that all readers see scheduling, marks and counters. Its times are on the
 * trace's own clock, as the trace processor takes them.
 */
#include "ftrace/packets_of_text.h"

#include "ftrace/event_parser.h"
#include "ftrace/made_marks.h"
#include "ftrace/task_table.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum {
  BUNDLE_BYTES = 32 * 1024,
  TEXT_BYTES = 64 * 1024, /* of a packet of text */
  CPUS_MAX = 1024         /* the trace processor takes no more */
};

/* What is put next. */
enum pass { PASS_TEXT, PASS_EVENTS, PASS_DONE };

struct tb_ftrace_packets {
  struct tb_ftrace_packets_options options;
  struct tb_ftrace_text *source;
  struct tb_spill_window window;
  enum pass pass;
  size_t block; /* of the source, which comes next */
  enum tb_ftrace_states states;
  struct tb_intern symbols;
  struct tb_buffer text;                       /* of the next packet */
  struct tb_buffer event, entry, list, packet; /* what is being encoded */
  struct tb_buffer *bundles;                   /* by CPU: fields of the bundle that is being filled */
  struct tb_buffer ahead;                      /* fields of a bundle of what comes later */
  size_t bundle_count, bundle_capacity;
  struct tb_ftrace_tasks tasks;
  size_t symbols_written;
  struct tb_ftrace_packets_summary summary;
  struct tb_ftrace_made_marks made_marks;
  int64_t begin_ts; /* of the first line */
};

struct tb_ftrace_packets *tb_ftrace_packets_create(struct tb_ftrace_text *text,
                                                   const struct tb_ftrace_packets_options *options) {
  const struct tb_allocator *allocator = options->allocator;
  struct tb_ftrace_packets *b = tb_calloc(allocator, sizeof(*b));
  if (!b) return NULL;
  b->options = *options;
  b->source = text;
  b->states = text->is_old ? TB_FTRACE_STATES_OLD : TB_FTRACE_STATES_4_14;
  b->summary = (struct tb_ftrace_packets_summary){.first_ts = INT64_MAX, .last_ts = INT64_MIN};
  tb_spill_window_init(&b->window, allocator);
  tb_intern_init(&b->symbols, allocator);
  tb_ftrace_tasks_init(&b->tasks, allocator);
  tb_buffer_init(&b->text, allocator, 0);
  tb_buffer_init(&b->event, allocator, 0);
  tb_buffer_init(&b->entry, allocator, 0);
  tb_buffer_init(&b->list, allocator, 0);
  tb_buffer_init(&b->packet, allocator, 0);
  tb_buffer_init(&b->ahead, allocator, 0);
  return b;
}

void tb_ftrace_packets_destroy(struct tb_ftrace_packets *b) {
  if (!b) return;
  const struct tb_allocator *allocator = b->options.allocator;
  for (size_t i = 0; i < b->bundle_count; i++) tb_buffer_free(&b->bundles[i]);
  tb_free(allocator, b->bundles, b->bundle_capacity * sizeof(*b->bundles));
  tb_spill_window_free(&b->window);
  tb_intern_free(&b->symbols);
  tb_ftrace_tasks_free(&b->tasks);
  tb_buffer_free(&b->text);
  tb_buffer_free(&b->event);
  tb_buffer_free(&b->entry);
  tb_buffer_free(&b->list);
  tb_buffer_free(&b->packet);
  tb_buffer_free(&b->ahead);
  tb_free(allocator, b, sizeof(*b));
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static enum tb_status start_packet(struct tb_ftrace_packets *b, uint32_t flags) {
  char head[4 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_uint(head, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, b->options.sequence);
  if (flags) end = tb_wire_put_uint(end, TB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
  b->packet.len = 0;
  return tb_buffer_append(&b->packet, head, (size_t)(end - head));
}

static enum tb_status end_packet(struct tb_ftrace_packets *b) {
  return b->options.put(b->options.ctx, (struct tb_str){b->packet.data, b->packet.len});
}

/* Ends a packet that says again what the text does. */
static enum tb_status end_made_packet(struct tb_ftrace_packets *b) {
  enum tb_status status = tb_wire_buffer_uint(&b->packet, TB_TRACE_PACKET_FTRACE_FROM_TEXT, 1);
  return status == TB_OK ? end_packet(b) : status;
}

/* Says that ftrace's clock is the trace's. */
static enum tb_status write_clock(struct tb_ftrace_packets *b) {
  /* in this order: behind snapshots of the trace's clock alone, the trace processor takes both for one in the other */
  const uint32_t clocks[] = {TB_CLOCK_BOOTTIME, b->options.trace_clock};
  char snapshot[16 * TB_WIRE_VARINT_MAX], *at = snapshot;
  if (b->options.trace_clock == TB_CLOCK_BOOTTIME) return TB_OK;
  for (size_t i = 0; i < 2; i++) {
    char clock[4 * TB_WIRE_VARINT_MAX];
    char *end = tb_wire_put_uint(clock, TB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, clocks[i]);
    end = tb_wire_put_uint(end, TB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, 0);
    at = tb_wire_put_bytes(at, TB_CLOCK_SNAPSHOT_CLOCKS, clock, (size_t)(end - clock));
  }
  at = tb_wire_put_uint(at, TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, b->options.trace_clock);
  enum tb_status status = start_packet(b, 0);
  if (status == TB_OK)
    status = tb_wire_buffer_bytes(&b->packet, TB_TRACE_PACKET_CLOCK_SNAPSHOT,
                                  (struct tb_str){snapshot, (size_t)(at - snapshot)});
  return status == TB_OK ? end_packet(b) : status;
}

bool tb_ftrace_release_parts(struct tb_str release, unsigned parts[2]) {
  size_t i = 0;
  parts[0] = parts[1] = 0;
  for (int part = 0; part < 2; part++, i++)
    for (; i < release.len && release.ptr[i] >= '0' && release.ptr[i] <= '9' && parts[part] < 1000; i++)
      parts[part] = parts[part] * 10 + (unsigned)(release.ptr[i] - '0');
  return parts[0] > 0;
}

char *tb_ftrace_put_system_info(char *at, struct tb_str release) {
  static const char system[] = "Linux";
  char names[TB_FTRACE_SYSTEM_INFO_MAX];
  char *end = tb_wire_put_bytes(names, TB_SYSTEM_INFO_UTSNAME_SYSNAME, system, sizeof(system) - 1);
  end = tb_wire_put_bytes(end, TB_SYSTEM_INFO_UTSNAME_RELEASE, release.ptr, release.len);
  return tb_wire_put_bytes(at, TB_SYSTEM_INFO_UTSNAME, names, (size_t)(end - names));
}

/* Says which layout the bits of states have. The text does not tell the kernel's version. */
static enum tb_status write_system(struct tb_ftrace_packets *b) {
  char info[TB_FTRACE_SYSTEM_INFO_MAX];
  if (b->states == TB_FTRACE_STATES_OLD) return TB_OK;
  size_t len = (size_t)(tb_ftrace_put_system_info(info, TB_STR("4.14.0 or later")) - info);
  enum tb_status status = start_packet(b, 0);
  if (status == TB_OK)
    status = tb_wire_buffer_bytes(&b->packet, TB_TRACE_PACKET_SYSTEM_INFO, (struct tb_str){info, len});
  return status == TB_OK ? end_made_packet(b) : status;
}

/* Appends the symbols that have come since the last bundle. */
static enum tb_status append_symbols(struct tb_ftrace_packets *b) {
  enum tb_status status = TB_OK;
  b->list.len = 0;
  for (; status == TB_OK && b->symbols_written < b->symbols.count; b->symbols_written++) {
    b->entry.len = 0;
    status = tb_wire_buffer_uint(&b->entry, TB_INTERNED_STRING_IID, b->symbols_written + 1);
    if (status == TB_OK)
      status = tb_wire_buffer_bytes(&b->entry, TB_INTERNED_STRING_STR, b->symbols.texts[b->symbols_written]);
    if (status == TB_OK)
      status =
          tb_wire_buffer_bytes(&b->list, TB_INTERNED_DATA_KERNEL_SYMBOLS, (struct tb_str){b->entry.data, b->entry.len});
  }
  if (status != TB_OK || !b->list.len) return status;
  return tb_wire_buffer_bytes(&b->packet, TB_TRACE_PACKET_INTERNED_DATA, (struct tb_str){b->list.data, b->list.len});
}

static enum tb_status write_bundle(struct tb_ftrace_packets *b, size_t cpu) {
  struct tb_buffer *bundle = &b->bundles[cpu];
  if (!bundle->len) return TB_OK;
  uint32_t flags = b->symbols_written ? TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE
                   : b->symbols.count ? TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED
                                      : 0;
  enum tb_status status = start_packet(b, flags);
  if (status == TB_OK) status = append_symbols(b);
  if (status == TB_OK)
    status =
        tb_wire_buffer_bytes(&b->packet, TB_TRACE_PACKET_FTRACE_EVENTS, (struct tb_str){bundle->data, bundle->len});
  bundle->len = 0;
  return status == TB_OK ? end_made_packet(b) : status;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static struct tb_buffer *find_bundle(struct tb_ftrace_packets *b, uint32_t cpu) {
  void *bundles = b->bundles;
  if (tb_grow_array(b->options.allocator, &bundles, &b->bundle_capacity, (size_t)cpu + 1, sizeof(*b->bundles),
                    CPUS_MAX) != TB_OK)
    return NULL;
  b->bundles = bundles;
  for (; b->bundle_count <= cpu; b->bundle_count++)
    tb_buffer_init(&b->bundles[b->bundle_count], b->options.allocator, 0);
  return &b->bundles[cpu];
}

/* Adds the event that is in b->event. */
static enum tb_status add_event(struct tb_ftrace_packets *b, uint32_t cpu) {
  struct tb_buffer *bundle = find_bundle(b, cpu);
  if (!bundle) return TB_NO_MEMORY;
  enum tb_status status = bundle->len + b->event.len > BUNDLE_BYTES ? write_bundle(b, cpu) : TB_OK;
  if (status == TB_OK && !bundle->len) status = tb_wire_buffer_uint(bundle, TB_FTRACE_EVENT_BUNDLE_CPU, cpu);
  if (status != TB_OK) return status;
  return tb_wire_buffer_bytes(bundle, TB_FTRACE_EVENT_BUNDLE_EVENT, (struct tb_str){b->event.data, b->event.len});
}

static void count_line(struct tb_ftrace_packets_summary *summary, int64_t ts) {
  summary->events++;
  if (ts < summary->first_ts) summary->first_ts = ts;
  if (ts > summary->last_ts) summary->last_ts = ts;
}

static enum tb_status add_line(struct tb_ftrace_packets *b, struct tb_str text) {
  struct tb_ftrace_text_event event;
  const struct tb_ftrace_task *task;
  if (text.len && text.ptr[text.len - 1] == '\n') text.len--;
  if (!tb_ftrace_parse_line(text, &event)) return TB_OK;
  if (event.line.cpu >= CPUS_MAX)
    return b->options.lose(b->options.lose_ctx, "ftrace lines of processors past 1023, which are no events");
  if (!b->bundle_count) {
    b->begin_ts = event.line.ts;
    enum tb_status status = write_clock(b);
    if (status == TB_OK) status = write_system(b);
    if (status != TB_OK) return status;
  }
  b->event.len = 0;
  enum tb_status status = tb_ftrace_encode(&event, b->states, &b->symbols, &b->event);
  if (status == TB_BAD_DATA)
    return b->options.lose(b->options.lose_ctx, "ftrace lines that are cut or damaged, which are no events");
  if (status == TB_OK) status = tb_ftrace_tasks_note(&b->tasks, &event, &task);
  if (status != TB_OK) return status;
  if (tb_ftrace_is_made_mark(&b->made_marks, &event) && !b->options.with_made_marks) return TB_OK;
  count_line(&b->summary, event.line.ts);
  return add_event(b, event.line.cpu);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Names the threads that neither scheduling nor write_threads() does. */
static enum tb_status name_threads(struct tb_ftrace_packets *b) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < b->tasks.count; i++) {
    const struct tb_ftrace_task *thread = &b->tasks.list[i];
    if (thread->tgid >= 0 || thread->scheduled || !thread->name.len) continue;
    b->event.len = 0;
    status = tb_ftrace_encode_rename(thread->tid, thread->ts, thread->name, &b->event);
    if (status == TB_OK) status = add_event(b, 0);
  }
  return status;
}

/* Which process threads are of, and their names. */
static enum tb_status write_threads(struct tb_ftrace_packets *b) {
  enum tb_status status = start_packet(b, 0);
  b->list.len = 0;
  b->summary.threads = b->tasks.count;
  b->summary.processes = b->tasks.processes.count;
  for (size_t i = 0; status == TB_OK && i < b->tasks.count; i++) {
    const struct tb_ftrace_task *thread = &b->tasks.list[i];
    if (thread->tgid < 0) continue;
    char ids[4 * TB_WIRE_VARINT_MAX];
    char *end = tb_wire_put_uint(ids, TB_PROCESS_TREE_THREAD_TID, (uint64_t)thread->tid);
    end = tb_wire_put_uint(end, TB_PROCESS_TREE_THREAD_TGID, (uint64_t)thread->tgid);
    b->entry.len = 0;
    status = tb_buffer_append(&b->entry, ids, (size_t)(end - ids));
    if (status == TB_OK && thread->name.len)
      status = tb_wire_buffer_bytes(&b->entry, TB_PROCESS_TREE_THREAD_NAME, thread->name);
    if (status == TB_OK)
      status = tb_wire_buffer_bytes(&b->list, TB_PROCESS_TREE_THREADS, (struct tb_str){b->entry.data, b->entry.len});
  }
  if (status == TB_OK && b->list.len) {
    char time[4 * TB_WIRE_VARINT_MAX];
    char *end = tb_wire_put_uint(time, TB_TRACE_PACKET_TIMESTAMP, (uint64_t)b->begin_ts);
    end = tb_wire_put_uint(end, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, TB_CLOCK_BOOTTIME);
    status = tb_buffer_append(&b->packet, time, (size_t)(end - time));
    if (status == TB_OK)
      status =
          tb_wire_buffer_bytes(&b->packet, TB_TRACE_PACKET_PROCESS_TREE, (struct tb_str){b->list.data, b->list.len});
    if (status == TB_OK) status = end_made_packet(b);
  }
  return status;
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

static enum tb_status write_text(struct tb_ftrace_packets *b) {
  struct tb_str text = {b->text.data, b->text.len};
  enum tb_status status = TB_OK;
  while (status == TB_OK && text.len) {
    struct tb_str piece = {text.ptr, text.len < TEXT_BYTES ? text.len : TEXT_BYTES};
    status = start_packet(b, 0);
    if (status == TB_OK) status = tb_wire_buffer_bytes(&b->packet, TB_TRACE_PACKET_FTRACE_TEXT, piece);
    if (status == TB_OK) status = end_packet(b);
    text.ptr += piece.len;
    text.len -= piece.len;
  }
  b->text.len = 0;
  return status;
}

static enum tb_status write_ahead(struct tb_ftrace_packets *b) {
  if (!b->ahead.len) return TB_OK;
  enum tb_status status = start_packet(b, 0);
  if (status == TB_OK)
    status =
        tb_wire_buffer_bytes(&b->packet, TB_TRACE_PACKET_FTRACE_AHEAD, (struct tb_str){b->ahead.data, b->ahead.len});
  b->ahead.len = 0;
  return status == TB_OK ? end_packet(b) : status;
}

/* Bundles are of one processor each: a transaction that another one sends may come behind its receipt. */
static enum tb_status add_ahead(struct tb_ftrace_packets *b, struct tb_str line) {
  static const struct tb_str name = {"binder_transaction", 18};
  struct tb_ftrace_text_event event;
  if (!memmem(line.ptr, line.len, name.ptr, name.len)) return TB_OK;
  if (line.ptr[line.len - 1] == '\n') line.len--;
  if (!tb_ftrace_parse_line(line, &event) || !tb_str_equal(event.name, name)) return TB_OK;
  b->event.len = 0;
  enum tb_status status = tb_ftrace_encode(&event, b->states, &b->symbols, &b->event);
  if (status == TB_BAD_DATA) return TB_OK;
  if (status == TB_OK && b->ahead.len + b->event.len > BUNDLE_BYTES) status = write_ahead(b);
  if (status != TB_OK) return status;
  return tb_wire_buffer_bytes(&b->ahead, TB_FTRACE_EVENT_BUNDLE_EVENT, (struct tb_str){b->event.data, b->event.len});
}

static enum tb_status add_text(struct tb_ftrace_packets *b, struct tb_str line) {
  enum tb_status status = b->text.len + line.len > TEXT_BYTES ? write_text(b) : TB_OK;
  if (status == TB_OK && b->options.read_once) status = add_ahead(b, line);
  return status == TB_OK ? tb_buffer_append(&b->text, line.ptr, line.len) : status;
}

/* Gives the lines of the next block to `take`. */
static enum tb_status walk_block(struct tb_ftrace_packets *b,
                                 enum tb_status (*take)(struct tb_ftrace_packets *b, struct tb_str line)) {
  struct tb_str lines, line;
  enum tb_status status = tb_spill_log_look(&b->source->log, b->block, &b->window, &lines, b->options.error);
  while (status == TB_OK && tb_ftrace_take_line(&lines, &line)) status = take(b, line);
  return status;
}

static enum tb_status step_text(struct tb_ftrace_packets *b) {
  enum tb_status status = TB_OK;
  if (b->block < b->source->log.count) {
    status = walk_block(b, add_text);
    b->block++;
    return status;
  }
  b->pass = PASS_EVENTS;
  b->block = 0;
  status = write_ahead(b);
  return status == TB_OK ? write_text(b) : status;
}

static enum tb_status write_rest(struct tb_ftrace_packets *b) {
  enum tb_status status = name_threads(b);
  for (size_t cpu = 0; status == TB_OK && cpu < b->bundle_count; cpu++) status = write_bundle(b, cpu);
  return status == TB_OK ? write_threads(b) : status;
}

static enum tb_status step_events(struct tb_ftrace_packets *b) {
  if (b->block < b->source->log.count) {
    enum tb_status status = walk_block(b, add_line);
    tb_spill_log_drop(&b->source->log, b->block++);
    return status;
  }
  b->pass = PASS_DONE;
  return write_rest(b);
}

enum tb_status tb_ftrace_packets_step(struct tb_ftrace_packets *b) {
  switch (b->pass) {
    case PASS_TEXT:
      return step_text(b);
    case PASS_EVENTS:
      return step_events(b);
    default:
      return TB_END;
  }
}

struct tb_ftrace_packets_summary tb_ftrace_packets_summary(const struct tb_ftrace_packets *b) {
  return b->summary;
}
