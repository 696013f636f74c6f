/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/reader_origin.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "convert/reader_clocks.h"
#include "convert/shaped_reader.h"
#include "convert/tap.h"
#include "io/caller_input.h"

enum tb_status tb_reader_set_origin(struct tb_reader *reader, const char *name, struct tb_reader_origin origin) {
  size_t size = strlen(name) + 1;
  char *copy = tb_alloc(reader->options.allocator, size);
  if (!copy) return tb_fail(&reader->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  memcpy(copy, name, size);
  reader->origin = origin;
  reader->origin.name = (struct tb_str){copy, size - 1};
  reader->origin.format = reader->options.format;
  return TB_OK;
}

void tb_reader_free_origin(struct tb_reader *reader) {
  struct tb_str name = reader->origin.name;
  if (name.ptr) tb_free(reader->options.allocator, (char *)(uintptr_t)name.ptr, name.len + 1);
}

enum tb_status tb_reader_open_trace(struct tb_reader *reader, const struct tb_input_place *place, struct tb_tap **tap) {
  struct tb_unread_traces unread = {0};
  struct tb_trace_format format = {.read_as = reader->options.format};
  enum tb_status status = tb_trace_input_open(place, reader->options.allocator, reader->options.threads, &format,
                                              &reader->input, &unread, &reader->error);
  reader->options.format = format.read_as;
  reader->decoded = format.decoded;
  if (status == TB_OK && tap && reader->decoded)
    status = tb_tap_open(&reader->input, reader->options.allocator, tap, &reader->error);
  if (status == TB_OK) status = tb_reader_find_format(reader);
  return status == TB_OK ? tb_reader_note_unread(reader, &unread) : status;
}

enum tb_status tb_reader_open_origin(struct tb_reader *reader) {
  const struct tb_reader_origin *origin = &reader->origin;
  const struct tb_reader_options *options = &reader->options;
  enum tb_status status = TB_UNSUPPORTED;
  if (origin->kind == TB_ORIGIN_FILE)
    return tb_reader_open_trace(reader, &(struct tb_input_place){.name = origin->name.ptr}, NULL);
  if (origin->kind == TB_ORIGIN_MEMORY)
    status = tb_input_open_memory(origin->name.ptr, origin->bytes, options->allocator, options->threads, &reader->input,
                                  &reader->error);
  if (origin->kind == TB_ORIGIN_DESCRIPTOR)
    status = tb_input_open_descriptor(origin->name.ptr, origin->fd, options->allocator, options->threads,
                                      &reader->input, &reader->error);
  return status == TB_OK ? tb_reader_find_format(reader) : status;
}

void tb_reader_drop(struct tb_reader *reader) {
  if (reader->ops) reader->ops->destroy(reader);
  reader->ops = NULL;
  reader->state = NULL;
  tb_input_close(reader->input);
  reader->input = NULL;
  tb_reader_free_shaper(reader);
  reader->shaper = NULL;
  tb_reader_free_clocks(reader);
  tb_batch_reset(&reader->batch);
  reader->batch.fill = reader->fills = reader->used_up = 0;
  reader->next_event = 0;
  reader->held = TB_OK;
  reader->took_input_losses = reader->has_read = false;
  reader->losses.count = reader->notes.count = 0;
  reader->decoded = TB_FORMAT_UNKNOWN;
}

/* ---- going back -------------------------------------------------------------------------------------------------- */

/* Whether what was opened can be opened again and has the same bytes then. */
static bool is_kept(const struct tb_reader_origin *origin) {
  struct stat st;
  if (origin->kind == TB_ORIGIN_DESCRIPTOR) return origin->start >= 0;
  if (origin->kind != TB_ORIGIN_FILE) return origin->kind == TB_ORIGIN_MEMORY;
  return strcmp(origin->name.ptr, "-") != 0 && stat(origin->name.ptr, &st) == 0 && S_ISREG(st.st_mode);
}

static enum tb_status open_again(struct tb_reader *reader) {
  const struct tb_reader_origin *origin = &reader->origin;
  if (origin->kind == TB_ORIGIN_DESCRIPTOR && lseek(origin->fd, origin->start, SEEK_SET) < 0)
    return tb_fail_errno(&reader->error, TB_IO, errno, "cannot go back");
  reader->options.format = origin->format;
  return tb_reader_open_origin(reader);
}

enum tb_status tb_reader_rewind(struct tb_reader *reader) {
  if (!reader) return TB_INVALID;
  if (reader->error.code != TB_OK) return reader->error.code;
  if (!is_kept(&reader->origin)) return TB_UNSUPPORTED;
  tb_reader_drop(reader); /* a thread of its input reads no further */
  reader->held = tb_guard_settle(&reader->guard, open_again(reader), &reader->error);
  if (reader->error.code != TB_OK) tb_error_set_file(&reader->error, reader->origin.name.ptr);
  return reader->held;
}

enum tb_status tb_reader_seek(struct tb_reader *reader, uint64_t offset) {
  const struct tb_event *event;
  enum tb_status status = offset == TB_NO_OFFSET ? TB_INVALID : tb_reader_rewind(reader);
  if (status != TB_OK) return status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK && event->offset != offset) {
  }
  if (status == TB_OK) tb_reader_put_back(reader);
  return status;
}
