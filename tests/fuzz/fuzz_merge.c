/* SPDX-License-Identifier: Apache-2.0
 *
 * Hostile bytes as the inputs of a merge: cut in two at a place that they say themselves, with options that they say
 * too. Sanitizers and limits are the judges; a trace that was merged must merge again by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracebridge/merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATH = 64, OPTIONS = 3 /* the last bytes: where to cut, and what to do */ };

/* A file in memory where the system has such a folder. */
static void name_file(char path[PATH], const char *name) {
  static const char *folder;
  if (!folder) folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  (void)snprintf(path, PATH, "%s/fuzz_merge.%ld.%s", folder, (long)getpid(), name);
}

static bool write_file(const char *path, const uint8_t *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  bool good = fwrite(data, 1, size, file) == size;
  return fclose(file) == 0 && good;
}

static enum tb_status merge(const struct tb_merge_input *inputs, size_t count, const char *out, unsigned bits) {
  struct tb_merge_options options = {.size = sizeof(options),
                                     .align_messages = bits & 1,
                                     .share_flows = bits & 2,
                                     .flatten_machines = bits & 4,
                                     .skip_bad = bits & 8,
                                     .unplaced = bits & 16 ? TB_UNPLACED_DROP : TB_UNPLACED_START,
                                     .trace_clock = bits & 32 ? TB_CLOCK_REALTIME : TB_CLOCK_UNKNOWN};
  struct tb_merge_report *report = NULL;
  enum tb_status status = tb_merge(inputs, count, out, &options, &report, NULL);
  for (int format = 0; report && format < TB_MERGE_REPORT_FORMAT_COUNT; format++)
    (void)tb_merge_report_render(report, (enum tb_merge_report_format)format);
  tb_merge_report_free(report);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < OPTIONS) return 0;
  char paths[2][PATH], out[PATH], again[PATH];
  name_file(paths[0], "a");
  name_file(paths[1], "b");
  name_file(out, "out");
  name_file(again, "again");
  const uint8_t *options = data + size - OPTIONS;
  size_t whole = size - OPTIONS, cut = whole * (options[0] | (size_t)options[1] << 8) / 65536;
  const struct tb_merge_input inputs[] = {{.path = paths[0]},
                                          {.path = paths[1], .machine = options[2] & 128 ? "b" : NULL}};
  if (write_file(paths[0], data, cut) && write_file(paths[1], data + cut, whole - cut)) {
    enum tb_status status = merge(inputs, 2, out, options[2]);
    const struct tb_merge_input merged = {.path = out};
    if (status == TB_OK && merge(&merged, 1, again, 0) != TB_OK) abort();
  }
  const char *const all[] = {paths[0], paths[1], out, again};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) (void)unlink(all[i]);
  return 0;
}
