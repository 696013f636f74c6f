/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_tokenizer.h"

#include "base/error.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/reader.h"

enum {
  PACKET_TAG = TB_TRACE_PACKET << 3 | TB_WIRE_BYTES,
  HEAD_MAX = 1 + TB_WIRE_VARINT_MAX,
  MARKER_BYTES = 16,
  STRANGE_MAX = 64 * 1024,             /* longest field of Trace that is passed over though it is no packet */
  SEARCH_PACKET_MAX = 16 * 1024 * 1024 /* longest packet that is searched for */
};

static const char LOSS_CUT[] = "the trace ends in the middle of a packet";
static const char LOSS_DAMAGE[] = "damaged bytes between packets";
static const char LOSS_PACKET[] = "a packet is damaged";
static const char LOSS_LONG[] = "a packet is longer than the limit";
static const char LOSS_NESTED[] = "compressed packets inside compressed packets";
static const char LOSS_INFLATE[] = "compressed packets are damaged";
static const char LOSS_BOMB[] =
    "compressed packets that unpack to far more than the trace's size: 256 MiB and 128 times";
static const char LOSS_INPUT[] = "the compressed input is damaged or ends early";

/* What the tracing service puts into a trace from time to time. */
static const unsigned char marker[MARKER_BYTES] = {0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
                                                   0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79};

void tb_packet_tokenizer_init(struct tb_packet_tokenizer *stream, const struct tb_allocator *allocator,
                              struct tb_input *input, size_t max_packet, tb_packet_lose lose, void *lose_ctx,
                              struct tb_error *error) {
  *stream = (struct tb_packet_tokenizer){
      .input = input, .max_packet = max_packet, .lose = lose, .lose_ctx = lose_ctx, .error = error, .needed = 1};
  tb_packet_source_init(&stream->source, allocator, input, max_packet);
}

void tb_packet_tokenizer_free(struct tb_packet_tokenizer *stream) { tb_packet_source_free(&stream->source); }

/* More bytes of the packet at `at` are wanted; where there are none the trace was cut. */
static enum tb_status want(struct tb_packet_tokenizer *stream, size_t needed) {
  if (!stream->last) {
    stream->needed = needed;
    return TB_AGAIN;
  }
  enum tb_status status = stream->lose(stream->lose_ctx, LOSS_CUT, tb_packet_tokenizer_offset(stream, stream->at));
  stream->searching = true;
  stream->at++;
  stream->needed = 1;
  return status;
}

static enum tb_status damaged(struct tb_packet_tokenizer *stream) {
  enum tb_status status = stream->lose(stream->lose_ctx, LOSS_DAMAGE, tb_packet_tokenizer_offset(stream, stream->at));
  stream->searching = true;
  return status;
}

/* Bytes up to `at`, from `from` on, are of no packet. Not TB_OK where there were too many of them. */
static enum tb_status pass_junk(struct tb_packet_tokenizer *stream, const char *from) {
  if (!stream->max_junk) return TB_OK;
  if (!stream->junk) stream->junk_from = tb_packet_tokenizer_offset(stream, from);
  stream->junk += (uint64_t)(stream->at - from);
  if (stream->junk <= stream->max_junk) return TB_OK;
  return tb_fail_junk(stream->error, tb_format_name(TB_FORMAT_PERFETTO), stream->junk_from, stream->max_junk);
}

/* ---- after damage ------------------------------------------------------------------------------------------------ */

enum verdict { NO, YES, UNKNOWN };

/* Fields of a packet that hold a number: one that comes with bytes is something else. */
static bool is_number_field(uint32_t number) {
  return number == TB_TRACE_PACKET_TIMESTAMP || number == TB_TRACE_PACKET_TRUSTED_UID ||
         number == TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID || number == TB_TRACE_PACKET_SEQUENCE_FLAGS ||
         number == TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID;
}

