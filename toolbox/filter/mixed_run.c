/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/filter/mixed_run.h"

#include "protos/field_numbers.h"

/* A part of a run that is being written. */
struct mixing {
  struct tb_cut *cut;
  struct tb_walk_events passed; /* what of it is behind */
  const char *at, *end;         /* where the next packet is; bytes up to `end` can be read ahead */
  const char *copied;           /* up to here all is written that stays */
  uint64_t pending;             /* ticks that the next packet that stays has to make up for */
  /* of the counters whose values its events have, in their order, what the next value that stays has to make up for */
  struct tb_event_extras values;
  bool counts_values[TB_EXTRA_COUNTERS]; /* which of them are increments */
  size_t values_pending;                 /* how many are not 0 */
  const struct tb_flow_ends *flow_ends;  /* by which ids of flows may change; NULL: none does */
  struct tb_clock_cursor clock;          /* what the times of packets are read by, and ... */
  struct tb_flow_end here;               /* ... where this one is, then */
  bool sheds_args;
  uint64_t own_annotation; /* the id of the name of what stays then; 0: none does */
};

/* A packet of a run. */
struct run_packet {
  const char *body, *after;
  const char *timestamp_end; /* of the field, which comes first */
  uint64_t timestamp;
};

/* False where it is not at hand. */
static TB_ALWAYS_INLINE bool read_frame(const struct mixing *mixing, struct run_packet *frame) {
  uint64_t len;
  if (mixing->end - mixing->at < TB_PACKET_FRAME_MAX || *mixing->at != TB_WIRE_TAG(TB_TRACE_PACKET, TB_WIRE_BYTES))
    return false;
  frame->body = tb_wire_read_varint_ahead(mixing->at + 1, &len);
  if (!frame->body || len > (uint64_t)(mixing->end - frame->body)) return false;
  frame->after = frame->body + len;
  if ((unsigned char)*frame->body != TB_PACKET_TAG_TIMESTAMP) return false;
  frame->timestamp_end = tb_wire_read_varint_ahead(frame->body + 1, &frame->timestamp);
  return frame->timestamp_end && frame->timestamp_end <= frame->after;
}

/* ---- values of further counters, and arguments ------------------------------------------------------------------- */

/* The field of such a value, or of an argument that goes: its tag's first byte, and the byte behind it. */
struct run_field {
  const char *at, *end;
  uint64_t value;
  bool goes;
};

/* Where an event is in its packet, and its values, as far as they are of counters that its sequence names, and the
 * arguments that go. */
enum { FIELDS_MAX = TB_EXTRA_COUNTERS + 32 };
struct run_fields {
  struct tb_packet_common head;
  struct run_field list[FIELDS_MAX];
  size_t count, values;
};

/* Whether an argument goes: all do but the annotation that has what other formats need. False where that is not seen at
 * once. */
static TB_ALWAYS_INLINE bool judge_argument(const struct mixing *mixing, const char *field, struct tb_str argument,
                                            bool *goes) {
  uint64_t iid;
  *goes = true;
  if (*field == TB_WIRE_TAG(TB_TRACK_EVENT_TASK_EXECUTION, TB_WIRE_BYTES)) return true;
  if (!argument.len || *argument.ptr != TB_WIRE_TAG(TB_DEBUG_ANNOTATION_NAME_IID, TB_WIRE_VARINT)) return false;
  if (!tb_wire_read_varint_ahead(argument.ptr + 1, &iid)) return false;
  *goes = iid != mixing->own_annotation || !iid;
  return *goes || !tb_arg_texts_refers(argument);
}

/* Passes over a field that few events have, and says whether it goes. NULL where it is damaged, or another id takes its
 * place. */
static __attribute__((noinline)) const char *pass_field(const struct mixing *mixing, const char *at, const char *end,
                                                        bool *goes) {
  struct tb_wire_cursor cursor = tb_wire_cursor((struct tb_str){at, (size_t)(end - at)});
  struct tb_wire_field field;
  if (tb_wire_read(&cursor, &field) != TB_OK) return NULL;
  *goes = mixing->sheds_args && tb_event_field_is_argument(field.number);
  if (mixing->flow_ends && tb_event_field_is_flow(field.number)) {
    struct tb_flow_end here = mixing->here;
    here.id = field.value;
    if (tb_flow_ends_id(mixing->flow_ends, &here) != here.id) return NULL;
  }
  return cursor.at;
}

