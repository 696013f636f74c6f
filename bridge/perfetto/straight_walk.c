/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a tb_straight's packets again: to take all entries back, or to give the packets one by one.
 */
#include "perfetto/legacy_complete.h"
#include "perfetto/straight_state.h"

/* ---- taking all back -------------------------------------------------------------------------------------------------------------------- */

/* A walk over the notes and their packets. */
struct walk {
  const struct tb_straight *straight;
  const struct tb_straight_chunk *chunk;
  const char *at;
  size_t note;
  int64_t ts, thread_time;
  unsigned kind;          /* enum tb_entry_kind or TB_NOTE_ENDED_ITSELF */
  bool whole;             /* a complete slice whose packet says its end */
  struct tb_slice packet; /* empty for a point of a flow */
  struct tb_entry entry;  /* without what other packets tell */
};

static struct walk start_walk(const struct tb_straight *s) {
  return (struct walk){
      .straight = s, .chunk = s->first, .at = s->first ? tb_straight_chunk_packets(s->first) : NULL, .ts = s->first_ts};
}

static const char *varint32(const char *at, uint32_t *v) {
  uint64_t wide;
  at = tb_straight_varint(at, &wide);
  *v = (uint32_t)wide;
  return at;
}

static void read_note(struct walk *w) {
  const char *at = w->straight->notes.data + w->note;
  unsigned byte = (unsigned char)*at++;
  struct tb_entry *e = &w->entry;
  uint64_t v;
  w->kind = byte & TB_NOTE_KIND;
  *e = (struct tb_entry){.kind = (uint8_t)w->kind};
  e->has_thread_ts = byte & TB_NOTE_THREAD_TS;
  e->has_thread_dur = byte & TB_NOTE_THREAD_DUR;
  if (w->kind == TB_ENTRY_BEGIN || w->kind == TB_ENTRY_END) at = varint32(varint32(at, &e->name), &e->categories);
  if (byte & TB_NOTE_FLOW) {
    at = tb_straight_varint(at, &v);
    e->flow = (uint8_t)v;
    at = tb_straight_varint(varint32(at, &e->flow_key), &e->order);
  }
  if (w->kind == TB_ENTRY_FLOW) {
    at = tb_straight_varint(at, &v);
    e->ts = (int64_t)((uint64_t)w->ts + v);
  }
  w->whole = byte & TB_NOTE_WHOLE;
  if (w->whole) {
    at = tb_straight_varint(at, &v);
    e->dur = (int64_t)v;
  }
  w->note = (size_t)(at - w->straight->notes.data);
}

static size_t legacy_len(const struct tb_entry *e) {
  char field[TB_LEGACY_COMPLETE_MAX];
  return (size_t)(tb_legacy_complete_write(field, e) - field);
}

static void read_packet(struct walk *w) {
  const struct tb_straight *s = w->straight;
  while (w->at == tb_straight_chunk_packets(w->chunk) + tb_straight_chunk_used(s, w->chunk)) {
    w->chunk = w->chunk->next;
    w->at = tb_straight_chunk_packets(w->chunk);
  }
  uint64_t v, len;
  const char *at = tb_straight_varint(w->at + 1, &len), *end = at + len;
  at = tb_straight_varint(at + 1, &v);
  w->entry.ts = w->ts = (int64_t)((uint64_t)w->ts + v);
  at = tb_straight_varint(at + s->stream.middle_len, &v) + 2; /* behind the type */
  if (w->entry.has_thread_ts) {
    at = tb_straight_varint(at + 1, &v);
    w->thread_time = (int64_t)((uint64_t)w->thread_time + v);
    w->entry.thread_ts = s->stream.thread_times_in_us ? w->thread_time * 1000 : w->thread_time;
  }
  w->entry.body = (struct tb_slice){at, (size_t)(end - at)};
  if (w->whole) w->entry.body.len -= legacy_len(&w->entry);
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

static bool ends_slice(unsigned kind) { return kind == TB_ENTRY_END || kind == TB_NOTE_ENDED_ITSELF; }

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

/* Takes the newest one that is not over off; NULL when there is none. */
static struct ending *take_newest(struct endings *e) {
  return e->open_count && e->known ? &e->known[e->open[--e->open_count]] : NULL;
}

static enum tb_status find_endings(const struct tb_straight *s, struct endings *e) {
  for (struct walk w = start_walk(s); walk_on(&w);) {
    if (begins_slice(s, &w)) {
      if (add_ending(e) != TB_OK) return TB_NO_MEMORY;
    } else if (ends_slice(w.kind)) {
      struct ending *ended = take_newest(e);
      if (ended) *ended = (struct ending){w.ts, w.entry.thread_ts};
    }
  }
  size_t n = 0;
  for (size_t i = 0; i < s->open_count && n < e->open_count && e->known; i++)
    if (!s->open[i].silent) e->known[e->open[n++]] = (struct ending){s->open[i].end, s->open[i].thread_end};
  return TB_OK;
}

static enum tb_status give_back(const struct tb_straight *s, const struct endings *e, struct tb_slice instant,
                                enum tb_status (*take)(void *ctx, struct tb_entry *entry), void *ctx) {
  size_t began = 0;
  for (struct walk w = start_walk(s); walk_on(&w);) {
    if (w.kind == TB_NOTE_ENDED_ITSELF) continue;
    if (begins_slice(s, &w) && e->known) {
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

/* ---- packets one by one ------------------------------------------------------------------------------------------------------------- */

enum tb_status tb_straight_each_packet(const struct tb_straight *s, const struct tb_straight_taker *taker) {
  struct endings places = {.allocator = s->allocator}; /* whose ends are places here */
  enum tb_status status = TB_OK;
  uint64_t place = 0;
  for (struct walk w = start_walk(s); status == TB_OK && walk_on(&w);) {
    uint64_t own = place;
    if (w.kind != TB_NOTE_ENDED_ITSELF) place++;
    if (w.kind == TB_ENTRY_FLOW) continue;
    const struct ending *ended = ends_slice(w.kind) ? take_newest(&places) : NULL;
    if (ended) own = (uint64_t)ended->end;
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
