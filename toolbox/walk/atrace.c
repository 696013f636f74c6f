/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/atrace.h"

#include "base/intern.h"
#include "ftrace/event_text.h"
#include "protos/field_numbers.h"

static struct tb_str text_of(struct tb_str print) {
  struct tb_wire_cursor cursor = tb_wire_cursor(print);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_PRINT_FTRACE_EVENT_BUF && field.type == TB_WIRE_BYTES) return field.bytes;
  return (struct tb_str){"", 0};
}

/* Without the line's end and what is behind the last `bars` bars. */
static struct tb_str without_last(struct tb_str text, int bars) {
  while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == 0)) text.len--;
  for (; bars > 0 && text.len; bars--) {
    while (text.len && text.ptr[text.len - 1] != '|') text.len--;
    if (text.len) text.len--;
  }
  return text;
}

/* What is behind the first `bars` bars, of which the next is near. */
static struct tb_str behind(struct tb_str text, int bars) {
  const char *at = text.ptr, *end = at + text.len;
  while (bars > 0 && at < end) bars -= *at++ == '|';
  return (struct tb_str){at, (size_t)(end - at)};
}

/* Of G|pid|track|name|cookie and H|pid|track|cookie, which may have the name, too, what both have. */
static uint64_t track_of(struct tb_str text) {
  struct tb_str all = without_last(text, 0), rest = behind(all, 3);
  size_t cookie = all.len;
  while (cookie && all.ptr[cookie - 1] != '|') cookie--;
  uint64_t key = tb_str_hash((struct tb_str){all.ptr + cookie, all.len - cookie}, 'G');
  return tb_str_hash((struct tb_str){all.ptr + 1, all.len - rest.len - 1}, key);
}

static void read_keyed(struct tb_str text, char c, struct tb_atrace_mark *mark) {
  mark->is_async = true;
  if (c == 'G' || c == 'H') {
    mark->role = c == 'G' ? TB_ATRACE_BEGIN : TB_ATRACE_END;
    mark->key = track_of(text);
    if (c == 'G') mark->name = without_last(behind(text, 3), 1);
    return;
  }
  struct tb_str rest = without_last((struct tb_str){text.ptr + 1, text.len - 1}, c == 'C');
  mark->role = c == 'S' ? TB_ATRACE_BEGIN : c == 'F' ? TB_ATRACE_END : TB_ATRACE_VALUE;
  mark->key = tb_str_hash(rest, c == 'C' ? 'C' : 'S');
  if (c != 'F') mark->name = without_last(behind(text, 2), 1);
}

/* Whether a mark is of the thread that writes it, and not of the process. */
static bool is_of_thread(struct tb_str text) {
  char c = text.len ? *text.ptr : 0;
  return c == 'E' || ((c == 'B' || c == 'I') && text.len > 1 && text.ptr[1] == '|');
}

static int64_t pid_of(struct tb_str text) {
  struct tb_str rest = behind(text, 1);
  int64_t pid = -1;
  for (size_t i = 0; i < rest.len && rest.ptr[i] >= '0' && rest.ptr[i] <= '9' && pid < INT32_MAX; i++)
    pid = (pid < 0 ? 0 : pid) * 10 + (rest.ptr[i] - '0');
  return pid;
}

static void read_print(const struct tb_ftrace_event *event, struct tb_atrace_mark *mark) {
  struct tb_str text = text_of(event->payload);
  char c = text.len ? *text.ptr : 0;
  if (c == 'E') mark->role = TB_ATRACE_END; /* whatever is behind it */
  if (text.len < 2 || text.ptr[1] != '|') return;
  if (c == 'B') {
    mark->role = TB_ATRACE_BEGIN;
    mark->name = without_last(behind(text, 2), 0);
  } else if (c == 'I' || c == 'N') {
    mark->role = TB_ATRACE_INSTANT;
    mark->is_async = c == 'N';
    mark->name = without_last(behind(text, c == 'I' ? 2 : 3), 0);
  } else if (c == 'S' || c == 'F' || c == 'C' || c == 'G' || c == 'H') {
    read_keyed(text, c, mark);
  }
  if (mark->is_async) mark->pid = pid_of(text);
}

/* Slices and instants are of the thread, counters of the process that is named. */
static void read_driver_mark(const struct tb_ftrace_event *event, struct tb_atrace_mark *mark) {
  struct tb_ftrace_mark read;
  if (!tb_ftrace_driver_mark(event->kind, event->payload, &read)) return;
  if (read.phase == 'E') mark->role = TB_ATRACE_END;
  if (read.phase == 'B') mark->role = TB_ATRACE_BEGIN;
  if (read.phase == 'I') mark->role = TB_ATRACE_INSTANT;
  if (read.phase != 'E') mark->name = read.name;
  if (read.phase != 'C') return;
  mark->role = TB_ATRACE_VALUE;
  mark->is_async = true;
  mark->pid = read.pid;
  mark->key = tb_str_hash(read.name, (uint64_t)read.pid);
}

static void read_probe(const struct tb_ftrace_event *event, struct tb_atrace_mark *mark) {
  uint64_t type = tb_wire_find_number(event->payload, TB_KPROBE_EVENT_TYPE);
  if (type == TB_KPROBE_EVENT_KPROBE_TYPE_BEGIN) mark->role = TB_ATRACE_BEGIN;
  if (type == TB_KPROBE_EVENT_KPROBE_TYPE_END) mark->role = TB_ATRACE_END;
  if (type == TB_KPROBE_EVENT_KPROBE_TYPE_INSTANT) mark->role = TB_ATRACE_INSTANT;
  if (mark->role == TB_ATRACE_BEGIN || mark->role == TB_ATRACE_INSTANT)
    mark->name = tb_wire_find_bytes(event->payload, TB_KPROBE_EVENT_NAME);
}

bool tb_atrace_is_mark(uint32_t kind) {
  return kind == TB_FTRACE_EVENT_PRINT || kind == TB_FTRACE_EVENT_KPROBE_EVENT || tb_ftrace_is_driver_mark(kind);
}

void tb_atrace_read(const struct tb_ftrace_event *event, struct tb_atrace_mark *mark) {
  *mark = (struct tb_atrace_mark){.name = {"", 0}, .key = (uint64_t)event->pid, .pid = -1};
  if (event->kind == TB_FTRACE_EVENT_PRINT)
    read_print(event, mark);
  else if (event->kind == TB_FTRACE_EVENT_KPROBE_EVENT)
    read_probe(event, mark);
  else
    read_driver_mark(event, mark);
}

int64_t tb_atrace_process_of(const struct tb_ftrace_event *event) {
  if (event->kind != TB_FTRACE_EVENT_PRINT) return 0;
  struct tb_str text = text_of(event->payload);
  int64_t pid = is_of_thread(text) ? pid_of(text) : 0;
  return pid > 0 ? pid : 0;
}
