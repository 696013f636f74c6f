/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees of arguments out of names that spell paths, a.b[2].c, where our writer says that they are such.
 */
#include "fxt/reader/reader.h"

enum { SAID_IN_REST = UINT8_MAX }; /* more than there are trees */
enum { MAX_DEPTH = 128 };          /* of what our writer makes; behind it is a value with the rest of its path */

/* A value that is under what is left of its path. */
struct leaf {
  const struct tb_arg *arg;
  struct tb_str path;
};

struct trees {
  struct tb_arg *args; /* with room for all */
  uint32_t count;
};

/* The first part of a path. */
struct path_part {
  struct tb_str name; /* empty for an item of a list */
  size_t len;         /* of the path, with what is around the name */
  char next;          /* '.' or '[' where a part follows, else 0 */
};

static bool is_separator(char c) { return c == '.' || c == '['; }

static struct path_part first_part(struct tb_str path) {
  struct path_part part = {.len = path.len};
  size_t start = path.len && path.ptr[0] == '[';
  const char *close = start ? memchr(path.ptr, ']', path.len) : NULL;
  if (start && !close) return (struct path_part){.name = path, .len = path.len}; /* no path of ours */
  if (close) part.len = (size_t)(close + 1 - path.ptr);
  for (size_t i = 0; !close && part.len == path.len && i < path.len; i++)
    if (is_separator(path.ptr[i])) part.len = i;
  if (!close) part.name = (struct tb_str){path.ptr, part.len};
  if (part.len < path.len) part.next = path.ptr[part.len];
  if (!is_separator(part.next)) part.next = '\0';
  return part;
}

/* Whether the leaf is within the same list or dict as `first`, whose part is `part`. */
static bool continues(const struct leaf *leaf, const struct leaf *first, const struct path_part *part) {
  size_t with_next = part->len + 1;
  return leaf->path.len > with_next && memcmp(leaf->path.ptr, first->path.ptr, with_next) == 0;
}

static void build(struct trees *trees, struct leaf *leaves, size_t count, unsigned depth) {
  for (size_t i = 0, end; i < count; i = end) {
    struct path_part part = first_part(leaves[i].path);
    struct tb_arg *arg = &trees->args[trees->count++];
    end = i + 1;
    if (!part.next || depth == MAX_DEPTH || leaves[i].path.len == part.len + 1) {
      *arg = *leaves[i].arg;
      arg->name = part.next ? leaves[i].path : part.name;
      continue;
    }
    while (end < count && continues(&leaves[end], &leaves[i], &part)) end++;
    *arg = (struct tb_arg){.name = part.name, .type = part.next == '.' ? TB_ARG_DICT : TB_ARG_ARRAY};
    uint32_t before = trees->count;
    size_t used = part.len + (part.next == '.');
    for (size_t k = i; k < end; k++)
      leaves[k].path = (struct tb_str){leaves[k].path.ptr + used, leaves[k].path.len - used};
    build(trees, leaves + i, end - i, depth + 1);
    arg->span = 1 + trees->count - before;
  }
}

/* No more lists and dicts can come of a name. */
static size_t separators(struct tb_str name) {
  size_t n = 0;
  for (size_t i = 0; i < name.len && n < MAX_DEPTH; i++) n += is_separator(name.ptr[i]);
  return n;
}

void tb_fxt_note_nested(struct tb_fxt_reader *fx, uint32_t first, struct tb_str letters) {
  if (!fx->trees++) memset(fx->tree_of_arg, 0, sizeof(fx->tree_of_arg));
  for (size_t i = 0; i < letters.len && first + i < TB_FXT_MAX_ARGS; i++)
    fx->tree_of_arg[first + i] = letters.ptr[i] == TB_FXT_NESTED_PATH    ? fx->trees
                                 : letters.ptr[i] == TB_FXT_SAID_IN_REST ? SAID_IN_REST
                                                                         : 0;
}

enum tb_status tb_fxt_nest(struct tb_fxt_reader *fx, struct tb_event *event) {
  struct leaf leaves[TB_FXT_MAX_ARGS];
  size_t total = fx->arg_count;
  for (uint32_t i = 0; i < fx->arg_count; i++) {
    leaves[i] = (struct leaf){&fx->args[i], fx->args[i].name};
    total += separators(leaves[i].path);
  }
  size_t size = (total + fx->rest_count) * sizeof(struct tb_arg);
  struct trees trees = {.args = tb_arena_alloc(&fx->batch->arena, size)};
  if (!trees.args) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  for (uint32_t i = 0, end; i < fx->arg_count; i = end) {
    end = i + 1;
    if (fx->tree_of_arg[i] == SAID_IN_REST) continue;
    if (!fx->tree_of_arg[i]) {
      trees.args[trees.count++] = fx->args[i];
      continue;
    }
    while (end < fx->arg_count && fx->tree_of_arg[end] == fx->tree_of_arg[i]) end++; /* not those of begin and end */
    build(&trees, leaves + i, end - i, 0);
  }
  if (fx->rest_count) memcpy(trees.args + trees.count, fx->rest, fx->rest_count * sizeof(*trees.args));
  event->args = trees.args;
  event->arg_count = trees.count + fx->rest_count;
  event->has |= TB_HAS_ARGS;
  return TB_OK;
}
