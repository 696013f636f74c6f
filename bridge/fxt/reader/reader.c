/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads FXT: the input cut into records, and the records that only change the reader's state.
 */
#include "fxt/reader/reader.h"
#include "fxt/reader/record_text.h"

#include <stdio.h>

#include "base/error.h"
#include "base/utf8.h"
#include "model/fxt_providers.h"

/* How much is read at a time; how many events one record gives at most: a counter one for each argument,
 * and two. */
enum { WINDOW_BYTES = 64 * 1024, RECORD_EVENTS = TB_FXT_MAX_ARGS + 2 };

static const char LOSS_NO_SIZE[] = "a record of size 0";
static const char LOSS_NO_RECORD[] = "bytes that are no record: the size that they say leads to none";
static const char LOSS_BEHIND[] = "words of 8 bytes passed over, up to where records go on";

enum tb_status tb_fxt_no_memory(struct tb_fxt_reader *fx, enum tb_status status) {
  if (status == TB_LIMIT)
    return tb_fail(&fx->reader->error, TB_LIMIT, fx->record_offset, "strings and tables need more memory than allowed");
  if (status == TB_NO_MEMORY) return tb_fail(&fx->reader->error, TB_NO_MEMORY, fx->record_offset, "out of memory");
  return status;
}

enum tb_status tb_fxt_malformed(struct tb_fxt_reader *fx, const char *reason, const char *at) {
  fx->malformed = reason;
  fx->malformed_at = at;
  return TB_BAD_DATA;
}

enum tb_status tb_fxt_lose(struct tb_fxt_reader *fx, const char *reason, const char *at) {
  uint64_t offset = at ? fx->text_offset + (uint64_t)(at - fx->batch->text) : fx->record_offset;
  return tb_reader_lose(fx->reader, reason, offset);
}

enum tb_status tb_fxt_add_event(struct tb_fxt_reader *fx, enum tb_event_type type, const struct tb_track *track,
                                struct tb_event **event) {
  fx->plain_events &= ~(UINT64_C(1) << fx->batch->event_count);
  *event = tb_batch_add_event(fx->batch);
  if (!*event) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  (*event)->type = type;
  (*event)->track = track;
  (*event)->sequence = fx->tables.provider->id;
  (*event)->offset = fx->record_offset;
  return TB_OK;
}

/* ---- records about the trace itself ------------------------------------------------------------------------------ */

static enum tb_status parse_provider_info(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  struct tb_str name;
  if (!tb_fxt_take_stream(&cursor, (size_t)tb_fxt_field(header, 52, 59), &name))
    return tb_fxt_malformed(fx, "a provider's name runs past its record", NULL);
  uint32_t id = (uint32_t)tb_fxt_field(header, 20, 51);
  enum tb_status status = tb_fxt_use_provider(&fx->tables, id, true);
  if (status == TB_OK) status = tb_utf8_repair(&fx->batch->arena, &name);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  if (tb_str_equal(name, TB_STR(TB_FXT_OWN_PROVIDER))) return TB_OK; /* tells nothing of the source */
  status = tb_fxt_intern(&fx->tables.texts, name, &fx->tables.provider->name);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  struct tb_event *event;
  status = tb_fxt_add_event(fx, TB_EVENT_TRACE_METADATA, NULL, &event);
  if (status != TB_OK) return status;
  enum { KEY_BYTES = 32 };
  char *key = tb_arena_alloc(&fx->batch->arena, KEY_BYTES);
  struct tb_arg *arg = tb_arena_alloc(&fx->batch->arena, sizeof(*arg));
  if (!key || !arg) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  event->name = (struct tb_str){key, (size_t)snprintf(key, KEY_BYTES, TB_PROVIDER_NAME "%u", id)};
  *arg = (struct tb_arg){.name = event->name, .text = name, .span = 1, .type = TB_ARG_STRING};
  event->has = TB_HAS_NAME | TB_HAS_ARGS;
  event->args = arg;
  event->arg_count = 1;
  return TB_OK;
}

