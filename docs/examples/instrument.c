/* SPDX-License-Identifier: Apache-2.0
 *
 * Instrument: a program that writes a trace of itself: slices, a counter, an instant, and a flow from one thread to
 * another.
 *
 *   cc instrument.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.perfetto-trace
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <tracebridge/writer.h>

static struct tb_writer *writer;

static struct tb_str text(const char *literal, size_t len) { return (struct tb_str){literal, len}; }
#define TEXT(literal) text(literal, sizeof(literal) - 1)

static int64_t now(void) {
  struct timespec t;
  if (!timespec_get(&t, TIME_UTC)) exit(1);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Events may come in any order of time; the writer sorts them where its format demands it. */
static void put(struct tb_event event) {
  event.has |= TB_HAS_TS;
  if (!event.ts) event.ts = now();
  if (tb_writer_put(writer, &event) == TB_OK) return;
  fprintf(stderr, "%s\n", tb_writer_error(writer)->message);
  exit(1);
}

static void begin(const struct tb_track *track, struct tb_str name, const uint64_t *flow) {
  put((struct tb_event){.type = TB_EVENT_SLICE_BEGIN,
                        .has = TB_HAS_NAME,
                        .track = track,
                        .name = name,
                        .flow_ids = flow,
                        .flow_count = flow ? 1 : 0});
}

static void end(const struct tb_track *track) { put((struct tb_event){.type = TB_EVENT_SLICE_END, .track = track}); }

static void work(const struct tb_track *loop, const struct tb_track *worker, const struct tb_track *queue) {
  for (int i = 1; i <= 3; i++) {
    const uint64_t flow = (uint64_t)i;
    struct tb_arg step = {.name = TEXT("step"), .i = i, .span = 1, .type = TB_ARG_INT};
    struct tb_arg length = {.i = 3 - i, .span = 1, .type = TB_ARG_INT}; /* a counter's value has no name */
    begin(loop, TEXT("submit"), &flow);
    end(loop);
    put((struct tb_event){
        .type = TB_EVENT_COUNTER, .has = TB_HAS_ARGS, .track = queue, .args = &length, .arg_count = 1});
    begin(worker, TEXT("work"), &flow);
    put((struct tb_event){.type = TB_EVENT_INSTANT,
                          .has = TB_HAS_NAME | TB_HAS_ARGS,
                          .track = worker,
                          .name = TEXT("half"),
                          .args = &step,
                          .arg_count = 1});
    end(worker);
  }
}

int main(int argc, char **argv) {
  struct tb_error error = {0};
  struct tb_writer_options options = {.size = sizeof(options), .clock = TB_CLOCK_REALTIME};
  if (argc != 2) return 2;
  if (tb_writer_open(argv[1], &options, &writer, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    return 1;
  }
  /* a track is known by its index; what it says is copied with the first event on it */
  struct tb_track process = {.index = 0, .type = TB_TRACK_PROCESS, .has_pid = true, .pid = 100, .name = TEXT("server")};
  struct tb_track loop = {.index = 1,
                          .type = TB_TRACK_THREAD,
                          .parent = &process,
                          .has_pid = true,
                          .pid = 100,
                          .has_tid = true,
                          .tid = 100,
                          .name = TEXT("loop")};
  struct tb_track worker = loop;
  worker.index = 2;
  worker.tid = 101;
  worker.name = TEXT("worker");
  struct tb_track queue = {.index = 3, .type = TB_TRACK_COUNTER, .parent = &process, .name = TEXT("queue")};
  work(&loop, &worker, &queue);
  enum tb_status status = tb_writer_finish(writer); /* only now is there a file of that name */
  if (status != TB_OK) fprintf(stderr, "%s\n", tb_writer_error(writer)->message);
  tb_writer_close(writer);
  return status == TB_OK ? 0 : 1;
}
