/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets of a sequence: times as differences on an incremental clock, the rest as the queue's bodies have it.
 */
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "perfetto/writer/descriptor_packets.h"
#include "perfetto/writer/interned_data_packets.h"
#include "perfetto/writer/sequence.h"

enum { FLOW_BYTES = 2 + 8 };

enum tb_status tb_sequence_no_memory(struct tb_sequence_writer *w) {
  return tb_fail(&w->p->writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

enum tb_status tb_sequence_put_event(struct tb_sequence_writer *w, const struct tb_event_head *head,
                                     struct tb_str fields, struct tb_str body) {
  struct tb_str extra = {w->extra.data, w->extra.len}, packet_fields = {w->packet_fields.data, w->packet_fields.len};
  size_t room = TB_EVENT_PACKET_ROOM + fields.len + body.len + extra.len + packet_fields.len;
  w->extra.len = w->packet_fields.len = 0;
  char *start = tb_packet_sink_reserve(&w->p->sink, room);
  if (start) {
    char *end = tb_event_packet_write(&w->stream, start, head, fields, body, extra);
    if (packet_fields.len) end = tb_event_packet_add(start, end, packet_fields);
    tb_packet_sink_commit(&w->p->sink, (size_t)(end - start));
    return TB_OK;
  }
  if (w->p->writer->error.code != TB_OK) return w->p->writer->error.code;
  struct tb_buffer *whole = &w->p->scratch;
  whole->len = 0;
  if (tb_buffer_reserve(whole, room) != TB_OK) return tb_sequence_no_memory(w);
  char *end = tb_event_packet_write(&w->stream, whole->data, head, fields, body, extra);
  if (packet_fields.len) end = tb_event_packet_add(whole->data, end, packet_fields);
  return tb_packet_sink_put(&w->p->sink, whole->data, (size_t)(end - whole->data), (struct tb_str){NULL, 0});
}

enum tb_status tb_sequence_put_extended(struct tb_sequence_writer *w, struct tb_str packet) {
  struct tb_str extra = {w->extra.data, w->extra.len}, packet_fields = {w->packet_fields.data, w->packet_fields.len};
  w->extra.len = w->packet_fields.len = 0;
  if (!extra.len && !packet_fields.len) return tb_packet_sink_put(&w->p->sink, packet.ptr, packet.len, extra);
  struct tb_buffer *whole = &w->p->scratch;
  whole->len = 0;
  if (tb_buffer_reserve(whole, TB_EVENT_PACKET_ROOM + packet.len + extra.len + packet_fields.len) != TB_OK)
    return tb_sequence_no_memory(w);
  char *end = tb_event_packet_extend(&w->stream, whole->data, packet, extra);
  if (packet_fields.len) end = tb_event_packet_add(whole->data, end, packet_fields);
  return tb_packet_sink_put(&w->p->sink, whole->data, (size_t)(end - whole->data), (struct tb_str){NULL, 0});
}

enum tb_status tb_sequence_put_payload(struct tb_sequence_writer *w, int64_t ts, uint32_t field,
                                       struct tb_str payload) {
  char fields[TB_EVENT_PACKET_ROOM];
  struct tb_buffer *whole = &w->p->scratch;
  char *at = tb_wire_put_uint(fields, TB_TRACE_PACKET_TIMESTAMP, (uint64_t)ts - (uint64_t)w->stream.last_ts);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, w->id);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_SEQUENCE_FLAGS, TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE);
  at = tb_wire_put_varint(tb_wire_put_tag(at, field, TB_WIRE_BYTES), payload.len);
  w->stream.last_ts = ts;
  whole->len = 0;
  if (tb_buffer_append(whole, fields, (size_t)(at - fields)) != TB_OK ||
      tb_buffer_append(whole, payload.ptr, payload.len) != TB_OK)
    return tb_sequence_no_memory(w);
  return tb_packet_sink_put_fields(&w->p->sink, (struct tb_str){whole->data, whole->len});
}

/* Takes what was encoded behind w->extra, up to `end`; NULL: there was no memory. */
static enum tb_status take_carried(struct tb_sequence_writer *w, const char *end) {
  if (!end) return tb_sequence_no_memory(w);
  w->extra.len = (size_t)(end - w->extra.data);
  return tb_perfetto_write_interned(w->p, w->id, w->sequence->uses, w->written);
}

static enum tb_status carry_phase(struct tb_sequence_writer *w, char phase, const int64_t *thread_ts) {
  if (tb_buffer_reserve(&w->extra, TB_CARRIED_LATE_MAX) != TB_OK) return tb_sequence_no_memory(w);
  char *at = w->extra.data + w->extra.len;
  return take_carried(w, tb_encode_carried_phase(&w->p->encoder, w->sequence->uses, at, phase, thread_ts));
}

enum tb_status tb_sequence_carry_phase(struct tb_sequence_writer *w, char phase) { return carry_phase(w, phase, NULL); }

enum tb_status tb_sequence_carry_end(struct tb_sequence_writer *w, char phase, const struct tb_staged_event *entry) {
  return carry_phase(w, phase, entry->has_thread_ts ? &entry->thread_ts : NULL);
}

/* The same with that the event has no name. */
static enum tb_status carry_no_name(struct tb_sequence_writer *w) {
  if (tb_buffer_reserve(&w->extra, TB_CARRIED_LATE_MAX) != TB_OK) return tb_sequence_no_memory(w);
  char *at = w->extra.data + w->extra.len;
  return take_carried(w, tb_encode_carried_no_name(&w->p->encoder, w->sequence->uses, at));
}

