/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader's state, and the functions that its files share.
 */
#ifndef TB_CHROME_JSON_READER_READER_H
#define TB_CHROME_JSON_READER_READER_H

#include "chrome_json/reader/track_table.h"
#include "json/value.h"
#include "model/phases.h"
#include "model/reader_ops.h"

enum {
  TB_JSON_EXTRAS = 1024,
  TB_JSON_KEY_PREDICTIONS = 16,
  TB_JSON_PHASES = 64,
  TB_JSON_ID_PREDICTION_BITS = 4,
  TB_JSON_ID_PREDICTIONS = 1 << TB_JSON_ID_PREDICTION_BITS
};

/* So many bytes decide what is damaged and where the next event begins. The reader waits for all of them, so that the
 * result does not depend on the pieces in which the input comes. */
enum { TB_JSON_LOOK_AHEAD = 256 };

/* So far is looked for the first time, where events without one come before all others. */
enum { TB_JSON_LOOK_FOR_TIME = 1 << 20 };

/* The path of keys to events where none are read, as far as it is kept. */
enum { TB_JSON_PATH = 128 };

/* Where the reader is between two units (events, entries, members of an outermost object). */
enum tb_json_container {
  TB_JSON_TOP,     /* before, between and after the outermost values */
  TB_JSON_OBJECT,  /* in an outermost object: at a key */
  TB_JSON_EVENTS,  /* in an array of events */
  TB_JSON_FRAMES,  /* in stackFrames */
  TB_JSON_SAMPLES, /* in samples */
  TB_JSON_SYSTEM   /* in the string systemTraceEvents */
};

/* A key as it is in memory behind its first quote, up to the colon: (8 bytes & mask) == word. And the same from the
 * brace or comma before the quote on, where nothing is between. */
struct tb_json_key_prediction {
  uint64_t word, mask;
  uint64_t close_word, close_mask;
  uint8_t length, close_length, key;
};

/* A process or thread id as it is in memory, with the byte behind it. */
struct tb_json_id_prediction {
  uint64_t word, mask;
  size_t length; /* without that byte */
  int64_t number;
};

struct tb_json_state {
  struct tb_reader *reader;
  struct tb_json_tracks tracks;
  struct tb_tokenizer scan;
  enum tb_json_container container;
  bool in_object; /* what we are in is a member of an outermost object */
  bool lost;      /* behind damage: looking for a place to go on */
  bool input_ended;
  bool seen_trace;  /* something that only a trace has */
  bool seen_events; /* a member traceEvents */
  bool seen_array;  /* the start of an outermost array: `[` alone is a recording that was cut before its first event */
  bool seen_other;  /* an outermost value that is none, or an element of an array that is no event */
  char nested[TB_JSON_PATH]; /* keys to the first array of events below others than those above, "a.b"; "": none */
  uint64_t nested_offset;    /* of that array */
  bool repairing;            /* an event: its phase is one letter, or a mistake */
  bool seen_event;           /* one that is more than metadata of the trace */
  /* where events are put that have no time: at that of the event before, or at the next one's where none was before */
  int64_t last_ts;
  bool has_last_ts;
  uint64_t known;         /* up to there the input was JSON, before the first event */
  size_t limit;           /* bytes to read into the text of a batch */
  uint64_t text_offset;   /* of the batch's text in the input */
  struct tb_buffer carry; /* input that no batch has used yet: [carry_at, carry.len) */
  size_t carry_at;
  size_t collect;    /* how much is to be carried before it is worth looking at it again */
  uint64_t stuck_at; /* where attempts to go on behind damage failed, as an offset, and how many did */
  unsigned stuck_count;
  char passed[2]; /* the last two bytes that are no white space, before where the search for a place to go on is */
  /* the key at each place of the event before: the first of them of any event, those behind its phase of one with
   * that phase */
  struct tb_json_key_prediction predictions[TB_JSON_PHASES][TB_JSON_KEY_PREDICTIONS];
  struct tb_json_id_prediction pids[TB_JSON_ID_PREDICTIONS], tids[TB_JSON_ID_PREDICTIONS];
  struct tb_arg *extras; /* of the current event, TB_JSON_EXTRAS of them */
  size_t extra_count;
};

