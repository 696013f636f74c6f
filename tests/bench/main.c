/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench: makes inputs by seed, runs every selected case and its baseline turn by turn, prints the figures.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

enum { MAX_SERIES = 128 };

struct bench {
  struct bench_inputs inputs;
  struct bench_series series[MAX_SERIES];
  int count;
  int repeats;
  bool cpu_time, linear, spill, merge, inputs_only;
  const char *only; /* pattern of case names */
  const char *json; /* where to write, NULL: nowhere */
};

static const char usage[] =
    "usage: tracebridge_bench [options] DIR\n"
    "  --size MB       size of a standard input (200)\n"
    "  --repeats N     runs of each case, turn by turn (5)\n"
    "  --only PATTERN  cases whose name matches ('*chrome*'), with their baselines\n"
    "  --linear        also 1/4, 1 and 4 times the size\n"
    "  --spill         also 10 times the size with --memory 64M\n"
    "  --merge         also merging 2, 8 and 64 traces of 1/4 of the size\n"
    "  --cpu           figures from CPU time: for a busy machine, one-thread cases only\n"
    "  --json FILE     figures as JSON too\n"
    "  --seed N        of the inputs (1)\n"
    "  --inputs        make the inputs, leave them in DIR, and run nothing\n"
    "  --list          names of the cases\n"
    "  --help          this text\n"
    "Inputs are made in DIR and removed at the end. Exit status: 0, 1 when a case failed, 2 usage.\n";

static bool wanted(const struct bench *bench, const struct bench_case *what) {
  if (bench->only) return fnmatch(bench->only, what->name, 0) == 0;
  if (strcmp(what->group, "linear") == 0) return bench->linear;
  if (strcmp(what->group, "spill") == 0) return bench->spill;
  if (strcmp(what->group, "merge") == 0) return bench->merge;
  return true;
}

static struct bench_series *find(struct bench *bench, const char *name) {
  for (int i = 0; i < bench->count; i++)
    if (strcmp(bench->series[i].what->name, name) == 0) return &bench->series[i];
  return NULL;
}

/* Adds the case and, before it, its baseline. NULL when it cannot be run. */
static struct bench_series *add(struct bench *bench, const struct bench_case *what) {
  struct bench_series *series = find(bench, what->name);
  if (series) return series;
  const struct bench_series *baseline = NULL;
  if (what->baseline) {
    const struct bench_case *other = bench_case_find(what->baseline);
    baseline = other ? add(bench, other) : NULL;
  }
  const struct bench_file *input = bench_inputs_get(&bench->inputs, what->input);
  if (!input || bench->count == MAX_SERIES) return NULL;
  series = &bench->series[bench->count++];
  *series = (struct bench_series){.what = what, .input = input, .baseline = baseline};
  return series;
}

static void measure_all(struct bench *bench) {
  for (int repeat = 0; repeat < bench->repeats; repeat++)
    for (int i = 0; i < bench->count; i++) {
      if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rround %d of %d: %-30s", repeat + 1, bench->repeats, bench->series[i].what->name);
      bench_measure(&bench->series[i], bench->inputs.directory);
    }
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%50s\r", "");
}

static bool report(const struct bench *bench) {
  bench_report_table(stdout, bench->series, bench->count, bench->cpu_time);
  if (bench->json) {
    FILE *file = fopen(bench->json, "w");
    if (!file) {
      perror(bench->json);
      return false;
    }
    bench_report_json(file, bench->series, bench->count, bench->cpu_time);
    if (fclose(file) != 0) return false;
  }
  for (int i = 0; i < bench->count; i++)
    if (!bench_figures_of(&bench->series[i], bench->cpu_time).good) return false;
  return true;
}

static bool parse(struct bench *bench, int argc, char **argv) {
  enum { SIZE = 1, REPEATS, ONLY, LINEAR, SPILL, MERGE, CPU, JSON, SEED, INPUTS, LIST, HELP };
  static const struct option options[] = {{"size", required_argument, NULL, SIZE},
                                          {"repeats", required_argument, NULL, REPEATS},
                                          {"only", required_argument, NULL, ONLY},
                                          {"linear", no_argument, NULL, LINEAR},
                                          {"spill", no_argument, NULL, SPILL},
                                          {"merge", no_argument, NULL, MERGE},
                                          {"cpu", no_argument, NULL, CPU},
                                          {"json", required_argument, NULL, JSON},
                                          {"seed", required_argument, NULL, SEED},
                                          {"list", no_argument, NULL, LIST},
                                          {"inputs", no_argument, NULL, INPUTS},
                                          {"help", no_argument, NULL, HELP},
                                          {0}};
  for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) switch (c) {
      case SIZE:
        bench->inputs.unit = strtoull(optarg, NULL, 10) * 1000000;
        break;
      case REPEATS:
        bench->repeats = atoi(optarg);
        break;
      case ONLY:
        bench->only = optarg;
        break;
      case LINEAR:
        bench->linear = true;
        break;
      case SPILL:
        bench->spill = true;
        break;
      case MERGE:
        bench->merge = true;
        break;
      case CPU:
        bench->cpu_time = true;
        break;
      case JSON:
        bench->json = optarg;
        break;
      case SEED:
        bench->inputs.seed = strtoull(optarg, NULL, 0);
        break;
      case INPUTS:
        bench->inputs_only = true;
        break;
      case LIST:
        for (size_t i = 0; bench_case_at(i); i++) printf("%-8s %s\n", bench_case_at(i)->group, bench_case_at(i)->name);
        exit(0);
      case HELP:
        fputs(usage, stdout);
        exit(0);
      default:
        return false;
    }
  if (optind + 1 != argc) return false;
  bench->inputs.directory = argv[optind];
  return bench->inputs.unit && bench->repeats > 0 && bench->repeats <= BENCH_MAX_REPEATS;
}

static int work(struct bench *bench) {
  bool complete = true;
  for (size_t i = 0; bench_case_at(i); i++)
    if (wanted(bench, bench_case_at(i)) && !add(bench, bench_case_at(i))) complete = false;
  if (bench->inputs_only) return complete ? 0 : 1;
  sync(); /* the inputs' way to the disk is not to be measured */
  measure_all(bench);
  bool good = report(bench);
  bench_inputs_clean(&bench->inputs);
  return good && complete ? 0 : 1;
}

int main(int argc, char **argv) {
  static struct bench bench = {.inputs = {.unit = 200000000, .seed = 1}, .repeats = 5};
  if (!parse(&bench, argc, argv)) {
    fputs(usage, stderr);
    return 2;
  }
  return work(&bench);
}
