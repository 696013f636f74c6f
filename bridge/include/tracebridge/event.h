/* SPDX-License-Identifier: Apache-2.0
 *
 * The event model: what a reader gives and a writer takes, whatever the format on either side. Field names are those
 * of Perfetto's TrackEvent and of the Trace Event Format.
 *
 * Rules that hold for all formats:
 *   order   events come in the order of the input, which is no order of time unless tb_reader_options.sorted is set;
 *           events of one time come as the input has them, but what ends before what begins
 *   has     a field with a bit in tb_event.has counts where that is set; all other fields count where they are not 0
 *   async   what happens to one id matches by scope, id and categories; of JSON's old phases S, T, p and F by the name
 *           too; a local id by the process too; with TB_HAS_ID_ONLY_MATCH by the id alone
 *   weight  of a sample is what the source counts: ns of CPU time, bytes of a heap, cycles. The event's name says it,
 *           where the source does; without TB_HAS_WEIGHT each sample counts once
 *
 * All times are nanoseconds on the trace's clock. All memory that an event points to belongs to its reader and is
 * valid until the reader's next call (tracks: until the reader is closed). Structs here are wholly public and
 * caller-readable; fields that an event's type does not use are zero.
 *
 *     const struct tb_track thread = {.type = TB_TRACK_THREAD, .has_tid = true, .tid = 7};
 *     const struct tb_arg bytes = {.name = {"bytes", 5}, .u = 512, .span = 1, .type = TB_ARG_UINT};
 *     struct tb_event instant = {.type = TB_EVENT_INSTANT, .has = TB_HAS_TS | TB_HAS_ARGS, .ts = 1000};
 *     instant.track = &thread;
 *     instant.args = &bytes;
 *     instant.arg_count = 1;
 */
#ifndef TRACEBRIDGE_EVENT_H
#define TRACEBRIDGE_EVENT_H

#include <stdbool.h>

#include "tracebridge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arguments --------------------------------------------------------------------------------------------------- */

enum tb_arg_type {
  TB_ARG_NULL,
  TB_ARG_BOOL,    /* .u: 0 or 1 */
  TB_ARG_INT,     /* .i */
  TB_ARG_UINT,    /* .u */
  TB_ARG_DOUBLE,  /* .d */
  TB_ARG_STRING,  /* .text, UTF-8 */
  TB_ARG_POINTER, /* .u */
  TB_ARG_KOID,    /* .u: a kernel object's id (FXT) */
  TB_ARG_DICT,    /* its members follow, see `span` */
  TB_ARG_ARRAY,   /* its items follow, see `span` */
  TB_ARG_JSON,    /* .text: a value as JSON text (numbers no 64-bit type holds, nesting past the limit) */
  TB_ARG_BLOB     /* .text: bytes */
};

/* One value of an argument tree. A tree is stored flat, in pre-order: a dict or an array is followed at once by its
 * children, and `span` counts the entries of the whole subtree, itself included (1 for a scalar). So the next sibling
 * of `a` is `a + a->span`. Members of dicts and top-level arguments have a name; items of arrays have none. */
struct tb_arg {
  struct tb_str name;
  union {
    int64_t i;
    uint64_t u;
    double d;
    struct tb_str text;
  };
  uint32_t span;
  uint8_t type;   /* enum tb_arg_type */
  uint8_t width;  /* bits of the source's type where it matters (FXT int32: 32), else 0 */
  uint16_t flags; /* enum tb_arg_flag */
};

enum { TB_ARG_DEPTH_MAX = 100 }; /* dicts and arrays around an argument that writers take */

enum tb_arg_flag {
  TB_ARG_TYPED = 1,   /* came from a typed protobuf field, not from a debug annotation */
  TB_ARG_DERIVED = 2, /* added by the reader (the object that an FXT pointer or koid names); not in the source */
  TB_ARG_CARRIED = 4  /* within the reader of Perfetto: of our own fields, no argument */
};

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

enum tb_track_type {
  TB_TRACK_GLOBAL,  /* the whole trace (of one machine) */
  TB_TRACK_PROCESS, /* a process' own track */
  TB_TRACK_THREAD,  /* a thread's own track */
  TB_TRACK_CUSTOM,  /* any other track for slices and instants, below `parent` */
  TB_TRACK_COUNTER  /* a counter, below `parent` */
};

