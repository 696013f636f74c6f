/* SPDX-License-Identifier: Apache-2.0
 *
 * Small Perfetto traces made by hand, for tests of merging and of machines.
 */
#ifndef TB_TEST_MERGE_FIXTURE_H
#define TB_TEST_MERGE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* cmocka wants the four above */
#include <cmocka.h>

#include "base/memory.h"
#include "protobuf/wire.h"
#include "support/whole_file.h"

/* A message under construction. */
struct msg {
  char data[16384];
  size_t len;
};

static inline void put_uint(struct msg *m, uint32_t number, uint64_t value) {
  m->len = (size_t)(tb_wire_put_uint(m->data + m->len, number, value) - m->data);
}
static inline void put_fixed64(struct msg *m, uint32_t number, uint64_t value) {
  m->len = (size_t)(tb_wire_put_fixed64(m->data + m->len, number, value) - m->data);
}
static inline void put_bytes(struct msg *m, uint32_t number, const void *data, size_t len) {
  assert_true(m->len + len + 24 < sizeof(m->data));
  m->len = (size_t)(tb_wire_put_bytes(m->data + m->len, number, data, len) - m->data);
}
static inline void put_msg(struct msg *m, uint32_t number, const struct msg *inner) {
  put_bytes(m, number, inner->data, inner->len);
}
static inline void put_text(struct msg *m, uint32_t number, const char *text) {
  put_bytes(m, number, text, strlen(text));
}
static inline struct tb_str msg_slice(const struct msg *m) { return (struct tb_str){m->data, m->len}; }

/* A packet of a sequence with a time. */
static inline struct msg packet_at(uint32_t sequence, uint64_t timestamp) {
  struct msg p = {.len = 0};
  put_uint(&p, 8, timestamp);
  put_uint(&p, 10, sequence);
  return p;
}

/* ClockSnapshot from pairs of clock id and reading, ended by 0. */
static inline struct msg snapshot(uint32_t primary, const uint64_t *pairs) {
  struct msg s = {.len = 0};
  for (; *pairs; pairs += 2) {
    struct msg clock = {.len = 0};
    put_uint(&clock, 1, pairs[0]);
    put_uint(&clock, 2, pairs[1]);
    put_msg(&s, 1, &clock);
  }
  if (primary) put_uint(&s, 2, primary);
  return s;
}
#define SNAPSHOT(primary, ...) snapshot(primary, (const uint64_t[]){__VA_ARGS__, 0})

static inline void add_snapshot(struct msg *trace, uint32_t sequence, const struct msg *readings) {
  struct msg p = {.len = 0};
  put_uint(&p, 10, sequence);
  put_msg(&p, 6, readings);
  put_msg(trace, 1, &p);
}

static inline void add_process(struct msg *trace, uint64_t uuid, uint32_t pid, const char *name) {
  struct msg process = {.len = 0}, track = {.len = 0}, p = {.len = 0};
  put_uint(&process, 1, pid);
  put_text(&process, 6, name);
  put_uint(&track, 1, uuid);
  put_msg(&track, 3, &process);
  put_uint(&p, 10, 1);
  put_msg(&p, 60, &track);
  put_msg(trace, 1, &p);
}

static inline void add_thread(struct msg *trace, uint64_t uuid, uint64_t parent, uint32_t pid, uint32_t tid) {
  struct msg thread = {.len = 0}, track = {.len = 0}, p = {.len = 0};
  put_uint(&thread, 1, pid);
  put_uint(&thread, 2, tid);
  put_uint(&track, 1, uuid);
  if (parent) put_uint(&track, 5, parent);
  put_msg(&track, 4, &thread);
  put_uint(&p, 10, 1);
  put_msg(&p, 60, &track);
  put_msg(trace, 1, &p);
}

/* An event of `type` (1 begin, 2 end, 3 instant) on a track; flow 0 for none. */
static inline void add_event(struct msg *trace, uint64_t ts, uint32_t type, uint64_t uuid, const char *name,
                             uint64_t flow) {
  struct msg event = {.len = 0}, p = packet_at(1, ts);
  put_uint(&event, 9, type);
  put_uint(&event, 11, uuid);
  if (name) put_text(&event, 23, name);
  if (flow) put_fixed64(&event, 47, flow);
  put_msg(&p, 11, &event);
  put_msg(trace, 1, &p);
}

/* A temporary file with these bytes; its name is in a buffer of the caller's. */
static inline void write_file(char *path, size_t size, const void *data, size_t len) {
  (void)snprintf(path, size, "/tmp/tracebridge-test.XXXXXX");
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, data, len), (ssize_t)len);
  assert_int_equal(close(fd), 0);
}

/* The value of the first varint or fixed field `number` of a message; asserts that it is there. */
static inline uint64_t get_number(struct tb_str message, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == number && field.type != TB_WIRE_BYTES) return field.value;
  fail_msg("no field %u", number);
  return 0;
}

static inline bool has_number(struct tb_str message, uint32_t number) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK)
    if (field.number == number && field.type != TB_WIRE_BYTES) return true;
  return false;
}

static inline bool find_bytes(struct tb_str message, uint32_t number, struct tb_str *out) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_next(&cursor, &field) == TB_OK) {
    if (field.number != number || field.type != TB_WIRE_BYTES) continue;
    *out = field.bytes;
    return true;
  }
  return false;
}

static inline struct tb_str get_bytes(struct tb_str message, uint32_t number) {
  struct tb_str out = {NULL, 0};
  if (!find_bytes(message, number, &out)) fail_msg("no field %u", number);
  return out;
}

#endif
