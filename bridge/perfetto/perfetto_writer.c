/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/error.h"
#include "json/json_emit.h"
#include "perfetto/fields.h"
#include "perfetto/wire.h"
#include "perfetto/writer_state.h"
#include "timeline/slice_stack.h"

enum { SPILL_CHECK_EVENTS = 1024, MIN_BUDGET = 1 << 20 };

static enum tb_status no_memory(struct tb_perfetto_writer *p) {
  return tb_fail(&p->writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

/* ---- tracks and sequences ---------------------------------------------------------------------------------------------------- */

struct tb_track_state *tb_perfetto_track(struct tb_perfetto_writer *p, const struct tb_track *track) {
  if (track->index >= p->track_count) {
    size_t before = p->track_capacity;
    void *tracks = p->tracks;
    if (tb_grow_array(p->allocator, &tracks, &p->track_capacity, (size_t)track->index + 1, sizeof(*p->tracks), UINT32_MAX) !=
        TB_OK)
      return NULL;
    p->tracks = tracks;
    if (p->track_capacity > before) memset(p->tracks + before, 0, (p->track_capacity - before) * sizeof(*p->tracks));
    p->track_count = (size_t)track->index + 1;
  }
  struct tb_track_state *state = &p->tracks[track->index];
  if (state->track) return state;
  state->track = track;
  if (track->type != TB_TRACK_GLOBAL || track->machine) state->uuid = ++p->next_uuid;
  if (track->parent && !tb_perfetto_track(p, track->parent)) return NULL;
  return &p->tracks[track->index];
}

static struct tb_sequence *add_sequence(struct tb_perfetto_writer *p) {
  void *sequences = p->sequences;
  if (tb_grow_array(p->allocator, &sequences, &p->sequence_capacity, p->sequence_count + 1, sizeof(*p->sequences),
                    UINT32_MAX) != TB_OK)
    return NULL;
  p->sequences = sequences;
  struct tb_sequence *sequence = tb_calloc(p->allocator, sizeof(*sequence));
  if (!sequence) return NULL;
  tb_strand_init(&sequence->strand, p->allocator);
  sequence->thread_times_in_us = true;
  sequence->binder.strand_index = (uint32_t)p->sequence_count;
  return p->sequences[p->sequence_count++] = sequence;
}

static struct tb_sequence *thread_sequence(struct tb_perfetto_writer *p, const struct tb_track *track) {
  struct tb_track_state *state = tb_perfetto_track(p, track);
  if (!state || state->sequence) return state ? state->sequence : NULL;
  struct tb_sequence *sequence = add_sequence(p);
  if (!sequence) return NULL;
  sequence->track = state; /* set anew before use: the array of states may move */
  state->sequence = sequence;
  return sequence;
}

/* ---- memory ------------------------------------------------------------------------------------------------------------------------ */

static size_t held_bytes(const struct tb_perfetto_writer *p) {
  size_t bytes = 0;
  for (size_t i = 0; i < p->sequence_count; i++) bytes += p->sequences[i]->strand.bytes;
  return bytes;
}

static enum tb_status spill_when_full(struct tb_perfetto_writer *p) {
  struct tb_writer *writer = p->writer;
  if (p->order % SPILL_CHECK_EVENTS) return TB_OK;
  size_t held = held_bytes(p), budget = writer->options.memory_budget;
  if (held > writer->summary.peak_held_bytes) writer->summary.peak_held_bytes = held;
  if (budget == 0 || held < (budget < MIN_BUDGET ? MIN_BUDGET : budget)) return TB_OK;
  if (!p->spill) {
    enum tb_status status =
        tb_spill_file_create(writer->options.temporary_directory, p->allocator, &p->spill, &writer->error);
    if (status != TB_OK) return status;
  }
  for (size_t i = 0; i < p->sequence_count; i++) {
    enum tb_status status = tb_strand_spill(&p->sequences[i]->strand, p->spill, &writer->error);
    if (status != TB_OK) return status;
  }
  writer->summary.spilled_bytes = tb_spill_file_size(p->spill);
  return TB_OK;
}

/* Puts an entry on a sequence's strand, and binds its flows while the strand is in order. */
static enum tb_status add_entry(struct tb_perfetto_writer *p, struct tb_sequence *sequence, const struct tb_entry *entry) {
  struct tb_strand *strand = &sequence->strand;
  uint64_t place = strand->total;
  enum tb_status status = tb_strand_add(strand, entry);
  if (status != TB_OK || !tb_strand_in_order(strand) || (!entry->flow && !sequence->binder.waiting_count)) return status;
  sequence->binder.flows = &p->flows;
  const struct tb_stack_frame_ref *top = tb_slice_stack_top(&strand->stack);
  return tb_flows_take(&sequence->binder, &strand->stack, entry, place, top && top->place == place);
}

/* ---- flows ------------------------------------------------------------------------------------------------------------------------- */

/* The flow of an event: by id, category and name (v1), or by bind_id alone (v2). 0 without memory; flows count from 1. */
static uint32_t flow_of(struct tb_perfetto_writer *p, const struct tb_event *event, const struct tb_id *id, bool by_name) {
  struct tb_buffer *text = &p->scratch;
  text->len = 0;
  char head[2] = {(char)by_name, (char)id->is_number};
  uint64_t lengths[2] = {event->categories.len, event->name.len};
  enum tb_status status = tb_buffer_append(text, head, 2);
  if (status == TB_OK && by_name) {
    status = tb_buffer_append(text, lengths, sizeof(lengths));
    if (status == TB_OK) status = tb_buffer_append(text, event->categories.ptr, event->categories.len);
    if (status == TB_OK) status = tb_buffer_append(text, event->name.ptr, event->name.len);
  }
  if (status == TB_OK)
    status = id->is_number ? tb_buffer_append(text, &id->value, sizeof(id->value))
                           : tb_buffer_append(text, id->text.ptr, id->text.len);
  if (status != TB_OK) return 0;
  uint32_t flow = tb_intern_id(&p->flow_texts, (struct tb_slice){text->data, text->len});
  void *numbers = p->flow_numbers;
  if (!flow || tb_grow_array(p->allocator, &numbers, &p->flow_capacity, (size_t)flow + 1, sizeof(*p->flow_numbers),
                             UINT32_MAX) != TB_OK)
    return 0;
  p->flow_numbers = numbers;
  p->flow_numbers[flow] = id->is_number ? id->value : XXH3_64bits(id->text.ptr, id->text.len);
  return flow;
}

static enum tb_status add_bind_id(struct tb_perfetto_writer *p, const struct tb_event *event, struct tb_entry *entry) {
  bool in = event->has & TB_HAS_FLOW_IN, out = event->has & TB_HAS_FLOW_OUT;
  if (event->bind_id.kind == TB_ID_NONE || (!in && !out)) return TB_OK;
  entry->flow_key = flow_of(p, event, &event->bind_id, false);
  entry->flow = in && out ? TB_FLOW_THROUGH : in ? TB_FLOW_IN : TB_FLOW_OUT;
  entry->order = p->order;
  return entry->flow_key ? TB_OK : TB_NO_MEMORY;
}

static enum tb_status put_flow(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_sequence *sequence = thread_sequence(p, event->track);
  uint32_t flow = flow_of(p, event, &event->id, true);
  if (!sequence || !flow) return TB_NO_MEMORY;
  struct tb_entry entry = {.ts = event->ts, .kind = TB_ENTRY_FLOW, .flow_key = flow, .order = p->order};
  if (event->type == TB_EVENT_FLOW_BEGIN) entry.flow = TB_FLOW_OUT;
  else if (event->type == TB_EVENT_FLOW_STEP) entry.flow = TB_FLOW_THROUGH;
  else entry.flow = event->has & TB_HAS_BIND_ENCLOSING ? TB_FLOW_IN : TB_FLOW_IN_NEXT;
  return add_entry(p, sequence, &entry);
}

/* ---- stacks and other fields of the body --------------------------------------------------------------------------------------------- */

static enum tb_status append_stack(struct tb_perfetto_writer *p, struct tb_sequence *sequence, const struct tb_stack *stack,
                                   struct tb_buffer *body) {
  p->scratch.len = 0;
  if (tb_stacks_text(&p->scratch, stack) != TB_OK) return TB_NO_MEMORY;
  uint32_t iid = tb_interned_iid(&p->interned, &sequence->uses, TB_INTERNED_STACKS,
                                 (struct tb_slice){p->scratch.data, p->scratch.len});
  if (!iid || tb_buffer_reserve(body, 2 * TB_WIRE_VARINT_MAX) != TB_OK) return TB_NO_MEMORY;
  body->len = (size_t)(tb_wire_put_uint(body->data + body->len, TB_TRACK_EVENT_CALLSTACK_IID, iid) - body->data);
  return TB_OK;
}

static enum tb_status append_flow_ids(struct tb_perfetto_writer *p, const struct tb_event *event, struct tb_buffer *body) {
  if (event->flow_count + event->terminating_flow_count == 0) return TB_OK;
  size_t count = (size_t)event->flow_count + event->terminating_flow_count;
  if (tb_buffer_reserve(body, count * 16) != TB_OK) return TB_NO_MEMORY;
  char *at = body->data + body->len;
  for (uint32_t i = 0; i < event->flow_count; i++) at = tb_wire_put_fixed64(at, TB_TRACK_EVENT_FLOW_IDS, event->flow_ids[i]);
  for (uint32_t i = 0; i < event->terminating_flow_count; i++)
    at = tb_wire_put_fixed64(at, TB_TRACK_EVENT_TERMINATING_FLOW_IDS, event->terminating_flow_ids[i]);
  body->len = (size_t)(at - body->data);
  p->writer->summary.flows += count;
  return TB_OK;
}

/* ---- events on their thread's sequence ----------------------------------------------------------------------------------------------- */

static void set_thread_times(struct tb_sequence *sequence, const struct tb_event *event, struct tb_entry *entry) {
  if (!(event->has & TB_HAS_THREAD_TS)) return;
  entry->has_thread_ts = true;
  entry->thread_ts = event->thread_ts;
  if (event->thread_ts % 1000) sequence->thread_times_in_us = false;
  if (!(event->has & TB_HAS_THREAD_DUR)) return;
  entry->has_thread_dur = true;
  entry->thread_dur = event->thread_dur;
  if (event->thread_dur % 1000) sequence->thread_times_in_us = false;
}

/* A complete slice that lasts less than nothing, or no known time, is an instant with its phase carried. */
static bool is_complete(const struct tb_event *event) { return event->has & TB_HAS_DUR && event->dur > 0; }
static bool is_moment(const struct tb_event *event) { return event->has & TB_HAS_DUR && event->dur == 0; }

static enum tb_status put_on_thread(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_sequence *sequence = thread_sequence(p, event->track);
  if (!sequence) return TB_NO_MEMORY;
  struct tb_entry entry = {.ts = event->ts};
  struct tb_carriage carriage = {0};
  unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS | TB_ENCODE_NO_NAME;
  char phase = event->phase;
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN: entry.kind = TB_ENTRY_BEGIN; break;
    case TB_EVENT_SLICE_END:
      entry.kind = TB_ENTRY_END;
      parts = TB_ENCODE_ARGS;
      break;
    case TB_EVENT_SLICE_COMPLETE:
      entry.kind = is_complete(event) ? TB_ENTRY_COMPLETE : is_moment(event) ? TB_ENTRY_MOMENT : TB_ENTRY_MARK;
      entry.dur = event->dur;
      break;
    default: entry.kind = TB_ENTRY_INSTANT; break;
  }
  if (entry.kind == TB_ENTRY_MARK) {
    carriage.phase = TB_SLICE("X");
    carriage.times = true;
  } else if (entry.kind == TB_ENTRY_INSTANT && phase && phase != 'i' && phase != 'I') {
    carriage.phase = (struct tb_slice){&phase, 1};
    entry.kind = TB_ENTRY_MARK;
  }
  if (event->id.kind != TB_ID_NONE) parts |= TB_ENCODE_IDS;
  set_thread_times(sequence, event, &entry);
  if (!entry.has_thread_ts && event->has & TB_HAS_THREAD_DUR) carriage.times = true;
  struct tb_buffer *body = &p->encoder.body;
  enum tb_status status =
      tb_encode_event(&p->encoder, &sequence->uses, event, parts, &carriage, &entry.name, &entry.categories);
  if (status == TB_OK && tb_stack_is_there(&event->stack)) status = append_stack(p, sequence, &event->stack, body);
  if (status == TB_OK) status = append_flow_ids(p, event, body);
  size_t body_len = body->len;
  if (status == TB_OK && tb_stack_is_there(&event->end_stack)) status = append_stack(p, sequence, &event->end_stack, body);
  if (status == TB_OK && entry.kind != TB_ENTRY_END) status = add_bind_id(p, event, &entry);
  if (status != TB_OK) return status;
  entry.body = (struct tb_slice){body->data, entry.kind == TB_ENTRY_COMPLETE ? body_len : body->len};
  if (entry.kind == TB_ENTRY_COMPLETE) entry.end_body = (struct tb_slice){body->data + body_len, body->len - body_len};
  return add_entry(p, sequence, &entry);
}

/* ---- events on the shared sequence ---------------------------------------------------------------------------------------------------- */

/* Tells an END at the time of its BEGIN from one that ends an earlier slice. */
static void mark_early(struct tb_key *key, struct tb_entry *entry) {
  if (entry->kind == TB_ENTRY_BEGIN) {
    if (key->last_begin_ts != entry->ts) key->begins_at_ts = 0;
    key->last_begin_ts = entry->ts;
    key->begins_at_ts++;
  } else if (entry->kind == TB_ENTRY_END) {
    entry->early = key->last_begin_ts != entry->ts || key->begins_at_ts == 0;
    if (!entry->early) key->begins_at_ts--;
  }
}

static enum tb_status put_shared(struct tb_perfetto_writer *p, const struct tb_event *event, uint32_t key,
                                 enum tb_entry_kind kind, const struct tb_carriage *carriage, unsigned parts) {
  if (!key) return TB_NO_MEMORY;
  struct tb_sequence *sequence = p->sequences[TB_SHARED_SEQUENCE];
  struct tb_entry entry = {.ts = event->ts, .kind = (uint8_t)kind, .key = key};
  if (kind == TB_ENTRY_END) parts &= ~(unsigned)(TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_NO_NAME | TB_ENCODE_IDS);
  enum tb_status status =
      tb_encode_event(&p->encoder, &sequence->uses, event, parts, carriage, &entry.name, &entry.categories);
  if (status == TB_OK && tb_stack_is_there(&event->stack))
    status = append_stack(p, sequence, &event->stack, &p->encoder.body);
  if (status == TB_OK) status = append_flow_ids(p, event, &p->encoder.body);
  if (status == TB_OK && kind != TB_ENTRY_END) status = add_bind_id(p, event, &entry);
  if (status != TB_OK) return status;
  mark_early(&p->keys[key], &entry);
  entry.body = (struct tb_slice){p->encoder.body.data, p->encoder.body.len};
  if (kind == TB_ENTRY_COMPLETE) entry.dur = event->dur;
  return add_entry(p, sequence, &entry);
}

/* On a process' own track, the global one, or a track of the source that is none of a thread. */
static enum tb_status put_on_track(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_carriage carriage = {.times = event->has & TB_HAS_THREAD_TS};
  char phase = event->phase;
  enum tb_entry_kind kind = TB_ENTRY_INSTANT;
  if (event->type == TB_EVENT_SLICE_BEGIN) kind = TB_ENTRY_BEGIN;
  else if (event->type == TB_EVENT_SLICE_END) kind = TB_ENTRY_END;
  else if (event->type == TB_EVENT_SLICE_COMPLETE && is_complete(event)) kind = TB_ENTRY_COMPLETE;
  if (event->type == TB_EVENT_SLICE_COMPLETE && kind == TB_ENTRY_INSTANT) {
    carriage.phase = TB_SLICE("X");
    carriage.times = true;
  } else if (kind == TB_ENTRY_INSTANT && phase && phase != 'i' && phase != 'I') {
    carriage.phase = (struct tb_slice){&phase, 1};
  }
  unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS;
  /* an override of the thread would move an event of the global track */
  if (event->track->type == TB_TRACK_GLOBAL) carriage.emitter = event->thread != NULL;
  else if (event->thread || event->id.kind != TB_ID_NONE) parts |= TB_ENCODE_IDS;
  if (!tb_perfetto_track(p, event->track)) return TB_NO_MEMORY;
  return put_shared(p, event, tb_perfetto_track_key(p, event->track, TB_KEY_TRACK), kind, &carriage, parts);
}

/* The phase that goes with an async packet: b, n and e are implied. */
static struct tb_slice async_phase(const struct tb_event *event, enum tb_entry_kind kind) {
  if (kind == TB_ENTRY_END || strchr("bne", event->phase)) return (struct tb_slice){NULL, 0};
  return (struct tb_slice){&event->phase, 1};
}

static enum tb_status put_async(struct tb_perfetto_writer *p, const struct tb_event *event, enum tb_entry_kind kind,
                                enum tb_key_class class) {
  struct tb_carriage carriage = {.phase = async_phase(event, kind), .times = event->has & TB_HAS_THREAD_TS};
  unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS | TB_ENCODE_IDS;
  if (kind == TB_ENTRY_BEGIN) parts |= TB_ENCODE_NO_NAME;
  if (!tb_perfetto_track(p, event->track)) return TB_NO_MEMORY;
  return put_shared(p, event, tb_perfetto_async_key(p, event, class), kind, &carriage, parts);
}

/* Beside its track, with everything carried: what the trace processor knows nothing of, and must not nest. */
static enum tb_status put_aside(struct tb_perfetto_writer *p, const struct tb_event *event, enum tb_key_class class) {
  struct tb_slice phase = event->phase ? (struct tb_slice){&event->phase, 1} : event->phase_text;
  if (event->type == TB_EVENT_SAMPLE && !event->phase) phase = TB_SLICE("sample");
  struct tb_carriage carriage = {.phase = phase, .times = true};
  unsigned parts = TB_ENCODE_NAME | TB_ENCODE_CATEGORIES | TB_ENCODE_ARGS | TB_ENCODE_IDS;
  if (!tb_perfetto_track(p, event->track)) return TB_NO_MEMORY;
  return put_shared(p, event, tb_perfetto_track_key(p, event->track, class), TB_ENTRY_INSTANT, &carriage, parts);
}

/* ---- counters -------------------------------------------------------------------------------------------------------------------------- */

/* A counter's body: whether it is a double, its eight bytes, then fields of the TrackEvent. */
enum { COUNTER_VALUE_BYTES = 9 };

static bool counter_value(const struct tb_arg *arg, bool *is_double, uint64_t *bits) {
  *is_double = arg->type == TB_ARG_DOUBLE;
  *bits = arg->u;
  if (arg->type == TB_ARG_INT || arg->type == TB_ARG_DOUBLE) return true;
  if (arg->type == TB_ARG_UINT) {
    if (arg->u <= INT64_MAX) return true;
    double d = (double)arg->u;
    memcpy(bits, &d, sizeof(d));
    *is_double = true;
    return true;
  }
  if (arg->type != TB_ARG_STRING || arg->text.len == 0 || arg->text.len > 64) return false;
  char text[65], *end; /* the trace processor reads numbers in strings too */
  memcpy(text, arg->text.ptr, arg->text.len);
  text[arg->text.len] = '\0';
  double d = strtod(text, &end);
  if (end != text + arg->text.len) return false;
  *is_double = true;
  memcpy(bits, &d, sizeof(d));
  return true;
}

/* Whether the values say all of the args: numbers, each once. */
static bool is_plain_counter(const struct tb_event *event, uint32_t *series) {
  bool plain = true;
  *series = 0;
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    bool is_double;
    uint64_t bits;
    if (!counter_value(&event->args[i], &is_double, &bits)) plain = false;
    else ++*series;
    if (event->args[i].type == TB_ARG_STRING || (event->args[i].type == TB_ARG_UINT && is_double)) plain = false;
  }
  return plain;
}

