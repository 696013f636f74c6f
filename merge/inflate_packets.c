/* SPDX-License-Identifier: Apache-2.0 */
#include "inflate_packets.h"

#include <zlib.h>
#include <zstd.h>

enum { STEP = 256 * 1024 };

static enum tb_status inflate_all(z_stream *z, struct tb_buffer *out) {
  for (;;) {
    enum tb_status status = tb_buffer_reserve(out, STEP);
    if (status != TB_OK) return status;
    z->next_out = (Bytef *)out->data + out->len;
    z->avail_out = STEP;
    int rc = inflate(z, Z_NO_FLUSH);
    out->len += STEP - z->avail_out;
    if (rc == Z_STREAM_END) return TB_OK;
    if (rc != Z_OK || (z->avail_in == 0 && z->avail_out != 0)) return TB_BAD_DATA;
  }
}

enum tb_status tb_inflate_packets_zlib(struct tb_slice bytes, struct tb_buffer *out) {
  z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes.ptr, .avail_in = (uInt)bytes.len};
  if (bytes.len > UINT32_MAX) return TB_LIMIT;
  if (inflateInit(&z) != Z_OK) return TB_NO_MEMORY;
  enum tb_status status = inflate_all(&z, out);
  (void)inflateEnd(&z);
  return status;
}

enum tb_status tb_inflate_packets_zstd(struct tb_slice bytes, struct tb_buffer *out) {
  ZSTD_DCtx *context = ZSTD_createDCtx();
  if (!context) return TB_NO_MEMORY;
  ZSTD_inBuffer in = {bytes.ptr, bytes.len, 0};
  enum tb_status status = TB_OK;
  size_t rc = 1;
  while (status == TB_OK && (rc != 0 || in.pos < in.size)) {
    status = tb_buffer_reserve(out, STEP);
    if (status != TB_OK) break;
    ZSTD_outBuffer to = {out->data + out->len, STEP, 0};
    rc = ZSTD_decompressStream(context, &to, &in);
    out->len += to.pos;
    if (ZSTD_isError(rc) || (rc != 0 && in.pos == in.size && to.pos < to.size)) status = TB_BAD_DATA;
  }
  (void)ZSTD_freeDCtx(context);
  return status;
}
