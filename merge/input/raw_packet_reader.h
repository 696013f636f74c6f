/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets of a Perfetto file as they are on the wire, in the file's order, unresolved, with their heads.
 */
#ifndef TB_MERGE_INPUT_RAW_PACKET_READER_H
#define TB_MERGE_INPUT_RAW_PACKET_READER_H

#include "io/input.h"
#include "perfetto/packet/packet_tokenizer.h"

/* One field of the Trace message. `framed` is the whole of it, tag included; `packet` its payload where it is a
 * TracePacket, else empty with ptr NULL. */
struct tb_raw_packet {
  struct tb_str framed;
  struct tb_str packet;
  uint64_t offset;              /* of framed in the decompressed file; of the compressed packet where `inner` */
  bool inner;                   /* came out of a compressed packet */
  bool unreadable;              /* its inside is not well-formed: `head` is what is before that */
  struct tb_packet_header head; /* its start, offset and opened are not set */
  struct tb_packet_fields fields;
};

struct tb_raw_packet_reader; /* opaque; tb_raw_packet_reader_open, then tb_raw_packet_reader_close */

struct tb_raw_packet_reader_options {
  const struct tb_allocator *allocator;
  size_t buffer_bytes;  /* to read at a time; 0: 256 KiB */
  bool close_between;   /* hold no file descriptor between reads, where the input allows it (plain files do) */
  bool only_heads;      /* without `fields`: nobody is to change packets */
  bool keep_compressed; /* give compressed packets as they are; else what is in them */
  /* More bytes that are no packets are TB_BAD_DATA, until the caller sets that of tb_raw_packet_reader_stream to 0;
   * 0: any number. */
  size_t max_junk;
};

/* Opens the trace at `place`; errors as tb_input_open's. */
TB_MUST_CHECK enum tb_status tb_raw_packet_reader_open(const struct tb_input_place *place,
                                                       const struct tb_raw_packet_reader_options *options,
                                                       struct tb_raw_packet_reader **packets, struct tb_error *error);

/* The next packet, valid until the next call. *packet is zero at first and may then be used again and again. TB_END;
 * TB_IO, TB_NO_MEMORY: see *error. Damage is passed over as by tb_packet_next: reading goes on at the next packet that
 * is recognised. A packet whose frame is whole but whose inside is not is given as it is, with what its head says
 * before the damage. */
TB_MUST_CHECK enum tb_status tb_raw_packet_reader_next(struct tb_raw_packet_reader *packets,
                                                       struct tb_raw_packet *packet, struct tb_error *error);

/* Where the packets come from, for tb_packet_tokenizer_take_common: what that takes is not given by
 * tb_raw_packet_reader_next. It stays until the end. */
struct tb_packet_tokenizer *tb_raw_packet_reader_stream(struct tb_raw_packet_reader *packets);

/* Bytes of the decompressed file used up so far. */
uint64_t tb_raw_packet_reader_offset(const struct tb_raw_packet_reader *packets);

/* Bytes of the file as it is stored, read so far. Not with close_between. */
uint64_t tb_raw_packet_reader_stored(const struct tb_raw_packet_reader *packets);

/* How often something was lost so far; of the first its place and what it was (a constant, "" for nothing). */
uint64_t tb_raw_packet_reader_damage(const struct tb_raw_packet_reader *packets, uint64_t *first_offset,
                                     const char **first);
/* The same by reason. */
const struct tb_losses *tb_raw_packet_reader_losses(const struct tb_raw_packet_reader *packets);

void tb_raw_packet_reader_close(struct tb_raw_packet_reader *packets); /* NULL is ignored */

#endif
