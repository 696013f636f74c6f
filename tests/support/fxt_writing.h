/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of the FXT writer: a writer to a file, and a reader of what it wrote.
 */
#ifndef TB_TESTS_SUPPORT_FXT_WRITING_H
#define TB_TESTS_SUPPORT_FXT_WRITING_H

#include <stdio.h>
#include <unistd.h>

#include "model/writer_ops.h"
#include "support/fxt_builder.h"
#include "support/source_shape.h"
#include "tracebridge/writer.h"

static char path[64];
static struct tb_writer *writer;
static struct tb_reader *reader;
static struct tb_track process = {.index = 0, .type = TB_TRACK_PROCESS, .pid = 7, .has_pid = true};
static struct tb_track thread = {
    .index = 1, .type = TB_TRACK_THREAD, .parent = &process, .pid = 7, .tid = 8, .has_pid = true, .has_tid = true};

static inline int start(void **state) {
  (void)state;
  snprintf(path, sizeof(path), "/tmp/test_fxt_writing.%ld.fxt", (long)getpid());
  process.name = thread.name = (struct tb_str){NULL, 0};
  reader = NULL;
  return tb_writer_open(path, NULL, &writer, NULL) != TB_OK;
}

static inline int stop(void **state) {
  (void)state;
  tb_writer_close(writer);
  tb_reader_close(reader);
  return unlink(path) != 0;
}

/* As from a reader, which describes its tracks by events of their own. */
static inline void put(struct tb_event event) { assert_int_equal(tb_writer_take(writer, &event), TB_OK); }

/* Ends writing, and opens what was written. */
static inline void read_back(void) {
  assert_int_equal(tb_writer_finish(writer), TB_OK);
  assert_int_equal(tb_reader_open(path, &tb_source_shape, &reader, NULL), TB_OK);
}

static inline void expect_all_read(void) {
  fxt_expect_end(reader);
  fxt_expect_no_loss(reader);
}

#endif
