/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

#include <string.h>

#include "baselines.h"
#include "tracebridge/convert.h"

static bool run_convert(const struct bench_case *what, const struct bench_file *input, const char *output,
                        struct bench_outcome *outcome) {
  const struct tb_writer_options writer = {
      .size = sizeof(writer), .compress = what->compress, .memory_budget = (size_t)what->memory_budget};
  const struct tb_convert_options options = {.size = sizeof(options), .writer = &writer, .threads = what->threads};
  struct tb_convert_report report = {.size = sizeof(report)};
  struct tb_error error = {0};
  enum tb_status status = tb_convert(input->path, output, &options, &report, &error);
  outcome->output_bytes = report.summary.bytes_written;
  outcome->spilled_bytes = report.summary.spilled_bytes;
  /* as in real traces, some flows join nothing; reading must lose nothing */
  if (status == TB_OK || (status == TB_PARTIAL && report.reader_loss_count == 0)) return true;
  const char *why = status == TB_PARTIAL ? report.losses[0].reason : error.message;
  snprintf(outcome->note, sizeof(outcome->note), "%s", why);
  return false;
}

bool bench_read(const struct bench_case *what, const struct bench_file *input, const char *output,
                struct bench_outcome *outcome) {
  (void)output;
  const struct tb_reader_options options = {.size = sizeof(options),
                                            .shape = what->order ? TB_SHAPE_ONE : TB_SHAPE_SOURCE,
                                            .sorted = what->order == BENCH_SORTED,
                                            .memory_budget = (size_t)what->memory_budget};
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  uint64_t events = 0;
  enum tb_status status = tb_reader_open(input->path, &options, &reader, &error);
  if (status == TB_OK) {
    while ((status = tb_reader_next(reader, &event)) == TB_OK) events++;
    error = *tb_reader_error(reader);
    tb_reader_close(reader);
  }
  outcome->bytes = input->bytes;
  snprintf(outcome->note, sizeof(outcome->note), "%s", error.message);
  return status == TB_END && events >= input->events;
}

bool bench_read_slices(const struct bench_case *what, const struct bench_file *input, const char *output,
                       struct bench_outcome *outcome) {
  (void)what, (void)output;
  const struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE};
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  size_t losses = 0;
  enum tb_status status = tb_reader_open(input->path, &options, &reader, &error);
  if (status == TB_OK) {
    while ((status = tb_reader_next(reader, &event)) == TB_OK)
      outcome->events += event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_SLICE_COMPLETE ||
                         event->type == TB_EVENT_ASYNC_BEGIN;
    error = *tb_reader_error(reader);
    (void)tb_reader_losses(reader, &losses);
    tb_reader_close(reader);
  }
  outcome->bytes = input->bytes;
  snprintf(outcome->note, sizeof(outcome->note), "%s", error.message);
  return status == TB_END && losses == 0;
}

static bool run_simdjson(const struct bench_case *what, const struct bench_file *input, const char *output,
                         struct bench_outcome *outcome) {
  (void)what, (void)output, (void)outcome;
  uint64_t events;
  return bench_simdjson_walk(input->path, &events) && events == input->events;
}

static bool run_memcpy(const struct bench_case *what, const struct bench_file *input, const char *output,
                       struct bench_outcome *outcome) {
  (void)what, (void)output;
  return bench_memcpy(input->path, &outcome->seconds);
}

static bool run_copy(const struct bench_case *what, const struct bench_file *input, const char *output,
                     struct bench_outcome *outcome) {
  (void)what;
  outcome->output_bytes = input->bytes;
  return bench_copy(input->path, output);
}

static bool run_inflate(const struct bench_case *what, const struct bench_file *input, const char *output,
                        struct bench_outcome *outcome) {
  (void)what, (void)output, (void)outcome;
  uint64_t bytes;
  return bench_inflate(input->path, &bytes) && bytes == input->plain_bytes;
}

#define PERFETTO .run = run_convert, .output = "perfetto-trace"

#define ONE_SHAPE(file) BENCH_READ_ONE_SHAPE("read " file, file)
#define SORTED(file) BENCH_READ_SORTED("read " file, file)

