/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds what a mistyped word was meant to be.
 */
#ifndef TB_CLI_SUGGEST_H
#define TB_CLI_SUGGEST_H

#include <stddef.h>

/* The search for one word. Start with {.word = ...}, offer each candidate, then read `best`. */
struct cli_suggestion {
  const char *word; /* ends at `len` */
  size_t len;
  const char *best; /* of what was offered, the nearest that is near enough; NULL: none is */
  size_t best_distance;
};

/* Offers a candidate; it has to outlive the suggestion. A candidate that begins with the word is nearest. Others may
 * differ by a letter in three: one that is missing, too much, another, or swapped with its neighbour. */
void cli_suggest_offer(struct cli_suggestion *suggestion, const char *candidate);

#endif
