/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose memory the kernel's rss_stat events count. They have a number for it (mm_id), and say whether it is that of the
 * thread which counts it: the last one that said so before is whose it is, until it ends.
 */
#ifndef TB_TOOLBOX_OWNERS_MEMORY_OWNER_H
#define TB_TOOLBOX_OWNERS_MEMORY_OWNER_H

#include "base/map.h"
#include "toolbox/walk/ftrace_bundle.h"

/* A thread says that a memory is its own. */
struct tb_memory_claim {
  int64_t time, tid;
  uint32_t before; /* number of the claim before it, plus one; 0: none */
};

/* Caller-owned; tb_memory_owners_init, then tb_memory_owners_free. */
struct tb_memory_owners {
  const struct tb_allocator *allocator;
  struct tb_map last; /* number of a memory, machine -> number of its last claim, plus one */
  struct tb_map ends; /* thread, machine -> when it last ended */
  struct tb_memory_claim *claims;
  size_t count, capacity;
};

void tb_memory_owners_init(struct tb_memory_owners *owners, const struct tb_allocator *allocator);
void tb_memory_owners_free(struct tb_memory_owners *owners);

/* Takes in an rss_stat or sched_process_free of the bundle. TB_OK, TB_NO_MEMORY, TB_LIMIT. */
TB_MUST_CHECK enum tb_status tb_memory_owners_take(struct tb_memory_owners *owners,
                                                   const struct tb_ftrace_bundle *bundle,
                                                   const struct tb_ftrace_event *event);

/* The thread whose memory an rss_stat of the bundle counts, after all were taken in; where nobody's is known, the one
 * that counts it. */
int64_t tb_memory_owners_find(const struct tb_memory_owners *owners, const struct tb_ftrace_bundle *bundle,
                              const struct tb_ftrace_event *event);

#endif
