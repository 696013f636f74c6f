/* SPDX-License-Identifier: Apache-2.0
 *
 * Carried fields: what an event says that the target format has no field for, kept there all the same so that the way
 * back restores it. In Perfetto they are in fields of our own in the debug annotation `trace_event`, of which viewers
 * show nothing, in FXT arguments called `trace_event.KEY`; docs/MAPPING.md says when. This table is the one place that
 * knows their keys and types, and which part of tb_event they are.
 *
 * A writer decides which fields its packet or record has no place for, and puts them by tb_carried_put. A reader looks
 * each key up by tb_carried_find, and gives the event its value by tb_carried_get. What depends on the format (a
 * phase, an id) is TB_CARRIED_OWN: the table knows its key, the writer makes its value, the reader takes it. A new
 * field is a new row, in the order in which fields are written.
 */
#ifndef TB_MODEL_CARRIED_FIELDS_H
#define TB_MODEL_CARRIED_FIELDS_H

#include <stddef.h>

#include "base/memory.h"
#include "tracebridge/event.h"

#define TB_CARRIED_ANNOTATION "trace_event"
#define TB_CARRIED_PREFIX TB_CARRIED_ANNOTATION "."

/* What the value is, in the event and as an argument. */
enum tb_carried_type {
  TB_CARRIED_OWN,    /* the format's code gives and takes it */
  TB_CARRIED_TEXT,   /* struct tb_str; a string */
  TB_CARRIED_INT64,  /* int64_t; an int */
  TB_CARRIED_UINT64, /* uint64_t; an uint */
  TB_CARRIED_UINT32, /* uint32_t; an int */
  TB_CARRIED_LEVEL,  /* a log level in a uint8_t; an int, and of an unknown level none */
  TB_CARRIED_FLAG,   /* its bit of tb_event.has alone; the int 1 */
  TB_CARRIED_DOUBLE  /* double; a double */
};

/* Which formats have a field of their own for it. */
enum tb_carried_native {
  TB_NATIVE_JSON = 1,
  TB_NATIVE_PERFETTO = 2,
  TB_NATIVE_FXT = 4,
  TB_NATIVE_JSON_PERFETTO = TB_NATIVE_JSON | TB_NATIVE_PERFETTO,
  TB_NATIVE_JSON_FXT = TB_NATIVE_JSON | TB_NATIVE_FXT,
  TB_NATIVE_PERFETTO_FXT = TB_NATIVE_PERFETTO | TB_NATIVE_FXT
};

/* The formats that carry fields. */
enum tb_carrier { TB_CARRIER_PERFETTO, TB_CARRIER_FXT, TB_CARRIER_COUNT };

/* How one of them carries a field. */
enum tb_carried_how {
  TB_CARRY_NOT,
  TB_CARRY_FIELD, /* and its reader makes it the event's field again */
  TB_CARRY_MEMBER /* and its reader gives it as it is: a member of the source's event, in tb_event.extra */
};

/* id, key, type, where it is in tb_event; its bit of tb_event.has, and whether an event has it (of the format's own
 * ones the writer decides that); which formats have it; how Perfetto carries it, and FXT. */
