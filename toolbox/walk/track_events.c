/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/walk/track_events.h"

#include "base/times.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "toolbox/walk/event_fields.h"

/* Of two sequences the same ids of names are so far apart among those that were met lately. */
enum { SEQUENCES_MAX = 1 << 24, NS_OF_US = 1000, RECENT_APART = 61 };

/* What numbers that are no uuids are mixed with, so that those of one kind are no others'. */
enum { MIX_THREAD = 0x7468, MIX_ASYNC = 0x6173, MIX_SCOPE = 0x7363 };

static void forget_recent(struct tb_track_events *events) {
  for (int i = 0; i < TB_RECENT_NAMES; i++) events->recent[i].whose = UINT32_MAX;
  events->extras_of = UINT64_MAX;
}

void tb_track_events_init(struct tb_track_events *events, const struct tb_allocator *allocator) {
  *events = (struct tb_track_events){.allocator = allocator};
  tb_intern_init(&events->texts, allocator);
  tb_map_init(&events->incremental, allocator);
  forget_recent(events);
}

void tb_track_events_free(struct tb_track_events *events) {
  for (size_t i = 0; i < events->sequence_count; i++) tb_map_free(&events->sequences[i].names);
  tb_free(events->allocator, events->sequences, events->sequence_capacity * sizeof(*events->sequences));
  tb_intern_free(&events->texts);
  tb_map_free(&events->incremental);
}

static void forget_defaults(struct tb_event_sequence *sequence) {
  sequence->has_default_track = false;
  sequence->default_track = 0;
  sequence->extra_count = 0;
}

void tb_track_events_rewind(struct tb_track_events *events) {
  for (size_t i = 0; i < events->sequence_count; i++) {
    struct tb_event_sequence *sequence = &events->sequences[i];
    tb_map_clear(&sequence->names);
    sequence->valid = false;
    forget_defaults(sequence);
    sequence->thread = 0;
  }
  forget_recent(events);
}

static __attribute__((noinline)) struct tb_event_sequence *add_sequence(struct tb_track_events *events, size_t number) {
  void *items = events->sequences;
  enum tb_status status = tb_grow_array(events->allocator, &items, &events->sequence_capacity, number + 1,
                                        sizeof(*events->sequences), SEQUENCES_MAX);
  events->sequences = items;
  if (status != TB_OK) return NULL;
  for (; events->sequence_count <= number; events->sequence_count++) {
    struct tb_event_sequence *sequence = &events->sequences[events->sequence_count];
    *sequence = (struct tb_event_sequence){.thread = 0};
    tb_map_init(&sequence->names, events->allocator);
  }
  return &events->sequences[number];
}

