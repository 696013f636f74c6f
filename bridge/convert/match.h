/* SPDX-License-Identifier: Apache-2.0
 *
 * Matching a reader with a writer by what their formats declare (model/capabilities.h).
 */
#ifndef TB_CONVERT_MATCH_H
#define TB_CONVERT_MATCH_H

#include "model/reader_ops.h"
#include "model/writer_ops.h"

/* Lets a writer of that format know what its events mean, by options.source, and what it takes; before ops->create. */
void tb_match_source(struct tb_writer *writer, const struct tb_writer_ops *ops);

/* Lets the reader know what the writer takes; before the first event. */
void tb_match_target(struct tb_reader *reader, const struct tb_writer *writer);

/* Lets two readers give events alike, as for a writer of the format that takes less of them than the other's does:
 * what one has as text or as instants, for want of another place, the other gives as such. Before the first event. */
void tb_match_readers(struct tb_reader *first, struct tb_reader *second);

#endif
