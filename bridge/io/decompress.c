/* SPDX-License-Identifier: Apache-2.0 */
#include "io/decompress.h"

#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"

struct tb_decompressor {
  const struct tb_allocator *allocator;
  enum tb_compression kind;
  bool inside; /* a member or frame */
  struct tb_inflater *inflater;
  ZSTD_DStream *zstd;
  bool has_zlib; /* behind its end nothing is looked at */
  z_stream zlib;
};

static bool is_text(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; }

bool tb_compression_may_be_text(const char *data, size_t len) {
  if (len && (data[0] == '{' || data[0] == '[')) return false;
  for (size_t i = 0; i < len; i++)
    if (!is_text(data[i])) return false;
  return len > 0;
}

/* With the usual window, compressed quickly, as usual, or best. What is neither of these starts like text. */
static bool starts_zlib(const char *data, size_t len) {
  return len >= 2 && data[0] == '\x78' && (data[1] == '\x01' || data[1] == '\x9c' || data[1] == '\xda');
}

enum { ATRACE_AHEAD = 4096 }; /* bytes in which that line must be: large files are not searched */

/* Whether the zlib data of atrace is in view: behind the line "TRACE:", which adb may have something in front of. Not
 * compressed, the trace is text there. */
static bool find_atrace(const char *data, size_t len, size_t *before) {
  static const char line[] = "TRACE:\n";
  const char *at = memmem(data, len < ATRACE_AHEAD ? len : ATRACE_AHEAD, line, sizeof(line) - 1);
  if (!at || (at != data && at[-1] != '\n')) return false;
  *before = (size_t)(at - data) + sizeof(line) - 1;
  return starts_zlib(data + *before, len - *before);
}

enum tb_compression tb_compression_detect(const char *data, size_t len, size_t *before) {
  static const struct {
    size_t len;
    const char *bytes;
    enum tb_compression kind;
  } magics[] = {{2, "\x1f\x8b", TB_COMPRESSION_GZIP},
                {4, "\x28\xb5\x2f\xfd", TB_COMPRESSION_ZSTD},
                {6,
                 "\xfd"
                 "7zXZ",
                 TB_COMPRESSION_XZ},
                {3, "BZh", TB_COMPRESSION_BZIP2},
                {4, "\x04\x22\x4d\x18", TB_COMPRESSION_LZ4}};
  for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
    *before = 0;
    if (len >= magics[i].len && memcmp(data, magics[i].bytes, magics[i].len) == 0) return magics[i].kind;
  }
  if (find_atrace(data, len, before)) return TB_COMPRESSION_ZLIB;
  *before = 0;
  if (starts_zlib(data, len)) return TB_COMPRESSION_ZLIB;
  return TB_COMPRESSION_NONE;
}

struct tb_decompressor *tb_decompressor_create(enum tb_compression kind, const struct tb_allocator *allocator) {
  struct tb_decompressor *d = tb_calloc(allocator, sizeof(*d));
  if (!d) return NULL;
  d->allocator = allocator;
  d->kind = kind;
  if (kind == TB_COMPRESSION_GZIP)
    d->inflater = tb_inflater_create(allocator);
  else if (kind == TB_COMPRESSION_ZSTD)
    d->zstd = ZSTD_createDStream();
  else
    d->inside = d->has_zlib = inflateInit(&d->zlib) == Z_OK;
  if (d->inflater || d->zstd || d->has_zlib) return d;
  tb_decompressor_destroy(d);
  return NULL;
}

void tb_decompressor_destroy(struct tb_decompressor *d) {
  if (!d) return;
  if (d->inflater) tb_inflater_destroy(d->inflater);
  if (d->has_zlib) (void)inflateEnd(&d->zlib);
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
      if (**in != '\x1f') return TB_TRUNCATED; /* no member of gzip begins so */
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

static enum tb_status unzlib(struct tb_decompressor *d, const char **in, const char *end, char *out, size_t capacity,
                             size_t *got) {
  enum { AT_ONCE_BYTES = 1 << 30 }; /* zlib counts in 32 bits */
  if (!d->inside) {
    *in = end;
    return TB_OK;
  }
  uInt offered = end - *in < AT_ONCE_BYTES ? (uInt)(end - *in) : AT_ONCE_BYTES;
  uInt room = capacity < AT_ONCE_BYTES ? (uInt)capacity : AT_ONCE_BYTES;
  d->zlib.next_in = (Bytef *)(uintptr_t)*in;
  d->zlib.avail_in = offered;
  d->zlib.next_out = (Bytef *)out;
  d->zlib.avail_out = room;
  int rc = inflate(&d->zlib, Z_NO_FLUSH);
  *in += offered - d->zlib.avail_in;
  *got = room - d->zlib.avail_out;
  if (rc == Z_STREAM_END) d->inside = false;
  return rc == Z_STREAM_END || rc == Z_OK || rc == Z_BUF_ERROR ? TB_OK : TB_TRUNCATED;
}

enum tb_status tb_decompress(struct tb_decompressor *d, const char **in, const char *end, char *out, size_t capacity,
                             size_t *got) {
  *got = 0;
  if (d->has_zlib) return unzlib(d, in, end, out, capacity, got);
  return d->kind == TB_COMPRESSION_GZIP ? gunzip(d, in, end, out, capacity, got)
                                        : unzstd(d, in, end, out, capacity, got);
}
