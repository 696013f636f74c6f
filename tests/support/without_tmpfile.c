/* SPDX-License-Identifier: Apache-2.0
 *
 * without_tmpfile COMMAND...: runs it as on a file system that makes no files without a name. Exit status 77 where the
 * kernel has no filters of system calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define FLAGS(argument) LOAD(args[argument]) /* the lower half, on little-endian machines */

enum { TMPFILE = O_TMPFILE & ~O_DIRECTORY, SKIPPED = 77 };

int main(int argc, char **argv) {
  struct sock_filter filter[] = {
      LOAD(nr),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      FLAGS(2),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, TMPFILE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  if (argc < 2) return 2;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return SKIPPED;
  (void)execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 127;
}
