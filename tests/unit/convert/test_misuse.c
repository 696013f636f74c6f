/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of the library that are wrong give TB_INVALID and change nothing: what was right before and after them is
 * written as if they had not been.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/merge_fixture.h"
#include "tracebridge/convert.h"
#include "tracebridge/dump.h"
#include "tracebridge/info.h"
#include "tracebridge/merge.h"
#include "tracebridge/packet.h"

static const enum tb_format formats[] = {TB_FORMAT_PERFETTO, TB_FORMAT_JSON, TB_FORMAT_FXT};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };
#define PATH "/tmp/tracebridge-misuse"

/* ---- events ------------------------------------------------------------------------------------------------------ */

static struct tb_track process = {.index = 0, .type = TB_TRACK_PROCESS, .pid = 7, .has_pid = true};
static struct tb_track thread = {
    .index = 1, .type = TB_TRACK_THREAD, .parent = &process, .pid = 7, .tid = 8, .has_pid = true, .has_tid = true};
static struct tb_arg args[4];

/* A slice with {"a": {"b": [1]}, "c": "text"}. */
static struct tb_event slice(void) {
  args[0] = (struct tb_arg){.name = TB_STR("a"), .type = TB_ARG_DICT, .span = 3};
  args[1] = (struct tb_arg){.name = TB_STR("b"), .type = TB_ARG_ARRAY, .span = 2};
  args[2] = (struct tb_arg){.i = 1, .type = TB_ARG_INT, .span = 1};
  args[3] = (struct tb_arg){.name = TB_STR("c"), .text = TB_STR("text"), .type = TB_ARG_STRING, .span = 1};
  return (struct tb_event){.type = TB_EVENT_SLICE_COMPLETE,
                           .has = TB_HAS_TS | TB_HAS_DUR | TB_HAS_NAME | TB_HAS_ARGS,
                           .track = &thread,
                           .name = TB_STR("slice"),
                           .ts = 1000,
                           .dur = 500,
                           .args = args,
                           .arg_count = 4};
}

static struct tb_track broken, second;

/* Makes the arguments wrong in the nth way; false where that is none of them. */
static bool spoil_args(unsigned way) {
  switch (way) {
    case 0:
      args[3].span = 0; /* as zero-initialising leaves it */
      return true;
    case 1:
      args[0].span = 9;
      return true;
    case 2:
      args[1].span = 3; /* past the end of what it is in */
      return true;
    case 3:
      args[2].span = 2; /* a number that holds another value */
      return true;
    case 4:
      args[2].type = 99;
      return true;
    case 5:
      args[3].text.ptr = NULL;
      return true;
    case 6:
      args[0].name = (struct tb_str){NULL, 5};
      return true;
    default:
      return false;
  }
}

/* Makes a slice, or its arguments, wrong in the nth way; false where that is none of them. */
static bool spoil_event(struct tb_event *event, unsigned way) {
  switch (way) {
    case 0:
      event->type = TB_EVENT_TYPE_COUNT;
      return true;
    case 1:
      event->has |= 1u << 30;
      return true;
    case 2:
      event->has &= ~(unsigned)TB_HAS_TS;
      return true;
    case 3:
      event->has &= ~(unsigned)TB_HAS_DUR;
      return true;
    case 4:
      event->track = NULL;
      return true;
    case 5:
      event->name.ptr = NULL;
      return true;
    case 6:
      event->id = (struct tb_id){.kind = 99, .is_number = true};
      return true;
    case 7:
      event->args = NULL;
      return true;
    case 8:
      event->flow_count = 3;
      return true;
    case 9:
      event->stack.frame_count = 2;
      return true;
    case 10:
      event->clock_count = 1;
      return true;
    case 11:
      event->extra_count = 1;
      return true;
    case 12:
      event->log_level = 200;
      return true;
    case 13:
      event->task_state = 200;
      return true;
    default:
      return spoil_args(way - 14);
  }
}

