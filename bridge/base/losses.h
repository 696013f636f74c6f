/* SPDX-License-Identifier: Apache-2.0
 *
 * What was lost: a count and the first offset for each reason.
 */
#ifndef TB_BASE_LOSSES_H
#define TB_BASE_LOSSES_H

#include <stdbool.h>

#include "tracebridge/base.h"

enum { TB_LOSSES_MAX = 48 }; /* more reasons than any one reader or writer has */

/* Of a compressed input, where what unpacks it says so. */
#define TB_LOSS_COMPRESSION "the compressed input ends early or is damaged"
/* Where it is known to be damaged. */
#define TB_LOSS_COMPRESSED_DAMAGE "the compressed input is damaged"

struct tb_losses {
  struct tb_loss entries[TB_LOSSES_MAX];
  size_t count;
};

/* Counts one more loss. The same text is the same reason. */
void tb_losses_add(struct tb_losses *losses, const char *reason, uint64_t offset);
/* `count` of them, of which the first is at `offset`. */
void tb_losses_add_many(struct tb_losses *losses, const char *reason, uint64_t count, uint64_t offset);

/* The same of a reason that is counted for each kind of what is lost; an empty kind is called unknown. */
void tb_losses_add_kind(struct tb_losses *losses, const char *reason, struct tb_str kind, uint64_t offset);

/* Counts all that `from` counted. */
void tb_losses_add_all(struct tb_losses *losses, const struct tb_losses *from);

/* The code of a reason. */
enum tb_loss_kind tb_loss_kind_of(const char *reason);

/* Whether the reason is that the input ends early: readers say so in a few ways. */
bool tb_loss_is_cut(const struct tb_loss *loss);

/* The status at the end of an input in which nothing could be read: TB_END where nothing was lost, since it is empty
 * then; else TB_BAD_DATA, with the first loss in *error. `format` is the format that it was read as; `forced`: the user
 * chose that. */
TB_MUST_CHECK enum tb_status tb_losses_end(const struct tb_losses *losses, const char *format, bool forced,
                                           struct tb_error *error);

enum { TB_JUNK_MAX = 64 << 20 }; /* the default bound */

/* Fails with TB_BAD_DATA: more than `max` bytes from `offset` on are not of the format. */
enum tb_status tb_fail_junk(struct tb_error *error, const char *format, uint64_t offset, size_t max);

#endif
