/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf/descriptor_pool.h"

#include "protobuf/unpack.h"
#include "protos/descriptors.h"
#include "protos/perfetto/extension_descriptor.pb-c.h"

enum { FIELDS_MAX = 1 << 20, NAME_MAX_BYTES = 1024 };

void tb_descriptor_pool_init(struct tb_descriptor_pool *schema, struct tb_limit_allocator *budget,
                             struct tb_intern *pool) {
  *schema = (struct tb_descriptor_pool){.budget = budget, .pool = pool};
  tb_intern_init(&schema->types, &budget->allocator);
  tb_map_init(&schema->field_map, &budget->allocator);
  tb_map_init(&schema->value_map, &budget->allocator);
  tb_arena_init(&schema->scratch, &budget->allocator, 0);
}

void tb_descriptor_pool_free(struct tb_descriptor_pool *schema) {
  const struct tb_allocator *allocator = &schema->budget->allocator;
  tb_intern_free(&schema->types);
  tb_map_free(&schema->field_map);
  tb_map_free(&schema->value_map);
  tb_free(allocator, schema->fields, schema->field_capacity * sizeof(*schema->fields));
  tb_free(allocator, schema->values, schema->value_capacity * sizeof(*schema->values));
  tb_arena_free(&schema->scratch);
}

/* A full name under construction. */
struct type_name {
  char text[NAME_MAX_BYTES];
  size_t len;
};

/* Appends `.part`; false where the name becomes too long. */
static bool append(struct type_name *name, struct tb_str part) {
  if (part.len > NAME_MAX_BYTES - 1 - name->len) return false;
  name->text[name->len++] = '.';
  if (part.len) memcpy(name->text + name->len, part.ptr, part.len);
  name->len += part.len;
  return true;
}

uint32_t tb_descriptor_pool_type(struct tb_descriptor_pool *schema, struct tb_str name) {
  if (name.len && name.ptr[0] == '.') return tb_intern_id(&schema->types, name);
  struct type_name full = {.len = 0};
  return append(&full, name) ? tb_intern_id(&schema->types, (struct tb_str){full.text, full.len}) : 0;
}

/* Puts `name` at *kept, where the same may be already. */
static enum tb_status keep_name(struct tb_descriptor_pool *schema, struct tb_str name, struct tb_str *kept) {
  return tb_str_equal(*kept, name) ? TB_OK : tb_text_pool_add(schema->pool, name, kept);
}

/* A field or value that is described again, as each recording of a joined trace does, keeps its index. */
static enum tb_status add_field(struct tb_descriptor_pool *schema, uint32_t type, uint32_t number,
                                const struct tb_descriptor_field *field) {
  uint32_t index = (uint32_t)schema->field_count;
  bool known = tb_map_get(&schema->field_map, type, number, &index);
  if (known && schema->learning) return TB_OK;
  void *fields = schema->fields;
  enum tb_status status = tb_grow_array(&schema->budget->allocator, &fields, &schema->field_capacity, (size_t)index + 1,
                                        sizeof(*schema->fields), FIELDS_MAX);
  schema->fields = fields;
  if (status != TB_OK || !type) return TB_NO_MEMORY;
  struct tb_descriptor_field *kept = &schema->fields[index];
  struct tb_str name = known ? kept->name : (struct tb_str){NULL, 0};
  *kept = *field;
  kept->name = name;
  if (keep_name(schema, field->name, &kept->name) != TB_OK) return TB_NO_MEMORY;
  if (known) return TB_OK;
  schema->field_count++;
  return tb_map_put(&schema->field_map, type, number, index);
}