static void note_value(struct tb_key *key, bool is_double, uint64_t bits) {
  if (is_double) {
    key->has_double = true;
    return;
  }
  int64_t value = (int64_t)bits;
  key->has_int = true;
  key->absolute_bytes += tb_wire_varint_size(bits);
  key->delta_bytes += tb_wire_varint_size((uint64_t)value - (uint64_t)key->last_value);
  if (value > INT64_MAX / 2 || value < INT64_MIN / 2) key->delta_bytes = UINT64_MAX / 2; /* a difference may overflow */
  key->last_value = value;
}

static enum tb_status put_series(struct tb_perfetto_writer *p, const struct tb_event *event, const struct tb_arg *arg,
                                 struct tb_slice fields) {
  bool is_double;
  uint64_t bits;
  if (!counter_value(arg, &is_double, &bits)) return TB_OK;
  uint32_t key = tb_perfetto_counter_key(p, event, arg->name);
  if (!key) return TB_NO_MEMORY;
  note_value(&p->keys[key], is_double, bits);
  p->scratch.len = 0;
  char head[COUNTER_VALUE_BYTES] = {(char)is_double};
  memcpy(head + 1, &bits, sizeof(bits));
  if (tb_buffer_append(&p->scratch, head, sizeof(head)) != TB_OK ||
      tb_buffer_append(&p->scratch, fields.ptr, fields.len) != TB_OK)
    return TB_NO_MEMORY;
  struct tb_entry entry = {.ts = event->ts, .kind = TB_ENTRY_COUNTER, .key = key};
  entry.body = (struct tb_slice){p->scratch.data, p->scratch.len};
  return add_entry(p, p->sequences[TB_SHARED_SEQUENCE], &entry);
}

