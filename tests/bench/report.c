/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <inttypes.h>

static void table_row(FILE *to, const struct bench_series *series, const struct bench_figures *f) {
  const struct bench_case *what = series->what;
  fprintf(to, "%-26s %7.0f", what->name, f->bytes / 1e6);
  if (!f->good) {
    fprintf(to, "  FAILED: %s\n", series->run_count ? series->runs[series->run_count - 1].outcome.note : "not run");
    return;
  }
  fprintf(to, " %8.0f", f->speed);
  if (f->ratio > 0)
    fprintf(to, " %6.2f", f->ratio);
  else
    fprintf(to, " %6s", "-");
  if (what->target > 0)
    fprintf(to, " %6.2f", what->target);
  else
    fprintf(to, " %6s", "-");
  fprintf(to, " %7.2f", f->events_a_second / 1e6);
  if (what->output)
    fprintf(to, " %6.3f %7.1f", f->output_ratio, f->bytes_an_event);
  else
    fprintf(to, " %6s %7s", "-", "-");
  fprintf(to, " %8.1f %7.2f", (double)f->peak_bytes / 1e6, f->peak_ratio);
  fprintf(to, "  %s%s\n", series->baseline ? series->baseline->what->name : "", f->met ? "" : "  (below its target)");
}

void bench_report_table(FILE *to, const struct bench_series *series, int count, bool cpu_time) {
  fprintf(to, "%-26s %7s %8s %6s %6s %7s %6s %7s %8s %7s  %s\n", "case", "MB", cpu_time ? "MB/cpu-s" : "MB/s", "ratio",
          "target", "Mev/s", "out/in", "B/event", "peak MB", "peak/in", "ratio to the speed of");
  for (int i = 0; i < count; i++) {
    struct bench_figures figures = bench_figures_of(&series[i], cpu_time);
    table_row(to, &series[i], &figures);
  }
}

/* Names of the tables here hold no character that JSON escapes; notes may. */
static void json_text(FILE *to, const char *text) {
  fputc('"', to);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(to, "\\%c", c);
    else if (c < 0x20)
      fprintf(to, "\\u%04x", c);
    else
      fputc(c, to);
  }
  fputc('"', to);
}

static void json_case(FILE *to, const struct bench_series *series, const struct bench_figures *f) {
  fputs("    {\"case\": ", to);
  json_text(to, series->what->name);
  fprintf(to, ", \"input\": \"%s\", \"baseline\": ", series->input->input->name);
  if (series->baseline)
    json_text(to, series->baseline->what->name);
  else
    fputs("null", to);
  fprintf(to, ", \"good\": %s, \"met\": %s,\n     ", f->good ? "true" : "false", f->met ? "true" : "false");
  fprintf(to, "\"input_bytes\": %" PRIu64 ", \"plain_bytes\": %" PRIu64 ", ", series->input->bytes,
          series->input->plain_bytes);
  fprintf(to, "\"counted_bytes\": %.0f, \"events\": %.0f, ", f->bytes, f->events);
  fprintf(to, "\"seconds\": %.4f, \"mb_per_second\": %.1f, \"ratio\": %.3f, \"target\": %.2f, ", f->seconds, f->speed,
          f->ratio, series->what->target);
  fprintf(to, "\"least_mb_per_second\": %.0f, \"least_events_per_second\": %.0f, ", series->what->least_speed,
          series->what->least_events * 1e6);
  fprintf(to, "\"events_per_second\": %.0f,\n     \"output_bytes\": %" PRIu64 ", \"output_ratio\": %.4f, ",
          f->events_a_second, f->output_bytes, f->output_ratio);
  fprintf(to, "\"bytes_per_event\": %.2f, \"peak_bytes\": %" PRIu64 ", \"spilled_bytes\": %" PRIu64 ", \"runs\": [",
          f->bytes_an_event, f->peak_bytes, f->spilled_bytes);
  for (int i = 0; i < series->run_count; i++)
    fprintf(to, "%s{\"wall\": %.4f, \"cpu\": %.4f}", i ? ", " : "", series->runs[i].wall, series->runs[i].cpu);
  fputs("], \"note\": ", to);
  json_text(to, series->run_count ? series->runs[series->run_count - 1].outcome.note : "not run");
  fputs("}", to);
}

void bench_report_json(FILE *to, const struct bench_series *series, int count, bool cpu_time) {
  fprintf(to, "{\n  \"time\": \"%s\",\n  \"cases\": [\n", cpu_time ? "cpu" : "wall");
  for (int i = 0; i < count; i++) {
    struct bench_figures figures = bench_figures_of(&series[i], cpu_time);
    json_case(to, &series[i], &figures);
    fputs(i + 1 < count ? ",\n" : "\n", to);
  }
  fputs("  ]\n}\n", to);
}
