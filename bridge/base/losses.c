/* SPDX-License-Identifier: Apache-2.0 */
#include "base/losses.h"

#include <string.h>

void tb_losses_add(struct tb_losses *losses, const char *reason, uint64_t offset) {
  for (size_t i = 0; i < losses->count; i++) {
    struct tb_loss *entry = &losses->entries[i];
    if (strcmp(entry->reason, reason) != 0) continue;
    entry->count++;
    if (offset < entry->first_offset) entry->first_offset = offset;
    return;
  }
  if (losses->count == TB_LOSSES_MAX) {
    losses->entries[TB_LOSSES_MAX - 1].reason = "other reasons";
    losses->entries[TB_LOSSES_MAX - 1].count++;
    return;
  }
  losses->entries[losses->count++] = (struct tb_loss){reason, 1, offset};
}
