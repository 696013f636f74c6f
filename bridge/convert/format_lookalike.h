/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers detect a file's format by its first bytes, some by words anywhere near the start. A trace of ours must not
 * start like a file of another format.
 */
#ifndef TB_CONVERT_FORMAT_LOOKALIKE_H
#define TB_CONVERT_FORMAT_LOOKALIKE_H

#include <stdbool.h>
#include <stddef.h>

#include "tracebridge/reader.h"

/* How far into a file readers look for words and magic numbers: a tar header is the longest. */
enum { TB_LOOKALIKE_BYTES = 512 };

/* Whether a Perfetto trace that starts with these bytes would be taken for another format: by the trace processor (its
 * GuessTraceType) or by tb_format_detect. `start` is the whole trace, or long enough to hold its first lines, were it
 * text. */
bool tb_looks_like_other_format(const char *start, size_t len);

#endif
