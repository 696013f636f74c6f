/* SPDX-License-Identifier: Apache-2.0 */
#include "packets.h"

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "inflate_packets.h"
#include "perfetto/wire.h"

enum { PACKET_FIELD = 1, COMPRESSED_FIELD = 50, ZSTD_FIELD = 133, DEFAULT_BUFFER = 1 << 20 };
enum { FRAME_MAX = 256 << 20 }; /* bytes of one packet, compressed or not */

struct tb_packets {
  const struct tb_allocator *allocator;
  char *path;
  struct tb_input *input; /* NULL between reads, where close_between */
  bool close_between, keep_compressed, at_end, cut;
  struct tb_buffer buffer; /* [at, buffer.len) is read but not used */
  size_t at, step;
  uint64_t offset;         /* of buffer.data + at */
  struct tb_buffer opened; /* contents of the current compressed packet */
  struct tb_wire_cursor inner;
  uint64_t inner_offset, undecodable, first_undecodable;
  enum tb_status failed;
};

/* Bytes of the decompressed file that were read. */
static uint64_t read_so_far(const struct tb_packets *p) { return p->offset + (p->buffer.len - p->at); }

static enum tb_status open_input(struct tb_packets *p, struct tb_error *error) {
  enum tb_status status = tb_input_open(p->path, p->allocator, 1, &p->input, error);
  if (status != TB_OK || !p->close_between) return status;
  const char *head;
  size_t got;
  status = tb_input_peek(p->input, &head, 1, &got, error); /* tells whether it is a plain file */
  if (status != TB_OK) return TB_OK;                       /* the first read says it too */
  return read_so_far(p) ? tb_input_seek(p->input, read_so_far(p), error) : TB_OK;
}

static void lend_descriptor(struct tb_packets *p) {
  if (!p->close_between || !p->input || !tb_input_can_rewind(p->input)) return;
  tb_input_close(p->input);
  p->input = NULL;
}

enum tb_status tb_packets_open(const char *path, const struct tb_packets_options *options, struct tb_packets **packets,
                               struct tb_error *error) {
  const struct tb_allocator *a = options && options->allocator ? options->allocator : tb_default_allocator();
  *packets = NULL;
  struct tb_packets *p = tb_calloc(a, sizeof(*p));
  size_t size = strlen(path) + 1;
  char *copy = tb_alloc(a, size);
  if (!p || !copy) {
    tb_free(a, p, sizeof(*p));
    tb_free(a, copy, size);
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  }
  memcpy(copy, path, size);
  p->allocator = a;
  p->path = copy;
  p->step = options && options->buffer_bytes ? options->buffer_bytes : DEFAULT_BUFFER;
  p->keep_compressed = options && options->keep_compressed;
  p->close_between = options && options->close_between;
  tb_buffer_init(&p->buffer, a, (size_t)FRAME_MAX + p->step + 32);
  tb_buffer_init(&p->opened, a, FRAME_MAX);
  enum tb_status status = open_input(p, error);
  if (status != TB_OK) {
    tb_packets_close(p);
    return status;
  }
  lend_descriptor(p);
  *packets = p;
  return TB_OK;
}

/* Reads more, moving what is left to the front. TB_OK also at the end of the file (at_end is set). */
static enum tb_status refill(struct tb_packets *p, struct tb_error *error) {
  if (!p->input) {
    enum tb_status status = open_input(p, error);
    if (status != TB_OK) return status;
  }
  size_t left = p->buffer.len - p->at;
  if (p->at) memmove(p->buffer.data, p->buffer.data + p->at, left);
  p->buffer.len = left;
  p->at = 0;
  size_t want = left >= p->step ? left : p->step; /* doubling for packets longer than a step */
  enum tb_status status = tb_buffer_reserve(&p->buffer, want);
  if (status != TB_OK) return tb_fail(error, status, p->offset, "a packet is too long to be held");
  size_t got = 0;
  status = tb_input_read(p->input, p->buffer.data + left, want, &got, error);
  p->buffer.len += got;
  lend_descriptor(p);
  if (status == TB_END) p->at_end = true;
  if (status == TB_TRUNCATED) p->at_end = p->cut = true;
  return status == TB_END || status == TB_TRUNCATED ? TB_OK : status;
}

