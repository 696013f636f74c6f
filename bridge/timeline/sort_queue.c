/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/sort_queue.h"

#include <assert.h>

#include "base/error.h"
#include "timeline/entry_codec.h"
#include "timeline/entry_rank.h"
#include "timeline/slice_stack.h"

enum { FIRST_CHUNK = 512, LARGEST_CHUNK = 256 * 1024 };

struct tb_sort_queue_block {
  struct tb_sort_queue_block *next;
  size_t size, used; /* bytes of the block; bytes of records, set when the chunk is full */
};

static char *chunk_records(const struct tb_sort_queue_block *chunk) { return (char *)(uintptr_t)(chunk + 1); }

void tb_sort_queue_init(struct tb_sort_queue *s, const struct tb_allocator *allocator) {
  *s = (struct tb_sort_queue){.allocator = allocator, .sorted = true, .runs_in_order = true, .started_at = INT64_MIN};
}

static void free_chunks(struct tb_sort_queue *s) {
  for (struct tb_sort_queue_block *c = s->first, *next; c; c = next) {
    next = c->next;
    tb_free(s->allocator, c, c->size);
  }
  if (s->held) *s->held -= s->bytes;
  s->first = s->last = NULL;
  s->at = s->end = NULL;
  s->bytes = 0;
  s->count = 0;
  tb_same_time_clear(&s->same_time);
}

void tb_sort_queue_forget_matches(struct tb_sort_queue *s) {
  tb_free(s->allocator, s->matches, (size_t)s->count * sizeof(*s->matches));
  tb_free(s->allocator, s->match_notes, (size_t)s->count);
  tb_free(s->allocator, s->end_args, s->end_args_capacity * sizeof(*s->end_args));
  s->matches = NULL;
  s->match_notes = NULL;
  s->end_args = NULL;
  s->end_args_count = s->end_args_capacity = 0;
}

void tb_sort_queue_free(struct tb_sort_queue *s) {
  tb_sort_queue_forget_matches(s);
  free_chunks(s);
  tb_sort_queue_free_index(s);
  tb_slice_stack_free(&s->stack, s->allocator);
  tb_same_time_free(&s->same_time, s->allocator);
  tb_free(s->allocator, s->runs, s->run_capacity * sizeof(*s->runs));
  *s = (struct tb_sort_queue){.allocator = s->allocator};
}

static enum tb_status add_chunk(struct tb_sort_queue *s, size_t need) {
  size_t size = s->last ? s->last->size * 2 : FIRST_CHUNK;
  if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
  if (need > SIZE_MAX / 2) return TB_NO_MEMORY;
  if (size < need + sizeof(struct tb_sort_queue_block)) size = need + sizeof(struct tb_sort_queue_block);
  struct tb_sort_queue_block *chunk = tb_alloc(s->allocator, size);
  if (!chunk) return TB_NO_MEMORY;
  *chunk = (struct tb_sort_queue_block){.size = size};
  if (s->last) {
    s->last->used = (size_t)(s->at - chunk_records(s->last));
    s->last->next = chunk;
  } else {
    s->first = chunk;
  }
  s->last = chunk;
  s->at = chunk_records(chunk);
  s->end = (char *)chunk + size;
  s->bytes += size;
  if (s->held) *s->held += size;
  return TB_OK;
}

/* Follows slices as they come, to find whether they nest in this order, and which ENDs sort first. *around is set for
 * one of these where nothing else of its key is open that began at its time. */
