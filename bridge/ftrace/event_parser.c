/* SPDX-License-Identifier: Apache-2.0 */
#include "ftrace/event_parser.h"

#include "base/decimal.h"
#include "base/hex.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"
#include "protos/perfetto/ftrace.pb-c.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || c == '\t'; }

/* ---- fields ------------------------------------------------------------------------------------------------------ */

struct ftrace_encoding {
  struct tb_buffer *out;
  struct tb_intern *symbols;
  enum tb_ftrace_states states;
  enum tb_status status;
};

static char *room(struct ftrace_encoding *e, size_t len) {
  if (e->status == TB_OK && tb_buffer_reserve(e->out, len) != TB_OK) e->status = TB_NO_MEMORY;
  return e->status == TB_OK ? e->out->data + e->out->len : NULL;
}

static void done(struct ftrace_encoding *e, const char *end) { e->out->len = (size_t)(end - e->out->data); }

static void put_number(struct ftrace_encoding *e, uint32_t number, uint64_t value) {
  char *at = room(e, 2 * TB_WIRE_VARINT_MAX);
  if (at) done(e, tb_wire_put_uint(at, number, value));
}

static void put_bytes(struct ftrace_encoding *e, uint32_t number, struct tb_str text) {
  char *at = room(e, 2 * TB_WIRE_VARINT_MAX + text.len);
  if (at) done(e, tb_wire_put_bytes(at, number, text.len ? text.ptr : "", text.len));
}

/* A message whose fields are appended between these two. */
static size_t open_message(struct ftrace_encoding *e, uint32_t number) {
  if (e->status == TB_OK && tb_wire_buffer_open(e->out, number) != TB_OK) e->status = TB_NO_MEMORY;
  return e->out->len;
}

static void close_message(struct ftrace_encoding *e, size_t start) {
  if (e->status == TB_OK && tb_wire_buffer_close(e->out, start) != TB_OK) e->status = TB_NO_MEMORY;
}

/* A number that the text begins with, as the kernel prints it: "-5", "0x1f", "4096B". False where there is none. */
static bool read_number(struct tb_str text, uint64_t *value) {
  const char *at = text.ptr, *end = at + text.len;
  bool negative = at < end && *at == '-';
  if (negative) at++;
  if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
    const char *from = at += 2;
    for (*value = 0; at < end && tb_hex_digit(*at) >= 0; at++) *value = *value << 4 | (unsigned)tb_hex_digit(*at);
    return at > from;
  }
  struct tb_decimal number;
  const char *from = at;
  while (at < end && is_digit(*at)) at++;
  int64_t whole;
  if (at == from || tb_decimal_parse(from, at, &number) != at) return false;
  if (!negative) return tb_decimal_to_uint(&number, value);
  if (!tb_decimal_to_int(&number, 0, &whole)) return false;
  *value = -(uint64_t)whole;
  return true;
}

/* Hexadecimal digits without "0x" in front, as pointers are printed. */
static bool read_pointer(struct tb_str text, uint64_t *value) {
  if (read_number(text, value) && text.len > 1 && text.ptr[1] == 'x') return true;
  return tb_hex_parse(text, value);
}

static void put_symbol(struct ftrace_encoding *e, uint32_t number, struct tb_str text) {
  uint32_t iid = text.len ? tb_intern_id(e->symbols, text) : 0;
  if (text.len && !iid) e->status = TB_NO_MEMORY;
  if (iid) put_number(e, number, iid);
}

/* The kernel's bits of a state that it prints as letters, as tb_ftrace_put_switch has them. */
static uint64_t read_state(struct tb_str text, enum tb_ftrace_states states) {
  const char *letters = tb_ftrace_state_letters(states);
  uint64_t bits = 0;
  for (size_t i = 0; i < text.len; i++) {
    const char *letter = text.ptr[i] ? strchr(letters, text.ptr[i]) : NULL;
    if (letter) bits |= UINT64_C(1) << (letter - letters);
    if (text.ptr[i] == '+') bits |= UINT64_C(1) << strlen(letters);
  }
  return bits;
}

enum tb_ftrace_states tb_ftrace_find_states(struct tb_str text) {
  static const struct tb_str before = {"prev_state=", 11};
  const char *at = text.ptr, *end = at + text.len;
  while (text.len && (at = memmem(at, (size_t)(end - at), before.ptr, before.len)) != NULL)
    for (at += before.len; at < end && !is_space(*at) && *at != '\n'; at++)
      if (memchr("xKWN", *at, 4)) return TB_FTRACE_STATES_OLD;
  return TB_FTRACE_STATES_4_14;
}

/* ---- fields with their names ------------------------------------------------------------------------------------- */

struct named_field {
  struct tb_str name, value;
};

