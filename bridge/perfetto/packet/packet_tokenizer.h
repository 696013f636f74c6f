/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets one after another: framing, compressed packets opened, damage passed over.
 *
 * The stream works on a window, a piece of memory that its user gives and that holds whole packets as far as they fit:
 *
 *   tb_packet_tokenizer_next … TB_OK, TB_OK, TB_AGAIN -> tb_packet_tokenizer_refill -> tb_packet_tokenizer_next …
 */
#ifndef TB_PERFETTO_PACKET_PACKET_TOKENIZER_H
#define TB_PERFETTO_PACKET_PACKET_TOKENIZER_H

#include "base/losses.h"
#include "perfetto/packet/packet_header.h"
#include "perfetto/packet/packet_source.h"

/* Counts a loss; what is not TB_OK ends the reading. */
typedef enum tb_status (*tb_packet_lose)(void *ctx, const char *reason, uint64_t offset);

/* A packet as it is in the input, unread. */
struct tb_packet_frame {
  const char *start;   /* of its tag */
  struct tb_str bytes; /* the message; ptr NULL: a field of Trace that is no packet, up to stream->at */
  uint64_t offset;     /* as in tb_packet_header */
  bool opened;
};

/* Where reading is in a piece of memory. */
struct tb_packet_window {
  const char *start, *at, *end;
  uint64_t offset; /* of its start */
  bool last;       /* nothing follows it from where it came */
};

struct tb_packet_tokenizer {
  struct tb_packet_source source;
  struct tb_input *input;
  size_t max_packet;
  tb_packet_lose lose;
  void *lose_ctx;
  struct tb_error *error;
  const char *start, *at, *end; /* the window */
  uint64_t offset;              /* of its start */
  size_t needed;  /* bytes that the next packet takes, tag and length included, as far as known; at least 1 */
  uint64_t skip;  /* bytes of a packet over the limit still to be passed over */
  bool opened;    /* the window is of decompressed packets */
  bool last;      /* nothing follows the window from where it came */
  bool searching; /* for the next packet after damage */
  bool resumed;   /* a packet was found after damage; for the user to clear */
  bool said_cut_short;
  size_t max_junk;     /* 0: none. It is for the user to take the bound away once there was a packet, or an event */
  uint64_t junk;       /* bytes passed over so far that are no packets */
  uint64_t junk_from;  /* where the first of them was */
  bool passed_strange; /* fields of Trace that are no packets were there */
  bool give_strange;   /* tb_packet_tokenizer_frame gives fields of Trace that are no packets too */
  /* Its user keeps a window until tb_packet_tokenizer_leave_opened is false: packets that were compressed are read
   * where they were decompressed, and nothing is copied. */
  bool keeps_window;
  struct tb_packet_window outer; /* the window that such packets were in; at NULL: there is none */
};

/* `error` is where failures are reported; it must outlive the stream. */
void tb_packet_tokenizer_init(struct tb_packet_tokenizer *stream, const struct tb_allocator *allocator,
                              struct tb_input *input, size_t max_packet, tb_packet_lose lose, void *lose_ctx,
                              struct tb_error *error);
void tb_packet_tokenizer_free(struct tb_packet_tokenizer *stream);

/* The status at the end of an input that gave no packet: TB_UNKNOWN_FORMAT, and the stream's error is set, where it
 * is made of other fields alone, as some short texts are by chance; else TB_END. `losses` are those of the input. */
TB_MUST_CHECK enum tb_status tb_packet_tokenizer_end(const struct tb_packet_tokenizer *stream,
                                                     const struct tb_losses *losses);

/* A packet as nearly all are. */
struct tb_common_packet {
  struct tb_str framed; /* the whole of it, tag included */
  struct tb_str bytes;  /* the message; TB_PACKET_AHEAD bytes behind it can be read */
  struct tb_packet_common head;
};

