/* SPDX-License-Identifier: Apache-2.0
 *
 * A message's list of numbers one after another, each with its own tag or packed.
 */
#ifndef TB_PROTOBUF_NUMBER_CURSOR_H
#define TB_PROTOBUF_NUMBER_CURSOR_H

#include "protobuf/wire.h"

/* A cursor over the varints of the field `number`. Caller-owned. */
struct tb_number_cursor {
  struct tb_wire_cursor fields, packed;
  uint32_t number;
};

static inline struct tb_number_cursor tb_number_cursor(struct tb_str message, uint32_t number) {
  return (struct tb_number_cursor){.fields = tb_wire_cursor(message), .number = number};
}

/* The next of them; false, and *value unchanged, behind the last. */
static inline bool tb_number_cursor_next(struct tb_number_cursor *cursor, uint64_t *value) {
  struct tb_wire_field field;
  for (;;) {
    if (cursor->packed.at != cursor->packed.end) {
      uint64_t number;
      const char *at = tb_wire_read_varint(cursor->packed.at, cursor->packed.end, &number);
      cursor->packed.at = at ? at : cursor->packed.end;
      if (at) *value = number;
      if (at) return true;
    }
    if (tb_wire_read(&cursor->fields, &field) != TB_OK) return false;
    if (field.number != cursor->number) continue;
    if (field.type == TB_WIRE_BYTES) {
      cursor->packed = tb_wire_cursor(field.bytes);
    } else {
      *value = field.value;
      return true;
    }
  }
}

#endif
