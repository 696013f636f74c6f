/* SPDX-License-Identifier: Apache-2.0
 *
 * GPUs: their counters, and the stages that their queues run as async slices of the process whose context it is.
 * Targets that take packets as they are get the packets.
 *
 * A value of most counters is of the time before its sample, so it goes out with the time of the sample before, and
 * the last sample begins a 0. Which sample is before is known late, as samples need not come in the order of time: the
 * newest ones wait for others. Whole numbers are marks for targets that have the system's events as text, where a
 * counter keeps its name whatever it is.
 */
#include <inttypes.h>
#include <stdio.h>

#include "perfetto/reader/sched.h"
#include "perfetto/reader/typed_fields.h"

enum {
  NAME_SIZE = 250,
  NUMBER_SIZE = 64,
  COUNTERS_MAX = 1 << 20,
  SPECIFICATIONS_MAX = 1 << 12,
  WAITING_MAX = 1 << 12,     /* samples of a counter that wait for late ones */
  WAITING_FEW = 8,           /* so many do whatever the other counters have */
  ALL_WAITING_MAX = 1 << 20, /* of all counters */
  FORWARDS_LOOKING = 2       /* of value_direction */
};

static const char LOSS_TIME[] = "an event of a GPU has no timestamp";
static const char NOTE_LATE[] = "samples of a GPU's counter came so late that their values are one sample off";
static const char LOSS_UNKNOWN[] = "a value of a GPU's counter that nothing describes";

/* Keeps flows of stages apart from those of track events, whose ids are of the same space. */
#define STAGE_FLOWS (UINT64_C(0x7374616765) << 24)

struct gpu_sample {
  int64_t ts;
  uint64_t bits;
  bool is_double;
};

struct gpu_counter {
  struct tb_perfetto_track *track;
  int gpu_id;
  bool forwards, gave;
  int64_t given_ts;           /* of the newest value that went out */
  struct gpu_sample *waiting; /* each began what the next one says; in the order of time, from `first` on */
  size_t first, end, waiting_capacity;
};

/* Names by id, as the first specifications say them. */
struct gpu_names {
  struct tb_str *items;
  size_t count, capacity;
};

struct gpu {
  struct gpu_counter *counters;
  size_t count, capacity;
  struct tb_map by_track; /* index of the counter's track -> counter */
  struct tb_map by_id;    /* id of a descriptor in place, machine -> counter */
  struct tb_map by_iid; /* sequence; iid and id -> counter, and the version of the interned data that it was found in */
  size_t waiting;       /* samples, of all counters */
  size_t resume;        /* where the current packet, or the end, goes on in the next batch */
  struct gpu_names queues, stages;
  int64_t context_pid; /* of the specifications' context */
  uint64_t stage_number;
};

static void init_gpu(void *state, const struct tb_allocator *allocator) {
  struct gpu *gpu = state;
  tb_map_init(&gpu->by_track, allocator);
  tb_map_init(&gpu->by_id, allocator);
  tb_map_init(&gpu->by_iid, allocator);
}

static void free_gpu(void *state, const struct tb_allocator *allocator) {
  struct gpu *gpu = state;
  for (size_t i = 0; i < gpu->count; i++)
    tb_free(allocator, gpu->counters[i].waiting, gpu->counters[i].waiting_capacity * sizeof(struct gpu_sample));
  tb_free(allocator, gpu->counters, gpu->capacity * sizeof(*gpu->counters));
  tb_free(allocator, gpu->queues.items, gpu->queues.capacity * sizeof(*gpu->queues.items));
  tb_free(allocator, gpu->stages.items, gpu->stages.capacity * sizeof(*gpu->stages.items));
  tb_map_free(&gpu->by_track);
  tb_map_free(&gpu->by_id);
  tb_map_free(&gpu->by_iid);
}

static struct gpu *gpu_of(const struct tb_perfetto_reader *r) { return r->importer_state; }

/* ---- what counters are ------------------------------------------------------------------------------------------- */

