/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/name_pattern.h"

#include <fnmatch.h>
#include <stdio.h>

enum { MATCHED_BITS = 64, NUMBER_TEXT = 24 };

bool tb_name_patterns_are_there(const struct tb_name_patterns *patterns) {
  for (size_t i = 0; i < patterns->count; i++)
    if (!patterns->globs || !patterns->globs[i]) return false;
  return true;
}

bool tb_name_patterns_want_all(const struct tb_name_patterns *patterns) {
  for (size_t i = 0; i < patterns->count; i++)
    if (patterns->globs[i][0] != '!') return false;
  return true;
}

static void judge(const struct tb_name_patterns *patterns, const char *name, struct tb_name_verdict *verdict) {
  for (size_t i = 0; i < patterns->count; i++) {
    bool refuses = patterns->globs[i][0] == '!';
    if (fnmatch(patterns->globs[i] + refuses, name, 0) != 0) continue;
    if (patterns->matched && i < MATCHED_BITS) *patterns->matched |= UINT64_C(1) << i;
    if (refuses)
      verdict->refused = true;
    else
      verdict->wanted = true;
  }
}

enum tb_status tb_name_judge(const struct tb_name_patterns *patterns, struct tb_str name, struct tb_buffer *scratch,
                             struct tb_name_verdict *verdict) {
  scratch->len = 0;
  if (tb_buffer_append(scratch, name.ptr, name.len) != TB_OK || tb_buffer_append(scratch, "", 1) != TB_OK)
    return TB_NO_MEMORY;
  judge(patterns, scratch->data, verdict);
  return TB_OK;
}

struct tb_name_verdict tb_name_judge_number(const struct tb_name_patterns *patterns, int64_t number) {
  char text[NUMBER_TEXT];
  struct tb_name_verdict verdict = {tb_name_patterns_want_all(patterns), false};
  if (!patterns->count) return verdict;
  (void)snprintf(text, sizeof(text), "%lld", (long long)number);
  judge(patterns, text, &verdict);
  return verdict;
}

enum tb_status tb_name_is_chosen(const struct tb_name_patterns *patterns, struct tb_str name, struct tb_buffer *scratch,
                                 bool *chosen) {
  *chosen = true;
  if (!patterns->count) return TB_OK;
  struct tb_name_verdict verdict = {tb_name_patterns_want_all(patterns), false};
  enum tb_status status = tb_name_judge(patterns, name, scratch, &verdict);
  *chosen = tb_name_verdict_is_chosen(verdict);
  return status;
}
