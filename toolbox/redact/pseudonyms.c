/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/redact/pseudonyms.h"

#include <assert.h>
#include <sodium.h>
#include <sys/random.h>

enum { PAIRS = 9, LENGTH = 1 + 2 * PAIRS, LETTER_BITS = 4, DIGIT_BITS = 3 };
static_assert((int)TB_PSEUDONYM_KEY_BYTES == (int)crypto_shorthash_KEYBYTES &&
                  (int)TB_PSEUDONYM_KEY_BYTES >= (int)crypto_generichash_BYTES_MIN,
              "BLAKE2b makes keys of SipHash");

bool tb_pseudonyms_init(struct tb_pseudonyms *names, const struct tb_allocator *allocator, const char *key,
                        const struct tb_name_patterns *keep) {
  *names = (struct tb_pseudonyms){.keep = *keep};
  tb_buffer_init(&names->scratch, allocator, 0);
  /* libsodium ends the program where there are no random numbers: they are asked for before it starts */
  if (getrandom(names->key, sizeof(names->key), 0) != (ssize_t)sizeof(names->key) || sodium_init() < 0) return false;
  return !key ||
         crypto_generichash(names->key, sizeof(names->key), (const unsigned char *)key, strlen(key), NULL, 0) == 0;
}

void tb_pseudonyms_free(struct tb_pseudonyms *names) { tb_buffer_free(&names->scratch); }

static uint64_t keyed_hash(const struct tb_pseudonyms *names, struct tb_str text) {
  unsigned char bytes[crypto_shorthash_BYTES];
  (void)crypto_shorthash(bytes, (const unsigned char *)text.ptr, text.len, names->key);
  uint64_t hash = 0;
  for (size_t i = sizeof(bytes); i > 0; i--) hash = hash << 8 | bytes[i - 1];
  return hash;
}

static void spell(uint64_t hash, char to[LENGTH]) {
  static const char letters[] = "bcdfghjkmnpqstvw", digits[] = "23456789";
  *to++ = 'r';
  for (int i = 0; i < PAIRS; i++) {
    *to++ = letters[hash & ((1 << LETTER_BITS) - 1)];
    *to++ = digits[hash >> LETTER_BITS & ((1 << DIGIT_BITS) - 1)];
    hash >>= LETTER_BITS + DIGIT_BITS;
  }
}

enum tb_status tb_pseudonym(struct tb_pseudonyms *names, struct tb_arena *arena, struct tb_str *text) {
  bool stays = false;
  if (!text->len) return TB_OK;
  if (names->keep.count && tb_name_is_chosen(&names->keep, *text, &names->scratch, &stays) != TB_OK)
    return TB_NO_MEMORY;
  names->kept += stays;
  if (stays) return TB_OK;
  char spelled[LENGTH];
  spell(keyed_hash(names, *text), spelled);
  *text = tb_arena_copy(arena, (struct tb_str){spelled, LENGTH});
  names->replaced++;
  return text->ptr ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_pseudonym_list(struct tb_pseudonyms *names, struct tb_arena *arena, struct tb_str *list) {
  if (!list->len || !memchr(list->ptr, ',', list->len)) return tb_pseudonym(names, arena, list);
  const struct tb_str from = *list;
  size_t most = from.len + 1, len = 0;
  for (size_t i = 0; i < from.len; i++) most += from.ptr[i] == ',' ? LENGTH + 1 : 0;
  char *to = tb_arena_alloc(arena, most + LENGTH);
  if (!to) return TB_NO_MEMORY;
  for (size_t at = 0; at <= from.len;) {
    const char *comma = at < from.len ? memchr(from.ptr + at, ',', from.len - at) : NULL;
    size_t end = comma ? (size_t)(comma - from.ptr) : from.len;
    struct tb_str one = {from.ptr + at, end - at};
    if (tb_pseudonym(names, arena, &one) != TB_OK) return TB_NO_MEMORY;
    if (at) to[len++] = ',';
    if (one.len) memcpy(to + len, one.ptr, one.len);
    len += one.len;
    at = end + 1;
  }
  *list = (struct tb_str){to, len};
  return TB_OK;
}
