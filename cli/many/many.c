/* SPDX-License-Identifier: Apache-2.0 */
#include "many/many.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "library_text.h"
#include "many/many_jobs.h"
#include "many/many_made.h"
#include "print.h"

/* What a job's process says first; behind it are `line_len` bytes of its line, what was lost as JSON with a NUL,
 * `losses_len` bytes in all, and its report. */
struct answer {
  int exit_status;
  uint64_t bytes_written;
  size_t line_len, losses_len;
};

struct result {
  bool ended, up_to_date;
  struct answer answer;
  char *text; /* the answer as it came, then zero; NULL: there is none, since the output is up to date or it failed */
  size_t text_len;
  const char *losses;  /* of an output that is up to date, JSON */
  const char *problem; /* what failed without an answer, with `number`, the errno, or 0, and `path`, of which file */
  const char *path;
  int number;
};

/* A job that runs, and what came of its answer so far. */
struct worker {
  pid_t process;
  int answers; /* a pipe */
  size_t job;
  FILE *text; /* NULL: the place is free */
  char *bytes;
  size_t len;
};

struct many {
  const struct convert_settings *settings;
  struct convert_settings of_job;
  struct cli_jobs jobs;
  struct cli_made made;
  struct result *results;
  struct worker *workers;
  struct pollfd *pipes;
  char *options;
  size_t worker_count, running, next, shown;
  size_t converted, partial, failed, up_to_date;
  size_t made_before, own; /* of jobs.own: what earlier runs made, and what nobody says where it is from */
  uint64_t bytes_read, bytes_total, bytes_written;
  int exit_status;
  struct cli_progress progress;
};

/* ---- in the process of a job ---- */

/* `losses` as JSON with a NUL, to be freed; NULL: no memory. */
static char *losses_text(const struct tb_convert_report *report, size_t *len) {
  char *text = NULL;
  FILE *to = open_memstream(&text, len);
  if (!to) return NULL;
  cli_report_read_losses_json(to, NULL, 0, report);
  fputc('\0', to);
  if (fclose(to) == 0) return text;
  free(text);
  return NULL;
}

/* Never returns. The answer goes to `answers`; a process that ends without one counts as killed. */
static void work(const struct many *run, const struct cli_job *job, int answers, pid_t parent) {
  static struct tb_convert_report report = {.size = sizeof(report)}; /* large */
  struct cli_progress progress = {0};
  struct tb_error error = {0};
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) _exit(CLI_IO);
  enum tb_status status = cli_convert_file(job->from, job->to, &run->of_job, &progress, &report, &error);
  cli_interrupt_end();
  const struct cli_conversion conversion = {job->from, job->to, status, &report, &error};
  char *text = NULL;
  size_t len = 0;
  FILE *line = open_memstream(&text, &len), *to = fdopen(answers, "w");
  if (!line || !to) _exit(CLI_IO);
  cli_report_line(line, &conversion);
  if (fclose(line) != 0) _exit(CLI_IO);
  size_t losses_len = 0;
  const char *losses = losses_text(&report, &losses_len);
  if (!losses) _exit(CLI_IO);
  const struct answer answer = {cli_exit_status(status), report.summary.bytes_written, len, losses_len};
  (void)cli_print_written(to, (const char *)&answer, sizeof(answer));
  (void)cli_print_written(to, text, len);
  (void)cli_print_written(to, losses, losses_len);
  if (run->settings->report && cli_report_is_json(run->settings->report))
    cli_report_json(to, &conversion);
  else if (run->settings->report)
    cli_report_text(to, &conversion);
  _exit(fclose(to) == 0 ? CLI_OK : CLI_IO);
}

/* ---- starting and ending jobs ---- */

static struct worker *free_worker(struct many *run) {
  for (size_t i = 0; i < run->worker_count; i++)
    if (!run->workers[i].text) return &run->workers[i];
  return NULL;
}

/* False: there is no process or memory for it. */
static bool start(struct many *run, struct worker *worker, size_t job) {
  int ends[2];
  pid_t parent = getpid();
  *worker = (struct worker){.job = job};
  if (pipe(ends) != 0) return false;
  worker->text = open_memstream(&worker->bytes, &worker->len);
  worker->process = worker->text ? fork() : -1;
  if (worker->process == 0) work(run, &run->jobs.items[job], ends[1], parent);
  (void)close(ends[1]);
  worker->answers = ends[0];
  if (worker->process > 0) {
    run->running++;
    return true;
  }
  (void)close(ends[0]);
  if (worker->text) (void)fclose(worker->text);
  free(worker->bytes);
  worker->text = NULL;
  return false;
}

