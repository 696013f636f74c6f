/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers whose events have the one shape (shape/shaper.h).
 */
#ifndef TB_CONVERT_SHAPED_READER_H
#define TB_CONVERT_SHAPED_READER_H

#include "model/reader_ops.h"

/* tb_reader_next of a reader that has the one shape, or gives events of some types alone. */
TB_MUST_CHECK enum tb_status tb_reader_next_chosen(struct tb_reader *reader, const struct tb_event **event);

/* The next event that the user asked for where it is there already, else NULL: tb_reader_next_chosen makes more. */
const struct tb_event *tb_reader_next_ready(struct tb_reader *reader);
/* The event that tb_reader_next gave last comes again. */
void tb_reader_put_back(struct tb_reader *reader);

void tb_reader_free_shaper(struct tb_reader *reader);

/* Fills the reader's own batch, where all of it was used: it has an event then. TB_OK, or why it has none. */
TB_MUST_CHECK enum tb_status tb_reader_fill_own_batch(struct tb_reader *reader);

#endif
