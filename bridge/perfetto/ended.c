/* SPDX-License-Identifier: Apache-2.0
 *
 * An entry stands in a chunk as its body, its dur where that is long, and a trailer, so that entries can be read from the last one on.
 */
#include "perfetto/ended.h"

#include "perfetto/fields.h"

enum { FIRST_CHUNK = 512, LARGEST_CHUNK = 256 * 1024, LARGEST_BODY = 512 };

#define INSTANT (UINT32_C(1) << 31) /* in trailer.body */

struct tb_ended_chunk {
  struct tb_ended_chunk *previous, *next;
  size_t size, used; /* bytes of the block; bytes of entries, set when the chunk is full */
};

struct trailer {
  int64_t ts;
  uint32_t dur;  /* UINT32_MAX: it stands before the trailer */
  uint32_t body; /* its length, and INSTANT */
};

enum { ENTRY_MAX = LARGEST_BODY + sizeof(int64_t) + sizeof(struct trailer) };

static char *entries_of(const struct tb_ended_chunk *chunk) { return (char *)(uintptr_t)(chunk + 1); }

static size_t used_of(const struct tb_ended *e, const struct tb_ended_chunk *chunk) {
  return chunk == e->last ? (size_t)(e->at - entries_of(chunk)) : chunk->used;
}

void tb_ended_init(struct tb_ended *e, const struct tb_allocator *allocator) {
  *e = (struct tb_ended){.allocator = allocator, .last_end = INT64_MIN};
}

void tb_ended_free(struct tb_ended *e) {
  for (struct tb_ended_chunk *c = e->first, *next; c; c = next) {
    next = c->next;
    tb_free(e->allocator, c, c->size);
  }
  *e = (struct tb_ended){.allocator = e->allocator, .over = true};
}

/* ---- taking ------------------------------------------------------------------------------------------------------------------------------ */

static enum tb_status add_chunk(struct tb_ended *e) {
  size_t size = e->last ? e->last->size * 2 : FIRST_CHUNK;
  if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
  if (size < ENTRY_MAX + sizeof(struct tb_ended_chunk)) size = ENTRY_MAX + sizeof(struct tb_ended_chunk);
  struct tb_ended_chunk *chunk = tb_alloc(e->allocator, size);
  if (!chunk) return TB_NO_MEMORY;
  *chunk = (struct tb_ended_chunk){.previous = e->last, .size = size};
  if (e->last) {
    e->last->used = used_of(e, e->last);
    e->last->next = chunk;
  } else {
    e->first = chunk;
  }
  e->last = chunk;
  e->at = entries_of(chunk);
  e->end = (char *)chunk + size;
  e->bytes += size;
  return TB_OK;
}

/* Whether an entry is of a kind that is taken, and comes when it ends; *end is then when. */
static bool is_taken(const struct tb_ended *e, const struct tb_entry *entry, int64_t *end) {
  if (entry->key || entry->flow || entry->has_thread_ts || entry->has_thread_dur || entry->end_body.len ||
      entry->body.len > LARGEST_BODY)
    return false;
  *end = entry->ts;
  if (entry->kind == TB_ENTRY_COMPLETE) {
    if (entry->dur <= 0 || __builtin_add_overflow(entry->ts, entry->dur, end)) return false;
  } else if (entry->kind != TB_ENTRY_INSTANT) {
    return false;
  }
  return *end >= e->last_end;
}

enum tb_status tb_ended_put(struct tb_ended *e, const struct tb_entry *entry) {
  int64_t end;
  if (e->over || !is_taken(e, entry, &end)) {
    e->over = true;
    return TB_END;
  }
  if ((size_t)(e->end - e->at) < ENTRY_MAX && add_chunk(e) != TB_OK) return TB_NO_MEMORY;
  struct trailer trailer = {.ts = entry->ts, .body = (uint32_t)entry->body.len};
  if (entry->body.len) memcpy(e->at, entry->body.ptr, entry->body.len);
  e->at += entry->body.len;
  if (entry->kind == TB_ENTRY_INSTANT) {
    trailer.body |= INSTANT;
  } else if (entry->dur < UINT32_MAX) {
    trailer.dur = (uint32_t)entry->dur;
  } else {
    trailer.dur = UINT32_MAX;
    memcpy(e->at, &entry->dur, sizeof(entry->dur));
    e->at += sizeof(entry->dur);
  }
  memcpy(e->at, &trailer, sizeof(trailer));
  e->at += sizeof(trailer);
  e->last_end = end;
  e->total++;
  return TB_OK;
}

