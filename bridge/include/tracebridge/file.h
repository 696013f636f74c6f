/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are written: never over what is read, and whole or not at all.
 */
#ifndef TRACEBRIDGE_FILE_H
#define TRACEBRIDGE_FILE_H

#include <stdbool.h>

#include "tracebridge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Told of the temporary name that an output has for a while, which is to be removed where the process ends before it gets its own: by a
 * signal, say. NULL: it has none any more. Most outputs have one for the moment of replacing a file alone; all of them where the file
 * system knows no files without a name. */
typedef void (*tb_temporary_name)(void *ctx, const char *name);

/* Whether writing to `written` would overwrite `input`: they are one file, by whatever names (links, other spellings, what the shell
 * opened as standard input or output, "-"), or would be if they were there. Devices and pipes are never overwritten. */
TB_API bool tb_file_overwrites_input(const char *written, const char *input);

/* Whether what is written to `written` and to `output` would come to one file, pipe or descriptor ("-": standard output). A device
 * such as /dev/null takes both. */
TB_API bool tb_file_overwrites_output(const char *written, const char *output);

/* Whether a file of that name is made or replaced by writing to `path`: false for "-", names of descriptors such as /dev/stdout, and for
 * what is there and is a device or a pipe. */
TB_API bool tb_file_is_plain(const char *path);

/* Writes all of `data` to `path` as traces are written: a file gets its name when it is whole, and the mode of the one that it
 * replaces; "-", devices and pipes are written straight. TB_IO, TB_NO_MEMORY: nothing new stands under the name. error may be NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_file_write(const char *path, const void *data, size_t len,
                                                  struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif
