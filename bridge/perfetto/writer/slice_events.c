/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: slices, instants, async events and flows onto their queues.
 */
#include <string.h>

#include "model/flow_source.h"
#include "perfetto/writer/flow_registry.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/track_groups.h"
#include "perfetto/writer/unbound_flows.h"
#include "perfetto/writer/writer.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

/* ---- flows ------------------------------------------------------------------------------------------------------- */

static uint64_t flow_order(const struct tb_perfetto_writer *p, const struct tb_event *event) {
  return tb_perfetto_orders_by_offset(p) ? event->offset : p->order;
}

static enum tb_status add_bind_id(struct tb_perfetto_writer *p, const struct tb_event *event,
                                  struct tb_staged_event *entry) {
  bool in = event->has & TB_HAS_FLOW_IN, out = event->has & TB_HAS_FLOW_OUT;
  if (event->bind_id.kind == TB_ID_NONE || (!in && !out)) return TB_OK;
  entry->flow_key = tb_perfetto_flow(p, event, &event->bind_id, TB_FLOW_BOUND);
  entry->flow = in && out ? TB_FLOW_THROUGH : in ? TB_FLOW_IN : TB_FLOW_OUT;
  entry->order = flow_order(p, event);
  return entry->flow_key ? TB_OK : TB_NO_MEMORY;
}

enum tb_status tb_perfetto_put_flow(struct tb_perfetto_writer *p, const struct tb_event *event) {
  if (tb_flow_source(event) == TB_FLOWS_DUPLICATED_BY_ID) {
    tb_losses_add(&p->writer->losses, "what FXT says of flows in addition to their ids", event->offset);
    return TB_OK;
  }
  struct tb_writer_sequence *sequence = tb_perfetto_thread_sequence(p, event->track);
  uint32_t flow =
      tb_perfetto_flow(p, event, &event->id, event->has & TB_HAS_ID_ONLY_MATCH ? TB_FLOW_ID_ONLY : TB_FLOW_NAMED);
  if (!sequence || !flow) return TB_NO_MEMORY;
  struct tb_staged_event entry = {
      .ts = event->ts, .kind = TB_STAGED_FLOW, .flow_key = flow, .order = flow_order(p, event)};
  if (tb_perfetto_keep_full_flow_event(p, sequence, event, flow, entry.order) != TB_OK) return TB_NO_MEMORY;
  if (event->type == TB_EVENT_FLOW_BEGIN)
    entry.flow = TB_FLOW_OUT;
  else if (event->type == TB_EVENT_FLOW_STEP)
    entry.flow = TB_FLOW_THROUGH;
  else
    entry.flow = event->has & TB_HAS_BIND_ENCLOSING ? TB_FLOW_IN : TB_FLOW_IN_NEXT;
  return tb_perfetto_add_entry(p, sequence, &entry);
}

/* ---- stacks and other fields of the body ------------------------------------------------------------------------- */

enum tb_status tb_perfetto_append_stack(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                        const struct tb_stack *stack, struct tb_buffer *body) {
  if (!tb_stack_is_there(stack)) return TB_OK;
  p->scratch.len = 0;
  if (tb_callstacks_text(&p->scratch, stack) != TB_OK) return TB_NO_MEMORY;
  uint32_t iid = tb_interned_iid(&p->interned, sequence->uses, TB_INTERNED_STACKS,
                                 (struct tb_str){p->scratch.data, p->scratch.len});
  if (!iid || tb_buffer_reserve(body, 2 * TB_WIRE_VARINT_MAX) != TB_OK) return TB_NO_MEMORY;
  body->len = (size_t)(tb_wire_put_uint(body->data + body->len, TB_TRACK_EVENT_CALLSTACK_IID, iid) - body->data);
  return TB_OK;
}