/* ---- reading backwards ------------------------------------------------------------------------------------------------------------------- */

struct item {
  int64_t ts, end;
  bool instant;
  struct tb_slice body;
};

/* Reads the entry that ends at `at`, and returns where it begins. */
static inline const char *read_item(const char *at, struct item *item) {
  struct trailer trailer;
  int64_t dur;
  at -= sizeof(trailer);
  memcpy(&trailer, at, sizeof(trailer));
  dur = trailer.dur;
  if (trailer.dur == UINT32_MAX) {
    at -= sizeof(dur);
    memcpy(&dur, at, sizeof(dur));
  }
  item->instant = trailer.body & INSTANT;
  item->body.len = trailer.body & ~INSTANT;
  item->body.ptr = at -= item->body.len;
  item->ts = trailer.ts;
  item->end = trailer.ts + dur;
  return at;
}

/* ---- packets from the last to the first ----------------------------------------------------------------------------------------------------- */

enum { BLOCK_BYTES = 256 * 1024, PACKET_MAX = TB_EVENT_PACKET_ROOM + LARGEST_BODY };

struct block {
  struct block *next; /* whose packets come after */
  char *at;           /* where its packets begin */
  char bytes[BLOCK_BYTES];
};

/* Packets written backwards. The newest waits until the one before it is known, since its time is a difference to that one's. */
struct packets {
  const struct tb_allocator *allocator;
  struct tb_packet_stream stream;
  struct block *first;
  bool waits;
  struct tb_event_head head;
  struct tb_slice body;
};

static enum tb_status write_waiting(struct packets *p, int64_t previous_ts) {
  char packet[PACKET_MAX];
  p->stream.last_ts = previous_ts;
  struct tb_slice none = {NULL, 0};
  size_t len = (size_t)(tb_event_packet_write(&p->stream, packet, &p->head, none, p->body, none) - packet);
  if (!p->first || (size_t)(p->first->at - p->first->bytes) < len) {
    struct block *block = tb_alloc(p->allocator, sizeof(*block));
    if (!block) return TB_NO_MEMORY;
    block->next = p->first;
    block->at = block->bytes + BLOCK_BYTES;
    p->first = block;
  }
  p->first->at -= len;
  memcpy(p->first->at, packet, len);
  return TB_OK;
}

static inline enum tb_status put_packet(struct packets *p, int64_t ts, uint32_t type, struct tb_slice body) {
  if (!p) return TB_OK;
  enum tb_status status = p->waits ? write_waiting(p, ts) : TB_OK;
  p->waits = true;
  p->head = (struct tb_event_head){.ts = ts, .type = type};
  p->body = body;
  return status;
}

static void free_packets(struct packets *p) {
  for (struct block *b = p->first, *next; b; b = next) {
    next = b->next;
    tb_free(p->allocator, b, sizeof(*b));
  }
}

/* ---- the walk ------------------------------------------------------------------------------------------------------------------------------ */

struct walk {
  const struct tb_allocator *allocator;
  struct packets *packets; /* NULL: only to see whether all nests */
  struct item *open;       /* slices whose end was met and whose begin is to come, innermost last */
  size_t open_count, open_capacity;
  int64_t end_ts; /* of the last end that was met */
};

/* Begins the slices that do so at `ts` or later; `at_ts` says whether those at `ts` itself do. */
static enum tb_status begin_from(struct walk *w, int64_t ts, bool at_ts) {
  enum tb_status status = TB_OK;
  while (status == TB_OK && w->open_count) {
    const struct item *top = &w->open[w->open_count - 1];
    if (top->ts < ts || (top->ts == ts && !at_ts)) break;
    status = put_packet(w->packets, top->ts, TB_TRACK_EVENT_TYPE_SLICE_BEGIN, top->body);
    w->open_count--;
  }
  return status;
}

/* At one time, ends come first, then begins, then instants, as on strands. Two slices of the same times are in the order of the file
 * there, which is the other way round here. */