enum tb_status tb_sequence_add_label(struct tb_sequence_writer *w, struct tb_str body) {
  struct tb_wire_cursor cursor = tb_wire_cursor(body);
  struct tb_wire_field field;
  bool lacks_name = false;
  while (tb_wire_next(&cursor, &field) == TB_OK &&
         (field.number == TB_TRACK_EVENT_NAME_IID || field.number == TB_TRACK_EVENT_CATEGORY_IIDS)) {
    const struct tb_intern *names = &w->p->interned.tables[TB_INTERNED_NAMES];
    if (field.number == TB_TRACK_EVENT_NAME_IID)
      lacks_name = tb_is_no_name(tb_intern_text(names, (uint32_t)field.value));
    if (tb_wire_buffer_field(&w->extra, &field, cursor.at) != TB_OK) return tb_sequence_no_memory(w);
  }
  return lacks_name ? carry_no_name(w) : TB_OK;
}

/* ---- flows ------------------------------------------------------------------------------------------------------- */

static char *put_flow(char *at, const struct tb_slice_flow *flow) {
  return tb_wire_put_fixed64(at, flow->terminating ? TB_TRACK_EVENT_TERMINATING_FLOW_IDS : TB_TRACK_EVENT_FLOW_IDS,
                             flow->id);
}

/* Adds how the slice's bind_id binds that joins nothing; an id that is text is with what the slice carries. */
static enum tb_status add_unjoined(struct tb_sequence_writer *w, const struct tb_slice_flow *flow) {
  struct tb_perfetto_writer *p = w->p;
  bool is_number = tb_intern_text(&p->flow_registry.texts, (uint32_t)flow->id).ptr[1];
  if (tb_buffer_reserve(&w->extra, TB_CARRIED_LATE_MAX) != TB_OK) return tb_sequence_no_memory(w);
  char *end = tb_encode_carried_binding(&p->encoder, w->sequence->uses, w->extra.data + w->extra.len,
                                        flow->unjoined != TB_FLOW_OUT, flow->unjoined != TB_FLOW_IN,
                                        is_number ? &p->flow_registry.numbers[flow->id] : NULL);
  return take_carried(w, end);
}

enum tb_status tb_sequence_add_flows(struct tb_sequence_writer *w, uint64_t place) {
  while (w->flow < w->flow_end && w->flow->place < place) w->flow++;
  const struct tb_slice_flow *first = w->flow;
  for (; w->flow < w->flow_end && w->flow->place == place; w->flow++) {
    if (w->flow->at_end) continue;
    if (w->flow->unjoined) {
      enum tb_status status = add_unjoined(w, w->flow);
      if (status != TB_OK) return status;
      continue;
    }
    if (tb_buffer_reserve(&w->extra, FLOW_BYTES) != TB_OK) return tb_sequence_no_memory(w);
    w->extra.len = (size_t)(put_flow(w->extra.data + w->extra.len, w->flow) - w->extra.data);
  }
  return tb_sequence_emit_source_flows(w, place, first);
}

static const struct tb_slice_flow *first_flow(const struct tb_flows *flows, uint32_t queue, uint64_t place) {
  const struct tb_slice_flow *f = flows->slices;
  size_t at = 0;
  TB_LOWER_BOUND(at, flows->slice_count, i, f[i].queue < queue || (f[i].queue == queue && f[i].place < place));
  return f ? f + at : NULL;
}

enum tb_status tb_sequence_add_end_flows(struct tb_sequence_writer *w, uint64_t place) {
  if (!w->p->flows.any_at_end) return TB_OK;
  const struct tb_slice_flow *f = first_flow(&w->p->flows, w->index, place);
  bool any = false;
  for (; f < w->flow_end && f->place == place; f++) {
    if (!f->at_end) continue;
    if (tb_buffer_reserve(&w->extra, FLOW_BYTES) != TB_OK) return tb_sequence_no_memory(w);
    w->extra.len = (size_t)(put_flow(w->extra.data + w->extra.len, f) - w->extra.data);
    any = true;
  }
  return any && w->p->flow_registry.source_count ? tb_sequence_emit_flows_with_begin(w) : TB_OK;
}

void tb_sequence_find_flows(struct tb_sequence_writer *w) {
  const struct tb_flows *flows = &w->p->flows;
  w->flow = first_flow(flows, w->index, 0);
  w->flow_end = flows->slices ? first_flow(flows, w->index + 1, 0) : NULL;
  tb_sequence_find_source_flows(w);
}

/* ---- the first packets ------------------------------------------------------------------------------------------- */

enum tb_status tb_sequence_put_start(struct tb_sequence_writer *w, int64_t ts) {
  struct tb_perfetto_writer *p = w->p;
  uint64_t track = tb_sequence_is_shared(w) ? 0 : w->sequence->track->uuid, counter = 0;
  if (w->sequence->has_thread_times && !tb_sequence_is_shared(w)) {
    counter = ++p->next_uuid;
    enum tb_status status = tb_perfetto_write_thread_time_track(p, counter, track, w->sequence->thread_times_in_us);
    if (status != TB_OK) return status;
  }
  w->stream.last_ts = ts;
  enum tb_status status = tb_perfetto_write_sequence_start(p, w->id, ts, track, counter);
  return status == TB_OK ? tb_perfetto_write_interned(p, w->id, w->sequence->uses, w->written) : status;
}
