/* SPDX-License-Identifier: Apache-2.0
 *
 * What is a record, and where FXT goes on behind what is none. Records have no mark that they begin with, so what its
 * header says of a record must be just what the record is long, and the same of those behind it.
 */
#include "fxt/reader/reader.h"

enum {
  CHAIN = 3,                            /* records in a row */
  SEARCH_RECORD_MAX = TB_FXT_MAX_WORDS, /* words of one of them */
  EXTENDED_MAX = 64,                    /* words of one that has more in it than its header names */
  UNKNOWN_MAX = 1 << 20                 /* bytes of a record of unknown type; one that says more is none */
};

/* What a record consists of, by its header: words that come first, so many arguments, and words that come last. */
struct layout {
  uint64_t first, args, last;
};

static uint64_t words_of(uint64_t bytes) { return tb_fxt_padded(bytes) / TB_FXT_WORD; }

static uint64_t text_words(uint64_t ref) { return ref & TB_FXT_INLINE ? words_of(ref & TB_FXT_LENGTH_MASK) : 0; }

static uint64_t thread_words(uint64_t ref) { return ref ? 0 : 2; }

static bool metadata_layout(uint64_t header, struct layout *layout) {
  switch (tb_fxt_field(header, 16, 19)) {
    case TB_FXT_PROVIDER_INFO:
      layout->first = words_of(tb_fxt_field(header, 52, 59));
      return true;
    case TB_FXT_PROVIDER_SECTION:
    case TB_FXT_PROVIDER_EVENT:
      return true;
    default:
      return header == TB_FXT_MAGIC;
  }
}

static bool event_layout(uint64_t header, struct layout *layout) {
  uint64_t type = tb_fxt_field(header, 16, 19);
  layout->first = 1 + thread_words(tb_fxt_field(header, 24, 31)) + text_words(tb_fxt_field(header, 32, 47)) +
                  text_words(tb_fxt_field(header, 48, 63));
  layout->args = tb_fxt_field(header, 20, 23);
  layout->last = type == TB_FXT_COUNTER || type >= TB_FXT_DURATION_COMPLETE;
  return type <= TB_FXT_FLOW_END;
}

static bool scheduling_layout(uint64_t header, struct layout *layout) {
  switch (tb_fxt_field(header, 60, 63)) {
    case TB_FXT_LEGACY_SWITCH:
      layout->first = 1 + thread_words(tb_fxt_field(header, 28, 35)) + thread_words(tb_fxt_field(header, 36, 43));
      return true;
    case TB_FXT_CONTEXT_SWITCH:
      layout->first = 3;
      layout->args = tb_fxt_field(header, 16, 19);
      return true;
    case TB_FXT_WAKEUP:
      layout->first = 2;
      layout->args = tb_fxt_field(header, 16, 19);
      return true;
    default:
      return false;
  }
}

/* False: no record that this reader knows. A large one is none that is searched for: anything may be in it. */
static bool layout_of(uint64_t header, struct layout *layout) {
  *layout = (struct layout){0, 0, 0};
  switch (header & 15) {
    case TB_FXT_METADATA:
      return metadata_layout(header, layout);
    case TB_FXT_INITIALIZATION: /* ticks per second, and the anchor that some have */
      layout->first = tb_fxt_field(header, 4, 15) == 4 ? 3 : 1;
      return true;
    case TB_FXT_STRING:
      layout->first = words_of(tb_fxt_field(header, 32, 46));
      return true;
    case TB_FXT_THREAD:
      layout->first = 2;
      return true;
    case TB_FXT_EVENT:
      return event_layout(header, layout);
    case TB_FXT_BLOB:
      layout->first = text_words(tb_fxt_field(header, 16, 31)) + words_of(tb_fxt_field(header, 32, 46));
      return true;
    case TB_FXT_USERSPACE_OBJECT:
      layout->first = 1 + (tb_fxt_field(header, 16, 23) ? 0u : 1u) + text_words(tb_fxt_field(header, 24, 39));
      layout->args = tb_fxt_field(header, 40, 43);
      return true;
    case TB_FXT_KERNEL_OBJECT:
      layout->first = 1 + text_words(tb_fxt_field(header, 24, 39));
      layout->args = tb_fxt_field(header, 40, 43);
      return true;
    case TB_FXT_SCHEDULING:
      return scheduling_layout(header, layout);
    case TB_FXT_LOG:
      layout->first = 1 + thread_words(tb_fxt_field(header, 32, 39)) + words_of(tb_fxt_field(header, 16, 30));
      return true;
    default:
      return false;
  }
}

