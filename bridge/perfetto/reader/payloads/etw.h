/* SPDX-License-Identifier: Apache-2.0
 *
 * What the importer of Windows' events (payloads/etw_importer.c) and that of file operations among them share.
 */
#ifndef TB_PERFETTO_READER_PAYLOADS_ETW_H
#define TB_PERFETTO_READER_PAYLOADS_ETW_H

#include "base/map.h"
#include "perfetto/reader/reader.h"

/* An operation on a file that has begun and not ended. */
struct tb_etw_operation {
  uint64_t irp; /* its I/O request packet, of one operation at a time */
  uint32_t machine;
  uint32_t thread; /* the index of the thread's track */
  uint32_t lane;   /* which of the thread's tracks for operations it is on */
  int64_t ts;
  struct tb_str name; /* constant */
};

/* What lasts from bundle to bundle. */
struct tb_etw {
  struct tb_map begun; /* irp, machine -> place in `operations` */
  struct tb_map lanes; /* thread, lane -> how many operations are on it that have begun */
  struct tb_etw_operation *operations;
  size_t count, capacity;
  /* The current bundle may be read again, where a batch has no room for all of it. Each kind of event in each of its
   * events is a step: how many are given out whole, and how many events of ours they made; which one is looked at. */
  size_t done, emitted, step;
  bool resumes; /* the next bundle is one that is read again */
};

/* An event of a bundle. */
struct tb_etw_event {
  int64_t ts, tid;
  uint32_t cpu;
};

/* Whether FileIo events are of that field of EtwTraceEvent. */
bool tb_etw_is_file(uint32_t kind);
/* A slice's begin or end, or both; behind another's end; with their tracks fewer than 16 events. */
void tb_etw_emit_file(struct tb_perfetto_reader *r, const struct tb_etw_event *event, uint32_t kind,
                      struct tb_str message);
/* When there are no more packets: what has begun and never ends lasts no time, as far as the batch takes it. */
void tb_etw_end_files(struct tb_perfetto_reader *r);

#endif
