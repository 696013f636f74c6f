/* SPDX-License-Identifier: Apache-2.0
 *
 * Events that come in no order of time wait for those before them. They are settled, in that order, as soon as many
 * wait and it is known up to when all came, so that memory does not grow with the trace. What comes too late for that
 * sets is_late: all is to be taken again, with `never`, where nothing is settled before the end.
 */
#ifndef TB_TOOLBOX_WALK_SETTLING_H
#define TB_TOOLBOX_WALK_SETTLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TB_SETTLE_AT = 1 << 16 };

struct tb_settling {
  size_t waiting, at; /* events that wait, and how many are to; at first TB_SETTLE_AT */
  int64_t before;     /* what is before this is settled; at first INT64_MIN */
  bool never;         /* the caller's */
  bool is_late;
};

static inline struct tb_settling tb_settling(void) {
  return (struct tb_settling){.at = TB_SETTLE_AT, .before = INT64_MIN};
}

/* An event waits. */
static inline void tb_settling_add(struct tb_settling *settling, int64_t time) {
  settling->waiting++;
  settling->is_late |= time < settling->before;
}

/* Whether those that wait and are before `until` are to be settled now. */
static inline bool tb_settling_begin(struct tb_settling *settling, int64_t until) {
  if (settling->never || settling->is_late || settling->waiting < settling->at) return false;
  settling->before = until;
  return true;
}

/* They were. What waits for long is not looked at each time. */
static inline void tb_settling_end(struct tb_settling *settling) {
  settling->at = settling->waiting * 2 > TB_SETTLE_AT ? settling->waiting * 2 : TB_SETTLE_AT;
}

#endif