enum tb_status tb_fxt_emit_provider(struct tb_fxt_reader *fx, const struct tb_track *thread) {
  const struct tb_fxt_provider *provider = fx->tables.provider;
  const struct tb_track *process = thread->parent;
  if (!provider->name.len || !process || process->pid == 0 ||
      tb_map_find(&fx->tables.process_providers, process->index, 0))
    return TB_OK;
  enum tb_status status = tb_map_put(&fx->tables.process_providers, process->index, 0, provider->id);
  if (status != TB_OK) return tb_fxt_no_memory(fx, status);
  struct tb_event *event;
  status = tb_fxt_add_event(fx, TB_EVENT_METADATA, process, &event);
  if (status != TB_OK) return status;
  struct tb_arg *args = tb_arena_alloc(&fx->batch->arena, 2 * sizeof(*args));
  if (!args) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  args[0] = (struct tb_arg){.name = TB_STR("id"), .u = provider->id, .span = 1, .type = TB_ARG_UINT, .width = 32};
  args[1] = (struct tb_arg){.name = TB_STR("name"), .text = provider->name, .span = 1, .type = TB_ARG_STRING};
  event->phase = 'M';
  event->name = TB_STR(TB_PROVIDER_OF_PROCESS);
  event->has = TB_HAS_NAME | TB_HAS_ARGS;
  event->args = args;
  event->arg_count = 2;
  return TB_OK;
}

static enum tb_status parse_provider_event(struct tb_fxt_reader *fx, uint64_t header) {
  if (tb_fxt_field(header, 52, 55) != TB_FXT_BUFFER_FULL)
    return tb_fxt_malformed(fx, "a provider event of unknown kind", NULL);
  struct tb_event *event;
  enum tb_status status = tb_fxt_add_event(fx, TB_EVENT_DATA_LOSS, NULL, &event);
  if (status == TB_OK) event->sequence = (uint32_t)tb_fxt_field(header, 20, 51);
  return status;
}

static enum tb_status parse_metadata(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  switch (tb_fxt_field(header, 16, 19)) {
    case TB_FXT_PROVIDER_INFO:
      return parse_provider_info(fx, header, cursor);
    case TB_FXT_PROVIDER_SECTION:
      return tb_fxt_no_memory(fx, tb_fxt_use_provider(&fx->tables, (uint32_t)tb_fxt_field(header, 20, 51), false));
    case TB_FXT_PROVIDER_EVENT:
      return parse_provider_event(fx, header);
    case TB_FXT_TRACE_INFO:
      if (header == TB_FXT_MAGIC && fx->reader->has_read)
        tb_reader_note(fx->reader, TB_NOTE_ANOTHER_TRACE, fx->record_offset);
      return header == TB_FXT_MAGIC ? TB_OK : tb_fxt_malformed(fx, "a trace info record of unknown kind", NULL);
    default:
      return tb_fxt_malformed(fx, "a metadata record of unknown kind", NULL);
  }
}

/* Four words anchor the ticks: so many ticks were the moment so many ns after the Unix epoch. Each provider says it: of
 * them, and of parts of a trace that were put one behind the other, it is one reading of the clocks. */
static enum tb_status give_anchor(struct tb_fxt_reader *fx, uint64_t base_ticks, uint64_t unix_ns) {
  int64_t ns;
  if (unix_ns > INT64_MAX || !tb_fxt_rate_ns(&fx->tables.provider->rate, base_ticks, &ns))
    return tb_fxt_malformed(fx, "an initialisation's base time is past the range of 63 bits of ns", NULL);
  if (fx->has_anchor && fx->anchor_ns == ns && fx->anchor_unix_ns == (int64_t)unix_ns) return TB_OK;
  fx->has_anchor = true;
  fx->anchor_ns = ns;
  fx->anchor_unix_ns = (int64_t)unix_ns;
  struct tb_event *event;
  enum tb_status status = tb_fxt_add_event(fx, TB_EVENT_CLOCK_SNAPSHOT, NULL, &event);
  if (status != TB_OK) return status;
  struct tb_clock_reading *clocks = tb_arena_alloc(&fx->batch->arena, 2 * sizeof(*clocks));
  if (!clocks) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  clocks[0] = (struct tb_clock_reading){TB_CLOCK_TRACE_FILE, ns};
  clocks[1] = (struct tb_clock_reading){TB_CLOCK_REALTIME, (int64_t)unix_ns};
  event->clocks = clocks;
  event->clock_count = 2;
  fx->batch->has_clocks = true;
  return TB_OK;
}

static enum tb_status parse_initialization(struct tb_fxt_reader *fx, struct tb_fxt_cursor cursor) {
  uint64_t ticks_per_second, base_ticks, unix_ns;
  if (!tb_fxt_take_word(&cursor, &ticks_per_second))
    return tb_fxt_malformed(fx, "an initialisation without ticks", NULL);
  if (ticks_per_second == 0) return tb_fxt_malformed(fx, "an initialisation of 0 ticks per second", NULL);
  fx->tables.provider->rate = tb_fxt_rate_of(ticks_per_second);
  if (!tb_fxt_take_word(&cursor, &base_ticks) || !tb_fxt_take_word(&cursor, &unix_ns)) return TB_OK;
  return give_anchor(fx, base_ticks, unix_ns);
}

