/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TB_PERFETTO_PACKET_PACKET_KINDS_H
#define TB_PERFETTO_PACKET_PACKET_KINDS_H

#include "tracebridge/base.h"

/* The schema's name of a packet's payload field, a constant; empty where the schema does not know the number. */
struct tb_str tb_packet_kind_name(uint32_t kind);

#endif
