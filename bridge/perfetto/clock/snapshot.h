/* SPDX-License-Identifier: Apache-2.0
 *
 * One clock of a ClockSnapshot message.
 */
#ifndef TB_PERFETTO_CLOCK_SNAPSHOT_H
#define TB_PERFETTO_CLOCK_SNAPSHOT_H

#include "base/memory.h"

struct tb_snapshot_clock {
  uint64_t id, timestamp;
  uint64_t unit; /* ns of one count; at least 1 */
  bool incremental;
};

/* Reads the message. TB_OK; TB_BAD_DATA where it is damaged, *clock then what stands before that. */
enum tb_status tb_snapshot_clock_read(struct tb_str message, struct tb_snapshot_clock *clock);

/* Its reading in ns; what does not fit wraps. */
static inline int64_t tb_snapshot_clock_ns(const struct tb_snapshot_clock *clock) {
  return (int64_t)(clock->timestamp * clock->unit);
}

#endif
