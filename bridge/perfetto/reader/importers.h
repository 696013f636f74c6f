/* SPDX-License-Identifier: Apache-2.0
 *
 * The importers of payloads: what some keep from packet to packet, and where each begins. An importer makes the events
 * of the current packet. It returns TB_OK, TB_BAD_DATA (damaged: counted by the caller), or a failure that the reader's
 * error says.
 */
#ifndef TB_PERFETTO_READER_IMPORTERS_H
#define TB_PERFETTO_READER_IMPORTERS_H

#include "base/map.h"
#include "tracebridge/event.h"

struct tb_perfetto_reader;
struct tb_perfetto_gpu; /* what is known of counters and queues of GPUs */

/* perfetto/reader/power_importer.c */
struct tb_reader_power {
  struct tb_map rails;         /* number, session -> counter */
  struct tb_map consumers;     /* of energy: number, machine -> counter */
  struct tb_map entity_states; /* numbers of entity and state, machine -> counter */
};

/* perfetto/reader/frame_timeline_importer.c */
struct tb_reader_frames {
  struct tb_map processes, tokens; /* of open frames: cookie, machine -> track of the process; token */
  struct tb_map shown;             /* display tokens, machine: a surface frame began a flow to them */
};

void tb_reader_power_init(struct tb_reader_power *power, const struct tb_allocator *allocator);
void tb_reader_power_free(struct tb_reader_power *power);
void tb_reader_frames_init(struct tb_reader_frames *frames, const struct tb_allocator *allocator);
void tb_reader_frames_free(struct tb_reader_frames *frames);

enum tb_status tb_perfetto_track_event(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_thread_descriptor(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/process_tree_importer.c */
enum tb_status tb_perfetto_process_descriptor(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_process_tree(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_generic_process_tree(struct tb_perfetto_reader *r, struct tb_str payload);
enum tb_status tb_perfetto_task_rename(struct tb_perfetto_reader *r, struct tb_str payload);
/* perfetto/reader/sched.c */
enum tb_status tb_perfetto_task_state(struct tb_perfetto_reader *r, struct tb_str payload);
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
enum tb_status tb_perfetto_frame_timeline(struct tb_perfetto_reader *r, struct tb_str payload);
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
