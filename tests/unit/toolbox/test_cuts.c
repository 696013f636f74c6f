/* SPDX-License-Identifier: Apache-2.0
 *
 * What filter and repair leave of small traces, event by event.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracebridge/file.h"
#include "tracebridge/filter.h"
#include "tracebridge/reader.h"
#include "tracebridge/repair.h"
#include "tracebridge/verify.h"

struct files {
  char folder[64], in[80], out[80], packets[80];
};

static int make_files(void **state) {
  struct files *f = calloc(1, sizeof(*f));
  strcpy(f->folder, "/tmp/tb-cuts-XXXXXX");
  *state = f;
  if (!mkdtemp(f->folder)) return -1;
  snprintf(f->in, sizeof(f->in), "%s/in.json", f->folder);
  snprintf(f->out, sizeof(f->out), "%s/out.json", f->folder);
  snprintf(f->packets, sizeof(f->packets), "%s/out.pftrace", f->folder);
  return 0;
}

static int remove_files(void **state) {
  struct files *f = *state;
  (void)unlink(f->in);
  (void)unlink(f->out);
  (void)unlink(f->packets);
  int left = rmdir(f->folder);
  free(f);
  return left;
}

static void write_in(const struct files *f, const char *text) {
  assert_int_equal(tb_file_write(f->in, text, strlen(text), NULL), TB_OK);
}

/* The names of slices and instants that the output has, in the order of time, with a blank behind each. */
static void read_out(const struct files *f, char *names, size_t room) {
  struct tb_reader_options options = {.size = sizeof(options), .sorted = true};
  struct tb_reader *reader;
  const struct tb_event *event;
  size_t len = 0;
  enum tb_status status;
  assert_int_equal(tb_reader_open(f->out, &options, &reader, NULL), TB_OK);
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if (event->type == TB_EVENT_SLICE_BEGIN || event->type == TB_EVENT_SLICE_COMPLETE ||
        event->type == TB_EVENT_INSTANT)
      len += (size_t)snprintf(names + len, room - len, "%.*s ", (int)event->name.len, event->name.ptr);
  assert_int_equal(status, TB_END);
  tb_reader_close(reader);
}

/* ---- filter ------------------------------------------------------------------------------------------------------ */

static const char CHOICE[] =
    "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"one\"}},"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":2,\"tid\":2,\"args\":{\"name\":\"worker\"}},"
    "{\"ph\":\"B\",\"name\":\"long\",\"cat\":\"x,y\",\"pid\":1,\"tid\":1,\"ts\":0},"
    "{\"ph\":\"X\",\"name\":\"short\",\"cat\":\"x\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2},"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":100},"
    "{\"ph\":\"X\",\"name\":\"other\",\"cat\":\"y\",\"pid\":2,\"tid\":2,\"ts\":5,\"dur\":50},"
    "{\"ph\":\"i\",\"name\":\"point\",\"s\":\"t\",\"pid\":2,\"tid\":3,\"ts\":7}]";

static void choose(const struct files *f, const struct tb_filter_options *choice, const char *expected) {
  char names[256] = "";
  struct tb_filter_options options = *choice;
  options.size = sizeof(options);
  assert_int_equal(tb_filter(f->in, f->out, &options, NULL, NULL), TB_OK);
  read_out(f, names, sizeof(names));
  assert_string_equal(names, expected);
}

static void each_choice_is_among_its_own_kind_of_things(void **state) {
  const struct files *f = *state;
  const char *const one[] = {"o?e"}, *const number[] = {"2"}, *const worker[] = {"worker"}, *const not_y[] = {"!y"};
  const char *const names[] = {"*o*", "!long"};
  write_in(f, CHOICE);
  choose(f, &(struct tb_filter_options){.min_dur_ns = 0}, "long short other point ");
  choose(f, &(struct tb_filter_options){.processes = one, .process_count = 1}, "long short ");
  choose(f, &(struct tb_filter_options){.processes = number, .process_count = 1}, "other point ");
  choose(f, &(struct tb_filter_options){.threads = worker, .thread_count = 1}, "other ");
  choose(f, &(struct tb_filter_options){.categories = not_y, .category_count = 1}, "short point ");
  choose(f, &(struct tb_filter_options){.names = names, .name_count = 2}, "short other point ");
  choose(f, &(struct tb_filter_options){.min_dur_ns = 50000}, "long other point ");
}

