/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the bytes of packets come from: the input, and packets that are compressed in a packet.
 */
#ifndef TB_PERFETTO_PACKET_PACKET_SOURCE_H
#define TB_PERFETTO_PACKET_PACKET_SOURCE_H

#include "base/memory.h"
#include "io/input.h"

/* A compressed packet of the tracing service unpacks to less than 1 MiB; ours may to 16. A small file must not keep a
 * reader busy for minutes: what all of a trace's unpack to is bounded by what they are stored in. */
enum { TB_PACKET_OPENED_MAX = 64 << 20, TB_PACKET_OPENED_FREE = 256 << 20, TB_PACKET_OPENED_RATIO = 128 };

/* Caller-owned; tb_packet_source_init, then tb_packet_source_free. */
struct tb_packet_source {
  struct tb_input *input;
  struct tb_buffer carry;  /* bytes read from the input and returned */
  struct tb_buffer opened; /* decompressed packets: [opened_at, opened.len) are still to be read */
  size_t opened_at;
  size_t max_opened, limit;            /* of one packet's, and of those being decompressed */
  uint64_t total_stored, total_opened; /* bytes of all compressed packets so far */
  uint64_t opened_offset;              /* of the packet that they were in */
  uint64_t offset;                     /* of the input's next byte */
  bool at_end, cut_short;              /* the input has no more; it ended inside its own compression */
};

void tb_packet_source_init(struct tb_packet_source *source, const struct tb_allocator *allocator,
                           struct tb_input *input, size_t max_opened);
void tb_packet_source_free(struct tb_packet_source *source);

/* Copies the next bytes to `to`, at least one unless the status is not TB_OK; fewer than `needed` only where a
 * decompressed packet or the input ends. TB_END: no more. TB_AGAIN: a fed input has not `needed` bytes yet. TB_IO,
 * TB_NO_MEMORY: see *error. *offset is the first byte's: for decompressed packets that of the packet that held them. */
TB_MUST_CHECK enum tb_status tb_packet_source_read(struct tb_packet_source *source, char *to, size_t capacity,
                                                   size_t needed, size_t *got, uint64_t *offset,
                                                   struct tb_error *error);

/* Reads the rest of a packet, of which some bytes were returned, until *needed bytes are there; *needed is less
 * afterwards where the input ends before. TB_OK, TB_AGAIN, TB_IO or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_packet_source_collect(struct tb_packet_source *source, size_t *needed,
                                                      struct tb_error *error);

/* Returns the last bytes that were read, to be read again. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_packet_source_unread(struct tb_packet_source *source, const char *bytes, size_t len);

/* True while the bytes read come from decompressed packets. */
static inline bool tb_packet_source_is_open(const struct tb_packet_source *source) { return source->opened.len > 0; }

enum tb_packet_compression { TB_PACKET_ZLIB, TB_PACKET_ZSTD };

/* Decompresses packets, to be read before anything else; `offset` is that of the packet they are in. TB_OK;
 * TB_BAD_DATA if the stream is damaged or ends too soon (what came before is valid); TB_LIMIT where it is too long, or
 * all compressed packets together are (what came before is valid); TB_UNSUPPORTED; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_packet_source_open(struct tb_packet_source *source, struct tb_str compressed,
                                                   enum tb_packet_compression compression, uint64_t offset);

#endif
