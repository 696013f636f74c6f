/* SPDX-License-Identifier: Apache-2.0
 *
 * What a manifest says, for the inputs at hand.
 */
#include "base/error.h"
#include "io/input.h"
#include "merge/input/input_names.h"
#include "merge/manifest/manifest.h"
#include "merge/merger.h"

enum { MANIFEST_MAX = 16 << 20, STEP = 1 << 16 };

#define INVALID_AT(m, at, ...)                          \
  (tb_error_set_file(&(m)->error, (m)->manifest->name), \
   tb_fail(&(m)->error, TB_INVALID, at, "perfetto_manifest: " __VA_ARGS__))
#define INVALID(m, ...) INVALID_AT(m, TB_NO_OFFSET, __VA_ARGS__)

static enum tb_status read_all(struct tb_merger *m, const struct tb_input_place *place, struct tb_buffer *text) {
  struct tb_input *input;
  enum tb_status status = tb_input_open_place(place, m->allocator, 1, &input, &m->error);
  while (status == TB_OK) {
    size_t got = 0;
    status = tb_buffer_reserve(text, STEP);
    if (status != TB_OK) break;
    status = tb_input_read(input, text->data + text->len, STEP, &got, &m->error);
    text->len += got;
  }
  tb_input_close(input);
  if (status == TB_END) return TB_OK;
  tb_error_set_file(&m->error, place->name);
  return tb_fail(&m->error, status, TB_NO_OFFSET, "the manifest cannot be read: %s", tb_status_text(status));
}