/* Whether the bytes up to `end` may be the first ones of a packet of `len` bytes. */
static bool may_begin_packet(const char *body, const char *end, uint64_t len) {
  struct tb_wire_cursor cursor = {body, end};
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_next(&cursor, &field)) == TB_OK)
    if (field.type != TB_WIRE_VARINT && is_number_field(field.number)) return false;
  if (status == TB_END || (status == TB_TRUNCATED && end - cursor.at < 2 * TB_WIRE_VARINT_MAX)) return true;
  if (status != TB_TRUNCATED || field.type != TB_WIRE_BYTES) return false;
  uint64_t at = (uint64_t)(field.bytes.ptr + field.bytes.len - body);
  return at <= len && field.value <= len - at;
}

/* Whether a packet that reads well is at `at`, and where the next one starts then. */
static enum verdict read_packet(struct tb_packet_tokenizer *stream, const char *at, struct tb_packet_header *head,
                                const char **next) {
  uint64_t len;
  const char *body = tb_wire_read_varint(at + 1, stream->end, &len);
  if (!body && !stream->last && stream->end - at < HEAD_MAX) {
    stream->needed = (size_t)(at - stream->at) + HEAD_MAX;
    return UNKNOWN;
  }
  if (!body) return NO;
  if (len < 2 || len > SEARCH_PACKET_MAX || len > stream->max_packet) return NO;
  if (len > (uint64_t)(stream->end - body)) {
    stream->needed = (size_t)(body - stream->at) + (size_t)len;
    return !stream->last && may_begin_packet(body, stream->end, len) ? UNKNOWN : NO;
  }
  if (tb_packet_header_read(head, (struct tb_str){body, (size_t)len}) != TB_OK || is_number_field(head->kind))
    return NO;
  *next = body + len;
  return *next == stream->end || **next == PACKET_TAG ? YES : NO;
}

/* Whether a packet of a recording starts at `at`: it must read well, and be followed by another or by the end. Where it
 * does not name its sequence, as of old recordings, both must say when they are. */
static enum verdict looks_like_packet(struct tb_packet_tokenizer *stream, const char *at) {
  struct tb_packet_header head = {0}, following = {0};
  const char *next;
  enum verdict verdict = read_packet(stream, at, &head, &next);
  if (verdict != YES || head.sequence) return verdict;
  if (!head.has_timestamp || !head.payload.ptr) return NO;
  if (next == stream->end) {
    stream->needed = (size_t)(next - at) + 1;
    return stream->last ? YES : UNKNOWN;
  }
  verdict = read_packet(stream, next, &following, &next);
  return verdict == YES && !(following.has_timestamp && following.payload.ptr) ? NO : verdict;
}

/* Moves to the next packet. TB_OK: it is there; TB_AGAIN: not in this window. */
static enum tb_status search(struct tb_packet_tokenizer *stream) {
  for (; stream->at < stream->end; stream->at++) {
    const char *at = stream->at;
    size_t left = (size_t)(stream->end - at);
    enum verdict verdict = NO;
    if (*at == PACKET_TAG) {
      verdict = looks_like_packet(stream, at);
    } else if ((unsigned char)*at == marker[0]) {
      if (left < MARKER_BYTES && !stream->last) {
        stream->needed = MARKER_BYTES;
        return TB_AGAIN;
      }
      if (left >= MARKER_BYTES && memcmp(at, marker, MARKER_BYTES) == 0) {
        stream->at += MARKER_BYTES;
        verdict = YES;
      }
    }
    if (verdict == UNKNOWN) return TB_AGAIN;
    if (verdict == YES) {
      stream->searching = false;
      stream->resumed = true;
      return TB_OK;
    }
  }
  stream->needed = 1;
  return TB_AGAIN;
}

/* ---- framing ----------------------------------------------------------------------------------------------------- */

/* A field of Trace that is no packet: passed over, or given, where it is short and a packet or the end follows it. */
static enum tb_status pass_strange_field(struct tb_packet_tokenizer *stream, struct tb_packet_frame *frame,
                                         bool *given) {
  struct tb_wire_cursor cursor = {stream->at, stream->end};
  struct tb_wire_field field;
  enum tb_status status = tb_wire_next(&cursor, &field);
  if (status == TB_TRUNCATED && stream->end - stream->at < STRANGE_MAX && !stream->last) {
    return want(stream, (size_t)(stream->end - stream->at) + 1);
  }
  if (status != TB_OK || (cursor.at < stream->end && *cursor.at != PACKET_TAG)) return damaged(stream);
  *frame = (struct tb_packet_frame){
      .start = stream->at, .offset = tb_packet_tokenizer_offset(stream, stream->at), .opened = stream->opened};
  stream->at = cursor.at;
  stream->passed_strange = true;
  *given = stream->give_strange;
  return pass_junk(stream, frame->start);
}

