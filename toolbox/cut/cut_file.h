/* SPDX-License-Identifier: Apache-2.0
 *
 * What the calls share that write a part of one trace to a file: their options of reading and writing, and how they
 * begin and end.
 */
#ifndef TB_TOOLBOX_CUT_CUT_FILE_H
#define TB_TOOLBOX_CUT_CUT_FILE_H

#include "merge/merger.h"
#include "tracebridge/merge.h"

/* The options of the call, `o`, as those of reading its input and writing its output; `thread_count` is the name of a
 * member, too. The second has further members, which the first takes from `o` as well. */
#define TB_CUT_MERGE_OPTIONS(o, thread_count) \
  TB_CUT_READ_OPTIONS(o, thread_count, .no_clobber = (o)->no_clobber, .output_format = (o)->output_format)
#define TB_CUT_READ_OPTIONS(o, thread_count, ...)                             \
  ((struct tb_merge_options){.size = sizeof(struct tb_merge_options),         \
                             .allocator = (o)->allocator,                     \
                             .temporary_directory = (o)->temporary_directory, \
                             .progress = (o)->progress,                       \
                             .progress_ctx = (o)->progress_ctx,               \
                             .threads = (o)->thread_count,                    \
                             .temporary_name = (o)->temporary_name,           \
                             .temporary_name_ctx = (o)->temporary_name_ctx,   \
                             .max_junk_bytes = (o)->max_junk_bytes,           \
                             .input_format = (o)->input_format,               \
                             __VA_ARGS__})

/* Whether both files have a name, and the output is not the input. TB_OK; TB_INVALID or TB_REFUSED, and *error. */
TB_MUST_CHECK enum tb_status tb_cut_check_files(const char *in, const char *out, struct tb_error *error);

/* What the call returns where writing returned `status`: TB_PARTIAL where something was lost; *error (may be NULL) is
 * set unless it has one. */
TB_MUST_CHECK enum tb_status tb_cut_settle(struct tb_merger *m, enum tb_status status, struct tb_error *error);

#endif
