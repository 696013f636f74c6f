/* SPDX-License-Identifier: Apache-2.0
 *
 * Which packets are about a time, and which about the trace as a whole.
 */
#ifndef TB_PERFETTO_PACKET_PACKET_TIMES_H
#define TB_PERFETTO_PACKET_PACKET_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracebridge/base.h"

/* Whether packets with that payload say something of the whole trace (names, clocks, configs), whatever their time. */
bool tb_packet_is_timeless(uint32_t kind);

/* The field of the payload that says what later packets of its kind mean; 0: there is none. */
uint32_t tb_packet_describing_field(uint32_t kind);

#endif
