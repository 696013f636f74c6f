/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a packet is damaged inside: messages in it, as far as they are known, that are none.
 */
#ifndef TB_PERFETTO_PACKET_PACKET_DAMAGE_H
#define TB_PERFETTO_PACKET_PACKET_DAMAGE_H

#include <stdbool.h>

#include "base/memory.h"

struct tb_packet_damage {
  bool payload; /* of the kind that was asked for */
  bool rest;
};

/* Of a packet that is well-formed itself. */
struct tb_packet_damage tb_packet_find_damage(struct tb_str packet, uint32_t kind);

/* Whether a bundle of the kernel's events has switches or wakings in columns of which one is damaged, or shorter than
 * another: which values belong together is not known then. */
bool tb_bundle_has_damaged_columns(struct tb_str bundle);

#endif
