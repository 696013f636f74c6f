/* SPDX-License-Identifier: Apache-2.0
 *
 * Every carried field there and back: JSON by way of Perfetto and of FXT; what JSON has no member for, from events by
 * way of FXT. The traces here, not the table, say what is carried: a field that the table no longer has fails, and so
 * does one that no trace here has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/carried_fields.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "support/source_shape.h"
#include "tracebridge/convert.h"
#include "tracebridge/reader.h"
#include "tracebridge/writer.h"

static char directory[] = "/tmp/test_carried_fields.XXXXXX";
static char source[64], perfetto[64], fxt[64], back[64];

static int start(void **state) {
  (void)state;
  if (!mkdtemp(directory)) return -1;
  snprintf(source, sizeof(source), "%s/source.json", directory);
  snprintf(perfetto, sizeof(perfetto), "%s/trace.pftrace", directory);
  snprintf(fxt, sizeof(fxt), "%s/trace.fxt", directory);
  snprintf(back, sizeof(back), "%s/back.json", directory);
  return 0;
}

static int stop(void **state) {
  (void)state;
  (void)unlink(source);
  (void)unlink(perfetto);
  (void)unlink(fxt);
  (void)unlink(back);
  return rmdir(directory);
}

/* What is carried, by which format, and an event of JSON that has it. */
struct carried_case {
  const char *key;   /* as the format has it */
  bool by_perfetto;  /* else by FXT */
  const char *event; /* members; of a document in place of events where it begins with a bracket */
  const char *kept;  /* what the JSON that comes of it has, or, behind a !, has not */
};

#define AT "\"pid\":1,\"tid\":2,\"ts\":8,\"name\":\"n\""
#define ASYNC "\"ph\":\"n\",\"cat\":\"c\"," AT
#define INSTANT "\"ph\":\"i\",\"s\":\"t\"," AT
#define SAMPLE                                                                                                     \
  "[],\"samples\":[{\"cpu\":2,\"tid\":1,\"ts\":1,\"name\":\"s\",\"sf\":1,\"weight\":3.5}],\"stackFrames\":{\"1\":" \
  "{\"name\":\"f\"}}"
#define WITHOUT_TID(ts) "\"ph\":\"X\",\"name\":\"n\",\"ts\":" ts ",\"dur\":3,\"pid\":1"
#define WITH_TID(ts) WITHOUT_TID(ts) ",\"tid\":1"
#define TWENTY                                                                                                    \
  "\"args\":{\"a1\":1,\"a2\":1,\"a3\":1,\"a4\":1,\"a5\":1,\"a6\":1,\"a7\":1,\"a8\":1,\"a9\":1,\"b1\":1,\"b2\":1," \
  "\"b3\":1,\"b4\":1,\"b5\":1,\"b6\":1,\"b7\":1,\"b8\":1,\"b9\":9}"

