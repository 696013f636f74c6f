/* SPDX-License-Identifier: Apache-2.0
 *
 * Protobuf's text format to its wire format. Fields are encoded in the order of the text, each as the schema says.
 * Where the bytes that a text was made of were encoded otherwise, a comment behind a value, or behind the brace that
 * opens a message, says so, so that they are made again; protobuf's own parser passes over it. It is `#=` and, with
 * commas between them:
 *
 *   N         the number, or the length, takes N bytes, which is more than it needs
 *   tagN      the tag before it does
 *   packed    values of the field that follow each other are packed, though its type is not declared so
 *   unpacked  they are not, though it is
 *   first     the value begins another packed field
 *   group     the message is between tags, as no field of a schema of ours is
 *
 * Fields by number are encoded by the form of their value: a decimal number as a varint, one of 8 or 16 hexadecimal
 * digits as 4 or 8 bytes, text and messages with their length.
 */
#ifndef TB_PROTOBUF_TEXT_PARSER_H
#define TB_PROTOBUF_TEXT_PARSER_H

#include <protobuf-c/protobuf-c.h>

#include "base/memory.h"
#include "protobuf/extension_names.h"

enum { TB_TEXT_FAULT_BYTES = 160 };

/* What is wrong with a text, or was passed over. */
struct tb_text_fault {
  size_t at; /* in the text */
  char what[TB_TEXT_FAULT_BYTES];
};

struct tb_text_result {
  struct tb_text_fault fault; /* where the text is none */
  uint64_t unknown;           /* fields and extensions that the schema has not, which were passed over */
  struct tb_text_fault unknown_first;
};

/* Appends the fields of a message of that type to *out. `names`: of extensions; NULL: none is known. TB_OK;
 * TB_BAD_DATA: *out is as it was, result->fault says why; TB_NO_MEMORY or TB_LIMIT of the buffer. */
TB_MUST_CHECK enum tb_status tb_text_parse(struct tb_buffer *out, const ProtobufCMessageDescriptor *type,
                                           struct tb_extension_names *names, struct tb_str text,
                                           struct tb_text_result *result);

#endif
