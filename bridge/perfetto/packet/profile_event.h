/* SPDX-License-Identifier: Apache-2.0
 *
 * V8's CPU profiles in Chrome's traces: track events of the phase 'P', of one id for each profile of a process, which
 * say in JSON what was sampled.
 *
 *   "Profile"       {"startTime": US}                                    of MONOTONIC
 *   "ProfileChunk"  {"cpuProfile": {"nodes": [{"id": …}, …], "samples": [ID, …]}, "timeDeltas": [US, …],
 *                    "lines": [N, …], "columns": [N, …]}                 one of each for each sample
 */
#ifndef TB_PERFETTO_PACKET_PROFILE_EVENT_H
#define TB_PERFETTO_PACKET_PROFILE_EVENT_H

#include "protobuf/wire.h"

/* What a track event has of it. */
struct tb_profile_event {
  bool is_sample; /* it is of the phase 'P' */
  uint64_t id;
  /* the first annotation with such JSON: its field from `at`, which is NULL where there is none, to `after`, and the
   * field in it that has the JSON */
  const char *at, *after;
  struct tb_wire_field annotation, json;
};
void tb_profile_event_read(struct tb_str track_event, struct tb_profile_event *event);

/* Whether JSON text has one of the keys by which it is of a profile. */
bool tb_profile_json(struct tb_str json);

/* Where the JSON has the digits of startTime, and that in ns; false: nowhere. */
bool tb_profile_start(struct tb_str json, struct tb_str *digits, int64_t *ns);

/* A time of ns as startTime has it: to the nearest microsecond. */
int64_t tb_profile_start_us(int64_t ns);

#endif