static const struct bench_case json_cases[] = {
    {.name = "memcpy", .group = "main", .input = "chrome", .run = run_memcpy},
    {.name = "copy", .group = "main", .input = "chrome", .run = run_copy, .output = "json"},
    {.name = "simdjson chrome", .group = "main", .input = "chrome", .run = run_simdjson},
    {.name = "read chrome", .group = "main", .input = "chrome", .baseline = "simdjson chrome", .run = bench_read},
    {.name = "convert chrome",
     .group = "main",
     .input = "chrome",
     .baseline = "simdjson chrome",
     .target = 1.5,
     PERFETTO,
     .threads = 1,
     .memory_share = 0.6},
    {.name = "convert chrome -j2",
     .group = "main",
     .input = "chrome",
     .baseline = "convert chrome",
     .target = 1.5,
     PERFETTO,
     .threads = 2,
     .memory_share = 0.6},
    {.name = "convert chrome --compress",
     .group = "main",
     .input = "chrome",
     .baseline = "simdjson chrome",
     PERFETTO,
     .threads = 1,
     .memory_share = 0.6,
     .compress = true},
    {.name = "simdjson pytorch", .group = "main", .input = "pytorch", .run = run_simdjson},
    {.name = "read pytorch", .group = "main", .input = "pytorch", .baseline = "simdjson pytorch", .run = bench_read},
    {.name = "convert pytorch",
     .group = "main",
     .input = "pytorch",
     .baseline = "simdjson pytorch",
     PERFETTO,
     .threads = 1,
     .memory_share = 0.6},
    {.name = "convert pytorch -j2",
     .group = "main",
     .input = "pytorch",
     .baseline = "convert pytorch",
     PERFETTO,
     .threads = 2,
     .memory_share = 0.6},
    {.name = "simdjson nested", .group = "main", .input = "nested", .run = run_simdjson},
    {.name = "convert nested",
     .group = "main",
     .input = "nested",
     .baseline = "simdjson nested",
     PERFETTO,
     .threads = 1,
     .memory_share = 0.6},
    {.name = "simdjson counters", .group = "main", .input = "counters", .run = run_simdjson},
    {.name = "convert counters",
     .group = "main",
     .input = "counters",
     .baseline = "simdjson counters",
     PERFETTO,
     .threads = 1,
     .memory_share = 0.6},
    {.name = "simdjson async", .group = "main", .input = "async", .run = run_simdjson},
    {.name = "convert async",
     .group = "main",
     .input = "async",
     .baseline = "simdjson async",
     PERFETTO,
     .threads = 1,
     .memory_share = 0.6},
    {.name = "convert async, 20,000 open",
     .group = "main",
     .input = "async-wide",
     .baseline = "convert async",
     PERFETTO,
     .threads = 1},
    {.name = "inflate", .group = "main", .input = "chrome-gz", .run = run_inflate},
    {.name = "convert .gz", .group = "main", .input = "chrome-gz", .baseline = "inflate", PERFETTO, .threads = 1},
    {.name = "convert .gz -j2",
     .group = "main",
     .input = "chrome-gz",
     .baseline = "inflate",
     .target = 1,
     PERFETTO,
     .threads = 2},
    {.name = "linear 1/4", .group = "linear", .input = "chrome-quarter", PERFETTO, .threads = 1, .memory_share = 0.6},
    {.name = "linear 1",
     .group = "linear",
     .input = "chrome",
     .baseline = "linear 1/4",
     PERFETTO,
     .threads = 1,
     .memory_share = 0.6},
    {.name = "linear 4",
     .group = "linear",
     .input = "chrome-4",
     .baseline = "linear 1/4",
     PERFETTO,
     .threads = 1,
     .memory_share = 0.6},
    ONE_SHAPE("chrome"),
    SORTED("chrome"),
    ONE_SHAPE("pytorch"),
    SORTED("pytorch"),
    {.name = "spill 10 --memory 64M",
     .group = "spill",
     .input = "chrome-10",
     PERFETTO,
     .threads = 1,
     .memory_budget = (uint64_t)64 << 20,
     .memory_limit = (uint64_t)160 << 20},
};

const struct bench_case *bench_case_at(size_t i) {
  size_t count = sizeof(json_cases) / sizeof(json_cases[0]);
  if (i < count) return &json_cases[i];
  i -= count;
  if (i < bench_perfetto_case_count) return &bench_perfetto_cases[i];
  i -= bench_perfetto_case_count;
  if (i < bench_merge_case_count) return &bench_merge_cases[i];
  i -= bench_merge_case_count;
  return i < bench_fxt_case_count ? &bench_fxt_cases[i] : NULL;
}

const struct bench_case *bench_case_find(const char *name) {
  const struct bench_case *what;
  for (size_t i = 0; (what = bench_case_at(i)) != NULL; i++)
    if (strcmp(what->name, name) == 0) return what;
  return NULL;
}
