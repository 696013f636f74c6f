/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that userspace writes into the kernel's trace marker, as Android's atrace does:
 *
 *   B|pid|name   E|pid   I|pid|name   C|pid|name|value   S|pid|name|cookie   F|pid|name|cookie
 *   N|pid|track|name   G|pid|track|name|cookie   H|pid|track|cookie
 */
#include <string.h>

#include "perfetto/reader/sched.h"

enum { PARTS_MAX = 5 };

struct marker {
  char phase;
  bool has_pid;
  int64_t pid;
  struct tb_str parts[PARTS_MAX]; /* behind the pid */
  uint32_t count;
};

static bool read_number(struct tb_str text, int64_t *number) {
  bool negative = text.len && text.ptr[0] == '-';
  uint64_t value = 0;
  size_t i = negative;
  for (; i < text.len && i < 19 && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) {
    value = value * 10 + (uint64_t)(text.ptr[i] - '0');
  }
  *number = negative ? -(int64_t)value : (int64_t)value;
  return i == text.len && i > negative;
}

/* Cuts at bars. A name may hold bars itself: those of B and I, which come last, keep theirs. */
static void cut(struct marker *marker, struct tb_str rest) {
  uint32_t most = marker->phase == 'B' || marker->phase == 'I' ? 1 : marker->phase == 'N' ? 2 : PARTS_MAX;
  while (marker->count < most) {
    const char *bar = marker->count + 1 < most && rest.len ? memchr(rest.ptr, '|', rest.len) : NULL;
    size_t len = bar ? (size_t)(bar - rest.ptr) : rest.len;
    marker->parts[marker->count++] = (struct tb_str){rest.ptr, len};
    if (!bar) return;
    rest = (struct tb_str){bar + 1, rest.len - len - 1};
  }
}

static bool read_marker(struct tb_str line, struct marker *marker) {
  while (line.len && (line.ptr[line.len - 1] == '\n' || line.ptr[line.len - 1] == '\0')) line.len--;
  if (line.len == 0 || !memchr("BEICSFNGH", line.ptr[0], 9)) return false;
  *marker = (struct marker){.phase = line.ptr[0]};
  if (line.len == 1) return marker->phase == 'E';
  if (line.ptr[1] != '|') return false;
  struct tb_str rest = {line.ptr + 2, line.len - 2};
  const char *bar = rest.len ? memchr(rest.ptr, '|', rest.len) : NULL;
  struct tb_str pid = {rest.ptr, bar ? (size_t)(bar - rest.ptr) : rest.len};
  marker->has_pid = read_number(pid, &marker->pid);
  if (!marker->has_pid && pid.len) return false;
  if (bar) cut(marker, (struct tb_str){bar + 1, rest.len - pid.len - 1});
  return marker->phase == 'E' || marker->count > 0;
}

static struct tb_event *emit(struct tb_perfetto_reader *r, enum tb_event_type type, char phase, int64_t ts,
                             struct tb_perfetto_track *track, struct tb_str name) {
  tb_perfetto_emit_track(r, track);
  struct tb_event *event = tb_perfetto_emit(r, type);
  event->has = TB_HAS_TS | (name.ptr ? TB_HAS_NAME : 0u);
  event->ts = ts;
  event->track = &track->track;
  event->phase = phase;
  event->name = name;
  return event;
}

/* Counters and async slices belong to the process. */
static void emit_counter(struct tb_perfetto_reader *r, const struct marker *marker, int64_t ts) {
  int64_t value;
  struct tb_perfetto_track *process = tb_perfetto_process(r, marker->pid);
  if (!process || marker->count < 2 || !read_number(marker->parts[1], &value)) return;
  struct tb_perfetto_track *counter = tb_tracks_named_counter(&r->tracks, process, marker->parts[0]);
  struct tb_arg *arg = tb_perfetto_alloc(r, sizeof(*arg));
  if (!counter || !arg) {
    r->out_of_memory = true;
    return;
  }
  *arg = (struct tb_arg){.type = TB_ARG_INT, .i = value, .span = 1};
  struct tb_event *event = emit(r, TB_EVENT_COUNTER, 'C', ts, counter, (struct tb_str){NULL, 0});
  event->has |= TB_HAS_ARGS;
  event->args = arg;
  event->arg_count = 1;
}

/* What a thread did on a CPU: bundles are of one CPU each, so that a thread's events come in no order of time. */
static struct tb_event *emit_on_cpu(struct tb_perfetto_reader *r, enum tb_event_type type, char phase, int64_t ts,
                                    uint32_t cpu, struct tb_perfetto_track *thread, struct tb_str name) {
  struct tb_event *event = emit(r, type, phase, ts, thread, name);
  event->has |= TB_HAS_CPU;
  event->cpu = cpu;
  return event;
}

static void set_category(struct tb_event *event, struct tb_str category) {
  if (!category.len) return;
  event->categories = category;
  event->has |= TB_HAS_CATEGORIES;
}

