/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's trace file, as ftrace and atrace print it and systrace keeps it: read as text, line by line, each with
 * its time and the thread that wrote it. What else its lines say is the writers' matter: Perfetto has events of ftrace,
 * JSON the text. Lines that are no events come with the event behind them.
 */
#include "base/error.h"
#include "base/utf8.h"
#include "ftrace/text_store.h"
#include "ftrace/text_tracks.h"
#include "model/reader_ops.h"

enum { READ_BYTES = 64 * 1024, LINE_MAX_BYTES = 1 << 20 };

struct ftrace_state {
  struct tb_buffer text; /* what was read and not given out: nothing is before a line of ftrace was seen */
  uint64_t offset;       /* of its first byte */
  size_t looked_at;      /* bytes of it that are lines of something else */
  bool input_ended;
  struct tb_ftrace_tracks tracks;
};

static enum tb_status no_memory(struct tb_reader *reader) {
  return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* Reads more text. TB_OK also at the input's end; TB_AGAIN: a fed input needs more. */
static enum tb_status read_more(struct tb_reader *reader, struct ftrace_state *state) {
  size_t got = 0;
  if (tb_buffer_reserve(&state->text, READ_BYTES) != TB_OK) return no_memory(reader);
  enum tb_status status =
      tb_input_read(reader->input, state->text.data + state->text.len, READ_BYTES, &got, &reader->error);
  state->text.len += got;
  state->input_ended = status == TB_END || status == TB_TRUNCATED;
  if (status == TB_TRUNCATED)
    return tb_reader_lose(reader, "compressed data is cut off or damaged: what follows",
                          state->offset + state->text.len);
  return status == TB_END ? TB_OK : status;
}

/* Looks for a line of ftrace, an event or the header, among those that have come; lines that are too long are none. Not
 * TB_OK where too much came without one. */
static enum tb_status look_for_ftrace(struct tb_reader *reader, struct ftrace_state *state) {
  const struct tb_buffer *text = &state->text;
  struct tb_ftrace_text_event event;
  while (!reader->has_read && state->looked_at < text->len) {
    if (state->looked_at > reader->options.max_junk_bytes)
      return tb_fail_junk(&reader->error, tb_format_name(TB_FORMAT_FTRACE), state->offset,
                          reader->options.max_junk_bytes);
    size_t left = text->len - state->looked_at, most = left < LINE_MAX_BYTES ? left : LINE_MAX_BYTES;
    const char *at = text->data + state->looked_at, *stop = memchr(at, '\n', most);
    if (!stop && left < LINE_MAX_BYTES && !state->input_ended) return TB_OK;
    struct tb_str line = {at, stop ? (size_t)(stop - at) : most};
    reader->has_read = tb_ftrace_is_header(line) || tb_ftrace_parse_line(line, &event);
    state->looked_at += line.len + (stop != NULL);
  }
  return TB_OK;
}

/* How much can be given now: whole lines, or all at the input's end and where a line is too long to wait for. */
static size_t piece_length(const struct ftrace_state *state) {
  const struct tb_buffer *text = &state->text;
  if (state->input_ended || text->len > LINE_MAX_BYTES) return text->len;
  const char *last = text->len ? memrchr(text->data, '\n', text->len) : NULL;
  return last ? (size_t)(last - text->data) + 1 : 0;
}

/* The input has no more to give. */
static enum tb_status at_end(struct tb_reader *reader, const struct ftrace_state *state) {
  if (reader->has_read) return TB_END;
  enum tb_status status = tb_reader_lose(reader, "no line of ftrace", state->offset);
  return status == TB_OK ? TB_END : status;
}

/* Whether the last line has no end and is neither an event nor a comment: it was cut off. *at: where it starts. */
static bool is_cut_off(const struct ftrace_state *state, size_t *at) {
  const struct tb_buffer *text = &state->text;
  const char *last = text->len ? memrchr(text->data, '\n', text->len) : NULL;
  struct tb_ftrace_text_event event;
  *at = last ? (size_t)(last - text->data) + 1 : 0;
  struct tb_str line = tb_ftrace_trimmed((struct tb_str){text->data + *at, text->len - *at});
  return line.len && line.ptr[0] != '#' && !tb_ftrace_parse_line(line, &event);
}

/* Adds an event with the text of `len` bytes at the start of what is held; `line`: the event in it, or NULL. */
static enum tb_status add_text(struct tb_reader *reader, struct tb_batch *batch, size_t from, size_t len,
                               const struct tb_ftrace_text_event *line) {
  struct ftrace_state *state = reader->state;
  struct tb_event *event = tb_batch_add_event(batch);
  if (!event) return no_memory(reader);
  event->type = TB_EVENT_SYSTEM_TRACE;
  batch->has_text = true;
  event->offset = state->offset + from;
  event->blob = tb_arena_copy(&batch->arena, (struct tb_str){state->text.data + from, len});
  if (!event->blob.ptr || tb_utf8_repair(&batch->arena, &event->blob) != TB_OK) {
    batch->event_count--;
    return no_memory(reader);
  }
  if (!line) return TB_OK;
  event->has = tb_ftrace_is_timeless(line->line.ts, line->arguments) ? 0 : TB_HAS_TS;
  event->ts = line->line.ts;
  return tb_ftrace_find_track(reader, &state->tracks, line, &event->track) == TB_OK ? TB_OK : no_memory(reader);
}

/* Gives out text that is held, up to `len`, as far as the batch has room. *used: how much that was. */
static enum tb_status add_lines(struct tb_reader *reader, struct tb_batch *batch, size_t len, size_t *used) {
  const struct ftrace_state *state = reader->state;
  struct tb_str lines = {state->text.data, len}, line;
  struct tb_ftrace_text_event event;
  enum tb_status status = TB_OK;
  *used = 0;
  while (status == TB_OK && batch->event_count < TB_BATCH_EVENTS && tb_ftrace_take_line(&lines, &line)) {
    size_t end = len - lines.len;
    line.len -= line.ptr[line.len - 1] == '\n';
    bool is_event = tb_ftrace_parse_line(line, &event);
    if (!is_event && lines.len) continue;
    status = add_text(reader, batch, *used, end - *used, is_event ? &event : NULL);
    *used = end;
  }
  return status;
}

static enum tb_status fill(struct tb_reader *reader, struct tb_batch *batch) {
  struct ftrace_state *state = reader->state;
  size_t len = 0, cut_at, used;
  for (;;) {
    enum tb_status status = look_for_ftrace(reader, state);
    if (status == TB_OK && reader->has_read && (len = piece_length(state)) != 0) break;
    if (status == TB_OK && state->input_ended) return at_end(reader, state);
    if (status == TB_OK) status = read_more(reader, state);
    if (status != TB_OK) return status;
  }
  enum tb_status status = add_lines(reader, batch, len, &used);
  if (status != TB_OK) return status;
  if (state->input_ended && used == state->text.len && is_cut_off(state, &cut_at)) {
    status = tb_reader_lose(reader, "the last line is cut off", state->offset + cut_at);
    if (status != TB_OK) return status;
  }
  state->offset += used;
  state->text.len -= used;
  memmove(state->text.data, state->text.data + used, state->text.len);
  return TB_OK;
}

static void destroy(struct tb_reader *reader) {
  struct ftrace_state *state = reader->state;
  if (!state) return;
  tb_buffer_free(&state->text);
  tb_ftrace_tracks_free(&state->tracks);
  tb_free(reader->allocator, state, sizeof(*state));
  reader->state = NULL;
}

static enum tb_status create(struct tb_reader *reader) {
  struct ftrace_state *state = tb_calloc(reader->allocator, sizeof(*state));
  if (!state) return no_memory(reader);
  tb_buffer_init(&state->text, reader->allocator, 0);
  tb_ftrace_tracks_init(&state->tracks, reader->allocator);
  reader->state = state;
  return TB_OK;
}

/* Text with ftrace's header, or an event on one of its first lines. */
static enum tb_detection detect(const char *data, size_t len) {
  enum { LINES = 4 };
  struct tb_ftrace_text_event event;
  const char *p = data, *end = data + len;
  for (size_t lines = 0; p < end && lines < LINES;) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    struct tb_str line = {p, (size_t)((stop ? stop : end) - p)};
    for (size_t i = 0; i < line.len; i++)
      if ((unsigned char)line.ptr[i] < ' ' && line.ptr[i] != '\t' && line.ptr[i] != '\r') return TB_DETECT_NO;
    if (tb_ftrace_is_header(line) || tb_ftrace_parse_line(line, &event)) return TB_DETECT_LIKELY;
    lines += line.len && line.ptr[0] != '#';
    p = stop ? stop + 1 : end;
  }
  return TB_DETECT_NO;
}

const struct tb_reader_ops tb_ftrace_reader_ops = {.format = TB_FORMAT_FTRACE,
                                                   .create = create,
                                                   .fill = fill,
                                                   .destroy = destroy,
                                                   .detect = detect,
                                                   .runs_ahead = true,
                                                   .source = {.system_text = true, .names_tracks = true}};
