/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/encode/padding.h"

#include <string.h>

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

static const char WHY[] = "What follows would look like another format at the start of a file. ";

size_t tb_perfetto_padding(char padding[TB_OUTPUT_PADDING_MAX]) {
  enum { TAGS = 1 + 2 + 2 + 2, TEXT = TB_OUTPUT_PADDING_MAX - TAGS };
  char *at = tb_wire_put_varint(tb_wire_put_tag(padding, TB_TRACE_PACKET, TB_WIRE_BYTES), TEXT + 4);
  at = tb_wire_put_varint(tb_wire_put_tag(at, TB_TRACE_PACKET_PADDING, TB_WIRE_BYTES), TEXT);
  for (size_t i = 0; i < TEXT; i++) at[i] = WHY[i % (sizeof(WHY) - 1)];
  return (size_t)(at - padding) + TEXT;
}
