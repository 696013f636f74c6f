/* SPDX-License-Identifier: Apache-2.0
 *
 * Both traces come in the order of time. The rows of one time, of both, are sorted by their hashes and matched: what is
 * left has no equal. Rows that are tracks are matched in the same way at the end.
 *
 * An argument of a slice is of the begin's time, but comes with the end where the trace has it there. So arguments that
 * are left wait for an equal of the other trace until the end of both.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/losses.h"
#include "base/options.h"
#include "convert/match.h"
#include "convert/registry.h"
#include "io/input.h"
#include "model/reader_ops.h"
#include "toolbox/diff/rows.h"
#include "toolbox/diff/uncompared.h"

enum { WAITING_MAX = 1 << 18 };

/* An argument without an equal so far. Its texts are behind it. */
struct diff_waiting {
  struct diff_waiting *next; /* of the same hash and side */
  size_t size;
  struct tb_diff_hashed row;
  unsigned side;
};

struct diff_side {
  struct tb_reader *reader;
  const struct tb_event *ahead; /* NULL: none is read, or the end */
  bool has_ended;
  struct tb_diff_rows rows;
};

struct diff_state {
  struct tb_difference result; /* first, so that tb_difference_free finds it */
  const struct tb_allocator *allocator;
  struct tb_arena arena;
  struct diff_side sides[2];
  struct tb_diff_row *rows[TB_DIFF_TABLE_COUNT]; /* of both sides, as they are found */
  size_t row_counts[TB_DIFF_TABLE_COUNT][2];
  struct tb_buffer text;
  const char *uncompared[TB_DIFF_UNCOMPARED_MAX];
  struct tb_map waiting; /* (hash, 0) -> struct diff_waiting */
  size_t waiting_count;
};

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

const char *tb_diff_table_name(enum tb_diff_table table) {
#define TABLE_NAME(id, name) name,
  static const char *const names[] = {TB_DIFF_TABLE_LIST(TABLE_NAME)};
#undef TABLE_NAME
  return (unsigned)table < TB_DIFF_TABLE_COUNT ? names[table] : NULL;
}

/* ---- rows without an equal --------------------------------------------------------------------------------------- */

static enum tb_status keep(struct diff_state *d, unsigned side, const struct tb_diff_hashed *row) {
  unsigned table = row->table;
  d->result.tables[table].only[side]++;
  if (d->row_counts[table][side] == TB_DIFF_ROWS) return TB_OK;
  if (!d->rows[table]) d->rows[table] = tb_arena_alloc(&d->arena, (size_t)2 * TB_DIFF_ROWS * sizeof(*d->rows[table]));
  if (!d->rows[table]) return TB_NO_MEMORY;
  d->text.len = 0;
  if (tb_diff_row_text(row, &d->text) != TB_OK) return TB_NO_MEMORY;
  struct tb_str text = tb_arena_copy(&d->arena, (struct tb_str){d->text.data, d->text.len});
  if (!text.ptr) return TB_NO_MEMORY;
  size_t place = d->row_counts[table][0] + d->row_counts[table][1];
  d->rows[table][place] =
      (struct tb_diff_row){(enum tb_diff_table)table, side, row->has_ts, row->ts, row->offset, text};
  d->row_counts[table][side]++;
  return TB_OK;
}

/* ---- arguments that wait ----------------------------------------------------------------------------------------- */

static void free_waiting(struct diff_state *d, struct diff_waiting *waiting) {
  tb_free(d->allocator, waiting, waiting->size);
  d->waiting_count--;
}

