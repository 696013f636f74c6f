/* SPDX-License-Identifier: Apache-2.0
 *
 * Ftrace's events as lines of text. Most say their fields by name, as the schema has them; those that the kernel
 * prints otherwise have a format here.
 */
#include "ftrace/event_text.h"

#include "base/decimal.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "protos/perfetto/ftrace.pb-c.h"

enum { NS_DIGITS = 9, FIELDS_MAX = 8, NS = 1000000000 };

/* ---- parts of a line --------------------------------------------------------------------------------------------- */

void tb_ftrace_put_text(struct tb_json_emit *out, struct tb_str text) {
  char *at = tb_json_emit_room(out, text.len);
  if (!at) return;
  for (size_t i = 0; i < text.len; i++) at[i] = (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i];
  tb_json_emit_end(out, at + text.len);
}

static void put_hex(struct tb_json_emit *out, uint64_t value) {
  char *at = tb_json_emit_room(out, TB_JSON_INTEGER_MAX);
  if (!at) return;
  size_t len = (size_t)(tb_json_put_hex(at, value) - at) - 2; /* less the quotes */
  memmove(at, at + 1, len);
  tb_json_emit_end(out, at + len);
}

static void put_padded(struct tb_json_emit *out, uint64_t value, unsigned digits) {
  char text[20];
  for (unsigned i = digits; i-- > 0; value /= 10) text[i] = (char)('0' + value % 10);
  tb_json_emit_raw(out, text, digits);
}

/* Does the trace processor take the seconds for `ts`? */
static bool reads_as(const char *text, size_t len, int64_t ts) {
  struct tb_decimal number;
  double seconds;
  if (!tb_decimal_parse(text, text + len, &number)) return true;
  if (!tb_decimal_to_double(&number, text, text + len, &seconds)) return true;
  return (int64_t)(seconds * 1e9) == ts;
}

static void put_seconds(struct tb_json_emit *out, int64_t ts) {
  uint64_t ns = ts < 0 ? 0 : (uint64_t)ts; /* the format has no times before 0 */
  size_t start = out->buffer.len;
  tb_json_emit_uint(out, ns / NS);
  TB_JSON_EMIT(out, ".");
  put_padded(out, ns % NS, NS_DIGITS);
  if (out->status != TB_OK || reads_as(out->buffer.data + start, out->buffer.len - start, (int64_t)ns)) return;
  TB_JSON_EMIT(out, "0");
  for (const char *digit = "1234"; *digit; digit++) {
    if (out->status != TB_OK) return;
    out->buffer.data[out->buffer.len - 1] = *digit;
    if (reads_as(out->buffer.data + start, out->buffer.len - start, (int64_t)ns)) return;
  }
  out->buffer.len--; /* no digits make it exact */
}

/* Readers find the CPU by its brackets. */
static bool may_precede_brackets(struct tb_str task) { return task.len && !memchr(task.ptr, '[', task.len); }

void tb_ftrace_put_line_head(struct tb_json_emit *out, const struct tb_ftrace_line *line) {
  tb_ftrace_put_text(out, may_precede_brackets(line->task) ? line->task : TB_STR("<...>"));
  TB_JSON_EMIT(out, "-");
  tb_json_emit_int(out, line->tid);
  TB_JSON_EMIT(out, " (");
  if (line->has_tgid)
    tb_json_emit_int(out, line->tgid);
  else
    TB_JSON_EMIT(out, "-----");
  TB_JSON_EMIT(out, ") [");
  if (line->cpu < 1000)
    put_padded(out, line->cpu, 3);
  else
    tb_json_emit_uint(out, line->cpu);
  TB_JSON_EMIT(out, "] .... ");
  put_seconds(out, line->ts);
  TB_JSON_EMIT(out, ": ");
}

/* ---- scheduling -------------------------------------------------------------------------------------------------- */

const char *tb_ftrace_state_letters(enum tb_ftrace_states states) {
  return states == TB_FTRACE_STATES_OLD ? "SDTtXZxKWPN" : "SDTtXZPI";
}

static void put_state(struct tb_json_emit *out, int64_t bits, enum tb_ftrace_states states) {
  const char *letters = tb_ftrace_state_letters(states);
  unsigned count = (unsigned)strlen(letters);
  bool any = false;
  for (unsigned i = 0; i < count; i++) {
    if (!(bits >> i & 1)) continue;
    if (any) TB_JSON_EMIT(out, "|");
    tb_json_emit_raw(out, letters + i, 1);
    any = true;
  }
  if (any) return;
  TB_JSON_EMIT(out, "R");
  if (bits >> count) TB_JSON_EMIT(out, "+");
}

