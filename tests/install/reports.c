/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that was built with headers of its own time: what the library has added since to a report it has no room
 * for, and what they have and the library has not stays as it was.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <tracebridge/trim.h>

/* As tb_trim_report was when there was no more of it. */
struct old_report {
  size_t size;
  int64_t start_ns, end_ns;
  uint64_t packets_in;
};

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  struct {
    struct old_report report;
    char behind[256];
  } old;
  char behind[sizeof(old.behind)];
  memset(&old, 'x', sizeof(old));
  memset(behind, 'x', sizeof(behind));
  old.report.size = sizeof(old.report);
  if (tb_trim(argv[1], "/dev/null", NULL, (struct tb_trim_report *)(void *)&old, NULL) != TB_OK) return 1;
  tb_trim_report_free((struct tb_trim_report *)(void *)&old);
  if (memcmp(old.behind, behind, sizeof(behind)) != 0 || !old.report.packets_in) return 1;

  struct tb_trim_report report = {.size = sizeof(report)};
  struct tb_trim_options options = {.size = sizeof(options)};
#ifdef NEWER
  report.planted = 7;
#endif
  if (tb_trim(argv[1], "/dev/null", &options, &report, NULL) != TB_OK) return 1;
  if (report.packets_in != old.report.packets_in) return 1;
  tb_trim_report_free(&report);
#ifdef NEWER
  if (report.planted != 7) return 1;
  options.planted = 1; /* the library has no such option */
  if (tb_trim(argv[1], "/dev/null", &options, &report, NULL) != TB_INVALID) return 1;
#endif
  printf("%llu packets\n", (unsigned long long)old.report.packets_in);
  return 0;
}
