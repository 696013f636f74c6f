/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of tb_merger_assign_ids.
 */
#ifndef TB_MERGE_REWRITE_ID_ASSIGNMENT_H
#define TB_MERGE_REWRITE_ID_ASSIGNMENT_H

#include "merge/merger.h"

/* track_ids.c; machines must be assigned. */
TB_MUST_CHECK enum tb_status tb_assign_tracks(struct tb_merger *m);
/* track_uuids.c: the uuids of tracks of which is known which are one. */
TB_MUST_CHECK enum tb_status tb_assign_track_uuids(struct tb_merger *m);
/* clock_ids.c */
TB_MUST_CHECK enum tb_status tb_assign_clocks(struct tb_merger *m);
/* clock_ids.c: how readings inside payloads move; clocks must be assigned. */
TB_MUST_CHECK enum tb_status tb_assign_times(struct tb_merger *m);

#endif