/* The counter of that name, made where it is not known yet. NULL when memory is exhausted. */
static struct gpu_counter *named_counter(struct tb_perfetto_reader *r, struct tb_str name, int gpu_id, bool forwards) {
  struct gpu *gpu = gpu_of(r);
  struct tb_perfetto_track *trace = tb_perfetto_find_track(r, 0);
  struct tb_perfetto_track *track = trace ? tb_tracks_named_counter(&r->tracks, trace, name) : NULL;
  uint32_t number;
  if (track && tb_map_get(&gpu->by_track, track->track.index, 0, &number)) return &gpu->counters[number];
  void *counters = gpu->counters;
  if (!track || tb_grow_array(&r->state.budget.allocator, &counters, &gpu->capacity, gpu->count + 1,
                              sizeof(*gpu->counters), COUNTERS_MAX) != TB_OK)
    return NULL;
  gpu->counters = counters;
  if (tb_map_put(&gpu->by_track, track->track.index, 0, gpu->count) != TB_OK) return NULL;
  gpu->counters[gpu->count] = (struct gpu_counter){.track = track, .gpu_id = gpu_id, .forwards = forwards};
  return &gpu->counters[gpu->count++];
}

/* True and *number where there is the counter that the specification says: one for each name of a GPU. Of a second
 * GPU with that name the counter says which it is. */
static bool find_counter(struct tb_perfetto_reader *r, const struct tb_wire_field *spec, int gpu_id, uint32_t *number) {
  struct tb_str name = tb_wire_text(&spec[TB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_NAME]);
  bool forwards = spec[TB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_VALUE_DIRECTION].value == FORWARDS_LOOKING;
  char text[NAME_SIZE];
  if (!name.len || name.len >= NAME_SIZE - NUMBER_SIZE) return false;
  const struct gpu_counter *counter = named_counter(r, name, gpu_id, forwards);
  if (counter && counter->gpu_id != gpu_id) {
    int len = snprintf(text, sizeof(text), "%.*s gpu %d", (int)name.len, name.ptr, gpu_id);
    counter = named_counter(r, (struct tb_str){text, (size_t)len}, gpu_id, forwards);
  }
  if (!counter) {
    r->out_of_memory = true;
    return false;
  }
  *number = (uint32_t)(counter - gpu_of(r)->counters);
  return true;
}

enum { SPEC_FIELDS = TB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_VALUE_DIRECTION + 1 };

/* The next specification of a descriptor; false where there is none. */
static bool next_spec(struct tb_wire_cursor *cursor, struct tb_wire_field spec[SPEC_FIELDS]) {
  struct tb_wire_field field;
  while (tb_wire_read(cursor, &field) == TB_OK) {
    if (field.number != TB_GPU_COUNTER_DESCRIPTOR_SPECS || field.type != TB_WIRE_BYTES) continue;
    (void)tb_wire_read_fields(field.bytes, spec, SPEC_FIELDS);
    return true;
  }
  return false;
}

/* A descriptor in place: its ids are the trace's, and stay what they were first. */
static void describe_counters(struct tb_perfetto_reader *r, struct tb_str descriptor, int gpu_id) {
  struct tb_wire_cursor cursor = tb_wire_cursor(descriptor);
  struct tb_wire_field spec[SPEC_FIELDS];
  uint32_t number;
  while (next_spec(&cursor, spec)) {
    uint64_t id = spec[TB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_COUNTER_ID].value;
    if (tb_map_find(&gpu_of(r)->by_id, id, r->head.machine) || !find_counter(r, spec, gpu_id, &number)) continue;
    if (tb_map_put(&gpu_of(r)->by_id, id, r->head.machine, number) != TB_OK) r->out_of_memory = true;
  }
}

