/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/times.h"
#include "tracebridge/info.h"
#include "tracebridge/trim.h"

static const char WANTED[] =
    "a time (1.5s, 20ms; ns without a unit), one on a clock (TRACE:12.5s, REALTIME, BOOTTIME, ...) or a date with its "
    "zone "
    "(2023-11-14T22:13:20Z)";

/* ---- dates ------------------------------------------------------------------------------------------------------- */

/* `count` digits as a number; NULL where there are not so many. */
static const char *take_digits(const char *at, int count, int *value) {
  *value = 0;
  for (; count-- > 0; at++) {
    if (!isdigit((unsigned char)*at)) return NULL;
    *value = *value * 10 + (*at - '0');
  }
  return at;
}

static const char *take_char(const char *at, char c) { return at && *at == c ? at + 1 : NULL; }

static bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

/* Days since 1970 of a date of the Gregorian calendar; false where there is no such date. */
static bool count_days(int year, int month, int day, int64_t *days) {
  static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  if (year < 1970 || month < 1 || month > 12 || day < 1) return false;
  int leap = is_leap(year), length = before[month] - before[month - 1] + (month == 2 && leap);
  if (day > length) return false;
  int64_t years = year - 1970, leaps = (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 - 477;
  *days = years * 365 + leaps + before[month - 1] + (month > 2 && leap) + day - 1;
  return true;
}

/* What is behind the minutes: seconds with a fraction, in ns. */
static const char *take_seconds(const char *at, int64_t *ns) {
  struct tb_decimal number;
  int whole;
  const char *end = take_digits(at, 2, &whole);
  if (!end || whole > 59) return NULL;
  if (*end == '.' || *end == ',') {
    char text[16] = "0.";
    size_t len = strspn(end + 1, "0123456789");
    if (!len || len > 9) return NULL;
    memcpy(text + 2, end + 1, len);
    int64_t fraction;
    if (!tb_decimal_parse(text, text + 2 + len, &number) || !tb_decimal_to_int(&number, 9, &fraction)) return NULL;
    *ns = (int64_t)whole * 1000000000 + fraction;
    return end + 1 + len;
  }
  *ns = (int64_t)whole * 1000000000;
  return end;
}

static bool take_zone(const char *at, int *minutes) {
  int hours, rest = 0;
  if ((*at == 'Z' || *at == 'z') && !at[1]) {
    *minutes = 0;
    return true;
  }
  if (*at != '+' && *at != '-') return false;
  bool west = *at == '-';
  at = take_digits(at + 1, 2, &hours);
  if (at && *at == ':') at++;
  if (at && *at) at = take_digits(at, 2, &rest);
  if (!at || *at || hours > 14 || rest > 59) return false;
  *minutes = (hours * 60 + rest) * (west ? -1 : 1);
  return true;
}

static bool parse_date(const char *text, int64_t *ns) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, zone = 0;
  int64_t days = 0, seconds_ns = 0, sum;
  const char *at = take_digits(text, 4, &year);
  at = take_char(at, '-');
  if (at) at = take_char(take_digits(at, 2, &month), '-');
  if (at) at = take_digits(at, 2, &day);
  if (!at || (*at != 'T' && *at != 't' && *at != ' ') || !count_days(year, month, day, &days)) return false;
  at = take_char(take_digits(at + 1, 2, &hour), ':');
  if (at) at = take_digits(at, 2, &minute);
  if (!at || hour > 23 || minute > 59) return false;
  if (*at == ':') at = take_seconds(at + 1, &seconds_ns);
  if (!at || !take_zone(at, &zone)) return false;
  int64_t minutes = days * 1440 + hour * 60 + minute - zone;
  if (__builtin_mul_overflow(minutes, INT64_C(60000000000), &sum)) return false;
  return !__builtin_add_overflow(sum, seconds_ns, ns);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* A clock of the kernel's, or the trace's own: TRACE, or the name that info says where it is none of them. */
static bool parse_clock(struct tb_str name, enum tb_clock *clock) {
  uint32_t id = tb_clock_id_from_name(name);
  *clock = id <= TB_CLOCK_BOOTTIME ? (enum tb_clock)id : TB_CLOCK_UNKNOWN;
  return *clock != TB_CLOCK_UNKNOWN || id == TB_CLOCK_TRACE_FILE ||
         (name.len == 5 && strncasecmp(name.ptr, "TRACE", name.len) == 0);
}

const char *tb_trim_point_parse(const char *text, struct tb_trim_point *point) {
  struct tb_trim_point read = {.kind = TB_TRIM_POINT_AFTER, .clock = TB_CLOCK_UNKNOWN};
  if (!text || !point) return WANTED;
  const char *colon = strchr(text, ':');
  if (tb_duration_parse(text, &read.ns) == TB_OK) {
    if (read.ns < 0) return "a time from the start on, not before it";
  } else if (parse_date(text, &read.ns)) {
    read.kind = TB_TRIM_POINT_CLOCK;
    read.clock = TB_CLOCK_REALTIME;
  } else if (colon && parse_clock((struct tb_str){text, (size_t)(colon - text)}, &read.clock) &&
             tb_duration_parse(colon + 1, &read.ns) == TB_OK) {
    read.kind = TB_TRIM_POINT_CLOCK;
  } else {
    return WANTED;
  }
  *point = read;
  return NULL;
}
