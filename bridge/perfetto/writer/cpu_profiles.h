/* SPDX-License-Identifier: Apache-2.0
 *
 * V8's CPU profiles (see perfetto/packet/profile_event.h), as the trace processor makes samples of them: what was
 * sampled as JSON, the phase in legacy_event, and the thread by a descriptor on the sequence. A profile's events are
 * often of two threads, and are read in the order of the file: so those of all are on one sequence.
 */
#ifndef TB_PERFETTO_WRITER_CPU_PROFILES_H
#define TB_PERFETTO_WRITER_CPU_PROFILES_H

#include "perfetto/writer/sequence.h"

/* Puts an event of the phase 'P': another one than of a profile on a side track. */
TB_MUST_CHECK enum tb_status tb_perfetto_put_profile_event(struct tb_perfetto_writer *p, const struct tb_event *event);
/* Writes which thread the next event on the sequence is of, where that is another one than before. */
TB_MUST_CHECK enum tb_status tb_profile_sequence_name_thread(struct tb_sequence_writer *w,
                                                             const struct tb_track *thread);
/* Whether what the source says of clocks relates MONOTONIC to the trace clock, or it is that. */
bool tb_perfetto_knows_monotonic(const struct tb_perfetto_writer *p);

#endif
