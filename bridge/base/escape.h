/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TB_BASE_ESCAPE_H
#define TB_BASE_ESCAPE_H

#include "tracebridge/escape.h"

/* Writes code point `c`, at most 0xFFFF, as the escape of a JSON string, of at most 6 bytes; returns the byte after
 * it. */
char *tb_escape_json_character(char *at, uint32_t c);

#endif
