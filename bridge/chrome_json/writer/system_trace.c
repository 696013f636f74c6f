/* SPDX-License-Identifier: Apache-2.0
 *
 * systemTraceEvents: the kernel's trace file as text. The trace processor refuses the whole trace for one line there
 * that is neither an event nor a comment, as those of tools that wrote the text: `TRACE:`, `CPU:1 [LOST 5 EVENTS]`.
 * Such lines become comments. Other readers want the file's header in the first line: those that come before it go
 * behind it.
 */
#include "chrome_json/writer/writer.h"
#include "ftrace/line_parser.h"

/* The line at the start of `text`, with its end. */
static struct tb_str first_line(struct tb_str text) {
  const char *stop = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
  return (struct tb_str){text.ptr, stop ? (size_t)(stop - text.ptr) + 1 : text.len};
}

static struct tb_str behind(struct tb_str text, struct tb_str line) {
  return (struct tb_str){line.ptr + line.len, text.len - (size_t)(line.ptr + line.len - text.ptr)};
}

static bool has_end(struct tb_str line) { return line.len && line.ptr[line.len - 1] == '\n'; }

/* An event or a comment. */
static bool is_of_ftrace(struct tb_str line) {
  struct tb_ftrace_text_event event;
  line.len -= has_end(line);
  return line.len && (line.ptr[0] == '#' || tb_ftrace_parse_line(line, &event));
}

static bool is_empty(struct tb_str line) { return line.len == has_end(line); }

static enum tb_status put_text(struct tb_json_writer *w, struct tb_str text) {
  w->scratch.buffer.len = 0;
  tb_json_emit_string(&w->scratch, text);
  if (w->scratch.status != TB_OK) return tb_json_fail(w, w->scratch.status);
  return tb_spool_add(&w->system, w->scratch.buffer.data + 1, w->scratch.buffer.len - 2, &w->writer->error);
}

/* Lines, with those that are nothing of ftrace as comments. A line that an earlier text began goes on as it is. */
static enum tb_status put_lines(struct tb_json_writer *w, struct tb_str text) {
  enum tb_status status = TB_OK;
  const char *from = text.ptr, *end = text.ptr + text.len;
  for (struct tb_str left = text; left.len && status == TB_OK;) {
    struct tb_str line = first_line(left);
    if (!w->in_system_line && !is_empty(line) && !is_of_ftrace(line)) {
      if (line.ptr > from) status = put_text(w, (struct tb_str){from, (size_t)(line.ptr - from)});
      if (status == TB_OK) status = put_text(w, TB_STR("# "));
      from = line.ptr;
    }
    w->in_system_line = !has_end(line);
    left = behind(left, line);
  }
  return status == TB_OK && end > from ? put_text(w, (struct tb_str){from, (size_t)(end - from)}) : status;
}

enum tb_status tb_json_put_system(struct tb_json_writer *w, const struct tb_event *event) {
  struct tb_str text = event->blob, header = {text.ptr, 0};
  if (w->from_json) return put_text(w, text);
  bool begins = tb_spool_empty(&w->system);
  for (struct tb_str left = text; begins && left.len; left = behind(left, header)) {
    header = first_line(left);
    if (is_of_ftrace(header)) break;
  }
  if (!begins || !has_end(header) || !is_of_ftrace(header)) return put_lines(w, text);
  enum tb_status status = put_lines(w, header);
  if (status == TB_OK) status = put_lines(w, (struct tb_str){text.ptr, (size_t)(header.ptr - text.ptr)});
  return status == TB_OK ? put_lines(w, behind(text, header)) : status;
}
