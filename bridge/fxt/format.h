/* SPDX-License-Identifier: Apache-2.0
 *
 * Layout of the Fuchsia trace format: numbers of records, events and arguments, bit fields, and a cursor over the words
 * of one record. What reader and writer share. Source of the rules: "Fuchsia trace format" of the Fuchsia
 * documentation.
 */
#ifndef TB_FXT_FORMAT_H
#define TB_FXT_FORMAT_H

#include <stdbool.h>
#include <string.h>

#include "model/carried_fields.h"
#include "model/narrow_ids.h"
#include "tracebridge/base.h"

#define TB_FXT_MAGIC UINT64_C(0x0016547846040010)
#define TB_FXT_MAGIC_BIG_ENDIAN UINT64_C(0x1000044678541600)

enum { TB_FXT_WORD = 8, TB_FXT_MAX_WORDS = 4095, TB_FXT_MAX_ARGS = 15, TB_FXT_MAX_STRING = 32000 };
enum { TB_FXT_STRING_ENTRIES = 0x7fff, TB_FXT_THREAD_ENTRIES = 0xff }; /* of a provider's tables, from index 1 */
enum { TB_FXT_INLINE = 0x8000, TB_FXT_LENGTH_MASK = 0x7fff };          /* of a string reference */

enum tb_fxt_record {
  TB_FXT_METADATA = 0,
  TB_FXT_INITIALIZATION = 1,
  TB_FXT_STRING = 2,
  TB_FXT_THREAD = 3,
  TB_FXT_EVENT = 4,
  TB_FXT_BLOB = 5,
  TB_FXT_USERSPACE_OBJECT = 6,
  TB_FXT_KERNEL_OBJECT = 7,
  TB_FXT_SCHEDULING = 8,
  TB_FXT_LOG = 9,
  TB_FXT_LARGE = 15
};

enum tb_fxt_metadata {
  TB_FXT_PROVIDER_INFO = 1,
  TB_FXT_PROVIDER_SECTION = 2,
  TB_FXT_PROVIDER_EVENT = 3,
  TB_FXT_TRACE_INFO = 4
};
enum { TB_FXT_BUFFER_FULL = 0 }; /* of a provider event */

enum tb_fxt_event {
  TB_FXT_INSTANT = 0,
  TB_FXT_COUNTER = 1,
  TB_FXT_DURATION_BEGIN = 2,
  TB_FXT_DURATION_END = 3,
  TB_FXT_DURATION_COMPLETE = 4,
  TB_FXT_ASYNC_BEGIN = 5,
  TB_FXT_ASYNC_INSTANT = 6,
  TB_FXT_ASYNC_END = 7,
  TB_FXT_FLOW_BEGIN = 8,
  TB_FXT_FLOW_STEP = 9,
  TB_FXT_FLOW_END = 10
};

enum tb_fxt_arg {
  TB_FXT_ARG_NULL = 0,
  TB_FXT_ARG_INT32 = 1,
  TB_FXT_ARG_UINT32 = 2,
  TB_FXT_ARG_INT64 = 3,
  TB_FXT_ARG_UINT64 = 4,
  TB_FXT_ARG_DOUBLE = 5,
  TB_FXT_ARG_STRING = 6,
  TB_FXT_ARG_POINTER = 7,
  TB_FXT_ARG_KOID = 8,
  TB_FXT_ARG_BOOL = 9,
  TB_FXT_ARG_BLOB = 10
};

enum tb_fxt_scheduling { TB_FXT_LEGACY_SWITCH = 0, TB_FXT_CONTEXT_SWITCH = 1, TB_FXT_WAKEUP = 2 };
enum tb_fxt_thread_state {
  TB_FXT_STATE_NEW = 0,
  TB_FXT_STATE_RUNNING = 1,
  TB_FXT_STATE_SUSPENDED = 2,
  TB_FXT_STATE_BLOCKED = 3,
  TB_FXT_STATE_DYING = 4,
  TB_FXT_STATE_DEAD = 5
};
#define TB_FXT_IDLE_WEIGHT INT32_MIN /* a weight that marks the idle thread */

enum tb_fxt_object { TB_FXT_OBJECT_NONE = 0, TB_FXT_OBJECT_PROCESS = 1, TB_FXT_OBJECT_THREAD = 2 };
enum tb_fxt_blob { TB_FXT_BLOB_DATA = 1, TB_FXT_BLOB_LAST_BRANCH = 2, TB_FXT_BLOB_PERFETTO = 3 };
enum { TB_FXT_LARGE_BLOB = 0 };
enum { TB_FXT_LARGE_BLOB_WITH_METADATA = 0, TB_FXT_LARGE_BLOB_BARE = 1 };

