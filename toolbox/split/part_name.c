/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/split/part_name.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

enum { TEXT_MAX = 48, SUFFIX_MAX = 32, NS_DIGITS = 9 };

static int digits_of(uint64_t number) {
  int digits = 1;
  for (; number >= 10; number /= 10) digits++;
  return digits;
}

/* So many digits that all parts have as many, and sort. */
static int width(const struct tb_split_plan *plan, bool of_thread) {
  int most = 1;
  for (size_t i = 1; i < plan->count; i++) {
    const struct tb_whose *whose = &plan->pieces[i].whose;
    int64_t id = of_thread ? whose->tid : whose->pid;
    int digits = digits_of(id < 0 ? 0 : (uint64_t)id);
    if (plan->pieces[i].packets && digits > most) most = digits;
  }
  return most;
}

/* Letters, digits and . _ - of what the trace calls it, from the last / on; with a - in front where there are any. */
static void put_text(struct tb_str from, char text[TEXT_MAX + 2]) {
  for (size_t i = 0; i < from.len; i++)
    if (from.ptr[i] == '/' && i + 1 < from.len) {
      from = (struct tb_str){from.ptr + i + 1, from.len - i - 1};
      i = (size_t)-1;
    }
  size_t len = 0;
  for (size_t i = 0; i < from.len && len < TEXT_MAX; i++) {
    unsigned char c = (unsigned char)from.ptr[i];
    bool plain = isalnum(c) || c == '.' || c == '_' || c == '-';
    if (!len) text[len++] = '-';
    if (plain || text[len - 1] != '_') text[len++] = plain ? (char)c : '_';
  }
  text[len] = '\0';
}

/* Seconds without what is nothing: 0s, 12.5s. */
static void put_seconds(uint64_t ns, char *text, size_t size) {
  uint64_t second = UINT64_C(1000000000);
  int digits = NS_DIGITS;
  uint64_t fraction = ns % second;
  if (!fraction) {
    (void)snprintf(text, size, "%" PRIu64 "s", ns / second);
    return;
  }
  for (; fraction % 10 == 0; fraction /= 10) digits--;
  (void)snprintf(text, size, "%" PRIu64 ".%0*" PRIu64 "s", ns / second, digits, fraction);
}

void tb_part_name(const struct tb_split_plan *plan, size_t part, const char *suffix, char name[TB_PART_NAME_MAX]) {
  const struct tb_whose *whose = &plan->pieces[part].whose;
  bool by_owner = plan->by == TB_SPLIT_PROCESS || plan->by == TB_SPLIT_THREAD;
  char text[TEXT_MAX + 2], machine[32] = "", time[48];
  int number = digits_of(plan->count - 1);
  put_text(tb_owners_name(&plan->owners, whose), text);
  if (by_owner && whose->machine) (void)snprintf(machine, sizeof(machine), "machine-%" PRIu32 "-", whose->machine);
  if (plan->by == TB_SPLIT_TIME) {
    put_seconds((uint64_t)plan->window_ns * part, time, sizeof(time));
    (void)snprintf(name, TB_PART_NAME_MAX, "time-%0*zu-%s%.*s", number < 3 ? 3 : number, part, time, SUFFIX_MAX,
                   suffix);
  } else if (plan->by == TB_SPLIT_SIZE) {
    (void)snprintf(name, TB_PART_NAME_MAX, "size-%0*zu%.*s", number < 3 ? 3 : number, part, SUFFIX_MAX, suffix);
  } else if (plan->by == TB_SPLIT_MACHINE) {
    (void)snprintf(name, TB_PART_NAME_MAX, "machine-%" PRIu32 "%.*s", whose->machine, SUFFIX_MAX, suffix);
  } else if (!part) {
    (void)snprintf(name, TB_PART_NAME_MAX, "rest%.*s", SUFFIX_MAX, suffix);
  } else if (plan->by == TB_SPLIT_PROCESS) {
    (void)snprintf(name, TB_PART_NAME_MAX, "%sprocess-%0*" PRId64 "%s%.*s", machine, width(plan, false), whose->pid,
                   text, SUFFIX_MAX, suffix);
  } else {
    (void)snprintf(name, TB_PART_NAME_MAX, "%sthread-%0*" PRId64 "-%0*" PRId64 "%s%.*s", machine, width(plan, false),
                   whose->pid, width(plan, true), whose->tid, text, SUFFIX_MAX, suffix);
  }
}
