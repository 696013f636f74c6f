/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench's figures as a table for people and as JSON for scripts.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "measure.h"

void bench_report_table(FILE *to, const struct bench_series *series, int count, bool cpu_time);
void bench_report_json(FILE *to, const struct bench_series *series, int count, bool cpu_time);

#endif
