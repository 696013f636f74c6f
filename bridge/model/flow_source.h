/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows that are said twice: by flow ids of slices, and by flow events as the source of a Perfetto trace had them.
 */
#ifndef TB_MODEL_FLOW_SOURCE_H
#define TB_MODEL_FLOW_SOURCE_H

#include "tracebridge/event.h"

/* Whether flow events say the flow ids of a slice once more, or a flow event does, and what those events know a flow
 * by: id, name and categories, or the id alone. The two kinds join slices by rules of their own, so that a target takes
 * the events of its own kind, and else the ids. */
enum tb_flow_source { TB_FLOWS_ONCE, TB_FLOWS_DUPLICATED_BY_NAME, TB_FLOWS_DUPLICATED_BY_ID };

static inline enum tb_flow_source tb_flow_source(const struct tb_event *event) {
  if (!(event->has & TB_HAS_FLOWS_DUPLICATED)) return TB_FLOWS_ONCE;
  return event->has & TB_HAS_ID_ONLY_MATCH ? TB_FLOWS_DUPLICATED_BY_ID : TB_FLOWS_DUPLICATED_BY_NAME;
}

#endif
