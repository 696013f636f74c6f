/* SPDX-License-Identifier: Apache-2.0 */
#include "io/decompress.h"

#include <zstd.h>

#include "base/memory.h"

struct tb_decompressor {
  const struct tb_allocator *allocator;
  enum tb_compression kind;
  bool inside; /* a member or frame */
  struct tb_inflater *inflater;
  ZSTD_DStream *zstd;
};

enum tb_compression tb_compression_detect(const char *data, size_t len) {
  static const char zstd[4] = {'\x28', '\xb5', '\x2f', '\xfd'};
  if (len >= 2 && data[0] == '\x1f' && data[1] == '\x8b') return TB_COMPRESSION_GZIP;
  if (len >= 4 && memcmp(data, zstd, 4) == 0) return TB_COMPRESSION_ZSTD;
  return TB_COMPRESSION_NONE;
}

struct tb_decompressor *tb_decompressor_create(enum tb_compression kind, const struct tb_allocator *allocator) {
  struct tb_decompressor *d = tb_calloc(allocator, sizeof(*d));
  if (!d) return NULL;
  d->allocator = allocator;
  d->kind = kind;
  if (kind == TB_COMPRESSION_GZIP)
    d->inflater = tb_inflater_create(allocator);
  else
    d->zstd = ZSTD_createDStream();
  if (d->inflater || d->zstd) return d;
  tb_decompressor_destroy(d);
  return NULL;
}

void tb_decompressor_destroy(struct tb_decompressor *d) {
  if (!d) return;
  if (d->inflater) tb_inflater_destroy(d->inflater);
  (void)ZSTD_freeDStream(d->zstd);
  tb_free(d->allocator, d, sizeof(*d));
}

bool tb_decompressor_may_end(const struct tb_decompressor *d) { return !d->inside; }

static enum tb_status gunzip(struct tb_decompressor *d, const char **in, const char *end, char *out, size_t capacity,
                             size_t *got) {
  while (*got < capacity && (*in < end || d->inside)) {
    if (!d->inside) {
      if (**in == '\0') {
        ++*in;
        continue;
      }
      tb_inflater_reset(d->inflater);
      d->inside = true;
    }
    size_t n = 0;
    const char *before = *in;
    enum tb_inflate state = tb_inflate(d->inflater, in, end, out + *got, capacity - *got, &n);
    *got += n;
    if (state == TB_INFLATE_MORE && n == 0 && *in == before) break; /* needs input */
    if (state == TB_INFLATE_BAD) return TB_TRUNCATED;
    if (state == TB_INFLATE_MEMBER_END) d->inside = false;
  }
  return TB_OK;
}

static enum tb_status unzstd(struct tb_decompressor *d, const char **in, const char *end, char *out, size_t capacity,
                             size_t *got) {
  ZSTD_inBuffer input = {*in, (size_t)(end - *in), 0};
  ZSTD_outBuffer output = {out, capacity, 0};
  size_t left = 0;
  while (output.pos < output.size && (input.pos < input.size || d->inside)) {
    size_t before = input.pos + output.pos;
    left = ZSTD_decompressStream(d->zstd, &output, &input);
    if (ZSTD_isError(left)) break;
    d->inside = left != 0;
    if (input.pos + output.pos == before) break; /* needs input */
  }
  *in += input.pos;
  *got = output.pos;
  return ZSTD_isError(left) ? TB_TRUNCATED : TB_OK;
}

enum tb_status tb_decompress(struct tb_decompressor *d, const char **in, const char *end, char *out, size_t capacity,
                             size_t *got) {
  *got = 0;
  return d->kind == TB_COMPRESSION_GZIP ? gunzip(d, in, end, out, capacity, got)
                                        : unzstd(d, in, end, out, capacity, got);
}
