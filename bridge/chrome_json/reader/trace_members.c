/* SPDX-License-Identifier: Apache-2.0
 *
 * The other members of an outermost object than its events: stackFrames, samples, systemTraceEvents, clocks, and
 * everything else as metadata of the trace.
 */
#include "chrome_json/reader/field_parser.h"
#include "chrome_json/reader/reader.h"
#include "model/metadata.h"

enum {
  LARGE_VALUE = 256 * 1024, /* a value of so many bytes is given as text */
  SYSTEM_PIECE = 16 * 1024  /* least bytes of systemTraceEvents to a piece, the last one excepted */
};

static struct tb_event *add_event(struct tb_json_state *state, struct tb_batch *batch, enum tb_event_type type,
                                  const char *p) {
  struct tb_event *event = tb_batch_add_event(batch);
  if (!event) {
    state->scan.status = TB_TOKENIZER_FULL;
    return NULL;
  }
  event->type = type;
  event->offset = tb_json_offset(state, batch, p);
  return event;
}

/* Undoes what was added since the batch had `events` and `args`. */
static const char *undo(struct tb_batch *batch, size_t events, size_t args) {
  batch->event_count = events;
  batch->arg_count = args;
  return NULL;
}

static const char *add_value(struct tb_json_state *state, struct tb_batch *batch, const char *p, struct tb_str name) {
  struct tb_json_sink sink = {batch->args, batch->arg_count, batch->arg_capacity};
  p = tb_json_value(&state->scan, &sink, p, name, 0);
  if (p) batch->arg_count = sink.count;
  return p;
}

/* ---- members with a known form: takes them out of the tree, what is left is extra -------------------------------- */

/* Takes the member `name` out of the members [args, args + *count) when `fits` says so of it. */
static bool take_out(struct tb_arg *args, uint32_t *count, struct tb_str name, struct tb_arg *taken,
                     bool (*fits)(uint8_t type)) {
  for (uint32_t i = 0; i < *count; i += args[i].span) {
    if (!tb_str_equal(args[i].name, name) || !fits(args[i].type)) continue;
    *taken = args[i];
    uint32_t span = args[i].span;
    memmove(&args[i], &args[i + span], (*count - i - span) * sizeof(*args));
    *count -= span;
    return true;
  }
  return false;
}

static bool is_text(uint8_t type) { return type == TB_ARG_STRING; }
static bool is_id(uint8_t type) { return type == TB_ARG_STRING || type == TB_ARG_INT || type == TB_ARG_UINT; }
static bool is_number(uint8_t type) { return type == TB_ARG_INT || type == TB_ARG_UINT || type == TB_ARG_DOUBLE; }

/* The text of an id that was read as a value. */
static struct tb_str id_text(struct tb_tokenizer *scan, const struct tb_arg *arg) {
  if (arg->type == TB_ARG_STRING) return arg->text;
  char digits[24], *p = digits + sizeof(digits);
  bool negative = arg->type == TB_ARG_INT && arg->i < 0;
  uint64_t m = negative ? 0 - arg->u : arg->u;
  do *--p = (char)('0' + m % 10);
  while (m /= 10);
  if (negative) *--p = '-';
  return tb_arena_copy(scan->arena, (struct tb_str){p, (size_t)(digits + sizeof(digits) - p)});
}

/* Reads the object at `p` into the batch; its members are then event->extra. */
static const char *take_object(struct tb_json_state *state, struct tb_batch *batch, struct tb_event *event,
                               const char *p) {
  if (*p != '{') return tb_tokenizer_fail(&state->scan, p);
  struct tb_json_sink sink = {batch->args, batch->arg_count, batch->arg_capacity};
  p = tb_json_members(&state->scan, &sink, p + 1, 1);
  if (!p) return NULL;
  event->extra = batch->args + batch->arg_count;
  event->extra_count = (uint32_t)(sink.count - batch->arg_count);
  batch->arg_count = sink.count;
  return p;
}

static struct tb_arg *extra_of(struct tb_batch *batch, const struct tb_event *event) {
  return batch->args + (event->extra - batch->args);
}

/* ---- stackFrames ------------------------------------------------------------------------------------------------- */