/* Where a byte of the window is in the input; of decompressed packets where the one that they came in is. */
static inline uint64_t tb_packet_tokenizer_offset(const struct tb_packet_tokenizer *stream, const char *at) {
  return stream->opened ? stream->offset : stream->offset + (uint64_t)(at - stream->start);
}

/* The message of the window's next packet, of which *len bytes need not all be there; NULL where its frame is not at
 * hand, or unusual. */
static TB_ALWAYS_INLINE const char *tb_packet_tokenizer_message(const struct tb_packet_tokenizer *stream,
                                                                uint64_t *len) {
  const char *at = stream->at;
  if (stream->end - at < TB_WIRE_VARINT_MAX + 1 || *at != TB_WIRE_TAG(TB_TRACE_PACKET, TB_WIRE_BYTES) ||
      stream->searching || stream->skip)
    return NULL;
  const char *message = tb_wire_read_varint_ahead(at + 1, len);
  return message && *len <= stream->max_packet ? message : NULL;
}

/* The packets of a window that are such ones, one after the other. Caller-owned; until tb_packet_tokenizer_close_cursor
 * the stream is where it was. */
struct tb_packet_cursor {
  const char *at;
  const char *end; /* bytes up to here can be read ahead */
};

/* The room for a packet's tag and length, at most. */
enum { TB_PACKET_FRAME_MAX = 1 + TB_WIRE_VARINT_MAX };

static inline struct tb_packet_cursor tb_packet_tokenizer_open_cursor(const struct tb_packet_tokenizer *stream) {
  size_t left = (size_t)(stream->end - stream->at);
  bool usual = !stream->searching && !stream->skip && left <= stream->max_packet && left > TB_PACKET_AHEAD;
  return (struct tb_packet_cursor){stream->at, usual ? stream->end - TB_PACKET_AHEAD : stream->at};
}

static inline void tb_packet_tokenizer_close_cursor(struct tb_packet_tokenizer *stream,
                                                    const struct tb_packet_cursor *cursor) {
  if (cursor->at != stream->at) stream->needed = 1;
  stream->at = cursor->at;
}

/* Takes the next packet. False, and nothing was taken, where another one follows, or the end of the window is near. */
static TB_ALWAYS_INLINE bool tb_packet_cursor_take(struct tb_packet_cursor *cursor, struct tb_common_packet *packet) {
  const char *at = cursor->at;
  uint64_t len;
  if (cursor->end - at < TB_PACKET_FRAME_MAX || *at != TB_WIRE_TAG(TB_TRACE_PACKET, TB_WIRE_BYTES)) return false;
  const char *body = tb_wire_read_varint_ahead(at + 1, &len);
  if (!body || len > (uint64_t)(cursor->end - body)) return false;
  packet->bytes.ptr = body;
  packet->bytes.len = (size_t)len;
  if (!tb_packet_common_read(packet->bytes, &packet->head)) return false;
  cursor->at = body + len;
  packet->framed.ptr = at;
  packet->framed.len = (size_t)(cursor->at - at);
  return true;
}

/* Takes the window's next packet where it is such a one; false, and nothing was taken, where it is another or not at
 * hand. */
static TB_ALWAYS_INLINE bool tb_packet_tokenizer_take_common(struct tb_packet_tokenizer *stream,
                                                             struct tb_common_packet *packet) {
  struct tb_packet_cursor cursor = tb_packet_tokenizer_open_cursor(stream);
  bool taken = tb_packet_cursor_take(&cursor, packet);
  tb_packet_tokenizer_close_cursor(stream, &cursor);
  return taken;
}

/* Fills in the frame of the packet that begins at `at`, whose body is whole in the window, and passes over it. */
static TB_ALWAYS_INLINE void tb_packet_tokenizer_put_frame(struct tb_packet_tokenizer *stream, const char *at,
                                                           const char *body, uint64_t len,
                                                           struct tb_packet_frame *frame) {
  frame->start = at;
  frame->bytes.ptr = body;
  frame->bytes.len = (size_t)len;
  frame->offset = tb_packet_tokenizer_offset(stream, at);
  frame->opened = stream->opened;
  stream->at = body + len;
  stream->needed = 1;
}

