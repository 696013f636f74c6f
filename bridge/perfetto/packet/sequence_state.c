/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/packet/sequence_state.h"

#include <assert.h>

#include "base/error.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "tracebridge/event.h"

enum { SEQUENCES_MAX = 1 << 24, UUIDS_MAX = 4096, COUNTERS_MAX = 1 << 24 };

static const char LOSS_INTERNED[] = "interned data is damaged";
static const char LOSS_DEFAULTS[] = "packet defaults are damaged";

void tb_trace_state_init(struct tb_trace_state *state, const struct tb_allocator *allocator, size_t max_bytes,
                         tb_packet_lose lose, void *lose_ctx, struct tb_error *error) {
  *state = (struct tb_trace_state){
      .trace_clock = TB_CLOCK_BOOTTIME, .keep_interned = true, .lose = lose, .lose_ctx = lose_ctx, .error = error};
  tb_limit_allocator_init(&state->budget, allocator, max_bytes);
  tb_intern_init(&state->pool, &state->budget.allocator);
  state->sequences.allocator = &state->budget.allocator;
  tb_clock_graph_init(&state->clocks, &state->budget.allocator);
  tb_map_init(&state->clocks_ahead, &state->budget.allocator);
  tb_sequence_table_init(&state->sequence_table, &state->budget.allocator);
}

/* ---- indexes ----------------------------------------------------------------------------------------------------- */

static const struct tb_iid_index no_index;
#define NONE_4 &no_index, &no_index, &no_index, &no_index
static const struct tb_iid_index *no_indexes[] = {NONE_4, NONE_4, NONE_4, NONE_4, NONE_4, NONE_4, &no_index};
static_assert(sizeof(no_indexes) / sizeof(no_indexes[0]) == TB_INDEX_COUNT, "each is there");

/* An index of the sequence's own; NULL where it has none. */
static struct tb_iid_index *own_index(const struct tb_sequence_state *sequence, size_t index) {
  const struct tb_iid_index *found = sequence->indexes[index];
  return found == &no_index ? NULL : (struct tb_iid_index *)(uintptr_t)found;
}

static struct tb_iid_index *make_index(const struct tb_allocator *allocator, struct tb_sequence_state *sequence,
                                       size_t index) {
  struct tb_iid_index *own = own_index(sequence, index);
  if (own) return own;
  if (sequence->indexes == no_indexes) {
    void *copy = tb_alloc(allocator, sizeof(no_indexes));
    if (!copy) return NULL;
    sequence->indexes = memcpy(copy, no_indexes, sizeof(no_indexes));
  }
  own = tb_alloc(allocator, sizeof(*own));
  if (!own) return NULL;
  tb_iid_index_init(own, allocator);
  sequence->indexes[index] = own;
  return own;
}

static void clear_indexes(struct tb_sequence_state *sequence) {
  for (size_t i = 0; sequence->indexes != no_indexes && i < TB_INDEX_COUNT; i++)
    if (own_index(sequence, i)) tb_iid_index_clear(own_index(sequence, i));
}

static void free_indexes(const struct tb_allocator *allocator, struct tb_sequence_state *sequence) {
  if (sequence->indexes == no_indexes) return;
  for (size_t i = 0; i < TB_INDEX_COUNT; i++) {
    struct tb_iid_index *own = own_index(sequence, i);
    if (!own) continue;
    tb_iid_index_free(own);
    tb_free(allocator, own, sizeof(*own));
  }
  tb_free(allocator, sequence->indexes, sizeof(no_indexes));
}

/* ---- extras ------------------------------------------------------------------------------------------------------ */

static const struct tb_sequence_extras no_extras;

/* NULL where the sequence has none of its own. */
static struct tb_sequence_extras *found_extras(const struct tb_sequence_state *sequence) {
  return sequence->extras == &no_extras ? NULL : (struct tb_sequence_extras *)(uintptr_t)sequence->extras;
}

