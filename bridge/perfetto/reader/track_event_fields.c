/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/reader/track_event_fields.h"

enum {
  CATEGORIES_MAX = 16 * 1024
}; /* a joined list's length: events may name long interned categories again and again */

static const char LOSS_LIST[] = "an event has more flows or counters than are read";

/* Lists are rare and short: each has memory once it has an entry. */
static void add(struct tb_perfetto_reader *r, struct tb_number_list *list, uint64_t value) {
  if (!list->count) list->items = tb_perfetto_alloc(r, 4 * sizeof(uint64_t));
  if (!list->items) return;
  if (list->count == TB_TRACK_EVENT_LIST_MAX) {
    tb_reader_count_loss(r->reader, LOSS_LIST, r->head.offset);
    return;
  }
  if (list->count >= 4 && (list->count & (list->count - 1)) == 0) {
    uint64_t *grown = tb_perfetto_alloc(r, 2 * list->count * sizeof(uint64_t));
    if (!grown) return;
    memcpy(grown, list->items, list->count * sizeof(uint64_t));
    list->items = grown;
  }
  list->items[list->count++] = value;
}

/* A repeated number: one by one as Perfetto writes it, or packed. */
static void add_field(struct tb_perfetto_reader *r, struct tb_number_list *list, const struct tb_wire_field *field,
                      bool fixed) {
  if (field->type != TB_WIRE_BYTES) {
    add(r, list, field->value);
    return;
  }
  struct tb_wire_cursor cursor = tb_wire_cursor(field->bytes);
  while (cursor.at != cursor.end) {
    uint64_t value;
    if (fixed) {
      if (cursor.end - cursor.at < 8) return;
      memcpy(&value, cursor.at, 8);
      cursor.at += 8;
    } else {
      cursor.at = tb_wire_read_varint(cursor.at, cursor.end, &value);
      if (!cursor.at) return;
    }
    add(r, list, value);
  }
}

static void add_category(struct tb_track_event_fields *fields, struct tb_str category) {
  if (fields->category_count < TB_TRACK_EVENT_CATEGORIES_KEPT) fields->categories[fields->category_count] = category;
  fields->category_count++;
}

static void set_time(struct tb_track_event_fields *fields, uint32_t bit, int64_t *to, uint64_t value) {
  fields->has |= bit;
  *to = (int64_t)value;
}

static enum tb_status take_rare(struct tb_perfetto_reader *r, struct tb_track_event_fields *fields,
                                const struct tb_wire_field *field);

static enum tb_status take(struct tb_perfetto_reader *r, struct tb_track_event_fields *fields,
                           const struct tb_wire_field *field) {
  switch (field->number) {
    case TB_TRACK_EVENT_CATEGORY_IIDS:
      if (field->type != TB_WIRE_VARINT) return take_rare(r, fields, field);
      add_category(fields, tb_perfetto_interned_text(r, TB_INDEX_EVENT_CATEGORIES, field->value));
      break;
    case TB_TRACK_EVENT_CATEGORIES:
      fields->inline_category = true;
      add_category(fields, field->bytes);
      break;
    case TB_TRACK_EVENT_NAME_IID:
      fields->has |= TB_TE_NAME;
      fields->name = tb_perfetto_interned_text(r, TB_INDEX_EVENT_NAMES, field->value);
      break;
    case TB_TRACK_EVENT_NAME:
      fields->has |= TB_TE_NAME;
      fields->name = field->bytes;
      break;
    case TB_TRACK_EVENT_TYPE:
      fields->has |= TB_TE_TYPE;
      fields->type = (uint32_t)field->value;
      break;
    case TB_TRACK_EVENT_TRACK_UUID:
      fields->has |= TB_TE_TRACK;
      fields->track_uuid = field->value;
      break;
    case TB_TRACK_EVENT_DEBUG_ANNOTATIONS:
      if (field->type != TB_WIRE_BYTES) break;
      fields->has |= TB_TE_ARGS;
      fields->first_top_arg = r->batch->arg_count;
      return tb_perfetto_annotation(r, field->bytes, 0);
    case TB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
      add_field(r, &fields->counter_values, field, false);
      break;
    case TB_TRACK_EVENT_COUNTER_VALUE:
      fields->has |= TB_TE_COUNTER;
      fields->counter = field->value;
      break;
    case TB_TRACK_EVENT_FLOW_IDS:
      fields->has |= TB_TE_FLOWS;
      add_field(r, &fields->flows, field, true);
      break;
    case TB_TRACK_EVENT_TERMINATING_FLOW_IDS:
      fields->has |= TB_TE_FLOWS;
      add_field(r, &fields->terminating_flows, field, true);
      break;
    case TB_TRACK_EVENT_LEGACY_EVENT:
      fields->has |= fields->has & TB_TE_LEGACY ? TB_TE_LEGACY_AGAIN : TB_TE_LEGACY;
      fields->legacy = field->bytes;
      break;
    default:
      return take_rare(r, fields, field);
  }
  return TB_OK;
}