/* Adds a field to those that change or go. */
static TB_ALWAYS_INLINE bool add_field(struct run_fields *fields, const char *at, const char *end, uint64_t value,
                                       bool goes) {
  struct run_field *last = fields->count ? &fields->list[fields->count - 1] : NULL;
  if (goes && last && last->goes && last->end == at) {
    last->end = end;
    return true;
  }
  if (fields->count == FIELDS_MAX) return false;
  fields->list[fields->count++] = (struct run_field){at, end, value, goes};
  return true;
}

/* False where it takes more to write the event. */
static bool read_fields(const struct mixing *mixing, const struct run_packet *frame, struct run_fields *fields) {
  struct tb_str bytes = {frame->body, (size_t)(frame->after - frame->body)};
  fields->count = fields->values = 0;
  if (!tb_packet_common_read(bytes, &fields->head)) return false;
  const char *at = fields->head.payload.ptr, *end = at + fields->head.payload.len;
  while (at < end) {
    const char *start = at;
    uint64_t value;
    bool goes = false;
    at = tb_wire_read_varint_ahead(start + 1, &value); /* of a longer tag its rest */
    if (!at || at > end) return false;
    switch ((unsigned char)*start) {
      case TB_WIRE_TAG(TB_TRACK_EVENT_TYPE, TB_WIRE_VARINT):
      case TB_WIRE_TAG(TB_TRACK_EVENT_TRACK_UUID, TB_WIRE_VARINT):
      case TB_WIRE_TAG(TB_TRACK_EVENT_NAME_IID, TB_WIRE_VARINT):
      case TB_WIRE_TAG(TB_TRACK_EVENT_CATEGORY_IIDS, TB_WIRE_VARINT):
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_EXTRA_COUNTER_VALUES, TB_WIRE_VARINT):
        if (fields->values == mixing->values.count) break;
        fields->values++;
        if (!add_field(fields, start, at, value, false)) return false;
        if (!mixing->sheds_args && !mixing->flow_ends && fields->values == mixing->values.count)
          return true; /* nothing else changes */
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_DEBUG_ANNOTATIONS, TB_WIRE_BYTES):
      case TB_WIRE_TAG(TB_TRACK_EVENT_TASK_EXECUTION, TB_WIRE_BYTES):
        if (value > (uint64_t)(end - at)) return false;
        if (mixing->sheds_args && !judge_argument(mixing, start, (struct tb_str){at, (size_t)value}, &goes))
          return false;
        at += value;
        if (goes && !add_field(fields, start, at, 0, true)) return false;
        break;
      default:
        at = pass_field(mixing, start, end, &goes);
        if (!at || (goes && !add_field(fields, start, at, 0, true))) return false;
    }
  }
  return true;
}

/* Adds to what is pending of a value. */
static void set_pending(struct mixing *mixing, size_t i, uint64_t pending) {
  mixing->values_pending += (size_t)(pending != 0) - (size_t)(mixing->values.values[i] != 0);
  mixing->values.values[i] = (int64_t)pending;
}

