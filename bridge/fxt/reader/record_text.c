/* SPDX-License-Identifier: Apache-2.0 */
#include "fxt/reader/record_text.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINE_BYTES = 128 };

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

/* The events first, at the numbers of their types; then the others. */
static const char *const names[TB_FXT_KINDS] = {
    "instant",        "counter",        "begin",     "end",      "complete",   "async_begin",      "async_instant",
    "async_end",      "flow_begin",     "flow_step", "flow_end", "magic",      "provider",         "section",
    "provider_event", "init",           "string",    "thread",   "blob",       "userspace_object", "kernel_object",
    "legacy_switch",  "context_switch", "wakeup",    "log",      "large_blob", "unknown"};
enum {
  KIND_MAGIC = 11,
  KIND_PROVIDER,
  KIND_SECTION,
  KIND_PROVIDER_EVENT,
  KIND_INIT,
  KIND_STRING,
  KIND_THREAD,
  KIND_BLOB,
  KIND_USERSPACE_OBJECT,
  KIND_KERNEL_OBJECT,
  KIND_LEGACY_SWITCH,
  KIND_CONTEXT_SWITCH,
  KIND_WAKEUP,
  KIND_LOG,
  KIND_LARGE_BLOB,
  KIND_UNKNOWN
};

static unsigned metadata_kind(uint64_t header) {
  uint64_t type = tb_fxt_field(header, 16, 19);
  if (type >= TB_FXT_PROVIDER_INFO && type <= TB_FXT_PROVIDER_EVENT) return KIND_PROVIDER + (unsigned)type - 1;
  return header == TB_FXT_MAGIC ? KIND_MAGIC : KIND_UNKNOWN;
}

unsigned tb_fxt_record_kind(uint64_t header) {
  uint64_t type = header & 15, sub = tb_fxt_field(header, 16, 19);
  switch (type) {
    case TB_FXT_METADATA:
      return metadata_kind(header);
    case TB_FXT_EVENT:
      return sub <= TB_FXT_FLOW_END ? (unsigned)sub : KIND_UNKNOWN;
    case TB_FXT_SCHEDULING:
      sub = tb_fxt_field(header, 60, 63);
      return sub <= TB_FXT_WAKEUP ? KIND_LEGACY_SWITCH + (unsigned)sub : KIND_UNKNOWN;
    case TB_FXT_INITIALIZATION:
    case TB_FXT_STRING:
    case TB_FXT_THREAD:
      return KIND_INIT + (unsigned)type - TB_FXT_INITIALIZATION;
    case TB_FXT_BLOB:
    case TB_FXT_USERSPACE_OBJECT:
    case TB_FXT_KERNEL_OBJECT:
      return KIND_BLOB + (unsigned)type - TB_FXT_BLOB;
    case TB_FXT_LOG:
      return KIND_LOG;
    case TB_FXT_LARGE:
      return tb_fxt_field(header, 36, 39) == TB_FXT_LARGE_BLOB ? KIND_LARGE_BLOB : KIND_UNKNOWN;
    default:
      return KIND_UNKNOWN;
  }
}

const char *tb_fxt_kind_name(unsigned kind) { return names[kind < KIND_UNKNOWN ? kind : KIND_UNKNOWN]; }

/* ---- parts of a line --------------------------------------------------------------------------------------------- */

/* A line in the making. `bad` once the record has shown to be malformed. */
struct record_line {
  struct tb_json_emit *out;
  struct tb_fxt_cursor cursor;
  const struct tb_fxt_provider *provider;
  bool bad;
};

#define PUT(line, ...)                                                  \
  do {                                                                  \
    char put_text_[LINE_BYTES];                                         \
    int put_len_ = snprintf(put_text_, sizeof(put_text_), __VA_ARGS__); \
    tb_json_emit_raw((line)->out, put_text_, (size_t)put_len_);         \
  } while (0)

static uint64_t take_word(struct record_line *line) {
  uint64_t word = 0;
  if (!tb_fxt_take_word(&line->cursor, &word)) line->bad = true;
  return word;
}