static enum tb_status take_packed_categories(struct tb_perfetto_reader *r, struct tb_track_event_fields *fields,
                                             struct tb_str packed) {
  const char *at = packed.ptr, *end = at + packed.len;
  while (at != end) {
    uint64_t iid;
    at = tb_wire_read_varint(at, end, &iid);
    if (!at) return TB_BAD_DATA;
    add_category(fields, tb_perfetto_interned_text(r, TB_INDEX_EVENT_CATEGORIES, iid));
  }
  return TB_OK;
}

/* What events said before their packets did: times of their own, in microseconds. False: it is none of these. */
static bool take_time(struct tb_track_event_fields *fields, const struct tb_wire_field *field) {
  switch (field->number) {
    case TB_TRACK_EVENT_TIMESTAMP_DELTA_US:
      set_time(fields, TB_TE_TIMESTAMP_DELTA, &fields->timestamp_us, field->value);
      break;
    case TB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US:
      set_time(fields, TB_TE_TIMESTAMP_ABSOLUTE, &fields->timestamp_us, field->value);
      break;
    case TB_TRACK_EVENT_THREAD_TIME_DELTA_US:
      set_time(fields, TB_TE_THREAD_DELTA, &fields->thread_us, field->value);
      break;
    case TB_TRACK_EVENT_THREAD_TIME_ABSOLUTE_US:
      set_time(fields, TB_TE_THREAD_ABSOLUTE, &fields->thread_us, field->value);
      break;
    case TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA:
      set_time(fields, TB_TE_INSTRUCTIONS_DELTA, &fields->instructions, field->value);
      break;
    case TB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE:
      set_time(fields, TB_TE_INSTRUCTIONS_ABSOLUTE, &fields->instructions, field->value);
      break;
    default:
      return false;
  }
  return true;
}

/* What an event brings along: where it was, a log record, a task. False: it is none of these. */
static bool take_attached(struct tb_track_event_fields *fields, const struct tb_wire_field *field) {
  switch (field->number) {
    case TB_TRACK_EVENT_CALLSTACK:
      fields->has |= TB_TE_CALLSTACK;
      fields->callstack = field->bytes;
      break;
    case TB_TRACK_EVENT_CALLSTACK_IID:
      fields->has |= TB_TE_CALLSTACK_IID;
      fields->callstack_iid = field->value;
      break;
    case TB_TRACK_EVENT_CALLSTACK_WEIGHT:
      fields->has |= TB_TE_WEIGHT;
      fields->weight = field->value;
      break;
    case TB_TRACK_EVENT_SOURCE_LOCATION:
      fields->has |= TB_TE_SOURCE_LOCATION;
      fields->source_location = field->bytes;
      break;
    case TB_TRACK_EVENT_SOURCE_LOCATION_IID:
      fields->has |= TB_TE_SOURCE_LOCATION_IID;
      fields->source_location_iid = field->value;
      break;
    case TB_TRACK_EVENT_LOG_MESSAGE:
      fields->has |= TB_TE_LOG;
      fields->log = field->bytes;
      break;
    case TB_TRACK_EVENT_TASK_EXECUTION:
      fields->has |= TB_TE_TASK;
      fields->task = field->bytes;
      break;
    default:
      return false;
  }
  return true;
}

