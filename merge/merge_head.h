/* SPDX-License-Identifier: Apache-2.0
 *
 * The fields of a TracePacket that say whose and when it is.
 */
#ifndef TB_MERGE_HEAD_H
#define TB_MERGE_HEAD_H

#include <stdbool.h>

#include "tracebridge/base.h"

/* Numbers of TracePacket's fields that the merger knows by name. */
enum tb_merge_packet_field {
  TB_MERGE_PACKET_FTRACE = 1,
  TB_MERGE_PACKET_CHROME_EVENTS = 5,
  TB_MERGE_PACKET_CLOCK_SNAPSHOT = 6,
  TB_MERGE_PACKET_TIMESTAMP = 8,
  TB_MERGE_PACKET_SEQUENCE_ID = 10,
  TB_MERGE_PACKET_TRACK_EVENT = 11,
  TB_MERGE_PACKET_INTERNED_DATA = 12,
  TB_MERGE_PACKET_SEQUENCE_FLAGS = 13,
  TB_MERGE_PACKET_TRACE_CONFIG = 33,
  TB_MERGE_PACKET_TRACE_STATS = 35,
  TB_MERGE_PACKET_STATE_CLEARED = 41,
  TB_MERGE_PACKET_DROPPED = 42,
  TB_MERGE_PACKET_THREAD_DESCRIPTOR = 44,
  TB_MERGE_PACKET_SYSTEM_INFO = 45,
  TB_MERGE_PACKET_CHROME_METADATA = 51,
  TB_MERGE_PACKET_CLOCK_ID = 58,
  TB_MERGE_PACKET_DEFAULTS = 59,
  TB_MERGE_PACKET_TRACK_DESCRIPTOR = 60,
  TB_MERGE_PACKET_SERVICE_EVENT = 69,
  TB_MERGE_PACKET_TRACE_UUID = 89,
  TB_MERGE_PACKET_MACHINE_ID = 98,
  TB_MERGE_PACKET_REMOTE_CLOCK_SYNC = 107
};

/* Payload fields are empty slices where the packet has none; a field that comes twice counts as its last. */
struct tb_merge_head {
  bool has_timestamp, has_clock, has_sequence, cleared, dropped;
  uint64_t timestamp;
  uint32_t clock, sequence, machine;
  uint32_t kind; /* field number of the first payload, 0 for none */
  struct tb_slice clock_snapshot, remote_clock_sync, defaults, track_descriptor, track_event, service_event;
};

/* Reads a packet's head. TB_OK, or the status of tb_wire_next for a packet that is damaged inside: the head then holds what
 * came before. */
enum tb_status tb_merge_head_read(struct tb_slice packet, struct tb_merge_head *head);

#endif
