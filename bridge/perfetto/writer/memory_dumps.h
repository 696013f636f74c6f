/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory dumps on their way to MemoryTrackerSnapshots. Chrome's JSON says what one process holds in several events; the
 * trace processor takes one ProcessSnapshot of a process at one time. So what came for one dump is put together once
 * all of its time is there.
 */
#ifndef TB_PERFETTO_WRITER_MEMORY_DUMPS_H
#define TB_PERFETTO_WRITER_MEMORY_DUMPS_H

#include "perfetto/writer/sequence.h"

/* What the body of a queue's entry begins with; fields of a ProcessSnapshot follow. */
struct tb_memory_snapshot_head {
  uint64_t dump, level, pid;
};

struct tb_process_snapshot {
  uint32_t key; /* of the dump */
  struct tb_memory_snapshot_head head;
  struct tb_buffer fields;
};

/* The dumps of one time, while they are put together. */
struct tb_memory_snapshots {
  const struct tb_allocator *allocator;
  int64_t ts;
  struct tb_process_snapshot *processes;
  size_t count, capacity;
};

void tb_memory_snapshots_init(struct tb_memory_snapshots *snapshots, const struct tb_allocator *allocator);
void tb_memory_snapshots_free(struct tb_memory_snapshots *snapshots);
/* Takes an entry of class TB_GROUP_MEMORY; all that is held must be of its time. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_memory_snapshots_take(struct tb_memory_snapshots *snapshots,
                                                      const struct tb_staged_event *entry);
/* Writes what is held, a packet for each dump. */
TB_MUST_CHECK enum tb_status tb_memory_snapshots_put(struct tb_memory_snapshots *snapshots,
                                                     struct tb_sequence_writer *w);

TB_MUST_CHECK enum tb_status tb_perfetto_put_memory_dump(struct tb_perfetto_writer *p, const struct tb_event *event);

#endif
