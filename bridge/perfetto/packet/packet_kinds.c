/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_kinds.h"

#include "base/memory.h"
#include "protos/perfetto/trace_packet.pb-c.h"

struct tb_str tb_packet_kind_name(uint32_t kind) {
  const ProtobufCFieldDescriptor *field =
      protobuf_c_message_descriptor_get_field(&perfetto__protos__trace_packet__descriptor, kind);
  return field ? tb_str_from(field->name) : (struct tb_str){"", 0};
}
