/* SPDX-License-Identifier: Apache-2.0
 *
 * perfetto_manifest, version 1: which machine each file of an archive is of, and how its clocks relate. Source of the
 * rules: Perfetto's reference page "Trace manifest format". A key that it does not name is an error, since one that is
 * misspelt would be passed over.
 */
#ifndef TB_MERGE_MANIFEST_MANIFEST_H
#define TB_MERGE_MANIFEST_MANIFEST_H

#include "base/memory.h"

/* A clock of a file. Texts are NUL-terminated, NULL where the manifest does not say. */
struct tb_manifest_clock {
  const char *file, *machine;
  uint32_t clock; /* 0: the file's own timeline */
};

struct tb_manifest_machine {
  uint32_t id;
  const char *name;
};

struct tb_manifest_file {
  uint64_t at; /* byte of the manifest where its entry is */
  const char *path;
  const char *machine; /* NULL: none */
  struct tb_manifest_machine *machines;
  size_t machine_count;
  bool has_clocks;
  uint32_t clock; /* which of its clocks; 0: the file is pinned to the reference as it is */
  const char *clock_machine;
  struct tb_manifest_clock sync_to;
  int64_t offset_ns; /* the reference reads T + offset when this clock reads T */
};

struct tb_manifest_attribute {
  struct tb_str key, text;
  bool is_text;
  int64_t number;
};

struct tb_manifest {
  const char *name; /* of its file; the reader's to set */
  bool has_trace_time;
  struct tb_manifest_clock trace_time;
  struct tb_manifest_file *files;
  size_t file_count;
  struct tb_manifest_attribute *attributes;
  size_t attribute_count;
};

/* True where a file that starts with these bytes is a manifest. */
bool tb_manifest_detect(const char *data, size_t len);

/* Reads and checks a manifest; it lives in the arena. TB_OK, or TB_INVALID (with the byte where it is and a message, of
 * Perfetto's catalogue of errors where that has one, in *error), TB_BAD_DATA (no JSON), TB_NO_MEMORY. Whether there is
 * an input for each reference to a file without an entry is left to the merge. */
TB_MUST_CHECK enum tb_status tb_manifest_parse(struct tb_arena *arena, struct tb_str text, struct tb_manifest *manifest,
                                               struct tb_error *error);

/* The entry of this path; NULL where there is none. */
const struct tb_manifest_file *tb_manifest_find(const struct tb_manifest *manifest, const char *path);

#endif
