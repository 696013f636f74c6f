/* SPDX-License-Identifier: Apache-2.0
 *
 * Hostile bytes of the format TB_FUZZ_FROM go the whole way to TB_FUZZ_TO. Sanitizers and limits are the judges.
 */
#include "tracebridge/convert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void pump(struct tb_reader *reader, struct tb_writer *writer) {
  const struct tb_event *event;
  while (tb_reader_next(reader, &event) == TB_OK)
    if (tb_writer_put(writer, event) != TB_OK) return;
  (void)!tb_writer_finish(writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct tb_reader_options from = {.size = sizeof(from),
                                   .format = TB_FUZZ_FROM,
                                   .shape = TB_SHAPE_SOURCE,
                                   .max_record_bytes = 1 << 20,
                                   .max_interned_bytes = (size_t)16 << 20};
  struct tb_writer_options to = {.size = sizeof(to), .format = TB_FUZZ_TO};
  struct tb_reader *reader;
  struct tb_writer *writer;
  if (size) to.compress = to.format == TB_FORMAT_PERFETTO && data[size - 1] & 1;
  if (tb_reader_create_feed("fuzz", &from, &reader, NULL) != TB_OK) return 0;
  if (tb_reader_feed(reader, data, size) == TB_OK && tb_writer_open("/dev/null", &to, &writer, NULL) == TB_OK) {
    tb_reader_feed_end(reader);
    pump(reader, writer);
    tb_writer_close(writer);
  }
  tb_reader_close(reader);
  return 0;
}
