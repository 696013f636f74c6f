/* SPDX-License-Identifier: Apache-2.0
 *
 * Heap profiles: a sample of the process for each call stack of a dump, called by its heap, weighing what was allocated
 * and not freed. The stacks come behind the samples, so that these wait for the profile's last packet.
 */
#include "perfetto/reader/reader.h"

static const char LOSS_TIME[] = "a heap profile on a clock that nothing relates to the trace clock";

enum { SAMPLE_FIELDS = TB_PROFILE_PACKET_HEAP_SAMPLE_SELF_MAX_COUNT + 1, SAMPLES_MAX = 1 << 24 };

/* What is known of a call stack in a dump. */
struct heap_sample {
  struct tb_sequence_state *sequence;
  struct tb_perfetto_track *process;
  struct tb_str heap; /* in the pool */
  int64_t ts;
  uint64_t offset;
  uint64_t values[SAMPLE_FIELDS]; /* by field */
  uint32_t present;               /* a bit for each field */
};

struct heap_profiles {
  struct heap_sample *samples; /* those that wait, of all sequences */
  size_t count, capacity;
  size_t resume;   /* the first that was not looked at */
  bool is_flushed; /* those of a sequence are being given out */
};

static void init_profiles(void *state, const struct tb_allocator *allocator) {
  (void)allocator;
  *(struct heap_profiles *)state = (struct heap_profiles){0};
}

static void free_profiles(void *state, const struct tb_allocator *allocator) {
  struct heap_profiles *profiles = state;
  tb_free(allocator, profiles->samples, profiles->capacity * sizeof(*profiles->samples));
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

static void add_sample(struct tb_perfetto_reader *r, const struct heap_sample *dump, struct tb_str message) {
  struct heap_profiles *profiles = r->importer_state;
  void *samples = profiles->samples;
  enum tb_status status = tb_grow_array(&r->state.budget.allocator, &samples, &profiles->capacity, profiles->count + 1,
                                        sizeof(*profiles->samples), SAMPLES_MAX);
  profiles->samples = samples;
  if (status != TB_OK) {
    r->out_of_memory = true;
    return;
  }
  struct heap_sample *sample = &profiles->samples[profiles->count++];
  *sample = *dump;
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.number >= SAMPLE_FIELDS || field.type != TB_WIRE_VARINT) continue;
    sample->values[field.number] = field.value;
    sample->present |= 1u << field.number;
  }
}

/* Says, as the recorder's other losses are, that a dump has not all of what it should have. */
static void emit_loss(struct tb_perfetto_reader *r, const struct heap_sample *dump,
                      const struct tb_wire_field *fields) {
  if (!fields[TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_REJECTED_CONCURRENT].value &&
      !fields[TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_BUFFER_OVERRAN].value &&
      !fields[TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_BUFFER_CORRUPTED].value &&
      !fields[TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_HIT_GUARDRAIL].value)
    return;
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_DATA_LOSS);
  event->has = TB_HAS_TS;
  event->ts = dump->ts;
  event->track = &dump->process->track;
}

/* The time of a dump; false where nothing says it. */
static bool find_time(struct tb_perfetto_reader *r, const struct tb_wire_field *ts, int64_t *time) {
  *time = (int64_t)ts->value;
  if (ts->number && (tb_trace_state_convert(&r->state, &r->head, TB_CLOCK_MONOTONIC_COARSE, *time, time) ||
                     !tb_trace_state_has_clocks(&r->state, &r->head)))
    return true;
  *time = r->context.ts;
  return r->context.has_ts;
}

static enum tb_status take_dump(struct tb_perfetto_reader *r, struct tb_str message) {
  struct tb_wire_field fields[TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_HEAP_NAME + 1];
  if (tb_wire_read_fields(message, fields, sizeof(fields) / sizeof(fields[0])) != TB_OK) return TB_BAD_DATA;
  struct heap_sample dump = {.sequence = r->context.sequence, .offset = r->head.offset};
  if (!find_time(r, &fields[TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_TIMESTAMP], &dump.ts))
    return tb_perfetto_lose(r, LOSS_TIME);
  struct tb_str heap = tb_wire_text(&fields[TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_HEAP_NAME]);
  dump.process = tb_perfetto_process(r, (int64_t)fields[TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_PID].value);
  if (tb_text_pool_add(&r->state.pool, heap.len ? heap : TB_STR("unknown"), &dump.heap) != TB_OK)
    r->out_of_memory = true;
  if (r->out_of_memory || !dump.process) return TB_OK;
  emit_loss(r, &dump, fields);
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_SAMPLES && field.type == TB_WIRE_BYTES)
      add_sample(r, &dump, field.bytes);
  return TB_OK;
}

/* A string of the profile's own is a function's name, or a part of a mapping. */
static enum tb_status intern_string(struct tb_perfetto_reader *r, struct tb_str entry) {
  static const enum tb_index indexes[] = {TB_INDEX_FUNCTION_NAMES, TB_INDEX_MAPPING_PATHS, TB_INDEX_BUILD_IDS};
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < sizeof(indexes) / sizeof(indexes[0]) && status == TB_OK; i++)
    status = tb_trace_state_intern(&r->state, r->context.sequence, indexes[i], TB_INTERNED_STRING_STR, entry);
  return status;
}