struct tb_sequence_extras *tb_sequence_own_extras(struct tb_trace_state *state, struct tb_sequence_state *sequence) {
  struct tb_sequence_extras *extras = found_extras(sequence);
  if (extras) return extras;
  extras = tb_calloc(&state->budget.allocator, sizeof(*extras));
  if (!extras) return NULL;
  tb_map_init(&extras->counters, &state->budget.allocator);
  sequence->extras = extras;
  return extras;
}

static void clear_defaults(struct tb_sequence_state *sequence) {
  struct tb_sequence_extras *extras = found_extras(sequence);
  sequence->has_default_track = sequence->has_default_clock = false;
  if (!extras) return;
  extras->default_track_object = NULL;
  extras->extra_counters.count = extras->extra_double_counters.count = 0;
  extras->sample_defaults = extras->packet_defaults = (struct tb_str){NULL, 0};
}

static void clear_counters(struct tb_sequence_state *sequence) {
  struct tb_sequence_extras *extras = found_extras(sequence);
  if (!extras) return;
  tb_map_clear(&extras->counters);
  extras->counter_count = 0;
}

static void free_extras(const struct tb_allocator *allocator, struct tb_sequence_state *sequence) {
  struct tb_sequence_extras *extras = found_extras(sequence);
  if (!extras) return;
  tb_map_free(&extras->counters);
  tb_free(allocator, extras->counter_values, extras->counter_capacity * sizeof(int64_t));
  tb_free(allocator, extras->extra_counters.items, extras->extra_counters.capacity * sizeof(uint64_t));
  tb_free(allocator, extras->extra_double_counters.items, extras->extra_double_counters.capacity * sizeof(uint64_t));
  tb_free(allocator, extras, sizeof(*extras));
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

static struct tb_sequence_state *sequence_at(const struct tb_trace_state *state, size_t number) {
  return tb_pages_at(&state->sequences, number, sizeof(struct tb_sequence_state));
}

void tb_trace_state_free(struct tb_trace_state *state) {
  const struct tb_allocator *allocator = &state->budget.allocator;
  for (size_t i = 0; i < tb_pages_room(&state->sequences); i++) {
    struct tb_sequence_state *sequence = sequence_at(state, i);
    if (!sequence->indexes) continue;
    free_indexes(allocator, sequence);
    free_extras(allocator, sequence);
  }
  tb_pages_free(&state->sequences, sizeof(struct tb_sequence_state));
  tb_sequence_table_free(&state->sequence_table);
  tb_clock_graph_free(&state->clocks);
  tb_map_free(&state->clocks_ahead);
  tb_intern_free(&state->pool);
}

enum tb_status tb_trace_state_full(struct tb_trace_state *state, uint64_t offset) {
  enum tb_status status = tb_limit_allocator_status(&state->budget);
  return tb_fail(state->error, status, offset,
                 status == TB_LIMIT ? "the trace interns more than the limit allows" : "out of memory");
}

bool tb_trace_state_number(struct tb_trace_state *state, uint32_t id, uint32_t machine, uint32_t *number) {
  if (tb_sequence_table_find(&state->sequence_table, machine, id, number)) return true;
  *number = (uint32_t)tb_sequence_table_count(&state->sequence_table);
  return *number < SEQUENCES_MAX && tb_sequence_table_add(&state->sequence_table, machine, id) == TB_OK;
}

static struct tb_sequence_state *add_sequence(struct tb_trace_state *state, uint32_t number, uint32_t id,
                                              uint32_t machine) {
  if (tb_pages_reach(&state->sequences, number, sizeof(struct tb_sequence_state), SEQUENCES_MAX) != TB_OK) return NULL;
  struct tb_sequence_state *sequence = sequence_at(state, number);
  *sequence = (struct tb_sequence_state){.id = id, .machine = machine, .indexes = no_indexes, .extras = &no_extras};
  return sequence;
}

static struct tb_sequence_state *find_sequence(struct tb_trace_state *state, uint32_t id, uint32_t machine) {
  struct tb_sequence_state *recent = state->recent;
  if (recent && recent->id == id && recent->machine == machine) return recent;
  uint32_t number;
  if (!tb_trace_state_number(state, id, machine, &number)) return NULL;
  recent = number < tb_pages_room(&state->sequences) ? sequence_at(state, number) : NULL;
  return state->recent = recent && recent->indexes ? recent : add_sequence(state, number, id, machine);
}

static void clear(struct tb_trace_state *state, struct tb_sequence_state *sequence) {
  clear_indexes(sequence);
  clear_counters(sequence);
  clear_defaults(sequence);
  sequence->has_reference = false;
  tb_trace_state_clear_clocks(state, sequence);
  sequence->valid = true;
  sequence->generation++;
  sequence->interned_version++;
}

enum tb_status tb_sequence_set_ids(struct tb_trace_state *state, struct tb_sequence_state *sequence, int64_t pid,
                                   int64_t tid) {
  sequence->has_wide_ids = pid != (int32_t)pid || tid != (int32_t)tid;
  sequence->pid = (int32_t)pid;
  sequence->tid = (int32_t)tid;
  struct tb_sequence_extras *extras = sequence->has_wide_ids ? tb_sequence_own_extras(state, sequence) : NULL;
  if (!extras) return sequence->has_wide_ids ? TB_NO_MEMORY : TB_OK;
  extras->pid = pid;
  extras->tid = tid;
  return TB_OK;
}

int64_t *tb_sequence_counter(struct tb_trace_state *state, struct tb_sequence_state *sequence, uint64_t uuid) {
  uint32_t place;
  struct tb_sequence_extras *extras = tb_sequence_own_extras(state, sequence);
  if (!extras) return NULL;
  if (tb_map_get(&extras->counters, uuid, 0, &place)) return &extras->counter_values[place];
  void *values = extras->counter_values;
  enum tb_status status = tb_grow_array(&state->budget.allocator, &values, &extras->counter_capacity,
                                        extras->counter_count + 1, sizeof(int64_t), COUNTERS_MAX);
  extras->counter_values = values;
  if (status != TB_OK) return NULL;
  if (tb_map_put(&extras->counters, uuid, 0, (uint32_t)extras->counter_count) != TB_OK) return NULL;
  int64_t *value = &extras->counter_values[extras->counter_count++];
  *value = 0;
  return value;
}

/* ---- defaults ---------------------------------------------------------------------------------------------------- */

static enum tb_status add_uuid(struct tb_trace_state *state, struct tb_uuid_list *list, uint64_t uuid) {
  if (list->count == UUIDS_MAX) return TB_OK;
  void *items = list->items;
  enum tb_status status =
      tb_grow_array(&state->budget.allocator, &items, &list->capacity, list->count + 1, sizeof(uuid), UUIDS_MAX);
  list->items = items;
  if (status == TB_OK) list->items[list->count++] = uuid;
  return status;
}

static enum tb_status add_extra_counter(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                        bool is_double, uint64_t uuid) {
  struct tb_sequence_extras *extras = tb_sequence_own_extras(state, sequence);
  if (!extras) return TB_NO_MEMORY;
  return add_uuid(state, is_double ? &extras->extra_double_counters : &extras->extra_counters, uuid);
}

static enum tb_status set_default_track(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                        uint64_t uuid) {
  struct tb_sequence_extras *extras = tb_sequence_own_extras(state, sequence);
  if (!extras) return TB_NO_MEMORY;
  sequence->has_default_track = true;
  extras->default_track = uuid;
  return TB_OK;
}

static enum tb_status set_default_clock(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                        uint64_t clock) {
  struct tb_sequence_extras *extras = tb_sequence_own_extras(state, sequence);
  if (!extras) return TB_NO_MEMORY;
  sequence->has_default_clock = true;
  extras->default_clock = (uint32_t)clock;
  return TB_OK;
}

static enum tb_status apply_event_defaults(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                           struct tb_str bytes) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.type != TB_WIRE_VARINT) continue;
    if (field.number == TB_TRACK_EVENT_DEFAULTS_TRACK_UUID) {
      status = set_default_track(state, sequence, field.value);
    } else if (field.number == TB_TRACK_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS) {
      status = add_extra_counter(state, sequence, false, field.value);
    } else if (field.number == TB_TRACK_EVENT_DEFAULTS_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS) {
      status = add_extra_counter(state, sequence, true, field.value);
    }
    if (status != TB_OK) return TB_NO_MEMORY;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

