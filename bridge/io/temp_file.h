/* SPDX-License-Identifier: Apache-2.0
 *
 * Temporary files: what does not fit in memory, or can be read once only.
 */
#ifndef TB_IO_TEMP_FILE_H
#define TB_IO_TEMP_FILE_H

#include "tracebridge/base.h"

/* Creates an empty file without a name in `directory` (NULL: $TMPDIR, else /tmp), which its owner alone may read:
 * nothing is left behind, whatever happens. Returns its descriptor, open for reading and writing; -1 with *error set
 * (TB_IO) on failure. */
int tb_temp_file_create_nameless(const char *directory, struct tb_error *error);

/* Read or write `len` bytes at `offset`, in as many calls as it takes, whatever interrupts them. TB_OK; TB_IO with
 * *error and errno set, also where the file ends before the bytes that are read. */
TB_MUST_CHECK enum tb_status tb_temp_file_read_all_at(int fd, uint64_t offset, void *to, size_t len,
                                                      struct tb_error *error);
TB_MUST_CHECK enum tb_status tb_temp_file_write_all_at(int fd, uint64_t offset, const void *data, size_t len,
                                                       struct tb_error *error);

/* TB_IO: that `what` ("write to") could not be done, with the folder of the file and how to name another; `code`: errno
 * then. */
enum tb_status tb_temp_file_fail(int fd, const char *what, int code, struct tb_error *error);

/* Frees the pages of `len` bytes at `offset`, which nobody reads any more. Where the file system cannot do that,
 * nothing is lost but room. */
void tb_temp_file_free_pages(int fd, uint64_t offset, uint64_t len);

#endif