/* Where the next "NAME=" begins that is at a blank, or the end. */
static const char *next_name(const char *at, const char *end) {
  for (; at < end; at++) {
    if (!is_space(*at)) continue;
    const char *name = at + 1, *stop = name;
    while (stop < end && (is_digit(*stop) || *stop == '_' || ((*stop | 32) >= 'a' && (*stop | 32) <= 'z'))) stop++;
    if (stop < end && stop > name && *stop == '=' && !is_digit(*name)) return at;
  }
  return end;
}

/* Takes the next "NAME=VALUE" off; values may have blanks in them. */
static bool take_named(struct tb_str *rest, struct named_field *field) {
  *rest = tb_ftrace_trimmed(*rest);
  const char *equals = rest->len ? memchr(rest->ptr, '=', rest->len) : NULL;
  if (!equals) return false;
  const char *end = rest->ptr + rest->len, *stop = next_name(equals + 1, end);
  field->name = (struct tb_str){rest->ptr, (size_t)(equals - rest->ptr)};
  field->name = tb_ftrace_trimmed(field->name);
  const char *blank = field->name.len ? memrchr(field->name.ptr, ' ', field->name.len) : NULL;
  if (blank) field->name = (struct tb_str){blank + 1, (size_t)(equals - blank - 1)};
  field->value = tb_ftrace_trimmed((struct tb_str){equals + 1, (size_t)(stop - equals - 1)});
  if (field->value.len >= 3 && memcmp(field->value.ptr + field->value.len - 3, "==>", 3) == 0) {
    field->value.len -= 3;
    field->value = tb_ftrace_trimmed(field->value);
  }
  *rest = (struct tb_str){stop, (size_t)(end - stop)};
  return field->name.len > 0;
}

/* Names that the kernel prints and the schema calls otherwise. */
static const struct {
  uint32_t kind, field;
  const char *name;
} other_names[] = {
    {TB_FTRACE_EVENT_SCHED_PROCESS_FORK, TB_SCHED_PROCESS_FORK_FTRACE_EVENT_PARENT_COMM, "comm"},
    {TB_FTRACE_EVENT_SCHED_PROCESS_FORK, TB_SCHED_PROCESS_FORK_FTRACE_EVENT_PARENT_PID, "pid"},
    {TB_FTRACE_EVENT_BINDER_SET_PRIORITY, TB_BINDER_SET_PRIORITY_FTRACE_EVENT_OLD_PRIO, "old"},
    {TB_FTRACE_EVENT_BINDER_SET_PRIORITY, TB_BINDER_SET_PRIORITY_FTRACE_EVENT_NEW_PRIO, "new"},
    {TB_FTRACE_EVENT_BINDER_SET_PRIORITY, TB_BINDER_SET_PRIORITY_FTRACE_EVENT_DESIRED_PRIO, "desired"},
};

static const ProtobufCFieldDescriptor *find_field(const ProtobufCFieldDescriptor *event, struct tb_str name) {
  char text[64];
  if (name.len >= sizeof(text)) return NULL;
  memcpy(text, name.ptr, name.len);
  text[name.len] = '\0';
  for (size_t i = 0; i < sizeof(other_names) / sizeof(other_names[0]); i++)
    if (other_names[i].kind == event->id && strcmp(other_names[i].name, text) == 0)
      return protobuf_c_message_descriptor_get_field(event->descriptor, other_names[i].field);
  return protobuf_c_message_descriptor_get_field_by_name(event->descriptor, text);
}

/* Numbers that every kernel prints: without them the trace processor drops the line, as it is cut or damaged. */
#define FIELD(number) (UINT32_C(1) << (number))
static const struct {
  uint32_t kind, fields;
} always_there[] = {
    {TB_FTRACE_EVENT_SCHED_SWITCH,
     FIELD(TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID) | FIELD(TB_SCHED_SWITCH_FTRACE_EVENT_PREV_PRIO) |
         FIELD(TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID) | FIELD(TB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO)},
    {TB_FTRACE_EVENT_SCHED_WAKEUP, FIELD(TB_SCHED_WAKING_FTRACE_EVENT_PID)},
    {TB_FTRACE_EVENT_SCHED_WAKEUP_NEW, FIELD(TB_SCHED_WAKING_FTRACE_EVENT_PID)},
    {TB_FTRACE_EVENT_SCHED_WAKING, FIELD(TB_SCHED_WAKING_FTRACE_EVENT_PID)},
    {TB_FTRACE_EVENT_CPU_FREQUENCY,
     FIELD(TB_CPU_FREQUENCY_FTRACE_EVENT_STATE) | FIELD(TB_CPU_FREQUENCY_FTRACE_EVENT_CPU_ID)},
    {TB_FTRACE_EVENT_CPU_IDLE, FIELD(TB_CPU_IDLE_FTRACE_EVENT_STATE) | FIELD(TB_CPU_IDLE_FTRACE_EVENT_CPU_ID)},
    {TB_FTRACE_EVENT_CLOCK_ENABLE, FIELD(TB_CLOCK_FTRACE_EVENT_CPU_ID)},
    {TB_FTRACE_EVENT_CLOCK_DISABLE, FIELD(TB_CLOCK_FTRACE_EVENT_CPU_ID)},
    {TB_FTRACE_EVENT_CLOCK_SET_RATE, FIELD(TB_CLOCK_FTRACE_EVENT_CPU_ID)},
    {TB_FTRACE_EVENT_TASK_NEWTASK, FIELD(TB_TASK_NEWTASK_FTRACE_EVENT_PID)},
    {TB_FTRACE_EVENT_TASK_RENAME, FIELD(TB_TASK_RENAME_FTRACE_EVENT_PID)},
};

