/* SPDX-License-Identifier: Apache-2.0
 *
 * Copy: reads a trace of any format event by event, and writes each event as it is, or as another format has it.
 *
 *   cc copy.c $(pkg-config --cflags --libs tracebridge) && ./a.out trace.perfetto-trace copy.perfetto-trace
 */
#include <stdio.h>

#include <tracebridge/reader.h>
#include <tracebridge/writer.h>

static enum tb_status copy(struct tb_reader *reader, struct tb_writer *writer) {
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if ((status = tb_writer_put(writer, event)) != TB_OK) return status;
  return status == TB_END ? tb_writer_finish(writer) : status;
}

static void print_losses(const char *of, const struct tb_loss *losses, size_t count) {
  for (size_t i = 0; i < count; i++)
    fprintf(stderr, "%s: %llu: %s\n", of, (unsigned long long)losses[i].count, losses[i].reason);
}

int main(int argc, char **argv) {
  struct tb_reader *reader;
  struct tb_writer *writer;
  struct tb_error error = {0};
  /* the source's own shape goes back to its format unchanged, and to another one as tb_convert writes it */
  const struct tb_reader_options as_it_is = {.size = sizeof(as_it_is), .shape = TB_SHAPE_SOURCE};
  if (argc != 3) return 2;
  if (tb_reader_open(argv[1], &as_it_is, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    return 1;
  }
  struct tb_writer_options options = {.size = sizeof(options), .source = tb_reader_format(reader)};
  if (tb_writer_open(argv[2], &options, &writer, &error) != TB_OK) {
    fprintf(stderr, "%s: %s\n", error.file, error.message);
    tb_reader_close(reader);
    return 1;
  }
  enum tb_status status = tb_reader_set_target(reader, writer);
  if (status == TB_OK) status = copy(reader, writer);
  if (status != TB_OK) fprintf(stderr, "%s%s\n", tb_reader_error(reader)->message, tb_writer_error(writer)->message);
  size_t not_read, not_written;
  const struct tb_loss *losses = tb_reader_losses(reader, &not_read);
  print_losses("not read", losses, not_read);
  losses = tb_writer_losses(writer, &not_written);
  print_losses("not written", losses, not_written);
  tb_writer_close(writer);
  tb_reader_close(reader);
  return status == TB_OK ? 0 : 1;
}