static enum tb_status apply_defaults(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                     struct tb_str bytes) {
  clear_defaults(sequence);
  sequence->generation++;
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  if (state->keep_defaults) {
    struct tb_sequence_extras *extras = tb_sequence_own_extras(state, sequence);
    status = extras ? tb_text_pool_add(&state->pool, bytes, &extras->packet_defaults) : TB_NO_MEMORY;
    if (status != TB_OK) return status;
  }
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.number == TB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID && field.type == TB_WIRE_VARINT) {
      status = set_default_clock(state, sequence, field.value);
      if (status != TB_OK) return status;
    } else if (field.number == TB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS && field.type == TB_WIRE_BYTES) {
      status = apply_event_defaults(state, sequence, field.bytes);
      if (status != TB_OK) return status;
    } else if (field.number == TB_TRACE_PACKET_DEFAULTS_STACK_SAMPLE_DEFAULTS && field.type == TB_WIRE_BYTES) {
      struct tb_sequence_extras *extras = tb_sequence_own_extras(state, sequence);
      status = extras ? tb_text_pool_add(&state->pool, field.bytes, &extras->sample_defaults) : TB_NO_MEMORY;
      if (status != TB_OK) return status;
    }
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

/* ---- interned data ----------------------------------------------------------------------------------------------- */

