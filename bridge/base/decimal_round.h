/* SPDX-License-Identifier: Apache-2.0
 *
 * Between decimal.c and decimal_long.c: the last step of a conversion to double.
 */
#ifndef TB_BASE_DECIMAL_ROUND_H
#define TB_BASE_DECIMAL_ROUND_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 tb_u128;

/* v × 2^shift, and a little more where `sticky`, as the nearest double, ties to even; infinity when it overflows. v has
 * at least 64 bits where sticky. */
double tb_decimal_round(tb_u128 v, int shift, bool sticky);

/* The magnitude of the number at [text, end) by exact arithmetic of any length. False when it overflows. */
bool tb_decimal_long_to_double(const char *text, const char *end, double *value);

#endif
