/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/raw_packet_reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "convert/trace_input.h"
#include "io/input.h"
#include "protos/field_numbers.h"

enum { DEFAULT_BUFFER = 256 << 10, PACKET_MAX = 256 << 20 };

struct tb_raw_packet_reader {
  const struct tb_allocator *allocator;
  struct tb_input_place place;
  char *name; /* its own, of the place */
  bool close_between, keep_compressed, only_heads;
  struct tb_packet_tokenizer stream; /* its input is NULL between reads, where close_between */
  struct tb_buffer window;
  size_t step;
  struct tb_losses losses;
  const char *first_loss; /* a constant */
  struct tb_error error;
};

static enum tb_status lose(void *ctx, const char *reason, uint64_t offset) {
  struct tb_raw_packet_reader *p = ctx;
  if (!p->losses.count) p->first_loss = reason;
  tb_losses_add(&p->losses, reason, offset);
  return TB_OK;
}

/* The input goes on where reading was. */
static enum tb_status open_input(struct tb_raw_packet_reader *p) {
  struct tb_input *input = NULL;
  enum tb_status status = tb_trace_input_open(&p->place, p->allocator, 1, NULL, &input, NULL, &p->error);
  p->stream.input = p->stream.source.input = input;
  if (status != TB_OK || !p->close_between) return status;
  const char *head;
  size_t got;
  if (tb_input_peek(input, &head, 1, &got, &p->error) != TB_OK) return TB_OK; /* the first read says it too */
  uint64_t offset = p->stream.source.offset + p->stream.source.carry.len;
  return offset ? tb_input_seek(input, offset, &p->error) : TB_OK;
}

static void lend_descriptor(struct tb_raw_packet_reader *p) {
  if (!p->close_between || !p->stream.input || !tb_input_can_rewind(p->stream.input)) return;
  tb_input_close(p->stream.input);
  p->stream.input = p->stream.source.input = NULL;
}

static enum tb_status refuse(struct tb_raw_packet_reader *p, struct tb_error *error) {
  if (p->error.code == TB_OK) (void)tb_fail(&p->error, TB_IO, p->stream.offset, "cannot go on reading");
  tb_error_set_file(&p->error, p->name);
  if (error && error->code == TB_OK) *error = p->error;
  return p->error.code;
}

enum tb_status tb_raw_packet_reader_open(const struct tb_input_place *place,
                                         const struct tb_raw_packet_reader_options *options,
                                         struct tb_raw_packet_reader **packets, struct tb_error *error) {
  const struct tb_allocator *a = options && options->allocator ? options->allocator : tb_default_allocator();
  *packets = NULL;
  struct tb_raw_packet_reader *p = tb_calloc(a, sizeof(*p));
  size_t size = strlen(place->name) + 1;
  char *copy = tb_alloc(a, size);
  if (!p || !copy) {
    tb_free(a, p, sizeof(*p));
    tb_free(a, copy, size);
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  }
  memcpy(copy, place->name, size);
  p->allocator = a;
  p->place = *place;
  p->place.name = p->name = copy;
  p->first_loss = "";
  p->step = options && options->buffer_bytes ? options->buffer_bytes : DEFAULT_BUFFER;
  p->keep_compressed = options && options->keep_compressed;
  p->close_between = options && options->close_between;
  p->only_heads = options && options->only_heads;
  tb_buffer_init(&p->window, a, 0);
  tb_packet_tokenizer_init(&p->stream, a, NULL, PACKET_MAX, lose, p, &p->error);
  p->stream.give_strange = true;
  p->stream.keeps_window = true;
  p->stream.max_junk = options ? options->max_junk : 0;
  enum tb_status status = open_input(p);
  if (status != TB_OK) {
    (void)refuse(p, error);
    tb_raw_packet_reader_close(p);
    return status;
  }
  lend_descriptor(p);
  *packets = p;
  return TB_OK;
}

static enum tb_status refill(struct tb_raw_packet_reader *p) {
  enum tb_status status = TB_OK;
  if (tb_packet_tokenizer_leave_opened(&p->stream)) return TB_OK;
  if (!p->stream.input && !tb_packet_source_is_open(&p->stream.source)) status = open_input(p);
  if (status == TB_OK) status = tb_packet_tokenizer_collect(&p->stream);
  if (status != TB_OK) return status;
  size_t size = p->stream.needed > p->step ? p->stream.needed : p->step;
  p->window.len = 0;
  if (tb_buffer_reserve(&p->window, size) != TB_OK)
    return tb_fail(&p->error, TB_NO_MEMORY, p->stream.offset, "out of memory");
  status = tb_packet_tokenizer_refill(&p->stream, p->window.data, size);
  lend_descriptor(p);
  return status;
}

