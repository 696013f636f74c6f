/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that runs out: whole conversions, merges, infos, dumps and the tools of the toolbox, with an allocator that
 * fails at its nth call, once or from then on. Each gives TB_NO_MEMORY and says so, or the very bytes that it gives
 * otherwise, leaves no file and gives all memory back.
 *
 * There are too many calls to try them all each time: of each job some are tried, others with FAULTS_SEED=N in the
 * environment. FAULTS=TEXT tries all calls of the jobs with TEXT in their names; under AddressSanitizer it prints where
 * a bad one was.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "support/failing_allocator.h"
#include "support/merge_fixture.h"
#include "tracebridge/diff.h"
#include "tracebridge/dump.h"
#include "tracebridge/file.h"
#include "tracebridge/filter.h"
#include "tracebridge/merge.h"
#include "tracebridge/redact.h"
#include "tracebridge/repair.h"
#include "tracebridge/split.h"
#include "tracebridge/trim.h"
#include "tracebridge/verify.h"

#define DATA(name) TB_TEST_DATA "/" name
#define TRACE(name) TB_TEST_TRACES "/" name ".perfetto-trace"
#define FXT(name) TB_TEST_TRACES "/fxt/" name ".fxt"

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

enum kind { CONVERT, MERGE, INFO, DUMP, DUMP_RESOLVED, DUMP_EVENTS, TRIM, FILTER, REPAIR, REDACT, SPLIT, VERIFY, DIFF };

struct job {
  enum kind kind;
  const char *to; /* the end of the output's name; NULL: .pftrace */
  const char *inputs[4];
  unsigned threads;
  bool align; /* MERGE: by messages */
};

struct outcome {
  enum tb_status status;
  struct tb_error error;
  struct tb_buffer bytes;
  size_t losses;
};

static char directory[64], output[128], temporary[128], parts[128], both[128];

static bool take(void *ctx, const char *text, size_t len) { return tb_buffer_append(ctx, text, len) == TB_OK; }

static enum tb_status convert(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const struct tb_reader_options reader = {.size = sizeof(reader), .allocator = allocator};
  const struct tb_writer_options writer = {.size = sizeof(writer), .temporary_directory = temporary};
  const struct tb_convert_options options = {
      .size = sizeof(options), .reader = &reader, .writer = &writer, .threads = job->threads};
  struct tb_convert_report report = {.size = sizeof(report)};
  enum tb_status status = tb_convert(job->inputs[0], output, &options, &report, &o->error);
  for (size_t i = 0; i < report.loss_count; i++) o->losses += report.losses[i].count;
  return status;
}

static enum tb_status merge(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  struct tb_merge_input inputs[4] = {{0}};
  struct tb_merge_options options = {.size = sizeof(options),
                                     .allocator = allocator,
                                     .threads = job->threads,
                                     .unplaced = TB_UNPLACED_START,
                                     .temporary_directory = temporary,
                                     .align_messages = job->align};
  struct tb_merge_report *report;
  size_t count = 0;
  for (; count < 4 && job->inputs[count]; count++) inputs[count].path = job->inputs[count];
  enum tb_status status = tb_merge(inputs, count, output, &options, &report, &o->error);
  if (status == TB_OK || status == TB_PARTIAL) {
    const char *text = tb_merge_report_render(report, TB_MERGE_REPORT_JSON);
    if (!text) {
      status = o->error.code = TB_NO_MEMORY;
      strcpy(o->error.message, "the report has no text");
      (void)unlink(output);
    } else if (!take(&o->bytes, text, strlen(text))) {
      fail();
    }
  }
  tb_merge_report_free(report);
  return status;
}

static enum tb_status info(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const struct tb_reader_options reader = {.size = sizeof(reader), .allocator = allocator};
  const struct tb_info_options options = {.size = sizeof(options), .reader = &reader};
  struct tb_info *in;
  enum tb_status status = tb_info_open(job->inputs[0], &options, &in, &o->error);
  if (!in) return status;
  enum tb_status printed = tb_info_text(in, take, &o->bytes);
  if (printed == TB_OK) printed = tb_info_json(in, take, &o->bytes);
  tb_info_close(in);
  if (printed == TB_OK) return status;
  strcpy(o->error.message, "info cannot be printed");
  return o->error.code = printed;
}

