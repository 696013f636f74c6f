/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of what a user reads, by the snapshots among its events.
 */
#ifndef TB_CONVERT_READER_CLOCKS_H
#define TB_CONVERT_READER_CLOCKS_H

#include "model/reader_ops.h"

/* Takes the snapshots of the reader's batch. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_reader_take_clocks(struct tb_reader *reader);
void tb_reader_free_clocks(struct tb_reader *reader);

#endif
