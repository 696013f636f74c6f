/* SPDX-License-Identifier: Apache-2.0
 *
 * Events as columns (tracebridge/columns.h).
 *
 * The arrays of a batch are one block of memory, which later batches use again: pages that are touched for the first
 * time cost more than what is written to them. A batch belongs to its columns and to whoever has it: the last of both
 * frees it, from whichever thread.
 */
#include "tracebridge/columns.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/options.h"
#include "convert/shaped_reader.h"
#include "model/reader_ops.h"
#include "shape/shaper.h"

enum { USUAL_ROWS = 8192, MOST_ROWS = 1 << 24, MOST_ARGS = 1 << 28, ALIGNMENT = 64, INDEX_TEXT = 16 };

/* bit, member, type of an item */
#define ROW_COLUMNS(X)                          \
  X(TB_COLUMN_TS, ts, int64_t)                  \
  X(TB_COLUMN_DUR, dur, int64_t)                \
  X(TB_COLUMN_THREAD_TS, thread_ts, int64_t)    \
  X(TB_COLUMN_THREAD_DUR, thread_dur, int64_t)  \
  X(TB_COLUMN_TYPE, type, uint8_t)              \
  X(TB_COLUMN_HAS, has, uint32_t)               \
  X(TB_COLUMN_TRACK, track, uint32_t)           \
  X(TB_COLUMN_THREAD, thread, uint32_t)         \
  X(TB_COLUMN_NAME, name, uint32_t)             \
  X(TB_COLUMN_CATEGORIES, categories, uint32_t) \
  X(TB_COLUMN_VALUE, value, double)             \
  X(TB_COLUMN_SLICE_ID, slice_id, uint64_t)     \
  X(TB_COLUMN_FLOW_FROM, flow_from, uint64_t)   \
  X(TB_COLUMN_CPU, cpu, uint32_t)               \
  X(TB_COLUMN_TASK_STATE, task_state, uint8_t)  \
  X(TB_COLUMN_PRIORITY, priority, int32_t)      \
  X(TB_COLUMN_LOG_LEVEL, log_level, uint8_t)    \
  X(TB_COLUMN_SEQUENCE, sequence, uint32_t)     \
  X(TB_COLUMN_OFFSET, offset, uint64_t)         \
  X(TB_COLUMN_ARG, arg_end, uint32_t)

#define ARG_COLUMNS(X)  \
  X(arg_key, uint32_t)  \
  X(arg_type, uint8_t)  \
  X(arg_int, int64_t)   \
  X(arg_double, double) \
  X(arg_text, uint32_t)

enum {
  USUAL_COLUMNS = TB_COLUMN_TS | TB_COLUMN_DUR | TB_COLUMN_TYPE | TB_COLUMN_TRACK | TB_COLUMN_NAME |
                  TB_COLUMN_CATEGORIES | TB_COLUMN_VALUE | TB_COLUMN_SLICE_ID | TB_COLUMN_FLOW_FROM,
  RARE_COLUMNS = TB_COLUMN_ALL & ~USUAL_COLUMNS
};

/* The arrays of a batch, to be written to. */
struct column_memory {
#define ROW_MEMBER(bit, member, type) type *member;
  ROW_COLUMNS(ROW_MEMBER)
#undef ROW_MEMBER
#define ARG_MEMBER(member, type) type *member;
  ARG_COLUMNS(ARG_MEMBER)
#undef ARG_MEMBER
};

/* Who has a batch. */
enum { BATCH_FREE, BATCH_IN_USE, BATCH_ALONE /* of columns that are closed */ };

/* `rows` is first, so that pointers convert. */
struct own_batch {
  struct tb_column_batch rows;
  struct column_memory to;
  const struct tb_allocator *allocator;
  struct own_batch *next;
  atomic_int holder;
  void *block, *arg_block;
  size_t block_bytes, arg_capacity;
};

enum { KNOWN_BITS = 10 };

/* A name that was met, by where it was: readers keep most names in tables of theirs. What is there now may be another
 * text, so it is compared. */
struct known_name {
  const char *from;
  struct tb_str text; /* of the table */
  uint32_t id;
};