enum { TB_TRACK_DEPTH_MAX = 1024 }; /* parents of a track that writers take */

enum tb_unit { TB_UNIT_NONE, TB_UNIT_TIME_NS, TB_UNIT_COUNT, TB_UNIT_SIZE_BYTES };

enum tb_track_said { TB_TRACK_SAID_NAME = 1, TB_TRACK_SAID_LABELS = 2, TB_TRACK_SAID_SORT_INDEX = 4 };

/* What most tracks say nothing of. There may be a million tracks: it takes memory only where it is said. */
struct tb_track_details {
  /* The source's id as it wrote it, where it is no integer or fits no int32; else empty. Of text the pid is synthetic.
   * Of digits (a koid of FXT) it is the number in the one shape, past 2^63 - 1 the negative one of the same bits; in
   * the source's shape a synthetic one of 31 bits, as writers of Perfetto make it. */
  struct tb_str pid_text;
  struct tb_str tid_text;
  struct tb_str description;
  struct tb_str unit_name;     /* counters only */
  const struct tb_str *labels; /* process_labels */
  uint32_t label_count;
  bool pid_is_number, tid_is_number; /* the source's text of that id is the digits of a number of JSON */
  int64_t sort_index;                /* legacy_sort_index, or sibling_order_rank of a custom track */
  const void *reserved;              /* NULL */
};

/* Where events happen. Owned by the reader, valid until it is closed, and one object for one track, so that pointers
 * compare. `index` is dense from 0 in order of first appearance: users keep their own state in an array by it. A
 * field may become known after the first event of the track (Perfetto allows descriptors after use); each change
 * comes as a TB_EVENT_TRACK. */
struct tb_track {
  uint32_t index;
  enum tb_track_type type;
  const struct tb_track *parent; /* a thread's process, a custom track's or counter's parent; NULL for none (global) */
  int64_t pid, tid;              /* process and thread id of this track or, for CUSTOM and COUNTER, of its parent */
  uint32_t machine;              /* machine id, 0 for the machine that recorded */
  bool has_pid, has_tid;         /* whether the source names them */
  bool has_sort_index;
  uint8_t said_by_metadata; /* enum tb_track_said: which of name, labels and sort index a METADATA event says too */
  /* counters only; values of events already have the multiplier and the increments applied */
  uint8_t unit; /* enum tb_unit */
  bool is_thread_time;
  bool is_thread_instruction_count;
  uint64_t uuid;      /* Perfetto's track uuid, 0 where the source has none */
  uint64_t sequence;  /* packet sequence or FXT provider that first used it, 0 where there is none */
  struct tb_str name; /* the track's own name; a process' or thread's name; empty when unknown */
  const struct tb_track_details *details; /* NULL: none; to be read by tb_track_get_details */
};

/* What a track says beyond its names and numbers: empty where it says nothing. */
static inline const struct tb_track_details *tb_track_get_details(const struct tb_track *track) {
  static const struct tb_track_details none = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0, 0, 0};
  return track->details ? track->details : &none;
}

/* ---- ids, stacks, clocks ----------------------------------------------------------------------------------------- */

enum tb_id_kind {
  TB_ID_NONE,
  TB_ID_PLAIN, /* JSON `id`, LegacyEvent.unscoped_id, FXT correlation id */
  TB_ID_LOCAL, /* JSON `id2.local`: unique within its process */
  TB_ID_GLOBAL /* JSON `id2.global`: unique over processes */
};

struct tb_id {
  uint8_t kind;       /* enum tb_id_kind */
  bool is_number;     /* `value` says it all: a JSON number, decimal or 0x-hex string that fits */
  uint64_t value;     /* the number; where !is_number 0 */
  struct tb_str text; /* as the source wrote it, unquoted and unescaped; may be empty when is_number */
};

struct tb_frame {
  struct tb_str function;
  struct tb_str file;    /* source file */
  struct tb_str mapping; /* library or JSON stackFrames category */
  uint32_t line;         /* 0: unknown */
  uint64_t pc;           /* relative to the mapping, 0: unknown */
};

