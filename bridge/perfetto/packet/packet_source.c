/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_source.h"

#include <zlib.h>
#include <zstd.h>

#include "base/error.h"

enum { READ_STEP = 64 * 1024, OPEN_STEP = 512 * 1024 };

void tb_packet_source_init(struct tb_packet_source *source, const struct tb_allocator *allocator,
                           struct tb_input *input, size_t max_opened) {
  if (max_opened > TB_PACKET_OPENED_MAX) max_opened = TB_PACKET_OPENED_MAX;
  *source = (struct tb_packet_source){.input = input, .max_opened = max_opened};
  tb_buffer_init(&source->carry, allocator, 0);
  tb_buffer_init(&source->opened, allocator, max_opened);
}

void tb_packet_source_free(struct tb_packet_source *source) {
  tb_buffer_free(&source->carry);
  tb_buffer_free(&source->opened);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static void read_opened(struct tb_packet_source *source, char *to, size_t capacity, size_t *got) {
  *got = smaller(capacity, source->opened.len - source->opened_at);
  memcpy(to, source->opened.data + source->opened_at, *got);
  source->opened_at += *got;
}

/* One read; *got is 0 with TB_OK at the end of the input. */
static enum tb_status read_input(struct tb_packet_source *source, char *to, size_t capacity, size_t *got,
                                 struct tb_error *error) {
  *got = 0;
  if (source->at_end) return TB_OK;
  enum tb_status status = tb_input_read(source->input, to, capacity, got, error);
  if (status == TB_OK || status == TB_AGAIN) return status;
  *got = 0;
  source->at_end = status == TB_END || status == TB_TRUNCATED;
  source->cut_short = status == TB_TRUNCATED;
  return source->at_end ? TB_OK : status;
}

/* Bytes arrive at the carry as long as there are too few for the reader, so that a packet fed in small pieces is not
 * copied again and again. */
static enum tb_status fill_carry(struct tb_packet_source *source, size_t needed, struct tb_error *error) {
  while (source->carry.len > 0 && source->carry.len < needed && !source->at_end) {
    size_t got;
    if (tb_buffer_reserve(&source->carry, smaller(READ_STEP, needed)) != TB_OK) {
      return tb_fail(error, TB_NO_MEMORY, source->offset, "out of memory");
    }
    enum tb_status status = read_input(source, source->carry.data + source->carry.len,
                                       source->carry.capacity - source->carry.len, &got, error);
    if (status != TB_OK) return status;
    source->carry.len += got;
  }
  return TB_OK;
}

enum tb_status tb_packet_source_collect(struct tb_packet_source *source, size_t *needed, struct tb_error *error) {
  enum tb_status status = fill_carry(source, *needed, error);
  if (status == TB_OK && source->at_end && source->carry.len < *needed)
    *needed = source->carry.len ? source->carry.len : 1;
  return status;
}

static void take_carry(struct tb_packet_source *source, char *to, size_t capacity, size_t *got) {
  *got = smaller(capacity, source->carry.len);
  if (*got == 0) return;
  memcpy(to, source->carry.data, *got);
  source->carry.len -= *got;
  memmove(source->carry.data, source->carry.data + *got, source->carry.len);
}

enum tb_status tb_packet_source_read(struct tb_packet_source *source, char *to, size_t capacity, size_t needed,
                                     size_t *got, uint64_t *offset, struct tb_error *error) {
  if (source->opened_at < source->opened.len) {
    *offset = source->opened_offset;
    read_opened(source, to, capacity, got);
    return TB_OK;
  }
  source->opened.len = source->opened_at = 0;
  enum tb_status status = fill_carry(source, needed, error);
  if (status != TB_OK) return status;
  take_carry(source, to, capacity, got);
  while (*got < capacity) {
    size_t more;
    status = read_input(source, to + *got, capacity - *got, &more, error);
    if (status == TB_AGAIN && *got >= needed && *got > 0) break;
    if (status != TB_OK) {
      /* what was read so far must not be lost; memory for it was there a moment ago */
      if (tb_buffer_append(&source->carry, to, *got) != TB_OK) return tb_fail(error, TB_NO_MEMORY, 0, "out of memory");
      return status;
    }
    if (more == 0) break;
    *got += more;
    if (*got >= needed && *got >= READ_STEP) break;
  }
  if (*got == 0) return TB_END;
  *offset = source->offset;
  source->offset += *got;
  return TB_OK;
}

enum tb_status tb_packet_source_unread(struct tb_packet_source *source, const char *bytes, size_t len) {
  if (tb_packet_source_is_open(source)) {
    source->opened_at -= len;
    return TB_OK;
  }
  size_t after = source->carry.len;
  if (len == 0) return TB_OK;
  if (tb_buffer_reserve(&source->carry, len) != TB_OK) return TB_NO_MEMORY;
  memmove(source->carry.data + len, source->carry.data, after);
  memcpy(source->carry.data, bytes, len);
  source->carry.len += len;
  source->offset -= len;
  return TB_OK;
}

static enum tb_status reserve_opened(struct tb_packet_source *source) {
  if (source->opened.len == source->limit) return TB_LIMIT;
  return tb_buffer_reserve(&source->opened, smaller(OPEN_STEP, source->limit - source->opened.len));
}

static enum tb_status open_zlib(struct tb_packet_source *source, struct tb_str compressed) {
  z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)compressed.ptr, .avail_in = (uInt)compressed.len};
  if (inflateInit(&z) != Z_OK) return TB_NO_MEMORY;
  enum tb_status status = TB_OK;
  int result = Z_OK;
  while (result == Z_OK) {
    status = reserve_opened(source);
    if (status != TB_OK) break;
    size_t room = smaller(smaller(source->opened.capacity, source->limit) - source->opened.len, OPEN_STEP);
    z.next_out = (Bytef *)source->opened.data + source->opened.len;
    z.avail_out = (uInt)room;
    result = inflate(&z, Z_NO_FLUSH);
    source->opened.len += room - z.avail_out;
  }
  inflateEnd(&z);
  if (status != TB_OK) return status;
  return result == Z_STREAM_END ? TB_OK : result == Z_MEM_ERROR ? TB_NO_MEMORY : TB_BAD_DATA;
}

