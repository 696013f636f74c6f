/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/registry.h"

#include <string.h>
#include <strings.h>

#include "convert/packet_text.h"
#include "io/path.h"

extern const struct tb_reader_ops tb_json_reader_ops, tb_fxt_reader_ops, tb_perfetto_reader_ops, tb_ftrace_reader_ops;
extern const struct tb_writer_ops tb_json_writer_ops, tb_fxt_writer_ops, tb_perfetto_writer_ops;

static const struct tb_decoder_ops packet_text = {TB_FORMAT_PERFETTO, tb_packet_text_detect, tb_packet_text_open};

static const struct tb_format_entry formats[] = {
    {TB_FORMAT_JSON, "json", "JSON", {".json"}, &tb_json_reader_ops, &tb_json_writer_ops, NULL},
    {TB_FORMAT_FXT, "fxt", "FXT", {".fxt"}, &tb_fxt_reader_ops, &tb_fxt_writer_ops, NULL},
    {TB_FORMAT_PERFETTO,
     "perfetto",
     "Perfetto",
     {".perfetto-trace", ".pftrace"},
     &tb_perfetto_reader_ops,
     &tb_perfetto_writer_ops,
     NULL},
    {TB_FORMAT_FTRACE, "ftrace", "ftrace text", {NULL}, &tb_ftrace_reader_ops, NULL, NULL},
    {TB_FORMAT_TEXT, "text", "protobuf text", {NULL}, NULL, NULL, &packet_text}};
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

const struct tb_format_entry *tb_registry_decoder(enum tb_format format, const char *data, size_t len) {
  const struct tb_format_entry *entry;
  for (size_t i = 0; (entry = tb_registry_at(i)); i++)
    if (entry->decoder && (format == entry->format || (!format && entry->decoder->detect(data, len)))) return entry;
  return NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

const char *tb_format_name(enum tb_format format) {
  const struct tb_format_entry *entry = tb_registry_find(format);
  return entry ? entry->name : "unknown";
}

enum tb_format tb_format_from_name(const char *name) {
  const struct tb_format_entry *entry;
  for (size_t i = 0; name && (entry = tb_registry_at(i)); i++)
    if (strcmp(name, entry->name) == 0) return entry->format;
  return TB_FORMAT_UNKNOWN;
}

bool tb_format_is_written(enum tb_format format) { return tb_registry_writer(format) != NULL; }

/* How much of `len` bytes of a path is in front of the format's suffix; `len` where it has none. */
static size_t before_suffix(const struct tb_format_entry *entry, const char *path, size_t len) {
  for (size_t i = 0; i < TB_FORMAT_SUFFIXES_MAX && entry->suffixes[i]; i++) {
    size_t n = strlen(entry->suffixes[i]);
    if (len >= n && strncasecmp(path + len - n, entry->suffixes[i], n) == 0) return len - n;
  }
  return len;
}

/* The format that a path's end stands for, NULL: none; *stem is what is in front of the end. */
static const struct tb_format_entry *find_by_path(const char *path, size_t *stem) {
  size_t len;
  (void)tb_path_compression(path, &len);
  const struct tb_format_entry *entry;
  for (size_t i = 0; (entry = tb_registry_at(i)); i++) {
    *stem = before_suffix(entry, path, len);
    if (*stem < len) return entry;
  }
  *stem = strlen(path);
  return NULL;
}

enum tb_format tb_format_from_path(const char *path) {
  size_t stem;
  if (!path) return TB_FORMAT_UNKNOWN;
  const struct tb_format_entry *entry = find_by_path(path, &stem);
  return entry ? entry->format : TB_FORMAT_UNKNOWN;
}

size_t tb_format_stem(const char *path) {
  size_t stem;
  if (!path) return 0;
  (void)find_by_path(path, &stem);
  return stem;
}

const char *tb_format_suffix(enum tb_format format) {
  const struct tb_format_entry *entry = tb_registry_find(format);
  return entry ? entry->suffixes[0] : NULL;
}
