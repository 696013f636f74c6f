/* SPDX-License-Identifier: Apache-2.0
 *
 * Self time: opens a trace of any format and prints, by name, how many slices there are, how long they last in all, and
 * how long without the slices inside of them.
 *
 *   cc self_time.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.json
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracebridge/reader.h>

/* What is known by a name. tb_reader_intern gives the same pointer for equal texts. */
struct entry {
  struct tb_str name;
  int64_t count, total_ns, self_ns;
};

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

static void *grow(void *array, size_t *capacity, size_t needed, size_t item) {
  if (needed <= *capacity) return array;
  *capacity = needed > 2 * *capacity ? needed : 2 * *capacity;
  array = realloc(array, *capacity * item);
  if (!array) exit(1);
  return array;
}

/* A real program has a hash table here. */
static struct entry *entry_of(struct tb_str name) {
  for (size_t i = 0; i < entry_count; i++)
    if (entries[i].name.ptr == name.ptr && entries[i].name.len == name.len) return &entries[i];
  entries = grow(entries, &entry_capacity, entry_count + 1, sizeof(*entries));
  entries[entry_count] = (struct entry){.name = name};
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
static void end(const struct tb_event *event) {
  struct track *track = track_of(event->track);
  size_t i = track->count;
  while (i > 0 && track->open[i - 1].id != event->slice_id) i--;
  if (i == 0) return;
  struct open open = track->open[i - 1];
  memmove(&track->open[i - 1], &track->open[i], (track->count - i) * sizeof(open));
  track->count--;
  int64_t lasts = event->ts - open.since;
  if (i > 1) track->open[i - 2].inside_ns += lasts;
  struct entry *entry = entry_of(open.name);
  entry->count++;
  entry->total_ns += lasts;
  entry->self_ns += lasts - open.inside_ns;
}

/* An instant is a slice of no length. */
static void instant(struct tb_reader *reader, const struct tb_event *event) {
  struct tb_str name;
  if (tb_reader_intern(reader, event->name, &name) != TB_OK) exit(1);
  entry_of(name)->count++;
}

static void take(struct tb_reader *reader, const struct tb_event *event) {
  if (event->type == TB_EVENT_SLICE_BEGIN) begin(reader, event);
  if (event->type == TB_EVENT_SLICE_END) end(event);
  if (event->type == TB_EVENT_INSTANT) instant(reader, event);
}

int main(int argc, char **argv) {
  /* BEGIN and END, in the order of time: a stack of each track is enough then */
  struct tb_reader_options options = {
      .size = sizeof(options),
      .slices = TB_SLICES_BEGIN_END,
      .sorted = true,
      .event_types = 1u << TB_EVENT_SLICE_BEGIN | 1u << TB_EVENT_SLICE_END | 1u << TB_EVENT_INSTANT};
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
  for (size_t i = 0; i < entry_count; i++)
    printf("%.*s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", (int)entries[i].name.len, entries[i].name.ptr,
           entries[i].count, entries[i].total_ns, entries[i].self_ns);
  for (size_t i = 0; i < track_count; i++) free(tracks[i].open);
  free(tracks);
  free(entries);
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
