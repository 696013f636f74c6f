/* SPDX-License-Identifier: Apache-2.0
 *
 * Metadata about FXT's providers, which other formats do not have. Emitted before the first record of the provider.
 */
#ifndef TB_MODEL_FXT_PROVIDERS_H
#define TB_MODEL_FXT_PROVIDERS_H

#include "base/memory.h"
#include "tracebridge/event.h"

/* of a process: the provider that named it first, arguments `id` and `name` */
#define TB_PROVIDER_OF_PROCESS "fxt.provider"
/* of the trace, the provider's id behind it: its name */
#define TB_PROVIDER_NAME TB_PROVIDER_OF_PROCESS "."

static inline bool tb_is_provider_metadata(const struct tb_event *event) {
  static const struct tb_str of_process = {TB_PROVIDER_OF_PROCESS, sizeof(TB_PROVIDER_OF_PROCESS) - 1};
  static const struct tb_str name = {TB_PROVIDER_NAME, sizeof(TB_PROVIDER_NAME) - 1};
  if (event->type == TB_EVENT_METADATA) return tb_str_equal(event->name, of_process);
  return event->type == TB_EVENT_TRACE_METADATA && event->name.len > name.len &&
         memcmp(event->name.ptr, name.ptr, name.len) == 0;
}

#endif
