/* SPDX-License-Identifier: Apache-2.0
 *
 * A small JSON document as a tree, read strictly: for manifests.
 */
#ifndef TB_JSON_DOCUMENT_H
#define TB_JSON_DOCUMENT_H

#include "base/memory.h"

enum tb_doc_type { TB_DOC_NULL, TB_DOC_BOOL, TB_DOC_NUMBER, TB_DOC_STRING, TB_DOC_ARRAY, TB_DOC_OBJECT };

struct tb_doc {
  enum tb_doc_type type;
  uint64_t at;        /* byte of the text where it is; of a member, where its name is */
  struct tb_str name; /* of a member */
  struct tb_str text; /* TB_DOC_STRING */
  bool is_integer;    /* TB_DOC_NUMBER that int64 holds */
  int64_t integer;
  struct tb_doc *first, *next; /* members or items */
};

/* Parses the text, all of it, strictly; `text` need not end in anything. The tree lives in the arena. TB_OK;
 * TB_BAD_DATA, *offset then being where; TB_LIMIT for nesting past TB_JSON_TREE_DEPTH; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_doc_parse(struct tb_arena *arena, struct tb_str text, struct tb_doc **doc,
                                          uint64_t *offset);

/* The last member of this name, NULL where there is none or `doc` is no object. */
const struct tb_doc *tb_doc_member(const struct tb_doc *doc, const char *name);

#endif