static enum tb_status dump(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const struct tb_reader_options reader = {.size = sizeof(reader), .allocator = allocator};
  const struct tb_dump_options options = {.size = sizeof(options),
                                          .reader = &reader,
                                          .resolve = job->kind == DUMP_RESOLVED,
                                          .events = job->kind == DUMP_EVENTS};
  struct tb_loss losses[TB_DUMP_LOSSES];
  return tb_dump(job->inputs[0], &options, take, &o->bytes, losses, &o->losses, &o->error);
}

/* The options that these have in common; `t`: as each calls threads. */
#define HOW(t) .size = sizeof(options), .allocator = allocator, .temporary_directory = temporary, .t = job->threads

static enum tb_status trim(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const struct tb_trim_options options = {HOW(threads), .last_ns = 1000000, .shift_ns = 1000};
  struct tb_trim_report report = {.size = sizeof(report)};
  enum tb_status status = tb_trim(job->inputs[0], output, &options, &report, &o->error);
  tb_trim_report_free(&report);
  return status;
}

static enum tb_status filter(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const char *const names[] = {"*a*"};
  const struct tb_filter_options options = {HOW(worker_threads), .names = names, .name_count = 1, .no_args = true};
  struct tb_filter_report report = {.size = sizeof(report)};
  enum tb_status status = tb_filter(job->inputs[0], output, &options, &report, &o->error);
  tb_filter_report_free(&report);
  return status;
}

static enum tb_status repair(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const struct tb_repair_options options = {HOW(threads)};
  struct tb_repair_report report = {.size = sizeof(report)};
  enum tb_status status = tb_repair(job->inputs[0], output, &options, &report, &o->error);
  tb_repair_report_free(&report);
  return status;
}

static enum tb_status split(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const struct tb_split_options options = {HOW(threads), .by = TB_SPLIT_THREAD, .suffix = job->to};
  struct tb_split_report report = {.size = sizeof(report)};
  enum tb_status status = tb_split(job->inputs[0], parts, &options, &report, &o->error);
  tb_split_report_free(&report);
  return status;
}

static enum tb_status redact(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const struct tb_reader_options reader = {.size = sizeof(reader), .allocator = allocator};
  const struct tb_writer_options writer = {
      .size = sizeof(writer), .allocator = allocator, .temporary_directory = temporary};
  const struct tb_redact_options options = {
      .size = sizeof(options), .reader = &reader, .writer = &writer, .key = "the same each time"};
  return tb_redact(job->inputs[0], output, &options, NULL, &o->error);
}

static enum tb_status verify(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .allocator = allocator, .temporary_directory = temporary};
  const struct tb_verify_options options = {.size = sizeof(options), .reader = &reader};
  struct tb_verification *found;
  enum tb_status status = tb_verify(job->inputs[0], &options, &found, &o->error);
  if (found && tb_verification_json(found, take, &o->bytes) != TB_OK) fail();
  tb_verification_free(found);
  return status;
}

static enum tb_status diff(const struct job *job, const struct tb_allocator *allocator, struct outcome *o) {
  const struct tb_reader_options reader = {
      .size = sizeof(reader), .allocator = allocator, .temporary_directory = temporary};
  const struct tb_diff_options options = {.size = sizeof(options), .reader = &reader};
  struct tb_difference *found;
  enum tb_status status = tb_diff(job->inputs[0], job->inputs[1], &options, &found, &o->error);
  if (found && tb_difference_json(found, take, &o->bytes) != TB_OK) fail();
  tb_difference_free(found);
  return status;
}

static void read_file_to(struct outcome *o, const char *path) {
  size_t len;
  char *data = read_file(path, &len);
  if (!take(&o->bytes, data, len)) fail();
  free(data);
  (void)unlink(path);
}

