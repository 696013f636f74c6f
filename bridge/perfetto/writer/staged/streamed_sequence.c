/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/staged/streamed_sequence.h"

#include <stdlib.h>

#include "perfetto/writer/encode/legacy_complete_event.h"
#include "perfetto/writer/encode/packet_sink.h"
#include "perfetto/writer/staged/streamed_sequence_internal.h"
#include "timeline/entry_rank.h"

enum { NOTE_MAX = 1 + 8 * TB_WIRE_VARINT_MAX };

void tb_streamed_sequence_init(struct tb_streamed_sequence *s, const struct tb_allocator *allocator,
                               uint32_t sequence_id) {
  *s = (struct tb_streamed_sequence){
      .allocator = allocator, .last_ts = INT64_MIN, .last_rank = INT64_MAX, .only_inner = true};
  tb_packet_delta_init(&s->stream, sequence_id);
  tb_spill_log_init(&s->packets, allocator);
  tb_spill_log_init(&s->notes, allocator);
}

void tb_streamed_sequence_free(struct tb_streamed_sequence *s) {
  if (!s->allocator) return;
  tb_spill_log_free(&s->packets);
  tb_spill_log_free(&s->notes);
  tb_free(s->allocator, s->open, s->open_capacity * sizeof(*s->open));
  tb_free(s->allocator, s->marks, s->mark_capacity * sizeof(*s->marks));
  *s = (struct tb_streamed_sequence){.allocator = s->allocator, .closed = true};
}