/* The counter `id` of an interned descriptor. */
static bool find_described(struct tb_perfetto_reader *r, uint64_t iid, uint64_t id, uint32_t *number) {
  const struct tb_sequence_state *sequence = r->context.sequence;
  uint64_t place = (uint64_t)(uintptr_t)sequence, key = iid << 32 ^ id;
  const uint64_t *found = tb_map_find(&gpu_of(r)->by_iid, place, key);
  *number = found ? (uint32_t)*found : 0;
  if (found && *found >> 32 == sequence->interned_version) return true;
  const struct tb_str *message = tb_perfetto_interned(r, TB_INDEX_GPU_COUNTER_DESCRIPTORS, iid);
  if (!message) return false;
  struct tb_wire_field interned[TB_INTERNED_GPU_COUNTER_DESCRIPTOR_GPU_ID + 1], spec[SPEC_FIELDS];
  (void)tb_wire_read_fields(*message, interned, sizeof(interned) / sizeof(interned[0]));
  struct tb_wire_cursor cursor =
      tb_wire_cursor(tb_wire_text(&interned[TB_INTERNED_GPU_COUNTER_DESCRIPTOR_COUNTER_DESCRIPTOR]));
  while (next_spec(&cursor, spec)) {
    if (spec[TB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_COUNTER_ID].value != id) continue;
    if (!find_counter(r, spec, (int)interned[TB_INTERNED_GPU_COUNTER_DESCRIPTOR_GPU_ID].value, number)) return false;
    if (tb_map_put(&gpu_of(r)->by_iid, place, key, (uint64_t)sequence->interned_version << 32 | *number) != TB_OK)
      r->out_of_memory = true;
    return true;
  }
  return false;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static void emit_value(struct tb_perfetto_reader *r, const struct gpu_counter *counter, struct gpu_sample sample) {
  struct tb_perfetto_track *track = counter->track;
  if (sample.is_double)
    tb_perfetto_emit_double(r, track, sample.ts, tb_wire_double(sample.bits));
  else if (!tb_perfetto_as_text(r) ||
           !tb_perfetto_emit_counter_line(r, sample.ts, 0, track->track.name, (int64_t)sample.bits))
    tb_perfetto_emit_integer(r, track, sample.ts, (int64_t)sample.bits);
}

/* Gives out what the first of the waiting samples began. False where the batch takes no more; nothing has changed
 * then. */
static bool emit_first(struct tb_perfetto_reader *r, struct gpu_counter *counter) {
  const struct gpu_sample *first = &counter->waiting[counter->first];
  struct gpu_sample value = {.is_double = first->is_double};
  if (counter->end - counter->first > 1) value = first[1];
  value.ts = first->ts;
  emit_value(r, counter, value);
  if (r->full) return false;
  counter->gave = true;
  counter->given_ts = value.ts;
  counter->first++;
  gpu_of(r)->waiting--;
  return true;
}

/* Whether the counter has to give out its first sample before it takes another. */
static bool waits_for_enough(const struct gpu *gpu, const struct gpu_counter *counter) {
  size_t count = counter->end - counter->first;
  return count == WAITING_MAX || (gpu->waiting >= ALL_WAITING_MAX && count >= WAITING_FEW);
}

/* Room for one more behind the others: where many went out, these make it. False without memory. */
static bool make_room(struct tb_perfetto_reader *r, struct gpu_counter *counter) {
  size_t count = counter->end - counter->first;
  if (counter->end == counter->waiting_capacity && counter->first > count) {
    memcpy(counter->waiting, counter->waiting + counter->first, count * sizeof(*counter->waiting));
    counter->first = 0;
    counter->end = count;
  }
  void *waiting = counter->waiting;
  enum tb_status status = tb_grow_array(&r->state.budget.allocator, &waiting, &counter->waiting_capacity,
                                        counter->end + 1, sizeof(*counter->waiting), 4 * WAITING_MAX);
  counter->waiting = waiting;
  if (status != TB_OK) r->out_of_memory = true;
  return status == TB_OK;
}

/* False where the batch takes no more; nothing has changed then. */
static bool take_sample(struct tb_perfetto_reader *r, struct gpu_counter *counter, const struct tb_wire_field *value) {
  struct gpu_sample sample = {r->context.ts, value->value, value->type == TB_WIRE_FIXED64};
  if (counter->forwards) {
    emit_value(r, counter, sample);
    return !r->full;
  }
  if (waits_for_enough(gpu_of(r), counter) && !emit_first(r, counter)) return false;
  if (!make_room(r, counter)) return true;
  if (counter->gave && sample.ts < counter->given_ts) tb_reader_note(r->reader, NOTE_LATE, r->head.offset);
  size_t place = counter->end++;
  for (; place > counter->first && counter->waiting[place - 1].ts > sample.ts; place--)
    counter->waiting[place] = counter->waiting[place - 1];
  counter->waiting[place] = sample;
  gpu_of(r)->waiting++;
  return true;
}

static enum tb_status read_samples(struct tb_perfetto_reader *r, struct tb_str payload,
                                   const struct tb_wire_field *event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field, counter[TB_GPU_COUNTER_EVENT_GPU_COUNTER_DOUBLE_VALUE + 1];
  const struct tb_wire_field *iid = &event[TB_GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR_IID];
  size_t place = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number != TB_GPU_COUNTER_EVENT_COUNTERS || field.type != TB_WIRE_BYTES) continue;
    if (place++ < gpu_of(r)->resume) continue;
    (void)tb_wire_read_fields(field.bytes, counter, sizeof(counter) / sizeof(counter[0]));
    uint64_t id = counter[TB_GPU_COUNTER_EVENT_GPU_COUNTER_COUNTER_ID].value;
    const struct tb_wire_field *value = &counter[TB_GPU_COUNTER_EVENT_GPU_COUNTER_INT_VALUE];
    if (!value->number) value = &counter[TB_GPU_COUNTER_EVENT_GPU_COUNTER_DOUBLE_VALUE];
    uint32_t number;
    bool known = iid->number ? find_described(r, iid->value, id, &number)
                             : tb_map_get(&gpu_of(r)->by_id, id, r->head.machine, &number);
    if (known && value->number && !take_sample(r, &gpu_of(r)->counters[number], value)) {
      gpu_of(r)->resume = place - 1;
      return TB_OK;
    }
    enum tb_status status = known ? TB_OK : tb_perfetto_lose(r, LOSS_UNKNOWN);
    if (status != TB_OK) return status;
  }
  gpu_of(r)->resume = 0;
  return TB_OK;
}