/* What no writer puts into a header: bits that the format reserves, the index 0. Arguments, whose headers are made
 * alike, have texts there. */
static bool is_odd(uint64_t header) {
  switch (header & 15) {
    case TB_FXT_INITIALIZATION:
      return header >> 16 != 0;
    case TB_FXT_STRING:
      return !tb_fxt_field(header, 16, 30) || tb_fxt_field(header, 31, 31) || header >> 47 != 0;
    case TB_FXT_THREAD:
      return !tb_fxt_field(header, 16, 23) || header >> 24 != 0;
    case TB_FXT_USERSPACE_OBJECT:
    case TB_FXT_KERNEL_OBJECT:
      return header >> 44 != 0;
    case TB_FXT_LOG:
      return header >> 40 != 0;
    default:
      return false;
  }
}

/* An argument or a duration, more likely than a record that says nothing. */
static bool is_small_number(uint64_t header) { return !(header >> 16) && (header & 15) != TB_FXT_INITIALIZATION; }

/* Whether the words between are just so many arguments, each as long as its type and texts need; `appended`: or more,
 * as our writer has them in logs. Records in a row look like arguments that say a wrong size. */
static bool are_args(struct tb_fxt_cursor words, uint64_t count, bool appended) {
  uint64_t found = 0;
  for (; words.at < words.end; found++) {
    uint64_t header = tb_fxt_load(words.at), type = header & 15, name = text_words(tb_fxt_field(header, 16, 31));
    uint64_t value = type == TB_FXT_ARG_STRING ? text_words(tb_fxt_field(header, 32, 47))
                     : type == TB_FXT_ARG_BLOB ? words_of(tb_fxt_field(header, 32, 63))
                                               : type >= TB_FXT_ARG_INT64 && type <= TB_FXT_ARG_KOID;
    uint64_t size = tb_fxt_field(header, 4, 15) * TB_FXT_WORD;
    if (type > TB_FXT_ARG_BLOB || size != (1 + name + value) * TB_FXT_WORD) return false;
    if (size > (uint64_t)(words.end - words.at)) return false;
    words.at += size;
  }
  return found == count || (appended && found <= TB_FXT_MAX_ARGS);
}

/* TB_OK: a record is at `at`, of *size bytes; TB_BAD_DATA: none is; TB_AGAIN: more must be read to say it. */
static enum tb_status check_record(const char *at, const char *end, size_t *size) {
  if (end - at < TB_FXT_WORD) return TB_AGAIN;
  uint64_t header = tb_fxt_load(at), words = tb_fxt_record_bytes(header) / TB_FXT_WORD;
  struct layout layout;
  if (!words || words > SEARCH_RECORD_MAX || !layout_of(header, &layout)) return TB_BAD_DATA;
  if (1 + layout.first + layout.last > words) return TB_BAD_DATA;
  *size = (size_t)words * TB_FXT_WORD;
  if (*size > (size_t)(end - at)) return TB_AGAIN;
  struct tb_fxt_cursor rest = {at + (1 + layout.first) * TB_FXT_WORD, at + *size - layout.last * TB_FXT_WORD};
  return are_args(rest, layout.args, (header & 15) == TB_FXT_LOG) ? TB_OK : TB_BAD_DATA;
}

/* The same of a place where nothing says that a record is. */
static enum tb_status check_found_record(const char *at, const char *end, size_t *size) {
  if (end - at < TB_FXT_WORD) return TB_AGAIN;
  uint64_t header = tb_fxt_load(at);
  return is_small_number(header) || is_odd(header) ? TB_BAD_DATA : check_record(at, end, size);
}