enum tb_status tb_streamed_sequence_spill(struct tb_streamed_sequence *s, struct tb_spill_file *file,
                                          struct tb_error *error) {
  enum tb_status status = tb_spill_log_spill(&s->packets, file, error);
  return status == TB_OK ? tb_spill_log_spill(&s->notes, file, error) : status;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* Makes room for a packet and its note. */
static inline enum tb_status make_room(struct tb_streamed_sequence *s, size_t fields) {
  enum tb_status status = tb_spill_log_room(&s->packets, TB_EVENT_PACKET_ROOM + fields);
  return status == TB_OK ? tb_spill_log_room(&s->notes, NOTE_MAX) : status;
}

/* Notes an entry, or the end of a complete slice. Room for NOTE_MAX bytes is there. */
static inline void note(struct tb_streamed_sequence *s, unsigned kind, const struct tb_staged_event *e) {
  char *head = s->notes.at, *at = head + 1;
  if (e) {
    kind |= (e->has_thread_ts ? TB_NOTE_THREAD_TS : 0) | (e->has_thread_dur ? TB_NOTE_THREAD_DUR : 0);
    if (e->kind == TB_STAGED_BEGIN || e->kind == TB_STAGED_END)
      at = tb_wire_put_varint(tb_wire_put_varint(at, e->name), e->categories);
    if (e->flow) {
      kind |= TB_NOTE_FLOW;
      at = tb_wire_put_varint(tb_wire_put_varint(tb_wire_put_varint(at, e->flow), e->flow_key), e->order);
    }
    if (e->kind == TB_STAGED_FLOW) at = tb_wire_put_varint(at, (uint64_t)e->ts - (uint64_t)s->stream.last_ts);
    if (e->kind == TB_STAGED_COMPLETE) at = tb_wire_put_varint(at, (uint64_t)e->dur);
    if (e->has_thread_dur) at = tb_wire_put_varint(at, (uint64_t)e->thread_dur);
    if (e->joinable) kind |= TB_NOTE_JOINABLE;
  }
  *head = (char)kind;
  s->notes.at = at;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static enum tb_status end_complete(struct tb_streamed_sequence *s, const struct tb_streamed_slice *slice,
                                   struct tb_str label) {
  if (make_room(s, label.len) != TB_OK) return TB_NO_MEMORY;
  struct tb_event_head head = {.ts = slice->end,
                               .type = TB_TRACK_EVENT_TYPE_SLICE_END,
                               .has_thread_time = slice->has_thread_end,
                               .thread_time = slice->thread_end};
  struct tb_open_packet open;
  char *at = tb_event_packet_begin(&s->stream, s->packets.at, &head, &open);
  if (label.len) at = tb_packet_put_bytes(at, label);
  s->packets.at = tb_event_packet_end(&open, at);
  note(s, TB_NOTE_ENDED_ITSELF | (slice->has_thread_end ? TB_NOTE_THREAD_TS : 0), NULL);
  return TB_OK;
}

/* The slices that an entry at `ts` leaves open: *count of them. False where slices would have to be cut. */
static inline bool find_open(const struct tb_streamed_sequence *s, int64_t ts, bool momentary, size_t *count) {
  size_t n = s->open_count;
  for (; n; n--) {
    const struct tb_streamed_slice *top = &s->open[n - 1];
    if (top->end > ts || (momentary && top->begin == ts && top->end == ts)) break;
  }
  *count = n;
  return n == 0 || s->open[n - 1].first_end >= ts;
}

static inline enum tb_status end_closed(struct tb_streamed_sequence *s, size_t left_open) {
  while (s->open_count > left_open) {
    const struct tb_streamed_slice *top = &s->open[s->open_count - 1];
    if (!top->silent && end_complete(s, top, (struct tb_str){NULL, 0}) != TB_OK) return TB_NO_MEMORY;
    s->open_count--;
  }
  return TB_OK;
}

static enum tb_status grow_open(struct tb_streamed_sequence *s) {
  void *open = s->open;
  enum tb_status status =
      tb_grow_array(s->allocator, &open, &s->open_capacity, s->open_count + 1, sizeof(*s->open), SIZE_MAX / 128);
  s->open = open;
  return status == TB_OK ? TB_OK : TB_NO_MEMORY;
}

static inline int64_t end_of(const struct tb_staged_event *e) {
  return e->kind == TB_STAGED_BEGIN ? INT64_MAX : e->kind == TB_STAGED_COMPLETE ? tb_slice_end(e->ts, e->dur) : e->ts;
}

static inline void push(struct tb_streamed_sequence *s, const struct tb_staged_event *e, bool has_end,
                        const char *packet, struct tb_str body) {
  struct tb_streamed_slice *slice = &s->open[s->open_count];
  slice->begin = e->ts;
  slice->end = slice->first_end = end_of(e);
  if (s->open_count && slice[-1].first_end < slice->end) slice->first_end = slice[-1].first_end;
  slice->silent = !has_end;
  slice->place = s->total - 1;
  slice->name = e->name;
  slice->categories = e->categories;
  slice->has_thread_end = e->has_thread_ts && (e->kind == TB_STAGED_BEGIN || e->has_thread_dur);
  slice->thread_end = (int64_t)((uint64_t)e->thread_ts + (uint64_t)e->thread_dur);
  slice->packet = tb_spill_log_position(&s->packets, packet);
  slice->body = tb_spill_log_position(&s->packets, body.ptr);
  slice->body_len = body.len;
  s->open_count++;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

/* Whether thread times of an entry go with what was written. Notes that there are some. */
static inline bool take_thread_times(struct tb_streamed_sequence *s, bool in_us) {
  if (s->has_thread_times) return s->stream.thread_times_in_us == in_us;
  if (s->has_instants) return false;
  s->has_thread_times = true;
  s->stream.thread_times_in_us = in_us;
  return true;
}

static enum tb_status mark(struct tb_streamed_sequence *s, const struct tb_patch_point *point) {
  void *marks = s->marks;
  enum tb_status status =
      tb_grow_array(s->allocator, &marks, &s->mark_capacity, s->mark_count + 1, sizeof(*s->marks), SIZE_MAX / 64);
  s->marks = marks;
  if (status != TB_OK) return TB_NO_MEMORY;
  s->marks[s->mark_count++] = *point;
  return TB_OK;
}

/* Marks the newest packet where it is large. */
static inline enum tb_status mark_large(struct tb_streamed_sequence *s, const char *packet, unsigned sides) {
  if (s->packets.at - packet <= TB_PACKET_LARGE) return TB_OK;
  const struct tb_patch_point point = {
      .place = s->total - 1, .packet = tb_spill_log_position(&s->packets, packet), .sides = sides};
  return mark(s, &point);
}

/* Takes an END of which tb_is_without_thread_time is true: its slice's BEGIN is to say it too. */
__attribute__((noinline)) static enum tb_status put_whole_end(struct tb_streamed_sequence *s,
                                                              const struct tb_staged_event *e) {
  const struct tb_streamed_slice *begin = &s->open[--s->open_count];
  if (tb_spill_log_room(&s->notes, NOTE_MAX + e->body.len) != TB_OK) return TB_NO_MEMORY;
  note(s, e->kind | TB_NOTE_WHOLE, e);
  int64_t thread_time = s->stream.thread_times_in_us ? e->thread_ts / 1000 : e->thread_ts;
  s->notes.at = tb_wire_put_varint(s->notes.at, (uint64_t)e->ts - (uint64_t)s->stream.last_ts);
  s->notes.at = tb_wire_put_varint(s->notes.at, (uint64_t)thread_time - (uint64_t)s->stream.last_thread_time);
  s->notes.at = tb_wire_put_varint(s->notes.at, e->body.len);
  const struct tb_patch_point point = {.place = begin->place,
                                       .packet = begin->packet,
                                       .sides = TB_STREAMED_BEGIN | TB_STREAMED_END,
                                       .dur = e->ts - begin->begin,
                                       .end_body = tb_spill_log_position(&s->notes, s->notes.at),
                                       .end_body_len = e->body.len};
  s->notes.at = tb_packet_put_bytes(s->notes.at, e->body);
  return mark(s, &point);
}

static enum tb_status put_end(struct tb_streamed_sequence *s, const struct tb_staged_event *e) {
  const struct tb_streamed_slice *begin = &s->open[s->open_count - 1];
  if (begin->has_thread_end && s->last_begin_ts < e->ts &&
      tb_is_without_thread_time(begin->begin, begin->thread_end, e))
    return put_whole_end(s, e);
  if (make_room(s, e->body.len) != TB_OK) return TB_NO_MEMORY;
  struct tb_event_head head = {.ts = e->ts,
                               .type = TB_TRACK_EVENT_TYPE_SLICE_END,
                               .has_thread_time = e->has_thread_ts,
                               .thread_time = e->thread_ts};
  const char *packet = s->packets.at;
  struct tb_open_packet open;
  char *at = tb_event_packet_begin(&s->stream, s->packets.at, &head, &open);
  s->packets.at = tb_event_packet_end(&open, tb_packet_put_bytes_ahead(at, e->body));
  note(s, e->kind, e);
  s->open_count--;
  return mark_large(s, packet, 0);
}

static enum tb_status put_begin(struct tb_streamed_sequence *s, const struct tb_staged_event *e,
                                struct tb_str instant) {
  bool is_instant = e->kind == TB_STAGED_INSTANT || e->kind == TB_STAGED_INSTANT_WITH_PHASE;
  bool has_end = !is_instant || s->has_thread_times;
  bool whole = e->has_thread_dur && !e->thread_dur && tb_may_be_legacy_complete(e);
  char legacy[TB_LEGACY_COMPLETE_MAX];
  struct tb_str extra = {NULL, 0};
  if (e->kind == TB_STAGED_INSTANT && has_end) extra = instant;
  if (whole) extra = (struct tb_str){legacy, (size_t)(tb_legacy_complete_write(legacy, e) - legacy)};
  if (s->open_count == s->open_capacity && grow_open(s) != TB_OK) return TB_NO_MEMORY;
  if (make_room(s, e->body.len + extra.len) != TB_OK) return TB_NO_MEMORY;
  struct tb_event_head head = {.ts = e->ts,
                               .type = has_end ? TB_TRACK_EVENT_TYPE_SLICE_BEGIN : TB_TRACK_EVENT_TYPE_INSTANT,
                               .has_thread_time = e->has_thread_ts,
                               .thread_time = e->thread_ts};
  const char *packet = s->packets.at;
  struct tb_open_packet open;
  char *at = tb_event_packet_begin(&s->stream, s->packets.at, &head, &open);
  at = tb_packet_put_bytes_ahead(at, e->body);
  if (extra.len) at = tb_packet_put_bytes(at, extra);
  s->packets.at = tb_event_packet_end(&open, at);
  note(s, e->kind | (whole ? TB_NOTE_WHOLE : 0), e);
  push(s, e, has_end && !whole, packet, (struct tb_str){s->packets.at - extra.len - e->body.len, e->body.len});
  if (!has_end) s->has_instants = true;
  s->last_begin_ts = e->ts;
  return mark_large(s, packet, TB_STREAMED_BEGIN);
}

/* Whether the slices that `e` leaves open let it in, `left_open` of them; *early where it ends an earlier one. */
static inline bool nests(const struct tb_streamed_sequence *s, const struct tb_staged_event *e, size_t left_open,
                         bool *sorts_first) {
  const struct tb_streamed_slice *top = left_open ? &s->open[left_open - 1] : NULL;
  if (e->kind != TB_STAGED_END)
    return !top || e->kind == TB_STAGED_BEGIN ||
           (top->end == INT64_MAX ? e->kind != TB_STAGED_COMPLETE || top->first_end != e->ts : end_of(e) <= top->end);
  if (!top || top->end != INT64_MAX) return false;
  *sorts_first = top->begin < e->ts;
  return (!e->name || e->name == top->name) && (!e->categories || e->categories == top->categories);
}

static enum tb_status put_flow(struct tb_streamed_sequence *s, const struct tb_staged_event *e) {
  if (make_room(s, 0) != TB_OK) return TB_NO_MEMORY;
  note(s, e->kind, e);
  return TB_OK;
}

/* Whether `e` is in order after what is there, and nests; *left_open is then how many slices it leaves open. */
static inline bool is_streamed(struct tb_streamed_sequence *s, const struct tb_staged_event *e, bool in_us,
                               size_t *left_open) {
  *left_open =
      s->open_count; /* closed slices stay, for points of flows: only the begin and the end of slices take it off */
  bool sorts_first = false, point = e->kind == TB_STAGED_FLOW;
  const unsigned lasting = 1U << TB_STAGED_BEGIN | 1U << TB_STAGED_END | 1U << TB_STAGED_COMPLETE;
  bool momentary = !(1U << e->kind & lasting);
  if (e->key || e->end_body.len || e->ts < s->last_ts) return false;
  if (!point && (!find_open(s, e->ts, momentary, left_open) || !nests(s, e, *left_open, &sorts_first))) return false;
  int64_t rank = tb_entry_rank(e, sorts_first);
  bool goes_before = !tb_entry_in_order(s->last_ts, s->last_rank, e->ts, rank);
  if (goes_before && !(sorts_first && s->only_inner)) return false;
  if (e->has_thread_ts && !take_thread_times(s, in_us)) return false;
  if (e->ts != s->last_ts) s->only_inner = true;
  if (e->kind == TB_STAGED_COMPLETE || (e->kind == TB_STAGED_ZERO_LENGTH_SLICE && s->complete_first))
    s->only_inner = false;
  s->last_rank = rank;
  return true;
}

enum tb_status tb_streamed_sequence_put(struct tb_streamed_sequence *s, const struct tb_staged_event *e, bool in_us,
                                        struct tb_str instant) {
  size_t left_open;
  if (!is_streamed(s, e, in_us, &left_open)) {
    s->closed = true;
    return TB_OK;
  }
  if (!s->total) s->first_ts = s->stream.last_ts = e->ts;
  s->last_ts = e->ts;
  s->total++;
  if (e->kind == TB_STAGED_FLOW) return put_flow(s, e);
  if (end_closed(s, left_open) != TB_OK) return TB_NO_MEMORY;
  return e->kind == TB_STAGED_END ? put_end(s, e) : put_begin(s, e, instant);
}

bool tb_streamed_sequence_top(const struct tb_streamed_sequence *s, struct tb_stack_frame_ref *top) {
  if (!s->open_count) return false;
  const struct tb_streamed_slice *slice = &s->open[s->open_count - 1];
  *top = (struct tb_stack_frame_ref){.open = {.ts = slice->begin}, .place = slice->place};
  return true;
}

enum tb_status tb_streamed_sequence_mark_top(struct tb_streamed_sequence *s) {
  const struct tb_streamed_slice *slice = s->open_count ? &s->open[s->open_count - 1] : NULL;
  if (!slice || (s->mark_count && s->marks[s->mark_count - 1].place == slice->place)) return TB_OK;
  const struct tb_patch_point point = {.place = slice->place, .packet = slice->packet, .sides = TB_STREAMED_BEGIN};
  return mark(s, &point);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* The name and categories at the beginning of a slice's body. */
static struct tb_str label_of(struct tb_str body) {
  struct tb_wire_cursor cursor = tb_wire_cursor(body);
  struct tb_wire_field field;
  size_t len = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK &&
         (field.number == TB_TRACK_EVENT_NAME_IID || field.number == TB_TRACK_EVENT_CATEGORY_IIDS))
    len = (size_t)(cursor.at - body.ptr);
  return (struct tb_str){body.ptr, len};
}

/* Ends a complete slice that is around one that the source never ends: the end says which slice it is for. */
static enum tb_status end_outer(struct tb_streamed_sequence *s, const struct tb_streamed_slice *slice,
                                struct tb_spill_window *window, struct tb_error *error) {
  struct tb_str body;
  enum tb_status status = tb_spill_log_bytes(&s->packets, slice->body, slice->body_len, window, &body, error);
  return status == TB_OK ? end_complete(s, slice, label_of(body)) : status;
}

enum tb_status tb_streamed_sequence_finish(struct tb_streamed_sequence *s, struct tb_error *error) {
  bool innermost = true;
  enum tb_status status = TB_OK;
  struct tb_spill_window window;
  tb_spill_window_init(&window, s->allocator);
  for (size_t i = s->open_count; status == TB_OK && i-- > 0;) {
    const struct tb_streamed_slice *slice = &s->open[i];
    if (slice->end == INT64_MAX)
      innermost = false;
    else if (!slice->silent)
      status = innermost ? end_complete(s, slice, (struct tb_str){NULL, 0}) : end_outer(s, slice, &window, error);
  }
  tb_spill_window_free(&window);
  s->open_count = 0;
  return status;
}

static int compare_marks(const void *a, const void *b) {
  const struct tb_patch_point *x = a, *y = b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  return x->dur > y->dur ? -1 : x->dur < y->dur; /* what makes it whole comes first */
}

void tb_streamed_sequence_sort_marks(struct tb_streamed_sequence *s) {
  size_t sorted = 1;
  while (sorted < s->mark_count && compare_marks(&s->marks[sorted - 1], &s->marks[sorted]) <= 0) sorted++;
  if (sorted < s->mark_count) qsort(s->marks, s->mark_count, sizeof(*s->marks), compare_marks);
}

struct tb_packet_patcher tb_packet_patcher(const struct tb_streamed_sequence *s,
                                           const struct tb_streamed_sequence_sink *sink, struct tb_error *error) {
  struct tb_packet_patcher patcher = {.streamed = s, .sink = sink, .error = error};
  tb_spill_window_init(&patcher.notes, s->allocator);
  return patcher;
}

enum tb_status tb_packet_patcher_put(struct tb_packet_patcher *p, struct tb_str packet,
                                     const struct tb_patch_point *mark) {
  char legacy[TB_LEGACY_COMPLETE_MAX];
  struct tb_str fields = {legacy, 0}, end_args = {NULL, 0};
  const struct tb_staged_event slice = {.dur = mark->dur, .has_thread_dur = true};
  if (mark->dur) fields.len = (size_t)(tb_legacy_complete_write(legacy, &slice) - legacy);
  if (mark->end_body_len) {
    enum tb_status status =
        tb_spill_log_bytes(&p->streamed->notes, mark->end_body, mark->end_body_len, &p->notes, &end_args, p->error);
    if (status != TB_OK) return status;
  }
  return p->sink->packet(p->sink->ctx, packet, mark->place, mark->sides, fields, end_args);
}

static enum tb_status give_bytes(const struct tb_streamed_sequence_sink *sink, const char *from, const char *to) {
  return from == to ? TB_OK : sink->packets(sink->ctx, (struct tb_str){from, (size_t)(to - from)});
}

/* Gives the packets of a chunk, of which the first has the position `start`; *mark is the first mark that may be in
 * it. */
static enum tb_status give_chunk(const struct tb_streamed_sequence *s, struct tb_str bytes, uint64_t start,
                                 size_t *mark, struct tb_packet_patcher *patcher) {
  const char *at = bytes.ptr, *end = at + bytes.len;
  enum tb_status status = TB_OK;
  for (; status == TB_OK && *mark < s->mark_count; ++*mark) {
    const struct tb_patch_point *m = &s->marks[*mark];
    if (*mark && m->place == m[-1].place) continue;
    if (m->packet - start >= bytes.len) break;
    const char *packet = bytes.ptr + (m->packet - start);
    uint64_t len;
    const char *packet_end = tb_streamed_sequence_varint(packet + 1, &len) + len;
    status = give_bytes(patcher->sink, at, packet);
    if (status == TB_OK)
      status = tb_packet_patcher_put(patcher, (struct tb_str){packet, (size_t)(packet_end - packet)}, m);
    at = packet_end;
  }
  return status == TB_OK ? give_bytes(patcher->sink, at, end) : status;
}

enum tb_status tb_streamed_sequence_emit(struct tb_streamed_sequence *s, const struct tb_streamed_sequence_sink *sink,
                                         struct tb_error *error) {
  tb_streamed_sequence_sort_marks(s);
  size_t mark = 0;
  enum tb_status status = TB_OK;
  struct tb_spill_window window;
  tb_spill_window_init(&window, s->allocator);
  struct tb_packet_patcher patcher = tb_packet_patcher(s, sink, error);
  for (size_t i = 0; status == TB_OK && i < s->packets.count; i++) {
    struct tb_str bytes;
    status = tb_spill_log_look(&s->packets, i, &window, &bytes, error);
    if (status == TB_OK) status = give_chunk(s, bytes, s->packets.list[i].start, &mark, &patcher);
    tb_spill_log_drop(&s->packets, i);
  }
  tb_spill_window_free(&patcher.notes);
  tb_spill_window_free(&window);
  return status;
}