/* tb_packet_tokenizer_frame where nothing is unusual: a packet that is whole in the window. Else false, and nothing
 * was taken. */
static TB_ALWAYS_INLINE bool tb_packet_tokenizer_take_frame(struct tb_packet_tokenizer *stream,
                                                            struct tb_packet_frame *frame) {
  const char *at = stream->at;
  uint64_t len;
  const char *body = tb_packet_tokenizer_message(stream, &len);
  if (!body || len > (uint64_t)(stream->end - body)) return false;
  tb_packet_tokenizer_put_frame(stream, at, body, len, frame);
  return true;
}

/* Whether a payload of that kind is compressed packets, and how. */
static inline bool tb_packet_is_compressed(uint32_t kind, enum tb_packet_compression *compression) {
  *compression = kind == TB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS ? TB_PACKET_ZSTD : TB_PACKET_ZLIB;
  return kind == TB_TRACE_PACKET_COMPRESSED_PACKETS || kind == TB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS;
}

/* The next packet of the window. TB_OK; TB_AGAIN: the window is used up, more of the input is needed; any other:
 * failed. */
TB_MUST_CHECK enum tb_status tb_packet_tokenizer_next(struct tb_packet_tokenizer *stream,
                                                      struct tb_packet_header *head);

/* The same without reading packets, for users with a reader of their own: compressed ones come as they are. What
 * cannot be read is returned by tb_packet_tokenizer_reject, compressed packets are opened by
 * tb_packet_tokenizer_open. */
TB_MUST_CHECK enum tb_status tb_packet_tokenizer_frame(struct tb_packet_tokenizer *stream,
                                                       struct tb_packet_frame *frame);

/* Says that the frame just given is no well-formed packet: a loss, and reading goes on where a packet is recognised. */
TB_MUST_CHECK enum tb_status tb_packet_tokenizer_reject(struct tb_packet_tokenizer *stream,
                                                        const struct tb_packet_frame *frame);

/* True where no packet follows the frame just given: a length may have been damaged. */
bool tb_packet_tokenizer_doubts(const struct tb_packet_tokenizer *stream);

/* Decompresses the packets in the frame just given, to come next. */
TB_MUST_CHECK enum tb_status tb_packet_tokenizer_open(struct tb_packet_tokenizer *stream,
                                                      const struct tb_packet_frame *frame, struct tb_str payload,
                                                      enum tb_packet_compression compression);

/* Goes back from decompressed packets to the window that they were in; false where there is none. */
bool tb_packet_tokenizer_leave_opened(struct tb_packet_tokenizer *stream);

/* Steps back to the packet that tb_packet_tokenizer_next just gave, which comes again then. */
static inline void tb_packet_tokenizer_back(struct tb_packet_tokenizer *stream, const struct tb_packet_header *head) {
  stream->at = head->start;
}

/* Keeps what is left of the window elsewhere, so that its memory may be used otherwise. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_packet_tokenizer_release(struct tb_packet_tokenizer *stream);

/* Buffers input until stream->needed bytes are available; allocates nothing for the packet before that. TB_OK (needed
 * is less if the input ends before), TB_AGAIN or a failure. Releases the window. */
TB_MUST_CHECK enum tb_status tb_packet_tokenizer_collect(struct tb_packet_tokenizer *stream);

/* Keeps what is left of the window and reads on into `to`, which must hold stream->needed bytes. TB_OK, TB_END,
 * TB_AGAIN (a fed input needs more; the old window is gone) or a failure. */
TB_MUST_CHECK enum tb_status tb_packet_tokenizer_refill(struct tb_packet_tokenizer *stream, char *to, size_t capacity);

#endif
