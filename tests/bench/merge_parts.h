/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs of the bench that are several files: <path>.0, <path>.1 and so on, each about as large as the file they are
 * derived from.
 */
#ifndef BENCH_MERGE_PARTS_H
#define BENCH_MERGE_PARTS_H

#include <stdbool.h>
#include <stdio.h>

static inline void bench_part_path(const char *path, unsigned part, char *to, size_t size) {
  snprintf(to, size, "%s.%u", path, part);
}

bool bench_make_2_parts(const char *from, const char *to);
bool bench_make_8_parts(const char *from, const char *to);
bool bench_make_64_parts(const char *from, const char *to);

#endif
