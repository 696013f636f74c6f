/* SPDX-License-Identifier: Apache-2.0
 *
 * What kind of field a field of TrackEvent is, by its number.
 */
#ifndef TB_TOOLBOX_WALK_EVENT_FIELDS_H
#define TB_TOOLBOX_WALK_EVENT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

/* The id of a flow. */
bool tb_event_field_is_flow(uint32_t number);
/* Values of further counters, and their tracks. */
bool tb_event_field_is_extra(uint32_t number);
/* An argument of the event: all other fields but those of its type, name, categories, track, times, value, callstack
 * and legacy event. */
bool tb_event_field_is_argument(uint32_t number);

/* Where fields end that were passed over, and whether there were any. */
struct tb_passed_fields {
  const char *end;
  bool args, flows;
};
/* Passes over arguments and ids of flows from `at` on. By value, so that callers keep what they read in registers. */
struct tb_passed_fields tb_event_fields_pass(const char *at, const char *end);

#endif
