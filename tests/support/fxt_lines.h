/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace as sorted lines, one for each thing that an FXT archive can say, so that two archives that say the same give
 * the same lines whatever records say it: a begin and its end are a slice, with the arguments of both; the order of
 * records, tables and providers does not show; of a flow there are its points in the order of time.
 */
#ifndef TB_TESTS_FXT_LINES_H
#define TB_TESTS_FXT_LINES_H

#include <stddef.h>

struct fxt_lines {
  char **lines;
  size_t count, capacity;
};

/* Reads the archive `path`. Ends the program where it cannot be read. */
void fxt_lines_read(const char *path, struct fxt_lines *lines);
void fxt_lines_free(struct fxt_lines *lines);

/* How many lines are in one of the two only; the first few are printed. */
size_t fxt_lines_compare(const struct fxt_lines *expected, const struct fxt_lines *actual);

#endif
