/* SPDX-License-Identifier: Apache-2.0 */
#include "model/carried_fields.h"

#include "protos/field_numbers.h"

#define ROW(row, key, kind, member, bit, there, natives, perfetto, fxt)                     \
  [TB_CARRIED_##row] = {.path = {TB_CARRIED_PREFIX key, sizeof(TB_CARRIED_PREFIX key) - 1}, \
                        .has = (bit),                                                       \
                        .offset = offsetof(struct tb_event, member),                        \
                        .id = TB_CARRIED_##row,                                             \
                        .type = TB_CARRIED_##kind,                                          \
                        .native = TB_NATIVE_##natives,                                      \
                        .how = {TB_CARRY_##perfetto, TB_CARRY_##fxt}},
const struct tb_carried_field tb_carried_fields[TB_CARRIED_COUNT] = {TB_CARRIED_FIELDS(ROW)};
#undef ROW

static const uint16_t numbers[TB_CARRIED_COUNT] = {[TB_CARRIED_PHASE] = TB_DEBUG_ANNOTATION_CARRIED_PHASE,
                                                   [TB_CARRIED_CPU] = TB_DEBUG_ANNOTATION_CARRIED_CPU,
                                                   [TB_CARRIED_DUR] = TB_DEBUG_ANNOTATION_CARRIED_DUR_NS,
                                                   [TB_CARRIED_THREAD_TS] = TB_DEBUG_ANNOTATION_CARRIED_TTS_NS,
                                                   [TB_CARRIED_THREAD_DUR] = TB_DEBUG_ANNOTATION_CARRIED_TDUR_NS};

uint32_t tb_carried_number(enum tb_carried_id id) { return numbers[id]; }

enum tb_carried_id tb_carried_of_number(uint32_t number) {
  int id = 0;
  while (id < TB_CARRIED_COUNT && (!number || numbers[id] != number)) id++;
  return (enum tb_carried_id)id;
}

/* The argument of a field's value; of a format's own one its name alone. */
static struct tb_arg arg_of(const struct tb_carried_field *field, const struct tb_event *event) {
  struct tb_arg arg = {.name = field->path, .span = 1, .width = 64};
  const char *at = (const char *)event + field->offset;
  uint32_t number;
  switch ((enum tb_carried_type)field->type) {
    case TB_CARRIED_OWN:
      break;
    case TB_CARRIED_TEXT:
      arg.type = TB_ARG_STRING;
      memcpy(&arg.text, at, sizeof(arg.text));
      break;
    case TB_CARRIED_INT64:
      arg.type = TB_ARG_INT;
      memcpy(&arg.i, at, sizeof(arg.i));
      break;
    case TB_CARRIED_UINT64:
      arg.type = TB_ARG_UINT;
      memcpy(&arg.u, at, sizeof(arg.u));
      break;
    case TB_CARRIED_UINT32:
      arg.type = TB_ARG_INT;
      memcpy(&number, at, sizeof(number));
      arg.i = number;
      break;
    case TB_CARRIED_LEVEL:
      arg.type = TB_ARG_INT;
      arg.i = *(const uint8_t *)at;
      break;
    case TB_CARRIED_FLAG:
      arg.type = TB_ARG_INT;
      arg.i = 1;
      break;
    case TB_CARRIED_DOUBLE:
      arg.type = TB_ARG_DOUBLE;
      memcpy(&arg.d, at, sizeof(arg.d));
      break;
  }
  return arg;
}

void tb_carried_put(uint64_t fields, const struct tb_event *event, tb_carried_sink *put, void *ctx) {
  for (; fields; fields &= fields - 1) {
    int id = __builtin_ctzll(fields);
    struct tb_arg arg = arg_of(&tb_carried_fields[id], event);
    put(ctx, (enum tb_carried_id)id, &arg);
  }
}

static bool takes(const struct tb_carried_field *field, const struct tb_arg *value) {
  switch ((enum tb_carried_type)field->type) {
    case TB_CARRIED_OWN:
      return true;
    case TB_CARRIED_TEXT:
      return value->type == TB_ARG_STRING;
    case TB_CARRIED_INT64:
    case TB_CARRIED_UINT32:
    case TB_CARRIED_LEVEL:
      return value->type == TB_ARG_INT;
    case TB_CARRIED_FLAG:
      return value->type == TB_ARG_INT && value->i == 1;
    case TB_CARRIED_UINT64:
      return value->type == TB_ARG_UINT;
    case TB_CARRIED_DOUBLE:
      return value->type == TB_ARG_DOUBLE;
  }
  return false;
}

const struct tb_carried_field *tb_carried_find(enum tb_carrier carrier, struct tb_str key, const struct tb_arg *value) {
  for (size_t i = 0; i < TB_CARRIED_COUNT; i++) {
    const struct tb_carried_field *field = &tb_carried_fields[i];
    if (field->how[carrier] == TB_CARRY_FIELD && tb_str_equal(tb_carried_key_of(field->path), key) &&
        takes(field, value))
      return field;
  }
  return NULL;
}

void tb_carried_get(const struct tb_carried_field *field, const struct tb_arg *value, struct tb_event *event) {
  char *at = (char *)event + field->offset;
  uint32_t number = (uint32_t)value->u;
  uint8_t level = value->u <= TB_LOG_FATAL ? (uint8_t)value->u : TB_LOG_NONE;
  switch ((enum tb_carried_type)field->type) {
    case TB_CARRIED_OWN:
      return;
    case TB_CARRIED_FLAG:
      break;
    case TB_CARRIED_TEXT:
      memcpy(at, &value->text, sizeof(value->text));
      break;
    case TB_CARRIED_INT64:
    case TB_CARRIED_UINT64:
    case TB_CARRIED_DOUBLE:
      memcpy(at, &value->u, sizeof(value->u));
      break;
    case TB_CARRIED_UINT32:
      memcpy(at, &number, sizeof(number));
      break;
    case TB_CARRIED_LEVEL:
      memcpy(at, &level, sizeof(level));
      break;
  }
  event->has |= field->has;
}

bool tb_carried_is_of_fxt(struct tb_str key) {
  for (size_t i = 0; i < TB_CARRIED_COUNT; i++)
    if (tb_carried_fields[i].native == TB_NATIVE_FXT && tb_str_equal(tb_carried_key((enum tb_carried_id)i), key))
      return true;
  return false;
}