/* clang-format off */
#define TB_CARRIED_FIELDS(ROW)                                                                                        \
  ROW(NO_TS, "no_ts", OWN, ts, 0, 0, JSON, FIELD, FIELD)                                                              \
  ROW(NO_END, "no_end", OWN, dur, 0, 0, JSON_PERFETTO, NOT, FIELD)                                                    \
  ROW(PHASE, "ph", OWN, phase, 0, 0, JSON, FIELD, FIELD)                                                              \
  ROW(INSTANT_SCOPE, "s", OWN, instant_scope, 0, 0, JSON, MEMBER, FIELD)                                              \
  ROW(BIND_ENCLOSING, "bp", OWN, has, TB_HAS_BIND_ENCLOSING, 0, JSON, MEMBER, FIELD)                                  \
  ROW(CPU, "cpu", UINT32, cpu, TB_HAS_CPU, TB_IS_OF_SAMPLE(TB_HAS_CPU), JSON, MEMBER, FIELD)                          \
  ROW(WEIGHT, "weight", DOUBLE, weight, TB_HAS_WEIGHT, TB_IS_OF_SAMPLE(TB_HAS_WEIGHT), JSON, MEMBER, FIELD)           \
  ROW(NAME, "name", OWN, name, TB_HAS_NAME, 0, JSON, FIELD, FIELD)                                                    \
  ROW(ID2, "id2", OWN, id.kind, 0, 0, JSON_PERFETTO, NOT, FIELD)                                                      \
  ROW(ID, "id", OWN, id, 0, 0, JSON, FIELD, FIELD)                                                                    \
  ROW(BIND_ID, "bind_id", OWN, bind_id, 0, 0, JSON, FIELD, NOT)                                                       \
  ROW(STACK_REF, "sf", OWN, stack.ref, 0, 0, JSON_PERFETTO, NOT, FIELD)                                               \
  ROW(STACK, "stack", OWN, stack, 0, 0, JSON_PERFETTO, NOT, FIELD)                                                    \
  ROW(END_STACK_REF, "esf", OWN, end_stack.ref, 0, 0, JSON, FIELD, FIELD)                                             \
  ROW(END_STACK, "estack", OWN, end_stack, 0, 0, JSON_PERFETTO, NOT, FIELD)                                           \
  ROW(PID, "pid", OWN, thread, 0, 0, JSON_FXT, MEMBER, NOT)                                                           \
  ROW(TID, "tid", OWN, thread, 0, 0, JSON_FXT, MEMBER, NOT)                                                           \
  ROW(TS, "ts_ns", INT64, ts, TB_HAS_TS, event->has & TB_HAS_TS, JSON_PERFETTO, NOT, FIELD)                           \
  ROW(DUR, "dur_ns", INT64, dur, TB_HAS_DUR, event->has & TB_HAS_DUR, JSON, FIELD, FIELD)                             \
  ROW(THREAD_TS, "tts_ns", INT64, thread_ts, TB_HAS_THREAD_TS, event->has & TB_HAS_THREAD_TS, JSON, FIELD, FIELD)     \
  ROW(THREAD_DUR, "tdur_ns", INT64, thread_dur, TB_HAS_THREAD_DUR, event->has & TB_HAS_THREAD_DUR, JSON, FIELD, FIELD)\
  ROW(USE_ASYNC_TTS, "use_async_tts", FLAG, has, TB_HAS_USE_ASYNC_TTS, event->has & TB_HAS_USE_ASYNC_TTS,              \
      JSON_PERFETTO, NOT, FIELD)                                                                                      \
  ROW(SCOPE, "scope", TEXT, scope, TB_HAS_SCOPE, event->has & TB_HAS_SCOPE, JSON_PERFETTO, NOT, FIELD)                \
  ROW(LOG_LEVEL, "log_level", LEVEL, log_level, 0, event->log_level, PERFETTO_FXT, NOT, FIELD)                        \
  ROW(SOURCE_FUNCTION, "source_function", TEXT, source_location.function, 0, event->source_location.function.len,     \
      PERFETTO, NOT, FIELD)                                                                                           \
  ROW(SOURCE_FILE, "source_file", TEXT, source_location.file, 0, event->source_location.file.len,                     \
      PERFETTO, NOT, FIELD)                                                                                           \
  ROW(SOURCE_LINE, "source_line", UINT32, source_location.line, 0, event->source_location.line, PERFETTO, NOT, FIELD) \
  ROW(CORRELATION_TEXT, "correlation_id", TEXT, correlation_text, TB_HAS_CORRELATION,                                 \
      event->has & TB_HAS_CORRELATION && event->correlation_text.len, PERFETTO, NOT, FIELD)                           \
  ROW(CORRELATION, "correlation_id", UINT64, correlation_id, TB_HAS_CORRELATION,                                      \
      event->has & TB_HAS_CORRELATION && !event->correlation_text.len, PERFETTO, NOT, FIELD)                          \
  ROW(THREAD_INSTRUCTIONS, "thread_instruction_count", INT64, thread_instruction_count, TB_HAS_THREAD_INSTRUCTIONS,   \
      event->has & TB_HAS_THREAD_INSTRUCTIONS, PERFETTO, NOT, FIELD)                                                  \
  ROW(ARGS, "args", OWN, args, TB_HAS_ARGS, 0, JSON, MEMBER, FIELD)                                                   \
  ROW(FXT_TYPES, "fxt_types", OWN, extra, 0, 0, FXT, MEMBER, NOT)                                                     \
  ROW(FXT_COUNTER, "fxt_counter", OWN, extra, 0, 0, FXT, MEMBER, NOT)                                                 \
  ROW(FXT_BLOB, "fxt_blob", OWN, blob_type, 0, 0, FXT, MEMBER, NOT)                                                   \
  ROW(FXT_BYTES, "fxt_bytes", OWN, blob, 0, 0, FXT, MEMBER, NOT)
/* clang-format on */
#define TB_IS_OF_SAMPLE(bit) (event->type == TB_EVENT_SAMPLE && event->has & (bit))

enum tb_carried_id {
#define TB_CARRIED_ID(id, ...) TB_CARRIED_##id,
  TB_CARRIED_FIELDS(TB_CARRIED_ID)
#undef TB_CARRIED_ID
      TB_CARRIED_COUNT
};

/* A set of fields has a bit for each. */
#define TB_CARRIED_BIT(id) (UINT64_C(1) << TB_CARRIED_##id)

