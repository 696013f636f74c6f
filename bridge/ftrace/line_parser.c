/* SPDX-License-Identifier: Apache-2.0 */
#include "ftrace/line_parser.h"

#include "base/decimal.h"

enum {
  NS_DIGITS = 9,
  /* bytes up to the bracket of the processor, and from there to the colon behind the seconds: no kernel prints as
   * many */
  HEAD_MAX = 256,
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || c == '\t'; }

struct tb_str tb_ftrace_trimmed(struct tb_str text) {
  while (text.len && (is_space(text.ptr[0]) || text.ptr[0] == '\r')) text.ptr++, text.len--;
  while (text.len && (is_space(text.ptr[text.len - 1]) || text.ptr[text.len - 1] == '\r')) text.len--;
  return text;
}

static const char *read_digits(const char *at, const char *end, uint64_t *value) {
  const char *from = at;
  for (*value = 0; at < end && is_digit(*at) && at - from < 18; at++) *value = *value * 10 + (uint64_t)(*at - '0');
  return at > from ? at : NULL;
}

/* "TASK-TID", perhaps "(TGID)", before a bracket. */
static bool read_task(const char *from, const char *to, struct tb_ftrace_line *line) {
  while (to > from && is_space(to[-1])) to--;
  if (to > from && to[-1] == ')') {
    const char *open = to;
    while (open > from && open[-1] != '(') open--;
    if (open == from) return false;
    const char *digits = open;
    uint64_t tgid;
    while (digits < to && is_space(*digits)) digits++;
    line->has_tgid = read_digits(digits, to, &tgid) != NULL; /* dashes where the kernel does not know it */
    line->tgid = line->has_tgid ? (int64_t)tgid : 0;
    for (to = open - 1; to > from && is_space(to[-1]); to--) continue;
  }
  const char *digits = to;
  while (digits > from && is_digit(digits[-1])) digits--;
  uint64_t tid;
  if (digits == from || digits[-1] != '-' || !read_digits(digits, to, &tid) || tid > INT32_MAX) return false;
  line->tid = (int64_t)tid;
  line->task = tb_ftrace_trimmed((struct tb_str){from, (size_t)(digits - 1 - from)});
  if (tb_str_equal(line->task, TB_STR("<...>")) || tb_str_equal(line->task, TB_STR("<idle>"))) line->task.len = 0;
  return true;
}

/* "FLAGS SECONDS: NAME: ARGUMENTS" behind the bracket; there may be no blank between flags that end in a dot and the
 * seconds. */
static bool read_rest(const char *at, const char *end, struct tb_ftrace_text_event *event) {
  const char *colon = memchr(at, ':', (size_t)(end - at < HEAD_MAX ? end - at : HEAD_MAX));
  if (!colon) return false;
  const char *seconds = colon;
  bool point = false;
  while (seconds > at && (is_digit(seconds[-1]) || (seconds[-1] == '.' && !point))) point |= *--seconds == '.';
  struct tb_decimal number;
  if (!point || tb_decimal_parse(seconds, colon, &number) != colon ||
      !tb_decimal_to_int(&number, NS_DIGITS, &event->line.ts))
    return false;
  event->is_exact = colon - seconds > NS_DIGITS && colon[-NS_DIGITS - 1] == '.';
  const char *name = colon + 1;
  while (name < end && is_space(*name)) name++;
  const char *stop = name;
  while (stop < end && !is_space(*stop)) stop++;
  while (stop > name && stop[-1] != ':') stop--;
  if (stop <= name + 1) return false;
  event->name = (struct tb_str){name, (size_t)(stop - 1 - name)};
  event->arguments = tb_ftrace_trimmed((struct tb_str){stop, (size_t)(end - stop)});
  return true;
}

bool tb_ftrace_parse_line(struct tb_str text, struct tb_ftrace_text_event *event) {
  const char *end = text.ptr + text.len, *head_end = text.len < HEAD_MAX ? end : text.ptr + HEAD_MAX;
  if (!text.len || *text.ptr == '#') return false;
  for (const char *at = text.ptr; (at = memchr(at, '[', (size_t)(head_end - at))) != NULL; at++) {
    uint64_t cpu;
    const char *close = read_digits(at + 1, end, &cpu);
    if (!close || close == end || *close != ']' || cpu > UINT32_MAX) continue;
    *event = (struct tb_ftrace_text_event){.line = {.cpu = (uint32_t)cpu}};
    if (read_task(text.ptr, at, &event->line) && read_rest(close + 1, end, event)) return true;
  }
  return false;
}

bool tb_ftrace_is_timeless(int64_t ts, struct tb_str text) {
  static const char mark[] = "trace_event_clock_sync:";
  return ts == 0 && text.len && memmem(text.ptr, text.len, mark, sizeof(mark) - 1);
}

bool tb_ftrace_is_header(struct tb_str line) {
  static const char begins[] = "# tracer:";
  return line.len >= sizeof(begins) - 1 && memcmp(line.ptr, begins, sizeof(begins) - 1) == 0;
}
