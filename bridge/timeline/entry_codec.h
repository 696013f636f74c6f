/* SPDX-License-Identifier: Apache-2.0
 *
 * The byte form of a queue's entries, in memory and in spilled runs.
 *
 *   head   kind (3 bits), then a bit each: end body (of COMPLETE) or sorts_first (of all others), thread_ts,
 *          thread_dur, key, flow
 *   varint body length
 *   sizes  of the four times that follow, two bits each: 2, 3, 4 or 8 bytes, little-endian
 *   zigzag of ts less the ts of the record before; then as the head and the kind say: dur; thread_ts, as the zigzag of
 *   its drift against ts; thread_dur, as zigzag
 *   varints: key; flow step (a byte), flow key, order; name and categories of BEGIN and END; length of the end
 *   body, always of zero-length slices
 *   the body, then the end body
 *
 * Times are read and written eight bytes at once: RECORD_SLACK bytes behind a record's head belong to its buffer.
 */
#ifndef TB_TIMELINE_ENTRY_CODEC_H
#define TB_TIMELINE_ENTRY_CODEC_H

#include "base/times.h"
#include "protobuf/wire.h"
#include "timeline/sort_queue.h"

enum {
  RECORD_KIND = 7,
  RECORD_SORTS_FIRST = 1 << 3,
  RECORD_END_BODY = 1 << 3,
  RECORD_THREAD_TS = 1 << 4,
  RECORD_THREAD_DUR = 1 << 5,
  RECORD_KEY = 1 << 6,
  RECORD_FLOW = 1 << 7,
  RECORD_JOINABLE = 1 << 2, /* among the sizes, in place of that of a duration, which an END has not */
  RECORD_SLACK = 8,
  RECORD_HEAD_MAX = 1 + 12 * TB_WIRE_VARINT_MAX + RECORD_SLACK
};

/* Bases that thread times are stored against. */
struct tb_record_base {
  int64_t ts, thread_ts;
};

/* Writes `v` in the fewest bytes that do, and notes how many at `place` of *sizes. */
static inline char *tb_record_put_time(char *at, uint64_t v, unsigned place, unsigned *sizes) {
  unsigned size = (unsigned)(v > 0xffff) + (unsigned)(v > 0xffffff) + (unsigned)(v > 0xffffffff);
  memcpy(at, &v, sizeof(v)); /* little-endian hosts only; see third_party/README.md */
  *sizes |= size << (2 * place);
  return at + 2 + size + (size == 3 ? 3 : 0);
}

static inline const char *tb_record_get_time(const char *at, unsigned sizes, unsigned place, uint64_t *v) {
  static const uint64_t masks[] = {0xffff, 0xffffff, 0xffffffff, UINT64_MAX};
  unsigned size = sizes >> (2 * place) & 3;
  memcpy(v, at, sizeof(*v));
  *v &= masks[size];
  return at + 2 + size + (size == 3 ? 3 : 0);
}

/* Writes all but the body; room for RECORD_HEAD_MAX bytes is there. */
static inline char *tb_record_write(char *at, const struct tb_staged_event *e, int64_t last_ts,
                                    struct tb_record_base base) {
  bool end_body = e->kind == TB_STAGED_COMPLETE && e->end_body.len;
  *at++ = (char)(e->kind | e->sorts_first << 3 | (end_body ? RECORD_END_BODY : 0) | e->has_thread_ts << 4 |
                 e->has_thread_dur << 5 | (e->key ? RECORD_KEY : 0) | (e->flow ? RECORD_FLOW : 0));
  at = tb_wire_put_varint(at, e->body.len + e->end_body.len);
  char *sizes_at = at++;
  unsigned sizes = 0;
  at = tb_record_put_time(at, tb_wire_zigzag(tb_wrap_sub(e->ts, last_ts)), 0, &sizes);
  if (e->kind == TB_STAGED_COMPLETE) at = tb_record_put_time(at, (uint64_t)e->dur, 1, &sizes);
  if (e->has_thread_ts) {
    int64_t drift = tb_wrap_sub(tb_wrap_sub(e->thread_ts, base.thread_ts), tb_wrap_sub(e->ts, base.ts));
    at = tb_record_put_time(at, tb_wire_zigzag(drift), 2, &sizes);
  }
  if (e->has_thread_dur) at = tb_record_put_time(at, tb_wire_zigzag(e->thread_dur), 3, &sizes);
  if (e->joinable) sizes |= RECORD_JOINABLE;
  *sizes_at = (char)sizes;
  if (e->key) at = tb_wire_put_varint(at, e->key);
  if (e->flow) {
    *at++ = (char)e->flow;
    at = tb_wire_put_varint(at, e->flow_key);
    at = tb_wire_put_varint(at, e->order);
  }
  if (e->kind == TB_STAGED_BEGIN || e->kind == TB_STAGED_END) {
    at = tb_wire_put_varint(at, e->name);
    at = tb_wire_put_varint(at, e->categories);
  }
  if (end_body || e->kind == TB_STAGED_ZERO_LENGTH_SLICE) at = tb_wire_put_varint(at, e->end_body.len);
  return at;
}

