/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/profile_event.h"

#include <string.h>

#include "protos/field_numbers.h"

enum { NS_OF_US = 1000, DIGITS_MOST = 15 /* of a number that is in nanoseconds an int64 */ };

/* Where the JSON has the key, with its quotes; NULL: nowhere. */
static const char *find_key(struct tb_str json, struct tb_str key) {
  const char *at = json.ptr, *end = json.ptr + json.len;
  while (at && (size_t)(end - at) > key.len && memcmp(at, key.ptr, key.len) != 0)
    at = memchr(at + 1, '"', (size_t)(end - at - 1));
  return at && (size_t)(end - at) > key.len ? at : NULL;
}

static const struct tb_str start_key = {"\"startTime\"", 11}, profile_key = {"\"cpuProfile\"", 12};

bool tb_profile_json(struct tb_str json) { return find_key(json, profile_key) || find_key(json, start_key); }

static void take_legacy_event(struct tb_profile_event *event, struct tb_str legacy) {
  struct tb_wire_field f[TB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID + 1];
  (void)tb_wire_read_fields(legacy, f, TB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID + 1);
  event->is_sample = f[TB_TRACK_EVENT_LEGACY_EVENT_PHASE].value == 'P';
  event->id = f[TB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID].value;
}

void tb_profile_event_read(struct tb_str track_event, struct tb_profile_event *event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(track_event);
  struct tb_wire_field field, value[TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE + 1];
  *event = (struct tb_profile_event){.is_sample = false};
  for (const char *at = cursor.at; tb_wire_read(&cursor, &field) == TB_OK; at = cursor.at) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_TRACK_EVENT_LEGACY_EVENT) take_legacy_event(event, field.bytes);
    if (field.number != TB_TRACK_EVENT_DEBUG_ANNOTATIONS || event->at) continue;
    (void)tb_wire_read_fields(field.bytes, value, TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE + 1);
    if (!tb_profile_json(tb_wire_text(&value[TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE]))) continue;
    event->at = at;
    event->after = cursor.at;
    event->annotation = field;
    event->json = value[TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE];
  }
}

bool tb_profile_start(struct tb_str json, struct tb_str *digits, int64_t *ns) {
  const char *at = find_key(json, start_key), *end = json.ptr + json.len;
  int64_t us = 0;
  if (at) at += start_key.len;
  while (at && at < end && (*at == ' ' || *at == ':')) at++;
  *digits = (struct tb_str){at, 0};
  for (; at && at < end && *at >= '0' && *at <= '9'; at++, digits->len++) {
    if (digits->len == DIGITS_MOST) return false;
    us = us * 10 + (*at - '0');
  }
  *ns = us * NS_OF_US;
  return digits->len != 0;
}

int64_t tb_profile_start_us(int64_t ns) {
  int64_t us = ns / NS_OF_US, rest = ns % NS_OF_US;
  return us + (rest >= NS_OF_US / 2) - (rest < -NS_OF_US / 2);
}