static void read_parts(struct outcome *o) {
  struct dirent **entries;
  char path[512];
  int count = scandir(parts, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    (void)snprintf(path, sizeof(path), "%s/%s", parts, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.') read_file_to(o, path);
    free(entries[i]);
  }
  free(entries);
}

static void read_output(const struct job *job, struct outcome *o) {
  if (o->status != TB_OK && o->status != TB_PARTIAL) return;
  if (job->kind == SPLIT)
    read_parts(o);
  else if (job->kind <= MERGE || (job->kind >= TRIM && job->kind <= REDACT))
    read_file_to(o, output);
  char second[sizeof(output) + 8];
  (void)snprintf(second, sizeof(second), "%s/out.2%s", directory, job->to ? job->to : "");
  if (access(second, F_OK) == 0) read_file_to(o, second);
}

static struct outcome run_job(const struct job *job, struct faults *faults) {
  struct tb_allocator allocator = faulty_allocator(faults);
  struct outcome o = {0};
  tb_buffer_init(&o.bytes, tb_default_allocator(), 0);
  (void)snprintf(output, sizeof(output), "%s/out%s", directory, job->to ? job->to : ".pftrace");
  static enum tb_status (*const run[])(const struct job *, const struct tb_allocator *, struct outcome *) = {
      [CONVERT] = convert,  [MERGE] = merge,   [INFO] = info,     [DUMP] = dump,     [DUMP_RESOLVED] = dump,
      [DUMP_EVENTS] = dump, [TRIM] = trim,     [FILTER] = filter, [REPAIR] = repair, [REDACT] = redact,
      [SPLIT] = split,      [VERIFY] = verify, [DIFF] = diff};
  o.status = run[job->kind](job, &allocator, &o);
  read_output(job, &o);
  return o;
}

static size_t files_in(const char *path) {
  size_t count = 0;
  DIR *dir = opendir(path);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));)
    count += entry->d_name[0] != '.' && strcmp(entry->d_name, "tmp") != 0 && strcmp(entry->d_name, "parts") != 0 &&
             strcmp(entry->d_name, "both") != 0;
  (void)closedir(dir);
  return count;
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

static const char *wrong(const struct outcome *o, const struct outcome *whole, const struct faults *faults) {
  if (faults->held) return "memory is not given back";
  if (files_in(directory) || files_in(temporary) || files_in(parts)) return "a file is left";
  if (o->status == TB_NO_MEMORY) {
    if (o->error.code != TB_NO_MEMORY) return "the error has another code than the status";
    return o->error.message[0] ? NULL : "there is no message";
  }
  if (o->status != whole->status) return "neither the status of success nor TB_NO_MEMORY";
  if (o->losses != whole->losses) return "other losses";
  if (o->bytes.len != whole->bytes.len || memcmp(o->bytes.data, whole->bytes.data, whole->bytes.len) != 0)
    return "other bytes";
  return NULL;
}

static const char *job_name(const struct job *job) {
  static char name[512];
  static const char *const kinds[] = {"convert", "merge",  "info",   "dump",  "resolve", "events", "trim",
                                      "filter",  "repair", "redact", "split", "verify",  "diff"};
  int len = snprintf(name, sizeof(name), "%s%s -j%u", kinds[job->kind], job->to ? job->to : "", job->threads);
  for (size_t i = 0; i < 4 && job->inputs[i]; i++) {
    const char *slash = strrchr(job->inputs[i], '/');
    len += snprintf(name + len, sizeof(name) - (size_t)len, " %s", slash + 1);
  }
  return name;
}