const char *tb_json_stack_frame(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  struct tb_tokenizer *scan = &state->scan;
  size_t events = batch->event_count, args = batch->arg_count;
  struct tb_str id;
  const char *start = p;
  if (*p != '"') return tb_tokenizer_fail(scan, p);
  p = tb_tokenizer_string(scan, p + 1, &id);
  if (!p) return NULL;
  p = tb_tokenizer_space(p);
  if (*p != ':') return tb_tokenizer_fail(scan, p);
  struct tb_event *event = add_event(state, batch, TB_EVENT_STACK_FRAME, start);
  if (!event) return NULL;
  p = take_object(state, batch, event, tb_tokenizer_space(p + 1));
  if (!p) return undo(batch, events, args);
  struct tb_arg taken, *extra = extra_of(batch, event);
  event->id = (struct tb_id){.kind = TB_ID_PLAIN, .text = id};
  if (take_out(extra, &event->extra_count, TB_STR("name"), &taken, is_text)) {
    event->name = taken.text;
    event->has |= TB_HAS_NAME;
  }
  if (take_out(extra, &event->extra_count, TB_STR("category"), &taken, is_text)) {
    event->categories = taken.text;
    event->has |= TB_HAS_CATEGORIES;
  }
  if (take_out(extra, &event->extra_count, TB_STR("parent"), &taken, is_id))
    event->parent_frame = id_text(scan, &taken);
  return p;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static void take_weight(struct tb_event *event, struct tb_arg *extra) {
  struct tb_arg taken;
  if (!take_out(extra, &event->extra_count, TB_STR("weight"), &taken, is_number)) return;
  event->weight = taken.type == TB_ARG_DOUBLE ? taken.d : taken.type == TB_ARG_INT ? (double)taken.i : (double)taken.u;
  event->has |= TB_HAS_WEIGHT;
}

static bool is_cpu(const struct tb_arg *arg) { return arg->type == TB_ARG_INT && arg->i >= 0 && arg->i <= UINT32_MAX; }

static void take_cpu(struct tb_event *event, struct tb_arg *extra) {
  struct tb_arg taken;
  if (!take_out(extra, &event->extra_count, TB_STR("cpu"), &taken, is_number)) return;
  if (!is_cpu(&taken)) {
    extra[event->extra_count++] = taken;
    return;
  }
  event->cpu = (uint32_t)taken.i;
  event->has |= TB_HAS_CPU;
}

/* A sample has the members of an event and some of its own: read as an event, its own are then extra. */
const char *tb_json_sample(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  if (*p != '{') return tb_tokenizer_fail(&state->scan, p);
  size_t count = batch->event_count;
  bool seen_other = state->seen_other;
  p = tb_json_event(state, batch, p);
  state->seen_other = seen_other;
  if (!p) return NULL;
  struct tb_event *event = &batch->events[count];
  if (event->type == TB_EVENT_OTHER) event->type = TB_EVENT_SAMPLE;
  if (event->type != TB_EVENT_SAMPLE || !event->extra_count) return p;
  take_weight(event, extra_of(batch, event));
  take_cpu(event, extra_of(batch, event));
  return p;
}

/* ---- systemTraceEvents ------------------------------------------------------------------------------------------- */

/* The end of what can be given now of the string at `p`: its closing quote, else behind the last escaped line feed,
 * else NULL. */
static const char *piece_end(const struct tb_tokenizer *scan, const char *p) {
  const char *line = NULL, *start = p;
  for (; p < scan->end; p++) {
    if (*p == '"') return p;
    if (*p != '\\') continue;
    p++;
    if (p < scan->end && *p == 'n' && p - start >= SYSTEM_PIECE) line = p + 1;
  }
  return line;
}

const char *tb_json_system_text(struct tb_json_state *state, struct tb_batch *batch, const char *p) {
  struct tb_tokenizer *scan = &state->scan;
  bool last = state->input_ended && state->carry_at == state->carry.len;
  const char *end = piece_end(scan, p);
  if (!end && last) end = scan->end;
  if (!end) return tb_tokenizer_fail(scan, scan->end);
  struct tb_str text = tb_tokenizer_piece(scan, p, end);
  if (!text.ptr) return NULL;
  if (text.len) {
    struct tb_event *event = add_event(state, batch, TB_EVENT_SYSTEM_TRACE, p);
    if (!event) return NULL;
    event->blob = text;
    batch->has_text = true;
  }
  if (*end != '"') return end;
  state->container = TB_JSON_OBJECT;
  return end + 1;
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static uint32_t clock_of_domain(struct tb_str domain) {
  if (tb_str_equal(domain, TB_STR("LINUX_CLOCK_MONOTONIC"))) return TB_CLOCK_MONOTONIC;
  if (tb_str_equal(domain, TB_STR("LINUX_CLOCK_BOOTTIME"))) return TB_CLOCK_BOOTTIME; /* our own name */
  return TB_CLOCK_UNKNOWN; /* a clock of a system that Perfetto has no number for */
}

/* The trace's clock read `ns` when `realtime` was read; without realtime only the clock's name is known. */
static bool add_snapshot(struct tb_json_state *state, struct tb_batch *batch, const char *p, uint32_t clock,
                         const int64_t *realtime) {
  struct tb_event *event = add_event(state, batch, TB_EVENT_CLOCK_SNAPSHOT, p);
  if (!event) return false;
  struct tb_clock_reading *clocks = tb_arena_alloc(state->scan.arena, 2 * sizeof(*clocks));
  if (!clocks) {
    state->scan.status = TB_TOKENIZER_NO_MEMORY;
    return false;
  }
  clocks[0] = (struct tb_clock_reading){clock, 0};
  if (realtime) clocks[1] = (struct tb_clock_reading){TB_CLOCK_REALTIME, *realtime};
  event->clocks = clocks;
  event->clock_count = realtime ? 2 : 1;
  batch->has_clocks = true;
  return true;
}

/* Chrome's metadata names the clock and how far it is from the epoch. */
static bool chrome_clock(struct tb_json_state *state, struct tb_batch *batch, const char *p,
                         const struct tb_arg *metadata) {
  if (metadata->type != TB_ARG_DICT) return true;
  const struct tb_arg *end = metadata + metadata->span;
  uint32_t clock = TB_CLOCK_UNKNOWN;
  int64_t realtime = 0;
  bool has_offset = false;
  for (const struct tb_arg *a = metadata + 1; a < end; a += a->span) {
    if (tb_str_equal(a->name, TB_STR("clock-domain")) && a->type == TB_ARG_STRING) clock = clock_of_domain(a->text);
    if (tb_str_equal(a->name, TB_STR("clock-offset-since-epoch"))) has_offset = tb_metadata_micros(a, &realtime);
  }
  if (clock == TB_CLOCK_UNKNOWN && !has_offset) return true;
  return add_snapshot(state, batch, p, clock, has_offset ? &realtime : NULL);
}

static bool add_clocks(struct tb_json_state *state, struct tb_batch *batch, const char *p, struct tb_str key,
                       const struct tb_arg *value) {
  int64_t ns;
  if (tb_str_equal(key, TB_STR("metadata"))) return chrome_clock(state, batch, p, value);
  if (tb_str_equal(key, TB_STR("beginningOfTime"))) /* clang's -ftime-trace */
    return !tb_metadata_micros(value, &ns) || add_snapshot(state, batch, p, TB_CLOCK_UNKNOWN, &ns);
  if (!tb_str_equal(key, TB_STR("baseTimeNanoseconds")) || value->type != TB_ARG_INT) return true;
  return add_snapshot(state, batch, p, TB_CLOCK_UNKNOWN, &value->i);
}

/* ---- everything else --------------------------------------------------------------------------------------------- */

static const char *add_text_value(struct tb_json_state *state, struct tb_batch *batch, const char *p, const char *end) {
  if (batch->arg_count == batch->arg_capacity) {
    state->scan.status = TB_TOKENIZER_FULL;
    return NULL;
  }
  struct tb_str text = tb_tokenizer_raw(&state->scan, p, end);
  if (!text.ptr) return NULL;
  batch->args[batch->arg_count++] = (struct tb_arg){.text = text, .span = 1, .type = TB_ARG_JSON};
  return end;
}

const char *tb_json_trace_member(struct tb_json_state *state, struct tb_batch *batch, struct tb_str key,
                                 const char *p) {
  size_t events = batch->event_count, args = batch->arg_count;
  const char *start = p, *end = tb_tokenizer_skip_value(&state->scan, p);
  if (!end) return NULL;
  if (end >= state->scan.end) return tb_tokenizer_fail(&state->scan, state->scan.end); /* a number may go on */
  struct tb_event *event = add_event(state, batch, TB_EVENT_TRACE_METADATA, p);
  if (!event) return NULL;
  event->name = key;
  event->has = TB_HAS_NAME | TB_HAS_ARGS;
  event->args = batch->args + args;
  if (end - p > LARGE_VALUE && *p != '"')
    p = add_text_value(state, batch, p, end);
  else
    p = add_value(state, batch, p, (struct tb_str){NULL, 0});
  if (!p) return undo(batch, events, args);
  event->arg_count = (uint32_t)(batch->arg_count - args);
  if (!add_clocks(state, batch, start, key, event->args)) return undo(batch, events, args);
  return p;
}