static int worse(int a, int b) {
  static const int ranks[] = {[CLI_OK] = 0, [CLI_PARTIAL] = 1, [CLI_BAD_DATA] = 2, [CLI_USAGE] = 3, [CLI_IO] = 4};
  return ranks[a] > ranks[b] ? a : b;
}

static void count(struct many *run, const struct result *result, const struct cli_job *job) {
  int status = result->answer.exit_status;
  run->exit_status = worse(run->exit_status, status);
  run->bytes_read += (uint64_t)job->input.st_size;
  run->bytes_written += result->answer.bytes_written;
  if (result->up_to_date)
    run->up_to_date++;
  else if (status == CLI_OK)
    run->converted++;
  else if (status == CLI_PARTIAL)
    run->partial++;
  else
    run->failed++;
}

static bool is_made(const struct result *result) {
  return result->answer.exit_status == CLI_OK || result->answer.exit_status == CLI_PARTIAL;
}

/* Whether the answer has all that it says it has. */
static bool is_whole(const struct answer *answer, size_t len) {
  len -= sizeof(*answer);
  return answer->line_len <= len && answer->losses_len && answer->losses_len <= len - answer->line_len;
}

/* Where the losses are in an answer. */
static const char *losses_of(const struct result *result) {
  return result->text + sizeof(result->answer) + result->answer.line_len;
}

/* The process has closed its pipe. */
static void end(struct many *run, struct worker *worker) {
  struct result *result = &run->results[worker->job];
  const struct cli_job *job = &run->jobs.items[worker->job];
  int how;
  (void)close(worker->answers);
  while (waitpid(worker->process, &how, 0) < 0 && errno == EINTR) continue;
  bool whole = fclose(worker->text) == 0 && worker->len >= sizeof(result->answer);
  worker->text = NULL;
  if (whole) memcpy(&result->answer, worker->bytes, sizeof(result->answer));
  if (whole && WIFEXITED(how) && WEXITSTATUS(how) == CLI_OK && is_whole(&result->answer, worker->len)) {
    result->text = worker->bytes;
    result->text_len = worker->len;
  } else {
    free(worker->bytes);
    result->answer = (struct answer){.exit_status = CLI_IO};
    result->problem = "its process was killed or ran out of memory";
  }
  result->ended = true;
  run->running--;
  count(run, result, job);
  if (is_made(result) && !cli_made_add(&run->made, job, run->options, result->answer.exit_status, losses_of(result)))
    run->exit_status = worse(run->exit_status, CLI_IO);
}

/* ---- what is shown ---- */

/* Why a job failed that has no answer. */
static const char *problem_text(const struct result *result, char room[CLI_TEXT_MAX]) {
  (void)snprintf(room, CLI_TEXT_MAX, "%s%s%s", result->problem, result->number ? ": " : "",
                 result->number ? strerror(result->number) : "");
  return room;
}

static void print_line(FILE *to, const struct many *run, size_t job) {
  const struct result *result = &run->results[job];
  const char *from = run->jobs.items[job].from;
  char text[CLI_TEXT_MAX];
  if (result->text)
    (void)cli_print_written(to, result->text + sizeof(result->answer), result->answer.line_len);
  else if (result->up_to_date)
    cli_print(to, "%s -> %s: up to date%s\n", from, run->jobs.items[job].to,
              result->answer.exit_status == CLI_PARTIAL ? "; something was lost when it was made" : "");
  else if (result->path && result->path != from)
    cli_print(to, "%s: failed: %s: %s\n", from, result->path, problem_text(result, text));
  else
    cli_print(to, "%s: failed: %s\n", from, problem_text(result, text));
}

/* Prints the lines of the jobs that ended, in the jobs' order. */
static void show(struct many *run) {
  for (; run->shown < run->jobs.count && run->results[run->shown].ended; run->shown++) {
    if (run->settings->quiet && is_made(&run->results[run->shown])) continue;
    cli_progress_end(&run->progress);
    print_line(stderr, run, run->shown);
  }
}

