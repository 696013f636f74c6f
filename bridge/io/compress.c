/* SPDX-License-Identifier: Apache-2.0 */
#include "io/compress.h"

#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"

enum { GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8 }; /* zlib's way to ask for the gzip format, and its default */
enum { AT_ONCE_BYTES = 1 << 30 };                /* zlib counts in 32 bits */
enum { ZSTD_LEVEL = 1 }; /* traces become about as small as by 3, the default, in two thirds of the time */

struct tb_compressor {
  const struct tb_allocator *allocator;
  bool deflating;
  z_stream z;
  ZSTD_CCtx *zstd;
};

static bool start_gzip(struct tb_compressor *c) {
  c->deflating =
      deflateInit2(&c->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
  return c->deflating;
}

static bool start_zstd(struct tb_compressor *c) {
  c->zstd = ZSTD_createCCtx();
  return c->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
         !ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_checksumFlag, 1));
}

struct tb_compressor *tb_compressor_create(enum tb_compression kind, const struct tb_allocator *allocator) {
  struct tb_compressor *c = tb_calloc(allocator, sizeof(*c));
  if (!c) return NULL;
  c->allocator = allocator;
  if (kind == TB_COMPRESSION_GZIP ? start_gzip(c) : start_zstd(c)) return c;
  tb_compressor_destroy(c);
  return NULL;
}

void tb_compressor_destroy(struct tb_compressor *c) {
  if (!c) return;
  if (c->deflating) (void)deflateEnd(&c->z);
  (void)ZSTD_freeCCtx(c->zstd);
  tb_free(c->allocator, c, sizeof(*c));
}

static enum tb_status compress_gzip(struct tb_compressor *c, const char **in, const char *end, bool ends, char *out,
                                    size_t capacity, size_t *got, bool *done) {
  size_t len = (size_t)(end - *in);
  bool all = len <= AT_ONCE_BYTES;
  c->z.next_in = (Bytef *)(uintptr_t)*in;
  c->z.avail_in = (uInt)(all ? len : AT_ONCE_BYTES);
  c->z.next_out = (Bytef *)out;
  c->z.avail_out = (uInt)capacity;
  int result = deflate(&c->z, ends && all ? Z_FINISH : Z_NO_FLUSH);
  *in = (const char *)c->z.next_in;
  *got = capacity - c->z.avail_out;
  *done = ends ? result == Z_STREAM_END : *in == end && c->z.avail_out != 0;
  return TB_OK;
}

static enum tb_status compress_zstd(struct tb_compressor *c, const char **in, const char *end, bool ends, char *out,
                                    size_t capacity, size_t *got, bool *done) {
  ZSTD_inBuffer input = {*in, (size_t)(end - *in), 0};
  ZSTD_outBuffer output = {out, capacity, 0};
  size_t left = ZSTD_compressStream2(c->zstd, &output, &input, ends ? ZSTD_e_end : ZSTD_e_continue);
  *in += input.pos;
  *got = output.pos;
  *done = ends ? left == 0 : *in == end;
  return ZSTD_isError(left) ? TB_NO_MEMORY : TB_OK;
}

enum tb_status tb_compress(struct tb_compressor *c, const char **in, const char *end, bool ends, char *out,
                           size_t capacity, size_t *got, bool *done) {
  return c->deflating ? compress_gzip(c, in, end, ends, out, capacity, got, done)
                      : compress_zstd(c, in, end, ends, out, capacity, got, done);
}
