/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/name_pattern.h"

#include <fnmatch.h>

enum tb_status tb_name_is_chosen(const struct tb_name_patterns *patterns, struct tb_str name, struct tb_buffer *scratch,
                                 bool *chosen) {
  *chosen = true;
  if (!patterns->count) return TB_OK;
  scratch->len = 0;
  if (tb_buffer_append(scratch, name.ptr, name.len) != TB_OK || tb_buffer_append(scratch, "", 1) != TB_OK)
    return TB_NO_MEMORY;
  bool wanted = false, all = true; /* all: no pattern says what is wanted, but for what is not */
  for (size_t i = 0; i < patterns->count; i++) {
    bool refuses = patterns->globs[i][0] == '!';
    bool matches = fnmatch(patterns->globs[i] + refuses, scratch->data, 0) == 0;
    if (refuses && matches) *chosen = false;
    if (!refuses) all = false;
    if (!refuses && matches) wanted = true;
  }
  *chosen = *chosen && (all || wanted);
  return TB_OK;
}
