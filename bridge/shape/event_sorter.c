/* SPDX-License-Identifier: Apache-2.0 */
#include "shape/event_sorter.h"

#include "base/error.h"
#include "base/times.h"
#include "io/spill_file.h"
#include "protobuf/wire.h"
#include "timeline/entry_rank.h"

enum { USUAL_BUDGET = 256 << 20, LEAST_BUDGET = 1 << 20, STAGED_EVENTS = 4096, STAGED_BYTES = 192 << 10 };
enum { LEN_BYTES = 2, LONG_LEN_BYTES = 8, LONG_BODY = 0x7fff };
enum { HEAD_BYTES = LEN_BYTES + 2 * TB_WIRE_VARINT_MAX + LONG_LEN_BYTES, WRITTEN_AT_ONCE = 64 << 10 };

void tb_event_sorter_init(struct tb_event_sorter *sorter, const struct tb_allocator *allocator) {
  *sorter = (struct tb_event_sorter){
      .allocator = allocator, .budget = USUAL_BUDGET, .runs_in_order = true, .last_ts = INT64_MIN};
  tb_event_codec_init(&sorter->codec, allocator);
  tb_buffer_init(&sorter->staged, allocator, 0);
  tb_buffer_init(&sorter->run_bytes, allocator, 0);
  tb_run_memory_init(&sorter->memory, allocator);
}

static void free_memory_runs(struct tb_event_sorter *s) {
  tb_run_memory_free(&s->memory);
  s->run_count = s->runs_in_file;
  s->bytes = 0;
}

void tb_event_sorter_free(struct tb_event_sorter *s) {
  tb_run_merger_close(s->merger);
  free_memory_runs(s);
  tb_free(s->allocator, s->runs, s->run_capacity * sizeof(*s->runs));
  tb_free(s->allocator, s->refs, STAGED_EVENTS * sizeof(*s->refs));
  tb_free(s->allocator, s->spare, STAGED_EVENTS * sizeof(*s->spare));
  tb_free(s->allocator, s->spans, STAGED_EVENTS * sizeof(*s->spans));
  tb_event_codec_free(&s->codec);
  tb_spill_file_close(s->spill);
  tb_buffer_free(&s->staged);
  tb_buffer_free(&s->run_bytes);
}

/* ---- records of runs ---------------------------------------------------------------------------------------------
 *
 * 2 bytes   length of the event * 2, LONG_BODY where it is no less than that; 1 where it has a rank
 * varints   time less that of the record before; the rank, where it has one
 * 8 bytes   the length, where it is long
 *           the event
 */

struct run_event {
  int64_t ts, rank;
  struct tb_str body;
};

static void put_len(char *head, size_t len, bool ranked) {
  uint16_t word = (uint16_t)((len < LONG_BODY ? len : LONG_BODY) << 1 | ranked);
  memcpy(head, &word, LEN_BYTES);
}

/* What is in front of the long length; the short one is put when it is known. */
static char *put_times(char *head, int64_t ts, int64_t last_ts, int64_t rank) {
  char *at = tb_wire_put_varint(head + LEN_BYTES, tb_wire_zigzag(tb_wrap_sub(ts, last_ts)));
  return rank != TB_RANK_OTHER ? tb_wire_put_varint(at, (uint64_t)rank) : at;
}

static char *write_head(char *head, const struct run_event *event, int64_t last_ts) {
  const uint64_t len = event->body.len;
  put_len(head, event->body.len, event->rank != TB_RANK_OTHER);
  char *at = put_times(head, event->ts, last_ts, event->rank);
  if (len < LONG_BODY) return at;
  memcpy(at, &len, LONG_LEN_BYTES);
  return at + LONG_LEN_BYTES;
}

static const char *read_event(void *record, const char *at) {
  struct run_event *event = record;
  uint64_t ts, len, rank = (uint64_t)TB_RANK_OTHER;
  uint16_t word;
  memcpy(&word, at, LEN_BYTES);
  at = tb_wire_read_varint_ahead(at + LEN_BYTES, &ts);
  if (word & 1) at = tb_wire_read_varint_ahead(at, &rank);
  len = word >> 1;
  if (len == LONG_BODY) {
    len = tb_load64(at);
    at += LONG_LEN_BYTES;
  }
  event->ts = tb_wrap_add(event->ts, tb_wire_zigzag_decode(ts));
  event->rank = (int64_t)rank;
  event->body = (struct tb_str){at, (size_t)len};
  return at + len;
}

static void start_run(const void *ctx, void *record) {
  (void)ctx;
  *(struct run_event *)record = (struct run_event){.ts = 0};
}

static bool is_whole(const char *at, size_t have, bool all) {
  struct run_event event = {.ts = 0};
  return all || (have >= HEAD_BYTES && (size_t)(read_event(&event, at) - at) <= have);
}

