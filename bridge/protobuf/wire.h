/* SPDX-License-Identifier: Apache-2.0
 *
 * Protobuf's wire format: varints, tags, fields. Reading never goes past the end it is given; writing needs room that
 * the caller has seen to. Source of the rules: the protobuf encoding document.
 */
#ifndef TB_PROTOBUF_WIRE_H
#define TB_PROTOBUF_WIRE_H

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

enum tb_wire_type {
  TB_WIRE_VARINT = 0,
  TB_WIRE_FIXED64 = 1,
  TB_WIRE_BYTES = 2,
  TB_WIRE_GROUP = 3,
  TB_WIRE_END_GROUP = 4,
  TB_WIRE_FIXED32 = 5
};

enum { TB_WIRE_VARINT_MAX = 10, TB_WIRE_GROUP_DEPTH = 64 };

/* ---- reading -------------------------------------------------------------------------------------------------------
 */

/* One field. For BYTES and GROUP `bytes` is the payload (of a group: what is between its tags); for VARINT and
 * FIXED `value` is the number, and `bytes` its encoding. `start` is the first byte of the tag. */
struct tb_wire_field {
  uint32_t number;
  enum tb_wire_type type;
  uint64_t value;
  struct tb_str bytes;
  const char *start;
};

/* A cursor over one message's bytes: at == end when it is used up. Caller-owned. */
struct tb_wire_cursor {
  const char *at, *end;
};

static inline struct tb_wire_cursor tb_wire_cursor(struct tb_str message) {
  return (struct tb_wire_cursor){message.ptr, message.len ? message.ptr + message.len : message.ptr};
}

struct tb_wire_varint {
  const char *after; /* NULL where there is none */
  uint64_t value;
};

