/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/report/render.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/time_text.h"
#include "tracebridge/escape.h"

static void put(struct tb_json_emit *page, const char *format, ...) TB_PRINTF(2, 3);
static bool append(void *ctx, const char *text, size_t len) {
  struct tb_json_emit *page = ctx;
  tb_json_emit_raw(page, text, len);
  return page->status == TB_OK;
}

static void put(struct tb_json_emit *page, const char *format, ...) {
  va_list args;
  va_start(args, format);
  (void)tb_escape_print(append, page, format, args);
  va_end(args);
}

static void text_note(struct tb_json_emit *page, const struct tb_merge_report *report,
                      const struct tb_merge_note *note) {
  const char *input = tb_merge_note_input(report, note);
  put(page, "%s: %s%s%s\n", note->level == TB_MERGE_NOTE_WARNING ? "warning" : "note", input ? input : "",
      input ? ": " : "", note->text);
}

/* What it says of time itself. */
static void text_own_time(struct tb_json_emit *page, const struct tb_merge_input_report *in) {
  char first[TB_TIME_TEXT], last[TB_TIME_TEXT];
  if (!in->has_own_time) return;
  tb_seconds_text(in->own_first_ns, first);
  tb_seconds_text(in->own_last_ns, last);
  put(page, "  its own times: from %s to %s", first, last);
  if (in->has_wall_time) {
    tb_date_text(in->wall_first_ns, first);
    put(page, ", recorded %s", first);
  }
  if (strcmp(in->clocks, in->clock) != 0 && in->clocks[0]) put(page, "; clocks %s", in->clocks);
  put(page, "\n");
}

static void text_placement(struct tb_json_emit *page, const struct tb_merge_input_report *in) {
  put(page, "  placed by: %s\n", in->why[0] ? in->why : tb_placement_text(in->placement));
  char offset[TB_TIME_TEXT];
  if (in->placement == TB_PLACEMENT_UNPLACED) return;
  tb_seconds_text(in->offset_ns, offset);
  put(page, "  offset %s", offset);
  if (in->drift_ppm != 0) put(page, ", drift %+.3f ppm", in->drift_ppm);
  if (in->has_residual) put(page, ", residual %.0f ns", in->residual_ns);
  if (in->has_bound && in->placement != TB_PLACEMENT_REFERENCE) put(page, ", within %" PRId64 " ns", in->bound_ns);
  if (!in->has_bound && in->has_time) put(page, ", bound unknown");
  if (in->matches) put(page, ", %" PRIu64 " matches, %" PRIu64 " thrown out", in->matches, in->outliers);
  put(page, "\n");
  if (in->has_time) put(page, "  from %" PRId64 " to %" PRId64 " ns\n", in->first_ns, in->last_ns);
}

