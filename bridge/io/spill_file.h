/* SPDX-License-Identifier: Apache-2.0
 *
 * The temporary file that chunks and sorted runs spill to: bytes that are appended, and read back in any order.
 */
#ifndef TB_IO_SPILL_FILE_H
#define TB_IO_SPILL_FILE_H

#include "base/memory.h"

struct tb_spill_file; /* opaque; tb_spill_file_create, then tb_spill_file_close */

/* Creates a file without a name in `directory` (NULL: $TMPDIR, else /tmp). Errors: TB_IO, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_spill_file_create(const char *directory, const struct tb_allocator *allocator,
                                                  struct tb_spill_file **file, struct tb_error *error);
/* Appends bytes, buffered. They begin at tb_spill_file_size. TB_OK, TB_IO or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_spill_file_append(struct tb_spill_file *file, const void *data, size_t len,
                                                  struct tb_error *error);
/* Writes bytes and sets *offset to where they are: large ones at once, small ones many in one write. Where that fails,
 * nothing has changed. */
TB_MUST_CHECK enum tb_status tb_spill_file_put(struct tb_spill_file *file, const void *data, size_t len,
                                               uint64_t *offset, struct tb_error *error);
/* Reads what was written. TB_OK or TB_IO. */
TB_MUST_CHECK enum tb_status tb_spill_file_get(struct tb_spill_file *file, uint64_t offset, void *data, size_t len,
                                               struct tb_error *error);
/* What tb_spill_file_put wrote is not needed any more. The pages of what is large are freed: they may serve the output,
 * and need not reach a disk. */
void tb_spill_file_forget(struct tb_spill_file *file, uint64_t offset, size_t len);
uint64_t tb_spill_file_size(const struct tb_spill_file *file);
void tb_spill_file_close(struct tb_spill_file *file);

#endif