static int compare_events(const void *a, const void *b) {
  const struct run_event *x = a, *y = b;
  if (x->ts == y->ts && x->rank == y->rank) return 0;
  return tb_entry_in_order(x->ts, x->rank, y->ts, y->rank) ? -1 : 1;
}

static const struct tb_run_records records = {
    sizeof(struct run_event), true, start_run, is_whole, read_event, compare_events};

/* ---- runs -------------------------------------------------------------------------------------------------------- */

enum { SLACK = TB_RUN_SLACK }; /* zeros behind a run in memory: heads are read ahead */

static enum tb_status add_run(struct tb_event_sorter *s, struct tb_run run) {
  void *runs = s->runs;
  enum tb_status status =
      tb_grow_array(s->allocator, &runs, &s->run_capacity, s->run_count + 1, sizeof(*s->runs), SIZE_MAX / 64);
  s->runs = runs;
  if (status == TB_OK) s->runs[s->run_count++] = run;
  return status == TB_OK ? TB_OK : TB_NO_MEMORY;
}

/* Notes how the staged events, sorted, go on from the run before. */
static void note_order(struct tb_event_sorter *s) {
  const struct tb_sort_queue_ref *first = &s->refs[0], *last = &s->refs[s->count - 1];
  if (s->run_count && !tb_entry_in_order(s->last_ts, s->last_rank, first->ts, first->rank)) s->runs_in_order = false;
  s->last_ts = last->ts;
  s->last_rank = last->rank;
}

/* Copies what is staged, which did not come in order, in its order. Returns the byte behind it. */
static char *copy_sorted(const struct tb_event_sorter *s, char *at) {
  int64_t last_ts = 0;
  for (size_t i = 0; i < s->count; i++) {
    const struct tb_staged_span *span = (const struct tb_staged_span *)(const void *)s->refs[i].record;
    const struct run_event event = {s->refs[i].ts, s->refs[i].rank, {s->staged.data + span->at, span->len}};
    at = write_head(at, &event, last_ts);
    memcpy(at, event.body.ptr, event.body.len);
    at += event.body.len;
    last_ts = event.ts;
  }
  return at;
}

/* Makes a run of what is staged. */
static enum tb_status end_run(struct tb_event_sorter *s) {
  if (!s->count) return TB_OK;
  if (!s->is_in_order) tb_sort_queue_sort_refs(s->refs, s->count, s->spare);
  note_order(s);
  s->memory.most = s->budget / 4;
  char *memory = tb_run_memory_room(&s->memory, s->staged.len + s->count * HEAD_BYTES + SLACK), *end;
  if (!memory) return TB_NO_MEMORY;
  if (s->is_in_order) {
    memcpy(memory, s->staged.data, s->staged.len);
    end = memory + s->staged.len;
  } else {
    end = copy_sorted(s, memory);
  }
  size_t bytes = (size_t)(end - memory);
  memset(end, 0, SLACK);
  tb_run_memory_use(&s->memory, bytes + SLACK);
  const struct tb_run run = {.bytes = bytes + SLACK, .count = s->count, .memory = memory};
  if (add_run(s, run) != TB_OK) return TB_NO_MEMORY;
  s->bytes += bytes;
  s->count = s->staged.len = 0;
  s->is_in_order = true;
  return TB_OK;
}

static enum tb_status write_out(struct tb_event_sorter *s, struct tb_error *error) {
  enum tb_status status = tb_spill_file_append(s->spill, s->run_bytes.data, s->run_bytes.len, error);
  s->run_bytes.len = 0;
  return status;
}

/* Writes what the merger gives as one run of the file. */
static enum tb_status write_run(struct tb_event_sorter *s, struct tb_run_merger *merger, struct tb_run *run,
                                struct tb_error *error) {
  const void *record;
  enum tb_status status;
  int64_t last_ts = 0;
  s->run_bytes.len = 0;
  while ((status = tb_run_merger_next(merger, &record, error)) == TB_OK) {
    const struct run_event *event = record;
    if (tb_buffer_reserve(&s->run_bytes, HEAD_BYTES + event->body.len) != TB_OK) return TB_NO_MEMORY;
    char *end = write_head(s->run_bytes.data + s->run_bytes.len, event, last_ts);
    memcpy(end, event->body.ptr, event->body.len);
    s->run_bytes.len = (size_t)(end - s->run_bytes.data) + event->body.len;
    last_ts = event->ts;
    run->count++;
    if (s->run_bytes.len >= WRITTEN_AT_ONCE && (status = write_out(s, error)) != TB_OK) return status;
  }
  return status == TB_END ? write_out(s, error) : status;
}