static enum tb_status take_rare(struct tb_perfetto_reader *r, struct tb_track_event_fields *fields,
                                const struct tb_wire_field *field) {
  switch (field->number) {
    case TB_TRACK_EVENT_CATEGORY_IIDS:
      return take_packed_categories(r, fields, field->bytes);
    case TB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
      fields->has |= TB_TE_DOUBLE_COUNTER;
      fields->counter = field->value;
      break;
    case TB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS:
      add_field(r, &fields->counter_uuids, field, false);
      break;
    case TB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS:
      add_field(r, &fields->double_counter_uuids, field, false);
      break;
    case TB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
      add_field(r, &fields->double_counter_values, field, true);
      break;
    case TB_TRACK_EVENT_FLOW_IDS_OLD:
      fields->has |= TB_TE_FLOWS;
      add_field(r, &fields->flows, field, false);
      break;
    case TB_TRACK_EVENT_TERMINATING_FLOW_IDS_OLD:
      fields->has |= TB_TE_FLOWS;
      add_field(r, &fields->terminating_flows, field, false);
      break;
    case TB_TRACK_EVENT_CORRELATION_ID:
      fields->has |= TB_TE_CORRELATION;
      fields->correlation = field->value;
      fields->correlation_text = (struct tb_str){NULL, 0};
      break;
    case TB_TRACK_EVENT_CORRELATION_ID_STR:
      fields->has |= TB_TE_CORRELATION;
      fields->correlation = 0;
      fields->correlation_text = field->bytes;
      break;
    case TB_TRACK_EVENT_CORRELATION_ID_STR_IID:
      fields->has |= TB_TE_CORRELATION;
      fields->correlation = 0;
      fields->correlation_text = tb_perfetto_interned_text(r, TB_INDEX_CORRELATION_ID_STR, field->value);
      break;
    default:
      if (!take_time(fields, field) && !take_attached(fields, field)) fields->has |= TB_TE_TYPED;
  }
  return TB_OK;
}

/* Member by member, and only those that are read whatever `has` says: this is done for every event. */
static void reset(const struct tb_perfetto_reader *r, struct tb_track_event_fields *fields) {
  fields->has = 0;
  fields->type = 0;
  fields->category_count = 0;
  fields->inline_category = false;
  fields->counter_uuids.count = fields->counter_values.count = 0;
  fields->double_counter_uuids.count = fields->double_counter_values.count = 0;
  fields->flows.count = fields->terminating_flows.count = 0;
  fields->first_arg = r->batch->arg_count;
  fields->first_top_arg = r->batch->arg_count;
  fields->counter = 0;
}

enum common_event { OTHER, TYPE, TRACK, CATEGORY, NAME, COUNTER, ANNOTATION };

/* What nearly all events are made of, recognised by the one byte of the field's tag. */
static const uint8_t common_fields[256] = {[TB_WIRE_TAG(TB_TRACK_EVENT_TYPE, TB_WIRE_VARINT)] = TYPE,
                                           [TB_WIRE_TAG(TB_TRACK_EVENT_TRACK_UUID, TB_WIRE_VARINT)] = TRACK,
                                           [TB_WIRE_TAG(TB_TRACK_EVENT_CATEGORY_IIDS, TB_WIRE_VARINT)] = CATEGORY,
                                           [TB_WIRE_TAG(TB_TRACK_EVENT_NAME_IID, TB_WIRE_VARINT)] = NAME,
                                           [TB_WIRE_TAG(TB_TRACK_EVENT_EXTRA_COUNTER_VALUES, TB_WIRE_VARINT)] = COUNTER,
                                           [TB_WIRE_TAG(TB_TRACK_EVENT_DEBUG_ANNOTATIONS, TB_WIRE_BYTES)] = ANNOTATION};

/* The byte after a field of that kind at `at`; NULL where it is damaged, or *status is a failure. */
static inline const char *take_common(struct tb_perfetto_reader *r, struct tb_track_event_fields *fields,
                                      enum common_event kind, const char *at, const char *end, enum tb_status *status) {
  uint64_t value;
  at = tb_wire_read_varint(at + 1, end, &value);
  if (!at) return NULL;
  switch (kind) {
    case TYPE:
      fields->has |= TB_TE_TYPE;
      fields->type = (uint32_t)value;
      return at;
    case TRACK:
      fields->has |= TB_TE_TRACK;
      fields->track_uuid = value;
      return at;
    case CATEGORY:
      add_category(fields, tb_perfetto_interned_text(r, TB_INDEX_EVENT_CATEGORIES, value));
      return at;
    case NAME:
      fields->has |= TB_TE_NAME;
      fields->name = tb_perfetto_interned_text(r, TB_INDEX_EVENT_NAMES, value);
      return at;
    case COUNTER:
      add(r, &fields->counter_values, value);
      return at;
    default:
      if (value > (uint64_t)(end - at)) return NULL;
      fields->has |= TB_TE_ARGS;
      fields->first_top_arg = r->batch->arg_count;
      *status = tb_perfetto_annotation(r, (struct tb_str){at, (size_t)value}, 0);
      return *status == TB_OK ? at + value : NULL;
  }
}

