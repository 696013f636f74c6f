/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing the merged trace: inputs are read side by side, packet after packet, and the one that is least far in time goes next.
 *
 * An input's own order stays as it is, since what a packet means depends on those before it (interned data, snapshots,
 * increments). An input counts as being at the latest time that it has reached, so that this needs no memory but for
 * one packet each.
 */
#include "base/error.h"
#include "kway.h"
#include "merger.h"
#include "perfetto/wire.h"
#include "tracebridge/event.h"

enum { BUFFERS_TOTAL = 64 << 20, BUFFER_LEAST = 16 << 10, BUFFER_MOST = 1 << 20, PROGRESS_EVERY = 4096 };
enum {
  SERVICE_ALL_STARTED = 1,
  SERVICE_STARTED = 2,
  SERVICE_FLUSHED = 3,
  SERVICE_READ_COMPLETED = 4,
  SERVICE_FLUSH_STARTED = 9
};
enum { DEFAULTS_TRACK_EVENT = 11, TRACK_EVENT_TRACK = 11, TRACK_EVENT_LEGACY = 6 };
enum {
  DESCRIPTOR_UUID = 1,
  DESCRIPTOR_NAME = 2,
  DESCRIPTOR_THREAD = 4,
  DESCRIPTOR_PARENT = 5,
  DESCRIPTOR_MERGING = 15,
  MERGE_WITH_NONE = 2
};
enum { ANCHOR_THREAD = 1, ANCHOR_TRACK = 2, NAME_MAX_BYTES = 255 };
enum { TRACE_ATTRIBUTES = 126 };
enum { SYNC_ROUNDS = 1, SYNC_CLIENT = 2, SYNC_HOST = 3 };

static bool has_field(struct tb_slice message, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number) return true;
  return false;
}

static struct tb_slice field_bytes(struct tb_slice message, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == number && field.type == TB_WIRE_BYTES) return field.bytes;
  return (struct tb_slice){NULL, 0};
}

/* ---- reading ---------------------------------------------------------------------------------------------------------------- */

static enum tb_status open_source(struct tb_merger *m, struct tb_source *s, size_t count, bool close_between) {
  size_t buffer = (size_t)BUFFERS_TOTAL / count;
  buffer = buffer < BUFFER_LEAST ? BUFFER_LEAST : buffer > BUFFER_MOST ? BUFFER_MOST : buffer;
  struct tb_packets_options options = {.allocator = m->allocator,
                                       .buffer_bytes = buffer,
                                       .close_between = close_between,
                                       .keep_compressed = count == 1 && s->untouched};
  tb_input_clocks_rewind(&s->survey.clocks);
  s->reached = INT64_MIN;
  return tb_packets_open(s->path, &options, &s->packets, &m->error);
}

static enum tb_status remember_anchor(struct tb_source *s) {
  const struct tb_merge_head *head = &s->head;
  const uint64_t *known = tb_table_get(&s->anchored, head->sequence);
  uint64_t anchors = known && !head->cleared ? *known : 0;
  if (head->kind == TB_MERGE_PACKET_THREAD_DESCRIPTOR || has_field(head->track_descriptor, DESCRIPTOR_THREAD))
    anchors |= ANCHOR_THREAD;
  if (head->defaults.ptr) {
    anchors &= ~(uint64_t)ANCHOR_TRACK;
    if (has_field(field_bytes(head->defaults, DEFAULTS_TRACK_EVENT), TRACK_EVENT_TRACK)) anchors |= ANCHOR_TRACK;
  }
  return tb_table_put(&s->anchored, head->sequence, anchors);
}

/* Takes in the packet at hand: its head, what it says of clocks, its time. */
static enum tb_status take_packet(struct tb_merger *m, struct tb_source *s) {
  struct tb_merge_head *head = &s->head;
  (void)tb_merge_head_read(s->current.packet, head);
  enum tb_status status = TB_OK;
  if (head->cleared || head->defaults.ptr || head->clock_snapshot.ptr)
    status = tb_input_clocks_take(&s->survey.clocks, head, false);
  if (status == TB_OK && (head->cleared || head->defaults.ptr || head->kind == TB_MERGE_PACKET_THREAD_DESCRIPTOR ||
                          head->track_descriptor.ptr))
    status = remember_anchor(s);
  s->time.resolved = false;
  if (status == TB_OK && head->has_timestamp) {
    tb_input_clocks_time(&s->survey.clocks, head, &s->time);
    int64_t merged = s->time.resolved ? tb_source_time(s, head->machine, s->time.time) : s->reached;
    if (merged > s->reached) s->reached = merged;
    tb_source_report(m, s)->unresolved_times += !s->time.resolved;
  }
  return status;
}

/* The next packet of a source. TB_END at its end, be it by damage (which the survey has found). */
static enum tb_status advance(struct tb_merger *m, struct tb_source *s) {
  struct tb_error damage = {0};
  enum tb_status status = tb_packets_next(s->packets, &s->current, &damage);
  if (status == TB_TRUNCATED || status == TB_BAD_DATA || status == TB_LIMIT) return TB_END;
  if (status != TB_OK) {
    if (status != TB_END && m->error.code == TB_OK) m->error = damage;
    return status;
  }
  if (!s->current.packet.ptr) return TB_OK;
  tb_source_report(m, s)->packets_in++;
  status = take_packet(m, s);
  return status == TB_OK ? TB_OK : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

/* ---- what becomes of a packet ---------------------------------------------------------------------------------------------------- */

static uint32_t machine_out(const struct tb_source *s, uint32_t machine) {
  const uint64_t *out = tb_table_get(&s->machines, machine);
  return out ? (uint32_t)*out : machine;
}

/* True for packets of which the merged trace has one: the first one's stays. */
static bool is_superfluous(struct tb_merger *m, const struct tb_source *s, enum tb_status *status) {
  const struct tb_merge_head *head = &s->head;
  if (m->source_count == 1) return false;
  if (head->kind == TB_MERGE_PACKET_TRACE_UUID) {
    bool more = m->uuid_written;
    m->uuid_written = true;
    return more;
  }
  if (head->kind == TB_MERGE_PACKET_TRACE_CONFIG) {
    uint32_t machine = machine_out(s, head->machine);
    if (tb_table_get(&m->configured, machine)) return true;
    *status = tb_table_put(&m->configured, machine, 1);
  }
  if (!head->service_event.ptr) return false;
  if (has_field(head->service_event, SERVICE_STARTED) || has_field(head->service_event, SERVICE_ALL_STARTED)) {
    const uint64_t *starter = tb_table_get(&m->starters, machine_out(s, head->machine));
    return starter && *starter != s->index;
  }
  /* these say that all packets up to a time were written, which no longer is so */
  return has_field(head->service_event, SERVICE_FLUSHED) || has_field(head->service_event, SERVICE_READ_COMPLETED) ||
         has_field(head->service_event, SERVICE_FLUSH_STARTED);
}

static void edit_time(const struct tb_merger *m, const struct tb_source *s, struct tb_merge_edit *edit) {
  const struct tb_merge_head *head = &s->head;
  uint32_t primary = s->survey.clocks.primary;
  bool implied = !head->has_clock && !s->time.default_clock && s->time.clock != primary;
  if (!head->has_timestamp || !s->time.resolved) return;
  if (s->time.clock != primary && s->fixed && !implied) return; /* snapshots carry it over */
  int64_t merged = tb_source_time(s, head->machine, s->time.time);
  edit->timestamp = merged < 0 ? 0 : (uint64_t)merged;
  edit->set_timestamp = edit->timestamp != head->timestamp;
  edit->clock = m->trace_clock;
  uint32_t named = head->has_clock ? head->clock : s->time.default_clock ? s->time.clock : 0;
  edit->set_clock = implied || (named && named != m->trace_clock);
}

/* Events that name no track go to a root of their own for each input, unless their sequence has a track or a thread. */
static void edit_track(const struct tb_source *s, struct tb_merge_edit *edit) {
  const struct tb_merge_head *head = &s->head;
  if (!head->track_event.ptr || !s->remap.uuid_salt) return;
  const uint64_t *known = tb_table_get(&s->anchored, head->sequence);
  uint64_t anchors = known ? *known : 0, track = 0;
  bool names_track = false;
  struct tb_wire_cursor cursor = tb_wire_cursor(head->track_event);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TRACK_EVENT_LEGACY) return;
    if (field.number == TRACK_EVENT_TRACK) names_track = true, track = field.value;
  }
  if (track || anchors & ANCHOR_THREAD || (anchors & ANCHOR_TRACK && !names_track)) return;
  edit->set_track = true;
  edit->track = tb_scatter(s->remap.uuid_salt) | 1;
}

/* ---- writing --------------------------------------------------------------------------------------------------------------------- */

static enum tb_status put_packet(struct tb_merger *m, const void *data, size_t len) {
  char frame[1 + TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_varint(tb_wire_put_tag(frame, 1, TB_WIRE_BYTES), len);
  enum tb_status status = tb_output_write(m->output, frame, (size_t)(end - frame), &m->error);
  m->report->packets_out++;
  return status == TB_OK ? tb_output_write(m->output, data, len, &m->error) : status;
}

/* Says that a machine which the merger made has its clock in step with the merged trace's. Two rounds, as readers ask for. */
static enum tb_status introduce(struct tb_merger *m, uint32_t machine, int64_t time) {
  char clock[32], snapshot[160], round[512], sync[1200], packet[1400];
  char *at = tb_wire_put_uint(clock, 1, m->trace_clock);
  at = tb_wire_put_uint(at, 2, time > 0 ? (uint64_t)time : 1);
  char *end = tb_wire_put_bytes(snapshot, 1, clock, (size_t)(at - clock));
  at = tb_wire_put_bytes(round, SYNC_CLIENT, snapshot, (size_t)(end - snapshot));
  at = tb_wire_put_bytes(at, SYNC_HOST, snapshot, (size_t)(end - snapshot));
  end = tb_wire_put_bytes(sync, SYNC_ROUNDS, round, (size_t)(at - round));
  end = tb_wire_put_bytes(end, SYNC_ROUNDS, round, (size_t)(at - round));
  at = tb_wire_put_bytes(packet, TB_MERGE_PACKET_REMOTE_CLOCK_SYNC, sync, (size_t)(end - sync));
  at = tb_wire_put_uint(at, TB_MERGE_PACKET_MACHINE_ID, machine);
  return put_packet(m, packet, (size_t)(at - packet));
}

/* Describes the track that an input's events on a shared thread go to: below the thread's own. */
static enum tb_status write_own_track(struct tb_merger *m, struct tb_source *s, const struct tb_merge_edit *edit) {
  uint64_t uuid = 0;
  struct tb_wire_cursor cursor = tb_wire_cursor(s->head.track_descriptor);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == DESCRIPTOR_UUID) uuid = field.value;
  uint64_t *told = tb_table_get(&s->separate, uuid);
  const uint64_t *parent = tb_table_get(&s->described, uuid);
  if (!told || *told || !parent) return TB_OK;
  *told = 1;
  const char *slash = strrchr(s->name, '/');
  const char *name = slash ? slash + 1 : s->name;
  char track[512], packet[640];
  char *at = tb_wire_put_uint(track, DESCRIPTOR_UUID, tb_remap_uuid(&s->remap, uuid));
  at = tb_wire_put_bytes(at, DESCRIPTOR_NAME, name, strnlen(name, NAME_MAX_BYTES));
  at = tb_wire_put_uint(at, DESCRIPTOR_PARENT, *parent);
  at = tb_wire_put_uint(at, DESCRIPTOR_MERGING, MERGE_WITH_NONE);
  char *end = tb_wire_put_bytes(packet, TB_MERGE_PACKET_TRACK_DESCRIPTOR, track, (size_t)(at - track));
  end = tb_wire_put_uint(end, TB_MERGE_PACKET_SEQUENCE_ID, tb_remap_sequence(&s->remap, s->head.sequence));
  if (edit->machine) end = tb_wire_put_uint(end, TB_MERGE_PACKET_MACHINE_ID, edit->machine);
  return put_packet(m, packet, (size_t)(end - packet));
}

static enum tb_status write_rewritten(struct tb_merger *m, struct tb_source *s) {
  struct tb_merge_edit edit = {.machine_in = s->head.machine, .machine = machine_out(s, s->head.machine)};
  edit.set_machine = edit.machine != edit.machine_in;
  uint64_t *introduced = tb_table_get(&m->new_machines, edit.machine);
  enum tb_status status = TB_OK;
  if (introduced && !*introduced) {
    *introduced = 1;
    status = introduce(m, edit.machine, s->reached);
  }
  if (status != TB_OK) return status;
  edit_time(m, s, &edit);
  edit_track(s, &edit);
  bool changed;
  m->scratch.len = 0;
  status = tb_rewrite_packet(&m->fields, &s->remap, &edit, s->current.packet, &m->scratch, &changed);
  if (status != TB_OK) return tb_fail(&m->error, status, s->current.offset, "%s", tb_status_text(status));
  struct tb_merge_input_report *in = tb_source_report(m, s);
  in->packets_out++;
  if (changed) {
    status = put_packet(m, m->scratch.data, m->scratch.len);
    return status == TB_OK && s->head.track_descriptor.ptr ? write_own_track(m, s, &edit) : status;
  }
  in->packets_unchanged++;
  m->report->packets_out++;
  return tb_output_write(m->output, s->current.framed.ptr, s->current.framed.len, &m->error);
}

static enum tb_status write_current(struct tb_merger *m, struct tb_source *s) {
  struct tb_merge_input_report *in = tb_source_report(m, s);
  if (!s->current.packet.ptr)
    return tb_output_write(m->output, s->current.framed.ptr, s->current.framed.len, &m->error);
  enum tb_status status = TB_OK;
  if (is_superfluous(m, s, &status)) {
    in->packets_dropped++;
    return TB_OK;
  }
  if (status != TB_OK) return tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  if (!s->untouched) return write_rewritten(m, s);
  in->packets_out++;
  in->packets_unchanged++;
  m->report->packets_out++;
  return tb_output_write(m->output, s->current.framed.ptr, s->current.framed.len, &m->error);
}

/* What the manifest says of the archive as a whole. */
static enum tb_status write_attributes(struct tb_merger *m) {
  static const char prefix[] = "manifest_attribute.";
  enum tb_status status = TB_OK;
  for (size_t i = 0; m->manifest && i < m->manifest->attribute_count && status == TB_OK; i++) {
    const struct tb_manifest_attribute *a = &m->manifest->attributes[i];
    size_t key = sizeof(prefix) - 1 + a->key.len, most = key + a->text.len + 128;
    struct tb_buffer *out = &m->scratch;
    out->len = 0;
    status = tb_buffer_reserve(out, 3 * most);
    if (status != TB_OK) return tb_fail(&m->error, status, TB_NO_OFFSET, "out of memory");
    char *attribute = out->data, *at = tb_wire_put_varint(tb_wire_put_tag(attribute, 1, TB_WIRE_BYTES), key);
    memcpy(at, prefix, sizeof(prefix) - 1);
    if (a->key.len) memcpy(at + sizeof(prefix) - 1, a->key.ptr, a->key.len);
    at += key;
    at = a->is_text ? tb_wire_put_bytes(at, 3, a->text.ptr, a->text.len) : tb_wire_put_uint(at, 2, (uint64_t)a->number);
    char *message = out->data + most, *end = tb_wire_put_bytes(message, 1, attribute, (size_t)(at - attribute));
    char *packet = out->data + 2 * most;
    at = tb_wire_put_bytes(packet, TRACE_ATTRIBUTES, message, (size_t)(end - message));
    status = put_packet(m, packet, (size_t)(at - packet));
  }
  return status;
}

