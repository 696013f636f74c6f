/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON text that grows in a buffer: members and values. The first failure sticks, so that callers look once, at the
 * end.
 */
#ifndef TB_JSON_EMITTER_H
#define TB_JSON_EMITTER_H

#include "base/memory.h"
#include "json/text.h"
#include "tracebridge/escape.h"
#include "tracebridge/event.h"

/* Wholly public to its users. `status` is TB_OK, or TB_NO_MEMORY or TB_LIMIT for good. */
struct tb_json_emit {
  struct tb_buffer buffer;
  enum tb_status status;
  /* The caller's choices, false after tb_json_emit_init. */
  bool for_people;   /* strings are escaped as tracebridge/escape.h says */
  bool hex_pointers; /* TB_ARG_POINTER becomes a string of hexadecimal digits, else a number */
  /* A container nested deeper than TB_JSON_WRITE_DEPTH went out as null. */
  bool too_deep;
  unsigned depth;    /* containers around the value that is written */
  unsigned bad_json; /* TB_ARG_JSON values so far that are no JSON, and went out as strings */
  unsigned blobs;    /* TB_ARG_BLOB values so far */
};

void tb_json_emit_init(struct tb_json_emit *emit, const struct tb_allocator *allocator);
void tb_json_emit_free(struct tb_json_emit *emit);

/* tb_json_emit_room where the buffer must grow. */
char *tb_json_emit_more_room(struct tb_json_emit *emit, size_t len);

/* Room for `len` more bytes, or NULL after a failure; tb_json_emit_end says how far it was used. */
static inline char *tb_json_emit_room(struct tb_json_emit *emit, size_t len) {
  if (len > emit->buffer.capacity - emit->buffer.len || !emit->buffer.data) return tb_json_emit_more_room(emit, len);
  return emit->buffer.data + emit->buffer.len;
}
static inline void tb_json_emit_end(struct tb_json_emit *emit, const char *end) {
  emit->buffer.len = (size_t)(end - emit->buffer.data);
}

/* Bytes as they are. In place, so that literals are stored and not copied by a call. */
static TB_ALWAYS_INLINE void tb_json_emit_raw(struct tb_json_emit *emit, const char *data, size_t len) {
  char *at = tb_json_emit_room(emit, len);
  if (!at) return;
  if (len) memcpy(at, data, len);
  emit->buffer.len += len;
}
#define TB_JSON_EMIT(emit, literal) tb_json_emit_raw((emit), (literal), sizeof(literal) - 1)

/* Untrusted text, escaped in that form. */
void tb_json_emit_escaped(struct tb_json_emit *emit, enum tb_escape_form form, struct tb_str text);

void tb_json_emit_string(struct tb_json_emit *emit, struct tb_str text);
void tb_json_emit_uint(struct tb_json_emit *emit, uint64_t value);
void tb_json_emit_int(struct tb_json_emit *emit, int64_t value);
void tb_json_emit_micros(struct tb_json_emit *emit, int64_t ns);
void tb_json_emit_double(struct tb_json_emit *emit, double value);
void tb_json_emit_fixed(struct tb_json_emit *emit, double value, unsigned decimals);
void tb_json_emit_hex(struct tb_json_emit *emit, uint64_t value);

/* One argument value with its subtree. Blobs become text (what is no UTF-8 is replaced). */
void tb_json_emit_value(struct tb_json_emit *emit, const struct tb_arg *arg);

/* `,"name":value` for each of the top-level arguments in args[0..count). An object has each name once: of several the
 * last counts. */
void tb_json_emit_members(struct tb_json_emit *emit, const struct tb_arg *args, size_t count);

/* {"name":value,…} of the top-level arguments. */
void tb_json_emit_object(struct tb_json_emit *emit, const struct tb_arg *args, size_t count);

/* The further members of a stack frame's object: `category`, which is its mapping, `file` and `line`, where it has
 * them. */
void tb_json_emit_frame_place(struct tb_json_emit *emit, const struct tb_frame *frame);

#endif