__attribute__((noinline)) static enum tb_status take_next(struct tb_perfetto_reader *r,
                                                          struct tb_track_event_fields *fields,
                                                          struct tb_wire_cursor *cursor) {
  struct tb_wire_field field;
  return tb_wire_read(cursor, &field) == TB_OK ? take(r, fields, &field) : TB_BAD_DATA;
}

enum tb_status tb_track_event_fields_read(struct tb_perfetto_reader *r, struct tb_str payload,
                                          struct tb_track_event_fields *fields) {
  reset(r, fields);
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  const char *at = cursor.at, *end = cursor.end;
  while (at != end) {
    enum common_event common = common_fields[(unsigned char)*at];
    enum tb_status status = TB_BAD_DATA;
    if (common != OTHER) {
      at = take_common(r, fields, common, at, end, &status);
      if (!at) return status;
      continue;
    }
    cursor.at = at;
    status = take_next(r, fields, &cursor);
    if (status != TB_OK) return status;
    at = cursor.at;
  }
  return TB_OK;
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

static void join(char *to, size_t *len, struct tb_str text) {
  if (text.len >= CATEGORIES_MAX || *len >= CATEGORIES_MAX - text.len) return;
  if (*len) {
    if (to) to[*len] = ',';
    ++*len;
  }
  if (to && text.len) memcpy(to + *len, text.ptr, text.len);
  *len += text.len;
}

/* Writes the list to `to`, or counts its length where that is NULL. */
static size_t join_all(struct tb_perfetto_reader *r, struct tb_str payload, char *to) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  size_t len = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number == TB_TRACK_EVENT_CATEGORIES && field.type == TB_WIRE_BYTES) join(to, &len, field.bytes);
    if (field.number != TB_TRACK_EVENT_CATEGORY_IIDS) continue;
    if (field.type == TB_WIRE_VARINT) {
      join(to, &len, tb_perfetto_interned_text(r, TB_INDEX_EVENT_CATEGORIES, field.value));
      continue;
    }
    const char *at = field.bytes.ptr, *end = at + field.bytes.len;
    uint64_t iid;
    while (at != end && (at = tb_wire_read_varint(at, end, &iid))) {
      join(to, &len, tb_perfetto_interned_text(r, TB_INDEX_EVENT_CATEGORIES, iid));
    }
  }
  return len;
}

static struct tb_str join_new(struct tb_perfetto_reader *r, struct tb_str payload) {
  size_t len = join_all(r, payload, NULL);
  char *text = tb_perfetto_alloc(r, len + 1);
  if (!text) return (struct tb_str){"", 0};
  join_all(r, payload, text);
  return (struct tb_str){text, len};
}

enum { JOINED_CATEGORIES = 16 };

/* Lists of interned categories that were joined lately; the texts are known by their address in the pool. */
struct joined_categories {
  struct joined_category {
    const char *parts[3];
    struct tb_str joined;
  } entries[JOINED_CATEGORIES];
};

const struct tb_importer_state tb_category_state = {.size = sizeof(struct joined_categories)};

struct tb_str tb_track_event_categories(struct tb_perfetto_reader *r, struct tb_str payload,
                                        const struct tb_track_event_fields *fields) {
  const struct tb_str *parts = fields->categories;
  if (fields->inline_category || fields->category_count > TB_TRACK_EVENT_CATEGORIES_KEPT) return join_new(r, payload);
  const char *third = fields->category_count > 2 ? parts[2].ptr : NULL;
  uintptr_t mix = ((uintptr_t)parts[0].ptr ^ (uintptr_t)parts[1].ptr * 3 ^ (uintptr_t)third * 5) >> 3;
  struct joined_categories *lately = tb_perfetto_state_of(r, &tb_category_state);
  if (!lately) return join_new(r, payload);
  struct joined_category *entry = &lately->entries[(mix ^ mix >> 4 ^ mix >> 8) % JOINED_CATEGORIES];
  if (entry->parts[0] == parts[0].ptr && entry->parts[1] == parts[1].ptr && entry->parts[2] == third) {
    return entry->joined;
  }
  struct tb_str joined = join_new(r, payload);
  if (tb_text_pool_add(&r->state.pool, joined, &joined) != TB_OK) {
    r->out_of_memory = true;
    return joined;
  }
  entry->parts[0] = parts[0].ptr;
  entry->parts[1] = parts[1].ptr;
  entry->parts[2] = third;
  entry->joined = joined;
  return joined;
}
