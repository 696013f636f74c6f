/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/reader.h"

#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/options.h"
#include "convert/format_detect.h"
#include "convert/reader_clocks.h"
#include "convert/reader_origin.h"
#include "convert/registry.h"
#include "convert/shaped_reader.h"
#include "convert/system_text.h"
#include "io/caller_input.h"
#include "shape/shaper.h"

enum { DETECT_BYTES = 4096 };

static enum tb_status fail_unknown(struct tb_reader *reader, const char *data, size_t len) {
  return tb_format_fail_unknown(&reader->error, data, len);
}

enum tb_status tb_reader_find_format(struct tb_reader *reader) {
  if (reader->ops) return TB_OK;
  if (reader->error.code != TB_OK) return reader->error.code;
  const char *data;
  size_t len;
  enum tb_status status = tb_input_peek(reader->input, &data, DETECT_BYTES, &len, &reader->error);
  if (status == TB_END) return tb_fail(&reader->error, TB_UNKNOWN_FORMAT, 0, "is empty");
  if (status == TB_TRUNCATED) return tb_fail(&reader->error, TB_UNKNOWN_FORMAT, 0, "is damaged from its first byte on");
  if (status != TB_OK && (status != TB_AGAIN || !len)) return status;
  enum tb_detection sure = TB_DETECT_CERTAIN;
  const struct tb_format_entry *entry = reader->options.format != TB_FORMAT_UNKNOWN
                                            ? tb_registry_find(reader->options.format)
                                            : tb_format_find(data, len, &sure);
  if (status == TB_AGAIN && sure != TB_DETECT_CERTAIN) return TB_AGAIN; /* fed in small pieces */
  if (!entry || !entry->reader) return fail_unknown(reader, data, len);
  status = entry->reader->create(reader);
  if (status == TB_OK) reader->ops = entry->reader;
  return status;
}

/* NULL where *status is none of success, which is in *error too. */
static struct tb_reader *create(const struct tb_reader_options *options, enum tb_status *status,
                                struct tb_error *error) {
  struct tb_reader_options filled = {.size = sizeof(filled)};
  *status = tb_options_take(&filled, sizeof(filled), options, error);
  if (*status != TB_OK) return NULL;
  if (filled.format != TB_FORMAT_UNKNOWN && !tb_registry_find(filled.format)) {
    *status = tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the format is none of enum tb_format");
    return NULL;
  }
  if ((unsigned)filled.shape > TB_SHAPE_SOURCE || (unsigned)filled.slices > TB_SLICES_COMPLETE) {
    *status = tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the shape of events is none of enum tb_shape, or of slices");
    return NULL;
  }
  if (filled.event_types >> TB_EVENT_TYPE_COUNT) {
    *status = tb_fail(error, TB_INVALID, TB_NO_OFFSET, "event_types has a type that is none of enum tb_event_type");
    return NULL;
  }
  if (filled.sort_window_ns) filled.sorted = true;
  if (filled.sorted) filled.shape = TB_SHAPE_ONE;
  if (!filled.allocator) filled.allocator = tb_default_allocator();
  if (!filled.max_record_bytes) filled.max_record_bytes = (size_t)256 << 20;
  if (!filled.max_interned_bytes) filled.max_interned_bytes = (size_t)4 << 30;
  if (!filled.max_junk_bytes) filled.max_junk_bytes = TB_JUNK_MAX;
  if (!filled.threads) filled.threads = 1;
  struct tb_reader *reader = tb_calloc(filled.allocator, sizeof(*reader));
  if (!reader) {
    *status = tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
    return NULL;
  }
  reader->options = filled;
  tb_guard_init(&reader->guard, filled.allocator);
  reader->allocator = &reader->guard.allocator;
  tb_batch_init(&reader->batch, reader->allocator);
  tb_intern_init(&reader->kept, filled.allocator);
  return reader;
}

