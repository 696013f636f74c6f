/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/report/render.h"

#include <inttypes.h>
#include <stdarg.h>

#include "tracebridge/escape.h"

/* A buffer that keeps its first failure, so that printing needs no check at each line. */
struct report_page {
  struct tb_buffer *out;
  enum tb_status status;
};

static void put(struct report_page *page, const char *format, ...) TB_PRINTF(2, 3);
static bool append(void *ctx, const char *text, size_t len) {
  struct report_page *page = ctx;
  if (page->status == TB_OK) page->status = tb_buffer_append(page->out, text, len);
  return page->status == TB_OK;
}

static void put(struct report_page *page, const char *format, ...) {
  va_list args;
  va_start(args, format);
  (void)tb_escape_print(append, page, format, args);
  va_end(args);
}

/* ns as a signed decimal number of seconds. */
static void put_seconds(struct report_page *page, int64_t ns) {
  uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
  put(page, "%c%" PRIu64 ".%09" PRIu64 " s", ns < 0 ? '-' : '+', size / 1000000000, size % 1000000000);
}

static void text_note(struct report_page *page, const struct tb_merge_report *report,
                      const struct tb_merge_note *note) {
  const char *input = tb_merge_note_input(report, note);
  put(page, "%s: %s%s%s\n", note->level == TB_MERGE_NOTE_WARNING ? "warning" : "note", input ? input : "",
      input ? ": " : "", note->text);
}

static void text_placement(struct report_page *page, const struct tb_merge_input_report *in) {
  put(page, "  placed by: %s\n", in->why[0] ? in->why : tb_placement_text(in->placement));
  put(page, "  offset ");
  put_seconds(page, in->offset_ns);
  if (in->drift_ppm != 0) put(page, ", drift %+.3f ppm", in->drift_ppm);
  if (in->has_residual) put(page, ", residual %.0f ns", in->residual_ns);
  if (in->has_bound && in->placement != TB_PLACEMENT_REFERENCE) put(page, ", within %" PRId64 " ns", in->bound_ns);
  if (in->matches) put(page, ", %" PRIu64 " matches, %" PRIu64 " thrown out", in->matches, in->outliers);
  put(page, "\n");
  if (in->has_time) put(page, "  from %" PRId64 " to %" PRId64 " ns\n", in->first_ns, in->last_ns);
}

static void text_input(struct report_page *page, const struct tb_merge_input_report *in) {
  put(page, "%s: %s%s", in->name, tb_format_name(in->format), in->skipped ? ", left out" : "");
  if (in->machine[0] || in->machine_id) put(page, ", machine %s (%" PRIu32 ")", in->machine, in->machine_id);
  if (in->clock[0]) put(page, ", clock %s", in->clock);
  put(page, "\n");
  if (in->skipped && in->why[0])
    put(page, "  left out: %s\n", in->why);
  else if (!in->skipped)
    text_placement(page, in);
  put(page, "  packets: %" PRIu64 " in, %" PRIu64 " out, %" PRIu64 " as they were, %" PRIu64 " left out\n",
      in->packets_in, in->packets_out, in->packets_unchanged, in->packets_dropped);
  put(page,
      "  %" PRIu64 " sequences; track uuids %" PRIu64 " kept, %" PRIu64 " made anew; %" PRIu64 " flow ids, %" PRIu64
      " clocks, %" PRIu64 " times changed\n",
      in->sequences, in->uuids_kept, in->uuids_remapped, in->flows_remapped, in->clocks_remapped,
      in->timestamps_changed);
  if (in->unresolved_times)
    put(page, "  %" PRIu64 " packets are on a clock that nothing relates; their times stay\n", in->unresolved_times);
  if (in->damaged && in->damage_offset == TB_NO_OFFSET) put(page, "  DAMAGED: %s\n", in->damage);
  if (in->damaged && in->damage_offset != TB_NO_OFFSET)
    put(page, "  DAMAGED at byte %" PRIu64 ": %s\n", in->damage_offset, in->damage);
}

