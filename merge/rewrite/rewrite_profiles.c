/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewriting when V8's CPU profiles begin, which Chrome's track events of the phase 'P' say in JSON, in microseconds of
 * MONOTONIC: `{"startTime":26838785102,…}`. Their samples count from there.
 */
#include <string.h>

#include "base/times.h"
#include "merge/rewrite/rewrite_internal.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { NS_OF_US = 1000, DIGITS_MOST = 18 };

/* The digits of the time in the JSON; empty: it has none. */
static struct tb_str find_digits(struct tb_str json) {
  static const struct tb_str key = {"\"startTime\":", 12};
  struct tb_str digits = {json.ptr, 0};
  for (size_t at = 0; at + key.len < json.len; at++) {
    const char *found = memchr(json.ptr + at, '"', json.len - at - key.len);
    if (!found) break;
    at = (size_t)(found - json.ptr);
    if (memcmp(found, key.ptr, key.len) != 0) continue;
    digits.ptr = found + key.len;
    while (digits.ptr + digits.len < json.ptr + json.len && digits.ptr[digits.len] >= '0' &&
           digits.ptr[digits.len] <= '9')
      digits.len++;
    break;
  }
  return digits.len <= DIGITS_MOST ? digits : (struct tb_str){json.ptr, 0};
}

static bool is_sample(struct tb_str legacy) {
  struct tb_wire_field f[TB_TRACK_EVENT_LEGACY_EVENT_PHASE + 1];
  (void)tb_wire_read_fields(legacy, f, TB_TRACK_EVENT_LEGACY_EVENT_PHASE + 1);
  return f[TB_TRACK_EVENT_LEGACY_EVENT_PHASE].value == 'P';
}

bool tb_find_profile_start(struct tb_str event, struct tb_profile_start *start) {
  struct tb_wire_cursor cursor = tb_wire_cursor(event);
  struct tb_wire_field field, value[TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE + 1];
  bool samples = false;
  start->digits.len = 0;
  for (const char *at = cursor.at; tb_wire_read(&cursor, &field) == TB_OK; at = cursor.at) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_TRACK_EVENT_LEGACY_EVENT) samples = is_sample(field.bytes);
    if (field.number != TB_TRACK_EVENT_DEBUG_ANNOTATIONS || start->digits.len) continue;
    (void)tb_wire_read_fields(field.bytes, value, TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE + 1);
    *start = (struct tb_profile_start){at, cursor.at, field, value[TB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE], {NULL, 0}};
    if (start->json.type == TB_WIRE_BYTES) start->digits = find_digits(tb_wire_text(&start->json));
  }
  return samples && start->digits.len;
}

enum tb_status tb_edit_profile_start(struct tb_edit *e, const struct tb_profile_start *start) {
  struct tb_message_patches_mark of_annotation, of_json;
  int64_t us = 0;
  for (size_t i = 0; i < start->digits.len; i++) us = us * 10 + (start->digits.ptr[i] - '0');
  tb_wide ns = (tb_wide)us * NS_OF_US;
  if (ns > INT64_MAX) return TB_OK;
  tb_wide moved = e->map->time(e->map->ctx, e->packet->machine_in, TB_CLOCK_MONOTONIC, (int64_t)ns);
  int64_t to = tb_time_clamp((moved + NS_OF_US / 2) / NS_OF_US);
  if (to == us || to < 0) return TB_OK;
  e->map->times_changed++;
  enum tb_status status = tb_message_patches_begin(e->patches, &start->annotation, &of_annotation);
  if (status == TB_OK) status = tb_message_patches_begin(e->patches, &start->json, &of_json);
  if (status == TB_OK) status = tb_message_patches_decimal(e->patches, start->digits, (uint64_t)to);
  if (status != TB_OK) return status;
  tb_message_patches_end(e->patches, &start->json, &of_json);
  tb_message_patches_end(e->patches, &start->annotation, &of_annotation);
  return TB_OK;
}
