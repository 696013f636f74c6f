/* SPDX-License-Identifier: Apache-2.0
 *
 * What the recorder of a Perfetto trace lost, by its own account.
 */
#ifndef TB_INSPECT_RECORDER_LOSSES_H
#define TB_INSPECT_RECORDER_LOSSES_H

#include <stdbool.h>

#include "tracebridge/packet.h"

enum tb_recorder_loss {
  TB_MISSED_OVERWRITTEN,
  TB_MISSED_DISCARDED,
  TB_MISSED_WRITER,
  TB_MISSED_PATCHES,
  TB_MISSED_INVALID,
  TB_MISSED_FLUSHES,
  TB_MISSED_FTRACE_OVERRUN,
  TB_MISSED_FTRACE_DROPPED,
  TB_MISSED_COUNT
};

/* Zero-initialise. */
struct tb_recorder_losses {
  uint64_t count[TB_MISSED_COUNT];
  uint64_t before[TB_MISSED_COUNT]; /* of it, before the recording began */
  bool ftrace_ended;                /* there are statistics of ftrace's end */
};

/* Takes in what a packet says of it; most say nothing. */
void tb_recorder_losses_read(struct tb_recorder_losses *losses, const struct tb_packet *packet);

/* How many of a kind were lost, by the packets so far. */
uint64_t tb_recorder_losses_count(const struct tb_recorder_losses *losses, enum tb_recorder_loss kind);

/* What was lost: a constant. */
const char *tb_recorder_loss_text(enum tb_recorder_loss kind);

#endif
