/* SPDX-License-Identifier: Apache-2.0
 *
 * Pseudonyms of texts: a hash of key and text, spelled so that no word and no number of a trace can be in it: letters
 * and digits take turns, as in r4k2m7.
 */
#ifndef TB_TOOLBOX_REDACT_PSEUDONYMS_H
#define TB_TOOLBOX_REDACT_PSEUDONYMS_H

#include "base/memory.h"
#include "toolbox/name_pattern.h"

struct tb_pseudonyms {
  uint64_t seed; /* of the key */
  struct tb_name_patterns keep;
  struct tb_buffer scratch;
  uint64_t replaced, kept;
};

/* `key` NULL: one that nobody knows. False: the system has no random numbers. */
bool tb_pseudonyms_init(struct tb_pseudonyms *names, const struct tb_allocator *allocator, const char *key,
                        const struct tb_name_patterns *keep);
void tb_pseudonyms_free(struct tb_pseudonyms *names);

/* Replaces *text, unless it is empty or stays; the new one is in the arena. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_pseudonym(struct tb_pseudonyms *names, struct tb_arena *arena, struct tb_str *text);

/* The same of each text of a list with commas. */
TB_MUST_CHECK enum tb_status tb_pseudonym_list(struct tb_pseudonyms *names, struct tb_arena *arena,
                                               struct tb_str *list);

#endif
