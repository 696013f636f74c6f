/* SPDX-License-Identifier: Apache-2.0
 *
 * From what the caller names to traces that can be merged: formats are detected, other formats become Perfetto first.
 */
#include <inttypes.h>
#include <sys/stat.h>

#include "base/error.h"
#include "convert/convert.h"
#include "convert/format_detect.h"
#include "convert/trace_input.h"
#include "io/archive.h"
#include "merge/merger.h"
#include "model/reader_ops.h"

enum { SOURCES_MAX = 1 << 20, COPY_BYTES = 1 << 16, DETECT_BYTES = 4096 };

static struct tb_source *add_source(struct tb_merger *m, const char *name, const struct tb_merge_input *input) {
  void *sources = m->sources;
  enum tb_status status =
      tb_grow_array(m->allocator, &sources, &m->source_capacity, m->source_count + 1, sizeof(*m->sources), SOURCES_MAX);
  m->sources = sources;
  struct tb_merge_input_report *in = status == TB_OK ? tb_merge_report_add(m->report, name) : NULL;
  if (!in) return NULL;
  struct tb_source *s = &m->sources[m->source_count];
  *s = (struct tb_source){.index = (uint32_t)m->source_count,
                          .name = in->name,
                          .machine_name = input->machine,
                          .clock = input->clock,
                          .has_offset = input->has_offset,
                          .offset = input->offset_ns};
  m->source_count++;
  tb_time_map_init(&s->there, m->allocator);
  tb_time_map_init(&s->back, m->allocator);
  struct tb_map *const tables[] = {&s->machines, &s->sequence_map, &s->uuid_map,  &s->clock_map, &s->separate,
                                   &s->owned,    &s->pid_added,    &s->described, &s->identities};
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) tb_map_init(tables[i], m->allocator);
  return s;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Copying an input that may never end: a reader looks along until there is an event, so that junk is bounded here
 * too. */
struct copying {
  struct tb_input *input;
  struct tb_output *output;
  struct tb_reader *reader; /* NULL once there was an event */
  char *buffer;
};

static enum tb_status look_for_event(struct tb_merger *m, struct copying *c, size_t len) {
  const struct tb_event *event = NULL;
  enum tb_status status = tb_reader_feed(c->reader, c->buffer, len);
  while (status == TB_OK && (status = tb_reader_next(c->reader, &event)) == TB_OK)
    if (event->type != TB_EVENT_TRACE_METADATA && event->type != TB_EVENT_CLOCK_SNAPSHOT) break;
  if (status == TB_AGAIN) return TB_OK;
  if (status == TB_BAD_DATA || status == TB_NO_MEMORY) {
    m->error = *tb_reader_error(c->reader);
    return tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
  }
  tb_reader_close(c->reader); /* whoever reads the copy meets any other error */
  c->reader = NULL;
  return TB_OK;
}

static enum tb_status report_progress(struct tb_merger *m, const struct tb_input *input) {
  const struct tb_merge_options *options = &m->options;
  if (!options->progress || options->progress(options->progress_ctx, tb_input_bytes_read(input), tb_input_size(input)))
    return TB_OK;
  return tb_fail(&m->error, TB_CANCELLED, TB_NO_OFFSET, "cancelled");
}

static enum tb_status copy_all(struct tb_merger *m, struct tb_source *s, struct copying *c) {
  enum tb_status status = TB_OK;
  while (status == TB_OK) {
    size_t got;
    status = tb_input_read(c->input, c->buffer, COPY_BYTES, &got, &m->error);
    if (status == TB_OK && c->reader) status = look_for_event(m, c, got);
    if (status == TB_OK) status = tb_output_write(c->output, c->buffer, got, &m->error);
    if (status == TB_OK) status = report_progress(m, c->input);
  }
  if (status == TB_TRUNCATED) {
    struct tb_merge_input_report *in = tb_source_report(m, s);
    in->damaged = m->partial = true;
    in->damage = "the compressed data ends too early";
  }
  return status == TB_END || status == TB_TRUNCATED ? tb_output_finish(c->output, &m->error) : status;
}

/* The format that inputs are said to have, else the one of the input's first bytes, which stay to be read.
 * TB_UNKNOWN_FORMAT: none that can be merged. */