static void put_word(struct record_line *line, const char *key) {
  uint64_t word = take_word(line);
  PUT(line, " %s=%" PRIu64, key, word);
}

static void put_quoted(struct record_line *line, struct tb_str text) {
  tb_json_emit_raw(line->out, "\"", 1);
  tb_json_emit_escaped(line->out, TB_ESCAPE_QUOTED, text);
  tb_json_emit_raw(line->out, "\"", 1);
}

static void put_stream(struct record_line *line, const char *key, size_t len) {
  struct tb_str bytes;
  if (!tb_fxt_take_stream(&line->cursor, len, &bytes)) {
    line->bad = true;
    return;
  }
  PUT(line, " %s=", key);
  put_quoted(line, bytes);
}

static void put_string(struct record_line *line, uint64_t ref) {
  struct tb_str text = {"", 0};
  if (ref & TB_FXT_INLINE) {
    if (!tb_fxt_take_stream(&line->cursor, ref & TB_FXT_LENGTH_MASK, &text)) line->bad = true;
    if (!line->bad) put_quoted(line, text);
  } else if (ref == 0) {
    PUT(line, "\"\"");
  } else {
    PUT(line, "#%" PRIu64, ref);
    if (!line->provider->pages) return;
    text = tb_fxt_string_at(line->provider, (uint32_t)ref);
    if (!text.ptr) return;
    PUT(line, "(");
    put_quoted(line, text);
    PUT(line, ")");
  }
}

static void put_id(struct record_line *line, int64_t id, struct tb_str text) {
  if (text.len)
    tb_json_emit_escaped(line->out, TB_ESCAPE_QUOTED, text);
  else
    PUT(line, "%" PRId64, id);
}

