/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that is gathered while something else is written, and comes after it: in memory first, past a limit in a
 * temporary file without a name.
 */
#ifndef TB_IO_SPOOL_H
#define TB_IO_SPOOL_H

#include "base/memory.h"
#include "io/output.h"
#include "io/spill_file.h"

/* Caller-owned; tb_spool_init, then tb_spool_free. */
struct tb_spool {
  struct tb_buffer buffer;
  struct tb_spill_file *file; /* what comes before the buffer; NULL: nothing spilled yet */
  size_t limit;               /* bytes to hold in memory */
  const char *directory;
};

/* `directory` must outlive the spool; NULL: $TMPDIR, else /tmp. */
void tb_spool_init(struct tb_spool *spool, const struct tb_allocator *allocator, size_t limit, const char *directory);

/* Appends. TB_OK, TB_NO_MEMORY, TB_IO (see *error). */
TB_MUST_CHECK enum tb_status tb_spool_add(struct tb_spool *spool, const void *data, size_t len, struct tb_error *error);

/* All that was added, to `output`. */
TB_MUST_CHECK enum tb_status tb_spool_write(struct tb_spool *spool, struct tb_output *output, struct tb_error *error);

/* The bytes [offset, offset + len), all of which must have been added. */
TB_MUST_CHECK enum tb_status tb_spool_read(struct tb_spool *spool, uint64_t offset, void *data, size_t len,
                                           struct tb_error *error);

/* What is in the file. */
static inline uint64_t tb_spool_spilled(const struct tb_spool *spool) {
  return spool->file ? tb_spill_file_size(spool->file) : 0;
}
static inline uint64_t tb_spool_size(const struct tb_spool *spool) {
  return tb_spool_spilled(spool) + spool->buffer.len;
}
static inline bool tb_spool_empty(const struct tb_spool *spool) { return !tb_spool_size(spool); }

void tb_spool_free(struct tb_spool *spool);

#endif
