/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "print.h"
#include "tracebridge/info.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void cli_progress_start(struct cli_progress *progress, bool quiet) {
  *progress = (struct cli_progress){.shown = !quiet && isatty(STDERR_FILENO), .started = now()};
  progress->last_shown = progress->started;
  cli_interrupt_watch();
}

/* Before that many seconds of a work its rate says nothing. */
static const double SECONDS_MEASURED = 0.1;

void cli_progress_format(char *line, size_t capacity, uint64_t bytes, uint64_t size, double seconds) {
  char done[TB_UNIT_TEXT], all[TB_UNIT_TEXT], rate[TB_UNIT_TEXT];
  (void)tb_bytes_text(done, bytes);
  if (seconds < SECONDS_MEASURED) {
    if (!size || bytes > size)
      snprintf(line, capacity, "%s", done);
    else
      snprintf(line, capacity, "%s of %s (%.0f %%)", done, tb_bytes_text(all, size),
               100 * (double)bytes / (double)size);
    return;
  }
  (void)tb_bytes_text(rate, (uint64_t)((double)bytes / seconds));
  if (!size || bytes > size) {
    snprintf(line, capacity, "%s, %s/s", done, rate);
    return;
  }
  double left = bytes ? seconds * ((double)size / (double)bytes - 1) : 0;
  unsigned whole = left < 360000 ? (unsigned)(left + 0.5) : 360000;
  snprintf(line, capacity, "%s of %s (%.0f %%), %s/s, %u:%02u left", done, tb_bytes_text(all, size),
           100 * (double)bytes / (double)size, rate, whole / 60, whole % 60);
}

/* Shows a line where it is time for one; `since` when its work began. */
static void show(struct cli_progress *progress, const char *what, double since, uint64_t bytes, uint64_t size) {
  double time = now();
  if (time - progress->last_shown < 0.2) return;
  progress->last_shown = time;
  progress->dirty = true;
  cli_interrupt_line(true);
  char line[128];
  cli_progress_format(line, sizeof(line), bytes, size, time - since);
  cli_print(stderr, "\r\033[K%s%s", what, line);
}

bool cli_progress_update(void *context, uint64_t bytes, uint64_t size) {
  struct cli_progress *progress = context;
  if (cli_interrupted()) return false;
  if (!progress->shown) return true;
  if (bytes < progress->bytes || (progress->size && size != progress->size)) progress->started = now();
  progress->bytes = bytes;
  progress->size = size;
  show(progress, "", progress->started, bytes, size);
  return true;
}

bool cli_progress_writing(void *context, uint64_t bytes, uint64_t size) {
  struct cli_progress *progress = context;
  if (cli_interrupted()) return false;
  if (!progress->shown) return true;
  if (progress->writing_since == 0) progress->writing_since = progress->last_shown = now();
  show(progress, "writing ", progress->writing_since, bytes, size);
  return true;
}

void cli_progress_end(struct cli_progress *progress) {
  if (progress->dirty) fputs("\r\033[K", stderr);
  progress->dirty = false;
  cli_interrupt_line(false);
}