static void a_worker_of_the_kernel_is_called_without_what_it_works_on(void **state) {
  const struct files *f = *state;
  const char *const worker[] = {"kworker/10:2"}, *const not_worker[] = {"!kworker/10:2"};
  const char *const whole[] = {"kworker/10:2-events"};
  write_in(f,
           "packet { process_tree { processes { pid: 9 ppid: 2 cmdline: \"kworker/10:2-events\" } } }\n"
           "packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 process { pid: 9 } } }\n"
           "packet { timestamp: 5 trusted_packet_sequence_id: 1\n"
           "  track_event { type: TYPE_INSTANT track_uuid: 1 name: \"work\" } }\n");
  choose(f, &(struct tb_filter_options){.processes = whole, .process_count = 1}, "work ");
  choose(f, &(struct tb_filter_options){.processes = worker, .process_count = 1}, "work ");
  choose(f, &(struct tb_filter_options){.processes = not_worker, .process_count = 1}, "");
}

/* Slices of 1 and 100 microseconds in turn, on one track, whose timestamps count on from packet to packet. */
static void write_turns(const struct files *f, int count) {
  char text[32768];
  size_t len = (size_t)snprintf(
      text, sizeof(text),
      "packet { trusted_packet_sequence_id: 1 sequence_flags: 1 trace_packet_defaults { timestamp_clock_id: 64\n"
      "  track_event_defaults { track_uuid: 1 } } clock_snapshot {\n"
      "  clocks { clock_id: 64 timestamp: 1000 is_incremental: true } clocks { clock_id: 6 timestamp: 1000 } } }\n"
      "packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 name: \"track\" } }\n");
  for (int i = 0; i < count; i++)
    len += (size_t)snprintf(text + len, sizeof(text) - len,
                            "packet { timestamp: 10 trusted_packet_sequence_id: 1 sequence_flags: 2\n"
                            "  track_event { type: TYPE_SLICE_BEGIN name: \"%s\" } }\n"
                            "packet { timestamp: %d trusted_packet_sequence_id: 1 sequence_flags: 2\n"
                            "  track_event { type: TYPE_SLICE_END } }\n",
                            i % 2 ? "long" : "short", i % 2 ? 100000 : 1000);
  assert_true(len < sizeof(text));
  write_in(f, text);
}

static void what_stays_between_what_goes_keeps_its_time(void **state) {
  enum { COUNT = 60, STEP = 10 + 1000 + 10 + 100000 };
  const struct files *f = *state;
  struct tb_filter_options options = {.size = sizeof(options), .min_dur_ns = 50000};
  struct tb_reader_options reading = {.size = sizeof(reading)};
  struct tb_filter_report report = {.size = sizeof(report)};
  struct tb_reader *reader;
  const struct tb_event *event;
  int64_t begins = 0, ends = 0;
  write_turns(f, COUNT);
  assert_int_equal(tb_filter(f->in, f->packets, &options, &report, NULL), TB_OK);
  assert_int_equal(report.packets_out, report.packets_in - COUNT);
  assert_int_equal(report.slices_out, COUNT / 2);
  tb_filter_report_free(&report);
  assert_int_equal(tb_reader_open(f->packets, &reading, &reader, NULL), TB_OK);
  while (tb_reader_next(reader, &event) == TB_OK)
    if (event->type == TB_EVENT_SLICE_BEGIN)
      assert_int_equal(event->ts, 1000 + 10 + 1000 + 10 + STEP * begins++);
    else if (event->type == TB_EVENT_SLICE_END)
      assert_int_equal(event->ts, 1000 + STEP * ++ends);
  tb_reader_close(reader);
  assert_int_equal(begins, COUNT / 2);
  assert_int_equal(ends, COUNT / 2);
}

