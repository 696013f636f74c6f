/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the merged trace: all inputs are read at once, and the next packet comes from the input with the earliest
 * current timestamp.
 *
 * An input's own order stays as it is, since what a packet means depends on those before it (interned data,
 * snapshots, increments). An input's current timestamp is the latest that it has reached, so no more than one packet
 * of each input is in memory.
 */
#include "base/error.h"
#include "base/kway_heap.h"
#include "merge/merger.h"
#include "merge/write/synthesized_packets.h"
#include "merge/write/write_fast_path.h"
#include "perfetto/packet/recording_starts.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { BUFFERS_TOTAL = 16 << 20, BUFFER_LEAST = 16 << 10, BUFFER_MOST = 256 << 10, PROGRESS_EVERY = 4096 };
enum { AT_ONCE_MAX = 64 << 10 };

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static enum tb_status open_source(struct tb_merger *m, struct tb_source *s, size_t count, bool close_between) {
  size_t buffer = (size_t)BUFFERS_TOTAL / count;
  buffer = buffer < BUFFER_LEAST ? BUFFER_LEAST : buffer > BUFFER_MOST ? BUFFER_MOST : buffer;
  struct tb_raw_packet_reader_options options = {.allocator = m->allocator,
                                                 .buffer_bytes = buffer,
                                                 .close_between = close_between,
                                                 .keep_compressed = count == 1 && s->untouched};
  tb_input_clocks_rewind(&s->prescan.clocks);
  s->reached = INT64_MIN;
  return tb_raw_packet_reader_open(&s->place, &options, &s->packets, &m->error);
}

static void remember_anchors(const struct tb_packet_header *head, struct tb_merge_sequence *sequence) {
  if (head->cleared) sequence->anchors = 0;
  if (head->kind == TB_TRACE_PACKET_THREAD_DESCRIPTOR ||
      tb_wire_has(tb_packet_header_payload(head, TB_TRACE_PACKET_TRACK_DESCRIPTOR), TB_TRACK_DESCRIPTOR_THREAD))
    sequence->anchors |= TB_ANCHOR_THREAD;
  if (!head->defaults.ptr) return;
  bool track = tb_wire_has(tb_wire_find_bytes(head->defaults, TB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS),
                           TB_TRACK_EVENT_DEFAULTS_TRACK_UUID);
  sequence->anchors = (uint8_t)((sequence->anchors & ~TB_ANCHOR_TRACK) | (track ? TB_ANCHOR_TRACK : 0));
}

/* An event on MONOTONIC between the snapshots around a suspend is behind it where its sequence is already. Where the
 * packet keeps its time readers decide. */
static void place_near_suspend(struct tb_source *s, const struct tb_merge_sequence *sequence) {
  int64_t slept;
  if (s->time.clock != TB_CLOCK_MONOTONIC || (s->fixed && !s->time.fitted) || sequence->reached == INT64_MIN) return;
  if (!tb_source_may_have_slept(s, (int64_t)s->current.head.timestamp, &slept)) return;
  if (s->time.time < tb_time_subtract(sequence->reached, slept / 2)) s->time.time = tb_time_add(s->time.time, slept);
}

/* Takes in the packet at hand: what it says of clocks, its time. */
static enum tb_status take_packet(struct tb_merger *m, struct tb_source *s) {
  const struct tb_packet_header *head = &s->current.head;
  struct tb_merge_sequence *sequence =
      tb_merge_sequence_get(&s->prescan.clocks.sequences, head->machine, head->sequence);
  s->sequence = sequence;
  if (!sequence) return TB_NO_MEMORY;
  if (head->kind != TB_TRACE_PACKET_TRACK_EVENT || head->cleared || head->defaults.ptr) {
    enum tb_status status = tb_input_clocks_take(&s->prescan.clocks, head, sequence, false);
    if (status != TB_OK) return status;
    remember_anchors(head, sequence);
    if (head->kind == TB_TRACE_PACKET_THREAD_DESCRIPTOR) tb_merge_sequence_start_counting(sequence, head->payload);
  }
  s->time.resolved = false;
  if (!head->has_timestamp) return TB_OK;
  tb_input_clocks_time(&s->prescan.clocks, head, sequence, &s->time);
  if (!s->time.resolved) {
    tb_source_report(m, s)->unresolved_times++;
    return TB_OK;
  }
  place_near_suspend(s, sequence);
  sequence->reached = s->time.time;
  s->merged = tb_source_time(s, head->machine, s->time.time);
  int64_t at = s->merged;
  if (head->machine || s->realigned) at = tb_time_subtract(at, tb_source_merged_ahead(s, head->machine));
  if (at > s->reached) s->reached = at;
  return TB_OK;
}

