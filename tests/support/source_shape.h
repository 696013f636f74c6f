/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of a reader whose events come as their source has them: tests of one format look at these.
 */
#ifndef TB_TESTS_SOURCE_SHAPE_H
#define TB_TESTS_SOURCE_SHAPE_H

#include "tracebridge/reader.h"

static const struct tb_reader_options tb_source_shape = {.size = sizeof(struct tb_reader_options),
                                                         .shape = TB_SHAPE_SOURCE};

#endif