/* Moves all runs in memory to the file, as one. */
static enum tb_status spill(struct tb_event_sorter *s, struct tb_error *error) {
  struct tb_run_merger *merger;
  enum tb_status status = TB_OK;
  if (!s->spill) status = tb_spill_file_create(s->directory, s->allocator, &s->spill, error);
  if (status == TB_OK)
    status = tb_run_merger_open(NULL, s->allocator, &records, NULL, s->runs + s->runs_in_file,
                                s->run_count - s->runs_in_file, s->runs_in_order, &merger, error);
  if (status != TB_OK) return status;
  struct tb_run run = {.offset = tb_spill_file_size(s->spill)};
  status = write_run(s, merger, &run, error);
  tb_run_merger_close(merger);
  if (status != TB_OK) return status;
  run.bytes = tb_spill_file_size(s->spill) - run.offset;
  free_memory_runs(s);
  s->runs_in_file++;
  return add_run(s, run);
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

static bool make_staging(struct tb_event_sorter *s) {
  if (s->refs) return true;
  s->refs = tb_alloc(s->allocator, STAGED_EVENTS * sizeof(*s->refs));
  s->spare = tb_alloc(s->allocator, STAGED_EVENTS * sizeof(*s->spare));
  s->spans = tb_alloc(s->allocator, STAGED_EVENTS * sizeof(*s->spans));
  s->is_in_order = true;
  return s->refs && s->spare && s->spans;
}

/* Stages the event's bytes, as a record behind the one before, and notes where they are. */
static bool stage(struct tb_event_sorter *s, const struct tb_event *event, int64_t ts, int64_t rank) {
  const size_t head = s->staged.len;
  if (tb_buffer_reserve(&s->staged, HEAD_BYTES) != TB_OK) return false;
  char *at = put_times(s->staged.data + head, ts, s->count ? s->refs[s->count - 1].ts : 0, rank);
  size_t start = s->staged.len = (size_t)(at - s->staged.data);
  if (tb_event_encode(&s->codec, &s->staged, event) != TB_OK) return false;
  const uint64_t len = s->staged.len - start;
  if (len >= LONG_BODY) {
    if (tb_buffer_reserve(&s->staged, LONG_LEN_BYTES) != TB_OK) return false;
    char *body = s->staged.data + start;
    memmove(body + LONG_LEN_BYTES, body, len);
    memcpy(body, &len, LONG_LEN_BYTES);
    start += LONG_LEN_BYTES;
    s->staged.len += LONG_LEN_BYTES;
  }
  put_len(s->staged.data + head, len, rank != TB_RANK_OTHER);
  s->spans[s->count] = (struct tb_staged_span){start, len};
  return true;
}

enum tb_status tb_event_sorter_put(struct tb_event_sorter *s, const struct tb_event *event, struct tb_error *error) {
  bool ranked = s->complete_first && event->type == TB_EVENT_SLICE_COMPLETE && event->dur > 0;
  int64_t ts = event->has & TB_HAS_TS ? event->ts : INT64_MIN, rank = ranked ? event->dur : TB_RANK_OTHER;
  if (!make_staging(s) || !stage(s, event, ts, rank)) return TB_NO_MEMORY;
  struct tb_sort_queue_ref *ref = &s->refs[s->count];
  *ref = (struct tb_sort_queue_ref){ts, rank, (const char *)&s->spans[s->count]};
  if (s->count && !tb_entry_in_order(ref[-1].ts, ref[-1].rank, ts, rank)) s->is_in_order = false;
  if (++s->count < STAGED_EVENTS && s->staged.len < STAGED_BYTES) return TB_OK;
  if (end_run(s) != TB_OK) return TB_NO_MEMORY;
  size_t budget = s->budget > LEAST_BUDGET ? s->budget : LEAST_BUDGET;
  return s->bytes > budget ? spill(s, error) : TB_OK;
}

static enum tb_status open_merger(struct tb_event_sorter *s, struct tb_error *error) {
  enum tb_status status = end_run(s);
  if (status != TB_OK) return status;
  return tb_run_merger_open(s->spill, s->allocator, &records, NULL, s->runs, s->run_count, s->runs_in_order, &s->merger,
                            error);
}

enum tb_status tb_event_sorter_peek(struct tb_event_sorter *s, int64_t *ts, struct tb_error *error) {
  enum tb_status status = s->merger ? TB_OK : open_merger(s, error);
  if (status == TB_OK && !s->next) status = tb_run_merger_next(s->merger, &s->next, error);
  if (status != TB_OK) return status;
  *ts = ((const struct run_event *)s->next)->ts;
  return TB_OK;
}

enum tb_status tb_event_sorter_next(struct tb_event_sorter *s, struct tb_arena *arena, struct tb_event *event,
                                    uint64_t *used, struct tb_error *error) {
  int64_t ts;
  enum tb_status status = tb_event_sorter_peek(s, &ts, error);
  if (status != TB_OK) return status;
  const struct run_event *next = s->next;
  s->next = NULL;
  return tb_event_decode_over(&s->codec, next->body.ptr, ts, arena, event, used);
}
