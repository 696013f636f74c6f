/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/packet.h"

#include "base/error.h"
#include "base/losses.h"
#include "base/options.h"
#include "perfetto/packet/packet_kinds.h"
#include "perfetto/packet/packet_tokenizer.h"
#include "perfetto/packet/sequence_state.h"

enum { WINDOW_BYTES = 256 * 1024 };

struct tb_packet_reader {
  const struct tb_allocator *allocator; /* the guard's */
  struct tb_guard guard;
  struct tb_reader_options options;
  struct tb_input *input;
  struct tb_packet_tokenizer stream;
  struct tb_trace_state state;
  struct tb_buffer window;
  bool has_read; /* a packet was given */
  struct tb_losses losses;
  struct tb_error error;
  struct tb_packet_header head; /* of the current packet */
  struct tb_packet packet;
  const struct tb_sequence_state *sequence; /* its; NULL: none yet */
  uint32_t named_kind; /* whose name is `kind_name`: looking one up takes longer than reading a packet */
  struct tb_str kind_name;
};

static enum tb_status lose(void *ctx, const char *reason, uint64_t offset) {
  struct tb_packet_reader *reader = ctx;
  tb_losses_add(&reader->losses, reason, offset);
  if (!reader->options.strict) return TB_OK;
  return tb_fail(&reader->error, TB_BAD_DATA, offset, "%s", reason);
}

/* NULL where *status is none of success, which is in *error too. */
static struct tb_packet_reader *create(const struct tb_reader_options *options, enum tb_status *status,
                                       struct tb_error *error) {
  struct tb_reader_options filled = {.size = sizeof(filled)};
  *status = tb_options_take(&filled, sizeof(filled), options, error);
  if (*status != TB_OK) return NULL;
  if (!filled.allocator) filled.allocator = tb_default_allocator();
  if (!filled.max_record_bytes) filled.max_record_bytes = (size_t)256 << 20;
  if (!filled.max_interned_bytes) filled.max_interned_bytes = (size_t)4 << 30;
  if (!filled.max_junk_bytes) filled.max_junk_bytes = TB_JUNK_MAX;
  struct tb_packet_reader *reader = tb_calloc(filled.allocator, sizeof(*reader));
  if (!reader) {
    *status = tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
    return NULL;
  }
  reader->options = filled;
  tb_guard_init(&reader->guard, filled.allocator);
  reader->allocator = &reader->guard.allocator;
  tb_buffer_init(&reader->window, reader->allocator, 0);
  tb_trace_state_init(&reader->state, reader->allocator, filled.max_interned_bytes, lose, reader, &reader->error);
  reader->state.keep_interned = reader->state.keep_defaults = filled.keep_interned;
  return reader;
}

/* Takes over what opening the input came to. */
static enum tb_status finish(struct tb_packet_reader *reader, enum tb_status status, const char *name,
                             struct tb_packet_reader **out, struct tb_error *error) {
  if (status == TB_OK) {
    tb_packet_tokenizer_init(&reader->stream, reader->allocator, reader->input, reader->options.max_record_bytes, lose,
                             reader, &reader->error);
    reader->stream.max_junk = reader->options.max_junk_bytes;
    *out = reader;
    return TB_OK;
  }
  tb_error_set_file(&reader->error, name);
  if (error && error->code == TB_OK) *error = reader->error;
  tb_packet_reader_close(reader);
  return status;
}

enum tb_status tb_packet_reader_open(const char *path, const struct tb_reader_options *options,
                                     struct tb_packet_reader **out, struct tb_error *error) {
  enum tb_status status = tb_check_open(path, out, error);
  if (!out) return status;
  *out = NULL;
  struct tb_packet_reader *reader = status == TB_OK ? create(options, &status, error) : NULL;
  if (!reader) return status;
  status = tb_input_open(path, reader->options.allocator, reader->options.threads, &reader->input, &reader->error);
  return finish(reader, status, path, out, error);
}

