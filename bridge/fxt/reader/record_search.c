/* SPDX-License-Identifier: Apache-2.0
 *
 * Where FXT goes on behind a record that does not say how long it is. Records have no mark that they begin with, so
 * what its header says of a record must be just what the record is long, and the same of those behind it.
 */
#include "fxt/reader/reader.h"

enum { CHAIN = 3, SEARCH_RECORD_MAX = TB_FXT_MAX_WORDS }; /* records in a row; the words of one */

/* What a record consists of, by its header, in words: what comes first, arguments, and what comes last. */
struct layout {
  uint64_t first, last;
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
      return true;
    case TB_FXT_WAKEUP:
      layout->first = 2;
      return true;
    default:
      return false;
  }
}

/* False: no record that this reader knows. A large one is none that is searched for: anything may be in it. */
static bool layout_of(uint64_t header, struct layout *layout) {
  *layout = (struct layout){0, 0};
  switch (header & 15) {
    case TB_FXT_METADATA:
      return metadata_layout(header, layout);
    case TB_FXT_INITIALIZATION:
      layout->first = 1;
      return true;
    case TB_FXT_STRING:
      layout->first = words_of(tb_fxt_field(header, 32, 46));
      return tb_fxt_field(header, 16, 30) > 0;
    case TB_FXT_THREAD:
      layout->first = 2;
      return tb_fxt_field(header, 16, 23) > 0;
    case TB_FXT_EVENT:
      return event_layout(header, layout);
    case TB_FXT_BLOB:
      layout->first = text_words(tb_fxt_field(header, 16, 31)) + words_of(tb_fxt_field(header, 32, 46));
      return true;
    case TB_FXT_USERSPACE_OBJECT:
      layout->first = 1 + (tb_fxt_field(header, 16, 23) ? 0u : 1u) + text_words(tb_fxt_field(header, 24, 39));
      return true;
    case TB_FXT_KERNEL_OBJECT:
      layout->first = 1 + text_words(tb_fxt_field(header, 24, 39));
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

/* An argument or a duration, more likely than a record that says nothing. */
static bool is_small_number(uint64_t header) { return !(header >> 16) && (header & 15) != TB_FXT_INITIALIZATION; }

/* TB_OK: a record is at `at`, of *size bytes; TB_BAD_DATA: none is; TB_AGAIN: more must be read to say it. */
static enum tb_status check_record(const char *at, const char *end, size_t *size) {
  if (end - at < TB_FXT_WORD) return TB_AGAIN;
  uint64_t header = tb_fxt_load(at), words = tb_fxt_record_bytes(header) / TB_FXT_WORD;
  struct layout layout;
  if (!words || words > SEARCH_RECORD_MAX || is_small_number(header) || !layout_of(header, &layout)) return TB_BAD_DATA;
  if (1 + layout.first + layout.last > words) return TB_BAD_DATA;
  *size = (size_t)words * TB_FXT_WORD;
  if (*size > (size_t)(end - at)) return TB_AGAIN;
  struct tb_fxt_cursor rest = {at + (1 + layout.first) * TB_FXT_WORD, at + *size - layout.last * TB_FXT_WORD};
  uint32_t count;
  return tb_fxt_are_args(rest, &count) ? TB_OK : TB_BAD_DATA;
}

enum tb_status tb_fxt_check_records(const char *at, const char *end, bool is_last) {
  for (unsigned found = 0; found < CHAIN; found++) {
    size_t size;
    enum tb_status status = check_record(at, end, &size);
    if (status == TB_AGAIN && is_last) return found + (at == end) >= CHAIN - 1 ? TB_OK : TB_BAD_DATA;
    if (status != TB_OK) return status;
    at += size;
  }
  return TB_OK;
}
