/* SPDX-License-Identifier: Apache-2.0
 *
 * How a file begins. Readers tell formats by it, some by words that stand anywhere near the start: a trace must not carry there what
 * they take for another format's.
 */
#ifndef TB_EVENT_OPENING_H
#define TB_EVENT_OPENING_H

#include <stdbool.h>
#include <stddef.h>

/* Where readers look for words and magic numbers: tar's header is the farthest. */
enum { TB_OPENING_BYTES = 512 };

/* Whether a file that starts with these bytes has the magic of a tar header. */
bool tb_opening_is_tar(const char *start, size_t len);

/* Whether readers would take a Perfetto trace that starts with these bytes for something else: the trace processor, by the rules of its
 * GuessTraceType, or tb_format_detect. `start` is all of the trace, or so much that its first lines, were it text, are there. */
bool tb_opening_misleads(const char *start, size_t len);

#endif
