/* SPDX-License-Identifier: Apache-2.0
 *
 * What a packet means depends on the packets of its sequence before it: interned data, defaults, clocks, counters. This
 * is that state, of all sequences, and the rules by which a packet changes it.
 */
#ifndef TB_PERFETTO_PACKET_SEQUENCE_STATE_H
#define TB_PERFETTO_PACKET_SEQUENCE_STATE_H

#include "base/limit_allocator.h"
#include "perfetto/clock/clock_graph.h"
#include "perfetto/packet/packet_header.h"
#include "perfetto/packet/packet_tokenizer.h"
#include "perfetto/packet/sequence_table.h"
#include "protobuf/iid_index.h"

struct tb_perfetto_track;

/* The indexes that are kept. Those of names hold the text, the others the entry's message. */
enum tb_index {
  TB_INDEX_EVENT_CATEGORIES,
  TB_INDEX_EVENT_NAMES,
  TB_INDEX_DEBUG_ANNOTATION_NAMES,
  TB_INDEX_SOURCE_LOCATIONS,
  TB_INDEX_FUNCTION_NAMES,
  TB_INDEX_FRAMES,
  TB_INDEX_CALLSTACKS,
  TB_INDEX_BUILD_IDS,
  TB_INDEX_MAPPING_PATHS,
  TB_INDEX_SOURCE_PATHS,
  TB_INDEX_MAPPINGS,
  TB_INDEX_LOG_MESSAGE_BODY,
  TB_INDEX_HISTOGRAM_NAMES,
  TB_INDEX_DEBUG_ANNOTATION_VALUE_TYPE_NAMES,
  TB_INDEX_DEBUG_ANNOTATION_STRING_VALUES,
  TB_INDEX_CORRELATION_ID_STR,
  TB_INDEX_GRAPHICS_CONTEXTS,
  TB_INDEX_GPU_SPECIFICATIONS,
  TB_INDEX_GPU_COUNTER_DESCRIPTORS,
  TB_INDEX_KERNEL_SYMBOLS,
  TB_INDEX_PACKET_CONTEXT,
  TB_INDEX_TASK_CONTEXTS,
  TB_INDEX_EXECUTION_CONTEXTS,
  TB_INDEX_COUNTER_DESCRIPTORS,
  TB_INDEX_ASYNC_CONTEXTS,
  TB_INDEX_COUNT
};

struct tb_uuid_list {
  uint64_t *items;
  size_t count, capacity;
};

/* What a sequence has that has defaults, counts, samples, names a clock or is of before there were tracks. */
struct tb_sequence_extras {
  uint32_t default_clock;
  uint64_t default_track;
  struct tb_perfetto_track *default_track_object; /* for the event reader: NULL until it looked for it */
  struct tb_clock_line line;                      /* from the clock of its packets to the trace clock */
  struct tb_uuid_list extra_counters, extra_double_counters;
  struct tb_str sample_defaults; /* a StackSampleDefaults, in the pool */
  struct tb_str packet_defaults; /* a TracePacketDefaults, in the pool, where it is kept */
  struct tb_map counters;        /* uuid -> place in counter_values */
  int64_t *counter_values;       /* last values of incremental counters */
  size_t counter_count, counter_capacity;
  int64_t pid, tid;                                        /* where tb_sequence_state.has_wide_ids */
  int64_t reference_us, thread_time_us, instruction_count; /* of its thread descriptor: running values of the deltas */
};

/* There may be a million: what most have none of is shared and empty until tb_sequence_own_extras. */
struct tb_sequence_state {
  uint32_t id, machine;
  bool seen;  /* some packet of it was read */
  bool valid; /* its incremental state is whole */
  bool has_default_track, has_default_clock;
  uint8_t recording;              /* that its last first packet is of; see tb_recording_starts_sequence */
  bool has_thread, has_reference; /* of the thread descriptor of sequences of before there were tracks */
  bool has_wide_ids;              /* of that thread: more than 32 bits */
  uint32_t interned_version;      /* counts changes of the indexes */
  uint32_t generation; /* counts clears and new defaults, for those who keep something that depends on them */
  int32_t pid, tid;    /* see tb_sequence_pid */
  const struct tb_iid_index **indexes; /* each is shared and empty until something is interned in it */
  const struct tb_sequence_extras *extras;
};

