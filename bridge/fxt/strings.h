/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of an FXT file: cut, hashed, kept once.
 */
#ifndef TB_FXT_STRINGS_H
#define TB_FXT_STRINGS_H

#include "base/memory.h"
#include "base/mix64.h"

/* The longest beginning of `text`, at most `limit` bytes, that does not end inside a character. */
struct tb_str tb_fxt_text_cut(struct tb_str text, size_t limit);

/* A hash of the bytes; the same on every machine, for it also stands for ids that are no numbers. */
uint64_t tb_fxt_text_hash(struct tb_str text);

/* Where a hash belongs in a table of `count` slots, a power of two: its own lower bits hardly know the end of the
 * text. */
static inline size_t tb_fxt_hash_slot(uint64_t hash, size_t count) {
  return (size_t)(tb_spread64(hash) >> 32) & (count - 1);
}

struct tb_fxt_intern_entry {
  uint64_t hash;
  struct tb_str text;
};

/* A set of texts. Zero-initialised but for the arena, whose allocator and limit it uses. */
struct tb_fxt_intern {
  struct tb_arena *arena;
  struct tb_fxt_intern_entry *entries;
  size_t capacity, count;
};

/* The set's own copy of `text`, equal texts giving the same pointer; valid as long as the arena. TB_OK; TB_LIMIT when
 * the arena's limit is reached; TB_NO_MEMORY. An empty text is not kept: its pointer is not NULL. */
TB_MUST_CHECK enum tb_status tb_fxt_intern(struct tb_fxt_intern *set, struct tb_str text, struct tb_str *own);
void tb_fxt_intern_free(struct tb_fxt_intern *set);

#endif