struct tb_columns {
  struct tb_reader *reader;
  const struct tb_allocator *allocator; /* the user's: batches outlive the reader */
  uint64_t wanted;
  size_t most_rows;
  struct tb_intern texts;
  struct tb_buffer path; /* of an argument */
  struct tb_str last_categories;
  uint32_t last_categories_id;
  struct known_name known[1 << KNOWN_BITS];
  struct own_batch *batches;
  bool out_of_memory;
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static size_t rounded(size_t bytes) { return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1); }

static char *aligned(void *block) { return (char *)block + (rounded((uintptr_t)block) - (uintptr_t)block); }

/* The columns that are wanted, one behind the other. */
/* NOLINTNEXTLINE(readability-function-size): a branch for each column, by macros */
static bool make_rows(struct own_batch *batch, uint64_t wanted, size_t rows) {
  size_t bytes = ALIGNMENT;
#define COUNT_BYTES(bit, member, type) bytes += wanted & (bit) ? rounded(rows * sizeof(type)) : 0;
  ROW_COLUMNS(COUNT_BYTES)
#undef COUNT_BYTES
  batch->block = tb_alloc(batch->allocator, bytes);
  if (!batch->block) return false;
  batch->block_bytes = bytes;
  char *at = aligned(batch->block);
#define PLACE(bit, member, type)                                \
  if (wanted & (bit)) {                                         \
    batch->rows.member = batch->to.member = (type *)(void *)at; \
    at += rounded(rows * sizeof(type));                         \
  }
  ROW_COLUMNS(PLACE)
#undef PLACE
  return true;
}

static size_t arg_bytes(size_t capacity) {
  size_t bytes = capacity ? ALIGNMENT : 0;
#define COUNT_BYTES(member, type) bytes += rounded(capacity * sizeof(type));
  ARG_COLUMNS(COUNT_BYTES)
#undef COUNT_BYTES
  return bytes;
}

/* Room for one more argument. */
static bool make_arg(struct own_batch *batch) {
  if (batch->rows.arg_count < batch->arg_capacity) return true;
  size_t capacity = batch->arg_capacity ? batch->arg_capacity * 2 : USUAL_ROWS;
  void *block = capacity <= MOST_ARGS ? tb_alloc(batch->allocator, arg_bytes(capacity)) : NULL;
  if (!block) return false;
  char *at = aligned(block);
#define MOVE(member, type)                                                                       \
  if (batch->rows.arg_count) memcpy(at, batch->to.member, batch->rows.arg_count * sizeof(type)); \
  batch->rows.member = batch->to.member = (type *)(void *)at;                                    \
  at += rounded(capacity * sizeof(type));
  ARG_COLUMNS(MOVE)
#undef MOVE
  tb_free(batch->allocator, batch->arg_block, arg_bytes(batch->arg_capacity));
  batch->arg_block = block;
  batch->arg_capacity = capacity;
  return true;
}

static void free_batch(struct own_batch *batch) {
  const struct tb_allocator *allocator = batch->allocator;
  tb_free(allocator, batch->block, batch->block_bytes);
  tb_free(allocator, batch->arg_block, arg_bytes(batch->arg_capacity));
  tb_free(allocator, batch, sizeof(*batch));
}

/* A batch that nobody has; NULL without memory. */
static struct own_batch *find_batch(struct tb_columns *columns) {
  struct own_batch *batch = columns->batches;
  while (batch && atomic_load_explicit(&batch->holder, memory_order_acquire) != BATCH_FREE) batch = batch->next;
  if (!batch) {
    batch = tb_calloc(columns->allocator, sizeof(*batch));
    if (!batch) return NULL;
    batch->allocator = columns->allocator;
    if (!make_rows(batch, columns->wanted, columns->most_rows)) {
      free_batch(batch);
      return NULL;
    }
    batch->next = columns->batches;
    columns->batches = batch;
  }
  batch->rows.count = batch->rows.arg_count = 0;
  return batch;
}

