/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of importers, and the memory of what they keep.
 */
#include "perfetto/reader/importers.h"

#include "base/search.h"
#include "perfetto/reader/reader.h"

/* Marks for tools that split a trace, padding, and readings of clocks that are applied elsewhere: no event. */
static enum tb_status pass_over(struct tb_perfetto_reader *r, struct tb_str payload) {
  (void)r;
  (void)payload;
  return TB_OK;
}

/* By field number. */
static const struct tb_payload_importer importers[] = {
    {TB_TRACE_PACKET_FTRACE_EVENTS, tb_perfetto_ftrace, &tb_ftrace_state},
    {TB_TRACE_PACKET_PROCESS_TREE, tb_perfetto_process_tree, NULL},
    {TB_TRACE_PACKET_CHROME_EVENTS, tb_perfetto_chrome_events, NULL},
    {TB_TRACE_PACKET_CLOCK_SNAPSHOT, tb_perfetto_clock_snapshot, NULL},
    {TB_TRACE_PACKET_SYS_STATS, tb_perfetto_sys_stats, &tb_system_state},
    {TB_TRACE_PACKET_PROCESS_STATS, tb_perfetto_process_stats, NULL},
    {TB_TRACE_PACKET_TRACK_EVENT, tb_perfetto_track_event, &tb_category_state},
    {TB_TRACE_PACKET_TRACE_CONFIG, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_FTRACE_STATS, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_TRACE_STATS, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_SYNCHRONIZATION_MARKER, pass_over, NULL},
    {TB_TRACE_PACKET_PROFILE_PACKET, tb_perfetto_heap_profile, &tb_heap_profile_state},
    {TB_TRACE_PACKET_BATTERY, tb_perfetto_battery, NULL},
    {TB_TRACE_PACKET_ANDROID_LOG, tb_perfetto_android_log, NULL},
    {TB_TRACE_PACKET_POWER_RAILS, tb_perfetto_power_rails, &tb_power_state},
    {TB_TRACE_PACKET_PROCESS_DESCRIPTOR, tb_perfetto_process_descriptor, NULL},
    {TB_TRACE_PACKET_THREAD_DESCRIPTOR, tb_perfetto_thread_descriptor, NULL},
    {TB_TRACE_PACKET_SYSTEM_INFO, tb_perfetto_system_info, &tb_system_state},
    {TB_TRACE_PACKET_TRIGGER, tb_perfetto_trigger, NULL},
    {TB_TRACE_PACKET_PACKAGES_LIST, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_CHROME_BENCHMARK_METADATA, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_CHROME_METADATA, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_GPU_COUNTER_EVENT, tb_perfetto_gpu_counters, &tb_gpu_state},
    {TB_TRACE_PACKET_GPU_RENDER_STAGE_EVENT, tb_perfetto_gpu_stage, &tb_gpu_state},
    {TB_TRACE_PACKET_STREAMING_PROFILE_PACKET, tb_perfetto_streaming_profile, &tb_callstack_state},
    {TB_TRACE_PACKET_TRACK_DESCRIPTOR, tb_perfetto_track_descriptor, NULL},
    {TB_TRACE_PACKET_MODULE_SYMBOLS, tb_perfetto_lookup_table, NULL},
    {TB_TRACE_PACKET_DEOBFUSCATION_MAPPING, tb_perfetto_lookup_table, NULL},
    {TB_TRACE_PACKET_PERF_SAMPLE, tb_perfetto_perf_sample, &tb_callstack_state},
    {TB_TRACE_PACKET_CPU_INFO, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_SERVICE_EVENT, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_EXTENSION_DESCRIPTOR, tb_perfetto_extension_descriptor, NULL},
    {TB_TRACE_PACKET_MEMORY_TRACKER_SNAPSHOT, tb_perfetto_memory_snapshot, NULL},
    {TB_TRACE_PACKET_FRAME_TIMELINE_EVENT, tb_perfetto_frame_timeline, &tb_frames_state},
    {TB_TRACE_PACKET_ANDROID_ENERGY_ESTIMATION_BREAKDOWN, tb_perfetto_energy_estimate, &tb_power_state},
    {TB_TRACE_PACKET_UI_STATE, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_TRANSLATION_TABLE, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_ANDROID_GAME_INTERVENTION_LIST, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_ANDROID_SYSTEM_PROPERTY, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_NETWORK_PACKET, tb_perfetto_network_packet, &tb_network_state},
    {TB_TRACE_PACKET_TRACE_UUID, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_TRACK_EVENT_RANGE_OF_INTEREST, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_ENTITY_STATE_RESIDENCY, tb_perfetto_entity_residency, &tb_power_state},
    {TB_TRACE_PACKET_NETWORK_PACKET_BUNDLE, tb_perfetto_network_bundle, &tb_network_state},
    {TB_TRACE_PACKET_ETW_EVENTS, tb_perfetto_etw, &tb_etw_state},
    {TB_TRACE_PACKET_SHELL_HANDLER_MAPPINGS, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_REMOTE_CLOCK_SYNC, pass_over, NULL},
    {TB_TRACE_PACKET_CHROME_TRIGGER, tb_perfetto_chrome_trigger, NULL},
    {TB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT, tb_perfetto_task_state, NULL},
    {TB_TRACE_PACKET_GENERIC_KERNEL_CPU_FREQ_EVENT, tb_perfetto_cpu_frequency, NULL},
    {TB_TRACE_PACKET_CPU_PER_UID_DATA, tb_perfetto_cpu_per_uid, &tb_cpu_per_uid_state},
    {TB_TRACE_PACKET_GENERIC_KERNEL_TASK_RENAME_EVENT, tb_perfetto_task_rename, NULL},
    {TB_TRACE_PACKET_GENERIC_KERNEL_PROCESS_TREE, tb_perfetto_generic_process_tree, NULL},
    {TB_TRACE_PACKET_USER_LIST, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_TRACE_PROVENANCE, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_TRACE_ATTRIBUTES, tb_perfetto_trace_attributes, NULL},
    {TB_TRACE_PACKET_ANDROID_AFLAGS, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_INTERRUPT_INFO, tb_perfetto_lookup_table, NULL},
    {TB_TRACE_PACKET_ART_PROCESS_METADATA, tb_perfetto_lookup_table, NULL},
    {TB_TRACE_PACKET_CONCURRENT_SESSION_EVENT, tb_perfetto_recorder, NULL},
    {TB_TRACE_PACKET_STACK_SAMPLE, tb_perfetto_stack_sample, &tb_callstack_state},
    {TB_TRACE_PACKET_FTRACE_AHEAD, tb_perfetto_ftrace_ahead, NULL},
    {TB_TRACE_PACKET_SPLIT_PART, pass_over, NULL},
    {TB_TRACE_PACKET_FTRACE_TEXT, tb_perfetto_ftrace_text, &tb_ftrace_text_state},
    {TB_TRACE_PACKET_FAR_TASK_STATE, tb_perfetto_task_state, NULL},
    {TB_TRACE_PACKET_PADDING, pass_over, NULL},
    {TB_TRACE_PACKET_CARRIED_EVENT, tb_perfetto_track_event, &tb_category_state}};
