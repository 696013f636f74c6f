/* SPDX-License-Identifier: Apache-2.0
 *
 * JsonFlow: what JSON or FXT says of a flow event that joins a slice, or JSON of the slice's bind_id, in the packet of the slice
 * (docs/MAPPING.md).
 *
 * Its kind is a text: letters, then categories and name, each behind a line end where it is there.
 */
#ifndef TB_PERFETTO_PACKET_JSON_FLOW_RECORD_H
#define TB_PERFETTO_PACKET_JSON_FLOW_RECORD_H

/* Of a slice with more flow ids readers do not read all: each JsonFlow says its own then. */
enum { TB_JSON_FLOW_IDS_MAX = 200 };

/* Beside s, t and f. */
enum tb_json_flow_letter {
  TB_JSON_FLOW_BIND_ID = 'b',
  TB_JSON_FLOW_ENCLOSING = 'e',
  TB_JSON_FLOW_IN = 'i',
  TB_JSON_FLOW_OUT = 'o',
  TB_JSON_FLOW_CATEGORIES = 'c',
  TB_JSON_FLOW_NAME = 'n',
  TB_JSON_FLOW_ID_ONLY =
      'a' /* an event of FXT, whose flow is known by its id alone; nothing but that: so are those of the packet's ids */
};

#endif