static const struct carried_case cases[] = {
    {"no_ts", true, "\"ph\":\"X\",\"dur\":3,\"pid\":1,\"tid\":2,\"name\":\"n\"", "!\"ts\""},
    {"no_ts", true, "\"ph\":\"X\",\"dur\":3,\"pid\":1,\"tid\":2,\"name\":\"n\"", "\"ph\":\"X\",\"dur\":3"},
    {"no_ts", true, "\"pid\":1,\"tid\":2,\"name\":\"n\",\"ts\":\"text\"", "\"ts\":\"text\""},
    {"no_ts", true, "\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,\"tid\":2,\"name\":\"n\"", "\"bp\":\"e\""},
    {"no_ts", false, "\"ph\":\"X\",\"dur\":3,\"pid\":1,\"tid\":2,\"name\":\"n\"", "!\"ts\""},
    {"no_ts", false, "\"ph\":\"X\",\"dur\":3,\"pid\":1,\"tid\":2,\"name\":\"n\"", "\"ph\":\"X\",\"dur\":3"},
    {"no_ts", false, "\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,\"tid\":2,\"name\":\"n\"", "\"bp\":\"e\""},
    {"no_ts", false, "\"pid\":1,\"tid\":2,\"name\":\"n\",\"ts\":\"text\"", "!\"ph\""},
    {"ph", true, AT, "!\"ph\""},
    {"ph", false, AT, "!\"ph\""},
    {"ph", true, "\"ph\":\"R\"," AT, "\"ph\":\"R\""},
    {"ph", false, "\"ph\":\"R\"," AT, "\"ph\":\"R\""},
    {"s", true, "\"ph\":\"R\",\"s\":\"p\"," AT, "\"s\":\"p\""},
    {"s", false, "\"ph\":\"i\",\"s\":\"p\"," AT, "\"s\":\"p\""},
    {"bp", true, "\"ph\":\"f\",\"bp\":\"e\",\"id\":\"0x1\",\"cat\":\"c\"," AT, "\"bp\":\"e\""},
    {"bp", false, "\"ph\":\"f\",\"id\":\"0x1\",\"cat\":\"c\"," AT, "!\"bp\""},
    {"cpu", true, SAMPLE, "\"cpu\":2"},
    {"cpu", false, SAMPLE, "\"cpu\":2"},
    {"weight", true, SAMPLE, "\"weight\":3.5"},
    {"weight", false, SAMPLE, "\"weight\":3.5"},
    {"name", true, "\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":8,\"dur\":5", "!\"name\""},
    {"name", true, "\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":8,\"dur\":5,\"name\":\"\"", "\"name\":\"\""},
    {"name", false, "\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":8,\"dur\":5", "!\"name\""},
    {"name", false, "\"ph\":\"E\"," AT, "\"name\":\"n\""},
    {"no_end", false, "\"ph\":\"B\"," AT "},{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":9},{\"ph\":\"E\"," AT,
     "\"ph\":\"B\""},
    {"id2", false, "\"id2\":{\"local\":\"0x9\"}," ASYNC, "\"id2\":{\"local\":\"0x9\"}"},
    {"id2", false, "\"id2\":{\"global\":\"0x9\"}," ASYNC, "\"id2\":{\"global\":\"0x9\"}"},
    {"id", true, "\"id\":\"text\"," ASYNC, "\"id\":\"text\""},
    {"id", false, "\"id\":\"text\"," ASYNC, "\"id\":\"text\""},
    {"bind_id", true, "\"ph\":\"X\",\"dur\":3,\"bind_id\":\"text\"," AT, "\"bind_id\":\"text\""},
    {"sf", false, "\"ph\":\"X\",\"dur\":3,\"sf\":\"f7\"," AT, "\"sf\":\"f7\""},
    {"stack:json", false, "\"ph\":\"X\",\"dur\":3,\"stack\":[\"outer\",\"inner\"]," AT, "\"inner\""},
    {"esf", true, "\"ph\":\"X\",\"dur\":-3,\"esf\":\"f7\"," AT, "\"esf\":\"f7\""},
    {"esf", false, "\"ph\":\"X\",\"dur\":3,\"esf\":\"f7\"," AT, "\"esf\":\"f7\""},
    {"estack:json", false, "\"ph\":\"X\",\"dur\":3,\"estack\":[\"outer\",\"inner\"]," AT, "\"inner\""},
    {"tid", true, WITH_TID("8") "},{" WITHOUT_TID("9"), "\"ts\":9,\"dur\":3,\"pid\":1}"},
    {"tid", true, WITHOUT_TID("8") "},{" WITH_TID("9"), "\"ts\":9,\"dur\":3,\"pid\":1,\"tid\":1}"},
    {"tid", false, WITH_TID("8") "},{" WITHOUT_TID("9"), "\"ts\":9,\"dur\":3,\"pid\":1}"},
    {"tid", false, WITHOUT_TID("8") "},{" WITH_TID("9"), "\"ts\":9,\"dur\":3,\"pid\":1,\"tid\":1}"},
    {"tid", true, WITH_TID("8") "},{" WITHOUT_TID("9"), "\"ts\":8,\"dur\":3,\"pid\":1,\"tid\":1}"},
    {"tid", true, "\"ph\":\"X\",\"ts\":8,\"dur\":3,\"pid\":0,\"tid\":0},{\"ph\":\"X\",\"ts\":9,\"dur\":3",
     "\"ts\":9,\"dur\":3}"},
    {"pid", true, WITH_TID("8") "},{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"args\":{\"name\":\"a\"}",
     "\"pid\":1,\"args\""},
    {"pid", true, "\"ph\":\"i\",\"s\":\"g\"," AT, "\"pid\":1"},
    {"tid", true, "\"ph\":\"i\",\"s\":\"g\"," AT, "\"tid\":2"},
    {"ts_ns", false, "\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":2,\"ts\":-8,\"name\":\"n\"", "\"ts\":-8"},
    {"ts_ns", false, "\"ph\":\"C\",\"pid\":1,\"ts\":-8,\"name\":\"n\",\"args\":{\"a\":1}", "\"ts\":-8"},
    {"dur_ns", true, "\"ph\":\"X\",\"dur\":-3," AT, "\"dur\":-3"},
    {"dur_ns", false, "\"ph\":\"X\",\"dur\":3,\"pid\":1,\"tid\":2,\"ts\":-8,\"name\":\"n\"", "\"dur\":3"},
    {"dur_ns", false, "\"dur\":3,\"id\":\"0x1\"," ASYNC, "\"dur\":3"},
    {"tts_ns", true, "\"tts\":6,\"id\":\"0x1\"," ASYNC, "\"tts\":6"},
    {"tts_ns", false, "\"ph\":\"X\",\"dur\":3,\"tts\":6," AT, "\"tts\":6"},
    {"tdur_ns", true, "\"ph\":\"X\",\"dur\":-3,\"tdur\":2," AT, "\"tdur\":2"},
    {"tdur_ns", false, "\"ph\":\"X\",\"dur\":3,\"tts\":6,\"tdur\":2," AT, "\"tdur\":2"},
    {"tts_ns", false, "\"ph\":\"C\",\"pid\":1,\"ts\":8,\"tts\":6,\"name\":\"n\",\"args\":{\"a\":1}", "\"tts\":6"},
    {"use_async_tts", false, "\"tts\":6,\"use_async_tts\":1,\"id\":\"0x1\"," ASYNC, "\"use_async_tts\":1"},
    {"scope", false, "\"id\":\"0x1\",\"scope\":\"here\"," ASYNC, "\"scope\":\"here\""},
    {"args", true, "\"args\":{\"a..b\":7}," INSTANT, "\"args\":{\"a..b\":7}"},
    {"args:json", false, TWENTY "," INSTANT, "\"b9\":9"},
    {"fxt_types", true, "\"fxt_types\":\"I\",\"args\":{\"a\":1}," INSTANT, "\"fxt_types\":\"I\""},
    {"fxt_counter", true, "\"fxt_counter\":7,\"args\":{\"a\":\"b\"}," INSTANT, "\"fxt_counter\":7"},
    {"fxt_blob", true, "\"fxt_blob\":0,\"fxt_bytes\":\"QUJD\"," INSTANT, "\"fxt_blob\":0"},
    {"fxt_bytes", true, "\"fxt_blob\":0,\"fxt_bytes\":\"QUJD\"," INSTANT, "\"fxt_bytes\":\"QUJD\""}};

