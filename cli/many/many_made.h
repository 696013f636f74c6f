/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of what convert --out-dir made: of which input, with which options. It is the file CLI_MADE_FILE in the
 * folder of outputs, to the end of which one run at a time adds; a run that was killed loses nothing of it.
 */
#ifndef TB_CLI_MANY_MADE_H
#define TB_CLI_MANY_MADE_H

#include "many/many_jobs.h"

#define CLI_MADE_FILE ".tracebridge"

/* How one output was made. */
struct cli_made_entry {
  const char *name;                        /* of the output */
  const char *input;                       /* its path from the root */
  const char *options;                     /* in any form that is equal where the output would be */
  long long input_size, input_s, input_ns; /* of the file and its last change */
  long long output_size, output_s, output_ns;
  int exit_status;
  const char *losses; /* JSON, of the conversion */
};

struct cli_made {
  char path[PATH_MAX]; /* of the record */
  FILE *file;
  char *text;                     /* of the file, which the entries point into */
  struct cli_made_entry *entries; /* by name */
  size_t count;
};

/* Reads the record of `out_dir`, which is there. CLI_OK, or CLI_IO, said on stderr: another run has it, or it cannot be
 * written. */
int cli_made_open(struct cli_made *made, const char *out_dir);

/* How the job's output was made, where it is still that: the input is the same and older than the output, which has the
 * size and the time that it had when it was written. NULL: it is to be made. */
const struct cli_made_entry *cli_made_find(const struct cli_made *made, const struct cli_job *job, const char *options);

/* Whether an earlier run made the job's output, of whatever input. */
bool cli_made_knows(const struct cli_made *made, const struct cli_job *job);

/* Adds that the job's output was made, and what was lost. False where it could not be written; errno says why. */
bool cli_made_add(struct cli_made *made, const struct cli_job *job, const char *options, int exit_status,
                  const char *losses);

void cli_made_close(struct cli_made *made);

#endif