enum tb_status tb_packet_reader_create_feed(const char *name, const struct tb_reader_options *options,
                                            struct tb_packet_reader **out, struct tb_error *error) {
  enum tb_status status = tb_check_open(name, out, error);
  if (!out) return status;
  *out = NULL;
  struct tb_packet_reader *reader = status == TB_OK ? create(options, &status, error) : NULL;
  if (!reader) return status;
  status = tb_input_create_feed(name, reader->options.allocator, &reader->input, &reader->error);
  return finish(reader, status, name, out, error);
}

enum tb_status tb_packet_reader_feed(struct tb_packet_reader *reader, const void *data, size_t len) {
  if (!reader || (!data && len)) return TB_INVALID;
  return tb_input_feed(reader->input, data, len);
}

void tb_packet_reader_feed_end(struct tb_packet_reader *reader) {
  if (reader) tb_input_feed_end(reader->input);
}

static enum tb_status refill(struct tb_packet_reader *reader) {
  struct tb_packet_tokenizer *stream = &reader->stream;
  enum tb_status status = tb_packet_tokenizer_collect(stream);
  if (status != TB_OK) return status;
  size_t size = stream->needed > WINDOW_BYTES ? stream->needed : WINDOW_BYTES;
  if (tb_buffer_reserve(&reader->window, size) != TB_OK) {
    return tb_fail(&reader->error, TB_NO_MEMORY, stream->offset, "out of memory");
  }
  return tb_packet_tokenizer_refill(stream, reader->window.data, reader->window.capacity);
}

static struct tb_str kind_name(struct tb_packet_reader *reader, uint32_t kind) {
  if (reader->named_kind != kind) {
    reader->named_kind = kind;
    reader->kind_name = tb_packet_kind_name(kind);
  }
  return reader->kind_name;
}

const struct tb_packet_header *tb_packet_reader_header(const struct tb_packet_reader *reader) { return &reader->head; }

static enum tb_status give(struct tb_packet_reader *reader, const struct tb_packet **packet) {
  const struct tb_packet_header *head = &reader->head;
  struct tb_packet_context context;
  enum tb_status status = tb_trace_state_apply(&reader->state, head, &context);
  if (status != TB_OK) return status;
  struct tb_packet *to = &reader->packet; /* every member, one by one: a whole struct would be made and then copied */
  to->bytes = head->bytes;
  to->payload = head->payload;
  to->kind_name = kind_name(reader, head->kind);
  to->kind = head->kind;
  to->sequence = head->sequence;
  to->machine = head->machine;
  to->has_timestamp = context.has_ts;
  to->clock_unknown = context.clock_lost;
  to->unreadable = context.unreadable;
  to->lost_before = context.lost_before;
  to->compressed = head->opened;
  to->timestamp = context.ts;
  to->offset = head->offset;
  reader->sequence = context.sequence;
  *packet = &reader->packet;
  return TB_OK;
}

/* ---- by frames alone --------------------------------------------------------------------------------------------- */

/* Whoever writes compressed packets writes nothing before them. */
static TB_ALWAYS_INLINE bool may_be_compressed(struct tb_str bytes) {
  const unsigned zlib = TB_WIRE_TAG2(TB_TRACE_PACKET_COMPRESSED_PACKETS, TB_WIRE_BYTES),
                 zstd = TB_WIRE_TAG2(TB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS, TB_WIRE_BYTES);
  if (bytes.len < 2) return false;
  unsigned tag = (unsigned char)bytes.ptr[0] | (unsigned)(unsigned char)bytes.ptr[1] << 8;
  return tag == zlib || tag == zstd;
}

/* Opens the frame where it holds compressed packets; *opened says so. */
static enum tb_status open_frame(struct tb_packet_reader *reader, const struct tb_packet_frame *frame, bool *opened) {
  struct tb_packet_header *head = &reader->head;
  enum tb_packet_compression compression;
  *opened = tb_packet_header_read(head, frame->bytes) == TB_OK && tb_packet_is_compressed(head->kind, &compression);
  return *opened ? tb_packet_tokenizer_open(&reader->stream, frame, head->payload, compression) : TB_OK;
}