/* NULL where memory is out. */
static inline struct tb_event_sequence *get_sequence(struct tb_track_events *events, size_t number) {
  return number < events->sequence_count ? &events->sequences[number] : add_sequence(events, number);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static uint32_t find_name(const struct tb_event_sequence *sequence, uint32_t kind, uint64_t iid) {
  const uint64_t *id = tb_map_find(&sequence->names, iid, kind);
  return id ? (uint32_t)*id : 0;
}

static struct tb_recent_name *recent_name(struct tb_track_events *events, size_t sequence, uint32_t kind, uint64_t iid,
                                          uint32_t *whose) {
  *whose = (uint32_t)sequence << 1 | (kind == TB_INTERNED_DATA_EVENT_NAMES);
  return &events->recent[(iid + (uint64_t)*whose * RECENT_APART) % TB_RECENT_NAMES];
}

/* find_name of the sequence of that number, quick for one that was met lately. */
static TB_ALWAYS_INLINE uint32_t find_recent_name(struct tb_track_events *events, size_t sequence, uint32_t kind,
                                                  uint64_t iid) {
  uint32_t whose;
  struct tb_recent_name *recent = recent_name(events, sequence, kind, iid, &whose);
  if (recent->whose != whose || recent->iid != iid)
    *recent = (struct tb_recent_name){iid, whose, find_name(&events->sequences[sequence], kind, iid)};
  return recent->id;
}

/* ---- what packets say to their sequence -------------------------------------------------------------------------- */

static enum tb_status intern(struct tb_track_events *events, size_t sequence, uint32_t kind, struct tb_str entry) {
  struct tb_wire_field fields[TB_INTERNED_NAME_NAME + 1];
  uint32_t whose;
  (void)tb_wire_read_fields(entry, fields, TB_INTERNED_NAME_NAME + 1);
  uint32_t id = tb_intern_id(&events->texts, tb_wire_text(&fields[TB_INTERNED_NAME_NAME]));
  if (!id) return TB_NO_MEMORY;
  uint64_t iid = fields[TB_INTERNED_NAME_IID].value;
  recent_name(events, sequence, kind, iid, &whose)->whose = UINT32_MAX;
  return tb_map_put(&events->sequences[sequence].names, iid, kind, id);
}

static enum tb_status take_interned(struct tb_track_events *events, size_t sequence, struct tb_str interned) {
  struct tb_wire_cursor cursor = tb_wire_cursor(interned);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.type == TB_WIRE_BYTES &&
        (field.number == TB_INTERNED_DATA_EVENT_CATEGORIES || field.number == TB_INTERNED_DATA_EVENT_NAMES ||
         field.number == TB_INTERNED_DATA_KERNEL_SYMBOLS))
      status = intern(events, sequence, field.number, field.bytes);
  return status;
}

static void take_defaults(struct tb_event_sequence *sequence, struct tb_str defaults) {
  struct tb_wire_cursor cursor = tb_wire_cursor(defaults);
  struct tb_wire_field field, inner;
  forget_defaults(sequence);
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS || field.type != TB_WIRE_BYTES) continue;
    struct tb_wire_cursor event = tb_wire_cursor(field.bytes);
    while (tb_wire_read(&event, &inner) == TB_OK)
      if (inner.number == TB_TRACK_EVENT_DEFAULTS_TRACK_UUID) {
        sequence->has_default_track = true;
        sequence->default_track = inner.value;
      } else if (inner.number == TB_TRACK_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS &&
                 sequence->extra_count < TB_EXTRA_COUNTERS) {
        sequence->extras[sequence->extra_count++] = inner.value;
      }
  }
}

uint64_t tb_track_events_thread(uint64_t pid, uint64_t tid) {
  return tb_mix64(tb_mix64(MIX_THREAD ^ (uint32_t)pid) ^ (uint32_t)tid);
}

static void take_thread(struct tb_event_sequence *sequence, struct tb_str descriptor) {
  struct tb_wire_field fields[TB_THREAD_DESCRIPTOR_TID + 1];
  (void)tb_wire_read_fields(descriptor, fields, TB_THREAD_DESCRIPTOR_TID + 1);
  sequence->pid = fields[TB_THREAD_DESCRIPTOR_PID].value;
  sequence->thread =
      tb_track_events_thread(fields[TB_THREAD_DESCRIPTOR_PID].value, fields[TB_THREAD_DESCRIPTOR_TID].value);
}

static enum tb_status take_track(struct tb_track_events *events, struct tb_event_sequence *sequence,
                                 struct tb_str descriptor) {
  struct tb_wire_field fields[TB_TRACK_DESCRIPTOR_COUNTER + 1];
  struct tb_wire_field counter[TB_COUNTER_DESCRIPTOR_IS_INCREMENTAL + 1];
  (void)tb_wire_read_fields(descriptor, fields, TB_TRACK_DESCRIPTOR_COUNTER + 1);
  (void)tb_wire_read_fields(tb_wire_text(&fields[TB_TRACK_DESCRIPTOR_COUNTER]), counter,
                            TB_COUNTER_DESCRIPTOR_IS_INCREMENTAL + 1);
  if (fields[TB_TRACK_DESCRIPTOR_THREAD].number) take_thread(sequence, fields[TB_TRACK_DESCRIPTOR_THREAD].bytes);
  if (!counter[TB_COUNTER_DESCRIPTOR_IS_INCREMENTAL].value) return TB_OK;
  return tb_map_put(&events->incremental, fields[TB_TRACK_DESCRIPTOR_UUID].value, 0, 1);
}

