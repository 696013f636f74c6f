/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/clocks/clock_names.h"

#include <string.h>

static const char *const names[] = {
    NULL,  "REALTIME", "REALTIME_COARSE", "MONOTONIC", "MONOTONIC_COARSE", "MONOTONIC_RAW", "BOOTTIME", NULL, NULL,
    "TSC", "PERF",     "TRACE_FILE"};
enum { NAMES = sizeof(names) / sizeof(names[0]), MANIFEST_LAST = 6 };

const char *tb_clock_name(uint32_t clock) {
  return clock < NAMES && names[clock] ? names[clock] : "a clock of its own";
}

uint32_t tb_clock_from_name(struct tb_str name) {
  for (uint32_t i = 1; i <= MANIFEST_LAST; i++)
    if (strlen(names[i]) == name.len && memcmp(names[i], name.ptr, name.len) == 0) return i;
  return 0;
}