/* The next packet of a source. TB_END at its end. */
static enum tb_status advance(struct tb_merger *m, struct tb_source *s) {
  s->is_common = false;
  enum tb_status status = tb_raw_packet_reader_next(s->packets, &s->current, &m->error);
  if (status != TB_OK || !s->current.packet.ptr) return status;
  s->packets_in++;
  status = take_packet(m, s);
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

/* ---- what becomes of a packet ------------------------------------------------------------------------------------ */

/* Whether the source has other times in the merged trace than alone. */
static bool is_moved(struct tb_merger *m, const struct tb_source *s) {
  const struct tb_merge_input_report *report = tb_source_report(m, s);
  return m->shift || report->offset_ns || report->drift_ppm != 0;
}

/* Whether thread 0 of this machine stays the idle thread, as it is where an input has ftrace of it, or is another
 * already. */
static bool keeps_thread_zero(struct tb_merger *m, uint32_t machine, enum tb_status *status) {
  if (tb_map_find(&m->zero_freed, machine, 0)) return true;
  for (const struct tb_source *s = m->sources; s < m->sources + m->source_count; s++)
    if (!s->skipped && s->prescan.seen_kinds[TB_TRACE_PACKET_FTRACE_EVENTS] &&
        tb_source_machine_out(s, tb_source_host(s)) == machine)
      return true;
  *status = tb_map_put(&m->zero_freed, machine, 0, 1);
  return false;
}

/* Whether it is the attribute that has JSON's baseTimeNanoseconds, or clang's beginningOfTime: the date of the time 0.
 */
static bool says_date_of_zero(const struct tb_packet_header *head) {
  if (head->kind != TB_TRACE_PACKET_TRACE_ATTRIBUTES) return false;
  struct tb_str attribute = tb_wire_find_bytes(head->payload, TB_TRACE_ATTRIBUTES_ATTRIBUTE);
  struct tb_str key = tb_wire_find_bytes(attribute, TB_TRACE_ATTRIBUTES_ATTRIBUTE_KEY);
  return tb_str_equal(key, TB_STR("json.baseTimeNanoseconds")) || tb_str_equal(key, TB_STR("json.beginningOfTime"));
}

/* True for packets of which the merged trace has one: the first one's stays; and for text of ftrace that says other
 * times than the events made of it, from which readers of ours make it again, as they do the date of the time 0 from
 * snapshots. */
static bool is_superfluous(struct tb_merger *m, const struct tb_source *s, enum tb_status *status) {
  const struct tb_packet_header *head = &s->current.head;
  if (head->kind == TB_TRACE_PACKET_FTRACE_TEXT || says_date_of_zero(head)) return is_moved(m, s);
  if (m->source_count == 1) return false;
  struct tb_split_mark mark;
  if (tb_split_mark_read(head->kind, head->payload, &mark)) return true;
  if (head->kind == TB_TRACE_PACKET_TRACE_UUID) {
    bool more = m->uuid_written;
    m->uuid_written = true;
    return more;
  }
  if (head->kind == TB_TRACE_PACKET_TRACE_CONFIG) {
    uint32_t machine = tb_source_machine_out(s, head->machine);
    if (tb_map_find(&m->configured, machine, 0)) return true;
    *status = tb_map_put(&m->configured, machine, 0, 1);
  }
  if (head->kind == TB_TRACE_PACKET_REMOTE_CLOCK_SYNC && head->merge_identity && head->machine &&
      !tb_source_machine_out(s, head->machine))
    return true; /* the machine is the merged trace's own: its clock is in step with itself */
  if (tb_frees_thread_zero(head)) return keeps_thread_zero(m, tb_source_machine_out(s, head->machine), status);
  if (head->kind != TB_TRACE_PACKET_SERVICE_EVENT) return false;
  if (tb_wire_has(head->payload, TB_TRACING_SERVICE_EVENT_TRACING_STARTED) ||
      tb_wire_has(head->payload, TB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_STARTED)) {
    const uint64_t *starter = tb_map_find(&m->starters, tb_source_machine_out(s, head->machine), 0);
    return starter && *starter != s->index;
  }
  return tb_service_event_says_written(head->payload); /* which no longer is so */
}

static void edit_time(const struct tb_merger *m, const struct tb_source *s, struct tb_merge_edit *edit) {
  const struct tb_packet_header *head = &s->current.head;
  uint32_t primary = s->prescan.clocks.primary;
  if (!head->has_timestamp || !s->time.resolved) return;
  bool implied = !head->has_clock && !s->time.default_clock && s->time.clock != primary;
  if (s->time.clock != primary && s->fixed && !s->time.fitted && !implied) return; /* snapshots carry it over */
  edit->timestamp = s->merged < 0 ? 0 : (uint64_t)s->merged;
  edit->set_timestamp = edit->timestamp != head->timestamp;
  edit->clock = m->trace_clock;
  uint32_t named = head->has_clock ? head->clock : s->time.default_clock ? s->time.clock : 0;
  edit->set_clock = implied || (named && named != m->trace_clock);
}

/* Where a clock drifts or steps, or readers would place its times elsewhere, microseconds that are counted from event
 * to event do not follow it: such events get timestamps. */
static void edit_event_time(const struct tb_merger *m, struct tb_source *s, struct tb_merge_edit *edit) {
  const struct tb_packet_header *head = &s->current.head;
  int64_t time, own;
  if (head->kind != TB_TRACE_PACKET_TRACK_EVENT || !s->sequence->counts || tb_source_keeps_counts(s)) return;
  if (!tb_merge_sequence_count(s->sequence, head->payload, &time)) return;
  if (!tb_input_clocks_convert(&s->prescan.clocks, head->machine, TB_CLOCK_MONOTONIC, time, &own)) own = time;
  int64_t merged = tb_source_time(s, head->machine, own);
  edit->timestamp = merged < 0 ? 0 : (uint64_t)merged;
  edit->clock = m->trace_clock;
  edit->set_timestamp = edit->set_clock = edit->drops_time = true;
}

/* Events that name no track go to a root of their own for each input, unless their sequence has a track or a thread. */
static void edit_track(const struct tb_source *s, struct tb_merge_edit *edit) {
  if (s->current.head.kind != TB_TRACE_PACKET_TRACK_EVENT || !s->remap.uuid_salt) return;
  uint8_t anchors = s->sequence->anchors;
  if (anchors & TB_ANCHOR_THREAD) return;
  edit->track_rule = anchors & TB_ANCHOR_TRACK ? TB_TRACK_FOR_ZERO : TB_TRACK_FOR_NONE;
  edit->track = s->root;
}

/* A track of which readers of ours must know that it is another one than its uuid says. */
static void edit_identity(const struct tb_source *s, struct tb_merge_edit *edit) {
  const struct tb_packet_header *head = &s->current.head;
  struct tb_wire_cursor cursor = tb_wire_cursor(tb_packet_header_payload(head, TB_TRACE_PACKET_TRACK_DESCRIPTOR));
  struct tb_wire_field field;
  uint64_t uuid = 0;
  if (!s->remap.uuid_salt || !cursor.at || (!s->identities.count && !head->merge_identity)) return;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACK_DESCRIPTOR_UUID) uuid = field.value;
  const uint64_t *identity = tb_map_find(&s->identities, uuid, 0);
  edit->identity = identity ? *identity : 0;
  edit->set_identity = true;
}

