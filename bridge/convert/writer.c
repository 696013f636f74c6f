/* SPDX-License-Identifier: Apache-2.0 */
#include "tracebridge/writer.h"

#include <stdio.h>

#include "base/error.h"
#include "base/options.h"
#include "convert/event_check.h"
#include "convert/format_lookalike.h"
#include "convert/match.h"
#include "convert/registry.h"
#include "convert/track_copies.h"
#include "io/path.h"
#include "io/tar_magic.h"
#include "model/phases.h"
#include "model/writer_ops.h"

enum { SUFFIXES_TEXT = 256 };

/* ".a, .b": the first suffix of each format that is written. */
static void list_suffixes(char *text, size_t size) {
  const struct tb_format_entry *entry;
  size_t len = 0;
  for (size_t i = 0; (entry = tb_registry_at(i)) && len < size; i++)
    if (entry->writer && entry->suffixes[0])
      len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "", entry->suffixes[0]);
}

static enum tb_status fail_unknown(struct tb_writer *writer) {
  char suffixes[SUFFIXES_TEXT];
  list_suffixes(suffixes, sizeof(suffixes));
  return tb_fail(&writer->error, TB_INVALID, TB_NO_OFFSET,
                 "the name does not say which format to write (%s); tb_writer_options.format names one", suffixes);
}

/* ---- options of some formats alone ------------------------------------------------------------------------------- */

static bool takes_compress(const struct tb_writer_ops *ops) { return ops->takes_compress; }
static bool takes_keep_packets(const struct tb_writer_ops *ops) { return ops->takes_keep_packets; }

static enum tb_status fail_option(struct tb_writer *writer, const struct tb_writer_ops *ops, const char *option,
                                  bool (*takes)(const struct tb_writer_ops *ops)) {
  const struct tb_format_entry *entry;
  char formats[SUFFIXES_TEXT] = "";
  size_t len = 0;
  for (size_t i = 0; (entry = tb_registry_at(i)) && len < sizeof(formats); i++)
    if (entry->writer && takes(entry->writer))
      len += (size_t)snprintf(formats + len, sizeof(formats) - len, "%s%s", len ? " and " : "", entry->name);
  return tb_fail(&writer->error, TB_INVALID, TB_NO_OFFSET, "%s is for %s, and %s is to be written", option, formats,
                 tb_format_name(ops->format));
}

/* Nobody gets less than was asked for without a word. */
static enum tb_status check_options(struct tb_writer *writer, const struct tb_writer_ops *ops) {
  const struct tb_writer_options *options = &writer->options;
  if (options->compress && !takes_compress(ops))
    return fail_option(writer, ops, "tb_writer_options.compress", takes_compress);
  if (options->keep_packets && !takes_keep_packets(ops))
    return fail_option(writer, ops, "tb_writer_options.keep_packets", takes_keep_packets);
  return TB_OK;
}

/* How it is found out whether an output would be taken for one of another format. */
static tb_output_misleads misleading(const struct tb_writer_ops *ops) {
  if (!ops->padding) return NULL;
  return ops->has_magic ? tb_looks_like_tar : tb_looks_like_other_format;
}

/* What a writer is opened for. */
struct writer_target {
  const char *name;
  struct tb_output_place place;
  bool to_memory; /* the writer's own, in place of `place` */
};

static enum tb_status open_writer(struct tb_writer *writer, const struct writer_target *to,
                                  const struct tb_writer_ops *ops) {
  const char *path = to->name;
  size_t stem;
  struct tb_output_options output = {.allocator = writer->options.allocator,
                                     .misleads = misleading(ops),
                                     .padding = ops->padding,
                                     .compression = tb_path_compression(path, &stem),
                                     .threads = writer->options.threads,
                                     .temporary_name = writer->options.temporary_name,
                                     .temporary_name_ctx = writer->options.temporary_name_ctx,
                                     .place = to->place};
  if (to->to_memory) output.place.memory = &writer->bytes;
  enum tb_status status = tb_output_open(path, &output, &writer->output, &writer->error);
  if (status != TB_OK) return status;
  if (writer->options.no_clobber) tb_output_keep_existing(writer->output);
  tb_match_source(writer, ops);
  status = ops->create(writer);
  if (status == TB_OK) writer->ops = ops;
  return tb_guard_settle(&writer->guard, status, &writer->error);
}

