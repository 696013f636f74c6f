/* SPDX-License-Identifier: Apache-2.0
 *
 * Offsets of hosts by the medians of their messages, from which exact ones are looked for. A message whose times are
 * wrong by hours moves no median of others.
 */
#ifndef TB_MERGE_ALIGN_ROUGH_OFFSETS_H
#define TB_MERGE_ALIGN_ROUGH_OFFSETS_H

#include "merge/align/message_network.h"

/* Sets rough[i] of each of `member_count` hosts that messages join: what is to be added to its times, ns, so that its
 * messages take no time; 0 for member 0. `own` are the numbers of the messages between them, `member_of` is the member
 * that a host is. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_rough_offsets(const struct tb_allocator *a, const struct tb_network_message *messages,
                                              const size_t *own, size_t own_count, const uint32_t *member_of,
                                              size_t member_count, int64_t *rough);

#endif