static inline uint64_t tb_json_offset(const struct tb_json_state *state, const struct tb_batch *batch, const char *p) {
  return state->text_offset + (uint64_t)(p - batch->text);
}

/* Whether nothing comes behind the text. */
static inline bool tb_json_is_last(const struct tb_json_state *state) {
  return state->input_ended && state->carry_at == state->carry.len;
}

/* Passes white space and commas. */
static inline const char *tb_json_skip_separators(const char *p) {
  p = tb_tokenizer_space(p);
  while (*p == ',') p = tb_tokenizer_space(p + 1);
  return p;
}

/* ---- units: each returns the byte after the unit at `p`; NULL on failure (see scan.status), the batch then being as
 * it was ----------------------------------------------------------------------------------------------------------- */

/* An event; its `{` is at `p`. chrome_json/reader/event_parser.c */
const char *tb_json_event(struct tb_json_state *state, struct tb_batch *batch, const char *p);

/* The same of an element of the events, and of a line: an object without members is none, and an event without a time
 * is noted. chrome_json/reader/untimed.c */
const char *tb_json_element(struct tb_json_state *state, struct tb_batch *batch, const char *p);

/* Gives the last event of the batch, which has no time and whose object ends at `end`, that of the event before it, or
 * else of the next. False where more of the text has to be known. chrome_json/reader/untimed.c */
bool tb_json_place_untimed(struct tb_json_state *state, struct tb_batch *batch, const char *end);

/* Keeps the time of the last of the first `count` events of the batch for what follows. */
void tb_json_note_last_time(struct tb_json_state *state, const struct tb_batch *batch, size_t count);

/* Whether one without a time has a phase that the format knows. chrome_json/reader/event_resolve.c */
bool tb_json_has_phase(const struct tb_event *event);

/* An event with the mistakes that tracers make: keys without quotes, single quotes, quotes in strings that are not
 * escaped. BAD where it is none that makes sense, with a phase and a time; MORE where more of the
 * text has to be known to tell. chrome_json/reader/repair.c */
const char *tb_json_repaired_event(struct tb_json_state *state, struct tb_batch *batch, const char *p);

/* What is at `p`, not being white space or a comma, by state->container. chrome_json/reader/container_parser.c */
const char *tb_json_unit(struct tb_json_state *state, struct tb_batch *batch, const char *p);

/* A member of an outermost object that is no container: `key` and its value at `p`.
 * chrome_json/reader/trace_members.c */
const char *tb_json_trace_member(struct tb_json_state *state, struct tb_batch *batch, struct tb_str key, const char *p);

/* An entry of stackFrames (its id at `p`), of samples (its `{` at `p`), a piece of systemTraceEvents.
 * chrome_json/reader/trace_members.c */
const char *tb_json_stack_frame(struct tb_json_state *state, struct tb_batch *batch, const char *p);
const char *tb_json_sample(struct tb_json_state *state, struct tb_batch *batch, const char *p);
const char *tb_json_system_text(struct tb_json_state *state, struct tb_batch *batch, const char *p);

/* ---- damage: chrome_json/reader/resync.c ------------------------------------------------------------------------- */

/* A bit for each of the keys that the format gives to events, 0 for others. */
uint32_t tb_json_event_key_bit(struct tb_str key);

/* True where an event seems to begin at `p`: a brace and a key that events have. */
bool tb_json_plausible_event(const struct tb_tokenizer *scan, const char *p);

/* Called when the unit at `p` failed with BAD, or with MORE at the end of the input. Repairs or counts it, and sets
 * *next to where to go on; to NULL if that is not known yet (scan.status says why). Not TB_OK: the reader fails. */
enum tb_status tb_json_damage(struct tb_json_state *state, struct tb_batch *batch, const char *p, const char **next);

/* Behind damage: looks for a place to go on from `p` on and goes on there. As a unit; where there is none in the text,
 * the text's end. */
const char *tb_json_search(struct tb_json_state *state, struct tb_batch *batch, const char *p);

#endif
