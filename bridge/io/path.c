/* SPDX-License-Identifier: Apache-2.0 */
#include "io/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracebridge/file.h"

enum { LINKS_MAX = 40 };

int tb_path_descriptor(const char *path) {
  static const char *const standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  for (int i = 0; i < 3; i++)
    if (strcmp(path, standard[i]) == 0) return i;
  for (size_t i = 0; i < 2; i++) {
    size_t len = strlen(folders[i]);
    if (strncmp(path, folders[i], len) != 0 || path[len] < '0' || path[len] > '9') continue;
    char *end;
    long number = strtol(path + len, &end, 10);
    if (!*end && number <= INT_MAX) return (int)number;
  }
  return -1;
}

const char *tb_path_last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static size_t directory_len(const char *path) { return (size_t)(tb_path_last_part(path) - path); }

bool tb_path_follow(const char *path, char target[PATH_MAX]) {
  char link[PATH_MAX];
  size_t len = strlen(path), head = 0;
  errno = ENAMETOOLONG;
  if (len >= PATH_MAX) return false;
  memcpy(target, path, len + 1);
  for (unsigned links = 0; links < LINKS_MAX; links++) {
    ssize_t n = tb_path_descriptor(target) < 0 ? readlink(target, link, sizeof(link)) : -1;
    if (n < 0) return true; /* no link, or nothing there yet */
    head = link[0] == '/' ? 0 : directory_len(target);
    errno = ENAMETOOLONG;
    if (head + (size_t)n >= PATH_MAX) return false;
    memcpy(target + head, link, (size_t)n);
    target[head + (size_t)n] = '\0';
  }
  errno = ELOOP;
  return false;
}

bool tb_path_folder(const char *path, char folder[PATH_MAX]) {
  size_t len = directory_len(path);
  if (len + 2 > PATH_MAX) return false;
  memcpy(folder, path, len);
  memcpy(folder + len, ".", 2);
  return true;
}

enum tb_compression tb_path_compression(const char *path, size_t *len) {
  static const struct {
    const char *end;
    enum tb_compression kind;
  } ends[] = {{".gz", TB_COMPRESSION_GZIP}, {".zst", TB_COMPRESSION_ZSTD}};
  *len = strlen(path);
  for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
    size_t n = strlen(ends[i].end);
    if (*len <= n || strcasecmp(path + *len - n, ends[i].end) != 0) continue;
    *len -= n;
    return ends[i].kind;
  }
  return TB_COMPRESSION_NONE;
}

/* ---- are two names one file? ------------------------------------------------------------------------------------- */

/* What a name refers to. */
struct named_file {
  char path[PATH_MAX]; /* links followed */
  int descriptor;      /* -1: none */
  bool there;
  struct stat st;
};

/* False where it leads nowhere. */
static bool look_up(const char *name, int standard, struct named_file *n) {
  if (strcmp(name, "-") == 0) {
    n->descriptor = standard;
  } else {
    if (!tb_path_follow(name, n->path)) return false;
    n->descriptor = tb_path_descriptor(n->path);
  }
  n->there = (n->descriptor >= 0 ? fstat(n->descriptor, &n->st) : stat(name, &n->st)) == 0;
  return n->there || n->descriptor < 0;
}

static bool same_inode(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool tb_path_is_same_file(const char *a, const char *b) {
  struct stat p, q;
  return stat(a, &p) == 0 && stat(b, &q) == 0 && S_ISREG(p.st_mode) && same_inode(&p, &q);
}

static bool stat_folder(const char *path, struct stat *st) {
  char folder[PATH_MAX];
  return tb_path_folder(path, folder) && stat(folder, st) == 0;
}

/* Whether two files that are not there yet would be one. */
static bool same_place(const char *a, const char *b) {
  struct stat in_a, in_b;
  return strcmp(a + directory_len(a), b + directory_len(b)) == 0 && stat_folder(a, &in_a) && stat_folder(b, &in_b) &&
         same_inode(&in_a, &in_b);
}

bool tb_file_overwrites_input(const char *written, const char *input) {
  struct named_file to, from;
  if (!written || !input) return false;
  if (!look_up(written, STDOUT_FILENO, &to) || !look_up(input, STDIN_FILENO, &from) || to.there != from.there)
    return false;
  if (!to.there) return same_place(to.path, from.path);
  return same_inode(&to.st, &from.st) && (S_ISREG(to.st.st_mode) || S_ISBLK(to.st.st_mode));
}

bool tb_file_overwrites_output(const char *written, const char *output) {
  struct named_file a, b;
  if (!written || !output) return false;
  if (!look_up(written, STDOUT_FILENO, &a) || !look_up(output, STDOUT_FILENO, &b) || a.there != b.there) return false;
  if (!a.there) return same_place(a.path, b.path);
  if (a.descriptor >= 0 && a.descriptor == b.descriptor) return true;
  return same_inode(&a.st, &b.st) && !S_ISCHR(a.st.st_mode);
}

bool tb_file_is_plain(const char *path) {
  struct named_file n;
  if (!path) return false;
  if (!look_up(path, STDOUT_FILENO, &n)) return true;
  return n.descriptor < 0 && (!n.there || S_ISREG(n.st.st_mode));
}
