/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/encode/packet_sink.h"

#include <zlib.h>

#include "base/error.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum {
  CHUNK_BYTES = 500 * 1024, /* of packets in one compressed_packets: readers expect less than 512 KiB */
  LARGEST_BYTES = 16 << 20  /* a larger packet is not compressed: readers would have to hold it twice */
};

void tb_packet_sink_init(struct tb_packet_sink *sink, struct tb_output *output, bool compress, uint32_t machine,
                         const struct tb_allocator *allocator, struct tb_error *error) {
  *sink = (struct tb_packet_sink){.output = output, .error = error, .compress = compress, .machine = machine};
  tb_buffer_init(&sink->whole, allocator, 0);
  tb_buffer_init(&sink->plain, allocator, 0);
  tb_buffer_init(&sink->compressed, allocator, 0);
}

void tb_packet_sink_free(struct tb_packet_sink *sink) {
  if (!sink->plain.allocator) return;
  tb_buffer_free(&sink->whole);
  tb_buffer_free(&sink->plain);
  tb_buffer_free(&sink->compressed);
}

static enum tb_status no_memory(struct tb_packet_sink *sink) {
  return tb_fail(sink->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

static enum tb_status write_compressed(struct tb_packet_sink *sink, int level) {
  uLongf len = compressBound((uLong)sink->plain.len);
  sink->compressed.len = 0;
  if (tb_buffer_reserve(&sink->compressed, len) != TB_OK) return no_memory(sink);
  if (compress2((Bytef *)sink->compressed.data, &len, (const Bytef *)sink->plain.data, (uLong)sink->plain.len, level) !=
      Z_OK)
    return no_memory(sink);
  sink->plain.len = 0;
  char head[4 * TB_WIRE_VARINT_MAX], field[2 * TB_WIRE_VARINT_MAX];
  size_t field_len =
      (size_t)(tb_wire_put_varint(tb_wire_put_tag(field, TB_TRACE_PACKET_COMPRESSED_PACKETS, TB_WIRE_BYTES), len) -
               field);
  char *end = tb_wire_put_varint(tb_wire_put_tag(head, TB_TRACE_PACKET, TB_WIRE_BYTES), field_len + len);
  memcpy(end, field, field_len);
  enum tb_status status = tb_output_write(sink->output, head, (size_t)(end - head) + field_len, sink->error);
  return status == TB_OK ? tb_output_write(sink->output, sink->compressed.data, len, sink->error) : status;
}

enum tb_status tb_packet_sink_flush(struct tb_packet_sink *sink) {
  return sink->plain.len ? write_compressed(sink, Z_DEFAULT_COMPRESSION) : TB_OK;
}

static enum tb_status put_parts(struct tb_packet_sink *sink, const char *head, size_t head_len, struct tb_str tail) {
  enum tb_status status = tb_output_write(sink->output, head, head_len, sink->error);
  return status == TB_OK ? tb_output_write(sink->output, tail.ptr, tail.len, sink->error) : status;
}

static enum tb_status collect(struct tb_packet_sink *sink, const char *head, size_t head_len, struct tb_str tail) {
  if (sink->plain.len + head_len + tail.len > CHUNK_BYTES) {
    enum tb_status status = tb_packet_sink_flush(sink);
    if (status != TB_OK) return status;
    if (head_len + tail.len > LARGEST_BYTES) return put_parts(sink, head, head_len, tail);
  }
  if (tb_buffer_append(&sink->plain, head, head_len) != TB_OK ||
      tb_buffer_append(&sink->plain, tail.ptr, tail.len) != TB_OK)
    return no_memory(sink);
  return sink->plain.len > CHUNK_BYTES ? tb_packet_sink_flush(sink) : TB_OK; /* a packet of its own */
}

char *tb_packet_sink_reserve(struct tb_packet_sink *sink, size_t len) {
  if (sink->compress || sink->machine || len > TB_PACKET_LARGE) return NULL;
  return tb_output_reserve(sink->output, len, sink->error);
}

void tb_packet_sink_commit(struct tb_packet_sink *sink, size_t len) { tb_output_commit(sink->output, len); }

static enum tb_status put_whole(struct tb_packet_sink *sink, const char *head, size_t head_len, struct tb_str tail) {
  if (sink->compress) return collect(sink, head, head_len, tail);
  if (head_len + tail.len > LARGEST_BYTES) return put_parts(sink, head, head_len, tail);
  if (head_len + tail.len > TB_PACKET_LARGE) {
    if (tb_buffer_append(&sink->plain, head, head_len) != TB_OK ||
        tb_buffer_append(&sink->plain, tail.ptr, tail.len) != TB_OK)
      return no_memory(sink);
    return write_compressed(sink, Z_BEST_SPEED);
  }
  char *at = tb_output_reserve(sink->output, head_len + tail.len, sink->error);
  if (!at) return sink->error->code;
  memcpy(at, head, head_len);
  if (tail.len) memcpy(at + head_len, tail.ptr, tail.len);
  tb_output_commit(sink->output, head_len + tail.len);
  return TB_OK;
}

/* Puts the packet's fields behind the id of the machine. */
static enum tb_status put_of_machine(struct tb_packet_sink *sink, const char *head, size_t head_len,
                                     struct tb_str tail) {
  char machine[2 * TB_WIRE_VARINT_MAX], start[2 * TB_WIRE_VARINT_MAX];
  size_t machine_len = (size_t)(tb_wire_put_uint(machine, TB_TRACE_PACKET_MACHINE_ID, sink->machine) - machine);
  uint64_t len;
  const char *fields = tb_wire_read_varint(head + 1, head + head_len, &len); /* behind the tag, which is one byte */
  if (!fields) return tb_fail(sink->error, TB_BAD_DATA, TB_NO_OFFSET, "a packet without its length");
  size_t fields_len = head_len - (size_t)(fields - head);
  char *end =
      tb_wire_put_varint(tb_wire_put_tag(start, TB_TRACE_PACKET, TB_WIRE_BYTES), machine_len + fields_len + tail.len);
  sink->whole.len = 0;
  if (tb_buffer_append(&sink->whole, start, (size_t)(end - start)) != TB_OK ||
      tb_buffer_append(&sink->whole, machine, machine_len) != TB_OK ||
      tb_buffer_append(&sink->whole, fields, fields_len) != TB_OK ||
      tb_buffer_append(&sink->whole, tail.ptr, tail.len) != TB_OK)
    return no_memory(sink);
  return put_whole(sink, sink->whole.data, sink->whole.len, (struct tb_str){NULL, 0});
}

enum tb_status tb_packet_sink_put(struct tb_packet_sink *sink, const char *head, size_t head_len, struct tb_str tail) {
  return sink->machine ? put_of_machine(sink, head, head_len, tail) : put_whole(sink, head, head_len, tail);
}

enum tb_status tb_packet_sink_put_fields(struct tb_packet_sink *sink, struct tb_str fields) {
  char head[2 * TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_varint(tb_wire_put_tag(head, TB_TRACE_PACKET, TB_WIRE_BYTES), fields.len);
  return tb_packet_sink_put(sink, head, (size_t)(end - head), fields);
}

enum tb_status tb_packet_sink_put_packets(struct tb_packet_sink *sink, struct tb_str packets) {
  if (!sink->compress && !sink->machine) return tb_output_write(sink->output, packets.ptr, packets.len, sink->error);
  struct tb_wire_cursor cursor = tb_wire_cursor(packets);
  struct tb_wire_field packet;
  enum tb_status status;
  while ((status = tb_wire_next(&cursor, &packet)) == TB_OK) {
    size_t len = (size_t)(cursor.at - packet.start);
    status = sink->machine ? put_of_machine(sink, packet.start, len, (struct tb_str){NULL, 0})
                           : collect(sink, packet.start, len, (struct tb_str){NULL, 0});
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : status;
}
