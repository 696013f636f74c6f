/* SPDX-License-Identifier: Apache-2.0
 *
 * An entry in a chunk: its body, the distance from the end of the entry before to its end, its dur, and a trailer
 * with the lengths of these. The trailer is last, so that entries can be read backwards.
 */
#include "perfetto/writer/staged/end_ordered_sequence.h"

#include "protos/field_numbers.h"

enum { LARGEST_BODY = 512 };

#define BEFORE_FIRST INT64_MIN /* the end before the first one */

/* The trailer: the length of the body, and in how many bytes the gap and the dur are. An instant is what has no dur. */
enum { TRAILER_BYTES = sizeof(uint16_t), BODY_BITS = 10, GAP_SHIFT = 10, DUR_SHIFT = 12, NUMBER_CLASSES = 4 };
static const uint8_t number_sizes[NUMBER_CLASSES] = {0, sizeof(uint16_t), sizeof(uint32_t), sizeof(uint64_t)};

static inline unsigned number_class(uint64_t v) { return v == 0 ? 0 : v <= UINT16_MAX ? 1 : v <= UINT32_MAX ? 2 : 3; }

static inline char *write_number(char *at, uint64_t v, unsigned class) {
  uint16_t small = (uint16_t)v;
  uint32_t middle = (uint32_t)v;
  if (class == 1)
    memcpy(at, &small, sizeof(small));
  else if (class == 2)
    memcpy(at, &middle, sizeof(middle));
  else if (class == 3)
    memcpy(at, &v, sizeof(v));
  return at + number_sizes[class];
}

/* Reads the number that ends at *at, and goes to where it begins. */
static inline uint64_t read_number(const char **at, unsigned class) {
  uint16_t small;
  uint32_t middle;
  uint64_t large = 0;
  *at -= number_sizes[class];
  if (class == 1) {
    memcpy(&small, *at, sizeof(small));
    return small;
  }
  if (class == 2) {
    memcpy(&middle, *at, sizeof(middle));
    return middle;
  }
  if (class == 3) memcpy(&large, *at, sizeof(large));
  return large;
}

void tb_end_ordered_sequence_init(struct tb_end_ordered_sequence *e, const struct tb_allocator *allocator) {
  *e = (struct tb_end_ordered_sequence){.allocator = allocator, .last_end = BEFORE_FIRST};
  tb_spill_log_init(&e->entries, allocator);
}

