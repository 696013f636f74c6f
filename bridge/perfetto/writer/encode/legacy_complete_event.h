/* SPDX-License-Identifier: Apache-2.0
 *
 * Complete slices that are written as one legacy event of phase X, without a packet for the end. Two cases need this:
 * the trace processor accepts a thread duration of 0 only there, and where an end at the same timestamp would unwind
 * the slice itself. The times of such an event are microseconds.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_LEGACY_COMPLETE_EVENT_H
#define TB_PERFETTO_WRITER_ENCODE_LEGACY_COMPLETE_EVENT_H

#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "timeline/sort_queue.h"

enum { TB_LEGACY_COMPLETE_MAX = 4 * (1 + TB_WIRE_VARINT_MAX) };

/* Whether an event's body has a legacy event of its own. */
static inline bool tb_has_legacy_event(struct tb_str body) {
  struct tb_wire_cursor cursor = tb_wire_cursor(body);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACK_EVENT_LEGACY_EVENT) return true;
  return false;
}

/* Whether a legacy event can hold all that the entry says. Ids of a thread's slice do not count: readers of protobuf
 * merge its two legacy events, and the trace processor, which takes the last, has no use for them. */
static inline bool tb_may_be_legacy_complete(const struct tb_staged_event *e) {
  if (e->kind != TB_STAGED_COMPLETE && e->kind != TB_STAGED_ZERO_LENGTH_SLICE) return false;
  if (e->dur % 1000 || e->end_body.len) return false;
  if (e->has_thread_dur && (!e->has_thread_ts || e->thread_dur % 1000)) return false;
  return e->key == 0 || !tb_has_legacy_event(e->body);
}

/* Writes the field that makes a begin of it; `at` has room for TB_LEGACY_COMPLETE_MAX bytes. Returns the byte after
 * it. */
static inline char *tb_legacy_complete_write(char *at, const struct tb_staged_event *e) {
  char fields[TB_LEGACY_COMPLETE_MAX];
  char *end = tb_wire_put_uint(fields, TB_TRACK_EVENT_LEGACY_EVENT_PHASE, 'X');
  end = tb_wire_put_uint(end, TB_TRACK_EVENT_LEGACY_EVENT_DURATION_US, (uint64_t)e->dur / 1000);
  if (e->has_thread_dur)
    end = tb_wire_put_uint(end, TB_TRACK_EVENT_LEGACY_EVENT_THREAD_DURATION_US, (uint64_t)(e->thread_dur / 1000));
  return tb_wire_put_bytes(at, TB_TRACK_EVENT_LEGACY_EVENT, fields, (size_t)(end - fields));
}

#endif
