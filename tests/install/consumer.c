/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of somebody else's, built against the installed library: counts the slices of a trace.
 */
#include <stdio.h>
#include <tracebridge/convert.h>

int main(int argc, char **argv) {
  struct tb_reader *reader;
  struct tb_error error = {0};
  if (argc != 2) return 2;
  if (tb_reader_open(argv[1], NULL, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  const struct tb_event *event;
  unsigned long slices = 0;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if (event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_SLICE_COMPLETE) slices++;
  printf("%s: %lu slices\n", tb_format_name(tb_reader_format(reader)), slices);
  tb_reader_close(reader);
  return status == TB_END ? 0 : 1;
}
