/* SPDX-License-Identifier: Apache-2.0
 *
 * Running: prints how often each thread was on a CPU and how long in all, of traces that record scheduling.
 *
 *   cc running.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.perfetto-trace
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracebridge/reader.h>

struct thread {
  bool runs;
  int64_t since, running_ns;
  uint64_t times;
};

static struct thread *threads; /* by the index of the track: an idle thread has one for each CPU */
static size_t thread_count;

static struct thread *thread_of(const struct tb_track *track) {
  if (track->index >= thread_count) {
    threads = realloc(threads, ((size_t)track->index + 1) * sizeof(*threads));
    if (!threads) exit(1);
    while (thread_count <= track->index) threads[thread_count++] = (struct thread){0};
  }
  return &threads[track->index];
}

/* A state holds until the thread's next one. */
static void take(const struct tb_event *event) {
  struct thread *thread = thread_of(event->track);
  bool waking = event->task_state == TB_TASK_RUNNABLE && !(event->has & TB_HAS_CPU);
  if (waking && thread->runs) return; /* woken while it runs: it goes on */
  if (thread->runs) {
    thread->running_ns += event->ts - thread->since;
    thread->times++;
  }
  thread->runs = event->task_state == TB_TASK_RUNNING;
  thread->since = event->ts;
}

int main(int argc, char **argv) {
  struct tb_reader_options options = {
      .size = sizeof(options), .sorted = true, .event_types = 1u << TB_EVENT_THREAD_STATE};
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  const struct tb_track *track = NULL;
  enum tb_status status;
  if (argc != 2) return 2;
  if (tb_reader_open(argv[1], &options, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    return 1;
  }
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if (event->track) take(event);
  if (status != TB_END) fprintf(stderr, "%s\n", tb_reader_error(reader)->message);
  while ((track = tb_reader_next_track(reader, track, TB_TRACK_THREAD))) {
    const struct thread *t = track->index < thread_count ? &threads[track->index] : NULL;
    if (!t || !t->times) continue;
    printf("%" PRId64 "\t%.*s\t%" PRIu64 "\t%" PRId64 "\n", track->tid, (int)track->name.len,
           track->name.len ? track->name.ptr : "", t->times, t->running_ns);
  }
  free(threads);
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