/* ` NAMEcomm=… NAMEpid=… NAMEprio=…` */
static void put_task(struct tb_json_emit *out, struct tb_str which, struct tb_str comm, int64_t tid, int32_t priority) {
  TB_JSON_EMIT(out, " ");
  tb_ftrace_put_text(out, which);
  TB_JSON_EMIT(out, "comm=");
  tb_ftrace_put_text(out, comm);
  TB_JSON_EMIT(out, " ");
  tb_ftrace_put_text(out, which);
  TB_JSON_EMIT(out, "pid=");
  tb_json_emit_int(out, tid);
  TB_JSON_EMIT(out, " ");
  tb_ftrace_put_text(out, which);
  TB_JSON_EMIT(out, "prio=");
  tb_json_emit_int(out, priority);
}

void tb_ftrace_put_switch(struct tb_json_emit *out, const struct tb_ftrace_switch *change,
                          enum tb_ftrace_states states) {
  TB_JSON_EMIT(out, "sched_switch:");
  put_task(out, TB_STR("prev_"), change->prev_comm, change->prev_tid, change->prev_priority);
  TB_JSON_EMIT(out, " prev_state=");
  put_state(out, change->prev_state, states);
  TB_JSON_EMIT(out, " ==>");
  put_task(out, TB_STR("next_"), change->next_comm, change->next_tid, change->next_priority);
}

