/* SPDX-License-Identifier: Apache-2.0 */
#include <zlib.h>

#include "base/memory.h"
#include "io/decompress.h"

struct tb_inflater {
  const struct tb_allocator *allocator;
  z_stream z;
};

enum { GZIP_WINDOW = 15 + 16 }; /* zlib's way to ask for the gzip format */

struct tb_inflater *tb_inflater_create(const struct tb_allocator *allocator) {
  struct tb_inflater *in = tb_calloc(allocator, sizeof(*in));
  if (!in) return NULL;
  in->allocator = allocator;
  if (inflateInit2(&in->z, GZIP_WINDOW) == Z_OK) return in;
  tb_free(allocator, in, sizeof(*in));
  return NULL;
}

void tb_inflater_destroy(struct tb_inflater *in) {
  (void)inflateEnd(&in->z);
  tb_free(in->allocator, in, sizeof(*in));
}

void tb_inflater_reset(struct tb_inflater *in) { (void)inflateReset(&in->z); }

static uInt at_most(size_t n) { return n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)n; }

enum tb_inflate tb_inflate(struct tb_inflater *inflater, const char **in, const char *end, char *out, size_t capacity,
                           size_t *got) {
  uInt offered = at_most((size_t)(end - *in)), room = at_most(capacity);
  inflater->z.next_in = (Bytef *)(uintptr_t)*in;
  inflater->z.avail_in = offered;
  inflater->z.next_out = (Bytef *)out;
  inflater->z.avail_out = room;
  int rc = inflate(&inflater->z, Z_NO_FLUSH);
  *in += offered - inflater->z.avail_in;
  *got = room - inflater->z.avail_out;
  if (rc == Z_STREAM_END) return TB_INFLATE_MEMBER_END;
  return rc == Z_OK || rc == Z_BUF_ERROR ? TB_INFLATE_MORE : TB_INFLATE_BAD;
}