static void print_summary(FILE *to, const struct many *run) {
  cli_print(to, "%zu file%s: %zu converted, %zu partly, %zu failed, %zu up to date; ", run->jobs.count,
            run->jobs.count == 1 ? "" : "s", run->converted, run->partial, run->failed, run->up_to_date);
  cli_report_bytes(to, run->bytes_read);
  fputs(" -> ", to);
  cli_report_bytes(to, run->bytes_written);
  if (run->jobs.passed_over)
    cli_print(to, "; %zu in the folders passed over, whose names are no trace's", run->jobs.passed_over);
  if (run->jobs.not_files) cli_print(to, "; %zu passed over, which are no files", run->jobs.not_files);
  if (run->made_before) cli_print(to, "; %zu passed over, which earlier runs made", run->made_before);
  if (run->own) cli_print(to, "; %zu passed over, whose output would be the file itself", run->own);
  fputc('\n', to);
}

static void json_text(FILE *to, const char *text) {
  if (text)
    cli_print_json(to, text);
  else
    fputs("null", to);
}

/* The members that cli_report_json has too of a job without an answer. */
static void report_unanswered(FILE *to, const struct result *result, const struct cli_job *job) {
  cli_print(to, "{\n  \"version\": 1,\n  \"exit_status\": %d,\n  \"up_to_date\": ", result->answer.exit_status);
  cli_print(to, "%s", result->up_to_date ? "true" : "false");
  fputs(",\n  \"error\": ", to);
  if (result->problem) {
    char text[CLI_TEXT_MAX];
    fputs("{\"file\": ", to);
    cli_print_json(to, result->path ? result->path : job->from);
    fputs(", \"message\": ", to);
    cli_print_json(to, problem_text(result, text));
    fputs(", \"offset\": null}", to);
  } else {
    fputs("null", to);
  }
  fputs(",\n  \"from\": {\"file\": ", to);
  cli_print_json(to, job->from);
  fputs("},\n  \"to\": {\"file\": ", to);
  json_text(to, job->to);
  fputs("},\n  \"losses\": ", to);
  const char *losses = result->losses ? result->losses : "[]";
  (void)tb_escape_text(TB_ESCAPE_JSON_VALUE, (struct tb_str){losses, strlen(losses)}, cli_print_written, to);
  fputs("\n}\n", to);
}

static void report_job(FILE *to, const struct many *run, size_t job, bool json) {
  const struct result *result = &run->results[job];
  size_t start = sizeof(result->answer) + result->answer.line_len + result->answer.losses_len;
  if (result->text)
    (void)cli_print_written(to, result->text + start, result->text_len - start);
  else if (json)
    report_unanswered(to, result, &run->jobs.items[job]);
  else
    print_line(to, run, job);
}

static void report(FILE *to, const struct many *run, bool json) {
  if (json) {
    cli_print(to, "{\"version\": 1, \"exit_status\": %d, \"converted\": %zu, \"partial\": %zu, ", run->exit_status,
              run->converted, run->partial);
    cli_print(to, "\"failed\": %zu, \"up_to_date\": %zu, \"passed_over\": %zu, ", run->failed, run->up_to_date,
              run->jobs.passed_over);
    cli_print(to, "\"not_files\": %zu, \"made_before\": %zu, \"own_outputs\": %zu, \"files\": [\n", run->jobs.not_files,
              run->made_before, run->own);
  }
  for (size_t i = 0; i < run->jobs.count; i++) {
    if (json && i) fputs(",\n", to);
    report_job(to, run, i, json);
  }
  if (json)
    fputs("]}\n", to);
  else
    print_summary(to, run);
}

static bool write_report(const struct many *run) {
  const char *path = run->settings->report;
  char *text = NULL;
  size_t len = 0;
  FILE *to = open_memstream(&text, &len);
  if (!to) return cli_report_write(&cli_convert, path, run->settings->no_clobber, NULL, 0);
  report(to, run, cli_report_is_json(path));
  bool whole = !ferror(to);
  whole = fclose(to) == 0 && whole;
  bool good = cli_report_write(&cli_convert, path, run->settings->no_clobber, whole ? text : NULL, len);
  free(text);
  return good;
}

/* ---- the run ---- */

/* Ends a job without a process. */
static void skip(struct many *run, size_t job, const struct cli_made_entry *made) {
  run->results[job] = (struct result){
      .ended = true, .up_to_date = true, .answer.exit_status = made->exit_status, .losses = made->losses};
  count(run, &run->results[job], &run->jobs.items[job]);
}

static void fail(struct many *run, size_t job, const char *path, const char *problem, int number) {
  run->results[job] =
      (struct result){.ended = true, .answer.exit_status = CLI_IO, .problem = problem, .path = path, .number = number};
  count(run, &run->results[job], &run->jobs.items[job]);
}