/* A stack: frames root first; or, where frame_count is 0 and `ref` is not empty, a reference to stackFrames of the
 * trace (TB_EVENT_STACK_FRAME, possibly later in the stream). */
struct tb_stack {
  const struct tb_frame *frames;
  uint32_t frame_count;
  struct tb_str ref;
};

/* Clock ids, as Perfetto numbers them. */
enum tb_clock {
  TB_CLOCK_UNKNOWN = 0,
  TB_CLOCK_REALTIME = 1,
  TB_CLOCK_REALTIME_COARSE = 2,
  TB_CLOCK_MONOTONIC = 3,
  TB_CLOCK_MONOTONIC_COARSE = 4,
  TB_CLOCK_MONOTONIC_RAW = 5,
  TB_CLOCK_BOOTTIME = 6,
  TB_CLOCK_TSC = 9,
  TB_CLOCK_PERF = 10,
  TB_CLOCK_TRACE_FILE = 11
};

struct tb_clock_reading {
  uint32_t clock; /* enum tb_clock, or an id of the trace (128 and up) */
  int64_t ns;
};

/* ---- events ------------------------------------------------------------------------------------------------------ */

enum tb_event_type {
  /* what happens on a track; `track` says where */
  TB_EVENT_SLICE_BEGIN,    /* JSON B */
  TB_EVENT_SLICE_END,      /* JSON E: ends the innermost open slice (of that name, where named) */
  TB_EVENT_SLICE_COMPLETE, /* JSON X: has dur */
  TB_EVENT_INSTANT,        /* JSON i I R P: track is the thread, the process or the global one by its scope */
  TB_EVENT_COUNTER, /* JSON C: track is the process, one top-level arg a series; Perfetto: track is a COUNTER and the
                              one arg its value, unnamed */
  /* what happens to an id, on whatever track; `track` is the emitting thread (or process, where no thread is named) */
  TB_EVENT_ASYNC_BEGIN,     /* JSON b, S */
  TB_EVENT_ASYNC_INSTANT,   /* JSON n, T, p */
  TB_EVENT_ASYNC_END,       /* JSON e, F */
  TB_EVENT_FLOW_BEGIN,      /* JSON s */
  TB_EVENT_FLOW_STEP,       /* JSON t */
  TB_EVENT_FLOW_END,        /* JSON f; bind_enclosing says bp:"e" */
  TB_EVENT_OBJECT_CREATE,   /* JSON N */
  TB_EVENT_OBJECT_SNAPSHOT, /* JSON O */
  TB_EVENT_OBJECT_DELETE,   /* JSON D */
  TB_EVENT_CONTEXT_ENTER,   /* JSON ( */
  TB_EVENT_CONTEXT_LEAVE,   /* JSON ) */
  TB_EVENT_ID_LINK,         /* JSON =: id and args.linked_id are one */
  TB_EVENT_CLOCK_SYNC,      /* JSON c: args.sync_id, args.issue_ts */
  TB_EVENT_MEMORY_DUMP,     /* JSON V (global), v (process) */
  TB_EVENT_THREAD_STATE,    /* JSON T without id; scheduling: see enum tb_task_state */
  TB_EVENT_LOG,             /* a log message: name is its text, `log_level` its priority */
  /* an unknown phase: `phase_text`; or an event without a time, whatever its phase: no TB_HAS_TS, `ts` is that of the
   * event before it */
  TB_EVENT_OTHER,
  /* what the trace says of itself; no time */
  TB_EVENT_TRACK,          /* `track` was described, or described anew */
  TB_EVENT_METADATA,       /* JSON M: name says what, args the values, track whose (process or thread) */
  TB_EVENT_TRACE_METADATA, /* a top-level key of the JSON object (otherData, metadata, …): name, one arg */
  TB_EVENT_STACK_FRAME,    /* an entry of stackFrames: id.text is its id, name, categories its category, parent_frame */
  TB_EVENT_SAMPLE,         /* an entry of samples: track is the thread, name, stack, weight, cpu */
  /* TB_SHAPE_SOURCE, ftrace text: blob, in pieces; ts where it is one event, with lines that are none before it;
   * `track` is then the thread that wrote it, where it is known. In TB_SHAPE_ONE the events that the lines say come,
   * behind all others of the trace and without an offset; text of more than 64 MB waits in a temporary file */
  TB_EVENT_SYSTEM_TRACE,
  /* `clocks` read at one moment; clocks[0] is the trace clock if the source names it. Of a machine other than 0
   * `track` is its global one */
  TB_EVENT_CLOCK_SNAPSHOT,
  TB_EVENT_DATA_LOSS, /* the source says that events were lost here on this track's sequence or provider */
  /* blob: serialised TracePackets (Trace bytes) that the target takes as they are; what they say comes in no other
   * event, so that a copy of all events has everything once */
  TB_EVENT_PACKETS,
  TB_EVENT_BLOB, /* FXT blob: name, blob, blob_type */
  /* in the one shape alone: a flow goes from the slice `flow_from` to the slice `slice_id`, which is on `track`, and
   * gets there at `ts`. Writers pass it over: the slices' flow ids, and the FLOW events, say the same */
  TB_EVENT_FLOW_EDGE,
  TB_EVENT_TYPE_COUNT
};

