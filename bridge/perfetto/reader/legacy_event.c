/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/reader/legacy_event.h"

static void set_id(struct tb_legacy_event *legacy, enum tb_id_kind kind, uint64_t value) {
  legacy->id = (struct tb_id){.kind = (uint8_t)kind, .is_number = true, .value = value};
}

static void take(struct tb_legacy_event *legacy, const struct tb_wire_field *field) {
  uint64_t value = field->value;
  switch (field->number) {
    case TB_TRACK_EVENT_LEGACY_EVENT_NAME_IID:
      legacy->has_name_iid = true;
      legacy->name_iid = value;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_PHASE:
      legacy->has_phase = value != 0;
      legacy->phase = (char)value;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_DURATION_US:
      legacy->has_duration = true;
      legacy->duration_us = (int64_t)value;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_THREAD_DURATION_US:
      legacy->has_thread_duration = true;
      legacy->thread_duration_us = (int64_t)value;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID:
      set_id(legacy, TB_ID_PLAIN, value);
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_LOCAL_ID:
      set_id(legacy, TB_ID_LOCAL, value);
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_GLOBAL_ID:
      set_id(legacy, TB_ID_GLOBAL, value);
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_ID_SCOPE:
      legacy->has_scope = true;
      legacy->scope = field->bytes;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_BIND_ID:
      legacy->has_bind_id = true;
      legacy->bind_id = value;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_USE_ASYNC_TTS:
      legacy->use_async_tts = value != 0;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_BIND_TO_ENCLOSING:
      legacy->bind_to_enclosing = value != 0;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_FLOW_DIRECTION:
      legacy->flow_direction = (uint8_t)value;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_INSTANT_EVENT_SCOPE:
      legacy->instant_scope = (uint8_t)value;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_PID_OVERRIDE:
      legacy->has_pid = true;
      legacy->pid = (int64_t)value;
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT_TID_OVERRIDE:
      legacy->has_tid = true;
      legacy->tid = (int64_t)value; /* int32 by the schema; ours may be wider */
      break;
    default:
      break;
  }
}

static enum tb_status take_all(struct tb_str message, struct tb_legacy_event *legacy) {
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) take(legacy, &field);
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

enum tb_status tb_legacy_event_read(struct tb_str message, struct tb_legacy_event *legacy) {
  *legacy = (struct tb_legacy_event){.present = true};
  return take_all(message, legacy);
}

enum tb_status tb_legacy_event_merge(struct tb_str track_event, struct tb_legacy_event *legacy) {
  *legacy = (struct tb_legacy_event){.present = true};
  struct tb_wire_cursor cursor = tb_wire_cursor(track_event);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACK_EVENT_LEGACY_EVENT) status = take_all(field.bytes, legacy);
  return status;
}

/* A small number gets upper bits that no recorder has, so that it differs from what the target numbers from 0 on. */
static uint64_t apart(uint64_t bind_id) {
  enum { SMALL_BITS = 40 };
  return bind_id >> SMALL_BITS ? bind_id : bind_id | UINT64_C(0x62696e) << SMALL_BITS;
}

void tb_legacy_event_apply(const struct tb_legacy_event *legacy, bool bind_ids_apart, struct tb_event *event) {
  event->id = legacy->id;
  event->scope = legacy->scope;
  if (legacy->has_scope) event->has |= TB_HAS_SCOPE;
  if (legacy->has_duration) {
    event->has |= TB_HAS_DUR;
    event->dur = tb_us_to_ns(legacy->duration_us);
  }
  if (legacy->has_thread_duration) {
    event->has |= TB_HAS_THREAD_DUR;
    event->thread_dur = tb_us_to_ns(legacy->thread_duration_us);
  }
  if (legacy->use_async_tts) event->has |= TB_HAS_USE_ASYNC_TTS;
  if (legacy->bind_to_enclosing) event->has |= TB_HAS_BIND_ENCLOSING;
  if (!legacy->has_bind_id) return;
  event->bind_id = (struct tb_id){.kind = TB_ID_PLAIN, .is_number = true, .value = legacy->bind_id};
  if (bind_ids_apart) event->bind_id.value = apart(legacy->bind_id);
  if (legacy->flow_direction & TB_TRACK_EVENT_LEGACY_EVENT_FLOW_IN) event->has |= TB_HAS_FLOW_IN;
  if (legacy->flow_direction & TB_TRACK_EVENT_LEGACY_EVENT_FLOW_OUT) event->has |= TB_HAS_FLOW_OUT;
}
