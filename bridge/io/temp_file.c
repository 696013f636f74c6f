/* SPDX-License-Identifier: Apache-2.0 */
#include "io/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

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
