/* SPDX-License-Identifier: Apache-2.0 */
#include "io/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "io/path.h"

/* A file that had a name for a moment. */
static int create_named(const char *directory, struct tb_error *error) {
  char path[PATH_MAX];
  int len = snprintf(path, sizeof(path), "%s/tracebridge-XXXXXX", directory);
  if (len < 0 || len >= (int)sizeof(path)) {
    (void)tb_fail(error, TB_IO, TB_NO_OFFSET, "the name of the temporary directory is too long");
    return -1;
  }
  int fd = mkostemp(path, O_CLOEXEC);
  if (fd >= 0 && unlink(path) == 0) return fd;
  (void)tb_fail_errno(error, TB_IO, errno, "cannot create a temporary file in %s", directory);
  if (fd >= 0) (void)close(fd);
  return -1;
}

int tb_temp_file_create_nameless(const char *directory, struct tb_error *error) {
  if (!directory) directory = getenv("TMPDIR");
  if (!directory || !*directory) directory = "/tmp";
  int fd = open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  return fd >= 0 ? fd : create_named(directory, error); /* not every file system can */
}

/* The folder is that of what the system calls the file, "/tmp/#4711 (deleted)". */
enum tb_status tb_temp_file_fail(int fd, const char *what, int code, struct tb_error *error) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  ssize_t len = readlink(link, path, sizeof(path) - 1);
  path[len > 0 ? len : 0] = 0;
  size_t folder = (size_t)(tb_path_last_part(path) - path);
  if (!folder)
    return tb_fail_errno(error, TB_IO, code, "cannot %s the temporary file (TMPDIR says in which folder)", what);
  path[folder] = 0;
  const char *hint = code == EFBIG ? "" : " (TMPDIR names another folder)"; /* that limit is the process' own */
  return tb_fail_errno(error, TB_IO, code, "cannot %s the temporary file in %s%s", what, path, hint);
}

enum tb_status tb_temp_file_read_all_at(int fd, uint64_t offset, void *to, size_t len, struct tb_error *error) {
  for (size_t done = 0; done < len;) {
    ssize_t n = pread(fd, (char *)to + done, len - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tb_temp_file_fail(fd, "read", errno, error);
    if (n == 0) {
      errno = EIO;
      return tb_fail(error, TB_IO, TB_NO_OFFSET, "the temporary file was cut short");
    }
    done += (size_t)n;
  }
  return TB_OK;
}

enum tb_status tb_temp_file_write_all_at(int fd, uint64_t offset, const void *data, size_t len,
                                         struct tb_error *error) {
  for (size_t done = 0; done < len;) {
    ssize_t n = pwrite(fd, (const char *)data + done, len - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tb_temp_file_fail(fd, "write to", errno, error);
    done += (size_t)n;
  }
  return TB_OK;
}

void tb_temp_file_free_pages(int fd, uint64_t offset, uint64_t len) {
  (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)len);
}
