/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader's own state and what its parts (json_reader*.c) give each other.
 */
#ifndef TB_JSON_READER_STATE_H
#define TB_JSON_READER_STATE_H

#include "event/reader_ops.h"
#include "json/json_tracks.h"
#include "json/scan.h"

enum { TB_JSON_DEPTH = 64, TB_JSON_EXTRAS = 1024, TB_JSON_GUESSES = 16 };

/* Where the reader stands between two units (events, entries, top-level members). */
enum tb_json_place {
  TB_JSON_TOP,     /* before, between and after the outermost values */
  TB_JSON_OBJECT,  /* in an outermost object: at a key */
  TB_JSON_EVENTS,  /* in an array of events */
  TB_JSON_FRAMES,  /* in stackFrames */
  TB_JSON_SAMPLES, /* in samples */
  TB_JSON_SYSTEM   /* in the string systemTraceEvents */
};

/* A key as it stands in memory behind its first quote, up to the colon: (8 bytes & mask) == word. */
struct tb_json_guess {
  uint64_t word, mask;
  uint8_t length, key;
};

struct tb_json_state {
  struct tb_reader *reader;
  struct tb_json_tracks tracks;
  struct tb_scan scan;
  enum tb_json_place place;
  bool in_object; /* the array, dict or string we are in is a member of an outermost object */
  bool input_ended;
  bool seen_any;          /* an event, or a container that may hold events */
  uint64_t text_offset;   /* of the batch's text in the input */
  struct tb_buffer carry; /* input that no batch has used yet */
  size_t carry_at;
  struct tb_json_guess guesses[TB_JSON_GUESSES]; /* the key at each place of the event before */
  struct tb_arg *extras; /* of the event in hand, TB_JSON_EXTRAS of them */
  size_t extra_count;
};

/* Where a tree of values goes: `count` of `capacity` entries are used. */
struct tb_json_sink {
  struct tb_arg *args;
  size_t count, capacity;
};

/* Adds the value at `p` (white space skipped) and all in it to the sink under `name`; `depth` levels are open around
 * it. Returns the byte after it; NULL on failure (the sink may then hold a part). */
const char *tb_json_value(struct tb_scan *scan, struct tb_json_sink *sink, const char *p, struct tb_slice name,
                          unsigned depth);

/* Adds the members of the object whose `{` is before `p`. As tb_json_value. */
const char *tb_json_members(struct tb_scan *scan, struct tb_json_sink *sink, const char *p, unsigned depth);

/* Reads the event whose `{` is at `p` and puts it into the batch. Returns the byte after its `}`; NULL on failure (see
 * scan.status), the batch then being as it was. */
const char *tb_json_event(struct tb_json_state *state, struct tb_batch *batch, const char *p);

#endif
