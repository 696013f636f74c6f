# SPDX-License-Identifier: Apache-2.0
"""Makes tracebridge._binding, which calls the installed library.

cffi's API mode: the C compiler reads the installed headers, so that sizes and places of members are theirs. What is
declared here is what the package uses; "..." stands for the rest. The library is found by pkg-config, and at run time
where it was then.
"""
import shlex
import subprocess

from cffi import FFI

DECLARATIONS = """
struct tb_str { const char *ptr; size_t len; };
struct tb_error { int code; uint64_t offset; char message[...]; char file[...]; ...; };
struct tb_loss { char reason[...]; uint64_t count; uint64_t first_offset; int kind; ...; };
const char *tb_version(void);
const char *tb_status_text(int status);
static const int TB_OK, TB_END, TB_PARTIAL, TB_AGAIN;
const char *tb_loss_kind_name(int kind);
static const int TB_EVENT_TYPE_COUNT, TB_FORMAT_UNKNOWN;
static const int TB_SLICES_EITHER, TB_SLICES_BEGIN_END, TB_SLICES_COMPLETE;
static const int64_t TB_NO_TIME;
static const uint32_t TB_NO_TRACK;
static const uint64_t TB_NO_OFFSET;

struct tb_track {
  uint32_t index; int type; const struct tb_track *parent; int64_t pid, tid; bool has_pid, has_tid; uint32_t machine;
  struct tb_str name; ...;
};

struct tb_reader_options {
  size_t size; int format; bool strict; unsigned threads; int slices; bool sorted; uint64_t event_types;
  size_t memory_budget; const char *temporary_directory; uint64_t sort_window_ns;
  bool (*progress)(void *ctx, uint64_t bytes_read, uint64_t size); ...;
};
struct tb_reader;
const char *tb_format_name(int format);
int tb_format_from_name(const char *name);
int tb_reader_open(const char *path, const struct tb_reader_options *options, struct tb_reader **reader,
                   struct tb_error *error);
int tb_reader_open_memory(const char *name, const void *data, size_t len, const struct tb_reader_options *options,
                          struct tb_reader **reader, struct tb_error *error);
int tb_reader_format(const struct tb_reader *reader);
const struct tb_track *tb_reader_track(const struct tb_reader *reader, size_t index);
const struct tb_loss *tb_reader_losses(const struct tb_reader *reader, size_t *count);
const struct tb_error *tb_reader_error(const struct tb_reader *reader);
void tb_reader_close(struct tb_reader *reader);
const char *tb_event_type_name(int type);

struct tb_columns_options { size_t size; size_t rows; uint64_t columns; ...; };
struct tb_column_batch {
  size_t count;
  const int64_t *ts; const int64_t *dur; const int64_t *thread_ts; const int64_t *thread_dur;
  const uint8_t *type; const uint32_t *has; const uint32_t *track; const uint32_t *thread;
  const uint32_t *name; const uint32_t *categories; const double *value;
  const uint64_t *slice_id; const uint64_t *flow_from; const uint32_t *cpu; const uint8_t *task_state;
  const int32_t *priority; const uint8_t *log_level; const uint32_t *sequence; const uint64_t *offset;
  const uint32_t *arg_end; size_t arg_count; const uint32_t *arg_key; const uint8_t *arg_type;
  const int64_t *arg_int; const double *arg_double; const uint32_t *arg_text; ...;
};
struct tb_columns;
static const int TB_COLUMN_TS, TB_COLUMN_DUR, TB_COLUMN_THREAD_TS, TB_COLUMN_THREAD_DUR, TB_COLUMN_TYPE, TB_COLUMN_HAS,
  TB_COLUMN_TRACK, TB_COLUMN_THREAD, TB_COLUMN_NAME, TB_COLUMN_CATEGORIES, TB_COLUMN_VALUE, TB_COLUMN_SLICE_ID,
  TB_COLUMN_FLOW_FROM, TB_COLUMN_CPU, TB_COLUMN_TASK_STATE, TB_COLUMN_PRIORITY, TB_COLUMN_LOG_LEVEL,
  TB_COLUMN_SEQUENCE, TB_COLUMN_OFFSET, TB_COLUMN_ARG;
int tb_columns_open(struct tb_reader *reader, const struct tb_columns_options *options, struct tb_columns **columns,
                    struct tb_error *error);
int tb_columns_next(struct tb_columns *columns, struct tb_column_batch **batch);
void tb_column_batch_free(struct tb_column_batch *batch);
size_t tb_columns_text_count(const struct tb_columns *columns);
struct tb_str tb_columns_text(const struct tb_columns *columns, uint32_t text);
void tb_columns_close(struct tb_columns *columns);

struct tb_writer_options { size_t size; int format; bool compress; size_t memory_budget; bool no_clobber; ...; };
struct tb_writer_summary {
  uint64_t events_by_type[...]; uint64_t processes, threads, counters, flows; int64_t first_ts, last_ts;
  uint64_t bytes_written; ...;
};
struct tb_convert_options {
  size_t size; const struct tb_reader_options *reader; const struct tb_writer_options *writer; unsigned threads;
  bool (*progress)(void *ctx, uint64_t bytes_read, uint64_t size);
  bool (*on_write_progress)(void *ctx, uint64_t bytes_read, uint64_t size); ...;
};
struct tb_convert_report {
  size_t size; int from, to; struct tb_writer_summary summary; uint64_t input_bytes; struct tb_loss losses[...];
  size_t loss_count;
  struct tb_loss notes[...]; size_t note_count; char read_from[...]; ...;
};
int tb_convert(const char *from, const char *to, const struct tb_convert_options *options,
               struct tb_convert_report *report, struct tb_error *error);

struct tb_merge_input { const char *path; const char *machine; int clock; bool has_offset; int64_t offset_ns; ...; };
struct tb_merge_options {
  size_t size; const char *manifest; const char *align_on; bool align_messages; int trace_clock; bool share_flows;
  bool flatten_machines; bool skip_bad; bool dry_run; int unplaced; unsigned threads; bool no_clobber;
  bool (*progress)(void *ctx, uint64_t bytes_read, uint64_t size); ...;
};
static const int TB_UNPLACED_ERROR, TB_UNPLACED_START, TB_UNPLACED_DROP;
static const int TB_MERGE_REPORT_TEXT, TB_MERGE_REPORT_JSON;
static const int TB_CLOCK_UNKNOWN;
static const int TB_MERGE_NOTE_WARNING;
struct tb_merge_note { int level; size_t input; const char *text; ...; };
struct tb_merge_input_report { const char *name; ...; };
struct tb_merge_report;
const char *tb_clock_id_name(uint32_t clock);
size_t tb_merge_report_note_count(const struct tb_merge_report *report);
const struct tb_merge_note *tb_merge_report_note(const struct tb_merge_report *report, size_t index);
const struct tb_merge_input_report *tb_merge_report_input(const struct tb_merge_report *report, size_t index);
const char *tb_merge_report_advice(const struct tb_merge_report *report, size_t index);
const char *tb_merge_report_render(struct tb_merge_report *report, int format);
void tb_merge_report_free(struct tb_merge_report *report);
int tb_merge(const struct tb_merge_input *inputs, size_t count, const char *out, const struct tb_merge_options *options,
             struct tb_merge_report **report, struct tb_error *error);

extern "Python" bool _progress(void *ctx, uint64_t done, uint64_t size);
"""

SOURCE = """
#include <tracebridge/columns.h>
#include <tracebridge/info.h>
#include <tracebridge/merge.h>
"""


def pkg_config(option):
    try:
        run = subprocess.run(["pkg-config", option, "tracebridge"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit("the library is not installed, or PKG_CONFIG_PATH does not name the folder of its "
                         f"tracebridge.pc: {getattr(error, 'stderr', error)}") from error
    return shlex.split(run.stdout)


ffi = FFI()
ffi.cdef(DECLARATIONS)
ffi.set_source("tracebridge._binding", SOURCE, libraries=["tracebridge"],
               include_dirs=[flag[2:] for flag in pkg_config("--cflags-only-I")],
               library_dirs=pkg_config("--variable=libdir"), runtime_library_dirs=pkg_config("--variable=libdir"))

if __name__ == "__main__":
    ffi.compile(verbose=True)