void tb_ftrace_put_waking(struct tb_json_emit *out, const struct tb_ftrace_waking *waking) {
  TB_JSON_EMIT(out, "sched_waking:");
  put_task(out, TB_STR(""), waking->comm, waking->tid, waking->priority);
  TB_JSON_EMIT(out, " target_cpu=");
  put_padded(out, (uint64_t)(waking->target_cpu < 0 ? 0 : waking->target_cpu), 3);
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

void tb_ftrace_put_mark(struct tb_json_emit *out, struct tb_str text) {
  TB_JSON_EMIT(out, "tracing_mark_write: ");
  tb_ftrace_put_text(out, text);
}

/* The fields of a message by number; of one that comes again the last. */
struct fields {
  struct tb_wire_field at[FIELDS_MAX];
};

static void read_fields(struct tb_str payload, struct fields *fields) {
  (void)tb_wire_read_fields(payload, fields->at, FIELDS_MAX);
}

static struct tb_str text_of(const struct fields *fields, uint32_t number) { return tb_wire_text(&fields->at[number]); }

void tb_ftrace_put_kernel_mark(struct tb_json_emit *out, const struct tb_ftrace_mark *mark) {
  TB_JSON_EMIT(out, "tracing_mark_write: ");
  tb_json_emit_raw(out, &mark->phase, 1);
  TB_JSON_EMIT(out, "|");
  tb_json_emit_int(out, mark->pid);
  if (mark->phase == 'E') return;
  TB_JSON_EMIT(out, "|");
  tb_ftrace_put_text(out, mark->name);
  if (mark->phase == 'B') return;
  TB_JSON_EMIT(out, "|");
  tb_json_emit_int(out, mark->value);
}

static struct tb_ftrace_mark mark_of(char phase, uint64_t pid, struct tb_str name, int64_t value) {
  return (struct tb_ftrace_mark){.phase = phase, .pid = (int32_t)pid, .name = name, .value = value};
}

static bool read_driver_mark(uint32_t kind, const struct fields *f, struct tb_ftrace_mark *mark) {
  enum { BEGIN = 1, END = 2, NUMBER = 4 };
  switch (kind) {
    case TB_FTRACE_EVENT_TRACING_MARK_WRITE:
      *mark = mark_of(f->at[TB_KERNEL_MARK_WRITE_FTRACE_EVENT_TRACE_BEGIN].value ? 'B' : 'E',
                      f->at[TB_KERNEL_MARK_WRITE_FTRACE_EVENT_PID].value,
                      text_of(f, TB_KERNEL_MARK_WRITE_FTRACE_EVENT_TRACE_NAME), 0);
      return true;
    case TB_FTRACE_EVENT_DPU_TRACING_MARK_WRITE:
    case TB_FTRACE_EVENT_G2D_TRACING_MARK_WRITE: {
      char phase = (char)f->at[TB_DPU_MARK_WRITE_FTRACE_EVENT_TYPE].value;
      *mark = mark_of(phase, f->at[TB_DPU_MARK_WRITE_FTRACE_EVENT_PID].value,
                      text_of(f, TB_DPU_MARK_WRITE_FTRACE_EVENT_NAME),
                      (int32_t)f->at[TB_DPU_MARK_WRITE_FTRACE_EVENT_VALUE].value);
      return phase == 'B' || phase == 'E' || phase == 'C' || phase == 'I';
    }
    case TB_FTRACE_EVENT_ZERO: {
      uint64_t flag = f->at[TB_ZERO_FTRACE_EVENT_FLAG].value;
      char phase = flag & BEGIN ? 'B' : flag & END ? 'E' : flag & NUMBER ? 'C' : 0;
      *mark = mark_of(phase, f->at[TB_ZERO_FTRACE_EVENT_PID].value, text_of(f, TB_ZERO_FTRACE_EVENT_NAME),
                      (int64_t)f->at[TB_ZERO_FTRACE_EVENT_VALUE].value);
      return phase != 0;
    }
    default:
      return false;
  }
}

bool tb_ftrace_is_driver_mark(uint32_t kind) {
  return kind == TB_FTRACE_EVENT_TRACING_MARK_WRITE || kind == TB_FTRACE_EVENT_DPU_TRACING_MARK_WRITE ||
         kind == TB_FTRACE_EVENT_G2D_TRACING_MARK_WRITE || kind == TB_FTRACE_EVENT_ZERO;
}

bool tb_ftrace_driver_mark(uint32_t kind, struct tb_str payload, struct tb_ftrace_mark *mark) {
  struct fields fields;
  if (!tb_ftrace_is_driver_mark(kind)) return false;
  read_fields(payload, &fields);
  return read_driver_mark(kind, &fields, mark);
}

/* ---- any other event --------------------------------------------------------------------------------------------- */

static const struct {
  uint32_t kind;
  const char *format;
} formats[] = {{TB_FTRACE_EVENT_CPU_FREQUENCY_LIMITS, "min=%u1 max=%u2 cpu_id=%u3"},
               {TB_FTRACE_EVENT_CLOCK_ENABLE, "%s1 state=%u2 cpu_id=%u3"},
               {TB_FTRACE_EVENT_CLOCK_DISABLE, "%s1 state=%u2 cpu_id=%u3"},
               {TB_FTRACE_EVENT_CLOCK_SET_RATE, "%s1 state=%u2 cpu_id=%u3"},
               {TB_FTRACE_EVENT_SCHED_BLOCKED_REASON, "pid=%d1 iowait=%u3 caller=%y2"},
               {TB_FTRACE_EVENT_IRQ_HANDLER_ENTRY, "irq=%d1 name=%s2"},
               {TB_FTRACE_EVENT_BINDER_TRANSACTION,
                "transaction=%d1 dest_node=%d2 dest_proc=%d3 dest_thread=%d4 reply=%d5 flags=%x7 code=%x6"},
               {TB_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED, "transaction=%d1"},
               {TB_FTRACE_EVENT_BINDER_TRANSACTION_ALLOC_BUF,
                "transaction=%d2 data_size=%u1 offsets_size=%u3[ extra_buffers_size=%u4]"},
               {TB_FTRACE_EVENT_BINDER_COMMAND, "cmd=%x1"},
               {TB_FTRACE_EVENT_BINDER_RETURN, "cmd=%x1"},
               {TB_FTRACE_EVENT_WORKQUEUE_ACTIVATE_WORK, "work struct %x1"},
               {TB_FTRACE_EVENT_WORKQUEUE_EXECUTE_START, "work struct %x1: function %y2"},
               {TB_FTRACE_EVENT_WORKQUEUE_EXECUTE_END, "work struct %x1[: function %y2]"},
               {TB_FTRACE_EVENT_CLK_ENABLE, "%s1"},
               {TB_FTRACE_EVENT_CLK_DISABLE, "%s1"}};

const char *tb_ftrace_format(uint32_t kind) {
  for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
    if (formats[i].kind == kind) return formats[i].format;
  return NULL;
}

static void put_value(struct tb_json_emit *out, char how, const struct fields *fields, uint32_t number,
                      const struct tb_iid_index *symbols) {
  uint64_t value = fields->at[number].value;
  const struct tb_str *symbol = how == 'y' && symbols ? tb_iid_index_get(symbols, value) : NULL;
  if (how == 's')
    tb_ftrace_put_text(out, text_of(fields, number));
  else if (symbol)
    tb_ftrace_put_text(out, *symbol);
  else if (how == 'd')
    tb_json_emit_int(out, (int64_t)value);
  else if (how == 'u')
    tb_json_emit_uint(out, value);
  else
    put_hex(out, value);
}

static void put_formatted(struct tb_json_emit *out, const char *format, const struct fields *fields,
                          const struct tb_iid_index *symbols) {
  for (const char *at = format; *at; at++) {
    if (*at == '[') {
      if (!fields->at[strchr(at, '%')[2] - '0'].number) return;
    } else if (*at == '%') {
      put_value(out, at[1], fields, (uint32_t)(at[2] - '0'), symbols);
      at += 2;
    } else if (*at != ']') {
      tb_json_emit_raw(out, at, 1);
    }
  }
}

static void put_named(struct tb_json_emit *out, const ProtobufCMessageDescriptor *type, struct tb_str payload) {
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  bool any = false;
  while (tb_wire_read(&cursor, &field) == TB_OK) {
    const ProtobufCFieldDescriptor *known = protobuf_c_message_descriptor_get_field(type, field.number);
    if (!known) continue;
    if (any) TB_JSON_EMIT(out, " ");
    any = true;
    tb_ftrace_put_text(out, tb_str_from(known->name));
    TB_JSON_EMIT(out, "=");
    if (field.type == TB_WIRE_BYTES)
      tb_ftrace_put_text(out, field.bytes);
    else if (known->type == PROTOBUF_C_TYPE_INT32 || known->type == PROTOBUF_C_TYPE_INT64)
      tb_json_emit_int(out, (int64_t)field.value);
    else
      tb_json_emit_uint(out, field.value);
  }
}

/* ` NAME=VALUE` of a field that brings its own name. */
static void put_generic_field(struct tb_json_emit *out, struct tb_str message) {
  struct fields fields;
  read_fields(message, &fields);
  TB_JSON_EMIT(out, " ");
  tb_ftrace_put_text(out, text_of(&fields, TB_GENERIC_FTRACE_EVENT_FIELD_NAME));
  TB_JSON_EMIT(out, "=");
  if (fields.at[TB_GENERIC_FTRACE_EVENT_FIELD_STR_VALUE].number)
    tb_ftrace_put_text(out, text_of(&fields, TB_GENERIC_FTRACE_EVENT_FIELD_STR_VALUE));
  else if (fields.at[TB_GENERIC_FTRACE_EVENT_FIELD_UINT_VALUE].number)
    tb_json_emit_uint(out, fields.at[TB_GENERIC_FTRACE_EVENT_FIELD_UINT_VALUE].value);
  else
    tb_json_emit_int(out, (int64_t)fields.at[TB_GENERIC_FTRACE_EVENT_FIELD_INT_VALUE].value);
}

/* Is it a name that a line can have? */
static bool is_event_name(struct tb_str name) {
  for (size_t i = 0; i < name.len; i++)
    if ((unsigned char)name.ptr[i] <= ' ' || name.ptr[i] == ':') return false;
  return name.len > 0;
}

static bool put_generic(struct tb_json_emit *out, struct tb_str payload) {
  struct fields fields;
  read_fields(payload, &fields);
  struct tb_str name = text_of(&fields, TB_GENERIC_FTRACE_EVENT_EVENT_NAME);
  if (!is_event_name(name)) return false;
  tb_ftrace_put_text(out, name);
  TB_JSON_EMIT(out, ":");
  struct tb_wire_cursor cursor = tb_wire_cursor(payload);
  struct tb_wire_field field;
  while (tb_wire_read(&cursor, &field) == TB_OK)
    if (field.number == TB_GENERIC_FTRACE_EVENT_FIELD && field.type == TB_WIRE_BYTES)
      put_generic_field(out, field.bytes);
  return true;
}

static const ProtobufCFieldDescriptor *find_kind(uint32_t kind) {
  return protobuf_c_message_descriptor_get_field(&perfetto__protos__ftrace_event__descriptor, kind);
}

bool tb_ftrace_is_known(uint32_t kind) { return find_kind(kind) != NULL; }

bool tb_ftrace_put_event(struct tb_json_emit *out, uint32_t kind, struct tb_str payload,
                         const struct tb_iid_index *symbols) {
  const ProtobufCFieldDescriptor *event = find_kind(kind);
  if (!event || event->type != PROTOBUF_C_TYPE_MESSAGE) return false;
  if (kind == TB_FTRACE_EVENT_GENERIC) return put_generic(out, payload);
  struct fields fields;
  read_fields(payload, &fields);
  struct tb_ftrace_mark mark;
  if (tb_ftrace_is_driver_mark(kind)) {
    if (!read_driver_mark(kind, &fields, &mark)) return false;
    /* in text the display's driver names processes that the thread is none of */
    if (kind == TB_FTRACE_EVENT_DPU_TRACING_MARK_WRITE && mark.phase != 'C') mark.pid = 0;
    tb_ftrace_put_kernel_mark(out, &mark);
    return true;
  }
  tb_ftrace_put_text(out, tb_str_from(event->name));
  TB_JSON_EMIT(out, ": ");
  const char *format = tb_ftrace_format(kind);
  if (format)
    put_formatted(out, format, &fields, symbols);
  else
    put_named(out, event->descriptor, payload);
  return true;
}