/* Out of line, and giving its results in registers, so that the short ones keep theirs. */
__attribute__((noinline, unused)) static struct tb_wire_varint tb_wire_long_varint(const char *at, const char *end) {
  uint64_t v = 0;
  if (end - at >= 8) { /* up to 8 bytes at once: their number is hard to foresee */
    memcpy(&v, at, 8);
    uint64_t stops = ~v & UINT64_C(0x8080808080808080);
    if (stops) {
      v &= (stops ^ (stops - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
      v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
      v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
      v = (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
      return (struct tb_wire_varint){at + (__builtin_ctzll(stops) >> 3) + 1, v};
    }
    v = 0;
  }
  for (unsigned shift = 0; shift < 70 && at < end; shift += 7) {
    unsigned char byte = (unsigned char)*at++;
    if (shift < 64) v |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return (struct tb_wire_varint){at, v};
  }
  return (struct tb_wire_varint){NULL, 0};
}

/* The byte after the varint at `at`, which *value then is; NULL when it does not end before `end` or is longer than 10
 * bytes. Non-minimal forms are taken; bits past 64 are dropped. */
static TB_ALWAYS_INLINE const char *tb_wire_read_varint(const char *at, const char *end, uint64_t *value) {
  if (at < end && !(*at & 0x80)) {
    *value = (unsigned char)*at;
    return at + 1;
  }
  if (end - at >= 2 && !(at[1] & 0x80)) {
    *value = ((unsigned char)at[0] & 0x7fu) | (uint64_t)(unsigned char)at[1] << 7;
    return at + 2;
  }
  struct tb_wire_varint varint = tb_wire_long_varint(at, end);
  *value = varint.value;
  return varint.after;
}

/* The same where TB_WIRE_VARINT_MAX bytes from `at` on can be read. */
static TB_ALWAYS_INLINE const char *tb_wire_read_varint_ahead(const char *at, uint64_t *value) {
  uint64_t first = (unsigned char)at[0], second;
  if (first < 0x80) {
    *value = first;
    return at + 1;
  }
  second = (unsigned char)at[1];
  if (second < 0x80) {
    *value = (first & 0x7f) | second << 7;
    return at + 2;
  }
  struct tb_wire_varint varint = tb_wire_long_varint(at, at + TB_WIRE_VARINT_MAX);
  *value = varint.value;
  return varint.after;
}

/* The one byte that is the tag of a field below 16; 0 for others, which no tag is. */
#define TB_WIRE_TAG(number, type) ((number) < 16 ? (number) << 3 | (type) : 0)

/* The two bytes that are the tag of a field from 16 to 2047, the first in the lower byte. */
#define TB_WIRE_TAG2(number, type) (((number) << 3 & 0x7f) | 0x80 | (type) | (number) >> 4 << 8)

/* Reads the next field. TB_OK; TB_END when the message is used up; TB_TRUNCATED when a field runs past the end;
 * TB_BAD_DATA for a field number 0, an unknown wire type or the end of a group that was not begun; TB_LIMIT for
 * groups nested too deep. The cursor moves only with TB_OK. */
TB_MUST_CHECK enum tb_status tb_wire_next(struct tb_wire_cursor *cursor, struct tb_wire_field *field);

/* The fields of a message by number, of one that comes again the last; number 0 where there is none. Those from
 * `count` on are passed over. TB_OK; where the message is damaged what tb_wire_next says, and the fields before
 * that. */
enum tb_status tb_wire_read_fields(struct tb_str message, struct tb_wire_field *fields, size_t count);

/* One field of a message, of one that comes again the last: whether it is there; its number, else 0; its bytes, else
 * empty. Of a damaged message what is before the damage. */
bool tb_wire_has(struct tb_str message, uint32_t number);
uint64_t tb_wire_find_number(struct tb_str message, uint32_t number);
struct tb_str tb_wire_find_bytes(struct tb_str message, uint32_t number);

/* A field's text, empty where it is none. */
static inline struct tb_str tb_wire_text(const struct tb_wire_field *field) {
  return field->type == TB_WIRE_BYTES && field->bytes.ptr ? field->bytes : (struct tb_str){"", 0};
}

/* tb_wire_next on copies, so that a caller's cursor and field may stay in registers. */
static inline enum tb_status tb_wire_read_rare(struct tb_wire_cursor *cursor, struct tb_wire_field *field) {
  struct tb_wire_cursor at = *cursor;
  struct tb_wire_field read = {0, TB_WIRE_VARINT, 0, {NULL, 0}, NULL};
  enum tb_status status = tb_wire_next(&at, &read);
  *cursor = at;
  *field = read;
  return status;
}

/* As tb_wire_next, quick where the field is a varint or bytes with a tag of at most two bytes: what traces are made
 * of. */
static inline enum tb_status tb_wire_read(struct tb_wire_cursor *cursor, struct tb_wire_field *field) {
  const char *at = cursor->at, *end = cursor->end;
  if (end - at < 2) return tb_wire_read_rare(cursor, field);
  field->start = at;
  uint32_t tag = (unsigned char)*at++;
  if (tag & 0x80) {
    uint32_t high = (unsigned char)*at++;
    if ((high & 0x80) || at == end) return tb_wire_read_rare(cursor, field);
    tag = (tag & 0x7f) | high << 7;
  }
  if (tag < 8 || (tag & 5)) return tb_wire_read_rare(cursor, field); /* neither a varint nor bytes */
  const char *payload = at;
  uint64_t value = (unsigned char)*at++;
  if (value & 0x80) {
    at = tb_wire_read_varint(payload, end, &value);
    if (!at) return tb_wire_read_rare(cursor, field);
  }
  field->number = tag >> 3;
  field->type = (enum tb_wire_type)(tag & 7);
  field->value = value;
  field->bytes.ptr = payload;
  field->bytes.len = (size_t)(at - payload);
  if (tag & 2) {
    if (value > (uint64_t)(end - at)) return TB_TRUNCATED;
    field->bytes.ptr = at;
    field->bytes.len = (size_t)value;
    at += value;
  }
  cursor->at = at;
  return TB_OK;
}

static inline uint64_t tb_wire_zigzag(int64_t v) { return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0); }
static inline int64_t tb_wire_zigzag_decode(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }
static inline double tb_wire_double(uint64_t bits) {
  double d;
  memcpy(&d, &bits, sizeof(d));
  return d;
}

/* ---- writing: each returns the byte after what it wrote -------------------------------------------------------------
 */

static inline char *tb_wire_put_varint(char *at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = (char)(value | 0x80);
    value >>= 7;
  }
  *at++ = (char)value;
  return at;
}

static inline char *tb_wire_put_tag(char *at, uint32_t number, enum tb_wire_type type) {
  return tb_wire_put_varint(at, (uint64_t)number << 3 | (unsigned)type);
}

static inline char *tb_wire_put_uint(char *at, uint32_t number, uint64_t value) {
  return tb_wire_put_varint(tb_wire_put_tag(at, number, TB_WIRE_VARINT), value);
}

static inline char *tb_wire_put_fixed64(char *at, uint32_t number, uint64_t value) {
  at = tb_wire_put_tag(at, number, TB_WIRE_FIXED64);
  memcpy(at, &value, 8); /* little-endian hosts only; see third_party/README.md */
  return at + 8;
}

static inline char *tb_wire_put_double(char *at, uint32_t number, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return tb_wire_put_fixed64(at, number, bits);
}

static inline char *tb_wire_put_bytes(char *at, uint32_t number, const void *data, size_t len) {
  at = tb_wire_put_varint(tb_wire_put_tag(at, number, TB_WIRE_BYTES), len);
  if (len) memcpy(at, data, len);
  return at + len;
}

/* A byte for each 7 bits: 9/64 is near enough to 1/7 up to 64 of them. A division in a branch thought rare stays
 * one. */
static inline size_t tb_wire_varint_size(uint64_t value) {
  unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
  return (bits * 9 + 64) >> 6;
}

/* ---- a message within a message ----------------------------------------------------------------------------------
 * Most are short, so a byte is left for the length, and widened where it does not do. */

/* Returns where the fields of message `number` go. */
static inline char *tb_wire_open_message(char *at, uint32_t number) {
  return tb_wire_put_tag(at, number, TB_WIRE_BYTES) + 1;
}

/* Ends the message [start, at), behind which is room for TB_WIRE_VARINT_MAX bytes; returns the byte after it. */
static TB_ALWAYS_INLINE char *tb_wire_close_message(char *start, char *at) {
  size_t len = (size_t)(at - start);
  start[-1] = (char)len;
  if (len < 0x80) return at;
  size_t wide = tb_wire_varint_size(len) - 1;
  memmove(start + wide, start, len);
  (void)tb_wire_put_varint(start - 1, len);
  return at + wide;
}

/* The same in a buffer: the fields are appended between the two; `start` is the buffer's length after the first.
 * Errors: tb_buffer_reserve's. */
TB_MUST_CHECK enum tb_status tb_wire_buffer_open(struct tb_buffer *buffer, uint32_t number);
TB_MUST_CHECK enum tb_status tb_wire_buffer_close(struct tb_buffer *buffer, size_t start);

/* Appends a field of a number, or of bytes however long. Errors: tb_buffer_append's. */
TB_MUST_CHECK enum tb_status tb_wire_buffer_uint(struct tb_buffer *buffer, uint32_t number, uint64_t value);
TB_MUST_CHECK enum tb_status tb_wire_buffer_bytes(struct tb_buffer *buffer, uint32_t number, struct tb_str bytes);
/* The same of a field as it was read; `end`: the byte after it, where the cursor is then. */
TB_MUST_CHECK static inline enum tb_status tb_wire_buffer_field(struct tb_buffer *buffer,
                                                                const struct tb_wire_field *field, const char *end) {
  return tb_buffer_append(buffer, field->start, (size_t)(end - field->start));
}

#endif