static enum tb_status put_counter(struct tb_perfetto_writer *p, const struct tb_event *event) {
  uint32_t series;
  bool plain = is_plain_counter(event, &series);
  if (series == 0) return put_aside(p, event, TB_KEY_SIDE);
  if (!tb_perfetto_track(p, event->track)) return TB_NO_MEMORY;
  struct tb_carriage carriage = {.whole_args = !plain};
  struct tb_sequence *sequence = p->sequences[TB_SHARED_SEQUENCE];
  enum tb_status status =
      tb_encode_event(&p->encoder, &sequence->uses, event, TB_ENCODE_CATEGORIES, &carriage, NULL, NULL);
  struct tb_slice fields = {p->encoder.body.data, p->encoder.body.len};
  for (uint32_t i = 0; status == TB_OK && i < event->arg_count; i += event->args[i].span) {
    status = put_series(p, event, &event->args[i], fields);
    fields.len = 0; /* they stand with the first series */
  }
  return status;
}

/* ---- what the trace says of itself ------------------------------------------------------------------------------------------------------- */

static enum tb_status add_attribute(struct tb_perfetto_writer *p, const char *prefix, struct tb_slice name,
                                    const struct tb_json_emit *text) {
  void *attributes = p->attributes;
  if (text->status != TB_OK ||
      tb_grow_array(p->allocator, &attributes, &p->attribute_capacity, p->attribute_count + 1, sizeof(*p->attributes),
                    UINT32_MAX) != TB_OK)
    return TB_NO_MEMORY;
  p->attributes = attributes;
  p->scratch.len = 0;
  if (tb_buffer_append(&p->scratch, prefix, strlen(prefix)) != TB_OK ||
      tb_buffer_append(&p->scratch, name.ptr, name.len) != TB_OK)
    return TB_NO_MEMORY;
  struct tb_attribute a = {tb_arena_copy(&p->arena, (struct tb_slice){p->scratch.data, p->scratch.len}),
                           tb_arena_copy(&p->arena, (struct tb_slice){text->buffer.data, text->buffer.len})};
  if (!a.key.ptr || !a.text.ptr) return TB_NO_MEMORY;
  p->attributes[p->attribute_count++] = a;
  return TB_OK;
}

