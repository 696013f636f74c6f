/* SPDX-License-Identifier: Apache-2.0
 *
 * Decompression of a stream of members (gzip) or frames (zstd), or of atrace's zlib data, in pieces of any size.
 */
#ifndef TB_IO_DECOMPRESS_H
#define TB_IO_DECOMPRESS_H

#include <stdbool.h>

#include "tracebridge/base.h"

enum tb_compression {
  TB_COMPRESSION_NONE,
  TB_COMPRESSION_GZIP,
  TB_COMPRESSION_ZSTD,
  TB_COMPRESSION_ZLIB, /* as it is, or as atrace writes it, behind text that ends in the line "TRACE:" */
  TB_COMPRESSION_XZ,
  TB_COMPRESSION_BZIP2,
  TB_COMPRESSION_LZ4
};

/* Whether it is libarchive that decompresses it (io/archive.h). */
static inline bool tb_compression_is_foreign(enum tb_compression kind) { return kind >= TB_COMPRESSION_XZ; }

/* Bytes that tb_compression_detect looks at, and more where the data may be text. */
enum { TB_COMPRESSION_MAGIC = 6, TB_COMPRESSION_TEXT = 80 };

/* Whether the data may be text with compressed data behind it, so that more of it tells. */
bool tb_compression_may_be_text(const char *data, size_t len);

/* How data that starts with these bytes is compressed, from its byte *before on. */
enum tb_compression tb_compression_detect(const char *data, size_t len, size_t *before);

struct tb_decompressor; /* opaque; tb_decompressor_create, tb_decompressor_destroy */

/* NULL when memory is exhausted. `kind` is not NONE. */
struct tb_decompressor *tb_decompressor_create(enum tb_compression kind, const struct tb_allocator *allocator);
void tb_decompressor_destroy(struct tb_decompressor *decompressor);

/* Decompresses from [*in, end) to `out`; moves *in behind what was used, *got is how much was written. TB_OK; also when
 * it needs more input to go on (*in is then end and *got less than capacity). TB_TRUNCATED when the data is damaged;
 * what *got says was written before. Bytes of zero behind a member are passed over. */
TB_MUST_CHECK enum tb_status tb_decompress(struct tb_decompressor *decompressor, const char **in, const char *end,
                                           char *out, size_t capacity, size_t *got);

/* True where the input may end: not inside a member. */
bool tb_decompressor_may_end(const struct tb_decompressor *decompressor);

/* ---- one gzip member after the other, by zlib or by isa-l: chosen when building ---------------------------------- */

struct tb_inflater; /* opaque */
enum tb_inflate { TB_INFLATE_MORE, TB_INFLATE_MEMBER_END, TB_INFLATE_BAD };

struct tb_inflater *tb_inflater_create(const struct tb_allocator *allocator);
void tb_inflater_destroy(struct tb_inflater *inflater);

/* Makes it ready for the next member. */
void tb_inflater_reset(struct tb_inflater *inflater);

/* Inflates from [*from, end) as tb_decompress; MORE when input or room ran out. */
enum tb_inflate tb_inflate(struct tb_inflater *inflater, const char **from, const char *end, char *out, size_t capacity,
                           size_t *got);

#endif
