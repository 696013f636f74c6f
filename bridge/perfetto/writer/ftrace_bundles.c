/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/writer/ftrace_bundles.h"

#include "base/error.h"
#include "base/losses.h"
#include "ftrace/packets_of_text.h"
#include "perfetto/writer/writer.h"

enum tb_status tb_perfetto_put_system_trace(struct tb_perfetto_writer *p, const struct tb_event *event) {
  p->staging.unchecked += event->blob.len;
  return tb_ftrace_text_put(&p->ftrace, event->blob);
}

static enum tb_status put_packet(void *ctx, struct tb_str fields) { return tb_packet_sink_put_fields(ctx, fields); }

static void add_summary(struct tb_writer_summary *to, struct tb_ftrace_packets_summary from) {
  to->ftrace_events += from.events;
  to->processes += from.processes;
  to->threads += from.threads;
  if (from.first_ts < to->first_ts) to->first_ts = from.first_ts;
  if (from.last_ts > to->last_ts) to->last_ts = from.last_ts;
}

static enum tb_status lose_line(void *losses, const char *reason) {
  tb_losses_add(losses, reason, TB_NO_OFFSET);
  return TB_OK;
}

enum tb_status tb_perfetto_write_ftrace(struct tb_perfetto_writer *p, uint32_t sequence_id) {
  struct tb_ftrace_packets_options options = {.allocator = p->allocator,
                                              .put = put_packet,
                                              .ctx = &p->sink,
                                              .sequence = sequence_id,
                                              .trace_clock = p->trace_clock,
                                              .lose = lose_line,
                                              .lose_ctx = &p->writer->losses,
                                              .error = &p->writer->error};
  enum tb_status status = tb_ftrace_text_end(&p->ftrace);
  struct tb_ftrace_packets *packets = status == TB_OK ? tb_ftrace_packets_create(&p->ftrace, &options) : NULL;
  if (!packets) status = TB_NO_MEMORY;
  while (status == TB_OK) status = tb_ftrace_packets_step(packets);
  if (packets) add_summary(&p->writer->summary, tb_ftrace_packets_summary(packets));
  tb_ftrace_packets_destroy(packets);
  if (status == TB_END) return TB_OK;
  if (p->writer->error.code == TB_OK)
    return tb_fail(&p->writer->error, status, TB_NO_OFFSET, "cannot write ftrace events: %s", tb_status_text(status));
  return status;
}
