/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows: prints from which slice to which each flow goes, and how long that takes: the same for all formats.
 *
 *   cc flow_edges.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.json
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracebridge/reader.h>

struct slice {
  struct tb_str name;
  int64_t ts;
};

static struct slice *slices; /* by slice_id, which counts from 1 */
static size_t slice_count, slice_capacity;

static void keep(struct tb_reader *reader, const struct tb_event *event) {
  if (event->slice_id >= slice_capacity) {
    slice_capacity = 2 * (size_t)event->slice_id + 64;
    slices = realloc(slices, slice_capacity * sizeof(*slices));
    if (!slices) exit(1);
  }
  while (slice_count <= event->slice_id) slices[slice_count++] = (struct slice){.ts = 0};
  slices[event->slice_id].ts = event->ts;
  if (tb_reader_intern(reader, event->name, &slices[event->slice_id].name) != TB_OK) exit(1);
}

static void print(const struct tb_event *edge) {
  if (edge->flow_from >= slice_count || edge->slice_id >= slice_count) return; /* of a slice that comes later */
  const struct slice *from = &slices[edge->flow_from], *to = &slices[edge->slice_id];
  printf("%.*s\t%.*s\t%" PRId64 "\n", (int)from->name.len, from->name.len ? from->name.ptr : "", (int)to->name.len,
         to->name.len ? to->name.ptr : "", edge->ts - from->ts);
}

int main(int argc, char **argv) {
  struct tb_reader_options options = {.size = sizeof(options), .sorted = true};
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  enum tb_status status;
  if (argc != 2) return 2;
  if (tb_reader_open(argv[1], &options, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    return 1;
  }
  /* instants are slices too, without a length; an END has the id of a slice that is known already */
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if (event->type == TB_EVENT_FLOW_EDGE)
      print(event);
    else if (event->slice_id && event->type != TB_EVENT_SLICE_END)
      keep(reader, event);
  if (status != TB_END) fprintf(stderr, "%s\n", tb_reader_error(reader)->message);
  free(slices);
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
