/* SPDX-License-Identifier: Apache-2.0
 *
 * A TracePacket with a TrackEvent, on a sequence whose times are differences: what traces have by the million.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_TRACK_EVENT_PACKET_H
#define TB_PERFETTO_WRITER_ENCODE_TRACK_EVENT_PACKET_H

#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum {
  TB_PACKET_MIDDLE_MAX = 16,
  TB_EVENT_PACKET_ROOM = 128,
  TB_PACKET_BYTES_AHEAD = 64 /* see tb_packet_put_bytes_ahead */
};

/* Where a sequence is. */
struct tb_packet_delta {
  char middle[TB_PACKET_MIDDLE_MAX]; /* what is between a packet's timestamp and the length of its TrackEvent */
  size_t middle_len;
  int64_t last_ts, last_thread_time; /* what the next packet's are differences to */
  bool thread_times_in_us;
};

/* What a TrackEvent's packet says before the fields of its body. */
struct tb_event_head {
  int64_t ts;
  bool has_track; /* else the sequence's default */
  uint64_t track;
  uint32_t type;
  bool has_thread_time;
  int64_t thread_time;
};

static inline void tb_packet_delta_init(struct tb_packet_delta *stream, uint32_t sequence_id) {
  *stream = (struct tb_packet_delta){.middle_len = 0};
  char *at = tb_wire_put_uint(stream->middle, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence_id);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE);
  stream->middle_len = (size_t)(tb_wire_put_tag(at, TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES) - stream->middle);
}

static inline char *tb_packet_put_bytes(char *at, struct tb_str bytes) {
  if (bytes.len && bytes.ptr) memcpy(at, bytes.ptr, bytes.len);
  return at + bytes.len;
}

/* The same of bytes that are followed by TB_PACKET_BYTES_AHEAD more that can be read, to where as many more can be
 * written: few are copied without a look at how many they are. */
static inline char *tb_packet_put_bytes_ahead(char *at, struct tb_str bytes) {
  if (bytes.len - 1 >= TB_PACKET_BYTES_AHEAD) return tb_packet_put_bytes(at, bytes); /* none too */
  memcpy(at, bytes.ptr, TB_PACKET_BYTES_AHEAD);
  return at + bytes.len;
}

static inline uint64_t tb_packet_thread_time_step(struct tb_packet_delta *stream, int64_t time) {
  if (stream->thread_times_in_us) time /= 1000;
  uint64_t step = (uint64_t)time - (uint64_t)stream->last_thread_time;
  stream->last_thread_time = time;
  return step;
}

/* Where the messages of a packet begin that is not yet at its end. */
struct tb_open_packet {
  char *packet, *event;
};

/* Writes the head of a packet, its tag included; `at` has room for TB_EVENT_PACKET_ROOM bytes. Returns where the
 * fields of its body go. */
static TB_ALWAYS_INLINE char *tb_event_packet_begin(struct tb_packet_delta *stream, char *at,
                                                    const struct tb_event_head *head, struct tb_open_packet *open) {
  at = open->packet = tb_wire_open_message(at, TB_TRACE_PACKET);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TIMESTAMP, (uint64_t)head->ts - (uint64_t)stream->last_ts);
  stream->last_ts = head->ts;
  memcpy(at, stream->middle, TB_PACKET_MIDDLE_MAX);
  at = open->event = at + stream->middle_len + 1;
  at = tb_wire_put_uint(at, TB_TRACK_EVENT_TYPE, head->type);
  if (head->has_track) at = tb_wire_put_uint(at, TB_TRACK_EVENT_TRACK_UUID, head->track);
  if (head->has_thread_time)
    at = tb_wire_put_uint(at, TB_TRACK_EVENT_EXTRA_COUNTER_VALUES,
                          tb_packet_thread_time_step(stream, head->thread_time));
  return at;
}

/* Ends a packet whose body ends at `at`. Returns the byte after it. */
static TB_ALWAYS_INLINE char *tb_event_packet_end(const struct tb_open_packet *open, char *at) {
  return tb_wire_close_message(open->packet, tb_wire_close_message(open->event, at));
}

/* Writes a whole packet, its tag and length included: the head, then the fields in `fields`, `body` and `extra`. `at`
 * has room for TB_EVENT_PACKET_ROOM bytes more than these. Returns the byte after it. */
static inline char *tb_event_packet_write(struct tb_packet_delta *stream, char *at, const struct tb_event_head *head,
                                          struct tb_str fields, struct tb_str body, struct tb_str extra) {
  struct tb_open_packet open;
  at = tb_event_packet_begin(stream, at, head, &open);
  at = tb_packet_put_bytes(tb_packet_put_bytes(tb_packet_put_bytes(at, fields), body), extra);
  return tb_event_packet_end(&open, at);
}

/* Writes `packet`, which tb_event_packet_write wrote, with `extra` behind its fields. `at` has room for
 * TB_EVENT_PACKET_ROOM bytes more than both. Returns the byte after it. */
static inline char *tb_event_packet_extend(const struct tb_packet_delta *stream, char *at, struct tb_str packet,
                                           struct tb_str extra) {
  uint64_t v = 0;
  const char *start = tb_wire_read_varint(packet.ptr + 1, packet.ptr + packet.len, &v), *from = start;
  from = tb_wire_read_varint(from + 1, packet.ptr + packet.len, &v) + stream->middle_len;
  at = tb_wire_put_tag(at, TB_TRACE_PACKET, TB_WIRE_BYTES) + 1;
  char *fields = at;
  at = tb_packet_put_bytes(at, (struct tb_str){start, (size_t)(from - start)}) + 1;
  char *event = at;
  from = tb_wire_read_varint(from, packet.ptr + packet.len, &v);
  at = tb_packet_put_bytes(at, (struct tb_str){from, (size_t)(packet.ptr + packet.len - from)});
  return tb_wire_close_message(fields, tb_wire_close_message(event, tb_packet_put_bytes(at, extra)));
}

/* Adds the packet fields in `packet_fields` to the packet at [at, end), which has room for them and
 * TB_WIRE_VARINT_MAX bytes more behind it. Returns the byte after it. */
static inline char *tb_event_packet_add(char *at, char *end, struct tb_str packet_fields) {
  uint64_t len = 0;
  const char *fields = tb_wire_read_varint(at + 1, end, &len);
  size_t from = (size_t)(fields - at), to = 1 + tb_wire_varint_size(len + packet_fields.len);
  memmove(at + to, at + from, (size_t)len);
  (void)tb_wire_put_varint(at + 1, len + packet_fields.len);
  return tb_packet_put_bytes(at + to + len, packet_fields);
}

#endif
