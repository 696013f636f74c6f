/* SPDX-License-Identifier: Apache-2.0
 *
 * Pseudonyms of texts: a keyed pseudo-random function of the text, SipHash-2-4, so that who knows the texts of some
 * pseudonyms learns nothing of the key and of others. It is spelled so that no word and no number of a trace can be in
 * it: letters and digits take turns, as in r4k2m7. The key is 128 bits, random or BLAKE2b of the user's.
 */
#ifndef TB_TOOLBOX_REDACT_PSEUDONYMS_H
#define TB_TOOLBOX_REDACT_PSEUDONYMS_H

#include "base/memory.h"
#include "toolbox/name_pattern.h"

enum { TB_PSEUDONYM_KEY_BYTES = 16 };

struct tb_pseudonyms {
  unsigned char key[TB_PSEUDONYM_KEY_BYTES];
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