static enum tb_status take_field(struct tb_perfetto_reader *r, const struct tb_wire_field *field) {
  switch (field->number) {
    case TB_PROFILE_PACKET_STRINGS:
      return intern_string(r, field->bytes);
    case TB_PROFILE_PACKET_FRAMES:
      return tb_trace_state_intern(&r->state, r->context.sequence, TB_INDEX_FRAMES, 0, field->bytes);
    case TB_PROFILE_PACKET_CALLSTACKS:
      return tb_trace_state_intern(&r->state, r->context.sequence, TB_INDEX_CALLSTACKS, 0, field->bytes);
    case TB_PROFILE_PACKET_MAPPINGS:
      return tb_trace_state_intern(&r->state, r->context.sequence, TB_INDEX_MAPPINGS, 0, field->bytes);
    case TB_PROFILE_PACKET_PROCESS_DUMPS:
      return take_dump(r, field->bytes);
    default:
      return TB_OK;
  }
}

static enum tb_status take_packet(struct tb_perfetto_reader *r, struct tb_str payload, bool *is_continued) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  enum tb_status status;
  r->context.sequence->interned_version++;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    if (field.number == TB_PROFILE_PACKET_CONTINUED) *is_continued = field.value != 0;
    if (field.type == TB_WIRE_BYTES) status = take_field(r, &field);
    if (status == TB_NO_MEMORY) r->out_of_memory = true;
    if (status != TB_OK) return status == TB_NO_MEMORY ? TB_OK : status;
  }
  return status == TB_END ? TB_OK : TB_BAD_DATA;
}

/* ---- giving out -------------------------------------------------------------------------------------------------- */

static void add_args(struct tb_perfetto_reader *r, const struct heap_sample *sample, struct tb_event *event) {
  static const struct {
    uint32_t field;
    const char *name;
  } shown[] = {{TB_PROFILE_PACKET_HEAP_SAMPLE_SELF_ALLOCATED, "self_allocated"},
               {TB_PROFILE_PACKET_HEAP_SAMPLE_SELF_FREED, "self_freed"},
               {TB_PROFILE_PACKET_HEAP_SAMPLE_ALLOC_COUNT, "alloc_count"},
               {TB_PROFILE_PACKET_HEAP_SAMPLE_FREE_COUNT, "free_count"},
               {TB_PROFILE_PACKET_HEAP_SAMPLE_SELF_MAX, "self_max"},
               {TB_PROFILE_PACKET_HEAP_SAMPLE_SELF_MAX_COUNT, "self_max_count"}};
  struct tb_arg *args = tb_perfetto_alloc(r, sizeof(shown) / sizeof(shown[0]) * sizeof(*args));
  uint32_t count = 0;
  if (!args) return;
  for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
    if (sample->present >> shown[i].field & 1)
      args[count++] = (struct tb_arg){
          .name = tb_str_from(shown[i].name), .span = 1, .type = TB_ARG_UINT, .u = sample->values[shown[i].field]};
  event->args = args;
  event->arg_count = count;
}

static double weight_of(const struct heap_sample *sample) {
  uint64_t most = sample->values[TB_PROFILE_PACKET_HEAP_SAMPLE_SELF_MAX];
  double allocated = (double)sample->values[TB_PROFILE_PACKET_HEAP_SAMPLE_SELF_ALLOCATED];
  return most ? (double)most : allocated - (double)sample->values[TB_PROFILE_PACKET_HEAP_SAMPLE_SELF_FREED];
}

static void emit_sample(struct tb_perfetto_reader *r, const struct heap_sample *sample) {
  tb_perfetto_emit_track(r, sample->process);
  if (r->full) return;
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_SAMPLE);
  if (r->full) return;
  event->has = TB_HAS_TS | TB_HAS_NAME | TB_HAS_ARGS | TB_HAS_WEIGHT;
  event->ts = sample->ts;
  event->offset = sample->offset;
  event->sequence = sample->sequence->id;
  event->track = &sample->process->track;
  event->name = sample->heap;
  event->weight = weight_of(sample);
  add_args(r, sample, event);
  if (sample->present >> TB_PROFILE_PACKET_HEAP_SAMPLE_CALLSTACK_ID & 1)
    event->stack = tb_perfetto_interned_stack(r, sample->values[TB_PROFILE_PACKET_HEAP_SAMPLE_CALLSTACK_ID]);
}

/* Gives out the samples of a sequence, or all of them (NULL), as far as the batch takes them. */
static void flush(struct tb_perfetto_reader *r, const struct tb_sequence_state *sequence) {
  struct heap_profiles *profiles = r->importer_state;
  size_t kept = 0;
  for (; profiles->resume < profiles->count; profiles->resume++) {
    const struct heap_sample *sample = &profiles->samples[profiles->resume];
    if (sequence && sample->sequence != sequence) continue;
    r->context.sequence = sample->sequence;
    emit_sample(r, sample);
    if (r->full) return;
  }
  for (size_t i = 0; i < profiles->count; i++)
    if (sequence && profiles->samples[i].sequence != sequence) profiles->samples[kept++] = profiles->samples[i];
  profiles->count = kept;
  profiles->resume = 0;
  profiles->is_flushed = false;
}

enum tb_status tb_perfetto_heap_profile(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct heap_profiles *profiles = r->importer_state;
  if (r->reader->target.packets) {
    tb_perfetto_pass_packet(r);
    return TB_OK;
  }
  if (r->full) return TB_OK; /* it comes again */
  bool is_continued = false;
  if (profiles->is_flushed) {
    r->emitted = r->given;
  } else {
    enum tb_status status = take_packet(r, payload, &is_continued);
    if (status != TB_OK || is_continued || r->out_of_memory) return status;
    profiles->is_flushed = true;
  }
  flush(r, r->context.sequence);
  return TB_OK;
}

/* Profiles whose last packet is missing. */
static void end_profiles(struct tb_perfetto_reader *r) { flush(r, NULL); }

const struct tb_importer_state tb_heap_profile_state = {
    .size = sizeof(struct heap_profiles), .init = init_profiles, .free = free_profiles, .end = end_profiles};
