/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/report/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "merge/report/render.h"

enum {
  INPUTS_MAX = 1 << 20,
  NOTES_MAX = 1 << 12,
  WARNINGS_MAX = 1 << 20,
  ADVICE_MAX = 1 << 10,
  EVIDENCE_MAX = 1 << 20,
  PRINT_MAX = 1024
};

const char *tb_placement_text(enum tb_placement placement) {
  static const char *const texts[] = {
#define TB_PLACEMENT_TEXT(name, text) text,
      TB_PLACEMENT_LIST(TB_PLACEMENT_TEXT)
#undef TB_PLACEMENT_TEXT
  };
  if ((size_t)placement >= sizeof(texts) / sizeof(texts[0])) return "unknown placement";
  return texts[placement];
}

static const struct {
  enum tb_merge_note_level level;
  const char *name;
} note_kinds[] = {
#define TB_MERGE_NOTE_KIND(code, level, name) {TB_MERGE_NOTE_##level, name},
    TB_MERGE_NOTE_LIST(TB_MERGE_NOTE_KIND)
#undef TB_MERGE_NOTE_KIND
};

const char *tb_merge_note_name(enum tb_merge_note_code code) {
  if ((size_t)code >= sizeof(note_kinds) / sizeof(note_kinds[0])) return "unknown_note";
  return note_kinds[code].name;
}

struct tb_merge_report *tb_merge_report_create(const struct tb_allocator *allocator) {
  struct tb_merge_report *report = tb_calloc(allocator, sizeof(*report));
  if (!report) return NULL;
  tb_guard_init(&report->guard, allocator);
  report->allocator = &report->guard.allocator;
  report->summary.trace_clock = "";
  tb_arena_init(&report->arena, report->allocator, 0);
  return report;
}

