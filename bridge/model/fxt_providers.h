/* SPDX-License-Identifier: Apache-2.0
 *
 * Metadata about FXT's providers, which other formats have not. It comes before all that would be written as somebody
 * else's.
 */
#ifndef TB_MODEL_FXT_PROVIDERS_H
#define TB_MODEL_FXT_PROVIDERS_H

#include "base/memory.h"
#include "tracebridge/event.h"

#define TB_PROVIDER_HOME "fxt.provider"       /* of a process: who told of it first, arguments `id` and `name` */
#define TB_PROVIDER_NAME TB_PROVIDER_HOME "." /* of the trace, the provider's id behind it: its name */

static inline bool tb_is_provider_metadata(const struct tb_event *event) {
  static const struct tb_str home = {TB_PROVIDER_HOME, sizeof(TB_PROVIDER_HOME) - 1};
  static const struct tb_str name = {TB_PROVIDER_NAME, sizeof(TB_PROVIDER_NAME) - 1};
  if (event->type == TB_EVENT_METADATA) return tb_str_equal(event->name, home);
  return event->type == TB_EVENT_TRACE_METADATA && event->name.len > name.len &&
         memcmp(event->name.ptr, name.ptr, name.len) == 0;
}

#endif