static enum tb_status follow(struct tb_sort_queue *s, struct tb_staged_event *e, bool *around) {
  *around = false;
  if (e->key) { /* slices of groups of tracks are matched in the end; their ENDs are marked by the caller */
    if (e->kind == TB_STAGED_BEGIN || e->kind == TB_STAGED_END) s->needs_matching = true;
    *around = e->kind == TB_STAGED_END && e->sorts_first;
    return TB_OK;
  }
  if (e->kind == TB_STAGED_FLOW || e->kind == TB_STAGED_COUNTER) return TB_OK;
  if (e->kind == TB_STAGED_END) {
    struct tb_stack_frame_ref ended;
    bool innermost = tb_slice_stack_end(&s->stack, e, &ended);
    int64_t begin_ts = ended.open.ts;
    if (!innermost || tb_is_without_thread_time(begin_ts, ended.thread_ts, e)) s->needs_matching = true;
    *around = innermost && begin_ts < e->ts;
    e->sorts_first = begin_ts != e->ts; /* none that came so far began at its very time */
    return TB_OK;
  }
  bool nests, pushed;
  enum tb_status status = tb_slice_stack_begin(&s->stack, s->allocator, e, s->total, &nests, &pushed);
  if (!nests) s->needs_matching = true;
  return status;
}

/* What is of one time as the entry that is written to `head`, and came before it. */
static enum tb_status follow_same_time(struct tb_sort_queue *s, const struct tb_staged_event *e, bool around,
                                       char *head) {
  if (around && tb_same_time_raise(&s->same_time, e->key, e->ts, RECORD_SORTS_FIRST)) s->last_rank = TB_RANK_FIRST;
  if (e->kind == TB_STAGED_END && e->sorts_first) return TB_OK;
  if (e->kind == TB_STAGED_COUNTER) {
    tb_same_time_pass(&s->same_time, e->ts);
    return TB_OK;
  }
  bool stays = e->kind == TB_STAGED_COMPLETE || (e->kind == TB_STAGED_ZERO_LENGTH_SLICE && s->complete_first);
  int opens = e->kind == TB_STAGED_BEGIN ? 1 : e->kind == TB_STAGED_END ? -1 : 0;
  return tb_same_time_add(&s->same_time, s->allocator, e->key, e->ts, stays ? NULL : head, opens);
}

/* Notes slices that begin at one time, one behind the other. */
static void note_begins(struct tb_sort_queue *s, const struct tb_staged_event *e) {
  if (e->key || (e->kind != TB_STAGED_BEGIN && e->kind != TB_STAGED_COMPLETE)) return;
  bool is_begin = e->kind == TB_STAGED_BEGIN;
  if (s->started_at == e->ts && (is_begin || s->started_by_begin)) s->begins_together = true;
  s->started_at = e->ts;
  s->started_by_begin = is_begin;
}

static void note_order(struct tb_sort_queue *s, const struct tb_staged_event *e) {
  note_begins(s, e);
  if (e->kind == TB_STAGED_COMPLETE) s->has_complete = true;
  if (e->kind == TB_STAGED_BEGIN) s->has_begin = true;
  if (e->flow) s->has_flow = true;
  if (e->has_thread_ts) s->has_thread_times = true;
  int64_t rank = tb_entry_rank(e, e->sorts_first);
  if (s->total && !tb_entry_in_order(s->last_ts, s->last_rank, e->ts, rank)) s->sorted = false;
  s->last_rank = rank;
}

enum tb_status tb_sort_queue_add(struct tb_sort_queue *s, struct tb_staged_event *e) {
  bool around;
  if (follow(s, e, &around) != TB_OK) return TB_NO_MEMORY;
  size_t need = RECORD_HEAD_MAX + e->body.len + e->end_body.len;
  if (need > (size_t)(s->end - s->at) && add_chunk(s, need) != TB_OK) return TB_NO_MEMORY;
  if (!s->has_base) {
    s->has_base = true;
    s->base_ts = s->last_ts = e->ts;
  }
  if (e->has_thread_ts && !s->has_thread_base) {
    s->has_thread_base = true;
    s->base_thread_ts = tb_wrap_sub(e->thread_ts, tb_wrap_sub(e->ts, s->base_ts));
  }
  if (follow_same_time(s, e, around, s->at) != TB_OK) return TB_NO_MEMORY;
  note_order(s, e);
  struct tb_record_base base = {s->base_ts, s->base_thread_ts};
  char *at = tb_record_write(s->at, e, s->count ? s->last_ts : s->base_ts, base);
  if (e->body.len) memcpy(at, e->body.ptr, e->body.len);
  at += e->body.len;
  if (e->end_body.len) memcpy(at, e->end_body.ptr, e->end_body.len);
  s->at = at + e->end_body.len;
  s->last_ts = e->ts;
  s->count++;
  s->total++;
  return TB_OK;
}