enum tb_status tb_perfetto_gpu_counters(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_wire_field event[TB_GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR_IID + 1];
  if (r->reader->target.packets) {
    tb_perfetto_pass_packet(r);
    return TB_OK;
  }
  if (tb_wire_read_fields(payload, event, sizeof(event) / sizeof(event[0])) != TB_OK) return TB_BAD_DATA;
  if (gpu_of(r)->resume) r->emitted = r->given; /* the counters that were given are passed over */
  describe_counters(r, tb_wire_text(&event[TB_GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR]),
                    (int)event[TB_GPU_COUNTER_EVENT_GPU_ID].value);
  if (r->context.has_ts) return read_samples(r, payload, event);
  return event[TB_GPU_COUNTER_EVENT_COUNTERS].number ? tb_perfetto_lose(r, LOSS_TIME) : TB_OK;
}

/* The last sample of a counter has no successor that says what it began. */
static void end_counters(struct tb_perfetto_reader *r) {
  struct gpu *gpu = gpu_of(r);
  for (; gpu->resume < gpu->count && !r->full; gpu->resume++) {
    struct gpu_counter *counter = &gpu->counters[gpu->resume];
    while (counter->first < counter->end)
      if (!emit_first(r, counter)) return;
  }
}

const struct tb_importer_state tb_gpu_state = {
    .size = sizeof(struct gpu), .init = init_gpu, .free = free_gpu, .end = end_counters};

/* ---- stages ------------------------------------------------------------------------------------------------------ */

static void keep_names(struct tb_perfetto_reader *r, struct gpu_names *names, struct tb_str description) {
  struct tb_wire_field fields[TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_DESCRIPTION_NAME + 1];
  (void)tb_wire_read_fields(description, fields, sizeof(fields) / sizeof(fields[0]));
  void *items = names->items;
  if (names->count == SPECIFICATIONS_MAX) return;
  if (tb_grow_array(&r->state.budget.allocator, &items, &names->capacity, names->count + 1, sizeof(*names->items),
                    SPECIFICATIONS_MAX) != TB_OK) {
    r->out_of_memory = true;
    return;
  }
  names->items = items;
  struct tb_str name = tb_wire_text(&fields[TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_DESCRIPTION_NAME]);
  if (tb_text_pool_add(&r->state.pool, name, &names->items[names->count++]) != TB_OK) r->out_of_memory = true;
}

