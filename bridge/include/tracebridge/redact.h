/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace without its texts, for reports of defects: names, categories, arguments, paths, logs and ids that are text
 * become pseudonyms, the same one for the same text; what cannot be treated so is left out. Times, tracks, numbers and
 * how things belong together stay.
 *
 *     struct tb_redact_options options = {.size = sizeof(options), .key = "of this report"};
 *     struct tb_redact_report report = {.size = sizeof(report)};
 *     enum tb_status status = tb_redact("trace.json", "redacted.json", &options, &report, NULL);
 *     if (status == TB_OK) printf("%llu texts replaced\n", (unsigned long long)report.replaced);
 */
#ifndef TRACEBRIDGE_REDACT_H
#define TRACEBRIDGE_REDACT_H

#include "tracebridge/convert.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tb_redact_options {
  size_t size; /* sizeof */
  /* NULL: all defaults. Of the reader shape, slices, sorted and event_types are not asked; of the writer the format
   * UNKNOWN means: by the name of the output, else the input's */
  const struct tb_reader_options *reader;
  const struct tb_writer_options *writer;
  /* With the same key a text has the same pseudonym in every trace, and whoever knows it, or guesses it, can test
   * guesses of texts: it should be long and random. NULL: a key of this call's own, which nobody knows. An empty one is
   * TB_INVALID. */
  const char *key;
  const char *const *keep; /* globs (and `!` ones) of texts that stay as they are; none: no text does */
  size_t keep_count;
  bool no_args; /* leave arguments out, and members of JSON's events that are no format's own */
};

/* What was done. Zero-initialise, then set `size` to sizeof; tb_redact sets the members that it has room for, also when
 * it failed half-way. */
struct tb_redact_report {
  size_t size;
  uint64_t replaced, kept;   /* texts, each time that they came */
  uint64_t left_out;         /* events that are left out, each in the losses or in the notes */
  struct tb_loss losses[96]; /* of the reader, of what was traced and cannot be redacted, of the writer */
  size_t loss_count;
  /* what is left out of what the trace says of its recording, what no_args left out of events that stay, and what the
   * reader assumed; nothing of it is lost */
  struct tb_loss notes[8];
  size_t note_count;
};

/* Writes the trace `from` without its texts to `to` (paths, "-": standard input or output). TB_OK; TB_PARTIAL where
 * parts of it could not be read, redacted or written; else the code of *error, and no output is left. TB_REFUSED where
 * `to` is the file `from`. `options`, `report` and `error` may be NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_redact(const char *from, const char *to, const struct tb_redact_options *options,
                                              struct tb_redact_report *report, struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif
