/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening what compressed packets hold.
 */
#ifndef TB_MERGE_INFLATE_H
#define TB_MERGE_INFLATE_H

#include "base/memory.h"

/* Appends the decompressed bytes to `out`. TB_OK; TB_BAD_DATA; TB_LIMIT when out's maximum is reached; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_inflate_packets_zlib(struct tb_slice bytes, struct tb_buffer *out);
TB_MUST_CHECK enum tb_status tb_inflate_packets_zstd(struct tb_slice bytes, struct tb_buffer *out);

#endif
