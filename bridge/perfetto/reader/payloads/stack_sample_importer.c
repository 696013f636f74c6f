/* SPDX-License-Identifier: Apache-2.0
 *
 * Stack samples of whatever profiler: each a sample of its thread or process, called by the counter that its weight is
 * of. What its packet does not say the sequence's interned data and defaults do.
 */
#include "perfetto/reader/reader.h"
#include "protobuf/number_cursor.h"

static const char LOSS_TIME[] = "a sample has no timestamp";

enum { SAMPLE_FIELDS = TB_STACK_SAMPLE_PRIMARY_WEIGHT + 1, TASK_FIELDS = TB_SAMPLE_TASK_CONTEXT_ASYNC_ID + 1 };

/* A counter by its fields, and what an argument calls it. */
struct weighed_counter {
  struct tb_wire_field at[TB_STACK_SAMPLE_COUNTER_DESCRIPTOR_DESCRIPTION + 1];
};

static struct tb_str counter_name(const struct weighed_counter *counter) {
  return tb_wire_text(&counter->at[TB_STACK_SAMPLE_COUNTER_DESCRIPTOR_NAME]);
}

static uint64_t multiplier_of(const struct weighed_counter *counter) {
  const struct tb_wire_field *field = &counter->at[TB_STACK_SAMPLE_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER];
  return field->number ? field->value : 1;
}

