/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns that choose names, as users write them: globs of the shell (`*`, `?`, `[a-z]`, `\` before what is meant as
 * it is), and `!` in front of one whose names are not wanted.
 */
#ifndef TB_TOOLBOX_NAME_PATTERN_H
#define TB_TOOLBOX_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct tb_name_patterns {
  const char *const *globs;
  size_t count;
  uint64_t *matched; /* NULL, or set: bit i where a name matched glob i, of the first 64 */
};

/* Whether the list and each of its globs is there: users give them. */
bool tb_name_patterns_are_there(const struct tb_name_patterns *patterns);

/* Do the patterns choose the name? It must match one of those without `!` where there is one, and none of the others.
 * No pattern chooses every name. `?` and `[…]` stand for a character of UTF-8, or a byte that is of none; case counts,
 * and `*` matches `/` too.
 *
 * `scratch` is used for a copy of the name, which is matched to its first NUL. TB_OK, with *chosen, or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_name_is_chosen(const struct tb_name_patterns *patterns, struct tb_str name,
                                               struct tb_buffer *scratch, bool *chosen);

/* What several names of one thing say together: it is chosen where one of them is wanted and none is refused. */
struct tb_name_verdict {
  bool wanted, refused;
};
static inline bool tb_name_verdict_is_chosen(struct tb_name_verdict verdict) {
  return verdict.wanted && !verdict.refused;
}

/* Whether a thing without names is wanted: where no pattern says what is, but for what is not. */
bool tb_name_patterns_want_all(const struct tb_name_patterns *patterns);

/* Adds what the patterns say to one of its names. `scratch` as above. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_name_judge(const struct tb_name_patterns *patterns, struct tb_str name,
                                           struct tb_buffer *scratch, struct tb_name_verdict *verdict);

/* What the patterns say of a thing by its number, which chooses it as a name does. */
struct tb_name_verdict tb_name_judge_number(const struct tb_name_patterns *patterns, int64_t number);

#endif
