/* SPDX-License-Identifier: Apache-2.0
 *
 * The notes: for each packet, and each point of a flow, which has none, a byte: the kind (enum tb_entry_kind, or ENDED_ITSELF for the end of
 * a complete slice), NOTE_THREAD_TS, NOTE_THREAD_DUR, NOTE_FLOW. Then, as varints: name and categories of a BEGIN or an END; what a flow
 * does, its key and its order; of a point of a flow its ts less that of the packet before; with NOTE_WHOLE, of a slice that legacy_complete.h
 * speaks of, its dur.
 */
#include "perfetto/straight.h"

#include <stdlib.h>

#include "perfetto/legacy_complete.h"

enum { FIRST_CHUNK = 512, LARGEST_CHUNK = 256 * 1024, NOTE_MAX = 1 + 7 * TB_WIRE_VARINT_MAX };
enum {
  ENDED_ITSELF = TB_ENTRY_COUNTER,
  NOTE_KIND = 7,
  NOTE_THREAD_TS = 8,
  NOTE_THREAD_DUR = 16,
  NOTE_FLOW = 32,
  NOTE_WHOLE = 64
};

struct tb_straight_chunk {
  struct tb_straight_chunk *next;
  size_t size, used; /* bytes of the block; bytes of packets, set when the chunk is full */
};

struct tb_straight_slice {
  int64_t begin;
  int64_t end;       /* of a complete slice; INT64_MAX where an END will tell */
  int64_t first_end; /* the first end of this slice and those around it */
  int64_t thread_end;
  uint64_t place; /* among the entries */
  uint32_t name, categories;
  bool has_thread_end;
  bool silent;        /* an instant, or its packet says its end: nothing is written there */
  const char *packet; /* that of its begin */
  struct tb_slice body;
};

struct tb_straight_mark {
  uint64_t place;
  const char *packet;
};

static char *chunk_packets(const struct tb_straight_chunk *chunk) { return (char *)(uintptr_t)(chunk + 1); }

static size_t chunk_used(const struct tb_straight *s, const struct tb_straight_chunk *chunk) {
  return chunk == s->last ? (size_t)(s->at - chunk_packets(chunk)) : chunk->used;
}

void tb_straight_init(struct tb_straight *s, const struct tb_allocator *allocator, uint32_t sequence_id) {
  *s = (struct tb_straight){.allocator = allocator};
  tb_packet_stream_init(&s->stream, sequence_id);
  tb_buffer_init(&s->notes, allocator, 0);
}

static void free_chunks(struct tb_straight *s) {
  for (struct tb_straight_chunk *c = s->first, *next; c; c = next) {
    next = c->next;
    tb_free(s->allocator, c, c->size);
  }
  s->first = s->last = NULL;
  s->at = s->end = NULL;
  s->bytes = 0;
}

void tb_straight_free(struct tb_straight *s) {
  if (!s->allocator) return;
  free_chunks(s);
  tb_buffer_free(&s->notes);
  tb_free(s->allocator, s->open, s->open_capacity * sizeof(*s->open));
  tb_free(s->allocator, s->marks, s->mark_capacity * sizeof(*s->marks));
  *s = (struct tb_straight){.allocator = s->allocator, .over = true};
}

/* ---- packets -------------------------------------------------------------------------------------------------------------------------- */

static enum tb_status add_chunk(struct tb_straight *s, size_t need) {
  size_t size = s->last ? s->last->size * 2 : FIRST_CHUNK;
  if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
  if (need > SIZE_MAX / 2) return TB_NO_MEMORY;
  if (size < need + sizeof(struct tb_straight_chunk)) size = need + sizeof(struct tb_straight_chunk);
  struct tb_straight_chunk *chunk = tb_alloc(s->allocator, size);
  if (!chunk) return TB_NO_MEMORY;
  *chunk = (struct tb_straight_chunk){.size = size};
  if (s->last) {
    s->last->used = chunk_used(s, s->last);
    s->last->next = chunk;
  } else {
    s->first = chunk;
  }
  s->last = chunk;
  s->at = chunk_packets(chunk);
  s->end = (char *)chunk + size;
  s->bytes += size;
  return TB_OK;
}

