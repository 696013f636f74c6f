/* SPDX-License-Identifier: Apache-2.0 */
#include "many/many_jobs.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "many/many_made.h"
#include "print.h"
#include "tracebridge/file.h"

static struct cli_job *add(struct cli_job **items, size_t *count, size_t *capacity) {
  if (*count == *capacity) {
    size_t larger = *capacity ? 2 * *capacity : 64;
    struct cli_job *moved = realloc(*items, larger * sizeof(**items));
    if (!moved) return NULL;
    *items = moved;
    *capacity = larger;
  }
  struct cli_job *job = &(*items)[(*count)++];
  *job = (struct cli_job){0};
  return job;
}

/* `below`: the path below the folder that was named, or the name of a file. */
static int add_file(struct cli_jobs *jobs, const char *path, const char *below, const struct stat *input) {
  struct cli_job *job = add(&jobs->items, &jobs->count, &jobs->capacity);
  if (!job) return cli_no_memory(&cli_convert);
  size_t folder = strlen(jobs->out_dir), kept = tb_format_stem(below);
  size_t len = folder + 1 + kept + strlen(jobs->suffix);
  job->from = strdup(path);
  job->to = malloc(len + 1);
  if (!job->from || !job->to) return cli_no_memory(&cli_convert);
  (void)snprintf(job->to, len + 1, "%s/%.*s%s", jobs->out_dir, (int)kept, below, jobs->suffix);
  job->name = job->to + folder + 1;
  job->input = *input;
  return CLI_OK;
}

/* An operand, or a folder in one, that fails alone. */
static int add_unreadable(struct cli_jobs *jobs, const char *path, int number) {
  struct cli_job *job = add(&jobs->items, &jobs->count, &jobs->capacity);
  if (!job) return cli_no_memory(&cli_convert);
  job->from = strdup(path);
  job->unreadable = number;
  return job->from ? CLI_OK : cli_no_memory(&cli_convert);
}

/* What is no trace, by its name or since it is no file. */
static int pass_over(struct cli_jobs *jobs, const FTSENT *entry) {
  struct stat st;
  if (tb_format_from_path(entry->fts_name) == TB_FORMAT_UNKNOWN) {
    jobs->passed_over += strcmp(entry->fts_name, CLI_MADE_FILE) != 0;
    return CLI_OK;
  }
  bool is_link = entry->fts_info == FTS_SLNONE;
  if (is_link && stat(entry->fts_path, &st) != 0 && errno != ENOENT)
    return add_unreadable(jobs, entry->fts_path, errno);
  jobs->not_files++;
  if (!jobs->quiet)
    cli_print(stderr, "%s: passed over: it is %s\n", entry->fts_path,
              is_link ? "a link to nothing" : "no file, but a pipe or a device");
  return CLI_OK;
}

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

static bool is_out_dir(const struct cli_jobs *jobs, const char *folder) {
  char path[PATH_MAX];
  return realpath(folder, path) && strcmp(path, jobs->out_path) == 0;
}

/* Inputs and outputs may share a folder, and outputs are no inputs then. */
static int set_apart_own(struct cli_jobs *jobs) {
  const struct cli_job *last = &jobs->items[jobs->count - 1];
  if (!tb_file_overwrites_input(last->to, last->from)) return CLI_OK;
  struct cli_job *own = add(&jobs->own, &jobs->own_count, &jobs->own_capacity);
  if (!own) return cli_no_memory(&cli_convert);
  *own = *last;
  own->is_own = true;
  jobs->count--;
  return CLI_OK;
}

static int add_trace(struct cli_jobs *jobs, const FTSENT *entry, size_t root) {
  int status = add_file(jobs, entry->fts_path, entry->fts_path + root, entry->fts_statp);
  return status == CLI_OK ? set_apart_own(jobs) : status;
}

static int add_entry(struct cli_jobs *jobs, FTS *tree, FTSENT *entry, size_t root) {
  switch (entry->fts_info) {
    case FTS_D:
      if (entry->fts_level > 0 && is_out_dir(jobs, entry->fts_path)) (void)fts_set(tree, entry, FTS_SKIP);
      return CLI_OK;
    case FTS_F:
      return tb_format_from_path(entry->fts_name) == TB_FORMAT_UNKNOWN ? pass_over(jobs, entry)
                                                                       : add_trace(jobs, entry, root);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
      return add_unreadable(jobs, entry->fts_path, entry->fts_errno);
    case FTS_DP: /* left again */
    case FTS_DC: /* a link to a folder that is above it */
      return CLI_OK;
    default: /* pipes and devices, links to nothing */
      return pass_over(jobs, entry);
  }
}

