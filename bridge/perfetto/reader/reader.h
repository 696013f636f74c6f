/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the Perfetto reader share: reader.c walks over packets, the importers make events of their payloads.
 */
#ifndef TB_PERFETTO_READER_READER_H
#define TB_PERFETTO_READER_READER_H

#include "ftrace/event_text.h"
#include "model/reader_ops.h"
#include "perfetto/packet/packet_tokenizer.h"
#include "perfetto/packet/read_buffers.h"
#include "perfetto/packet/sequence_state.h"
#include "perfetto/reader/tables/track_table.h"
#include "protobuf/descriptor_pool.h"
#include "protobuf/unpack.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { TB_PERFETTO_ARG_DEPTH_MAX = 100 };

enum { TB_PERFETTO_COMM_MAX = 16 }; /* names of Linux's tasks are no longer */

/* A thread that runs on a cpu; tid -1: none is known to. */
struct tb_perfetto_running {
  int64_t tid;
  int32_t priority;
  size_t comm_len;
  char comm[TB_PERFETTO_COMM_MAX];
};

struct tb_perfetto_reader {
  struct tb_reader *reader;
  const struct tb_allocator *allocator;
  struct tb_packet_tokenizer stream;
  struct tb_read_buffers windows;
  struct tb_trace_state state;
  struct tb_tracks tracks;
  struct tb_descriptor_pool schema;
  struct {
    uint32_t track_event, gpu_stage, annotation, histogram_sample;
  } types;           /* their ids in the schema */
  bool looked_ahead; /* the whole input was searched for descriptors and snapshots that come late */

  /* the packet in hand */
  struct tb_batch *batch;
  struct tb_packet_header head;
  struct tb_packet_context context;
  int64_t latest;  /* time of packets so far: that of packets that have none */
  size_t emitted;  /* events it made, with those of earlier fills */
  size_t given;    /* events it made in earlier fills: it is read again because they filled their batch */
  bool full;       /* it has more events than the batch has room */
  bool batch_full; /* nothing more goes into the batch that is filled */
  bool out_of_memory;
  bool may_change_tracks;                    /* nobody reads them while this batch is filled */
  size_t events_before_window, windows_kept; /* of this batch */

  /* comma lists of interned categories that were joined lately; the texts are known by where they stand in the pool */
  struct {
    const char *parts[3];
    struct tb_str joined;
  } joined_categories[16];

  struct tb_map running_on; /* cpu, machine -> which of `running` runs there, as ftrace says */
  struct tb_perfetto_running *running;
  size_t running_count, running_capacity;
  struct tb_perfetto_running bundle_first; /* the one that ran as the bundle in hand began */
  enum tb_ftrace_states ftrace_states;     /* as the kernel's version says */
  uint32_t page_size;                      /* of the machine's memory; 0 where it is not said */
  struct tb_json_emit line;                /* of the system's events as text, while it grows */
  struct tb_map ftrace_texts;              /* sequences that have had ftrace as text */
  struct tb_map makers;                    /* of threads whose process was not known: tid, machine -> tid */
  struct tb_map rails;                     /* of power: number, session -> counter */
  struct tb_map energy_consumers;          /* number, machine -> counter */
  struct tb_map entity_states;             /* numbers of entity and state, machine -> counter */
  struct tb_perfetto_gpu *gpu;             /* what is known of its counters and queues; NULL where nothing is */
  struct {
    struct tb_map processes, tokens; /* of open frames: cookie, machine -> track of the process; token */
    struct tb_map shown;             /* display tokens, machine: a surface frame began a flow to them */
  } frames;

  /* the call stack that was read last, valid in one batch and one state of its sequence */
  const struct tb_sequence_state *recent_sequence;
  const char *recent_callstack;
  uint64_t recent_batch;
  uint32_t recent_version;
  struct tb_stack recent_stack;

  struct tb_event spare; /* where events go that are not given out */
  struct tb_arena scratch;
};

/* A new event of the packet in hand, with its time, sequence and offset. Never NULL: where the batch is full it is one
 * that nobody will see. */
struct tb_event *tb_perfetto_emit(struct tb_perfetto_reader *r, enum tb_event_type type);

/* Memory that lives as long as the batch. NULL when exhausted, which the reader then reports. */
void *tb_perfetto_alloc(struct tb_perfetto_reader *r, size_t size);

/* Gives out a track as TB_EVENT_TRACK where it is not told yet. */
void tb_perfetto_tell_track(struct tb_perfetto_reader *r, struct tb_perfetto_track *track);

/* The track of a process or thread of the packet's machine; a thread's process where `pid` says which. NULL when memory is
 * exhausted. */
struct tb_perfetto_track *tb_perfetto_process(struct tb_perfetto_reader *r, int64_t pid);
struct tb_perfetto_track *tb_perfetto_thread(struct tb_perfetto_reader *r, const int64_t *pid, int64_t tid);

/* Gives the packet in hand out as it is: no event says all of it. */
void tb_perfetto_pass_packet(struct tb_perfetto_reader *r);

/* Gives the packet in hand out as it stood in the blob of FXT that it came from (perfetto/reader/fxt_passthrough.c). TB_OK or TB_BAD_DATA. */
enum tb_status tb_perfetto_give_back(struct tb_perfetto_reader *r);

/* Gives a process or thread a name, where that is not empty and it has no better one; the packet in hand says it. */
void tb_perfetto_name_track_by(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, struct tb_str name,
                               struct tb_name_source by);
