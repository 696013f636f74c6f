/* SPDX-License-Identifier: Apache-2.0
 *
 * Trim: writes the slices, instants and counters of a trace that are in [FROM, TO) ns after its first event, of one
 * category where that is named. A slice is COMPLETE here, so that none loses its begin or its end.
 *
 *   cc trim.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.json part.perfetto-trace 0 1000000 net
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracebridge/reader.h>
#include <tracebridge/writer.h>

/* Whether the comma list has the category. */
static bool has_category(struct tb_str list, const char *category) {
  size_t len = strlen(category);
  for (size_t start = 0; start <= list.len;) {
    const char *at = list.len ? list.ptr + start : "";
    const char *comma = list.len > start ? memchr(at, ',', list.len - start) : NULL;
    size_t part = comma ? (size_t)(comma - at) : list.len - start;
    if (part == len && memcmp(at, category, len) == 0) return true;
    start += part + 1;
  }
  return false;
}

static enum tb_status trim(struct tb_reader *reader, struct tb_writer *writer, char **argv, int argc) {
  int64_t from = strtoll(argv[3], NULL, 10), to = strtoll(argv[4], NULL, 10), first = 0;
  bool has_first = false;
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) {
    bool has_time = event->has & TB_HAS_TS;
    if (has_time && !has_first) first = event->ts;
    has_first |= has_time;
    bool is_slice = event->type != TB_EVENT_COUNTER && event->type != TB_EVENT_TRACK;
    if (has_time && (event->ts - first < from || event->ts - first >= to)) continue;
    if (is_slice && argc == 6 && !has_category(event->categories, argv[5])) continue;
    status = tb_writer_put(writer, event);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? tb_writer_finish(writer) : status;
}

int main(int argc, char **argv) {
  struct tb_reader_options options = {.size = sizeof(options), .slices = TB_SLICES_COMPLETE, .sorted = true};
  options.event_types = 1u << TB_EVENT_SLICE_COMPLETE | 1u << TB_EVENT_SLICE_BEGIN | 1u << TB_EVENT_INSTANT |
                        1u << TB_EVENT_COUNTER | 1u << TB_EVENT_TRACK;
  struct tb_reader *reader;
  struct tb_writer *writer;
  struct tb_error error = {0};
  if (argc != 5 && argc != 6) return 2;
  if (tb_reader_open(argv[1], &options, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    return 1;
  }
  if (tb_writer_open(argv[2], NULL, &writer, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    tb_reader_close(reader);
    return 1;
  }
  enum tb_status status = trim(reader, writer, argv, argc);
  if (status != TB_OK) fprintf(stderr, "%s%s\n", tb_reader_error(reader)->message, tb_writer_error(writer)->message);
  tb_writer_close(writer);
  tb_reader_close(reader);
  return status == TB_OK ? 0 : 1;
}
