/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an input is a row of Perfetto's packets, by its first bytes.
 */
#ifndef TB_PERFETTO_PACKET_PACKET_DETECT_H
#define TB_PERFETTO_PACKET_PACKET_DETECT_H

#include <stddef.h>

#include "model/capabilities.h"

enum tb_detection tb_packet_detect(const char *data, size_t len);

#endif