static void write_source(const struct carried_case *c) {
  FILE *file = fopen(source, "w");
  assert_non_null(file);
  fprintf(file, c->event[0] == '[' ? "{\"traceEvents\":%s}" : "{\"traceEvents\":[{%s}]}", c->event);
  assert_int_equal(fclose(file), 0);
}

/* All of a file in `bytes`; its length. */
static size_t read_all(const char *path, char *bytes, size_t room) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t len = fread(bytes, 1, room - 1, file);
  bytes[len] = '\0';
  assert_int_equal(fclose(file), 0);
  return len;
}

static void expect_in(const char *path, const char *text, bool there) {
  static char bytes[1 << 16];
  size_t len = read_all(path, bytes, sizeof(bytes));
  if ((memmem(bytes, len, text, strlen(text)) != NULL) == there) return;
  fail_msg("%s %s %s", path, there ? "has no" : "has", text);
}

/* Fields that Perfetto has by number and not by their key. */
static const struct {
  const char *key;
  uint32_t field;
} numbers[] = {{"ph", TB_DEBUG_ANNOTATION_CARRIED_PHASE},
               {"cpu", TB_DEBUG_ANNOTATION_CARRIED_CPU},
               {"dur_ns", TB_DEBUG_ANNOTATION_CARRIED_DUR_NS},
               {"tts_ns", TB_DEBUG_ANNOTATION_CARRIED_TTS_NS},
               {"tdur_ns", TB_DEBUG_ANNOTATION_CARRIED_TDUR_NS}};

