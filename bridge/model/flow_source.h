/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows that are said twice: by flow ids of slices, and by flow events as the source of a Perfetto trace had them.
 */
#ifndef TB_MODEL_FLOW_SOURCE_H
#define TB_MODEL_FLOW_SOURCE_H

#include "tracebridge/event.h"

/* Whose flow events tell of a slice's flow ids, or a flow event is. The two join slices by rules of their own, so that a writer of the
 * one takes the events, of the other the ids. */
enum tb_flow_source { TB_FLOWS_ONCE, TB_FLOWS_DUPLICATED_BY_JSON, TB_FLOWS_DUPLICATED_BY_FXT };

static inline enum tb_flow_source tb_flow_source(const struct tb_event *event) {
  if (!(event->has & TB_HAS_FLOWS_DUPLICATED)) return TB_FLOWS_ONCE;
  return event->has & TB_HAS_ID_ONLY_MATCH ? TB_FLOWS_DUPLICATED_BY_FXT : TB_FLOWS_DUPLICATED_BY_JSON;
}

#endif
