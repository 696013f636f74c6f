/* SPDX-License-Identifier: Apache-2.0
 *
 * Ftrace events that no other event of ours says, for users of the one shape, and for targets that have neither packets
 * nor such text: an instant of the thread, called by its kind, whose arguments are its fields.
 */
#include <stdio.h>

#include "base/utf8.h"
#include "ftrace/described_text.h"
#include "ftrace/line_parser.h"
#include "perfetto/reader/sched.h"
#include "perfetto/reader/typed_fields.h"

static void set_text(struct tb_arg *arg, struct tb_str text) {
  arg->type = tb_utf8_is_text(text) ? TB_ARG_STRING : TB_ARG_BLOB;
  arg->text = text;
}

/* A field that brings its own name. */
static void add_generic_field(struct tb_perfetto_reader *r, struct tb_str message) {
  struct tb_arg value = {.span = 1, .type = TB_ARG_NULL, .flags = TB_ARG_TYPED};
  struct tb_wire_cursor cursor = tb_wire_cursor(message);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    switch (field.number) {
      case TB_GENERIC_FTRACE_EVENT_FIELD_NAME:
        value.name = tb_wire_text(&field);
        break;
      case TB_GENERIC_FTRACE_EVENT_FIELD_STR_VALUE:
        set_text(&value, tb_wire_text(&field));
        break;
      case TB_GENERIC_FTRACE_EVENT_FIELD_INT_VALUE:
      case TB_GENERIC_FTRACE_EVENT_FIELD_UINT_VALUE:
        value.type = field.number == TB_GENERIC_FTRACE_EVENT_FIELD_INT_VALUE ? TB_ARG_INT : TB_ARG_UINT;
        value.u = field.value;
        break;
      default:
        break;
    }
  }
  if (value.name.len) *tb_perfetto_add_arg(r, value.name) = value;
}

/* The event's name. */
static struct tb_str add_generic(struct tb_perfetto_reader *r, struct tb_str payload) {
  struct tb_str name = {"ftrace", 6};
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    if (field.type != TB_WIRE_BYTES) continue;
    if (field.number == TB_GENERIC_FTRACE_EVENT_EVENT_NAME) name = field.bytes;
    if (field.number == TB_GENERIC_FTRACE_EVENT_FIELD) add_generic_field(r, field.bytes);
  }
  return name;
}

static bool is_function(struct tb_str name) {
  return tb_str_equal(name, TB_STR("func")) || tb_str_equal(name, TB_STR("function")) ||
         tb_str_equal(name, TB_STR("caller"));
}

/* Functions of the kernel are numbers that the sequence's interned data gives a name. */
static void name_functions(struct tb_perfetto_reader *r, size_t first) {
  const struct tb_sequence_state *sequence = r->context.sequence;
  const struct tb_iid_index *symbols = sequence ? sequence->indexes[TB_INDEX_KERNEL_SYMBOLS] : NULL;
  for (size_t i = first; symbols && i < r->batch->arg_count; i++) {
    struct tb_arg *arg = &r->batch->args[i];
    bool is_number = arg->type == TB_ARG_UINT || arg->type == TB_ARG_INT;
    if (!is_number || !is_function(arg->name)) continue;
    const struct tb_str *symbol = tb_iid_index_get(symbols, arg->u);
    if (symbol) set_text(arg, *symbol);
  }
}

/* The event's name: that of its kind. */
static struct tb_str add_described(struct tb_perfetto_reader *r, uint32_t kind, struct tb_str payload) {
  struct tb_descriptor_field event = {.name = {NULL, 0}};
  size_t first = r->batch->arg_count;
  bool is_known = tb_ftrace_find_kind(&r->schema, kind, &event);
  tb_perfetto_known_fields(r, is_known ? event.type_id : 0, payload, NULL);
  name_functions(r, first);
  if (is_known) return event.name;
  enum { NAME_SIZE = 32 };
  char *name = tb_perfetto_alloc(r, NAME_SIZE);
  int len = name ? snprintf(name, NAME_SIZE, "ftrace_event_%u", (unsigned)kind) : 0;
  return (struct tb_str){name, (size_t)len};
}

