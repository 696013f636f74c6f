/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast path from an input to the merged trace: copies runs of plain TrackEvent packets
 * (perfetto/packet/packet_header.h), in which at most the sequence id and the timestamp change.
 */
#ifndef TB_MERGE_WRITE_WRITE_FAST_PATH_H
#define TB_MERGE_WRITE_WRITE_FAST_PATH_H

#include "merge/merger.h"

/* Reads and writes a source's next packets as long as they are plain, not later than `limit`, and at most some
 * thousands. *at_next: the one at which that ended is the source's current packet, in `common`; else the next is to
 * be read. TB_OK, or failed: see m->error. */
TB_MUST_CHECK enum tb_status tb_write_common(struct tb_merger *m, struct tb_source *s, int64_t limit, bool *at_next);

/* Writes the current packet, which is in `common`, and sets *status; false where more than that changes in it. */
bool tb_write_common_current(struct tb_merger *m, struct tb_source *s, enum tb_status *status);

#endif