static enum tb_status parse_string(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  uint32_t index = (uint32_t)tb_fxt_field(header, 16, 30);
  struct tb_str text;
  if (!tb_fxt_take_stream(&cursor, (size_t)tb_fxt_field(header, 32, 46), &text))
    return tb_fxt_malformed(fx, "a string runs past its record", NULL);
  if (index == 0) return TB_OK; /* reserved for the empty string; the format says to ignore it */
  enum tb_status status = tb_utf8_repair(&fx->batch->arena, &text);
  if (status == TB_OK) status = tb_fxt_set_string(&fx->tables, index, text);
  return tb_fxt_no_memory(fx, status);
}

static enum tb_status parse_thread(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  uint32_t index = (uint32_t)tb_fxt_field(header, 16, 23);
  uint64_t process, thread;
  if (!tb_fxt_take_word(&cursor, &process) || !tb_fxt_take_word(&cursor, &thread))
    return tb_fxt_malformed(fx, "a thread record without its koids", NULL);
  if (index == 0) return TB_OK; /* as for strings */
  struct tb_track *track;
  enum tb_status status = tb_fxt_thread_track(&fx->tables, process, thread, &track);
  if (status == TB_OK) status = tb_fxt_set_thread(&fx->tables, index, track);
  return status == TB_OK ? tb_fxt_emit_provider(fx, track) : tb_fxt_no_memory(fx, status);
}

static enum tb_status parse_record(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor) {
  switch (header & 15) {
    case TB_FXT_METADATA:
      return parse_metadata(fx, header, cursor);
    case TB_FXT_INITIALIZATION:
      return parse_initialization(fx, cursor);
    case TB_FXT_STRING:
      return parse_string(fx, header, cursor);
    case TB_FXT_THREAD:
      return parse_thread(fx, header, cursor);
    case TB_FXT_EVENT:
      return tb_fxt_parse_event(fx, header, cursor);
    case TB_FXT_BLOB:
      return tb_fxt_parse_blob(fx, header, cursor);
    case TB_FXT_USERSPACE_OBJECT:
      return tb_fxt_parse_userspace_object(fx, header, cursor);
    case TB_FXT_KERNEL_OBJECT:
      return tb_fxt_parse_kernel_object(fx, header, cursor);
    case TB_FXT_SCHEDULING:
      return tb_fxt_parse_scheduling(fx, header, cursor);
    case TB_FXT_LOG:
      return tb_fxt_parse_log(fx, header, cursor);
    case TB_FXT_LARGE:
      return tb_fxt_parse_large(fx, header, cursor);
    default:
      return tb_fxt_malformed(fx, "a record of unknown type", NULL);
  }
}

/* ---- cutting the input into records -------------------------------------------------------------------------------
 */

static void show_record(struct tb_fxt_reader *fx, struct tb_str bytes, uint64_t header) {
  const struct tb_fxt_raw_record record = {
      .offset = fx->record_offset, .header = header, .bytes = bytes, .tables = &fx->tables};
  fx->reader->watch.take(fx->reader->watch.ctx, &record);
}

/* So many bytes are of no record that can be read. Not TB_OK where there were too many of them, and no event before. */
static enum tb_status pass_junk(struct tb_fxt_reader *fx, uint64_t bytes) {
  const struct tb_reader *reader = fx->reader;
  size_t max = reader->options.max_junk_bytes;
  fx->junk += bytes;
  if (fx->seen_event || fx->batch->event_count || fx->junk <= max) return TB_OK;
  uint64_t from = reader->losses.count ? reader->losses.entries[0].first_offset : 0;
  return tb_fail_junk(&fx->reader->error, tb_format_name(TB_FORMAT_FXT), from, max);
}

/* Reads one whole record; a bad one is counted as lost and gives no events. */
static enum tb_status read_record(struct tb_fxt_reader *fx, const char *record, uint64_t header, size_t size) {
  size_t events = fx->batch->event_count;
  if (fx->reader->watch.take) show_record(fx, (struct tb_str){record, size}, header);
  enum tb_status status = parse_record(fx, header, (struct tb_fxt_cursor){record + TB_FXT_WORD, record + size});
  if (status == TB_OK) fx->reader->has_read |= header != TB_FXT_MAGIC;
  if (status != TB_BAD_DATA || !fx->malformed) return status;
  fx->batch->event_count = events;
  const char *malformed = fx->malformed;
  fx->malformed = NULL;
  status = tb_fxt_lose(fx, malformed, fx->malformed_at);
  return status == TB_OK ? pass_junk(fx, size) : status;
}

