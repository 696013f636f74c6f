/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/recordings.h"

#include "protos/field_numbers.h"

enum { RECORDINGS_MAX = 1 << 20 };

void tb_recordings_init(struct tb_recordings *r, const struct tb_allocator *allocator) {
  *r = (struct tb_recordings){.offsets = NULL};
  tb_recording_starts_init(&r->starts, allocator);
}

void tb_recordings_free(struct tb_recordings *r) {
  tb_free(r->starts.once.allocator, r->offsets, r->capacity * sizeof(*r->offsets));
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

enum tb_status tb_recordings_take(struct tb_recordings *r, const struct tb_packet_header *head,
                                  struct tb_merge_sequence *sequence, bool seen, uint64_t offset) {
  bool begins = false, opens = tb_recording_may_open(head->kind);
  enum tb_status status = TB_OK;
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