enum tb_status tb_track_events_take_state(struct tb_track_events *events, const struct tb_walk *walk) {
  const struct tb_packet_header *head = &walk->packet.head;
  struct tb_event_sequence *sequence = get_sequence(events, walk->sequence_number);
  if (!sequence) return TB_NO_MEMORY;
  enum tb_status status = TB_OK;
  if (head->dropped && !head->first) sequence->valid = false;
  if (head->cleared) {
    if (sequence->names.count) forget_recent(events);
    sequence->valid = true;
    tb_map_clear(&sequence->names);
    forget_defaults(sequence);
  }
  if (head->has_defaults) take_defaults(sequence, head->defaults);
  struct tb_wire_cursor cursor = tb_wire_cursor(head->interned_count ? head->bytes : (struct tb_str){NULL, 0});
  struct tb_wire_field field;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TRACE_PACKET_INTERNED_DATA && field.type == TB_WIRE_BYTES)
      status = take_interned(events, walk->sequence_number, field.bytes);
  if (head->kind == TB_TRACE_PACKET_THREAD_DESCRIPTOR) take_thread(sequence, head->payload);
  if (status == TB_OK && head->kind == TB_TRACE_PACKET_TRACK_DESCRIPTOR)
    status = take_track(events, sequence, head->payload);
  return status;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

struct tb_str tb_track_events_category(const struct tb_track_events *events, const struct tb_walk *walk, uint64_t iid) {
  bool known = walk->sequence_number < events->sequence_count;
  uint32_t id =
      known ? find_name(&events->sequences[walk->sequence_number], TB_INTERNED_DATA_EVENT_CATEGORIES, iid) : 0;
  return id ? events->texts.texts[id - 1] : (struct tb_str){"", 0};
}

uint32_t tb_track_events_symbol(const struct tb_track_events *events, const struct tb_walk *walk, uint64_t iid) {
  bool known = walk->sequence_number < events->sequence_count;
  return known ? find_name(&events->sequences[walk->sequence_number], TB_INTERNED_DATA_KERNEL_SYMBOLS, iid) : 0;
}

static bool add_category(struct tb_event_fields *fields, uint32_t id) {
  fields->categories = fields->categories ? (uint32_t)tb_mix64((uint64_t)fields->categories << 32 | id) | 1u << 31 : id;
  return true;
}

static enum tb_event_role role_of_phase(char phase) {
  switch (phase) {
    case 'B':
    case 'b':
    case 'S':
      return TB_ROLE_BEGIN;
    case 'E':
    case 'e':
    case 'F':
      return TB_ROLE_END;
    case 'X':
      return TB_ROLE_COMPLETE;
    case 'M':
      return TB_ROLE_ABOUT;
    default:
      return TB_ROLE_OTHER;
  }
}

