/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters: prints of each counter of a trace how many values it has, and the least, the greatest, their mean and
 * their sum.
 *
 *   cc counters.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.json
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracebridge/reader.h>

struct counter {
  uint64_t count;
  double least, greatest, sum;
};

static struct counter *counters; /* by the index of the track */
static size_t counter_count;

static struct counter *counter_of(const struct tb_track *track) {
  if (track->index >= counter_count) {
    counters = realloc(counters, ((size_t)track->index + 1) * sizeof(*counters));
    if (!counters) exit(1);
    while (counter_count <= track->index) counters[counter_count++] = (struct counter){0};
  }
  return &counters[track->index];
}

/* A counter's event has one argument, a number of one of three types. */
static double value_of(const struct tb_event *event) {
  const struct tb_arg *value = event->args;
  if (value->type == TB_ARG_DOUBLE) return value->d;
  return value->type == TB_ARG_UINT ? (double)value->u : (double)value->i;
}

static void take(const struct tb_event *event) {
  struct counter *counter = counter_of(event->track);
  double value = value_of(event);
  if (!counter->count || value < counter->least) counter->least = value;
  if (!counter->count || value > counter->greatest) counter->greatest = value;
  counter->sum += value;
  counter->count++;
}

int main(int argc, char **argv) {
  struct tb_reader_options options = {.size = sizeof(options), .event_types = 1u << TB_EVENT_COUNTER};
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
  while ((status = tb_reader_next(reader, &event)) == TB_OK) take(event);
  if (status != TB_END) fprintf(stderr, "%s\n", tb_reader_error(reader)->message);
  while ((track = tb_reader_next_track(reader, track, TB_TRACK_COUNTER))) {
    const struct counter *c = track->index < counter_count ? &counters[track->index] : NULL;
    if (!c || !c->count) continue;
    printf("%.*s\t%" PRIu64 "\t%.17g\t%.17g\t%.17g\t%.17g\n", (int)track->name.len,
           track->name.len ? track->name.ptr : "", c->count, c->least, c->greatest, c->sum / (double)c->count, c->sum);
  }
  free(counters);
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
