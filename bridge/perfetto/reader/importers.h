/* SPDX-License-Identifier: Apache-2.0
 *
 * The importers of payloads: the table of them, what some keep from packet to packet, and where each begins. An
 * importer makes the events of the current packet. It returns TB_OK, TB_BAD_DATA (damaged: counted by the caller), or a
 * failure that the reader's error says.
 */
#ifndef TB_PERFETTO_READER_IMPORTERS_H
#define TB_PERFETTO_READER_IMPORTERS_H

#include "base/memory.h"
#include "tracebridge/event.h"

struct tb_perfetto_reader;
struct tb_packet_header;

/* What an importer keeps from packet to packet; the rows of one importer share it. It is made, zeroed, when it is first
 * wanted, and is r->importer_state while an importer runs whose row names it. */
struct tb_importer_state {
  size_t size;
  /* NULL: zero is how it begins; it has no memory of its own. */
  void (*init)(void *state, const struct tb_allocator *allocator);
  void (*free)(void *state, const struct tb_allocator *allocator);
  /* Gives out what is left when there are no more packets; called again where r->full. NULL: there is nothing. */
  void (*end)(struct tb_perfetto_reader *r);
};

/* A row of the table in importers.c: a payload's field in TracePacket, what imports it, and what that keeps, NULL for
 * nothing. */
struct tb_payload_importer {
  uint32_t field;
  enum tb_status (*import)(struct tb_perfetto_reader *r, struct tb_str payload);
  const struct tb_importer_state *state;
};

/* NULL where nobody imports that payload. */
const struct tb_payload_importer *tb_perfetto_find_importer(uint32_t field);
/* All rows; how many there are. */
size_t tb_perfetto_importers(const struct tb_payload_importer **first);

/* The state `of`, for who is not in its row. NULL without memory, which the reader then reports. */
TB_MUST_CHECK void *tb_perfetto_state_of(struct tb_perfetto_reader *r, const struct tb_importer_state *of);
/* When there are no more packets: each gives out what it still has, as far as the batch has room. */
void tb_perfetto_end_importers(struct tb_perfetto_reader *r);
void tb_perfetto_free_importers(struct tb_perfetto_reader *r);

extern const struct tb_importer_state tb_power_state, tb_gpu_state, tb_frames_state, tb_network_state,
    tb_heap_profile_state, tb_ftrace_state, tb_ftrace_text_state, tb_ftrace_lines_state, tb_system_state,
    tb_callstack_state, tb_category_state, tb_cpu_per_uid_state, tb_etw_state;

/* perfetto/reader/payloads/cpu_per_uid_importer.c */
enum tb_status tb_perfetto_cpu_per_uid(struct tb_perfetto_reader *r, struct tb_str payload);

/* perfetto/reader/payloads/etw_importer.c */
enum tb_status tb_perfetto_etw(struct tb_perfetto_reader *r, struct tb_str payload);

/* perfetto/reader/payloads/ftrace_binder.c */
enum tb_status tb_perfetto_ftrace_ahead(struct tb_perfetto_reader *r, struct tb_str payload);

/* perfetto/reader/ftrace_importer.c */
enum tb_status tb_perfetto_ftrace(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_ftrace_text(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_track_event(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/reader.c */
enum tb_status tb_perfetto_track_descriptor(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/process_tree_importer.c */
enum tb_status tb_perfetto_thread_descriptor(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_process_descriptor(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_process_tree(struct tb_perfetto_reader *r, struct tb_str payload);
/* Puts threads into their processes before the packet's turn comes; TB_NO_MEMORY, or anything else. */
enum tb_status tb_perfetto_look_at_process_tree(struct tb_perfetto_reader *r, const struct tb_packet_header *head);
enum tb_status tb_perfetto_generic_process_tree(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_task_rename(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/sched.c */
enum tb_status tb_perfetto_task_state(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_recorder(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_whole_packet(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_lookup_table(struct tb_perfetto_reader *r, struct tb_str payload);
/* Gives out the packet as it is, or leaves it out with a note where the target has no use for what it repeats. */
void tb_perfetto_pass_or_note(struct tb_perfetto_reader *r, const char *note);
enum tb_status tb_perfetto_chrome_events(struct tb_perfetto_reader *r, struct tb_str payload);
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
/* perfetto/reader/sys_stats_importer.c */
enum tb_status tb_perfetto_sys_stats(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_cpu_frequency(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/frame_timeline_importer.c */
enum tb_status tb_perfetto_frame_timeline(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/payloads/heap_profile_importer.c */
enum tb_status tb_perfetto_heap_profile(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/payloads/network_importer.c */
enum tb_status tb_perfetto_network_packet(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_network_bundle(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/payloads/stack_sample_importer.c */
enum tb_status tb_perfetto_stack_sample(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/trace_metadata_importer.c */
enum tb_status tb_perfetto_clock_snapshot(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_trace_attributes(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/memory_tracker_importer.c */
enum tb_status tb_perfetto_memory_snapshot(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/perf_sample_importer.c */
enum tb_status tb_perfetto_perf_sample(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_streaming_profile(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/android_log_importer.c */
enum tb_status tb_perfetto_android_log(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/typed_fields.c */
enum tb_status tb_perfetto_extension_descriptor(struct tb_perfetto_reader *r, struct tb_str payload);

#endif