static void text_input(struct tb_json_emit *page, const struct tb_merge_input_report *in) {
  put(page, "%s: %s%s", in->name, tb_format_name(in->format), in->skipped ? ", left out" : "");
  if (in->machine[0] || in->machine_id) put(page, ", machine %s (%" PRIu32 ")", in->machine, in->machine_id);
  if (in->clock[0]) put(page, ", clock %s", in->clock);
  put(page, "\n");
  if (in->skipped && in->why[0])
    put(page, "  left out: %s\n", in->why);
  else if (!in->skipped)
    text_placement(page, in);
  text_own_time(page, in);
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

void tb_render_text(const struct tb_merge_report *report, struct tb_json_emit *page) {
  put(page, "merged trace: %s, clock %s, %" PRIu64 " packets, %" PRIu64 " bytes\n",
      report->output ? report->output : "(not written)",
      report->summary.trace_clock[0] ? report->summary.trace_clock : "unknown", report->summary.packets_out,
      report->summary.bytes_out);
  for (size_t i = 0; report->conversion && i < report->conversion->loss_count; i++)
    put(page, "lost in converting to %s: %" PRIu64 " %s\n", tb_format_name(report->conversion->to),
        report->conversion->losses[i].count, report->conversion->losses[i].reason);
  for (size_t i = 0; i < report->note_count; i++) text_note(page, report, &report->notes[i]);
  if (report->notes_left_out) put(page, "note: %zu notes more are left out\n", report->notes_left_out);
  for (size_t i = 0; i < report->count; i++) text_input(page, &report->inputs[i]);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void add_key(struct tb_json_emit *e, const char *name) {
  TB_JSON_EMIT(e, ", \"");
  tb_json_emit_raw(e, name, strlen(name));
  TB_JSON_EMIT(e, "\": ");
}

static void json_text(struct tb_json_emit *e, const char *name, const char *text) {
  add_key(e, name);
  tb_json_emit_string(e, tb_str_from(text));
}

static void json_count(struct tb_json_emit *e, const char *name, uint64_t value) {
  add_key(e, name);
  tb_json_emit_uint(e, value);
}

static void json_time(struct tb_json_emit *e, const char *name, int64_t ns) {
  add_key(e, name);
  tb_json_emit_int(e, ns);
}

static void json_measure(struct tb_json_emit *e, const char *name, double value, unsigned decimals) {
  add_key(e, name);
  tb_json_emit_fixed(e, value, decimals);
}

static void json_flag(struct tb_json_emit *e, const char *name, bool value) {
  add_key(e, name);
  if (value)
    TB_JSON_EMIT(e, "true");
  else
    TB_JSON_EMIT(e, "false");
}

static void json_note(struct tb_json_emit *e, const struct tb_merge_report *report, const struct tb_merge_note *note) {
  const char *input = tb_merge_note_input(report, note);
  TB_JSON_EMIT(e, "{\"code\": ");
  tb_json_emit_string(e, tb_str_from(tb_merge_note_name(note->code)));
  json_text(e, "level", note->level == TB_MERGE_NOTE_WARNING ? "warning" : "info");
  if (input) json_text(e, "input", input);
  if (note->has_time) {
    json_time(e, "time_ns", note->time_ns);
    json_time(e, "size_ns", note->size_ns);
  }
  if (note->packets) json_count(e, "packets", note->packets);
  json_text(e, "text", note->text);
  TB_JSON_EMIT(e, "}");
}

static void json_bounds(struct tb_json_emit *e, const struct tb_merge_input_report *in) {
  json_time(e, "bound_ns", in->bound_ns);
  add_key(e, "bounds");
  TB_JSON_EMIT(e, "[");
  for (size_t i = 0; i < in->bound_count; i++) {
    if (i) TB_JSON_EMIT(e, ", ");
    TB_JSON_EMIT(e, "{\"time_ns\": ");
    tb_json_emit_int(e, in->bounds[i].time_ns);
    json_time(e, "bound_ns", in->bounds[i].bound_ns);
    TB_JSON_EMIT(e, "}");
  }
  TB_JSON_EMIT(e, "]");
}

static void json_placement(struct tb_json_emit *e, const struct tb_merge_input_report *in) {
  json_text(e, "placement", tb_placement_text(in->placement));
  json_text(e, "why", in->why);
  json_time(e, "offset_ns", in->offset_ns);
  json_measure(e, "drift_ppm", in->drift_ppm, 6);
  if (in->has_residual) json_measure(e, "residual_ns", in->residual_ns, 3);
  if (in->has_bound) json_bounds(e, in);
  json_count(e, "matches", in->matches);
  json_count(e, "outliers", in->outliers);
  if (!in->has_time) return;
  json_time(e, "first_ns", in->first_ns);
  json_time(e, "last_ns", in->last_ns);
}

/* What comes before item `i` of a list. */
static void next_item(struct tb_json_emit *e, size_t i) {
  if (i) TB_JSON_EMIT(e, ",");
  TB_JSON_EMIT(e, "\n  ");
}

/* ---- residuals and messages -------------------------------------------------------------------------------------- */

static void json_point(struct tb_json_emit *e, const struct tb_evidence_point *point) {
  TB_JSON_EMIT(e, "{\"time_ns\": ");
  tb_json_emit_int(e, point->time_ns);
  json_time(e, "residual_ns", point->residual_ns);
  if (point->within_ns) json_time(e, "within_ns", point->within_ns);
  if (point->is_outlier) json_flag(e, "outlier", true);
  TB_JSON_EMIT(e, "}");
}

static void json_evidence(struct tb_json_emit *e, const struct tb_evidence *evidence) {
  TB_JSON_EMIT(e, "{\"kind\": ");
  tb_json_emit_string(e, tb_str_from(evidence->kind));
  json_text(e, "of", evidence->of);
  json_count(e, "used", evidence->used);
  json_count(e, "outliers", evidence->outliers);
  add_key(e, "points");
  TB_JSON_EMIT(e, "[");
  for (size_t i = 0; i < evidence->count; i++) {
    if (i) TB_JSON_EMIT(e, ", ");
    json_point(e, &evidence->points[i]);
  }
  TB_JSON_EMIT(e, "]}");
}

static void json_residuals(struct tb_json_emit *e, const struct tb_merge_report *report, size_t input) {
  size_t n = 0;
  add_key(e, "residuals");
  TB_JSON_EMIT(e, "[");
  for (size_t i = 0; i < report->evidence_count; i++) {
    if (report->evidence[i].input != input) continue;
    if (n++) TB_JSON_EMIT(e, ", ");
    json_evidence(e, &report->evidence[i]);
  }
  TB_JSON_EMIT(e, "]");
}

static void json_messages(struct tb_json_emit *e, const struct tb_merge_report *report) {
  TB_JSON_EMIT(e, " \"messages\": {\"count\": ");
  tb_json_emit_uint(e, report->messages_sent);
  json_count(e, "backwards", report->messages_backwards);
  add_key(e, "shown");
  TB_JSON_EMIT(e, "[");
  for (size_t i = 0; i < report->message_count; i++) {
    const struct tb_evidence_message *message = &report->messages[i];
    next_item(e, i);
    TB_JSON_EMIT(e, "{\"flow\": ");
    tb_json_emit_uint(e, message->id);
    json_text(e, "from", report->inputs[message->from].name);
    json_text(e, "to", report->inputs[message->to].name);
    json_time(e, "sent_ns", message->sent_ns);
    json_time(e, "received_ns", message->received_ns);
    if (message->is_backwards) json_flag(e, "backwards", true);
    TB_JSON_EMIT(e, "}");
  }
  TB_JSON_EMIT(e, "]},\n");
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void json_losses(struct tb_json_emit *e, const struct tb_convert_report *conversion) {
  json_text(e, "format", tb_format_name(conversion->to));
  add_key(e, "losses");
  TB_JSON_EMIT(e, "[");
  for (size_t i = 0; i < conversion->loss_count; i++) {
    if (i) TB_JSON_EMIT(e, ", ");
    TB_JSON_EMIT(e, "{\"count\": ");
    tb_json_emit_uint(e, conversion->losses[i].count);
    json_text(e, "code", tb_loss_kind_name(conversion->losses[i].kind));
    json_text(e, "reason", conversion->losses[i].reason);
    TB_JSON_EMIT(e, "}");
  }
  TB_JSON_EMIT(e, "]");
}

static void json_input(struct tb_json_emit *e, const struct tb_merge_report *report, size_t input) {
  const struct tb_merge_input_report *in = &report->inputs[input];
  TB_JSON_EMIT(e, "{\"name\": ");
  tb_json_emit_string(e, tb_str_from(in->name));
  json_text(e, "format", tb_format_name(in->format));
  json_flag(e, "skipped", in->skipped);
  json_text(e, "machine", in->machine);
  json_count(e, "machine_id", in->machine_id);
  json_text(e, "clock", in->clock);
  json_text(e, "clocks", in->clocks);
  if (in->has_own_time) json_time(e, "own_first_ns", in->own_first_ns);
  if (in->has_own_time) json_time(e, "own_last_ns", in->own_last_ns);
  if (in->has_wall_time) json_time(e, "wall_first_ns", in->wall_first_ns);
  json_placement(e, in);
  json_residuals(e, report, input);
  json_count(e, "packets_in", in->packets_in);
  json_count(e, "packets_out", in->packets_out);
  json_count(e, "packets_unchanged", in->packets_unchanged);
  json_count(e, "packets_dropped", in->packets_dropped);
  json_count(e, "bytes_in", in->bytes_in);
  json_count(e, "sequences", in->sequences);
  json_count(e, "uuids_kept", in->uuids_kept);
  json_count(e, "uuids_remapped", in->uuids_remapped);
  json_count(e, "flows_remapped", in->flows_remapped);
  json_count(e, "clocks_remapped", in->clocks_remapped);
  json_count(e, "timestamps_changed", in->timestamps_changed);
  json_count(e, "unresolved_times", in->unresolved_times);
  json_flag(e, "damaged", in->damaged);
  if (in->damaged && in->damage_offset != TB_NO_OFFSET) json_count(e, "damage_offset", in->damage_offset);
  json_text(e, "damage", in->damage);
  TB_JSON_EMIT(e, "}");
}

void tb_render_json(const struct tb_merge_report *report, struct tb_json_emit *e) {
  e->for_people = true;
  TB_JSON_EMIT(e, "{\"version\": 1,\n \"output\": ");
  if (report->output)
    tb_json_emit_string(e, tb_str_from(report->output));
  else
    TB_JSON_EMIT(e, "null");
  json_text(e, "trace_clock", report->summary.trace_clock);
  json_time(e, "shift_ns", report->summary.shift_ns);
  json_count(e, "packets_out", report->summary.packets_out);
  json_count(e, "bytes_out", report->summary.bytes_out);
  if (report->conversion) json_losses(e, report->conversion);
  TB_JSON_EMIT(e, ",\n \"notes\": [");
  for (size_t i = 0; i < report->note_count; i++) {
    next_item(e, i);
    json_note(e, report, &report->notes[i]);
  }
  TB_JSON_EMIT(e, "],\n");
  if (report->notes_left_out) {
    TB_JSON_EMIT(e, " \"notes_left_out\": ");
    tb_json_emit_uint(e, report->notes_left_out);
    TB_JSON_EMIT(e, ",\n");
  }
  if (report->messages_sent) json_messages(e, report);
  TB_JSON_EMIT(e, " \"inputs\": [");
  for (size_t i = 0; i < report->count; i++) {
    next_item(e, i);
    json_input(e, report, i);
  }
  TB_JSON_EMIT(e, "\n ]}\n");
}