bool tb_perfetto_emit_cpu_slice(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, struct tb_str kind,
                                const struct tb_ftrace_mark *mark) {
  struct tb_perfetto_track *processor = tb_perfetto_processor_track(r, cpu);
  struct tb_perfetto_track *track = processor ? tb_tracks_named_custom(&r->tracks, processor, kind) : NULL;
  char *kept = tb_perfetto_alloc(r, mark->name.len + 1);
  if (!track || !kept) {
    r->out_of_memory = true;
    return true;
  }
  if (mark->name.len) memcpy(kept, mark->name.ptr, mark->name.len);
  struct tb_str name = {mark->name.len ? kept : NULL, mark->name.len};
  enum tb_event_type type = mark->phase == 'B' ? TB_EVENT_SLICE_BEGIN : TB_EVENT_SLICE_END;
  set_category(emit_on_cpu(r, type, mark->phase, ts, cpu, track, name), mark->category);
  return true;
}

/* N is on a named track of the process. */
static void emit_process_instant(struct tb_perfetto_reader *r, const struct marker *marker, int64_t ts,
                                 struct tb_perfetto_track *thread) {
  struct tb_perfetto_track *process = marker->has_pid ? tb_perfetto_process(r, marker->pid) : thread;
  if (!process || marker->count < 2) return;
  struct tb_perfetto_track *track = tb_tracks_named_custom(&r->tracks, process, marker->parts[0]);
  if (!track) {
    r->out_of_memory = true;
    return;
  }
  tb_perfetto_emit_track(r, thread);
  struct tb_event *event = emit(r, TB_EVENT_INSTANT, 'n', ts, track, marker->parts[1]);
  event->thread = &thread->track;
}

static void emit_async(struct tb_perfetto_reader *r, bool begins, int64_t ts, struct tb_perfetto_track *track,
                       struct tb_str name, struct tb_str scope, int64_t cookie) {
  struct tb_event *event =
      emit(r, begins ? TB_EVENT_ASYNC_BEGIN : TB_EVENT_ASYNC_END, begins ? 'b' : 'e', ts, track, name);
  event->id = (struct tb_id){.kind = TB_ID_LOCAL, .is_number = true, .value = (uint64_t)cookie};
  event->scope = scope;
  event->has |= TB_HAS_SCOPE;
}

/* S and F go by name and cookie; G and H by track and cookie, and H has no name. */
static void emit_async_marker(struct tb_perfetto_reader *r, const struct marker *marker, int64_t ts,
                              struct tb_perfetto_track *thread) {
  bool begins = marker->phase == 'S' || marker->phase == 'G';
  bool on_track = marker->phase == 'G' || marker->phase == 'H';
  int64_t cookie = 0;
  if (marker->count > 1) (void)read_number(marker->parts[marker->count - 1], &cookie);
  struct tb_str name = on_track ? (struct tb_str){NULL, 0} : marker->parts[0];
  if (marker->phase == 'G') name = marker->parts[1];
  emit_async(r, begins, ts, thread, name, on_track ? marker->parts[0] : name, cookie);
}

void tb_perfetto_emit_mark(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid,
                           const struct tb_ftrace_mark *mark) {
  bool is_async = mark->phase == 'S' || mark->phase == 'F', begins = mark->phase == 'S' || mark->phase == 'B';
  const int64_t *pid = mark->pid ? &mark->pid : NULL;
  struct tb_perfetto_track *track = is_async ? tb_perfetto_system_track(r) : tb_perfetto_thread(r, pid, tid);
  char *kept = tb_perfetto_alloc(r, mark->name.len + 1);
  if (!track || !kept) {
    r->out_of_memory = true;
    return;
  }
  if (mark->name.len) memcpy(kept, mark->name.ptr, mark->name.len);
  struct tb_str name = {kept, mark->name.len};
  if (is_async)
    emit_async(r, begins, ts, track, name, name, mark->value);
  else if (begins)
    set_category(emit_on_cpu(r, TB_EVENT_SLICE_BEGIN, 'B', ts, cpu, track, name), mark->category);
  else if (mark->phase == 'I')
    emit_on_cpu(r, TB_EVENT_INSTANT, 'i', ts, cpu, track, name)->instant_scope = 't';
  else
    emit_on_cpu(r, TB_EVENT_SLICE_END, 'E', ts, cpu, track, (struct tb_str){NULL, 0});
}

struct tb_perfetto_track *tb_perfetto_marker_thread(struct tb_perfetto_reader *r, int64_t tid, struct tb_str line) {
  struct marker marker;
  bool joins = read_marker(line, &marker) && marker.pid && memchr("BEI", marker.phase, 3);
  return tb_perfetto_thread(r, joins ? &marker.pid : NULL, tid);
}

bool tb_perfetto_emit_marker(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, struct tb_str line) {
  struct marker marker;
  if (!read_marker(line, &marker)) return false;
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, marker.has_pid && marker.pid ? &marker.pid : NULL, tid);
  if (!thread) return true;
  switch (marker.phase) {
    case 'B':
      emit_on_cpu(r, TB_EVENT_SLICE_BEGIN, 'B', ts, cpu, thread, marker.parts[0]);
      break;
    case 'E':
      emit_on_cpu(r, TB_EVENT_SLICE_END, 'E', ts, cpu, thread, (struct tb_str){NULL, 0});
      break;
    case 'I':
      emit_on_cpu(r, TB_EVENT_INSTANT, 'i', ts, cpu, thread, marker.parts[0])->instant_scope = 't';
      break;
    case 'N':
      emit_process_instant(r, &marker, ts, thread);
      break;
    case 'C':
      emit_counter(r, &marker, ts);
      break;
    default:
      emit_async_marker(r, &marker, ts, thread);
  }
  return true;
}
