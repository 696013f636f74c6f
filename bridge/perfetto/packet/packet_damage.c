/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/packet_damage.h"

#include "protobuf/unpack.h"
#include "protos/perfetto/trace_packet.pb-c.h"

struct tb_packet_damage tb_packet_find_damage(struct tb_str packet, uint32_t kind) {
  struct tb_packet_damage damage = {.payload = false};
  struct tb_wire_cursor cursor = tb_wire_cursor(packet);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    const ProtobufCFieldDescriptor *known =
        protobuf_c_message_descriptor_get_field(&perfetto__protos__trace_packet__descriptor, field.number);
    if (!known || known->type != PROTOBUF_C_TYPE_MESSAGE) continue;
    if (tb_message_check(known->descriptor, field.bytes) != TB_BAD_DATA) continue;
    *(field.number == kind ? &damage.payload : &damage.rest) = true;
  }
  return damage;
}