/* What all ways to open begin with. NULL where *status is none of success. */
static struct tb_reader *begin_open(const char *name, const struct tb_reader_options *options, struct tb_reader **out,
                                    enum tb_status *status, struct tb_error *error) {
  *status = tb_check_open(name, out, error);
  if (out) *out = NULL;
  return *status == TB_OK ? create(options, status, error) : NULL;
}

/* What they end with: the reader is the caller's, or closed and its error given. */
static enum tb_status end_open(struct tb_reader *reader, const char *name, enum tb_status status,
                               struct tb_reader **out, struct tb_error *error) {
  status = tb_guard_settle(&reader->guard, status, &reader->error);
  if (status == TB_OK) {
    *out = reader;
    return TB_OK;
  }
  tb_error_set_file(&reader->error, reader->input ? tb_input_name(reader->input) : name);
  if (error && error->code == TB_OK) *error = reader->error;
  tb_reader_close(reader);
  return status;
}

enum tb_status tb_reader_open_place(const struct tb_input_place *place, const struct tb_reader_options *options,
                                    struct tb_tap **tap, struct tb_reader **out, struct tb_error *error) {
  enum tb_status status;
  struct tb_reader *reader = begin_open(place->name, options, out, &status, error);
  if (!reader) return status;
  return end_open(reader, place->name, tb_reader_open_trace(reader, place, tap), out, error);
}

/* What a user opens, who may want to go back in it. */
static enum tb_status open_origin(const char *name, struct tb_reader_origin origin,
                                  const struct tb_reader_options *options, struct tb_reader **out,
                                  struct tb_error *error) {
  enum tb_status status;
  struct tb_reader *reader = begin_open(name, options, out, &status, error);
  if (!reader) return status;
  if (origin.kind == TB_ORIGIN_MEMORY && !origin.bytes.ptr && origin.bytes.len)
    status = tb_fail(&reader->error, TB_INVALID, TB_NO_OFFSET, "the bytes are NULL");
  if (status == TB_OK) status = tb_reader_set_origin(reader, name, origin);
  if (status == TB_OK) status = tb_reader_open_origin(reader);
  return end_open(reader, name, status, out, error);
}

enum tb_status tb_reader_open(const char *path, const struct tb_reader_options *options, struct tb_reader **out,
                              struct tb_error *error) {
  return open_origin(path, (struct tb_reader_origin){.kind = TB_ORIGIN_FILE}, options, out, error);
}

enum tb_status tb_reader_open_memory(const char *name, const void *data, size_t len,
                                     const struct tb_reader_options *options, struct tb_reader **out,
                                     struct tb_error *error) {
  const struct tb_reader_origin origin = {.kind = TB_ORIGIN_MEMORY, .bytes = {data, len}};
  return open_origin(name, origin, options, out, error);
}

enum tb_status tb_reader_open_descriptor(const char *name, int fd, const struct tb_reader_options *options,
                                         struct tb_reader **out, struct tb_error *error) {
  const struct tb_reader_origin origin = {.kind = TB_ORIGIN_DESCRIPTOR, .fd = fd, .start = lseek(fd, 0, SEEK_CUR)};
  return open_origin(name, origin, options, out, error);
}

enum tb_status tb_reader_open_callback(const char *name, tb_read_bytes read_bytes, void *ctx,
                                       const struct tb_reader_options *options, struct tb_reader **out,
                                       struct tb_error *error) {
  enum tb_status status;
  struct tb_reader *reader = begin_open(name, options, out, &status, error);
  if (!reader) return status;
  if (!read_bytes) status = tb_fail(&reader->error, TB_INVALID, TB_NO_OFFSET, "the function that reads is NULL");
  if (status == TB_OK)
    status = tb_input_open_callback(name, read_bytes, ctx, reader->options.allocator, reader->options.threads,
                                    &reader->input, &reader->error);
  if (status == TB_OK) status = tb_reader_find_format(reader);
  return end_open(reader, name, status, out, error);
}

