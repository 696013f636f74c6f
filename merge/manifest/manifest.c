/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/manifest/manifest.h"

#include <inttypes.h>

#include "base/error.h"
#include "json/document.h"
#include "tracebridge/info.h"

/* Nobody means a difference of centuries. */
static const int64_t offset_max_ns = INT64_MAX / 2;

struct parse {
  struct tb_arena *arena;
  struct tb_manifest *manifest;
  struct tb_error *error;
  uint64_t at; /* byte of the innermost object that is at hand */
};

#define INVALID_AT(p, at, ...) tb_fail((p)->error, TB_INVALID, at, "perfetto_manifest: " __VA_ARGS__)
#define INVALID(p, ...) INVALID_AT(p, (p)->at, __VA_ARGS__)

static enum tb_status no_memory(struct parse *p) {
  return tb_fail(p->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
}

bool tb_manifest_detect(const char *data, size_t len) {
  static const char head[] = "{\"perfetto_manifest\"";
  size_t at = 0;
  for (size_t i = 0; i < len && head[at]; i++) {
    if (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') continue;
    if (data[i] != head[at++]) return false;
  }
  return !head[at];
}

/* Whether `name` is one of `list`, whose items are apart by ", ". */
static bool is_listed(struct tb_str name, const char *list) {
  while (*list) {
    size_t len = strcspn(list, ",");
    if (tb_str_equal(name, (struct tb_str){list, len})) return true;
    list += len;
    list += strspn(list, ", ");
  }
  return false;
}

static bool is_text(const struct tb_doc *doc) { return doc && doc->type == TB_DOC_STRING; }

static enum tb_status keep(struct parse *p, const struct tb_doc *doc, const char **text) {
  *text = tb_arena_copy(p->arena, doc->text).ptr;
  return *text ? TB_OK : no_memory(p);
}

/* The id of a clock that a manifest may name; 0: it is none of those. */
static uint32_t clock_of(struct tb_str name) {
  uint32_t clock = tb_clock_id_from_name(name);
  bool is_spelled_so = clock && tb_str_equal(name, tb_str_from(tb_clock_id_name(clock)));
  return is_spelled_so && clock <= TB_CLOCK_BOOTTIME ? clock : 0;
}

static enum tb_status parse_clock_name(struct parse *p, const struct tb_doc *doc, uint32_t *clock) {
  if (!is_text(doc)) return INVALID(p, "clock name must be a string");
  *clock = clock_of(doc->text);
  if (*clock) return TB_OK;
  return INVALID(p,
                 "unknown clock name: %.*s. Use one of REALTIME, REALTIME_COARSE, MONOTONIC, MONOTONIC_COARSE, "
                 "MONOTONIC_RAW, BOOTTIME",
                 (int)(doc->text.len < 32 ? doc->text.len : 32), doc->text.ptr);
}

static enum tb_status keep_optional(struct parse *p, const struct tb_doc *doc, const char *what, const char **text) {
  if (!doc) return TB_OK;
  if (!is_text(doc)) return INVALID(p, "%s must be a string", what);
  return keep(p, doc, text);
}

/* Whether an object has no key but `keys`, each once; errors about what it holds then name its place. */
static enum tb_status check_keys(struct parse *p, const struct tb_doc *doc, const char *what, const char *keys) {
  p->at = doc->at;
  if (doc->type != TB_DOC_OBJECT) return TB_OK; /* what it has to be is checked elsewhere */
  for (const struct tb_doc *child = doc->first; child; child = child->next) {
    int len = (int)(child->name.len < 40 ? child->name.len : 40);
    if (!is_listed(child->name, keys))
      return INVALID_AT(p, child->at, "unknown key '%.*s' in %s. Use one of %s", len, child->name.ptr, what, keys);
    for (const struct tb_doc *other = doc->first; other != child; other = other->next)
      if (tb_str_equal(other->name, child->name))
        return INVALID_AT(p, child->at, "the key '%.*s' is in %s twice", len, child->name.ptr, what);
  }
  return TB_OK;
}

/* ---- a file's entry ---------------------------------------------------------------------------------------------- */

static enum tb_status parse_machine(struct parse *p, const struct tb_doc *doc, struct tb_manifest_file *file) {
  const struct tb_doc *name = tb_doc_member(doc, "name");
  enum tb_status status = check_keys(p, doc, "machine", "name");
  if (status != TB_OK) return status;
  if (!is_text(name)) return INVALID(p, "machine must be an object with a string name, e.g. {\"name\": \"phone\"}");
  if (name->text.len == 0) return INVALID(p, "machine: name must be non-empty");
  return keep(p, name, &file->machine);
}

static enum tb_status parse_machines(struct parse *p, const struct tb_doc *doc, struct tb_manifest_file *file) {
  size_t count = 0;
  if (doc->type != TB_DOC_ARRAY) return INVALID(p, "machines must be an array");
  for (const struct tb_doc *item = doc->first; item; item = item->next) count++;
  file->machines = tb_arena_alloc(p->arena, count * sizeof(*file->machines));
  if (!file->machines) return no_memory(p);
  for (const struct tb_doc *item = doc->first; item; item = item->next) {
    const struct tb_doc *id = tb_doc_member(item, "id"), *name = tb_doc_member(item, "name");
    enum tb_status status = check_keys(p, item, "machines", "id, name");
    if (status != TB_OK) return status;
    if (!id || id->type != TB_DOC_NUMBER || !is_text(name))
      return INVALID(p, "machines entries need an integer id and a string name");
    if (!id->is_integer || id->integer < 0 || id->integer > UINT32_MAX)
      return INVALID(p, "machines: id must be in [0, 4294967295]");
    if (name->text.len == 0) return INVALID(p, "machines: name must be non-empty");
    struct tb_manifest_machine *machine = &file->machines[file->machine_count++];
    machine->id = (uint32_t)id->integer;
    status = keep(p, name, &machine->name);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

static enum tb_status parse_sync_to(struct parse *p, const struct tb_doc *doc, struct tb_manifest_clock *to) {
  const struct tb_doc *file = tb_doc_member(doc, "file"), *machine = tb_doc_member(doc, "machine");
  const struct tb_doc *clock = tb_doc_member(doc, "clock");
  if (!doc || doc->type != TB_DOC_OBJECT) return INVALID(p, "clocks: a sync_to block is required");
  enum tb_status status = check_keys(p, doc, "sync_to", "file, machine, clock");
  if (status != TB_OK) return status;
  if (!file && machine)
    return INVALID(p, "clocks: sync_to.machine: a machine name alone is ambiguous, name the file too");
  if (!is_text(file)) return INVALID(p, "clocks: sync_to.file is required");
  status = keep(p, file, &to->file);
  if (status == TB_OK) status = keep_optional(p, machine, "clocks: sync_to.machine", &to->machine);
  return status == TB_OK && clock ? parse_clock_name(p, clock, &to->clock) : status;
}

static enum tb_status parse_clocks(struct parse *p, const struct tb_doc *doc, struct tb_manifest_file *file) {
  const struct tb_doc *clock = tb_doc_member(doc, "clock"), *offset = tb_doc_member(doc, "offset_ns");
  enum tb_status status = TB_OK;
  if (doc->type != TB_DOC_OBJECT) return INVALID(p, "clocks must be an object");
  status = check_keys(p, doc, "clocks", "clock, machine, sync_to, offset_ns");
  file->has_clocks = true;
  if (status == TB_OK && clock) status = parse_clock_name(p, clock, &file->clock);
  if (status == TB_OK)
    status = keep_optional(p, tb_doc_member(doc, "machine"), "clocks: machine", &file->clock_machine);
  if (status == TB_OK) status = parse_sync_to(p, tb_doc_member(doc, "sync_to"), &file->sync_to);
  if (status != TB_OK || !offset) return status;
  if (!offset->is_integer) return INVALID(p, "clocks: offset_ns must be an integer");
  if (offset->integer < -offset_max_ns || offset->integer > offset_max_ns)
    return INVALID_AT(p, offset->at, "clocks: offset_ns is out of range");
  file->offset_ns = offset->integer;
  return TB_OK;
}

static enum tb_status parse_file(struct parse *p, const struct tb_doc *doc, struct tb_manifest_file *file) {
  const struct tb_doc *path = tb_doc_member(doc, "path"), *machine = tb_doc_member(doc, "machine");
  const struct tb_doc *machines = tb_doc_member(doc, "machines"), *clocks = tb_doc_member(doc, "clocks");
  enum tb_status status = check_keys(p, doc, "an entry of files", "path, machine, machines, clocks");
  if (status != TB_OK) return status;
  file->at = doc->at;
  if (!is_text(path)) return INVALID(p, "files entries must be objects with a string path");
  if (machine && machines) return INVALID(p, "machine and machines are mutually exclusive");
  status = keep(p, path, &file->path);
  if (status == TB_OK && clocks) status = parse_clocks(p, clocks, file);
  if (status == TB_OK && machine) status = parse_machine(p, machine, file);
  if (status == TB_OK && machines) status = parse_machines(p, machines, file);
  return status;
}

/* ---- references between entries ---------------------------------------------------------------------------------- */

static bool declares(const struct tb_manifest_file *file, const char *machine) {
  if (file->machine && strcmp(file->machine, machine) == 0) return true;
  for (size_t i = 0; i < file->machine_count; i++)
    if (strcmp(file->machines[i].name, machine) == 0) return true;
  return false;
}

static enum tb_status check_reference(struct parse *p, const char *what, const struct tb_manifest_clock *to) {
  if (!to->file && to->machine)
    return INVALID(p, "%s.machine: a machine name alone is ambiguous, name the file too", what);
  if (!to->file) return TB_OK;
  const struct tb_manifest_file *file = tb_manifest_find(p->manifest, to->file);
  if (!file && !to->machine) return TB_OK; /* it may be an input */
  if (!file)
    return INVALID(p, "%s.machine '%.40s': only files with an entry have machines, and '%.40s' has none", what,
                   to->machine, to->file);
  if (!to->machine && file->machine_count)
    return INVALID(p, "%s.file '%.40s' is a multi-machine trace; also name the machine", what, to->file);
  if (to->machine && !declares(file, to->machine))
    return INVALID(p, "%s.machine '%.40s' is not a machine declared by file '%.40s'", what, to->machine, to->file);
  return TB_OK;
}

static bool is_same_machine(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static enum tb_status check_file(struct parse *p, const struct tb_manifest_file *file) {
  p->at = file->at;
  if (tb_manifest_find(p->manifest, file->path) != file)
    return INVALID(p, "files: there are two entries of '%.60s'", file->path);
  if (!file->has_clocks) return TB_OK;
  if (file->machine_count && !file->clock_machine)
    return INVALID(p, "clocks: file '%.60s' is a multi-machine trace; name which machine the clock is on", file->path);
  if (file->clock_machine && !declares(file, file->clock_machine))
    return INVALID(p, "clocks: machine '%.40s' is not a machine declared by file '%.40s'", file->clock_machine,
                   file->path);
  if (strcmp(file->sync_to.file, file->path) == 0 && is_same_machine(file->sync_to.machine, file->clock_machine))
    return INVALID(p, "clocks: sync_to of '%.60s' is the file itself", file->path);
  return check_reference(p, "clocks: sync_to", &file->sync_to);
}

const struct tb_manifest_file *tb_manifest_find(const struct tb_manifest *manifest, const char *path) {
  for (size_t i = 0; i < manifest->file_count; i++)
    if (strcmp(manifest->files[i].path, path) == 0) return &manifest->files[i];
  return NULL;
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static enum tb_status parse_files(struct parse *p, const struct tb_doc *doc) {
  size_t count = 0;
  p->at = doc->at;
  if (doc->type != TB_DOC_ARRAY) return INVALID(p, "files must be an array");
  for (const struct tb_doc *item = doc->first; item; item = item->next) count++;
  struct tb_manifest *m = p->manifest;
  m->files = tb_arena_alloc(p->arena, count * sizeof(*m->files));
  if (!m->files) return no_memory(p);
  for (const struct tb_doc *item = doc->first; item; item = item->next) {
    struct tb_manifest_file *file = &m->files[m->file_count++];
    *file = (struct tb_manifest_file){0};
    enum tb_status status = parse_file(p, item, file);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

static enum tb_status parse_attributes(struct parse *p, const struct tb_doc *doc) {
  size_t count = 0;
  p->at = doc->at;
  if (doc->type != TB_DOC_OBJECT) return INVALID(p, "attributes must be an object of string or integer values");
  for (const struct tb_doc *item = doc->first; item; item = item->next) count++;
  struct tb_manifest *m = p->manifest;
  m->attributes = tb_arena_alloc(p->arena, count * sizeof(*m->attributes));
  if (!m->attributes) return no_memory(p);
  for (const struct tb_doc *item = doc->first; item; item = item->next) {
    if (item->name.len == 0) return INVALID(p, "attributes: keys must be non-empty");
    bool text = item->type == TB_DOC_STRING;
    if (!text && !(item->type == TB_DOC_NUMBER && item->is_integer))
      return INVALID(p, "attributes: '%.*s' must be a string or an integer",
                     (int)(item->name.len < 60 ? item->name.len : 60), item->name.ptr);
    m->attributes[m->attribute_count++] = (struct tb_manifest_attribute){item->name, item->text, text, item->integer};
  }
  return TB_OK;
}

static enum tb_status parse_trace_time(struct parse *p, const struct tb_doc *doc) {
  struct tb_manifest_clock *to = &p->manifest->trace_time;
  if (doc->type != TB_DOC_OBJECT) return INVALID(p, "trace_time must be an object");
  enum tb_status status = check_keys(p, doc, "trace_time", "clock, file, machine");
  if (status != TB_OK) return status;
  if (!tb_doc_member(doc, "clock")) return INVALID(p, "trace_time needs a clock");
  p->manifest->has_trace_time = true;
  status = parse_clock_name(p, tb_doc_member(doc, "clock"), &to->clock);
  if (status == TB_OK) status = keep_optional(p, tb_doc_member(doc, "file"), "trace_time: file", &to->file);
  return status == TB_OK ? keep_optional(p, tb_doc_member(doc, "machine"), "trace_time: machine", &to->machine)
                         : status;
}

static enum tb_status parse_version(struct parse *p, const struct tb_doc *version) {
  if (!version) return INVALID(p, "missing required field: version");
  if (version->type != TB_DOC_NUMBER || !version->is_integer) return INVALID(p, "version must be an integer");
  if (version->integer == 1) return TB_OK;
  return INVALID(p, "unsupported version: %" PRId64 ". Only version 1 is supported", version->integer);
}

static enum tb_status parse_document(struct parse *p, const struct tb_doc *root) {
  const struct tb_doc *meta = tb_doc_member(root, "perfetto_manifest");
  if (!meta || meta->type != TB_DOC_OBJECT)
    return INVALID(p, "expected a JSON object with a top-level perfetto_manifest key");
  const struct tb_doc *trace_time = tb_doc_member(meta, "trace_time"), *files = tb_doc_member(meta, "files");
  const struct tb_doc *attributes = tb_doc_member(meta, "attributes");
  enum tb_status status = check_keys(p, root, "the document", "perfetto_manifest");
  if (status == TB_OK) status = check_keys(p, meta, "perfetto_manifest", "version, trace_time, files, attributes");
  if (status == TB_OK) status = parse_version(p, tb_doc_member(meta, "version"));
  if (status == TB_OK && trace_time) status = parse_trace_time(p, trace_time);
  if (status == TB_OK && files) status = parse_files(p, files);
  if (status == TB_OK && attributes) status = parse_attributes(p, attributes);
  p->at = trace_time ? trace_time->at : meta->at;
  if (status == TB_OK) status = check_reference(p, "trace_time: ", &p->manifest->trace_time);
  for (size_t i = 0; i < p->manifest->file_count && status == TB_OK; i++)
    status = check_file(p, &p->manifest->files[i]);
  return status;
}

enum tb_status tb_manifest_parse(struct tb_arena *arena, struct tb_str text, struct tb_manifest *manifest,
                                 struct tb_error *error) {
  struct parse p = {arena, manifest, error, 0};
  struct tb_doc *root;
  uint64_t offset;
  *manifest = (struct tb_manifest){0};
  enum tb_status status = tb_doc_parse(arena, text, &root, &offset);
  if (status == TB_NO_MEMORY) return no_memory(&p);
  if (status != TB_OK) return tb_fail(error, TB_BAD_DATA, offset, "perfetto_manifest: is no valid JSON");
  return parse_document(&p, root);
}
