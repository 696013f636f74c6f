/* SPDX-License-Identifier: Apache-2.0
 *
 * From what the caller names to traces that can be merged: formats are told, other formats become Perfetto first.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input.h"
#include "base/temporary.h"
#include "event/format.h"
#include "merger.h"
#include "unpack.h"

enum { SOURCES_MAX = 1 << 20, COPY_BYTES = 1 << 16 };

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
                          .has_offset = input->has_offset,
                          .offset = input->offset_ns};
  m->source_count++;
  tb_time_map_init(&s->there, m->allocator);
  tb_time_map_init(&s->back, m->allocator);
  struct tb_map *const tables[] = {&s->machines, &s->sequence_map, &s->uuid_map,  &s->clock_map,
                                   &s->separate, &s->owned,        &s->pid_added, &s->described};
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) tb_map_init(tables[i], m->allocator);
  return s;
}

/* ---- temporary files --------------------------------------------------------------------------------------------------------- */

/* A new empty file of ours, open as *fd. NULL, with *error set, when it cannot be made. */
static char *new_temporary(struct tb_merger *m, int *fd, struct tb_error *error) {
  char name[TB_TEMPORARY_PATH];
  *fd = tb_temporary_create(m->options.temporary_directory, name, error);
  if (*fd < 0) return NULL;
  size_t size = strlen(name) + 1;
  char *path = tb_arena_alloc(&m->arena, size);
  if (path) {
    memcpy(path, name, size);
    return path;
  }
  (void)close(*fd);
  (void)unlink(name);
  *fd = -1;
  (void)tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  return NULL;
}

static enum tb_status give_temporary(struct tb_merger *m, struct tb_source *s) {
  int fd;
  char *path = new_temporary(m, &fd, &m->error);
  if (!path) return m->error.code;
  (void)close(fd);
  s->path = path;
  s->temporary = true;
  return TB_OK;
}

/* Copies what can be read once only, or would need a descriptor for as long as it is read, to a plain file. */
static enum tb_status spool(struct tb_merger *m, struct tb_source *s, const char *from) {
  enum tb_status status = give_temporary(m, s);
  struct tb_input *input = NULL;
  struct tb_output *output = NULL;
  char *buffer = tb_alloc(m->allocator, COPY_BYTES);
  if (status == TB_OK && !buffer) status = tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  if (status == TB_OK) status = tb_input_open(from, m->allocator, 1, &input, &m->error);
  if (status == TB_OK) status = tb_output_open(s->path, NULL, &output, &m->error);
  while (status == TB_OK) {
    size_t got;
    status = tb_input_read(input, buffer, COPY_BYTES, &got, &m->error);
    if (status == TB_OK) status = tb_output_write(output, buffer, got, &m->error);
  }
  if (status == TB_END || status == TB_TRUNCATED) {
    if (status == TB_TRUNCATED) {
      struct tb_merge_input_report *in = tb_source_report(m, s);
      in->damaged = m->partial = true;
      in->damage = "the compressed data ends too early";
    }
    status = tb_output_finish(output, &m->error);
  }
  tb_output_close(output);
  tb_input_close(input);
  tb_free(m->allocator, buffer, COPY_BYTES);
  return status;
}

/* ---- formats -------------------------------------------------------------------------------------------------------------------- */

/* *plain: it can be closed and read on from where that was. */
static enum tb_status tell_format(struct tb_merger *m, const char *path, enum tb_format *format, bool *plain) {
  struct tb_input *input;
  const char *data;
  size_t got;
  enum tb_status status = tb_input_open(path, m->allocator, 1, &input, &m->error);
  if (status != TB_OK) return status;
  status = tb_input_peek(input, &data, 4096, &got, &m->error);
  if (status == TB_OK) *format = tb_format_detect(data, got);
  *plain = tb_input_can_rewind(input);
  const char *stranger = got ? tb_format_stranger(data, got) : "is empty";
  tb_input_close(input);
  if (status == TB_IO) return status;
  if (status == TB_OK && *format) return TB_OK;
  if (got == 0 && tb_format_from_path(path) == TB_FORMAT_PERFETTO) { /* a trace without a packet */
    *format = TB_FORMAT_PERFETTO;
    return TB_OK;
  }
  tb_error_set_file(&m->error, path);
  return tb_fail(&m->error, TB_UNKNOWN_FORMAT, 0, "%s", stranger ? stranger : "is no trace of a known format");
}

