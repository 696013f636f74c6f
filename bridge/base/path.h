/* SPDX-License-Identifier: Apache-2.0
 *
 * What a path leads to.
 */
#ifndef TB_BASE_PATH_H
#define TB_BASE_PATH_H

#include <limits.h>
#include <stdbool.h>

/* The open descriptor that a path is a name of (/dev/stdout, /dev/fd/N and the like), -1 where it is none. Such a name must not be
 * opened or replaced: what the descriptor was opened for, its place and its mode, would be lost. */
int tb_path_descriptor(const char *path);

/* Where a path leads once all symbolic links at its end are followed, be there a file or not. False, and errno set, where they lead
 * nowhere. */
bool tb_path_follow(const char *path, char target[PATH_MAX]);

#endif
