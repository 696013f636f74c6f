/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of a chunk is an array of keys: the time of a point, less the earliest, above its place among those of the
 * chunk. So equal times stay as they came, and the places need no sorting: they are in order, and a radix sort, which
 * is stable, goes over the times' bits alone.
 */
#include "toolbox/verify/slice_log.h"

#include "io/spill_file.h"
#include "timeline/sort_queue.h"

enum { USUAL_BUDGET = 128 << 20, LEAST_CHUNK = 1 << 10, LARGEST_CHUNK = 1 << 26 };
enum { POINT_BYTES = sizeof(struct tb_slice_point) + 2 * sizeof(uint64_t) }; /* with its keys, while it is sorted */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

void tb_slice_log_init(struct tb_slice_log *log, const struct tb_allocator *allocator, size_t budget,
                       const char *directory) {
  size_t chunk = (budget ? budget : USUAL_BUDGET) / POINT_BYTES;
  if (chunk < LEAST_CHUNK) chunk = LEAST_CHUNK;
  if (chunk > LARGEST_CHUNK) chunk = LARGEST_CHUNK;
  *log = (struct tb_slice_log){.allocator = allocator, .directory = directory, .chunk = chunk};
}

static void free_keys(struct tb_slice_log *log) {
  tb_free(log->allocator, log->keys, log->key_count * sizeof(*log->keys));
  log->keys = NULL;
  log->key_count = 0;
}

void tb_slice_log_free(struct tb_slice_log *log) {
  tb_run_merger_close(log->merger);
  free_keys(log);
  tb_free(log->allocator, log->points, log->capacity * sizeof(*log->points));
  tb_free(log->allocator, log->runs, log->run_capacity * sizeof(*log->runs));
  tb_spill_file_close(log->spill);
  *log = (struct tb_slice_log){.allocator = log->allocator, .directory = log->directory, .chunk = log->chunk};
}

/* ---- the order of a chunk ---------------------------------------------------------------------------------------- */

/* Sorts keys by DIGIT_BITS of their bits, from `shift` on. False, and nothing was done: they have all the same. */
static bool sort_by_digit(const uint64_t *keys, uint64_t *to, size_t count, uint32_t shift) {
  size_t starts[DIGITS] = {0};
  for (size_t i = 0; i < count; i++) starts[keys[i] >> shift & (DIGITS - 1)]++;
  if (starts[keys[0] >> shift & (DIGITS - 1)] == count) return false;
  for (size_t digit = 0, before = 0; digit < DIGITS; digit++) {
    size_t own = starts[digit];
    starts[digit] = before;
    before += own;
  }
  for (size_t i = 0; i < count; i++) to[starts[keys[i] >> shift & (DIGITS - 1)]++] = keys[i];
  return true;
}

static uint32_t bits_of(uint64_t number) { return number ? 64 - (uint32_t)__builtin_clzll(number) : 0; }

/* Keys whose times need `ts_bits`; `spare` has room for as many. */
static void sort_keys(struct tb_slice_log *log, uint64_t *spare, uint32_t ts_bits) {
  uint32_t end = log->place_bits + ts_bits;
  for (uint32_t shift = log->place_bits; shift < end; shift += DIGIT_BITS) {
    uint64_t *sorted = spare;
    if (!sort_by_digit(log->keys, sorted, log->count, shift)) continue;
    spare = log->keys;
    log->keys = sorted;
  }
}

/* Times that are too far apart for a key: by comparing. */
static enum tb_status sort_refs(struct tb_slice_log *log) {
  const size_t bytes = log->count * sizeof(struct tb_sort_queue_ref);
  struct tb_sort_queue_ref *refs = tb_alloc(log->allocator, bytes), *spare = tb_alloc(log->allocator, bytes);
  bool ok = refs && spare;
  for (size_t i = 0; ok && i < log->count; i++)
    refs[i] = (struct tb_sort_queue_ref){log->points[i].ts, 0, (const char *)&log->points[i]};
  if (ok) tb_sort_queue_sort_refs(refs, log->count, spare);
  for (size_t i = 0; ok && i < log->count; i++)
    log->keys[i] = (uint64_t)((const struct tb_slice_point *)(const void *)refs[i].record - log->points);
  tb_free(log->allocator, refs, bytes);
  tb_free(log->allocator, spare, bytes);
  return ok ? TB_OK : TB_NO_MEMORY;
}

