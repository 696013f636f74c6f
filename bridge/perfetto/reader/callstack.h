/* SPDX-License-Identifier: Apache-2.0
 *
 * Call stacks of events.
 */
#ifndef TB_PERFETTO_READER_CALLSTACK_H
#define TB_PERFETTO_READER_CALLSTACK_H

#include "tracebridge/event.h"

struct tb_perfetto_reader;

/* The stack that an interned callstack, or a Callstack message of TrackEvent, says. An unknown one is empty, and
 * counted. */
struct tb_stack tb_perfetto_interned_stack(struct tb_perfetto_reader *r, uint64_t iid);
struct tb_stack tb_perfetto_inline_stack(struct tb_perfetto_reader *r, struct tb_str message);

/* The place that a SourceLocation message says. */
struct tb_frame tb_perfetto_source_location(struct tb_str message);

#endif
