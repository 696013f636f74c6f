/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a tb_streamed_sequence's packets again: to take all entries back, or to give the packets one by one.
 */
#include "perfetto/writer/encode/legacy_complete_event.h"
#include "perfetto/writer/staged/streamed_sequence_internal.h"

/* ---- taking all back --------------------------------------------------------------------------------------------- */

/* Goes over chunks one after the other. */
struct packet_reading {
  const struct tb_spill_log *chunks;
  struct tb_spill_window window;
  size_t next; /* chunk */
  const char *at, *end;
};

static struct packet_reading start_reading(const struct tb_spill_log *chunks) {
  struct packet_reading r = {.chunks = chunks};
  tb_spill_window_init(&r.window, chunks->allocator);
  return r;
}

/* Sees that there is a byte to read. TB_OK, TB_END, or why a chunk cannot be looked at. */
static inline enum tb_status need_byte(struct packet_reading *r, struct tb_error *error) {
  while (r->at == r->end) {
    if (r->next == r->chunks->count) return TB_END;
    struct tb_str bytes;
    enum tb_status status = tb_spill_log_look(r->chunks, r->next, &r->window, &bytes, error);
    if (status != TB_OK) return status;
    r->next++;
    r->at = bytes.ptr;
    r->end = bytes.ptr + bytes.len;
  }
  return TB_OK;
}

/* A walk over the notes and their packets. */
struct packet_walk {
  const struct tb_streamed_sequence *streamed;
  struct packet_reading packets, notes;
  struct tb_error *error;
  int64_t ts, thread_time;
  unsigned kind;                /* enum tb_staged_kind or TB_NOTE_ENDED_ITSELF */
  bool whole;                   /* a complete slice whose packet says its end */
  struct tb_str packet;         /* empty for a point of a flow; valid for one step */
  struct tb_staged_event entry; /* of what is no end of a complete slice */
};

static struct packet_walk start_walk(const struct tb_streamed_sequence *s, struct tb_error *error) {
  return (struct packet_walk){.streamed = s,
                              .packets = start_reading(&s->packets),
                              .notes = start_reading(&s->notes),
                              .error = error,
                              .ts = s->first_ts};
}

static void end_walk(struct packet_walk *w) {
  tb_spill_window_free(&w->packets.window);
  tb_spill_window_free(&w->notes.window);
}

static const char *varint32(const char *at, uint32_t *v) {
  uint64_t wide;
  at = tb_streamed_sequence_varint(at, &wide);
  *v = (uint32_t)wide;
  return at;
}

/* An END that has no packet. */
static bool is_whole_end(const struct packet_walk *w) { return w->whole && w->kind == TB_STAGED_END; }

static int64_t thread_ts_of(const struct packet_walk *w, int64_t thread_time) {
  return w->streamed->stream.thread_times_in_us ? thread_time * 1000 : thread_time;
}

/* What is of an END without a packet. */
static const char *read_whole_end(struct packet_walk *w, const char *at) {
  uint64_t step, thread_step;
  at = tb_streamed_sequence_varint(tb_streamed_sequence_varint(at, &step), &thread_step);
  w->entry.ts = (int64_t)((uint64_t)w->ts + step);
  w->entry.thread_ts = thread_ts_of(w, (int64_t)((uint64_t)w->thread_time + thread_step));
  uint64_t len;
  at = tb_streamed_sequence_varint(at, &len);
  w->entry.body = (struct tb_str){at, (size_t)len};
  return at + len;
}

static void read_note(struct packet_walk *w) {
  const char *at = w->notes.at;
  unsigned byte = (unsigned char)*at++;
  struct tb_staged_event *e = &w->entry;
  uint64_t v;
  w->kind = byte & TB_NOTE_KIND;
  *e = (struct tb_staged_event){.kind = (uint8_t)w->kind};
  e->has_thread_ts = byte & TB_NOTE_THREAD_TS;
  e->has_thread_dur = byte & TB_NOTE_THREAD_DUR;
  e->joinable = byte & TB_NOTE_JOINABLE;
  if (w->kind == TB_STAGED_BEGIN || w->kind == TB_STAGED_END) at = varint32(varint32(at, &e->name), &e->categories);
  if (byte & TB_NOTE_FLOW) {
    at = tb_streamed_sequence_varint(at, &v);
    e->flow = (uint8_t)v;
    at = tb_streamed_sequence_varint(varint32(at, &e->flow_key), &e->order);
  }
  if (w->kind == TB_STAGED_FLOW) {
    at = tb_streamed_sequence_varint(at, &v);
    e->ts = (int64_t)((uint64_t)w->ts + v);
  }
  if (w->kind == TB_STAGED_COMPLETE) {
    at = tb_streamed_sequence_varint(at, &v);
    e->dur = (int64_t)v;
  }
  if (e->has_thread_dur) {
    at = tb_streamed_sequence_varint(at, &v);
    e->thread_dur = (int64_t)v;
  }
  w->whole = byte & TB_NOTE_WHOLE;
  if (is_whole_end(w)) at = read_whole_end(w, at);
  w->notes.at = at;
}

static size_t legacy_len(const struct tb_staged_event *e) {
  char field[TB_LEGACY_COMPLETE_MAX];
  return (size_t)(tb_legacy_complete_write(field, e) - field);
}

