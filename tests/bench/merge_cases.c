/* SPDX-License-Identifier: Apache-2.0
 *
 * Merging 2, 8 and 64 traces as Chrome writes them, compared with writing the same files one after another into one;
 * and without a file, which shows how much of the time is the memory of the machine's file system.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "merge_parts.h"
#include "tracebridge/merge.h"

enum { MOST = 64, BLOCK = 1 << 20 };

/* The traces of an input: <path>.0 and so on, each of the size of `from`, by a seed of its own. The input itself lists
 * how many events they have. */
static bool make_parts(const char *from, const char *to, unsigned count) {
  struct stat st;
  FILE *list = fopen(to, "w");
  if (!list) return false;
  bool good = stat(from, &st) == 0;
  for (unsigned i = 0; i < count && good; i++) {
    char path[600];
    uint64_t events = 0;
    bench_part_path(to, i, path, sizeof(path));
    good = bench_generate_file(bench_generate_chrome_perfetto, path, (uint64_t)st.st_size, 1000 + i, &events);
    fprintf(list, "%" PRIu64 "\n", events);
  }
  return fclose(list) == 0 && good;
}

bool bench_make_2_parts(const char *from, const char *to) { return make_parts(from, to, 2); }
bool bench_make_8_parts(const char *from, const char *to) { return make_parts(from, to, 8); }
bool bench_make_64_parts(const char *from, const char *to) { return make_parts(from, to, MOST); }

/* Paths of the parts; how many, and what they hold together. */
static unsigned find_parts(const struct bench_file *input, char paths[MOST][600], struct bench_outcome *outcome) {
  FILE *list = fopen(input->path, "r");
  unsigned count = 0;
  uint64_t events;
  while (list && count < MOST && fscanf(list, "%" SCNu64, &events) == 1) {
    struct stat st;
    bench_part_path(input->path, count, paths[count], sizeof(paths[0]));
    if (stat(paths[count], &st) != 0) break;
    outcome->bytes += (uint64_t)st.st_size;
    outcome->events += events;
    count++;
  }
  if (list) fclose(list);
  outcome->input_bytes = outcome->bytes;
  return count;
}

static bool run_cat(const struct bench_case *what, const struct bench_file *input, const char *output,
                    struct bench_outcome *outcome) {
  static char paths[MOST][600];
  unsigned count = find_parts(input, paths, outcome);
  FILE *to = fopen(output, "wb");
  char *block = malloc(BLOCK);
  bool good = to && block && count;
  (void)what;
  if (to) setvbuf(to, NULL, _IONBF, 0);
  for (unsigned i = 0; i < count && good; i++) {
    FILE *from = fopen(paths[i], "rb");
    good = from != NULL;
    if (from) setvbuf(from, NULL, _IONBF, 0);
    for (size_t n; good && (n = fread(block, 1, BLOCK, from)) > 0;) good = fwrite(block, 1, n, to) == n;
    if (from) fclose(from);
  }
  free(block);
  outcome->output_bytes = outcome->bytes;
  return to && fclose(to) == 0 && good;
}

static bool run_merge(const struct bench_case *what, const struct bench_file *input, const char *output,
                      struct bench_outcome *outcome) {
  static char paths[MOST][600];
  struct tb_merge_input inputs[MOST] = {{0}};
  struct tb_merge_options options = {.size = sizeof(options), .threads = what->threads};
  unsigned count = find_parts(input, paths, outcome);
  struct tb_error error = {0};
  struct stat st;
  for (unsigned i = 0; i < count; i++) inputs[i].path = paths[i];
  enum tb_status status = tb_merge(inputs, count, what->output ? output : "/dev/null", &options, NULL, &error);
  if (what->output && stat(output, &st) == 0) outcome->output_bytes = (uint64_t)st.st_size;
  snprintf(outcome->note, sizeof(outcome->note), "%s", error.message);
  return status == TB_OK;
}

#define CAT .group = "merge", .run = run_cat, .output = "perfetto-trace"
#define MERGE(n) .group = "merge", .run = run_merge, .threads = n, .memory_limit = 300 * 1000000u
#define TO_FILE .output = "perfetto-trace"

const struct bench_case bench_merge_cases[] = {
    {.name = "cat 2", .input = "parts-2", CAT},
    {.name = "merge 2", .input = "parts-2", .baseline = "cat 2", MERGE(1), TO_FILE, .least_speed = 400},
    {.name = "merge 2 -j2", .input = "parts-2", .baseline = "merge 2", MERGE(2), TO_FILE},
    {.name = "merge 2 to nowhere", .input = "parts-2", .baseline = "merge 2", MERGE(1)},
    {.name = "cat 8", .input = "parts-8", CAT},
    {.name = "merge 8", .input = "parts-8", .baseline = "cat 8", MERGE(1), TO_FILE, .least_speed = 400},
    {.name = "merge 8 -j2", .input = "parts-8", .baseline = "merge 8", MERGE(2), TO_FILE},
    {.name = "merge 8 to nowhere", .input = "parts-8", .baseline = "merge 8", MERGE(1)},
    {.name = "cat 64", .input = "parts-64", CAT},
    {.name = "merge 64", .input = "parts-64", .baseline = "cat 64", MERGE(1), TO_FILE, .least_speed = 400},
    {.name = "merge 64 -j2", .input = "parts-64", .baseline = "merge 64", MERGE(2), TO_FILE},
    {.name = "merge 64 to nowhere", .input = "parts-64", .baseline = "merge 64", MERGE(1)},
};

const size_t bench_merge_case_count = sizeof(bench_merge_cases) / sizeof(bench_merge_cases[0]);