static uint64_t count_slices(const struct files *f, int64_t min_dur_ns) {
  struct tb_filter_options options = {.size = sizeof(options), .min_dur_ns = min_dur_ns};
  struct tb_filter_report report = {.size = sizeof(report)};
  assert_int_equal(tb_filter(f->in, f->packets, &options, &report, NULL), TB_OK);
  tb_filter_report_free(&report);
  return report.slices_out;
}

static void a_snapshot_behind_slices_says_how_long_they_are(void **state) {
  const struct files *f = *state;
  static const char FORMAT[] =
      "packet { trusted_packet_sequence_id: 1 sequence_flags: 1\n"
      "  trace_packet_defaults { timestamp_clock_id: 3 track_event_defaults { track_uuid: 1 } }\n"
      "  %s }\n"
      "packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 name: \"track\" } }\n"
      "packet { timestamp: 1000 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_BEGIN name: \"slice\" } "
      "}\n"
      "packet { timestamp: 2000 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END } }\n"
      "packet { trusted_packet_sequence_id: 2 clock_snapshot {\n"
      "  clocks { clock_id: 3 timestamp: %d } clocks { clock_id: 6 timestamp: %d } } }\n";
  static const char FIRST[] =
      "clock_snapshot { clocks { clock_id: 3 timestamp: 0 } clocks { clock_id: 6 timestamp: 0 } }";
  static const struct {
    const char *first;
    int monotonic, boot;
    uint64_t stay; /* of those of 1200 ns and more */
  } CASES[] = {{FIRST, 1500, 1500, 0},
               {FIRST, 1500, 1700, 1},
               {FIRST, 2000, 2200, 1},
               {FIRST, 2001, 2201, 0},
               {"", 1500, 1700, 0}};
  for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
    char text[1024];
    snprintf(text, sizeof(text), FORMAT, CASES[i].first, CASES[i].monotonic, CASES[i].boot);
    write_in(f, text);
    assert_int_equal(count_slices(f, 1200), CASES[i].stay);
    assert_int_equal(count_slices(f, 1000), 1);
  }
}

/* ---- repair ------------------------------------------------------------------------------------------------------ */

static void repair(const struct files *f, const char *text, const char *expected) {
  char names[256] = "";
  struct tb_verification *found;
  write_in(f, text);
  assert_int_equal(tb_repair(f->in, f->out, NULL, NULL, NULL), TB_OK);
  read_out(f, names, sizeof(names));
  assert_string_equal(names, expected);
  assert_int_equal(tb_verify(f->out, NULL, &found, NULL), TB_OK);
  assert_int_equal(found->finding_count, 0);
  tb_verification_free(found);
}

#define EVENT(name, ts) "{\"name\":\"" name "\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"dur\":5}"

static void lines_of_two_writers_that_tear_each_other_cost_the_torn_ones_alone(void **state) {
  repair(*state,
         "[\n" EVENT("a", "0") ",\n"
         "{\"name\":\"torn\",\"ph\":\"X\",\"pid\":1," EVENT("b", "10") ",\n"
         "\"tid\":1,\"ts\":10,\"dur\":5,\"args\":{\"k\":2}},\n"
         "{\"name\":\"torn too\",\"ph\":\"X\",\"args\":{\"k\"" EVENT("c", "20") ",\n"
         ":3}},\n" EVENT("d", "30") "\n" EVENT("e", "40") ",\n]\n]\n",
         "a b c d e ");
}

