/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace as text, in full, as it streams by.
 *
 *     struct tb_error error = {0};
 *     bool print(void *file, const char *text, size_t len); // fwrite(text, 1, len, file) == len
 *     if (tb_dump("trace.json", NULL, print, stdout, NULL, NULL, &error) != TB_OK) puts(error.message);
 */
#ifndef TRACEBRIDGE_DUMP_H
#define TRACEBRIDGE_DUMP_H

#include "tracebridge/info.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise, then set `size` to sizeof. */
struct tb_dump_options {
  size_t size;
  const struct tb_reader_options *reader; /* NULL: all defaults */
  bool resolve;                           /* Perfetto: comments say where a packet was and what ids mean */
  bool events;                            /* Perfetto, FXT: events, as for JSON, instead of packets and records */
  /* What to write alone: packets, records or events of these kinds (names separated by commas; NULL: all), of that
   * sequence (0: all; not of records), and with a time from `after` to `before` on the trace's clock (not of records).
   * Where both are 0, and has_times is false, times do not count; else what has no time is left out. */
  const char *kinds;
  uint32_t sequence;
  int64_t after, before;
  bool has_times;
  /* NULL, or called at the end, with the sink's ctx, for each of the first 64 kinds that nothing in the trace is of. */
  void (*missing_kind)(void *ctx, const char *kind, size_t len);
};

/* Writes the trace `path` ("-": standard input) to `sink`.
 *
 * Perfetto: each packet in protobuf's text format, as a field `packet` of perfetto.protos.Trace, so that `protoc
 * --encode` with the project's protos makes the packets again. Fields come in the order of the bytes; what the schema
 * does not know, or has no form for, comes by field number, as `protoc --decode` shows it (and protoc cannot encode).
 * Comments that begin with #= say what else is needed to make the same bytes: read as TB_FORMAT_TEXT, by tb_convert for
 * one, the text is the packets again, byte for byte. Compressed packets come decompressed. FXT: each record on a
 * line: byte offset, kind, `key=value` for its parts, arguments as `type:"name"=value`, references as #INDEX with what
 * they mean in parentheses; what cannot be read as `words` and its words. JSON: each
 * event on a line: byte offset, kind, time in ns, process and thread, and `key=value` for what else it has, values as
 * JSON.
 *
 * TB_OK; TB_PARTIAL: all was written that could be read, but the trace has losses, which are in
 * losses[0..*loss_count) (room for TB_DUMP_LOSSES; may be NULL); TB_CANCELLED: the sink stopped; else the code of
 * *error (may be NULL). `options` may be NULL. */
enum { TB_DUMP_LOSSES = 64 };
TB_MUST_CHECK TB_API enum tb_status tb_dump(const char *path, const struct tb_dump_options *options, tb_text_sink sink,
                                            void *ctx, struct tb_loss *losses, size_t *loss_count,
                                            struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif
