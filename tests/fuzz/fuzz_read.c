/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds hostile bytes to the reader of the format TB_FUZZ_FROM, in pieces whose sizes vary with the bytes, and takes
 * every event, in the shape that the last byte says. Sanitizers and limits are the judges.
 */
#include <stdlib.h>

#include "tracebridge/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads what there is; false when the reader is done for good. */
static bool take(struct tb_reader *reader) {
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    for (uint32_t i = 0; i < event->arg_count;) {
      uint32_t span = event->args[i].span;
      if (span == 0 || span > event->arg_count - i) abort(); /* a broken tree would send users out of bounds */
      i += span;
    }
  return status == TB_AGAIN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const unsigned last = size ? data[size - 1] : 0;
  struct tb_reader_options options = {.size = sizeof(options),
                                      .format = TB_FUZZ_FROM,
                                      .shape = last & 1 ? TB_SHAPE_ONE : TB_SHAPE_SOURCE,
                                      .sorted = last & 2,
                                      .slices = (enum tb_slice_form)((last >> 2) % (TB_SLICES_COMPLETE + 1)),
                                      .max_record_bytes = 1 << 20,
                                      .max_interned_bytes = (size_t)16 << 20};
  struct tb_reader *reader;
  if (tb_reader_create_feed("fuzz", &options, &reader, NULL) != TB_OK) return 0;
  bool more = true;
  for (size_t at = 0; more && at < size;) {
    size_t piece = 1 + (size_t)data[at] * data[at];
    if (piece > size - at) piece = size - at;
    if (tb_reader_feed(reader, data + at, piece) != TB_OK) break;
    at += piece;
    more = take(reader);
  }
  tb_reader_feed_end(reader);
  if (more && take(reader)) abort(); /* an input that is whole can need no more */
  tb_reader_close(reader);
  return 0;
}