/* ---- the merge ---------------------------------------------------------------------------------------------------------------------- */

static enum tb_status report_progress(struct tb_merger *m, uint64_t *calls, uint64_t total) {
  if (!m->options.progress || ++*calls % PROGRESS_EVERY) return TB_OK;
  uint64_t done = 0;
  for (size_t i = 0; i < m->source_count; i++)
    if (m->sources[i].packets) done += tb_packets_offset(m->sources[i].packets);
  if (m->options.progress(m->options.progress_ctx, done, total)) return TB_OK;
  return tb_fail(&m->error, TB_CANCELLED, TB_NO_OFFSET, "cancelled");
}

/* Opens all sources and puts each with its first packet into the heap. The first input's first packet goes first, so that
 * readers take its machine for the host. */
static enum tb_status start(struct tb_merger *m, struct tb_kway *heap, uint64_t *total) {
  size_t count = 0;
  for (size_t i = 0; i < m->source_count; i++) count += !m->sources[i].skipped;
  bool first = true;
  for (size_t i = 0; i < m->source_count; i++) {
    struct tb_source *s = &m->sources[i];
    if (s->skipped) continue;
    *total += s->survey.bytes;
    enum tb_status status = open_source(m, s, count, count > m->options.max_open_files);
    if (status == TB_OK) status = advance(m, s);
    if (status == TB_OK)
      tb_kway_push(heap, (struct tb_kway_entry){first ? INT64_MIN : s->reached, s->index});
    else if (status != TB_END)
      return status;
    first = false;
  }
  return TB_OK;
}

static enum tb_status drain(struct tb_merger *m, struct tb_kway *heap, uint64_t total) {
  uint64_t calls = 0;
  while (heap->count) {
    struct tb_source *s = &m->sources[heap->entries[0].input];
    enum tb_status status = write_current(m, s);
    if (status == TB_OK) status = report_progress(m, &calls, total);
    if (status != TB_OK) return status;
    status = advance(m, s);
    if (status == TB_END) {
      tb_packets_close(s->packets);
      s->packets = NULL;
      tb_kway_drop_top(heap);
    } else if (status != TB_OK) {
      return status;
    } else {
      tb_kway_replace_top(heap, (struct tb_kway_entry){s->reached, s->index});
    }
  }
  return TB_OK;
}

static void report_counts(struct tb_merger *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    const struct tb_source *s = &m->sources[i];
    struct tb_merge_input_report *in = tb_source_report(m, s);
    in->flows_remapped = s->remap.flows_changed;
    in->timestamps_changed = s->remap.times_changed;
  }
  m->report->bytes_out = tb_output_bytes(m->output);
}

enum tb_status tb_merger_write(struct tb_merger *m) {
  struct tb_kway heap = {tb_alloc(m->allocator, m->source_count * sizeof(*heap.entries)), 0};
  if (!heap.entries) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  tb_buffer_init(&m->scratch, m->allocator, 0);
  uint64_t total = 0;
  enum tb_status status = start(m, &heap, &total);
  if (status == TB_OK) status = drain(m, &heap, total);
  if (status == TB_OK) status = write_attributes(m);
  report_counts(m);
  tb_buffer_free(&m->scratch);
  tb_free(m->allocator, heap.entries, m->source_count * sizeof(*heap.entries));
  return status;
}
