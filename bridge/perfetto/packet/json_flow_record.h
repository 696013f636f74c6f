/* SPDX-License-Identifier: Apache-2.0
 *
 * JsonFlow: the source flow of a slice, from a flow event of JSON or FXT or from the slice's bind_id, in the slice's
 * packet (docs/MAPPING.md).
 *
 * Its kind is a text: letters, then categories and name, each behind a line end where it is there.
 */
#ifndef TB_PERFETTO_PACKET_JSON_FLOW_RECORD_H
#define TB_PERFETTO_PACKET_JSON_FLOW_RECORD_H

/* Of a slice with more flow ids readers do not read all: each JsonFlow says its own then. */
enum { TB_JSON_FLOW_IDS_MAX = 200 };

/* In addition to s, t and f. */
enum tb_json_flow_letter {
  TB_JSON_FLOW_BIND_ID = 'b',
  TB_JSON_FLOW_ENCLOSING = 'e',
  TB_JSON_FLOW_IN = 'i',
  TB_JSON_FLOW_OUT = 'o',
  TB_JSON_FLOW_CATEGORIES = 'c',
  TB_JSON_FLOW_NAME = 'n',
  /* an FXT flow event, which is matched by its id only; a kind of this letter alone: all flow ids of the packet are */
  TB_JSON_FLOW_ID_ONLY = 'a'
};

#endif
