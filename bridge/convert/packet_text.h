/* SPDX-License-Identifier: Apache-2.0
 *
 * Perfetto's packets as protobuf text, a Trace as tb_dump prints it and as Perfetto's own tests have it: read as the
 * trace that it is the text of.
 */
#ifndef TB_CONVERT_PACKET_TEXT_H
#define TB_CONVERT_PACKET_TEXT_H

#include "io/input.h"

/* Whether an input that starts with these bytes is such text. */
bool tb_packet_text_detect(const char *data, size_t len);

/* Makes *input one that gives the packets. What cannot be read is in its losses. TB_OK; TB_NO_MEMORY: it is as it
 * was. */
TB_MUST_CHECK enum tb_status tb_packet_text_open(struct tb_input **input, const struct tb_allocator *allocator,
                                                 struct tb_error *error);

#endif
