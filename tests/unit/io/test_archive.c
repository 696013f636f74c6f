/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives as inputs of a merge.
 */
#include "io/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include "io/input.h"
#include "support/merge_run.h"

static char archive_path[64];

static int set_up_archive(void **unused) {
  write_file(archive_path, sizeof(archive_path), "", 0);
  return set_up(unused);
}
static int tear_down_archive(void **unused) {
  (void)unlink(archive_path);
  return tear_down(unused);
}

struct member {
  const char *name, *data;
  size_t len;
};

/* Writes the members and makes the archive the next input. */
static void add_archive(bool zip, const struct member *members, size_t count) {
  struct archive *a = archive_write_new();
  assert_int_equal(zip ? archive_write_set_format_zip(a) : archive_write_set_format_ustar(a), ARCHIVE_OK);
  assert_int_equal(archive_write_open_filename(a, archive_path), ARCHIVE_OK);
  for (size_t i = 0; i < count; i++) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, members[i].name);
    archive_entry_set_size(entry, (la_int64_t)members[i].len);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, members[i].data, members[i].len), (la_ssize_t)members[i].len);
    archive_entry_free(entry);
  }
  assert_int_equal(archive_write_free(a), ARCHIVE_OK);
  run.inputs[run.count].path = archive_path;
  run.paths[run.count][0] = '\0';
  run.count++;
}

static void members_of_tar_and_zip_are_inputs_each_but_for_hidden_ones(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(10), S(1000), S(11)), b = trace_of("b", S(10), S(1000), S(12));
  const struct member members[] = {{"./one.pftrace", a.data, a.len},
                                   {".hidden", "not a trace", 11},
                                   {"sub/.also/x", "neither", 7},
                                   {"sub/two", b.data, b.len}};
  for (int zip = 0; zip < 2; zip++) {
    run.count = 0;
    add_archive(zip, members, 4);
    merge_well();
    assert_int_equal(tb_merge_report_count(run.report), 2);
    assert_non_null(strstr(report_of(0)->name, "/one.pftrace"));
    assert_non_null(strstr(report_of(1)->name, "/sub/two"));
    assert_int_equal(event_time("a"), S(11));
    assert_int_equal(event_time("b"), S(12));
  }
}

static void a_manifest_in_the_archive_places_its_members(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(10), S(1000), S(11)), b = trace_of("b", S(10), S(5000), S(12));
  static const char manifest[] =
      "{\"perfetto_manifest\": {\"version\": 1, \"files\": [{\"path\": \"a\"}, {\"path\": \"b\", \"clocks\": "
      "{\"clock\": \"BOOTTIME\", "
      "\"sync_to\": {\"file\": \"a\", \"clock\": \"BOOTTIME\"}, \"offset_ns\": 500}}]}}";
  const struct member members[] = {
      {"manifest.json", manifest, sizeof(manifest) - 1}, {"a", a.data, a.len}, {"b", b.data, b.len}};
  add_archive(false, members, 3);
  merge_well();
  assert_int_equal(report_of(1)->placement, TB_PLACEMENT_MANIFEST);
  assert_int_equal(llabs(report_of(1)->offset_ns), 500);
}

static void the_report_keeps_the_name_that_the_manifest_gave_a_machine(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(10), S(1000), S(11));
  static const char manifest[] =
      "{\"perfetto_manifest\": {\"version\": 1, \"files\": [{\"path\": \"a\", \"machine\": {\"name\": \"phone\"}}]}}";
  const struct member members[] = {{"manifest.json", manifest, sizeof(manifest) - 1}, {"a", a.data, a.len}};
  add_archive(false, members, 2);
  merge_well();
  assert_string_equal(report_of(0)->machine, "phone"); /* the manifest is gone */
  assert_non_null(strstr(tb_merge_report_render(run.report, TB_MERGE_REPORT_TEXT), "machine phone"));
}

static void an_archive_inside_an_archive_is_refused(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(10), S(1000), S(11));
  const struct member inner = {"a", a.data, a.len};
  add_archive(false, &inner, 1);
  size_t len;
  char *data = read_file(archive_path, &len);
  run.count = 0;
  const struct member outer = {"inner.tar", data, len};
  add_archive(true, &outer, 1);
  merge();
  assert_int_equal(run.status, TB_UNSUPPORTED);
  free(data);
}

static void a_damaged_archive_is_reported_and_leaves_nothing(void **unused) {
  (void)unused;
  struct msg a = trace_of("a", S(10), S(1000), S(11));
  const struct member members[] = {{"a", a.data, a.len}, {"b", a.data, a.len}};
  add_archive(false, members, 2);
  assert_int_equal(truncate(archive_path, 700), 0); /* in the first member */
  merge();
  assert_int_equal(run.status, TB_BAD_DATA);
  assert_non_null(strstr(run.error.file, archive_path));
}

