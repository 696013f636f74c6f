/* SPDX-License-Identifier: Apache-2.0
 *
 * Ftrace for targets that have it as text: a line for each event.
 */
#include "perfetto/perfetto_reader_kernel.h"

/* Starts a line of what `thread` did. */
static void begin_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, struct tb_perfetto_track *thread) {
  const struct tb_track *track = &thread->track;
  struct tb_ftrace_line line = {
      .task = track->name, .tid = track->tid, .tgid = track->pid, .has_tgid = track->has_pid, .cpu = cpu, .ts = ts};
  /* lines name threads themselves; JSON's metadata says of one without a process that it is of process 0 */
  if (track->has_pid) tb_perfetto_tell_track(r, thread);
  r->line.buffer.len = 0;
  tb_ftrace_put_line_head(&r->line, &line);
}

static void end_line(struct tb_perfetto_reader *r, int64_t ts) {
  TB_JSON_EMIT(&r->line, "\n");
  char *text = r->line.status == TB_OK ? tb_perfetto_alloc(r, r->line.buffer.len) : NULL;
  if (!text) {
    r->out_of_memory = true;
    return;
  }
  memcpy(text, r->line.buffer.data, r->line.buffer.len);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_SYSTEM_TRACE);
  event->has = TB_HAS_TS;
  event->ts = ts;
  event->blob = (struct tb_slice){text, r->line.buffer.len};
}

/* The thread of a state, with the name that the kernel gives it where it has none. */
static struct tb_perfetto_track *named_thread(struct tb_perfetto_reader *r, int64_t tid, struct tb_slice comm) {
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, NULL, tid);
  if (!thread || !tid || thread->track.name.len || !comm.len) return thread; /* 0 is every CPU's idle thread */
  if (tb_tracks_set_name(&r->tracks, thread, comm) != TB_OK) r->out_of_memory = true;
  return thread;
}

void tb_perfetto_emit_switch_line(struct tb_perfetto_reader *r, const struct tb_kernel_state *prev, int64_t bits,
                                  const struct tb_kernel_state *next) {
  bool known = prev->tid >= 0;
  struct tb_ftrace_switch change = {.prev_comm = known ? prev->comm : TB_SLICE("swapper"),
                                    .prev_tid = known ? prev->tid : 0,
                                    .prev_priority = prev->priority,
                                    .prev_state = known ? bits : 0,
                                    .next_comm = next->comm,
                                    .next_tid = next->tid,
                                    .next_priority = next->priority};
  struct tb_perfetto_track *thread = named_thread(r, change.prev_tid, change.prev_comm);
  if (!thread || !named_thread(r, next->tid, next->comm)) return;
  begin_line(r, next->ts, next->cpu, thread);
  tb_ftrace_put_switch(&r->line, &change, r->ftrace_states);
  end_line(r, next->ts);
}

void tb_perfetto_emit_waking_line(struct tb_perfetto_reader *r, uint32_t cpu, int64_t waker,
                                  const struct tb_kernel_state *woken, int32_t target_cpu) {
  struct tb_ftrace_waking waking = {woken->comm, woken->tid, woken->priority, target_cpu};
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, NULL, waker < 0 ? 0 : waker);
  if (!thread || !named_thread(r, woken->tid, woken->comm)) return;
  begin_line(r, woken->ts, cpu, thread);
  tb_ftrace_put_waking(&r->line, &waking);
  end_line(r, woken->ts);
}

void tb_perfetto_emit_mark_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid,
                                struct tb_slice text) {
  struct tb_perfetto_track *thread = tb_perfetto_marker_thread(r, tid, text);
  if (!thread) return;
  while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\0')) text.len--;
  begin_line(r, ts, cpu, thread);
  tb_ftrace_put_mark(&r->line, text);
  end_line(r, ts);
}

bool tb_perfetto_emit_event_line(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                                 struct tb_slice payload) {
  struct tb_perfetto_track *thread = tb_perfetto_thread(r, NULL, tid);
  if (!thread) return true;
  begin_line(r, ts, cpu, thread);
  if (!tb_ftrace_put_event(&r->line, kind, payload)) return false;
  end_line(r, ts);
  return true;
}
