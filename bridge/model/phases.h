/* SPDX-License-Identifier: Apache-2.0
 *
 * What the phases of the Trace Event Format mean.
 */
#ifndef TB_MODEL_PHASES_H
#define TB_MODEL_PHASES_H

#include "tracebridge/event.h"

/* The type of the events of a phase; TB_EVENT_OTHER for an unknown one. */
enum tb_event_type tb_phase_event_type(char phase);

/* Whether an event has no time, but should have: its `ts` is that of a neighbour, and its phase is in phase_text. */
static inline bool tb_event_is_untimed(const struct tb_event *event) {
  return event->type == TB_EVENT_OTHER && !(event->has & TB_HAS_TS);
}

/* A complete event that has no duration is no slice. */
static inline enum tb_event_type tb_complete_event_type(const struct tb_event *event) {
  return event->has & TB_HAS_DUR ? TB_EVENT_SLICE_COMPLETE : TB_EVENT_INSTANT;
}

#endif
