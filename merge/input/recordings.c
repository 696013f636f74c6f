/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/recordings.h"

#include "protos/field_numbers.h"

enum { RECORDINGS_MAX = 1 << 20, DESCRIBED_MAX = 1024 };

void tb_recordings_init(struct tb_recordings *r, const struct tb_allocator *allocator) {
  *r = (struct tb_recordings){.offsets = NULL};
  tb_recording_starts_init(&r->starts, allocator);
  tb_map_init(&r->described, allocator);
}

void tb_recordings_free(struct tb_recordings *r) {
  tb_free(r->starts.once.allocator, r->offsets, r->capacity * sizeof(*r->offsets));
  tb_map_free(&r->described);
  tb_recording_starts_free(&r->starts);
}

/* A snapshot comes before what else recordings begin with: behind that it is of another one, as of one of nothing else.
 * What the service says of itself does not begin anything. */
static void take_opening(struct tb_recordings *r, uint32_t kind, uint64_t offset) {
  bool goes_on = r->is_opening && (kind != TB_TRACE_PACKET_CLOCK_SNAPSHOT || r->opening_kind == kind);
  if (!goes_on && kind != TB_TRACE_PACKET_SERVICE_EVENT) {
    r->opening++;
    r->opening_offset = offset;
    r->is_whole = r->is_opening = true;
  }
  r->opening_kind = kind;
}

/* ---- what our writer made ---------------------------------------------------------------------------------------- */

static bool is_of_preamble(const struct tb_packet_header *head) {
  bool is_plain = head->sequence == TB_DESCRIPTOR_SEQUENCE && !head->flags && !head->cleared && !head->has_timestamp;
  return is_plain && head->kind && head->kind != TB_TRACE_PACKET_TRACK_EVENT;
}

static uint64_t described_uuid(const struct tb_packet_header *head) {
  struct tb_str descriptor = tb_packet_header_payload(head, TB_TRACE_PACKET_TRACK_DESCRIPTOR);
  struct tb_wire_cursor cursor = tb_wire_cursor(descriptor);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACK_DESCRIPTOR_UUID && field.type == TB_WIRE_VARINT) return field.value;
  return 0;
}

/* Some descriptors are behind the sequences: where the first ones come again another preamble begins. */
static enum tb_status take_preamble(struct tb_recordings *r, const struct tb_packet_header *head, uint64_t offset) {
  uint64_t uuid = described_uuid(head);
  bool again = uuid && tb_map_find(&r->described, head->machine, uuid);
  if (again) tb_map_clear(&r->described);
  if (again || !r->is_preamble) {
    r->preamble++;
    r->preamble_offset = offset;
    r->is_preamble = r->preamble_is_whole = true;
  }
  return uuid && r->described.count < DESCRIBED_MAX ? tb_map_put(&r->described, head->machine, uuid, 1) : TB_OK;
}

/* Where the recording begins that such a sequence is of, when an earlier one had it too. */
static uint64_t find_preamble(const struct tb_recordings *r, uint64_t offset) {
  uint64_t last = r->count ? r->offsets[r->count - 1] : 0;
  return r->preamble_is_whole && r->preamble_offset > last ? r->preamble_offset : offset;
}

/* ---- the recordings ---------------------------------------------------------------------------------------------- */

static enum tb_status add(struct tb_recordings *r, uint64_t offset, bool begins_here) {
  uint64_t last = r->count ? r->offsets[r->count - 1] : 0;
  if (r->is_whole && !begins_here && r->opening_offset > last) offset = r->opening_offset;
  if (offset <= last) return TB_OK;
  void *offsets = r->offsets;
  enum tb_status status = tb_grow_array(r->starts.once.allocator, &offsets, &r->capacity, r->count + 1,
                                        sizeof(*r->offsets), RECORDINGS_MAX);
  r->offsets = offsets;
  if (status == TB_OK) r->offsets[r->count++] = offset;
  return status == TB_LIMIT ? TB_OK : status;
}

static enum tb_status take_written_start(struct tb_recordings *r, const struct tb_packet_header *head,
                                         struct tb_merge_sequence *sequence, uint64_t offset) {
  bool begins;
  enum tb_status status = tb_recording_starts_take(&r->starts, head, &begins);
  if (status == TB_OK && begins) status = add(r, find_preamble(r, offset), true);
  sequence->preamble = r->preamble;
  sequence->opening = r->opening;
  r->is_opening = r->is_preamble = false;
  return status;
}

enum tb_status tb_recordings_take(struct tb_recordings *r, const struct tb_packet_header *head,
                                  struct tb_merge_sequence *sequence, bool seen, uint64_t offset) {
  bool begins = false, opens = tb_recording_may_open(head->kind);
  enum tb_status status = TB_OK;
  if (tb_recording_is_written_start(head)) return take_written_start(r, head, sequence, offset);
  if (is_of_preamble(head)) status = take_preamble(r, head, offset);
  if (status != TB_OK) return status;
  if (opens) {
    take_opening(r, head->kind, offset);
    status = tb_recording_starts_take(&r->starts, head, &begins);
  }
  /* a clock that is set back says itself that what is before it is of another recording */
  bool begins_here = begins && head->kind == TB_TRACE_PACKET_CLOCK_SNAPSHOT;
  if (head->first) {
    begins |= tb_recording_starts_sequence(&r->starts, seen, &sequence->recording);
    sequence->opening = r->opening;
  }
  if (status == TB_OK && begins) status = add(r, offset, begins_here);
  if (!opens && head->kind) tb_recordings_take_events(r, sequence);
  return status;
}

enum tb_status tb_recordings_take_other(struct tb_recordings *r, const struct tb_packet_header *head,
                                        struct tb_merge_sequence *sequence, uint64_t offset) {
  if (!is_of_preamble(head)) return tb_recordings_take_events(r, sequence), TB_OK;
  enum tb_status status = take_preamble(r, head, offset);
  bool is_whole = r->preamble_is_whole;
  tb_recordings_take_events(r, sequence);
  r->preamble_is_whole = is_whole;
  r->is_preamble = true;
  return status;
}