static enum tb_status sort_by_keys(struct tb_slice_log *log, int64_t first, uint32_t ts_bits) {
  uint64_t *spare = tb_alloc(log->allocator, log->count * sizeof(*spare)), *own = spare;
  if (!spare) return TB_NO_MEMORY;
  for (size_t i = 0; i < log->count; i++)
    log->keys[i] = ((uint64_t)log->points[i].ts - (uint64_t)first) << log->place_bits | i;
  uint64_t *keys = log->keys;
  sort_keys(log, spare, ts_bits);
  tb_free(log->allocator, log->keys == own ? keys : own, log->count * sizeof(*own));
  return TB_OK;
}

static enum tb_status order_chunk(struct tb_slice_log *log) {
  if (!log->unordered) return TB_OK;
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (size_t i = 0; i < log->count; i++) {
    if (log->points[i].ts < first) first = log->points[i].ts;
    if (log->points[i].ts > last) last = log->points[i].ts;
  }
  uint32_t ts_bits = bits_of((uint64_t)last - (uint64_t)first);
  log->keys = tb_alloc(log->allocator, log->count * sizeof(*log->keys));
  if (!log->keys) return TB_NO_MEMORY;
  log->key_count = log->count;
  log->place_bits = bits_of(log->count - 1);
  return log->place_bits + ts_bits <= 64 ? sort_by_keys(log, first, ts_bits) : sort_refs(log);
}

static const struct tb_slice_point *point_at(const struct tb_slice_log *log, size_t index) {
  if (log->keys) index = (size_t)(log->keys[index] & ((UINT64_C(1) << log->place_bits) - 1));
  return &log->points[index];
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static const char *read_point(void *record, const char *at) {
  memcpy(record, at, sizeof(struct tb_slice_point));
  return at + sizeof(struct tb_slice_point);
}

static bool is_whole(const char *at, size_t have, bool all) {
  (void)at;
  return all || have >= sizeof(struct tb_slice_point);
}

static int compare_points(const void *a, const void *b) {
  const struct tb_slice_point *x = a, *y = b;
  return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static const struct tb_run_records records = {
    sizeof(struct tb_slice_point), true, NULL, is_whole, read_point, compare_points};

/* Moves what is in memory to the file, as a run. */
static enum tb_status end_run(struct tb_slice_log *log, struct tb_error *error) {
  void *runs = log->runs;
  enum tb_status status = order_chunk(log);
  if (status == TB_OK)
    status = tb_grow_array(log->allocator, &runs, &log->run_capacity, log->run_count + 1, sizeof(*log->runs),
                           SIZE_MAX / sizeof(*log->runs));
  log->runs = runs;
  if (status != TB_OK) return TB_NO_MEMORY;
  if (!log->spill) status = tb_spill_file_create(log->directory, log->allocator, &log->spill, error);
  const uint64_t offset = log->spill ? tb_spill_file_size(log->spill) : 0;
  for (size_t i = 0; status == TB_OK && i < log->count; i++)
    status = tb_spill_file_append(log->spill, point_at(log, i), sizeof(*log->points), error);
  if (status != TB_OK) return status;
  log->runs[log->run_count++] =
      (struct tb_run){.offset = offset, .bytes = log->count * sizeof(*log->points), .count = log->count};
  free_keys(log);
  log->count = 0;
  log->unordered = false;
  return TB_OK;
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

enum tb_status tb_slice_log_add_slow(struct tb_slice_log *log, const struct tb_slice_point *point,
                                     struct tb_error *error) {
  void *points = log->points;
  enum tb_status status = log->count == log->chunk ? end_run(log, error) : TB_OK;
  if (status == TB_OK && log->count == log->capacity)
    status = tb_grow_array(log->allocator, &points, &log->capacity, log->count + 1, sizeof(*log->points), log->chunk);
  log->points = points;
  return status == TB_OK ? tb_slice_log_add(log, point, error) : status;
}

static enum tb_status start(struct tb_slice_log *log, struct tb_error *error) {
  if (!log->run_count) return order_chunk(log);
  enum tb_status status = log->count ? end_run(log, error) : TB_OK;
  if (status != TB_OK) return status;
  return tb_run_merger_open(log->spill, log->allocator, &records, NULL, log->runs, log->run_count, false, &log->merger,
                            error);
}

enum tb_status tb_slice_log_next(struct tb_slice_log *log, const struct tb_slice_point **point,
                                 struct tb_error *error) {
  bool is_first = !log->next && !log->merger;
  enum tb_status status = is_first ? start(log, error) : TB_OK;
  if (status != TB_OK) return status;
  if (log->merger) {
    const void *record;
    status = tb_run_merger_next(log->merger, &record, error);
    *point = record;
    return status;
  }
  if (log->next == log->count) return TB_END;
  *point = point_at(log, log->next++);
  return TB_OK;
}