static enum tb_status next_frame(struct tb_packet_reader *reader, const struct tb_packet **packet) {
  struct tb_packet_frame frame;
  bool opened;
  do {
    enum tb_status status = TB_OK;
    opened = false;
    while (!tb_packet_tokenizer_take_frame(&reader->stream, &frame) &&
           (status = tb_packet_tokenizer_frame(&reader->stream, &frame)) == TB_AGAIN) {
      status = refill(reader);
      if (status != TB_OK) break;
    }
    if (status == TB_OK && may_be_compressed(frame.bytes)) status = open_frame(reader, &frame, &opened);
    if (status != TB_OK) return status;
  } while (opened);
  reader->packet.bytes = frame.bytes;
  reader->packet.compressed = frame.opened;
  reader->packet.offset = frame.offset;
  *packet = &reader->packet;
  return TB_OK;
}

static enum tb_status next_resolved(struct tb_packet_reader *reader, const struct tb_packet **packet) {
  enum tb_status status;
  while ((status = tb_packet_tokenizer_next(&reader->stream, &reader->head)) == TB_AGAIN) {
    status = refill(reader);
    if (status != TB_OK) break;
  }
  return status == TB_OK ? give(reader, packet) : status;
}

enum tb_status tb_packet_next(struct tb_packet_reader *reader, const struct tb_packet **packet) {
  if (!reader || !packet) return TB_INVALID;
  if (reader->error.code != TB_OK) return reader->error.code;
  enum tb_status status = reader->options.framing_only ? next_frame(reader, packet) : next_resolved(reader, packet);
  status = tb_guard_settle(&reader->guard, status, &reader->error);
  if (status == TB_OK && !reader->has_read) {
    reader->has_read = true;
    reader->stream.max_junk = 0;
  }
  if (status == TB_END && !reader->has_read) status = tb_packet_tokenizer_end(&reader->stream, &reader->losses);
  if (status == TB_END && !reader->has_read)
    status = tb_losses_end(&reader->losses, tb_format_name(TB_FORMAT_PERFETTO),
                           reader->options.format != TB_FORMAT_UNKNOWN, &reader->error);
  if (reader->error.code != TB_OK) tb_error_set_file(&reader->error, tb_input_name(reader->input));
  return status;
}

bool tb_packet_interned(const struct tb_packet_reader *reader, uint32_t field, uint64_t iid, struct tb_str *entry) {
  if (entry) *entry = (struct tb_str){NULL, 0};
  if (!reader || !entry || !reader->sequence || !reader->options.keep_interned) return false;
  const struct tb_str *found = tb_sequence_interned(reader->sequence, field, iid);
  if (found) *entry = *found;
  return found != NULL;
}

struct tb_str tb_packet_defaults(const struct tb_packet_reader *reader) {
  const struct tb_sequence_state *sequence = reader ? reader->sequence : NULL;
  return sequence ? sequence->extras->packet_defaults : (struct tb_str){NULL, 0};
}

const struct tb_loss *tb_packet_reader_losses(const struct tb_packet_reader *reader, size_t *count) {
  size_t losses = reader ? reader->losses.count : 0;
  if (count) *count = losses;
  return losses ? reader->losses.entries : NULL;
}

uint64_t tb_packet_reader_bytes_read(const struct tb_packet_reader *reader) {
  return reader ? tb_input_bytes_read(reader->input) : 0;
}

uint64_t tb_packet_reader_size(const struct tb_packet_reader *reader) {
  return reader ? tb_input_size(reader->input) : 0;
}

const struct tb_error *tb_packet_reader_error(const struct tb_packet_reader *reader) {
  return reader ? &reader->error : &tb_error_of_null;
}

void tb_packet_reader_close(struct tb_packet_reader *reader) {
  if (!reader) return;
  tb_packet_tokenizer_free(&reader->stream);
  tb_trace_state_free(&reader->state);
  tb_buffer_free(&reader->window);
  if (reader->input) tb_input_close(reader->input);
  tb_free(reader->options.allocator, reader, sizeof(*reader));
}
