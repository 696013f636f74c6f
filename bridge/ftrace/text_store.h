/* SPDX-License-Identifier: Apache-2.0
 *
 * Ftrace text that is kept until it is whole, since only then it is known what its states mean: put piece by piece,
 * read line by line.
 */
#ifndef TB_FTRACE_TEXT_STORE_H
#define TB_FTRACE_TEXT_STORE_H

#include "io/spill_log.h"

struct tb_ftrace_text {
  struct tb_spill_log log; /* a line is in one block */
  struct tb_buffer line;   /* the start of one that is not whole */
  bool is_old;             /* it has states that only older kernels print */
};

void tb_ftrace_text_init(struct tb_ftrace_text *text, const struct tb_allocator *log_allocator,
                         const struct tb_allocator *allocator);
void tb_ftrace_text_free(struct tb_ftrace_text *text);

/* Adds a piece, which may begin and end within a line. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_ftrace_text_put(struct tb_ftrace_text *text, struct tb_str piece);
/* The last piece was put. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_ftrace_text_end(struct tb_ftrace_text *text);

bool tb_ftrace_text_is_empty(const struct tb_ftrace_text *text);

/* Takes the next line, with its end if it has one, off lines. False where there is none. */
bool tb_ftrace_take_line(struct tb_str *lines, struct tb_str *line);

#endif