/* Makes room for a packet and its note. */
static inline enum tb_status make_room(struct tb_straight *s, size_t fields) {
  size_t need = TB_EVENT_PACKET_ROOM + fields;
  if (need > (size_t)(s->end - s->at) && add_chunk(s, need) != TB_OK) return TB_NO_MEMORY;
  if (s->notes.capacity - s->notes.len >= NOTE_MAX) return TB_OK;
  size_t before = s->notes.capacity;
  enum tb_status status = tb_buffer_reserve(&s->notes, NOTE_MAX);
  s->bytes += s->notes.capacity - before;
  return status == TB_OK ? TB_OK : TB_NO_MEMORY;
}

/* Notes an entry, or the end of a complete slice. Room for NOTE_MAX bytes is there. */
static inline void note(struct tb_straight *s, unsigned kind, const struct tb_entry *e) {
  char *at = s->notes.data + s->notes.len, *head = at++;
  if (e) {
    kind |= (e->has_thread_ts ? NOTE_THREAD_TS : 0) | (e->has_thread_dur ? NOTE_THREAD_DUR : 0);
    if (e->kind == TB_ENTRY_BEGIN || e->kind == TB_ENTRY_END)
      at = tb_wire_put_varint(tb_wire_put_varint(at, e->name), e->categories);
    if (e->flow) {
      kind |= NOTE_FLOW;
      at = tb_wire_put_varint(tb_wire_put_varint(tb_wire_put_varint(at, e->flow), e->flow_key), e->order);
    }
    if (e->kind == TB_ENTRY_FLOW) at = tb_wire_put_varint(at, (uint64_t)e->ts - (uint64_t)s->stream.last_ts);
    if (kind & NOTE_WHOLE) at = tb_wire_put_varint(at, (uint64_t)e->dur);
  }
  *head = (char)kind;
  s->notes.len = (size_t)(at - s->notes.data);
}

/* ---- slices ---------------------------------------------------------------------------------------------------------------------------- */

static enum tb_status end_complete(struct tb_straight *s, const struct tb_straight_slice *slice,
                                   struct tb_slice label) {
  if (make_room(s, label.len) != TB_OK) return TB_NO_MEMORY;
  struct tb_event_head head = {.ts = slice->end,
                               .type = TB_TRACK_EVENT_TYPE_SLICE_END,
                               .has_thread_time = slice->has_thread_end,
                               .thread_time = slice->thread_end};
  s->at =
      tb_event_packet_write(&s->stream, s->at, &head, (struct tb_slice){NULL, 0}, label, (struct tb_slice){NULL, 0});
  note(s, ENDED_ITSELF | (slice->has_thread_end ? NOTE_THREAD_TS : 0), NULL);
  return TB_OK;
}

/* The slices that an entry at `ts` leaves open: *count of them. False where slices would have to be cut. */
static inline bool find_open(const struct tb_straight *s, int64_t ts, bool momentary, size_t *count) {
  size_t n = s->open_count;
  for (; n; n--) {
    const struct tb_straight_slice *top = &s->open[n - 1];
    if (top->end > ts || (momentary && top->begin == ts && top->end == ts)) break;
  }
  *count = n;
  return n == 0 || s->open[n - 1].first_end >= ts;
}

static inline enum tb_status end_over(struct tb_straight *s, size_t left_open) {
  while (s->open_count > left_open) {
    const struct tb_straight_slice *top = &s->open[s->open_count - 1];
    if (!top->silent && end_complete(s, top, (struct tb_slice){NULL, 0}) != TB_OK) return TB_NO_MEMORY;
    s->open_count--;
  }
  return TB_OK;
}

static enum tb_status grow_open(struct tb_straight *s) {
  void *open = s->open;
  enum tb_status status =
      tb_grow_array(s->allocator, &open, &s->open_capacity, s->open_count + 1, sizeof(*s->open), SIZE_MAX / 128);
  s->open = open;
  return status == TB_OK ? TB_OK : TB_NO_MEMORY;
}