enum tb_status tb_render_text(const struct tb_merge_report *report, struct tb_buffer *out) {
  struct report_page page = {out, TB_OK};
  put(&page, "merged trace: %s, clock %s, %" PRIu64 " packets, %" PRIu64 " bytes\n",
      report->output ? report->output : "(not written)", report->trace_clock, report->packets_out, report->bytes_out);
  for (size_t i = 0; i < report->note_count; i++) text_note(&page, report, &report->notes[i]);
  if (report->notes_left_out) put(&page, "note: %zu notes more are left out\n", report->notes_left_out);
  for (size_t i = 0; i < report->count; i++) text_input(&page, &report->inputs[i]);
  return page.status;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_text(struct report_page *page, const char *text) {
  put(page, "\"");
  (void)tb_escape_text(TB_ESCAPE_JSON, tb_str_from(text), append, page);
  put(page, "\"");
}

static void json_member(struct report_page *page, const char *name, const char *text) {
  put(page, ", \"%s\": ", name);
  json_text(page, text);
}

static void json_number(struct report_page *page, const char *name, uint64_t value) {
  put(page, ", \"%s\": %" PRIu64, name, value);
}

static void json_note(struct report_page *page, const struct tb_merge_report *report,
                      const struct tb_merge_note *note) {
  const char *input = tb_merge_note_input(report, note);
  put(page, "{\"code\": \"%s\", \"level\": \"%s\"", tb_merge_note_name(note->code),
      note->level == TB_MERGE_NOTE_WARNING ? "warning" : "info");
  if (input) json_member(page, "input", input);
  if (note->has_time) put(page, ", \"time_ns\": %" PRId64 ", \"size_ns\": %" PRId64, note->time_ns, note->size_ns);
  if (note->packets) json_number(page, "packets", note->packets);
  json_member(page, "text", note->text);
  put(page, "}");
}

static void json_bounds(struct report_page *page, const struct tb_merge_input_report *in) {
  put(page, ", \"bound_ns\": %" PRId64 ", \"bounds\": [", in->bound_ns);
  for (size_t i = 0; i < in->bound_count; i++)
    put(page, "%s{\"time_ns\": %" PRId64 ", \"bound_ns\": %" PRId64 "}", i ? ", " : "", in->bounds[i].time_ns,
        in->bounds[i].bound_ns);
  put(page, "]");
}

static void json_placement(struct report_page *page, const struct tb_merge_input_report *in) {
  json_member(page, "placement", tb_placement_text(in->placement));
  json_member(page, "why", in->why);
  put(page, ", \"offset_ns\": %" PRId64 ", \"drift_ppm\": %.6f", in->offset_ns, in->drift_ppm);
  if (in->has_residual) put(page, ", \"residual_ns\": %.3f", in->residual_ns);
  if (in->has_bound) json_bounds(page, in);
  json_number(page, "matches", in->matches);
  json_number(page, "outliers", in->outliers);
  if (in->has_time) put(page, ", \"first_ns\": %" PRId64 ", \"last_ns\": %" PRId64, in->first_ns, in->last_ns);
}

static void json_input(struct report_page *page, const struct tb_merge_input_report *in) {
  put(page, "{\"name\": ");
  json_text(page, in->name);
  json_member(page, "format", tb_format_name(in->format));
  put(page, ", \"skipped\": %s", in->skipped ? "true" : "false");
  json_member(page, "machine", in->machine);
  json_number(page, "machine_id", in->machine_id);
  json_member(page, "clock", in->clock);
  json_placement(page, in);
  json_number(page, "packets_in", in->packets_in);
  json_number(page, "packets_out", in->packets_out);
  json_number(page, "packets_unchanged", in->packets_unchanged);
  json_number(page, "packets_dropped", in->packets_dropped);
  json_number(page, "bytes_in", in->bytes_in);
  json_number(page, "sequences", in->sequences);
  json_number(page, "uuids_kept", in->uuids_kept);
  json_number(page, "uuids_remapped", in->uuids_remapped);
  json_number(page, "flows_remapped", in->flows_remapped);
  json_number(page, "clocks_remapped", in->clocks_remapped);
  json_number(page, "timestamps_changed", in->timestamps_changed);
  json_number(page, "unresolved_times", in->unresolved_times);
  put(page, ", \"damaged\": %s", in->damaged ? "true" : "false");
  if (in->damaged && in->damage_offset != TB_NO_OFFSET) json_number(page, "damage_offset", in->damage_offset);
  json_member(page, "damage", in->damage);
  put(page, "}");
}

enum tb_status tb_render_json(const struct tb_merge_report *report, struct tb_buffer *out) {
  struct report_page page = {out, TB_OK};
  put(&page, "{\"output\": ");
  if (report->output)
    json_text(&page, report->output);
  else
    put(&page, "null");
  json_member(&page, "trace_clock", report->trace_clock);
  put(&page, ", \"shift_ns\": %" PRId64, report->shift_ns);
  json_number(&page, "packets_out", report->packets_out);
  json_number(&page, "bytes_out", report->bytes_out);
  put(&page, ",\n \"notes\": [");
  for (size_t i = 0; i < report->note_count; i++) {
    put(&page, i ? ",\n  " : "\n  ");
    json_note(&page, report, &report->notes[i]);
  }
  put(&page, "],\n");
  if (report->notes_left_out) put(&page, " \"notes_left_out\": %zu,\n", report->notes_left_out);
  put(&page, " \"inputs\": [");
  for (size_t i = 0; i < report->count; i++) {
    put(&page, i ? ",\n  " : "\n  ");
    json_input(&page, &report->inputs[i]);
  }
  put(&page, "\n ]}\n");
  return page.status;
}