/* Where flows are shared, ids that converting makes up must not meet those of another input. */
#define MADE_UP_FLOWS (UINT64_C(1) << 63)
enum { MADE_UP_FLOWS_BITS = 40 };

static enum tb_status convert(struct tb_merger *m, struct tb_source *s, const char *from) {
  enum tb_status status = give_temporary(m, s);
  if (status != TB_OK) return status;
  struct tb_convert_options options = {.size = sizeof(options)};
  options.reader.size = sizeof(options.reader);
  options.reader.format = s->format;
  options.reader.allocator = m->options.allocator;
  options.writer.size = sizeof(options.writer);
  options.writer.format = TB_FORMAT_PERFETTO;
  options.writer.allocator = m->options.allocator;
  options.writer.temporary_directory = m->options.temporary_directory;
  if (m->options.share_flows) options.writer.shared_flows = MADE_UP_FLOWS | (uint64_t)s->index << MADE_UP_FLOWS_BITS;
  struct tb_convert_report *report = tb_calloc(m->allocator, sizeof(*report));
  if (!report) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  status = tb_convert(from, s->path, &options, report, &m->error);
  s->converted = true;
  if (status == TB_PARTIAL) {
    struct tb_merge_input_report *in = tb_source_report(m, s);
    in->damaged = m->partial = true;
    in->damage_offset = report->loss_count ? report->losses[0].first_offset : 0;
    in->damage = report->loss_count ? tb_merge_report_print(m->report, "%s", report->losses[0].reason) : "";
    status = TB_OK;
  }
  tb_free(m->allocator, report, sizeof(*report));
  return status;
}

/* Sees that s->path is a Perfetto file that can be read twice. */
static enum tb_status prepare(struct tb_merger *m, struct tb_source *s, const char *path, bool many) {
  bool stream = strcmp(path, "-") == 0;
  struct stat st;
  if (!stream && stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) stream = true;
  if (stream) {
    enum tb_status status = spool(m, s, path);
    if (status != TB_OK) return status;
    path = s->path;
  }
  bool plain = true;
  enum tb_status status = tell_format(m, path, &s->format, &plain);
  tb_source_report(m, s)->format = s->format;
  if (status != TB_OK) return status;
  if (s->format != TB_FORMAT_PERFETTO) {
    const char *spooled = stream ? s->path : NULL;
    status = convert(m, s, path);
    if (spooled) (void)unlink(spooled);
    return status;
  }
  if (stream) return TB_OK;
  s->path = path;
  return many && !plain ? spool(m, s, path) : TB_OK;
}

/* ---- the whole -------------------------------------------------------------------------------------------------------------------- */

enum tb_status tb_merger_settle(struct tb_merger *m, struct tb_source *s, enum tb_status status) {
  if (status == TB_OK) return TB_OK;
  tb_error_set_file(&m->error, s->name);
  if (s->temporary || !m->error.file[0]) (void)snprintf(m->error.file, sizeof(m->error.file), "%s", s->name);
  if (!m->options.skip_bad || status == TB_NO_MEMORY || status == TB_CANCELLED) return status;
  struct tb_merge_input_report *in = tb_source_report(m, s);
  in->skipped = s->skipped = m->partial = true;
  in->damaged = true;
  in->damage = tb_merge_report_print(m->report, "%s", m->error.message);
  m->error = (struct tb_error){0};
  return TB_OK;
}