enum { IMPORTERS = sizeof(importers) / sizeof(importers[0]) };

const struct tb_payload_importer *tb_perfetto_find_importer(uint32_t field) {
  size_t at = 0;
  TB_LOWER_BOUND(at, IMPORTERS, place, importers[place].field < field);
  return at < IMPORTERS && importers[at].field == field ? &importers[at] : NULL;
}

size_t tb_perfetto_importers(const struct tb_payload_importer **first) {
  *first = importers;
  return IMPORTERS;
}

/* ---- what importers keep ----------------------------------------------------------------------------------------- */

struct tb_importer_memory {
  struct tb_importer_memory *next;
  const struct tb_importer_state *of;
  uint64_t state[]; /* of->size bytes */
};

static size_t size_of(const struct tb_importer_state *of) { return sizeof(struct tb_importer_memory) + of->size; }

void *tb_perfetto_state_of(struct tb_perfetto_reader *r, const struct tb_importer_state *of) {
  const struct tb_allocator *allocator = &r->state.budget.allocator;
  struct tb_importer_memory *memory = r->importer_memory;
  while (memory && memory->of != of) memory = memory->next;
  if (!memory) {
    memory = tb_calloc(allocator, size_of(of));
    if (!memory) {
      r->out_of_memory = true;
      return NULL;
    }
    memory->next = r->importer_memory;
    memory->of = of;
    if (of->init) of->init(memory->state, allocator);
    r->importer_memory = memory;
  }
  return memory->state;
}

void tb_perfetto_end_importers(struct tb_perfetto_reader *r) {
  for (struct tb_importer_memory *memory = r->importer_memory; memory && !r->full; memory = memory->next) {
    r->importer_state = memory->state;
    if (memory->of->end) memory->of->end(r);
  }
}

void tb_perfetto_free_importers(struct tb_perfetto_reader *r) {
  const struct tb_allocator *allocator = &r->state.budget.allocator;
  while (r->importer_memory) {
    struct tb_importer_memory *memory = r->importer_memory;
    r->importer_memory = memory->next;
    if (memory->of->free) memory->of->free(memory->state, allocator);
    tb_free(allocator, memory, size_of(memory->of));
  }
}
