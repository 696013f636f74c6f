/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at a trace to plan its parts, then writes them, several by one reading.
 */
#include "tracebridge/split.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/options.h"
#include "base/times.h"
#include "io/path.h"
#include "toolbox/cut/cut_file.h"
#include "toolbox/split/part_name.h"
#include "toolbox/split/split_part.h"
#include "tracebridge/file.h"
#include "tracebridge/info.h"

enum { TOGETHER_MAX = 32, STATE_MAX = 256 << 20 };
#define NO_PLACE UINT32_MAX

struct splitting {
  struct tb_split_options options;
  const char *in, *directory;
  bool made_directory;
  struct tb_walk walk;
  struct tb_track_events events;
  struct tb_split_plan plan;
  struct tb_split_part *parts; /* in the arena of the merge's report, as their names are */
  struct tb_split_report report;
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static enum tb_status check(const struct splitting *s, struct tb_error *error) {
  const struct tb_split_options *o = &s->options;
  const char *wrong = NULL;
  if (!s->in || !s->directory)
    wrong = s->in ? "there is no folder to write to" : "there is no input";
  else if (o->by > TB_SPLIT_SIZE)
    wrong = "a trace is not split by that";
  else if (o->by == TB_SPLIT_TIME && o->window_ns <= 0)
    wrong = "a part has to be longer than nothing";
  else if (o->by == TB_SPLIT_SIZE && !o->part_bytes)
    wrong = "a part has to be larger than nothing";
  else if (o->suffix &&
           (o->suffix[0] != '.' || strchr(o->suffix, '/') || tb_format_from_path(o->suffix) == TB_FORMAT_UNKNOWN))
    wrong = "the suffix says no format";
  return wrong ? tb_fail(error, TB_INVALID, TB_NO_OFFSET, "%s", wrong) : TB_OK;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static enum tb_status fail_of_folder(struct splitting *s, enum tb_status status, const char *what) {
  struct tb_error *error = &s->walk.merger.error;
  tb_error_set_file(error, s->directory);
  return tb_fail(error, status, TB_NO_OFFSET, "%s", what);
}

static bool has_files(DIR *folder) {
  const struct dirent *entry;
  while ((entry = readdir(folder)))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) return true;
  return false;
}

/* Old parts among the new ones would be merged with them. */
static enum tb_status take_folder(struct splitting *s) {
  s->made_directory = mkdir(s->directory, 0777) == 0;
  if (s->made_directory) return TB_OK;
  if (errno != EEXIST) return fail_of_folder(s, TB_IO, strerror(errno));
  DIR *folder = opendir(s->directory);
  if (!folder) return fail_of_folder(s, TB_IO, strerror(errno));
  bool taken = !s->options.force && has_files(folder);
  (void)closedir(folder);
  return taken ? fail_of_folder(s, TB_REFUSED, "the folder is not empty; name another one") : TB_OK;
}

/* Memory may be out: the names are the ends of the paths. */
static void remove_parts(struct splitting *s) {
  size_t folder = strlen(s->directory) + 1;
  for (size_t i = 0; i < s->report.part_count; i++) (void)unlink(s->parts[i].name - folder);
  s->report.part_count = 0;
  if (s->made_directory) (void)rmdir(s->directory);
}

/* ---- the parts --------------------------------------------------------------------------------------------------- */

/* The input's format where it can be written, compressed where that is. */
static const char *suffix_of(const struct splitting *s) {
  if (s->options.suffix) return s->options.suffix;
  size_t stem;
  const char *own = s->walk.source->converted ? tb_format_suffix(s->walk.source->format) : NULL;
  if (!own || tb_format_from_path(own) != s->walk.source->format) own = ".pftrace";
  if (tb_path_compression(s->in, &stem) != TB_COMPRESSION_GZIP) return own;
  return tb_merge_report_print(s->walk.merger.report, "%s.gz", own);
}

/* The path of a part; NULL where memory is out, or it is not to be written. */
static const char *path_of(struct splitting *s, size_t part) {
  struct tb_merger *m = &s->walk.merger;
  char name[TB_PART_NAME_MAX];
  tb_part_name(&s->plan, part, suffix_of(s), name);
  const char *path = tb_merge_report_print(m->report, "%s/%s", s->directory, name);
  if (*path && !tb_file_overwrites_input(path, s->in)) return path;
  tb_error_set_file(&m->error, path);
  (void)tb_fail(&m->error, *path ? TB_REFUSED : TB_NO_MEMORY, TB_NO_OFFSET, "%s",
                *path ? "a part would overwrite the input; name another folder" : "out of memory");
  return NULL;
}

static void report_part(struct splitting *s, const struct tb_split_writing *writing) {
  struct tb_split_part *part = &s->parts[s->report.part_count++];
  *part = (struct tb_split_part){.name = writing->file->out + strlen(s->directory) + 1,
                                 .packets = s->plan.pieces[writing->part].packets,
                                 .bytes = writing->file->bytes,
                                 .has_start = s->plan.by == TB_SPLIT_TIME};
  if (part->has_start) part->start_ns = tb_time_add(s->plan.first, s->plan.window_ns * (int64_t)writing->part);
}

/* Writes the parts from *next on that one reading can, and leaves *next behind them. */
static enum tb_status write_group(struct splitting *s, uint64_t recording, size_t most, size_t *next) {
  struct tb_split_writing writings[TOGETHER_MAX];
  struct tb_trace_file files[TOGETHER_MAX];
  struct tb_split_group group = {.plan = &s->plan, .recording = recording, .writings = writings};
  struct tb_merger *m = &s->walk.merger;
  size_t begin = *next;
  for (; *next < s->plan.count && group.count < most; ++*next) {
    if (*next && !s->plan.pieces[*next].packets) continue;
    size_t at = group.count++;
    files[at] = (struct tb_trace_file){.out = path_of(s, *next)};
    writings[at] = (struct tb_split_writing){.part = *next, .file = &files[at]};
    if (!files[at].out) return m->error.code;
    s->plan.pieces[*next].place = (uint32_t)at;
  }
  if (!group.count) return TB_OK;
  enum tb_status status = tb_merger_write_files(m, files, group.count, tb_split_group_write, &group);
  for (size_t i = 0; i < group.count; i++)
    if (files[i].is_written) report_part(s, &writings[i]);
  s->report.packets_in = group.packets_in;
  for (size_t i = begin; i < *next; i++) s->plan.pieces[i].place = NO_PLACE;
  return status;
}

/* One reading writes so many parts that what each may hold back of the trace's state is not too much together. */
static enum tb_status write_parts(struct splitting *s) {
  struct tb_merger *m = &s->walk.merger;
  const struct tb_split_options *o = &s->options;
  uint64_t how = tb_mix64((uint64_t)o->by ^ tb_mix64((uint64_t)o->window_ns ^ tb_mix64(o->part_bytes)));
  uint64_t recording = tb_mix64(how ^ s->walk.source->prescan.content);
  uint64_t most = s->plan.state_most ? STATE_MAX / s->plan.state_most : TOGETHER_MAX;
  size_t next = 0;
  enum tb_status status = TB_OK;
  most = most < 1 ? 1 : most > TOGETHER_MAX ? TOGETHER_MAX : most;
  s->parts = tb_arena_alloc(&m->report->arena, s->plan.count * sizeof(*s->parts));
  if (!s->parts) return tb_fail(&m->error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  for (size_t i = 0; i < s->plan.count; i++) s->plan.pieces[i].place = NO_PLACE;
  while (next < s->plan.count && status == TB_OK) status = write_group(s, recording, (size_t)most, &next);
  s->report.parts = s->parts;
  return status;
}

/* What `part_bytes` are as Perfetto's packets, for a file that is another format's. */
static uint64_t packet_bytes(const struct splitting *s) {
  struct stat st;
  size_t stem;
  uint64_t bytes = s->options.part_bytes;
  if (!s->walk.source->converted || tb_path_compression(s->in, &stem) != TB_COMPRESSION_NONE || stat(s->in, &st) != 0 ||
      !S_ISREG(st.st_mode) || !st.st_size)
    return bytes;
  double share = (double)s->walk.source->prescan.bytes / (double)st.st_size, packets = (double)bytes * share;
  return packets < 0x1p63 ? (uint64_t)packets + 1 : UINT64_MAX;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static enum tb_status run(struct splitting *s, struct tb_error *error) {
  struct tb_merger *m = &s->walk.merger;
  tb_track_events_init(&s->events, m->allocator);
  tb_split_plan_init(&s->plan, &s->walk, &s->events);
  s->plan.by = s->options.by;
  s->plan.window_ns = s->options.window_ns;
  s->plan.part_bytes = packet_bytes(s);
  s->plan.other_format = tb_merger_converts_to(m, suffix_of(s));
  enum tb_status status = tb_split_plan_make(&s->plan);
  bool has_folder = status == TB_OK && (status = take_folder(s)) == TB_OK;
  if (has_folder) status = write_parts(s);
  status = tb_guard_settle(&m->report->guard, status, &m->error);
  if (status != TB_OK && has_folder) remove_parts(s);
  status = tb_cut_settle(m, status, error);
  tb_split_plan_free(&s->plan);
  tb_track_events_free(&s->events);
  return status;
}

enum tb_status tb_split(const char *in, const char *directory, const struct tb_split_options *options,
                        struct tb_split_report *report, struct tb_error *error) {
  struct splitting s = {.options = {.size = sizeof(s.options)}, .in = in, .directory = directory};
  enum tb_status status = tb_report_begin(report, sizeof(*report), error);
  if (status == TB_OK) status = tb_options_take(&s.options, sizeof(s.options), options, error);
  if (status == TB_OK) status = check(&s, error);
  if (status != TB_OK) return status;
  struct tb_merge_options merge = TB_CUT_READ_OPTIONS(&s.options, threads, .no_clobber = !s.options.force);
  status = tb_walk_open(&s.walk, in, &merge, error);
  if (status == TB_OK) {
    status = run(&s, error);
    tb_walk_close(&s.walk);
  }
  s.report.merge = s.walk.merger.report;
  if (!TB_REPORT_HAS(report, struct tb_split_report, merge)) { /* which frees the parts */
    tb_merge_report_free(s.report.merge);
    s.report.parts = NULL;
    s.report.part_count = 0;
  }
  tb_report_give(report, &s.report, sizeof(s.report));
  return status;
}

void tb_split_report_free(struct tb_split_report *report) {
  if (!TB_REPORT_HAS(report, struct tb_split_report, merge)) return;
  tb_merge_report_free(report->merge);
  report->merge = NULL;
  report->parts = NULL;
  report->part_count = 0;
}
