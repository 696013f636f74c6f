/* SPDX-License-Identifier: Apache-2.0
 *
 * A source that is ftrace text, or has some, for users of the library and for targets that have no place for text: its
 * reader gives the events that the lines say, the same as by way of Perfetto, behind what else there is.
 */
#ifndef TB_CONVERT_SYSTEM_TEXT_H
#define TB_CONVERT_SYSTEM_TEXT_H

#include "model/reader_ops.h"

/* Makes the reader give events from now on. `batch` is the first with lines, which it was just filled with, `status`
 * what that returned: it has what else is in it then, or the next events. Returns as a reader's fill. */
TB_MUST_CHECK enum tb_status tb_system_text_read_as_events(struct tb_reader *reader, struct tb_batch *batch,
                                                           enum tb_status status);

#endif
