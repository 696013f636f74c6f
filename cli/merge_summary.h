/* SPDX-License-Identifier: Apache-2.0
 *
 * What a merge did, as some lines on the terminal.
 */
#ifndef TB_CLI_MERGE_SUMMARY_H
#define TB_CLI_MERGE_SUMMARY_H

#include <stdio.h>

#include "tracebridge/merge.h"

/* A line for each input, how it was placed; of many inputs for the first and the worst. `output` as given. */
void cli_merge_summary(FILE *to, const char *output, const struct tb_merge_report *report);

/* What of inputs could not be read, and warnings, on stderr; of hundreds of one kind the first. */
void cli_merge_damage(const struct tb_merge_report *report);
void cli_merge_warnings(const struct tb_merge_report *report);

#endif
