/* SPDX-License-Identifier: Apache-2.0
 *
 * Offsets and drifts of many hosts by the messages between them, all at once.
 *
 * A message is received after it was sent. With a line for each host, time of the root = time + offset + drift * (time
 * - x0), each message is one linear inequality of the offsets and drifts of two hosts. Those of all messages together
 * leave a polytope of lines that are possible:
 *
 *     drift |    ______
 *           |   /      \        each side is a message; the truth is somewhere inside
 *           |  /   x    \       x: the average of the corners that were found, which is possible too: no message runs
 *           |  \________/          backwards
 *           +---------------- offset
 *
 * For each host and both ends of its messages, a linear programme finds the earliest and the latest time that is
 * possible. The average of these corners is the estimate, the distance to them its bound. Where messages contradict
 * each other, first as few as possible are left out. Where they go one way only, nothing says how long the fastest
 * took: the estimate has it take no time, the bound as long as the slowest one seems to take.
 */
#ifndef TB_MERGE_CLOCKS_MESSAGE_NETWORK_H
#define TB_MERGE_CLOCKS_MESSAGE_NETWORK_H

#include "merge/clocks/time_bound.h"

struct tb_network_message {
  uint32_t from, to;      /* hosts */
  int64_t sent, received; /* on the clock of either */
  uint64_t id;            /* the caller's */
  bool unmet;             /* set by solving: no lines meet it with the rest */
};

struct tb_network_host {
  uint32_t root;       /* the host whose clock its line leads to; itself: it is a root, or has no message */
  int64_t x0, offset;  /* time of the root = time + offset + drift * (time - x0) */
  double drift;        /* as a fraction */
  int64_t first, last; /* of its messages */
  uint64_t messages, unmet;
  bool one_way;               /* its bound assumes how long messages take */
  struct tb_time_bound bound; /* to be freed by the caller */
};

/* `hosts` is zeroed and has `host_count` elements. Drifts are up to `max_drift` (a fraction). TB_OK, TB_NO_MEMORY,
 * TB_UNSUPPORTED (no solution was found, which should not be). */
TB_MUST_CHECK enum tb_status tb_message_network_solve(const struct tb_allocator *allocator,
                                                      struct tb_network_message *messages, size_t count,
                                                      struct tb_network_host *hosts, size_t host_count,
                                                      double max_drift);

#endif
