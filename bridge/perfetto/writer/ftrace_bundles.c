/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: ftrace text. It stays whole, in packets that only our reader knows, for the way back; the
 * events in it are written as bundles of ftrace events too, so that all readers see scheduling, marks and counters.
 * Its times are on the trace's own clock, as the trace processor takes them.
 */
#include "perfetto/writer/ftrace_bundles.h"
#include "base/error.h"
#include "ftrace/event_parser.h"
#include "perfetto/writer/writer.h"
#include "protos/field_numbers.h"

enum {
  BUNDLE_BYTES = 32 * 1024,
  TEXT_BYTES = 64 * 1024, /* of a packet of text */
  CPUS_MAX = 1024         /* the trace processor takes no more */
};

/* What lines say of a thread. */
struct thread {
  int64_t tid, tgid; /* tgid -1: not known */
  struct tb_str name;
  int64_t ts;     /* of its first line */
  bool scheduled; /* it was switched from, which says its name */
};

struct bundling {
  struct tb_perfetto_writer *p;
  uint32_t sequence;
  enum tb_ftrace_states states;
  struct tb_intern symbols, names;
  struct tb_buffer text;                       /* of the next packet */
  struct tb_buffer event, entry, list, packet; /* what is being encoded */
  struct tb_buffer *bundles;                   /* by CPU: fields of the bundle that is being filled */
  size_t bundle_count, bundle_capacity;
  struct tb_map thread_places;
  struct thread *threads;
  size_t thread_count, thread_capacity;
  size_t symbols_written;
  int64_t first_ts;
};

static void init(struct bundling *b, struct tb_perfetto_writer *p, uint32_t sequence) {
  *b = (struct bundling){.p = p, .sequence = sequence};
  tb_intern_init(&b->symbols, p->allocator);
  tb_intern_init(&b->names, p->allocator);
  tb_buffer_init(&b->text, p->allocator, 0);
  tb_buffer_init(&b->event, p->allocator, 0);
  tb_buffer_init(&b->entry, p->allocator, 0);
  tb_buffer_init(&b->list, p->allocator, 0);
  tb_buffer_init(&b->packet, p->allocator, 0);
  tb_map_init(&b->thread_places, p->allocator);
}