/* The next field of the file itself. */
static enum tb_status next_outer(struct tb_packets *p, struct tb_wire_field *field, struct tb_error *error) {
  for (;;) {
    struct tb_wire_cursor cursor = {p->buffer.data + p->at, p->buffer.data + p->buffer.len};
    enum tb_status status = p->at == p->buffer.len ? TB_TRUNCATED : tb_wire_read(&cursor, field);
    if (status == TB_OK) {
      size_t used = (size_t)(cursor.at - (p->buffer.data + p->at));
      p->at += used;
      p->offset += used;
      return TB_OK;
    }
    if (status != TB_TRUNCATED) return tb_fail(error, status, p->offset, "bytes that are no packet");
    if (p->at_end) {
      if (p->at == p->buffer.len && !p->cut) return TB_END;
      return tb_fail(error, TB_TRUNCATED, p->offset, "the file ends inside a packet");
    }
    status = refill(p, error);
    if (status != TB_OK) return status;
  }
}

/* Where the packet is a compressed one, opens it; false where it is not or cannot be opened. */
static bool descend(struct tb_packets *p, const struct tb_raw_packet *packet) {
  struct tb_wire_cursor cursor = tb_wire_cursor(packet->packet);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES || (field.number != COMPRESSED_FIELD && field.number != ZSTD_FIELD)) continue;
    p->opened.len = 0;
    enum tb_status status = field.number == ZSTD_FIELD ? tb_inflate_packets_zstd(field.bytes, &p->opened)
                                                       : tb_inflate_packets_zlib(field.bytes, &p->opened);
    if (status == TB_OK) {
      p->inner = (struct tb_wire_cursor){p->opened.data, p->opened.data + p->opened.len};
      p->inner_offset = packet->offset;
      return true;
    }
    if (p->undecodable++ == 0) p->first_undecodable = packet->offset;
    return false;
  }
  return false;
}

static void give(struct tb_raw_packet *packet, const struct tb_wire_field *field, const char *end, uint64_t offset,
                 bool inner) {
  packet->framed = (struct tb_slice){field->start, (size_t)(end - field->start)};
  bool is_packet = field->number == PACKET_FIELD && field->type == TB_WIRE_BYTES;
  packet->packet = is_packet ? field->bytes : (struct tb_slice){NULL, 0};
  packet->offset = offset;
  packet->inner = inner;
}

static bool next_inner(struct tb_packets *p, struct tb_raw_packet *packet) {
  if (p->inner.at == p->inner.end) return false;
  struct tb_wire_field field;
  if (tb_wire_read(&p->inner, &field) != TB_OK) { /* damage inside: the rest of this one is lost */
    if (p->undecodable++ == 0) p->first_undecodable = p->inner_offset;
    p->inner.at = p->inner.end;
    return false;
  }
  give(packet, &field, p->inner.at, p->inner_offset, true);
  return true;
}

static enum tb_status next(struct tb_packets *p, struct tb_raw_packet *packet, struct tb_error *error) {
  for (;;) {
    if (next_inner(p, packet)) return TB_OK;
    struct tb_wire_field field = {0};
    uint64_t offset = p->offset;
    enum tb_status status = next_outer(p, &field, error);
    if (status != TB_OK) return status;
    give(packet, &field, p->buffer.data + p->at, offset, false);
    if (p->keep_compressed || !packet->packet.ptr || !descend(p, packet)) return TB_OK;
  }
}

enum tb_status tb_packets_next(struct tb_packets *p, struct tb_raw_packet *packet, struct tb_error *error) {
  if (p->failed == TB_OK) p->failed = next(p, packet, error);
  if (p->failed != TB_OK && p->failed != TB_END) tb_error_set_file(error, p->path);
  return p->failed;
}

uint64_t tb_packets_offset(const struct tb_packets *p) { return p->offset; }

uint64_t tb_packets_undecodable(const struct tb_packets *p, uint64_t *first_offset) {
  *first_offset = p->first_undecodable;
  return p->undecodable;
}

void tb_packets_close(struct tb_packets *p) {
  if (!p) return;
  tb_input_close(p->input);
  tb_buffer_free(&p->buffer);
  tb_buffer_free(&p->opened);
  tb_free(p->allocator, p->path, strlen(p->path) + 1);
  tb_free(p->allocator, p, sizeof(*p));
}