static enum tb_status open_target(const struct writer_target *to, const struct tb_writer_ops *ops,
                                  const struct tb_writer_options *options, struct tb_writer **out,
                                  struct tb_error *error) {
  const char *path = to->name;
  struct tb_writer_options filled = {.size = sizeof(filled)};
  enum tb_status status = tb_check_open(path, out, error);
  if (!out) return status;
  *out = NULL;
  if (status == TB_OK) status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status != TB_OK) return status;
  if (!filled.allocator) filled.allocator = tb_default_allocator();
  if (!filled.threads) filled.threads = 1;
  struct tb_writer *writer = tb_calloc(filled.allocator, sizeof(*writer));
  if (!writer) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  writer->options = filled;
  tb_guard_init(&writer->guard, filled.allocator);
  writer->allocator = &writer->guard.allocator;
  tb_track_counts_init(&writer->track_counts, writer->allocator);
  tb_buffer_init(&writer->bytes, filled.allocator, 0);
  writer->summary.first_ts = INT64_MAX;
  writer->summary.last_ts = INT64_MIN;
  if (!ops) ops = tb_registry_writer(filled.format != TB_FORMAT_UNKNOWN ? filled.format : tb_format_from_path(path));
  if (ops) {
    status = check_options(writer, ops);
    if (status == TB_OK) status = open_writer(writer, to, ops);
  } else {
    status = fail_unknown(writer);
  }
  if (status == TB_OK) {
    *out = writer;
    return TB_OK;
  }
  tb_error_set_file(&writer->error, path);
  if (error && error->code == TB_OK) *error = writer->error;
  tb_writer_close(writer);
  return status;
}

enum tb_status tb_writer_open_as(const char *path, const struct tb_writer_ops *ops,
                                 const struct tb_writer_options *options, struct tb_writer **out,
                                 struct tb_error *error) {
  return open_target(&(struct writer_target){.name = path}, ops, options, out, error);
}

enum tb_status tb_writer_open_callback(const char *name, tb_write_bytes write_bytes, void *ctx,
                                       const struct tb_writer_options *options, struct tb_writer **out,
                                       struct tb_error *error) {
  if (out) *out = NULL;
  if (!write_bytes) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the function that takes the bytes is NULL");
  const struct writer_target to = {.name = name, .place = {.write_bytes = write_bytes, .ctx = ctx}};
  return open_target(&to, NULL, options, out, error);
}

enum tb_status tb_writer_open_descriptor(const char *name, int fd, const struct tb_writer_options *options,
                                         struct tb_writer **out, struct tb_error *error) {
  return open_target(&(struct writer_target){.name = name, .place.descriptor = &fd}, NULL, options, out, error);
}

enum tb_status tb_writer_open_memory(const char *name, const struct tb_writer_options *options, struct tb_writer **out,
                                     struct tb_error *error) {
  return open_target(&(struct writer_target){.name = name, .to_memory = true}, NULL, options, out, error);
}

struct tb_str tb_writer_bytes(const struct tb_writer *writer) {
  const bool whole = writer && writer->is_finished && writer->error.code == TB_OK;
  return whole ? (struct tb_str){writer->bytes.data, writer->bytes.len} : (struct tb_str){NULL, 0};
}

enum tb_status tb_writer_open(const char *path, const struct tb_writer_options *options, struct tb_writer **out,
                              struct tb_error *error) {
  return tb_writer_open_as(path, NULL, options, out, error);
}

/* What an event is that is none of the usual ones. */
static void count_other(struct tb_writer_summary *summary, const struct tb_event *event) {
  if (tb_event_is_untimed(event))
    summary->untimed_events++;
  else if (event->phase_text.len && tb_phase_event_type(event->phase_text.ptr[0]) != TB_EVENT_OTHER)
    summary->unmatched_events++;
}

static void count(struct tb_writer *writer, const struct tb_event *event) {
  struct tb_writer_summary *summary = &writer->summary;
  summary->events_by_type[event->type]++;
  /* these have a time, but nothing happened then */
  const uint64_t without_span = 1u << TB_EVENT_METADATA | 1u << TB_EVENT_CLOCK_SNAPSHOT;
  const uint64_t rare = without_span | 1u << TB_EVENT_OTHER;
  if (!(event->has & TB_HAS_TS) || rare >> event->type & 1) {
    if (event->type != TB_EVENT_OTHER) return;
    count_other(summary, event);
    if (!(event->has & TB_HAS_TS)) return;
  }
  if (event->ts < summary->first_ts) summary->first_ts = event->ts;
  int64_t end = event->ts;
  if (event->has & TB_HAS_DUR && event->dur > 0 && event->dur <= INT64_MAX - (end > 0 ? end : 0)) end += event->dur;
  if (end > summary->last_ts) summary->last_ts = end;
}

