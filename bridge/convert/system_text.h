/* SPDX-License-Identifier: Apache-2.0
 *
 * A source that is ftrace text, or has some, for a target that has no place for text: its reader gives the events that
 * the lines say, the same as by way of Perfetto, behind what else there is.
 */
#ifndef TB_CONVERT_SYSTEM_TEXT_H
#define TB_CONVERT_SYSTEM_TEXT_H

#include "model/reader_ops.h"

/* Makes the reader, whose format is known and which was not read yet, give events. TB_OK, or what reader->error is set
 * to. */
TB_MUST_CHECK enum tb_status tb_system_text_read_as_events(struct tb_reader *reader);

#endif