static inline bool is_instant(const struct tb_entry *e) {
  return e->kind == TB_ENTRY_INSTANT || e->kind == TB_ENTRY_MARK;
}

static inline int64_t end_of(const struct tb_entry *e) {
  return e->kind == TB_ENTRY_BEGIN ? INT64_MAX : e->kind == TB_ENTRY_COMPLETE ? tb_slice_end(e->ts, e->dur) : e->ts;
}

static inline void push(struct tb_straight *s, const struct tb_entry *e, bool has_end, const char *packet,
                        struct tb_slice body) {
  struct tb_straight_slice *slice = &s->open[s->open_count];
  slice->begin = e->ts;
  slice->end = slice->first_end = end_of(e);
  if (s->open_count && slice[-1].first_end < slice->end) slice->first_end = slice[-1].first_end;
  slice->silent = !has_end;
  slice->place = s->total - 1;
  slice->name = e->name;
  slice->categories = e->categories;
  slice->has_thread_end = e->kind != TB_ENTRY_BEGIN && e->has_thread_ts && e->has_thread_dur;
  slice->thread_end = (int64_t)((uint64_t)e->thread_ts + (uint64_t)e->thread_dur);
  slice->packet = packet;
  slice->body = body;
  s->open_count++;
}

/* ---- entries --------------------------------------------------------------------------------------------------------------------------- */

/* Whether what an entry says of thread times goes with what was written. Notes that there are some. */
static inline bool take_thread_times(struct tb_straight *s, const struct tb_entry *e, bool in_us) {
  if (!e->has_thread_ts) return true;
  if (s->has_thread_times) return s->stream.thread_times_in_us == in_us;
  if (s->has_instants) return false;
  s->has_thread_times = true;
  s->stream.thread_times_in_us = in_us;
  return true;
}

/* The order among entries of one time, as tb_strand has it: the greater comes first. */
static inline int64_t rank_of(const struct tb_entry *e, bool early) {
  return early ? INT64_MAX : e->kind == TB_ENTRY_COMPLETE ? e->dur : -1;
}

static enum tb_status put_end(struct tb_straight *s, const struct tb_entry *e) {
  if (make_room(s, e->body.len) != TB_OK) return TB_NO_MEMORY;
  struct tb_event_head head = {.ts = e->ts,
                               .type = TB_TRACK_EVENT_TYPE_SLICE_END,
                               .has_thread_time = e->has_thread_ts,
                               .thread_time = e->thread_ts};
  s->at =
      tb_event_packet_write(&s->stream, s->at, &head, (struct tb_slice){NULL, 0}, e->body, (struct tb_slice){NULL, 0});
  note(s, e->kind, e);
  s->open_count--;
  return TB_OK;
}

static enum tb_status put_begin(struct tb_straight *s, const struct tb_entry *e, struct tb_slice instant) {
  bool has_end = !is_instant(e) || s->has_thread_times, whole = tb_is_legacy_complete(e);
  char legacy[TB_LEGACY_COMPLETE_MAX];
  struct tb_slice extra = {NULL, 0};
  if (e->kind == TB_ENTRY_INSTANT && has_end) extra = instant;
  if (whole) extra = (struct tb_slice){legacy, (size_t)(tb_legacy_complete_write(legacy, e->dur) - legacy)};
  if (s->open_count == s->open_capacity && grow_open(s) != TB_OK) return TB_NO_MEMORY;
  if (make_room(s, e->body.len + extra.len) != TB_OK) return TB_NO_MEMORY;
  struct tb_event_head head = {.ts = e->ts,
                               .type = has_end ? TB_TRACK_EVENT_TYPE_SLICE_BEGIN : TB_TRACK_EVENT_TYPE_INSTANT,
                               .has_thread_time = e->has_thread_ts,
                               .thread_time = e->thread_ts};
  const char *packet = s->at;
  s->at = tb_event_packet_write(&s->stream, s->at, &head, (struct tb_slice){NULL, 0}, e->body, extra);
  note(s, e->kind | (whole ? NOTE_WHOLE : 0), e);
  push(s, e, has_end && !whole, packet, (struct tb_slice){s->at - extra.len - e->body.len, e->body.len});
  if (!has_end) s->has_instants = true;
  return TB_OK;
}

