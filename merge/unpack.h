/* SPDX-License-Identifier: Apache-2.0
 *
 * tar and zip files of traces, by libarchive.
 */
#ifndef TB_MERGE_UNPACK_H
#define TB_MERGE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "tracebridge/base.h"

/* True where a (decompressed) file that starts with these bytes is a tar or zip file. */
bool tb_archive_detect(const char *data, size_t len);

/* Called for each regular file of an archive, in its order: `path` is its name in it. Says in *to where to write it, an open file
 * descriptor, or -1 to pass over it. */
typedef enum tb_status (*tb_archive_open_member)(void *ctx, const char *path, int *to, struct tb_error *error);
/* Called when a member that was asked for is written. */
typedef enum tb_status (*tb_archive_end_member)(void *ctx, struct tb_error *error);

/* Walks over the archive. Files with a path component that starts with '.' are passed over. TB_OK; TB_BAD_DATA for a damaged
 * archive; TB_IO; what a callback returned. */
TB_MUST_CHECK enum tb_status tb_archive_walk(const char *path, tb_archive_open_member open_member,
                                             tb_archive_end_member end_member, void *ctx, struct tb_error *error);

#endif