/* What a Perfetto trace has where it carries a case's key. That there is no phase is no number. */
static void put_expected(const struct carried_case *c, char *text, size_t room) {
  snprintf(text, room, "%s", c->key);
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
    if (strcmp(c->key, numbers[i].key) == 0 && strcmp(c->kept, "!\"ph\"") != 0)
      *tb_wire_put_tag(text, numbers[i].field, TB_WIRE_VARINT) = '\0';
}

static void go_there_and_back(const struct carried_case *c) {
  const char *between = c->by_perfetto ? perfetto : fxt;
  char key[64];
  print_message("%s by %s: %s\n", c->key, c->by_perfetto ? "Perfetto" : "FXT", c->event);
  write_source(c);
  assert_int_equal(tb_convert(source, between, NULL, NULL, NULL), TB_OK);
  assert_int_equal(tb_convert(between, back, NULL, NULL, NULL), TB_OK);
  if (c->by_perfetto)
    put_expected(c, key, sizeof(key));
  else
    snprintf(key, sizeof(key), "trace_event.%s", c->key);
  expect_in(between, key, true);
  bool is_there = c->kept[0] != '!';
  expect_in(back, c->kept + !is_there, is_there);
  expect_in(back, "_ns\"", false);
  expect_in(back, "trace_event.", false);
}

static void members_of_json_come_back(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) go_there_and_back(&cases[i]);
}

static void members_that_fxt_has_itself_are_not_carried_there(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    if (strncmp(cases[i].key, "fxt_", 4) != 0) continue;
    write_source(&cases[i]);
    assert_int_equal(tb_convert(source, fxt, NULL, NULL, NULL), TB_OK);
    assert_int_equal(tb_convert(fxt, back, NULL, NULL, NULL), TB_OK);
    expect_in(fxt, "trace_event.fxt_", false);
    expect_in(back, cases[i].kept, true);
  }
}

/* A member of the source's own that is called as a carried one is, and is none: it has another type. */
static void members_of_other_types_stay_members(void **state) {
  (void)state;
  static const struct carried_case other = {"tts_ns", false, "\"tts_ns\":\"x\"," INSTANT, "\"tts_ns\":\"x\""};
  write_source(&other);
  assert_int_equal(tb_convert(source, fxt, NULL, NULL, NULL), TB_OK);
  assert_int_equal(tb_convert(fxt, back, NULL, NULL, NULL), TB_OK);
  expect_in(back, other.kept, true);
}

/* ---- what Perfetto alone has ------------------------------------------------------------------------------------- */

static const char *const not_of_json[] = {"log_level",   "source_function", "source_file",
                                          "source_line", "correlation_id",  "thread_instruction_count"};

static const struct tb_track process = {.type = TB_TRACK_PROCESS, .pid = 1, .has_pid = true};
static const struct tb_track thread = {
    .index = 1, .type = TB_TRACK_THREAD, .parent = &process, .pid = 1, .tid = 2, .has_pid = true, .has_tid = true};

static struct tb_event event_of_perfetto(void) {
  return (struct tb_event){.type = TB_EVENT_INSTANT,
                           .phase = 'i',
                           .instant_scope = 't',
                           .has = TB_HAS_TS | TB_HAS_NAME | TB_HAS_CORRELATION | TB_HAS_THREAD_INSTRUCTIONS,
                           .ts = 8000,
                           .track = &thread,
                           .name = TB_STR("n"),
                           .log_level = TB_LOG_WARN,
                           .source_location = {.function = TB_STR("func"), .file = TB_STR("file.c"), .line = 77},
                           .correlation_id = UINT64_MAX,
                           .thread_instruction_count = 123456};
}

/* Writes the event as FXT and reads it again. */
static struct tb_reader *through_fxt(const struct tb_event *event, const struct tb_event **read) {
  struct tb_writer *writer;
  struct tb_reader *reader;
  struct tb_error error = {0};
  assert_int_equal(tb_writer_open(fxt, NULL, &writer, &error), TB_OK);
  assert_int_equal(tb_writer_put(writer, event), TB_OK);
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  tb_writer_close(writer);
  assert_int_equal(tb_reader_open(fxt, &tb_source_shape, &reader, &error), TB_OK);
  do {
    assert_int_equal(tb_reader_next(reader, read), TB_OK);
  } while ((*read)->type != TB_EVENT_INSTANT);
  return reader;
}

static void expect_text(struct tb_str text, const char *expected) {
  assert_true(tb_str_equal(text, tb_str_from(expected)));
}

static void fields_of_perfetto_come_back_from_fxt(void **state) {
  (void)state;
  struct tb_event event = event_of_perfetto();
  const struct tb_event *read;
  struct tb_reader *reader = through_fxt(&event, &read);
  for (size_t i = 0; i < sizeof(not_of_json) / sizeof(not_of_json[0]); i++) expect_in(fxt, not_of_json[i], true);
  assert_int_equal(read->extra_count, 0);
  assert_int_equal(read->log_level, TB_LOG_WARN);
  expect_text(read->source_location.function, "func");
  expect_text(read->source_location.file, "file.c");
  assert_int_equal(read->source_location.line, 77);
  assert_true(read->has & TB_HAS_CORRELATION);
  assert_true(read->correlation_id == UINT64_MAX);
  assert_true(read->has & TB_HAS_THREAD_INSTRUCTIONS);
  assert_int_equal(read->thread_instruction_count, 123456);
  tb_reader_close(reader);
}

static void correlation_ids_that_are_texts_come_back_from_fxt(void **state) {
  (void)state;
  struct tb_event event = event_of_perfetto();
  event.correlation_id = 0;
  event.correlation_text = TB_STR("request 9");
  const struct tb_event *read;
  struct tb_reader *reader = through_fxt(&event, &read);
  assert_true(read->has & TB_HAS_CORRELATION);
  expect_text(read->correlation_text, "request 9");
  assert_int_equal(read->extra_count, 0);
  tb_reader_close(reader);
}

/* ---- the table and the traces above ------------------------------------------------------------------------------ */

static bool is_key(struct tb_str key, const char *text) {
  const char *colon = strchr(text, ':');
  return tb_str_equal(key, (struct tb_str){text, colon ? (size_t)(colon - text) : strlen(text)});
}

static bool has_case(struct tb_str key, enum tb_carrier carrier) {
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    if (cases[i].by_perfetto == (carrier == TB_CARRIER_PERFETTO) && is_key(key, cases[i].key)) return true;
  for (size_t i = 0; i < sizeof(not_of_json) / sizeof(not_of_json[0]); i++)
    if (carrier == TB_CARRIER_FXT && is_key(key, not_of_json[i])) return true;
  return false;
}

static void each_row_has_a_trace(void **state) {
  (void)state;
  for (size_t i = 0; i < TB_CARRIED_COUNT; i++) {
    const struct tb_carried_field *field = &tb_carried_fields[i];
    struct tb_str key = tb_carried_key_of(field->path);
    assert_int_equal(field->id, i);
    for (int carrier = 0; carrier < TB_CARRIER_COUNT; carrier++)
      if (field->how[carrier] != TB_CARRY_NOT && !has_case(key, (enum tb_carrier)carrier))
        fail_msg("nothing here has %.*s by carrier %d", (int)key.len, key.ptr, carrier);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_of_json_come_back),
      cmocka_unit_test(members_that_fxt_has_itself_are_not_carried_there),
      cmocka_unit_test(members_of_other_types_stay_members),
      cmocka_unit_test(fields_of_perfetto_come_back_from_fxt),
      cmocka_unit_test(correlation_ids_that_are_texts_come_back_from_fxt),
      cmocka_unit_test(each_row_has_a_trace),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