static unsigned try(const struct job *job, const struct outcome *whole, size_t at, bool on) {
  struct faults faults = {.at = at, .on = on};
  struct outcome o = run_job(job, &faults);
  const char *what = wrong(&o, whole, &faults);
  if (what) {
    fprintf(stderr, "%s, call %zu%s: %s (status %d: %s)\n", job_name(job), at, on ? " and on" : "", what, o.status,
            o.error.message);
    struct faults again = {.at = at, .on = false, .print_stack = getenv("FAULTS") != NULL};
    tb_buffer_free(&o.bytes);
    (void)unlink(output);
    if (again.print_stack) o = run_job(job, &again);
  }
  tb_buffer_free(&o.bytes);
  return what != NULL;
}

/* Some calls of each job, every stride-th from one on that the seed and the job's number say. */
#ifdef TRACEBRIDGE_SANITIZED
enum { POINTS = 8 }; /* each takes ten times as long */
#else
enum { POINTS = 24 };
#endif

static unsigned try_some(const struct job *job) {
  static size_t number;
  const char *wanted = getenv("FAULTS"), *seed = getenv("FAULTS_SEED");
  size_t first = (seed ? strtoul(seed, NULL, 10) : 0) + number++;
  struct faults none = {.at = SIZE_MAX};
  if (wanted && !strstr(job_name(job), wanted)) return 0;
  struct outcome whole = run_job(job, &none);
  if (whole.status != TB_OK && whole.status != TB_PARTIAL) fail_msg("%s: %s", job_name(job), whole.error.message);
  assert_int_equal(none.held, 0);
  size_t calls = none.calls, stride = wanted || calls < POINTS ? 1 : calls / POINTS;
  unsigned bad = 0;
  for (size_t at = first % stride; at < calls; at += stride)
    for (int on = 0; on < 2; on++) bad += try(job, &whole, at, on);
  if (bad || wanted) fprintf(stderr, "%s: %zu calls, stride %zu, %u bad\n", job_name(job), calls, stride, bad);
  tb_buffer_free(&whole.bytes);
  return bad;
}

/* Two recordings, one behind the other. */
static int write_both(void) {
  static const char recording[] =
      "packet { trusted_packet_sequence_id: 1 trace_config { duration_ms: 1 } }\n"
      "packet { trusted_packet_sequence_id: 2 timestamp: 5\n"
      "  track_event { type: TYPE_INSTANT track_uuid: 1 name: \"a\" } }\n";
  char text[2 * sizeof(recording)];
  (void)snprintf(both, sizeof(both), "%s/both", directory);
  return tb_file_write(both, text, (size_t)snprintf(text, sizeof(text), "%s%s", recording, recording), NULL) != TB_OK;
}

static int set_up(void **state) {
  (void)state;
  strcpy(directory, "/tmp/tracebridge-test.XXXXXX");
  if (!mkdtemp(directory)) return -1;
  (void)snprintf(temporary, sizeof(temporary), "%s/tmp", directory);
  (void)snprintf(parts, sizeof(parts), "%s/parts", directory);
  return mkdir(temporary, 0777) || mkdir(parts, 0777) || write_both();
}

static int tear_down(void **state) {
  (void)state;
  return unlink(both) || rmdir(parts) || rmdir(temporary) || rmdir(directory);
}

/* ---- what is tried ----------------------------------------------------------------------------------------------- */

static const char *const json[] = {DATA("phases/args.json"),
                                   DATA("phases/async_nestable.json"),
                                   DATA("phases/contexts_and_links.json"),
                                   DATA("phases/counters.json"),
                                   DATA("phases/flows.json"),
                                   DATA("phases/kineto.json"),
                                   DATA("phases/memory_infra.json"),
                                   DATA("phases/metadata.json"),
                                   DATA("phases/objects.json"),
                                   DATA("phases/stacks.json"),
                                   DATA("phases/system_trace_events.json"),
                                   DATA("damage/missing_comma.json"),
                                   DATA("damage/two_members.json.gz"),
                                   DATA("ftrace/small.ftrace")};
static const char *const perfetto[] = {
    TRACE("clocks"), TRACE("events"),     TRACE("extensions"),     TRACE("frames"),         TRACE("ftrace"),
    TRACE("gpu"),    TRACE("json_flows"), TRACE("lost_state"),     TRACE("machines"),       TRACE("own_extensions"),
    TRACE("power"),  TRACE("records"),    TRACE("same_numbers_a"), TRACE("sequence_clocks")};