/* ---- index ------------------------------------------------------------------------------------------------------- */

static bool in_order(const struct tb_sort_queue_ref *a, const struct tb_sort_queue_ref *b) {
  return tb_entry_in_order(a->ts, a->rank, b->ts, b->rank);
}

/* Merges the sorted runs [0, mid) and [mid, count); `spare` has room for `mid` entries. */
static void merge(struct tb_sort_queue_ref *refs, size_t mid, size_t count, struct tb_sort_queue_ref *spare) {
  size_t skip = 0; /* what is in place already */
  while (skip < mid && in_order(&refs[skip], &refs[mid])) skip++;
  size_t left = mid - skip;
  memcpy(spare, refs + skip, left * sizeof(*refs));
  size_t i = 0, j = mid, to = skip;
  while (i < left && j < count) refs[to++] = in_order(&spare[i], &refs[j]) ? spare[i++] : refs[j++];
  memcpy(refs + to, spare + i, (left - i) * sizeof(*refs));
}

static size_t run_length(const struct tb_sort_queue_ref *refs, size_t count) {
  size_t n = 1;
  while (n < count && in_order(&refs[n - 1], &refs[n])) n++;
  return n;
}

void tb_sort_queue_sort_refs(struct tb_sort_queue_ref *refs, size_t count, struct tb_sort_queue_ref *spare) {
  for (;;) {
    size_t at = 0, merges = 0;
    while (at < count) {
      size_t first = run_length(refs + at, count - at);
      if (at + first == count) break;
      size_t second = run_length(refs + at + first, count - at - first);
      merge(refs + at, first, first + second, spare);
      at += first + second;
      merges++;
    }
    if (merges == 0) return;
  }
}

/* Whether slices begin at one time, of what came in no order. */
static bool begin_together(const struct tb_sort_queue *s) {
  struct tb_staged_event e;
  for (size_t i = 0, starts = 0, begins = 0; i < s->ref_count; i++) {
    if (i && s->refs[i].ts != s->refs[i - 1].ts) starts = begins = 0;
    bool alone =
        (i == 0 || s->refs[i].ts != s->refs[i - 1].ts) && (i + 1 == s->ref_count || s->refs[i].ts != s->refs[i + 1].ts);
    if (alone) continue;
    tb_sort_queue_event_at(s, i, &e);
    bool is_begin = e.kind == TB_STAGED_BEGIN && !e.key;
    starts += is_begin || (e.kind == TB_STAGED_COMPLETE && !e.key);
    begins += is_begin;
    if (begins && starts > 1) return true;
  }
  return false;
}

