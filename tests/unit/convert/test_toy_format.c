/* SPDX-License-Identifier: Apache-2.0
 *
 * A new format is one reader and one writer: a format of this test, put into the registry, is detected, named,
 * converted to and from the others, and looked at, and nothing else knows it. It is text: "toy", and lines
 * `B PID TID TS NAME` and `E PID TID TS`.
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

#include "base/error.h"
#include "convert/registry.h"
#include "tracebridge/convert.h"
#include "tracebridge/info.h"

#define TOY ((enum tb_format)1000)
static const char MAGIC[] = "toy\n";

/* ---- its reader -------------------------------------------------------------------------------------------------- */

enum { TRACKS_MAX = 16, NO_THREAD = -1 };

struct toy_reader {
  struct tb_buffer text; /* what was read of the input */
  size_t at;
  bool ended;
  struct tb_arena arena;
  struct tb_track tracks[TRACKS_MAX];
  uint32_t track_count;
};

static enum tb_detection detect(const char *data, size_t len) {
  return len >= strlen(MAGIC) && memcmp(data, MAGIC, strlen(MAGIC)) == 0 ? TB_DETECT_CERTAIN : TB_DETECT_NO;
}

static enum tb_status create_reader(struct tb_reader *reader) {
  struct toy_reader *toy = tb_calloc(reader->allocator, sizeof(*toy));
  if (!toy) return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  tb_buffer_init(&toy->text, reader->allocator, 0);
  tb_arena_init(&toy->arena, reader->allocator, 0);
  toy->at = strlen(MAGIC);
  reader->state = toy;
  return TB_OK;
}

static void destroy_reader(struct tb_reader *reader) {
  struct toy_reader *toy = reader->state;
  tb_buffer_free(&toy->text);
  tb_arena_free(&toy->arena);
  tb_free(reader->allocator, toy, sizeof(*toy));
}

static enum tb_status read_all(struct tb_reader *reader, struct toy_reader *toy) {
  enum { BYTES = 4096 };
  while (!toy->ended) {
    size_t got = 0;
    if (tb_buffer_reserve(&toy->text, BYTES) != TB_OK) return TB_NO_MEMORY;
    enum tb_status status = tb_input_read(reader->input, toy->text.data + toy->text.len, BYTES, &got, &reader->error);
    toy->text.len += got;
    if (status != TB_OK && status != TB_END) return status;
    toy->ended = status == TB_END;
  }
  return TB_OK;
}

static struct tb_track *track_of(struct toy_reader *toy, long pid, long tid) {
  for (uint32_t i = 0; i < toy->track_count; i++)
    if (toy->tracks[i].pid == pid && toy->tracks[i].tid == tid) return &toy->tracks[i];
  assert_true(toy->track_count < TRACKS_MAX);
  struct tb_track *track = &toy->tracks[toy->track_count++];
  *track = (struct tb_track){.index = toy->track_count - 1, .pid = pid, .tid = tid, .has_pid = true};
  if (tid == NO_THREAD) {
    track->type = TB_TRACK_PROCESS;
    return track;
  }
  track->type = TB_TRACK_THREAD;
  track->has_tid = true;
  track->parent = track_of(toy, pid, NO_THREAD);
  return track;
}

static enum tb_status read_line(struct tb_reader *reader, struct tb_str line, struct tb_event *event) {
  struct toy_reader *toy = reader->state;
  const char *text = tb_arena_copy(&toy->arena, line).ptr; /* with a NUL behind it */
  long pid, tid, ts;
  char kind;
  int name = 0;
  if (!text) return TB_NO_MEMORY;
  if (sscanf(text, "%c %ld %ld %ld%n", &kind, &pid, &tid, &ts, &name) != 4) {
    event->type = TB_EVENT_TYPE_COUNT;
    return tb_reader_lose(reader, "lines that are not toy's", toy->at);
  }
  event->type = kind == 'B' ? TB_EVENT_SLICE_BEGIN : TB_EVENT_SLICE_END;
  event->phase = kind;
  event->has = TB_HAS_TS;
  event->ts = ts;
  event->track = track_of(toy, pid, tid);
  event->offset = toy->at;
  if (text[name] == ' ') event->name = tb_str_from(text + name + 1);
  if (event->name.len) event->has |= TB_HAS_NAME;
  return TB_OK;
}