void tb_end_ordered_sequence_free(struct tb_end_ordered_sequence *e) {
  tb_spill_log_free(&e->entries);
  e->closed = true;
  e->total = 0;
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

/* Whether an entry is of a kind that is taken, and comes when it ends; *end is then when. */
static bool is_taken(const struct tb_end_ordered_sequence *e, const struct tb_staged_event *entry, int64_t *end) {
  if (entry->key || entry->flow || entry->has_thread_ts || entry->has_thread_dur || entry->end_body.len ||
      entry->body.len > LARGEST_BODY)
    return false;
  *end = entry->ts;
  if (entry->kind == TB_STAGED_COMPLETE) {
    if (entry->dur <= 0 || __builtin_add_overflow(entry->ts, entry->dur, end)) return false;
  } else if (entry->kind != TB_STAGED_INSTANT) {
    return false;
  }
  return *end >= e->last_end;
}

enum tb_status tb_end_ordered_sequence_put(struct tb_end_ordered_sequence *e, const struct tb_staged_event *entry) {
  int64_t end;
  if (e->closed || !is_taken(e, entry, &end)) {
    e->closed = true;
    return TB_OK;
  }
  size_t most = entry->body.len + 2 * sizeof(uint64_t) + TRAILER_BYTES;
  if (tb_spill_log_room(&e->entries, most) != TB_OK) return TB_NO_MEMORY;
  uint64_t gap = (uint64_t)end - (uint64_t)e->last_end;
  uint64_t dur = entry->kind == TB_STAGED_INSTANT ? 0 : (uint64_t)entry->dur;
  unsigned gap_class = number_class(gap), dur_class = number_class(dur);
  uint16_t trailer = (uint16_t)(entry->body.len | gap_class << GAP_SHIFT | dur_class << DUR_SHIFT);
  char *at = e->entries.at;
  if (entry->body.len) memcpy(at, entry->body.ptr, entry->body.len);
  at = write_number(write_number(at + entry->body.len, gap, gap_class), dur, dur_class);
  memcpy(at, &trailer, TRAILER_BYTES);
  e->entries.at = at + TRAILER_BYTES;
  e->last_end = end;
  e->total++;
  return TB_OK;
}

/* ---- reading backwards ------------------------------------------------------------------------------------------- */

/* An entry as it is in a chunk. */
struct stored {
  uint64_t gap, dur;
  struct tb_str body;
};

/* Reads the entry that ends at `at`, and returns where it begins. */
static inline const char *read_stored(const char *at, struct stored *stored) {
  uint16_t trailer;
  at -= TRAILER_BYTES;
  memcpy(&trailer, at, TRAILER_BYTES);
  stored->dur = read_number(&at, trailer >> DUR_SHIFT & (NUMBER_CLASSES - 1));
  stored->gap = read_number(&at, trailer >> GAP_SHIFT & (NUMBER_CLASSES - 1));
  stored->body.len = trailer & ((1u << BODY_BITS) - 1);
  return stored->body.ptr = at - stored->body.len;
}

static inline int64_t before_by(int64_t ts, uint64_t difference) { return (int64_t)((uint64_t)ts - difference); }

struct item {
  int64_t ts, end;
  bool instant;
  bool kept; /* its body is in walk.kept, at `kept_at` */
  struct tb_str body;
  size_t kept_at;
};

/* ---- packets from the last to the first -------------------------------------------------------------------------- */

enum { PACKET_MAX = TB_EVENT_PACKET_ROOM + LARGEST_BODY };

/* Packets written backwards, into chunks from their ends. The newest waits until the one before it is known, since
 * its time is a difference to that one's. */
struct packets {
  const struct tb_end_ordered_sequence_sink *sink;
  struct tb_packet_delta stream;
  struct tb_spill_log chunks; /* the last packets in the first one */
  char *at;                   /* where the packets of the newest begin */
  bool waits;
  struct tb_event_head head;
  struct tb_str body;
  char saved[LARGEST_BODY]; /* that body, where its entry is gone */
};

static void end_chunk(struct packets *p) {
  if (!p->chunks.at) return;
  struct tb_spill_block *newest = &p->chunks.list[p->chunks.count - 1];
  newest->from = (size_t)(p->at - newest->bytes);
  p->chunks.at = p->chunks.end;
}

static enum tb_status add_chunk(struct packets *p) {
  end_chunk(p);
  enum tb_status status = p->chunks.count ? p->sink->make_room(p->sink->ctx, &p->chunks) : TB_OK;
  if (status == TB_OK) status = tb_spill_log_add(&p->chunks, TB_SPILL_BLOCK_LARGEST);
  p->at = p->chunks.end;
  return status;
}

static enum tb_status write_waiting(struct packets *p, int64_t previous_ts) {
  char packet[PACKET_MAX];
  p->stream.last_ts = previous_ts;
  struct tb_str none = {NULL, 0};
  size_t len = (size_t)(tb_event_packet_write(&p->stream, packet, &p->head, none, p->body, none) - packet);
  if (!p->chunks.at || (size_t)(p->at - p->chunks.at) < len) {
    enum tb_status status = add_chunk(p);
    if (status != TB_OK) return status;
  }
  p->at -= len;
  memcpy(p->at, packet, len);
  return TB_OK;
}

static inline enum tb_status put_packet(struct packets *p, int64_t ts, uint32_t type, struct tb_str body) {
  if (!p) return TB_OK;
  enum tb_status status = p->waits ? write_waiting(p, ts) : TB_OK;
  p->waits = true;
  p->head = (struct tb_event_head){.ts = ts, .type = type};
  p->body = body;
  return status;
}

/* Keeps the body of what waits, whose entry goes. */
static void save_waiting(struct packets *p) {
  if (!p->waits || !p->body.len || p->body.ptr == p->saved) return;
  memcpy(p->saved, p->body.ptr, p->body.len);
  p->body.ptr = p->saved;
}

/* Gives all packets, from the first to the last. */
static enum tb_status give_packets(struct packets *p, struct tb_error *error) {
  int64_t first_ts = p->head.ts;
  enum tb_status status = p->waits ? write_waiting(p, first_ts) : TB_OK;
  end_chunk(p);
  uint64_t bytes_in_all = 0;
  for (size_t i = 0; i < p->chunks.count; i++) bytes_in_all += tb_spill_log_used(&p->chunks, i);
  if (status == TB_OK && p->waits) status = p->sink->start(p->sink->ctx, first_ts, bytes_in_all);
  struct tb_spill_window window;
  tb_spill_window_init(&window, p->chunks.allocator);
  for (size_t i = p->chunks.count; status == TB_OK && i-- > 0;) {
    struct tb_str bytes;
    status = tb_spill_log_look(&p->chunks, i, &window, &bytes, error);
    if (status == TB_OK) status = p->sink->packets(p->sink->ctx, bytes);
    tb_spill_log_drop(&p->chunks, i);
  }
  tb_spill_window_free(&window);
  return status;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

struct backward_walk {
  const struct tb_allocator *allocator;
  struct packets *packets; /* NULL: only to see whether all nests */
  struct item *open;       /* slices whose end was met and whose begin is to come, innermost last */
  size_t open_count, open_capacity;
  size_t kept_count;     /* of these, the first ones whose bodies are kept */
  struct tb_buffer kept; /* bodies whose chunk was left */
  int64_t end_ts;        /* of the last end that was met */
  int64_t item_end;      /* of the entry that is read next */
  bool overlaps;         /* an item does not nest, or not in one order only: the walk ends there */
};

/* Takes the innermost open slice off, and gives its body. */
static struct tb_str close_top(struct backward_walk *w) {
  const struct item *top = &w->open[--w->open_count];
  if (w->kept_count > w->open_count) w->kept_count = w->open_count;
  if (!top->kept) return top->body;
  w->kept.len = top->kept_at;
  return (struct tb_str){w->kept.data + top->kept_at, top->body.len};
}

/* Keeps the bodies that are still needed of a chunk that is left. */
static enum tb_status keep_bodies(struct backward_walk *w) {
  save_waiting(w->packets);
  for (; w->kept_count < w->open_count; w->kept_count++) {
    struct item *item = &w->open[w->kept_count];
    if (!item->body.len) continue;
    item->kept = true;
    item->kept_at = w->kept.len;
    if (tb_buffer_append(&w->kept, item->body.ptr, item->body.len) != TB_OK) return TB_NO_MEMORY;
  }
  return TB_OK;
}

/* Begins the slices that do so at `ts` or later; `at_ts` says whether those at `ts` itself do. */
static enum tb_status begin_from(struct backward_walk *w, int64_t ts, bool at_ts) {
  enum tb_status status = TB_OK;
  while (status == TB_OK && w->open_count) {
    int64_t begin_ts = w->open[w->open_count - 1].ts;
    if (begin_ts < ts || (begin_ts == ts && !at_ts)) break;
    struct tb_str body = close_top(w);
    status = put_packet(w->packets, begin_ts, TB_TRACK_EVENT_TYPE_SLICE_BEGIN, body);
  }
  return status;
}

static enum tb_status refuse_item(struct backward_walk *w) {
  w->overlaps = true;
  return TB_OK;
}

/* At one time, ends come first, then begins, then instants, as on queues. Two slices of the same times are in the
 * order of the file there, which is the other way round here. */
static enum tb_status put_item(struct backward_walk *w, const struct item *item) {
  enum tb_status status = begin_from(w, item->end, !item->instant);
  if (status != TB_OK) return status;
  if (item->instant) {
    if (w->end_ts == item->ts) return refuse_item(w);
    return put_packet(w->packets, item->ts, TB_TRACK_EVENT_TYPE_INSTANT, item->body);
  }
  const struct item *top = w->open_count ? &w->open[w->open_count - 1] : NULL;
  if (top && (item->ts < top->ts || (item->ts == top->ts && item->end == top->end))) return refuse_item(w);
  w->end_ts = item->end;
  status = put_packet(w->packets, item->end, TB_TRACK_EVENT_TYPE_SLICE_END, (struct tb_str){NULL, 0});
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

static enum tb_status put_chunk(struct backward_walk *w, struct tb_str bytes) {
  enum tb_status status = TB_OK;
  for (const char *at = bytes.ptr + bytes.len; status == TB_OK && !w->overlaps && at > bytes.ptr;) {
    struct stored stored;
    at = read_stored(at, &stored);
    struct item item = {.ts = before_by(w->item_end, stored.dur), .end = w->item_end, .instant = !stored.dur};
    item.body = stored.body;
    w->item_end = before_by(w->item_end, stored.gap);
    status = put_item(w, &item);
  }
  return status;
}

/* Walks over all entries; where there are packets to be written, their chunks go as they are passed. */
static enum tb_status walk_back(struct tb_end_ordered_sequence *e, struct packets *packets, bool *nests,
                                struct tb_error *error) {
  struct backward_walk w = {
      .allocator = e->allocator, .packets = packets, .end_ts = INT64_MAX, .item_end = e->last_end};
  struct tb_spill_window window;
  tb_spill_window_init(&window, e->allocator);
  tb_buffer_init(&w.kept, e->allocator, 0);
  enum tb_status status = TB_OK;
  for (size_t i = e->entries.count; status == TB_OK && !w.overlaps && i-- > 0;) {
    struct tb_str bytes;
    status = tb_spill_log_look(&e->entries, i, &window, &bytes, error);
    if (status == TB_OK) status = put_chunk(&w, bytes);
    if (status == TB_OK && packets) status = keep_bodies(&w);
    if (packets) tb_spill_log_drop(&e->entries, i);
  }
  if (status == TB_OK && !w.overlaps) status = begin_from(&w, INT64_MIN, true);
  *nests = !w.overlaps;
  if (packets) save_waiting(packets);
  tb_spill_window_free(&window);
  tb_buffer_free(&w.kept);
  tb_free(w.allocator, w.open, w.open_capacity * sizeof(*w.open));
  return status;
}

enum tb_status tb_end_ordered_sequence_nests(struct tb_end_ordered_sequence *e, bool *nests, struct tb_error *error) {
  return walk_back(e, NULL, nests, error);
}

enum tb_status tb_end_ordered_sequence_emit(struct tb_end_ordered_sequence *e, uint32_t sequence_id,
                                            const struct tb_end_ordered_sequence_sink *sink, struct tb_error *error) {
  struct packets packets = {.sink = sink};
  tb_spill_log_init(&packets.chunks, e->allocator);
  tb_packet_delta_init(&packets.stream, sequence_id);
  bool nests;
  enum tb_status status = walk_back(e, &packets, &nests, error);
  if (status == TB_OK && !nests) status = TB_INVALID; /* the caller has not asked */
  if (status == TB_OK) status = give_packets(&packets, error);
  tb_spill_log_free(&packets.chunks);
  return status;
}

/* ---- replay ------------------------------------------------------------------------------------------------------ */

/* Gives the entries of a chunk; `ends` has room for where each of them ends, *end is the end of the entry before it. */
static enum tb_status give_chunk(struct tb_str bytes, uint32_t *ends, int64_t *end,
                                 enum tb_status (*take)(void *ctx, struct tb_staged_event *entry), void *ctx) {
  struct stored stored;
  size_t count = 0;
  for (const char *at = bytes.ptr + bytes.len; at > bytes.ptr; at = read_stored(at, &stored))
    ends[count++] = (uint32_t)(at - bytes.ptr);
  enum tb_status status = TB_OK;
  while (status == TB_OK && count) {
    (void)read_stored(bytes.ptr + ends[--count], &stored);
    *end = (int64_t)((uint64_t)*end + stored.gap);
    struct tb_staged_event entry = {.kind = stored.dur ? TB_STAGED_COMPLETE : TB_STAGED_INSTANT};
    entry.ts = before_by(*end, stored.dur);
    entry.dur = (int64_t)stored.dur;
    entry.body = stored.body;
    status = take(ctx, &entry);
  }
  return status;
}

enum tb_status tb_end_ordered_sequence_replay(struct tb_end_ordered_sequence *e,
                                              enum tb_status (*take)(void *ctx, struct tb_staged_event *entry),
                                              void *ctx, struct tb_error *error) {
  enum { ENDS_BYTES = TB_SPILL_BLOCK_LARGEST / TRAILER_BYTES * sizeof(uint32_t) };
  uint32_t *ends = e->entries.count ? tb_alloc(e->allocator, ENDS_BYTES) : NULL;
  enum tb_status status = ends || !e->entries.count ? TB_OK : TB_NO_MEMORY;
  int64_t end = BEFORE_FIRST;
  struct tb_spill_window window;
  tb_spill_window_init(&window, e->allocator);
  for (size_t i = 0; status == TB_OK && i < e->entries.count; i++) {
    struct tb_str bytes;
    status = tb_spill_log_look(&e->entries, i, &window, &bytes, error);
    if (status == TB_OK) status = give_chunk(bytes, ends, &end, take, ctx);
    tb_spill_log_drop(&e->entries, i);
  }
  tb_spill_window_free(&window);
  if (ends) tb_free(e->allocator, ends, ENDS_BYTES);
  tb_end_ordered_sequence_free(e);
  return status;
}
