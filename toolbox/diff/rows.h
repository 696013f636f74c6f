/* SPDX-License-Identifier: Apache-2.0
 *
 * Events as rows that can be compared whatever their format: what a row says is hashed, and kept as text only where it
 * is shown.
 */
#ifndef TB_TOOLBOX_DIFF_ROWS_H
#define TB_TOOLBOX_DIFF_ROWS_H

#include "base/map.h"
#include "base/memory.h"
#include "toolbox/diff/open_slices.h"
#include "toolbox/diff/stacks.h"
#include "tracebridge/diff.h"

enum { TB_DIFF_NUMBER = 32 }; /* bytes of a number as text */

/* What a row of slices is, where formats differ in that. */
enum tb_diff_slice_kind { TB_DIFF_SLICE, TB_DIFF_INSTANT, TB_DIFF_ASYNC_INSTANT };

/* What an argument's value is, as far as both formats tell it apart. */
enum tb_diff_value_kind {
  TB_DIFF_NULL,
  TB_DIFF_BOOL,
  TB_DIFF_ANY_NUMBER,
  TB_DIFF_TEXT,
  TB_DIFF_POINTER,
  TB_DIFF_KOID,
  TB_DIFF_EMPTY_DICT,
  TB_DIFF_EMPTY_ARRAY,
  TB_DIFF_BLOB
};

struct tb_diff_hashed {
  uint64_t hash; /* of all that is compared, the table too */
  int64_t ts;
  uint64_t offset;
  const struct tb_track *track; /* NULL: none */
  struct tb_str name, value;    /* in the arena of the rows */
  /* In the hash by other ways, and here for people: categories of a slice, the name of an argument's slice, the state
   * of an event's thread, the name of the slice that a flow comes from. */
  struct tb_str of;
  const struct tb_track *from; /* of the slice that a flow comes from */
  int64_t began;               /* with has_began: the slice that ends, or that a flow comes from */
  uint8_t table;               /* enum tb_diff_table */
  uint8_t kind;                /* enum tb_diff_slice_kind, tb_diff_value_kind or tb_event_type, by the table */
  bool has_ts, has_began;
};

int tb_diff_by_hash(const void *a, const void *b); /* for qsort, of struct tb_diff_hashed */

/* In what the formats of the two traces differ: what one of them does not have is not compared. */
struct tb_diff_view {
  bool is_across;      /* they are of two formats */
  bool names_tracks;   /* both name tracks of async slices, or neither */
  bool names_states;   /* both have the same words for the states of threads, and idle threads */
  bool counters_by_id; /* one has ids in the names of all counters */
};

/* Rows in memory. */
struct tb_diff_rows {
  struct tb_diff_view view;
  const struct tb_allocator *allocator;
  struct tb_diff_hashed *items;
  size_t count, capacity;
  struct tb_arena arena;
  struct tb_buffer text, counter; /* an argument's key; a counter's name */
  struct tb_buffer details;       /* what an event says beyond its name; a stack; labels */
  struct tb_map used;             /* index of a track that has an event, or has a track that has one */
  struct tb_map lanes;            /* index of a track of slices that other formats have on the thread above it */
  struct tb_diff_slices slices;
  struct tb_diff_stacks stacks;
  bool lacks_memory;
  bool in_json; /* the arguments are of a value that is JSON text */
};

void tb_diff_rows_init(struct tb_diff_rows *rows, const struct tb_allocator *allocator);
void tb_diff_rows_free(struct tb_diff_rows *rows);
/* Forgets them. */
void tb_diff_rows_clear(struct tb_diff_rows *rows);

/* Adds the rows that the event of the one shape, its slices as BEGIN and END, is. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_diff_rows_add_event(struct tb_diff_rows *rows, const struct tb_event *event);
/* Adds the row that the track is, once all events are added: one without a name that has none is no row, since formats
 * differ in which of these they say; across formats a process or thread needs a name, another track an event. TB_OK or
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_diff_rows_add_track(struct tb_diff_rows *rows, const struct tb_track *track);

/* Takes a frame that stacks name: they come before all events of theirs. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_diff_rows_add_frame(struct tb_diff_rows *rows, const struct tb_event *event);

/* Adds a row. The hash comes before its texts, which are copied. */
TB_MUST_CHECK enum tb_status tb_diff_rows_add(struct tb_diff_rows *rows, const struct tb_diff_hashed *row);
/* Adds the event's arguments, and fields that formats have as such, in rows of the table of arguments that are else
 * like `row`. Of a slice, which is NULL for other events, equal ones are one row, be they of its begin, its end or
 * both: an argument has one value. */
TB_MUST_CHECK enum tb_status tb_diff_rows_add_args(struct tb_diff_rows *rows, const struct tb_diff_hashed *row,
                                                   const struct tb_event *event, struct tb_diff_slice *slice);
/* The value as text, in `text` where it is a number. */
struct tb_str tb_diff_value(const struct tb_arg *arg, char text[TB_DIFF_NUMBER]);

/* A hash with one more number in it. */
static inline uint64_t tb_diff_mix(uint64_t hash, uint64_t value) {
  char bytes[sizeof(value)];
  memcpy(bytes, &value, sizeof(value));
  return tb_str_hash((struct tb_str){bytes, sizeof(bytes)}, hash);
}

/* Appends what the row says, for people. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_diff_row_text(const struct tb_diff_hashed *row, struct tb_buffer *to);

#endif
