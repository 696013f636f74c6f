/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files convert --out-dir reads, and what it writes of each: a file gets its name in the folder of outputs, the
 * traces in a folder keep their places below it.
 */
#ifndef TB_CLI_MANY_JOBS_H
#define TB_CLI_MANY_JOBS_H

#include <limits.h>
#include <sys/stat.h>

#include "cli.h"

struct cli_job {
  char *from, *to;            /* paths; `to` is NULL where `from` cannot be read, and may be a folder */
  int unreadable;             /* then why: an errno */
  const char *name;           /* of the output below the folder of outputs, in `to` */
  bool is_own;                /* it would become itself */
  const char *overwritten_by; /* then: the other input that would become it; NULL: there is none */
  const char *collides_with;  /* another input with the same output: neither is converted; NULL: there is none */
  struct stat input;
};

struct cli_jobs {
  struct cli_job *items; /* in the order of the operands, folders by name */
  size_t count, capacity;
  size_t passed_over;  /* files in folders whose names are no trace's */
  size_t not_files;    /* what has a trace's name there, but is a pipe, a device or a link to nothing */
  struct cli_job *own; /* files in folders that would become themselves: outputs of before, or traces named like them */
  size_t own_count, own_capacity;
  const char *out_dir, *suffix;
  bool quiet;
  char out_path[PATH_MAX]; /* of out_dir from the root, empty where it is not there yet; passed over in folders */
};

/* Fills `jobs`, whose out_dir, suffix (such as ".json.gz") and quiet the caller has set. CLI_OK, or an exit status,
 * said on stderr: one is named twice, or there is no trace. */
int cli_jobs_find(const struct cli_operands *operands, struct cli_jobs *jobs);
void cli_jobs_free(struct cli_jobs *jobs);

/* Makes the folders above the job's output. False where that cannot be; errno says why. */
bool cli_job_make_folders(const struct cli_job *job);

#endif