static void clean_up(struct bundling *b) {
  const struct tb_allocator *allocator = b->p->allocator;
  for (size_t i = 0; i < b->bundle_count; i++) tb_buffer_free(&b->bundles[i]);
  tb_free(allocator, b->bundles, b->bundle_capacity * sizeof(*b->bundles));
  tb_free(allocator, b->threads, b->thread_capacity * sizeof(*b->threads));
  tb_map_free(&b->thread_places);
  tb_intern_free(&b->symbols);
  tb_intern_free(&b->names);
  tb_buffer_free(&b->text);
  tb_buffer_free(&b->event);
  tb_buffer_free(&b->entry);
  tb_buffer_free(&b->list);
  tb_buffer_free(&b->packet);
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* Appends a field of bytes that may be long. */
static enum tb_status append_bytes(struct tb_buffer *to, uint32_t number, struct tb_str bytes) {
  char head[2 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_varint(tb_wire_put_tag(head, number, TB_WIRE_BYTES), bytes.len);
  enum tb_status status = tb_buffer_append(to, head, (size_t)(end - head));
  return status == TB_OK ? tb_buffer_append(to, bytes.ptr, bytes.len) : status;
}

static enum tb_status start_packet(struct bundling *b, uint32_t flags) {
  char head[4 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_uint(head, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, b->sequence);
  if (flags) end = tb_wire_put_uint(end, TB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
  b->packet.len = 0;
  return tb_buffer_append(&b->packet, head, (size_t)(end - head));
}

static enum tb_status end_packet(struct bundling *b) {
  return tb_packet_sink_put_fields(&b->p->sink, (struct tb_str){b->packet.data, b->packet.len});
}

/* Ends a packet that says again what the text does. */
static enum tb_status end_made_packet(struct bundling *b) {
  char mark[2 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_uint(mark, TB_TRACE_PACKET_FTRACE_FROM_TEXT, 1);
  enum tb_status status = tb_buffer_append(&b->packet, mark, (size_t)(end - mark));
  return status == TB_OK ? end_packet(b) : status;
}

/* Says that ftrace's clock is the trace's. */
static enum tb_status write_clock(struct bundling *b) {
  const uint32_t clocks[] = {b->p->trace_clock, TB_CLOCK_BOOTTIME};
  char snapshot[16 * TB_WIRE_VARINT_MAX], *at = snapshot;
  if (b->p->trace_clock == TB_CLOCK_BOOTTIME) return TB_OK;
  for (size_t i = 0; i < 2; i++) {
    char clock[4 * TB_WIRE_VARINT_MAX];
    char *end = tb_wire_put_uint(clock, TB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, clocks[i]);
    end = tb_wire_put_uint(end, TB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, 0);
    at = tb_wire_put_bytes(at, TB_CLOCK_SNAPSHOT_CLOCKS, clock, (size_t)(end - clock));
  }
  at = tb_wire_put_uint(at, TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, b->p->trace_clock);
  enum tb_status status = start_packet(b, 0);
  if (status == TB_OK)
    status =
        append_bytes(&b->packet, TB_TRACE_PACKET_CLOCK_SNAPSHOT, (struct tb_str){snapshot, (size_t)(at - snapshot)});
  return status == TB_OK ? end_packet(b) : status;
}

/* Says which layout the bits of states have. The text does not tell the kernel's version. */
static enum tb_status write_system(struct bundling *b) {
  static const char system[] = "Linux", release[] = "4.14.0 or later";
  char name[sizeof(system) + sizeof(release) + 4 * TB_WIRE_VARINT_MAX], info[sizeof(name) + 2 * TB_WIRE_VARINT_MAX];
  if (b->states == TB_FTRACE_STATES_OLD) return TB_OK;
  char *end = tb_wire_put_bytes(name, TB_SYSTEM_INFO_UTSNAME_SYSNAME, system, sizeof(system) - 1);
  end = tb_wire_put_bytes(end, TB_SYSTEM_INFO_UTSNAME_RELEASE, release, sizeof(release) - 1);
  end = tb_wire_put_bytes(info, TB_SYSTEM_INFO_UTSNAME, name, (size_t)(end - name));
  enum tb_status status = start_packet(b, 0);
  if (status == TB_OK)
    status = append_bytes(&b->packet, TB_TRACE_PACKET_SYSTEM_INFO, (struct tb_str){info, (size_t)(end - info)});
  return status == TB_OK ? end_made_packet(b) : status;
}

/* Appends the symbols that have come since the last bundle. */
static enum tb_status append_symbols(struct bundling *b) {
  enum tb_status status = TB_OK;
  b->list.len = 0;
  for (; status == TB_OK && b->symbols_written < b->symbols.count; b->symbols_written++) {
    char iid[2 * TB_WIRE_VARINT_MAX];
    char *end = tb_wire_put_uint(iid, TB_INTERNED_STRING_IID, b->symbols_written + 1);
    b->entry.len = 0;
    status = tb_buffer_append(&b->entry, iid, (size_t)(end - iid));
    if (status == TB_OK) status = append_bytes(&b->entry, TB_INTERNED_STRING_STR, b->symbols.texts[b->symbols_written]);
    if (status == TB_OK)
      status = append_bytes(&b->list, TB_INTERNED_DATA_KERNEL_SYMBOLS, (struct tb_str){b->entry.data, b->entry.len});
  }
  if (status != TB_OK || !b->list.len) return status;
  return append_bytes(&b->packet, TB_TRACE_PACKET_INTERNED_DATA, (struct tb_str){b->list.data, b->list.len});
}

static enum tb_status write_bundle(struct bundling *b, size_t cpu) {
  struct tb_buffer *bundle = &b->bundles[cpu];
  if (!bundle->len) return TB_OK;
  uint32_t flags = b->symbols_written ? TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE
                   : b->symbols.count ? TB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED
                                      : 0;
  enum tb_status status = start_packet(b, flags);
  if (status == TB_OK) status = append_symbols(b);
  if (status == TB_OK)
    status = append_bytes(&b->packet, TB_TRACE_PACKET_FTRACE_EVENTS, (struct tb_str){bundle->data, bundle->len});
  bundle->len = 0;
  return status == TB_OK ? end_made_packet(b) : status;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static struct tb_buffer *find_bundle(struct bundling *b, uint32_t cpu) {
  void *bundles = b->bundles;
  if (tb_grow_array(b->p->allocator, &bundles, &b->bundle_capacity, (size_t)cpu + 1, sizeof(*b->bundles), CPUS_MAX) !=
      TB_OK)
    return NULL;
  b->bundles = bundles;
  for (; b->bundle_count <= cpu; b->bundle_count++) tb_buffer_init(&b->bundles[b->bundle_count], b->p->allocator, 0);
  return &b->bundles[cpu];
}

/* Adds the event that is in b->event. */
static enum tb_status add_event(struct bundling *b, uint32_t cpu) {
  struct tb_buffer *bundle = find_bundle(b, cpu);
  if (!bundle) return TB_NO_MEMORY;
  enum tb_status status = bundle->len + b->event.len > BUNDLE_BYTES ? write_bundle(b, cpu) : TB_OK;
  if (status == TB_OK && !bundle->len) {
    char number[2 * TB_WIRE_VARINT_MAX];
    char *end = tb_wire_put_uint(number, TB_FTRACE_EVENT_BUNDLE_CPU, cpu);
    status = tb_buffer_append(bundle, number, (size_t)(end - number));
  }
  if (status != TB_OK) return status;
  return append_bytes(bundle, TB_FTRACE_EVENT_BUNDLE_EVENT, (struct tb_str){b->event.data, b->event.len});
}

static struct thread *find_thread(struct bundling *b, int64_t tid, int64_t ts) {
  uint32_t place;
  if (tb_map_get(&b->thread_places, (uint64_t)tid, 0, &place)) return &b->threads[place];
  void *threads = b->threads;
  if (tb_grow_array(b->p->allocator, &threads, &b->thread_capacity, b->thread_count + 1, sizeof(*b->threads),
                    UINT32_MAX) != TB_OK)
    return NULL;
  b->threads = threads;
  if (tb_map_put(&b->thread_places, (uint64_t)tid, 0, b->thread_count) != TB_OK) return NULL;
  b->threads[b->thread_count] = (struct thread){.tid = tid, .tgid = -1, .ts = ts};
  return &b->threads[b->thread_count++];
}

static enum tb_status note_thread(struct bundling *b, const struct tb_ftrace_text_event *event) {
  const struct tb_ftrace_line *line = &event->line;
  if (!line->tid || (!line->has_tgid && !line->task.len)) return TB_OK;
  struct thread *thread = find_thread(b, line->tid, line->ts);
  if (!thread) return TB_NO_MEMORY;
  if (line->has_tgid) thread->tgid = line->tgid;
  if (line->task.len && !tb_str_equal(line->task, thread->name)) {
    uint32_t id = tb_intern_id(&b->names, line->task);
    if (!id) return TB_NO_MEMORY;
    thread->name = tb_intern_text(&b->names, id);
  }
  if (tb_str_equal(event->name, TB_STR("sched_switch"))) thread->scheduled = true;
  return TB_OK;
}

static void count_line(struct tb_writer_summary *summary, int64_t ts) {
  summary->ftrace_events++;
  if (ts < summary->first_ts) summary->first_ts = ts;
  if (ts > summary->last_ts) summary->last_ts = ts;
}

static enum tb_status add_line(struct bundling *b, struct tb_str text) {
  struct tb_ftrace_text_event event;
  if (text.len && text.ptr[text.len - 1] == '\n') text.len--;
  if (!tb_ftrace_parse_line(text, &event)) return TB_OK;
  if (event.line.cpu >= CPUS_MAX) {
    tb_losses_add(&b->p->writer->losses, "ftrace lines of processors past 1023, which stay in the text alone",
                  TB_NO_OFFSET);
    return TB_OK;
  }
  if (!b->bundle_count) {
    b->first_ts = event.line.ts;
    enum tb_status status = write_clock(b);
    if (status == TB_OK) status = write_system(b);
    if (status != TB_OK) return status;
  }
  b->event.len = 0;
  enum tb_status status = tb_ftrace_encode(&event, b->states, &b->symbols, &b->event);
  if (status == TB_BAD_DATA) {
    tb_losses_add(&b->p->writer->losses, "ftrace lines that are cut or damaged, which stay in the text alone",
                  TB_NO_OFFSET);
    return TB_OK;
  }
  if (status == TB_OK) status = note_thread(b, &event);
  if (status != TB_OK) return status;
  count_line(&b->p->writer->summary, event.line.ts);
  return add_event(b, event.line.cpu);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Names the threads that neither scheduling nor write_threads() does. */
static enum tb_status name_threads(struct bundling *b) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < b->thread_count; i++) {
    const struct thread *thread = &b->threads[i];
    if (thread->tgid >= 0 || thread->scheduled || !thread->name.len) continue;
    b->event.len = 0;
    status = tb_ftrace_encode_rename(thread->tid, thread->ts, thread->name, &b->event);
    if (status == TB_OK) status = add_event(b, 0);
  }
  return status;
}

/* Which process threads are of, and their names. */
static enum tb_status write_threads(struct bundling *b) {
  enum tb_status status = start_packet(b, 0);
  b->list.len = 0;
  for (size_t i = 0; status == TB_OK && i < b->thread_count; i++) {
    const struct thread *thread = &b->threads[i];
    if (thread->tgid < 0) continue;
    char ids[4 * TB_WIRE_VARINT_MAX];
    char *end = tb_wire_put_uint(ids, TB_PROCESS_TREE_THREAD_TID, (uint64_t)thread->tid);
    end = tb_wire_put_uint(end, TB_PROCESS_TREE_THREAD_TGID, (uint64_t)thread->tgid);
    b->entry.len = 0;
    status = tb_buffer_append(&b->entry, ids, (size_t)(end - ids));
    if (status == TB_OK && thread->name.len)
      status = append_bytes(&b->entry, TB_PROCESS_TREE_THREAD_NAME, thread->name);
    if (status == TB_OK)
      status = append_bytes(&b->list, TB_PROCESS_TREE_THREADS, (struct tb_str){b->entry.data, b->entry.len});
  }
  if (status == TB_OK && b->list.len) {
    char time[4 * TB_WIRE_VARINT_MAX];
    char *end = tb_wire_put_uint(time, TB_TRACE_PACKET_TIMESTAMP, (uint64_t)b->first_ts);
    end = tb_wire_put_uint(end, TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, TB_CLOCK_BOOTTIME);
    status = tb_buffer_append(&b->packet, time, (size_t)(end - time));
    if (status == TB_OK)
      status = append_bytes(&b->packet, TB_TRACE_PACKET_PROCESS_TREE, (struct tb_str){b->list.data, b->list.len});
    if (status == TB_OK) status = end_made_packet(b);
  }
  return status;
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

/* Adds whole lines, or the last of all. */
static enum tb_status hold_lines(struct tb_perfetto_writer *p, struct tb_str lines) {
  if (!p->ftrace.is_old) p->ftrace.is_old = tb_ftrace_find_states(lines) == TB_FTRACE_STATES_OLD;
  enum tb_status status = tb_spill_log_room(&p->ftrace.text, lines.len);
  if (status != TB_OK) return status;
  memcpy(p->ftrace.text.at, lines.ptr, lines.len);
  p->ftrace.text.at += lines.len;
  p->staging.unchecked += lines.len;
  return TB_OK;
}

static enum tb_status end_line(struct tb_perfetto_writer *p) {
  struct tb_str line = {p->ftrace.line.data, p->ftrace.line.len};
  p->ftrace.line.len = 0;
  return line.len ? hold_lines(p, line) : TB_OK;
}

enum tb_status tb_perfetto_put_system_trace(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_str text = event->blob;
  const char *first = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
  enum tb_status status = TB_OK;
  if (p->ftrace.line.len && first) {
    size_t len = (size_t)(first - text.ptr) + 1;
    status = tb_buffer_append(&p->ftrace.line, text.ptr, len);
    if (status == TB_OK) status = end_line(p);
    text = (struct tb_str){text.ptr + len, text.len - len};
  }
  const char *last = first && text.len ? memrchr(text.ptr, '\n', text.len) : NULL;
  if (status == TB_OK && last) {
    size_t len = (size_t)(last - text.ptr) + 1;
    status = hold_lines(p, (struct tb_str){text.ptr, len});
    text = (struct tb_str){text.ptr + len, text.len - len};
  }
  return status == TB_OK && text.len ? tb_buffer_append(&p->ftrace.line, text.ptr, text.len) : status;
}

bool tb_perfetto_has_ftrace(const struct tb_perfetto_writer *p) {
  return p->ftrace.line.len || tb_spill_log_total(&p->ftrace.text);
}

static enum tb_status write_text(struct bundling *b) {
  struct tb_str text = {b->text.data, b->text.len};
  enum tb_status status = TB_OK;
  while (status == TB_OK && text.len) {
    struct tb_str piece = {text.ptr, text.len < TEXT_BYTES ? text.len : TEXT_BYTES};
    status = start_packet(b, 0);
    if (status == TB_OK) status = append_bytes(&b->packet, TB_TRACE_PACKET_FTRACE_TEXT, piece);
    if (status == TB_OK) status = end_packet(b);
    text.ptr += piece.len;
    text.len -= piece.len;
  }
  b->text.len = 0;
  return status;
}

static enum tb_status add_text(struct bundling *b, struct tb_str line) {
  enum tb_status status = b->text.len + line.len > TEXT_BYTES ? write_text(b) : TB_OK;
  return status == TB_OK ? tb_buffer_append(&b->text, line.ptr, line.len) : status;
}

/* Gives all lines to `take`, and forgets them where `last` says that they are not needed again. */
static enum tb_status walk_lines(struct bundling *b, enum tb_status (*take)(struct bundling *b, struct tb_str line),
                                 bool last) {
  struct tb_perfetto_writer *p = b->p;
  struct tb_spill_window window;
  enum tb_status status = TB_OK;
  tb_spill_window_init(&window, p->allocator);
  for (size_t i = 0; status == TB_OK && i < p->ftrace.text.count; i++) {
    struct tb_str text;
    status = tb_spill_log_look(&p->ftrace.text, i, &window, &text, &p->writer->error);
    while (status == TB_OK && text.len) {
      const char *stop = memchr(text.ptr, '\n', text.len);
      size_t len = stop ? (size_t)(stop - text.ptr) + 1 : text.len;
      status = take(b, (struct tb_str){text.ptr, len});
      text = (struct tb_str){text.ptr + len, text.len - len};
    }
    if (last) tb_spill_log_drop(&p->ftrace.text, i);
  }
  tb_spill_window_free(&window);
  return status;
}

enum tb_status tb_perfetto_write_ftrace(struct tb_perfetto_writer *p, uint32_t sequence_id) {
  struct bundling b;
  init(&b, p, sequence_id);
  enum tb_status status = end_line(p);
  b.states = p->ftrace.is_old ? TB_FTRACE_STATES_OLD : TB_FTRACE_STATES_4_14;
  if (status == TB_OK) status = walk_lines(&b, add_text, false);
  if (status == TB_OK) status = write_text(&b);
  if (status == TB_OK) status = walk_lines(&b, add_line, true);
  if (status == TB_OK) status = name_threads(&b);
  for (size_t cpu = 0; status == TB_OK && cpu < b.bundle_count; cpu++) status = write_bundle(&b, cpu);
  if (status == TB_OK) status = write_threads(&b);
  clean_up(&b);
  if (status != TB_OK && p->writer->error.code == TB_OK)
    return tb_fail(&p->writer->error, status, TB_NO_OFFSET, "cannot write ftrace events: %s", tb_status_text(status));
  return status;
}
