/* SPDX-License-Identifier: Apache-2.0
 *
 * Structs that a caller of the library made and that begin with their size, as it was when the caller was built:
 * options, and reports that the library fills in.
 */
#ifndef TB_BASE_OPTIONS_H
#define TB_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "tracebridge/base.h"

/* Copies `options`, where there are any, over `filled`, which is `known` bytes and has the defaults. TB_OK; TB_INVALID,
 * also in *error, where the size is not set or is none that a library has, or where a member is set that this library
 * does not know. */
TB_MUST_CHECK enum tb_status tb_options_take(void *filled, size_t known, const void *options, struct tb_error *error);

/* Sets the members of `report` (may be NULL) to 0, of `known` bytes as many as the caller has room for. TB_OK;
 * TB_INVALID, also in *error, where the size is not set or is none that a library has: nothing is changed then. */
TB_MUST_CHECK enum tb_status tb_report_begin(void *report, size_t known, struct tb_error *error);

/* Copies the members of `filled`, `known` bytes, that the report (may be NULL) has room for. Members that the caller
 * knows and this library does not stay as they are. */
void tb_report_give(void *report, const void *filled, size_t known);

/* Whether the report (may be NULL, and its size not set) has room for a member that ends at byte `end`. */
bool tb_report_has(const void *report, size_t end);
#define TB_REPORT_HAS(report, type, member) tb_report_has(report, offsetof(type, member) + sizeof(((type *)0)->member))

#endif
