/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/strings.h"

#include "base/utf8.h"

enum { FIRST_CAPACITY = 64 };

struct tb_str tb_fxt_text_cut(struct tb_str text, size_t limit) {
  if (text.len <= limit) return text;
  size_t n = limit;
  while (n && (text.ptr[n] & 0xc0) == 0x80) n--;
  return (struct tb_str){text.ptr, n};
}

uint64_t tb_fxt_text_hash(struct tb_str text) {
  uint64_t h = tb_spread64(text.len), word;
  const char *p = text.ptr;
  size_t len = text.len;
  for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
    memcpy(&word, p, sizeof(word));
    h = tb_mix_word(h, word);
  }
  word = 0;
  if (len) memcpy(&word, p, len);
  return tb_mix_last_word(h, word);
}

static size_t locate(const struct tb_fxt_intern_entry *entries, size_t capacity, uint64_t hash, struct tb_str text) {
  size_t i = tb_fxt_hash_slot(hash, capacity);
  while (entries[i].text.ptr && (entries[i].hash != hash || !tb_str_equal(entries[i].text, text)))
    i = (i + 1) & (capacity - 1);
  return i;
}

static enum tb_status grow(struct tb_fxt_intern *set) {
  size_t capacity = set->capacity ? set->capacity * 2 : FIRST_CAPACITY;
  if (capacity > SIZE_MAX / 2 / sizeof(*set->entries)) return TB_NO_MEMORY;
  const struct tb_allocator *allocator = set->arena->allocator;
  struct tb_fxt_intern_entry *entries = tb_calloc(allocator, capacity * sizeof(*entries));
  if (!entries) return TB_NO_MEMORY;
  for (size_t i = 0; i < set->capacity; i++) {
    const struct tb_fxt_intern_entry *entry = &set->entries[i];
    if (entry->text.ptr) entries[locate(entries, capacity, entry->hash, entry->text)] = *entry;
  }
  tb_free(allocator, set->entries, set->capacity * sizeof(*set->entries));
  set->entries = entries;
  set->capacity = capacity;
  return TB_OK;
}

enum tb_status tb_fxt_intern(struct tb_fxt_intern *set, struct tb_str text, struct tb_str *own) {
  *own = (struct tb_str){"", 0};
  if (text.len == 0) return TB_OK;
  if (set->count + 1 > set->capacity / 4 * 3) {
    enum tb_status status = grow(set);
    if (status != TB_OK) return status;
  }
  uint64_t hash = tb_fxt_text_hash(text);
  struct tb_fxt_intern_entry *entry = &set->entries[locate(set->entries, set->capacity, hash, text)];
  if (!entry->text.ptr) {
    struct tb_str copy = tb_arena_copy(set->arena, text);
    if (!copy.ptr) return set->arena->max_total ? TB_LIMIT : TB_NO_MEMORY;
    *entry = (struct tb_fxt_intern_entry){hash, copy};
    set->count++;
  }
  *own = entry->text;
  return TB_OK;
}

void tb_fxt_intern_free(struct tb_fxt_intern *set) {
  tb_free(set->arena->allocator, set->entries, set->capacity * sizeof(*set->entries));
  set->entries = NULL;
  set->capacity = set->count = 0;
}
