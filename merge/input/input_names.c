/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/input/input_names.h"

#include "base/error.h"
#include "io/path.h"
#include "tracebridge/merge.h"

static struct tb_str without_dot(struct tb_str path) {
  while (path.len > 2 && memcmp(path.ptr, "./", 2) == 0) path = (struct tb_str){path.ptr + 2, path.len - 2};
  return path;
}

static bool is_whole(struct tb_str name, const char *path) {
  return path && tb_str_equal(name, without_dot(tb_str_from(path)));
}

static bool is_tail(struct tb_str name, const char *path) {
  size_t len = strlen(path);
  return name.len && len > name.len && path[len - name.len - 1] == '/' &&
         memcmp(path + len - name.len, name.ptr, name.len) == 0;
}

/* Whether the name is one of what is in an archive, as reports name it. */
static bool is_below(struct tb_str name, const char *archive) {
  size_t len = strlen(archive);
  return name.len > len && name.ptr[len] == '/' && memcmp(name.ptr, archive, len) == 0;
}

/* Whether the name leads to the same file, by another way: an absolute path, or a link. */
static bool is_same_file(struct tb_str name, const char *path) {
  char text[PATH_MAX];
  if (!name.len || name.len >= sizeof(text) || memchr(name.ptr, '\0', name.len)) return false;
  memcpy(text, name.ptr, name.len);
  text[name.len] = '\0';
  return tb_path_is_same_file(text, path);
}

void tb_name_search_offer(struct tb_name_search *search, size_t index, const char *path, const char *member) {
  struct tb_str name = without_dot(search->name);
  enum tb_name_fit fit = TB_NAME_OTHER;
  if (!path) return;
  if (tb_str_equal(search->name, tb_str_from(path)))
    fit = TB_NAME_EXACT;
  else if (is_whole(name, path) || is_whole(name, member))
    fit = TB_NAME_WHOLE;
  else if (!member && search->fit <= TB_NAME_SAME_FILE && is_same_file(search->name, path))
    fit = TB_NAME_SAME_FILE;
  else if (is_tail(name, path))
    fit = TB_NAME_TAIL;
  if (fit == TB_NAME_OTHER || fit < search->fit) return;
  if (fit > search->fit) {
    search->first = path;
    search->second = NULL;
    search->index = index;
    search->fit = fit;
  } else if (!search->second) {
    search->second = path;
  }
}

enum tb_status tb_name_search_end(const struct tb_name_search *search, struct tb_error *error) {
  int len = (int)(search->name.len < 100 ? search->name.len : 100);
  if (!search->first) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "no input is called %.*s", len, search->name.ptr);
  if (!search->second) return TB_OK;
  return tb_fail(error, TB_INVALID, TB_NO_OFFSET,
                 "%.*s is ambiguous: it may be %.110s or %.110s; name more of its path", len, search->name.ptr,
                 search->first, search->second);
}

enum tb_status tb_merge_find_input(const struct tb_merge_input *inputs, size_t count, const char *name, size_t len,
                                   size_t *index, struct tb_error *error) {
  struct tb_name_search search = {.name = {name, len}};
  if (!index || (!inputs && count) || (!name && len))
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "inputs, a name or the index are NULL");
  for (size_t i = 0; i < count; i++) tb_name_search_offer(&search, i, inputs[i].path, NULL);
  *index = search.index;
  for (size_t i = 0; i < count && !search.first; i++)
    if (inputs[i].path && is_below(search.name, inputs[i].path))
      return tb_fail(error, TB_INVALID, TB_NO_OFFSET,
                     "%.*s is in the archive %.110s, of which options speak as a whole; a manifest speaks of one trace",
                     (int)(len < 100 ? len : 100), name, inputs[i].path);
  return tb_name_search_end(&search, error);
}
