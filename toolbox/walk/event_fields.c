/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/event_fields.h"

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

bool tb_event_field_is_flow(uint32_t number) {
  return number == TB_TRACK_EVENT_FLOW_IDS || number == TB_TRACK_EVENT_FLOW_IDS_OLD ||
         number == TB_TRACK_EVENT_TERMINATING_FLOW_IDS || number == TB_TRACK_EVENT_TERMINATING_FLOW_IDS_OLD;
}

/* What the event is, on which track and when; a counter's value; its callstack. */
static bool is_of_event(uint32_t number) {
  switch (number) {
    case TB_TRACK_EVENT_CATEGORY_IIDS:
    case TB_TRACK_EVENT_CATEGORIES:
    case TB_TRACK_EVENT_NAME_IID:
    case TB_TRACK_EVENT_NAME:
    case TB_TRACK_EVENT_TYPE:
    case TB_TRACK_EVENT_TRACK_UUID:
    case TB_TRACK_EVENT_COUNTER_VALUE:
    case TB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
    case TB_TRACK_EVENT_CALLSTACK:
    case TB_TRACK_EVENT_CALLSTACK_IID:
    case TB_TRACK_EVENT_CALLSTACK_WEIGHT:
    case TB_TRACK_EVENT_LEGACY_EVENT:
    case TB_TRACK_EVENT_TIMESTAMP_DELTA_US:
    case TB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US:
    case TB_TRACK_EVENT_THREAD_TIME_DELTA_US:
    case TB_TRACK_EVENT_THREAD_TIME_ABSOLUTE_US:
    case TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA:
    case TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE:
      return true;
    default:
      return false;
  }
}

bool tb_event_field_is_extra(uint32_t number) {
  return number == TB_TRACK_EVENT_EXTRA_COUNTER_VALUES || number == TB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS ||
         number == TB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES ||
         number == TB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS;
}

bool tb_event_field_is_argument(uint32_t number) {
  return !is_of_event(number) && !tb_event_field_is_flow(number) && !tb_event_field_is_extra(number);
}

struct tb_passed_fields tb_event_fields_pass(const char *at, const char *end) {
  struct tb_passed_fields passed = {at, false, false};
  struct tb_wire_cursor cursor = tb_wire_cursor((struct tb_str){at, (size_t)(end - at)});
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    bool is_flow = tb_event_field_is_flow(field.number);
    if (!is_flow && !tb_event_field_is_argument(field.number)) break;
    passed.flows |= is_flow;
    passed.args |= !is_flow;
    passed.end = cursor.at;
  }
  return passed;
}