enum tb_status tb_reader_create_feed(const char *name, const struct tb_reader_options *options, struct tb_reader **out,
                                     struct tb_error *error) {
  enum tb_status status;
  struct tb_reader *reader = begin_open(name, options, out, &status, error);
  if (!reader) return status;
  status = tb_input_create_feed(name, reader->options.allocator, &reader->input, &reader->error);
  return end_open(reader, name, status, out, error);
}

enum tb_status tb_reader_feed(struct tb_reader *reader, const void *data, size_t len) {
  if (!reader || !reader->input || (!data && len)) return TB_INVALID;
  return tb_input_feed(reader->input, data, len);
}

void tb_reader_feed_end(struct tb_reader *reader) {
  if (reader && reader->input) tb_input_feed_end(reader->input);
}

/* What the input lost, once it is read. */
static enum tb_status take_input_losses(struct tb_reader *reader) {
  const struct tb_losses *losses = tb_input_losses(reader->input);
  if (!losses || reader->took_input_losses) return TB_END;
  reader->took_input_losses = true;
  tb_losses_add_all(&reader->losses, losses);
  if (!losses->count || !reader->options.strict) return TB_END;
  return tb_fail(&reader->error, TB_BAD_DATA, losses->entries[0].first_offset,
                 "%s (tb_reader_options.strict stops at the first)", losses->entries[0].reason);
}

/* Events are where users know what they were decoded from. */
static void place_events(const struct tb_reader *reader, struct tb_batch *batch) {
  for (size_t i = 0; i < batch->event_count; i++)
    batch->events[i].offset = tb_input_place_of(reader->input, batch->events[i].offset);
}

enum tb_status tb_reader_fill(struct tb_reader *reader, struct tb_batch *batch) {
  tb_batch_reset(batch);
  reader->used_up = batch->fill; /* batches are used in the order in which they were filled */
  batch->fill = ++reader->fills;
  enum tb_status status = tb_reader_find_format(reader);
  if (status == TB_OK) status = reader->ops->fill(reader, batch);
  if (batch->has_text && (reader->target.system_as_events || reader->is_shaped))
    status = tb_system_text_read_as_events(reader, batch, status);
  status = tb_guard_settle(&reader->guard, status, &reader->error);
  if (status == TB_NO_MEMORY) batch->event_count = 0; /* they may lack something */
  if (reader->decoded) place_events(reader, batch);
  reader->has_read |= batch->event_count > 0;
  if (status == TB_END) status = take_input_losses(reader);
  if (status == TB_END && !reader->has_read)
    status = tb_losses_end(&reader->losses, tb_format_name(reader->ops->format),
                           reader->options.format != TB_FORMAT_UNKNOWN && !reader->decoded, &reader->error);
  if (reader->error.code != TB_OK) tb_error_set_file(&reader->error, tb_input_name(reader->input));
  return status;
}

/* Whether the user wants no more of it, which then is what reading ends with. */
static bool is_cancelled(struct tb_reader *reader) {
  const struct tb_reader_options *options = &reader->options;
  if (!options->progress || reader->error.code != TB_OK) return false;
  if (options->progress(options->progress_ctx, tb_reader_bytes_read(reader), tb_reader_size(reader))) return false;
  reader->held = tb_fail(&reader->error, TB_CANCELLED, TB_NO_OFFSET, "%s", tb_status_text(TB_CANCELLED));
  return true;
}

/* Apart from the function that is called for every event, whose way it would lengthen. */
__attribute__((noinline)) enum tb_status tb_reader_fill_own_batch(struct tb_reader *reader) {
  while (reader->next_event == reader->batch.event_count) {
    if (reader->held != TB_OK && reader->held != TB_AGAIN) return reader->held;
    reader->next_event = 0;
    reader->held = tb_reader_fill(reader, &reader->batch);
    if (is_cancelled(reader)) reader->batch.event_count = 0;
    if (reader->batch.has_clocks && tb_reader_take_clocks(reader) != TB_OK)
      reader->held = tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
    if (reader->held == TB_AGAIN && reader->batch.event_count == 0) return TB_AGAIN;
  }
  return TB_OK;
}