static void read_packet(struct packet_walk *w) {
  const struct tb_streamed_sequence *s = w->streamed;
  uint64_t v, len;
  const char *at = tb_streamed_sequence_varint(w->packets.at + 1, &len), *end = at + len;
  at = tb_streamed_sequence_varint(at + 1, &v);
  w->entry.ts = w->ts = (int64_t)((uint64_t)w->ts + v);
  at = tb_streamed_sequence_varint(at + s->stream.middle_len, &v) + 2; /* behind the type */
  if (w->entry.has_thread_ts) {
    at = tb_streamed_sequence_varint(at + 1, &v);
    w->thread_time = (int64_t)((uint64_t)w->thread_time + v);
    w->entry.thread_ts = thread_ts_of(w, w->thread_time);
  }
  w->entry.body = (struct tb_str){at, (size_t)(end - at)};
  if (w->whole) w->entry.body.len -= legacy_len(&w->entry);
  w->packet = (struct tb_str){w->packets.at, (size_t)(end - w->packets.at)};
  w->packets.at = end;
}

/* Goes to the next entry or end. TB_OK; TB_END: there is none; TB_IO or TB_NO_MEMORY. */
static enum tb_status walk_on(struct packet_walk *w) {
  enum tb_status status = need_byte(&w->notes, w->error);
  if (status != TB_OK) return status;
  read_note(w);
  w->packet.len = 0;
  if (w->kind == TB_STAGED_FLOW || is_whole_end(w)) return TB_OK;
  status = need_byte(&w->packets, w->error);
  if (status != TB_OK) return status;
  read_packet(w);
  return TB_OK;
}

enum tb_status tb_streamed_sequence_replay(struct tb_streamed_sequence *s, struct tb_str instant,
                                           enum tb_status (*take)(void *ctx, struct tb_staged_event *entry), void *ctx,
                                           struct tb_error *error) {
  struct packet_walk w = start_walk(s, error);
  enum tb_status status;
  s->closed = true;
  while ((status = walk_on(&w)) == TB_OK) {
    if (w.kind == TB_NOTE_ENDED_ITSELF) continue;
    if (w.kind == TB_STAGED_INSTANT && s->has_thread_times) w.entry.body.len -= instant.len;
    status = take(ctx, &w.entry);
    if (status != TB_OK) break;
  }
  end_walk(&w);
  tb_streamed_sequence_free(s);
  return status == TB_END ? TB_OK : status;
}

/* ---- packets one by one ------------------------------------------------------------------------------------------ */

/* The slices whose end is to come, by the places of their entries, innermost last. */
struct open_places {
  const struct tb_allocator *allocator;
  uint64_t *places;
  size_t count, capacity;
};

static enum tb_status open_place(struct open_places *open, uint64_t place) {
  void *places = open->places;
  enum tb_status status =
      tb_grow_array(open->allocator, &places, &open->capacity, open->count + 1, sizeof(*open->places), SIZE_MAX / 16);
  open->places = places;
  if (status != TB_OK) return TB_NO_MEMORY;
  open->places[open->count++] = place;
  return TB_OK;
}

static bool ends_slice(unsigned kind) { return kind == TB_STAGED_END || kind == TB_NOTE_ENDED_ITSELF; }

/* Whether the end of a slice comes in a packet of its own. */
static bool begins_slice(const struct packet_walk *w) {
  if (w->whole) return false;
  if (w->kind == TB_STAGED_INSTANT || w->kind == TB_STAGED_INSTANT_WITH_PHASE) return w->streamed->has_thread_times;
  return w->kind == TB_STAGED_BEGIN || w->kind == TB_STAGED_COMPLETE || w->kind == TB_STAGED_ZERO_LENGTH_SLICE;
}

/* The mark of a place that makes its slice whole, NULL: none; *next is the first mark that may be of it. */
static const struct tb_patch_point *whole_mark(const struct tb_streamed_sequence *s, uint64_t place, size_t *next) {
  while (*next < s->mark_count && s->marks[*next].place < place) ++*next;
  const struct tb_patch_point *mark = *next < s->mark_count ? &s->marks[*next] : NULL;
  return mark && mark->place == place && mark->dur ? mark : NULL;
}

static enum tb_status give_packet(const struct packet_walk *w, uint64_t place, size_t *mark, struct open_places *open,
                                  struct tb_packet_patcher *patcher) {
  const struct tb_patch_point *whole = ends_slice(w->kind) ? NULL : whole_mark(w->streamed, place, mark);
  if (whole) return tb_packet_patcher_put(patcher, w->packet, whole);
  unsigned sides = w->whole ? TB_STREAMED_BEGIN | TB_STREAMED_END : TB_STREAMED_BEGIN;
  enum tb_status status = TB_OK;
  if (ends_slice(w->kind)) {
    sides = TB_STREAMED_END;
    if (open->count) place = open->places[--open->count];
  } else if (begins_slice(w)) {
    status = open_place(open, place);
  }
  const struct tb_patch_point point = {.place = place, .sides = sides};
  return status == TB_OK ? tb_packet_patcher_put(patcher, w->packet, &point) : status;
}

enum tb_status tb_streamed_sequence_each_packet(struct tb_streamed_sequence *s,
                                                const struct tb_streamed_sequence_sink *sink, struct tb_error *error) {
  struct open_places open = {.allocator = s->allocator};
  struct packet_walk w = start_walk(s, error);
  struct tb_packet_patcher patcher = tb_packet_patcher(s, sink, error);
  enum tb_status status;
  size_t mark = 0;
  tb_streamed_sequence_sort_marks(s);
  for (uint64_t place = 0; (status = walk_on(&w)) == TB_OK;) {
    uint64_t own = place;
    if (w.kind != TB_NOTE_ENDED_ITSELF) place++;
    if (w.packet.len) status = give_packet(&w, own, &mark, &open, &patcher);
    if (status != TB_OK) break;
  }
  end_walk(&w);
  tb_spill_window_free(&patcher.notes);
  tb_free(open.allocator, open.places, open.capacity * sizeof(*open.places));
  return status == TB_END ? TB_OK : status;
}
