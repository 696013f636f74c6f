/* SPDX-License-Identifier: Apache-2.0
 *
 * Temporary files: what does not fit in memory, or can be read once only.
 */
#ifndef TB_BASE_TEMPORARY_H
#define TB_BASE_TEMPORARY_H

#include "tracebridge/base.h"

enum { TB_TEMPORARY_PATH = 4096 };

/* Creates an empty file of a new name in `directory` (NULL: $TMPDIR, else /tmp), which is then in `path`; the caller unlinks it. Returns its
 * descriptor, open for reading and writing; -1 with *error set (TB_IO) on failure. */
int tb_temporary_create(const char *directory, char path[TB_TEMPORARY_PATH], struct tb_error *error);

/* The same without a name: nothing is left behind, whatever happens. */
int tb_temporary_create_nameless(const char *directory, struct tb_error *error);

#endif
