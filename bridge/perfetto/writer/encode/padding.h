/* SPDX-License-Identifier: Apache-2.0
 *
 * The padding packet that comes first in a trace that would otherwise start like a file of another format.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_PADDING_H
#define TB_PERFETTO_WRITER_ENCODE_PADDING_H

#include "io/output.h"

/* A tb_output_padding. */
size_t tb_perfetto_padding(char padding[TB_OUTPUT_PADDING_MAX]);

#endif