/* Slices of before there were tracks: on the thread of the sequence, or matched by an id. */
static __attribute__((noinline)) void read_legacy(const struct tb_event_sequence *sequence, struct tb_str legacy,
                                                  bool has_track, struct tb_event_view *view) {
  enum { COUNT = TB_TRACK_EVENT_LEGACY_EVENT_TID_OVERRIDE + 1 };
  struct tb_wire_field f[COUNT];
  (void)tb_wire_read_fields(legacy, f, COUNT);
  char phase = (char)f[TB_TRACK_EVENT_LEGACY_EVENT_PHASE].value;
  if (phase) view->role = role_of_phase(phase);
  view->phase = phase;
  uint64_t scope = f[TB_TRACK_EVENT_LEGACY_EVENT_INSTANT_EVENT_SCOPE].value;
  view->of_all = scope == TB_TRACK_EVENT_LEGACY_EVENT_SCOPE_GLOBAL;
  view->of_process = scope == TB_TRACK_EVENT_LEGACY_EVENT_SCOPE_PROCESS || (phase && strchr("benSTpFNODvV", phase));
  view->duration_ns = tb_time_clamp((tb_wide)(int64_t)f[TB_TRACK_EVENT_LEGACY_EVENT_DURATION_US].value * NS_OF_US);
  if (!view->name && f[TB_TRACK_EVENT_LEGACY_EVENT_NAME_IID].number)
    view->name = find_name(sequence, TB_INTERNED_DATA_EVENT_NAMES, f[TB_TRACK_EVENT_LEGACY_EVENT_NAME_IID].value);
  uint64_t pid = f[TB_TRACK_EVENT_LEGACY_EVENT_PID_OVERRIDE].value;
  if (f[TB_TRACK_EVENT_LEGACY_EVENT_TID_OVERRIDE].number && !has_track)
    view->track = view->from = tb_track_events_thread(pid, f[TB_TRACK_EVENT_LEGACY_EVENT_TID_OVERRIDE].value);
  if (phase != 'b' && phase != 'e' && phase != 'S' && phase != 'F') return;
  struct tb_str id_scope = tb_wire_text(&f[TB_TRACK_EVENT_LEGACY_EVENT_ID_SCOPE]);
  uint64_t key = tb_mix64(MIX_ASYNC ^ (id_scope.len ? tb_str_hash(id_scope, MIX_SCOPE) : view->categories));
  for (int i = TB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID; i <= TB_TRACK_EVENT_LEGACY_EVENT_GLOBAL_ID; i++)
    if (f[i].number && (i == TB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID || i == TB_TRACK_EVENT_LEGACY_EVENT_LOCAL_ID ||
                        i == TB_TRACK_EVENT_LEGACY_EVENT_GLOBAL_ID))
      key = tb_mix64(key ^ f[i].value ^ (uint64_t)i << 56);
  bool local = f[TB_TRACK_EVENT_LEGACY_EVENT_LOCAL_ID].number != 0;
  view->track = tb_mix64(key ^ (local ? view->track : 0)) ^ (phase == 'b' || phase == 'e');
  view->has_uuid = false;
}

static void take_extra(const struct tb_wire_field *field, struct tb_event_extras *extras, uint32_t *uuids) {
  if (field->type != TB_WIRE_VARINT) return;
  if (field->number == TB_TRACK_EVENT_EXTRA_COUNTER_VALUES && extras->count < TB_EXTRA_COUNTERS)
    extras->values[extras->count++] = (int64_t)field->value;
  else if (field->number == TB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS && *uuids < TB_EXTRA_COUNTERS)
    extras->uuids[(*uuids)++] = field->value;
}

/* Values without uuids are of the tracks that the sequence names. */
static void name_extras(const struct tb_event_sequence *sequence, struct tb_event_extras *extras, size_t uuids) {
  if (!uuids)
    for (; uuids < sequence->extra_count && uuids < extras->count; uuids++)
      extras->uuids[uuids] = sequence->extras[uuids];
  if (extras->count > uuids) extras->count = uuids;
}

static TB_ALWAYS_INLINE bool take_field(struct tb_track_events *events, size_t sequence,
                                        const struct tb_wire_field *field, struct tb_event_fields *fields) {
  switch (field->number) {
    case TB_TRACK_EVENT_TYPE:
      fields->type = field->value;
      return true;
    case TB_TRACK_EVENT_TRACK_UUID:
      fields->has |= TB_EVENT_HAS_TRACK;
      fields->track = field->value;
      return true;
    case TB_TRACK_EVENT_NAME_IID:
      fields->name = find_recent_name(events, sequence, TB_INTERNED_DATA_EVENT_NAMES, field->value);
      return true;
    case TB_TRACK_EVENT_CATEGORY_IIDS:
      return add_category(fields, find_recent_name(events, sequence, TB_INTERNED_DATA_EVENT_CATEGORIES, field->value));
    case TB_TRACK_EVENT_NAME:
      return (fields->name = tb_intern_id(&events->texts, field->bytes)) != 0;
    case TB_TRACK_EVENT_CATEGORIES: {
      uint32_t id = tb_intern_id(&events->texts, field->bytes);
      return id && add_category(fields, id);
    }
    case TB_TRACK_EVENT_LEGACY_EVENT:
      fields->legacy = field->bytes;
      return true;
    case TB_TRACK_EVENT_COUNTER_VALUE:
      fields->has |= TB_EVENT_HAS_VALUE;
      fields->value = (int64_t)field->value;
      return true;
    case TB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
    case TB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS:
    case TB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
      take_extra(field, &events->extras, &fields->extra_uuids);
      if (field->number != TB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS) fields->has |= TB_EVENT_HAS_EXTRAS;
      return true;
    default:
      if (tb_event_field_is_flow(field->number)) fields->has |= TB_EVENT_HAS_FLOWS;
      return true;
  }
}

