/* SPDX-License-Identifier: Apache-2.0
 *
 * Temporary files: what does not fit in memory, or can be read once only.
 */
#ifndef TB_IO_TEMP_FILE_H
#define TB_IO_TEMP_FILE_H

#include "tracebridge/base.h"

/* Creates an empty file without a name in `directory` (NULL: $TMPDIR, else /tmp), which its owner alone may read: nothing is left
 * behind, whatever happens. Returns its descriptor, open for reading and writing; -1 with *error set (TB_IO) on failure. */
int tb_temp_file_create_nameless(const char *directory, struct tb_error *error);

#endif