static struct diff_waiting *copy_waiting(struct diff_state *d, unsigned side, const struct tb_diff_hashed *row) {
  size_t size = sizeof(struct diff_waiting) + row->name.len + row->value.len + row->of.len;
  struct diff_waiting *copy = tb_alloc(d->allocator, size);
  if (!copy) return NULL;
  *copy = (struct diff_waiting){.size = size, .row = *row, .side = side};
  struct tb_str *const texts[] = {&copy->row.name, &copy->row.value, &copy->row.of};
  char *at = (char *)(copy + 1);
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    if (texts[i]->len) memcpy(at, texts[i]->ptr, texts[i]->len);
    texts[i]->ptr = at;
    at += texts[i]->len;
  }
  d->waiting_count++;
  return copy;
}

/* The row and one that waits for it are equal. */
static enum tb_status end_wait(struct diff_state *d, struct diff_waiting *waiting) {
  struct diff_waiting *next = waiting->next;
  uint64_t hash = waiting->row.hash;
  free_waiting(d, waiting);
  if (next) return tb_map_put(&d->waiting, hash, 0, (uint64_t)(uintptr_t)next);
  tb_map_remove(&d->waiting, hash, 0);
  return TB_OK;
}

/* Where too many wait, the traces differ in any case. */
static enum tb_status wait_for_equal(struct diff_state *d, unsigned side, const struct tb_diff_hashed *row) {
  struct diff_waiting *first = tb_map_find_pointer(&d->waiting, row->hash, 0);
  if (first && first->side != side) return end_wait(d, first);
  if (d->waiting_count == WAITING_MAX) return keep(d, side, row);
  struct diff_waiting *waiting = copy_waiting(d, side, row);
  if (!waiting) return TB_NO_MEMORY;
  waiting->next = first;
  enum tb_status status = tb_map_put(&d->waiting, row->hash, 0, (uint64_t)(uintptr_t)waiting);
  if (status != TB_OK) free_waiting(d, waiting);
  return status;
}

static int by_time(const void *a, const void *b) {
  const struct diff_waiting *x = *(struct diff_waiting *const *)a, *y = *(struct diff_waiting *const *)b;
  if (x->row.has_ts != y->row.has_ts) return x->row.has_ts ? 1 : -1;
  if (x->row.ts != y->row.ts) return x->row.ts < y->row.ts ? -1 : 1;
  if (x->side != y->side) return x->side < y->side ? -1 : 1;
  return x->row.hash < y->row.hash ? -1 : x->row.hash > y->row.hash;
}

/* Those that still wait have no equal. */
static enum tb_status keep_waiting(struct diff_state *d) {
  size_t size = d->waiting_count * sizeof(struct diff_waiting *), at = 0, count = 0;
  struct diff_waiting **all = size ? tb_alloc(d->allocator, size) : NULL;
  struct tb_map_entry entry;
  if (!size) return TB_OK;
  if (!all) return TB_NO_MEMORY;
  while (tb_map_next(&d->waiting, &at, &entry))
    for (struct diff_waiting *one = (void *)(uintptr_t)entry.value; one; one = one->next) all[count++] = one;
  qsort(all, count, sizeof(struct diff_waiting *), by_time);
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < count && status == TB_OK; i++) status = keep(d, all[i]->side, &all[i]->row);
  tb_free(d->allocator, all, size);
  return status;
}

static void free_all_waiting(struct diff_state *d) {
  size_t at = 0;
  struct tb_map_entry entry;
  while (tb_map_next(&d->waiting, &at, &entry))
    for (struct diff_waiting *one = (void *)(uintptr_t)entry.value, *next; one; one = next) {
      next = one->next;
      free_waiting(d, one);
    }
  tb_map_free(&d->waiting);
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* The rows of a side that the other has not; both are sorted. */
static enum tb_status keep_unmatched(struct diff_state *d, unsigned side) {
  const struct tb_diff_rows *own = &d->sides[side].rows, *others = &d->sides[1 - side].rows;
  size_t other = 0;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < own->count && status == TB_OK; i++) {
    while (other < others->count && tb_diff_by_hash(&others->items[other], &own->items[i]) < 0) other++;
    if (other < others->count && tb_diff_by_hash(&others->items[other], &own->items[i]) == 0)
      other++;
    else if (own->items[i].table == TB_DIFF_ARGS)
      status = wait_for_equal(d, side, &own->items[i]);
    else
      status = keep(d, side, &own->items[i]);
  }
  return status;
}

