/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are written: never over what is read, and whole or not at all.
 *
 *     struct tb_error error = {0};
 *     if (tb_file_overwrites_input("out.json", "in.json")) return 1;
 *     if (tb_file_write("out.json", "[]", 2, &error) != TB_OK) puts(error.message);
 */
#ifndef TRACEBRIDGE_FILE_H
#define TRACEBRIDGE_FILE_H

#include <stdbool.h>

#include "tracebridge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called with the temporary name of an output once it exists, and with NULL once it does not. A process that ends in
 * between, by a signal, say, should remove it. Most outputs have a temporary name only while they replace a file; all
 * have one where the file system does not support files without a name. */
typedef void (*tb_temporary_name)(void *ctx, const char *name);

/* Whether writing to `written` would overwrite `input`: they are one file, by whatever names (links, other spellings,
 * what the shell opened as standard input or output, "-"), or would be if they were there. Devices and pipes are never
 * overwritten. */
TB_API bool tb_file_overwrites_input(const char *written, const char *input);

/* Whether `written` and `output` are one file, pipe or descriptor ("-": standard output). A device such as /dev/null
 * may be both. */
TB_API bool tb_file_overwrites_output(const char *written, const char *output);

/* Whether writing to `path` creates or replaces a file: false for "-", names of descriptors such as /dev/stdout,
 * devices and pipes. */
TB_API bool tb_file_is_plain(const char *path);

/* Writes all of `data` to `path` as traces are written: a file gets its name when it is whole, and the mode of the one
 * that it replaces; "-", devices and pipes are written directly. TB_IO, TB_NO_MEMORY: no new file appears. error may be
 * NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_file_write(const char *path, const void *data, size_t len,
                                                  struct tb_error *error);

struct tb_file; /* opaque; tb_file_open, then tb_file_close */

/* The same in pieces; compressed where the path ends in .gz or .zst. `temporary_name` may be NULL. TB_IO, TB_NO_MEMORY;
 * after a failure each call returns the first status. */
TB_MUST_CHECK TB_API enum tb_status tb_file_open(const char *path, tb_temporary_name temporary_name, void *ctx,
                                                 struct tb_file **file, struct tb_error *error);
TB_MUST_CHECK TB_API enum tb_status tb_file_put(struct tb_file *file, const void *data, size_t len,
                                                struct tb_error *error);
/* Lets tb_file_finish fail, TB_IO, where a file of that name is there by then: it is not replaced. */
TB_API void tb_file_keep_existing(struct tb_file *file);
/* The file is whole and gets its name. */
TB_MUST_CHECK TB_API enum tb_status tb_file_finish(struct tb_file *file, struct tb_error *error);
/* Frees; nothing is left of a file that was not finished. NULL is ignored. */
TB_API void tb_file_close(struct tb_file *file);

#ifdef __cplusplus
}
#endif
#endif