void tb_column_batch_free(struct tb_column_batch *rows) {
  struct own_batch *batch = (struct own_batch *)rows;
  if (batch && atomic_exchange_explicit(&batch->holder, BATCH_FREE, memory_order_acq_rel) == BATCH_ALONE)
    free_batch(batch);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static uint32_t text_of(struct tb_columns *columns, struct tb_str text) {
  if (!text.len) return 0;
  uint32_t id = tb_intern_id(&columns->texts, text);
  if (!id) columns->out_of_memory = true;
  return id;
}

__attribute__((noinline)) static uint32_t learn_name(struct tb_columns *columns, struct tb_str text,
                                                     struct known_name *known) {
  uint32_t id = text_of(columns, text);
  if (id) *known = (struct known_name){text.ptr, tb_intern_text(&columns->texts, id), id};
  return id;
}

static struct known_name *known_place(struct tb_columns *columns, const char *from) {
  return &columns->known[tb_spread64((uintptr_t)from) >> (64 - KNOWN_BITS)];
}

static TB_ALWAYS_INLINE uint32_t name_of(struct tb_columns *columns, struct tb_str text) {
  if (!text.len) return 0;
  struct known_name *known = known_place(columns, text.ptr);
  if (known->from == text.ptr && tb_str_equal(known->text, text)) return known->id;
  return learn_name(columns, text, known);
}

__attribute__((noinline)) static uint32_t learn_categories(struct tb_columns *columns, struct tb_str text) {
  uint32_t id = text_of(columns, text);
  if (!id) return 0;
  columns->last_categories = tb_intern_text(&columns->texts, id);
  return columns->last_categories_id = id;
}

/* Categories, which most events share with the one before them. */
static TB_ALWAYS_INLINE uint32_t categories_of(struct tb_columns *columns, struct tb_str text) {
  if (!text.len) return 0;
  return tb_str_equal(text, columns->last_categories) ? columns->last_categories_id : learn_categories(columns, text);
}

static double number_of(const struct tb_arg *arg) {
  switch (arg->type) {
    case TB_ARG_BOOL:
    case TB_ARG_UINT:
    case TB_ARG_POINTER:
    case TB_ARG_KOID:
      return (double)arg->u;
    case TB_ARG_INT:
      return (double)arg->i;
    case TB_ARG_DOUBLE:
      return arg->d;
    default:
      return NAN;
  }
}

static bool is_text(const struct tb_arg *arg) {
  return arg->type == TB_ARG_STRING || arg->type == TB_ARG_JSON || arg->type == TB_ARG_BLOB;
}

static void put_value(struct tb_columns *columns, struct own_batch *batch, const struct tb_arg *arg,
                      struct tb_str key) {
  uint32_t name = text_of(columns, key);
  columns->out_of_memory |= !make_arg(batch);
  if (columns->out_of_memory) return;
  size_t place = batch->rows.arg_count++;
  bool is_number = !is_text(arg) && arg->type != TB_ARG_NULL;
  batch->to.arg_key[place] = name;
  batch->to.arg_type[place] = arg->type;
  batch->to.arg_int[place] = is_number && arg->type != TB_ARG_DOUBLE ? arg->i : 0;
  batch->to.arg_double[place] = number_of(arg);
  batch->to.arg_text[place] = is_text(arg) ? text_of(columns, arg->text) : 0;
}

static bool add_path(struct tb_columns *columns, struct tb_str text) {
  if (tb_buffer_append(&columns->path, text.ptr, text.len) == TB_OK) return true;
  columns->out_of_memory = true;
  return false;
}

/* What is in the dict or array whose path the buffer has. Readers bound how deep they are. */
static void put_members(struct tb_columns *columns, struct own_batch *batch, const struct tb_arg *parent) {
  size_t path_len = columns->path.len, number = 0;
  for (const struct tb_arg *arg = parent + 1; arg < parent + parent->span; arg += arg->span) {
    char index[INDEX_TEXT];
    bool added;
    if (parent->type == TB_ARG_ARRAY) {
      int len = snprintf(index, sizeof(index), "[%zu]", number++);
      added = add_path(columns, (struct tb_str){index, (size_t)len});
    } else {
      added = add_path(columns, TB_STR(".")) && add_path(columns, arg->name);
    }
    if (!added) return;
    if (arg->type == TB_ARG_DICT || arg->type == TB_ARG_ARRAY)
      put_members(columns, batch, arg);
    else
      put_value(columns, batch, arg, (struct tb_str){columns->path.data, columns->path.len});
    columns->path.len = path_len;
  }
}

static void put_args(struct tb_columns *columns, struct own_batch *batch, const struct tb_event *event) {
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    const struct tb_arg *arg = &event->args[i];
    if (arg->type != TB_ARG_DICT && arg->type != TB_ARG_ARRAY) {
      put_value(columns, batch, arg, arg->name);
      continue;
    }
    columns->path.len = 0;
    if (add_path(columns, arg->name)) put_members(columns, batch, arg);
  }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static double value_of(const struct tb_event *event) {
  if (event->type == TB_EVENT_COUNTER) return event->arg_count ? number_of(event->args) : NAN;
  return event->has & TB_HAS_WEIGHT ? event->weight : 1;
}

static bool has_value(const struct tb_event *event) {
  return UINT64_C(1) << event->type & (UINT64_C(1) << TB_EVENT_COUNTER | UINT64_C(1) << TB_EVENT_SAMPLE);
}

static uint32_t index_of(const struct tb_track *track) { return track ? track->index : TB_NO_TRACK; }

/* By a mask: types of events come in no order that a branch could foretell. */
static int64_t time_if(bool has, int64_t time) { return ((time ^ TB_NO_TIME) & -(int64_t)has) ^ TB_NO_TIME; }

static int64_t time_of(const struct tb_event *event, uint32_t bit, int64_t time) {
  return time_if((event->has & bit) != 0, time);
}

static int64_t dur_of(const struct tb_event *event) {
  return time_if((event->type == TB_EVENT_SLICE_COMPLETE) | ((event->has & TB_HAS_DUR) != 0), event->dur);
}

/* What is seldom asked for, so that rows without it need one question. */
static void put_rare(struct tb_columns *columns, struct own_batch *batch, size_t row, const struct tb_event *event) {
  const uint64_t wanted = columns->wanted;
  const struct column_memory *to = &batch->to;
  if (wanted & TB_COLUMN_THREAD_TS) to->thread_ts[row] = time_of(event, TB_HAS_THREAD_TS, event->thread_ts);
  if (wanted & TB_COLUMN_THREAD_DUR) to->thread_dur[row] = time_of(event, TB_HAS_THREAD_DUR, event->thread_dur);
  if (wanted & TB_COLUMN_HAS) to->has[row] = event->has;
  if (wanted & TB_COLUMN_THREAD) to->thread[row] = index_of(event->thread);
  if (wanted & TB_COLUMN_CPU) to->cpu[row] = event->cpu;
  if (wanted & TB_COLUMN_TASK_STATE) to->task_state[row] = event->task_state;
  if (wanted & TB_COLUMN_PRIORITY) to->priority[row] = event->priority;
  if (wanted & TB_COLUMN_LOG_LEVEL) to->log_level[row] = event->log_level;
  if (wanted & TB_COLUMN_SEQUENCE) to->sequence[row] = event->sequence;
  if (wanted & TB_COLUMN_OFFSET) to->offset[row] = event->offset;
  if (!(wanted & TB_COLUMN_ARG)) return;
  put_args(columns, batch, event);
  to->arg_end[row] = (uint32_t)batch->rows.arg_count;
}

/* All that are asked for by default, without a question for each. */
static void put_usual(struct tb_columns *columns, const struct column_memory *to, size_t row,
                      const struct tb_event *event) {
  uint32_t name = name_of(columns, event->name), categories = categories_of(columns, event->categories);
  to->ts[row] = time_of(event, TB_HAS_TS, event->ts);
  to->dur[row] = dur_of(event);
  to->track[row] = index_of(event->track);
  to->name[row] = name;
  to->categories[row] = categories;
  to->value[row] = has_value(event) ? value_of(event) : NAN;
  to->slice_id[row] = event->slice_id;
  to->flow_from[row] = event->flow_from;
  to->type[row] = (uint8_t)event->type;
}

static void put_some(struct tb_columns *columns, const struct column_memory *to, size_t row,
                     const struct tb_event *event) {
  const uint64_t wanted = columns->wanted;
  if (wanted & TB_COLUMN_TS) to->ts[row] = time_of(event, TB_HAS_TS, event->ts);
  if (wanted & TB_COLUMN_DUR) to->dur[row] = dur_of(event);
  if (wanted & TB_COLUMN_TYPE) to->type[row] = (uint8_t)event->type;
  if (wanted & TB_COLUMN_TRACK) to->track[row] = index_of(event->track);
  if (wanted & TB_COLUMN_NAME) to->name[row] = name_of(columns, event->name);
  if (wanted & TB_COLUMN_CATEGORIES) to->categories[row] = categories_of(columns, event->categories);
  if (wanted & TB_COLUMN_VALUE) to->value[row] = has_value(event) ? value_of(event) : NAN;
  if (wanted & TB_COLUMN_SLICE_ID) to->slice_id[row] = event->slice_id;
  if (wanted & TB_COLUMN_FLOW_FROM) to->flow_from[row] = event->flow_from;
}

static void put_row(struct tb_columns *columns, struct own_batch *batch, const struct tb_event *event) {
  const uint64_t wanted = columns->wanted;
  size_t row = batch->rows.count++;
  if ((wanted & USUAL_COLUMNS) == USUAL_COLUMNS)
    put_usual(columns, &batch->to, row, event);
  else
    put_some(columns, &batch->to, row, event);
  if (wanted & RARE_COLUMNS) put_rare(columns, batch, row, event);
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

static enum tb_status no_memory(struct tb_error *error) {
  return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

enum tb_status tb_columns_open(struct tb_reader *reader, const struct tb_columns_options *options,
                               struct tb_columns **out, struct tb_error *error) {
  struct tb_columns_options filled = {.size = sizeof(filled)};
  if (out) *out = NULL;
  if (!reader || !out) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "reader or columns are NULL");
  enum tb_status status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status != TB_OK) return status;
  if (reader->options.shape != TB_SHAPE_ONE)
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "columns are of readers with TB_SHAPE_ONE");
  if (filled.columns & ~(uint64_t)TB_COLUMN_ALL || filled.rows > MOST_ROWS)
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "a column is none of enum tb_column, or a batch has too many rows");
  struct tb_columns *columns = tb_calloc(reader->options.allocator, sizeof(*columns));
  if (!columns) return no_memory(error);
  *columns = (struct tb_columns){.reader = reader, .allocator = reader->options.allocator};
  columns->wanted = filled.columns ? filled.columns : TB_COLUMN_ALL & ~(uint64_t)TB_COLUMN_ARG;
  columns->most_rows = filled.rows ? filled.rows : USUAL_ROWS;
  tb_intern_init(&columns->texts, columns->allocator);
  tb_buffer_init(&columns->path, columns->allocator, 0);
  *out = columns;
  return TB_OK;
}