/* Both sides' rows. The sort need not be stable: those of one hash are equal. */
static enum tb_status match(struct diff_state *d) {
  struct tb_diff_rows *rows[2] = {&d->sides[0].rows, &d->sides[1].rows};
  for (unsigned side = 0; side < 2; side++) {
    if (rows[side]->count > 1) qsort(rows[side]->items, rows[side]->count, sizeof(*rows[side]->items), tb_diff_by_hash);
    for (size_t i = 0; i < rows[side]->count; i++) d->result.tables[rows[side]->items[i].table].rows[side]++;
  }
  enum tb_status status = keep_unmatched(d, 0);
  if (status == TB_OK) status = keep_unmatched(d, 1);
  tb_diff_rows_clear(rows[0]);
  tb_diff_rows_clear(rows[1]);
  return status;
}

/* ---- in the order of time ---------------------------------------------------------------------------------------- */

/* What happens: all else comes anywhere in the order of time. */
static bool happens(const struct tb_event *event) {
  return event->type < TB_EVENT_TRACK || event->type == TB_EVENT_SAMPLE || event->type == TB_EVENT_FLOW_EDGE;
}

static enum tb_status read_ahead(struct diff_side *side, struct tb_error *error) {
  enum tb_status status = TB_OK;
  if (side->ahead || side->has_ended) return TB_OK;
  while ((status = tb_reader_next(side->reader, &side->ahead)) == TB_OK) {
    if (happens(side->ahead)) return TB_OK;
    if (side->ahead->type == TB_EVENT_STACK_FRAME && tb_diff_rows_add_frame(&side->rows, side->ahead) != TB_OK)
      return no_memory(error);
  }
  side->ahead = NULL;
  side->has_ended = true;
  if (status == TB_END) return TB_OK;
  if (error->code == TB_OK) *error = *tb_reader_error(side->reader);
  return status;
}

/* What has no time comes first. */
static bool is_before(const struct tb_event *a, const struct tb_event *b) {
  bool timed = a->has & TB_HAS_TS, other_timed = b->has & TB_HAS_TS;
  return timed != other_timed ? !timed : timed && a->ts < b->ts;
}

/* Takes the rows of a side that are of that time; without `has_ts`: of none. */
static enum tb_status take_time(struct diff_side *side, bool has_ts, int64_t ts, struct tb_error *error) {
  enum tb_status status;
  while ((status = read_ahead(side, error)) == TB_OK && side->ahead) {
    const struct tb_event *event = side->ahead;
    bool timed = event->has & TB_HAS_TS;
    if (timed != has_ts || (timed && event->ts != ts)) return TB_OK;
    if (tb_diff_rows_add_event(&side->rows, event) != TB_OK) return no_memory(error);
    side->ahead = NULL;
  }
  return status;
}

static enum tb_status compare_events(struct diff_state *d, struct tb_error *error) {
  struct diff_side *sides = d->sides;
  for (;;) {
    for (unsigned i = 0; i < 2; i++) {
      enum tb_status status = read_ahead(&sides[i], error);
      if (status != TB_OK) return status;
    }
    const struct tb_event *first = sides[0].ahead ? sides[0].ahead : sides[1].ahead;
    if (!first) return TB_OK;
    if (sides[1].ahead && is_before(sides[1].ahead, first)) first = sides[1].ahead;
    bool has_ts = first->has & TB_HAS_TS;
    int64_t ts = first->ts;
    for (unsigned i = 0; i < 2; i++) {
      enum tb_status status = take_time(&sides[i], has_ts, ts, error);
      if (status != TB_OK) return status;
    }
    if (match(d) != TB_OK) return no_memory(error);
  }
}