/* Starts jobs until all places are taken. */
static void start_jobs(struct many *run) {
  for (struct worker *worker; run->next < run->jobs.count && (worker = free_worker(run)); run->next++) {
    const struct cli_job *job = &run->jobs.items[run->next];
    bool may_be_made = job->to && !job->collides_with;
    const struct cli_made_entry *made = may_be_made ? cli_made_find(&run->made, job, run->options) : NULL;
    if (job->collides_with)
      fail(run, run->next, job->collides_with,
           "would become the same file; convert one of the two alone, into another --out-dir", 0);
    else if (made)
      skip(run, run->next, made);
    else if (!job->to)
      fail(run, run->next, job->from, "cannot open", job->unreadable);
    else if (!cli_job_make_folders(job))
      fail(run, run->next, job->to, "cannot make its folder", errno);
    else if (!start(run, worker, run->next))
      fail(run, run->next, job->from, "cannot start a process", errno);
  }
}

/* Takes what has come; the job has ended where that is all. */
static void read_answer(struct many *run, struct worker *worker) {
  char bytes[4096];
  ssize_t got = read(worker->answers, bytes, sizeof(bytes));
  if (got > 0)
    (void)cli_print_written(worker->text, bytes, (size_t)got);
  else if (got == 0 || errno != EINTR)
    end(run, worker);
}

/* Waits until something came, or it is time to show progress. */
static void wait_for_answers(struct many *run) {
  enum { PATIENCE_MS = 200 };
  for (size_t i = 0; i < run->worker_count; i++)
    run->pipes[i] = (struct pollfd){run->workers[i].text ? run->workers[i].answers : -1, POLLIN, 0};
  if (poll(run->pipes, run->worker_count, PATIENCE_MS) <= 0) return;
  for (size_t i = 0; i < run->worker_count; i++)
    if (run->pipes[i].revents) read_answer(run, &run->workers[i]);
}

static void stop(struct many *run) {
  for (size_t i = 0; i < run->worker_count; i++)
    if (run->workers[i].text) (void)kill(run->workers[i].process, SIGTERM);
  for (size_t i = 0; i < run->worker_count; i++)
    while (run->workers[i].text) read_answer(run, &run->workers[i]);
}

static void run_jobs(struct many *run) {
  cli_report_closed_pipes();
  cli_progress_start(&run->progress, run->settings->quiet);
  do {
    start_jobs(run);
    if (run->running) wait_for_answers(run);
    if (!cli_interrupted()) show(run);
    if (!cli_progress_update(&run->progress, run->bytes_read, run->bytes_total)) stop(run);
  } while (!cli_interrupted() && (run->running || run->next < run->jobs.count));
  cli_progress_end(&run->progress);
  cli_interrupt_end();
}

/* What two runs must have in common so that their outputs are the same. */
static char *options_text(const struct convert_settings *s) {
  char *text = NULL;
  size_t len = 0;
  FILE *to = open_memstream(&text, &len);
  if (!to) return NULL;
  cli_print(to, "%s from %d to %d clock %d", tb_version(), (int)s->from, (int)s->to, (int)s->clock);
  cli_print(to, " strict %d compress %d keep-packets %d", s->strict, s->compress, s->keep_packets);
  cli_print(to, " memory %zu junk %zu", s->memory, s->junk);
  if (fclose(to) == 0) return text;
  free(text);
  return NULL;
}

/* Jobs that run at the same time share the machine's cores and memory. */
static void share(struct many *run) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  run->worker_count = run->settings->jobs ? run->settings->jobs : cores > 0 ? (size_t)cores : 1;
  run->of_job = *run->settings;
  if (run->worker_count < 2) return;
  if (!run->of_job.threads) run->of_job.threads = 1;
  if (!run->of_job.memory && pages > 0 && page > 0)
    run->of_job.memory = (size_t)pages / 2 / run->worker_count * (size_t)page;
}

/* A report that would overwrite an input, an output or the record is wrong usage. The folder of outputs is there, since
 * paths in a folder that is not cannot be compared. */
static int check_report(const struct many *run) {
  int refused = cli_report_spares_output(&cli_convert, run->settings->report, run->made.path);
  for (size_t i = 0; i < run->jobs.count && refused == CLI_OK; i++) {
    refused = cli_report_spares_input(&cli_convert, run->settings->report, run->jobs.items[i].from);
    if (refused == CLI_OK)
      refused = cli_report_spares_output(&cli_convert, run->settings->report, run->jobs.items[i].to);
  }
  if (refused == CLI_OK) refused = cli_report_has_place(&cli_convert, run->settings->report);
  if (refused == CLI_OK && run->settings->no_clobber)
    refused = cli_spares_existing(&cli_convert, run->settings->report);
  return refused;
}