static bool spoil_track(struct tb_event *event, unsigned way) {
  static const struct tb_track_details no_labels = {.label_count = 1};
  broken = thread;
  broken.index = 2;
  second = process;
  second.index = 3;
  switch (way) {
    case 21:
      broken.type = (enum tb_track_type)99;
      event->track = &broken;
      return true;
    case 22:
      broken.parent = &broken;
      event->track = &broken;
      return true;
    case 23:
      broken.parent = &second;
      second.parent = &broken;
      event->track = &broken;
      return true;
    case 24:
      broken.details = &no_labels;
      event->track = &broken;
      return true;
    case 25:
      broken.name = (struct tb_str){NULL, 3};
      event->thread = &broken;
      return true;
    case 26:
      broken.index = 1; /* another thread's */
      broken.tid = 9;
      event->track = &broken;
      return true;
    case 27:
      broken.unit = 99;
      event->track = &broken;
      return true;
    case 28: /* a parent that has a name, of a track that cannot be */
      broken.index = 1;
      broken.tid = 9;
      second.pid = 99;
      second.name = TB_STR("not written");
      broken.parent = &second;
      event->track = &broken;
      return true;
    case 29: /* the thread has the index of the track, which would be new */
      second.name = TB_STR("not written");
      second.index = 2;
      event->track = &second;
      event->thread = &broken;
      return true;
    case 30: /* an index that was forgotten makes the track its own parent */
      broken = second = (struct tb_track){.index = 4, .type = TB_TRACK_CUSTOM, .name = TB_STR("not written")};
      broken.parent = &second;
      event->track = &broken;
      return true;
    default:
      return false;
  }
}

/* Makes a slice wrong in the nth way; false where there is no such way. */
static bool spoil(struct tb_event *event, unsigned way) { return spoil_event(event, way) || spoil_track(event, way); }

static struct tb_writer *open_writer(enum tb_format format) {
  struct tb_writer_options options = {.size = sizeof(options), .format = format};
  struct tb_writer *writer;
  assert_int_equal(tb_writer_open(PATH, &options, &writer, NULL), TB_OK);
  return writer;
}

static void put(struct tb_writer *writer, const struct tb_event *event) {
  assert_int_equal(tb_writer_put(writer, event), TB_OK);
}

/* Finishes, and returns what was written. */
static char *finish(struct tb_writer *writer, size_t *len) {
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  tb_writer_close(writer);
  char *bytes = read_file(PATH, len);
  assert_int_equal(unlink(PATH), 0);
  return bytes;
}

static void put_wrong(struct tb_writer *writer, const struct tb_event *event) {
  assert_int_equal(tb_writer_put(writer, event), TB_INVALID);
  assert_int_equal(tb_writer_error(writer)->code, TB_INVALID);
  assert_true(tb_writer_error(writer)->message[0]);
}

/* Two slices, with all that is wrong between them or nothing. */
static char *write_slices(enum tb_format format, bool with_wrong_ones, size_t *len) {
  struct tb_writer *writer = open_writer(format);
  struct tb_event event = slice();
  put(writer, &event);
  if (with_wrong_ones) {
    unsigned ways = 0;
    for (; event = slice(), spoil(&event, ways); ways++) put_wrong(writer, &event);
    assert_int_equal(ways, 31);
    put_wrong(writer, NULL);
  }
  event = slice();
  event.ts += 1000;
  put(writer, &event);
  assert_int_equal(tb_writer_get_summary(writer)->events_by_type[TB_EVENT_SLICE_COMPLETE], 2);
  return finish(writer, len);
}

static void a_wrong_event_is_refused_and_changes_nothing(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMATS; i++) {
    size_t whole_len, len;
    char *whole = write_slices(formats[i], false, &whole_len), *bytes = write_slices(formats[i], true, &len);
    assert_int_equal(len, whole_len);
    assert_memory_equal(bytes, whole, len);
    free(whole);
    free(bytes);
  }
}

