/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: source flows, the extra data of JSON's or FXT's flow events that join a slice, in the slice's
 * packet.
 */
#include "base/error.h"
#include "base/search.h"
#include "perfetto/packet/json_flow_record.h"
#include "perfetto/writer/flow_registry.h"
#include "perfetto/writer/interned_data_packets.h"
#include "perfetto/writer/sequence.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/unbound_flows.h"

enum { NUMBERS_ROOM = 8 * TB_WIRE_VARINT_MAX };

static bool append(struct tb_buffer *to, struct tb_str text) {
  return tb_buffer_append(to, text.ptr, text.len) == TB_OK;
}

/* The letters of the kind. The returned text is in `letters`. */
static struct tb_str letters_of(const struct tb_source_flow *source_flows, bool alone, char letters[4]) {
  size_t len = 0;
  bool ends = source_flows->step >= TB_FLOW_IN;
  if (source_flows->is_event) {
    letters[len++] = source_flows->step == TB_FLOW_OUT ? 's' : ends ? 'f' : 't';
    if (source_flows->step == TB_FLOW_IN) letters[len++] = TB_JSON_FLOW_ENCLOSING;
  } else {
    letters[len++] = TB_JSON_FLOW_BIND_ID;
    if (source_flows->step != TB_FLOW_OUT) letters[len++] = TB_JSON_FLOW_IN;
    if (source_flows->step != TB_FLOW_IN) letters[len++] = TB_JSON_FLOW_OUT;
  }
  if (alone) letters[len++] = TB_JSON_FLOW_ID_ONLY;
  return (struct tb_str){letters, len};
}

/* The iid of the kind; of a flow event that is kept whole, or a bind_id, the letters alone. 0 without memory. */
static uint32_t kind_iid(struct tb_sequence_writer *w, const struct tb_source_flow *source_flows, bool whole) {
  struct tb_perfetto_writer *p = w->p;
  struct tb_buffer *text = &p->scratch;
  struct tb_str categories, name;
  struct tb_id id;
  char letters[4];
  uint8_t has = whole || !source_flows->is_event ? 0 : p->flow_registry.known[source_flows->flow].has;
  text->len = 0;
  bool alone = tb_perfetto_read_flow(p, source_flows->flow, &categories, &name, &id) == TB_FLOW_ID_ONLY;
  if (!append(text, letters_of(source_flows, alone, letters))) return 0;
  const char mark[] = {TB_JSON_FLOW_CATEGORIES, TB_JSON_FLOW_NAME};
  if (has & TB_HAS_CATEGORIES && !append(text, (struct tb_str){&mark[0], 1})) return 0;
  if (has & TB_HAS_NAME && !append(text, (struct tb_str){&mark[1], 1})) return 0;
  if (has & TB_HAS_CATEGORIES && (!append(text, TB_STR("\n")) || !append(text, categories))) return 0;
  if (has & TB_HAS_NAME && (!append(text, TB_STR("\n")) || !append(text, name))) return 0;
  return tb_interned_iid(&p->interned, w->sequence->uses, TB_INTERNED_ARG_STRINGS,
                         (struct tb_str){text->data, text->len});
}

/* The event as the fields of a TrackEvent, in p->encoder.body. */
static enum tb_status encode_whole(struct tb_sequence_writer *w, struct tb_event *event) {
  struct tb_perfetto_writer *p = w->p;
  event->track = w->sequence->track->track;
  struct tb_carried_parts carried = {.phase = {&event->phase, 1}, .fields = TB_CARRIED_TIMES};
  unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS | TB_ENCODE_IDS;
  enum tb_status status = tb_encode_event(&p->encoder, w->sequence->uses, event, parts, &carried, NULL, NULL);
  return status == TB_OK ? tb_perfetto_append_stack(p, w->sequence, &event->stack, &p->encoder.body) : status;
}

