/* SPDX-License-Identifier: Apache-2.0
 *
 * A numbered table of texts that forgets the one not used for longest: FXT's string and thread tables as a writer sees
 * them.
 */
#ifndef TB_FXT_WRITER_REF_CACHE_H
#define TB_FXT_WRITER_REF_CACHE_H

#include <stdbool.h>

#include "base/memory.h"

enum { TB_FXT_REF_CACHE_NEAR = 16 }; /* what a thread's two koids take, and many a name */

struct tb_fxt_ref_cache_entry {
  union {
    char near[TB_FXT_REF_CACHE_NEAR]; /* a text that has room there */
    char *block;                      /* a longer one */
  };
  uint64_t hash;
  uint16_t len;          /* of the text; 0: it is forgotten */
  uint16_t newer, older; /* by time of use; entry 0 stands for both ends */
  uint16_t next;         /* in its bucket, or of the free ones; 0: none */
};

enum { TB_FXT_REFUSED = 16 };

struct tb_fxt_ref_cache {
  const struct tb_allocator *allocator;
  struct tb_fxt_ref_cache_entry *entries; /* [0] is the list's head */
  size_t capacity;
  uint16_t *buckets;
  size_t bucket_count;              /* a power of two, or 0 */
  uint16_t count, max_count;        /* the highest index in use and the highest there may be */
  uint16_t free;                    /* an index whose text is forgotten, 0: none */
  uint64_t refused[TB_FXT_REFUSED]; /* hashes of texts that tb_fxt_ref_cache_use_optional gave no place */
  uint8_t misses;                   /* of those, less hits; at most 64 */
  uint8_t skipped;
  size_t bytes, max_bytes; /* of texts; the longest unused go first where a new one would pass it */
};

void tb_fxt_ref_cache_init(struct tb_fxt_ref_cache *table, const struct tb_allocator *allocator, uint16_t max_count,
                           size_t max_bytes);
void tb_fxt_ref_cache_free(struct tb_fxt_ref_cache *table);

/* The index of `text`, of 1 to 65,535 bytes: from 1 up, now the one used last. *added says whether it was put there
 * just now, perhaps in place of another text. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_fxt_ref_cache_use(struct tb_fxt_ref_cache *table, struct tb_str text, uint16_t *index,
                                                  bool *added);

/* As tb_fxt_ref_cache_use, for texts that can do without: where the table is full, one that is not there takes another
 * one's place only where it was asked for a short time before, too. *index is 0 where it has none. */
TB_MUST_CHECK enum tb_status tb_fxt_ref_cache_use_optional(struct tb_fxt_ref_cache *table, struct tb_str text,
                                                           uint16_t *index, bool *added);

#endif
