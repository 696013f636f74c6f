/* SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong with a trace, or odd, and what a viewer makes of it. The trace is read as a stream, a file twice where
 * slices come in no order of time: progress begins anew then. Memory grows with tracks and flows, and slices that are
 * sorted beyond a budget go to a temporary file.
 *
 *     struct tb_verification *found;
 *     if (tb_verify("trace.json", NULL, &found, NULL) != TB_OK) return 1;
 *     for (size_t i = 0; i < found->finding_count; i++)
 *       printf("%s: %llu\n", found->findings[i].kind->name, (unsigned long long)found->findings[i].count);
 *     tb_verification_free(found);
 */
#ifndef TRACEBRIDGE_VERIFY_H
#define TRACEBRIDGE_VERIFY_H

#include "tracebridge/convert.h"
#include "tracebridge/escape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How bad a finding is: of an ERROR something in the file is lost or shown wrongly; of a WARNING something is missing
 * that the file does not have, or that a viewer passes over. */
enum tb_finding_level { TB_FINDING_WARNING, TB_FINDING_ERROR };

/* What is found, X(id, level, name). Names are stable; more may come. docs/VERIFY.md lists them. */
#define TB_FINDING_LIST(X)                             \
  X(CUT, ERROR, "cut")                                 \
  X(DAMAGED, ERROR, "damaged")                         \
  X(LIMIT, ERROR, "limit")                             \
  X(LEFT_OUT, WARNING, "left_out")                     \
  X(SECOND_TRACE, WARNING, "second_trace")             \
  X(STATE_MISSING, ERROR, "state_missing")             \
  X(INTERNED_MISSING, ERROR, "interned_missing")       \
  X(NO_SEQUENCE, ERROR, "no_sequence")                 \
  X(CLOCK_UNKNOWN, ERROR, "clock_unknown")             \
  X(CLOCK_BACKWARDS, ERROR, "clock_backwards")         \
  X(CLOCK_JUMP, WARNING, "clock_jump")                 \
  X(NO_TIME, ERROR, "no_time")                         \
  X(NEGATIVE_TIME, ERROR, "negative_time")             \
  X(TRACK_TWO_MEANINGS, ERROR, "track_two_meanings")   \
  X(TRACK_INCOMPLETE, ERROR, "track_incomplete")       \
  X(TRACK_UNDESCRIBED, WARNING, "track_undescribed")   \
  X(TRACK_LOOP, ERROR, "track_loop")                   \
  X(PARENT_UNDESCRIBED, ERROR, "parent_undescribed")   \
  X(UNKNOWN_PHASE, WARNING, "unknown_phase")           \
  X(END_WITHOUT_BEGIN, WARNING, "end_without_begin")   \
  X(BEGIN_WITHOUT_END, WARNING, "begin_without_end")   \
  X(OVERLAP, ERROR, "overlap")                         \
  X(NEGATIVE_DURATION, ERROR, "negative_duration")     \
  X(FLOW_WITHOUT_BEGIN, WARNING, "flow_without_begin") \
  X(FLOW_WITHOUT_END, WARNING, "flow_without_end")     \
  X(FLOW_WITHOUT_SLICE, WARNING, "flow_without_slice") \
  X(COUNTER_NO_VALUE, ERROR, "counter_no_value")       \
  X(COUNTER_NO_TRACK, ERROR, "counter_no_track")       \
  X(EVENTS_LOST, WARNING, "events_lost")               \
  X(BUFFER_OVERWRITTEN, WARNING, "buffer_overwritten") \
  X(BUFFER_FULL, WARNING, "buffer_full")               \
  X(WRITER_DROPPED, WARNING, "writer_dropped")         \
  X(PATCHES_LATE, WARNING, "patches_late")             \
  X(PACKETS_INVALID, WARNING, "packets_invalid")       \
  X(FLUSH_FAILED, WARNING, "flush_failed")             \
  X(KERNEL_OVERWRITTEN, WARNING, "kernel_overwritten") \
  X(KERNEL_DROPPED, WARNING, "kernel_dropped")         \
  X(NO_ID, WARNING, "no_id")

enum tb_finding_code {
#define TB_FINDING_ENUM(id, level, name) TB_FINDS_##id,
  TB_FINDING_LIST(TB_FINDING_ENUM)
#undef TB_FINDING_ENUM
      TB_FINDS_COUNT
};

/* What is known of a kind of finding; all texts are constants. */
struct tb_finding_kind {
  enum tb_finding_code code;
  enum tb_finding_level level;
  const char *name;
  const char *what;        /* one line: what is so */
  const char *viewer;      /* one line: what Perfetto's viewer makes of it */
  const char *stats;       /* the names in the trace processor's table `stats` that count it, by spaces; "": none */
  const char *explanation; /* where it comes from, and what to do */
};

/* The kind of that code; NULL where there is none. */
TB_API const struct tb_finding_kind *tb_finding_kind_of(enum tb_finding_code code);

/* The kind of that name, a NUL-terminated text; NULL where there is none. */
TB_API const struct tb_finding_kind *tb_finding_kind_named(const char *name);

/* Public to read. */
struct tb_finding {
  const struct tb_finding_kind *kind;
  uint64_t count;
  uint64_t first_offset;        /* byte offset in the decompressed input; TB_NO_OFFSET: it has none */
  const struct tb_loss *losses; /* in a reader's words, where it is found by those */
  size_t loss_count;
};

/* Public to read, owned by the library: tb_verify, then tb_verification_free. */
struct tb_verification {
  struct tb_str file; /* the input; FILE/MEMBER where it is in an archive */
  enum tb_format format;
  uint64_t events, packets;
  const struct tb_finding *findings;                /* errors first, then in the order of TB_FINDING_LIST */
  size_t finding_count, error_count, warning_count; /* kinds of findings */
};

struct tb_verify_options {
  size_t size; /* sizeof */
  /* NULL: all defaults; shape and sorted are not asked, memory_budget is for slices */
  const struct tb_reader_options *reader;
  tb_progress progress; /* NULL: none */
  void *progress_ctx;
};

/* Reads the trace `path` ("-": standard input). TB_OK: *verification is set, whatever was found, to be freed by the
 * caller. Any other: it is NULL, and *error (which may be NULL) says why; codes as tb_reader_open and tb_reader_next,
 * which fail where nothing at all can be read. `options` may be NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_verify(const char *path, const struct tb_verify_options *options,
                                              struct tb_verification **verification, struct tb_error *error);

/* NULL is ignored. */
TB_API void tb_verification_free(struct tb_verification *verification);

/* Writes text for people, or one JSON object for programs, to `sink`. TB_OK; TB_CANCELLED where the sink stopped;
 * TB_INVALID where one is NULL; TB_NO_MEMORY. */
TB_MUST_CHECK TB_API enum tb_status tb_verification_text(const struct tb_verification *verification, tb_text_sink sink,
                                                         void *ctx);
TB_MUST_CHECK TB_API enum tb_status tb_verification_json(const struct tb_verification *verification, tb_text_sink sink,
                                                         void *ctx);

#ifdef __cplusplus
}
#endif
#endif