/* A varint of a record that this program wrote and that is whole. */
static inline const char *tb_record_varint(const char *at, uint64_t *v) {
  *v = 0;
  const char *end = tb_wire_read_varint(at, at + TB_WIRE_VARINT_MAX, v);
  return end ? end : at;
}

/* The ts of a record less that of the record before it. */
static inline int64_t tb_record_ts_difference(const char *record) {
  uint64_t v;
  const char *at = tb_record_varint(record + 1, &v);
  (void)tb_record_get_time(at + 1, (unsigned char)*at, 0, &v);
  return tb_wire_zigzag_decode(v);
}

/* The parts of a record's head that few records have. */
static inline const char *tb_record_read_rare(const char *at, struct tb_staged_event *e, unsigned char head) {
  uint64_t v;
  if (head & RECORD_KEY) {
    at = tb_record_varint(at, &v);
    e->key = (uint32_t)v;
  }
  if (head & RECORD_FLOW) {
    e->flow = (uint8_t)*at++;
    at = tb_record_varint(at, &v);
    e->flow_key = (uint32_t)v;
    at = tb_record_varint(at, &e->order);
  }
  return at;
}

/* Reads a record; `last_ts` is the ts of the record before it. Returns the byte after it. */
static inline const char *tb_record_read(const char *at, struct tb_staged_event *e, int64_t last_ts,
                                         struct tb_record_base base) {
  unsigned char head = (unsigned char)*at++;
  uint64_t v, body_len;
  *e = (struct tb_staged_event){.kind = head & RECORD_KIND};
  bool complete = e->kind == TB_STAGED_COMPLETE;
  bool end_body = complete ? head & RECORD_END_BODY : e->kind == TB_STAGED_ZERO_LENGTH_SLICE;
  e->sorts_first = !complete && head & RECORD_SORTS_FIRST;
  at = tb_record_varint(at, &body_len);
  unsigned sizes = (unsigned char)*at++;
  at = tb_record_get_time(at, sizes, 0, &v);
  e->ts = tb_wrap_add(last_ts, tb_wire_zigzag_decode(v));
  if (e->kind == TB_STAGED_COMPLETE) {
    at = tb_record_get_time(at, sizes, 1, &v);
    e->dur = (int64_t)v;
  }
  if (head & RECORD_THREAD_TS) {
    at = tb_record_get_time(at, sizes, 2, &v);
    e->has_thread_ts = true;
    e->thread_ts = tb_wrap_add(tb_wrap_add(tb_wire_zigzag_decode(v), base.thread_ts), tb_wrap_sub(e->ts, base.ts));
  }
  if (head & RECORD_THREAD_DUR) {
    at = tb_record_get_time(at, sizes, 3, &v);
    e->has_thread_dur = true;
    e->thread_dur = tb_wire_zigzag_decode(v);
  }
  if (head & (RECORD_KEY | RECORD_FLOW)) at = tb_record_read_rare(at, e, head);
  if (e->kind == TB_STAGED_BEGIN || e->kind == TB_STAGED_END) {
    at = tb_record_varint(at, &v);
    e->name = (uint32_t)v;
    at = tb_record_varint(at, &v);
    e->categories = (uint32_t)v;
    e->joinable = sizes & RECORD_JOINABLE;
  }
  e->body = (struct tb_str){at, (size_t)body_len};
  if (end_body) {
    at = tb_record_varint(at, &v);
    e->body = (struct tb_str){at, (size_t)(body_len - v)};
    e->end_body = (struct tb_str){at + (body_len - v), (size_t)v};
  }
  return at + body_len;
}

#endif
