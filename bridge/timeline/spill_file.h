/* SPDX-License-Identifier: Apache-2.0
 *
 * The temporary file that chunks are put away in and sorted runs spill to, and reading several runs of it as one.
 */
#ifndef TB_TIMELINE_SPILL_FILE_H
#define TB_TIMELINE_SPILL_FILE_H

#include "base/memory.h"

struct tb_staged_event;
struct tb_spill_file;  /* opaque; tb_spill_file_create, then tb_spill_file_close */
struct tb_spill_merge; /* opaque; tb_spill_merge_open, then tb_spill_merge_close */

/* One sorted run: a range of the file. */
struct tb_spill_run {
  uint64_t offset, bytes, count;
  int64_t base_ts, base_thread_ts;
};

/* Creates a file without a name in `directory` (NULL: $TMPDIR, else /tmp). Errors: TB_IO, TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_spill_file_create(const char *directory, const struct tb_allocator *allocator,
                                                  struct tb_spill_file **file, struct tb_error *error);
/* Appends bytes (buffered) and says where the next byte will stand. */
TB_MUST_CHECK enum tb_status tb_spill_file_append(struct tb_spill_file *file, const void *data, size_t len,
                                                  struct tb_error *error);
/* Writes bytes and says where they stand: large ones at once, small ones many in one write. Where that fails, nothing has changed. */
TB_MUST_CHECK enum tb_status tb_spill_file_put(struct tb_spill_file *file, const void *data, size_t len,
                                               uint64_t *offset, struct tb_error *error);
/* Reads what tb_spill_file_put wrote. TB_OK or TB_IO. */
TB_MUST_CHECK enum tb_status tb_spill_file_get(struct tb_spill_file *file, uint64_t offset, void *data, size_t len,
                                               struct tb_error *error);
/* What tb_spill_file_put wrote is not needed any more. The pages of what is large are given back: they may serve the output, and need not
 * reach a disk. */
void tb_spill_file_forget(struct tb_spill_file *file, uint64_t offset, size_t len);
uint64_t tb_spill_file_size(const struct tb_spill_file *file);
void tb_spill_file_close(struct tb_spill_file *file);

/* Reads `runs` as one, merged in the order of tb_staged_event_compare; where they are `in_order`, one after the other. */
TB_MUST_CHECK enum tb_status tb_spill_merge_open(struct tb_spill_file *file, const struct tb_spill_run *runs,
                                                 size_t count, bool in_order, struct tb_spill_merge **merge,
                                                 struct tb_error *error);
/* The next entry; its body is valid until the next call. TB_OK, TB_END, TB_IO or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_spill_merge_next(struct tb_spill_merge *merge, struct tb_staged_event *entry,
                                                 struct tb_error *error);
void tb_spill_merge_close(struct tb_spill_merge *merge);

#endif