/* The next event that was asked for. TB_OK, or why there is none. */
static TB_ALWAYS_INLINE enum tb_status next_event(struct tb_columns *columns, const struct tb_event **event) {
  struct tb_reader *reader = columns->reader;
  struct tb_shaper *shaper = reader->options.event_types ? NULL : reader->shaper;
  if (!shaper || !(*event = tb_shaper_take(shaper))) return tb_reader_next_chosen(reader, event);
  const struct tb_event *next = tb_shaper_next(shaper);
  if (next) {
    __builtin_prefetch(next->name.ptr);
    __builtin_prefetch(known_place(columns, next->name.ptr));
  }
  return TB_OK;
}

enum tb_status tb_columns_next(struct tb_columns *columns, struct tb_column_batch **out) {
  if (out) *out = NULL;
  if (!columns || !out) return TB_INVALID;
  struct own_batch *batch = find_batch(columns);
  if (!batch) return TB_NO_MEMORY;
  const struct tb_event *event;
  enum tb_status status = TB_OK;
  while (batch->rows.count < columns->most_rows && batch->rows.arg_count < MOST_ARGS / 2 && !columns->out_of_memory) {
    if ((status = next_event(columns, &event)) != TB_OK) break;
    put_row(columns, batch, event);
  }
  if (columns->out_of_memory) return TB_NO_MEMORY; /* rows may lack something, now and later */
  if (!batch->rows.count) return status;
  atomic_store_explicit(&batch->holder, BATCH_IN_USE, memory_order_relaxed);
  *out = &batch->rows;
  return TB_OK;
}

size_t tb_columns_text_count(const struct tb_columns *columns) { return columns ? columns->texts.count + 1 : 0; }

struct tb_str tb_columns_text(const struct tb_columns *columns, uint32_t text) {
  if (!columns || !text || text > columns->texts.count) return (struct tb_str){"", 0};
  return tb_intern_text(&columns->texts, text);
}

void tb_columns_close(struct tb_columns *columns) {
  if (!columns) return;
  for (struct own_batch *batch = columns->batches, *next; batch; batch = next) {
    next = batch->next;
    if (atomic_exchange_explicit(&batch->holder, BATCH_ALONE, memory_order_acq_rel) == BATCH_FREE) free_batch(batch);
  }
  tb_intern_free(&columns->texts);
  tb_buffer_free(&columns->path);
  tb_free(columns->allocator, columns, sizeof(*columns));
}