struct tb_carried_field {
  struct tb_str path; /* TB_CARRIED_PREFIX and the key */
  uint32_t has;       /* enum tb_event_has */
  uint16_t offset;    /* in struct tb_event */
  uint8_t id;         /* enum tb_carried_id */
  uint8_t type;       /* enum tb_carried_type */
  uint8_t native;     /* enum tb_carried_native */
  uint8_t how[TB_CARRIER_COUNT];
};

extern const struct tb_carried_field tb_carried_fields[TB_CARRIED_COUNT];

/* The name of the argument that carries it, and the key of the member. */
static inline struct tb_str tb_carried_path(enum tb_carried_id id) { return tb_carried_fields[id].path; }
static inline struct tb_str tb_carried_key_of(struct tb_str path) {
  enum { PREFIX = sizeof(TB_CARRIED_PREFIX) - 1 };
  return (struct tb_str){path.ptr + PREFIX, path.len - PREFIX};
}
static inline struct tb_str tb_carried_key(enum tb_carried_id id) { return tb_carried_key_of(tb_carried_path(id)); }

/* Whether an argument of that name carries something of ours. */
static inline bool tb_carried_is_path(struct tb_str name) {
  enum { PREFIX = sizeof(TB_CARRIED_PREFIX) - 1 };
  return name.len > PREFIX && memcmp(name.ptr, TB_CARRIED_PREFIX, PREFIX) == 0;
}

/* What is said in numbers there: of a phase one ASCII character, of a bind_id that joins nothing bits. */
enum { TB_CARRIED_PHASE_LAST = 126, TB_CARRIED_BINDS_IN = 1, TB_CARRIED_BINDS_OUT = 2 };

/* The field of DebugAnnotation in which Perfetto carries it, of those that come by the million: a number, of the phase
 * its one character. 0: as a member by its key. */
uint32_t tb_carried_number(enum tb_carried_id id);
/* The field that has that number; TB_CARRIED_COUNT: none. */
enum tb_carried_id tb_carried_of_number(uint32_t number);

/* Which of `fields`, a constant, an event has; of the formats' own ones none. Most events have none of them, which one
 * look at tb_event.has says and one at each field that has no bit there. */
static TB_ALWAYS_INLINE uint64_t tb_carried_there(const struct tb_event *event, uint64_t fields) {
#define TB_CARRIED_HAS(id, key, type, member, bit, ...) | (fields & TB_CARRIED_BIT(id) ? (uint32_t)(bit) : 0)
#define TB_CARRIED_ELSE(id, key, type, member, bit, there, ...) || (fields & TB_CARRIED_BIT(id) && !(bit) && (there))
#define TB_CARRIED_THERE(id, key, type, member, bit, there, ...) | ((there) ? TB_CARRIED_BIT(id) : 0)
  if (!(event->has & (0 TB_CARRIED_FIELDS(TB_CARRIED_HAS))) && !(false TB_CARRIED_FIELDS(TB_CARRIED_ELSE))) return 0;
  return fields & (0 TB_CARRIED_FIELDS(TB_CARRIED_THERE));
#undef TB_CARRIED_HAS
#undef TB_CARRIED_ELSE
#undef TB_CARRIED_THERE
}

/* The fields that FXT carries, but for its own. */
static inline uint64_t tb_carried_by_fxt(void) {
#define TB_CARRIED_BY_FXT(id, key, type, member, bit, there, native, perfetto, fxt) \
  | (TB_CARRY_##fxt != TB_CARRY_NOT && TB_CARRIED_##type != TB_CARRIED_OWN ? TB_CARRIED_BIT(id) : 0)
  return 0 TB_CARRIED_FIELDS(TB_CARRIED_BY_FXT);
#undef TB_CARRIED_BY_FXT
}

/* Calls `put` for each of `fields`, which the event has, in the table's order, with the argument that carries it, named
 * by its path. Of a format's own field that has no value yet: `put` gives it. */
typedef void tb_carried_sink(void *ctx, enum tb_carried_id id, struct tb_arg *arg);
void tb_carried_put(uint64_t fields, const struct tb_event *event, tb_carried_sink *put, void *ctx);

/* The field that a carrier has under `key` with a value of that type; NULL where it carries none. */
const struct tb_carried_field *tb_carried_find(enum tb_carrier carrier, struct tb_str key, const struct tb_arg *value);

/* Gives an event the value of a field that tb_carried_find returned for it, and that is none of a format's own. */
void tb_carried_get(const struct tb_carried_field *field, const struct tb_arg *value, struct tb_event *event);

/* Whether a member of that key is how other formats keep a field that FXT alone has. */
bool tb_carried_is_of_fxt(struct tb_str key);

#endif