/* Without a name from the start: as long as the merge runs, nobody finds them either. */
static void members_leave_nothing_whatever_becomes_of_them(void **unused) {
  (void)unused;
  static const char json[] = "[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"b\"}]";
  static const char gzip[] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, 3, '\xff', '\xff', '\xff', '\xff'};
  char directory[] = "/tmp/test_unpack.XXXXXX";
  struct msg a = trace_of("a", S(10), S(1000), S(11));
  const struct member members[] = {
      {"a", a.data, a.len}, {"bad", gzip, sizeof(gzip)}, {"b.json", json, sizeof(json) - 1}, {"empty", "", 0}};
  assert_non_null(mkdtemp(directory));
  run.options.temporary_directory = directory;
  run.options.unplaced = TB_UNPLACED_START;
  for (int skip_bad = 0; skip_bad < 2; skip_bad++) {
    run.options.skip_bad = skip_bad;
    run.count = 0;
    add_archive(skip_bad, members, 4);
    merge();
    assert_int_equal(run.status, skip_bad ? TB_PARTIAL : TB_UNKNOWN_FORMAT);
    if (skip_bad) assert_true(report_of(1)->skipped && !report_of(2)->skipped);
  }
  assert_int_equal(rmdir(directory), 0); /* it is empty */
  merge();
  assert_int_equal(run.status, TB_IO);
  assert_non_null(strstr(run.error.message, directory));
}

/* The bytes of a small member, put together as the walk gives them. */
struct taken {
  char bytes[1 << 16];
  uint64_t len, given;
};
static enum tb_status begin_taken(void *ctx, const char *path, struct tb_error *error) {
  (void)ctx, (void)error;
  assert_string_equal(path, "holes");
  return TB_OK;
}
static enum tb_status put_taken(void *ctx, uint64_t offset, const void *data, size_t len, struct tb_error *error) {
  struct taken *taken = ctx;
  (void)error;
  assert_true(offset + len <= sizeof(taken->bytes));
  memcpy(taken->bytes + offset, data, len);
  taken->given += len;
  return TB_OK;
}
static enum tb_status end_taken(void *ctx, uint64_t len, struct tb_error *error) {
  struct taken *taken = ctx;
  (void)error;
  taken->len = len;
  return TB_OK;
}

static void holes_of_a_member_are_not_given(void **unused) {
  (void)unused;
  enum { BLOCK = 4096, SIZE = 12 * BLOCK };
  static char data[SIZE];
  static struct taken taken;
  memset(data + BLOCK, 'x', BLOCK); /* with a hole before it and one behind it */
  struct archive *a = archive_write_new();
  struct archive_entry *entry = archive_entry_new();
  assert_int_equal(archive_write_set_format_pax(a) + archive_write_open_filename(a, archive_path), 2 * ARCHIVE_OK);
  archive_entry_set_pathname(entry, "holes");
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_size(entry, SIZE);
  archive_entry_sparse_add_entry(entry, BLOCK, BLOCK);
  assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
  assert_int_equal(archive_write_data(a, data, SIZE), SIZE);
  archive_entry_free(entry);
  assert_int_equal(archive_write_free(a), ARCHIVE_OK);
  const struct tb_archive_sink sink = {&taken, begin_taken, put_taken, end_taken, NULL};
  struct tb_error error = {0};
  struct tb_input *input;
  struct tb_archive_source source;
  struct tb_archive *archive;
  assert_int_equal(tb_input_open(archive_path, NULL, 1, &input, &error), TB_OK);
  assert_int_equal(tb_archive_source_of(input, &source, &error), TB_OK);
  assert_int_equal(tb_archive_open(&source, tb_default_allocator(), &archive, &error), TB_OK);
  assert_int_equal(tb_archive_walk(archive, &sink, &error), TB_OK);
  tb_archive_close(archive);
  tb_input_close(input);
  assert_int_equal(taken.len, SIZE);
  assert_int_equal(taken.given, BLOCK);
  assert_memory_equal(taken.bytes, data, SIZE);
}

static void archives_are_detected_by_their_first_bytes(void **unused) {
  (void)unused;
  char tar[512] = {0};
  assert_false(tb_archive_detect(tar, sizeof(tar)));
  memcpy(tar + 257, "ustar", 5);
  assert_true(tb_archive_detect(tar, sizeof(tar)));
  assert_false(tb_archive_detect(tar, 261));
  assert_true(tb_archive_detect("PK\3\4", 4));
  assert_false(tb_archive_detect("PK\3", 3));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_archive, tear_down_archive)
  const struct CMUnitTest tests[] = {
      TEST(members_of_tar_and_zip_are_inputs_each_but_for_hidden_ones),
      TEST(a_manifest_in_the_archive_places_its_members),
      TEST(the_report_keeps_the_name_that_the_manifest_gave_a_machine),
      TEST(an_archive_inside_an_archive_is_refused),
      TEST(a_damaged_archive_is_reported_and_leaves_nothing),
      TEST(members_leave_nothing_whatever_becomes_of_them),
      TEST(holes_of_a_member_are_not_given),
      TEST(archives_are_detected_by_their_first_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
