/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole conversions: a reader into a writer.
 *
 *     struct tb_convert_report report = {.size = sizeof(report)};
 *     struct tb_error error = {0};
 *     enum tb_status status = tb_convert("trace.json", "trace.perfetto-trace", NULL, &report, &error);
 *     if (status == TB_PARTIAL) printf("%zu reasons for losses\n", report.loss_count);
 *     if (status != TB_OK && status != TB_PARTIAL) puts(error.message);
 */
#ifndef TRACEBRIDGE_CONVERT_H
#define TRACEBRIDGE_CONVERT_H

#include "tracebridge/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tb_convert_options {
  size_t size; /* sizeof */
  /* NULL: all defaults; read during the call alone. Allocator and threads of the reader count where the writer's are
   * not set; `source` of the writer is not asked. */
  const struct tb_reader_options *reader;
  const struct tb_writer_options *writer;
  unsigned threads;     /* 0: as many as the machine has cores, at most 4; 1: one */
  tb_progress progress; /* NULL: none */
  void *progress_ctx;
  /* The same while a Perfetto trace is written, once all is read: bytes written so far, and an estimate of the total
   * from the events that are still staged. NULL: none. Called with progress_ctx. */
  tb_progress on_write_progress;
};

/* What a conversion did. Zero-initialise, then set `size` to sizeof; tb_convert sets the members that it has room for,
 * also when it failed half-way. */
struct tb_convert_report {
  size_t size;
  enum tb_format from, to;
  struct tb_writer_summary summary;
  uint64_t input_bytes;      /* as stored */
  struct tb_loss losses[96]; /* of the reader, then of the writer */
  size_t loss_count, reader_loss_count;
  struct tb_loss notes[8]; /* what the reader assumed where the source does not say it; nothing of it is lost */
  size_t note_count;
  char read_from[4096]; /* the input that was read, possibly cut: FILE/MEMBER where it is in an archive */
};

/* Converts `from` to `to` (paths, "-": standard input or output). Returns TB_OK when all was carried over; TB_PARTIAL
 * when the output is complete but something was lost (see *report); else the code of *error, and no output is left.
 * `options` may be NULL; report and error may be NULL. TB_REFUSED when `to` is the file `from`. */
TB_MUST_CHECK TB_API enum tb_status tb_convert(const char *from, const char *to,
                                               const struct tb_convert_options *options,
                                               struct tb_convert_report *report, struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif
