/* SPDX-License-Identifier: Apache-2.0 */
#include "support/json_reading.h"

#define E1 "{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":1}"
#define E2 "{\"name\":\"b\",\"ph\":\"X\",\"ts\":2,\"dur\":1,\"pid\":1,\"tid\":1}"

/* Input, what is to be read, and the one kind of loss (NULL: none), which a ^ in the input marks the place of. */
struct damage {
  const char *marked, *events, *reason;
  uint64_t count;
};

struct input {
  char text[1024];
  size_t len, offset;
};

static struct input unmark(const char *marked) {
  struct input input = {.len = 0};
  const char *mark = strchr(marked, '^');
  input.offset = mark ? (size_t)(mark - marked) : strlen(marked);
  (void)snprintf(input.text, sizeof(input.text), "%.*s%s", (int)input.offset, marked, mark ? mark + 1 : "");
  input.len = strlen(input.text);
  return input;
}

static const struct damage damages[] = {
    /* nothing is lost */
    {"[" E1 "," E2 "]", "X:a X:b", NULL, 0},
    {"[" E1 "," E2, "X:a X:b", NULL, 0},
    {"[" E1 "," E2 ",", "X:a X:b", NULL, 0},
    {"[" E1 "," E2 ",]", "X:a X:b", NULL, 0},
    {"[" E1 "\n" E2 "]", "X:a X:b", NULL, 0},
    {"\xef\xbb\xbf[" E1 "]", "X:a", NULL, 0},
    {"[" E1 "][" E2 "]", "X:a X:b", NULL, 0},
    {E1 "\n" E2 "\n", "X:a X:b", NULL, 0},
    {"{\"traceEvents\":[" E1 "]}\n{\"traceEvents\":[" E2 "]}", "X:a X:b", NULL, 0},
    {"{\"traceEvents\":[" E1 "," E2, "X:a X:b", NULL, 0},
    {"{\"traceEvents\":[]}", "", NULL, 0},
    {"[]", "", NULL, 0},
    {"[", "", NULL, 0},
    {"[{\"name\":\"a\x01\t\",\"ph\":\"X\",\"ts\":1}]", "X:a\x01\t", NULL, 0},
    {"[{\"name\":\"a\",\"ts\":1,\"ph\":\"X\",\"args\":{\"x\":NaN,\"y\":-Infinity,\"z\":inf,},}]", "X:a", NULL, 0},
    {"[{name:'a',ts:1,ph:'X',args:{'v':0}}]", "X:a", NULL, 0},
    {"[{\"ts\":1,\"ph\":\"X\",\"name\":\"{\"d\": \"c\", \"e\": \"f\"}(1): r\",\"pid\":1}]",
     "X:{\"d\": \"c\", \"e\": \"f\"}(1): r", NULL, 0},
    {"[{\"name\":\"a\",\"ts\":1,\"ph\":\"X\",tid\": 0}]", "X:a", NULL, 0},
    {"[{\"name\":\"a\",\"ts\":1,\"ph\":\"X\",\"args\":{\"ok\":True,\"n\":None}}]", "X:a", NULL, 0},
    /* something is */
    {"[" E1 ",^{a:1}," E2 "]", "X:a X:b", "event that is no JSON", 1},
    {"[" E1 ",^5," E2 "]", "X:a X:b", "element of the events that is no object", 1},
    {"[" E1 ",^null,[1,2],\"x\"," E2 "]", "X:a X:b", "element of the events that is no object", 3},
    {"[" E1 ",^#garbage#," E2 "]", "X:a X:b", "garbage between events", 1},
    {"[" E1 "^trace: warning\n \"x\" {\n]", "X:a", "garbage between events", 1},
    {"[" E1 "," E2 ",^{\"name\":\"c\",\"ph\":\"X\",\"ts\":3", "X:a X:b", "event cut off at the end of the input", 1},
    {"[" E1 ",^{\"name\":\"c\",\"ph" E2 "]", "X:a X:b", "event that is no JSON", 1},
    {"[" E1 ",^{\"name\":\"c\",\"args\":{\"name\":1,\"x\":[1,2" E2 "," E1 "]", "X:a X:b X:a", "event that is no JSON",
     1},
    {"[" E1 ",^{\"name\":\"c\",\"ts\"::1}," E2 "]", "X:a X:b", "event that is no JSON", 1},
    {"[" E1 ",^}}," E2 "]", "X:a X:b", "garbage between events", 1},
    {"[" E1 "] ^trailing words", "X:a", "garbage outside of the trace", 1},
    {"{\"traceEvents\":[" E1 ",^{\"name\":%}],\"displayTimeUnit\":\"ms\"}", "X:a @24:displayTimeUnit",
     "event that is no JSON", 1},
    {"{^\"metadata\":{...},\"traceEvents\":[" E1 "]}", "X:a", "member of the outermost object that is no JSON", 1},
    {"{\"traceEvents\":[" E1 "],^\"otherData\":{\"a\":1", "X:a",
     "member of the outermost object cut off at the end of the input", 1},
    {"{\"stackFrames\":{\"1\":{\"name\":\"f\"},^\"2\":5,\"3\":{\"name\":\"g\"}},\"traceEvents\":[" E1 "]}",
     "@25:f @25:g X:a", "stack frame that is no JSON object", 1},
    {"{\"samples\":[{\"tid\":1,\"ts\":1,\"name\":\"s\"},^7],\"traceEvents\":[" E1 "]}", "@26:s X:a",
     "element of the events that is no object", 1},
    {"{\"samples\":[{\"tid\":1,\"ts\":1,\"name\":\"s\"},^{\"cpu\":0,\"wei\"ght\":1},{\"cpu\":0,\"ts\":2,\"name\":\"t\"}"
     "],"
     "\"traceEvents\":[" E1 "]}",
     "@26:s @26:t X:a", "sample that is no JSON object", 1},
    {"{\"stackFrames\":{^\"1\":{\"na\"me\":\"f\"},\"2\":{\"category\":\"c\",\"name\":\"g\"}},\"traceEvents\":[" E1 "]}",
     "@25:g X:a", "stack frame that is no JSON object", 1},
    {"[^{\"name\":\"c\",\"ts\":1,\"ph\":\"X\",id=\"0x1\"},{\"name\":\"d\",\"ts\":1,\"ph\":\"X\",id=\"0x2\"}," E1
     ",{\"name\":\"e\",\"ts\":1,\"ph\":\"X\",id=\"0x3\"}]",
     "X:a", "event that is no JSON", 3},
    {"{\"systemTraceEvents\":\"# tracer: nop\\nabc^", "@27:", "systemTraceEvents cut off at the end of the input", 1},
};

static void assert_damage(const struct damage *d, size_t chunk) {
  struct reading r;
  struct input input = unmark(d->marked);
  read_text(&r, input.text, input.len, chunk, false);
  if (strcmp(r.events, d->events) != 0)
    fail_msg("%s (%zu at once): read %s, not %s", d->marked, chunk, r.events, d->events);
  assert_int_equal(r.end, TB_END);
  size_t count;
  const struct tb_loss *loss = tb_reader_losses(r.reader, &count);
  if (count != (d->reason ? 1 : 0))
    fail_msg("%s (%zu at once): %zu reasons (%s)", d->marked, chunk, count, count ? loss->reason : "");
  if (d->reason) {
    assert_string_equal(loss->reason, d->reason);
    assert_int_equal(loss->count, d->count);
    if (loss->first_offset != input.offset)
      fail_msg("%s: lost at %llu", d->marked, (unsigned long long)loss->first_offset);
  }
  reading_close(&r);
}

static void only_what_is_damaged_is_lost(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) assert_damage(&damages[i], SIZE_MAX);
}

static void how_the_input_comes_in_makes_no_difference(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
    for (size_t chunk = 1; chunk < 9; chunk += 3) assert_damage(&damages[i], chunk);
}

static void strict_readers_stop_at_the_first_loss_and_say_where(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
    const struct damage *d = &damages[i];
    struct reading r;
    struct input input = unmark(d->marked);
    read_text(&r, input.text, input.len, SIZE_MAX, true);
    assert_int_equal(r.end, d->reason ? TB_BAD_DATA : TB_END);
    const struct tb_error *error = tb_reader_error(r.reader);
    assert_int_equal(error->code, d->reason ? TB_BAD_DATA : TB_OK);
    if (d->reason) {
      assert_int_equal(error->offset, input.offset);
      assert_non_null(strstr(error->message, d->reason));
    }
    reading_close(&r);
  }
}

static void assert_no_trace(const char *text, size_t len) {
  struct reading r;
  read_text(&r, text, len, SIZE_MAX, false);
  assert_int_equal(r.end, TB_UNKNOWN_FORMAT);
  assert_int_equal(tb_reader_error(r.reader)->code, TB_UNKNOWN_FORMAT);
  assert_int_equal(tb_reader_error(r.reader)->offset, 0);
  size_t count;
  assert_null(tb_reader_losses(r.reader, &count));
  reading_close(&r);
}

static void json_that_is_no_trace_and_junk_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"{\"a\":1}",   "[1,2,3]", "{}", "[[1]]", "{\"a\":{\"b\":[1,{\"name\":5}]}}",
                                      "[{\"a\":1}]", "[#]"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) assert_no_trace(texts[i], strlen(texts[i]));
  assert_no_trace("[\x00\x01\xff\xfe{\x00", 7);
}

static void a_trace_cut_at_any_byte_keeps_every_whole_event(void **state) {
  (void)state;
  static const char text[] =
      "{\"otherData\":{\"v\":\"1.0\"},\"traceEvents\":[\n" E1
      ",\n{\"name\":\"q\\\"\\u00e4\\ud83d\\ude00\",\"ph\":\"B\",\"ts\":12.5,\"pid\":\"p\",\"tid\":-3,"
      "\"args\":{\"a\":[1,2.5,{\"b\":null}],\"name\":{\"ph\":1}}},\n" E2 "\n],\n\"samples\":[]}";
  const char *first = strstr(text, E1) + strlen(E1), *second = strstr(text, "}}},") + 3,
             *third = strstr(text, E2) + strlen(E2);
  for (size_t cut = 1; cut < sizeof(text); cut++) {
    struct reading r;
    read_text(&r, text, cut, SIZE_MAX, false);
    size_t events = 0;
    const char *end = text + cut;
    if (end >= first) events++;
    if (end >= second) events++;
    if (end >= third) events++;
    if (strstr(r.events, "@24:otherData")) r.count--;
    if (r.count != events) fail_msg("cut at %zu: %s", cut, r.events);
    size_t count;
    (void)tb_reader_losses(r.reader, &count);
    bool in_event = end > strstr(text, E1) && end < third && end != first && end != second;
    if (in_event && text[cut - 1] == '{') assert_true(count <= 1);
    reading_close(&r);
  }
}

static void a_cut_inside_an_event_is_one_loss_at_the_events_first_byte(void **state) {
  (void)state;
  static const char text[] = "[" E1 "," E2 "]";
  for (size_t cut = strlen("[" E1 ",") + 1; cut < strlen("[" E1 "," E2); cut++) {
    struct reading r;
    read_text(&r, text, cut, SIZE_MAX, false);
    size_t count;
    const struct tb_loss *loss = tb_reader_losses(r.reader, &count);
    assert_string_equal(r.events, "X:a");
    assert_int_equal(count, 1);
    assert_string_equal(loss->reason, "event cut off at the end of the input");
    assert_int_equal(loss->count, 1);
    assert_int_equal(loss->first_offset, strlen("[" E1 ","));
    reading_close(&r);
  }
}

static void an_event_past_the_limit_is_one_loss(void **state) {
  (void)state;
  enum { LONG = 300000 };
  static char text[LONG + 1000];
  int n = snprintf(text, sizeof(text), "[" E1 ",{\"name\":\"");
  memset(text + n, 'x', LONG);
  (void)snprintf(text + n + LONG, sizeof(text) - (size_t)n - LONG, "\",\"ph\":\"X\"}," E2 "]");
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .max_record_bytes = 100000};
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_create_feed("test", &options, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_feed(reader, text, strlen(text)), TB_OK);
  tb_reader_feed_end(reader);
  assert_int_equal(tb_reader_next(reader, &event), TB_OK);
  assert_int_equal(tb_reader_next(reader, &event), TB_OK);
  assert_int_equal(event->name.ptr[0], 'b');
  assert_int_equal(tb_reader_next(reader, &event), TB_END);
  size_t count;
  const struct tb_loss *loss = tb_reader_losses(reader, &count);
  assert_int_equal(count, 1);
  assert_string_equal(loss->reason, "event longer than the limit");
  assert_int_equal(loss->first_offset, strlen("[" E1 ","));
  tb_reader_close(reader);
}

/* However little of the text is looked at in a row, the limit is that of an event, to a byte. */
static void a_short_event_past_a_shorter_limit_is_one_loss(void **state) {
  (void)state;
  static const char text[] =
      "[" E1 "," E2 ", {\"name\":\"longer\",\"ph\":\"i\",\"ts\":3,\"pid\":1,\"tid\":1,\"args\":{\"a\":[1, 2]}} ," E1
      "]";
  const size_t longer =
      sizeof("{\"name\":\"longer\",\"ph\":\"i\",\"ts\":3,\"pid\":1,\"tid\":1,\"args\":{\"a\":[1, 2]}}") - 1;
  for (size_t less = 0; less < 2; less++) {
    struct tb_reader_options options = {
        .size = sizeof(options), .shape = TB_SHAPE_SOURCE, .max_record_bytes = longer - less};
    struct tb_reader *reader;
    const struct tb_event *event;
    size_t events = 0, count;
    assert_int_equal(tb_reader_open_memory("test", text, sizeof(text) - 1, &options, &reader, NULL), TB_OK);
    while (tb_reader_next(reader, &event) == TB_OK) events++;
    assert_int_equal(events, 4 - less);
    const struct tb_loss *loss = tb_reader_losses(reader, &count);
    assert_int_equal(count, less);
    if (loss) assert_string_equal(loss->reason, "event longer than the limit");
    if (loss) assert_int_equal(loss->first_offset, strstr(text, "{\"name\":\"longer") - text);
    tb_reader_close(reader);
  }
}

static void expect_too_many_ids(size_t limit, size_t least) {
  struct tb_reader_options options = {
      .size = sizeof(options), .shape = TB_SHAPE_SOURCE, .format = TB_FORMAT_JSON, .max_interned_bytes = limit};
  struct tb_reader *reader;
  const struct tb_event *event;
  assert_int_equal(tb_reader_create_feed("test", &options, &reader, NULL), TB_OK);
  for (int i = 0; i < 1000; i++) {
    char text[64];
    int n = snprintf(text, sizeof(text), "%s{\"ph\":\"B\",\"pid\":\"%d\"}", i ? "," : "[", i);
    assert_int_equal(tb_reader_feed(reader, text, (size_t)n), TB_OK);
  }
  tb_reader_feed_end(reader);
  enum tb_status status;
  size_t events = 0;
  while ((status = tb_reader_next(reader, &event)) == TB_OK) events++;
  assert_true(events >= least);
  assert_int_equal(status, TB_LIMIT);
  assert_int_equal(tb_reader_error(reader)->code, TB_LIMIT);
  tb_reader_close(reader);
}

static void more_ids_than_the_limit_is_an_error(void **state) {
  (void)state;
  expect_too_many_ids(20000, 11);
  expect_too_many_ids(4000, 0);
  expect_too_many_ids(100, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_what_is_damaged_is_lost),
      cmocka_unit_test(how_the_input_comes_in_makes_no_difference),
      cmocka_unit_test(strict_readers_stop_at_the_first_loss_and_say_where),
      cmocka_unit_test(json_that_is_no_trace_and_junk_are_refused),
      cmocka_unit_test(a_trace_cut_at_any_byte_keeps_every_whole_event),
      cmocka_unit_test(a_cut_inside_an_event_is_one_loss_at_the_events_first_byte),
      cmocka_unit_test(an_event_past_the_limit_is_one_loss),
      cmocka_unit_test(a_short_event_past_a_shorter_limit_is_one_loss),
      cmocka_unit_test(more_ids_than_the_limit_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
