/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/repair/recording_files.h"

#include <sys/stat.h>

#include "base/error.h"
#include "convert/trace_input.h"
#include "io/path.h"
#include "tracebridge/file.h"

enum { COPY_BYTES = 1 << 16 };

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* OUT.2 for the second, with the number before what says the format: whole.2.json.gz. */
static const char *name_of(struct tb_merger *m, const char *out, size_t number) {
  size_t stem;
  (void)tb_path_compression(out, &stem);
  const char *last = tb_path_last_part(out), *dot = out + stem;
  do dot--;
  while (dot > last && *dot != '.');
  if (dot <= last) dot = out + stem; /* nothing but that says the format */
  return tb_merge_report_print(m->report, "%.*s.%zu%s", (int)(dot - out), out, number, dot);
}

static enum tb_status refuse(struct tb_merger *m, const char *name, enum tb_status status, const char *why) {
  tb_error_set_file(&m->error, name);
  return tb_fail(&m->error, status, TB_NO_OFFSET, "%s", why);
}

/* A file that nobody named is not replaced. */
static enum tb_status check(struct tb_merger *m, const char *in, const struct tb_recording_file *files, size_t count) {
  struct stat st;
  for (size_t i = 1; i < count; i++) {
    if (!*files[i].name) return TB_NO_MEMORY;
    if (tb_file_overwrites_input(files[i].name, in))
      return refuse(m, files[i].name, TB_REFUSED, "a recording of the input would overwrite it; choose another name");
    if (lstat(files[i].name, &st) == 0)
      return refuse(m, files[i].name, TB_REFUSED,
                    "is there already, and the input holds several recordings, of which one would get this name; "
                    "remove it or choose another name for the output");
  }
  return TB_OK;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Copies what comes next of the input, up to `left` bytes. TB_END where it has no more. */
static enum tb_status copy_one(struct tb_merger *m, struct tb_input *input, char *buffer, uint64_t left,
                               struct tb_recording_file *file) {
  char to[TB_COPY_STORE_NAME];
  uint64_t len = 0;
  enum tb_status status = tb_copy_store_begin(&m->store, m->sources[0].name, &file->place, to, &m->error);
  while (status == TB_OK && len < left) {
    size_t got;
    status = tb_input_read(input, buffer, left - len < COPY_BYTES ? (size_t)(left - len) : COPY_BYTES, &got, &m->error);
    if (status == TB_OK) status = tb_copy_store_put(&m->store, len, buffer, got, &m->error);
    if (status == TB_OK) len += got;
  }
  bool ends = status == TB_END || status == TB_TRUNCATED;
  if (status != TB_OK && !ends) return status;
  status = tb_copy_store_end(&m->store, len, &file->place, &m->error);
  return status == TB_OK && ends ? TB_END : status;
}

static enum tb_status copy_all(struct tb_walk *walk, struct tb_recording_file *files, size_t count) {
  struct tb_merger *m = &walk->merger;
  struct tb_input *input = NULL;
  char *buffer = tb_alloc(m->allocator, COPY_BYTES);
  enum tb_status status =
      buffer ? tb_trace_input_open(&walk->source->place, m->allocator, 1, NULL, &input, NULL, &m->error) : TB_NO_MEMORY;
  for (size_t i = 0; i < count && status == TB_OK; i++) {
    uint64_t end = i + 1 < count ? files[i + 1].offset : UINT64_MAX;
    status = copy_one(m, input, buffer, end - files[i].offset, &files[i]);
  }
  tb_input_close(input);
  tb_free(m->allocator, buffer, COPY_BYTES);
  return status == TB_END ? TB_OK : status;
}

enum tb_status tb_recording_files(struct tb_walk *walk, const char *in, const char *out,
                                  struct tb_recording_file **files, size_t *count) {
  struct tb_merger *m = &walk->merger;
  const struct tb_recordings *recordings = &walk->source->prescan.recordings;
  *count = walk->source->converted ? 1 : recordings->count + 1;
  *files = tb_arena_alloc(&m->report->arena, *count * sizeof(**files));
  if (!*files) return TB_NO_MEMORY;
  for (size_t i = 0; i < *count; i++)
    (*files)[i] = (struct tb_recording_file){.name = i ? name_of(m, out, i + 1) : out,
                                             .offset = i ? recordings->offsets[i - 1] : 0,
                                             .place = walk->source->place};
  if (*count == 1) return TB_OK;
  if (!tb_file_is_plain(out))
    return refuse(m, in, TB_UNSUPPORTED,
                  "it holds several recordings, one behind the other, and each becomes a file of its own: name a file");
  enum tb_status status = check(m, in, *files, *count);
  return status == TB_OK ? copy_all(walk, *files, *count) : status;
}