static void emit_source_id(struct tb_json_emit *emit, const char *key, int64_t number, struct tb_slice text) {
  tb_json_emit_raw(emit, key, strlen(key));
  if (text.len) tb_json_emit_string(emit, text);
  else tb_json_emit_int(emit, number);
}

/* A metadata event as it stood in the source. */
static enum tb_status keep_metadata(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_json_emit emit;
  tb_json_emit_init(&emit, p->allocator);
  TB_JSON_EMIT(&emit, "{\"name\":");
  tb_json_emit_string(&emit, event->name);
  TB_JSON_EMIT(&emit, ",\"ph\":\"M\"");
  const struct tb_track *track = event->track;
  if (track->has_pid) emit_source_id(&emit, ",\"pid\":", track->pid, track->pid_text);
  if (track->has_tid) emit_source_id(&emit, ",\"tid\":", track->tid, track->tid_text);
  if (event->has & TB_HAS_TS) {
    TB_JSON_EMIT(&emit, ",\"ts\":");
    tb_json_emit_micros(&emit, event->ts);
  }
  if (event->has & TB_HAS_CATEGORIES) {
    TB_JSON_EMIT(&emit, ",\"cat\":");
    tb_json_emit_string(&emit, event->categories);
  }
  if (event->has & TB_HAS_ARGS) {
    TB_JSON_EMIT(&emit, ",\"args\":");
    tb_json_emit_object(&emit, event->args, event->arg_count, NULL);
  }
  tb_json_emit_members(&emit, event->extra, event->extra_count, NULL);
  TB_JSON_EMIT(&emit, "}");
  enum tb_status status = add_attribute(p, "json.M", (struct tb_slice){NULL, 0}, &emit);
  tb_json_emit_free(&emit);
  return status;
}