static const char *const fxt[] = {FXT("carried"),  FXT("events"),    FXT("flows"),      FXT("koids"),
                                  FXT("overlaps"), FXT("providers"), FXT("scheduling"), FXT("packets")};

enum {
  JSONS = sizeof(json) / sizeof(json[0]),
  PERFETTOS = sizeof(perfetto) / sizeof(perfetto[0]),
  FXTS = sizeof(fxt) / sizeof(fxt[0])
};

static unsigned try_conversions(const char *const *names, size_t count) {
  static const struct {
    const char *to;
    unsigned threads;
  } ways[] = {{".json", 1}, {".fxt", 1}, {".pftrace", 1}, {".json.gz", 2}, {".json.zst", 2}, {".pftrace", 2}};
  unsigned bad = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
      const struct job job = {.kind = CONVERT, .to = ways[way].to, .inputs = {names[i]}, .threads = ways[way].threads};
      if (names != perfetto || strcmp(job.to, ".pftrace") != 0) bad += try_some(&job);
    }
  }
  return bad;
}

static unsigned try_looking(const char *const *names, size_t count) {
  unsigned bad = 0;
  for (size_t i = 0; i < count; i++) {
    for (int kind = INFO; kind <= DUMP_EVENTS; kind++) {
      const struct job job = {.kind = (enum kind)kind, .inputs = {names[i]}};
      if (names == perfetto || kind == INFO || kind == DUMP) bad += try_some(&job);
    }
  }
  return bad;
}

static void conversions_have_all_their_memory_or_say_so(void **state) {
  (void)state;
  unsigned bad = try_conversions(json, JSONS) + try_conversions(perfetto, PERFETTOS) + try_conversions(fxt, FXTS);
  assert_int_equal(bad, 0);
}

static void merges_have_all_their_memory_or_say_so(void **state) {
  (void)state;
  unsigned bad = 0;
  for (size_t i = 0; i < PERFETTOS; i++) {
    struct job job = {
        .kind = MERGE, .inputs = {perfetto[i], json[i % JSONS], fxt[i % FXTS]}, .threads = 1, .align = i % 2};
    bad += try_some(&job);
    job.threads = 2;
    bad += try_some(&job);
  }
  assert_int_equal(bad, 0);
}

static void infos_and_dumps_have_all_their_memory_or_say_so(void **state) {
  (void)state;
  unsigned bad = try_looking(json, JSONS) + try_looking(perfetto, PERFETTOS) + try_looking(fxt, FXTS);
  assert_int_equal(bad, 0);
}

/* Each tool by each format, into the same and into another. */
static void tools_have_all_their_memory_or_say_so(void **state) {
  (void)state;
  static const char *const inputs[] = {DATA("phases/flows.json"), DATA("damage/missing_comma.json"), TRACE("events"),
                                       TRACE("clocks"), FXT("events")};
  static const char *const to[] = {".json", ".pftrace", ".pftrace", ".json", ".fxt"};
  unsigned bad = 0;
  for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
    for (int kind = TRIM; kind <= DIFF; kind++) {
      struct job job = {.kind = (enum kind)kind, .to = to[i], .inputs = {inputs[i]}, .threads = 1 + i % 2};
      if (kind == DIFF) job.inputs[1] = inputs[(i + 1) % (sizeof(inputs) / sizeof(inputs[0]))];
      bad += try_some(&job);
    }
  }
  const struct job two = {.kind = REPAIR, .to = ".json", .inputs = {both}, .threads = 1};
  bad += try_some(&two);
  assert_int_equal(bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conversions_have_all_their_memory_or_say_so),
      cmocka_unit_test(merges_have_all_their_memory_or_say_so),
      cmocka_unit_test(infos_and_dumps_have_all_their_memory_or_say_so),
      cmocka_unit_test(tools_have_all_their_memory_or_say_so),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
