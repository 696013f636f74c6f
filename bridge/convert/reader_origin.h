/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening what a user's reader reads, and opening it again: a reader that goes back begins anew, since what an event
 * means depends on all that came before it.
 */
#ifndef TB_CONVERT_READER_ORIGIN_H
#define TB_CONVERT_READER_ORIGIN_H

#include "convert/trace_input.h"
#include "model/reader_ops.h"

/* What the reader is to read. `name` is copied. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_reader_set_origin(struct tb_reader *reader, const char *name,
                                                  struct tb_reader_origin origin);

/* Opens it; for a place of an archive's, which no origin has, use tb_reader_open_trace. */
TB_MUST_CHECK enum tb_status tb_reader_open_origin(struct tb_reader *reader);

/* Opens the trace that a place holds, which may be in an archive or a page. `tap` as in tb_reader_open_place. */
TB_MUST_CHECK enum tb_status tb_reader_open_trace(struct tb_reader *reader, const struct tb_input_place *place,
                                                  struct tb_tap **tap);

/* Frees what was read and made so far, all but what tb_reader_intern kept. */
void tb_reader_drop(struct tb_reader *reader);
void tb_reader_free_origin(struct tb_reader *reader);

#endif
