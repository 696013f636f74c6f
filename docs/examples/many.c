/* SPDX-License-Identifier: Apache-2.0
 *
 * Many: reads each of many traces in a thread of its own and prints how many events it has. Readers share nothing; one
 * reader is used by one thread at a time.
 *
 *   cc many.c -pthread $(pkg-config --cflags --libs tracebridge) && ./a.out *.json
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracebridge/reader.h>

enum { BATCH = 256 };

struct job {
  const char *path;
  pthread_t thread;
  uint64_t events;
  enum tb_status status;
  struct tb_error error;
};

static void *read_one(void *arg) {
  struct job *job = arg;
  struct tb_reader *reader;
  const struct tb_event *events[BATCH];
  size_t count;
  job->status = tb_reader_open(job->path, NULL, &reader, &job->error);
  if (job->status != TB_OK) return NULL;
  while ((job->status = tb_reader_next_batch(reader, events, BATCH, &count)) == TB_OK) job->events += count;
  if (job->status != TB_END) job->error = *tb_reader_error(reader);
  tb_reader_close(reader);
  return NULL;
}

int main(int argc, char **argv) {
  size_t count = argc > 1 ? (size_t)argc - 1 : 0;
  struct job *jobs = calloc(count + 1, sizeof(*jobs));
  int failed = 0;
  if (!jobs) return 1;
  for (size_t i = 0; i < count; i++) {
    jobs[i].path = argv[i + 1];
    if (pthread_create(&jobs[i].thread, NULL, read_one, &jobs[i]) != 0) exit(1);
  }
  for (size_t i = 0; i < count; i++) {
    if (pthread_join(jobs[i].thread, NULL) != 0) exit(1);
    failed |= jobs[i].status != TB_END;
    if (jobs[i].status == TB_END)
      printf("%s\t%" PRIu64 "\n", jobs[i].path, jobs[i].events);
    else
      printf("%s\t%s\n", jobs[i].path, jobs[i].error.message);
  }
  free(jobs);
  return failed;
}