static int prepare(struct many *run, const struct cli_operands *operands) {
  int status = cli_jobs_find(operands, &run->jobs);
  if (status != CLI_OK) return status;
  run->options = options_text(run->settings);
  run->results = calloc(run->jobs.count + 1, sizeof(*run->results));
  run->workers = calloc(run->worker_count, sizeof(*run->workers));
  run->pipes = calloc(run->worker_count, sizeof(*run->pipes));
  if (!run->options || !run->results || !run->workers || !run->pipes) return cli_no_memory(&cli_convert);
  for (size_t i = 0; i < run->jobs.count; i++) run->bytes_total += (uint64_t)run->jobs.items[i].input.st_size;
  return CLI_OK;
}

static void free_run(struct many *run) {
  for (size_t i = 0; run->results && i < run->jobs.count; i++) free(run->results[i].text);
  cli_jobs_free(&run->jobs);
  cli_made_close(&run->made);
  free(run->results);
  free(run->workers);
  free(run->pipes);
  free(run->options);
}

static const char *suffix_of(const struct convert_settings *settings) {
  if (settings->suffix) return settings->suffix;
  return settings->to == TB_FORMAT_UNKNOWN ? ".perfetto-trace" : tb_format_suffix(settings->to);
}

static int check_settings(const struct convert_settings *settings) {
  const char *suffix = suffix_of(settings);
  if (settings->output) return cli_usage(&cli_convert, "--out-dir and -o do not go together");
  if (*suffix != '.' || strchr(suffix, '/'))
    return cli_usage(&cli_convert, "--suffix %s is no end of a name, such as .json.gz", suffix);
  if (settings->to == TB_FORMAT_UNKNOWN && tb_format_from_path(suffix) == TB_FORMAT_UNKNOWN)
    return cli_usage(&cli_convert, "--suffix %s does not say which format to write: it has to be " CLI_OUTPUT_NAMES,
                     suffix);
  return CLI_OK;
}

/* Files in folders that would become themselves are no inputs: what earlier runs made is counted, others are said, and
 * none of those is overwritten. */
static int check_own(struct many *run) {
  for (size_t i = 0; i < run->jobs.own_count; i++) {
    const struct cli_job *job = &run->jobs.own[i];
    if (cli_made_knows(&run->made, job)) {
      run->made_before++;
      continue;
    }
    if (job->overwritten_by)
      return cli_usage(&cli_convert,
                       "%s would become %s, which is a trace in the folders that no run before made; give another "
                       "--out-dir or --suffix",
                       job->overwritten_by, job->from);
    run->own++;
    if (!run->settings->quiet)
      cli_print(stderr, "%s: passed over: it would become itself; give another --out-dir or --suffix\n", job->from);
  }
  return CLI_OK;
}

/* The folder of outputs, with those above it, and its record. */
static int open_out_dir(struct many *run) {
  size_t len = strlen(run->settings->out_dir) + sizeof("/x");
  char *inside = malloc(len);
  if (!inside) return cli_no_memory(&cli_convert);
  (void)snprintf(inside, len, "%s/x", run->settings->out_dir);
  const struct cli_job any = {.to = inside};
  bool made = cli_job_make_folders(&any);
  free(inside);
  if (made) return cli_made_open(&run->made, run->settings->out_dir);
  cli_print(stderr, "tracebridge: %s: %s\n", run->settings->out_dir, strerror(errno));
  return CLI_IO;
}

int cli_convert_many(const struct cli_operands *operands, const struct convert_settings *settings) {
  struct many run = {.settings = settings,
                     .jobs = {.out_dir = settings->out_dir, .suffix = suffix_of(settings), .quiet = settings->quiet}};
  int status = check_settings(settings);
  share(&run);
  if (status == CLI_OK) status = prepare(&run, operands);
  if (status == CLI_OK) status = open_out_dir(&run);
  if (status == CLI_OK) status = check_report(&run);
  if (status == CLI_OK) status = check_own(&run);
  if (status == CLI_OK) {
    run_jobs(&run);
    if (!settings->quiet) print_summary(stderr, &run);
    if (settings->report && !write_report(&run)) run.exit_status = worse(run.exit_status, CLI_IO);
    status = run.exit_status;
  }
  free_run(&run);
  return status;
}
