/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static const int64_t second = 1000000000;

/* 2001-01-01 and 2101-01-01, in s. */
static const int64_t year_2001 = 978307200, year_2101 = 4133980800;

void tb_seconds_text(int64_t ns, char text[TB_TIME_TEXT]) {
  uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
  (void)snprintf(text, TB_TIME_TEXT, "%c%" PRIu64 ".%09" PRIu64 " s", ns < 0 ? '-' : '+', size / 1000000000,
                 size % 1000000000);
}

void tb_date_text(int64_t ns, char text[TB_TIME_TEXT]) {
  time_t seconds = (time_t)(ns / second - (ns % second < 0));
  struct tm date;
  text[0] = '\0';
  if (gmtime_r(&seconds, &date)) (void)strftime(text, TB_TIME_TEXT, "%Y-%m-%d %H:%M:%S UTC", &date);
}

bool tb_is_wall_time(int64_t ns) { return ns >= year_2001 * second && ns < year_2101 * second; }
