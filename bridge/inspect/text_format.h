/* SPDX-License-Identifier: Apache-2.0
 *
 * Protobuf's text format of any message that protobuf-c has a descriptor of. Fields come in the order of the bytes.
 * Those that the schema does not know, or that have a value it has no form for, come by number, as protoc --decode
 * shows them, so that nothing is left out. Comments say what else tb_text_parse (protobuf/text_parser.h) needs to make
 * the same bytes again.
 */
#ifndef TB_INSPECT_TEXT_FORMAT_H
#define TB_INSPECT_TEXT_FORMAT_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

#include "base/memory.h"

enum { TB_TEXT_DEPTH = 64 }; /* messages deeper than this come as bytes */

/* What to say behind a field's value (a comment's text is appended to *out); NULL: nothing. */
struct tb_text_notes {
  void (*note)(void *ctx, const ProtobufCMessageDescriptor *message, const ProtobufCFieldDescriptor *field,
               uint64_t value, struct tb_buffer *out);
  void *ctx;
};

/* Appends the fields of `message`, each on a line that `indent` levels of two spaces begin. `type` NULL: no field is
 * known. TB_OK; TB_BAD_DATA where the bytes are no message: the fields before the damage are kept then;
 * TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_text_message(struct tb_buffer *out, const ProtobufCMessageDescriptor *type,
                                             struct tb_str message, unsigned indent, const struct tb_text_notes *notes);

/* Whether the text of a message makes its bytes again: false of what no text format has a form for, such as numbers of
 * more than 64 bits. Where it is nested, it comes as bytes. */
bool tb_text_can_say(struct tb_str message);

/* Appends a string literal, escaped as TB_ESCAPE_PROTOBUF. */
TB_MUST_CHECK enum tb_status tb_text_string(struct tb_buffer *out, struct tb_str text);

#endif