static enum tb_status append_flow_ids(struct tb_perfetto_writer *p, const struct tb_event *event,
                                      struct tb_buffer *body) {
  size_t count = (size_t)event->flow_count + event->terminating_flow_count;
  if (tb_flow_source(event) == TB_FLOWS_DUPLICATED_BY_NAME) return TB_OK; /* flow events come for them */
  if (tb_buffer_reserve(body, count * 16) != TB_OK) return TB_NO_MEMORY;
  char *at = body->data + body->len;
  for (uint32_t i = 0; i < event->flow_count; i++)
    at = tb_wire_put_fixed64(at, TB_TRACK_EVENT_FLOW_IDS, event->flow_ids[i]);
  for (uint32_t i = 0; i < event->terminating_flow_count; i++)
    at = tb_wire_put_fixed64(at, TB_TRACK_EVENT_TERMINATING_FLOW_IDS, event->terminating_flow_ids[i]);
  body->len = (size_t)(at - body->data);
  p->writer->summary.flows += count;
  return TB_OK;
}

/* ---- events on their thread's sequence --------------------------------------------------------------------------- */

/* Sees that p->instant is known, and that the sequence defines what it refers to. */
static bool know_instant(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence) {
  char *end = tb_encode_carried_phase(&p->encoder, sequence->uses, p->instant_fields, 'i', NULL);
  if (end) p->instant = (struct tb_str){p->instant_fields, (size_t)(end - p->instant_fields)};
  return end != NULL;
}

/* The trace processor gives slices of JSON a name where they have none. */
static unsigned no_name(const struct tb_perfetto_writer *p) {
  return p->writer->source.unnamed_slices ? 0 : TB_ENCODE_NO_NAME;
}

/* A complete slice that lasts less than nothing, or no known time, is an instant with its phase carried. */
static bool is_complete(const struct tb_event *event) { return event->has & TB_HAS_DUR && event->dur > 0; }
static bool is_moment(const struct tb_event *event) { return event->has & TB_HAS_DUR && event->dur == 0; }

/* The end of a slice says its dur and tdur; what is no slice has none, and without tts tdur has no place. */
static uint64_t times_without_place(const struct tb_staged_event *entry) {
  bool ends = entry->kind == TB_STAGED_COMPLETE || entry->kind == TB_STAGED_ZERO_LENGTH_SLICE;
  uint64_t times = ends ? 0 : TB_CARRIED_BIT(DUR) | TB_CARRIED_BIT(THREAD_DUR);
  return entry->has_thread_ts ? times : times | TB_CARRIED_BIT(THREAD_DUR);
}

static enum tb_status put_on_thread(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_writer_sequence *sequence = tb_perfetto_thread_sequence(p, event->track);
  if (!sequence) return TB_NO_MEMORY;
  struct tb_staged_event entry = {.ts = event->ts};
  struct tb_carried_parts carried = {0};
  unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS | no_name(p);
  char phase = event->phase;
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
      entry.kind = TB_STAGED_BEGIN;
      break;
    case TB_EVENT_SLICE_END:
      entry.kind = TB_STAGED_END;
      parts = TB_ENCODE_ARGS;
      break;
    case TB_EVENT_SLICE_COMPLETE:
      entry.kind = is_complete(event) ? TB_STAGED_COMPLETE
                   : is_moment(event) ? TB_STAGED_ZERO_LENGTH_SLICE
                                      : TB_STAGED_INSTANT_WITH_PHASE;
      entry.dur = event->dur;
      break;
    default:
      entry.kind = TB_STAGED_INSTANT;
      break;
  }
  if (entry.kind == TB_STAGED_INSTANT_WITH_PHASE) {
    carried.phase = TB_STR("X");
  } else if (entry.kind == TB_STAGED_INSTANT && phase && phase != 'i' && phase != 'I') {
    carried.phase = (struct tb_str){&phase, 1};
    entry.kind = TB_STAGED_INSTANT_WITH_PHASE;
  }
  if (event->id.kind != TB_ID_NONE) parts |= TB_ENCODE_IDS;
  if (event->has & TB_HAS_THREAD_TS) tb_perfetto_set_thread_times(sequence, event, &entry);
  if (entry.kind == TB_STAGED_INSTANT && sequence->has_thread_times && !know_instant(p, sequence)) return TB_NO_MEMORY;
  carried.fields = times_without_place(&entry);
  struct tb_buffer *body = &p->encoder.body;
  enum tb_status status =
      tb_encode_event(&p->encoder, sequence->uses, event, parts, &carried, &entry.name, &entry.categories);
  if (status == TB_OK && tb_stack_is_there(&event->stack))
    status = tb_perfetto_append_stack(p, sequence, &event->stack, body);
  if (status == TB_OK && event->flow_count + event->terminating_flow_count) status = append_flow_ids(p, event, body);
  size_t body_len = body->len;
  bool has_end = entry.kind == TB_STAGED_COMPLETE || entry.kind == TB_STAGED_ZERO_LENGTH_SLICE;
  if (status == TB_OK && has_end && tb_stack_is_there(&event->end_stack))
    status = tb_perfetto_append_stack(p, sequence, &event->end_stack, body);
  if (status == TB_OK && entry.kind != TB_STAGED_END) status = add_bind_id(p, event, &entry);
  if (status == TB_OK) status = tb_buffer_reserve(body, TB_PACKET_BYTES_AHEAD);
  if (status != TB_OK) return status;
  entry.body = (struct tb_str){body->data, body_len};
  entry.end_body = (struct tb_str){body->data + body_len, body->len - body_len};
  entry.joinable = entry.kind == TB_STAGED_END && body_len && body_len == p->encoder.args_end;
  return tb_perfetto_add_entry(p, sequence, &entry);
}

