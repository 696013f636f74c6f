/* SPDX-License-Identifier: Apache-2.0
 *
 * A TrackEvent while it becomes an event.
 */
#ifndef TB_PERFETTO_PERFETTO_READER_TRACK_EVENT_H
#define TB_PERFETTO_PERFETTO_READER_TRACK_EVENT_H

#include "perfetto/legacy_event.h"
#include "perfetto/perfetto_reader.h"
#include "perfetto/track_event_fields.h"

struct tb_event_in_hand {
  struct tb_slice payload;
  struct tb_track_event_fields fields;
  struct tb_legacy_event legacy;
  struct tb_perfetto_track *track;
  int64_t ts;
  bool has_thread_ts, has_instructions, has_counters; /* counters: values that become events of their own */
  int64_t thread_ts, instructions;
};

/* ---- counters (perfetto_reader_counters.c) --------------------------------------------------------------------------- */

extern const char TB_PERFETTO_LOSS_COUNTER[];

/* Makes the event of the counter's value. */
struct tb_event *tb_perfetto_emit_counter(struct tb_perfetto_reader *r, const struct tb_event_in_hand *e);

/* Values that stand beside a slice: its thread's times go on the event itself, others become counter events behind it. The first
 * takes the former, the second makes the latter. */
void tb_perfetto_take_extra_counters(struct tb_perfetto_reader *r, struct tb_event_in_hand *e);
enum tb_status tb_perfetto_emit_extra_counters(struct tb_perfetto_reader *r, const struct tb_event_in_hand *e);

#endif
