/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/manifest/manifest.h"

#include "support/merge_fixture.h"
#include "tracebridge/event.h"

static struct tb_arena arena;
static struct tb_manifest manifest;
static struct tb_error error;

static int set_up(void **unused) {
  (void)unused;
  tb_arena_init(&arena, tb_default_allocator(), 0);
  return 0;
}
static int tear_down(void **unused) {
  (void)unused;
  tb_arena_free(&arena);
  return 0;
}

static enum tb_status parse(const char *text) {
  error = (struct tb_error){0};
  return tb_manifest_parse(&arena, tb_str_from(text), &manifest, &error);
}

#define WITH(body) "{\"perfetto_manifest\": {\"version\": 1, " body "}}"
#define FILES(body) WITH("\"files\": [" body "]")

static void a_whole_manifest_is_read(void **unused) {
  (void)unused;
  assert_int_equal(parse(WITH("\"trace_time\": {\"clock\": \"BOOTTIME\", \"file\": \"a\"}, \"files\": ["
                              "{\"path\": \"a\", \"machine\": {\"name\": \"phone\"}},"
                              "{\"path\": \"b\", \"machines\": [{\"id\": 0, \"name\": \"host\"}, {\"id\": 4294967295, "
                              "\"name\": \"vm\"}]},"
                              "{\"path\": \"c\", \"clocks\": {\"clock\": \"MONOTONIC\", \"sync_to\": {\"file\": \"b\", "
                              "\"machine\": \"vm\", \"clock\": \"REALTIME\"}, \"offset_ns\": -5}}],"
                              "\"attributes\": {\"run\": 42, \"name\": \"x\"}")),
                   TB_OK);
  assert_int_equal(manifest.trace_time.clock, TB_CLOCK_BOOTTIME);
  assert_string_equal(manifest.trace_time.file, "a");
  assert_int_equal(manifest.file_count, 3);
  assert_string_equal(manifest.files[0].machine, "phone");
  assert_int_equal(manifest.files[1].machine_count, 2);
  assert_int_equal(manifest.files[1].machines[1].id, UINT32_MAX);
  assert_int_equal(manifest.files[2].clock, TB_CLOCK_MONOTONIC);
  assert_int_equal(manifest.files[2].sync_to.clock, TB_CLOCK_REALTIME);
  assert_int_equal(manifest.files[2].offset_ns, -5);
  assert_int_equal(manifest.attribute_count, 2);
  assert_int_equal(manifest.attributes[0].number, 42);
  assert_ptr_equal(tb_manifest_find(&manifest, "b"), &manifest.files[1]);
  assert_null(tb_manifest_find(&manifest, "d"));
}

static void each_condition_of_the_catalogue_has_its_error(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"{\"perfetto_manifest\": {}}", "missing required field: version"},
      {"{\"perfetto_manifest\": {\"version\": 2}}", "unsupported version: 2. Only version 1 is supported"},
      {"{\"perfetto_manifest\": {\"version\": \"1\"}}", "version must be an integer"},
      {"{\"other\": 1}", "expected a JSON object with a top-level perfetto_manifest key"},
      {WITH("\"trace_time\": {\"clock\": \"TSC\"}"), "unknown clock name: TSC. Use one of REALTIME"},
      {WITH("\"trace_time\": {}"), "trace_time needs a clock"},
      {WITH("\"trace_time\": {\"clock\": \"BOOTTIME\", \"machine\": \"x\"}"), "a machine name alone is ambiguous"},
      {WITH("\"files\": {}"), "files must be an array"},
      {FILES("{}"), "files entries must be objects with a string path"},
      {FILES("{\"path\": \"a\", \"machine\": {\"name\": \"x\"}, \"machines\": []}"),
       "machine and machines are mutually exclusive"},
      {FILES("{\"path\": \"a\", \"machine\": {\"name\": \"\"}}"), "machine: name must be non-empty"},
      {FILES("{\"path\": \"a\", \"machine\": \"x\"}"), "machine must be an object with a string name"},
      {FILES("{\"path\": \"a\", \"machines\": [{\"id\": -1, \"name\": \"x\"}]}"),
       "machines: id must be in [0, 4294967295]"},
      {FILES("{\"path\": \"a\", \"machines\": [{\"id\": 4294967296, \"name\": \"x\"}]}"),
       "machines: id must be in [0, 4294967295]"},
      {FILES("{\"path\": \"a\", \"machines\": [{\"id\": 1, \"name\": \"\"}]}"), "machines: name must be non-empty"},
      {WITH("\"attributes\": []"), "attributes must be an object of string or integer values"},
      {WITH("\"attributes\": {\"k\": 1.5}"), "attributes: 'k' must be a string or an integer"},
      {WITH("\"attributes\": {\"\": 1}"), "attributes: keys must be non-empty"},
      {FILES("{\"path\": \"a\", \"clocks\": {}}"), "clocks: a sync_to block is required"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"sync_to\": {}}}"), "clocks: sync_to.file is required"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"machine\": \"x\"}}}"),
       "a machine name alone is ambiguous, name the file too"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"b\", \"machine\": \"x\"}}}"),
       "only files with an entry have machines, and 'b' has none"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"a\"}}}"),
       "clocks: sync_to of 'a' is the file itself"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"clock\": \"MONOTONIC\", \"sync_to\": {\"file\": \"a\", \"clock\": "
             "\"BOOTTIME\"}}}"),
       "clocks: sync_to of 'a' is the file itself"},
      {FILES("{\"path\": \"a\"}, {\"path\": \"b\"}, {\"path\": \"a\"}"), "files: there are two entries of 'a'"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"b\"}, \"offset_ns\": 9223372036854775807}}"),
       "offset_ns is out of range"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"a\"}, \"offset_ns\": 1.5}}"),
       "offset_ns must be an integer"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"a\"}, \"offset_ns\": -9223372036854775808}}"),
       "offset_ns is out of range"},
      {FILES("{\"path\": \"a\", \"machines\": [{\"id\": 0, \"name\": \"h\"}]}, {\"path\": \"b\", \"clocks\": "
             "{\"sync_to\": {\"file\": \"a\"}}}"),
       "'a' is a multi-machine trace; also name the machine"},
      {FILES("{\"path\": \"a\", \"machine\": {\"name\": \"h\"}}, {\"path\": \"b\", \"clocks\": {\"sync_to\": "
             "{\"file\": \"a\", \"machine\": \"x\"}}}"),
       "'x' is not a machine declared by file 'a'"},
      {FILES("{\"path\": \"a\", \"machines\": [{\"id\": 0, \"name\": \"h\"}], \"clocks\": {\"sync_to\": {\"file\": "
             "\"a\", \"machine\": \"h\"}}}"),
       "file 'a' is a multi-machine trace; name which machine the clock is on"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(parse(cases[i].text), TB_INVALID);
    if (!strstr(error.message, cases[i].message) || strncmp(error.message, "perfetto_manifest: ", 19) != 0)
      fail_msg("%s: %s", cases[i].message, error.message);
  }
}

