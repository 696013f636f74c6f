/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts FXT records together and writes them, with the string and thread records that they need before them.
 */
#include "base/error.h"
#include "fxt/writer/writer.h"

enum {
  SHORT_TEXT = 64,   /* values up to here may come again: into the table */
  INLINE_TEXT = 1024 /* and up to here they are in the record; longer ones would fill it, so into the table */
};

void tb_fxt_fail(struct tb_fxt_writer *w, enum tb_status status) {
  if (w->status != TB_OK || status == TB_OK) return;
  w->status = status;
  (void)tb_fail(&w->writer->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

void tb_fxt_lose_event(struct tb_fxt_writer *w, const char *reason, const struct tb_event *event) {
  tb_losses_add(&w->writer->losses, reason, event ? event->offset : 0);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

void tb_fxt_open_record(struct tb_fxt_writer *w, unsigned type, uint64_t header) {
  w->words = 0;
  tb_fxt_put_word(w, header | type);
}

void tb_fxt_put_word(struct tb_fxt_writer *w, uint64_t word) {
  if (w->words < TB_FXT_MAX_WORDS) w->record[w->words] = word;
  w->words++;
}

void tb_fxt_put_stream(struct tb_fxt_writer *w, struct tb_str bytes) {
  size_t words = tb_fxt_padded(bytes.len) / TB_FXT_WORD;
  if (words && words <= TB_FXT_MAX_WORDS && w->words + words <= TB_FXT_MAX_WORDS) {
    w->record[w->words + words - 1] = 0;
    memcpy(&w->record[w->words], bytes.ptr, bytes.len);
  }
  w->words += words;
}

static void write_words(struct tb_fxt_writer *w, const uint64_t *words, size_t count) {
  if (w->status != TB_OK) return;
  tb_fxt_fail(w, tb_output_write(w->writer->output, words, count * TB_FXT_WORD, &w->writer->error));
}

void tb_fxt_close_record(struct tb_fxt_writer *w) {
  if (w->words > TB_FXT_MAX_WORDS) {
    tb_fxt_lose_event(w, "what does not fit a record of 32,760 bytes", NULL);
    return;
  }
  w->record[0] |= (uint64_t)w->words << 4;
  write_words(w, w->record, w->words);
}

void tb_fxt_write_large(struct tb_fxt_writer *w, uint64_t *words, size_t count, struct tb_str bytes) {
  static const char zeros[TB_FXT_WORD];
  size_t padded = tb_fxt_padded(bytes.len);
  words[0] |= (uint64_t)(count + padded / TB_FXT_WORD) << 4;
  write_words(w, words, count);
  struct tb_error *error = &w->writer->error;
  if (w->status == TB_OK && bytes.len) tb_fxt_fail(w, tb_output_write(w->writer->output, bytes.ptr, bytes.len, error));
  if (w->status == TB_OK) tb_fxt_fail(w, tb_output_write(w->writer->output, zeros, padded - bytes.len, error));
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

void tb_fxt_write_separate_record(struct tb_fxt_writer *w, uint64_t header, struct tb_str bytes) {
  uint64_t words[TB_FXT_MAX_STRING / TB_FXT_WORD + 1];
  size_t count = 1 + tb_fxt_padded(bytes.len) / TB_FXT_WORD;
  words[count - 1] = 0;
  words[0] = header | (uint64_t)count << 4;
  if (bytes.len) memcpy(&words[1], bytes.ptr, bytes.len);
  write_words(w, words, count);
}

static struct tb_str fit_text(struct tb_fxt_writer *w, struct tb_str text) {
  if (text.len <= TB_FXT_MAX_STRING) return text;
  tb_fxt_lose_event(w, "the end of a text of more than 32,000 bytes", NULL);
  return tb_fxt_text_cut(text, TB_FXT_MAX_STRING);
}

uint64_t tb_fxt_string_ref(struct tb_fxt_writer *w, struct tb_str text) {
  if (text.len == 0 || w->status != TB_OK) return 0;
  uint16_t index;
  bool added;
  text = fit_text(w, text);
  tb_fxt_fail(w, tb_fxt_ref_cache_use(&w->provider->strings, text, &index, &added));
  if (w->status != TB_OK) return 0;
  if (added) tb_fxt_write_separate_record(w, TB_FXT_STRING | (uint64_t)index << 16 | (uint64_t)text.len << 32, text);
  return index;
}

static uint64_t thread_ref(struct tb_fxt_writer *w, const uint64_t koids[2], bool may_be_none) {
  tb_fxt_use_process(w, koids[0]);
  if (w->status != TB_OK) return 0;
  struct tb_str key = {(const char *)koids, 2 * sizeof(*koids)};
  uint16_t index;
  bool added;
  struct tb_fxt_ref_cache *threads = &w->provider->threads;
  tb_fxt_fail(w, may_be_none ? tb_fxt_ref_cache_use_optional(threads, key, &index, &added)
                             : tb_fxt_ref_cache_use(threads, key, &index, &added));
  if (w->status != TB_OK) return 0;
  if (added) tb_fxt_write_separate_record(w, TB_FXT_THREAD | (uint64_t)index << 16, key);
  return index;
}

uint64_t tb_fxt_thread_ref(struct tb_fxt_writer *w, uint64_t process, uint64_t thread) {
  const uint64_t koids[] = {process, thread};
  return thread_ref(w, koids, false);
}

/* ---- arguments and events ---------------------------------------------------------------------------------------- */

static void put_string_arg(struct tb_fxt_writer *w, const struct tb_fxt_flat *arg, uint64_t name) {
  struct tb_str text = arg->text;
  if (text.len > TB_FXT_MAX_STRING) text = tb_fxt_write_continuation(w, name, text);
  bool is_inline = text.len > SHORT_TEXT && text.len <= INLINE_TEXT;
  uint64_t value = is_inline ? TB_FXT_INLINE | text.len : tb_fxt_string_ref(w, text);
  uint64_t words = 1 + (is_inline ? tb_fxt_padded(text.len) / TB_FXT_WORD : 0);
  tb_fxt_put_word(w, TB_FXT_ARG_STRING | words << 4 | name << 16 | value << 32);
  if (is_inline) tb_fxt_put_stream(w, text);
}

static void put_arg(struct tb_fxt_writer *w, const struct tb_fxt_flat *arg) {
  uint64_t name = tb_fxt_string_ref(w, arg->name);
  switch (arg->type) {
    case TB_FXT_ARG_NULL:
      tb_fxt_put_word(w, TB_FXT_ARG_NULL | 1 << 4 | name << 16);
      break;
    case TB_FXT_ARG_INT32:
    case TB_FXT_ARG_UINT32:
    case TB_FXT_ARG_BOOL:
      tb_fxt_put_word(w, arg->type | 1 << 4 | name << 16 | (arg->value & UINT32_MAX) << 32);
      break;
    case TB_FXT_ARG_STRING:
      put_string_arg(w, arg, name);
      break;
    case TB_FXT_ARG_BLOB:
      tb_fxt_put_word(w, TB_FXT_ARG_BLOB | (1 + tb_fxt_padded(arg->text.len) / TB_FXT_WORD) << 4 | name << 16 |
                             (uint64_t)arg->text.len << 32);
      tb_fxt_put_stream(w, arg->text);
      break;
    default:
      tb_fxt_put_word(w, arg->type | 2 << 4 | name << 16);
      tb_fxt_put_word(w, arg->value);
      break;
  }
}

void tb_fxt_put_args(struct tb_fxt_writer *w, const struct tb_fxt_flat *args, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) put_arg(w, &args[i]);
}

/* FXT's time begins at 0. An earlier event is written at 0, with its time in an argument; a counter's time is in a
 * record before it. */
static void put_event_before_zero(struct tb_fxt_writer *w, const struct tb_fxt_event_record *before_zero) {
  struct tb_fxt_event_record record = *before_zero;
  struct tb_fxt_flat args[TB_FXT_MAX_ARGS];
  bool is_complete = record.type == TB_FXT_DURATION_COMPLETE;
  record.ts = 0;
  if (record.type != TB_FXT_COUNTER) {
    if (record.arg_count + 1 + is_complete > TB_FXT_MAX_ARGS) {
      tb_fxt_lose_event(w, "an event before time 0 of so many arguments that its time has no place", NULL);
      return;
    }
    if (record.arg_count) memcpy(args, record.args, record.arg_count * sizeof(*args));
    args[record.arg_count++] = (struct tb_fxt_flat){
        .name = tb_carried_path(TB_CARRIED_TS), .value = (uint64_t)before_zero->ts, .type = TB_FXT_ARG_INT64};
    if (is_complete)
      args[record.arg_count++] = (struct tb_fxt_flat){.name = tb_carried_path(TB_CARRIED_DUR),
                                                      .value = record.last - (uint64_t)before_zero->ts,
                                                      .type = TB_FXT_ARG_INT64};
    record.args = args;
  }
  if (is_complete && record.last > INT64_MAX) record.last = 0;
  tb_fxt_put_event(w, &record);
}

void tb_fxt_put_event(struct tb_fxt_writer *w, const struct tb_fxt_event_record *record) {
  if (record->ts < 0) {
    put_event_before_zero(w, record);
    return;
  }
  /* Where more threads take turns than the table has room for, they are in their records. */
  const uint64_t koids[] = {record->process, record->thread};
  uint64_t thread = thread_ref(w, koids, true);
  uint64_t category = tb_fxt_string_ref(w, record->category), name = tb_fxt_string_ref(w, record->name);
  tb_fxt_open_record(
      w, TB_FXT_EVENT,
      (uint64_t)record->type << 16 | (uint64_t)record->arg_count << 20 | thread << 24 | category << 32 | name << 48);
  tb_fxt_put_word(w, (uint64_t)record->ts);
  if (!thread) tb_fxt_put_stream(w, (struct tb_str){(const char *)koids, sizeof(koids)});
  tb_fxt_put_args(w, record->args, record->arg_count);
  if (record->has_last) tb_fxt_put_word(w, record->last);
  tb_fxt_close_record(w);
}
