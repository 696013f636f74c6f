/* SPDX-License-Identifier: Apache-2.0
 *
 * A merge of traces in memory, for the tests of the merger as a whole.
 */
#ifndef TB_TEST_MERGE_RUN_H
#define TB_TEST_MERGE_RUN_H

#include "support/merge_fixture.h"
#include "tracebridge/merge.h"

enum { MAX_PACKETS = 2048, BOOT = TB_CLOCK_BOOTTIME, MONO = TB_CLOCK_MONOTONIC, REAL = TB_CLOCK_REALTIME };
#define S(seconds) ((uint64_t)((double)(seconds)*1000000000.0))

/* A merge of traces in memory: files of its own, the packets of the result. */
struct run {
  struct tb_merge_input inputs[8];
  char paths[8][64], out[64];
  size_t count;
  struct tb_merge_options options;
  struct tb_merge_report *report;
  struct tb_error error;
  enum tb_status status;
  char *data;
  struct tb_str packets[MAX_PACKETS];
  size_t packet_count;
};

static struct run run;

static inline int set_up(void **unused) {
  (void)unused;
  run = (struct run){.options = {.size = sizeof(run.options)}};
  write_file(run.out, sizeof(run.out), "", 0);
  return 0;
}

static inline int tear_down(void **unused) {
  (void)unused;
  for (size_t i = 0; i < run.count; i++) (void)unlink(run.paths[i]);
  (void)unlink(run.out);
  tb_merge_report_free(run.report);
  free(run.data);
  return 0;
}

static inline struct tb_merge_input *add_bytes(const void *data, size_t len) {
  assert_true(run.count < sizeof(run.paths) / sizeof(run.paths[0]));
  struct tb_merge_input *input = &run.inputs[run.count];
  write_file(run.paths[run.count], sizeof(run.paths[0]), data, len);
  input->path = run.paths[run.count++];
  return input;
}
static inline struct tb_merge_input *add(const struct msg *trace) { return add_bytes(trace->data, trace->len); }

static inline void merge(void) {
  tb_merge_report_free(run.report);
  free(run.data);
  run.data = NULL;
  run.packet_count = 0;
  run.error = (struct tb_error){0};
  run.status = tb_merge(run.inputs, run.count, run.out, &run.options, &run.report, &run.error);
  if (run.status != TB_OK && run.status != TB_PARTIAL) return;
  size_t len;
  run.data = read_file(run.out, &len);
  struct tb_wire_cursor cursor = {run.data, run.data + len};
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    assert_true(run.packet_count < MAX_PACKETS);
    run.packets[run.packet_count++] = field.bytes;
  }
  assert_ptr_equal(cursor.at, cursor.end);
}

static inline void merge_well(void) {
  merge();
  if (run.status != TB_OK) fail_msg("%s", run.error.message);
}

/* The packet of the track event with this name. */
static inline struct tb_str event_packet(const char *name, size_t nth) {
  struct tb_str event, text;
  for (size_t i = 0; i < run.packet_count; i++)
    if (find_bytes(run.packets[i], 11, &event) && find_bytes(event, 23, &text) &&
        tb_str_equal(text, tb_str_from(name)) && nth-- == 0)
      return run.packets[i];
  fail_msg("no event %s", name);
  return (struct tb_str){NULL, 0};
}
static inline uint64_t event_time(const char *name) { return get_number(event_packet(name, 0), 8); }
static inline uint64_t event_uuid(const char *name) { return get_number(get_bytes(event_packet(name, 0), 11), 11); }
static inline uint64_t event_flow(const char *name) { return get_number(get_bytes(event_packet(name, 0), 11), 47); }

static inline const struct tb_merge_input_report *report_of(size_t i) { return tb_merge_report_input(run.report, i); }

/* The nth note of this code; NULL where there are fewer. */
static inline const struct tb_merge_note *find_note(enum tb_merge_note_code code, size_t nth) {
  for (size_t i = 0; i < tb_merge_report_note_count(run.report); i++) {
    const struct tb_merge_note *note = tb_merge_report_note(run.report, i);
    if (note->code == code && nth-- == 0) return note;
  }
  return NULL;
}

static inline void assert_note(enum tb_merge_note_code code, size_t input, const char *part) {
  const struct tb_merge_note *note = find_note(code, 0);
  assert_non_null(note);
  assert_int_equal(note->input, input);
  if (!strstr(note->text, part)) fail_msg("no \"%s\" in \"%s\"", part, note->text);
}

static inline void assert_no_warning(void) {
  for (size_t i = 0; i < tb_merge_report_note_count(run.report); i++)
    if (tb_merge_report_note(run.report, i)->level == TB_MERGE_NOTE_WARNING)
      fail_msg("%s", tb_merge_report_note(run.report, i)->text);
}

/* A trace with snapshots of one machine's clocks, a process and a named instant. */
static inline struct msg trace_of(const char *event, uint64_t boot, uint64_t real, uint64_t ts) {
  struct msg t = {.len = 0}, readings = SNAPSHOT(0, BOOT, boot, MONO, boot - 1000, REAL, real);
  add_snapshot(&t, 1, &readings);
  add_event(&t, ts, 3, 5, event, 0);
  return t;
}

#endif
