/* SPDX-License-Identifier: Apache-2.0
 *
 * What the Perfetto writer interns: one table of each kind for the whole trace, and for each sequence which entries
 * it uses. An entry has the same iid in every sequence.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_INTERN_TABLES_H
#define TB_PERFETTO_WRITER_ENCODE_INTERN_TABLES_H

#include "base/intern.h"

enum tb_interned_kind {
  TB_INTERNED_NAMES,
  TB_INTERNED_CATEGORIES,
  TB_INTERNED_ARG_NAMES,
  TB_INTERNED_ARG_STRINGS,
  TB_INTERNED_LOG_BODIES,
  TB_INTERNED_STACKS,
  TB_INTERNED_KINDS
};

/* The entries of one kind that one sequence uses, in order of first use. */
struct tb_interned_use {
  uint64_t *seen; /* a bit for each iid */
  size_t seen_words;
  uint32_t *iids;
  size_t count, capacity;
};

struct tb_interned_uses {
  struct tb_interned_use kinds[TB_INTERNED_KINDS];
  struct tb_interned_use lists; /* category lists, whose categories are among the uses */
};

/* A comma list of categories as it was written, taken apart. */
struct tb_category_list {
  uint32_t *iids;
  uint32_t count;
  /* The category_iids fields of a TrackEvent, for tb_packet_put_bytes_ahead. */
  uint32_t encoded_len;
  char *encoded;
};

struct tb_interned {
  const struct tb_allocator *allocator;
  struct tb_intern tables[TB_INTERNED_KINDS];
  struct tb_intern lists;                /* whole category texts */
  struct tb_category_list *list_entries; /* by list id - 1 */
  size_t list_capacity;
  uint8_t *path_arg_names; /* by iid - 1: whether readers would change the name, see tb_interned_arg_name */
  size_t path_capacity;
  uint64_t *once; /* hashes of string values seen: they are interned when they come again */
};

void tb_interned_init(struct tb_interned *interned, const struct tb_allocator *allocator);
void tb_interned_free(struct tb_interned *interned);
void tb_interned_free_uses(struct tb_interned_uses *uses, const struct tb_allocator *allocator);
/* Forgets all uses, and keeps the memory. */
void tb_interned_clear_uses(struct tb_interned_uses *uses);

enum tb_status tb_interned_use_slow(const struct tb_allocator *allocator, struct tb_interned_use *use, uint32_t iid);

static TB_ALWAYS_INLINE bool tb_interned_is_used(const struct tb_interned_use *use, uint32_t iid) {
  size_t word = iid / 64;
  return word < use->seen_words && (use->seen[word] >> (iid % 64) & 1);
}

/* Notes that a sequence uses `iid`. TB_OK or TB_NO_MEMORY. */
static TB_ALWAYS_INLINE enum tb_status tb_interned_use_iid(const struct tb_allocator *allocator,
                                                           struct tb_interned_use *use, uint32_t iid) {
  return tb_interned_is_used(use, iid) ? TB_OK : tb_interned_use_slow(allocator, use, iid);
}

/* The iid of `text` for a sequence; 0 without memory. */
static inline uint32_t tb_interned_iid(struct tb_interned *interned, struct tb_interned_uses *uses,
                                       enum tb_interned_kind kind, struct tb_str text) {
  uint32_t iid = tb_intern_id(&interned->tables[kind], text);
  if (iid && tb_interned_use_iid(interned->allocator, &uses->kinds[kind], iid) != TB_OK) return 0;
  return iid;
}

uint32_t tb_interned_add_arg_name(struct tb_interned *interned, struct tb_str name);

/* The iid of an argument's name; 0 without memory. *odd is set where the name has a '.', '[' or ']', for which the
 * trace processor puts '_' in the names of debug annotations. */
static inline uint32_t tb_interned_arg_name(struct tb_interned *interned, struct tb_interned_uses *uses,
                                            struct tb_str name, bool *odd) {
  uint32_t iid = tb_intern_find_recent(&interned->tables[TB_INTERNED_ARG_NAMES], name);
  if (!iid) iid = tb_interned_add_arg_name(interned, name);
  if (!iid) return 0;
  *odd |= interned->path_arg_names[iid - 1];
  struct tb_interned_use *use = &uses->kinds[TB_INTERNED_ARG_NAMES];
  return tb_interned_use_iid(interned->allocator, use, iid) == TB_OK ? iid : 0;
}

/* The iid of a string value, 0 where it is to be written in place: when it comes for the first time, or is very
 * long. */
uint32_t tb_interned_string(struct tb_interned *interned, struct tb_interned_uses *uses, struct tb_str text);

/* The list that `text` stands for; its id in *id. NULL without memory. */
const struct tb_category_list *tb_interned_categories(struct tb_interned *interned, struct tb_interned_uses *uses,
                                                      struct tb_str text, uint32_t *id);

#endif
