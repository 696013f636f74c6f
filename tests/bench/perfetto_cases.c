/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading Perfetto traces: packets, events, and the way back to JSON, of traces that we wrote and of one as Chrome
 * writes it. Speeds are of the Perfetto file, that of "to JSON" is of the JSON written; events are slices.
 */
#include <string.h>

#include "baselines.h"
#include "cases.h"
#include "tracebridge/convert.h"
#include "tracebridge/packet.h"

static bool run_unpack(const struct bench_case *what, const struct bench_file *input, const char *output,
                       struct bench_outcome *outcome) {
  (void)what, (void)output;
  outcome->bytes = input->bytes;
  return bench_unpack(input->path, &outcome->events);
}

static bool read_packets(const struct bench_file *input, const struct tb_reader_options *options,
                         struct bench_outcome *outcome) {
  struct tb_packet_reader *reader;
  struct tb_error error = {0};
  const struct tb_packet *packet;
  size_t losses = 0;
  enum tb_status status = tb_packet_reader_open(input->path, options, &reader, &error);
  if (status == TB_OK) {
    while ((status = tb_packet_next(reader, &packet)) == TB_OK) outcome->events++;
    error = *tb_packet_reader_error(reader);
    (void)tb_packet_reader_losses(reader, &losses);
    tb_packet_reader_close(reader);
  }
  outcome->bytes = input->bytes;
  snprintf(outcome->note, sizeof(outcome->note), "%s", error.message);
  return status == TB_END && losses == 0;
}

/* Every packet with its sequence, time and kind; the payload is not looked at. */
static bool run_packets(const struct bench_case *what, const struct bench_file *input, const char *output,
                        struct bench_outcome *outcome) {
  (void)what, (void)output;
  bool good = read_packets(input, NULL, outcome);
  return good && outcome->events >= input->events;
}

/* Every packet by its frame alone. */
static bool run_frames(const struct bench_case *what, const struct bench_file *input, const char *output,
                       struct bench_outcome *outcome) {
  const struct tb_reader_options options = {.size = sizeof(options), .framing_only = true};
  (void)what, (void)output;
  bool good = read_packets(input, &options, outcome);
  return good && outcome->events >= input->events;
}

static bool run_json(const struct bench_case *what, const struct bench_file *input, const char *output,
                     struct bench_outcome *outcome) {
  struct tb_convert_options options = {.size = sizeof(options), .threads = what->threads};
  struct tb_convert_report report = {.size = sizeof(report)};
  struct tb_error error = {0};
  enum tb_status status = tb_convert(input->path, output, &options, &report, &error);
  outcome->output_bytes = outcome->bytes = report.summary.bytes_written;
  outcome->events =
      report.summary.events_by_type[TB_EVENT_SLICE_BEGIN] + report.summary.events_by_type[TB_EVENT_ASYNC_BEGIN];
  snprintf(outcome->note, sizeof(outcome->note), "%s", status == TB_PARTIAL ? report.losses[0].reason : error.message);
  return status == TB_OK;
}

#define JSON_BY(n) .run = run_json, .output = "json", .threads = n
#define JSON JSON_BY(1)
#define FLAT .memory_limit = (uint64_t)48 << 20

const struct bench_case bench_perfetto_cases[] = {
    {.name = "unpack slices", .group = "main", .input = "slices-perfetto", .run = run_unpack},
    {.name = "frames slices",
     .group = "main",
     .input = "slices-perfetto",
     .baseline = "unpack slices",
     .run = run_frames,
     .least_speed = 1000},
    {.name = "packets slices",
     .group = "main",
     .input = "slices-perfetto",
     .baseline = "unpack slices",
     .run = run_packets},
    {.name = "events slices",
     .group = "main",
     .input = "slices-perfetto",
     .baseline = "unpack slices",
     .run = bench_read_slices,
     .least_events = 8},
    BENCH_READ_ONE_SHAPE("events slices", "slices-perfetto"),
    BENCH_READ_SORTED("events slices", "slices-perfetto"),
    {.name = "to JSON slices", .group = "main", .input = "slices-perfetto", JSON},
    {.name = "to JSON slices -j2",
     .group = "main",
     .input = "slices-perfetto",
     .baseline = "to JSON slices",
     JSON_BY(2),
     .least_speed = 400},
    {.name = "unpack ours", .group = "main", .input = "chrome-perfetto", .run = run_unpack},
    {.name = "frames ours",
     .group = "main",
     .input = "chrome-perfetto",
     .baseline = "unpack ours",
     .run = run_frames,
     .least_speed = 1000},
    {.name = "packets ours",
     .group = "main",
     .input = "chrome-perfetto",
     .baseline = "unpack ours",
     .run = run_packets},
    {.name = "events ours",
     .group = "main",
     .input = "chrome-perfetto",
     .baseline = "unpack ours",
     .run = bench_read_slices},
    {.name = "to JSON ours", .group = "main", .input = "chrome-perfetto", JSON},
    {.name = "to JSON ours -j2",
     .group = "main",
     .input = "chrome-perfetto",
     .baseline = "to JSON ours",
     JSON_BY(2),
     .least_speed = 400},
    {.name = "unpack as Chrome", .group = "main", .input = "as-chrome", .run = run_unpack},
    {.name = "frames as Chrome",
     .group = "main",
     .input = "as-chrome",
     .baseline = "unpack as Chrome",
     .run = run_frames,
     .least_speed = 1000},
    {.name = "packets as Chrome",
     .group = "main",
     .input = "as-chrome",
     .baseline = "unpack as Chrome",
     .run = run_packets},
    {.name = "events as Chrome",
     .group = "main",
     .input = "as-chrome",
     .baseline = "unpack as Chrome",
     .run = bench_read_slices},
    {.name = "to JSON as Chrome", .group = "main", .input = "as-chrome", JSON},
    {.name = "to JSON as Chrome -j2",
     .group = "main",
     .input = "as-chrome",
     .baseline = "to JSON as Chrome",
     JSON_BY(2),
     .least_speed = 400},
    {.name = "packets 1/4", .group = "linear", .input = "as-chrome-quarter", .run = run_packets, FLAT},
    {.name = "packets 4",
     .group = "linear",
     .input = "as-chrome-4",
     .baseline = "packets 1/4",
     .run = run_packets,
     FLAT},
    {.name = "events 1/4", .group = "linear", .input = "as-chrome-quarter", .run = bench_read_slices, FLAT},
    {.name = "events 4",
     .group = "linear",
     .input = "as-chrome-4",
     .baseline = "events 1/4",
     .run = bench_read_slices,
     FLAT},
    {.name = "to JSON 1/4", .group = "linear", .input = "as-chrome-quarter", JSON, FLAT},
    {.name = "to JSON 4", .group = "linear", .input = "as-chrome-4", .baseline = "to JSON 1/4", JSON, FLAT},
};

const size_t bench_perfetto_case_count = sizeof(bench_perfetto_cases) / sizeof(bench_perfetto_cases[0]);
