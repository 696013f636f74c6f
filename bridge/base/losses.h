/* SPDX-License-Identifier: Apache-2.0
 *
 * What was lost: a count and the first offset for each reason.
 */
#ifndef TB_BASE_LOSSES_H
#define TB_BASE_LOSSES_H

#include "tracebridge/base.h"

enum { TB_LOSSES_MAX = 48 }; /* more reasons than any one reader or writer has */

struct tb_losses {
  struct tb_loss entries[TB_LOSSES_MAX];
  size_t count;
};

/* Counts one more loss. The same text is the same reason. */
void tb_losses_add(struct tb_losses *losses, const char *reason, uint64_t offset);

/* The same of a reason that is counted for each kind of what is lost; an empty kind is called unknown. */
void tb_losses_add_kind(struct tb_losses *losses, const char *reason, struct tb_slice kind, uint64_t offset);

#endif
