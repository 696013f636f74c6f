/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets of the merged trace that no input has.
 */
#include "merge/write/synthesized_packets.h"

#include "base/error.h"
#include "io/path.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { NAME_MAX_BYTES = 255 };

static enum tb_status put_packet(struct tb_merger *m, const void *data, size_t len) {
  char frame[1 + TB_WIRE_VARINT_MAX];
  char *end = tb_wire_put_varint(tb_wire_put_tag(frame, TB_TRACE_PACKET, TB_WIRE_BYTES), len);
  enum tb_status status = tb_output_write(m->output, frame, (size_t)(end - frame), &m->error);
  m->report->summary.packets_out++;
  return status == TB_OK ? tb_output_write(m->output, data, len, &m->error) : status;
}

/* A ClockSnapshot of the trace's clock alone at `time`; returns the bytes after it. Room for 64 bytes is there. */
static char *put_reading(char *at, const struct tb_merger *m, int64_t time) {
  char clock[32];
  char *end = tb_wire_put_uint(clock, TB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, m->trace_clock);
  end = tb_wire_put_uint(end, TB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, time > 0 ? (uint64_t)time : 1);
  return tb_wire_put_bytes(at, TB_CLOCK_SNAPSHOT_CLOCKS, clock, (size_t)(end - clock));
}

enum tb_status tb_synthesize_clock(struct tb_merger *m, int64_t time) {
  char snapshot[96], packet[128];
  char *end = tb_wire_put_uint(put_reading(snapshot, m, time), TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, m->trace_clock);
  char *at = tb_wire_put_bytes(packet, TB_TRACE_PACKET_CLOCK_SNAPSHOT, snapshot, (size_t)(end - snapshot));
  return put_packet(m, packet, (size_t)(at - packet));
}

/* What is kept of the machine goes along. */
static enum tb_status put_introduction(struct tb_merger *m, struct tb_source *s, const char *start, size_t len) {
  struct tb_buffer packet;
  tb_buffer_init(&packet, m->allocator, 0);
  enum tb_status status = tb_buffer_append(&packet, start, len);
  if (status == TB_OK) status = tb_keep_boots(m, s, &packet);
  status = status == TB_OK ? put_packet(m, packet.data, packet.len)
                           : tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  tb_buffer_free(&packet);
  return status;
}

/* Says that a machine which the merger made has its clock in step with the merged trace's, in two rounds, as readers
 * ask for; and has that clock: readers know no clock of a machine before a snapshot of it, were it the trace's own. */
enum tb_status tb_synthesize_machine(struct tb_merger *m, struct tb_source *s, uint32_t machine, uint32_t identity,
                                     int64_t time) {
  char snapshot[160], round[512], sync[1200], packet[1400];
  size_t len = (size_t)(put_reading(snapshot, m, time) - snapshot);
  char *at = tb_wire_put_bytes(round, TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS, snapshot, len);
  at = tb_wire_put_bytes(at, TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_HOST_CLOCKS, snapshot, len);
  char *end = tb_wire_put_bytes(sync, TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS, round, (size_t)(at - round));
  end = tb_wire_put_bytes(end, TB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS, round, (size_t)(at - round));
  at = tb_wire_put_bytes(packet, TB_TRACE_PACKET_REMOTE_CLOCK_SYNC, sync, (size_t)(end - sync));
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_MACHINE_ID, machine);
  if (identity != machine) at = tb_wire_put_uint(at, TB_TRACE_PACKET_MERGE_IDENTITY, identity);
  bool is_host = tb_source_machine_out(s, tb_source_host(s)) == machine;
  enum tb_status status =
      is_host ? put_introduction(m, s, packet, (size_t)(at - packet)) : put_packet(m, packet, (size_t)(at - packet));
  if (status != TB_OK) return status;
  end = tb_wire_put_uint(snapshot + len, TB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, m->trace_clock);
  at = tb_wire_put_bytes(packet, TB_TRACE_PACKET_CLOCK_SNAPSHOT, snapshot, (size_t)(end - snapshot));
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_MACHINE_ID, machine);
  return put_packet(m, packet, (size_t)(at - packet));
}

