/* SPDX-License-Identifier: Apache-2.0
 *
 * How a Perfetto trace of ours says that a frame's reference leads nowhere.
 */
#ifndef TB_PERFETTO_PACKET_UNDEFINED_FRAME_H
#define TB_PERFETTO_PACKET_UNDEFINED_FRAME_H

#include "tracebridge/base.h"

/* The mapping of the one frame that stands for a reference to a frame that the source does not define; its function is
 * the id. */
#define TB_CALLSTACKS_UNDEFINED TB_STR("json.stackFrames")

#endif