/* Takes fields as long as no others come than most events have, and returns where that is. TB_PACKET_AHEAD bytes behind
 * the event are readable. */
static TB_ALWAYS_INLINE const char *take_usual_fields(struct tb_track_events *events, size_t sequence,
                                                      const struct tb_str *event, struct tb_event_fields *fields) {
  const char *at = event->ptr, *end = at + event->len;
  while (at < end) {
    const char *field = at;
    uint64_t value;
    at = tb_wire_read_varint_ahead(field + 1, &value); /* of a longer tag its rest */
    if (!at || at > end) return field;
    switch ((unsigned char)*field) {
      case TB_WIRE_TAG(TB_TRACK_EVENT_TYPE, TB_WIRE_VARINT):
        fields->type = value;
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_TRACK_UUID, TB_WIRE_VARINT):
        fields->has |= TB_EVENT_HAS_TRACK;
        fields->track = value;
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_NAME_IID, TB_WIRE_VARINT):
        if (events->ignores_names) break;
        fields->name = find_recent_name(events, sequence, TB_INTERNED_DATA_EVENT_NAMES, value);
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_CATEGORY_IIDS, TB_WIRE_VARINT):
        if (events->ignores_names) break;
        add_category(fields, find_recent_name(events, sequence, TB_INTERNED_DATA_EVENT_CATEGORIES, value));
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_EXTRA_COUNTER_VALUES, TB_WIRE_VARINT):
        fields->has |= TB_EVENT_HAS_EXTRAS;
        if (events->extras.count < TB_EXTRA_COUNTERS) events->extras.values[events->extras.count++] = (int64_t)value;
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_DEBUG_ANNOTATIONS, TB_WIRE_BYTES):
      case TB_WIRE_TAG(TB_TRACK_EVENT_TASK_EXECUTION, TB_WIRE_BYTES):
        fields->has |= TB_EVENT_HAS_ARGS;
        if (value > (uint64_t)(end - at)) return field;
        at += value;
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_LEGACY_EVENT, TB_WIRE_BYTES):
        if (value > (uint64_t)(end - at)) return field;
        fields->legacy = (struct tb_str){at, (size_t)value};
        at += value;
        break;
      default: {
        struct tb_passed_fields passed = tb_event_fields_pass(field, end);
        at = passed.end;
        if (at == field) return field;
        if (passed.args) fields->has |= TB_EVENT_HAS_ARGS;
        if (passed.flows) fields->has |= TB_EVENT_HAS_FLOWS;
      }
    }
  }
  return at;
}

static enum tb_event_role role_of_type(uint64_t type) {
  switch (type) {
    case TB_TRACK_EVENT_TYPE_SLICE_BEGIN:
      return TB_ROLE_BEGIN;
    case TB_TRACK_EVENT_TYPE_SLICE_END:
      return TB_ROLE_END;
    case TB_TRACK_EVENT_TYPE_COUNTER:
    case TB_TRACK_EVENT_TYPE_STATE:
      return TB_ROLE_VALUE;
    default:
      return TB_ROLE_OTHER;
  }
}

/* Reads all fields, as far as they are not damaged; *fields is zero at first. `is_ahead`: TB_PACKET_AHEAD bytes behind
 * the event are readable. False where memory is out. */
