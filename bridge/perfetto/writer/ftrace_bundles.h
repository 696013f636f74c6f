/* SPDX-License-Identifier: Apache-2.0
 *
 * ftrace text: collected as it comes, written at the end with the events that it says.
 */
#ifndef TB_PERFETTO_WRITER_FTRACE_BUNDLES_H
#define TB_PERFETTO_WRITER_FTRACE_BUNDLES_H

#include "io/spill_log.h"
#include "tracebridge/event.h"

struct tb_perfetto_writer;

struct tb_writer_ftrace {
  struct tb_spill_log text; /* a line is in one segment */
  struct tb_buffer line;    /* the start of one that is not whole */
  bool is_old;              /* it has states that only older kernels print */
};

TB_MUST_CHECK enum tb_status tb_perfetto_put_system_trace(struct tb_perfetto_writer *p, const struct tb_event *event);
bool tb_perfetto_has_ftrace(const struct tb_perfetto_writer *p);
TB_MUST_CHECK enum tb_status tb_perfetto_write_ftrace(struct tb_perfetto_writer *p, uint32_t sequence_id);

#endif
