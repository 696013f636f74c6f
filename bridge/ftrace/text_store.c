/* SPDX-License-Identifier: Apache-2.0 */
#include "ftrace/text_store.h"

#include "ftrace/event_parser.h"

void tb_ftrace_text_init(struct tb_ftrace_text *text, const struct tb_allocator *log_allocator,
                         const struct tb_allocator *allocator) {
  *text = (struct tb_ftrace_text){.is_old = false};
  tb_spill_log_init(&text->log, log_allocator);
  tb_buffer_init(&text->line, allocator, 0);
}

void tb_ftrace_text_free(struct tb_ftrace_text *text) {
  tb_spill_log_free(&text->log);
  tb_buffer_free(&text->line);
}

/* Adds whole lines, or the last of all. */
static enum tb_status hold_lines(struct tb_ftrace_text *text, struct tb_str lines) {
  if (!text->is_old) text->is_old = tb_ftrace_find_states(lines) == TB_FTRACE_STATES_OLD;
  enum tb_status status = tb_spill_log_room(&text->log, lines.len);
  if (status != TB_OK) return status;
  memcpy(text->log.at, lines.ptr, lines.len);
  text->log.at += lines.len;
  return TB_OK;
}

enum tb_status tb_ftrace_text_end(struct tb_ftrace_text *text) {
  struct tb_str line = {text->line.data, text->line.len};
  text->line.len = 0;
  return line.len ? hold_lines(text, line) : TB_OK;
}

enum tb_status tb_ftrace_text_put(struct tb_ftrace_text *text, struct tb_str piece) {
  const char *first = piece.len ? memchr(piece.ptr, '\n', piece.len) : NULL;
  enum tb_status status = TB_OK;
  if (text->line.len && first) {
    size_t len = (size_t)(first - piece.ptr) + 1;
    status = tb_buffer_append(&text->line, piece.ptr, len);
    if (status == TB_OK) status = tb_ftrace_text_end(text);
    piece = (struct tb_str){piece.ptr + len, piece.len - len};
  }
  const char *last = first && piece.len ? memrchr(piece.ptr, '\n', piece.len) : NULL;
  if (status == TB_OK && last) {
    size_t len = (size_t)(last - piece.ptr) + 1;
    status = hold_lines(text, (struct tb_str){piece.ptr, len});
    piece = (struct tb_str){piece.ptr + len, piece.len - len};
  }
  return status == TB_OK && piece.len ? tb_buffer_append(&text->line, piece.ptr, piece.len) : status;
}

bool tb_ftrace_text_is_empty(const struct tb_ftrace_text *text) {
  return !text->line.len && !tb_spill_log_total(&text->log);
}

bool tb_ftrace_take_line(struct tb_str *lines, struct tb_str *line) {
  if (!lines->len) return false;
  const char *stop = memchr(lines->ptr, '\n', lines->len);
  *line = (struct tb_str){lines->ptr, stop ? (size_t)(stop - lines->ptr) + 1 : lines->len};
  *lines = (struct tb_str){lines->ptr + line->len, lines->len - line->len};
  return true;
}