static bool read_fields(struct tb_track_events *events, size_t sequence, const struct tb_str *payload, bool is_ahead,
                        struct tb_event_fields *fields) {
  struct tb_wire_cursor cursor = tb_wire_cursor(*payload);
  struct tb_wire_field field;
  events->extras.count = 0;
  if (is_ahead) cursor.at = take_usual_fields(events, sequence, payload, fields);
  while (cursor.at < cursor.end && tb_wire_read(&cursor, &field) == TB_OK)
    if (!take_field(events, sequence, &field, fields)) return false;
  return true;
}

enum tb_status tb_track_events_read(struct tb_track_events *events, const struct tb_walk *walk,
                                    struct tb_event_view *view) {
  const struct tb_event_sequence *sequence = get_sequence(events, walk->sequence_number);
  if (!sequence) return TB_NO_MEMORY;
  struct tb_event_fields fields = {.type = 0};
  events->extras_of = walk->number;
  if (!read_fields(events, walk->sequence_number, &walk->packet.head.payload, tb_walk_at_plain_event(walk), &fields))
    return TB_NO_MEMORY;
  if (events->extras.count) name_extras(sequence, &events->extras, fields.extra_uuids);
  *view = (struct tb_event_view){.role = role_of_type(fields.type),
                                 .name = fields.name,
                                 .categories = fields.categories,
                                 .has_value = fields.has & TB_EVENT_HAS_VALUE,
                                 .value = fields.value,
                                 .has_extras = fields.has & TB_EVENT_HAS_EXTRAS,
                                 .has_flows = fields.has & TB_EVENT_HAS_FLOWS};
  view->has_uuid = (fields.has & TB_EVENT_HAS_TRACK) || sequence->has_default_track;
  view->track = (fields.has & TB_EVENT_HAS_TRACK) ? fields.track : sequence->default_track;
  bool of_root = (fields.has & TB_EVENT_HAS_TRACK) &&
                 fields.type != TB_TRACK_EVENT_TYPE_UNSPECIFIED; /* of no track, and says so */
  if (!view->track && sequence->thread && sequence->valid && !of_root) {
    view->track = sequence->thread;
    view->has_uuid = false;
  }
  view->from = view->track;
  view->from_uuid = view->has_uuid;
  if (fields.legacy.ptr) read_legacy(sequence, fields.legacy, view->track && view->has_uuid, view);
  return TB_OK;
}

bool tb_legacy_event_is_short(struct tb_str legacy) {
  static const char start[] = {TB_WIRE_TAG(TB_TRACK_EVENT_LEGACY_EVENT_PHASE, TB_WIRE_VARINT),
                               'X',
                               TB_WIRE_TAG(TB_TRACK_EVENT_LEGACY_EVENT_DURATION_US, TB_WIRE_VARINT),
                               0,
                               TB_WIRE_TAG(TB_TRACK_EVENT_LEGACY_EVENT_THREAD_DURATION_US, TB_WIRE_VARINT),
                               0};
  return (legacy.len == sizeof(start) || legacy.len == sizeof(start) - 2) && !memcmp(legacy.ptr, start, legacy.len);
}

/* Of those of before there were tracks the whole slices; false where it is another one. */
static bool read_plain_legacy(const struct tb_event_sequence *sequence, struct tb_plain_event *event) {
  struct tb_event_fields *fields = &event->fields;
  if (tb_legacy_event_is_short(fields->legacy)) {
    event->role = TB_ROLE_COMPLETE;
    event->duration_ns = 0;
    return true;
  }
  struct tb_event_view view = {.role = event->role, .track = fields->track, .name = fields->name};
  read_legacy(sequence, fields->legacy, true, &view);
  event->role = view.role;
  fields->name = view.name;
  event->duration_ns = view.duration_ns;
  return view.role == TB_ROLE_COMPLETE && !view.of_all && !view.of_process;
}

