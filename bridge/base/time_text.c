/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tracebridge/info.h"

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

/* ---- durations --------------------------------------------------------------------------------------------------- */

/* Digits at the start of `text`, the rest in *rest. False where there are none or too many. */
static bool parse_digits(const char *text, uint64_t *number, const char **rest) {
  size_t len = strspn(text, "0123456789");
  *number = 0;
  *rest = text + len;
  for (size_t i = 0; i < len; i++) {
    if (*number > (UINT64_MAX - 9) / 10) return false;
    *number = *number * 10 + (uint64_t)(text[i] - '0');
  }
  return len > 0;
}

/* Behind the point: digits up to the ninth, without zeros at the end; NULL where there are more, which no unit has. */
static const char *parse_fraction(const char *text, uint64_t *fraction, uint64_t *scale) {
  const char *end = text + strspn(text, "0123456789"), *rest = end;
  while (end > text && end[-1] == '0') end--;
  for (*fraction = 0, *scale = 1; text < end; text++) {
    if (*scale == 1000000000) return NULL;
    *fraction = *fraction * 10 + (uint64_t)(*text - '0');
    *scale *= 10;
  }
  return rest;
}

enum tb_status tb_duration_parse(const char *text, int64_t *ns) {
  static const struct {
    const char *name;
    uint64_t ns;
  } units[] = {
      {"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", 60000000000}, {"h", 3600000000000}};
  if (!text || !ns) return TB_INVALID;
  bool negative = *text == '-';
  uint64_t whole, fraction = 0, scale = 1;
  const char *rest;
  if (*text == '-' || *text == '+') text++;
  if (!parse_digits(text, &whole, &rest)) return TB_INVALID;
  if (*rest == '.') rest = parse_fraction(rest + 1, &fraction, &scale);
  if (!rest) return TB_UNSUPPORTED;
  for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
    uint64_t unit = units[i].ns;
    if (strcmp(rest, units[i].name) != 0) continue;
    if (whole > (uint64_t)INT64_MAX / unit - 1) return TB_INVALID;
    if (unit % scale && fraction * (unit % scale) % scale) return TB_UNSUPPORTED;
    int64_t size = (int64_t)(whole * unit + fraction * (unit / scale) + fraction * (unit % scale) / scale);
    *ns = negative ? -size : size;
    return TB_OK;
  }
  return TB_INVALID;
}
