/* SPDX-License-Identifier: Apache-2.0
 *
 * Pull reader of the packets of a Perfetto trace: one level below events, for programs that pick, count, copy or
 * decode packets themselves.
 *
 *     struct tb_packet_reader *reader;
 *     const struct tb_packet *packet;
 *     if (tb_packet_reader_open("trace.perfetto-trace", NULL, &reader, NULL) != TB_OK) return 1;
 *     while (tb_packet_next(reader, &packet) == TB_OK)
 *       printf("%.*s of %zu bytes\n", (int)packet->kind_name.len, packet->kind_name.ptr, packet->bytes.len);
 *     tb_packet_reader_close(reader);
 */
#ifndef TRACEBRIDGE_PACKET_H
#define TRACEBRIDGE_PACKET_H

#include "tracebridge/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A TracePacket. Packets that are compressed in another come one by one in its place. Wholly public,
 * caller-readable. */
struct tb_packet {
  struct tb_str bytes;     /* the message, without the tag and length before it: ready for a protobuf decoder */
  struct tb_str payload;   /* the message of its payload field, empty where `kind` is 0 */
  struct tb_str kind_name; /* name of the payload field ("track_event"), a constant; empty where it is not known */
  uint32_t kind;           /* number of the payload field, 0 where the packet has none */
  uint32_t sequence;       /* trusted_packet_sequence_id, 0 where there is none */
  uint32_t machine;        /* machine_id, 0 for the machine that recorded */
  bool has_timestamp;      /* `timestamp` is known */
  bool clock_unknown;      /* it has a timestamp, but nothing relates its clock to the trace clock */
  bool unreadable;         /* it needs incremental state of its sequence that was lost; all other members are valid */
  bool lost_before;        /* the trace says that packets of its sequence were lost just before it */
  bool compressed;         /* it was in a compressed packet */
  int64_t timestamp;       /* ns on the trace clock: default clocks, snapshots and increments applied */
  uint64_t offset; /* of its first byte in the (decompressed) input; of the packet it was in where `compressed` */
};

struct tb_packet_reader; /* opaque; tb_packet_reader_open or …_create_feed, then tb_packet_reader_close */

/* Opens the file `path` ("-": standard input); gzip and zstd are detected by content. Of `options` (NULL: defaults)
 * size, allocator, strict, max_record_bytes, max_interned_bytes, max_junk_bytes (before the first packet), threads
 * and framing_only count. On success *reader is the new reader, to be closed by the caller; on failure NULL, and the
 * code is also in *error (which may be NULL): TB_IO, TB_UNKNOWN_FORMAT (a directory), TB_NO_MEMORY.
 *
 * With framing_only packets are not looked into, for programs that count, cut or copy traces: `bytes`, `compressed`
 * and `offset` are set, all else is 0. What is damaged inside is not noticed, and compressed packets are opened where
 * they are the first field of theirs, as recorders write them. */
TB_MUST_CHECK TB_API enum tb_status tb_packet_reader_open(const char *path, const struct tb_reader_options *options,
                                                          struct tb_packet_reader **reader, struct tb_error *error);

/* A reader that is fed: nothing is opened. `name` stands for the input in errors and is copied. Else as above. */
TB_MUST_CHECK TB_API enum tb_status tb_packet_reader_create_feed(const char *name,
                                                                 const struct tb_reader_options *options,
                                                                 struct tb_packet_reader **reader,
                                                                 struct tb_error *error);

/* Gives `len` more bytes of input to a fed reader, in pieces of any size; they are copied. TB_INVALID on a reader
 * that was opened or after tb_packet_reader_feed_end; TB_NO_MEMORY, nothing taken then. The current packet stays
 * valid. */
TB_MUST_CHECK TB_API enum tb_status tb_packet_reader_feed(struct tb_packet_reader *reader, const void *data,
                                                          size_t len);

/* Says that a fed reader's input is whole. */
TB_API void tb_packet_reader_feed_end(struct tb_packet_reader *reader);

