/* SPDX-License-Identifier: Apache-2.0
 *
 * Order, damage and refusals.
 */
#include "support/merge_run.h"

static void packets_come_by_time_then_by_input(void **unused) {
  (void)unused;
  struct msg a = {.len = 0}, b = {.len = 0};
  add_event(&a, 10, 3, 5, "a1", 0);
  add_event(&a, 30, 3, 5, "a2", 0);
  add_event(&b, 5, 3, 5, "b0", 0);
  add_event(&b, 20, 3, 5, "b1", 0);
  add_event(&b, 30, 3, 5, "b2", 0);
  add(&a);
  add(&b);
  merge_well();
  static const char *const order[] = {"a1", "b0", "b1", "a2", "b2"}; /* the first input's first packet leads */
  assert_int_equal(run.packet_count, 5);
  for (size_t i = 0; i < 5; i++)
    assert_true(tb_str_equal(get_bytes(get_bytes(run.packets[i], 11), 23), tb_str_from(order[i])));
}

static void a_trace_cut_anywhere_keeps_its_whole_packets(void **unused) {
  (void)unused;
  struct msg t = {.len = 0};
  size_t ends[4] = {0};
  for (size_t i = 0; i < 3; i++) {
    add_event(&t, 10 * (i + 1), 3, 5, "event", 0);
    ends[i + 1] = t.len;
  }
  for (size_t cut = 1; cut < t.len; cut++) {
    size_t whole = 0;
    while (ends[whole + 1] <= cut) whole++;
    run.count = 0;
    add_bytes(t.data, cut);
    merge();
    if (whole == 0) { /* not even one packet: nothing says that this is a trace */
      assert_int_equal(run.status, cut < 2 ? TB_UNKNOWN_FORMAT : TB_BAD_DATA);
    } else if (cut == ends[whole]) {
      assert_int_equal(run.status, TB_OK);
    } else {
      assert_int_equal(run.status, TB_PARTIAL);
      assert_true(report_of(0)->damaged);
      assert_int_equal(report_of(0)->damage_offset, ends[whole]);
    }
    if (whole) assert_int_equal(run.packet_count, whole);
    (void)unlink(run.paths[0]);
  }
}

static void an_unreadable_input_is_refused_unless_it_may_be_skipped(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101));
  add(&a);
  add_bytes(
      "\x7f"
      "ELF no trace at all",
      20);
  merge();
  assert_int_equal(run.status, TB_UNKNOWN_FORMAT);
  assert_string_equal(run.error.file, run.paths[1]);
  run.options.skip_bad = true;
  merge();
  assert_int_equal(run.status, TB_PARTIAL);
  assert_true(report_of(1)->skipped);
  assert_int_equal(event_time("a"), S(101));
}

static void the_output_is_never_one_of_the_inputs(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101));
  add(&a);
  struct tb_error error = {0};
  assert_int_equal(tb_merge(run.inputs, 1, run.paths[0], NULL, NULL, &error), TB_REFUSED);
  size_t len;
  char *data = read_file(run.paths[0], &len);
  assert_int_equal(len, a.len);
  free(data);
}

static void the_output_is_not_the_manifest_either(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101));
  add(&a);
  run.options.manifest = run.out;
  merge();
  assert_int_equal(run.status, TB_REFUSED);
  assert_string_equal(run.error.file, run.out);
}

static void a_name_that_says_another_format_is_converted_to(void **unused) {
  (void)unused;
  static const struct {
    const char *suffix, *head;
    enum tb_format format;
  } names[] = {{".json", "{", TB_FORMAT_JSON}, {".fxt", "\x10", TB_FORMAT_FXT}};
  struct msg a = trace_of("a", S(100), S(5000), S(101));
  add(&a);
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char name[sizeof(run.out) + 8];
    struct tb_merge_report *report;
    size_t len;
    (void)snprintf(name, sizeof(name), "%s%s", run.out, names[i].suffix);
    assert_int_equal(tb_merge(run.inputs, 1, name, NULL, &report, NULL), TB_OK);
    const struct tb_convert_report *conversion = tb_merge_report_conversion(report);
    assert_non_null(conversion);
    assert_int_equal(conversion->to, names[i].format);
    char *data = read_file(name, &len);
    assert_memory_equal(data, names[i].head, 1);
    assert_int_equal(tb_merge_report_summary(report)->bytes_out, len);
    tb_merge_report_free(report);
    free(data);
    (void)unlink(name);
  }
  merge_well();
  assert_null(tb_merge_report_conversion(run.report));
  /* one that says nothing is the caller's to choose */
  assert_int_equal(tb_merge(run.inputs, 1, "/nonexistent/m.foo", NULL, NULL, NULL), TB_IO);
}

