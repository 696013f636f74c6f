/* SPDX-License-Identifier: Apache-2.0
 *
 * Pull: opens a trace of any format and prints how long the slices of each thread last in all.
 *
 *   cc pull.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.perfetto-trace
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracebridge/reader.h>

/* State of one's own for the reader's tracks, in an array by their index. */
struct thread {
  const struct tb_track *track;
  int64_t busy_ns, since;
  unsigned depth;
};

static struct thread *threads;
static uint32_t thread_count;

static struct thread *thread_of(const struct tb_track *track) {
  if (track->index >= thread_count) {
    threads = realloc(threads, (track->index + 1) * sizeof(*threads));
    if (!threads) exit(1);
    for (; thread_count <= track->index; thread_count++) threads[thread_count] = (struct thread){0};
  }
  threads[track->index].track = track;
  return &threads[track->index];
}

static void take(const struct tb_event *event) {
  if (!event->track || event->track->type != TB_TRACK_THREAD) return;
  struct thread *thread = thread_of(event->track);
  if (event->type == TB_EVENT_SLICE_BEGIN && thread->depth++ == 0) thread->since = event->ts;
  if (event->type == TB_EVENT_SLICE_END && thread->depth > 0 && --thread->depth == 0)
    thread->busy_ns += event->ts - thread->since;
}

static void print_threads(void) {
  for (uint32_t i = 0; i < thread_count; i++) {
    const struct tb_track *track = threads[i].track;
    if (!track || !threads[i].busy_ns) continue;
    printf("%" PRId64 "/%" PRId64 " %.*s: %" PRId64 " ns\n", track->pid, track->tid, (int)track->name.len,
           track->name.ptr ? track->name.ptr : "", threads[i].busy_ns);
  }
}

int main(int argc, char **argv) {
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  enum tb_status status;
  /* traces have their events in any order, and slices in several forms */
  struct tb_reader_options options = {.size = sizeof(options), .sorted = true, .slices = TB_SLICES_BEGIN_END};
  if (argc != 2) return 2;
  if (tb_reader_open(argv[1], &options, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    return 1;
  }
  while ((status = tb_reader_next(reader, &event)) == TB_OK) take(event);
  if (status != TB_END) fprintf(stderr, "%s\n", tb_reader_error(reader)->message);
  print_threads(); /* tracks stay as long as the reader */
  free(threads);
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