enum { TB_EVENT_TYPE_ROOM = 64 }; /* counts by type have so many, those of no type 0: more types may come */

/* What an event has in addition to its type's own fields: bits of tb_event.has. */
enum tb_event_has {
  TB_HAS_TS = 1 << 0,
  TB_HAS_DUR = 1 << 1,
  TB_HAS_THREAD_TS = 1 << 2,
  TB_HAS_THREAD_DUR = 1 << 3,
  TB_HAS_NAME = 1 << 4,       /* the source has a name, be it empty */
  TB_HAS_CATEGORIES = 1 << 5, /* the source has a cat, be it empty */
  TB_HAS_ARGS = 1 << 6,       /* the source has args, be they empty */
  TB_HAS_SCOPE = 1 << 7,
  TB_HAS_FLOW_IN = 1 << 8,         /* bind_id with flow_in */
  TB_HAS_FLOW_OUT = 1 << 9,        /* bind_id with flow_out */
  TB_HAS_BIND_ENCLOSING = 1 << 10, /* bp: "e" */
  TB_HAS_THREAD_INSTRUCTIONS = 1 << 11,
  TB_HAS_WEIGHT = 1 << 12,
  TB_HAS_CPU = 1 << 13,
  TB_HAS_CORRELATION = 1 << 14,
  TB_HAS_USE_ASYNC_TTS = 1 << 15,
  /* Async and flow events match by id only; ignore category and name (FXT). On a slice with TB_HAS_FLOWS_DUPLICATED the
   * same holds for its flow events. */
  TB_HAS_ID_ONLY_MATCH = 1 << 16,
  /* The source gives `phase` itself, and it must be kept: on SLICE_BEGIN and SLICE_END, B and E that must not become
   * one X; on async events, S T p F that came from JSON. */
  TB_HAS_EXPLICIT_PHASE = 1 << 17,
  /* The same flow appears both as flow ids on the slice and as flow events of their own (and as bind_id). Consume one
   * representation, not both. */
  TB_HAS_FLOWS_DUPLICATED = 1 << 18,
  TB_HAS_PRIORITY = 1 << 19,
  TB_HAS_KERNEL_STATE = 1 << 20, /* the event is Linux' own: see tb_event.kernel_state */
  TB_HAS_ANY = (1 << 21) - 1     /* all of them */
};

enum tb_log_level {
  TB_LOG_NONE,
  TB_LOG_VERBOSE = 2,
  TB_LOG_DEBUG,
  TB_LOG_INFO,
  TB_LOG_WARN,
  TB_LOG_ERROR,
  TB_LOG_FATAL
};

/* TB_EVENT_THREAD_STATE: from `ts` on the thread `track` is in `task_state`, until its next event of this type. With
 * TB_HAS_DUR (JSON) it is so for `dur`, whatever comes.
 *
 * A switch on a CPU is two events of one time, both with TB_HAS_CPU: the thread that leaves, with its new state, then
 * the thread that gets the CPU, which is TB_TASK_RUNNING. One that wakes is TB_TASK_RUNNABLE, without a CPU where Linux
 * says it, and `thread` is who wakes it, where that is known; FXT names a CPU, and calls the event "waking". `name` is
 * the state in the source's words: Linux' letters, FXT's "waking" and "new". `priority` is there with TB_HAS_PRIORITY,
 * a greater number on Linux being less urgent. The idle thread is thread 0: in the one shape (reader.h) each CPU has a
 * track for it, in the source's shape all share one. */