/* Which index a field of InternedData is, and where its entries have their text; 0: the whole entry is kept. */
struct index_field {
  uint32_t number;
  uint8_t index, text;
};

static const struct index_field index_fields[] = {
    {TB_INTERNED_DATA_EVENT_CATEGORIES, TB_INDEX_EVENT_CATEGORIES, TB_INTERNED_NAME_NAME},
    {TB_INTERNED_DATA_EVENT_NAMES, TB_INDEX_EVENT_NAMES, TB_INTERNED_NAME_NAME},
    {TB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES, TB_INDEX_DEBUG_ANNOTATION_NAMES, TB_INTERNED_NAME_NAME},
    {TB_INTERNED_DATA_SOURCE_LOCATIONS, TB_INDEX_SOURCE_LOCATIONS, 0},
    {TB_INTERNED_DATA_FUNCTION_NAMES, TB_INDEX_FUNCTION_NAMES, TB_INTERNED_STRING_STR},
    {TB_INTERNED_DATA_FRAMES, TB_INDEX_FRAMES, 0},
    {TB_INTERNED_DATA_CALLSTACKS, TB_INDEX_CALLSTACKS, 0},
    {TB_INTERNED_DATA_BUILD_IDS, TB_INDEX_BUILD_IDS, TB_INTERNED_STRING_STR},
    {TB_INTERNED_DATA_MAPPING_PATHS, TB_INDEX_MAPPING_PATHS, TB_INTERNED_STRING_STR},
    {TB_INTERNED_DATA_SOURCE_PATHS, TB_INDEX_SOURCE_PATHS, TB_INTERNED_STRING_STR},
    {TB_INTERNED_DATA_MAPPINGS, TB_INDEX_MAPPINGS, 0},
    {TB_INTERNED_DATA_LOG_MESSAGE_BODY, TB_INDEX_LOG_MESSAGE_BODY, TB_INTERNED_BODY_BODY},
    {TB_INTERNED_DATA_HISTOGRAM_NAMES, TB_INDEX_HISTOGRAM_NAMES, TB_INTERNED_NAME_NAME},
    {TB_INTERNED_DATA_DEBUG_ANNOTATION_VALUE_TYPE_NAMES, TB_INDEX_DEBUG_ANNOTATION_VALUE_TYPE_NAMES,
     TB_INTERNED_NAME_NAME},
    {TB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, TB_INDEX_DEBUG_ANNOTATION_STRING_VALUES, TB_INTERNED_STRING_STR},
    {TB_INTERNED_DATA_CORRELATION_ID_STR, TB_INDEX_CORRELATION_ID_STR, TB_INTERNED_STRING_STR},
    {TB_INTERNED_DATA_GRAPHICS_CONTEXTS, TB_INDEX_GRAPHICS_CONTEXTS, 0},
    {TB_INTERNED_DATA_GPU_SPECIFICATIONS, TB_INDEX_GPU_SPECIFICATIONS, 0},
    {TB_INTERNED_DATA_GPU_COUNTER_DESCRIPTORS, TB_INDEX_GPU_COUNTER_DESCRIPTORS, 0},
    {TB_INTERNED_DATA_KERNEL_SYMBOLS, TB_INDEX_KERNEL_SYMBOLS, TB_INTERNED_STRING_STR},
    {TB_INTERNED_DATA_PACKET_CONTEXT, TB_INDEX_PACKET_CONTEXT, 0},
    {TB_INTERNED_DATA_STACK_SAMPLE_TASK_CONTEXTS, TB_INDEX_TASK_CONTEXTS, 0},
    {TB_INTERNED_DATA_STACK_SAMPLE_EXECUTION_CONTEXTS, TB_INDEX_EXECUTION_CONTEXTS, 0},
    {TB_INTERNED_DATA_STACK_SAMPLE_COUNTER_DESCRIPTORS, TB_INDEX_COUNTER_DESCRIPTORS, 0},
    {TB_INTERNED_DATA_STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTORS, TB_INDEX_ASYNC_CONTEXTS, 0},
};

