/* SPDX-License-Identifier: Apache-2.0
 *
 * Message types whose fields become arguments: those that a trace describes itself in its ExtensionDescriptors, and
 * those that are known without, Chrome's and Android's extensions among them. The latter are many: they are learned
 * when the first thing is asked that the trace did not describe. What the trace says goes before what is known,
 * whichever comes first.
 */
#ifndef TB_PROTOBUF_DESCRIPTOR_POOL_H
#define TB_PROTOBUF_DESCRIPTOR_POOL_H

#include "base/limit_allocator.h"
#include "base/map.h"
#include "protobuf/iid_index.h"

/* Types of a field, as descriptor.proto numbers them. */
enum tb_descriptor_field_type {
  TB_DESCRIPTOR_DOUBLE = 1,
  TB_DESCRIPTOR_FLOAT,
  TB_DESCRIPTOR_INT64,
  TB_DESCRIPTOR_UINT64,
  TB_DESCRIPTOR_INT32,
  TB_DESCRIPTOR_FIXED64,
  TB_DESCRIPTOR_FIXED32,
  TB_DESCRIPTOR_BOOL,
  TB_DESCRIPTOR_STRING,
  TB_DESCRIPTOR_GROUP,
  TB_DESCRIPTOR_MESSAGE,
  TB_DESCRIPTOR_BYTES,
  TB_DESCRIPTOR_UINT32,
  TB_DESCRIPTOR_ENUM,
  TB_DESCRIPTOR_SFIXED32,
  TB_DESCRIPTOR_SFIXED64,
  TB_DESCRIPTOR_SINT32,
  TB_DESCRIPTOR_SINT64
};

/* The label of a field that repeats. */
enum { TB_DESCRIPTOR_REPEATED = 3 };

struct tb_descriptor_field {
  struct tb_str name;
  uint32_t type; /* enum tb_descriptor_field_type */
  bool repeated;
  uint32_t type_id; /* of a message or enum */
};

struct tb_descriptor_pool {
  struct tb_limit_allocator *budget;
  struct tb_intern types; /* full names with a leading dot: ".perfetto.protos.TrackEvent" */
  struct tb_intern *pool; /* names of fields and values */
  struct tb_descriptor_field *fields;
  size_t field_count, field_capacity;
  struct tb_map field_map; /* type, number -> index in fields */
  struct tb_str *values;
  size_t value_count, value_capacity;
  struct tb_map value_map; /* enum type, number -> index in values */
  struct tb_arena scratch;
  bool knows_all; /* what is known without the trace was learned */
  bool learning;  /* it is being so: what the trace said stays */
};

void tb_descriptor_pool_init(struct tb_descriptor_pool *schema, struct tb_limit_allocator *budget,
                             struct tb_intern *pool);
void tb_descriptor_pool_free(struct tb_descriptor_pool *schema);

/* Adds what an ExtensionDescriptor message describes. TB_OK, TB_BAD_DATA or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_descriptor_pool_add_extensions(struct tb_descriptor_pool *schema,
                                                               struct tb_str extension_descriptor);

/* The id of a type by its full name, with or without the leading dot, be it known or not; 0 when memory is
 * exhausted. */
uint32_t tb_descriptor_pool_type(struct tb_descriptor_pool *schema, struct tb_str name);

/* ---- looking up ----
 *
 * What is known without the trace does not count against the limit. Where there is no memory for it, it stays unknown,
 * and the reader's guard (base/memory.h) fails the reader. */

/* tb_descriptor_pool_type, but 0 where none of the name is known. */
uint32_t tb_descriptor_pool_find_type(struct tb_descriptor_pool *schema, struct tb_str name);

/* True and *field where the message type has a field `number`. */
bool tb_descriptor_pool_find_field(struct tb_descriptor_pool *schema, uint32_t type, uint32_t number,
                                   struct tb_descriptor_field *field);

/* True and *name where the enum has the value. */
bool tb_descriptor_pool_find_value(struct tb_descriptor_pool *schema, uint32_t type, int32_t number,
                                   struct tb_str *name);

#endif
