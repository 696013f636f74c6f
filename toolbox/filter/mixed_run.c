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
static bool judge_argument(const struct mixing *mixing, const struct tb_wire_field *field, bool *goes) {
  uint64_t iid;
  *goes = true;
  if (field->number == TB_TRACK_EVENT_TASK_EXECUTION) return true;
  if (!field->bytes.len || *field->bytes.ptr != TB_WIRE_TAG(TB_DEBUG_ANNOTATION_NAME_IID, TB_WIRE_VARINT)) return false;
  if (!tb_wire_read_varint_ahead(field->bytes.ptr + 1, &iid)) return false;
  *goes = iid != mixing->own_annotation || !iid;
  return true;
}

/* False where it takes more to write the event. Plain events have no other messages than arguments and what there was
 * before tracks. */
static bool read_fields(const struct mixing *mixing, const struct run_packet *frame, struct run_fields *fields) {
  struct tb_str bytes = {frame->body, (size_t)(frame->after - frame->body)};
  struct tb_wire_field field;
  fields->count = fields->values = 0;
  if (!tb_packet_common_read(bytes, &fields->head)) return false;
  struct tb_wire_cursor cursor = tb_wire_cursor(fields->head.payload);
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    bool is_value = field.number == TB_TRACK_EVENT_EXTRA_COUNTER_VALUES && fields->values < mixing->values.count;
    bool goes = mixing->sheds_args && field.type == TB_WIRE_BYTES && field.number != TB_TRACK_EVENT_LEGACY_EVENT;
    if (goes && !judge_argument(mixing, &field, &goes)) return false;
    if (!is_value && !goes) continue;
    if (fields->count == FIELDS_MAX) return false;
    fields->list[fields->count++] = (struct run_field){field.start, cursor.at, field.value, goes};
    fields->values += is_value;
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

/* Writes the front of a packet up to its timestamp, which makes up for what is pending; it grows by `growth` behind
 * that. */
static enum tb_status write_front(struct mixing *mixing, const struct run_packet *frame, size_t growth) {
  char front[TB_PACKET_FRAME_MAX + 1 + TB_WIRE_VARINT_MAX];
  uint64_t timestamp = frame->timestamp + mixing->pending;
  size_t rest = (size_t)(frame->after - frame->timestamp_end) + growth;
  char *at = tb_wire_put_tag(front, TB_TRACE_PACKET, TB_WIRE_BYTES);
  at = tb_wire_put_varint(at, 1 + tb_wire_varint_size(timestamp) + rest);
  at = tb_wire_put_uint(at, TB_TRACE_PACKET_TIMESTAMP, timestamp);
  enum tb_status status = flush(mixing);
  mixing->pending = 0;
  mixing->copied = frame->timestamp_end;
  return status == TB_OK ? write(mixing, front, at) : status;
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

/* Writes a packet, with a timestamp and values that make up for what is pending, and without what goes. */
static enum tb_status write_fields(struct mixing *mixing, const struct run_packet *frame, struct run_fields *fields) {
  char bytes[1 + TB_WIRE_VARINT_MAX];
  const char *payload = fields->head.payload.ptr;
  size_t len = settle_values(mixing, fields);
  size_t before = (size_t)(payload - fields->head.event_at) + fields->head.payload.len;
  char *at = tb_wire_put_varint(tb_wire_put_tag(bytes, TB_TRACE_PACKET_TRACK_EVENT, TB_WIRE_BYTES), len);
  enum tb_status status = write_front(mixing, frame, (size_t)(at - bytes) + len - before);
  if (status == TB_OK) status = write(mixing, mixing->copied, fields->head.event_at);
  if (status == TB_OK) status = write(mixing, bytes, at);
  mixing->copied = payload;
  for (size_t i = 0; i < fields->count && status == TB_OK; i++) {
    const struct run_field *field = &fields->list[i];
    status = write(mixing, mixing->copied, field->at);
    at = field->goes ? bytes : tb_wire_put_uint(bytes, TB_TRACK_EVENT_EXTRA_COUNTER_VALUES, field->value);
    if (status == TB_OK) status = write(mixing, bytes, at);
    mixing->copied = field->end;
  }
  return status;
}

/* Of a packet that stays and may not be as it was. *taken: it could be read. */
static enum tb_status take_changed(struct mixing *mixing, const struct run_packet *frame, bool *taken) {
  struct run_fields fields;
  bool looks = mixing->values_pending || mixing->sheds_args;
  *taken = !looks || read_fields(mixing, frame, &fields);
  if (!*taken) return TB_OK;
  if (looks && (mixing->values_pending || fields.count > fields.values)) return write_fields(mixing, frame, &fields);
  return mixing->pending ? write_front(mixing, frame, 0) : TB_OK;
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
    bool taken = true;
    if (tb_number_set_has(left_out, number)) {
      status = flush(mixing);
      mixing->copied = mixing->at;
      if (run->counters && !leave_values_out(mixing, &frame)) break;
      if (counts) mixing->pending += frame.timestamp;
      mixing->copied = frame.after;
      dropped++;
    } else if (mixing->pending || mixing->values_pending || mixing->sheds_args) {
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
  mixing.sheds_args = cut->sheds_args && run->has_args;
  const uint64_t *own = mixing.sheds_args ? tb_map_find(&cut->own_annotations, walk->sequence_number, 0) : NULL;
  mixing.own_annotation = own ? *own : 0;
  mixing.copied = mixing.at;
  *status = take_pending(&mixing, run->counters);
  if (*status == TB_OK) *status = take_frames(&mixing, run, left_out);
  if (*status == TB_OK) *status = leave_pending(&mixing);
  if (!mixing.passed.count) return *status != TB_OK;
  (void)tb_walk_pass_events(walk, &mixing.passed);
  return true;
}
