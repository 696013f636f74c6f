/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole TracePackets to an output, as they are or in compressed_packets. Large ones are compressed by themselves in any
 * case, if not given with others in a row.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_PACKET_SINK_H
#define TB_PERFETTO_WRITER_ENCODE_PACKET_SINK_H

#include "base/memory.h"
#include "io/output.h"

/* A packet of more bytes is compressed by itself: mostly text, and few in most traces. */
enum { TB_PACKET_LARGE = 1024 };

struct tb_packet_sink {
  struct tb_output *output;
  struct tb_error *error;
  bool compress;
  uint32_t machine;       /* each packet gets its id, where it is not 0 */
  struct tb_buffer whole; /* the current packet with that */
  struct tb_buffer plain; /* packets that wait to be compressed together */
  struct tb_buffer compressed;
};

void tb_packet_sink_init(struct tb_packet_sink *sink, struct tb_output *output, bool compress, uint32_t machine,
                         const struct tb_allocator *allocator, struct tb_error *error);

/* Writes one packet, its tag and length included, given in two parts. */
TB_MUST_CHECK enum tb_status tb_packet_sink_put(struct tb_packet_sink *sink, const char *head, size_t head_len,
                                                struct tb_str tail);
/* Writes any number of whole packets, their tags and lengths included. */
TB_MUST_CHECK enum tb_status tb_packet_sink_put_packets(struct tb_packet_sink *sink, struct tb_str packets);
/* Room for one packet of at most `len` bytes, its tag and length included, to be written in place;
 * tb_packet_sink_commit says how many it took. NULL where it does not fit in place: tb_packet_sink_put takes it then,
 * and says what is wrong if something is. */
char *tb_packet_sink_reserve(struct tb_packet_sink *sink, size_t len);
void tb_packet_sink_commit(struct tb_packet_sink *sink, size_t len);
/* Writes a packet's fields (a serialised TracePacket without the tag and length before it). */
TB_MUST_CHECK enum tb_status tb_packet_sink_put_fields(struct tb_packet_sink *sink, struct tb_str fields);
/* Writes what waits. */
TB_MUST_CHECK enum tb_status tb_packet_sink_flush(struct tb_packet_sink *sink);
void tb_packet_sink_free(struct tb_packet_sink *sink);

#endif
