/* SPDX-License-Identifier: Apache-2.0
 *
 * The progress line of a long job.
 */
#ifndef TB_CLI_PROGRESS_H
#define TB_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_progress {
  bool shown;                 /* whether lines are to be printed */
  bool dirty;                 /* whether one is on the terminal */
  double started, last_shown; /* seconds; the work that is shown began at `started` */
  uint64_t bytes, size;       /* that were shown last */
  double writing_since;       /* 0: still reading */
};

/* Prints lines when stderr is a terminal and not `quiet`. Watches for interruptions, see interrupt.h. */
void cli_progress_start(struct cli_progress *progress, bool quiet);

/* A tb_progress for a struct cli_progress: false once the user has interrupted. Fewer bytes than before, or another
 * size, are of the next work, such as the next input: its rate and the time left count from there. */
bool cli_progress_update(void *progress, uint64_t bytes, uint64_t size);

/* The same for what is written at the end: the line then begins with "writing". */
bool cli_progress_writing(void *progress, uint64_t bytes, uint64_t size);

/* Wipes the line. */
void cli_progress_end(struct cli_progress *progress);

/* The line's text: bytes done of size (0: unknown) after that many seconds, with no rate where these are too few. */
void cli_progress_format(char *line, size_t capacity, uint64_t bytes, uint64_t size, double seconds);

#endif