static bool leave_values_out(struct mixing *mixing, const struct run_packet *frame) {
  struct run_fields fields;
  size_t value = 0;
  if (!read_fields(mixing, frame, &fields)) return false;
  for (size_t i = 0; i < fields.count; i++) {
    if (fields.list[i].goes) continue;
    if (mixing->counts_values[value])
      set_pending(mixing, value, (uint64_t)mixing->values.values[value] + fields.list[i].value);
    value++;
  }
  return true;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static enum tb_status write(const struct mixing *mixing, const char *from, const char *to) {
  return to > from ? tb_walk_write(mixing->cut->walk, (struct tb_str){from, (size_t)(to - from)}) : TB_OK;
}

/* Writes what stays before the next packet. */
static enum tb_status flush(const struct mixing *mixing) { return write(mixing, mixing->copied, mixing->at); }

/* Room for what is written of one packet of a run, which grows by less than that. NULL: *status. */
enum { GROWTH_MAX = TB_PACKET_FRAME_MAX + (2 + TB_EXTRA_COUNTERS) * (1 + TB_WIRE_VARINT_MAX) };
static char *reserve(const struct mixing *mixing, size_t len, enum tb_status *status) {
  struct tb_merger *m = &mixing->cut->walk->merger;
  char *to = tb_output_reserve(m->output, len + GROWTH_MAX, &m->error);
  if (!to) *status = m->error.code;
  return to;
}

static void commit(const struct mixing *mixing, const char *from, const char *to) {
  tb_output_commit(mixing->cut->walk->merger.output, (size_t)(to - from));
}

static TB_ALWAYS_INLINE char *put(char *to, const char *from, const char *end) {
  memcpy(to, from, (size_t)(end - from));
  return to + (end - from);
}

/* Puts the front of a packet up to its timestamp, which makes up for what is pending; `rest` bytes come behind that. */
static TB_ALWAYS_INLINE char *put_front(struct mixing *mixing, const struct run_packet *frame, size_t rest, char *to) {
  uint64_t timestamp = frame->timestamp + mixing->pending;
  mixing->pending = 0;
  to = tb_wire_put_tag(to, TB_TRACE_PACKET, TB_WIRE_BYTES);
  to = tb_wire_put_varint(to, 1 + tb_wire_varint_size(timestamp) + rest);
  return tb_wire_put_uint(to, TB_TRACE_PACKET_TIMESTAMP, timestamp);
}

/* Writes that; the rest of the packet stays as it is. */
static enum tb_status write_front(struct mixing *mixing, const struct run_packet *frame) {
  enum tb_status status = flush(mixing);
  char *from = status == TB_OK ? reserve(mixing, 0, &status) : NULL;
  if (!from) return status;
  commit(mixing, from, put_front(mixing, frame, (size_t)(frame->after - frame->timestamp_end), from));
  mixing->copied = frame->timestamp_end;
  return TB_OK;
}

/* What the values of a packet are where they make up for what is pending, and how long its event is then. */
static size_t settle_values(struct mixing *mixing, struct run_fields *fields) {
  size_t len = fields->head.payload.len, value = 0;
  for (size_t i = 0; i < fields->count; i++) {
    struct run_field *field = &fields->list[i];
    len -= (size_t)(field->end - field->at);
    if (field->goes) continue;
    field->value += (uint64_t)mixing->values.values[value];
    set_pending(mixing, value++, 0);
    len += 1 + tb_wire_varint_size(field->value);
  }
  return len;
}

static char *put_event(const struct run_packet *frame, const struct run_fields *fields, char *to) {
  const char *copied = fields->head.payload.ptr;
  for (size_t i = 0; i < fields->count; i++) {
    const struct run_field *field = &fields->list[i];
    to = put(to, copied, field->at);
    if (!field->goes) to = tb_wire_put_uint(to, TB_TRACK_EVENT_EXTRA_COUNTER_VALUES, field->value);
    copied = field->end;
  }
  return put(to, copied, frame->after);
}

/* Writes a packet, with a timestamp and values that make up for what is pending, and without what goes. */
static enum tb_status write_fields(struct mixing *mixing, const struct run_packet *frame, struct run_fields *fields) {
  const struct tb_packet_common *head = &fields->head;
  size_t len = settle_values(mixing, fields);
  size_t around =
      (size_t)(head->event_at - frame->timestamp_end) + (size_t)(frame->after - head->payload.ptr) - head->payload.len;
  enum tb_status status = flush(mixing);
  char *from = status == TB_OK ? reserve(mixing, (size_t)(frame->after - mixing->at), &status) : NULL;
  if (!from) return status;
  char *to = put_front(mixing, frame, around + 1 + tb_wire_varint_size(len) + len, from);
  to = put(to, frame->timestamp_end, head->event_at);
  to = tb_wire_put_varint(tb_wire_put_tag(to, TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES), len);
  commit(mixing, from, put_event(frame, fields, to));
  mixing->copied = frame->after;
  return TB_OK;
}

/* Of a packet that stays and may not be as it was. *taken: it could be read. */
static enum tb_status take_changed(struct mixing *mixing, const struct run_packet *frame, bool *taken) {
  struct run_fields fields;
  bool looks = mixing->values_pending || mixing->sheds_args || mixing->flow_ends;
  *taken = !looks || read_fields(mixing, frame, &fields);
  if (!*taken) return TB_OK;
  if (looks && (mixing->values_pending || fields.count > fields.values)) return write_fields(mixing, frame, &fields);
  return mixing->pending ? write_front(mixing, frame) : TB_OK;
}

/* False where its clock has another line there. */
static bool find_time(struct mixing *mixing, const struct run_packet *frame, uint64_t number) {
  mixing->here.number = number;
  return tb_clock_cursor_convert(&mixing->clock, frame->timestamp, &mixing->here.time);
}

static enum tb_status take_frames(struct mixing *mixing, const struct tb_event_run *run,
                                  const struct tb_number_set *left_out) {
  struct tb_walk *walk = mixing->cut->walk;
  const bool counts = walk->node && walk->node->incremental;
  const uint64_t end = run->events.first + run->events.count;
  struct run_packet frame;
  enum tb_status status = TB_OK;
  uint32_t dropped = 0;
  uint64_t number = walk->next;
  for (; number < end && read_frame(mixing, &frame); number++) {
    bool taken = !mixing->flow_ends || find_time(mixing, &frame, number);
    if (!taken) break;
    if (tb_number_set_has(left_out, number)) {
      status = flush(mixing);
      mixing->copied = mixing->at;
      if (run->counters && !leave_values_out(mixing, &frame)) break;
      if (counts) mixing->pending += frame.timestamp;
      mixing->copied = frame.after;
      dropped++;
    } else if (mixing->pending || mixing->values_pending || mixing->sheds_args || mixing->flow_ends) {
      status = take_changed(mixing, &frame, &taken);
    }
    if (!taken || status != TB_OK) break;
    mixing->passed.ticks += frame.timestamp;
    mixing->at = frame.after;
  }
  if (status == TB_OK) status = flush(mixing);
  mixing->passed.count = (uint32_t)(number - walk->next);
  mixing->passed.bytes = (uint32_t)(mixing->at - walk->plain.at);
  mixing->cut->dropped += dropped;
  mixing->cut->kept += mixing->passed.count - dropped;
  return status;
}

/* ---- what is pending of the sequence ----------------------------------------------------------------------------- */

static enum tb_status take_pending(struct mixing *mixing, bool has_values) {
  struct tb_cut *cut = mixing->cut;
  const struct tb_event_sequence *sequence = &cut->events->sequences[cut->walk->sequence_number];
  enum tb_status status = tb_cut_take_ticks(cut, &mixing->pending);
  if (!has_values) return status;
  for (size_t i = 0; i < sequence->extra_count && status == TB_OK; i++) {
    mixing->values.uuids[i] = sequence->extras[i];
    mixing->counts_values[i] = tb_map_find(&cut->events->incremental, sequence->extras[i], 0) != NULL;
    if (mixing->counts_values[i]) status = tb_cut_take_value(cut, sequence->extras[i], &mixing->values.values[i]);
    mixing->values_pending += mixing->values.values[i] != 0;
    mixing->values.count = i + 1;
  }
  return status;
}

static enum tb_status leave_pending(const struct mixing *mixing) {
  enum tb_status status = mixing->pending ? tb_cut_leave_ticks_out(mixing->cut, mixing->pending) : TB_OK;
  for (size_t i = 0; i < mixing->values.count && status == TB_OK; i++)
    if (mixing->values.values[i])
      status = tb_cut_leave_value_out(mixing->cut, mixing->values.uuids[i], mixing->values.values[i]);
  return status;
}

bool tb_mixed_run_take(struct tb_cut *cut, const struct tb_event_run *run, const struct tb_number_set *left_out,
                       enum tb_status *status) {
  struct tb_walk *walk = cut->walk;
  struct tb_walk_events none = {.first = walk->next, .sequence = run->events.sequence};
  if (!tb_walk_enter_events(walk, &none) || walk->sequence_number >= cut->events->sequence_count ||
      tb_cut_has_state_pending(cut))
    return false;
  struct mixing mixing = {.cut = cut, .passed = none, .at = walk->plain.at, .end = walk->plain.end};
  mixing.sheds_args = cut->sheds_args && run->has & TB_EVENT_HAS_ARGS;
  if (mixing.sheds_args) mixing.own_annotation = tb_arg_texts_own(&cut->arg_texts, walk->sequence_number);
  if (run->has & TB_EVENT_HAS_FLOWS) mixing.flow_ends = cut->flow_ends;
  mixing.clock = walk->clock;
  mixing.copied = mixing.at;
  *status = take_pending(&mixing, run->counters);
  if (*status == TB_OK) *status = take_frames(&mixing, run, left_out);
  if (*status == TB_OK) *status = leave_pending(&mixing);
  if (!mixing.passed.count) return *status != TB_OK;
  (void)tb_walk_pass_events(walk, &mixing.passed);
  return true;
}