/* The one argument of a metadata event, where it has just that one, of the type that belongs to it. */
static const struct tb_arg *only_arg(const struct tb_event *event, struct tb_slice name, enum tb_arg_type type) {
  if (event->arg_count != 1 || event->extra_count || !tb_slice_equal(event->args[0].name, name)) return NULL;
  return event->args[0].type == type ? &event->args[0] : NULL;
}

static enum tb_status set_text(struct tb_perfetto_writer *p, struct tb_slice *to, struct tb_slice text) {
  *to = tb_arena_copy(&p->arena, text);
  return to->ptr ? TB_OK : TB_NO_MEMORY;
}

static enum tb_status put_metadata(struct tb_perfetto_writer *p, const struct tb_event *event) {
  const struct tb_track *track = event->track;
  bool of_thread = event->name.len > 7 && memcmp(event->name.ptr, "thread_", 7) == 0;
  if (!of_thread && track->type == TB_TRACK_THREAD) track = track->parent;
  struct tb_track_state *state = tb_perfetto_track(p, track);
  if (!state || (track != event->track && !tb_perfetto_track(p, event->track))) return TB_NO_MEMORY;
  state = &p->tracks[track->index];
  const struct tb_arg *arg;
  if (tb_slice_equal(event->name, TB_SLICE("process_name")) || tb_slice_equal(event->name, TB_SLICE("thread_name"))) {
    arg = only_arg(event, TB_SLICE("name"), TB_ARG_STRING);
    if (arg && arg->text.len) return set_text(p, &state->name, arg->text);
  } else if (tb_slice_equal(event->name, TB_SLICE("process_labels"))) {
    arg = only_arg(event, TB_SLICE("labels"), TB_ARG_STRING);
    if (arg && arg->text.len) return set_text(p, &state->labels, arg->text);
  } else if (tb_slice_equal(event->name, TB_SLICE("process_sort_index")) ||
             tb_slice_equal(event->name, TB_SLICE("thread_sort_index"))) {
    arg = only_arg(event, TB_SLICE("sort_index"), TB_ARG_INT);
    if (arg && arg->i >= INT32_MIN && arg->i <= INT32_MAX) {
      state->has_sort_index = true;
      state->sort_index = arg->i;
      return TB_OK;
    }
  }
  return keep_metadata(p, event);
}