/* As what convert says of the same file. */
static void what_is_torn_is_counted_with_its_place(void **state) {
  const struct files *f = *state;
  struct tb_repair_report report = {.size = sizeof(report)};
  struct tb_convert_report whole = {.size = sizeof(whole)};
  write_in(f, "[" EVENT("a", "0") ",\n{\"ph\":\"X\",\"name\":\"torn" EVENT("b", "10") "\",\"ts\":1},\n" EVENT(
                  "c", "20") ",\n{\"na");
  assert_int_equal(tb_convert(f->in, f->out, NULL, &whole, NULL), TB_PARTIAL);
  assert_int_equal(tb_repair(f->in, f->out, NULL, &report, NULL), TB_OK);
  const struct tb_merge_input_report *read = tb_merge_report_input(report.merge, 0);
  assert_int_equal(read->loss_count, 3);
  assert_int_equal(read->loss_count, whole.loss_count);
  assert_memory_equal(read->losses, whole.losses, read->loss_count * sizeof(*read->losses));
  assert_null(tb_merge_report_input(report.merge, 1));
  tb_repair_report_free(&report);
}

static void recordings_one_behind_the_other_are_both_there(void **state) {
  repair(*state, "[" EVENT("a", "0") "]{\"traceEvents\":[" EVENT("b", "10") "]}", "a b ");
}

/* Of Perfetto each has a file, of the same tracks and other names; the second one's name is not the user's. */
static void recordings_of_perfetto_become_files_of_their_own(void **state) {
  struct files f = *(struct files *)*state;
  char names[256] = "", second[sizeof(f.out)];
  struct tb_repair_report report = {.size = sizeof(report)};
#define RECORDING(name)                                                        \
  "packet { trusted_packet_sequence_id: 1 trace_config { duration_ms: 1 } }\n" \
  "packet { trusted_packet_sequence_id: 2 sequence_flags: 1 timestamp: 5\n"    \
  "  interned_data { event_names { iid: 1 name: \"" name                       \
  "\" } } track_descriptor { uuid: 1 name: \"t\" } }\n"                        \
  "packet { trusted_packet_sequence_id: 2 sequence_flags: 2 timestamp: 6\n"    \
  "  track_event { type: TYPE_INSTANT track_uuid: 1 name_iid: 1 } }\n"
  write_in(&f, RECORDING("a") RECORDING("b"));
  snprintf(second, sizeof(second), "%s/out.2.json", f.folder);
  assert_int_equal(tb_repair(f.in, f.out, NULL, &report, NULL), TB_OK);
  assert_int_equal(report.recordings, 2);
  assert_int_equal(report.output_count, 2);
  assert_string_equal(report.outputs[0], f.out);
  assert_string_equal(report.outputs[1], second);
  tb_repair_report_free(&report);
  read_out(&f, names, sizeof(names));
  assert_string_equal(names, "a ");
  assert_int_equal(tb_repair(f.in, f.out, NULL, NULL, NULL), TB_REFUSED);
  memcpy(f.out, second, sizeof(second));
  read_out(&f, names, sizeof(names));
  assert_string_equal(names, "b ");
  (void)unlink(second);
}

static void what_was_written_before_a_crash_stays(void **state) {
  repair(*state, "{\"traceEvents\":[" EVENT("a", "0") "," EVENT("b", "10") ",{\"name\":\"c\",\"ph\":\"X\",\"ts",
         "a b ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_choice_is_among_its_own_kind_of_things, make_files, remove_files),
      cmocka_unit_test_setup_teardown(a_snapshot_behind_slices_says_how_long_they_are, make_files, remove_files),
      cmocka_unit_test_setup_teardown(what_stays_between_what_goes_keeps_its_time, make_files, remove_files),
      cmocka_unit_test_setup_teardown(a_worker_of_the_kernel_is_called_without_what_it_works_on, make_files,
                                      remove_files),
      cmocka_unit_test_setup_teardown(lines_of_two_writers_that_tear_each_other_cost_the_torn_ones_alone, make_files,
                                      remove_files),
      cmocka_unit_test_setup_teardown(what_is_torn_is_counted_with_its_place, make_files, remove_files),
      cmocka_unit_test_setup_teardown(recordings_one_behind_the_other_are_both_there, make_files, remove_files),
      cmocka_unit_test_setup_teardown(recordings_of_perfetto_become_files_of_their_own, make_files, remove_files),
      cmocka_unit_test_setup_teardown(what_was_written_before_a_crash_stays, make_files, remove_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
