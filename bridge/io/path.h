/* SPDX-License-Identifier: Apache-2.0
 *
 * What a path leads to.
 */
#ifndef TB_IO_PATH_H
#define TB_IO_PATH_H

#include <limits.h>
#include <stdbool.h>

#include "io/decompress.h"

/* The open descriptor that a path names (/dev/stdout, /dev/fd/N and the like), -1 where it names none. Such a path must
 * not be opened or replaced: the descriptor's offset and mode would be lost. */
int tb_path_descriptor(const char *path);

/* Follows the symbolic links at the end of a path, whether or not a file is there. False, with errno set, where they
 * form a loop or the path is too long. */
bool tb_path_follow(const char *path, char target[PATH_MAX]);

/* The last part of a path, behind its last slash: in the path itself. */
const char *tb_path_last_part(const char *path);

/* Whether two paths lead to one file, which is there and no device, pipe or folder. */
bool tb_path_is_same_file(const char *a, const char *b);

/* The folder that a path is in, "." where it names none. False where that is too long. */
bool tb_path_folder(const char *path, char folder[PATH_MAX]);

/* How the name's end (.gz, .zst, in any case) says that the file is compressed; *len is the length without that end. */
enum tb_compression tb_path_compression(const char *path, size_t *len);

#endif
