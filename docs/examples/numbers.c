/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers: opens a trace of any format and prints, by name, how many slices there are, how long they last in all and
 * without those inside of them, and how many values each counter has; then how many flows join two slices.
 *
 *   cc numbers.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.json
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracebridge/reader.h>

/* What is known by a name. A reader's own copy of a name is the same one for equal texts. */
struct entry {
  struct tb_str name;
  bool is_counter;
  int64_t count, total_ns, self_ns;
  double sum;
};

/* A slice that is open. */
struct open {
  uint64_t id;
  int64_t since, inside_ns;
  struct tb_str name;
};

/* The slices that are open on a track, by its index. */
struct track {
  struct open *open;
  size_t count, capacity;
};

static struct entry *entries;
static size_t entry_count, entry_capacity;
static struct track *tracks;
static size_t track_count;
static uint64_t edges;

static void *grow(void *array, size_t *capacity, size_t needed, size_t item) {
  if (needed <= *capacity) return array;
  *capacity = needed > 2 * *capacity ? needed : 2 * *capacity;
  array = realloc(array, *capacity * item);
  if (!array) exit(1);
  return array;
}

static struct entry *entry_of(struct tb_reader *reader, struct tb_str name, bool is_counter) {
  if (tb_reader_intern(reader, name, &name) != TB_OK) exit(1);
  for (size_t i = 0; i < entry_count; i++)
    if (entries[i].name.ptr == name.ptr && entries[i].name.len == name.len && entries[i].is_counter == is_counter)
      return &entries[i];
  entries = grow(entries, &entry_capacity, entry_count + 1, sizeof(*entries));
  entries[entry_count] = (struct entry){.name = name, .is_counter = is_counter};
  return &entries[entry_count++];
}

static struct track *track_of(const struct tb_track *track) {
  size_t needed = (size_t)track->index + 1;
  if (needed > track_count) {
    tracks = realloc(tracks, needed * sizeof(*tracks));
    if (!tracks) exit(1);
    memset(tracks + track_count, 0, (needed - track_count) * sizeof(*tracks));
    track_count = needed;
  }
  return &tracks[track->index];
}

static void begin(struct tb_reader *reader, const struct tb_event *event) {
  struct track *track = track_of(event->track);
  track->open = grow(track->open, &track->capacity, track->count + 1, sizeof(*track->open));
  struct open *open = &track->open[track->count++];
  *open = (struct open){.id = event->slice_id, .since = event->ts};
  if (tb_reader_intern(reader, event->name, &open->name) != TB_OK) exit(1);
}

/* A slice may end before those that began in it: it is looked for by its id. */
static void end(struct tb_reader *reader, const struct tb_event *event) {
  struct track *track = track_of(event->track);
  size_t i = track->count;
  while (i > 0 && track->open[i - 1].id != event->slice_id) i--;
  if (i == 0) return;
  struct open open = track->open[i - 1];
  memmove(&track->open[i - 1], &track->open[i], (track->count - i) * sizeof(open));
  track->count--;
  int64_t lasts = event->ts - open.since;
  if (i > 1) track->open[i - 2].inside_ns += lasts;
  struct entry *entry = entry_of(reader, open.name, false);
  entry->count++;
  entry->total_ns += lasts;
  entry->self_ns += lasts - open.inside_ns;
}

static void take(struct tb_reader *reader, const struct tb_event *event) {
  if (event->type == TB_EVENT_SLICE_BEGIN) begin(reader, event);
  if (event->type == TB_EVENT_SLICE_END) end(reader, event);
  if (event->type == TB_EVENT_INSTANT) entry_of(reader, event->name, false)->count++; /* a slice of no length */
  if (event->type == TB_EVENT_FLOW_EDGE) edges++;
  if (event->type == TB_EVENT_COUNTER) {
    const struct tb_arg *value = event->args;
    struct entry *entry = entry_of(reader, event->track->name, true);
    entry->count++;
    entry->sum += value->type == TB_ARG_DOUBLE ? value->d
                  : value->type == TB_ARG_UINT ? (double)value->u
                                               : (double)value->i;
  }
}

static void print(void) {
  for (size_t i = 0; i < entry_count; i++) {
    const struct entry *e = &entries[i];
    if (e->is_counter)
      printf("counter\t%.*s\t%" PRId64 "\t%.17g\n", (int)e->name.len, e->name.ptr, e->count, e->sum);
    else
      printf("slice\t%.*s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", (int)e->name.len, e->name.ptr, e->count,
             e->total_ns, e->self_ns);
  }
  printf("flows\t%" PRIu64 "\n", edges);
}

int main(int argc, char **argv) {
  struct tb_reader_options options = {.size = sizeof(options), .sorted = true, .slices = TB_SLICES_BEGIN_END};
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  enum tb_status status;
  if (argc != 2) return 2;
  if (tb_reader_open(argv[1], &options, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    return 1;
  }
  while ((status = tb_reader_next(reader, &event)) == TB_OK) take(reader, event);
  if (status != TB_END) fprintf(stderr, "%s\n", tb_reader_error(reader)->message);
  print();
  for (size_t i = 0; i < track_count; i++) free(tracks[i].open);
  free(tracks);
  free(entries);
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
