/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading FXT, and FXT to Perfetto and back, compared with a copy of the same bytes in memory. Promised are 1.5 GB/s
 * of reading and 500 MB/s of converting on one core.
 */
#include "baselines.h"
#include "cases.h"
#include "tracebridge/convert.h"

static bool run_memcpy(const struct bench_case *what, const struct bench_file *input, const char *output,
                       struct bench_outcome *outcome) {
  (void)what, (void)output;
  outcome->bytes = input->bytes;
  return bench_memcpy(input->path, &outcome->seconds);
}

static bool run_read(const struct bench_case *what, const struct bench_file *input, const char *output,
                     struct bench_outcome *outcome) {
  return bench_read_slices(what, input, output, outcome) && outcome->events == input->events;
}

static bool run_convert(const struct bench_case *what, const struct bench_file *input, const char *output,
                        struct bench_outcome *outcome) {
  struct tb_convert_options options = {.size = sizeof(options), .threads = what->threads};
  struct tb_convert_report report = {.size = sizeof(report)};
  struct tb_error error = {0};
  enum tb_status status = tb_convert(input->path, output, &options, &report, &error);
  outcome->output_bytes = report.summary.bytes_written;
  outcome->bytes = input->bytes;
  outcome->events = input->events;
  snprintf(outcome->note, sizeof(outcome->note), "%s", status == TB_PARTIAL ? report.losses[0].reason : error.message);
  return status == TB_OK;
}

#define FLAT .memory_limit = (uint64_t)16 << 20

const struct bench_case bench_fxt_cases[] = {
    {.name = "memcpy fxt", .group = "main", .input = "fxt", .run = run_memcpy},
    {.name = "read fxt",
     .group = "main",
     .input = "fxt",
     .baseline = "memcpy fxt",
     .run = run_read,
     .least_speed = 1500,
     FLAT},
    BENCH_READ_ONE_SHAPE("read fxt", "fxt"),
    BENCH_READ_SORTED("read fxt", "fxt"),
    {.name = "convert fxt",
     .group = "main",
     .input = "fxt",
     .baseline = "memcpy fxt",
     .run = run_convert,
     .output = "perfetto-trace",
     .threads = 1,
     .least_speed = 500},
    {.name = "convert to fxt",
     .group = "main",
     .input = "fxt-perfetto",
     .baseline = "convert fxt",
     .run = run_convert,
     .output = "fxt",
     .threads = 1},
    {.name = "read fxt 1/4", .group = "linear", .input = "fxt-quarter", .run = run_read, FLAT},
    {.name = "read fxt 4", .group = "linear", .input = "fxt-4", .baseline = "read fxt 1/4", .run = run_read, FLAT},
};

const size_t bench_fxt_case_count = sizeof(bench_fxt_cases) / sizeof(bench_fxt_cases[0]);