/* A tree of arguments, each in the one before. */
static struct tb_arg *nest(uint32_t depth) {
  struct tb_arg *tree = calloc(depth, sizeof(*tree));
  assert_non_null(tree);
  for (uint32_t i = 0; i < depth; i++)
    tree[i] = (struct tb_arg){.name = TB_STR("a"), .type = TB_ARG_DICT, .span = depth - i};
  return tree;
}

static void arguments_nest_as_deep_as_the_header_says(void **state) {
  (void)state;
  struct tb_arg *deepest = nest(TB_ARG_DEPTH_MAX + 1), *deeper = nest(TB_ARG_DEPTH_MAX + 2);
  for (size_t i = 0; i < FORMATS; i++) {
    size_t len;
    struct tb_writer *writer = open_writer(formats[i]);
    struct tb_event event = slice();
    event.args = deepest;
    event.arg_count = TB_ARG_DEPTH_MAX + 1;
    put(writer, &event);
    event.args = deeper;
    event.arg_count = TB_ARG_DEPTH_MAX + 2;
    put_wrong(writer, &event);
    free(finish(writer, &len));
  }
  free(deepest);
  free(deeper);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static struct tb_track *copy_of(const struct tb_track *track) {
  struct tb_track *copy = malloc(sizeof(*copy));
  assert_non_null(copy);
  *copy = *track;
  return copy;
}

static void put_and_free_the_track(struct tb_writer *writer, struct tb_event *event, uint32_t index, const char *name) {
  char *text = strdup(name);
  struct tb_track *parent = copy_of(&process), *track = copy_of(&thread);
  track->parent = parent;
  track->index = index;
  track->tid = index;
  track->name = (struct tb_str){text, strlen(text)};
  event->track = track;
  put(writer, event);
  memset(text, 'x', strlen(text));
  free(text);
  memset(track, 0xff, sizeof(*track));
  memset(parent, 0xff, sizeof(*parent));
  free(track);
  free(parent);
}

static void tracks_are_copied_and_their_indices_may_be_any(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMATS; i++) {
    size_t len, count = 0;
    bool found[2] = {false, false};
    const struct tb_event *read;
    struct tb_reader *reader;
    struct tb_event event = slice();
    struct tb_writer *writer = open_writer(formats[i]);
    put_and_free_the_track(writer, &event, 0x7fffffff, "far");
    put_and_free_the_track(writer, &event, 5, "near");
    char *bytes = finish(writer, &len);
    assert_int_equal(tb_reader_create_feed("bytes", NULL, &reader, NULL), TB_OK);
    assert_int_equal(tb_reader_feed(reader, bytes, len), TB_OK);
    tb_reader_feed_end(reader);
    while (tb_reader_next(reader, &read) == TB_OK) {
      if (read->type == TB_EVENT_SLICE_COMPLETE || read->type == TB_EVENT_SLICE_BEGIN) count++;
      if (read->track) found[0] |= read->track->tid == 0x7fffffff;
      if (read->track) found[1] |= read->track->tid == 5;
    }
    assert_int_equal(count, 2);
    assert_true(found[0] && found[1]);
    assert_non_null(memmem(bytes, len, "near", 4));
    assert_non_null(memmem(bytes, len, "far", 3));
    tb_reader_close(reader);
    free(bytes);
  }
}

static void a_track_may_say_more_later_and_change_by_a_track_event(void **state) {
  (void)state;
  size_t len;
  struct tb_writer *writer = open_writer(TB_FORMAT_JSON);
  struct tb_track track = {.index = 4, .type = TB_TRACK_THREAD, .tid = 70, .has_tid = true};
  struct tb_event event = slice();
  event.track = &track;
  put(writer, &event);
  track.pid = 60;
  track.has_pid = true;
  put(writer, &event);
  track.pid = 61;
  put_wrong(writer, &event);
  const struct tb_event described = {.type = TB_EVENT_TRACK, .track = &track};
  put(writer, &described);
  put(writer, &event);
  free(finish(writer, &len));
}