/* The process and thread that its descriptors say; 0 where there was none. */
static inline int64_t tb_sequence_pid(const struct tb_sequence_state *sequence) {
  return sequence->has_wide_ids ? sequence->extras->pid : sequence->pid;
}
static inline int64_t tb_sequence_tid(const struct tb_sequence_state *sequence) {
  return sequence->has_wide_ids ? sequence->extras->tid : sequence->tid;
}

struct tb_trace_state {
  struct tb_limit_allocator budget; /* all that is kept; because of it a state must not move */
  struct tb_intern pool;
  struct tb_clock_graph clocks; /* of all machines; 0 is the one that recorded */
  /* clock, machine -> ns that it is ahead of machine 0's, where a RemoteClockSync says so */
  struct tb_map clocks_ahead;
  uint32_t trace_clock; /* of each machine; times of all come to be on machine 0's */
  bool trace_clock_said;
  bool keep_interned, keep_defaults;
  struct tb_pages sequences; /* of struct tb_sequence_state; without indexes where no packet of it was applied */
  struct tb_sequence_table sequence_table; /* by whose numbers `sequences` is */
  struct tb_sequence_state *recent;
  tb_packet_lose lose;
  void *lose_ctx;
  struct tb_error *error;
};

/* The number of a sequence; a new one where it is not known yet. False without memory. */
bool tb_trace_state_number(struct tb_trace_state *state, uint32_t id, uint32_t machine, uint32_t *number);

/* Whether a packet finds the state that it needs; `valid` says whether that of its sequence is whole, and changes with
 * the packet. */
static inline bool tb_packet_finds_state(const struct tb_packet_header *head, bool *valid) {
  if (head->dropped && !head->first) *valid = false;
  if (head->cleared) *valid = true;
  return *valid || !(head->flags & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE);
}

/* What the state says of a packet. */
struct tb_packet_context {
  struct tb_sequence_state *sequence;
  bool unreadable;   /* it needs incremental state that is not whole */
  bool lost_before;  /* packets of its sequence were lost just before it */
  bool begins_again; /* it is the first one of its sequence, which had others */
  bool has_ts;       /* `ts` is on the trace clock */
  bool clock_lost;   /* it has a timestamp, but nothing relates its clock to the trace clock */
  int64_t ts;
  /* not 0 where it is unreadable, its clock lost, or derived, of which nothing is lost: the one thing to ask of most
   * packets */
  uint32_t unusable;
};

void tb_trace_state_init(struct tb_trace_state *state, const struct tb_allocator *allocator, size_t max_bytes,
                         tb_packet_lose lose, void *lose_ctx, struct tb_error *error);
void tb_trace_state_free(struct tb_trace_state *state);

/* ---- applying a packet: the parts of tb_trace_state_apply, which is inline for packets that change nothing ------- */

enum tb_status tb_trace_state_apply_slowly(struct tb_trace_state *state, const struct tb_packet_header *head,
                                           struct tb_packet_context *context);
void tb_trace_state_resolve_slowly(struct tb_trace_state *state, const struct tb_packet_header *head, uint32_t clock,
                                   struct tb_packet_context *context);
void tb_trace_state_resolve_remote(struct tb_trace_state *state, const struct tb_packet_header *head,
                                   struct tb_packet_context *context);

static TB_ALWAYS_INLINE void tb_packet_context_start(struct tb_packet_context *context,
                                                     struct tb_sequence_state *sequence) {
  context->sequence = sequence;
  context->unreadable = context->lost_before = context->begins_again = context->has_ts = context->clock_lost = false;
  context->unusable = 0;
  context->ts = 0;
}

/* The clock of a packet's timestamp, 0 for the trace clock. */
static TB_ALWAYS_INLINE uint32_t tb_packet_clock(const struct tb_packet_header *head,
                                                 const struct tb_sequence_state *sequence) {
  return head->has_clock ? head->clock : sequence->has_default_clock ? sequence->extras->default_clock : 0;
}