static enum tb_status detect_format(struct tb_merger *m, struct tb_input *input, const char *name,
                                    enum tb_format *format) {
  const char *data;
  size_t got;
  *format = m->options.input_format;
  if (*format != TB_FORMAT_UNKNOWN) return TB_OK;
  enum tb_status status = tb_input_peek(input, &data, DETECT_BYTES, &got, &m->error);
  if (status == TB_IO || status == TB_NO_MEMORY) return status;
  *format = status == TB_OK ? tb_format_detect(data, got) : TB_FORMAT_UNKNOWN;
  if (*format != TB_FORMAT_UNKNOWN) return TB_OK;
  tb_error_set_file(&m->error, name);
  return got ? tb_format_fail_unknown(&m->error, data, got) : tb_fail(&m->error, TB_UNKNOWN_FORMAT, 0, "is empty");
}

static enum tb_status start_copying(struct tb_merger *m, const char *name, const char *from, const char *to,
                                    struct copying *c) {
  struct tb_reader_options options = {
      .size = sizeof(options), .allocator = m->options.allocator, .shape = TB_SHAPE_SOURCE};
  options.max_junk_bytes = m->options.max_junk_bytes;
  c->buffer = tb_alloc(m->allocator, COPY_BYTES);
  if (!c->buffer) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  const struct tb_input_place place = {.name = from};
  enum tb_status status = tb_trace_input_open(&place, m->allocator, 1, NULL, &c->input, NULL, &m->error);
  if (status == TB_OK) status = detect_format(m, c->input, name, &options.format);
  if (status == TB_OK) status = tb_reader_create_feed(name, &options, &c->reader, &m->error);
  return status == TB_OK ? tb_output_open(to, NULL, &c->output, &m->error) : status;
}

/* Copies what can be read once only, or would need a descriptor for as long as it is read, uncompressed. */
static enum tb_status spool(struct tb_merger *m, struct tb_source *s, const char *from, struct tb_input_place *copy) {
  char to[TB_COPY_STORE_NAME];
  struct copying c = {0};
  enum tb_status status = tb_copy_store_begin(&m->store, s->name, copy, to, &m->error);
  if (status == TB_OK) status = start_copying(m, s->name, from, to, &c);
  if (status == TB_OK) status = copy_all(m, s, &c);
  if (status == TB_OK) status = tb_copy_store_end(&m->store, tb_output_bytes_written(c.output), copy, &m->error);
  if (status != TB_OK) status = tb_copy_store_failed(&m->store, to, status, &m->error);
  tb_reader_close(c.reader);
  tb_output_close(c.output);
  tb_input_close(c.input);
  tb_free(m->allocator, c.buffer, COPY_BYTES);
  return status;
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* What of an archive, a page or a bug report is not merged. */
static void note_unread(struct tb_merger *m, const struct tb_source *s, const struct tb_unread_traces *unread) {
  if (unread->count)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_UNREAD, s->index, "%" PRIu64 " %s", unread->count, unread->text);
  if (unread->unreadable)
    tb_merge_report_add_note(m->report, TB_MERGE_NOTE_UNREAD, s->index,
                             "%" PRIu64 " member%s of the archive that cannot be read", unread->unreadable,
                             unread->unreadable > 1 ? "s" : "");
  const char *loss = tb_unread_loss(unread);
  if (loss) tb_merge_report_add_note(m->report, TB_MERGE_NOTE_UNREAD, s->index, "%s is not read", loss);
}

/* *plain: it can be closed and read on from where that was. */
static enum tb_status open_and_detect(struct tb_merger *m, const struct tb_source *s,
                                      const struct tb_input_place *place, enum tb_format *format, bool *plain) {
  struct tb_input *input;
  struct tb_unread_traces unread = {0};
  enum tb_status status = tb_trace_input_open(place, m->allocator, 1, NULL, &input, &unread, &m->error);
  if (status != TB_OK) return status;
  note_unread(m, s, &unread);
  status = detect_format(m, input, place->name, format);
  *plain = tb_input_can_rewind(input);
  tb_input_close(input);
  return status;
}

/* Where flows are shared, ids that converting makes up must not meet those of another input. */
#define MADE_UP_FLOWS (UINT64_C(1) << 63)
enum { MADE_UP_FLOWS_BITS = 40 };

static void take_notes(struct tb_source *s, const struct tb_convert_report *report) {
  for (size_t i = 0; i < report->note_count; i++) {
    const struct tb_loss *note = &report->notes[i];
    if (note->kind == TB_LOSS_SECOND_TRACE) s->other_recordings = note->count;
    if (strcmp(note->reason, TB_NOTE_MENDED) != 0) continue;
    s->mended_events = note->count;
    s->mended_offset = note->first_offset;
  }
}

