/* SPDX-License-Identifier: Apache-2.0
 *
 * LegacyEvent: what a TrackEvent keeps of Chrome's older events, and the phases that they and we name.
 */
#ifndef TB_PERFETTO_READER_LEGACY_EVENT_H
#define TB_PERFETTO_READER_LEGACY_EVENT_H

#include "perfetto/reader/reader.h"

struct tb_legacy_event {
  bool present, has_phase, has_name_iid, has_duration, has_thread_duration, has_bind_id, has_pid, has_tid, has_scope;
  bool use_async_tts, bind_to_enclosing;
  char phase;
  uint8_t flow_direction, instant_scope;
  uint64_t name_iid;
  int64_t duration_us, thread_duration_us;
  uint64_t bind_id;
  int64_t pid, tid;
  struct tb_id id;
  struct tb_str scope;
};

/* Times of hostile traces wrap instead of being undefined. */
static inline int64_t tb_us_to_ns(int64_t us) { return (int64_t)((uint64_t)us * 1000u); }

/* TB_OK or TB_BAD_DATA. */
TB_MUST_CHECK enum tb_status tb_legacy_event_read(struct tb_str message, struct tb_legacy_event *legacy);
/* Merges all of a TrackEvent, as readers of protobuf do. TB_OK or TB_BAD_DATA. */
TB_MUST_CHECK enum tb_status tb_legacy_event_merge(struct tb_str track_event, struct tb_legacy_event *legacy);

/* Puts ids, scope, durations, flow binding and the like on the event; not the phase. */
void tb_legacy_event_apply(const struct tb_legacy_event *legacy, bool bind_ids_apart, struct tb_event *event);

#endif
