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

/* Whether a payload that is not timeless is all the same, since it says what later ones of its kind mean and cannot be
 * read without its values. */
bool tb_packet_describes_itself(uint32_t kind, struct tb_str payload);

/* Whether a packet of that payload has values of counters, which hold until the next one of its sequence. */
bool tb_packet_has_values(uint32_t kind);

/* The field of the payload that says what later packets of its kind mean; 0: there is none. */
uint32_t tb_packet_describing_field(uint32_t kind);

#endif
