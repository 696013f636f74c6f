/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf/extension_names.h"

#include <stdlib.h>

#include "protobuf/descriptor_pool.h"
#include "protobuf/unpack.h"
#include "protos/descriptors.h"
#include "protos/perfetto/extension_descriptor.pb-c.h"

void tb_extension_names_init(struct tb_extension_names *names, const struct tb_allocator *allocator) {
  *names = (struct tb_extension_names){.files = NULL};
  tb_arena_init(&names->arena, allocator, 0);
  tb_map_init(&names->made, allocator);
}

void tb_extension_names_free(struct tb_extension_names *names) {
  tb_arena_free(&names->arena);
  tb_map_free(&names->made);
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* What a name may be of. */
struct described {
  const Perfetto__Protos__DescriptorProto *message;
  const Perfetto__Protos__EnumDescriptorProto *values;
  const Perfetto__Protos__FieldDescriptorProto *extension;
};

/* Passes over `part` and the dot behind it. */
static bool pass_part(struct tb_str *name, struct tb_str part) {
  if (name->len <= part.len || name->ptr[part.len] != '.' || memcmp(name->ptr, part.ptr, part.len) != 0) return false;
  *name = (struct tb_str){name->ptr + part.len + 1, name->len - part.len - 1};
  return true;
}

static bool is_called(ProtobufCBinaryData is, struct tb_str name) { return tb_str_equal(tb_message_str(is), name); }

static struct described find_in_messages(Perfetto__Protos__DescriptorProto *const *messages, size_t count,
                                         struct tb_str name);

static struct described find_in_message(const Perfetto__Protos__DescriptorProto *of, struct tb_str name) {
  for (size_t i = 0; i < of->n_extension; i++)
    if (is_called(of->extension[i]->name, name)) return (struct described){.extension = of->extension[i]};
  for (size_t i = 0; i < of->n_enum_type; i++)
    if (is_called(of->enum_type[i]->name, name)) return (struct described){.values = of->enum_type[i]};
  return find_in_messages(of->nested_type, of->n_nested_type, name);
}

static struct described find_in_messages(Perfetto__Protos__DescriptorProto *const *messages, size_t count,
                                         struct tb_str name) {
  for (size_t i = 0; i < count; i++) {
    struct tb_str rest = name;
    if (is_called(messages[i]->name, name)) return (struct described){.message = messages[i]};
    if (pass_part(&rest, tb_message_str(messages[i]->name))) return find_in_message(messages[i], rest);
  }
  return (struct described){.message = NULL};
}

/* What has that full name. */
static struct described find(const struct tb_extension_names *names, struct tb_str name) {
  const Perfetto__Protos__FileDescriptorSet *set = names->files;
  struct described found = {.message = NULL};
  for (size_t i = 0; i < set->n_file && !found.message && !found.values && !found.extension; i++) {
    const Perfetto__Protos__FileDescriptorProto *file = set->file[i];
    const Perfetto__Protos__DescriptorProto as_message = {.n_extension = file->n_extension,
                                                          .extension = file->extension,
                                                          .n_enum_type = file->n_enum_type,
                                                          .enum_type = file->enum_type,
                                                          .n_nested_type = file->n_message_type,
                                                          .nested_type = file->message_type};
    struct tb_str rest = name;
    if (pass_part(&rest, tb_message_str(file->package))) found = find_in_message(&as_message, rest);
  }
  return found;
}

/* A type's name begins with a dot where it is the full one, as protoc always writes it. */
static struct tb_str without_dot(struct tb_str name) {
  return name.len && *name.ptr == '.' ? (struct tb_str){name.ptr + 1, name.len - 1} : name;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static ProtobufCType type_of(int32_t described) {
  static const ProtobufCType types[] = {
      [TB_DESCRIPTOR_DOUBLE] = PROTOBUF_C_TYPE_DOUBLE,     [TB_DESCRIPTOR_FLOAT] = PROTOBUF_C_TYPE_FLOAT,
      [TB_DESCRIPTOR_INT64] = PROTOBUF_C_TYPE_INT64,       [TB_DESCRIPTOR_UINT64] = PROTOBUF_C_TYPE_UINT64,
      [TB_DESCRIPTOR_INT32] = PROTOBUF_C_TYPE_INT32,       [TB_DESCRIPTOR_FIXED64] = PROTOBUF_C_TYPE_FIXED64,
      [TB_DESCRIPTOR_FIXED32] = PROTOBUF_C_TYPE_FIXED32,   [TB_DESCRIPTOR_BOOL] = PROTOBUF_C_TYPE_BOOL,
      [TB_DESCRIPTOR_STRING] = PROTOBUF_C_TYPE_STRING,     [TB_DESCRIPTOR_GROUP] = PROTOBUF_C_TYPE_BYTES,
      [TB_DESCRIPTOR_MESSAGE] = PROTOBUF_C_TYPE_MESSAGE,   [TB_DESCRIPTOR_BYTES] = PROTOBUF_C_TYPE_BYTES,
      [TB_DESCRIPTOR_UINT32] = PROTOBUF_C_TYPE_UINT32,     [TB_DESCRIPTOR_ENUM] = PROTOBUF_C_TYPE_ENUM,
      [TB_DESCRIPTOR_SFIXED32] = PROTOBUF_C_TYPE_SFIXED32, [TB_DESCRIPTOR_SFIXED64] = PROTOBUF_C_TYPE_SFIXED64,
      [TB_DESCRIPTOR_SINT32] = PROTOBUF_C_TYPE_SINT32,     [TB_DESCRIPTOR_SINT64] = PROTOBUF_C_TYPE_SINT64};
  bool is_type = described > 0 && (size_t)described < sizeof(types) / sizeof(*types);
  return is_type ? types[described] : PROTOBUF_C_TYPE_BYTES;
}

/* Zeroed; NULL when memory is exhausted. */
static void *allocate(struct tb_extension_names *names, size_t count, size_t size) {
  void *memory = tb_arena_alloc(&names->arena, count ? count * size : 1);
  return memory ? memset(memory, 0, count * size) : NULL;
}

static void *made_of(const struct tb_extension_names *names, const void *described) {
  return tb_map_find_pointer(&names->made, (uintptr_t)described, 0);
}

static enum tb_status keep(struct tb_extension_names *names, const void *described, const void *made) {
  return made ? tb_map_put(&names->made, (uintptr_t)described, 0, (uintptr_t)made) : TB_NO_MEMORY;
}

static const char *copy_name(struct tb_extension_names *names, ProtobufCBinaryData name) {
  return tb_arena_copy(&names->arena, tb_message_str(name)).ptr;
}

static int compare_values(const void *a, const void *b) {
  const ProtobufCEnumValueIndex *x = a, *y = b;
  return strcmp(x->name, y->name);
}

static enum tb_status make_enum(struct tb_extension_names *names, const Perfetto__Protos__EnumDescriptorProto *from,
                                const void **made) {
  size_t count = from->n_value;
  if ((*made = made_of(names, from))) return TB_OK;
  ProtobufCEnumDescriptor *to = allocate(names, 1, sizeof(*to));
  ProtobufCEnumValue *values = allocate(names, count, sizeof(*values));
  ProtobufCEnumValueIndex *by_name = allocate(names, count, sizeof(*by_name));
  if (!values || !by_name || keep(names, from, to) != TB_OK) return TB_NO_MEMORY;
  for (size_t i = 0; i < count; i++) {
    values[i] = (ProtobufCEnumValue){.name = copy_name(names, from->value[i]->name), .value = from->value[i]->number};
    by_name[i] = (ProtobufCEnumValueIndex){values[i].name, (unsigned)i};
    if (!values[i].name) return TB_NO_MEMORY;
  }
  qsort(by_name, count, sizeof(*by_name), compare_values);
  *to = (ProtobufCEnumDescriptor){.magic = PROTOBUF_C__ENUM_DESCRIPTOR_MAGIC,
                                  .n_values = (unsigned)count,
                                  .values = values,
                                  .n_value_names = (unsigned)count,
                                  .values_by_name = by_name};
  *made = to;
  return TB_OK;
}

static enum tb_status make_message(struct tb_extension_names *names, const Perfetto__Protos__DescriptorProto *from,
                                   const void **made);

static enum tb_status make_field(struct tb_extension_names *names, const Perfetto__Protos__FieldDescriptorProto *from,
                                 ProtobufCFieldDescriptor *field) {
  bool is_packed = from->options && from->options->packed;
  *field = (ProtobufCFieldDescriptor){
      .name = copy_name(names, from->name),
      .id = (uint32_t)from->number,
      .label = from->label == TB_DESCRIPTOR_REPEATED ? PROTOBUF_C_LABEL_REPEATED : PROTOBUF_C_LABEL_OPTIONAL,
      .type = type_of(from->type),
      .flags = is_packed ? PROTOBUF_C_FIELD_FLAG_PACKED : 0};
  if (!field->name) return TB_NO_MEMORY;
  struct described type = find(names, without_dot(tb_message_str(from->type_name)));
  enum tb_status status = TB_OK;
  if (field->type == PROTOBUF_C_TYPE_MESSAGE && type.message)
    status = make_message(names, type.message, &field->descriptor);
  else if (field->type == PROTOBUF_C_TYPE_ENUM && type.values)
    status = make_enum(names, type.values, &field->descriptor);
  return status;
}

static int compare_fields(const void *a, const void *b) {
  const ProtobufCFieldDescriptor *x = a, *y = b;
  return strcmp(x->name, y->name);
}

/* Types may lead to themselves: the descriptor has its address before its fields are made. */
static enum tb_status make_message(struct tb_extension_names *names, const Perfetto__Protos__DescriptorProto *from,
                                   const void **made) {
  size_t count = from->n_field;
  if ((*made = made_of(names, from))) return TB_OK;
  ProtobufCMessageDescriptor *to = allocate(names, 1, sizeof(*to));
  ProtobufCFieldDescriptor *fields = allocate(names, count, sizeof(*fields));
  unsigned *by_name = allocate(names, count, sizeof(*by_name));
  const char *name = copy_name(names, from->name);
  if (!fields || !by_name || !name || keep(names, from, to) != TB_OK) return TB_NO_MEMORY;
  for (size_t i = 0; i < count; i++) {
    if (make_field(names, from->field[i], &fields[i]) != TB_OK) return TB_NO_MEMORY;
    by_name[i] = (unsigned)i;
  }
  qsort(fields, count, sizeof(*fields), compare_fields);
  *to = (ProtobufCMessageDescriptor){.magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
                                     .name = name,
                                     .short_name = name,
                                     .n_fields = (unsigned)count,
                                     .fields = fields,
                                     .fields_sorted_by_name = by_name};
  *made = to;
  return TB_OK;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static enum tb_status learn(struct tb_extension_names *names) {
  const struct tb_str known = {(const char *)tb_descriptors, sizeof(tb_descriptors)};
  ProtobufCMessage *message = NULL;
  if (names->files) return TB_OK;
  enum tb_status status =
      tb_message_read(&names->arena, &perfetto__protos__file_descriptor_set__descriptor, known, &message, NULL);
  names->files = message;
  return status == TB_OK ? TB_OK : TB_NO_MEMORY; /* our own descriptors are whole */
}

enum tb_status tb_extension_names_find(struct tb_extension_names *names, const ProtobufCMessageDescriptor *of,
                                       struct tb_str name, const ProtobufCFieldDescriptor **field) {
  *field = NULL;
  enum tb_status status = learn(names);
  if (status != TB_OK) return status;
  const Perfetto__Protos__FieldDescriptorProto *found = find(names, name).extension;
  if (!found || !tb_str_equal(without_dot(tb_message_str(found->extendee)), tb_str_from(of->name))) return TB_OK;
  if ((*field = made_of(names, found))) return TB_OK;
  ProtobufCFieldDescriptor *made = allocate(names, 1, sizeof(*made));
  if (!made || make_field(names, found, made) != TB_OK || keep(names, found, made) != TB_OK) return TB_NO_MEMORY;
  *field = made;
  return TB_OK;
}