/* True where the input's size is known and it ends before `len` bytes from `body`. */
static bool runs_past_input(const struct tb_packet_tokenizer *stream, const char *body, uint64_t len) {
  if (stream->opened)
    return len > (uint64_t)(stream->end - body) + (stream->source.opened.len - stream->source.opened_at);
  if (!stream->input || !tb_input_can_rewind(stream->input)) return false;
  uint64_t size = tb_input_size(stream->input), start = tb_packet_tokenizer_offset(stream, body);
  return size > 0 && (start > size || len > size - start);
}

static enum tb_status pass_long_packet(struct tb_packet_tokenizer *stream, const char *body, uint64_t len) {
  enum tb_status status = stream->lose(stream->lose_ctx, LOSS_LONG, tb_packet_tokenizer_offset(stream, stream->at));
  stream->at = body;
  stream->skip = len;
  return status;
}

/* Passes over what is left of a packet over the limit: to its end, or to a packet before that, since such a length is
 * a damaged one more often than not. */
static enum tb_status skip_on(struct tb_packet_tokenizer *stream) {
  const char *from = stream->at;
  enum tb_status status = search(stream);
  uint64_t passed = (uint64_t)(stream->at - from);
  if (passed >= stream->skip) {
    stream->at = from + stream->skip;
    stream->searching = false;
    stream->skip = 0;
    stream->needed = 1;
    return TB_OK;
  }
  stream->skip -= passed;
  if (status == TB_OK) stream->skip = 0;
  if (status == TB_OK || !stream->last) return status;
  stream->skip = 0;
  return stream->lose(stream->lose_ctx, LOSS_CUT, tb_packet_tokenizer_offset(stream, stream->at));
}

/* What is read now was not decompressed: damage ends with the packet that it was in. */
static void leave_damage(struct tb_packet_tokenizer *stream) {
  if (stream->opened) {
    stream->searching = false;
    stream->skip = 0;
  }
  stream->opened = false;
}

/* Leaves the window for packets that were compressed in it. */
static enum tb_status leave_window(struct tb_packet_tokenizer *stream) {
  if (stream->keeps_window)
    stream->outer = (struct tb_packet_window){stream->start, stream->at, stream->end, stream->offset, stream->last};
  else if (tb_packet_source_unread(&stream->source, stream->at, (size_t)(stream->end - stream->at)) != TB_OK)
    return TB_NO_MEMORY;
  stream->end = stream->at;
  stream->last = false;
  stream->needed = 1;
  return TB_OK;
}

/* The packets that were decompressed are the window, where there are any. */
static void enter_opened(struct tb_packet_tokenizer *stream) {
  struct tb_packet_source *source = &stream->source;
  if (!stream->keeps_window || !tb_packet_source_is_open(source)) {
    (void)tb_packet_tokenizer_leave_opened(stream);
    return;
  }
  source->opened_at = source->opened.len;
  stream->start = stream->at = source->opened.data;
  stream->end = stream->start + source->opened.len;
  stream->offset = source->opened_offset;
  stream->opened = stream->last = true;
}

bool tb_packet_tokenizer_leave_opened(struct tb_packet_tokenizer *stream) {
  const struct tb_packet_window *outer = &stream->outer;
  if (!outer->at) return false;
  stream->start = outer->start;
  stream->at = outer->at;
  stream->end = outer->end;
  stream->offset = outer->offset;
  stream->last = outer->last;
  stream->needed = 1;
  leave_damage(stream);
  stream->source.opened.len = stream->source.opened_at = 0;
  stream->outer.at = NULL;
  return true;
}