static const struct index_field *find_index_field(uint32_t number) {
  for (size_t i = 0; i < sizeof(index_fields) / sizeof(index_fields[0]); i++) {
    if (index_fields[i].number == number) return &index_fields[i];
  }
  return NULL;
}

bool tb_trace_state_knows_interned(uint32_t number) { return find_index_field(number) != NULL; }

const struct tb_str *tb_sequence_interned(const struct tb_sequence_state *sequence, uint32_t field, uint64_t iid) {
  const struct index_field *index = find_index_field(field);
  return index ? tb_iid_index_get(sequence->indexes[index->index], iid) : NULL;
}

enum tb_status tb_trace_state_intern(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                     enum tb_index index, uint32_t text_field, struct tb_str bytes) {
  struct tb_str text = text_field ? (struct tb_str){"", 0} : bytes;
  uint64_t iid = 0;
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    /* every kind of entry has its iid in field 1 */
    if (field.number == TB_INTERNED_STRING_IID && field.type == TB_WIRE_VARINT) iid = field.value;
    if (text_field && field.number == text_field && field.type == TB_WIRE_BYTES) text = field.bytes;
  }
  if (status != TB_END) return TB_BAD_DATA;
  status = tb_text_pool_add(&state->pool, text, &text);
  struct tb_iid_index *own = status == TB_OK ? make_index(&state->budget.allocator, sequence, index) : NULL;
  if (status == TB_OK) status = own ? tb_iid_index_set(own, iid, text) : TB_NO_MEMORY;
  return status;
}