/* Whether an untouched source's packet stays as it is: what has no track's uuid does. */
static bool stays(const struct tb_source *s) {
  const struct tb_packet_header *head = &s->current.head;
  return s->untouched && (!s->numbered || (head->kind != TB_TRACE_PACKET_TRACK_EVENT && !head->defaults.ptr));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The packet with its patches. Small ones, as most are, are put together where they are written. */
static enum tb_status put_patched(struct tb_merger *m, const struct tb_source *s) {
  size_t len = (size_t)((int64_t)s->current.packet.len + m->patches.growth);
  m->report->summary.packets_out++;
  char *to;
  if (len > AT_ONCE_MAX) {
    m->scratch.len = 0;
    enum tb_status status = tb_buffer_reserve(&m->scratch, len + TB_PACKET_FRAME_MAX);
    if (status != TB_OK) return tb_fail(&m->error, status, s->current.offset, "%s", tb_status_text(status));
    to = m->scratch.data;
  } else {
    to = tb_output_reserve(m->output, len + TB_PACKET_FRAME_MAX, &m->error);
    if (!to) return m->error.code;
  }
  char *at = tb_wire_put_varint(tb_wire_put_tag(to, TB_TRACE_PACKET, TB_WIRE_BYTES), len);
  at = tb_message_patches_apply(&m->patches, s->current.packet, at);
  if (len > AT_ONCE_MAX) return tb_output_write(m->output, to, (size_t)(at - to), &m->error);
  tb_output_commit(m->output, (size_t)(at - to));
  return TB_OK;
}

static enum tb_status put_unchanged(struct tb_merger *m, struct tb_source *s) {
  s->packets_unchanged++;
  m->report->summary.packets_out++;
  return tb_output_write(m->output, s->current.framed.ptr, s->current.framed.len, &m->error);
}

static enum tb_status introduce(struct tb_merger *m, struct tb_source *s, uint32_t machine) {
  if (!m->unintroduced) return TB_OK;
  uint64_t *known_by = tb_map_find(&m->new_machines, machine, 0);
  if (!known_by || !*known_by) return TB_OK;
  uint32_t identity = (uint32_t)*known_by;
  *known_by = 0;
  m->unintroduced--;
  return tb_synthesize_machine(m, s, machine, identity, s->reached);
}

static enum tb_status write_rewritten(struct tb_merger *m, struct tb_source *s) {
  const struct tb_packet_header *head = &s->current.head;
  struct tb_merge_edit edit = {.machine_in = head->machine, .machine = head->machine};
  if (s->moves_machines || m->new_machines.count) {
    if (!s->out_known || s->last_machine != head->machine) {
      s->last_machine = head->machine;
      s->last_machine_out = tb_source_machine_out(s, head->machine);
      s->out_known = true;
    }
    edit.machine = s->last_machine_out;
    edit.set_machine = edit.machine != edit.machine_in;
    enum tb_status status = introduce(m, s, edit.machine);
    if (status != TB_OK) return status;
  }
  if (!s->untouched) {
    edit_time(m, s, &edit);
    edit_event_time(m, s, &edit);
    edit_track(s, &edit);
    edit_identity(s, &edit);
  }
  enum tb_status status =
      tb_rewrite_packet(&m->fields, &s->remap, &edit, s->current.packet, &s->current.fields, &m->patches);
  if (status != TB_OK) return tb_fail(&m->error, status, s->current.offset, "%s", tb_status_text(status));
  status = m->patches.count ? put_patched(m, s) : put_unchanged(m, s);
  if (status != TB_OK || head->kind != TB_TRACE_PACKET_TRACK_DESCRIPTOR) return status;
  return tb_synthesize_track(m, s, edit.machine);
}

static enum tb_status write_common(struct tb_merger *m, struct tb_source *s) {
  enum tb_status status;
  if (tb_write_common_current(m, s, &status)) return status;
  s->current.framed = s->common.framed;
  s->current.packet = s->common.bytes;
  s->current.offset = TB_NO_OFFSET;
  tb_packet_header_take_common(&s->current.head, s->common.bytes, &s->common.head);
  tb_packet_fields_take_common(&s->current.fields, &s->common.head);
  s->packets_out++;
  return stays(s) ? put_unchanged(m, s) : write_rewritten(m, s);
}

static enum tb_status write_current(struct tb_merger *m, struct tb_source *s) {
  if (s->is_common) return write_common(m, s);
  if (!s->current.packet.ptr)
    return tb_output_write(m->output, s->current.framed.ptr, s->current.framed.len, &m->error);
  enum tb_status status = TB_OK;
  if (s->current.head.kind != TB_TRACE_PACKET_TRACK_EVENT && is_superfluous(m, s, &status)) {
    tb_source_report(m, s)->packets_dropped++;
    return TB_OK;
  }
  if (status != TB_OK) return tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  s->packets_out++;
  return stays(s) ? put_unchanged(m, s) : write_rewritten(m, s);
}

/* ---- the merge --------------------------------------------------------------------------------------------------- */

/* After each PROGRESS_EVERY packets or so; *next is when. */
static enum tb_status report_progress(struct tb_merger *m, uint64_t *next, uint64_t total) {
  if (!m->options.progress || m->report->summary.packets_out < *next) return TB_OK;
  *next = m->report->summary.packets_out + PROGRESS_EVERY;
  uint64_t done = 0;
  for (size_t i = 0; i < m->source_count; i++)
    if (m->sources[i].packets) done += tb_raw_packet_reader_offset(m->sources[i].packets);
  if (m->options.progress(m->options.progress_ctx, done, total)) return TB_OK;
  return tb_fail(&m->error, TB_CANCELLED, TB_NO_OFFSET, "cancelled");
}

/* Opens all sources and puts each with its first packet into the heap. The first input's first packet goes first, so
 * that readers take its machine for the host. */
static enum tb_status start(struct tb_merger *m, struct tb_kway *heap, uint64_t *total) {
  size_t count = 0;
  for (size_t i = 0; i < m->source_count; i++) count += !m->sources[i].skipped;
  bool first = true;
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    *total += s->prescan.bytes;
    enum tb_status status = open_source(m, s, count, count > m->options.max_open_files);
    if (status == TB_OK) status = advance(m, s);
    if (status == TB_OK)
      tb_kway_push(heap, s->index, first ? INT64_MIN : s->reached);
    else if (status != TB_END)
      return status;
    first = false;
  }
  return TB_OK;
}

