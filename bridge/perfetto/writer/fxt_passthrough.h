/* SPDX-License-Identifier: Apache-2.0
 *
 * What only FXT has: blobs, Perfetto's packets in blobs, buffers that filled up.
 */
#ifndef TB_PERFETTO_WRITER_FXT_PASSTHROUGH_H
#define TB_PERFETTO_WRITER_FXT_PASSTHROUGH_H

#include "base/memory.h"
#include "tracebridge/event.h"

struct tb_perfetto_writer;

struct tb_writer_passthrough {
  struct tb_buffer packets;         /* serialised packets of the source */
  struct tb_buffer lossy_providers; /* uint32_t: providers whose buffers filled up */
};

TB_MUST_CHECK enum tb_status tb_perfetto_put_data_loss(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_put_blob(struct tb_perfetto_writer *p, const struct tb_event *event);
/* Marks the sequences of providers that lost events; writes the packet that says so of a sequence, its last. */
void tb_perfetto_mark_lossy(struct tb_perfetto_writer *p);
TB_MUST_CHECK enum tb_status tb_perfetto_write_loss(struct tb_perfetto_writer *p, uint32_t sequence_id);
/* Keeps whole packets of the source; they are written with sequence ids of their own after all others. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_packets(struct tb_perfetto_writer *p, const struct tb_event *event);
TB_MUST_CHECK enum tb_status tb_perfetto_write_packets(struct tb_perfetto_writer *p, uint32_t first_sequence_id);

#endif
