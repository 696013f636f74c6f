/* SPDX-License-Identifier: Apache-2.0
 *
 * Extensions by their full names, as the text format has them in brackets: perfetto.protos.ChromeTrackEvent.page_load.
 * protobuf-c makes no code of extensions: its descriptors of them, and of the types of their fields, are made here
 * where they are asked for, of what the descriptor pool (descriptor_pool.h) learns too.
 */
#ifndef TB_PROTOBUF_EXTENSION_NAMES_H
#define TB_PROTOBUF_EXTENSION_NAMES_H

#include <protobuf-c/protobuf-c.h>

#include "base/map.h"

/* Caller-owned. */
struct tb_extension_names {
  struct tb_arena arena;
  const void *files;  /* all that is described; NULL before the first name was asked for */
  struct tb_map made; /* what is described, by its address, to protobuf-c's descriptor of it */
};

void tb_extension_names_init(struct tb_extension_names *names, const struct tb_allocator *allocator);
void tb_extension_names_free(struct tb_extension_names *names);

/* *field is the extension of that full name; NULL where none is known, or it extends another type than `of`. Valid
 * until the names are freed. Of the types that it leads to, fields and values are found by their names, not by their
 * numbers. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_extension_names_find(struct tb_extension_names *names,
                                                     const ProtobufCMessageDescriptor *of, struct tb_str name,
                                                     const ProtobufCFieldDescriptor **field);

#endif
