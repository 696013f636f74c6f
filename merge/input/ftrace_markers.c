/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/ftrace_markers.h"

#include <string.h>

#include "base/decimal.h"
#include "base/times.h"
#include "ftrace/line_parser.h"

enum { SECONDS = 9, MILLISECONDS = 6 }; /* as powers of ten of a nanosecond */

static struct tb_str line_at(struct tb_str text, const char *at) {
  const char *end = text.ptr + text.len, *from = at;
  while (from > text.ptr && from[-1] != '\n') from--;
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  return (struct tb_str){from, (size_t)((stop ? stop : end) - from)};
}

/* A number behind "KEY=" in a mark's text. */
static bool read_value(struct tb_str mark, const char *key, int scale, int64_t *value) {
  const char *at = memmem(mark.ptr, mark.len, key, strlen(key));
  struct tb_decimal number;
  if (!at) return false;
  at += strlen(key);
  return tb_decimal_parse(at, mark.ptr + mark.len, &number) != NULL && tb_decimal_to_int(&number, scale, value);
}

static void take_reading(struct tb_ftrace_marker *marker, int64_t at, int64_t reading) {
  if (marker->known && tb_time_subtract(reading, at) <= tb_time_subtract(marker->reading, marker->at)) return;
  *marker = (struct tb_ftrace_marker){true, at, reading};
}

static void take_mark(struct tb_ftrace_markers *markers, struct tb_str line) {
  struct tb_ftrace_text_event event;
  int64_t reading;
  if (!tb_ftrace_parse_line(line, &event)) return;
  if (read_value(event.arguments, "parent_ts=", SECONDS, &reading))
    take_reading(&markers->monotonic, event.line.ts, reading);
  if (read_value(event.arguments, "realtime_ts=", MILLISECONDS, &reading))
    take_reading(&markers->realtime, event.line.ts, reading);
}

static void extend(struct tb_ftrace_markers *markers, int64_t time) {
  if (!markers->has_lines || time < markers->first) markers->first = time;
  if (!markers->has_lines || time > markers->last) markers->last = time;
  markers->has_lines = true;
}

/* The first line that is an event, or the last. */
static void look_for_end(struct tb_ftrace_markers *markers, struct tb_str text, bool last) {
  struct tb_ftrace_text_event event;
  const char *end = text.ptr + text.len, *at = last ? end : text.ptr;
  while (last ? at > text.ptr : at < end) {
    struct tb_str line = line_at(text, last ? at - 1 : at);
    if (tb_ftrace_parse_line(line, &event)) {
      extend(markers, event.line.ts);
      return;
    }
    at = last ? line.ptr : line.ptr + line.len + 1;
  }
}

void tb_ftrace_markers_take(struct tb_ftrace_markers *markers, struct tb_str text) {
  static const char mark[] = "trace_event_clock_sync:";
  const char *end = text.ptr + text.len, *at = text.ptr;
  look_for_end(markers, text, false);
  look_for_end(markers, text, true);
  while (at < end && (at = memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1)) != NULL) {
    struct tb_str line = line_at(text, at);
    take_mark(markers, line);
    at = line.ptr + line.len;
  }
}
