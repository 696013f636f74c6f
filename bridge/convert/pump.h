/* SPDX-License-Identifier: Apache-2.0
 *
 * All events of a reader into a writer, in one thread or with the reader in a thread of its own.
 */
#ifndef TB_CONVERT_PUMP_H
#define TB_CONVERT_PUMP_H

#include "model/reader_ops.h"
#include "model/writer_ops.h"
#include "tracebridge/convert.h"

/* Puts every event that is left. `threads` of more than 1 lets the reader run ahead, where its format allows that; what
 * is written is the same. TB_OK when the reader came to its end; else the status of the reader or the writer, or
 * TB_CANCELLED. The reader's losses and error are then whole, and it may be used from the caller's thread again. */
TB_MUST_CHECK enum tb_status tb_pump(struct tb_reader *reader, struct tb_writer *writer, unsigned threads,
                                     tb_progress progress, void *progress_ctx);

#endif
