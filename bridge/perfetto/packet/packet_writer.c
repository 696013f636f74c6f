/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets as they are into a file: each with the tag and the length of Trace.packet before it.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "io/output.h"
#include "io/path.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/packet.h"

enum { FRAME_BYTES = 2 * TB_WIRE_VARINT_MAX };

struct tb_packet_writer {
  const struct tb_allocator *allocator;
  struct tb_output *output;
  bool is_finished;
  struct tb_error error;
};

static enum tb_status open_output(struct tb_packet_writer *writer, const char *name, struct tb_output_place place,
                                  const struct tb_writer_options *options) {
  size_t stem;
  const struct tb_output_options output = {.allocator = writer->allocator,
                                           .compression = tb_path_compression(name, &stem),
                                           .threads = options->threads ? options->threads : 1,
                                           .temporary_name = options->temporary_name,
                                           .temporary_name_ctx = options->temporary_name_ctx,
                                           .place = place};
  enum tb_status status = tb_output_open(name, &output, &writer->output, &writer->error);
  if (status == TB_OK && options->no_clobber) tb_output_keep_existing(writer->output);
  return status;
}

static enum tb_status open_writer(const char *name, struct tb_output_place place,
                                  const struct tb_writer_options *options, struct tb_packet_writer **out,
                                  struct tb_error *error) {
  struct tb_writer_options filled = {.size = sizeof(filled)};
  enum tb_status status = tb_check_open(name, out, error);
  if (!out) return status;
  *out = NULL;
  if (status == TB_OK) status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status != TB_OK) return status;
  const struct tb_allocator *allocator = filled.allocator ? filled.allocator : tb_default_allocator();
  struct tb_packet_writer *writer = tb_calloc(allocator, sizeof(*writer));
  if (!writer) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  writer->allocator = allocator;
  status = open_output(writer, name, place, &filled);
  if (status == TB_OK) {
    *out = writer;
    return TB_OK;
  }
  if (error && error->code == TB_OK) *error = writer->error;
  tb_packet_writer_close(writer);
  return status;
}

enum tb_status tb_packet_writer_open(const char *path, const struct tb_writer_options *options,
                                     struct tb_packet_writer **out, struct tb_error *error) {
  return open_writer(path, (struct tb_output_place){.ctx = NULL}, options, out, error);
}

enum tb_status tb_packet_writer_open_callback(const char *name, tb_write_bytes write_bytes, void *ctx,
                                              const struct tb_writer_options *options, struct tb_packet_writer **out,
                                              struct tb_error *error) {
  if (out) *out = NULL;
  if (!write_bytes) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the function that takes the bytes is NULL");
  return open_writer(name, (struct tb_output_place){.write_bytes = write_bytes, .ctx = ctx}, options, out, error);
}

enum tb_status tb_packet_writer_put(struct tb_packet_writer *writer, struct tb_str bytes) {
  if (!writer || writer->is_finished || (!bytes.ptr && bytes.len)) return TB_INVALID;
  if (writer->error.code != TB_OK) return writer->error.code;
  char frame[FRAME_BYTES];
  const char *end = tb_wire_put_varint(tb_wire_put_tag(frame, TB_TRACE_PACKET, TB_WIRE_BYTES), bytes.len);
  enum tb_status status = tb_output_write(writer->output, frame, (size_t)(end - frame), &writer->error);
  return status == TB_OK ? tb_output_write(writer->output, bytes.ptr, bytes.len, &writer->error) : status;
}

enum tb_status tb_packet_writer_finish(struct tb_packet_writer *writer) {
  if (!writer || writer->is_finished) return TB_INVALID;
  if (writer->error.code != TB_OK) return writer->error.code;
  writer->is_finished = true;
  return tb_output_finish(writer->output, &writer->error);
}

const struct tb_error *tb_packet_writer_error(const struct tb_packet_writer *writer) {
  return writer ? &writer->error : &tb_error_of_null;
}

void tb_packet_writer_close(struct tb_packet_writer *writer) {
  if (!writer) return;
  tb_output_close(writer->output);
  tb_free(writer->allocator, writer, sizeof(*writer));
}