static void the_same_input_twice_is_reported(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), other = trace_of("b", S(100), S(5000), S(101));
  add(&a);
  add(&other); /* as long, at the same times, and another */
  merge_well();
  assert_null(find_note(TB_MERGE_NOTE_SAME_INPUT, 0));
  add(&a);
  run.inputs[run.count++].path = run.paths[1];
  merge_well();
  assert_note(TB_MERGE_NOTE_SAME_INPUT, 2, run.paths[0]);
  assert_int_equal(find_note(TB_MERGE_NOTE_SAME_INPUT, 1)->input, 3);
  assert_null(find_note(TB_MERGE_NOTE_SAME_INPUT, 2));
}

static void a_full_disk_is_an_error_that_leaves_nothing(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101));
  add(&a);
  if (access("/dev/full", W_OK) != 0) skip();
  struct tb_error error = {0};
  assert_int_equal(tb_merge(run.inputs, 1, "/dev/full", NULL, NULL, &error), TB_IO);
  assert_int_equal(tb_merge(run.inputs, 1, "/nonexistent/directory/out", NULL, NULL, &error), TB_IO);
}

static void nothing_to_merge_is_invalid(void **unused) {
  (void)unused;
  struct tb_error error = {0};
  assert_int_equal(tb_merge(NULL, 0, run.out, NULL, NULL, &error), TB_INVALID);
  assert_int_equal(error.code, TB_INVALID);
}

static void a_dry_run_reports_and_writes_nothing(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(100), S(5000), S(101)), b = trace_of("b", S(7000), S(5010), S(7001));
  add(&a);
  add(&b);
  run.options.dry_run = true;
  struct tb_merge_report *report;
  assert_int_equal(tb_merge(run.inputs, 2, NULL, &run.options, &report, NULL), TB_OK);
  assert_int_equal(tb_merge_report_count(report), 2);
  assert_int_equal(tb_merge_report_input(report, 1)->offset_ns, -(int64_t)S(6890));
  assert_null(tb_merge_report_input(report, 2));
  assert_non_null(strstr(tb_merge_report_render(report, TB_MERGE_REPORT_JSON), "\"placement\": \"wall clocks\""));
  tb_merge_report_free(report);
}

static void more_inputs_than_files_may_be_open_merge_all_the_same(void **unused) {
  (void)unused;
  struct msg a = {.len = 0};
  for (uint64_t i = 0; i < 50; i++) add_event(&a, 10 * i, 3, 5, "event", 0);
  for (int i = 0; i < 8; i++) add(&a);
  run.options.max_open_files = 2;
  merge_well();
  assert_int_equal(run.packet_count, 400);
}

/* A packet of sequence 1 with a payload of one number. */
static void add_payload(struct msg *trace, uint32_t kind, uint32_t field, uint64_t value) {
  struct msg payload = {.len = 0}, p = {.len = 0};
  put_uint(&p, 10, 1);
  put_uint(&payload, field, value);
  put_msg(&p, kind, &payload);
  put_msg(trace, 1, &p);
}

static size_t count_payloads(uint32_t kind, uint32_t field, uint64_t value) {
  size_t count = 0;
  struct tb_str payload;
  for (size_t i = 0; i < run.packet_count; i++)
    if (find_bytes(run.packets[i], kind, &payload) && payload.len && get_number(payload, field) == value) count++;
  return count;
}

static void of_what_a_trace_has_one_the_first_stays(void **unused) {
  (void)unused;
  enum { CONFIG = 33, UUID = 89, SERVICE = 69, FLUSHED = 3, MSB = 1 };
  for (uint64_t i = 1; i <= 2; i++) {
    struct msg t = trace_of("event", S(10), S(1000), S(11));
    add_payload(&t, CONFIG, 2, i);
    add_payload(&t, UUID, MSB, i);
    add_payload(&t, SERVICE, FLUSHED, 1);
    add(&t);
  }
  merge_well();
  assert_int_equal(count_payloads(UUID, MSB, 1), 1);
  assert_int_equal(count_payloads(UUID, MSB, 2), 0);
  assert_int_equal(count_payloads(CONFIG, 2, 1), 1);
  assert_int_equal(count_payloads(CONFIG, 2, 2), 0);
  assert_int_equal(count_payloads(SERVICE, FLUSHED, 1), 0);
  assert_int_equal(report_of(0)->packets_dropped, 1);
  assert_int_equal(report_of(1)->packets_dropped, 3);
  assert_int_equal(report_of(1)->packets_in, report_of(1)->packets_out + 3);
}

static void alone_a_trace_keeps_even_what_a_merged_one_has_not(void **unused) {
  (void)unused;
  struct msg t = trace_of("event", S(10), S(1000), S(11));
  add_payload(&t, 69, 3, 1);
  add(&t);
  merge_well();
  assert_int_equal(count_payloads(69, 3, 1), 1);
}

