/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of times inside payloads. Times that only count from another one (durations, the distances in a network
 * bundle) need no entry: they move with it; events that count by timestamp_delta_us get timestamps where a clock
 * drifts. Thread times are on no clock that is shared.
 */
#include "merge/input/merge_header.h"
#include "merge/rewrite/rewrite_fields.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { NS = 1, US = 1000, MS = 1000000 };
enum {
  BOOT = TB_CLOCK_BOOTTIME,
  MONO = TB_CLOCK_MONOTONIC,
  COARSE = TB_CLOCK_MONOTONIC_COARSE,
  REAL = TB_CLOCK_REALTIME,
  RAW = TB_CLOCK_MONOTONIC_RAW
};
enum { VALUES = TB_TIME_VALUES, OPTIONAL = TB_TIME_OPTIONAL, DELTAS = TB_TIME_DELTAS };

const struct tb_time_field tb_time_fields[] = {
    {"ftrace_events.event.timestamp", {1, 2, 1}, BOOT, VALUES, NS},
    {"ftrace_events.event.drm_vblank_event.time", {1, 2, 409, 4}, MONO, VALUES, NS},
    {"ftrace_events.event.gpu_work_period.start_time_ns", {1, 2, 488, 3}, RAW, OPTIONAL, NS},
    {"ftrace_events.event.gpu_work_period.end_time_ns", {1, 2, 488, 4}, RAW, OPTIONAL, NS},
    {"ftrace_events.compact_sched.switch_timestamp", {1, 4, 1}, BOOT, DELTAS, NS},
    {"ftrace_events.compact_sched.waking_timestamp", {1, 4, 7}, BOOT, DELTAS, NS},
    {"ftrace_events.boot_timestamp", {1, 7}, BOOT, OPTIONAL, NS},
    {"ftrace_events.error.timestamp", {1, 8, 1}, BOOT, VALUES, NS},
    {"ftrace_events.last_read_event_timestamp", {1, 9}, BOOT, OPTIONAL, NS},
    {"ftrace_events.previous_bundle_end_timestamp", {1, 10}, BOOT, OPTIONAL, NS},
    {"process_tree.processes.process_start_from_boot", {2, 1, 7}, BOOT, OPTIONAL, NS},
    {"process_tree.collection_end_timestamp", {2, 3}, BOOT, VALUES, NS},
    {"chrome_events.trace_events.timestamp", {5, 1, 2}, MONO, VALUES, US},
    {"sys_stats.collection_end_timestamp", {7, 9}, BOOT, VALUES, NS},
    {"process_stats.collection_end_timestamp", {9, 2}, BOOT, VALUES, NS},
    {"track_event.timestamp_absolute_us", {11, 16}, MONO, VALUES, US},
    {"profile_packet.process_dumps.timestamp", {37, 5, 9}, COARSE, OPTIONAL, NS},
    {"profile_packet.process_dumps.samples.timestamp", {37, 5, 2, 4}, COARSE, OPTIONAL, NS},
    {"android_log.events.timestamp", {39, 1, 5}, REAL, VALUES, NS},
    {"power_rails.energy_data.timestamp_ms", {40, 2, 2}, BOOT, VALUES, MS},
    {"process_descriptor.start_timestamp_ns", {43, 7}, BOOT, OPTIONAL, NS},
    {"thread_descriptor.reference_timestamp_us", {44, 6}, MONO, VALUES, US},
    {"chrome_benchmark_metadata.benchmark_start_time_us", {48, 1}, REAL, VALUES, US},
    {"chrome_benchmark_metadata.story_run_time_us", {48, 2}, REAL, VALUES, US},
    {"track_descriptor.process.start_timestamp_ns", {60, 3, 7}, BOOT, OPTIONAL, NS},
    {"track_descriptor.thread.reference_timestamp_us", {60, 4, 6}, MONO, VALUES, US},
    {"vulkan_memory_event.timestamp", {62, 3}, BOOT, OPTIONAL, NS},
    {"streaming_allocation.clock_monotonic_coarse_timestamp", {74, 4}, COARSE, VALUES, NS},
    {"ui_state.timeline_start_ts", {78, 1}, BOOT, OPTIONAL, NS},
    {"ui_state.timeline_end_ts", {78, 2}, BOOT, OPTIONAL, NS},
    {"android_camera_frame_event.request_received_ns", {80, 5}, BOOT, OPTIONAL, NS},
    {"android_camera_frame_event.request_processing_started_ns", {80, 6}, BOOT, OPTIONAL, NS},
    {"android_camera_frame_event.start_of_exposure_ns", {80, 7}, BOOT, OPTIONAL, NS},
    {"android_camera_frame_event.start_of_frame_ns", {80, 8}, BOOT, OPTIONAL, NS},
    {"android_camera_frame_event.responses_all_sent_ns", {80, 9}, BOOT, OPTIONAL, NS},
    {"android_camera_frame_event.node_processing_details.start_processing_ns", {80, 14, 2}, BOOT, OPTIONAL, NS},
    {"android_camera_frame_event.node_processing_details.end_processing_ns", {80, 14, 3}, BOOT, OPTIONAL, NS},
    {"statsd_atom.timestamp_nanos", {84, 2}, BOOT, VALUES, NS},
    {"track_event_range_of_interest.start_us", {90, 1}, TB_CLOCK_UNKNOWN, VALUES, US},
    {"entity_state_residency.residency.last_entry_timestamp_ms", {91, 2, 5}, BOOT, OPTIONAL, MS},
    {"surfaceflinger_layers_snapshot.elapsed_realtime_nanos", {93, 1}, BOOT, VALUES, NS},
    {"surfaceflinger_transactions.elapsed_realtime_nanos", {94, 1}, BOOT, VALUES, NS},
    {"surfaceflinger_transactions.transactions.post_time", {94, 3, 5}, BOOT, VALUES, NS},
    {"etw_events.event.timestamp", {95, 2, 1}, BOOT, VALUES, NS},
    {"shell_transition.create_time_ns", {96, 2}, BOOT, OPTIONAL, NS},
    {"shell_transition.send_time_ns", {96, 3}, BOOT, OPTIONAL, NS},
    {"shell_transition.dispatch_time_ns", {96, 4}, BOOT, OPTIONAL, NS},
    {"shell_transition.merge_time_ns", {96, 5}, BOOT, OPTIONAL, NS},
    {"shell_transition.merge_request_time_ns", {96, 6}, BOOT, OPTIONAL, NS},
    {"shell_transition.shell_abort_time_ns", {96, 7}, BOOT, OPTIONAL, NS},
    {"shell_transition.wm_abort_time_ns", {96, 8}, BOOT, OPTIONAL, NS},
    {"shell_transition.finish_time_ns", {96, 9}, BOOT, OPTIONAL, NS},
    {"shell_transition.starting_window_remove_time_ns", {96, 17}, BOOT, OPTIONAL, NS},
    {"pixel_modem_events.event_time_nanos", {110, 2}, BOOT, VALUES, NS},
    {"evdev_event.input_event.kernel_timestamp", {121, 2, 1}, MONO, VALUES, NS},
};