static enum tb_status gather_file(struct tb_merger *m, const struct tb_merge_input *input, const char *name,
                                  const char *member, const char *path, bool many) {
  struct tb_source *s = add_source(m, name, input);
  if (!s) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  s->member = member;
  return tb_merger_settle(m, s, prepare(m, s, path, many));
}

/* ---- archives --------------------------------------------------------------------------------------------------------------------- */

struct unpacking {
  struct tb_merger *m;
  const struct tb_merge_input *input;
  const char *member;
  char *path; /* of the member in hand */
  int fd;
};

static enum tb_status open_member(void *ctx, const char *path, int *to, struct tb_error *error) {
  struct unpacking *u = ctx;
  u->member = tb_arena_copy(&u->m->arena, tb_slice_from(path)).ptr;
  u->fd = -1;
  if (!u->member) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  u->path = new_temporary(u->m, &u->fd, error);
  if (!u->path) return error->code;
  *to = u->fd;
  return TB_OK;
}

static enum tb_status peek_member(struct tb_merger *m, const char *path, bool *manifest, bool *archive) {
  struct tb_input *input;
  const char *data;
  size_t got = 0;
  enum tb_status status = tb_input_open(path, m->allocator, 1, &input, &m->error);
  if (status != TB_OK) return status;
  struct tb_error ignored = {0};
  if (tb_input_peek(input, &data, 4096, &got, &ignored) != TB_OK) got = 0;
  *manifest = got && tb_manifest_detect(data, got);
  *archive = got && tb_archive_detect(data, got);
  tb_input_close(input);
  return TB_OK;
}

static enum tb_status end_member(void *ctx, struct tb_error *error) {
  struct unpacking *u = ctx;
  struct tb_merger *m = u->m;
  bool manifest = false, archive = false;
  if (close(u->fd) != 0) return tb_fail(error, TB_IO, TB_NO_OFFSET, "cannot write a temporary file");
  const char *name = tb_merge_report_print(m->report, "%s/%s", u->input->path, u->member);
  enum tb_status status = peek_member(m, u->path, &manifest, &archive);
  if (status == TB_OK && manifest) {
    status = tb_merger_read_manifest(m, u->path, name);
    (void)unlink(u->path);
    return status;
  }
  size_t at = m->source_count;
  if (status == TB_OK && archive)
    status = tb_fail(&m->error, TB_UNSUPPORTED, TB_NO_OFFSET, "an archive inside an archive; merge what is in it");
  if (status == TB_OK) status = gather_file(m, u->input, name, u->member, u->path, false);
  if (status == TB_OK && !m->sources[at].temporary)
    m->sources[at].temporary = true; /* it is ours */
  else
    (void)unlink(u->path);
  tb_error_set_file(&m->error, name);
  return status;
}

static enum tb_status gather_archive(struct tb_merger *m, const struct tb_merge_input *input) {
  struct unpacking unpacking = {.m = m, .input = input, .fd = -1};
  enum tb_status status = tb_archive_walk(input->path, open_member, end_member, &unpacking, &m->error);
  if (status != TB_OK) tb_error_set_file(&m->error, input->path);
  return status;
}

/* Whether an input is an archive; streams are not looked into. */
static bool is_archive(struct tb_merger *m, const char *path) {
  bool manifest, archive = false;
  struct stat st;
  if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
  struct tb_error before = m->error;
  enum tb_status status = peek_member(m, path, &manifest, &archive);
  m->error = before;
  return status == TB_OK && archive;
}

enum tb_status tb_merger_gather(struct tb_merger *m, const struct tb_merge_input *inputs, size_t count) {
  /* more inputs than descriptors: a compressed one cannot give its own back */
  bool many = count > m->options.max_open_files;
  for (size_t i = 0; i < count; i++) {
    const char *path = inputs[i].path;
    enum tb_status status =
        is_archive(m, path) ? gather_archive(m, &inputs[i]) : gather_file(m, &inputs[i], path, NULL, path, many);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}