static enum tb_status open_zstd(struct tb_packet_source *source, struct tb_str compressed) {
  ZSTD_DStream *stream = ZSTD_createDStream();
  if (!stream) return TB_NO_MEMORY;
  ZSTD_inBuffer in = {compressed.ptr, compressed.len, 0};
  enum tb_status status = TB_OK;
  size_t left = 1;
  bool stalled = false;
  while (status == TB_OK && left != 0 && !stalled) {
    status = reserve_opened(source);
    if (status != TB_OK) break;
    ZSTD_outBuffer out = {source->opened.data, smaller(source->opened.capacity, source->limit), source->opened.len};
    size_t before = in.pos;
    left = ZSTD_decompressStream(stream, &out, &in);
    if (ZSTD_isError(left)) break;
    stalled = out.pos == source->opened.len && in.pos == before;
    source->opened.len = out.pos;
    if (left == 0 && in.pos < in.size) left = 1; /* another frame follows */
  }
  ZSTD_freeDStream(stream);
  return status != TB_OK ? status : left == 0 ? TB_OK : TB_BAD_DATA;
}

enum tb_status tb_packet_source_open(struct tb_packet_source *source, struct tb_str compressed,
                                     enum tb_packet_compression compression, uint64_t offset) {
  source->opened.len = source->opened_at = 0;
  source->opened_offset = offset;
  if (compressed.len == 0 || compressed.len > UINT32_MAX) return TB_BAD_DATA;
  source->total_stored += compressed.len;
  uint64_t most = TB_PACKET_OPENED_FREE + source->total_stored * TB_PACKET_OPENED_RATIO - source->total_opened;
  source->limit = most < source->max_opened ? (size_t)most : source->max_opened;
  enum tb_status status = compression == TB_PACKET_ZLIB ? open_zlib(source, compressed) : open_zstd(source, compressed);
  source->total_opened += source->opened.len;
  return status;
}