/* Whether the slices that `e` leaves open let it in, `left_open` of them; *early where it ends an earlier one. */
static inline bool nests(const struct tb_straight *s, const struct tb_entry *e, size_t left_open, bool *early) {
  const struct tb_straight_slice *top = left_open ? &s->open[left_open - 1] : NULL;
  if (e->kind != TB_ENTRY_END)
    return !top || top->end == INT64_MAX || e->kind == TB_ENTRY_BEGIN || end_of(e) <= top->end;
  if (!top || top->end != INT64_MAX) return false;
  *early = top->begin < e->ts;
  return (!e->name || e->name == top->name) && (!e->categories || e->categories == top->categories);
}

static enum tb_status put_flow(struct tb_straight *s, const struct tb_entry *e) {
  if (make_room(s, 0) != TB_OK) return TB_NO_MEMORY;
  note(s, e->kind, e);
  return TB_OK;
}

/* Whether `e` comes straight after what is there; *left_open is then how many slices it leaves open. */
static inline bool is_straight(struct tb_straight *s, const struct tb_entry *e, bool in_us, size_t *left_open) {
  *left_open =
      s->open_count; /* what is over stays, for points of flows: only the begin and the end of slices take it off */
  bool early = false, point = e->kind == TB_ENTRY_FLOW;
  bool momentary = e->kind != TB_ENTRY_BEGIN && e->kind != TB_ENTRY_END && e->kind != TB_ENTRY_COMPLETE;
  if (e->key || e->end_body.len || (s->total && e->ts < s->last_ts)) return false;
  if (!point && (!find_open(s, e->ts, momentary, left_open) || !nests(s, e, *left_open, &early))) return false;
  int64_t rank = rank_of(e, early);
  if ((s->total && e->ts == s->last_ts && rank > s->last_rank) || !take_thread_times(s, e, in_us)) return false;
  s->last_rank = rank;
  return true;
}

enum tb_status tb_straight_put(struct tb_straight *s, const struct tb_entry *e, bool in_us, struct tb_slice instant) {
  size_t left_open;
  if (!is_straight(s, e, in_us, &left_open)) {
    s->over = true;
    return TB_END;
  }
  if (!s->total) s->first_ts = s->stream.last_ts = e->ts;
  s->last_ts = e->ts;
  s->total++;
  if (e->kind == TB_ENTRY_FLOW) return put_flow(s, e);
  if (end_over(s, left_open) != TB_OK) return TB_NO_MEMORY;
  return e->kind == TB_ENTRY_END ? put_end(s, e) : put_begin(s, e, instant);
}

bool tb_straight_top(const struct tb_straight *s, struct tb_stack_frame_ref *top) {
  if (!s->open_count) return false;
  const struct tb_straight_slice *slice = &s->open[s->open_count - 1];
  *top = (struct tb_stack_frame_ref){.ts = slice->begin, .place = slice->place};
  return true;
}

enum tb_status tb_straight_mark_top(struct tb_straight *s) {
  const struct tb_straight_slice *slice = s->open_count ? &s->open[s->open_count - 1] : NULL;
  if (!slice || (s->mark_count && s->marks[s->mark_count - 1].place == slice->place)) return TB_OK;
  void *marks = s->marks;
  enum tb_status status =
      tb_grow_array(s->allocator, &marks, &s->mark_capacity, s->mark_count + 1, sizeof(*s->marks), SIZE_MAX / 64);
  s->marks = marks;
  if (status != TB_OK) return TB_NO_MEMORY;
  s->marks[s->mark_count++] = (struct tb_straight_mark){slice->place, slice->packet};
  return TB_OK;
}

/* ---- taking all back -------------------------------------------------------------------------------------------------------------------- */