/* Their processes have indices that no event's track has. */
static void tracks_may_be_given_parents_later(void **state) {
  (void)state;
  enum { COUNT = 100 };
  size_t len;
  struct tb_reader *reader;
  const struct tb_event *read;
  struct tb_event event = slice();
  struct tb_writer *writer = open_writer(TB_FORMAT_PERFETTO);
  for (unsigned i = 0; i < 2 * COUNT; i++) {
    const struct tb_track parent = {
        .index = COUNT + i % COUNT, .type = TB_TRACK_PROCESS, .pid = 1000 + i % COUNT, .has_pid = true};
    const struct tb_track track = {.index = i % COUNT,
                                   .type = TB_TRACK_THREAD,
                                   .tid = 1 + i % COUNT,
                                   .has_tid = true,
                                   .parent = i < COUNT ? NULL : &parent};
    event.track = &track;
    put(writer, &event);
  }
  char *bytes = finish(writer, &len);
  assert_int_equal(tb_reader_open_memory("bytes", bytes, len, NULL, &reader, NULL), TB_OK);
  while (tb_reader_next(reader, &read) == TB_OK) {
  }
  for (unsigned i = 0; i < COUNT; i++) assert_non_null(tb_reader_process(reader, 1000 + i));
  tb_reader_close(reader);
  free(bytes);
}

static void a_name_that_is_changed_where_it_is_is_written(void **state) {
  (void)state;
  size_t len;
  char name[] = "before";
  struct tb_track track = {
      .index = 4, .type = TB_TRACK_THREAD, .tid = 70, .has_tid = true, .name = {name, sizeof(name) - 1}};
  struct tb_event event = slice();
  struct tb_writer *writer = open_writer(TB_FORMAT_JSON);
  event.track = &track;
  put(writer, &event);
  memcpy(name, "behind", sizeof(name));
  const struct tb_event described = {.type = TB_EVENT_TRACK, .track = &track};
  put(writer, &described);
  char *bytes = finish(writer, &len);
  assert_non_null(memmem(bytes, len, "behind", 6));
  free(bytes);
}

/* Users may make the same track anew for each event. */
static void a_track_that_says_the_same_again_is_described_once(void **state) {
  (void)state;
  size_t len;
  struct tb_event event = slice();
  struct tb_writer *writer = open_writer(TB_FORMAT_JSON);
  for (unsigned i = 0; i < 2; i++) {
    char name[][5] = {"name", "name"}, label[][6] = {"label", "label"};
    struct tb_str labels = {label[i], 5};
    struct tb_track track = thread;
    track.name = (struct tb_str){name[i], 4};
    const struct tb_track_details details = {.labels = &labels, .label_count = 1};
    track.details = &details;
    event.track = &track;
    put(writer, &event);
  }
  assert_int_equal(tb_writer_get_summary(writer)->events_by_type[TB_EVENT_TRACK], 1);
  free(finish(writer, &len));
}

/* ---- objects, options -------------------------------------------------------------------------------------------- */

static void the_library_says_its_version(void **state) {
  (void)state;
  unsigned parts[3];
  assert_int_equal(sscanf(tb_version(), "%u.%u.%u", &parts[0], &parts[1], &parts[2]), 3);
}

static void a_writer_finishes_once(void **state) {
  (void)state;
  struct tb_writer *writer = open_writer(TB_FORMAT_JSON);
  const struct tb_event event = slice();
  put(writer, &event);
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  put_wrong(writer, &event);
  assert_int_equal(tb_writer_finish(writer), TB_INVALID);
  tb_writer_close(writer);
  assert_int_equal(unlink(PATH), 0);
}

