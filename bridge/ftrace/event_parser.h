/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses ftrace's text: makes the FtraceEvent that a line (ftrace/line_parser.h) was printed from. The inverse of
 * ftrace/event_text.h.
 */
#ifndef TB_FTRACE_EVENT_PARSER_H
#define TB_FTRACE_EVENT_PARSER_H

#include "base/intern.h"
#include "ftrace/event_text.h"

/* Appends the fields of a FtraceEvent, timestamp and pid among them, to `out`. What the schema does not know, or not in
 * this form, is a generic event with the fields that the text names. Kernel functions given by their symbol become ids
 * in `symbols`.
 * TB_OK; TB_BAD_DATA where the line lacks numbers that every kernel prints, as one that was cut does; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_ftrace_encode(const struct tb_ftrace_text_event *event, enum tb_ftrace_states states,
                                              struct tb_intern *symbols, struct tb_buffer *out);

/* The layout of bits that can say all states that the lines of a text have as letters: that of Linux 4.14 and later,
 * but where one has a letter that only older kernels print. */
enum tb_ftrace_states tb_ftrace_find_states(struct tb_str text);

/* Appends the fields of a FtraceEvent that names a thread. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_ftrace_encode_rename(int64_t tid, int64_t ts, struct tb_str name,
                                                     struct tb_buffer *out);

#endif