void tb_perfetto_name_track(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, struct tb_str name,
                            enum tb_name_rank rank);

/* Reads a message into the batch's memory; see tb_message_read. */
enum tb_status tb_perfetto_unpack(struct tb_perfetto_reader *r, const ProtobufCMessageDescriptor *type,
                                  struct tb_str bytes, ProtobufCMessage **message);

/* Searches the input to its end for descriptors that come late, of tracks and of extensions. False where that was done before. */
bool tb_perfetto_look_ahead(struct tb_perfetto_reader *r);

/* The track of a uuid; the input is searched for its descriptor where it has not come yet. NULL when memory is
 * exhausted. */
struct tb_perfetto_track *tb_perfetto_find_track(struct tb_perfetto_reader *r, uint64_t uuid);

/* Counts a loss at the packet in hand. */
TB_MUST_CHECK enum tb_status tb_perfetto_lose(struct tb_perfetto_reader *r, const char *reason);

void tb_perfetto_lose_interned(struct tb_perfetto_reader *r);

/* The interned text, or NULL; a missing one is counted. */
static inline const struct tb_str *tb_perfetto_interned(struct tb_perfetto_reader *r, enum tb_index index,
                                                        uint64_t iid) {
  const struct tb_str *text = tb_iid_index_get(&r->context.sequence->indexes[index], iid);
  if (!text) tb_perfetto_lose_interned(r);
  return text;
}

/* ---- payloads: each makes the events of the packet in hand. TB_OK, TB_BAD_DATA (damaged: counted by the caller), or a
 * failure that the reader's error tells  */

enum tb_status tb_perfetto_track_event(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_thread_descriptor(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/process_tree_importer.c */
enum tb_status tb_perfetto_process_descriptor(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_process_tree(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_generic_process_tree(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_task_rename(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/sched.c, perfetto/reader/ftrace_importer.c */
enum tb_status tb_perfetto_task_state(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_ftrace(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_ftrace_text(struct tb_perfetto_reader *r, struct tb_str payload);
/* Whether the packet in hand was made of ftrace text. */
bool tb_perfetto_made_of_text(const struct tb_perfetto_reader *r);
/* Whether it was, and the text was given to a target that takes it. */
bool tb_perfetto_is_in_text(struct tb_perfetto_reader *r);
enum tb_status tb_perfetto_system_info(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/process_stats_importer.c */
enum tb_status tb_perfetto_process_stats(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_trigger(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_chrome_trigger(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/power_importer.c */
enum tb_status tb_perfetto_battery(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_power_rails(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_energy_estimate(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_entity_residency(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/gpu_importer.c */
enum tb_status tb_perfetto_gpu_counters(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_gpu_stage(struct tb_perfetto_reader *r, struct tb_str payload);
/* Gives out what the last samples of counters began, at the end of the trace. r->full where the batch takes no more. */
void tb_perfetto_end_gpu_counters(struct tb_perfetto_reader *r);
void tb_perfetto_free_gpu(struct tb_perfetto_reader *r);
/* perfetto/reader/sys_stats_importer.c */
enum tb_status tb_perfetto_sys_stats(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_cpu_frequency(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/frame_timeline_importer.c */
void tb_perfetto_init_frames(struct tb_perfetto_reader *r);
void tb_perfetto_free_frames(struct tb_perfetto_reader *r);
enum tb_status tb_perfetto_frame_timeline(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/trace_metadata_importer.c */
enum tb_status tb_perfetto_clock_snapshot(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_trace_attributes(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/memory_tracker_importer.c, perfetto/reader/perf_sample_importer.c, perfetto/reader/android_log_importer.c */
enum tb_status tb_perfetto_memory_snapshot(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_perf_sample(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_streaming_profile(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/typed_fields.c */
enum tb_status tb_perfetto_extension_descriptor(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_android_log(struct tb_perfetto_reader *r, struct tb_str payload);

/* A value of a counter track (perfetto/reader/counter_events.c). */
struct tb_event *tb_perfetto_emit_integer(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, int64_t ts,
                                          int64_t number);
struct tb_event *tb_perfetto_emit_double(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, int64_t ts,
                                         double number);

/* ---- parts of events --------------------------------------------------------------------------------------------- */

/* Appends the argument that a DebugAnnotation says to the batch's args, which have room for half its length. `depth`: how deep it stands
 * in others, and in typed messages. */
enum tb_status tb_perfetto_annotation(struct tb_perfetto_reader *r, struct tb_str annotation, unsigned depth);

/* The stack that an interned callstack, or a Callstack message of TrackEvent, says. An unknown one is empty, and
 * counted. */
struct tb_stack tb_perfetto_interned_stack(struct tb_perfetto_reader *r, uint64_t iid);
struct tb_stack tb_perfetto_inline_stack(struct tb_perfetto_reader *r, struct tb_str message);

/* The place that a SourceLocation message says. */
struct tb_frame tb_perfetto_source_location(struct tb_str message);

/* The track of the packet's sequence: its default, or the one of its thread descriptor; NULL where it has none. */
struct tb_perfetto_track *tb_perfetto_default_track(struct tb_perfetto_reader *r);

/* The next argument of the batch, for which there must be room. */
static inline struct tb_arg *tb_perfetto_add_arg(struct tb_perfetto_reader *r, struct tb_str name) {
  struct tb_arg *arg = &r->batch->args[r->batch->arg_count++];
  *arg = (struct tb_arg){.name = name, .span = 1};
  return arg;
}

#endif