/* The next packet. TB_OK: *packet is set, valid until the next call on this reader. TB_END: no more. TB_AGAIN: a fed
 * reader needs more bytes. Any other: the reader failed for good, see tb_packet_reader_error. Damage is passed over
 * and counted in tb_packet_reader_losses; reading goes on at the next packet that can be found, or behind the next
 * synchronisation marker. TB_BAD_DATA at the end where there was nothing but damage. */
TB_MUST_CHECK TB_API enum tb_status tb_packet_next(struct tb_packet_reader *reader, const struct tb_packet **packet);

/* With keep_interned: the entry `iid` of the field `field` of InternedData, as the sequence of the packet that
 * tb_packet_next gave last has it. Of the names and texts among them (event_names, function_names, build_ids, ...)
 * *entry is the text; of all others (frames, callstacks, mappings, source_locations, ...) the entry's message. False,
 * and *entry empty: there is none, or the field is not one that is kept. Valid until the reader is closed. */
TB_API bool tb_packet_interned(const struct tb_packet_reader *reader, uint32_t field, uint64_t iid,
                               struct tb_str *entry);

/* With keep_interned: the message TracePacketDefaults that the sequence of the last packet has; empty: none. Valid
 * until the reader is closed. */
TB_API struct tb_str tb_packet_defaults(const struct tb_packet_reader *reader);

/* What was lost so far, by reason; *count entries, owned by the reader, valid until its next call. NULL when none. */
TB_API const struct tb_loss *tb_packet_reader_losses(const struct tb_packet_reader *reader, size_t *count);

/* Bytes of the (possibly compressed) input taken so far, and its size where known (else 0): for progress. */
TB_API uint64_t tb_packet_reader_bytes_read(const struct tb_packet_reader *reader);
TB_API uint64_t tb_packet_reader_size(const struct tb_packet_reader *reader);

/* The error that made the reader fail; code TB_OK where none did. Owned by the reader. */
TB_API const struct tb_error *tb_packet_reader_error(const struct tb_packet_reader *reader);

/* Frees the reader and all that its packets pointed to. NULL is ignored. */
TB_API void tb_packet_reader_close(struct tb_packet_reader *reader);

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct tb_packet_writer; /* opaque; tb_packet_writer_open or …_open_callback, then tb_packet_writer_close */

/* Starts writing packets to the file `path` as tb_writer_open does; of `options` size, allocator, threads,
 * temporary_name and no_clobber count. Errors: TB_IO, TB_INVALID, TB_NO_MEMORY. */
TB_MUST_CHECK TB_API enum tb_status tb_packet_writer_open(const char *path, const struct tb_writer_options *options,
                                                          struct tb_packet_writer **writer, struct tb_error *error);

/* As tb_writer_open_callback. */
TB_MUST_CHECK TB_API enum tb_status tb_packet_writer_open_callback(const char *name, tb_write_bytes write_bytes,
                                                                   void *ctx, const struct tb_writer_options *options,
                                                                   struct tb_packet_writer **writer,
                                                                   struct tb_error *error);

/* Writes a TracePacket: `bytes` is the message, as tb_packet.bytes is; tag and length are put before it. It is not
 * looked into. Packets of a sequence need those before them that reset or fill its state. TB_INVALID: the bytes are
 * NULL, or the writer has finished; nothing has changed. After any other error every further call returns that. */
TB_MUST_CHECK TB_API enum tb_status tb_packet_writer_put(struct tb_packet_writer *writer, struct tb_str bytes);

/* Writes what is buffered and gives the file its name. Once only: TB_INVALID afterwards. On failure no file of that
 * name is left. */
TB_MUST_CHECK TB_API enum tb_status tb_packet_writer_finish(struct tb_packet_writer *writer);

/* The error that made the writer fail; code TB_OK where none did. Owned by the writer. */
TB_API const struct tb_error *tb_packet_writer_error(const struct tb_packet_writer *writer);

/* Frees the writer; a file that was not finished is removed. NULL is ignored. */
TB_API void tb_packet_writer_close(struct tb_packet_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