/* A walk over the notes and their packets. */
struct walk {
  const struct tb_straight *straight;
  const struct tb_straight_chunk *chunk;
  const char *at;
  size_t note;
  int64_t ts, thread_time;
  unsigned kind;          /* enum tb_entry_kind or ENDED_ITSELF */
  bool whole;             /* a complete slice whose packet says its end */
  struct tb_slice packet; /* empty for a point of a flow */
  struct tb_entry entry;  /* without what other packets tell */
};

static struct walk start_walk(const struct tb_straight *s) {
  return (struct walk){
      .straight = s, .chunk = s->first, .at = s->first ? chunk_packets(s->first) : NULL, .ts = s->first_ts};
}

/* A varint that this file wrote. */
static const char *varint(const char *at, uint64_t *v) {
  *v = 0;
  return tb_wire_read_varint(at, at + TB_WIRE_VARINT_MAX, v);
}

static const char *varint32(const char *at, uint32_t *v) {
  uint64_t wide;
  at = varint(at, &wide);
  *v = (uint32_t)wide;
  return at;
}

static void read_note(struct walk *w) {
  const char *at = w->straight->notes.data + w->note;
  unsigned byte = (unsigned char)*at++;
  struct tb_entry *e = &w->entry;
  uint64_t v;
  w->kind = byte & NOTE_KIND;
  *e = (struct tb_entry){.kind = (uint8_t)w->kind};
  e->has_thread_ts = byte & NOTE_THREAD_TS;
  e->has_thread_dur = byte & NOTE_THREAD_DUR;
  if (w->kind == TB_ENTRY_BEGIN || w->kind == TB_ENTRY_END) at = varint32(varint32(at, &e->name), &e->categories);
  if (byte & NOTE_FLOW) {
    at = varint(at, &v);
    e->flow = (uint8_t)v;
    at = varint(varint32(at, &e->flow_key), &e->order);
  }
  if (w->kind == TB_ENTRY_FLOW) {
    at = varint(at, &v);
    e->ts = (int64_t)((uint64_t)w->ts + v);
  }
  w->whole = byte & NOTE_WHOLE;
  if (w->whole) {
    at = varint(at, &v);
    e->dur = (int64_t)v;
  }
  w->note = (size_t)(at - w->straight->notes.data);
}

static size_t legacy_len(int64_t dur) {
  char field[TB_LEGACY_COMPLETE_MAX];
  return (size_t)(tb_legacy_complete_write(field, dur) - field);
}

static void read_packet(struct walk *w) {
  const struct tb_straight *s = w->straight;
  while (w->at == chunk_packets(w->chunk) + chunk_used(s, w->chunk)) {
    w->chunk = w->chunk->next;
    w->at = chunk_packets(w->chunk);
  }
  uint64_t v, len;
  const char *at = varint(w->at + 1, &len), *end = at + len;
  at = varint(at + 1, &v);
  w->entry.ts = w->ts = (int64_t)((uint64_t)w->ts + v);
  at = varint(at + s->stream.middle_len, &v) + 2; /* behind the type */
  if (w->entry.has_thread_ts) {
    at = varint(at + 1, &v);
    w->thread_time = (int64_t)((uint64_t)w->thread_time + v);
    w->entry.thread_ts = s->stream.thread_times_in_us ? w->thread_time * 1000 : w->thread_time;
  }
  w->entry.body = (struct tb_slice){at, (size_t)(end - at)};
  if (w->whole) w->entry.body.len -= legacy_len(w->entry.dur);
  w->packet = (struct tb_slice){w->at, (size_t)(end - w->at)};
  w->at = end;
}

/* Goes to the next entry or end. False when there is none. */
static bool walk_on(struct walk *w) {
  if (w->note == w->straight->notes.len) return false;
  read_note(w);
  w->packet.len = 0;
  if (w->kind != TB_ENTRY_FLOW) read_packet(w);
  return true;
}

/* What the ends of slices tell of their entries, by the order in which these began. */
struct ending {
  int64_t end, thread_end;
};