static bool has_arg(const struct tb_perfetto_reader *r, size_t first, struct tb_str name) {
  for (size_t i = first; i < r->batch->arg_count; i += r->batch->args[i].span)
    if (tb_str_equal(r->batch->args[i].name, name)) return true;
  return false;
}

/* A rename without an old name is ours: it only tells a thread's name, which the thread has by now. */
static bool is_own_rename(uint32_t kind, struct tb_str payload) {
  if (kind != TB_FTRACE_EVENT_TASK_RENAME) return false;
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_TASK_RENAME_FTRACE_EVENT_OLDCOMM) return false;
  return true;
}

/* Systrace's mark of clocks, which has no time: no event. */
static bool is_clock_mark(uint32_t kind, int64_t ts, struct tb_str payload) {
  return kind == TB_FTRACE_EVENT_PRINT && tb_ftrace_is_timeless(ts, payload);
}

/* Of a kind that nothing describes the bytes say more than an instant. */
static bool is_for_users(struct tb_perfetto_reader *r, uint32_t kind) {
  struct tb_descriptor_field event;
  return r->reader->is_shaped && !r->reader->target.packets && tb_ftrace_find_kind(&r->schema, kind, &event);
}

/* Other events of the kernel have it as a member; those for targets that do not take that, as an argument. */
static void set_cpu(struct tb_perfetto_reader *r, struct tb_event *event, size_t first, uint32_t cpu) {
  if (!tb_perfetto_wants_ftrace_instants(r)) {
    event->cpu = cpu;
    event->has |= TB_HAS_CPU;
  } else if (!has_arg(r, first, TB_STR("cpu"))) {
    struct tb_arg *processor = tb_perfetto_add_arg(r, TB_STR("cpu"));
    processor->type = TB_ARG_UINT;
    processor->u = cpu;
  }
}

/* What the kernel made waits for a processor from then on. Who made it, for which some targets have no place, is the
 * instant's thread. */
static void emit_new_task(struct tb_perfetto_reader *r, int64_t ts, int64_t maker, struct tb_str payload) {
  const struct tb_kernel_state made = {
      .ts = ts,
      .tid = (int32_t)tb_wire_find_number(payload, TB_TASK_NEWTASK_FTRACE_EVENT_PID),
      .state = TB_TASK_RUNNABLE,
      .has_kernel_state = true,
      .waker = tb_perfetto_wants_ftrace_instants(r) ? 0 : maker,
      .comm = tb_wire_find_bytes(payload, TB_TASK_NEWTASK_FTRACE_EVENT_COMM),
  };
  tb_perfetto_emit_state(r, &made);
}

bool tb_perfetto_emit_ftrace_instant(struct tb_perfetto_reader *r, int64_t ts, uint32_t cpu, int64_t tid, uint32_t kind,
                                     struct tb_str payload) {
  if (!tb_perfetto_wants_ftrace_instants(r) && !is_for_users(r, kind)) {
    if (r->reader->target.redacted && kind == TB_FTRACE_EVENT_TASK_NEWTASK) emit_new_task(r, ts, tid, payload);
    return false;
  }
  bool is_none = is_own_rename(kind, payload) || is_clock_mark(kind, ts, payload);
  struct tb_perfetto_track *thread = is_none ? NULL : tb_perfetto_thread(r, NULL, tid);
  if (!thread) return true;
  tb_perfetto_emit_track(r, thread);
  size_t first = r->batch->arg_count;
  struct tb_str name = kind == TB_FTRACE_EVENT_GENERIC ? add_generic(r, payload) : add_described(r, kind, payload);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_INSTANT);
  event->has = TB_HAS_TS | TB_HAS_NAME | TB_HAS_CATEGORIES | TB_HAS_ARGS;
  event->ts = ts;
  event->phase = 'i';
  event->instant_scope = 't';
  event->track = &thread->track;
  event->name = name;
  event->categories = TB_STR("ftrace");
  set_cpu(r, event, first, cpu);
  event->args = &r->batch->args[first];
  event->arg_count = (uint32_t)(r->batch->arg_count - first);
  if (kind == TB_FTRACE_EVENT_TASK_NEWTASK) emit_new_task(r, ts, tid, payload);
  return true;
}