enum tb_status tb_sort_queue_index(struct tb_sort_queue *s) {
  if (s->refs || s->count == 0) return TB_OK;
  if (s->count > SIZE_MAX / 2 / sizeof(*s->refs)) return TB_NO_MEMORY;
  s->ref_count = (size_t)s->count;
  s->refs = tb_alloc(s->allocator, s->ref_count * sizeof(*s->refs));
  if (!s->refs) return TB_NO_MEMORY;
  struct tb_record_base base = {s->base_ts, s->base_thread_ts};
  int64_t ts = s->base_ts;
  size_t n = 0;
  for (const struct tb_sort_queue_block *c = s->first; c; c = c->next) {
    const char *at = chunk_records(c), *end = c == s->last ? s->at : at + c->used;
    while (at < end) {
      struct tb_staged_event e;
      const char *record = at;
      at = tb_record_read(at, &e, ts, base);
      ts = e.ts;
      s->refs[n++] = (struct tb_sort_queue_ref){e.ts, tb_entry_rank(&e, e.sorts_first), record};
    }
  }
  if (s->sorted) return TB_OK;
  struct tb_sort_queue_ref *spare = tb_alloc(s->allocator, s->ref_count * sizeof(*spare));
  if (!spare) return TB_NO_MEMORY;
  tb_sort_queue_sort_refs(s->refs, s->ref_count, spare);
  tb_free(s->allocator, spare, s->ref_count * sizeof(*spare));
  s->begins_together = s->has_begin && begin_together(s);
  return TB_OK;
}

/* When a slice of key 0 ends that begins at the place; its own time: it is none. */
static int64_t end_of_slice(const struct tb_sort_queue *s, size_t place, const int64_t *ends, bool *is_begin) {
  struct tb_staged_event e;
  tb_sort_queue_event_at(s, place, &e);
  *is_begin = e.kind == TB_STAGED_BEGIN && !e.key;
  if (*is_begin) return ends[place];
  return e.kind == TB_STAGED_COMPLETE && !e.key ? tb_slice_end(e.ts, e.dur) : e.ts;
}

/* Whether a BEGIN that has an END would come in front of one that never ends, and would have another END there. */
static bool would_pass_endless(const struct tb_sort_queue *s, size_t from, size_t to, const int64_t *ends) {
  int64_t first = INT64_MAX; /* end in front of a BEGIN that never ends */
  bool endless = false, is_begin;
  for (size_t i = from; i < to; i++) {
    int64_t end = end_of_slice(s, i, ends, &is_begin);
    endless |= is_begin && end == INT64_MAX;
    if (endless && is_begin && end != INT64_MAX && end > first) return true;
    if (!endless && end > s->refs[i].ts && end < first) first = end;
  }
  return false;
}

/* Where a record is among all, as they came. */
static int64_t place_in_memory(const struct tb_sort_queue *s, const char *record) {
  int64_t before = 0;
  for (const struct tb_sort_queue_block *c = s->first; c; c = c->next) {
    const char *start = (const char *)c;
    if (record >= start && record < start + c->size) return before + (record - start);
    before += (int64_t)c->size;
  }
  return before;
}

/* Puts slices that begin and end at one time in the order in which they came. */
static void order_equal_slices(const struct tb_sort_queue *s, struct tb_sort_queue_ref *slices, size_t count,
                               struct tb_sort_queue_ref *spare) {
  for (size_t from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && slices[to].rank == slices[from].rank;) to++;
    if (to - from == 1) continue;
    for (size_t i = from; i < to; i++) slices[i].ts = place_in_memory(s, slices[i].record);
    tb_sort_queue_sort_refs(slices + from, to - from, spare);
  }
}

/* Orders the slices among the entries of one time, from `from` to `to`, in the places where there are slices. One that
 * never ends keeps its place, or is in front of those that have to stay behind it. `room` is for twice as many. */
static void order_begins_of_time(struct tb_sort_queue *s, size_t from, size_t to, const int64_t *ends,
                                 struct tb_sort_queue_ref *room) {
  struct tb_sort_queue_ref *slices = room, *spare = room + (to - from);
  bool with_endless = would_pass_endless(s, from, to, ends), is_begin;
  size_t count = 0;
  for (size_t i = from; i < to; i++) {
    int64_t end = end_of_slice(s, i, ends, &is_begin);
    bool is_ordered = end > s->refs[i].ts && (end != INT64_MAX || (is_begin && with_endless));
    s->refs[i].rank = is_ordered ? 0 : TB_RANK_OTHER; /* nobody asks for ranks any more */
    if (is_ordered) slices[count++] = (struct tb_sort_queue_ref){s->refs[i].ts, end, s->refs[i].record};
  }
  tb_sort_queue_sort_refs(slices, count, spare);
  if (!s->complete_first) order_equal_slices(s, slices, count, spare);
  for (size_t i = from, n = 0; n < count; i++)
    if (s->refs[i].rank != TB_RANK_OTHER) s->refs[i].record = slices[n++].record;
}

