/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds FXT archives for tests, record by record, malformed ones included; and reads them through a fed reader.
 */
#ifndef TB_TESTS_FXT_BUILDER_H
#define TB_TESTS_FXT_BUILDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fxt/format.h"
#include "tracebridge/reader.h"

struct fxt_builder {
  uint64_t words[1 << 15];
  size_t count;
  size_t record; /* index of the header of the record being built */
};

static inline void fxt_word(struct fxt_builder *b, uint64_t word) {
  assert_true(b->count < sizeof(b->words) / sizeof(b->words[0]));
  b->words[b->count++] = word;
}

static inline void fxt_stream(struct fxt_builder *b, const void *bytes, size_t len) {
  const char *at = bytes;
  for (; len; at += 8) {
    uint64_t word = 0;
    size_t n = len < 8 ? len : 8;
    memcpy(&word, at, n);
    fxt_word(b, word);
    len -= n;
  }
}

static inline void fxt_text(struct fxt_builder *b, const char *text) { fxt_stream(b, text, strlen(text)); }

/* Starts a record: its type and the header bits from 16 up. fxt_end sets its size. */
static inline void fxt_begin(struct fxt_builder *b, unsigned type, uint64_t header) {
  b->record = b->count;
  fxt_word(b, header | type);
}

static inline uint64_t fxt_end(struct fxt_builder *b) {
  b->words[b->record] |= (uint64_t)(b->count - b->record) << 4;
  return b->record * 8; /* offset */
}

static inline uint64_t fxt_inline(const char *text) { return 0x8000 | strlen(text); }

static inline void fxt_magic(struct fxt_builder *b) { fxt_word(b, TB_FXT_MAGIC); }

static inline void fxt_provider(struct fxt_builder *b, uint32_t id, const char *name) {
  fxt_begin(b, TB_FXT_METADATA, UINT64_C(1) << 16 | (uint64_t)id << 20 | (uint64_t)strlen(name) << 52);
  fxt_text(b, name);
  fxt_end(b);
}

static inline void fxt_section(struct fxt_builder *b, uint32_t id) {
  fxt_begin(b, TB_FXT_METADATA, UINT64_C(2) << 16 | (uint64_t)id << 20);
  fxt_end(b);
}

static inline void fxt_init(struct fxt_builder *b, uint64_t ticks_per_second) {
  fxt_begin(b, TB_FXT_INITIALIZATION, 0);
  fxt_word(b, ticks_per_second);
  fxt_end(b);
}

static inline void fxt_string(struct fxt_builder *b, unsigned index, const char *text) {
  fxt_begin(b, TB_FXT_STRING, (uint64_t)index << 16 | (uint64_t)strlen(text) << 32);
  fxt_text(b, text);
  fxt_end(b);
}

static inline void fxt_thread(struct fxt_builder *b, unsigned index, uint64_t process, uint64_t thread) {
  fxt_begin(b, TB_FXT_THREAD, (uint64_t)index << 16);
  fxt_word(b, process);
  fxt_word(b, thread);
  fxt_end(b);
}

/* Starts an event whose references are given; the caller adds inline parts, arguments and the last word. */
static inline void fxt_event(struct fxt_builder *b, unsigned type, unsigned args, unsigned thread, uint64_t category,
                             uint64_t name, uint64_t ticks) {
  fxt_begin(b, TB_FXT_EVENT,
            (uint64_t)type << 16 | (uint64_t)args << 20 | (uint64_t)thread << 24 | category << 32 | name << 48);
  fxt_word(b, ticks);
}

static inline void fxt_arg(struct fxt_builder *b, unsigned type, unsigned words, uint64_t name, uint64_t high) {
  fxt_word(b, type | (uint64_t)words << 4 | name << 16 | high << 32);
}

/* ---- reading what was built -----------------------------------------------------------------------------------------
 */

static inline struct tb_reader *fxt_open(const void *bytes, size_t len, bool strict) {
  struct tb_reader_options options = {
      .size = sizeof(options), .shape = TB_SHAPE_SOURCE, .format = TB_FORMAT_FXT, .strict = strict};
  struct tb_reader *reader;
  struct tb_error error = {0};
  assert_int_equal(tb_reader_create_feed("built", &options, &reader, &error), TB_OK);
  assert_int_equal(tb_reader_feed(reader, bytes, len), TB_OK);
  tb_reader_feed_end(reader);
  return reader;
}

static inline struct tb_reader *fxt_read(const struct fxt_builder *b) {
  return fxt_open(b->words, b->count * 8, false);
}

/* The next event, which must be there. */
static inline const struct tb_event *fxt_next(struct tb_reader *reader) {
  const struct tb_event *event;
  assert_int_equal(tb_reader_next(reader, &event), TB_OK);
  return event;
}

/* The next event of a type, which must be there. */
static inline const struct tb_event *fxt_next_of(struct tb_reader *reader, enum tb_event_type type) {
  const struct tb_event *event = fxt_next(reader);
  while (event->type != type) event = fxt_next(reader);
  return event;
}

static inline void fxt_expect_end(struct tb_reader *reader) {
  const struct tb_event *event;
  assert_int_equal(tb_reader_next(reader, &event), TB_END);
}

/* Behind the magic number all was lost. */
static inline void fxt_expect_nothing_read(struct tb_reader *reader) {
  const struct tb_event *event;
  assert_int_equal(tb_reader_next(reader, &event), TB_BAD_DATA);
  assert_non_null(strstr(tb_reader_error(reader)->message, "nothing in it can be read as fxt"));
}

static inline void fxt_expect_one_loss(struct tb_reader *reader, const char *reason, uint64_t offset) {
  size_t count;
  const struct tb_loss *loss = tb_reader_losses(reader, &count);
  assert_int_equal(count, 1);
  assert_string_equal(loss->reason, reason);
  assert_int_equal(loss->count, 1);
  assert_int_equal(loss->first_offset, offset);
}

static inline void fxt_expect_no_loss(struct tb_reader *reader) {
  size_t count;
  assert_null(tb_reader_losses(reader, &count));
}

#define assert_slice(slice, text)                        \
  do {                                                   \
    struct tb_str slice_ = (slice);                      \
    assert_int_equal(slice_.len, strlen(text));          \
    assert_memory_equal(slice_.ptr, (text), slice_.len); \
  } while (0)

#endif