enum tb_status tb_merger_convert_source(struct tb_merger *m, struct tb_source *s, const struct tb_input_place *from) {
  char to[TB_COPY_STORE_NAME];
  const struct tb_reader_options reader = {.size = sizeof(reader),
                                           .allocator = m->options.allocator,
                                           .format = m->options.input_format,
                                           .max_junk_bytes = m->options.max_junk_bytes};
  struct tb_writer_options writer = {.size = sizeof(writer),
                                     .format = TB_FORMAT_PERFETTO,
                                     .allocator = m->options.allocator,
                                     .temporary_directory = m->options.temporary_directory};
  const struct tb_convert_options options = {.size = sizeof(options),
                                             .reader = &reader,
                                             .writer = &writer,
                                             .progress = m->options.progress,
                                             .progress_ctx = m->options.progress_ctx};
  if (m->options.share_flows) writer.first_new_flow_id = MADE_UP_FLOWS | (uint64_t)s->index << MADE_UP_FLOWS_BITS;
  struct tb_convert_report *report = tb_calloc(m->allocator, sizeof(*report));
  if (!report) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  report->size = sizeof(*report);
  enum tb_status status = tb_copy_store_begin(&m->store, s->name, &s->place, to, &m->error);
  if (status == TB_OK) status = tb_convert_place(from, to, &options, report, &m->error);
  s->converted = true;
  take_notes(s, report);
  if (status == TB_PARTIAL) {
    struct tb_merge_input_report *in = tb_source_report(m, s);
    in->damaged = m->partial = true;
    in->damage_offset = report->loss_count ? report->losses[0].first_offset : 0;
    in->damage = report->loss_count ? tb_merge_report_print(m->report, "%s", report->losses[0].reason) : "";
    status = tb_merge_report_set_losses(m->report, in, report->losses, report->loss_count);
  }
  if (status == TB_OK) status = tb_copy_store_end(&m->store, report->summary.bytes_written, &s->place, &m->error);
  tb_free(m->allocator, report, sizeof(*report));
  return status == TB_OK ? TB_OK : tb_copy_store_failed(&m->store, to, status, &m->error);
}