/* Reads the payload of such an event; false where it says more. */
static TB_ALWAYS_INLINE bool read_plain(struct tb_track_events *events, size_t number, const struct tb_str *payload,
                                        struct tb_plain_event *event) {
  struct tb_event_fields *fields = &event->fields;
  *fields = (struct tb_event_fields){.type = 0};
  events->extras.count = 0;
  if (take_usual_fields(events, number, payload, fields) != payload->ptr + payload->len) return false;
  if (!(fields->has & TB_EVENT_HAS_TRACK)) fields->track = events->sequences[number].default_track;
  event->role = role_of_type(fields->type);
  if (!fields->track || event->role == TB_ROLE_VALUE) return false;
  return !fields->legacy.ptr || read_plain_legacy(&events->sequences[number], event);
}

/* Whether the packet of the walk's sequence is such an event; reads it. */
static TB_ALWAYS_INLINE bool is_plain(struct tb_track_events *events, const struct tb_walk *walk,
                                      const struct tb_common_packet *packet, struct tb_plain_event *event) {
  const struct tb_packet_common *head = &packet->head;
  if (!head->timestamp_at || walk->sequence_number >= events->sequence_count) return false;
  const struct tb_event_sequence *sequence = &events->sequences[walk->sequence_number];
  if (head->flags & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE && !sequence->valid) return false;
  return events->ignores_fields || read_plain(events, walk->sequence_number, &head->payload, event);
}

/* Makes it the walk's event. */
static TB_ALWAYS_INLINE void set_plain(struct tb_track_events *events, struct tb_walk *walk,
                                       const struct tb_common_packet *packet, struct tb_plain_event *event) {
  event->packet = (struct tb_packet_part){packet->head.timestamp, (uint32_t)packet->framed.len, packet->head.sequence};
  walk->packet.head.payload = packet->head.payload;
  events->extras_of = walk->number;
  if (events->extras.count) name_extras(&events->sequences[walk->sequence_number], &events->extras, 0);
}

bool tb_track_events_take_plain(struct tb_track_events *events, struct tb_walk *walk,
                                const struct tb_common_packet *packet, struct tb_plain_event *event) {
  if (!is_plain(events, walk, packet, event)) return false;
  set_plain(events, walk, packet, event);
  return true;
}

bool tb_track_events_next_plain(struct tb_track_events *events, struct tb_walk *walk, struct tb_plain_event *event) {
  struct tb_packet_cursor before = walk->plain;
  struct tb_common_packet common;
  const struct tb_packet_common *head = &common.head;
  if (walk->next >= walk->next_progress || !tb_packet_cursor_take(&walk->plain, &common)) return false;
  if (walk->events.id != head->sequence || !is_plain(events, walk, &common, event) ||
      !tb_clock_cursor_convert(&walk->clock, head->timestamp, &walk->host_time)) {
    walk->plain = before;
    return false;
  }
  walk->number = walk->next++;
  set_plain(events, walk, &common, event);
  return true;
}

bool tb_track_events_read_ahead(struct tb_track_events *events, const struct tb_walk *walk, const char *at,
                                struct tb_event_view *view) {
  struct tb_packet_cursor cursor = {at, walk->plain.end};
  struct tb_common_packet common;
  struct tb_event_fields fields = {.type = 0};
  bool read = !tb_packet_cursor_take(&cursor, &common) ||
              read_fields(events, walk->sequence_number, &common.head.payload, true, &fields);
  *view = (struct tb_event_view){.role = TB_ROLE_OTHER, .name = fields.name, .categories = fields.categories};
  return read;
}

const struct tb_event_extras *tb_track_events_read_extras(struct tb_track_events *events, const struct tb_walk *walk) {
  struct tb_event_extras *extras = &events->extras;
  struct tb_wire_cursor cursor = tb_wire_cursor(walk->packet.head.payload);
  struct tb_wire_field field;
  uint32_t uuids = 0;
  events->extras_of = walk->number;
  extras->count = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number >= TB_TRACK_EVENT_EXTRA_COUNTER_VALUES) take_extra(&field, extras, &uuids);
  name_extras(&events->sequences[walk->sequence_number], extras, uuids);
  return extras;
}