static void readers_take_null_as_an_invalid_argument(void **state) {
  (void)state;
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  struct tb_str kept;
  size_t count = 1;
  assert_int_equal(tb_reader_open(NULL, NULL, &reader, &error), TB_INVALID);
  assert_null(reader);
  assert_true(error.message[0]);
  assert_int_equal(tb_reader_open("x", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_reader_create_feed(NULL, NULL, &reader, NULL), TB_INVALID);
  assert_int_equal(tb_reader_create_feed("x", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_reader_feed(NULL, "", 0), TB_INVALID);
  assert_int_equal(tb_reader_next(NULL, &event), TB_INVALID);
  assert_int_equal(tb_reader_intern(NULL, TB_STR("a"), &kept), TB_INVALID);
  tb_reader_feed_end(NULL);
  tb_reader_close(NULL);
  assert_int_equal(tb_reader_format(NULL), TB_FORMAT_UNKNOWN);
  assert_null(tb_reader_losses(NULL, &count));
  assert_int_equal(count, 0);
  assert_int_equal(tb_reader_bytes_read(NULL) + tb_reader_size(NULL), 0);
  assert_int_equal(tb_reader_error(NULL)->code, TB_INVALID);
  assert_int_equal(tb_reader_create_feed("x", NULL, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_next(reader, NULL), TB_INVALID);
  assert_int_equal(tb_reader_feed(reader, NULL, 5), TB_INVALID);
  assert_int_equal(tb_reader_intern(reader, (struct tb_str){NULL, 5}, &kept), TB_INVALID);
  assert_null(tb_reader_losses(reader, NULL));
  tb_reader_close(reader);
}

static void packet_readers_take_null_as_an_invalid_argument(void **state) {
  (void)state;
  struct tb_packet_reader *reader;
  const struct tb_packet *packet;
  size_t count = 1;
  assert_int_equal(tb_packet_reader_open(NULL, NULL, &reader, NULL), TB_INVALID);
  assert_null(reader);
  assert_int_equal(tb_packet_reader_open("x", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_packet_reader_create_feed(NULL, NULL, &reader, NULL), TB_INVALID);
  assert_int_equal(tb_packet_reader_feed(NULL, "", 0), TB_INVALID);
  assert_int_equal(tb_packet_next(NULL, &packet), TB_INVALID);
  tb_packet_reader_feed_end(NULL);
  tb_packet_reader_close(NULL);
  assert_null(tb_packet_reader_losses(NULL, &count));
  assert_int_equal(count, 0);
  assert_int_equal(tb_packet_reader_bytes_read(NULL) + tb_packet_reader_size(NULL), 0);
  assert_int_equal(tb_packet_reader_error(NULL)->code, TB_INVALID);
  assert_int_equal(tb_packet_reader_create_feed("x", NULL, &reader, NULL), TB_OK);
  assert_int_equal(tb_packet_next(reader, NULL), TB_INVALID);
  tb_packet_reader_close(reader);
}

static void writers_take_null_as_an_invalid_argument(void **state) {
  (void)state;
  struct tb_writer *writer;
  const struct tb_event event = slice();
  size_t count = 1;
  assert_int_equal(tb_writer_open(NULL, NULL, &writer, NULL), TB_INVALID);
  assert_null(writer);
  assert_int_equal(tb_writer_open(PATH ".json", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_writer_put(NULL, &event), TB_INVALID);
  assert_int_equal(tb_writer_finish(NULL), TB_INVALID);
  assert_null(tb_writer_losses(NULL, &count));
  assert_int_equal(count, 0);
  assert_int_equal(tb_writer_get_summary(NULL)->bytes_written, 0);
  assert_int_equal(tb_writer_error(NULL)->code, TB_INVALID);
  tb_writer_close(NULL);
}

static bool ignore(void *ctx, const char *text, size_t len) { return !ctx || text || !len; }

static void whole_jobs_take_null_as_an_invalid_argument(void **state) {
  (void)state;
  struct tb_info *info;
  struct tb_merge_report *report;
  const struct tb_merge_input no_path = {.path = NULL};
  assert_int_equal(tb_convert(NULL, PATH, NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_convert(TB_TEST_DATA "/phases/args.json", NULL, NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_info_open(NULL, NULL, &info, NULL), TB_INVALID);
  assert_null(info);
  assert_int_equal(tb_info_open("x", NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_dump(NULL, NULL, ignore, NULL, NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_dump(TB_TEST_DATA "/phases/args.json", NULL, NULL, NULL, NULL, NULL, NULL), TB_INVALID);
  assert_int_equal(tb_merge(NULL, 2, PATH, NULL, &report, NULL), TB_INVALID);
  tb_merge_report_free(report);
  assert_int_equal(tb_merge(&no_path, 1, PATH, NULL, NULL, NULL), TB_INVALID);
}

/* Sizes of options that no version has (forgotten, never set); and a newer version's that sets something new. */
static void options_of_a_wrong_size_are_refused(void **state) {
  (void)state;
  struct {
    struct tb_reader_options options;
    uint64_t newer;
  } from = {.options = {.size = 0}};
  struct tb_writer_options to = {.size = 0};
  struct tb_convert_options convert = {.size = 0};
  struct tb_merge_options merge = {.size = 0};
  struct tb_info_options info = {.size = 0};
  struct tb_dump_options dump = {.size = 0};
  const struct tb_merge_input input = {.path = TB_TEST_DATA "/phases/args.json"};
  struct tb_reader *reader;
  struct tb_packet_reader *packets;
  struct tb_writer *writer;
  struct tb_info *read;
  const size_t sizes[] = {0, 1, SIZE_MAX, (size_t)1 << 40};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    from.options.size = to.size = convert.size = merge.size = info.size = dump.size = sizes[i];
    assert_int_equal(tb_reader_create_feed("x", &from.options, &reader, NULL), TB_INVALID);
    assert_null(reader);
    assert_int_equal(tb_reader_open(input.path, &from.options, &reader, NULL), TB_INVALID);
    assert_int_equal(tb_packet_reader_create_feed("x", &from.options, &packets, NULL), TB_INVALID);
    assert_int_equal(tb_writer_open(PATH ".json", &to, &writer, NULL), TB_INVALID);
    assert_int_equal(tb_convert(input.path, PATH ".json", &convert, NULL, NULL), TB_INVALID);
    assert_int_equal(tb_merge(&input, 1, PATH ".pftrace", &merge, NULL, NULL), TB_INVALID);
    assert_int_equal(tb_info_open(input.path, &info, &read, NULL), TB_INVALID);
    assert_int_equal(tb_dump(input.path, &dump, ignore, NULL, NULL, NULL, NULL), TB_INVALID);
  }
  from.options.size = sizeof(from);
  assert_int_equal(tb_reader_create_feed("x", &from.options, &reader, NULL), TB_OK);
  tb_reader_close(reader);
  from.newer = 1;
  assert_int_equal(tb_reader_create_feed("x", &from.options, &reader, NULL), TB_INVALID);
  from.newer = 0;
  from.options.format = (enum tb_format)99;
  assert_int_equal(tb_reader_create_feed("x", &from.options, &reader, NULL), TB_INVALID);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_wrong_event_is_refused_and_changes_nothing),
                                     cmocka_unit_test(arguments_nest_as_deep_as_the_header_says),
                                     cmocka_unit_test(tracks_are_copied_and_their_indices_may_be_any),
                                     cmocka_unit_test(a_track_may_say_more_later_and_change_by_a_track_event),
                                     cmocka_unit_test(tracks_may_be_given_parents_later),
                                     cmocka_unit_test(a_name_that_is_changed_where_it_is_is_written),
                                     cmocka_unit_test(a_track_that_says_the_same_again_is_described_once),
                                     cmocka_unit_test(the_library_says_its_version),
                                     cmocka_unit_test(a_writer_finishes_once),
                                     cmocka_unit_test(readers_take_null_as_an_invalid_argument),
                                     cmocka_unit_test(packet_readers_take_null_as_an_invalid_argument),
                                     cmocka_unit_test(writers_take_null_as_an_invalid_argument),
                                     cmocka_unit_test(whole_jobs_take_null_as_an_invalid_argument),
                                     cmocka_unit_test(options_of_a_wrong_size_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