/* Rows that say the same once. */
static void leave_once(struct tb_diff_rows *rows) {
  size_t kept = 0;
  if (rows->count > 1) qsort(rows->items, rows->count, sizeof(*rows->items), tb_diff_by_hash);
  for (size_t i = 0; i < rows->count; i++)
    if (!kept || rows->items[i].hash != rows->items[kept - 1].hash) rows->items[kept++] = rows->items[i];
  rows->count = kept;
}

/* Formats differ in how many tracks of one name they spread slices over. */
static enum tb_status compare_tracks(struct diff_state *d) {
  for (unsigned i = 0; i < 2; i++) {
    const struct tb_track *track;
    for (size_t index = 0; (track = tb_reader_track(d->sides[i].reader, index)) != NULL; index++)
      if (tb_diff_rows_add_track(&d->sides[i].rows, track) != TB_OK) return TB_NO_MEMORY;
    if (d->sides[i].rows.view.is_across) leave_once(&d->sides[i].rows);
  }
  return match(d);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static enum tb_status gather_side(struct diff_state *d, unsigned side) {
  const struct tb_reader *reader = d->sides[side].reader;
  struct tb_difference *result = &d->result;
  size_t count;
  const struct tb_loss *losses = tb_reader_losses(reader, &count);
  result->formats[side] = reader->decoded ? reader->decoded : tb_reader_format(reader);
  result->files[side] = tb_arena_copy(&d->arena, tb_str_from(tb_input_name(reader->input)));
  struct tb_loss *copy = count ? tb_arena_alloc(&d->arena, count * sizeof(*copy)) : NULL;
  if (!result->files[side].ptr || (count && !copy)) return TB_NO_MEMORY;
  if (count) memcpy(copy, losses, count * sizeof(*copy));
  result->losses[side] = copy;
  result->loss_counts[side] = count;
  return TB_OK;
}

/* Whether parts of a trace could not be read. Ends without a begin and flows without a start are no such parts, where
 * both have as many. */
static bool is_partial(const struct tb_difference *found) {
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < found->loss_counts[side]; i++) {
      const struct tb_loss *loss = &found->losses[side][i];
      bool is_in_both = false;
      for (size_t j = 0; j < found->loss_counts[!side]; j++) {
        const struct tb_loss *other = &found->losses[!side][j];
        is_in_both |= other->count == loss->count && strcmp(other->reason, loss->reason) == 0;
      }
      if (loss->kind != TB_LOSS_UNPAIRED || !is_in_both) return true;
    }
  return false;
}

static bool has_packets(const struct tb_reader *reader) {
  const struct tb_writer_ops *writer = tb_registry_writer(tb_reader_format(reader));
  return writer && writer->target.packets;
}

static enum tb_status gather(struct diff_state *d) {
  struct tb_difference *result = &d->result;
  struct tb_diff_row *rows = tb_arena_alloc(&d->arena, sizeof(*rows) * TB_DIFF_TABLE_COUNT * 2 * TB_DIFF_ROWS);
  if (!rows || gather_side(d, 0) != TB_OK || gather_side(d, 1) != TB_OK) return TB_NO_MEMORY;
  result->rows = rows;
  for (unsigned table = 0; table < TB_DIFF_TABLE_COUNT; table++) {
    size_t count = d->row_counts[table][0] + d->row_counts[table][1];
    if (count) memcpy(&rows[result->row_count], d->rows[table], count * sizeof(*rows));
    result->row_count += count;
  }
  result->is_equal = !result->row_count;
  result->is_partial = is_partial(result);
  result->not_compared = d->uncompared;
  result->not_compared_count = tb_diff_uncompared(has_packets(d->sides[0].reader) || has_packets(d->sides[1].reader),
                                                  d->sides[0].rows.view.is_across, d->uncompared);
  return TB_OK;
}

/* The system's own events are no text, which would be compared with nothing. */
static void take_system_events(struct tb_reader *reader) {
  struct tb_target_traits *target = &reader->target;
  target->system_as_events |= target->system_as_text;
  target->system_as_text = false;
}