const size_t tb_time_field_count = sizeof(tb_time_fields) / sizeof(tb_time_fields[0]);

/* Payloads without a time of their own. */
static const uint8_t timeless[] = {TB_TRACE_PACKET_INODE_FILE_MAP,
                                   TB_TRACE_PACKET_CLOCK_SNAPSHOT,
                                   TB_TRACE_PACKET_TRACE_CONFIG,
                                   TB_TRACE_PACKET_FTRACE_STATS,
                                   TB_TRACE_PACKET_TRACE_STATS,
                                   TB_TRACE_PACKET_SYNCHRONIZATION_MARKER,
                                   TB_TRACE_PACKET_BATTERY,
                                   TB_TRACE_PACKET_SYSTEM_INFO,
                                   TB_TRACE_PACKET_TRIGGER,
                                   TB_TRACE_PACKET_PACKAGES_LIST,
                                   TB_TRACE_PACKET_PERFETTO_METATRACE,
                                   TB_TRACE_PACKET_COMPRESSED_PACKETS,
                                   TB_TRACE_PACKET_CHROME_METADATA,
                                   TB_TRACE_PACKET_GPU_COUNTER_EVENT,
                                   TB_TRACE_PACKET_GPU_RENDER_STAGE_EVENT,
                                   TB_TRACE_PACKET_STREAMING_PROFILE_PACKET,
                                   TB_TRACE_PACKET_HEAP_GRAPH,
                                   TB_TRACE_PACKET_GRAPHICS_FRAME_EVENT,
                                   TB_TRACE_PACKET_MODULE_SYMBOLS,
                                   TB_TRACE_PACKET_GPU_LOG,
                                   TB_TRACE_PACKET_DEOBFUSCATION_MAPPING,
                                   TB_TRACE_PACKET_VULKAN_API_EVENT,
                                   TB_TRACE_PACKET_PERF_SAMPLE,
                                   TB_TRACE_PACKET_CPU_INFO,
                                   TB_TRACE_PACKET_SMAPS_PACKET,
                                   TB_TRACE_PACKET_SERVICE_EVENT,
                                   TB_TRACE_PACKET_INITIAL_DISPLAY_STATE,
                                   TB_TRACE_PACKET_GPU_MEM_TOTAL_EVENT,
                                   TB_TRACE_PACKET_EXTENSION_DESCRIPTOR,
                                   TB_TRACE_PACKET_MEMORY_TRACKER_SNAPSHOT,
                                   TB_TRACE_PACKET_STREAMING_FREE,
                                   TB_TRACE_PACKET_FRAME_TIMELINE_EVENT,
                                   TB_TRACE_PACKET_ANDROID_ENERGY_ESTIMATION_BREAKDOWN,
                                   TB_TRACE_PACKET_TRANSLATION_TABLE,
                                   TB_TRACE_PACKET_ANDROID_GAME_INTERVENTION_LIST,
                                   TB_TRACE_PACKET_ANDROID_SYSTEM_PROPERTY,
                                   TB_TRACE_PACKET_FIRST_PACKET_ON_SEQUENCE,
                                   TB_TRACE_PACKET_NETWORK_PACKET,
                                   TB_TRACE_PACKET_TRACE_UUID,
                                   TB_TRACE_PACKET_NETWORK_PACKET_BUNDLE,
                                   TB_TRACE_PACKET_SHELL_HANDLER_MAPPINGS,
                                   TB_TRACE_PACKET_V8_JS_CODE,
                                   TB_TRACE_PACKET_V8_INTERNAL_CODE,
                                   TB_TRACE_PACKET_V8_WASM_CODE,
                                   TB_TRACE_PACKET_V8_REG_EXP_CODE,
                                   TB_TRACE_PACKET_V8_CODE_MOVE,
                                   TB_TRACE_PACKET_PROTOLOG_VIEWER_CONFIG,
                                   TB_TRACE_PACKET_REMOTE_CLOCK_SYNC,
                                   TB_TRACE_PACKET_CHROME_TRIGGER,
                                   TB_TRACE_PACKET_PIXEL_MODEM_TOKEN_DATABASE,
                                   TB_TRACE_PACKET_CLONE_SNAPSHOT_TRIGGER,
                                   TB_TRACE_PACKET_BLUETOOTH_TRACE_EVENT,
                                   TB_TRACE_PACKET_KERNEL_WAKELOCK_DATA,
                                   TB_TRACE_PACKET_APP_WAKELOCK_BUNDLE,
                                   TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT,
                                   TB_TRACE_PACKET_GENERIC_KERNEL_CPU_FREQ_EVENT,
                                   TB_TRACE_PACKET_CPU_PER_UID_DATA,
                                   TB_TRACE_PACKET_GENERIC_KERNEL_TASK_RENAME_EVENT,
                                   TB_TRACE_PACKET_GENERIC_KERNEL_PROCESS_TREE,
                                   TB_TRACE_PACKET_USER_LIST,
                                   TB_TRACE_PACKET_TRACE_PROVENANCE,
                                   TB_TRACE_PACKET_TRACE_ATTRIBUTES,
                                   TB_TRACE_PACKET_ANDROID_AFLAGS,
                                   TB_TRACE_PACKET_GPU_INFO,
                                   TB_TRACE_PACKET_GENERIC_GPU_FREQUENCY_EVENT,
                                   TB_TRACE_PACKET_INTERRUPT_INFO,
                                   TB_TRACE_PACKET_ART_PROCESS_METADATA,
                                   TB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS,
                                   TB_TRACE_PACKET_SOURCE_FILE,
                                   TB_TRACE_PACKET_MODULE_DISASSEMBLY};

void tb_payload_times_known_all(uint8_t known[TB_PAYLOAD_KINDS]) {
  memset(known, 0, TB_PAYLOAD_KINDS);
  known[0] = 1;
  for (size_t i = 0; i < sizeof(timeless); i++) known[timeless[i]] = 1;
  for (size_t i = 0; i < tb_time_field_count; i++) known[tb_time_fields[i].path[0]] = 1;
}