static void put_thread(struct record_line *line, const char *key, uint64_t ref) {
  PUT(line, " %s=", key);
  if (!ref) {
    uint64_t process = take_word(line), thread = take_word(line);
    PUT(line, "%" PRIu64 "/%" PRIu64, process, thread);
    return;
  }
  PUT(line, "#%" PRIu64, ref);
  const struct tb_track *track = line->provider->threads ? line->provider->threads[ref] : NULL;
  if (!track) return;
  PUT(line, "(");
  put_id(line, track->pid, tb_track_get_details(track)->pid_text);
  PUT(line, "/");
  put_id(line, track->tid, tb_track_get_details(track)->tid_text);
  PUT(line, ")");
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void put_value(struct record_line *line, uint64_t header) {
  uint64_t high = header >> 32;
  double d;
  switch (header & 15) {
    case TB_FXT_ARG_NULL:
      break;
    case TB_FXT_ARG_INT32:
      PUT(line, "%" PRId32, (int32_t)(uint32_t)high);
      break;
    case TB_FXT_ARG_UINT32:
      PUT(line, "%" PRIu64, high);
      break;
    case TB_FXT_ARG_INT64:
      PUT(line, "%" PRId64, (int64_t)take_word(line));
      break;
    case TB_FXT_ARG_DOUBLE: {
      uint64_t bits = take_word(line);
      memcpy(&d, &bits, sizeof(d));
      PUT(line, "%.17g", d);
      break;
    }
    case TB_FXT_ARG_STRING:
      put_string(line, high & UINT16_MAX);
      break;
    case TB_FXT_ARG_POINTER:
      PUT(line, "0x%" PRIx64, take_word(line));
      break;
    case TB_FXT_ARG_UINT64:
    case TB_FXT_ARG_KOID:
      PUT(line, "%" PRIu64, take_word(line));
      break;
    case TB_FXT_ARG_BOOL:
      PUT(line, "%s", high & 1 ? "true" : "false");
      break;
    case TB_FXT_ARG_BLOB: {
      struct tb_str bytes;
      if (!tb_fxt_take_stream(&line->cursor, (size_t)high, &bytes)) line->bad = true;
      if (!line->bad) put_quoted(line, bytes);
      break;
    }
    default:
      line->bad = true;
  }
}

static void put_arg(struct record_line *line) {
  static const char *const types[] = {"null", "int32", "uint32", "int64", "uint64", "double", "string", "pointer",
                                      "koid", "bool",  "blob",   "?",     "?",      "?",      "?",      "?"};
  const char *start = line->cursor.at;
  uint64_t header = take_word(line);
  size_t size = (size_t)tb_fxt_field(header, 4, 15) * TB_FXT_WORD;
  if (size == 0 || size > (size_t)(line->cursor.end - start)) line->bad = true;
  if (line->bad) return;
  const char *end = line->cursor.end;
  line->cursor.end = start + size;
  PUT(line, " %s:", types[header & 15]);
  put_string(line, tb_fxt_field(header, 16, 31));
  PUT(line, "=");
  put_value(line, header);
  if (line->cursor.at != line->cursor.end) line->bad = true; /* it has more than we know */
  line->cursor = (struct tb_fxt_cursor){start + size, end};
}

static void put_args(struct record_line *line, uint64_t count) {
  for (uint64_t i = 0; i < count && !line->bad; i++) put_arg(line);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void describe_event(struct record_line *line, uint64_t header) {
  uint64_t type = tb_fxt_field(header, 16, 19);
  put_word(line, "ts");
  put_thread(line, "thread", tb_fxt_field(header, 24, 31));
  PUT(line, " category=");
  put_string(line, tb_fxt_field(header, 32, 47));
  PUT(line, " name=");
  put_string(line, tb_fxt_field(header, 48, 63));
  put_args(line, tb_fxt_field(header, 20, 23));
  if (type == TB_FXT_DURATION_COMPLETE)
    put_word(line, "end");
  else if (type == TB_FXT_COUNTER || type >= TB_FXT_ASYNC_BEGIN)
    put_word(line, "id");
}

static void describe_metadata(struct record_line *line, uint64_t header, unsigned kind) {
  if (kind == KIND_MAGIC) return;
  PUT(line, " id=%" PRIu64, tb_fxt_field(header, 20, 51));
  if (kind == KIND_PROVIDER) put_stream(line, "name", (size_t)tb_fxt_field(header, 52, 59));
  if (kind == KIND_PROVIDER_EVENT) PUT(line, " event=%" PRIu64, tb_fxt_field(header, 52, 55));
}

static void describe_init(struct record_line *line) {
  put_word(line, "ticks_per_second");
  if (line->cursor.at == line->cursor.end) return;
  put_word(line, "base_ticks");
  put_word(line, "unix_ns");
}

static void describe_object(struct record_line *line, uint64_t header) {
  if ((header & 15) == TB_FXT_KERNEL_OBJECT) {
    PUT(line, " type=%" PRIu64, tb_fxt_field(header, 16, 23));
    put_word(line, "koid");
  } else {
    uint64_t ref = tb_fxt_field(header, 16, 23), pointer = take_word(line);
    PUT(line, " pointer=0x%" PRIx64, pointer);
    if (ref)
      put_thread(line, "process", ref);
    else
      put_word(line, "process");
  }
  PUT(line, " name=");
  put_string(line, tb_fxt_field(header, 24, 39));
  put_args(line, tb_fxt_field(header, 40, 43));
}

static void describe_switch(struct record_line *line, uint64_t header, unsigned kind) {
  if (kind == KIND_LEGACY_SWITCH) {
    PUT(line, " cpu=%" PRIu64 " state=%" PRIu64, tb_fxt_field(header, 16, 23), tb_fxt_field(header, 24, 27));
    put_word(line, "ts");
    put_thread(line, "out", tb_fxt_field(header, 28, 35));
    put_thread(line, "in", tb_fxt_field(header, 36, 43));
    PUT(line, " out_priority=%" PRIu64 " in_priority=%" PRIu64, tb_fxt_field(header, 44, 51),
        tb_fxt_field(header, 52, 59));
    return;
  }
  PUT(line, " cpu=%" PRIu64, tb_fxt_field(header, 20, 35));
  put_word(line, "ts");
  if (kind == KIND_CONTEXT_SWITCH) {
    PUT(line, " state=%" PRIu64, tb_fxt_field(header, 36, 39));
    put_word(line, "out");
    put_word(line, "in");
  } else {
    put_word(line, "thread");
  }
  put_args(line, tb_fxt_field(header, 16, 19));
}

static void describe_log(struct record_line *line, uint64_t header) {
  put_word(line, "ts");
  put_thread(line, "thread", tb_fxt_field(header, 32, 39));
  put_stream(line, "message", (size_t)tb_fxt_field(header, 16, 30));
  while (!line->bad && line->cursor.at != line->cursor.end) put_arg(line);
}

static void describe_large_blob(struct record_line *line, uint64_t header) {
  uint64_t parts = take_word(line), format = tb_fxt_field(header, 40, 43);
  PUT(line, " category=");
  put_string(line, tb_fxt_field(parts, 0, 15));
  PUT(line, " name=");
  put_string(line, tb_fxt_field(parts, 16, 31));
  if (format == TB_FXT_LARGE_BLOB_WITH_METADATA) {
    put_word(line, "ts");
    put_thread(line, "thread", tb_fxt_field(parts, 36, 43));
    put_args(line, tb_fxt_field(parts, 32, 35));
  } else if (format != TB_FXT_LARGE_BLOB_BARE) {
    line->bad = true;
  }
  put_stream(line, "bytes", (size_t)take_word(line));
}

static void describe_table_entry(struct record_line *line, uint64_t header, unsigned kind) {
  if (kind == KIND_STRING) {
    PUT(line, " index=%" PRIu64, tb_fxt_field(header, 16, 30));
    put_stream(line, "text", (size_t)tb_fxt_field(header, 32, 46));
  } else {
    PUT(line, " index=%" PRIu64, tb_fxt_field(header, 16, 23));
    put_word(line, "process");
    put_word(line, "thread");
  }
}

static void describe_blob(struct record_line *line, uint64_t header) {
  PUT(line, " type=%" PRIu64 " name=", tb_fxt_field(header, 48, 55));
  put_string(line, tb_fxt_field(header, 16, 31));
  put_stream(line, "bytes", (size_t)tb_fxt_field(header, 32, 46));
}

static void describe(struct record_line *line, uint64_t header) {
  unsigned kind = tb_fxt_record_kind(header);
  PUT(line, "%s", tb_fxt_kind_name(kind));
  if (kind < KIND_MAGIC)
    describe_event(line, header);
  else if (kind <= KIND_PROVIDER_EVENT)
    describe_metadata(line, header, kind);
  else if (kind == KIND_INIT)
    describe_init(line);
  else if (kind <= KIND_THREAD)
    describe_table_entry(line, header, kind);
  else if (kind == KIND_BLOB)
    describe_blob(line, header);
  else if (kind <= KIND_KERNEL_OBJECT)
    describe_object(line, header);
  else if (kind <= KIND_WAKEUP)
    describe_switch(line, header, kind);
  else if (kind == KIND_LOG)
    describe_log(line, header);
  else if (kind == KIND_LARGE_BLOB)
    describe_large_blob(line, header);
  else
    line->bad = true;
}

bool tb_fxt_describe_record(struct tb_json_emit *text, const struct tb_fxt_raw_record *record) {
  struct record_line line = {.out = text,
                             .cursor = {record->bytes.ptr + TB_FXT_WORD, record->bytes.ptr + record->bytes.len},
                             .provider = record->tables->provider};
  PUT(&line, "%" PRIu64 " ", record->offset);
  size_t start = text->buffer.len;
  describe(&line, record->header);
  bool good = !line.bad && line.cursor.at == line.cursor.end;
  if (!good) {
    text->buffer.len = start;
    PUT(&line, "words");
    for (size_t at = 0; at < record->bytes.len; at += TB_FXT_WORD)
      PUT(&line, " 0x%" PRIx64, tb_fxt_load(record->bytes.ptr + at));
  }
  PUT(&line, "\n");
  return good;
}