enum tb_status tb_packet_tokenizer_open(struct tb_packet_tokenizer *stream, const struct tb_packet_frame *frame,
                                        struct tb_str payload, enum tb_packet_compression compression) {
  if (frame->opened) return stream->lose(stream->lose_ctx, LOSS_NESTED, frame->offset);
  enum tb_status status = leave_window(stream);
  if (status != TB_OK) return tb_fail(stream->error, status, frame->offset, "out of memory");
  status = tb_packet_source_open(&stream->source, payload, compression, frame->offset);
  enter_opened(stream);
  if (status == TB_BAD_DATA) return stream->lose(stream->lose_ctx, LOSS_INFLATE, frame->offset);
  if (status == TB_LIMIT && stream->source.limit < stream->source.max_opened)
    return stream->lose(stream->lose_ctx, LOSS_BOMB, frame->offset);
  if (status == TB_LIMIT) return stream->lose(stream->lose_ctx, LOSS_LONG, frame->offset);
  if (status != TB_OK) return tb_fail(stream->error, status, frame->offset, "cannot open compressed packets");
  return TB_OK;
}

/* Reads what is at `at`. TB_OK: *given says whether it is something for the user. */
static enum tb_status step(struct tb_packet_tokenizer *stream, struct tb_packet_frame *frame, bool *given) {
  const char *at = stream->at;
  if (*at != PACKET_TAG) return pass_strange_field(stream, frame, given);
  uint64_t len;
  const char *body = tb_wire_read_varint(at + 1, stream->end, &len);
  if (!body) return stream->end - at < HEAD_MAX ? want(stream, (size_t)(stream->end - at) + 1) : damaged(stream);
  if (len > (uint64_t)(stream->end - body)) {
    if (runs_past_input(stream, body, len)) {
      stream->searching = true;
      stream->at++;
      return stream->lose(stream->lose_ctx, LOSS_CUT, tb_packet_tokenizer_offset(stream, at));
    }
    if (len > stream->max_packet) return pass_long_packet(stream, body, len);
    return want(stream, (size_t)(body - at) + (size_t)len);
  }
  if (len > stream->max_packet) return pass_long_packet(stream, body, len);
  tb_packet_tokenizer_put_frame(stream, at, body, len, frame);
  *given = true;
  return TB_OK;
}

/* Moves over what is no packet, to where one is to be. */
static enum tb_status move_on(struct tb_packet_tokenizer *stream) {
  const char *from = stream->at;
  enum tb_status status = stream->skip ? skip_on(stream) : TB_OK;
  if (status == TB_OK && stream->searching && stream->at < stream->end) status = search(stream);
  enum tb_status passed = pass_junk(stream, from);
  return passed == TB_OK ? status : passed;
}