enum tb_status tb_merger_read_manifest(struct tb_merger *m, const struct tb_input_place *place) {
  if (m->manifest) return tb_fail(&m->error, TB_INVALID, TB_NO_OFFSET, "multiple perfetto_manifest files in archive");
  struct tb_buffer text;
  tb_buffer_init(&text, m->allocator, MANIFEST_MAX);
  m->manifest = tb_arena_alloc(&m->arena, sizeof(*m->manifest));
  enum tb_status status = m->manifest ? read_all(m, place, &text) : TB_NO_MEMORY;
  if (status == TB_OK)
    status = tb_manifest_parse(&m->arena, (struct tb_str){text.data, text.len}, m->manifest, &m->error);
  tb_buffer_free(&text);
  if (status == TB_OK) m->manifest->name = tb_merge_report_print(m->report, "%s", place->name);
  if (status == TB_OK) return TB_OK;
  tb_error_set_file(&m->error, place->name);
  return tb_fail(&m->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

/* ---- which input an entry is about ------------------------------------------------------------------------------- */

/* The input that `path` means; NULL where there is none. TB_INVALID: there are several. */
static enum tb_status find_source(struct tb_merger *m, const char *path, struct tb_source **found) {
  struct tb_name_search search = {.name = tb_str_from(path)};
  for (size_t i = 0; i < m->source_count; i++)
    tb_name_search_offer(&search, i, m->sources[i].name, m->sources[i].member);
  *found = search.first ? &m->sources[search.index] : NULL;
  if (!*found) return TB_OK;
  struct tb_error error = {0};
  enum tb_status status = tb_name_search_end(&search, &error);
  return status == TB_OK ? TB_OK : INVALID(m, "%s", error.message);
}

/* ---- machines ---------------------------------------------------------------------------------------------------- */

static const char *declared_name(const struct tb_manifest_file *file, uint32_t id) {
  for (size_t i = 0; i < file->machine_count; i++)
    if (file->machines[i].id == id) return file->machines[i].name;
  return NULL;
}

/* The command line may have named it, too. */
static enum tb_status name_host(struct tb_merger *m, struct tb_source *s, const struct tb_manifest_file *file,
                                const char *name) {
  if (s->machine_name && strcmp(s->machine_name, name) != 0)
    return INVALID_AT(m, file->at, "the machine of '%.60s' is '%.40s' here, and '%.40s' by tb_merge_input.machine",
                      file->path, name, s->machine_name);
  s->machine_name = name;
  return TB_OK;
}

static enum tb_status name_machines(struct tb_merger *m, struct tb_source *s, const struct tb_manifest_file *file) {
  if (file->machine) {
    if (s->prescan.machine_count > 1)
      return INVALID(m, "machine attributes '%.60s' to one machine, but it has packets of several; use machines",
                     file->path);
    return name_host(m, s, file, file->machine);
  }
  for (size_t i = 0; i < s->prescan.machine_count && file->machine_count; i++) {
    uint32_t id = s->prescan.machines[i].id;
    const char *name = declared_name(file, id);
    if (!name) return INVALID(m, "machines: '%.60s' has a packet from undeclared machine id %u", file->path, id);
    enum tb_status status = id == tb_source_host(s) ? name_host(m, s, file, name) : TB_OK;
    if (status != TB_OK) return status;
  }
  s->manifest_file = file;
  return TB_OK;
}

const char *tb_source_machine_name(const struct tb_source *s, uint32_t machine) {
  if (machine == tb_source_host(s)) return s->machine_name;
  const char *declared = s->manifest_file ? declared_name(s->manifest_file, machine) : NULL;
  return declared ? declared : tb_kept_boots_name(&s->prescan.boots, machine);
}

/* The id in the file of the machine that the manifest calls so; its host's where it does not say. */
static uint32_t machine_called(const struct tb_source *s, const struct tb_manifest_file *file, const char *name) {
  for (size_t i = 0; i < file->machine_count && name; i++)
    if (strcmp(file->machines[i].name, name) == 0) return file->machines[i].id;
  return tb_source_host(s);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static enum tb_status clock_node(struct tb_merger *m, const struct tb_source *s, const struct tb_manifest_file *file,
                                 const char *machine, uint32_t clock, uint32_t *node) {
  uint32_t id = file ? machine_called(s, file, machine) : tb_source_host(s);
  struct tb_graph_key key = {s->index, id, clock ? clock : s->prescan.clocks.primary};
  return tb_sync_graph_node(&m->graph, key, node);
}

/* The input that an entry refers to. TB_INVALID: there is none, or it is the entry's own. */
static enum tb_status find_reference(struct tb_merger *m, const struct tb_manifest_file *file,
                                     const struct tb_source *own, struct tb_source **to) {
  const char *path = file->sync_to.file;
  enum tb_status status = find_source(m, path, to);
  if (status != TB_OK) return status;
  if (*to == own && !file->sync_to.machine)
    return INVALID_AT(m, file->at, "clocks: sync_to of '%.60s' is the file itself", file->path);
  if (*to) return TB_OK;
  if (tb_manifest_find(m->manifest, path)) return INVALID_AT(m, file->at, "there is no input '%.100s'", path);
  return INVALID_AT(m, file->at,
                    "clocks: sync_to.file names unknown file '%.40s'. It must match the path of an entry in the files "
                    "array, or of an input",
                    path);
}

static enum tb_status relate(struct tb_merger *m, const struct tb_manifest_file *file, const struct tb_source *s) {
  if (!file->clock && !s->converted && tb_input_clocks_related(&s->prescan.clocks))
    return INVALID(m,
                   "a clocks override without a source clock pins a clockless file, but '%.60s' emits clock snapshots",
                   file->path);
  struct tb_graph_edge edge = {.source = TB_PLACEMENT_MANIFEST, .rank = TB_RANK_GIVEN, .offset = file->offset_ns};
  const struct tb_manifest_clock *to = &file->sync_to;
  struct tb_source *other;
  enum tb_status status = find_reference(m, file, s, &other);
  if (status == TB_OK) status = clock_node(m, s, file, file->clock_machine, file->clock, &edge.a);
  if (status == TB_OK)
    status = clock_node(m, other, tb_manifest_find(m->manifest, to->file), to->machine, to->clock, &edge.b);
  return status == TB_OK ? tb_sync_graph_edge(&m->graph, &edge) : status;
}

enum tb_status tb_merger_relate_by_manifest(struct tb_merger *m) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; m->manifest && i < m->manifest->file_count && status == TB_OK; i++) {
    const struct tb_manifest_file *file = &m->manifest->files[i];
    struct tb_source *s;
    status = find_source(m, file->path, &s);
    if (status == TB_OK && file->has_clocks && s && !s->skipped) status = relate(m, file, s);
  }
  return status;
}

enum tb_status tb_merger_apply_manifest(struct tb_merger *m) {
  if (!m->manifest) return TB_OK;
  for (size_t i = 0; i < m->manifest->file_count; i++) {
    const struct tb_manifest_file *file = &m->manifest->files[i];
    struct tb_source *s;
    enum tb_status status = find_source(m, file->path, &s);
    if (status != TB_OK) return status;
    if (!s) {
      tb_merge_report_add_note(m->report, TB_MERGE_NOTE_MANIFEST_ENTRY_UNUSED, TB_MERGE_NO_INPUT,
                               "the manifest has an entry for %s, which is no input", file->path);
      continue;
    }
    if (s->in_manifest) return INVALID_AT(m, file->at, "files: '%.60s' is an input that has another entry", file->path);
    s->in_manifest = true;
    status = s->skipped ? TB_OK : name_machines(m, s, file);
    if (status != TB_OK) return status;
  }
  const struct tb_manifest_clock *to = &m->manifest->trace_time;
  if (!m->manifest->has_trace_time) return TB_OK;
  if (!m->options.trace_clock) m->options.trace_clock = (enum tb_clock)to->clock;
  struct tb_source *s = NULL;
  enum tb_status status = to->file ? find_source(m, to->file, &s) : TB_OK;
  if (s) m->reference = s->index;
  if (status == TB_OK && to->file && !s && !tb_manifest_find(m->manifest, to->file))
    return INVALID(m,
                   "trace_time: .file names unknown file '%.40s'. It must match the path of an entry in the files "
                   "array, or of an input",
                   to->file);
  return status;
}
