/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/report/evidence.h"

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

struct tb_evidence_choice tb_evidence_choose(uint64_t usual, uint64_t rare, uint64_t most) {
  struct tb_evidence_choice choice = {.count = {usual, rare}};
  choice.most[1] = lesser(rare, most - lesser(usual, most / 2));
  choice.most[0] = lesser(usual, most - choice.most[1]);
  return choice;
}

bool tb_evidence_chooses(struct tb_evidence_choice *choice, bool is_rare) {
  uint64_t count = choice->count[is_rare], most = choice->most[is_rare], seen = choice->seen[is_rare]++;
  return count && (seen + 1) * most / count > seen * most / count;
}