struct endings {
  const struct tb_allocator *allocator;
  struct ending *known;
  size_t *open; /* indices of those that are not over */
  size_t count, capacity, open_count, open_capacity;
};

/* Whether the end of a slice comes in a packet of its own. */
static bool begins_slice(const struct tb_straight *s, const struct walk *w) {
  unsigned kind = w->kind;
  if (w->whole) return false;
  if (kind == TB_ENTRY_INSTANT || kind == TB_ENTRY_MARK) return s->has_thread_times;
  return kind == TB_ENTRY_BEGIN || kind == TB_ENTRY_COMPLETE || kind == TB_ENTRY_MOMENT;
}

static bool ends_slice(unsigned kind) { return kind == TB_ENTRY_END || kind == ENDED_ITSELF; }

static enum tb_status add_ending(struct endings *e) {
  void *known = e->known, *open = e->open;
  enum tb_status status =
      tb_grow_array(e->allocator, &known, &e->capacity, e->count + 1, sizeof(*e->known), SIZE_MAX / 64);
  e->known = known;
  if (status == TB_OK)
    status = tb_grow_array(e->allocator, &open, &e->open_capacity, e->open_count + 1, sizeof(*e->open), SIZE_MAX / 64);
  e->open = open;
  if (status != TB_OK) return TB_NO_MEMORY;
  e->open[e->open_count++] = e->count;
  e->known[e->count++] = (struct ending){0, 0};
  return TB_OK;
}

static void free_endings(struct endings *e) {
  tb_free(e->allocator, e->known, e->capacity * sizeof(*e->known));
  tb_free(e->allocator, e->open, e->open_capacity * sizeof(*e->open));
}

static enum tb_status find_endings(const struct tb_straight *s, struct endings *e) {
  for (struct walk w = start_walk(s); walk_on(&w);) {
    if (begins_slice(s, &w)) {
      if (add_ending(e) != TB_OK) return TB_NO_MEMORY;
    } else if (ends_slice(w.kind)) {
      e->known[e->open[--e->open_count]] = (struct ending){w.ts, w.entry.thread_ts};
    }
  }
  size_t n = 0;
  for (size_t i = 0; i < s->open_count; i++)
    if (!s->open[i].silent) e->known[e->open[n++]] = (struct ending){s->open[i].end, s->open[i].thread_end};
  return TB_OK;
}

