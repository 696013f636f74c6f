/* SPDX-License-Identifier: Apache-2.0
 *
 * Events as lines of text, so that a test can say in one literal what a trace must give.
 */
#ifndef TB_TESTS_EVENT_TEXT_H
#define TB_TESTS_EVENT_TEXT_H

#include "base/memory.h"
#include "tracebridge/reader.h"

/* Appends a line for the event: `TIME TYPE[phase] on TRACK "name" (categories) {args} …`; what the event has not is
 * left out. */
void tb_event_text(struct tb_buffer *out, const struct tb_event *event);

/* Reads all of a file and gives the lines in *out (to be freed), NUL-terminated, the losses behind them; the last
 * status. */
enum tb_status tb_event_text_of_file(const char *path, const struct tb_reader_options *options, struct tb_buffer *out);

/* The same for bytes that are fed in pieces of `step`. */
enum tb_status tb_event_text_of_bytes(const char *data, size_t len, size_t step, struct tb_buffer *out);

#endif
