/* SPDX-License-Identifier: Apache-2.0
 *
 * The distance is that of optimal string alignment: the least number of letters that are inserted, removed, replaced,
 * or swapped with their neighbour. Row i of the table has the distances of the word's first i letters to each beginning
 * of the candidate; a row needs the two before it.
 */
#include "suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { WORD_MAX = 32 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static char lower(char letter) { return (char)tolower((unsigned char)letter); }

/* Of words of at most WORD_MAX letters. */
static size_t distance(const char *word, size_t len, const char *candidate, size_t candidate_len) {
  size_t rows[3][WORD_MAX + 1];
  for (size_t j = 0; j <= candidate_len; j++) rows[0][j] = j;
  for (size_t i = 1; i <= len; i++) {
    size_t *row = rows[i % 3], *before = rows[(i - 1) % 3], *two_before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= candidate_len; j++) {
      bool equal = lower(word[i - 1]) == lower(candidate[j - 1]);
      row[j] = least(least(row[j - 1], before[j]) + 1, before[j - 1] + !equal);
      bool swapped = i > 1 && j > 1 && lower(word[i - 1]) == lower(candidate[j - 2]) &&
                     lower(word[i - 2]) == lower(candidate[j - 1]);
      if (swapped) row[j] = least(row[j], two_before[j - 2] + 1);
    }
  }
  return rows[len % 3][candidate_len];
}

void cli_suggest_offer(struct cli_suggestion *suggestion, const char *candidate) {
  size_t len = suggestion->len, candidate_len = strlen(candidate);
  if (len < 2 || len > WORD_MAX || candidate_len > WORD_MAX) return;
  bool begins = len < candidate_len && strncasecmp(candidate, suggestion->word, len) == 0;
  size_t found = begins ? 0 : distance(suggestion->word, len, candidate, candidate_len);
  size_t allowed = len < 6 ? 1 : len / 3;
  if (found > allowed || (suggestion->best && found >= suggestion->best_distance)) return;
  suggestion->best = candidate;
  suggestion->best_distance = found;
}
