/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads Chrome Trace Event JSON: how bytes get from the input to the parsers of the other files in this folder.
 *
 * Input is read directly into the batch's text, which the events point into. The part that no event of the batch has
 * used, most often the beginning of an event, is copied to the next batch.
 */
#include "chrome_json/reader/reader.h"
#include "base/error.h"

#define LOSS_LONG "event longer than the limit"

enum {
  SMALL_TEXT = 1 << 13,
  LARGE_TEXT = 1 << 20, /* a batch gives text beyond this back */
  LONG_UNIT = 1 << 13   /* a fed unit beyond this is not looked at again for every piece */
};

static const char LOSS_UTF8[] = "events or members with text that is no UTF-8: its bytes became U+FFFD";

static enum tb_status no_memory(struct tb_reader *reader) {
  return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static bool resize_text(struct tb_batch *batch, size_t capacity) {
  size_t old = batch->text_capacity ? batch->text_capacity + TB_BATCH_PADDING : 0;
  char *text = tb_realloc(batch->allocator, batch->text, old, capacity + TB_BATCH_PADDING);
  if (!text) return false;
  batch->text = text;
  batch->text_capacity = capacity;
  return true;
}

/* Ends the text with its padding and passes the end to the tokenizer. */
static void close_text(struct tb_json_state *state, struct tb_batch *batch) {
  memset(batch->text + batch->text_len, 0, TB_BATCH_PADDING);
  state->scan.end = batch->text + batch->text_len;
}

static void take_carried(struct tb_json_state *state, struct tb_batch *batch, size_t limit) {
  size_t n = state->carry.len - state->carry_at, room = limit - batch->text_len;
  if (n > room) n = room;
  if (!n) return;
  memcpy(batch->text + batch->text_len, state->carry.data + state->carry_at, n);
  batch->text_len += n;
  state->carry_at += n;
}

/* Fills the text up to `limit`. TB_OK also where the input ended, or waits for more (*waiting). */
static enum tb_status read_more(struct tb_json_state *state, struct tb_batch *batch, size_t limit, bool *waiting) {
  struct tb_reader *reader = state->reader;
  *waiting = false;
  take_carried(state, batch, limit);
  while (batch->text_len < limit && !state->input_ended) {
    size_t got = 0;
    enum tb_status status =
        tb_input_read(reader->input, batch->text + batch->text_len, limit - batch->text_len, &got, &reader->error);
    batch->text_len += got;
    *waiting = status == TB_AGAIN;
    if (*waiting) break;
    state->input_ended = status == TB_END || status == TB_TRUNCATED;
    if (status == TB_TRUNCATED) {
      const char *reason = tb_input_is_bad(reader->input) ? "compressed data is damaged: what follows"
                                                          : "compressed data is cut off or damaged: what follows";
      status = tb_reader_lose(reader, reason, state->text_offset + batch->text_len);
      if (status != TB_OK) return status;
    } else if (status != TB_OK && status != TB_END) {
      return status;
    }
  }
  close_text(state, batch);
  return TB_OK;
}

/* How much text the next batch gets. What a batch leaves is copied, and an event that the text ends in is read again:
 * so as much as a batch's events take where they are short, and more where events are long; less stays in the cache. */
static void adapt_limit(struct tb_json_state *state, const struct tb_batch *batch, size_t used, size_t rest) {
  size_t limit = state->limit;
  if (batch->event_count == TB_BATCH_EVENTS)
    limit = used + used / 8;
  else if (rest > limit / 8)
    limit *= 2;
  else if (limit < TB_BATCH_TEXT_BYTES)
    limit += limit / 8;
  else if (rest < limit / 64)
    limit /= 2;
  if (limit < SMALL_TEXT) limit = SMALL_TEXT;
  state->limit = limit < LARGE_TEXT ? limit : LARGE_TEXT;
}

/* Keeps the bytes from `p` on for the next batch. */
static enum tb_status carry_over(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  size_t used = (size_t)(p - batch->text), rest = batch->text_len - used;
  adapt_limit(state, batch, used, rest);
  state->text_offset += used;
  if (state->carry_at < state->carry.len) { /* all of the text came from there and still is there */
    state->carry_at -= rest;
    return TB_OK;
  }
  if (state->carry.capacity > LARGE_TEXT) tb_buffer_free(&state->carry);
  state->carry.len = state->carry_at = 0;
  if (tb_buffer_append(&state->carry, p, rest) != TB_OK) return no_memory(state->reader);
  return TB_OK;
}

/* While a fed unit is long, bytes are only collected until it has grown by a quarter, so that the time does not grow
 * with the square of its length. */
static enum tb_status collect(struct tb_json_state *state) {
  struct tb_buffer *carry = &state->carry;
  while (carry->len - state->carry_at < state->collect && !state->input_ended) {
    size_t got = 0;
    if (tb_buffer_reserve(carry, TB_BATCH_TEXT_BYTES) != TB_OK) return no_memory(state->reader);
    enum tb_status status = tb_input_read(state->reader->input, carry->data + carry->len, carry->capacity - carry->len,
                                          &got, &state->reader->error);
    carry->len += got;
    if (status == TB_END || status == TB_TRUNCATED) break; /* which the next read says again */
    if (status != TB_OK) return status;
  }
  state->collect = 0;
  return TB_OK;
}

/* ---- filling a batch --------------------------------------------------------------------------------------------- */

static enum tb_status grow_args(struct tb_batch *batch) {
  size_t capacity = batch->arg_capacity ? batch->arg_capacity * 4 : TB_BATCH_ARGS;
  void *args = batch->args;
  enum tb_status status =
      tb_grow_array(batch->allocator, &args, &batch->arg_capacity, capacity, sizeof(struct tb_arg), UINT32_MAX);
  batch->args = args;
  return status;
}

static bool ready(const struct tb_json_state *state, struct tb_batch *batch) {
  bool wrong_size = batch->text_capacity < state->limit || batch->text_capacity > LARGE_TEXT;
  if (wrong_size && !resize_text(batch, state->limit)) return false;
  return batch->args || grow_args(batch) == TB_OK;
}

/* ---- junk: what is no JSON before the first event ---------------------------------------------------------------- */

static bool has_event(const struct tb_batch *batch) {
  for (size_t i = 0; i < batch->event_count; i++)
    if (batch->events[i].type != TB_EVENT_TRACE_METADATA && batch->events[i].type != TB_EVENT_CLOCK_SNAPSHOT)
      return true;
  return false;
}

/* The text is JSON up to `end`. */
static void note_known(struct tb_json_state *state, const struct tb_batch *batch, const char *end) {
  state->known = tb_json_offset(state, batch, end);
  state->seen_event = has_event(batch);
}

/* False, and the reader failed, if too many bytes before `p` are not JSON. */
static bool check_junk(struct tb_json_state *state, const struct tb_batch *batch, const char *p) {
  struct tb_reader *reader = state->reader;
  uint64_t offset = tb_json_offset(state, batch, p);
  if (offset <= state->known || offset - state->known <= reader->options.max_junk_bytes) return true;
  (void)tb_fail_junk(&reader->error, tb_format_name(TB_FORMAT_JSON), state->known, reader->options.max_junk_bytes);
  return false;
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* An event that ends at `end`, the first of those from `first` on, is dropped where it is longer than the limit. False:
 * the reader failed. */
static bool check_length(struct tb_json_state *state, struct tb_batch *batch, size_t first, const char *end) {
  uint64_t offset = batch->events[first].offset;
  if (tb_json_offset(state, batch, end) - offset <= state->reader->options.max_record_bytes) return true;
  batch->event_count = first;
  return tb_reader_lose(state->reader, LOSS_LONG, offset) == TB_OK;
}

/* Counts the unit at `p` where bytes of its texts were replaced, since they are no UTF-8: texts that differed in these
 * alone are the same now. */
static enum tb_status count_replaced(struct tb_json_state *state, const struct tb_batch *batch, const char *p) {
  const char *at = state->scan.invalid;
  if (!at) return TB_OK;
  bool is_repaired = at < batch->text || at >= batch->text + batch->text_len; /* a copy's */
  return tb_reader_lose(state->reader, LOSS_UTF8, tb_json_offset(state, batch, is_repaired ? p : at));
}

/* Takes units from *at until none is whole any more or the batch is full; *at is then where. TB_TOKENIZER_MORE, FULL or
 * NO_MEMORY; TB_TOKENIZER_BAD where the reader failed (its error is set). */
static enum tb_tokenizer_status take_units(struct tb_json_state *state, struct tb_batch *batch, const char **at) {
  struct tb_tokenizer *scan = &state->scan;
  for (const char *p = *at, *next;; p = next) {
    bool lost = state->lost; /* behind damage the next unit is looked for, and what is passed is noted */
    if (state->container != TB_JSON_SYSTEM && !lost) p = tb_json_skip_separators(p);
    *at = p;
    if (!state->seen_event && !check_junk(state, batch, p)) return TB_TOKENIZER_BAD;
    if (p >= scan->end) return TB_TOKENIZER_MORE;
    scan->status = TB_TOKENIZER_OK;
    size_t before = batch->event_count;
    scan->invalid = NULL;
    next = lost ? tb_json_search(state, batch, p) : tb_json_unit(state, batch, p);
    if (next) {
      if (scan->invalid && count_replaced(state, batch, p) != TB_OK) return TB_TOKENIZER_BAD;
      bool is_event = batch->event_count > before && state->container != TB_JSON_SYSTEM;
      if (is_event && !check_length(state, batch, before, next)) return TB_TOKENIZER_BAD;
      if (!state->seen_event && (!lost || has_event(batch))) note_known(state, batch, next);
      continue;
    }
    bool last = tb_json_is_last(state), cut_off = scan->status == TB_TOKENIZER_MORE && last;
    if (scan->status != TB_TOKENIZER_BAD && !cut_off) return scan->status;
    if (!last && scan->end - scan->at < TB_JSON_LOOK_AHEAD) return TB_TOKENIZER_MORE;
    scan->invalid = NULL;
    if (tb_json_damage(state, batch, p, &next) != TB_OK) return TB_TOKENIZER_BAD;
    if (!next) return scan->status;
    if (!state->lost && count_replaced(state, batch, p) != TB_OK) return TB_TOKENIZER_BAD;
    if (!state->seen_event && !state->lost) note_known(state, batch, next);
  }
}

/* Why an event could not be kept: the trace has too many ids, or the machine too little memory. */
static enum tb_status exhausted(struct tb_json_state *state) {
  if (!state->tracks.arena.is_limited) return no_memory(state->reader);
  return tb_fail(&state->reader->error, TB_LIMIT, state->text_offset,
                 "more process and thread ids than the limit allows");
}

static enum tb_status no_events(const struct tb_json_state *state) {
  struct tb_error *error = &state->reader->error;
  if (!*state->nested)
    return tb_fail(
        error, TB_UNKNOWN_FORMAT, 0,
        "is JSON, but no trace: there is no event in it, neither in an outermost array nor in traceEvents of "
        "an outermost object");
  return tb_fail(
      error, TB_UNKNOWN_FORMAT, state->nested_offset,
      "is JSON, but no trace: events are looked for in an outermost array and in traceEvents of an outermost "
      "object, and these are in %s; what is there would be a trace in a file of its own",
      state->nested);
}

/* The end of the input. */
static enum tb_status at_end(struct tb_json_state *state) {
  struct tb_reader *reader = state->reader;
  if (state->container == TB_JSON_SYSTEM) {
    state->container = TB_JSON_TOP;
    enum tb_status status =
        tb_reader_lose(reader, "systemTraceEvents cut off at the end of the input", state->text_offset);
    if (status != TB_OK) return status;
  }
  bool seen_json = state->seen_trace || state->seen_array || state->seen_other || reader->has_read;
  if (!seen_json && !reader->losses.count)
    return tb_fail(&reader->error, TB_UNKNOWN_FORMAT, 0, "is no JSON: there is no array or object in it");
  if (state->seen_trace || !state->seen_other) return TB_END;
  reader->losses.count = 0;
  return no_events(state);
}

/* Room for a unit that is longer than the text: moves it to the front and makes the text four times as long. */
static enum tb_status make_room(struct tb_json_state *state, struct tb_batch *batch, const char **at, size_t *limit) {
  struct tb_reader *reader = state->reader;
  size_t used = (size_t)(*at - batch->text), rest = batch->text_len - used;
  memmove(batch->text, *at, rest);
  batch->text_len = rest;
  state->text_offset += used;
  *at = batch->text;
  close_text(state, batch);
  if (rest <= *limit / 2) return TB_OK;
  if (rest > reader->options.max_record_bytes) {
    enum tb_status status = tb_reader_lose(reader, LOSS_LONG, state->text_offset);
    state->lost = true;
    state->known = state->text_offset + rest;
    *at = batch->text + 1;
    return status;
  }
  *limit *= 4; /* what was read of the unit is read again, which should be seldom */
  if (*limit > batch->text_capacity && !resize_text(batch, *limit)) return no_memory(reader);
  *at = batch->text;
  close_text(state, batch);
  return TB_OK;
}

static enum tb_status fill_text(struct tb_json_state *state, struct tb_batch *batch) {
  struct tb_reader *reader = state->reader;
  size_t limit = state->limit;
  bool waiting;
  enum tb_status status = read_more(state, batch, limit, &waiting);
  const char *at = batch->text;
  while (status == TB_OK) {
    enum tb_tokenizer_status why = take_units(state, batch, &at);
    if (why == TB_TOKENIZER_BAD) return reader->error.code;
    if (why == TB_TOKENIZER_NO_MEMORY) return exhausted(state);
    if (batch->event_count) {
      tb_json_note_last_time(state, batch, batch->event_count);
      return carry_over(state, batch, at);
    }
    if (why == TB_TOKENIZER_FULL) {
      if (grow_args(batch) != TB_OK) return no_memory(reader);
      continue;
    }
    if (tb_json_is_last(state)) return at_end(state);
    if (waiting) {
      status = carry_over(state, batch, at);
      size_t rest = state->carry.len - state->carry_at;
      if (rest > LONG_UNIT) state->collect = rest + rest / 4;
      return status == TB_OK ? TB_AGAIN : status;
    }
    status = make_room(state, batch, &at, &limit);
    if (status == TB_OK) status = read_more(state, batch, limit, &waiting);
  }
  return status;
}

static enum tb_status fill(struct tb_reader *reader, struct tb_batch *batch) {
  struct tb_json_state *state = reader->state;
  state->scan.arena = &batch->arena;
  if (!ready(state, batch)) return no_memory(reader);
  enum tb_status status = collect(state);
  if (status != TB_OK) return status;
  return fill_text(state, batch);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void destroy(struct tb_reader *reader) {
  struct tb_json_state *state = reader->state;
  if (!state) return;
  tb_json_tracks_free(&state->tracks);
  tb_buffer_free(&state->carry);
  tb_free(reader->allocator, state->extras, TB_JSON_EXTRAS * sizeof(*state->extras));
  tb_free(reader->allocator, state, sizeof(*state));
  reader->state = NULL;
}

static enum tb_status create(struct tb_reader *reader) {
  struct tb_json_state *state = tb_calloc(reader->allocator, sizeof(*state));
  if (!state) return no_memory(reader);
  reader->state = state;
  state->reader = reader;
  state->limit = TB_BATCH_TEXT_BYTES;
  tb_json_tracks_init(&state->tracks, reader->allocator, reader->options.max_interned_bytes);
  tb_buffer_init(&state->carry, reader->allocator, 0);
  /* predictions that match nothing */
  for (size_t phase = 0; phase < TB_JSON_PHASES; phase++)
    for (size_t i = 0; i < TB_JSON_KEY_PREDICTIONS; i++)
      state->predictions[phase][i].word = state->predictions[phase][i].close_word = 1;
  for (size_t i = 0; i < TB_JSON_ID_PREDICTIONS; i++) state->pids[i].word = state->tids[i].word = 1;
  state->extras = tb_alloc(reader->allocator, TB_JSON_EXTRAS * sizeof(*state->extras));
  if (state->extras) return TB_OK;
  destroy(reader);
  return no_memory(reader);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* A character of two bytes, and another: UTF-16. */
static bool is_wide(const char *p, size_t len) { return len >= 4 && !p[1] && p[2] && !p[3]; }

static enum tb_detection detect(const char *data, size_t len) {
  size_t i = len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (i < len && is_blank(data[i])) i++;
  bool begins = i < len && (data[i] == '[' || data[i] == '{');
  return begins && !is_wide(data + i, len - i) ? TB_DETECT_LIKELY : TB_DETECT_NO;
}

static uint32_t track_count(const struct tb_reader *reader) {
  const struct tb_json_state *state = reader->state;
  return (uint32_t)state->tracks.count + 1;
}

const struct tb_reader_ops tb_json_reader_ops = {
    .format = TB_FORMAT_JSON,
    .create = create,
    .fill = fill,
    .destroy = destroy,
    .detect = detect,
    .runs_ahead = true,
    .track_count = track_count,
    .source = {.offsets_grow = true, .clock_syncs = true, .complete_first = true, .some_text = true}};
