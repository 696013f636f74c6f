/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads Chrome Trace Event JSON: the containers around the events, and the way of the bytes.
 *
 * Input is read straight into the batch's text, which the events point into. What no event of the batch has used (most
 * often the beginning of an event) is carried over to the next batch.
 */
#include "base/error.h"
#include "json/json_reader_state.h"

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static enum tb_status no_memory(struct tb_reader *reader) {
  return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static bool grow_text(struct tb_batch *batch, size_t capacity) {
  size_t old = batch->text_capacity ? batch->text_capacity + TB_BATCH_PADDING : 0;
  char *text = tb_realloc(batch->allocator, batch->text, old, capacity + TB_BATCH_PADDING);
  if (!text) return false;
  batch->text = text;
  batch->text_capacity = capacity;
  return true;
}

/* Ends the text with its padding and tells the scanner. */
static void close_text(struct tb_json_state *state, struct tb_batch *batch) {
  memset(batch->text + batch->text_len, 0, TB_BATCH_PADDING);
  state->scan.end = batch->text + batch->text_len;
}

/* Fills the text's free room. TB_OK also where the input ended or waits for more. */
static enum tb_status read_more(struct tb_json_state *state, struct tb_batch *batch, bool *waiting) {
  struct tb_reader *reader = state->reader;
  *waiting = false;
  while (batch->text_len < batch->text_capacity && !state->input_ended) {
    size_t got = 0;
    enum tb_status status = tb_input_read(reader->input, batch->text + batch->text_len,
                                          batch->text_capacity - batch->text_len, &got, &reader->error);
    batch->text_len += got;
    if (status == TB_AGAIN) {
      *waiting = true;
      break;
    }
    if (status == TB_END || status == TB_TRUNCATED)
      state->input_ended = true;
    else if (status != TB_OK)
      return status;
  }
  close_text(state, batch);
  return TB_OK;
}

/* Gives an empty batch the bytes that were carried over and as many more as it has room for. */
static enum tb_status start_text(struct tb_json_state *state, struct tb_batch *batch, bool *waiting) {
  size_t carried = state->carry.len;
  if (batch->text_capacity < TB_BATCH_TEXT_BYTES && !grow_text(batch, TB_BATCH_TEXT_BYTES))
    return no_memory(state->reader);
  if (batch->text_capacity < carried * 2 && !grow_text(batch, carried * 2)) return no_memory(state->reader);
  if (carried) memcpy(batch->text, state->carry.data, carried);
  batch->text_len = carried;
  state->carry.len = 0;
  return read_more(state, batch, waiting);
}

/* Keeps the bytes from `p` on for the next batch. */
static enum tb_status carry_over(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  size_t used = (size_t)(p - batch->text);
  state->text_offset += used;
  if (tb_buffer_append(&state->carry, p, batch->text_len - used) != TB_OK) return no_memory(state->reader);
  return TB_OK;
}

/* ---- containers ------------------------------------------------------------------------------------------------- */

static const char *after_comma(const char *p) {
  p = tb_scan_space(p);
  while (*p == ',') p = tb_scan_space(p + 1);
  return p;
}

/* Takes what stands at `p` between two units; returns the byte after it, NULL on failure or when the text is used up.
 */
static const char *step_top(struct tb_json_state *state, const char *p) {
  if (*p == '[') {
    state->place = TB_JSON_EVENTS;
    state->in_object = false;
  } else if (*p == '{') {
    state->place = TB_JSON_OBJECT;
  } else {
    return tb_scan_fail(&state->scan, p);
  }
  state->seen_any = true;
  return p + 1;
}

static const char *step_object(struct tb_json_state *state, const char *p) {
  struct tb_scan *scan = &state->scan;
  if (*p == '}') {
    state->place = TB_JSON_TOP;
    return p + 1;
  }
  struct tb_slice key;
  if (*p != '"') return tb_scan_fail(scan, p);
  p = tb_scan_string(scan, p + 1, &key);
  if (!p) return NULL;
  p = tb_scan_space(p);
  if (*p != ':') return tb_scan_fail(scan, p);
  p = tb_scan_space(p + 1);
  if (*p == '[' && tb_slice_equal(key, TB_SLICE("traceEvents"))) {
    state->place = TB_JSON_EVENTS;
    state->in_object = true;
    return p + 1;
  }
  return tb_scan_skip_value(scan, p);
}

static const char *step_events(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  if (*p == '{') {
    const char *end = tb_json_event(state, batch, p);
    if (end) batch->events[batch->event_count - 1].offset = state->text_offset + (uint64_t)(p - batch->text);
    return end;
  }
  if (*p != ']') return tb_scan_fail(&state->scan, p);
  state->place = state->in_object ? TB_JSON_OBJECT : TB_JSON_TOP;
  return p + 1;
}

static const char *step(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  switch (state->place) {
    case TB_JSON_EVENTS:
      return step_events(state, batch, p);
    case TB_JSON_OBJECT:
      return step_object(state, p);
    default:
      return step_top(state, p);
  }
}

/* Takes units until the text or the batch's room ends; returns where. */
static const char *take_units(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  for (;;) {
    p = after_comma(p);
    if (p >= state->scan.end) {
      state->scan.status = TB_SCAN_MORE;
      return p;
    }
    const char *next = step(state, batch, p);
    if (!next) return p;
    p = next;
  }
}

static enum tb_status grow_args(struct tb_batch *batch) {
  size_t capacity = batch->arg_capacity ? batch->arg_capacity * 2 : TB_BATCH_ARGS;
  void *args = batch->args;
  enum tb_status status =
      tb_grow_array(batch->allocator, &args, &batch->arg_capacity, capacity, sizeof(struct tb_arg), UINT32_MAX);
  batch->args = args;
  return status;
}

static enum tb_status fill(struct tb_reader *reader, struct tb_batch *batch) {
  struct tb_json_state *state = reader->state;
  struct tb_scan *scan = &state->scan;
  bool waiting;
  scan->arena = &batch->arena;
  if (!batch->args && grow_args(batch) != TB_OK) return no_memory(reader);
  enum tb_status status = start_text(state, batch, &waiting);
  if (status != TB_OK) return status;
  const char *p = batch->text;
  for (;;) {
    p = take_units(state, batch, p);
    if (batch->event_count) return carry_over(state, batch, p);
    if (scan->status == TB_SCAN_FULL) {
      if (grow_args(batch) != TB_OK) return no_memory(reader);
      continue;
    }
    if (scan->status != TB_SCAN_MORE)
      return tb_fail(&reader->error, TB_BAD_DATA, state->text_offset + (uint64_t)(scan->at - batch->text), "bad JSON");
    if (state->input_ended) return TB_END;
    if (waiting) {
      status = carry_over(state, batch, p);
      return status == TB_OK ? TB_AGAIN : status;
    }
    size_t used = (size_t)(p - batch->text);
    memmove(batch->text, p, batch->text_len - used);
    batch->text_len -= used;
    state->text_offset += used;
    if (batch->text_len * 2 > batch->text_capacity && !grow_text(batch, batch->text_capacity * 2))
      return no_memory(reader);
    status = read_more(state, batch, &waiting);
    if (status != TB_OK) return status;
    p = batch->text;
  }
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

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
  tb_json_tracks_init(&state->tracks, reader->allocator, reader->options.max_interned_bytes);
  tb_buffer_init(&state->carry, reader->allocator, 0);
  for (size_t i = 0; i < TB_JSON_GUESSES; i++) state->guesses[i].word = 1; /* matches nothing */
  state->extras = tb_alloc(reader->allocator, TB_JSON_EXTRAS * sizeof(*state->extras));
  if (state->extras) return TB_OK;
  destroy(reader);
  return no_memory(reader);
}

const struct tb_reader_ops tb_json_reader_ops = {TB_FORMAT_JSON, create, fill, destroy};