static enum tb_status put_trace_metadata(struct tb_perfetto_writer *p, const struct tb_event *event) {
  struct tb_json_emit emit;
  tb_json_emit_init(&emit, p->allocator);
  if (event->arg_count) tb_json_emit_value(&emit, event->args, NULL);
  else TB_JSON_EMIT(&emit, "null");
  enum tb_status status = add_attribute(p, "json.", event->name, &emit);
  tb_json_emit_free(&emit);
  return status;
}

static enum tb_status put_clocks(struct tb_perfetto_writer *p, const struct tb_event *event) {
  void *clocks = p->clocks, *rows = p->clock_rows;
  enum tb_status status = tb_grow_array(p->allocator, &clocks, &p->clock_capacity, p->clock_count + event->clock_count,
                                        sizeof(*p->clocks), UINT32_MAX);
  p->clocks = clocks;
  if (status == TB_OK)
    status = tb_grow_array(p->allocator, &rows, &p->clock_row_capacity, p->clock_row_count + 1, sizeof(*p->clock_rows),
                           UINT32_MAX);
  p->clock_rows = rows;
  if (status != TB_OK || event->clock_count == 0) return status == TB_OK ? TB_OK : TB_NO_MEMORY;
  memcpy(p->clocks + p->clock_count, event->clocks, event->clock_count * sizeof(*p->clocks));
  p->clock_count += event->clock_count;
  p->clock_rows[p->clock_row_count++] = event->clock_count;
  if (p->writer->options.clock == TB_CLOCK_UNKNOWN && event->clocks[0].clock) p->trace_clock = event->clocks[0].clock;
  return TB_OK;
}

static enum tb_status put_track(struct tb_perfetto_writer *p, const struct tb_track *track) {
  struct tb_track_state *state = tb_perfetto_track(p, track);
  if (!state) return TB_NO_MEMORY;
  state->track = track;
  if (track->name.len && set_text(p, &state->name, track->name) != TB_OK) return TB_NO_MEMORY;
  if (track->has_sort_index) {
    state->has_sort_index = true;
    state->sort_index = track->sort_index;
  }
  return TB_OK;
}

/* ---- the writer's interface ---------------------------------------------------------------------------------------------------------------- */

static enum tb_status dispatch(struct tb_perfetto_writer *p, const struct tb_event *event) {
  switch (event->type) {
    case TB_EVENT_SLICE_BEGIN:
    case TB_EVENT_SLICE_END:
    case TB_EVENT_SLICE_COMPLETE: return event->track->type == TB_TRACK_THREAD ? put_on_thread(p, event) : put_on_track(p, event);
    case TB_EVENT_INSTANT:
    case TB_EVENT_LOG:
      if (event->phase == 'P') return put_aside(p, event, TB_KEY_SAMPLES);
      return event->track->type == TB_TRACK_THREAD ? put_on_thread(p, event) : put_on_track(p, event);
    case TB_EVENT_COUNTER: return put_counter(p, event);
    case TB_EVENT_ASYNC_BEGIN:
    case TB_EVENT_ASYNC_INSTANT:
    case TB_EVENT_ASYNC_END: {
      enum tb_key_class class = event->phase && strchr("STpF", event->phase) ? TB_KEY_LEGACY_ASYNC : TB_KEY_ASYNC;
      return put_async(p, event,
                       event->type == TB_EVENT_ASYNC_BEGIN ? TB_ENTRY_BEGIN
                       : event->type == TB_EVENT_ASYNC_END ? TB_ENTRY_END
                                                           : TB_ENTRY_INSTANT,
                       class);
    }
    case TB_EVENT_FLOW_BEGIN:
    case TB_EVENT_FLOW_STEP:
    case TB_EVENT_FLOW_END: return put_flow(p, event);
    case TB_EVENT_OBJECT_CREATE: return put_async(p, event, TB_ENTRY_BEGIN, TB_KEY_OBJECT);
    case TB_EVENT_OBJECT_SNAPSHOT: return put_async(p, event, TB_ENTRY_INSTANT, TB_KEY_OBJECT);
    case TB_EVENT_OBJECT_DELETE: return put_async(p, event, TB_ENTRY_END, TB_KEY_OBJECT);
    case TB_EVENT_CONTEXT_ENTER: return put_async(p, event, TB_ENTRY_BEGIN, TB_KEY_CONTEXT);
    case TB_EVENT_CONTEXT_LEAVE: return put_async(p, event, TB_ENTRY_END, TB_KEY_CONTEXT);
    case TB_EVENT_ID_LINK: {
      enum tb_status status = tb_perfetto_link_ids(p, event);
      return status == TB_OK ? put_aside(p, event, TB_KEY_SIDE) : status;
    }
    case TB_EVENT_SAMPLE: return put_aside(p, event, TB_KEY_SAMPLES);
    case TB_EVENT_CLOCK_SYNC:
    case TB_EVENT_MEMORY_DUMP:
    case TB_EVENT_THREAD_STATE:
    case TB_EVENT_OTHER: return put_aside(p, event, TB_KEY_SIDE);
    case TB_EVENT_TRACK: return put_track(p, event->track);
    case TB_EVENT_METADATA: return put_metadata(p, event);
    case TB_EVENT_TRACE_METADATA: return put_trace_metadata(p, event);
    case TB_EVENT_STACK_FRAME: return tb_stacks_define(&p->stacks, event);
    case TB_EVENT_CLOCK_SNAPSHOT: return put_clocks(p, event);
    case TB_EVENT_SYSTEM_TRACE:
    case TB_EVENT_DATA_LOSS:
    case TB_EVENT_PACKETS:
    case TB_EVENT_BLOB:
    case TB_EVENT_TYPE_COUNT: break;
  }
  return TB_OK;
}

static enum tb_status put(struct tb_writer *writer, const struct tb_event *event) {
  struct tb_perfetto_writer *p = writer->state;
  p->order++;
  enum tb_status status = dispatch(p, event);
  if (status == TB_OK) status = spill_when_full(p);
  if (status == TB_OK) return TB_OK;
  return tb_fail(&writer->error, status, event->offset, "cannot take this event: %s", tb_status_text(status));
}

static void count_tracks(struct tb_perfetto_writer *p) {
  struct tb_writer_summary *summary = &p->writer->summary;
  for (size_t i = 0; i < p->track_count; i++) {
    if (!p->tracks[i].track) continue;
    summary->processes += p->tracks[i].track->type == TB_TRACK_PROCESS;
    summary->threads += p->tracks[i].track->type == TB_TRACK_THREAD;
  }
  for (size_t i = 1; i < p->key_count; i++) summary->counters += p->keys[i].class == TB_KEY_COUNTER;
  summary->flows += p->flows.edges;
}