static uint32_t fields_always_there(uint32_t kind) {
  for (size_t i = 0; i < sizeof(always_there) / sizeof(always_there[0]); i++)
    if (always_there[i].kind == kind) return always_there[i].fields;
  return 0;
}

/* False where the value is none of the field. */
static bool put_value(struct ftrace_encoding *e, const ProtobufCFieldDescriptor *event,
                      const ProtobufCFieldDescriptor *field, struct tb_str value) {
  uint64_t number;
  if (field->type == PROTOBUF_C_TYPE_BYTES || field->type == PROTOBUF_C_TYPE_STRING)
    put_bytes(e, field->id, value);
  else if (event->id == TB_FTRACE_EVENT_SCHED_SWITCH && field->id == TB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE)
    put_number(e, field->id, read_number(value, &number) ? number : read_state(value, e->states));
  else if (event->id == TB_FTRACE_EVENT_IRQ_HANDLER_EXIT && field->id == TB_IRQ_HANDLER_EXIT_FTRACE_EVENT_RET)
    put_number(e, field->id, tb_str_equal(value, TB_STR("handled")));
  else if (read_number(value, &number))
    put_number(e, field->id, number);
  else
    return false;
  return true;
}

/* False where the text has arguments and none of them is a field. */
static bool put_named_fields(struct ftrace_encoding *e, const ProtobufCFieldDescriptor *event,
                             struct tb_str arguments) {
  struct named_field named;
  uint32_t missing = fields_always_there(event->id);
  bool any = !arguments.len;
  while (take_named(&arguments, &named)) {
    const ProtobufCFieldDescriptor *field = find_field(event, named.name);
    if (!field || !put_value(e, event, field, named.value)) continue;
    any = true;
    if (field->id < 32) missing &= ~FIELD(field->id);
  }
  if (missing && e->status == TB_OK) e->status = TB_BAD_DATA;
  return any;
}

/* ---- fields in a format ------------------------------------------------------------------------------------------ */

/* The value at `at` for a placeholder of a format that goes on with `rest`; NULL if the text does not. */
static const char *value_end(const char *at, const char *end, const char *rest) {
  bool may_be_missing = *rest == '[';
  if (may_be_missing) rest++;
  size_t len = strcspn(rest, "%]");
  if (!len) return end;
  const char *found = memmem(at, (size_t)(end - at), rest, len);
  return found || !may_be_missing ? found : end;
}

static bool put_formatted_value(struct ftrace_encoding *e, char how, uint32_t number, struct tb_str text) {
  uint64_t value;
  if (how == 's') {
    put_bytes(e, number, text);
  } else if (how == 'x' || how == 'y') {
    if (read_pointer(text, &value))
      put_number(e, number, value);
    else if (how == 'y')
      put_symbol(e, number, text);
    else
      return false;
  } else {
    if (!read_number(text, &value)) return false;
    put_number(e, number, value);
  }
  return true;
}