/* What is unusual about a packet of a certain frame: *given: it is for the user all the same, else it was opened or
 * is damaged. */
static enum tb_status look_at(struct tb_raw_packet_reader *p, const struct tb_raw_packet *packet, bool damaged,
                              enum tb_packet_compression compression, bool *given) {
  struct tb_packet_frame frame = {packet->framed.ptr, packet->packet, packet->offset, packet->inner};
  *given = true;
  if (damaged) {
    *given = !tb_packet_tokenizer_doubts(&p->stream);
    return *given ? TB_OK : tb_packet_tokenizer_reject(&p->stream, &frame);
  }
  if (p->keep_compressed || frame.opened) return TB_OK;
  *given = false;
  return tb_packet_tokenizer_open(&p->stream, &frame, packet->head.payload, compression);
}

static enum tb_status next_frame(struct tb_raw_packet_reader *p, struct tb_raw_packet *packet) {
  struct tb_packet_frame frame;
  while (!tb_packet_tokenizer_take_frame(&p->stream, &frame)) {
    enum tb_status status = tb_packet_tokenizer_frame(&p->stream, &frame);
    if (status == TB_OK) break;
    if (status == TB_AGAIN) status = refill(p);
    if (status != TB_OK) return status;
  }
  packet->framed = (struct tb_str){frame.start, (size_t)(p->stream.at - frame.start)};
  packet->packet = frame.bytes;
  packet->offset = frame.offset;
  packet->inner = frame.opened;
  return TB_OK;
}

enum tb_status tb_raw_packet_reader_next(struct tb_raw_packet_reader *p, struct tb_raw_packet *packet,
                                         struct tb_error *error) {
  for (;;) {
    enum tb_status status = next_frame(p, packet);
    if (status == TB_OK && !packet->packet.ptr) return TB_OK;
    if (status == TB_OK) {
      enum tb_packet_compression compression;
      bool given, damaged = tb_packet_header_read_to_merge(&packet->head, packet->packet,
                                                           p->only_heads ? NULL : &packet->fields) != TB_OK;
      packet->unreadable = damaged;
      if (!tb_packet_is_compressed(packet->head.kind, &compression) && !damaged) return TB_OK;
      status = look_at(p, packet, damaged, compression, &given);
      if (status == TB_OK && given) return TB_OK;
    }
    if (status == TB_END) return status;
    if (status != TB_OK) return refuse(p, error);
  }
}

uint64_t tb_raw_packet_reader_offset(const struct tb_raw_packet_reader *p) {
  const struct tb_packet_tokenizer *stream = &p->stream;
  if (stream->outer.at) return stream->outer.offset + (uint64_t)(stream->outer.at - stream->outer.start);
  if (stream->at == stream->end) return stream->source.offset;
  return tb_packet_tokenizer_offset(stream, stream->at);
}

uint64_t tb_raw_packet_reader_stored(const struct tb_raw_packet_reader *p) {
  return tb_input_bytes_read(p->stream.input);
}

uint64_t tb_raw_packet_reader_damage(const struct tb_raw_packet_reader *p, uint64_t *first_offset, const char **first) {
  uint64_t count = 0;
  for (size_t i = 0; i < p->losses.count; i++) count += p->losses.entries[i].count;
  *first_offset = count ? p->losses.entries[0].first_offset : 0;
  *first = p->first_loss;
  return count;
}

const struct tb_losses *tb_raw_packet_reader_losses(const struct tb_raw_packet_reader *p) { return &p->losses; }

struct tb_packet_tokenizer *tb_raw_packet_reader_stream(struct tb_raw_packet_reader *p) {
  return &p->stream;
}

void tb_raw_packet_reader_close(struct tb_raw_packet_reader *p) {
  if (!p) return;
  tb_packet_tokenizer_free(&p->stream);
  tb_input_close(p->stream.input);
  tb_buffer_free(&p->window);
  tb_free(p->allocator, p->name, strlen(p->name) + 1);
  tb_free(p->allocator, p, sizeof(*p));
}