static enum tb_status put_item(struct walk *w, const struct item *item) {
  enum tb_status status = begin_from(w, item->end, !item->instant);
  if (status != TB_OK) return status;
  if (item->instant) {
    if (w->end_ts == item->ts) return TB_END;
    return put_packet(w->packets, item->ts, TB_TRACK_EVENT_TYPE_INSTANT, item->body);
  }
  const struct item *top = w->open_count ? &w->open[w->open_count - 1] : NULL;
  if (top && (item->ts < top->ts || (item->ts == top->ts && item->end == top->end))) return TB_END;
  w->end_ts = item->end;
  status = put_packet(w->packets, item->end, TB_TRACK_EVENT_TYPE_SLICE_END, (struct tb_slice){NULL, 0});
  if (status != TB_OK) return status;
  if (w->open_count == w->open_capacity) {
    void *open = w->open;
    status = tb_grow_array(w->allocator, &open, &w->open_capacity, w->open_count + 1, sizeof(*w->open), SIZE_MAX / 128);
    w->open = open;
    if (status != TB_OK) return TB_NO_MEMORY;
  }
  if (!w->open) return TB_NO_MEMORY;
  w->open[w->open_count++] = *item;
  return TB_OK;
}

static enum tb_status walk_back(const struct tb_ended *e, struct packets *packets) {
  struct walk w = {.allocator = e->allocator, .packets = packets, .end_ts = INT64_MAX};
  enum tb_status status = TB_OK;
  for (const struct tb_ended_chunk *c = e->last; status == TB_OK && c; c = c->previous) {
    const char *start = entries_of(c), *at = start + used_of(e, c);
    struct item item;
    while (status == TB_OK && at > start) {
      at = read_item(at, &item);
      status = put_item(&w, &item);
    }
  }
  if (status == TB_OK) status = begin_from(&w, INT64_MIN, true);
  tb_free(w.allocator, w.open, w.open_capacity * sizeof(*w.open));
  return status;
}

enum tb_status tb_ended_nests(const struct tb_ended *e) { return walk_back(e, NULL); }

enum tb_status tb_ended_packets(const struct tb_ended *e, uint32_t sequence_id, const struct tb_ended_taker *taker) {
  struct packets packets = {.allocator = e->allocator};
  tb_packet_stream_init(&packets.stream, sequence_id);
  enum tb_status status = walk_back(e, &packets);
  int64_t first_ts = packets.head.ts;
  if (status == TB_OK && packets.waits) status = write_waiting(&packets, first_ts);
  if (status == TB_OK && packets.waits) status = taker->start(taker->ctx, first_ts);
  for (const struct block *b = packets.first; status == TB_OK && b; b = b->next)
    status = taker->packets(taker->ctx, (struct tb_slice){b->at, (size_t)(b->bytes + BLOCK_BYTES - b->at)});
  free_packets(&packets);
  return status;
}

/* ---- taking back ------------------------------------------------------------------------------------------------------------------------------ */

/* Gives the entries of a chunk; `ends` has room for where each of them ends. */
static enum tb_status give_chunk(const struct tb_ended *e, const struct tb_ended_chunk *chunk, const char **ends,
                                 enum tb_status (*take)(void *ctx, struct tb_entry *entry), void *ctx) {
  const char *start = entries_of(chunk);
  struct item item;
  size_t count = 0;
  for (const char *at = start + used_of(e, chunk); at > start; at = read_item(at, &item)) ends[count++] = at;
  enum tb_status status = TB_OK;
  while (status == TB_OK && count) {
    (void)read_item(ends[--count], &item);
    struct tb_entry entry = {.kind = item.instant ? TB_ENTRY_INSTANT : TB_ENTRY_COMPLETE, .ts = item.ts};
    entry.dur = item.end - item.ts;
    entry.body = item.body;
    status = take(ctx, &entry);
  }
  return status;
}

enum tb_status tb_ended_take_back(struct tb_ended *e, enum tb_status (*take)(void *ctx, struct tb_entry *entry),
                                  void *ctx) {
  enum { ENDS_BYTES = LARGEST_CHUNK / sizeof(struct trailer) * sizeof(char *) };
  enum tb_status status = TB_OK;
  if (e->first) {
    const char **ends = tb_alloc(e->allocator, ENDS_BYTES);
    if (!ends) status = TB_NO_MEMORY;
    for (const struct tb_ended_chunk *c = e->first; status == TB_OK && c; c = c->next)
      status = give_chunk(e, c, ends, take, ctx);
    tb_free(e->allocator, ends, ENDS_BYTES);
  }
  tb_ended_free(e);
  return status;
}