enum tb_status tb_sort_queue_order_begins(struct tb_sort_queue *s, const int64_t *ends) {
  size_t most = 0;
  for (size_t i = 0, from = 0; i < s->ref_count; i++) {
    if (s->refs[i].ts != s->refs[from].ts) from = i;
    if (i + 1 - from > most) most = i + 1 - from;
  }
  struct tb_sort_queue_ref *room = tb_alloc(s->allocator, 2 * most * sizeof(*room));
  if (!room) return TB_NO_MEMORY;
  for (size_t from = 0, to; from < s->ref_count; from = to) {
    for (to = from + 1; to < s->ref_count && s->refs[to].ts == s->refs[from].ts;) to++;
    if (to - from > 1) order_begins_of_time(s, from, to, ends, room);
  }
  tb_free(s->allocator, room, 2 * most * sizeof(*room));
  s->sorted = false; /* places are no longer those in which entries came */
  return TB_OK;
}

void tb_sort_queue_free_index(struct tb_sort_queue *s) {
  tb_free(s->allocator, s->refs, s->ref_count * sizeof(*s->refs));
  s->refs = NULL;
  s->ref_count = 0;
}

void tb_sort_queue_event_at(const struct tb_sort_queue *s, size_t place, struct tb_staged_event *entry) {
  struct tb_record_base base = {s->base_ts, s->base_thread_ts};
  /* the record's own ts is a difference; the index has it whole, and thread times are stored against it */
  int64_t before = tb_wrap_sub(s->refs[place].ts, tb_record_ts_difference(s->refs[place].record));
  (void)tb_record_read(s->refs[place].record, entry, before, base);
}

/* ---- spilling ---------------------------------------------------------------------------------------------------- */

static enum tb_status write_run(struct tb_sort_queue *s, struct tb_spill_file *file, struct tb_error *error) {
  struct tb_record_base base = {s->base_ts, s->base_thread_ts};
  struct tb_run run = {.offset = tb_spill_file_size(file), .count = s->count};
  int64_t last_ts = s->base_ts;
  for (size_t i = 0; i < s->ref_count; i++) {
    struct tb_staged_event e;
    char head[RECORD_HEAD_MAX];
    tb_sort_queue_event_at(s, i, &e);
    char *end = tb_record_write(head, &e, last_ts, base);
    enum tb_status status = tb_spill_file_append(file, head, (size_t)(end - head), error);
    if (status == TB_OK) status = tb_spill_file_append(file, e.body.ptr, e.body.len, error);
    if (status == TB_OK) status = tb_spill_file_append(file, e.end_body.ptr, e.end_body.len, error);
    if (status != TB_OK) return status;
    last_ts = e.ts;
  }
  run.bytes = tb_spill_file_size(file) - run.offset;
  s->runs[s->run_count++] = run;
  return TB_OK;
}

enum tb_status tb_sort_queue_spill(struct tb_sort_queue *s, struct tb_spill_file *file, struct tb_error *error) {
  if (s->count == 0) return TB_OK;
  void *runs = s->runs;
  enum tb_status status =
      tb_grow_array(s->allocator, &runs, &s->run_capacity, s->run_count + 1, sizeof(*s->runs), SIZE_MAX / 64);
  s->runs = runs;
  if (status == TB_OK) status = tb_sort_queue_index(s);
  if (status != TB_OK) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  status = write_run(s, file, error);
  tb_sort_queue_free_index(s);
  /* `sorted` goes on to say whether the next entry comes after the last one of this run */
  if (!s->sorted) s->runs_in_order = false;
  free_chunks(s);
  return status;
}