static enum tb_status drain(struct tb_merger *m, struct tb_kway *heap, uint64_t total) {
  uint64_t next_report = PROGRESS_EVERY;
  while (!tb_kway_empty(heap)) {
    struct tb_source *s = &m->sources[tb_kway_top(heap)];
    bool at_next = false;
    enum tb_status status = write_current(m, s);
    if (status == TB_OK) status = tb_write_common(m, s, tb_kway_limit(heap), &at_next);
    if (status == TB_OK) status = report_progress(m, &next_report, total);
    if (status != TB_OK) return status;
    if (!at_next) status = advance(m, s);
    if (status == TB_END) {
      tb_raw_packet_reader_close(s->packets);
      s->packets = NULL;
      tb_kway_drop_top(heap);
    } else if (status != TB_OK) {
      return status;
    } else {
      tb_kway_replace_top(heap, s->reached);
    }
  }
  return TB_OK;
}

static void report_counts(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    struct tb_merge_input_report *in = tb_source_report(m, s);
    in->packets_in = s->packets_in;
    in->packets_out = s->packets_out;
    in->packets_unchanged = s->packets_unchanged;
    in->flows_remapped = s->remap.flows_changed;
    in->timestamps_changed = s->remap.times_changed;
  }
}

/* Says the merged trace's clock first, where the input whose clock it is does not say it, and others speak of
 * clocks. */