/* The fields of a message in place, or else of the interned one; number 0 for each where there is neither. */
static void read_either(struct tb_perfetto_reader *r, const struct tb_wire_field *own, const struct tb_wire_field *iid,
                        enum tb_index index, struct tb_wire_field *fields, size_t count) {
  const struct tb_str *interned = iid->number ? tb_perfetto_interned(r, index, iid->value) : NULL;
  (void)tb_wire_read_fields(interned ? *interned : tb_wire_text(own), fields, count);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void add_text(struct tb_perfetto_reader *r, const char *name, struct tb_str text) {
  if (!text.len) return;
  struct tb_arg *arg = tb_perfetto_add_arg(r, tb_str_from(name));
  arg->type = TB_ARG_STRING;
  arg->text = text;
}

static struct tb_str mode_name(uint64_t mode) {
  static const char *const names[] = {
      [TB_STACK_SAMPLE_MODE_USER] = "user",
      [TB_STACK_SAMPLE_MODE_KERNEL] = "kernel",
      [TB_STACK_SAMPLE_MODE_HYPERVISOR] = "hypervisor",
      [TB_STACK_SAMPLE_MODE_GUEST_USER] = "guest_user",
      [TB_STACK_SAMPLE_MODE_GUEST_KERNEL] = "guest_kernel",
  };
  bool is_known = mode < sizeof(names) / sizeof(names[0]) && names[mode];
  return is_known ? tb_str_from(names[mode]) : TB_STR("");
}

static struct tb_str unit_name(const struct weighed_counter *counter) {
  static const char *const names[] = {
      [TB_STACK_SAMPLE_UNIT_NANOSECONDS] = "ns",
      [TB_STACK_SAMPLE_UNIT_CPU_CYCLES] = "cycles",
      [TB_STACK_SAMPLE_UNIT_INSTRUCTIONS] = "instructions",
      [TB_STACK_SAMPLE_UNIT_BYTES] = "bytes",
      [TB_STACK_SAMPLE_UNIT_PAGE_FAULTS] = "page-faults",
      [TB_STACK_SAMPLE_UNIT_CACHE_MISSES] = "cache-misses",
      [TB_STACK_SAMPLE_UNIT_CACHE_REFERENCES] = "cache-references",
      [TB_STACK_SAMPLE_UNIT_BRANCH_MISSES] = "branch-misses",
      [TB_STACK_SAMPLE_UNIT_COUNT] = "count",
  };
  uint64_t unit = counter->at[TB_STACK_SAMPLE_COUNTER_DESCRIPTOR_UNIT].value;
  bool is_known = unit < sizeof(names) / sizeof(names[0]) && names[unit];
  return is_known ? tb_str_from(names[unit]) : tb_wire_text(&counter->at[TB_STACK_SAMPLE_COUNTER_DESCRIPTOR_UNIT_STR]);
}

/* A goroutine, fiber or the like that the thread ran. */
static void add_async_context(struct tb_perfetto_reader *r, const struct tb_wire_field *id) {
  struct tb_wire_field context[TB_STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTOR_KIND + 1], none = {0};
  if (!id->number) return;
  read_either(r, &none, id, TB_INDEX_ASYNC_CONTEXTS, context, sizeof(context) / sizeof(context[0]));
  add_text(r, "async_name", tb_wire_text(&context[TB_STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTOR_NAME]));
  add_text(r, "async_kind", tb_wire_text(&context[TB_STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTOR_KIND]));
}

/* The next counter of a message's list of them; false behind the last. */
static bool next_counter(struct tb_wire_cursor *cursor, uint32_t number, struct weighed_counter *counter) {
  struct tb_wire_field field;
  while (tb_wire_read(cursor, &field) == TB_OK) {
    if (field.number != number || field.type != TB_WIRE_BYTES) continue;
    (void)tb_wire_read_fields(field.bytes, counter->at, sizeof(counter->at) / sizeof(counter->at[0]));
    return true;
  }
  return false;
}

/* Other counters that were read with the sample: by the sample's list of them, of interned ones, or the defaults'. */
static void add_followers(struct tb_perfetto_reader *r, struct tb_str payload, struct tb_str defaults) {
  struct tb_number_cursor weights = tb_number_cursor(payload, TB_STACK_SAMPLE_FOLLOWER_WEIGHTS);
  struct tb_number_cursor iids = tb_number_cursor(payload, TB_STACK_SAMPLE_FOLLOWER_DESCRIPTOR_IIDS);
  struct tb_wire_cursor own = tb_wire_cursor(payload), shared = tb_wire_cursor(defaults);
  uint64_t weight, iid = 0;
  struct weighed_counter counter;
  bool has_own = next_counter(&own, TB_STACK_SAMPLE_FOLLOWER_DESCRIPTORS, &counter);
  bool has_iids = !has_own && tb_number_cursor_next(&iids, &iid);
  while (tb_number_cursor_next(&weights, &weight)) {
    struct tb_wire_field none = {0}, interned = {.number = TB_STACK_SAMPLE_FOLLOWER_DESCRIPTOR_IIDS, .value = iid};
    if (has_iids)
      read_either(r, &none, &interned, TB_INDEX_COUNTER_DESCRIPTORS, counter.at,
                  sizeof(counter.at) / sizeof(counter.at[0]));
    else if (!has_own && !next_counter(&shared, TB_STACK_SAMPLE_DEFAULTS_FOLLOWER_DESCRIPTORS, &counter))
      return;
    struct tb_str name = counter_name(&counter);
    struct tb_arg *arg = tb_perfetto_add_arg(r, name.len ? name : TB_STR("follower"));
    arg->type = TB_ARG_UINT;
    arg->u = weight * multiplier_of(&counter);
    if (has_iids ? !tb_number_cursor_next(&iids, &iid)
                 : has_own && !next_counter(&own, TB_STACK_SAMPLE_FOLLOWER_DESCRIPTORS, &counter))
      return;
  }
}

/* ---- the sample -------------------------------------------------------------------------------------------------- */

static struct tb_perfetto_track *find_track(struct tb_perfetto_reader *r, const struct tb_wire_field *task) {
  const struct tb_wire_field *pid = &task[TB_SAMPLE_TASK_CONTEXT_PID], *tid = &task[TB_SAMPLE_TASK_CONTEXT_TID];
  int64_t process = (int64_t)(uint32_t)pid->value;
  if (tid->number) return tb_perfetto_thread(r, pid->number ? &process : NULL, (int64_t)(uint32_t)tid->value);
  return pid->number ? tb_perfetto_process(r, process) : tb_perfetto_find_track(r, 0);
}

static void read_primary(struct tb_perfetto_reader *r, const struct tb_wire_field *sample,
                         const struct tb_wire_field *defaults, struct weighed_counter *counter) {
  const struct tb_wire_field *own = &sample[TB_STACK_SAMPLE_PRIMARY_DESCRIPTOR],
                             *iid = &sample[TB_STACK_SAMPLE_PRIMARY_DESCRIPTOR_IID];
  if (!own->number && !iid->number) own = &defaults[TB_STACK_SAMPLE_DEFAULTS_PRIMARY_DESCRIPTOR];
  read_either(r, own, iid, TB_INDEX_COUNTER_DESCRIPTORS, counter->at, sizeof(counter->at) / sizeof(counter->at[0]));
}

static struct tb_stack stack_of(struct tb_perfetto_reader *r, const struct tb_wire_field *sample) {
  const struct tb_wire_field *iid = &sample[TB_STACK_SAMPLE_CALLSTACK_IID];
  return iid->number ? tb_perfetto_interned_stack(r, iid->value)
                     : tb_perfetto_inline_stack(r, tb_wire_text(&sample[TB_STACK_SAMPLE_CALLSTACK]));
}

static void emit_sample(struct tb_perfetto_reader *r, struct tb_str payload, const struct tb_wire_field *sample,
                        const struct tb_wire_field *task, struct tb_perfetto_track *track) {
  struct tb_str shared = r->context.sequence->extras->sample_defaults;
  struct tb_wire_field defaults[TB_STACK_SAMPLE_DEFAULTS_PRIMARY_DESCRIPTOR + 1];
  struct tb_wire_field execution[TB_SAMPLE_EXECUTION_CONTEXT_MODE + 1];
  struct weighed_counter primary;
  (void)tb_wire_read_fields(shared, defaults, sizeof(defaults) / sizeof(defaults[0]));
  read_primary(r, sample, defaults, &primary);
  read_either(r, &sample[TB_STACK_SAMPLE_EXECUTION_CONTEXT], &sample[TB_STACK_SAMPLE_EXECUTION_CONTEXT_IID],
              TB_INDEX_EXECUTION_CONTEXTS, execution, sizeof(execution) / sizeof(execution[0]));
  size_t first = r->batch->arg_count;
  add_text(r, "source", tb_wire_text(&defaults[TB_STACK_SAMPLE_DEFAULTS_SOURCE]));
  add_text(r, "unit", unit_name(&primary));
  add_text(r, "mode", mode_name(execution[TB_SAMPLE_EXECUTION_CONTEXT_MODE].value));
  add_async_context(r, &task[TB_SAMPLE_TASK_CONTEXT_ASYNC_ID]);
  add_text(r, "unwind_error", tb_wire_text(&sample[TB_STACK_SAMPLE_UNWIND_ERROR]));
  add_followers(r, payload, shared);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_SAMPLE);
  const struct tb_wire_field *cpu = &execution[TB_SAMPLE_EXECUTION_CONTEXT_CPU],
                             *weight = &sample[TB_STACK_SAMPLE_PRIMARY_WEIGHT];
  event->track = &track->track;
  event->name = counter_name(&primary);
  event->cpu = (uint32_t)cpu->value;
  event->weight = (double)weight->value * (double)multiplier_of(&primary);
  event->args = &r->batch->args[first];
  event->arg_count = (uint32_t)(r->batch->arg_count - first);
  event->stack = stack_of(r, sample);
  event->has |= (event->name.len ? TB_HAS_NAME : 0u) | (cpu->number ? TB_HAS_CPU : 0u) |
                (weight->number ? TB_HAS_WEIGHT : 0u) | (event->arg_count ? TB_HAS_ARGS : 0u);
}

enum tb_status tb_perfetto_stack_sample(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_wire_field sample[SAMPLE_FIELDS], task[TASK_FIELDS];
  if (r->reader->target.packets) {
    tb_perfetto_pass_packet(r);
    return TB_OK;
  }
  if (tb_wire_read_fields(payload, sample, SAMPLE_FIELDS) != TB_OK) return TB_BAD_DATA;
  if (!r->context.has_ts) return tb_perfetto_lose(r, LOSS_TIME);
  read_either(r, &sample[TB_STACK_SAMPLE_TASK_CONTEXT], &sample[TB_STACK_SAMPLE_TASK_CONTEXT_IID],
              TB_INDEX_TASK_CONTEXTS, task, TASK_FIELDS);
  struct tb_perfetto_track *track = find_track(r, task);
  if (!track) {
    r->out_of_memory = true;
    return TB_OK;
  }
  tb_perfetto_emit_track(r, track);
  emit_sample(r, payload, sample, task, track);
  return TB_OK;
}