/* Names of events that carry what has no event type of its own (see docs/MAPPING.md). */
#define TB_FXT_NAME_USERSPACE_OBJECT "fxt.userspace_object"
#define TB_FXT_NAME_KERNEL_OBJECT "fxt.kernel_object"
#define TB_FXT_OWN_PROVIDER "tracebridge"               /* what our writer calls all of its providers */
#define TB_FXT_CATEGORY_METADATA "trace_event.metadata" /* of large blobs that are metadata of a process or thread */
#define TB_FXT_CATEGORY_TRACE "trace_event.trace"       /* and of the trace */
#define TB_FXT_CATEGORY_FRAME "trace_event.frame"       /* and an entry of its stack frames, whose id is the name */
#define TB_FXT_CATEGORY_COUNTER "trace_event.counter"   /* and what else the next counter says, JSON in the bytes */
#define TB_FXT_CATEGORY_REST "trace_event.rest" /* and the end of a text of the next record's argument of that name */
#define TB_FXT_SERIES_TEXTS "texts" /* carried: values of a counter that are texts in the source, by series */
#define TB_FXT_SAMPLE "sample"      /* carried: the phase of samples that have none */
#define TB_FXT_ID_ZERO "0x0"        /* carried: the id of a counter that has the id 0, where others of 0 have none */
#define TB_FXT_OWN_SERIES TB_CARRIED_PREFIX "value" /* the one argument of a counter whose name says all */
#define TB_FXT_JSON_SUFFIX ":json"                  /* of the names of arguments whose text is a JSON value */
#define TB_FXT_NESTED "nested"                      /* carried: a letter for each argument that is not */

/* The koid of what has no id in the source, which our writer makes up: the low 32 bits are the process' id, which is
 * what others show of a koid, and the upper ones are this. */
#define TB_FXT_NO_ID UINT64_C(0xc000000000000000)

/* Whether a koid is the process or thread id itself: where it is below 2^30; any other (artificial koids have bit 63)
 * gets a narrow one. Only the last 2^31 koids, which no kernel gives, are negative ids: JSON's. */
static inline bool tb_fxt_is_negative_id(uint64_t koid) { return koid >= (uint64_t)INT32_MIN; }
static inline bool tb_fxt_is_id(uint64_t koid) { return koid < TB_NARROW_ID_FIRST || tb_fxt_is_negative_id(koid); }

static inline bool tb_fxt_is_no_id(uint64_t koid) { return (koid & ~(uint64_t)UINT32_MAX) == TB_FXT_NO_ID; }

/* The letters of TB_FXT_NESTED. */
enum { TB_FXT_PLAIN_NAME = '.', TB_FXT_NESTED_PATH = 'p', TB_FXT_SAID_IN_REST = '-' };

/* Bits [lsb..msb] of a word, both inclusive, as the format's document writes them. */
static inline uint64_t tb_fxt_field(uint64_t word, unsigned lsb, unsigned msb) {
  return word >> lsb & (UINT64_MAX >> (63 - (msb - lsb)));
}

static inline uint64_t tb_fxt_load(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof(word)); /* little-endian hosts only, as the whole library */
  return word;
}

/* How long a record is, by its header. */
static inline uint64_t tb_fxt_record_bytes(uint64_t header) {
  return TB_FXT_WORD * ((header & 15) == TB_FXT_LARGE ? tb_fxt_field(header, 4, 35) : tb_fxt_field(header, 4, 15));
}

static inline size_t tb_fxt_padded(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

/* What is left of one record; always whole words. */
struct tb_fxt_cursor {
  const char *at, *end;
};

/* Each takes what it names from the front, or returns false, the cursor unchanged, when the record is too short for it.
 */
static inline bool tb_fxt_take_word(struct tb_fxt_cursor *cursor, uint64_t *word) {
  if (cursor->end - cursor->at < TB_FXT_WORD) return false;
  *word = tb_fxt_load(cursor->at);
  cursor->at += TB_FXT_WORD;
  return true;
}

static inline bool tb_fxt_take_stream(struct tb_fxt_cursor *cursor, size_t bytes, struct tb_str *stream) {
  size_t left = (size_t)(cursor->end - cursor->at);
  if (bytes > left || tb_fxt_padded(bytes) > left) return false;
  *stream = (struct tb_str){cursor->at, bytes};
  cursor->at += tb_fxt_padded(bytes);
  return true;
}

#endif