enum tb_task_state {
  TB_TASK_UNKNOWN, /* the event's name says it */
  TB_TASK_CREATED,
  TB_TASK_RUNNABLE,
  TB_TASK_RUNNING,
  TB_TASK_INTERRUPTIBLE_SLEEP,
  TB_TASK_UNINTERRUPTIBLE_SLEEP,
  TB_TASK_STOPPED,
  TB_TASK_DEAD,
  TB_TASK_DESTROYED
};

struct tb_event {
  enum tb_event_type type;
  uint32_t has;       /* enum tb_event_has */
  char phase;         /* the JSON phase that says it best, 0 where only phase_text does */
  char instant_scope; /* 'g', 'p', 't' for instants as the source wrote it, 0 where it did not */
  uint8_t log_level;  /* enum tb_log_level */
  uint8_t task_state; /* enum tb_task_state */
  uint8_t blob_type;  /* FXT's blob type */
  /* TB_EVENT_THREAD_STATE with TB_HAS_KERNEL_STATE: prev_state of sched_switch, for the thread that leaves; else 0 */
  uint16_t kernel_state;
  int64_t ts;
  int64_t dur;
  int64_t thread_ts; /* thread clock */
  int64_t thread_dur;
  const struct tb_track *track; /* never NULL where the type has a track */
  /* the emitting thread, or process where no thread is named, where `track` is another one and does not say it; else
   * NULL */
  const struct tb_track *thread;
  struct tb_str name;
  struct tb_str categories; /* comma list, as in JSON */
  struct tb_id id;
  struct tb_str scope;  /* of the id */
  struct tb_id bind_id; /* JSON flow v2 */
  const struct tb_arg *args;
  uint32_t arg_count; /* entries of the flat tree, not top-level arguments */
  uint32_t extra_count;
  /* members of the source's event that have no field here (cname, unknown keys, wrong types). `pid` and `tid` where the
   * event writes them otherwise than the first event of its track; TB_ARG_POINTER with 0: it has none */
  const struct tb_arg *extra;
  struct tb_stack stack;     /* sf, stack, callstack */
  struct tb_stack end_stack; /* esf, estack */
  const uint64_t *flow_ids;  /* Perfetto flows that start at, pass or end here */
  const uint64_t *terminating_flow_ids;
  uint32_t flow_count;
  uint32_t terminating_flow_count;
  uint64_t correlation_id; /* TrackEvent.correlation_id, its string form in correlation_text */
  struct tb_str correlation_text;
  int64_t thread_instruction_count;
  double weight;    /* of a sample, in the unit of what is counted: see the rules above */
  uint32_t cpu;     /* of a slice: of its begin or end, which come CPU by CPU then, and in no order of time */
  int32_t priority; /* TB_EVENT_THREAD_STATE with TB_HAS_PRIORITY */
  struct tb_frame source_location; /* function, file, line */
  struct tb_str phase_text;        /* TB_EVENT_OTHER: the phase as written */
  struct tb_str parent_frame;      /* TB_EVENT_STACK_FRAME: parent's id, empty for a root */
  struct tb_str blob;
  const struct tb_clock_reading *clocks;
  uint32_t clock_count;
  uint32_t sequence; /* packet sequence or FXT provider, 0 where there is none */
  /* in the one shape alone: number of the slice or instant, from 1 in the order in which they come; an END has its
   * BEGIN's */
  uint64_t slice_id;
  /* TB_EVENT_FLOW_EDGE: the slice_id that the flow comes from; FLOW_BEGIN, FLOW_STEP and FLOW_END: that of the slice
   * which the event binds to, 0 where it is in none or binds to the next one */
  uint64_t flow_from;
  uint64_t offset;      /* byte offset of the event in the decompressed input */
  const void *reserved; /* NULL */
};

#ifdef __cplusplus
}
#endif
#endif