enum tb_status tb_fxt_check_records(const char *at, const char *end, bool is_last) {
  for (unsigned found = 0; found < CHAIN; found++) {
    size_t size;
    enum tb_status status = check_found_record(at, end, &size);
    if (status == TB_AGAIN && is_last) return found + (at == end) >= CHAIN - 1 ? TB_OK : TB_BAD_DATA;
    if (status != TB_OK) return status;
    at += size;
  }
  return TB_OK;
}

/* Anything may be in a large blob, but not in its header. */
static bool is_large_blob(uint64_t header) {
  return (header & 15) == TB_FXT_LARGE && tb_fxt_field(header, 36, 39) == TB_FXT_LARGE_BLOB &&
         tb_fxt_field(header, 40, 63) <= TB_FXT_LARGE_BLOB_BARE;
}

bool tb_fxt_has_records(const char *at, const char *end) {
  for (; end - at >= TB_FXT_WORD; at++)
    if (tb_fxt_check_records(at, end, false) == TB_OK) return true;
  return false;
}

/* Whether the last words of a record are whole records: its size is wrong then. */
static bool ends_in_records(const char *at, const char *end) {
  for (at += TB_FXT_WORD; at < end; at += TB_FXT_WORD) {
    size_t size;
    const char *next = at;
    while (next < end && check_found_record(next, end, &size) == TB_OK) next += size;
    if (next == end) return true;
  }
  return false;
}

/* A record that has more in it than its header names: a producer's extension of the format. Text that is taken for a
 * header says a size of 512 words at least. */
static enum tb_status check_extended_record(const char *at, const char *end, size_t *size) {
  enum tb_status status = check_record(at, end, size);
  if (status != TB_BAD_DATA) return status;
  uint64_t header = tb_fxt_load(at), words = tb_fxt_record_bytes(header) / TB_FXT_WORD;
  struct layout layout;
  if (!layout_of(header, &layout) || 1 + layout.first + layout.last > words || words > EXTENDED_MAX) return TB_BAD_DATA;
  *size = (size_t)words * TB_FXT_WORD;
  return *size > (size_t)(end - at) ? TB_AGAIN : TB_OK;
}

/* Whether reading may go on at `at`. */
static enum tb_status check_what_follows(const char *at, const char *end, bool is_last) {
  for (unsigned found = 0; found < CHAIN; found++) {
    size_t size;
    if (at == end && is_last) return TB_OK;
    if (end - at >= TB_FXT_WORD && is_large_blob(tb_fxt_load(at))) return TB_OK;
    enum tb_status status = check_extended_record(at, end, &size);
    if (status == TB_AGAIN && is_last) return found ? TB_OK : TB_BAD_DATA;
    if (status != TB_OK) return status;
    at += size;
  }
  return TB_OK;
}

enum tb_status tb_fxt_check_size(const char *at, const char *end, bool is_last) {
  uint64_t header = tb_fxt_load(at), bytes = tb_fxt_record_bytes(header);
  if (is_large_blob(header)) return TB_OK;
  size_t size;
  enum tb_status status = check_record(at, end, &size);
  if (status != TB_BAD_DATA) return is_last && status == TB_AGAIN ? TB_BAD_DATA : status;
  if (bytes > UNKNOWN_MAX) return TB_BAD_DATA;
  if (bytes > (uint64_t)(end - at)) return is_last ? TB_BAD_DATA : TB_AGAIN;
  if (tb_fxt_has_records(at, at + bytes) || ends_in_records(at, at + bytes)) return TB_BAD_DATA;
  return check_what_follows(at + bytes, end, is_last);
}

const char *tb_fxt_find_records(const char *at, const char *end, uint64_t passed, bool is_last,
                                enum tb_status *status) {
  for (*status = TB_BAD_DATA; end - at >= TB_FXT_WORD; at++, passed++) {
    bool in_step = passed % TB_FXT_WORD == 0; /* else whole chains alone count: what is found may be chance */
    *status = tb_fxt_check_records(at, end, is_last && in_step);
    if (*status == TB_AGAIN && is_last) *status = TB_BAD_DATA;
    if (*status != TB_BAD_DATA) return at;
  }
  return is_last ? end : at;
}
