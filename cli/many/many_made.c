/* SPDX-License-Identifier: Apache-2.0 */
#include "many/many_made.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "print.h"

/* The file: entries one behind the other, each of FIELDS texts that end in a zero byte: the entry's texts, and one of
 * its numbers with the losses. */
enum { FIELDS = 4 };

static int by_name(const void *a, const void *b) {
  const struct cli_made_entry *first = a, *second = b;
  int order = strcmp(first->name, second->name);
  return order ? order : (first->name > second->name) - (first->name < second->name); /* in the order of the file */
}

/* Takes an entry off the front of *text. False where none is whole. */
static bool take_entry(const char **text, const char *end, struct cli_made_entry *entry) {
  const char *fields[FIELDS], *at = *text;
  for (int i = 0; i < FIELDS; i++) {
    const char *zero = memchr(at, '\0', (size_t)(end - at));
    if (!zero) return false;
    fields[i] = at;
    at = zero + 1;
  }
  *text = at;
  *entry = (struct cli_made_entry){.name = fields[0], .input = fields[1], .options = fields[2], .losses = "[]"};
  int losses = 0;
  int numbers =
      sscanf(fields[3], "%lld %lld %lld %lld %d %lld %lld %n", &entry->input_size, &entry->input_s, &entry->input_ns,
             &entry->output_size, &entry->exit_status, &entry->output_s, &entry->output_ns, &losses);
  if (losses && fields[3][losses]) entry->losses = fields[3] + losses;
  if (numbers < 7) entry->output_ns = -1; /* an entry of before, which has no time of the output */
  return numbers >= 5;
}

/* Of entries with one name only the last counts. Returns how many did not. */
static size_t drop_older(struct cli_made *made) {
  size_t kept = 0;
  qsort(made->entries, made->count, sizeof(*made->entries), by_name);
  for (size_t i = 0; i < made->count; i++) {
    if (i + 1 < made->count && strcmp(made->entries[i].name, made->entries[i + 1].name) == 0) continue;
    made->entries[kept++] = made->entries[i];
  }
  size_t dropped = made->count - kept;
  made->count = kept;
  return dropped;
}

static bool put(FILE *to, const struct cli_made_entry *e) {
  const char *fields[] = {e->name, e->input, e->options};
  for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
    (void)cli_print_written(to, fields[i], strlen(fields[i]) + 1);
  cli_print(to, "%lld %lld %lld %lld %d", e->input_size, e->input_s, e->input_ns, e->output_size, e->exit_status);
  cli_print(to, " %lld %lld ", e->output_s, e->output_ns);
  (void)cli_print_written(to, e->losses, strlen(e->losses) + 1);
  return fflush(to) == 0 && !ferror(to);
}

/* Writes the entries anew; the record shall not grow with each run. */
static bool rewrite(struct cli_made *made) {
  if (ftruncate(fileno(made->file), 0) != 0) return false;
  for (size_t i = 0; i < made->count; i++)
    if (!put(made->file, &made->entries[i])) return false;
  return true;
}

static bool read_text(struct cli_made *made, size_t *len) {
  struct stat st;
  if (fstat(fileno(made->file), &st) != 0) return false;
  made->text = malloc((size_t)st.st_size + 1);
  if (!made->text) return false;
  *len = fread(made->text, 1, (size_t)st.st_size, made->file);
  return !ferror(made->file);
}

/* Entries of `len` bytes of text; what is behind the last whole one was cut and is left out. */
static bool read_entries(struct cli_made *made, size_t len) {
  const char *at = made->text, *end = at + len;
  size_t zeros = 0;
  for (size_t i = 0; i < len; i++) zeros += made->text[i] == '\0';
  made->entries = calloc(zeros / FIELDS + 1, sizeof(*made->entries));
  if (!made->entries) return false;
  while (take_entry(&at, end, &made->entries[made->count])) made->count++;
  bool cut = at < end;
  return (drop_older(made) == 0 && !cut) || rewrite(made);
}

static int cannot(const char *path) {
  cli_print(stderr, "tracebridge: %s: %s\n", path,
            errno == EWOULDBLOCK ? "another run of tracebridge converts into this folder" : strerror(errno));
  return CLI_IO;
}

int cli_made_open(struct cli_made *made, const char *out_dir) {
  size_t len = 0;
  *made = (struct cli_made){0};
  if (snprintf(made->path, sizeof(made->path), "%s/" CLI_MADE_FILE, out_dir) >= (int)sizeof(made->path)) {
    errno = ENAMETOOLONG;
    return cannot(out_dir);
  }
  made->file = fopen(made->path, "a+e");
  if (!made->file || flock(fileno(made->file), LOCK_EX | LOCK_NB) != 0 || !read_text(made, &len) ||
      !read_entries(made, len))
    return cannot(made->path);
  return CLI_OK;
}

static int by_name_alone(const void *name, const void *entry) {
  return strcmp(name, ((const struct cli_made_entry *)entry)->name);
}

static const struct cli_made_entry *entry_of(const struct cli_made *made, const struct cli_job *job) {
  if (!made->count) return NULL;
  return bsearch(job->name, made->entries, made->count, sizeof(*made->entries), by_name_alone);
}

bool cli_made_knows(const struct cli_made *made, const struct cli_job *job) { return entry_of(made, job) != NULL; }

static bool is_newer(const struct stat *output, const struct stat *input) {
  if (output->st_mtim.tv_sec != input->st_mtim.tv_sec) return output->st_mtim.tv_sec > input->st_mtim.tv_sec;
  return output->st_mtim.tv_nsec > input->st_mtim.tv_nsec;
}

const struct cli_made_entry *cli_made_find(const struct cli_made *made, const struct cli_job *job,
                                           const char *options) {
  const struct cli_made_entry *entry = entry_of(made, job);
  struct stat output;
  char input[PATH_MAX];
  if (!entry || strcmp(entry->options, options) != 0) return NULL;
  if (entry->input_size != job->input.st_size || entry->input_s != job->input.st_mtim.tv_sec ||
      entry->input_ns != job->input.st_mtim.tv_nsec)
    return NULL;
  if (stat(job->to, &output) != 0 || output.st_size != entry->output_size || !is_newer(&output, &job->input))
    return NULL;
  if (entry->output_s != output.st_mtim.tv_sec || entry->output_ns != output.st_mtim.tv_nsec) return NULL;
  return realpath(job->from, input) && strcmp(input, entry->input) == 0 ? entry : NULL;
}

bool cli_made_add(struct cli_made *made, const struct cli_job *job, const char *options, int exit_status,
                  const char *losses) {
  struct stat output;
  char input[PATH_MAX];
  if (stat(job->to, &output) != 0 || !realpath(job->from, input)) return false;
  const struct cli_made_entry entry = {.name = job->name,
                                       .input = input,
                                       .options = options,
                                       .input_size = job->input.st_size,
                                       .input_s = job->input.st_mtim.tv_sec,
                                       .input_ns = job->input.st_mtim.tv_nsec,
                                       .output_size = output.st_size,
                                       .output_s = output.st_mtim.tv_sec,
                                       .output_ns = output.st_mtim.tv_nsec,
                                       .exit_status = exit_status,
                                       .losses = losses};
  return put(made->file, &entry);
}

void cli_made_close(struct cli_made *made) {
  if (made->file) (void)fclose(made->file);
  free(made->entries);
  free(made->text);
}
