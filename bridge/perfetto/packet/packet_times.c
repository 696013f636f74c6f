/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_times.h"

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

bool tb_packet_is_timeless(uint32_t kind) {
  switch (kind) {
    case 0: /* what a packet says to its sequence alone */
    case TB_TRACE_PACKET_PROCESS_TREE:
    case TB_TRACE_PACKET_INODE_FILE_MAP:
    case TB_TRACE_PACKET_CLOCK_SNAPSHOT:
    case TB_TRACE_PACKET_TRACE_CONFIG:
    case TB_TRACE_PACKET_FTRACE_STATS:
    case TB_TRACE_PACKET_TRACE_STATS:
    case TB_TRACE_PACKET_SYNCHRONIZATION_MARKER:
    case TB_TRACE_PACKET_PROCESS_DESCRIPTOR:
    case TB_TRACE_PACKET_THREAD_DESCRIPTOR:
    case TB_TRACE_PACKET_SYSTEM_INFO:
    case TB_TRACE_PACKET_PACKAGES_LIST:
    case TB_TRACE_PACKET_CHROME_BENCHMARK_METADATA:
    case TB_TRACE_PACKET_CHROME_METADATA:
    case TB_TRACE_PACKET_TRACK_DESCRIPTOR:
    case TB_TRACE_PACKET_MODULE_SYMBOLS:
    case TB_TRACE_PACKET_DEOBFUSCATION_MAPPING:
    case TB_TRACE_PACKET_CPU_INFO:
    case TB_TRACE_PACKET_SERVICE_EVENT:
    case TB_TRACE_PACKET_INITIAL_DISPLAY_STATE:
    case TB_TRACE_PACKET_EXTENSION_DESCRIPTOR:
    case TB_TRACE_PACKET_UI_STATE:
    case TB_TRACE_PACKET_TRANSLATION_TABLE:
    case TB_TRACE_PACKET_ANDROID_GAME_INTERVENTION_LIST:
    case TB_TRACE_PACKET_TRACE_UUID:
    case TB_TRACE_PACKET_SHELL_HANDLER_MAPPINGS:
    case TB_TRACE_PACKET_V8_JS_CODE: /* and below: where code is, until the end of the trace */
    case TB_TRACE_PACKET_V8_INTERNAL_CODE:
    case TB_TRACE_PACKET_V8_WASM_CODE:
    case TB_TRACE_PACKET_V8_REG_EXP_CODE:
    case TB_TRACE_PACKET_V8_CODE_MOVE:
    case TB_TRACE_PACKET_PROTOLOG_VIEWER_CONFIG:
    case TB_TRACE_PACKET_REMOTE_CLOCK_SYNC:
    case TB_TRACE_PACKET_PIXEL_MODEM_TOKEN_DATABASE:
    case TB_TRACE_PACKET_GENERIC_KERNEL_PROCESS_TREE:
    case TB_TRACE_PACKET_USER_LIST:
    case TB_TRACE_PACKET_TRACE_PROVENANCE:
    case TB_TRACE_PACKET_TRACE_ATTRIBUTES:
    case TB_TRACE_PACKET_ANDROID_AFLAGS:
    case TB_TRACE_PACKET_GPU_INFO:
    case TB_TRACE_PACKET_INTERRUPT_INFO:
    case TB_TRACE_PACKET_ART_PROCESS_METADATA:
    case TB_TRACE_PACKET_RECOVERED_TRACE_INFO:
    case TB_TRACE_PACKET_SOURCE_FILE:
    case TB_TRACE_PACKET_MODULE_DISASSEMBLY:
      return true;
    default:
      return false;
  }
}

bool tb_packet_describes_itself(uint32_t kind, struct tb_str payload) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  if (kind != TB_TRACE_PACKET_POWER_RAILS) return false;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_POWER_RAILS_RAIL_DESCRIPTOR) return true;
  return false;
}

bool tb_packet_has_values(uint32_t kind) {
  return kind == TB_TRACE_PACKET_SYS_STATS || kind == TB_TRACE_PACKET_PROCESS_STATS || kind == TB_TRACE_PACKET_BATTERY;
}

uint32_t tb_packet_describing_field(uint32_t kind) {
  switch (kind) {
    case TB_TRACE_PACKET_POWER_RAILS:
      return TB_POWER_RAILS_RAIL_DESCRIPTOR;
    case TB_TRACE_PACKET_GPU_COUNTER_EVENT:
      return TB_GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR;
    case TB_TRACE_PACKET_GPU_RENDER_STAGE_EVENT:
      return TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS;
    case TB_TRACE_PACKET_ANDROID_ENERGY_ESTIMATION_BREAKDOWN:
      return TB_ANDROID_ENERGY_ESTIMATION_BREAKDOWN_ENERGY_CONSUMER_DESCRIPTOR;
    case TB_TRACE_PACKET_ENTITY_STATE_RESIDENCY:
      return TB_ENTITY_STATE_RESIDENCY_POWER_ENTITY_STATE;
    default:
      return 0;
  }
}