static enum tb_status write_clock(struct tb_merger *m) {
  const struct tb_source *reference = &m->sources[m->reference];
  bool others = false;
  for (size_t i = 0; i < m->source_count; i++)
    others |= i != m->reference && !m->sources[i].skipped && tb_input_clocks_related(&m->sources[i].prescan.clocks);
  if (!others || tb_input_clocks_related(&reference->prescan.clocks) ||
      tb_source_machine_out(reference, tb_source_host(reference)))
    return TB_OK;
  return tb_synthesize_clock(m, tb_source_report(m, reference)->first_ns);
}

enum tb_status tb_merger_write(void *ctx) {
  struct tb_merger *m = ctx;
  struct tb_kway heap;
  enum tb_status status = tb_kway_init(&heap, m->allocator, m->source_count);
  tb_buffer_init(&m->scratch, m->allocator, 0);
  m->patches.allocator = m->allocator;
  uint64_t total = 0;
  if (status == TB_OK)
    status = start(m, &heap, &total);
  else
    (void)tb_fail(&m->error, status, TB_NO_OFFSET, "out of memory");
  if (status == TB_OK) status = write_clock(m);
  if (status == TB_OK) status = drain(m, &heap, total);
  if (status == TB_OK) status = tb_synthesize_attributes(m);
  report_counts(m);
  tb_buffer_free(&m->scratch);
  tb_message_patches_free(&m->patches);
  tb_kway_free(&heap, m->allocator);
  return status;
}
