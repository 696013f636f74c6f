/* SPDX-License-Identifier: Apache-2.0
 *
 * Compression of an output in pieces of any size: one gzip member or zstd frame, with a checksum.
 */
#ifndef TB_IO_COMPRESS_H
#define TB_IO_COMPRESS_H

#include "io/decompress.h"

struct tb_compressor; /* opaque; tb_compressor_create, tb_compressor_destroy */

/* NULL when memory is exhausted. `kind` is not NONE. */
struct tb_compressor *tb_compressor_create(enum tb_compression kind, const struct tb_allocator *allocator);
void tb_compressor_destroy(struct tb_compressor *compressor);

/* Compresses from [*in, end) to `out`; moves *in behind what was used, *got is how much was written. *done: all is used
 * and, where the output `ends` with it, written; else there is to be more room. TB_OK, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_compress(struct tb_compressor *compressor, const char **in, const char *end, bool ends,
                                         char *out, size_t capacity, size_t *got, bool *done);

#endif