enum tb_status tb_writer_take(struct tb_writer *writer, const struct tb_event *event) {
  if (writer->error.code != TB_OK) return writer->error.code;
  count(writer, event);
  if (!writer->ops->counts_tracks && tb_track_counts_add(&writer->track_counts, event, &writer->summary) != TB_OK)
    return tb_fail(&writer->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  return tb_guard_settle(&writer->guard, writer->ops->put(writer, event), &writer->error);
}

/* Of a call that the writer is not ready for. */
static enum tb_status refuse(struct tb_writer *writer, const char *what) {
  writer->refusal.code = TB_OK;
  return tb_fail(&writer->refusal, TB_INVALID, TB_NO_OFFSET, "%s", what);
}

/* A track that an event named, as if the user had described it. */
static enum tb_status describe(void *ctx, const struct tb_track *track) {
  const struct tb_event event = {.type = TB_EVENT_TRACK, .track = track};
  return tb_writer_take(ctx, &event);
}

static struct tb_track_copies *copies_of(struct tb_writer *writer) {
  if (!writer->copies) {
    writer->copies = tb_alloc(writer->allocator, sizeof(*writer->copies));
    if (writer->copies)
      tb_track_copies_init(writer->copies, writer->allocator, writer->target.narrow_ids, describe, writer);
  }
  return writer->copies;
}

/* Gives the event copies of its tracks. */
static enum tb_status copy_tracks(struct tb_writer *writer, struct tb_event *event) {
  struct tb_track_copies *copies = copies_of(writer);
  if (!copies) return tb_fail(&writer->refusal, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  return tb_tracks_copy(copies, event, &writer->refusal);
}

/* Users may give an empty text as NULL; readers have an address for each that `has` says is there, and for no other. */
static void fill_texts(struct tb_event *event) {
  const struct {
    struct tb_str *text;
    bool is_there;
  } texts[] = {{&event->name, event->has & TB_HAS_NAME},
               {&event->categories, event->has & TB_HAS_CATEGORIES},
               {&event->scope, event->has & TB_HAS_SCOPE},
               {&event->blob, true}};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
    if (texts[i].is_there && !texts[i].text->ptr) texts[i].text->ptr = "";
}

enum tb_status tb_writer_put(struct tb_writer *writer, const struct tb_event *event) {
  if (!writer) return TB_INVALID;
  if (writer->error.code != TB_OK) return writer->error.code;
  if (writer->is_finished) return refuse(writer, "the writer has finished");
  writer->refusal.code = TB_OK;
  enum tb_status status = tb_event_check(event, &writer->refusal);
  if (status != TB_OK) return status;
  if (event->type == TB_EVENT_FLOW_EDGE) return TB_OK; /* other events say it */
  struct tb_event own = *event;
  fill_texts(&own);
  status = copy_tracks(writer, &own);
  if (status == TB_OK) return tb_writer_take(writer, &own);
  if (status != TB_INVALID && writer->error.code == TB_OK) writer->error = writer->refusal;
  return status;
}

enum tb_status tb_writer_finish(struct tb_writer *writer) {
  if (!writer) return TB_INVALID;
  if (writer->error.code != TB_OK) return writer->error.code;
  if (writer->is_finished) return refuse(writer, "the writer has finished before");
  writer->is_finished = true;
  enum tb_status status = tb_guard_settle(&writer->guard, writer->ops->finish(writer), &writer->error);
  if (status == TB_OK) status = tb_output_finish(writer->output, &writer->error);
  if (status == TB_OK) writer->summary.bytes_written = tb_output_bytes_written(writer->output);
  return status;
}

const struct tb_writer_summary *tb_writer_get_summary(const struct tb_writer *writer) {
  static const struct tb_writer_summary nothing = {.first_ts = INT64_MAX, .last_ts = INT64_MIN};
  return writer ? &writer->summary : &nothing;
}

const struct tb_loss *tb_writer_losses(const struct tb_writer *writer, size_t *count_out) {
  size_t losses = writer ? writer->losses.count : 0;
  if (count_out) *count_out = losses;
  return losses ? writer->losses.entries : NULL;
}

const struct tb_error *tb_writer_error(const struct tb_writer *writer) {
  if (!writer) return &tb_error_of_null;
  return writer->error.code != TB_OK ? &writer->error : &writer->refusal;
}

void tb_writer_close(struct tb_writer *writer) {
  if (!writer) return;
  if (writer->ops) writer->ops->destroy(writer);
  tb_output_close(writer->output);
  if (writer->copies) {
    tb_track_copies_free(writer->copies);
    tb_free(writer->allocator, writer->copies, sizeof(*writer->copies));
  }
  tb_track_counts_free(&writer->track_counts);
  tb_buffer_free(&writer->bytes);
  tb_free(writer->options.allocator, writer, sizeof(*writer));
}