static enum tb_status write_record(struct tb_sequence_writer *w, const struct tb_source_flow *source_flows,
                                   bool implied) {
  struct tb_perfetto_writer *p = w->p;
  struct tb_event *event = source_flows->is_event ? tb_perfetto_full_flow_event(p, source_flows->order) : NULL;
  struct tb_str whole = {NULL, 0};
  char head[NUMBERS_ROOM], *at = head;
  if (event) {
    enum tb_status status = encode_whole(w, event);
    if (status != TB_OK) return status == TB_NO_MEMORY ? tb_sequence_no_memory(w) : status;
    whole = (struct tb_str){p->encoder.body.data, p->encoder.body.len};
  }
  uint32_t kind = kind_iid(w, source_flows, event != NULL);
  if (!kind) return tb_sequence_no_memory(w);
  at = tb_wire_put_uint(at, TB_JSON_FLOW_KIND_IID, kind);
  if (source_flows->delay) at = tb_wire_put_uint(at, TB_JSON_FLOW_DELAY, tb_wire_zigzag(source_flows->delay));
  if (!implied) at = tb_wire_put_uint(at, TB_JSON_FLOW_ID, source_flows->number);
  if (source_flows->number != p->flow_registry.numbers[source_flows->flow])
    at = tb_wire_put_uint(at, TB_JSON_FLOW_SOURCE_ID, p->flow_registry.numbers[source_flows->flow]);
  if (event) at = tb_wire_put_varint(tb_wire_put_tag(at, TB_JSON_FLOW_EVENT, TB_WIRE_BYTES), whole.len);
  char tag[2 * TB_WIRE_VARINT_MAX], *end = tb_wire_put_tag(tag, TB_TRACE_PACKET_JSON_FLOWS, TB_WIRE_BYTES);
  end = tb_wire_put_varint(end, (size_t)(at - head) + whole.len);
  if (!append(&w->packet_fields, (struct tb_str){tag, (size_t)(end - tag)}) ||
      !append(&w->packet_fields, (struct tb_str){head, (size_t)(at - head)}) || !append(&w->packet_fields, whole))
    return tb_sequence_no_memory(w);
  return tb_perfetto_write_interned(p, w->id, w->sequence->uses, w->written);
}

/* Whether the slice that begins at `place` has more flow ids than readers read. */
static bool has_many(const struct tb_sequence_writer *w, uint64_t place, const struct tb_slice_flow *flow) {
  return w->flow_end - flow > TB_JSON_FLOW_IDS_MAX && flow[TB_JSON_FLOW_IDS_MAX].place == place;
}

enum tb_status tb_sequence_emit_source_flows(struct tb_sequence_writer *w, uint64_t place,
                                             const struct tb_slice_flow *flow) {
  while (w->source_flows < w->source_flow_end && w->source_flows->place < place) w->source_flows++;
  enum tb_status status = TB_OK;
  if (has_many(w, place, flow)) flow = w->flow_end;
  for (; status == TB_OK && w->source_flows < w->source_flow_end && w->source_flows->place == place;
       w->source_flows++) {
    while (flow < w->flow_end && flow->place == place && (flow->at_end || flow->unjoined)) flow++;
    bool ends = w->source_flows->step >= TB_FLOW_IN;
    bool implied =
        flow < w->flow_end && flow->place == place && flow->terminating == ends && flow->id == w->source_flows->number;
    if (implied) flow++;
    status = write_record(w, w->source_flows, implied);
  }
  return status;
}

enum tb_status tb_sequence_emit_flows_with_begin(struct tb_sequence_writer *w) {
  struct tb_perfetto_writer *p = w->p;
  uint32_t kind = 0;
  if (p->flow_registry.has_id_only) {
    static const char alone[] = {TB_JSON_FLOW_ID_ONLY};
    kind = tb_interned_iid(&p->interned, w->sequence->uses, TB_INTERNED_ARG_STRINGS, (struct tb_str){alone, 1});
    if (!kind) return tb_sequence_no_memory(w);
    enum tb_status status = tb_perfetto_write_interned(p, w->id, w->sequence->uses, w->written);
    if (status != TB_OK) return status;
  }
  char message[NUMBERS_ROOM], *end = tb_wire_put_tag(message, TB_TRACE_PACKET_JSON_FLOWS, TB_WIRE_BYTES);
  end = tb_wire_put_varint(end, kind ? 1 + tb_wire_varint_size(kind) : 0);
  if (kind) end = tb_wire_put_uint(end, TB_JSON_FLOW_KIND_IID, kind);
  return append(&w->packet_fields, (struct tb_str){message, (size_t)(end - message)}) ? TB_OK
                                                                                      : tb_sequence_no_memory(w);
}

void tb_sequence_find_source_flows(struct tb_sequence_writer *w) {
  const struct tb_source_flow *source_flows = w->p->flow_registry.sources;
  size_t ends[2];
  for (uint32_t i = 0; i < 2; i++) {
    ends[i] = 0;
    TB_LOWER_BOUND(ends[i], w->p->flow_registry.source_count, k, source_flows[k].queue < w->index + i);
  }
  w->source_flows = source_flows ? source_flows + ends[0] : NULL;
  w->source_flow_end = source_flows ? source_flows + ends[1] : NULL;
}