/* Of a packet of machine 0. */
static TB_ALWAYS_INLINE void tb_trace_state_resolve(struct tb_trace_state *state, const struct tb_packet_header *head,
                                                    struct tb_packet_context *context) {
  const struct tb_sequence_state *sequence = context->sequence;
  uint32_t clock = tb_packet_clock(head, sequence);
  context->ts = (int64_t)head->timestamp;
  context->has_ts = head->has_timestamp;
  if (!head->has_timestamp || clock == 0) return;
  if (!tb_clock_graph_use_line(&state->clocks, &sequence->extras->line, tb_clock_key(clock, head->sequence),
                               state->trace_clock, head->timestamp, &context->ts))
    tb_trace_state_resolve_slowly(state, head, clock, context);
}

/* Applies the packet: its sequence's clear, defaults, interned data and, where it is a ClockSnapshot, the snapshot.
 * TB_OK and *context; TB_LIMIT or TB_NO_MEMORY, reported in the state's error; what `lose` returns. */
TB_MUST_CHECK static TB_ALWAYS_INLINE enum tb_status tb_trace_state_apply(struct tb_trace_state *state,
                                                                          const struct tb_packet_header *head,
                                                                          struct tb_packet_context *context) {
  struct tb_sequence_state *recent = state->recent;
  if (head->rare || !recent || !recent->valid || recent->id != head->sequence || recent->machine)
    return tb_trace_state_apply_slowly(state, head, context);
  tb_packet_context_start(context, recent);
  tb_trace_state_resolve(state, head, context);
  return TB_OK;
}

/* ---- clocks (trace_clocks.c) ------------------------------------------------------------------------------------- */

/* Applies the readings of a packet that is a ClockSnapshot, and only them. *has_trace_ns: it has a reading of the
 * trace clock, and *trace_ns is that on machine 0's. */
TB_MUST_CHECK enum tb_status tb_trace_state_add_snapshot(struct tb_trace_state *state,
                                                         const struct tb_packet_header *head, bool *has_trace_ns,
                                                         int64_t *trace_ns);

/* One moment on two clocks of the packet's machine, or sequence, as a snapshot of both. */
TB_MUST_CHECK enum tb_status tb_trace_state_add_pair(struct tb_trace_state *state, const struct tb_packet_header *head,
                                                     uint32_t clock, int64_t ns, uint32_t other, int64_t other_ns);

/* Applies a packet that is a RemoteClockSync. */
TB_MUST_CHECK enum tb_status tb_trace_state_add_sync(struct tb_trace_state *state, const struct tb_packet_header *head);

/* The incremental clocks of a sequence are unknown until its next snapshot. */
void tb_trace_state_clear_clocks(struct tb_trace_state *state, const struct tb_sequence_state *sequence);

/* `ns` of the clock `clock`, of the packet's machine and sequence, on the trace clock; false, and `ns` as it is,
 * where nothing relates the two. */
bool tb_trace_state_convert(struct tb_trace_state *state, const struct tb_packet_header *head, uint32_t clock,
                            int64_t ns, int64_t *converted);

/* Whether there were snapshots of the packet's machine. A machine without has one clock. */
bool tb_trace_state_has_clocks(const struct tb_trace_state *state, const struct tb_packet_header *head);

/* The entry of a field of InternedData; NULL: none. */
const struct tb_str *tb_sequence_interned(const struct tb_sequence_state *sequence, uint32_t field, uint64_t iid);

/* The sequence's own extras; NULL when memory is exhausted. */
struct tb_sequence_extras *tb_sequence_own_extras(struct tb_trace_state *state, struct tb_sequence_state *sequence);

/* Sets what tb_sequence_pid and tb_sequence_tid give. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_sequence_set_ids(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                                 int64_t pid, int64_t tid);

/* The last value of an incremental counter on this sequence, 0 at first; NULL when memory is exhausted. */
int64_t *tb_sequence_counter(struct tb_trace_state *state, struct tb_sequence_state *sequence, uint64_t uuid);

/* Whether that field of InternedData goes into an index. */
bool tb_trace_state_knows_interned(uint32_t number);

/* Puts an entry of interned data into an index of the sequence, with the text of its field `text_field` (0: the whole
 * entry). The caller counts up `interned_version`. TB_OK, TB_BAD_DATA or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_trace_state_intern(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                                   enum tb_index index, uint32_t text_field, struct tb_str bytes);

/* Reports that memory is exhausted, or the limit reached; returns which. */
enum tb_status tb_trace_state_full(struct tb_trace_state *state, uint64_t offset);

#endif
