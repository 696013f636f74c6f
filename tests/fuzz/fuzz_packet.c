/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds hostile bytes to the packet reader, in pieces whose sizes vary with the bytes, and takes every packet.
 */
#include <stdlib.h>

#include "tracebridge/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads what there is; false when the reader is done for good. */
static bool take(struct tb_packet_reader *reader) {
  const struct tb_packet *packet;
  enum tb_status status;
  while ((status = tb_packet_next(reader, &packet)) == TB_OK) {
    const struct tb_str *whole = &packet->bytes, *part = &packet->payload;
    if (part->len && (part->ptr < whole->ptr || part->ptr + part->len > whole->ptr + whole->len)) abort();
  }
  return status == TB_AGAIN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct tb_reader_options options = {
      .size = sizeof(options), .max_record_bytes = 1 << 16, .max_interned_bytes = (size_t)16 << 20};
  struct tb_packet_reader *reader;
  if (tb_packet_reader_create_feed("fuzz", &options, &reader, NULL) != TB_OK) return 0;
  bool more = true;
  for (size_t at = 0; more && at < size;) {
    size_t piece = 1 + (size_t)data[at] * data[at];
    if (piece > size - at) piece = size - at;
    if (tb_packet_reader_feed(reader, data + at, piece) != TB_OK) break;
    at += piece;
    more = take(reader);
  }
  tb_packet_reader_feed_end(reader);
  if (more && take(reader)) abort(); /* an input that is whole can need no more */
  tb_packet_reader_close(reader);
  return 0;
}