static enum tb_status bind_flows(struct tb_perfetto_writer *p) {
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; status == TB_OK && i < p->sequence_count; i++)
    if (p->sequences[i]->strand.has_flow && !tb_strand_in_order(&p->sequences[i]->strand)) {
      tb_flows_forget(&p->flows, i);
      status = tb_flows_bind(&p->flows, &p->sequences[i]->strand, i, p->spill, &p->writer->error);
    } else {
      p->flows.unbound += p->sequences[i]->binder.waiting_count;
    }
  if (status != TB_OK) return status;
  status = tb_flows_chain(&p->flows, p->flow_numbers, (uint32_t)p->flow_texts.count + 1);
  return status == TB_OK ? TB_OK : no_memory(p);
}

/* Sees that every strand can be read in the order of time. */
static enum tb_status order_strands(struct tb_perfetto_writer *p) {
  for (size_t i = 0; i < p->sequence_count; i++) {
    struct tb_strand *s = &p->sequences[i]->strand;
    if (s->run_count || s->sorted) continue;
    if (tb_strand_index(s) != TB_OK) return no_memory(p);
  }
  return TB_OK;
}

static enum tb_status finish(struct tb_writer *writer) {
  struct tb_perfetto_writer *p = writer->state;
  size_t held = held_bytes(p);
  if (held > writer->summary.peak_held_bytes) writer->summary.peak_held_bytes = held;
  for (size_t i = 0; i < p->track_count; i++)
    if (p->tracks[i].sequence) p->tracks[i].sequence->track = &p->tracks[i];
  enum tb_status status = order_strands(p);
  if (status == TB_OK) status = bind_flows(p);
  if (status != TB_OK) return status;
  tb_packet_sink_init(&p->sink, writer->output, writer->options.compress, p->allocator, &writer->error);
  status = tb_perfetto_write_preamble(p);
  for (uint32_t i = 0; status == TB_OK && i < p->sequence_count; i++) status = tb_perfetto_write_sequence(p, i);
  if (status == TB_OK) status = tb_packet_sink_flush(&p->sink);
  if (status == TB_OK) count_tracks(p);
  if (status != TB_OK && writer->error.code == TB_OK) (void)tb_fail(&writer->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  return status;
}

static void destroy(struct tb_writer *writer) {
  struct tb_perfetto_writer *p = writer->state;
  for (size_t i = 0; i < p->sequence_count; i++) {
    tb_strand_free(&p->sequences[i]->strand);
    if (p->sequences[i]->binder.flows) tb_flow_binder_free(&p->sequences[i]->binder);
    tb_interned_free_uses(&p->sequences[i]->uses, p->allocator);
    tb_free(p->allocator, p->sequences[i], sizeof(*p->sequences[i]));
  }
  tb_free(p->allocator, p->sequences, p->sequence_capacity * sizeof(*p->sequences));
  tb_free(p->allocator, p->tracks, p->track_capacity * sizeof(*p->tracks));
  tb_free(p->allocator, p->keys, p->key_capacity * sizeof(*p->keys));
  tb_free(p->allocator, p->pools, p->pool_capacity * sizeof(*p->pools));
  tb_free(p->allocator, p->flow_numbers, p->flow_capacity * sizeof(*p->flow_numbers));
  tb_free(p->allocator, p->attributes, p->attribute_capacity * sizeof(*p->attributes));
  tb_free(p->allocator, p->clocks, p->clock_capacity * sizeof(*p->clocks));
  tb_free(p->allocator, p->clock_rows, p->clock_row_capacity * sizeof(*p->clock_rows));
  tb_interned_free(&p->interned);
  tb_event_encoder_free(&p->encoder);
  tb_stacks_free(&p->stacks);
  tb_intern_free(&p->key_texts);
  tb_intern_free(&p->pool_texts);
  tb_intern_free(&p->flow_texts);
  tb_arena_free(&p->arena);
  tb_buffer_free(&p->scratch);
  tb_flows_free(&p->flows);
  tb_packet_sink_free(&p->sink);
  tb_spill_file_close(p->spill);
  tb_free(p->allocator, p, sizeof(*p));
}

static enum tb_status create(struct tb_writer *writer) {
  struct tb_perfetto_writer *p = tb_calloc(writer->allocator, sizeof(*p));
  if (!p) return tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  writer->state = p;
  p->writer = writer;
  p->allocator = writer->allocator;
  tb_interned_init(&p->interned, p->allocator);
  tb_event_encoder_init(&p->encoder, &p->interned);
  tb_stacks_init(&p->stacks, p->allocator);
  tb_intern_init(&p->key_texts, p->allocator);
  tb_intern_init(&p->pool_texts, p->allocator);
  tb_intern_init(&p->flow_texts, p->allocator);
  tb_arena_init(&p->arena, p->allocator, 0);
  tb_buffer_init(&p->scratch, p->allocator, 0);
  tb_flows_init(&p->flows, p->allocator);
  p->trace_clock = writer->options.clock ? writer->options.clock : TB_CLOCK_TRACE_FILE;
  if (add_sequence(p)) return TB_OK;
  destroy(writer);
  return tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

const struct tb_writer_ops tb_perfetto_writer_ops = {
    .format = TB_FORMAT_PERFETTO, .create = create, .put = put, .finish = finish, .destroy = destroy};