/* Describes the track that an input's events on a shared process or thread go to: below the shared one. */
enum tb_status tb_synthesize_track(struct tb_merger *m, struct tb_source *s, uint32_t machine) {
  uint64_t uuid = 0;
  const struct tb_packet_header *head = &s->current.head;
  struct tb_wire_cursor cursor = tb_wire_cursor(tb_packet_header_payload(head, TB_TRACE_PACKET_TRACK_DESCRIPTOR));
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACK_DESCRIPTOR_UUID) uuid = field.value;
  uint64_t *separate = tb_map_find(&s->separate, uuid, 0);
  const uint64_t *parent = tb_map_find(&s->described, uuid, 0);
  if (!separate || !*separate || !parent) return TB_OK;
  uint64_t known_by = *separate, to = tb_remap_uuid(&s->remap, uuid);
  *separate = 0;
  const char *name = tb_path_last_part(s->name);
  char track[512], packet[640];
  char *at = tb_wire_put_uint(track, TB_TRACK_DESCRIPTOR_UUID, to);
  at = tb_wire_put_bytes(at, TB_TRACK_DESCRIPTOR_NAME, name, strnlen(name, NAME_MAX_BYTES));
  at = tb_wire_put_uint(at, TB_TRACK_DESCRIPTOR_PARENT_UUID, *parent);
  at =
      tb_wire_put_uint(at, TB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR, TB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR_NONE);
  char *end = tb_wire_put_bytes(packet, TB_TRACE_PACKET_TRACK_DESCRIPTOR, track, (size_t)(at - track));
  uint32_t sequence = tb_remap_sequence(&s->remap, head->sequence);
  if (sequence) end = tb_wire_put_uint(end, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence);
  if (machine) end = tb_wire_put_uint(end, TB_TRACE_PACKET_MACHINE_ID, machine);
  if (known_by != to) end = tb_wire_put_uint(end, TB_TRACE_PACKET_MERGE_IDENTITY, known_by);
  return put_packet(m, packet, (size_t)(end - packet));
}

/* What the manifest says of the archive as a whole. */
enum tb_status tb_synthesize_attributes(struct tb_merger *m) {
  static const char prefix[] = "manifest_attribute.";
  enum tb_status status = TB_OK;
  for (size_t i = 0; m->manifest && i < m->manifest->attribute_count && status == TB_OK; i++) {
    const struct tb_manifest_attribute *a = &m->manifest->attributes[i];
    size_t key = sizeof(prefix) - 1 + a->key.len, most = key + a->text.len + 128;
    struct tb_buffer *out = &m->scratch;
    out->len = 0;
    status = tb_buffer_reserve(out, 3 * most);
    if (status != TB_OK) return tb_fail(&m->error, status, TB_NO_OFFSET, "out of memory");
    char *attribute = out->data,
         *at = tb_wire_put_varint(tb_wire_put_tag(attribute, TB_TRACE_ATTRIBUTES_ATTRIBUTE_KEY, TB_WIRE_BYTES), key);
    memcpy(at, prefix, sizeof(prefix) - 1);
    if (a->key.len) memcpy(at + sizeof(prefix) - 1, a->key.ptr, a->key.len);
    at += key;
    at = a->is_text ? tb_wire_put_bytes(at, TB_TRACE_ATTRIBUTES_ATTRIBUTE_STRING_VALUE, a->text.ptr, a->text.len)
                    : tb_wire_put_uint(at, TB_TRACE_ATTRIBUTES_ATTRIBUTE_LONG_VALUE, (uint64_t)a->number);
    char *message = out->data + most,
         *end = tb_wire_put_bytes(message, TB_TRACE_ATTRIBUTES_ATTRIBUTE, attribute, (size_t)(at - attribute));
    char *packet = out->data + 2 * most;
    at = tb_wire_put_bytes(packet, TB_TRACE_PACKET_TRACE_ATTRIBUTES, message, (size_t)(end - message));
    status = put_packet(m, packet, (size_t)(at - packet));
  }
  return status;
}