static int add_folder(struct cli_jobs *jobs, char *path) {
  char *roots[] = {path, NULL};
  FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
  if (!tree) return cli_no_memory(&cli_convert);
  int status = CLI_OK;
  size_t root = strlen(path);
  root += path[root - 1] != '/';
  for (FTSENT *entry; status == CLI_OK && (entry = fts_read(tree));) status = add_entry(jobs, tree, entry, root);
  (void)fts_close(tree);
  return status;
}

static int add_operand(struct cli_jobs *jobs, char *path) {
  struct stat st;
  if (strcmp(path, "-") == 0)
    return cli_usage(&cli_convert, "--out-dir takes files and folders, and not standard input; use -o");
  if (stat(path, &st) != 0) return add_unreadable(jobs, path, errno);
  if (S_ISDIR(st.st_mode)) return add_folder(jobs, path);
  return add_file(jobs, path, basename(path), &st); /* GNU's, of string.h */
}

static int by_output(const void *a, const void *b) {
  const struct cli_job *const *first = a, *const *second = b;
  int order = strcmp((*first)->to, (*second)->to);
  return order ? order : (*first)->is_own - (*second)->is_own;
}

/* Nobody can say which of them the output is to be of: both fail, and all others are converted. */
static int set_one_output(struct cli_job *a, struct cli_job *b) {
  if (tb_file_overwrites_input(b->from, a->from)) return cli_usage(&cli_convert, "%s is named twice", b->from);
  a->collides_with = b->from;
  b->collides_with = a->from;
  return CLI_OK;
}

/* Two files with one output, and one that is named twice, which is wrong usage. */
static int check_outputs(const struct cli_jobs *jobs) {
  size_t count = 0;
  struct cli_job **sorted = calloc(jobs->count + jobs->own_count + 1, sizeof(struct cli_job *));
  if (!sorted) return cli_no_memory(&cli_convert);
  for (size_t i = 0; i < jobs->count; i++)
    if (jobs->items[i].to) sorted[count++] = &jobs->items[i];
  for (size_t i = 0; i < jobs->own_count; i++) sorted[count++] = &jobs->own[i];
  qsort(sorted, count, sizeof(struct cli_job *), by_output);
  int status = CLI_OK;
  for (size_t i = 1; i < count && status == CLI_OK; i++) {
    if (strcmp(sorted[i - 1]->to, sorted[i]->to) != 0) continue;
    if (!sorted[i]->is_own)
      status = set_one_output(sorted[i - 1], sorted[i]);
    else if (!sorted[i - 1]->collides_with)
      sorted[i]->overwritten_by = sorted[i - 1]->from;
  }
  free(sorted);
  return status;
}

static int refuse_nothing(const struct cli_jobs *jobs) {
  if (jobs->own_count)
    cli_print(stderr,
              "tracebridge: every trace in the folders would become itself, %s first; give another "
              "--out-dir or --suffix\n",
              jobs->own[0].from);
  else
    cli_print(stderr, "tracebridge: no file in the folders ends in " CLI_OUTPUT_NAMES "\n");
  return CLI_BAD_DATA;
}

int cli_jobs_find(const struct cli_operands *operands, struct cli_jobs *jobs) {
  struct stat out;
  if (!operands->count) return cli_usage(&cli_convert, "no input");
  if (stat(jobs->out_dir, &out) == 0) {
    if (!S_ISDIR(out.st_mode)) return cli_usage(&cli_convert, "--out-dir %s is no folder", jobs->out_dir);
    if (!realpath(jobs->out_dir, jobs->out_path)) {
      cli_print(stderr, "tracebridge: %s: %s\n", jobs->out_dir, strerror(errno));
      return CLI_IO;
    }
  }
  int status = CLI_OK;
  for (int i = 0; i < operands->count && status == CLI_OK; i++) status = add_operand(jobs, operands->items[i]);
  if (status == CLI_OK && !jobs->count) return refuse_nothing(jobs);
  return status == CLI_OK ? check_outputs(jobs) : status;
}

static void free_jobs(struct cli_job *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(items[i].from);
    free(items[i].to);
  }
  free(items);
}

void cli_jobs_free(struct cli_jobs *jobs) {
  free_jobs(jobs->items, jobs->count);
  free_jobs(jobs->own, jobs->own_count);
}

bool cli_job_make_folders(const struct cli_job *job) {
  for (char *slash = strchr(job->to + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    bool made = mkdir(job->to, 0777) == 0 || errno == EEXIST;
    *slash = '/';
    if (!made) return false;
  }
  return true;
}