static enum tb_status add_value(struct tb_descriptor_pool *schema, uint32_t type, int32_t number, struct tb_str name) {
  uint32_t index = (uint32_t)schema->value_count;
  bool known = tb_map_get(&schema->value_map, type, (uint32_t)number, &index);
  if (known && schema->learning) return TB_OK;
  void *values = schema->values;
  enum tb_status status = tb_grow_array(&schema->budget->allocator, &values, &schema->value_capacity, (size_t)index + 1,
                                        sizeof(*schema->values), FIELDS_MAX);
  schema->values = values;
  if (status != TB_OK || !type) return TB_NO_MEMORY;
  if (!known) schema->values[index] = (struct tb_str){NULL, 0};
  if (keep_name(schema, name, &schema->values[index]) != TB_OK) return TB_NO_MEMORY;
  if (known) return TB_OK;
  schema->value_count++;
  return tb_map_put(&schema->value_map, type, (uint32_t)number, index);
}

/* ---- described types --------------------------------------------------------------------------------------------- */

/* An extension's name may be qualified; an argument is called by the last part. */
static struct tb_str last_part(struct tb_str name) {
  for (size_t i = name.len; i > 0; i--) {
    if (name.ptr[i - 1] == '.') return (struct tb_str){name.ptr + i, name.len - i};
  }
  return name;
}

static enum tb_status add_described_field(struct tb_descriptor_pool *schema, uint32_t type,
                                          const Perfetto__Protos__FieldDescriptorProto *from) {
  struct tb_descriptor_field field = {.name = last_part(tb_message_str(from->name)),
                                      .type = (uint32_t)from->type,
                                      .repeated = from->label == TB_DESCRIPTOR_REPEATED};
  if (from->number <= 0) return TB_OK;
  if (from->has_type_name) field.type_id = tb_descriptor_pool_type(schema, tb_message_str(from->type_name));
  return add_field(schema, type, (uint32_t)from->number, &field);
}

static enum tb_status add_extensions(struct tb_descriptor_pool *schema,
                                     Perfetto__Protos__FieldDescriptorProto **extensions, size_t count) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < count && status == TB_OK; i++) {
    uint32_t type = tb_descriptor_pool_type(schema, tb_message_str(extensions[i]->extendee));
    status = add_described_field(schema, type, extensions[i]);
  }
  return status;
}

static enum tb_status add_enum(struct tb_descriptor_pool *schema, struct type_name *scope,
                               const Perfetto__Protos__EnumDescriptorProto *from) {
  size_t scope_len = scope->len;
  if (!append(scope, tb_message_str(from->name))) return TB_OK;
  uint32_t type = tb_intern_id(&schema->types, (struct tb_str){scope->text, scope->len});
  scope->len = scope_len;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < from->n_value && status == TB_OK; i++) {
    status = add_value(schema, type, from->value[i]->number, tb_message_str(from->value[i]->name));
  }
  return status;
}

/* Depth was checked when the descriptor was read. */
static enum tb_status add_message(struct tb_descriptor_pool *schema, struct type_name *scope,
                                  const Perfetto__Protos__DescriptorProto *from) {
  size_t scope_len = scope->len;
  if (!append(scope, tb_message_str(from->name))) return TB_OK;
  uint32_t type = tb_intern_id(&schema->types, (struct tb_str){scope->text, scope->len});
  enum tb_status status = type ? TB_OK : TB_NO_MEMORY;
  for (size_t i = 0; i < from->n_field && status == TB_OK; i++)
    status = add_described_field(schema, type, from->field[i]);
  for (size_t i = 0; i < from->n_enum_type && status == TB_OK; i++)
    status = add_enum(schema, scope, from->enum_type[i]);
  for (size_t i = 0; i < from->n_nested_type && status == TB_OK; i++) {
    status = add_message(schema, scope, from->nested_type[i]);
  }
  if (status == TB_OK) status = add_extensions(schema, from->extension, from->n_extension);
  scope->len = scope_len;
  return status;
}

