/* SPDX-License-Identifier: Apache-2.0
 *
 * A TrackEvent's fields as they are on the wire, before they are resolved.
 */
#ifndef TB_PERFETTO_READER_TRACK_EVENT_FIELDS_H
#define TB_PERFETTO_READER_TRACK_EVENT_FIELDS_H

#include "perfetto/reader/reader.h"

enum { TB_TRACK_EVENT_LIST_MAX = 200, TB_TRACK_EVENT_CATEGORIES_KEPT = 3 };

/* Bits of tb_track_event_fields.has. */
enum tb_track_event_has {
  TB_TE_TYPE = 1 << 0,
  TB_TE_TRACK = 1 << 1,
  TB_TE_NAME = 1 << 2,
  TB_TE_COUNTER = 1 << 3,
  TB_TE_DOUBLE_COUNTER = 1 << 4,
  TB_TE_CORRELATION = 1 << 5,
  TB_TE_CALLSTACK = 1 << 6,
  TB_TE_CALLSTACK_IID = 1 << 7,
  TB_TE_WEIGHT = 1 << 8,
  TB_TE_SOURCE_LOCATION = 1 << 9,
  TB_TE_SOURCE_LOCATION_IID = 1 << 10,
  TB_TE_LEGACY = 1 << 11,
  TB_TE_TIMESTAMP_DELTA = 1 << 12,
  TB_TE_TIMESTAMP_ABSOLUTE = 1 << 13,
  TB_TE_THREAD_DELTA = 1 << 14,
  TB_TE_THREAD_ABSOLUTE = 1 << 15,
  TB_TE_INSTRUCTIONS_DELTA = 1 << 16,
  TB_TE_INSTRUCTIONS_ABSOLUTE = 1 << 17,
  TB_TE_ARGS = 1 << 18,
  TB_TE_TYPED = 1 << 19, /* fields that become typed arguments */
  TB_TE_LOG = 1 << 20,
  TB_TE_TASK = 1 << 21,
  TB_TE_FLOWS = 1 << 22,
  TB_TE_LEGACY_AGAIN = 1 << 23, /* more than one legacy event, which are to be merged; `legacy` is the last */
  TB_TE_RARE = TB_TE_FLOWS | TB_TE_CORRELATION | TB_TE_WEIGHT | TB_TE_CALLSTACK | TB_TE_CALLSTACK_IID |
               TB_TE_SOURCE_LOCATION | TB_TE_SOURCE_LOCATION_IID,
  TB_TE_LATE_FIELDS = TB_TE_TIMESTAMP_DELTA | TB_TE_TIMESTAMP_ABSOLUTE | TB_TE_THREAD_DELTA | TB_TE_THREAD_ABSOLUTE |
                      TB_TE_INSTRUCTIONS_DELTA | TB_TE_INSTRUCTIONS_ABSOLUTE
};

/* A repeated field's values, at most TB_TRACK_EVENT_LIST_MAX. */
struct tb_number_list {
  uint64_t *items; /* unset where there are none */
  uint32_t count;
};

/* `has` says which of the plain members are there; the others hold nothing. */
struct tb_track_event_fields {
  uint32_t has;
  uint32_t type;
  uint32_t category_count;
  bool inline_category; /* some category is in the event itself */
  struct tb_number_list counter_uuids, counter_values, double_counter_uuids, double_counter_values;
  struct tb_number_list flows, terminating_flows;
  size_t first_arg, first_top_arg; /* in the batch: the first argument, and the last top-level one */
  /* cleared up to here */
  struct tb_str categories[TB_TRACK_EVENT_CATEGORIES_KEPT]; /* the first ones */
  uint64_t track_uuid;
  struct tb_str name;
  uint64_t counter; /* int64, or the bits of a double */
  uint64_t correlation;
  struct tb_str correlation_text;
  struct tb_str callstack;
  uint64_t callstack_iid;
  uint64_t weight;
  struct tb_str source_location;
  uint64_t source_location_iid;
  struct tb_str legacy;
  struct tb_str log, task;
  int64_t timestamp_us, thread_us, instructions;
};

/* Reads the fields; annotations go to the batch's args at once. TB_OK, TB_BAD_DATA or a failure. */
TB_MUST_CHECK enum tb_status tb_track_event_fields_read(struct tb_perfetto_reader *r, struct tb_str payload,
                                                        struct tb_track_event_fields *fields);

/* Several categories as a comma list; reads `payload` again. */
struct tb_str tb_track_event_categories(struct tb_perfetto_reader *r, struct tb_str payload,
                                        const struct tb_track_event_fields *fields);

/* Whether the last annotation is the one in which our writer carries what TrackEvent has no field for
 * (docs/MAPPING.md). */
bool tb_perfetto_is_carried(const struct tb_perfetto_reader *r, const struct tb_track_event_fields *fields);

/* Puts annotations in which our writer carries something behind the others: an END whose slice is one packet has its
 * arguments behind those of the BEGIN. */
void tb_perfetto_put_carried_last(struct tb_perfetto_reader *r, struct tb_track_event_fields *fields);

/* Takes that annotation off the batch's arguments: what it says of the event goes there, the rest becomes `extra`. */
void tb_perfetto_apply_carried(struct tb_perfetto_reader *r, const struct tb_track_event_fields *fields,
                               struct tb_event *event);

#endif