static void packets_behind_damage_are_kept_too(void **unused) {
  (void)unused;
  struct msg a = trace_of("before", S(10), S(1000), S(11)), b = trace_of("other", S(10), S(1000), S(12));
  uint64_t damage = a.len;
  memcpy(a.data + a.len, "\x07\x07\x07", 3);
  a.len += 3;
  add_event(&a, S(13), 3, 5, "after", 0);
  add(&a);
  add(&b);
  merge();
  assert_int_equal(run.status, TB_PARTIAL);
  assert_int_equal(report_of(0)->damage_offset, damage);
  assert_string_equal(report_of(0)->damage, "damaged bytes between packets");
  assert_int_equal(event_time("before"), S(11));
  assert_int_equal(event_time("after"), S(13));
}

static void however_its_bytes_are_changed_a_trace_is_merged_or_refused(void **unused) {
  (void)unused;
  struct msg good = trace_of("good", S(10), S(1000), S(11)), whole = trace_of("a", S(10), S(1000), S(11));
  add_process(&whole, 70, 7, "process");
  add_thread(&whole, 71, 70, 7, 8);
  for (uint64_t i = 0; i < 5; i++) add_event(&whole, S(12) + i, i % 2 ? 2 : 1, 71, "slice", i);
  uint64_t state = 1;
  unsigned merged = 0;
  for (int round = 0; round < 1500; round++) {
    struct msg changed = whole;
    for (int i = 0; i <= round % 3; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      changed.data[(state >> 33) % changed.len] = (char)(state >> 20);
    }
    run.count = 0;
    add(&good);
    add(&changed);
    run.options.unplaced = round % 2 ? TB_UNPLACED_START : TB_UNPLACED_ERROR;
    run.options.flatten_machines = round % 5 == 0;
    merge(); /* which sees that its output is whole packets */
    if (run.status == TB_OK || run.status == TB_PARTIAL)
      merged++;
    else
      assert_true(run.status == TB_REFUSED || run.status == TB_UNKNOWN_FORMAT || run.status == TB_LIMIT);
    for (size_t i = 0; i < run.count; i++) (void)unlink(run.paths[i]);
  }
  assert_true(merged > 1000);
}

static bool stop_at_once(void *context, uint64_t bytes, uint64_t size) {
  (void)bytes;
  (void)size;
  ++*(unsigned *)context;
  return false;
}

/* A dry run writes nothing, so that progress is that of the conversion. */
static void converting_an_input_shows_progress_and_can_be_stopped(void **unused) {
  (void)unused;
  unsigned calls = 0;
  static const char json[] = "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}]";
  add_bytes(json, sizeof(json) - 1);
  run.options.dry_run = true;
  run.options.progress = stop_at_once;
  run.options.progress_ctx = &calls;
  merge();
  assert_int_equal(run.status, TB_CANCELLED);
  assert_int_equal(calls, 1);
}

/* Nothing is converted and nothing written, so that progress is that of the first reading of the inputs. */
static void reading_the_inputs_shows_progress_and_can_be_stopped(void **unused) {
  (void)unused;
  for (unsigned threads = 1; threads <= 2; threads++) {
    unsigned calls = 0;
    struct msg a = trace_of("a", S(10), S(1000), S(11)), b = trace_of("b", S(10), S(1000), S(11));
    run.count = 0;
    add(&a);
    add(&b);
    run.options.dry_run = run.options.skip_bad = true;
    run.options.threads = threads;
    run.options.progress = stop_at_once;
    run.options.progress_ctx = &calls;
    merge();
    assert_int_equal(run.status, TB_CANCELLED);
    assert_true(calls >= 1);
    for (size_t i = 0; i < run.count; i++) (void)unlink(run.paths[i]);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(packets_come_by_time_then_by_input),
      TEST(of_what_a_trace_has_one_the_first_stays),
      TEST(alone_a_trace_keeps_even_what_a_merged_one_has_not),
      TEST(packets_behind_damage_are_kept_too),
      TEST(however_its_bytes_are_changed_a_trace_is_merged_or_refused),
      TEST(a_trace_cut_anywhere_keeps_its_whole_packets),
      TEST(an_unreadable_input_is_refused_unless_it_may_be_skipped),
      TEST(the_output_is_never_one_of_the_inputs),
      TEST(the_output_is_not_the_manifest_either),
      TEST(a_name_that_says_another_format_is_converted_to),
      TEST(the_same_input_twice_is_reported),
      TEST(a_full_disk_is_an_error_that_leaves_nothing),
      TEST(nothing_to_merge_is_invalid),
      TEST(a_dry_run_reports_and_writes_nothing),
      TEST(converting_an_input_shows_progress_and_can_be_stopped),
      TEST(reading_the_inputs_shows_progress_and_can_be_stopped),
      TEST(more_inputs_than_files_may_be_open_merge_all_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
