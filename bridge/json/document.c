/* SPDX-License-Identifier: Apache-2.0 */
#include "json/document.h"

#include "json/text.h"
#include "json/tokenizer.h"

struct document_parser {
  struct tb_arena *arena;
  struct tb_tokenizer scan;
  const char *start;
  enum tb_status status;
  const char *failed;
};

static const char *fail(struct document_parser *p, enum tb_status status, const char *at) {
  if (p->status == TB_OK) {
    p->status = status;
    p->failed = at;
  }
  return NULL;
}

/* The scanner's failure as ours. */
static const char *scanned(struct document_parser *p, const char *at, const char *before) {
  if (at) return at;
  return fail(p, p->scan.status == TB_TOKENIZER_NO_MEMORY ? TB_NO_MEMORY : TB_BAD_DATA,
              p->scan.at ? p->scan.at : before);
}

static const char *parse_value(struct document_parser *p, const char *at, struct tb_doc *doc, unsigned depth);

static const char *parse_string(struct document_parser *p, const char *at, struct tb_str *text) {
  if (*at != '"') return fail(p, TB_BAD_DATA, at);
  return scanned(p, tb_tokenizer_string(&p->scan, at + 1, text), at);
}

/* Members or items, up to the closing bracket. */
static const char *parse_children(struct document_parser *p, const char *at, struct tb_doc *doc, char close,
                                  unsigned depth) {
  struct tb_doc **link = &doc->first;
  at = tb_tokenizer_space(at + 1);
  while (*at != close) {
    struct tb_doc *child = tb_arena_alloc(p->arena, sizeof(*child));
    if (!child) return fail(p, TB_NO_MEMORY, at);
    *child = (struct tb_doc){.type = TB_DOC_NULL, .at = (uint64_t)(at - p->start)};
    if (close == '}') {
      at = parse_string(p, at, &child->name);
      if (!at) return NULL;
      at = tb_tokenizer_space(at);
      if (*at != ':') return fail(p, TB_BAD_DATA, at);
      at = tb_tokenizer_space(at + 1);
    }
    at = parse_value(p, at, child, depth + 1);
    if (!at) return NULL;
    *link = child;
    link = &child->next;
    at = tb_tokenizer_space(at);
    if (*at != ',') break;
    at = tb_tokenizer_space(at + 1);
    if (*at == close) return fail(p, TB_BAD_DATA, at);
  }
  return *at == close && at < p->scan.end ? at + 1 : fail(p, TB_BAD_DATA, at);
}

static const char *parse_number(struct document_parser *p, const char *at, struct tb_doc *doc) {
  struct tb_decimal number;
  const char *end = scanned(p, tb_tokenizer_number(&p->scan, at, &number), at);
  doc->type = TB_DOC_NUMBER;
  doc->is_integer = end && number.integer && tb_decimal_to_int(&number, 0, &doc->integer);
  return end;
}

static const char *parse_word(struct document_parser *p, const char *at, struct tb_doc *doc) {
  static const char *const words[] = {"true", "false", "null"};
  for (int i = 0; i < 3; i++) {
    size_t len = strlen(words[i]);
    if ((size_t)(p->scan.end - at) < len || memcmp(at, words[i], len) != 0) continue;
    doc->type = i == 2 ? TB_DOC_NULL : TB_DOC_BOOL;
    doc->integer = i == 0;
    return at + len;
  }
  return fail(p, TB_BAD_DATA, at);
}

static const char *parse_value(struct document_parser *p, const char *at, struct tb_doc *doc, unsigned depth) {
  if (depth == TB_JSON_TREE_DEPTH) return fail(p, TB_LIMIT, at);
  if (at >= p->scan.end) return fail(p, TB_BAD_DATA, at);
  if (*at == '{' || *at == '[') {
    doc->type = *at == '{' ? TB_DOC_OBJECT : TB_DOC_ARRAY;
    return parse_children(p, at, doc, *at == '{' ? '}' : ']', depth);
  }
  if (*at == '"') {
    doc->type = TB_DOC_STRING;
    return parse_string(p, at, &doc->text);
  }
  if (*at == '-' || (*at >= '0' && *at <= '9')) return parse_number(p, at, doc);
  return parse_word(p, at, doc);
}

enum tb_status tb_doc_parse(struct tb_arena *arena, struct tb_str text, struct tb_doc **doc, uint64_t *offset) {
  char *copy = tb_arena_alloc(arena, text.len + TB_TOKENIZER_PADDING);
  *doc = tb_arena_alloc(arena, sizeof(**doc));
  if (!copy || !*doc) return TB_NO_MEMORY;
  memset(copy + text.len, 0, TB_TOKENIZER_PADDING);
  if (text.len) memcpy(copy, text.ptr, text.len);
  struct document_parser p = {.arena = arena, .start = copy, .scan = {.end = copy + text.len, .arena = arena}};
  **doc = (struct tb_doc){.type = TB_DOC_NULL};
  (*doc)->at = (uint64_t)(tb_tokenizer_space(copy) - copy);
  const char *at = parse_value(&p, tb_tokenizer_space(copy), *doc, 0);
  if (at) at = tb_tokenizer_space(at);
  if (at && at != p.scan.end) (void)fail(&p, TB_BAD_DATA, at);
  *offset = p.failed ? (uint64_t)(p.failed - copy) : 0;
  return p.status;
}

const struct tb_doc *tb_doc_member(const struct tb_doc *doc, const char *name) {
  const struct tb_doc *found = NULL;
  if (!doc || doc->type != TB_DOC_OBJECT) return NULL;
  for (const struct tb_doc *child = doc->first; child; child = child->next)
    if (tb_str_equal(child->name, tb_str_from(name))) found = child;
  return found;
}
