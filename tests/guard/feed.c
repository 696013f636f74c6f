/* SPDX-License-Identifier: Apache-2.0
 *
 * guard_feed INPUT OUTPUT FORMAT BYTES: converts as `tracebridge convert -q -j1` does, but feeds the reader BYTES at a
 * time. The exit status and the output are to be the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "convert/convert.h"
#include "model/reader_ops.h"
#include "model/writer_ops.h"

enum { MAX_PIECE = 1 << 16 };

struct feeding {
  FILE *file;
  size_t piece;
  struct tb_reader *reader;
};

static enum tb_status feed_more(struct feeding *f) {
  static char bytes[MAX_PIECE];
  size_t got = fread(bytes, 1, f->piece, f->file);
  if (got == 0) {
    tb_reader_feed_end(f->reader);
    return ferror(f->file) ? TB_IO : TB_OK;
  }
  return tb_reader_feed(f->reader, bytes, got);
}

static enum tb_status pump(struct feeding *f, struct tb_writer *writer) {
  enum tb_status status = TB_OK;
  while (status == TB_OK || status == TB_AGAIN) {
    const struct tb_event *event;
    status = tb_reader_next(f->reader, &event);
    if (status == TB_OK) status = tb_writer_take(writer, event); /* as the program */
    if (status == TB_AGAIN) status = feed_more(f);
  }
  return status == TB_END ? tb_writer_finish(writer) : status;
}

static enum tb_status convert(struct feeding *f, const char *to, enum tb_format format) {
  const struct tb_convert_options options = {.size = sizeof(options), .threads = 1};
  struct tb_writer_options target = {.size = sizeof(target), .format = format, .threads = 1};
  enum tb_status status;
  while ((status = tb_reader_find_format(f->reader)) == TB_AGAIN && (status = feed_more(f)) == TB_OK) continue;
  if (status != TB_OK) return status;
  target.source = tb_reader_format(f->reader);
  struct tb_writer *writer;
  status = tb_writer_open(to, &target, &writer, NULL);
  if (status != TB_OK) return status;
  tb_convert_set_up(f->reader, writer, &options);
  status = pump(f, writer);
  size_t lost_reading, lost_writing;
  (void)tb_reader_losses(f->reader, &lost_reading);
  (void)tb_writer_losses(writer, &lost_writing);
  tb_writer_close(writer);
  return status == TB_OK && (lost_reading || lost_writing) ? TB_PARTIAL : status;
}

static int exit_status(enum tb_status status) {
  return status == TB_OK ? 0 : status == TB_PARTIAL ? 4 : status == TB_IO || status == TB_NO_MEMORY ? 3 : 1;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fputs("usage: guard_feed INPUT OUTPUT FORMAT BYTES\n", stderr);
    return 2;
  }
  const struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE};
  struct feeding f = {.file = fopen(argv[1], "rb"), .piece = (size_t)strtoul(argv[4], NULL, 10)};
  if (!f.file || f.piece == 0 || f.piece > MAX_PIECE ||
      tb_reader_create_feed(argv[1], &options, &f.reader, NULL) != TB_OK)
    return 3;
  enum tb_status status = convert(&f, argv[2], tb_format_from_name(argv[3]));
  tb_reader_close(f.reader);
  fclose(f.file);
  return exit_status(status);
}