/* The names of queues and stages of before they were interned. Only one packet is expected to have them. */
static void read_specifications(struct tb_perfetto_reader *r, struct tb_str message) {
  struct gpu *gpu = gpu_of(r);
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field, context[TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_CONTEXT_SPEC_PID + 1];
  gpu->queues.count = gpu->stages.count = 0;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_HW_QUEUE) keep_names(r, &gpu->queues, field.bytes);
    if (field.number == TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_STAGE) keep_names(r, &gpu->stages, field.bytes);
    if (field.number != TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_CONTEXT_SPEC) continue;
    (void)tb_wire_read_fields(field.bytes, context, sizeof(context) / sizeof(context[0]));
    gpu->context_pid = (int32_t)context[TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS_CONTEXT_SPEC_PID].value;
  }
}

/* The name of a queue or stage: interned, or by its id; "WHAT(ID)" of one that nothing names. */
static struct tb_str name_of(struct tb_perfetto_reader *r, const struct tb_wire_field *iid,
                             const struct tb_wire_field *id, const struct gpu_names *names, const char *what) {
  if (iid->number) {
    struct tb_wire_field fields[TB_INTERNED_GPU_RENDER_STAGE_SPECIFICATION_NAME + 1];
    const struct tb_str *message = tb_perfetto_interned(r, TB_INDEX_GPU_SPECIFICATIONS, iid->value);
    if (!message) return TB_STR("");
    (void)tb_wire_read_fields(*message, fields, sizeof(fields) / sizeof(fields[0]));
    return tb_wire_text(&fields[TB_INTERNED_GPU_RENDER_STAGE_SPECIFICATION_NAME]);
  }
  if (id->value < names->count) return names->items[id->value];
  char *text = tb_perfetto_alloc(r, NUMBER_SIZE);
  if (!text) return TB_STR("");
  return (struct tb_str){text, (size_t)snprintf(text, NUMBER_SIZE, "%s(%" PRIu64 ")", what, id->value)};
}

static int64_t process_of(struct tb_perfetto_reader *r, const struct tb_wire_field *context) {
  struct tb_wire_field fields[TB_INTERNED_GRAPHICS_CONTEXT_PID + 1];
  const struct tb_str *message =
      context->number ? tb_iid_index_get(r->context.sequence->indexes[TB_INDEX_GRAPHICS_CONTEXTS], context->value)
                      : NULL;
  if (!message) return gpu_of(r)->context_pid;
  (void)tb_wire_read_fields(*message, fields, sizeof(fields) / sizeof(fields[0]));
  return (int32_t)fields[TB_INTERNED_GRAPHICS_CONTEXT_PID].value;
}

static struct tb_str stage_name(struct tb_perfetto_reader *r, const struct tb_wire_field *e) {
  const struct tb_wire_field *own = &e[TB_GPU_RENDER_STAGE_EVENT_NAME], *iid = &e[TB_GPU_RENDER_STAGE_EVENT_NAME_IID];
  if (own->number) return tb_wire_text(own);
  const struct tb_str *name = iid->number ? tb_perfetto_interned(r, TB_INDEX_EVENT_NAMES, iid->value) : NULL;
  if (name) return *name;
  return name_of(r, &e[TB_GPU_RENDER_STAGE_EVENT_STAGE_IID], &e[TB_GPU_RENDER_STAGE_EVENT_STAGE_ID], &gpu_of(r)->stages,
                 "render stage");
}

static bool is_no_argument(uint32_t number) {
  return number == TB_GPU_RENDER_STAGE_EVENT_DURATION || number == TB_GPU_RENDER_STAGE_EVENT_NAME ||
         number == TB_GPU_RENDER_STAGE_EVENT_NAME_IID || number == TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS;
}

