/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/recording_starts.h"

#include "perfetto/clock/snapshot.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

#define HOUR INT64_C(3600000000000)

void tb_recording_starts_init(struct tb_recording_starts *s, const struct tb_allocator *allocator) {
  *s = (struct tb_recording_starts){.others = 0};
  tb_map_init(&s->once, allocator);
  tb_map_init(&s->clocks, allocator);
}

void tb_recording_starts_free(struct tb_recording_starts *s) {
  tb_map_free(&s->once);
  tb_map_free(&s->clocks);
}

/* What the recording before said says nothing of this one. */
static void begin(struct tb_recording_starts *s) {
  s->others++;
  s->uuid_len = 0;
  tb_map_clear(&s->once);
  tb_map_clear(&s->clocks);
}

/* Each recording has a uuid of its own. */
static bool take_uuid(struct tb_recording_starts *s, struct tb_str uuid) {
  if (!uuid.len || uuid.len > sizeof(s->uuid)) return false;
  bool begins = s->uuid_len && (s->uuid_len != uuid.len || memcmp(s->uuid, uuid.ptr, uuid.len) != 0);
  if (begins) begin(s);
  memcpy(s->uuid, uuid.ptr, uuid.len);
  s->uuid_len = uuid.len;
  return begins;
}

static enum tb_status take_once(struct tb_recording_starts *s, uint64_t whose, uint32_t kind, bool *begins) {
  *begins = tb_map_find(&s->once, whose, kind) != NULL;
  if (*begins) begin(s);
  return tb_map_put(&s->once, whose, kind, 1);
}

bool tb_service_event_says_started(struct tb_str service_event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(service_event);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACING_SERVICE_EVENT_TRACING_STARTED) return true;
  return false;
}

bool tb_service_event_says_written(struct tb_str service_event) {
  return tb_wire_has(service_event, TB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_FLUSHED) ||
         tb_wire_has(service_event, TB_TRACING_SERVICE_EVENT_READ_TRACING_BUFFERS_COMPLETED) ||
         tb_wire_has(service_event, TB_TRACING_SERVICE_EVENT_FLUSH_STARTED);
}

/* Clocks that count from the start of the system on: none is set back, but one of them may be misread. */
static bool counts_up(uint64_t clock) { return clock >= TB_CLOCK_MONOTONIC && clock <= TB_CLOCK_BOOTTIME; }

/* Whether two such clocks or more, and all that were read before, read hours less than by the snapshot before. */
static bool is_set_back(const struct tb_recording_starts *s, uint64_t whose, const struct tb_snapshot *snapshot) {
  size_t back = 0, known = 0;
  for (size_t i = 0; i < snapshot->count; i++) {
    if (!counts_up(snapshot->readings[i].key)) continue;
    const uint64_t *last = tb_map_find(&s->clocks, whose, snapshot->readings[i].key);
    known += last != NULL;
    back += last && snapshot->readings[i].ns >= 0 && (int64_t)*last - snapshot->readings[i].ns >= HOUR;
  }
  return back >= 2 && back == known;
}

bool tb_recording_is_written_start(const struct tb_packet_header *head) {
  struct tb_snapshot snapshot;
  if (head->kind != TB_TRACE_PACKET_CLOCK_SNAPSHOT || !head->cleared || !head->has_defaults || head->has_timestamp)
    return false;
  if (tb_snapshot_read(head->payload, head->sequence, &snapshot) != TB_OK || snapshot.count != 2) return false;
  const struct tb_clock_reading_raw *own = &snapshot.readings[0], *trace = &snapshot.readings[1];
  return own->incremental && tb_clock_of_sequence((uint32_t)own->key) && trace->key == snapshot.primary &&
         trace->ns == own->ns;
}

/* A snapshot that relates nothing and says only that the trace's clock is MONOTONIC, as Dart's writer begins a file. */
static bool names_monotonic(const struct tb_packet_header *head, const struct tb_snapshot *snapshot) {
  return head->sequence && !head->flags && !head->cleared && !head->has_timestamp && snapshot->count == 1 &&
         snapshot->readings[0].key == TB_CLOCK_MONOTONIC && snapshot->primary == TB_CLOCK_MONOTONIC;
}

static enum tb_status take_snapshot(struct tb_recording_starts *s, const struct tb_packet_header *head, uint64_t whose,
                                    bool *begins) {
  struct tb_snapshot snapshot;
  enum tb_status status = TB_OK;
  if (tb_recording_is_written_start(head)) return take_once(s, whose, TB_TRACE_PACKET_TRACE_PACKET_DEFAULTS, begins);
  if (tb_snapshot_read(head->payload, head->sequence, &snapshot) != TB_OK) return TB_OK;
  if (names_monotonic(head, &snapshot)) return take_once(s, whose, TB_TRACE_PACKET_CLOCK_SNAPSHOT, begins);
  *begins = is_set_back(s, whose, &snapshot);
  if (*begins) begin(s);
  for (size_t i = 0; i < snapshot.count && status == TB_OK; i++)
    if (counts_up(snapshot.readings[i].key) && snapshot.readings[i].ns >= 0)
      status = tb_map_put(&s->clocks, whose, snapshot.readings[i].key, (uint64_t)snapshot.readings[i].ns);
  return status;
}

enum tb_status tb_recording_starts_take(struct tb_recording_starts *s, const struct tb_packet_header *head,
                                        bool *begins) {
  uint64_t whose = (uint64_t)head->machine << 32 | head->sequence;
  *begins = false;
  switch (head->kind) {
    case TB_TRACE_PACKET_TRACE_UUID:
      *begins = take_uuid(s, head->payload);
      return TB_OK;
    case TB_TRACE_PACKET_TRACE_CONFIG:
    case TB_TRACE_PACKET_SYSTEM_INFO:
      return take_once(s, whose, head->kind, begins);
    case TB_TRACE_PACKET_SERVICE_EVENT:
      return tb_service_event_says_started(head->payload) ? take_once(s, whose, head->kind, begins) : TB_OK;
    case TB_TRACE_PACKET_CLOCK_SNAPSHOT:
      return take_snapshot(s, head, whose, begins);
    default:
      return TB_OK;
  }
}

bool tb_recording_starts_sequence(struct tb_recording_starts *s, bool seen, uint8_t *recording) {
  bool begins = seen && *recording == (uint8_t)s->others;
  if (begins) begin(s);
  *recording = (uint8_t)s->others;
  return begins;
}
