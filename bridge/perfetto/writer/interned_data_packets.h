/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets that define what events refer to by interned ids.
 */
#ifndef TB_PERFETTO_WRITER_INTERNED_DATA_PACKETS_H
#define TB_PERFETTO_WRITER_INTERNED_DATA_PACKETS_H

#include "perfetto/writer/encode/intern_tables.h"

struct tb_perfetto_writer;

/* Writes the entries of `uses` from written[kind] on, and moves written[]. */
TB_MUST_CHECK enum tb_status tb_perfetto_write_interned(struct tb_perfetto_writer *p, uint32_t sequence_id,
                                                        const struct tb_interned_uses *uses,
                                                        size_t written[TB_INTERNED_KINDS]);

#endif