static enum tb_status apply_interned(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                     struct tb_str bytes) {
  struct tb_wire_cursor cursor = tb_wire_cursor(bytes);
  struct tb_wire_field field;
  enum tb_status status;
  sequence->interned_version++;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    const struct index_field *index = field.type == TB_WIRE_BYTES ? find_index_field(field.number) : NULL;
    if (!index) continue;
    status = tb_trace_state_intern(state, sequence, (enum tb_index)index->index, index->text, field.bytes);
    if (status != TB_OK) return status;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

/* A packet may hold several: their entries add up. */
static enum tb_status apply_all_interned(struct tb_trace_state *state, struct tb_sequence_state *sequence,
                                         const struct tb_packet_header *head) {
  if (head->interned_count == 1) return apply_interned(state, sequence, head->interned);
  struct tb_wire_cursor cursor = tb_wire_cursor(head->bytes);
  struct tb_wire_field field;
  enum tb_status status = TB_OK;
  while (status == TB_OK && tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_TRACE_PACKET_INTERNED_DATA || field.type != TB_WIRE_BYTES) continue;
    status = apply_interned(state, sequence, field.bytes);
  }
  return status;
}

/* ---- a packet ---------------------------------------------------------------------------------------------------- */

/* A part that is damaged is a loss; the packet's other parts are used. */
static enum tb_status applied(struct tb_trace_state *state, enum tb_status status, const char *reason,
                              uint64_t offset) {
  if (status == TB_OK) return TB_OK;
  if (status == TB_BAD_DATA) return state->lose(state->lose_ctx, reason, offset);
  return tb_trace_state_full(state, offset);
}

static enum tb_status apply_incremental(struct tb_trace_state *state, const struct tb_packet_header *head,
                                        struct tb_sequence_state *sequence) {
  enum tb_status status = TB_OK;
  if (head->has_defaults) {
    status = applied(state, apply_defaults(state, sequence, head->defaults), LOSS_DEFAULTS, head->offset);
  }
  if (status == TB_OK && head->interned_count && state->keep_interned) {
    status = applied(state, apply_all_interned(state, sequence, head), LOSS_INTERNED, head->offset);
  }
  return status;
}

/* What some packets do in addition to having a time. *done: the time is known as well. */
__attribute__((noinline)) static enum tb_status apply_changes(struct tb_trace_state *state,
                                                              const struct tb_packet_header *head,
                                                              struct tb_packet_context *context, bool *done) {
  struct tb_sequence_state *sequence = context->sequence;
  enum tb_status status = TB_OK;
  if (head->dropped && !head->first) context->lost_before = sequence->seen;
  context->begins_again = head->first && sequence->seen;
  if (head->cleared) clear(state, sequence);
  context->unreadable = !tb_packet_finds_state(head, &sequence->valid);
  context->unusable = context->unreadable || head->derived;
  *done = context->unreadable;
  if (context->unreadable) return TB_OK;
  if (head->has_defaults || head->interned_count) status = apply_incremental(state, head, sequence);
  if (status == TB_OK && head->kind == TB_TRACE_PACKET_REMOTE_CLOCK_SYNC && head->machine)
    return tb_trace_state_add_sync(state, head);
  if (status != TB_OK || head->kind != TB_TRACE_PACKET_CLOCK_SNAPSHOT) return status;
  status = tb_trace_state_add_snapshot(state, head, done, &context->ts);
  context->has_ts = *done;
  return status;
}

enum tb_status tb_trace_state_apply_slowly(struct tb_trace_state *state, const struct tb_packet_header *head,
                                           struct tb_packet_context *context) {
  struct tb_sequence_state *sequence = find_sequence(state, head->sequence, head->machine);
  tb_packet_context_start(context, sequence);
  if (!sequence) return tb_trace_state_full(state, head->offset);
  if (head->rare || !sequence->valid) {
    bool done = false;
    enum tb_status status = apply_changes(state, head, context, &done);
    sequence->seen = true;
    if (status != TB_OK || done) return status;
  }
  sequence->seen = true;
  if (head->machine)
    tb_trace_state_resolve_remote(state, head, context);
  else
    tb_trace_state_resolve(state, head, context);
  return TB_OK;
}
