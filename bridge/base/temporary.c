/* SPDX-License-Identifier: Apache-2.0 */
#include "base/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

int tb_temporary_create(const char *directory, char path[TB_TEMPORARY_PATH], struct tb_error *error) {
  if (!directory) directory = getenv("TMPDIR");
  if (!directory || !*directory) directory = "/tmp";
  int len = snprintf(path, TB_TEMPORARY_PATH, "%s/tracebridge-XXXXXX", directory);
  if (len < 0 || len >= TB_TEMPORARY_PATH) {
    (void)tb_fail(error, TB_IO, TB_NO_OFFSET, "the name of the temporary directory is too long");
    return -1;
  }
  int fd = mkstemp(path);
  if (fd < 0) (void)tb_fail_errno(error, TB_IO, errno, "cannot create a temporary file in %s", directory);
  return fd;
}

int tb_temporary_create_nameless(const char *directory, struct tb_error *error) {
  char path[TB_TEMPORARY_PATH];
  int fd = tb_temporary_create(directory, path, error);
  if (fd >= 0) (void)unlink(path);
  return fd;
}