/* False if the text does not match the format; the caller then removes what was written. */
static bool put_formatted(struct ftrace_encoding *e, const char *format, struct tb_str arguments) {
  const char *at = arguments.ptr, *end = at + arguments.len;
  while (*format) {
    if (*format == '[' && at == end) return true;
    if (*format == '[' || *format == ']') {
      format++;
      continue;
    }
    if (*format != '%') {
      if (at == end || *at++ != *format++) return false;
      continue;
    }
    const char *stop = value_end(at, end, format + 3);
    if (!stop ||
        !put_formatted_value(e, format[1], (uint32_t)(format[2] - '0'), (struct tb_str){at, (size_t)(stop - at)}))
      return false;
    at = stop;
    format += 3;
  }
  return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static const ProtobufCFieldDescriptor *find_event(struct tb_str name) {
  char text[64];
  if (!name.len || name.len >= sizeof(text)) return NULL;
  memcpy(text, name.ptr, name.len);
  text[name.len] = '\0';
  const ProtobufCFieldDescriptor *event =
      protobuf_c_message_descriptor_get_field_by_name(&perfetto__protos__ftrace_event__descriptor, text);
  if (!event || event->type != PROTOBUF_C_TYPE_MESSAGE || event->id == TB_FTRACE_EVENT_GENERIC ||
      event->id == TB_FTRACE_EVENT_ZERO)
    return NULL;
  return event;
}

/* What userspace writes, and drivers as it does; old kernels give no name to it. */
static bool is_print(struct tb_str name) {
  static const struct tb_str mark = {"tracing_mark_write", 18};
  return (name.len >= mark.len && memcmp(name.ptr + name.len - mark.len, mark.ptr, mark.len) == 0) ||
         tb_str_equal(name, TB_STR("print")) || tb_str_equal(name, TB_STR("0"));
}

static void put_print(struct ftrace_encoding *e, struct tb_str text) {
  size_t start = open_message(e, TB_FTRACE_EVENT_PRINT);
  char *at = room(e, 2 * TB_WIRE_VARINT_MAX + text.len + 1);
  if (at) {
    at = tb_wire_put_varint(tb_wire_put_tag(at, TB_PRINT_FTRACE_EVENT_BUF, TB_WIRE_BYTES), text.len + 1);
    if (text.len) memcpy(at, text.ptr, text.len);
    at[text.len] = '\n';
    done(e, at + text.len + 1);
  }
  close_message(e, start);
}

static void put_generic(struct ftrace_encoding *e, const struct tb_ftrace_text_event *event) {
  size_t start = open_message(e, TB_FTRACE_EVENT_GENERIC);
  struct tb_str rest = event->arguments;
  struct named_field named;
  put_bytes(e, TB_GENERIC_FTRACE_EVENT_EVENT_NAME, event->name);
  while (take_named(&rest, &named)) {
    size_t field = open_message(e, TB_GENERIC_FTRACE_EVENT_FIELD);
    struct tb_decimal number;
    const char *end = named.value.ptr + named.value.len;
    int64_t value;
    put_bytes(e, TB_GENERIC_FTRACE_EVENT_FIELD_NAME, named.name);
    if (named.value.len && tb_decimal_parse(named.value.ptr, end, &number) == end && number.integer &&
        tb_decimal_to_int(&number, 0, &value))
      put_number(e, TB_GENERIC_FTRACE_EVENT_FIELD_INT_VALUE, (uint64_t)value);
    else
      put_bytes(e, TB_GENERIC_FTRACE_EVENT_FIELD_STR_VALUE, named.value);
    close_message(e, field);
  }
  close_message(e, start);
}

/* False, and nothing written, where the text is of no form of the event that the schema knows. */
static bool put_known(struct ftrace_encoding *e, const ProtobufCFieldDescriptor *event, struct tb_str arguments) {
  size_t before = e->out->len, start = open_message(e, event->id);
  const char *format = tb_ftrace_format(event->id);
  bool any = format && put_formatted(e, format, arguments);
  if (!any) {
    if (e->status == TB_OK) e->out->len = start;
    any = put_named_fields(e, event, arguments);
  }
  close_message(e, start);
  if (!any && e->status == TB_OK) e->out->len = before;
  return any;
}

static void put_head(struct ftrace_encoding *e, int64_t ts, int64_t tid) {
  put_number(e, TB_FTRACE_EVENT_TIMESTAMP, (uint64_t)ts);
  put_number(e, TB_FTRACE_EVENT_PID, (uint64_t)tid);
}

enum tb_status tb_ftrace_encode(const struct tb_ftrace_text_event *event, enum tb_ftrace_states states,
                                struct tb_intern *symbols, struct tb_buffer *out) {
  struct ftrace_encoding e = {out, symbols, states, TB_OK};
  put_head(&e, event->line.ts, event->line.tid);
  const ProtobufCFieldDescriptor *known = find_event(event->name);
  if (is_print(event->name))
    put_print(&e, event->arguments);
  else if (!known || !put_known(&e, known, event->arguments))
    put_generic(&e, event);
  return e.status;
}

enum tb_status tb_ftrace_encode_rename(int64_t tid, int64_t ts, struct tb_str name, struct tb_buffer *out) {
  struct ftrace_encoding e = {.out = out};
  put_head(&e, ts, tid);
  size_t start = open_message(&e, TB_FTRACE_EVENT_TASK_RENAME);
  put_number(&e, TB_TASK_RENAME_FTRACE_EVENT_PID, (uint64_t)tid);
  put_bytes(&e, TB_TASK_RENAME_FTRACE_EVENT_NEWCOMM, name);
  close_message(&e, start);
  return e.status;
}
