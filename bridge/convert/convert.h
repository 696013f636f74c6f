/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole conversions, inside the library.
 */
#ifndef TB_CONVERT_CONVERT_H
#define TB_CONVERT_CONVERT_H

#include "io/input.h"
#include "tracebridge/convert.h"

/* tb_convert from any place. */
TB_MUST_CHECK enum tb_status tb_convert_place(const struct tb_input_place *from, const char *to,
                                              const struct tb_convert_options *options,
                                              struct tb_convert_report *report, struct tb_error *error);

/* Sets what the target takes unchanged in the reader, and the progress callback in the writer. To be called before
 * the first event. */
void tb_convert_set_up(struct tb_reader *reader, struct tb_writer *writer, const struct tb_convert_options *options);

#endif
