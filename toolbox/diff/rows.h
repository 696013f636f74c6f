/* SPDX-License-Identifier: Apache-2.0
 *
 * Events as rows that can be compared whatever their format: what a row says is hashed, and kept as text only where it
 * is shown.
 */
#ifndef TB_TOOLBOX_DIFF_ROWS_H
#define TB_TOOLBOX_DIFF_ROWS_H

#include "base/map.h"
#include "base/memory.h"
#include "tracebridge/diff.h"

struct tb_diff_hashed {
  uint64_t hash; /* of all that is compared, the table too */
  int64_t ts;
  uint64_t offset;
  const struct tb_track *track; /* NULL: none */
  struct tb_str name, value;    /* in the arena of the rows */
  uint8_t table;                /* enum tb_diff_table */
  bool has_ts;
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
  struct tb_map used;             /* index of a track that has an event, or has a track that has one */
  struct tb_map lanes;            /* index of a track of slices that other formats have on the thread above it */
  struct tb_map objects;          /* number of a slice that is an object's life, while it is open */
  struct tb_map begins;           /* number of any other open slice -> its begin's time */
  struct tb_map said;             /* number of such a slice -> hashes of its begin's arguments, where it has some */
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

/* Appends what the row says, for people. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_diff_row_text(const struct tb_diff_hashed *row, struct tb_buffer *to);

#endif