/* ---- events on the shared sequence ------------------------------------------------------------------------------- */

/* Tells an END at the time of its BEGIN from one that ends an earlier slice, and an INSTANT before any BEGIN at its
 * time from those behind one. */
static void mark_sorts_first(struct tb_track_group *key, struct tb_staged_event *entry) {
  if (entry->kind == TB_STAGED_BEGIN) {
    if (key->last_begin_ts != entry->ts) key->begins_at_ts = 0;
    key->last_begin_ts = entry->ts;
    key->begins_at_ts++;
  } else if (entry->kind == TB_STAGED_END) {
    entry->sorts_first = key->last_begin_ts != entry->ts || key->begins_at_ts == 0;
    if (!entry->sorts_first) key->begins_at_ts--;
  } else if (entry->kind == TB_STAGED_INSTANT) {
    entry->sorts_first = key->last_begin_ts != entry->ts;
  }
}

/* A thread whose ids are texts is described where it emits something, since the event has their numbers alone. */
static bool know_emitter(struct tb_perfetto_writer *p, const struct tb_track *thread) {
  if (!thread || (!tb_track_get_details(thread)->pid_text.len && !tb_track_get_details(thread)->tid_text.len))
    return true;
  return tb_perfetto_track_state(p, thread) != NULL;
}

/* An override names the thread within a process; a thread of none is carried. */
static bool is_of_no_process(const struct tb_track *thread) { return thread && thread->has_tid && !thread->has_pid; }

static enum tb_status put_shared(struct tb_perfetto_writer *p, const struct tb_event *event, uint32_t key,
                                 enum tb_staged_kind kind, const struct tb_carried_parts *carried, unsigned parts) {
  if (!key || (!carried->emitter && !know_emitter(p, event->thread))) return TB_NO_MEMORY;
  struct tb_writer_sequence *sequence = p->sequences[p->shared];
  struct tb_staged_event entry = {.ts = event->ts, .kind = (uint8_t)kind, .key = key};
  if (kind == TB_STAGED_END) parts &= ~(unsigned)(TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_NO_NAME);
  enum tb_status status =
      tb_encode_event(&p->encoder, sequence->uses, event, parts, carried, &entry.name, &entry.categories);
  if (status == TB_OK) status = tb_perfetto_append_stack(p, sequence, &event->stack, &p->encoder.body);
  if (status == TB_OK && event->flow_count + event->terminating_flow_count)
    status = append_flow_ids(p, event, &p->encoder.body);
  if (status == TB_OK && kind != TB_STAGED_END) status = add_bind_id(p, event, &entry);
  if (status != TB_OK) return status;
  mark_sorts_first(&p->groups.items[key], &entry);
  entry.body = (struct tb_str){p->encoder.body.data, p->encoder.body.len};
  if (kind == TB_STAGED_COMPLETE) entry.dur = event->dur;
  return tb_perfetto_add_entry(p, sequence, &entry);
}

/* Whether readers of an instant on the track have its phase by that alone. */
static bool implies_phase(const struct tb_event *event) {
  bool own = event->track->type == TB_TRACK_CUSTOM || event->track->type == TB_TRACK_COUNTER;
  return !event->phase || event->phase == 'i' || event->phase == 'I' || (own && event->phase == 'n');
}

/* On a process' own track, the global one, or a track of the source that is none of a thread. */
static enum tb_status put_on_track(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_carried_parts carried = {.fields = TB_CARRIED_TIMES};
  char phase = event->phase;
  enum tb_staged_kind kind = TB_STAGED_INSTANT;
  if (event->type == TB_EVENT_SLICE_BEGIN)
    kind = TB_STAGED_BEGIN;
  else if (event->type == TB_EVENT_SLICE_END)
    kind = TB_STAGED_END;
  else if (event->type == TB_EVENT_SLICE_COMPLETE && is_complete(event))
    kind = TB_STAGED_COMPLETE;
  if (kind == TB_STAGED_COMPLETE) carried.fields &= ~TB_CARRIED_BIT(DUR);
  if (event->type == TB_EVENT_SLICE_COMPLETE && kind == TB_STAGED_INSTANT) {
    carried.phase = TB_STR("X");
  } else if (kind == TB_STAGED_INSTANT && !implies_phase(event)) {
    carried.phase = (struct tb_str){&phase, 1};
  }
  unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS;
  /* an override of the thread would move an event of the global track */
  bool is_global = event->track->type == TB_TRACK_GLOBAL;
  carried.emitter = is_global && event->thread;
  carried.tid = is_of_no_process(event->thread);
  if ((event->thread && !is_global) || event->id.kind != TB_ID_NONE) parts |= TB_ENCODE_IDS;
  if (!tb_perfetto_track_state(p, event->track)) return TB_NO_MEMORY;
  return put_shared(p, event, tb_perfetto_track_group(p, event->track, TB_GROUP_TRACK), kind, &carried, parts);
}

enum tb_status tb_perfetto_put_slice(struct tb_perfetto_writer *p, const struct tb_event *event) {
  if (event->track->type != TB_TRACK_THREAD) return put_on_track(p, event);
  bool taken;
  enum tb_status status = tb_perfetto_put_plain_slice(p, event, &taken);
  return taken ? status : put_on_thread(p, event);
}

/* The phase that goes with an async packet: b, n and e are implied. */
static struct tb_str async_phase(const struct tb_event *event, enum tb_staged_kind kind) {
  if (kind == TB_STAGED_END || strchr("bne", event->phase)) return (struct tb_str){NULL, 0};
  return (struct tb_str){&event->phase, 1};
}

enum tb_status tb_perfetto_put_async(struct tb_perfetto_writer *p, const struct tb_event *event,
                                     enum tb_staged_kind kind, enum tb_track_group_class class) {
  const struct tb_track *emitter = event->thread ? event->thread : event->track;
  struct tb_carried_parts carried = {
      .phase = async_phase(event, kind), .fields = TB_CARRIED_TIMES, .tid = is_of_no_process(emitter)};
  unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS | TB_ENCODE_IDS;
  if (kind == TB_STAGED_BEGIN) parts |= no_name(p);
  if (!tb_perfetto_track_state(p, event->track)) return TB_NO_MEMORY;
  return put_shared(p, event, tb_perfetto_async_group(p, event, class), kind, &carried, parts);
}

/* On a side track, with everything carried: what the trace processor knows nothing of, and must not nest. */
enum tb_status tb_perfetto_put_deferred_side(struct tb_perfetto_writer *p, const struct tb_event *event,
                                             enum tb_track_group_class class) {
  struct tb_str phase = event->phase ? (struct tb_str){&event->phase, 1} : event->phase_text;
  if (event->type == TB_EVENT_SAMPLE && !event->phase) phase = TB_STR("sample");
  struct tb_carried_parts carried = {
      .phase = phase, .fields = TB_CARRIED_TIMES, .tid = is_of_no_process(event->thread)};
  unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS | TB_ENCODE_IDS;
  if (!tb_perfetto_track_state(p, event->track)) return TB_NO_MEMORY;
  return put_shared(p, event, tb_perfetto_track_group(p, event->track, class), TB_STAGED_INSTANT, &carried, parts);
}
