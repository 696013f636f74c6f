/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "baselines.h"
#include "merge_parts.h"
#include "tracebridge/convert.h"

static bool convert(const char *from, const char *to) {
  enum tb_status status = tb_convert(from, to, NULL, NULL, NULL);
  return status == TB_OK || status == TB_PARTIAL;
}

/* A new case's input is a line here. */
static const struct bench_input table[] = {
    {"chrome", "json", bench_generate_chrome, NULL, NULL, 1},
    {"pytorch", "json", bench_generate_pytorch, NULL, NULL, 1},
    {"nested", "json", bench_generate_nested, NULL, NULL, 1},
    {"counters", "json", bench_generate_counters, NULL, NULL, 1},
    {"async", "json", bench_generate_async, NULL, NULL, 1},
    {"async-wide", "json", bench_generate_async_wide, NULL, NULL, 1},
    {"chrome-gz", "json.gz", NULL, "chrome", bench_deflate, 1},
    {"chrome-quarter", "json", bench_generate_chrome, NULL, NULL, 0.25},
    {"chrome-4", "json", bench_generate_chrome, NULL, NULL, 4},
    {"chrome-10", "json", bench_generate_chrome, NULL, NULL, 10},
    {"chrome-perfetto", "perfetto-trace", NULL, "chrome", convert, 1},
    {"slices-perfetto", "perfetto-trace", NULL, "nested", convert, 1},
    {"as-chrome", "pftrace", bench_generate_chrome_perfetto, NULL, NULL, 1},
    {"as-chrome-quarter", "pftrace", bench_generate_chrome_perfetto, NULL, NULL, 0.25},
    {"as-chrome-4", "pftrace", bench_generate_chrome_perfetto, NULL, NULL, 4},
    {"parts-2", "parts", NULL, "as-chrome-quarter", bench_make_2_parts, 1},
    {"parts-8", "parts", NULL, "as-chrome-quarter", bench_make_8_parts, 1},
    {"parts-64", "parts", NULL, "as-chrome-quarter", bench_make_64_parts, 1},
    {"fxt", "fxt", bench_generate_fxt, NULL, NULL, 1},
    {"fxt-quarter", "fxt", bench_generate_fxt, NULL, NULL, 0.25},
    {"fxt-4", "fxt", bench_generate_fxt, NULL, NULL, 4},
    {"fxt-perfetto", "perfetto-trace", NULL, "fxt", convert, 1},
};

static const struct bench_input *find(const char *name) {
  for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
    if (strcmp(table[i].name, name) == 0) return &table[i];
  return NULL;
}

/* In a child, so that what making an input needs is not seen in the peak memory of the cases, whose children start from
 * the bench's own. */
static bool derive(const struct bench_input *input, const char *from, const char *to) {
  pid_t child = fork();
  if (child == 0) _exit(input->derive(from, to) ? 0 : 1);
  int status;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool make(struct bench_inputs *inputs, const struct bench_input *input, struct bench_file *file) {
  if (input->generate) {
    uint64_t bytes = (uint64_t)((double)inputs->unit * input->size);
    return bench_generate_file(input->generate, file->path, bytes, inputs->seed, &file->events);
  }
  const struct bench_file *source = bench_inputs_get(inputs, input->source);
  if (!source || !derive(input, source->path, file->path)) return false;
  file->events = source->events;
  file->plain_bytes = source->plain_bytes;
  return true;
}

const struct bench_file *bench_inputs_get(struct bench_inputs *inputs, const char *name) {
  for (int i = 0; i < inputs->count; i++)
    if (strcmp(inputs->files[i].input->name, name) == 0) return inputs->files[i].bytes ? &inputs->files[i] : NULL;
  const struct bench_input *input = find(name);
  if (!input || inputs->count == BENCH_MAX_FILES) return NULL;
  struct bench_file *file = &inputs->files[inputs->count++];
  *file = (struct bench_file){.input = input};
  snprintf(file->path, sizeof(file->path), "%s/%s.%s", inputs->directory, input->name, input->suffix);
  struct stat st;
  errno = 0;
  if (!make(inputs, input, file) || stat(file->path, &st) != 0) {
    fprintf(stderr, "bench: the input %s could not be made%s%s\n", name, errno ? ": " : "",
            errno ? strerror(errno) : "");
    return NULL;
  }
  file->bytes = (uint64_t)st.st_size;
  if (!file->plain_bytes) file->plain_bytes = file->bytes;
  return file;
}

void bench_inputs_clean(struct bench_inputs *inputs) {
  for (int i = 0; i < inputs->count; i++) {
    char part[600];
    unsigned n = 0;
    do {
      bench_part_path(inputs->files[i].path, n++, part, sizeof(part));
    } while (unlink(part) == 0);
    (void)unlink(inputs->files[i].path);
  }
}