/* What can be read once only. */
static bool is_stream(const struct tb_input_place *place) {
  struct stat st;
  if (place->part) return false;
  if (strcmp(place->name, "-") == 0) return true;
  return stat(place->name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Sees that s->place is a Perfetto trace that can be read twice. `many`: without a descriptor of its own between
 * reads. */
static enum tb_status prepare(struct tb_merger *m, struct tb_source *s, const struct tb_input_place *from, bool many) {
  bool plain = true;
  enum tb_status status = TB_OK;
  s->place = *from;
  if (is_stream(from)) status = spool(m, s, from->name, &s->place);
  if (status == TB_OK) status = open_and_detect(m, s, &s->place, &s->format, &plain);
  tb_source_report(m, s)->format = s->format;
  if (status != TB_OK) return status;
  struct tb_input_place read = s->place;
  if (s->format != TB_FORMAT_PERFETTO) {
    status = tb_merger_convert_source(m, s, &read);
    if (!read.part) s->original = read.name;
    tb_copy_store_forget(&m->store, &read);
  } else if (many && !plain && !read.part) {
    status = spool(m, s, read.name, &s->place);
  }
  return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

enum tb_status tb_merger_settle(struct tb_merger *m, struct tb_source *s, enum tb_status status) {
  if (status == TB_OK) return TB_OK;
  tb_error_set_file(&m->error, s->name);
  if (!m->options.skip_bad || status == TB_NO_MEMORY || status == TB_CANCELLED) return status;
  struct tb_merge_input_report *in = tb_source_report(m, s);
  in->skipped = s->skipped = m->partial = true;
  in->damaged = true;
  in->damage = tb_merge_report_print(m->report, "%s", m->error.message);
  m->error = (struct tb_error){0};
  return TB_OK;
}

static enum tb_status gather_file(struct tb_merger *m, const struct tb_merge_input *input,
                                  const struct tb_input_place *place, const char *member, bool many) {
  struct tb_source *s = add_source(m, place->name, input);
  if (!s) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  s->member = member;
  return tb_merger_settle(m, s, prepare(m, s, place, many));
}

/* ---- archives ---------------------------------------------------------------------------------------------------- */

enum { NAMES_SHOWN = 3 };

/* A member that is a source only where none surely is a trace. */
struct perhaps_trace {
  struct tb_input_place copy;
  const char *member;
};

struct archive_unpacking {
  struct tb_merger *m;
  const struct tb_merge_input *input;
  const char *member; /* the current one */
  struct tb_input_place copy;
  struct perhaps_trace *perhaps;
  size_t perhaps_count, perhaps_capacity;
  const char *left_out; /* the first members that are no traces */
  uint64_t left_out_count;
  bool has_some; /* a trace, a manifest, or what looks so damaged that it has to be reported */
};

/* What a member is, by its first bytes. */
struct peeked {
  bool unreadable, manifest, archive;
  enum tb_trace_rank rank;
};

static enum tb_status begin_member(void *ctx, const char *path, struct tb_error *error) {
  struct archive_unpacking *u = ctx;
  char to[TB_COPY_STORE_NAME];
  u->member = tb_arena_copy(&u->m->arena, tb_str_from(path)).ptr;
  if (!u->member) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  const char *name = tb_merge_report_print(u->m->report, "%s/%s", u->input->path, u->member);
  return tb_copy_store_begin(&u->m->store, name, &u->copy, to, error);
}

static enum tb_status put_member(void *ctx, uint64_t offset, const void *data, size_t len, struct tb_error *error) {
  const struct archive_unpacking *u = ctx;
  enum tb_status status = tb_copy_store_put(&u->m->store, offset, data, len, error);
  if (status != TB_OK) tb_error_set_file(error, u->copy.name);
  return status;
}

static enum tb_status peek(struct tb_merger *m, const struct tb_input_place *place, struct peeked *is) {
  struct tb_input *input;
  const char *data;
  size_t got = 0;
  enum tb_status status = tb_input_open_place(place, m->allocator, 1, &input, &m->error);
  if (status != TB_OK) return status;
  struct tb_error ignored = {0};
  enum tb_status peeked = tb_input_peek(input, &data, 4096, &got, &ignored);
  if (peeked != TB_OK) got = 0;
  *is = (struct peeked){.unreadable = peeked != TB_OK && peeked != TB_END};
  is->manifest = got && tb_manifest_detect(data, got);
  is->rank = got ? tb_trace_rank(data, got) : TB_RANK_NO_TRACE;
  is->archive = got && tb_archive_detect(data, got) && !tb_trace_input_is_bug_report(input, m->allocator);
  tb_input_close(input);
  return TB_OK;
}

static void leave_out(struct archive_unpacking *u, const char *member, const struct tb_input_place *copy) {
  if (u->left_out_count == 0) u->left_out = member;
  if (u->left_out_count > 0 && u->left_out_count < NAMES_SHOWN)
    u->left_out = tb_merge_report_print(u->m->report, "%s, %s", u->left_out, member);
  u->left_out_count++;
  tb_copy_store_forget(&u->m->store, copy);
}

static enum tb_status gather_member(struct archive_unpacking *u, const struct tb_input_place *copy,
                                    const char *member) {
  struct tb_merger *m = u->m;
  size_t at = m->source_count;
  enum tb_status status = gather_file(m, u->input, copy, member, false);
  if (at == m->source_count || m->sources[at].skipped) tb_copy_store_forget(&m->store, copy);
  return status;
}

static enum tb_status keep_perhaps(struct archive_unpacking *u) {
  void *perhaps = u->perhaps;
  enum tb_status status = tb_grow_array(u->m->allocator, &perhaps, &u->perhaps_capacity, u->perhaps_count + 1,
                                        sizeof(*u->perhaps), UINT32_MAX);
  u->perhaps = perhaps;
  if (status != TB_OK) return tb_fail(&u->m->error, status, TB_NO_OFFSET, "out of memory");
  u->perhaps[u->perhaps_count++] = (struct perhaps_trace){u->copy, u->member};
  return TB_OK;
}

/* Which members count is tb_trace_rank's rule. */
static enum tb_status take_member(struct archive_unpacking *u, const struct peeked *is) {
  if (!is->unreadable && !is->manifest && is->rank == TB_RANK_PERHAPS_TRACE) return keep_perhaps(u);
  if (!is->unreadable && !is->manifest && is->rank == TB_RANK_NO_TRACE) {
    leave_out(u, u->member, &u->copy);
    return TB_OK;
  }
  u->has_some = true;
  if (is->archive)
    return tb_fail(&u->m->error, TB_UNSUPPORTED, TB_NO_OFFSET, "an archive inside an archive; merge what is in it");
  if (!is->manifest) return gather_member(u, &u->copy, u->member);
  enum tb_status status = tb_merger_read_manifest(u->m, &u->copy);
  tb_copy_store_forget(&u->m->store, &u->copy);
  return status;
}

static enum tb_status end_member(void *ctx, uint64_t len, struct tb_error *error) {
  struct archive_unpacking *u = ctx;
  struct tb_merger *m = u->m;
  struct peeked is;
  enum tb_status status = tb_copy_store_end(&m->store, len, &u->copy, error);
  if (status == TB_OK) status = peek(m, &u->copy, &is);
  if (status == TB_OK) status = take_member(u, &is);
  if (status != TB_OK) tb_error_set_file(&m->error, u->copy.name);
  return status;
}

/* Where no member surely is a trace, those count that may be. */
static enum tb_status take_perhaps(struct archive_unpacking *u) {
  enum tb_status status = TB_OK;
  bool counts = !u->has_some;
  for (size_t i = 0; i < u->perhaps_count && status == TB_OK; i++) {
    const struct perhaps_trace *perhaps = &u->perhaps[i];
    if (!counts)
      leave_out(u, perhaps->member, &perhaps->copy);
    else
      status = gather_member(u, &perhaps->copy, perhaps->member);
    if (status != TB_OK) tb_error_set_file(&u->m->error, perhaps->copy.name);
  }
  u->has_some |= u->perhaps_count > 0;
  return status;
}

static void note_left_out(const struct archive_unpacking *u) {
  if (!u->left_out_count) return;
  const char *more = u->left_out_count > NAMES_SHOWN ? ", ..." : "";
  tb_merge_report_add_note(u->m->report, TB_MERGE_NOTE_UNREAD, TB_MERGE_NO_INPUT,
                           "%s: %" PRIu64 " member%s left out, being no trace: %s%s", u->input->path, u->left_out_count,
                           u->left_out_count > 1 ? "s" : "", u->left_out, more);
}

/* An input that is not there, so that what becomes of it is said as of others. */
static enum tb_status refuse_nameless(void *ctx, struct tb_error *error) {
  const struct archive_unpacking *u = ctx;
  struct tb_source *s = add_source(u->m, tb_merge_report_print(u->m->report, "%s/?", u->input->path), u->input);
  if (!s) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  return tb_merger_settle(u->m, s, tb_fail(error, TB_BAD_DATA, TB_NO_OFFSET, "the name of this member cannot be read"));
}

static enum tb_status gather_archive(struct tb_merger *m, const struct tb_merge_input *input) {
  struct archive_unpacking unpacking = {.m = m, .input = input};
  const struct tb_archive_sink sink = {&unpacking, begin_member, put_member, end_member, refuse_nameless};
  struct tb_archive_source source;
  struct tb_archive *archive = NULL;
  struct tb_input *bytes;
  enum tb_status status = tb_input_open(input->path, m->allocator, 1, &bytes, &m->error);
  if (status == TB_OK) status = tb_archive_source_of(bytes, &source, &m->error);
  if (status == TB_OK) status = tb_archive_open(&source, m->allocator, &archive, &m->error);
  if (status == TB_OK) status = tb_archive_walk(archive, &sink, &m->error);
  if (status == TB_OK) status = take_perhaps(&unpacking);
  tb_archive_close(archive);
  tb_input_close(bytes);
  tb_free(m->allocator, unpacking.perhaps, unpacking.perhaps_capacity * sizeof(*unpacking.perhaps));
  note_left_out(&unpacking);
  if (status == TB_OK && !unpacking.has_some) /* which says that nothing in it is a trace */
    status = gather_file(m, input, &(struct tb_input_place){.name = input->path}, NULL, false);
  if (status != TB_OK) tb_error_set_file(&m->error, input->path);
  return status;
}

/* Whether an input is an archive; streams are not looked into. */
static bool is_archive(struct tb_merger *m, const struct tb_input_place *place) {
  struct peeked is;
  struct stat st;
  if (strcmp(place->name, "-") == 0 || stat(place->name, &st) != 0 || !S_ISREG(st.st_mode)) return false;
  struct tb_error before = m->error;
  enum tb_status status = peek(m, place, &is);
  m->error = before;
  return status == TB_OK && is.archive;
}

enum tb_status tb_merger_gather(struct tb_merger *m, const struct tb_merge_input *inputs, size_t count) {
  /* more inputs than descriptors: a compressed one cannot give its own back */
  bool many = count > m->options.max_open_files;
  for (size_t i = 0; i < count; i++) {
    const struct tb_input_place place = {.name = inputs[i].path};
    enum tb_status status =
        is_archive(m, &place) ? gather_archive(m, &inputs[i]) : gather_file(m, &inputs[i], &place, NULL, many);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}