static enum tb_status add_file(struct tb_descriptor_pool *schema, const Perfetto__Protos__FileDescriptorProto *file) {
  struct type_name scope = {.len = 0};
  if (file->package.len && !append(&scope, tb_message_str(file->package))) return TB_OK;
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < file->n_enum_type && status == TB_OK; i++)
    status = add_enum(schema, &scope, file->enum_type[i]);
  for (size_t i = 0; i < file->n_message_type && status == TB_OK; i++) {
    status = add_message(schema, &scope, file->message_type[i]);
  }
  return status == TB_OK ? add_extensions(schema, file->extension, file->n_extension) : status;
}

static enum tb_status add_files(struct tb_descriptor_pool *schema, const Perfetto__Protos__FileDescriptorSet *set) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < set->n_file && status == TB_OK; i++) status = add_file(schema, set->file[i]);
  return status;
}

enum tb_status tb_descriptor_pool_add_extensions(struct tb_descriptor_pool *schema,
                                                 struct tb_str extension_descriptor) {
  ProtobufCMessage *message;
  tb_arena_reset(&schema->scratch);
  enum tb_status status = tb_message_read(&schema->scratch, &perfetto__protos__extension_descriptor__descriptor,
                                          extension_descriptor, &message, NULL);
  if (status != TB_OK) return status;
  const Perfetto__Protos__FileDescriptorSet *set =
      ((const Perfetto__Protos__ExtensionDescriptor *)message)->extension_set;
  return set ? add_files(schema, set) : TB_OK;
}

/* ---- known types ------------------------------------------------------------------------------------------------- */

static enum tb_status add_known(struct tb_descriptor_pool *schema) {
  ProtobufCMessage *message;
  struct tb_arena arena; /* not the scratch, which would keep memory of the size of all of them */
  tb_arena_init(&arena, &schema->budget->allocator, 0);
  enum tb_status status =
      tb_message_read(&arena, &perfetto__protos__file_descriptor_set__descriptor,
                      (struct tb_str){(const char *)tb_descriptors, sizeof(tb_descriptors)}, &message, NULL);
  if (status == TB_OK) status = add_files(schema, (const Perfetto__Protos__FileDescriptorSet *)message);
  tb_arena_free(&arena);
  return status;
}

/* True where it is worth asking again. */
static bool learn(struct tb_descriptor_pool *schema) {
  if (schema->knows_all) return false;
  schema->knows_all = schema->learning = true;
  size_t left = tb_limit_allocator_lift(schema->budget);
  (void)add_known(schema); /* the reader's guard remembers where there was no memory */
  tb_limit_allocator_lower(schema->budget, left);
  schema->learning = false;
  return true;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static uint32_t find_full_name(const struct tb_descriptor_pool *schema, struct tb_str name) {
  return tb_intern_find(&schema->types, name, tb_intern_hash(name));
}

uint32_t tb_descriptor_pool_find_type(struct tb_descriptor_pool *schema, struct tb_str name) {
  struct type_name full = {.len = 0};
  if (!name.len || name.ptr[0] != '.') {
    if (!append(&full, name)) return 0;
    name = (struct tb_str){full.text, full.len};
  }
  uint32_t id = find_full_name(schema, name);
  return id || !learn(schema) ? id : find_full_name(schema, name);
}

bool tb_descriptor_pool_find_field(struct tb_descriptor_pool *schema, uint32_t type, uint32_t number,
                                   struct tb_descriptor_field *field) {
  uint32_t index;
  if (!tb_map_get(&schema->field_map, type, number, &index) &&
      !(learn(schema) && tb_map_get(&schema->field_map, type, number, &index))) {
    return false;
  }
  *field = schema->fields[index];
  return true;
}

bool tb_descriptor_pool_find_value(struct tb_descriptor_pool *schema, uint32_t type, int32_t number,
                                   struct tb_str *name) {
  uint32_t index;
  if (!tb_map_get(&schema->value_map, type, (uint32_t)number, &index) &&
      !(learn(schema) && tb_map_get(&schema->value_map, type, (uint32_t)number, &index))) {
    return false;
  }
  *name = schema->values[index];
  return true;
}
