/* SPDX-License-Identifier: Apache-2.0
 *
 * Options that a caller of the library made: a struct that begins with its size, as it was when the caller was built.
 */
#ifndef TB_BASE_OPTIONS_H
#define TB_BASE_OPTIONS_H

#include "tracebridge/base.h"

/* Copies `options`, where there are any, over `filled`, which is `known` bytes and has the defaults. TB_OK; TB_INVALID,
 * also in *error, where the size is not set or is none that a library has, or where a member is set that this library
 * does not know. */
TB_MUST_CHECK enum tb_status tb_options_take(void *filled, size_t known, const void *options, struct tb_error *error);

#endif
