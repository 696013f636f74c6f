/* SPDX-License-Identifier: Apache-2.0
 *
 * For the JSON reader's tests: reads text through a fed reader and keeps what came out.
 */
#ifndef TB_TEST_JSON_READING_H
#define TB_TEST_JSON_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tracebridge/reader.h"

struct reading {
  struct tb_reader *reader;
  enum tb_status end; /* of the last tb_reader_next */
  char events[16384]; /* "PHASE:NAME" of each event, separated by spaces; "@TYPE:NAME" for those without a phase */
  size_t len, count;
};

static inline void note_event(struct reading *r, const struct tb_event *event) {
  char phase[16];
  if (event->phase)
    (void)snprintf(phase, sizeof(phase), "%c", event->phase);
  else
    (void)snprintf(phase, sizeof(phase), "@%d", event->type);
  int n = snprintf(r->events + r->len, sizeof(r->events) - r->len, "%s%s:%.*s", r->len ? " " : "", phase,
                   (int)event->name.len, event->name.ptr ? event->name.ptr : "");
  if (n > 0 && r->len + (size_t)n < sizeof(r->events)) r->len += (size_t)n;
  r->count++;
}

/* Feeds `text` in pieces of `chunk` bytes and reads all events. The reader stays open for questions: reading_close. */
static inline void read_text(struct reading *r, const char *text, size_t len, size_t chunk, bool strict) {
  struct tb_reader_options options = {
      .size = sizeof(options), .shape = TB_SHAPE_SOURCE, .format = TB_FORMAT_JSON, .strict = strict};
  memset(r, 0, sizeof(*r));
  assert_int_equal(tb_reader_create_feed("test", &options, &r->reader, NULL), TB_OK);
  const struct tb_event *event;
  for (size_t at = 0;;) {
    while ((r->end = tb_reader_next(r->reader, &event)) == TB_OK) note_event(r, event);
    if (r->end != TB_AGAIN) return;
    size_t n = len - at < chunk ? len - at : chunk;
    if (n)
      assert_int_equal(tb_reader_feed(r->reader, text + at, n), TB_OK);
    else
      tb_reader_feed_end(r->reader);
    at += n;
  }
}

static inline void reading_close(struct reading *r) { tb_reader_close(r->reader); }

/* Reads `text` and gives its only event (or the one of that index) to `check`. */
static inline void with_event(const char *text, size_t index, void (*check)(const struct tb_event *event)) {
  struct tb_reader_options options = {.size = sizeof(options), .shape = TB_SHAPE_SOURCE, .format = TB_FORMAT_JSON};
  struct tb_reader *reader;
  const struct tb_event *event = NULL;
  assert_int_equal(tb_reader_create_feed("test", &options, &reader, NULL), TB_OK);
  assert_int_equal(tb_reader_feed(reader, text, strlen(text)), TB_OK);
  tb_reader_feed_end(reader);
  for (size_t i = 0; i <= index; i++) assert_int_equal(tb_reader_next(reader, &event), TB_OK);
  check(event);
  tb_reader_close(reader);
}

#endif
