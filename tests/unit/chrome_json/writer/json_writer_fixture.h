/* SPDX-License-Identifier: Apache-2.0
 *
 * A writer of JSON, tracks as the Perfetto reader gives them, and what was written, for the tests of this folder.
 */
#ifndef TB_TEST_JSON_WRITER_FIXTURE_H
#define TB_TEST_JSON_WRITER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/text.h"
#include "model/writer_ops.h"
#include "tracebridge/writer.h"

/* Tracks as the Perfetto reader gives them. */
static const struct tb_track process = {
    .index = 0, .type = TB_TRACK_PROCESS, .pid = 7, .has_pid = true, .uuid = 70, .name = {"app", 3}};
static const struct tb_track thread = {.index = 1,
                                       .type = TB_TRACK_THREAD,
                                       .parent = &process,
                                       .pid = 7,
                                       .tid = 8,
                                       .has_pid = true,
                                       .has_tid = true,
                                       .uuid = 71,
                                       .name = {"main", 4}};
static const struct tb_track other_thread = {.index = 2,
                                             .type = TB_TRACK_THREAD,
                                             .parent = &process,
                                             .pid = 7,
                                             .tid = 9,
                                             .has_pid = true,
                                             .has_tid = true,
                                             .uuid = 72};
static const struct tb_track lane = {.index = 3,
                                     .type = TB_TRACK_CUSTOM,
                                     .parent = &process,
                                     .pid = 7,
                                     .has_pid = true,
                                     .uuid = 0xabc,
                                     .name = {"lane", 4}};
static const struct tb_track global = {.index = 4, .type = TB_TRACK_GLOBAL};
static const struct tb_track counter = {.index = 5,
                                        .type = TB_TRACK_COUNTER,
                                        .parent = &process,
                                        .pid = 7,
                                        .has_pid = true,
                                        .uuid = 74,
                                        .name = {"mem used", 8}};
static const struct tb_track counter_free = {.index = 6,
                                             .type = TB_TRACK_COUNTER,
                                             .parent = &process,
                                             .pid = 7,
                                             .has_pid = true,
                                             .uuid = 75,
                                             .name = {"mem free", 8}};
static const struct tb_track_details details_odd = {.description = {"[\"a b\",\"c\",\"5\"]", 15}};
static const struct tb_track counter_odd = {.index = 7,
                                            .type = TB_TRACK_COUNTER,
                                            .parent = &process,
                                            .pid = 7,
                                            .has_pid = true,
                                            .uuid = 76,
                                            .name = {"a b id: 5 c", 11},
                                            .details = &details_odd};

static char path[64];
static char *written;
static struct tb_writer *writer;

static inline int start(void **state) {
  (void)state;
  strcpy(path, "/tmp/test_json_writer.XXXXXX");
  int fd = mkstemp(path);
  if (fd < 0) return -1;
  (void)close(fd);
  struct tb_writer_options options = {.size = sizeof(options), .format = TB_FORMAT_JSON, .source = TB_FORMAT_PERFETTO};
  return tb_writer_open(path, &options, &writer, NULL) == TB_OK ? 0 : -1;
}

static inline int stop(void **state) {
  (void)state;
  tb_writer_close(writer);
  free(written);
  written = NULL;
  return unlink(path);
}

/* As from a reader, which describes its tracks by events of their own. */
static inline void put(struct tb_event event) { assert_int_equal(tb_writer_take(writer, &event), TB_OK); }

static inline void finish(void) {
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  written = calloc(1, 65536);
  assert_non_null(written);
  size_t len = fread(written, 1, 65535, file);
  (void)fclose(file);
  assert_true(tb_json_is_valid((struct tb_str){written, len}, 100));
}

/* The output is exactly these events, in a row. */
static inline void finish_with(const char *events) {
  finish();
  char expected[8192];
  (void)snprintf(expected, sizeof(expected), "{\"traceEvents\":[\n%s\n]}\n", events);
  assert_string_equal(written, expected);
}

static inline struct tb_event event(enum tb_event_type type, const struct tb_track *track, int64_t ts,
                                    const char *name) {
  struct tb_event e = {.type = type, .track = track, .ts = ts, .has = TB_HAS_TS};
  if (name) {
    e.name = (struct tb_str){name, strlen(name)};
    e.has |= TB_HAS_NAME;
  }
  return e;
}

#endif