enum tb_status tb_packet_tokenizer_frame(struct tb_packet_tokenizer *stream, struct tb_packet_frame *frame) {
  bool given = false;
  while (!given) {
    enum tb_status status = stream->skip || stream->searching ? move_on(stream) : TB_OK;
    if (status == TB_OK && stream->at == stream->end) return TB_AGAIN;
    if (status == TB_OK) status = step(stream, frame, &given);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

bool tb_packet_tokenizer_doubts(const struct tb_packet_tokenizer *stream) {
  return stream->at < stream->end && *stream->at != PACKET_TAG;
}

enum tb_status tb_packet_tokenizer_reject(struct tb_packet_tokenizer *stream, const struct tb_packet_frame *frame) {
  if (tb_packet_tokenizer_doubts(stream)) {
    stream->searching = true;
    stream->at = frame->start + 1;
  }
  enum tb_status status = stream->lose(stream->lose_ctx, LOSS_PACKET, frame->offset);
  return status == TB_OK ? pass_junk(stream, frame->start) : status;
}

/* The packet at `at` where it is whole, well-formed and not compressed; anything else is left to `step`. */
static bool take_whole(struct tb_packet_tokenizer *stream, struct tb_packet_header *head) {
  const char *at = stream->at, *end = stream->end;
  if (stream->skip || stream->searching || at == end || *at != PACKET_TAG) return false;
  uint64_t len;
  const char *body = tb_wire_read_varint(at + 1, end, &len);
  if (!body || len > (uint64_t)(end - body) || len > stream->max_packet) return false;
  if (tb_packet_header_read(head, (struct tb_str){body, (size_t)len}) != TB_OK) return false;
  enum tb_packet_compression compression;
  if (tb_packet_is_compressed(head->kind, &compression)) return false;
  stream->at = body + len;
  stream->needed = 1;
  return true;
}

/* The next packet, whatever comes before it. */
static enum tb_status search_next(struct tb_packet_tokenizer *stream, struct tb_packet_header *head) {
  for (;;) {
    struct tb_packet_frame frame;
    enum tb_packet_compression compression;
    enum tb_status status = tb_packet_tokenizer_frame(stream, &frame);
    if (status != TB_OK) return status;
    head->start = frame.start;
    head->offset = frame.offset;
    head->opened = frame.opened;
    if (tb_packet_header_read(head, frame.bytes) != TB_OK)
      status = tb_packet_tokenizer_reject(stream, &frame);
    else if (tb_packet_is_compressed(head->kind, &compression))
      status = tb_packet_tokenizer_open(stream, &frame, head->payload, compression);
    else
      return TB_OK;
    if (status != TB_OK) return status;
  }
}

enum tb_status tb_packet_tokenizer_next(struct tb_packet_tokenizer *stream, struct tb_packet_header *head) {
  const char *at = stream->at;
  struct tb_common_packet common;
  if (tb_packet_tokenizer_take_common(stream, &common))
    tb_packet_header_take_common(head, common.bytes, &common.head);
  else if (!take_whole(stream, head))
    return search_next(stream, head);
  head->start = at;
  head->offset = tb_packet_tokenizer_offset(stream, at);
  head->opened = stream->opened;
  return TB_OK;
}

enum tb_status tb_packet_tokenizer_end(const struct tb_packet_tokenizer *stream, const struct tb_losses *losses) {
  if (losses->count || !stream->passed_strange) return TB_END;
  return tb_fail(stream->error, TB_UNKNOWN_FORMAT, 0, "is no Perfetto trace: there is no packet in it");
}

static enum tb_status say_cut_short(struct tb_packet_tokenizer *stream) {
  if (!stream->source.cut_short || stream->said_cut_short) return TB_OK;
  stream->said_cut_short = true;
  return stream->lose(stream->lose_ctx, LOSS_INPUT, stream->source.offset);
}

enum tb_status tb_packet_tokenizer_release(struct tb_packet_tokenizer *stream) {
  size_t left = (size_t)(stream->end - stream->at);
  if (left && tb_packet_source_unread(&stream->source, stream->at, left) != TB_OK) {
    return tb_fail(stream->error, TB_NO_MEMORY, stream->offset, "out of memory");
  }
  stream->end = stream->at;
  return TB_OK;
}

enum tb_status tb_packet_tokenizer_collect(struct tb_packet_tokenizer *stream) {
  enum tb_status status = tb_packet_tokenizer_release(stream);
  if (status != TB_OK || tb_packet_source_is_open(&stream->source)) return status;
  return tb_packet_source_collect(&stream->source, &stream->needed, stream->error);
}

enum tb_status tb_packet_tokenizer_refill(struct tb_packet_tokenizer *stream, char *to, size_t capacity) {
  struct tb_packet_source *source = &stream->source;
  size_t got = 0;
  enum tb_status status = tb_packet_tokenizer_release(stream);
  if (status != TB_OK) return status;
  stream->start = stream->at = stream->end = to;
  status = tb_packet_source_read(source, to, capacity, stream->needed, &got, &stream->offset, stream->error);
  if (status == TB_END) {
    status = say_cut_short(stream);
    return status == TB_OK ? TB_END : status;
  }
  if (status != TB_OK) return status;
  stream->end = to + got;
  if (tb_packet_source_is_open(source))
    stream->opened = true;
  else
    leave_damage(stream);
  stream->last = stream->opened ? source->opened_at == source->opened.len : source->at_end && source->carry.len == 0;
  return TB_OK;
}