/* ---- the records of runs, for the merger ------------------------------------------------------------------------- */

struct run_record {
  struct tb_staged_event entry;
  struct tb_record_base base;
  int64_t last_ts;
};

static_assert((int)RECORD_SLACK <= (int)TB_RUN_SLACK, "a record is read with what follows it");

static void start_run(const void *ctx, void *record) {
  const struct tb_sort_queue *s = ctx;
  *(struct run_record *)record = (struct run_record){.base = {s->base_ts, s->base_thread_ts}, .last_ts = s->base_ts};
}

static bool is_whole(const char *at, size_t have, bool all) {
  uint64_t body;
  if (have < 2 || !tb_wire_read_varint(at + 1, at + have, &body)) return false;
  return all || have >= RECORD_HEAD_MAX + body;
}

static const char *read_run_record(void *record, const char *at) {
  struct run_record *r = record;
  at = tb_record_read(at, &r->entry, r->last_ts, r->base);
  r->last_ts = r->entry.ts;
  return at;
}

static int compare_run_records(const void *a, const void *b) {
  const struct tb_staged_event *x = &((const struct run_record *)a)->entry;
  const struct tb_staged_event *y = &((const struct run_record *)b)->entry;
  int64_t rank = tb_entry_rank(x, x->sorts_first), other = tb_entry_rank(y, y->sorts_first);
  if (x->ts == y->ts && rank == other) return 0;
  return tb_entry_in_order(x->ts, rank, y->ts, other) ? -1 : 1;
}

static const struct tb_run_records run_records = {
    sizeof(struct run_record), false, start_run, is_whole, read_run_record, compare_run_records};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

enum tb_status tb_sort_queue_open(struct tb_sort_queue *s, struct tb_spill_file *file,
                                  struct tb_sort_queue_cursor *cursor, struct tb_error *error) {
  *cursor = (struct tb_sort_queue_cursor){.queue = s, .ts = s->base_ts};
  if (s->run_count) {
    enum tb_status status = tb_sort_queue_spill(s, file, error);
    if (status != TB_OK) return status;
    return tb_run_merger_open(file, s->allocator, &run_records, s, s->runs, s->run_count, s->runs_in_order,
                              &cursor->merge, error);
  }
  if (s->refs || !s->first) return TB_OK;
  cursor->chunk = s->first;
  cursor->at = chunk_records(s->first);
  return TB_OK;
}

enum tb_status tb_sort_queue_next(struct tb_sort_queue_cursor *cursor, struct tb_staged_event *entry,
                                  struct tb_error *error) {
  struct tb_sort_queue *s = cursor->queue;
  if (cursor->merge) {
    const void *record;
    enum tb_status status = tb_run_merger_next(cursor->merge, &record, error);
    if (status != TB_OK) return status;
    *entry = ((const struct run_record *)record)->entry;
    cursor->place++;
    return TB_OK;
  }
  if (s->refs) {
    if (cursor->place == s->ref_count) return TB_END;
    tb_sort_queue_event_at(s, cursor->place++, entry);
    return TB_OK;
  }
  while (cursor->chunk) {
    const struct tb_sort_queue_block *c = cursor->chunk;
    const char *end = c == s->last ? s->at : chunk_records(c) + c->used;
    if (cursor->at < end) {
      struct tb_record_base base = {s->base_ts, s->base_thread_ts};
      cursor->at = tb_record_read(cursor->at, entry, cursor->ts, base);
      cursor->ts = entry->ts;
      cursor->place++;
      return TB_OK;
    }
    cursor->chunk = c->next;
    if (c->next) cursor->at = chunk_records(c->next);
  }
  return TB_END;
}

void tb_sort_queue_close(struct tb_sort_queue_cursor *cursor) {
  tb_run_merger_close(cursor->merge);
  cursor->merge = NULL;
}