static const char *print(struct tb_merge_report *report, const char *format, va_list args) {
  char text[PRINT_MAX];
  int n = vsnprintf(text, sizeof(text), format, args);
  if (n < 0) return "";
  size_t len = (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;
  struct tb_str copy = tb_arena_copy(&report->arena, (struct tb_str){text, len});
  return copy.ptr ? copy.ptr : "";
}

const char *tb_merge_report_print(struct tb_merge_report *report, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const char *text = print(report, format, args);
  va_end(args);
  return text;
}

static void add_note(struct tb_merge_report *report, const struct tb_merge_note *like, const char *format,
                     va_list args) {
  struct tb_merge_note note = *like;
  note.level = note_kinds[note.code].level;
  void *notes = report->notes;
  enum tb_status status =
      tb_grow_array(report->allocator, &notes, &report->note_capacity, report->note_count + 1, sizeof(*report->notes),
                    note.level == TB_MERGE_NOTE_WARNING ? WARNINGS_MAX : NOTES_MAX);
  report->notes = notes;
  if (status != TB_OK) {
    report->notes_left_out++;
    return;
  }
  note.text = print(report, format, args);
  report->notes[report->note_count++] = note;
}

void tb_merge_report_add_timed_note(struct tb_merge_report *report, const struct tb_merge_note *note,
                                    const char *format, ...) {
  va_list args;
  va_start(args, format);
  add_note(report, note, format, args);
  va_end(args);
}

void tb_merge_report_add_note(struct tb_merge_report *report, enum tb_merge_note_code code, size_t input,
                              const char *format, ...) {
  va_list args;
  va_start(args, format);
  add_note(report, &(struct tb_merge_note){.code = code, .input = input}, format, args);
  va_end(args);
}

void tb_merge_report_advise(struct tb_merge_report *report, const char *format, ...) {
  void *lines = report->advice;
  enum tb_status status = tb_grow_array(report->allocator, &lines, &report->advice_capacity, report->advice_count + 1,
                                        sizeof(*report->advice), ADVICE_MAX);
  report->advice = lines;
  if (status != TB_OK) return;
  va_list args;
  va_start(args, format);
  report->advice[report->advice_count++] = print(report, format, args);
  va_end(args);
}

enum tb_status tb_merge_report_add_evidence(struct tb_merge_report *report, const struct tb_evidence *evidence) {
  void *items = report->evidence;
  enum tb_status status = tb_grow_array(report->allocator, &items, &report->evidence_capacity,
                                        report->evidence_count + 1, sizeof(*evidence), EVIDENCE_MAX);
  report->evidence = items;
  if (status == TB_OK) report->evidence[report->evidence_count++] = *evidence;
  return status;
}

const struct tb_convert_report *tb_merge_report_conversion(const struct tb_merge_report *report) {
  return report ? report->conversion : NULL;
}

const char *tb_merge_report_advice(const struct tb_merge_report *report, size_t index) {
  return report && index < report->advice_count ? report->advice[index] : NULL;
}

size_t tb_merge_report_note_count(const struct tb_merge_report *report) { return report ? report->note_count : 0; }

const struct tb_merge_note *tb_merge_report_note(const struct tb_merge_report *report, size_t index) {
  return report && index < report->note_count ? &report->notes[index] : NULL;
}

const char *tb_merge_note_input(const struct tb_merge_report *report, const struct tb_merge_note *note) {
  return note->input < report->count ? report->inputs[note->input].name : NULL;
}

struct tb_merge_input_report *tb_merge_report_add(struct tb_merge_report *report, const char *name) {
  void *inputs = report->inputs;
  enum tb_status status = tb_grow_array(report->allocator, &inputs, &report->capacity, report->count + 1,
                                        sizeof(*report->inputs), INPUTS_MAX);
  report->inputs = inputs;
  if (status != TB_OK) return NULL;
  struct tb_merge_input_report *input = &report->inputs[report->count++];
  *input = (struct tb_merge_input_report){.machine = "", .clock = "", .clocks = "", .why = "", .damage = ""};
  struct tb_str copy = tb_arena_copy(&report->arena, tb_str_from(name));
  input->name = copy.ptr ? copy.ptr : "";
  return input;
}

enum tb_status tb_merge_report_set_losses(struct tb_merge_report *report, struct tb_merge_input_report *input,
                                          const struct tb_loss *losses, size_t count) {
  struct tb_loss *list = count ? tb_arena_alloc(&report->arena, count * sizeof(*list)) : NULL;
  if (count && !list) return TB_NO_MEMORY;
  for (size_t i = 0; i < count; i++) list[i] = losses[i];
  input->losses = list;
  input->loss_count = count;
  return TB_OK;
}

const struct tb_merge_summary *tb_merge_report_summary(const struct tb_merge_report *report) {
  static const struct tb_merge_summary none = {.trace_clock = ""};
  return report ? &report->summary : &none;
}

size_t tb_merge_report_count(const struct tb_merge_report *report) { return report ? report->count : 0; }

const struct tb_merge_input_report *tb_merge_report_input(const struct tb_merge_report *report, size_t index) {
  return report && index < report->count ? &report->inputs[index] : NULL;
}

const char *tb_merge_report_render(struct tb_merge_report *report, enum tb_merge_report_format format) {
  static void (*const renderers[])(const struct tb_merge_report *, struct tb_json_emit *) = {
      [TB_MERGE_REPORT_TEXT] = tb_render_text,
      [TB_MERGE_REPORT_JSON] = tb_render_json,
      [TB_MERGE_REPORT_HTML] = tb_render_html,
  };
  if (!report || (size_t)format >= sizeof(renderers) / sizeof(renderers[0])) return NULL;
  if (!report->rendered[format]) {
    struct tb_json_emit out;
    tb_json_emit_init(&out, report->allocator);
    renderers[format](report, &out);
    struct tb_str text = {out.buffer.data, out.buffer.len};
    if (out.status == TB_OK) report->rendered[format] = tb_arena_copy(&report->arena, text).ptr;
    tb_json_emit_free(&out);
  }
  return report->rendered[format];
}

void tb_merge_report_free(struct tb_merge_report *report) {
  if (!report) return;
  tb_free(report->allocator, report->inputs, report->capacity * sizeof(*report->inputs));
  tb_free(report->allocator, report->notes, report->note_capacity * sizeof(*report->notes));
  tb_free(report->allocator, report->advice, report->advice_capacity * sizeof(*report->advice));
  tb_free(report->allocator, report->evidence, report->evidence_capacity * sizeof(*report->evidence));
  tb_arena_free(&report->arena);
  tb_free(report->guard.source, report, sizeof(*report));
}