static enum tb_status fill(struct tb_reader *reader, struct tb_batch *batch) {
  struct toy_reader *toy = reader->state;
  enum tb_status status = read_all(reader, toy);
  while (status == TB_OK && toy->at < toy->text.len) {
    const char *line = toy->text.data + toy->at;
    const char *end = memchr(line, '\n', toy->text.len - toy->at);
    size_t len = end ? (size_t)(end - line) : toy->text.len - toy->at;
    struct tb_event *event = tb_batch_add_event(batch);
    if (!event) return TB_OK;
    status = read_line(reader, (struct tb_str){line, len}, event);
    if (event->type == TB_EVENT_TYPE_COUNT) batch->event_count--;
    toy->at += len + 1;
  }
  if (status != TB_OK) return status;
  return batch->event_count ? TB_OK : TB_END;
}

static const struct tb_reader_ops reader_ops = {.format = TOY,
                                                .create = create_reader,
                                                .fill = fill,
                                                .destroy = destroy_reader,
                                                .detect = detect,
                                                .source = {.thread_zero = true}};

/* ---- its writer -------------------------------------------------------------------------------------------------- */

static enum tb_status create_writer(struct tb_writer *writer) {
  return tb_output_write(writer->output, MAGIC, strlen(MAGIC), &writer->error);
}

static enum tb_status put(struct tb_writer *writer, const struct tb_event *event) {
  char line[128];
  const struct tb_track *track = event->track;
  int len;
  if (event->type == TB_EVENT_SLICE_BEGIN)
    len = snprintf(line, sizeof(line), "B %d %d %d %.*s", (int)track->pid, (int)track->tid, (int)event->ts,
                   (int)event->name.len, event->name.len ? event->name.ptr : "");
  else if (event->type == TB_EVENT_SLICE_END)
    len = snprintf(line, sizeof(line), "E %d %d %d", (int)track->pid, (int)track->tid, (int)event->ts);
  else
    return TB_OK;
  line[len++] = '\n';
  return tb_output_write(writer->output, line, (size_t)len, &writer->error);
}

static enum tb_status finish(struct tb_writer *writer) {
  (void)writer;
  return TB_OK;
}

static void destroy_writer(struct tb_writer *writer) { (void)writer; }

static const struct tb_writer_ops writer_ops = {.format = TOY,
                                                .create = create_writer,
                                                .put = put,
                                                .finish = finish,
                                                .destroy = destroy_writer,
                                                .target = {.one_machine = true}};

static const struct tb_format_entry toy_entry = {TOY, "toy", "toy text", {".toy"}, &reader_ops, &writer_ops, NULL};

static const struct tb_format_entry *entry = &toy_entry;

const struct tb_format_entry *tb_registry_test_format(void) { return entry; }

/* ---- the tests --------------------------------------------------------------------------------------------------- */

static const char TRACE[] =
    "toy\n"
    "B 1 2 1000 outer\n"
    "B 1 2 2000 inner\n"
    "E 1 2 3000\n"
    "E 1 2 4000\n"
    "B 1 0 1500 \n"
    "E 1 0 2500\n";

static char directory[] = "/tmp/test_toy.XXXXXX";

static const char *path_of(const char *name) {
  static char paths[4][64];
  static unsigned next;
  char *path = paths[next++ % 4];
  (void)snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
  return path;
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

enum { FILE_MAX = 4096 };

static size_t read_file(const char *path, char bytes[FILE_MAX]) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t len = fread(bytes, 1, FILE_MAX - 1, file);
  assert_int_equal(fclose(file), 0);
  bytes[len] = 0;
  return len;
}

static void assert_file(const char *path, const char *text) {
  char bytes[FILE_MAX];
  (void)read_file(path, bytes);
  assert_string_equal(bytes, text);
}

static enum tb_status convert(const char *from, const char *to, struct tb_convert_report *report) {
  const struct tb_convert_options options = {.size = sizeof(options), .threads = 1};
  return tb_convert(path_of(from), path_of(to), &options, report, NULL);
}

static int start(void **state) {
  (void)state;
  if (!mkdtemp(directory)) return -1;
  write_file(path_of("in.toy"), TRACE);
  return 0;
}

