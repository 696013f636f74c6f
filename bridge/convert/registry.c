/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/registry.h"

#include <string.h>
#include <strings.h>

#include "io/path.h"

extern const struct tb_reader_ops tb_json_reader_ops, tb_fxt_reader_ops, tb_perfetto_reader_ops, tb_ftrace_reader_ops;
extern const struct tb_writer_ops tb_json_writer_ops, tb_fxt_writer_ops, tb_perfetto_writer_ops;

static const struct tb_format_entry formats[] = {
    {TB_FORMAT_JSON, "json", "JSON", {".json"}, &tb_json_reader_ops, &tb_json_writer_ops},
    {TB_FORMAT_FXT, "fxt", "FXT", {".fxt"}, &tb_fxt_reader_ops, &tb_fxt_writer_ops},
    {TB_FORMAT_PERFETTO,
     "perfetto",
     "Perfetto",
     {".perfetto-trace", ".pftrace"},
     &tb_perfetto_reader_ops,
     &tb_perfetto_writer_ops},
    {TB_FORMAT_FTRACE, "ftrace", "ftrace text", {NULL}, &tb_ftrace_reader_ops, NULL}};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

const struct tb_format_entry *tb_registry_at(size_t i) {
  if (i < FORMATS) return &formats[i];
  return i == FORMATS && tb_registry_test_format ? tb_registry_test_format() : NULL;
}

const struct tb_format_entry *tb_registry_find(enum tb_format format) {
  const struct tb_format_entry *entry;
  for (size_t i = 0; (entry = tb_registry_at(i)); i++)
    if (entry->format == format) return entry;
  return NULL;
}

const struct tb_reader_ops *tb_registry_reader(enum tb_format format) {
  const struct tb_format_entry *entry = tb_registry_find(format);
  return entry ? entry->reader : NULL;
}

const struct tb_writer_ops *tb_registry_writer(enum tb_format format) {
  const struct tb_format_entry *entry = tb_registry_find(format);
  return entry ? entry->writer : NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

const char *tb_format_name(enum tb_format format) {
  const struct tb_format_entry *entry = tb_registry_find(format);
  return entry ? entry->name : "unknown";
}

enum tb_format tb_format_from_name(const char *name) {
  const struct tb_format_entry *entry;
  for (size_t i = 0; (entry = tb_registry_at(i)); i++)
    if (strcmp(name, entry->name) == 0) return entry->format;
  return TB_FORMAT_UNKNOWN;
}

static bool ends_with(const char *text, size_t len, const char *suffix) {
  size_t n = strlen(suffix);
  return len >= n && strncasecmp(text + len - n, suffix, n) == 0;
}

static bool has_suffix(const struct tb_format_entry *entry, const char *path, size_t len) {
  for (size_t i = 0; i < TB_FORMAT_SUFFIXES_MAX && entry->suffixes[i]; i++)
    if (ends_with(path, len, entry->suffixes[i])) return true;
  return false;
}

enum tb_format tb_format_from_path(const char *path) {
  size_t len;
  (void)tb_path_compression(path, &len);
  const struct tb_format_entry *entry;
  for (size_t i = 0; (entry = tb_registry_at(i)); i++)
    if (has_suffix(entry, path, len)) return entry->format;
  return TB_FORMAT_UNKNOWN;
}
