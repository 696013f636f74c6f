/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/lead.h"

#include <string.h>

#include "event/opening.h"
#include "perfetto/fields.h"
#include "perfetto/wire.h"

static const char WHY[] = "What follows would look like another format at the start of a file. ";

_Static_assert((int)TB_OPENING_BYTES <= (int)TB_OUTPUT_LEAD_MAX, "the lead covers all that readers look at");

size_t tb_perfetto_lead(const char *start, size_t len, char lead[TB_OUTPUT_LEAD_MAX]) {
  enum { TAGS = 1 + 2 + 2 + 2, TEXT = TB_OPENING_BYTES - TAGS };
  if (!tb_opening_misleads(start, len)) return 0;
  char *at = tb_wire_put_varint(tb_wire_put_tag(lead, TB_TRACE_PACKET, TB_WIRE_BYTES), TEXT + 4);
  at = tb_wire_put_varint(tb_wire_put_tag(at, TB_TRACE_PACKET_LEAD, TB_WIRE_BYTES), TEXT);
  for (size_t i = 0; i < TEXT; i++) at[i] = WHY[i % (sizeof(WHY) - 1)];
  return (size_t)(at - lead) + TEXT;
}