static int stop(void **state) {
  (void)state;
  static const char *const names[] = {"in.toy",  "out.toy",  "out.perfetto-trace",
                                      "out.fxt", "out.json", "from_json.json"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) (void)unlink(path_of(names[i]));
  return rmdir(directory);
}

static void it_goes_through_perfetto_and_comes_back(void **state) {
  (void)state;
  struct tb_convert_report report = {.size = sizeof(report)};
  assert_int_equal(convert("in.toy", "out.perfetto-trace", &report), TB_OK);
  assert_int_equal(report.from, TOY);
  assert_int_equal(report.to, TB_FORMAT_PERFETTO);
  assert_int_equal(report.summary.threads, 2);
  assert_int_equal(convert("out.perfetto-trace", "out.toy", &report), TB_OK);
  assert_int_equal(report.to, TOY);
  assert_file(path_of("out.toy"), TRACE);
}

static void what_its_reader_declares_reaches_the_writer(void **state) {
  (void)state;
  struct tb_reader_ops other_ops = reader_ops;
  struct tb_format_entry other_entry = toy_entry;
  other_ops.source.thread_zero = false;
  other_entry.reader = &other_ops;
  char bytes[FILE_MAX], other[FILE_MAX];
  assert_int_equal(convert("in.toy", "out.perfetto-trace", NULL), TB_OK);
  size_t len = read_file(path_of("out.perfetto-trace"), bytes);
  entry = &other_entry;
  assert_int_equal(convert("in.toy", "out.perfetto-trace", NULL), TB_OK);
  entry = &toy_entry;
  size_t other_len = read_file(path_of("out.perfetto-trace"), other);
  assert_false(len == other_len && memcmp(bytes, other, len) == 0); /* thread 0 is the main thread by another name */
}

static void it_goes_to_the_others(void **state) {
  (void)state;
  struct tb_convert_report report = {.size = sizeof(report)};
  assert_int_equal(convert("in.toy", "out.json", &report), TB_OK);
  assert_int_equal(report.from, TOY);
  assert_file(path_of("out.json"),
              "{\"traceEvents\":[\n"
              "{\"name\":\"inner\",\"ph\":\"X\",\"ts\":2,\"dur\":1,\"pid\":1,\"tid\":2},\n"
              "{\"name\":\"outer\",\"ph\":\"X\",\"ts\":1,\"dur\":3,\"pid\":1,\"tid\":2},\n"
              "{\"ph\":\"X\",\"ts\":1.5,\"dur\":1,\"pid\":1,\"tid\":0}\n]}\n");
  assert_int_equal(convert("in.toy", "out.fxt", &report), TB_OK);
  assert_int_equal(report.summary.events_by_type[TB_EVENT_SLICE_BEGIN], 3);
}

static void it_is_named_like_the_others(void **state) {
  (void)state;
  struct tb_error error = {0};
  assert_string_equal(tb_format_name(TOY), "toy");
  assert_int_equal(tb_format_from_name("toy"), TOY);
  assert_int_equal(tb_format_from_path("a.toy.gz"), TOY);
  assert_int_equal(tb_format_stem("d/a.toy.gz"), 3);
  assert_int_equal(tb_format_stem("d/a.17.JSON"), 6);
  assert_int_equal(tb_format_stem("d.json/a.gz"), 11);
  assert_string_equal(tb_format_suffix(TOY), ".toy");
  assert_null(tb_format_suffix(TB_FORMAT_UNKNOWN));
  assert_int_equal(tb_convert(path_of("in.toy"), path_of("out"), NULL, NULL, &error), TB_INVALID);
  assert_string_equal(error.message,
                      "the name does not say which format to write (.json, .fxt, .perfetto-trace, .toy); "
                      "tb_writer_options.format names one");
}

static void info_reads_it(void **state) {
  (void)state;
  struct tb_info *info;
  assert_int_equal(tb_info_open(path_of("in.toy"), NULL, &info, NULL), TB_OK);
  assert_int_equal(info->format, TOY);
  assert_int_equal(info->events, 6);
  tb_info_close(info);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_goes_through_perfetto_and_comes_back),
                                     cmocka_unit_test(what_its_reader_declares_reaches_the_writer),
                                     cmocka_unit_test(it_goes_to_the_others),
                                     cmocka_unit_test(it_is_named_like_the_others), cmocka_unit_test(info_reads_it)};
  return cmocka_run_group_tests(tests, start, stop);
}