/* Passes over bytes of a record that is too long. */
static enum tb_status skip_some(struct tb_fxt_reader *fx) {
  size_t left = fx->text_len - fx->at, passed = fx->skip < left ? (size_t)fx->skip : left;
  fx->skip -= passed;
  fx->at += passed;
  return pass_junk(fx, passed);
}

static enum tb_status begin_search(struct tb_fxt_reader *fx, const char *reason) {
  fx->searching = true;
  fx->searched = 0;
  return tb_reader_lose(fx->reader, reason, fx->record_offset);
}

static uint64_t words_of(uint64_t bytes) { return (bytes + TB_FXT_WORD - 1) / TB_FXT_WORD; }

/* Passes over bytes up to where records go on, if that is in the window: then it is no longer searched for. Text that
 * a program wrote between records has any length. */
static enum tb_status search_on(struct tb_fxt_reader *fx) {
  const char *start = fx->batch->text + fx->at, *end = fx->batch->text + fx->text_len;
  enum tb_status found;
  size_t passed = (size_t)(tb_fxt_find_records(start, end, fx->searched, fx->is_last, &found) - start);
  fx->searching = found != TB_OK;
  if (!passed) return TB_OK;
  uint64_t words = words_of(fx->searched + passed) - words_of(fx->searched);
  fx->searched += passed;
  if (words) tb_reader_count_losses(fx->reader, LOSS_BEHIND, words, fx->text_offset + fx->at);
  fx->at += passed;
  return pass_junk(fx, passed);
}

/* Whether what is next in the window is a record: TB_AGAIN where more has to be read to say it, or where the input ends
 * in it. */
static enum tb_status check_next(const struct tb_fxt_reader *fx, const char *record, uint64_t size) {
  const char *end = fx->batch->text + fx->text_len;
  enum tb_status status = tb_fxt_check_size(record, end, fx->is_last);
  bool is_cut =
      status == TB_BAD_DATA && fx->is_last && size > (uint64_t)(end - record) && !tb_fxt_has_records(record, end);
  return is_cut ? TB_AGAIN : status;
}

/* Reads the records that are whole in the window, as many as the batch takes. */
static enum tb_status read_records(struct tb_fxt_reader *fx) {
  const struct tb_batch *batch = fx->batch;
  enum tb_status status = TB_OK;
  while (status == TB_OK) {
    tb_fxt_read_plain(fx);
    if (batch->event_count + RECORD_EVENTS > TB_FXT_BATCH_EVENTS) break;
    if (fx->skip && (status = skip_some(fx)) != TB_OK) break;
    if (fx->searching && ((status = search_on(fx)) != TB_OK || fx->searching)) break;
    size_t left = fx->text_len - fx->at;
    if (left < TB_FXT_WORD) break;
    const char *record = batch->text + fx->at;
    uint64_t header = tb_fxt_load(record), size = tb_fxt_record_bytes(header);
    fx->record_offset = fx->text_offset + fx->at;
    enum tb_status next = size ? check_next(fx, record, size) : TB_BAD_DATA;
    if (next == TB_AGAIN) break;
    if (next == TB_BAD_DATA) {
      status = begin_search(fx, size ? LOSS_NO_RECORD : LOSS_NO_SIZE);
      continue;
    }
    if (size > fx->reader->options.max_record_bytes) {
      fx->skip = size;
      status = tb_reader_lose(fx->reader, "a record longer than allowed", fx->record_offset);
      continue;
    }
    if (size > left) break;
    fx->at += (size_t)size;
    status = read_record(fx, record, header, (size_t)size);
  }
  return status;
}

/* Whether a packet in blobs is still to be ended. */
static bool has_open_packet(const struct tb_map *streams) {
  size_t at = 0;
  for (struct tb_map_entry entry; tb_map_next(streams, &at, &entry);)
    if (((const struct tb_buffer *)(uintptr_t)entry.value)->len) return true;
  return false;
}

static enum tb_status finish_input(struct tb_fxt_reader *fx) {
  enum tb_status status = TB_OK;
  uint64_t left_at = fx->text_offset + fx->at, end = fx->text_offset + fx->text_len;
  fx->ended = true;
  if (left_at < end || fx->skip) status = tb_reader_lose(fx->reader, "the input ends inside a record", left_at);
  if (status == TB_OK && fx->end == TB_TRUNCATED)
    status = tb_reader_lose(fx->reader, "the compressed input ends too early", end);
  if (status == TB_OK && has_open_packet(&fx->tables.packet_streams))
    status = tb_reader_lose(fx->reader, "a Perfetto blob ends inside a packet", left_at);
  return status == TB_OK ? TB_END : status;
}