/* Lets both readers give what both formats have. */
static void match_formats(struct diff_state *d) {
  struct tb_reader *first = d->sides[0].reader, *second = d->sides[1].reader;
  const struct tb_source_traits *a = &first->ops->source, *b = &second->ops->source;
  tb_match_readers(first, second);
  take_system_events(first);
  take_system_events(second);
  d->sides[0].rows.view = d->sides[1].rows.view =
      (struct tb_diff_view){.is_across = tb_reader_format(first) != tb_reader_format(second),
                            .names_tracks = a->names_tracks == b->names_tracks,
                            .names_states = a->own_states == b->own_states,
                            .counters_by_id = a->counters_by_id || b->counters_by_id};
}

static enum tb_status diff(struct diff_state *d, const char *const paths[2], const struct tb_reader_options *options,
                           struct tb_error *error) {
  struct tb_reader_options reader = *options;
  enum tb_status status = TB_OK;
  reader.shape = TB_SHAPE_ONE;
  reader.slices = TB_SLICES_BEGIN_END;
  reader.sorted = true;
  reader.sort_window_ns = 0;
  reader.event_types = 0;
  for (unsigned i = 0; i < 2 && status == TB_OK; i++)
    status = tb_reader_open(paths[i], &reader, &d->sides[i].reader, error);
  if (status != TB_OK) return status;
  match_formats(d);
  status = compare_events(d, error);
  if (status != TB_OK) return status;
  return keep_waiting(d) == TB_OK && compare_tracks(d) == TB_OK && gather(d) == TB_OK ? TB_OK : no_memory(error);
}

static struct diff_state *create(const struct tb_allocator *allocator) {
  struct diff_state *d = tb_calloc(allocator, sizeof(*d));
  if (!d) return NULL;
  d->allocator = allocator;
  tb_arena_init(&d->arena, allocator, 0);
  tb_buffer_init(&d->text, allocator, 0);
  tb_map_init(&d->waiting, allocator);
  for (unsigned i = 0; i < 2; i++) tb_diff_rows_init(&d->sides[i].rows, allocator);
  return d;
}

/* What reading needed; the result stays. */
static void close_sides(struct diff_state *d) {
  for (unsigned i = 0; i < 2; i++) {
    tb_diff_rows_free(&d->sides[i].rows);
    tb_reader_close(d->sides[i].reader);
  }
  tb_buffer_free(&d->text);
  free_all_waiting(d);
}

enum tb_status tb_diff(const char *first, const char *second, const struct tb_diff_options *options,
                       struct tb_difference **difference, struct tb_error *error) {
  struct tb_diff_options filled = {.size = sizeof(filled)};
  struct tb_reader_options reader = {.size = sizeof(reader)};
  struct tb_error own_error = {0};
  if (!error) error = &own_error;
  enum tb_status status = tb_check_open(first ? second : first, difference, error);
  if (!difference) return status;
  *difference = NULL;
  if (status == TB_OK) status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status == TB_OK) status = tb_options_take(&reader, sizeof(reader), filled.reader, error);
  if (status != TB_OK) return status;
  if (!reader.allocator) reader.allocator = tb_default_allocator();
  struct diff_state *d = create(reader.allocator);
  if (!d) return no_memory(error);
  const char *const paths[2] = {first, second};
  status = diff(d, paths, &reader, error);
  close_sides(d);
  if (status != TB_OK) {
    tb_difference_free(&d->result);
    return status;
  }
  *difference = &d->result;
  return d->result.is_partial ? TB_PARTIAL : TB_OK;
}

void tb_difference_free(struct tb_difference *difference) {
  if (!difference) return;
  struct diff_state *d = (struct diff_state *)difference;
  tb_arena_free(&d->arena);
  tb_free(d->allocator, d, sizeof(*d));
}
