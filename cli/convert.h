/* SPDX-License-Identifier: Apache-2.0
 *
 * What the conversion of one file and of many (many.h) share.
 */
#ifndef TB_CLI_CONVERT_H
#define TB_CLI_CONVERT_H

#include "progress.h"
#include "report.h"

struct convert_settings {
  const char *output, *report, *out_dir, *suffix;
  enum tb_format from, to;
  enum tb_clock clock;
  bool strict, compress, keep_packets, no_clobber, quiet;
  size_t memory, junk;
  unsigned threads, jobs;
};

/* tb_convert as the settings say, with progress on the terminal (NULL: none). */
enum tb_status cli_convert_file(const char *from, const char *to, const struct convert_settings *settings,
                                struct cli_progress *progress, struct tb_convert_report *report,
                                struct tb_error *error);

#endif