/* Room for a window more than is left of the last one. A long record gets it as its bytes come, whatever size it
 * says. */
static enum tb_status make_room(struct tb_fxt_reader *fx) {
  struct tb_batch *batch = fx->batch;
  size_t left = fx->text_len;
  if (batch->text_capacity >= left && batch->text_capacity - left >= WINDOW_BYTES) return TB_OK;
  size_t capacity = left < WINDOW_BYTES ? 2 * WINDOW_BYTES : 2 * left + WINDOW_BYTES;
  size_t held = batch->text_capacity ? batch->text_capacity + TB_BATCH_PADDING : 0;
  char *grown = tb_realloc(batch->allocator, batch->text, held, capacity + TB_BATCH_PADDING);
  if (!grown) return tb_fxt_no_memory(fx, TB_NO_MEMORY);
  batch->text = grown;
  batch->text_capacity = capacity;
  return TB_OK;
}

/* Moves what is left of the window to its front and reads on behind it. */
static enum tb_status read_window(struct tb_fxt_reader *fx) {
  size_t left = fx->text_len - fx->at;
  if (left && fx->at) memmove(fx->batch->text, fx->batch->text + fx->at, left);
  fx->text_offset += fx->at;
  fx->at = 0;
  fx->text_len = left;
  enum tb_status status = make_room(fx);
  if (status != TB_OK) return status;
  size_t got = 0;
  status = tb_input_read(fx->reader->input, fx->batch->text + left, WINDOW_BYTES, &got, &fx->reader->error);
  fx->text_len += got;
  return status;
}

/* It is always the same batch, for this reader does not run ahead: the window stays in its text from one fill to the
 * next. */
static enum tb_status fill(struct tb_reader *reader, struct tb_batch *batch) {
  struct tb_fxt_reader *fx = reader->state;
  fx->batch = batch;
  for (;;) {
    enum tb_status status = fx->ended ? TB_OK : read_records(fx);
    fx->seen_event |= batch->event_count > 0;
    if (status != TB_OK || batch->event_count) return status;
    if (fx->ended) return TB_END;
    if (fx->is_last) return finish_input(fx);
    status = read_window(fx);
    if (status == TB_END || status == TB_TRUNCATED) {
      fx->is_last = true;
      fx->end = status;
    } else if (status != TB_OK)
      return status;
  }
}

/* ---- the reader -----------------------------------------------------------------------------------------------------
 */

static void destroy(struct tb_reader *reader) {
  struct tb_fxt_reader *fx = reader->state;
  if (!fx) return;
  tb_fxt_tables_free(&fx->tables);
  tb_buffer_free(&fx->continuations);
  tb_buffer_free(&fx->counter_members);
  tb_free(reader->allocator, fx->args, fx->arg_capacity * sizeof(*fx->args));
  tb_free(reader->allocator, fx, sizeof(*fx));
  reader->state = NULL;
}

static enum tb_status create(struct tb_reader *reader) {
  enum tb_status status = tb_fxt_check_format(reader);
  if (status != TB_OK) return status;
  struct tb_fxt_reader *fx = tb_calloc(reader->allocator, sizeof(*fx));
  if (!fx) return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  fx->reader = reader;
  tb_buffer_init(&fx->continuations, reader->allocator, 0);
  tb_buffer_init(&fx->counter_members, reader->allocator, 0);
  reader->state = fx;
  status = tb_fxt_tables_init(&fx->tables, reader->allocator, reader->options.max_interned_bytes);
  if (status == TB_OK) return TB_OK;
  status = tb_fxt_no_memory(fx, status);
  destroy(reader);
  return status;
}

static enum tb_detection detect(const char *data, size_t len) {
  if (len < TB_FXT_WORD) return TB_DETECT_NO;
  uint64_t first = tb_fxt_load(data);
  return first == TB_FXT_MAGIC || first == TB_FXT_MAGIC_BIG_ENDIAN ? TB_DETECT_CERTAIN : TB_DETECT_NO;
}

const struct tb_reader_ops tb_fxt_reader_ops = {.format = TB_FORMAT_FXT,
                                                .create = create,
                                                .fill = fill,
                                                .destroy = destroy,
                                                .detect = detect,
                                                .source = {.flow_ends_close = true,
                                                           .counters_by_id = true,
                                                           .unnamed_slices = true,
                                                           .thread_zero = true,
                                                           .own_states = true},
                                                .records = &tb_fxt_record_ops};