static struct tb_event *emit_stage(struct tb_perfetto_reader *r, enum tb_event_type type,
                                   struct tb_perfetto_track *process, struct tb_str name, struct tb_str id) {
  struct tb_event *event = tb_perfetto_emit(r, type);
  event->has |= TB_HAS_NAME;
  event->phase = type == TB_EVENT_ASYNC_BEGIN ? 'b' : 'e';
  event->track = &process->track;
  event->name = name;
  event->id = (struct tb_id){.kind = TB_ID_LOCAL, .text = id};
  return event;
}

/* A flow from each stage to those that waited for it. */
static void add_flows(struct tb_perfetto_reader *r, struct tb_str payload, const struct tb_wire_field *e,
                      struct tb_event *event) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  uint64_t *ids = tb_perfetto_alloc(r, (payload.len + 1) * sizeof(*ids));
  uint32_t count = 0;
  if (!ids) return;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_GPU_RENDER_STAGE_EVENT_EVENT_WAIT_IDS && field.type == TB_WIRE_VARINT)
      ids[count++] = STAGE_FLOWS ^ field.value;
  ids[count] = STAGE_FLOWS ^ e[TB_GPU_RENDER_STAGE_EVENT_EVENT_ID].value;
  event->terminating_flow_ids = ids;
  event->terminating_flow_count = count;
  event->flow_ids = &ids[count];
  event->flow_count = e[TB_GPU_RENDER_STAGE_EVENT_EVENT_ID].value ? 1 : 0; /* 0: of those who number none */
}

/* Queues run several stages at once, so each has an id of its own. */
static void begin_and_end(struct tb_perfetto_reader *r, struct tb_str payload, const struct tb_wire_field *e) {
  struct tb_perfetto_track *process = tb_perfetto_process(r, process_of(r, &e[TB_GPU_RENDER_STAGE_EVENT_CONTEXT]));
  char *text = tb_perfetto_alloc(r, NUMBER_SIZE);
  if (!process || !text) return;
  struct tb_str id = {text, (size_t)snprintf(text, NUMBER_SIZE, "gpu %" PRIu64, ++gpu_of(r)->stage_number)};
  struct tb_str name = stage_name(r, e);
  size_t first = r->batch->arg_count;
  struct tb_arg *queue = tb_perfetto_add_arg(r, TB_STR("hw_queue"));
  queue->type = TB_ARG_STRING;
  queue->text = name_of(r, &e[TB_GPU_RENDER_STAGE_EVENT_HW_QUEUE_IID], &e[TB_GPU_RENDER_STAGE_EVENT_HW_QUEUE_ID],
                        &gpu_of(r)->queues, "queue");
  tb_perfetto_message_fields(r, r->types.gpu_stage, payload, is_no_argument);
  tb_perfetto_emit_track(r, process);
  struct tb_event *begin = emit_stage(r, TB_EVENT_ASYNC_BEGIN, process, name, id);
  begin->has |= TB_HAS_ARGS;
  begin->args = &r->batch->args[first];
  begin->arg_count = (uint32_t)(r->batch->arg_count - first);
  add_flows(r, payload, e, begin);
  struct tb_event *end = emit_stage(r, TB_EVENT_ASYNC_END, process, name, id);
  end->ts = (int64_t)((uint64_t)r->context.ts + e[TB_GPU_RENDER_STAGE_EVENT_DURATION].value);
}

enum tb_status tb_perfetto_gpu_stage(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_wire_field event[TB_GPU_RENDER_STAGE_EVENT_LAUNCH + 1];
  if (r->reader->target.packets) {
    tb_perfetto_pass_packet(r);
    return TB_OK;
  }
  if (tb_wire_read_fields(payload, event, sizeof(event) / sizeof(event[0])) != TB_OK) return TB_BAD_DATA;
  const struct tb_wire_field *specifications = &event[TB_GPU_RENDER_STAGE_EVENT_SPECIFICATIONS];
  if (specifications->number) read_specifications(r, tb_wire_text(specifications));
  if (!event[TB_GPU_RENDER_STAGE_EVENT_EVENT_ID].number) return TB_OK; /* names alone */
  if (!r->context.has_ts) return tb_perfetto_lose(r, LOSS_TIME);
  begin_and_end(r, payload, event);
  return TB_OK;
}
