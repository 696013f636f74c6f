/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread's slices that nest as they came, which is how most threads come: one stack, and no lanes. Writes what sequence_writer.c would.
 */
#include "perfetto/fields.h"
#include "perfetto/sequence_writer.h"

/* A slice that is not over. */
struct open_slice {
  int64_t end; /* of a complete slice; INT64_MAX where an END will tell */
  int64_t thread_end;
  uint64_t place;
  struct tb_slice body, end_body;
  bool complete, moment, has_thread_end;
};

struct nested_writer {
  struct tb_sequence_writer *sequence;
  struct open_slice *open; /* innermost last */
  size_t open_count, open_capacity;
};

static enum tb_status grow(struct nested_writer *n) {
  void *open = n->open;
  enum tb_status status = tb_grow_array(n->sequence->p->allocator, &open, &n->open_capacity, n->open_count + 1,
                                        sizeof(*n->open), SIZE_MAX / 128);
  n->open = open;
  return status == TB_OK ? TB_OK : tb_sequence_no_memory(n->sequence);
}

/* Opens the slice of an entry that is no END. */
static inline enum tb_status push(struct nested_writer *n, const struct tb_entry *e, uint64_t place) {
  if (n->open_count == n->open_capacity) {
    enum tb_status status = grow(n);
    if (status != TB_OK) return status;
  }
  struct open_slice *slice = &n->open[n->open_count++];
  slice->complete = e->kind != TB_ENTRY_BEGIN;
  slice->moment = slice->complete && e->kind != TB_ENTRY_COMPLETE;
  slice->end = e->kind == TB_ENTRY_COMPLETE ? tb_slice_end(e->ts, e->dur) : slice->complete ? e->ts : INT64_MAX;
  slice->has_thread_end = slice->complete && e->has_thread_ts && e->has_thread_dur;
  slice->thread_end = (int64_t)((uint64_t)e->thread_ts + (uint64_t)e->thread_dur);
  slice->place = place;
  slice->body = e->body;
  slice->end_body = e->end_body;
  return TB_OK;
}

static enum tb_status put_end(struct tb_sequence_writer *w, const struct tb_event_head *head, uint64_t place,
                              struct tb_slice body) {
  enum tb_status status = w->p->flows.any_at_end ? tb_sequence_add_end_flows(w, place) : TB_OK;
  return status == TB_OK ? tb_sequence_put_event(w, head, (struct tb_slice){NULL, 0}, body) : status;
}

static inline enum tb_status end_complete(struct nested_writer *n, const struct open_slice *slice) {
  struct tb_event_head head = {.ts = slice->end,
                               .type = TB_TRACK_EVENT_TYPE_SLICE_END,
                               .has_thread_time = slice->has_thread_end,
                               .thread_time = slice->thread_end};
  return put_end(n->sequence, &head, slice->place, slice->end_body);
}

/* Ends the complete slices that are over at `ts`. */
static inline enum tb_status end_over(struct nested_writer *n, int64_t ts, bool by_moment) {
  while (n->open_count) {
    const struct open_slice *top = &n->open[n->open_count - 1];
    if (top->end > ts || !top->complete || (by_moment && top->moment && top->end == ts)) return TB_OK;
    n->open_count--;
    enum tb_status status = end_complete(n, top);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

/* At the end of the strand: what is complete ends, and of what lies around it the source never said an end. */
static enum tb_status end_all(struct nested_writer *n) {
  enum tb_status status = TB_OK;
  bool innermost = true;
  for (size_t i = n->open_count; status == TB_OK && i-- > 0;) {
    if (!n->open[i].complete) {
      innermost = false;
      continue;
    }
    if (!innermost) status = tb_sequence_add_label(n->sequence, n->open[i].body);
    if (status == TB_OK) status = end_complete(n, &n->open[i]);
  }
  return status;
}

static inline enum tb_status put_begin(struct nested_writer *n, const struct tb_entry *e, uint64_t place) {
  struct tb_sequence_writer *w = n->sequence;
  bool instant = e->kind == TB_ENTRY_INSTANT || e->kind == TB_ENTRY_MARK, has_end = !instant || w->instants_as_moments;
  struct tb_event_head head = {.ts = e->ts,
                               .type = has_end ? TB_TRACK_EVENT_TYPE_SLICE_BEGIN : TB_TRACK_EVENT_TYPE_INSTANT,
                               .has_thread_time = e->has_thread_ts,
                               .thread_time = e->thread_ts};
  enum tb_status status = TB_OK;
  if (w->instants_as_moments && e->kind == TB_ENTRY_INSTANT) status = tb_sequence_carry_phase(w, 'i');
  if (status == TB_OK && w->flow < w->flow_end) status = tb_sequence_add_flows(w, place);
  if (status == TB_OK) status = tb_sequence_put_event(w, &head, (struct tb_slice){NULL, 0}, e->body);
  return status == TB_OK && has_end ? push(n, e, place) : status;
}

static inline enum tb_status put(struct nested_writer *n, const struct tb_entry *e, uint64_t place) {
  bool momentary = e->kind != TB_ENTRY_BEGIN && e->kind != TB_ENTRY_END && e->kind != TB_ENTRY_COMPLETE;
  enum tb_status status = end_over(n, e->ts, momentary);
  if (status != TB_OK) return status;
  if (e->kind != TB_ENTRY_END) return put_begin(n, e, place);
  struct tb_event_head head = {.ts = e->ts,
                               .type = TB_TRACK_EVENT_TYPE_SLICE_END,
                               .has_thread_time = e->has_thread_ts,
                               .thread_time = e->thread_ts};
  n->open_count--; /* the innermost slice is the one that it ends: else the strand would be tangled */
  return put_end(n->sequence, &head, n->open[n->open_count].place, e->body);
}

enum tb_status tb_sequence_write_nested(struct tb_sequence_writer *w) {
  struct nested_writer n = {.sequence = w};
  struct tb_error *error = &w->p->writer->error;
  struct tb_strand_cursor cursor;
  struct tb_entry entry;
  enum tb_status status = tb_strand_open(&w->sequence->strand, w->p->spill, &cursor, error);
  while (status == TB_OK && (status = tb_strand_next(&cursor, &entry, error)) == TB_OK) {
    if (cursor.place == 1) status = tb_sequence_put_start(w, entry.ts);
    if (status == TB_OK && entry.kind != TB_ENTRY_FLOW) status = put(&n, &entry, cursor.place - 1);
  }
  if (status == TB_END) status = end_all(&n);
  tb_strand_close(&cursor);
  tb_free(w->p->allocator, n.open, n.open_capacity * sizeof(*n.open));
  return status;
}