static void a_key_that_is_unknown_or_there_twice_is_reported_with_its_place(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *key, *message; /* the error is at the last `key` */
  } cases[] = {
      {"{\"perfetto_manifest\": {\"version\": 1}, \"x\": 1}", "\"x\"", "unknown key 'x' in the document"},
      {WITH("\"file\": []"), "\"file\"",
       "unknown key 'file' in perfetto_manifest. Use one of version, trace_time, files"},
      {WITH("\"trace_time\": {\"clock\": \"BOOTTIME\", \"path\": \"a\"}"), "\"path\"",
       "unknown key 'path' in trace_time"},
      {FILES("{\"path\": \"b\"}, {\"path\": \"a\", \"clock\": {}}"), "\"clock\"",
       "unknown key 'clock' in an entry of files"},
      {FILES("{\"path\": \"a\", \"machine\": {\"name\": \"x\", \"id\": 1}}"), "\"id\"",
       "unknown key 'id' in machine. Use one of name"},
      {FILES("{\"path\": \"a\", \"machines\": [{\"id\": 1, \"names\": \"x\"}]}"), "\"names\"",
       "unknown key 'names' in machines"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"b\"}, \"offset\": 5}}"), "\"offset\"",
       "unknown key 'offset' in clocks. Use one of clock, machine, sync_to, offset_ns"},
      {FILES("{\"path\": \"a\", \"clocks\": {\"sync_to\": {\"file\": \"b\", \"path\": \"c\"}}}"), "\"path\"",
       "unknown key 'path' in sync_to. Use one of file, machine, clock"},
      {FILES("{\"path\": \"a\", \"path\": \"b\"}"), "\"path\"", "the key 'path' is in an entry of files twice"},
      {FILES("{\"path\": \"a\"}, {\"path\": \"a\"}"), "{\"path\"", "two entries of 'a'"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char *place = NULL;
    for (const char *at = cases[i].text; (at = strstr(at, cases[i].key)) != NULL; at++) place = at;
    assert_int_equal(parse(cases[i].text), TB_INVALID);
    if (!strstr(error.message, cases[i].message)) fail_msg("%s: %s", cases[i].message, error.message);
    assert_int_equal(error.offset, place - cases[i].text);
  }
}

static void text_that_is_no_json_is_reported_with_its_place(void **unused) {
  (void)unused;
  assert_int_equal(parse("{\"perfetto_manifest\": {\"version\": 1,}}"), TB_BAD_DATA);
  assert_int_equal(error.offset, 36);
  static const char *const bad[] = {"", "{", "[1", "{\"a\"}", "{\"a\": tru}", "{} x", "\"a", "{\"a\": 1 \"b\": 2}"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) assert_int_equal(parse(bad[i]), TB_BAD_DATA);
  char deep[200];
  memset(deep, '[', sizeof(deep));
  deep[199] = '\0';
  assert_int_equal(parse(deep), TB_BAD_DATA);
}

static void a_manifest_is_detected_by_its_content(void **unused) {
  (void)unused;
  assert_true(tb_manifest_detect("\n { \"perfetto_manifest\" : {", 27));
  assert_false(tb_manifest_detect("{\"traceEvents\": []}", 19));
  assert_false(tb_manifest_detect("{\"perf", 6));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_whole_manifest_is_read),
      TEST(each_condition_of_the_catalogue_has_its_error),
      TEST(a_key_that_is_unknown_or_there_twice_is_reported_with_its_place),
      TEST(text_that_is_no_json_is_reported_with_its_place),
      TEST(a_manifest_is_detected_by_its_content),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