static enum tb_status give_back(const struct tb_straight *s, const struct endings *e, struct tb_slice instant,
                                enum tb_status (*take)(void *ctx, struct tb_entry *entry), void *ctx) {
  size_t began = 0;
  for (struct walk w = start_walk(s); walk_on(&w);) {
    if (w.kind == ENDED_ITSELF) continue;
    if (begins_slice(s, &w)) {
      const struct ending *ending = &e->known[began++];
      if (w.kind == TB_ENTRY_COMPLETE) w.entry.dur = ending->end - w.ts;
      if (w.kind == TB_ENTRY_INSTANT) w.entry.body.len -= instant.len;
      if (w.entry.has_thread_dur && w.kind != TB_ENTRY_BEGIN)
        w.entry.thread_dur = (int64_t)((uint64_t)ending->thread_end - (uint64_t)w.entry.thread_ts);
    }
    enum tb_status status = take(ctx, &w.entry);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

enum tb_status tb_straight_take_back(struct tb_straight *s, struct tb_slice instant,
                                     enum tb_status (*take)(void *ctx, struct tb_entry *entry), void *ctx) {
  struct endings endings = {.allocator = s->allocator};
  s->over = true;
  enum tb_status status = find_endings(s, &endings);
  if (status == TB_OK) status = give_back(s, &endings, instant, take, ctx);
  free_endings(&endings);
  tb_straight_free(s);
  return status;
}

/* ---- the end --------------------------------------------------------------------------------------------------------------------------- */

/* The name and categories at the beginning of a slice's body. */
static struct tb_slice label_of(struct tb_slice body) {
  struct tb_wire_cursor cursor = tb_wire_cursor(body);
  struct tb_wire_field field;
  size_t len = 0;
  while (tb_wire_next(&cursor, &field) == TB_OK &&
         (field.number == TB_TRACK_EVENT_NAME_IID || field.number == TB_TRACK_EVENT_CATEGORY_IIDS))
    len = (size_t)(cursor.at - body.ptr);
  return (struct tb_slice){body.ptr, len};
}

enum tb_status tb_straight_finish(struct tb_straight *s) {
  bool innermost = true; /* of what is around a slice that the source never ends, the end says which slice it is for */
  for (size_t i = s->open_count; i-- > 0;) {
    if (s->open[i].end == INT64_MAX) {
      innermost = false;
      continue;
    }
    if (s->open[i].silent) continue;
    struct tb_slice label = innermost ? (struct tb_slice){NULL, 0} : label_of(s->open[i].body);
    if (end_complete(s, &s->open[i], label) != TB_OK) return TB_NO_MEMORY;
  }
  s->open_count = 0;
  return TB_OK;
}

static int compare_marks(const void *a, const void *b) {
  const struct tb_straight_mark *x = a, *y = b;
  return x->place < y->place ? -1 : x->place > y->place;
}

static enum tb_status give_bytes(const struct tb_straight_taker *taker, const char *from, const char *to) {
  return from == to ? TB_OK : taker->packets(taker->ctx, (struct tb_slice){from, (size_t)(to - from)});
}

/* Gives the packets of a chunk; *mark is the first mark that may be in it. */
static enum tb_status give_chunk(const struct tb_straight *s, const struct tb_straight_chunk *chunk, size_t *mark,
                                 const struct tb_straight_taker *taker) {
  const char *at = chunk_packets(chunk), *end = at + chunk_used(s, chunk);
  enum tb_status status = TB_OK;
  for (; status == TB_OK && *mark < s->mark_count; ++*mark) {
    const struct tb_straight_mark *m = &s->marks[*mark];
    if (*mark && m->place == m[-1].place) continue;
    if (m->packet < at || m->packet >= end) break;
    uint64_t len;
    const char *packet_end = varint(m->packet + 1, &len) + len;
    status = give_bytes(taker, at, m->packet);
    if (status == TB_OK)
      status = taker->packet(taker->ctx, (struct tb_slice){m->packet, (size_t)(packet_end - m->packet)}, m->place,
                             TB_STRAIGHT_BEGIN);
    at = packet_end;
  }
  return status == TB_OK ? give_bytes(taker, at, end) : status;
}

enum tb_status tb_straight_packets(struct tb_straight *s, const struct tb_straight_taker *taker) {
  if (s->mark_count) qsort(s->marks, s->mark_count, sizeof(*s->marks), compare_marks);
  size_t mark = 0;
  enum tb_status status = TB_OK;
  for (const struct tb_straight_chunk *c = s->first; status == TB_OK && c; c = c->next)
    status = give_chunk(s, c, &mark, taker);
  return status;
}

enum tb_status tb_straight_each_packet(const struct tb_straight *s, const struct tb_straight_taker *taker) {
  struct endings places = {.allocator = s->allocator}; /* whose ends are places here */
  enum tb_status status = TB_OK;
  uint64_t place = 0;
  for (struct walk w = start_walk(s); status == TB_OK && walk_on(&w);) {
    uint64_t own = place;
    if (w.kind != ENDED_ITSELF) place++;
    if (w.kind == TB_ENTRY_FLOW) continue;
    if (ends_slice(w.kind)) own = (uint64_t)places.known[places.open[--places.open_count]].end;
    if (begins_slice(s, &w)) {
      status = add_ending(&places);
      if (status == TB_OK) places.known[places.count - 1].end = (int64_t)own;
    }
    unsigned sides = ends_slice(w.kind) ? TB_STRAIGHT_END
                     : w.whole          ? TB_STRAIGHT_BEGIN | TB_STRAIGHT_END
                                        : TB_STRAIGHT_BEGIN;
    if (status == TB_OK) status = taker->packet(taker->ctx, w.packet, own, sides);
  }
  free_endings(&places);
  return status;
}
