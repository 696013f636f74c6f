/* SPDX-License-Identifier: Apache-2.0
 *
 * convert --out-dir: many files, some at the same time. Each is converted by a process of its own, so that one that
 * takes too much memory, or ends by a signal, is one line of the report and not the end of all.
 */
#ifndef TB_CLI_MANY_H
#define TB_CLI_MANY_H

#include "convert.h"

/* Converts the operands, files and folders, into settings->out_dir; returns the worst exit status, where 4 (something
 * was lost) is less than the others. */
int cli_convert_many(const struct cli_operands *operands, const struct convert_settings *settings);

#endif
