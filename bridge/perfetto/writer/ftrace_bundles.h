/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: ftrace text, collected as it comes, written at the end with the events that it says.
 */
#ifndef TB_PERFETTO_WRITER_FTRACE_BUNDLES_H
#define TB_PERFETTO_WRITER_FTRACE_BUNDLES_H

#include "ftrace/text_store.h"
#include "tracebridge/event.h"

struct tb_perfetto_writer;

TB_MUST_CHECK enum tb_status tb_perfetto_put_system_trace(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_write_ftrace(struct tb_perfetto_writer *p, uint32_t sequence_id);

#endif