enum tb_status tb_reader_next(struct tb_reader *reader, const struct tb_event **event) {
  if (!reader || !event) return TB_INVALID;
  if (reader->options.shape == TB_SHAPE_ONE || reader->options.event_types) {
    bool is_any_chosen = reader->shaper && !reader->options.event_types && reader->error.code == TB_OK;
    const struct tb_event *made = is_any_chosen ? tb_shaper_take(reader->shaper) : NULL;
    if (!made) return tb_reader_next_chosen(reader, event);
    *event = made;
    return TB_OK;
  }
  if (reader->next_event == reader->batch.event_count) {
    enum tb_status status = tb_reader_fill_own_batch(reader);
    if (status != TB_OK) return status;
  }
  *event = &reader->batch.events[reader->next_event++];
  return TB_OK;
}

enum tb_status tb_reader_intern(struct tb_reader *reader, struct tb_str text, struct tb_str *kept) {
  if (kept) *kept = (struct tb_str){"", 0};
  if (!reader || !kept || (!text.ptr && text.len)) return TB_INVALID;
  if (!text.len) return TB_OK;
  uint32_t id = tb_intern_id(&reader->kept, text);
  if (!id) return TB_NO_MEMORY;
  *kept = tb_intern_text(&reader->kept, id);
  return TB_OK;
}

enum tb_format tb_reader_format(const struct tb_reader *reader) {
  return reader && reader->ops ? reader->ops->format : TB_FORMAT_UNKNOWN;
}

void tb_reader_count_loss(struct tb_reader *reader, const char *reason, uint64_t offset) {
  tb_reader_count_losses(reader, reason, 1, offset);
}

void tb_reader_count_losses(struct tb_reader *reader, const char *reason, uint64_t count, uint64_t offset) {
  tb_losses_add_many(&reader->losses, reason, count, tb_input_place_of(reader->input, offset));
}

enum tb_status tb_reader_lose(struct tb_reader *reader, const char *reason, uint64_t offset) {
  tb_reader_count_loss(reader, reason, offset);
  if (!reader->options.strict) return TB_OK;
  offset = tb_input_place_of(reader->input, offset);
  return tb_fail(&reader->error, TB_BAD_DATA, offset, "%s (tb_reader_options.strict stops at the first)", reason);
}

void tb_reader_note(struct tb_reader *reader, const char *text, uint64_t offset) {
  tb_losses_add(&reader->notes, text, tb_input_place_of(reader->input, offset));
}

enum tb_status tb_reader_note_unread(struct tb_reader *reader, const struct tb_unread_traces *unread) {
  for (uint64_t i = 0; i < unread->count; i++) tb_reader_note(reader, unread->text, TB_NO_OFFSET);
  for (uint64_t i = 0; i < unread->unreadable; i++)
    tb_reader_note(reader, "member of the archive that cannot be read", TB_NO_OFFSET);
  const char *loss = tb_unread_loss(unread);
  return loss ? tb_reader_lose(reader, loss, TB_NO_OFFSET) : TB_OK;
}

const struct tb_loss *tb_reader_losses(const struct tb_reader *reader, size_t *count) {
  size_t losses = reader ? reader->losses.count : 0;
  if (count) *count = losses;
  return losses ? reader->losses.entries : NULL;
}

uint64_t tb_reader_bytes_read(const struct tb_reader *reader) {
  return reader && reader->input ? tb_input_bytes_read(reader->input) : 0;
}
uint64_t tb_reader_size(const struct tb_reader *reader) {
  return reader && reader->input ? tb_input_size(reader->input) : 0;
}

const struct tb_error *tb_reader_error(const struct tb_reader *reader) {
  return reader ? &reader->error : &tb_error_of_null;
}

void tb_reader_close(struct tb_reader *reader) {
  if (!reader) return;
  tb_reader_drop(reader);
  tb_batch_free(&reader->batch);
  tb_intern_free(&reader->kept);
  tb_reader_free_origin(reader);
  tb_free(reader->options.allocator, reader, sizeof(*reader));
}
