/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the Perfetto reader share: reader.c walks over packets, the importers make events of their
 * payloads.
 */
#ifndef TB_PERFETTO_READER_READER_H
#define TB_PERFETTO_READER_READER_H

#include "model/reader_ops.h"
#include "perfetto/packet/packet_tokenizer.h"
#include "perfetto/packet/read_buffers.h"
#include "perfetto/packet/recording_starts.h"
#include "perfetto/packet/sequence_state.h"
#include "perfetto/reader/callstack.h"
#include "perfetto/reader/importers.h"
#include "perfetto/reader/tables/prefetch.h"
#include "perfetto/reader/tables/track_table.h"
#include "protobuf/descriptor_pool.h"
#include "protobuf/unpack.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { TB_PERFETTO_ARG_DEPTH_MAX = 100 };

struct tb_perfetto_reader {
  struct tb_reader *reader;
  const struct tb_allocator *allocator;
  struct tb_packet_tokenizer stream;
  struct tb_read_buffers windows;
  struct tb_trace_state state;
  struct tb_tracks tracks;
  size_t renumbered; /* of its processes that have a made-up pid, those that are noted */
  struct tb_prefetcher prefetcher;
  struct tb_descriptor_pool schema;
  struct {
    uint32_t track_event, gpu_stage, annotation, histogram_sample;
  } types; /* their ids in the schema */
  struct tb_recording_starts recordings;
  uint64_t start_offset; /* of the last packet that may begin another recording, + 1 */
  bool looked_ahead;     /* the whole input was searched for descriptors and snapshots that come late */

  /* the current packet */
  struct tb_batch *batch;
  struct tb_packet_header head;
  struct tb_packet_context context;
  int64_t latest;  /* time of packets so far: that of packets that have none */
  uint64_t cut_at; /* where a packet was that seemed to be the last; TB_NO_OFFSET: there was none */
  size_t emitted;  /* events it made, with those of earlier fills */
  size_t given;    /* events it made in earlier fills: it is read again because they filled their batch */
  bool full;       /* it has more events than the batch has room */
  bool batch_full; /* nothing more goes into the batch that is filled */
  bool out_of_memory;
  bool may_change_tracks;                    /* nobody reads them while this batch is filled */
  size_t events_before_window, windows_kept; /* of this batch */

  struct tb_importer_memory *importer_memory; /* what importers keep */
  void *importer_state;                       /* of it, that of the current packet's importer */

  struct tb_event spare; /* where events go that are not given out */
  struct tb_arena scratch;
};

/* A new event of the current packet, with its time, sequence and offset. Never NULL: where the batch is full it is one
 * that nobody will see. */
struct tb_event *tb_perfetto_emit(struct tb_perfetto_reader *r, enum tb_event_type type);

/* Memory that lives as long as the batch. NULL when exhausted, which the reader then reports. */
void *tb_perfetto_alloc(struct tb_perfetto_reader *r, size_t size);

/* Gives out a track as TB_EVENT_TRACK where it is not emitted yet. */
void tb_perfetto_emit_track(struct tb_perfetto_reader *r, struct tb_perfetto_track *track);

/* The track of a process or thread of the packet's machine; a thread's process where `pid` says which. NULL when
 * memory is exhausted. */
struct tb_perfetto_track *tb_perfetto_process(struct tb_perfetto_reader *r, int64_t pid);
struct tb_perfetto_track *tb_perfetto_thread(struct tb_perfetto_reader *r, const int64_t *pid, int64_t tid);

/* Emits the current packet as it is: no event holds all of it. */
void tb_perfetto_pass_packet(struct tb_perfetto_reader *r);
/* The same with other bytes, its tag and length included, in memory of the batch. */
void tb_perfetto_pass_bytes(struct tb_perfetto_reader *r, struct tb_str packet);

/* Emits the current packet as it was in the blob of FXT that it came from (perfetto/reader/fxt_passthrough.c). TB_OK
 * or TB_BAD_DATA. */
enum tb_status tb_perfetto_return_packet(struct tb_perfetto_reader *r);

/* Gives a process or thread a name, where that is not empty and it has no better one; the current packet says it. */
void tb_perfetto_name_track_by(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, struct tb_str name,
                               struct tb_name_source by);
void tb_perfetto_name_track(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, struct tb_str name,
                            enum tb_name_rank rank);

/* Reads a message into the batch's memory; see tb_message_read. */
enum tb_status tb_perfetto_unpack(struct tb_perfetto_reader *r, const ProtobufCMessageDescriptor *type,
                                  struct tb_str bytes, ProtobufCMessage **message);

/* Searches the input to its end for descriptors that come late, of tracks and of extensions. False where that was
 * done before. */
bool tb_perfetto_look_ahead(struct tb_perfetto_reader *r);

/* Calls `look` for each readable packet of the input, to its end. False where that cannot be read twice. */
typedef void (*tb_perfetto_look)(struct tb_perfetto_reader *r, const struct tb_packet_header *head);
bool tb_perfetto_look_at_packets(struct tb_perfetto_reader *r, tb_perfetto_look look);

/* The track of a uuid; the input is searched for its descriptor where it has not come yet. NULL when memory is
 * exhausted. */
struct tb_perfetto_track *tb_perfetto_find_track(struct tb_perfetto_reader *r, uint64_t uuid);

/* Counts a loss at the current packet. */
TB_MUST_CHECK enum tb_status tb_perfetto_lose(struct tb_perfetto_reader *r, const char *reason);

void tb_perfetto_lose_interned(struct tb_perfetto_reader *r);

/* The interned text, or NULL; a missing one is counted. */
static inline const struct tb_str *tb_perfetto_interned(struct tb_perfetto_reader *r, enum tb_index index,
                                                        uint64_t iid) {
  const struct tb_str *text = tb_iid_index_get(r->context.sequence->indexes[index], iid);
  if (!text) tb_perfetto_lose_interned(r);
  return text;
}
/* The same, empty where it is missing. */
static inline struct tb_str tb_perfetto_interned_text(struct tb_perfetto_reader *r, enum tb_index index, uint64_t iid) {
  const struct tb_str *text = tb_perfetto_interned(r, index, iid);
  return text ? *text : (struct tb_str){"", 0};
}

/* A value of a counter track (perfetto/reader/counter_events.c). */
struct tb_event *tb_perfetto_emit_integer(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, int64_t ts,
                                          int64_t number);
struct tb_event *tb_perfetto_emit_double(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, int64_t ts,
                                         double number);

/* ---- parts of events --------------------------------------------------------------------------------------------- */

/* Appends the argument that a DebugAnnotation says to the batch's args, which have room for half its length.
 * `depth`: how deep it is in others, and in typed messages. */
enum tb_status tb_perfetto_annotation(struct tb_perfetto_reader *r, struct tb_str annotation, unsigned depth);

/* The track of the packet's sequence: its default, or the one of its thread descriptor; NULL where it has none. */
struct tb_perfetto_track *tb_perfetto_default_track(struct tb_perfetto_reader *r);

/* The next argument of the batch, for which there must be room. */
static inline struct tb_arg *tb_perfetto_add_arg(struct tb_perfetto_reader *r, struct tb_str name) {
  struct tb_arg *arg = &r->batch->args[r->batch->arg_count++];
  *arg = (struct tb_arg){.name = name, .span = 1};
  return arg;
}

#endif
