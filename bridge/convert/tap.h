/* SPDX-License-Identifier: Apache-2.0
 *
 * An input whose bytes go to an output as they are read.
 */
#ifndef TB_CONVERT_TAP_H
#define TB_CONVERT_TAP_H

#include "io/input.h"
#include "io/output.h"

struct tb_tap; /* opaque; tb_tap_open; it is the input's that it makes */

/* Makes *input one that keeps what is read of it, until tb_tap_write or tb_tap_end. TB_OK; TB_NO_MEMORY: it is as it
 * was. */
TB_MUST_CHECK enum tb_status tb_tap_open(struct tb_input **input, const struct tb_allocator *allocator,
                                         struct tb_tap **tap, struct tb_error *error);

/* Writes to `output`, which must outlive the reading, what was read and what will be. */
TB_MUST_CHECK enum tb_status tb_tap_write(struct tb_tap *tap, struct tb_output *output, struct tb_error *error);

/* Forgets what was read. */
void tb_tap_end(struct tb_tap *tap);

#endif
