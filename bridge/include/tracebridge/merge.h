/* SPDX-License-Identifier: Apache-2.0
 *
 * Merging traces onto one clock: any mix of Perfetto, Chrome JSON and FXT files, and tar or zip archives of them,
 * becomes one plain Perfetto trace.
 *
 *     const struct tb_merge_input inputs[] = {{.path = "server.perfetto-trace"}, {.path = "client.json"}};
 *     struct tb_merge_report *report;
 *     enum tb_status status = tb_merge(inputs, 2, "both.perfetto-trace", NULL, &report, NULL);
 *     if (report) puts(tb_merge_report_render(report, TB_MERGE_REPORT_TEXT));
 *     tb_merge_report_free(report);
 *     return status == TB_OK ? 0 : 1;
 */
#ifndef TRACEBRIDGE_MERGE_H
#define TRACEBRIDGE_MERGE_H

#include "tracebridge/convert.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One input. Zero-initialise, then set `path`. Caller-owned, read only while tb_merge runs. */
struct tb_merge_input {
  const char *path;    /* a trace, or an archive of traces; "-": standard input */
  const char *machine; /* the name of the machine that recorded it; NULL: as the manifest or the trace says */
  enum tb_clock clock; /* the clock that its times are on, for one that does not say; UNKNOWN: as the trace says */
  bool has_offset;
  int64_t offset_ns; /* added to the input's own times, which then are on the merged trace's clock; where has_offset */
  const void *reserved[2]; /* NULL */
};

/* What to do with an input whose clock nothing relates to the others'. */
enum tb_unplaced {
  TB_UNPLACED_ERROR, /* refuse to merge */
  TB_UNPLACED_START, /* its first event is put at the merged trace's first event */
  TB_UNPLACED_DROP   /* leave it out; the merge is then TB_PARTIAL */
};

/* Options; zero-initialise, then set `size` to sizeof. NULL in place of options means all defaults. */
struct tb_merge_options {
  size_t size;
  const struct tb_allocator *allocator; /* NULL: malloc */
  const char *manifest;      /* path of a perfetto_manifest; NULL: the one of an archive among the inputs, or none */
  const char *align_on;      /* NAME, NAME:begin or NAME:end of an event that every input has; NULL: none */
  bool align_messages;       /* place inputs by the flows that cross them: a message is received after it was sent */
  enum tb_clock trace_clock; /* the clock of the merged trace; UNKNOWN: the first input's */
  bool share_flows;          /* equal flow and correlation ids of two inputs are the same flow */
  bool flatten_machines;     /* for readers without machines: distinct pids, process names with the machine in front */
  bool skip_bad;             /* leave out inputs that cannot be read; the merge is then TB_PARTIAL */
  bool dry_run;              /* only the report: nothing is written */
  enum tb_unplaced unplaced;
  const char *temporary_directory; /* NULL: $TMPDIR, else /tmp */
  unsigned max_open_files;         /* inputs open at a time; 0: what the process may open, less some */
  tb_progress progress;            /* NULL: none */
  void *progress_ctx;
  unsigned threads;                 /* 0: as many as the machine has cores, at most 4; 1: one. The output is the same */
  unsigned max_drift_ppm;           /* the drift that align_on may follow, below 1000000; a larger one is not. 0: 200 */
  tb_temporary_name temporary_name; /* of the output; NULL: not called */
  void *temporary_name_ctx;
  size_t max_junk_bytes; /* of each input, as in struct tb_reader_options */
  bool no_clobber; /* TB_IO where a file of the output's name is there when the trace is whole: it is not replaced */
  enum tb_format input_format;  /* of each input; UNKNOWN: detected by the content */
  enum tb_format output_format; /* UNKNOWN: what the output's name says, Perfetto's where it says none */
};

/* How an input came to its place on the merged trace's clock, best first. */
#define TB_PLACEMENT_LIST(X)                                                         \
  X(UNPLACED, "not placed")                                                          \
  X(REFERENCE, "its clock is the merged trace's clock")                              \
  X(OFFSET, "offset given")                                                          \
  X(MANIFEST, "perfetto_manifest")                                                   \
  X(SNAPSHOTS, "clock snapshots")                                                    \
  X(SAME_BOOT, "same clocks: the wall clock agrees on when the machine was started") \
  X(CLOCK_SYNC, "clock_sync events")                                                 \
  X(ALIGNED, "events aligned by name")                                               \
  X(MESSAGES, "messages between inputs")                                             \
  X(REALTIME, "wall clocks")                                                         \
  X(ASSUMED, "assumed: same clock at no offset")                                     \
  X(START, "put at the start")

enum tb_placement {
#define TB_PLACEMENT_ENUM(name, text) TB_PLACEMENT_##name,
  TB_PLACEMENT_LIST(TB_PLACEMENT_ENUM)
#undef TB_PLACEMENT_ENUM
};

/* A constant English text for `placement`, never NULL. */
TB_API const char *tb_placement_text(enum tb_placement placement);

/* How far off times of an input may be at one time. */
struct tb_merge_bound {
  int64_t time_ns; /* on the merged trace's clock */
  int64_t bound_ns;
};

/* What became of one input. Owned by the report; texts are NUL-terminated and never NULL. */
struct tb_merge_input_report {
  const char *name; /* its path; of a member of an archive "ARCHIVE/MEMBER" */
  enum tb_format format;
  bool skipped;        /* left out (unreadable, or unplaced) */
  const char *machine; /* its machine's name, "" for an unnamed one */
  uint32_t machine_id; /* in the merged trace; of the first of its machines */
  const char *clock;   /* the clock that its times are on, e.g. "BOOTTIME" */
  /* The clocks that its snapshots read, or that were said, "BOOTTIME, REALTIME"; "" where there is none. */
  const char *clocks;
  bool has_own_time; /* own_first_ns and own_last_ns are set: as first_ns and last_ns, on `clock` */
  int64_t own_first_ns, own_last_ns;
  bool has_wall_time; /* wall_first_ns is set: what its wall clock read at its first packet, in ns since 1970 */
  int64_t wall_first_ns;
  enum tb_placement placement;
  const char *why;   /* the sentence of the text report */
  int64_t offset_ns; /* merged time less own time, at its first event */
  double drift_ppm;  /* how much faster merged time runs, over its events */
  bool has_residual;
  double residual_ns;                  /* root mean square of what a fit leaves */
  bool has_bound;                      /* false: nothing is known */
  int64_t bound_ns;                    /* times are off by at most this much where there is evidence, ... */
  const struct tb_merge_bound *bounds; /* ... and by this over time: linear between, from its first event to its last */
  size_t bound_count;
  uint64_t matches, outliers; /* events or messages that a fit used, and threw out */
  bool has_time;              /* first_ns and last_ns are set: it had a packet with a time */
  int64_t first_ns, last_ns;  /* of its packets, on the merged trace's clock */
  uint64_t packets_in, packets_out, packets_unchanged, packets_dropped; /* of the unpacked packets */
  uint64_t bytes_in;                                                    /* decompressed */
  uint64_t sequences, uuids_kept, uuids_remapped, flows_remapped, clocks_remapped;
  uint64_t timestamps_changed;
  uint64_t unresolved_times; /* packets on a clock that nothing relates to the input's clock */
  bool damaged;
  uint64_t damage_offset;       /* where the first damage is; TB_NO_OFFSET: unknown */
  const char *damage;           /* what is wrong there, "" for nothing */
  const struct tb_loss *losses; /* what could not be read, by reason, as tb_convert reports it; NULL: nothing */
  size_t loss_count;
};

/* Notes of a merge: X(code, level, its name in the JSON report). */
#define TB_MERGE_NOTE_LIST(X)                                                                                         \
  X(CLOCK_ASSUMED, WARNING, "clock_assumed")           /* nothing says how its clock relates to the others' */        \
  X(EVENT_MISSING, WARNING, "event_missing")           /* it lacks the event that others were aligned by */           \
  X(ALIGNMENT_UNUSED, WARNING, "alignment_unused")     /* it was to be aligned, and is placed by something else */    \
  X(DRIFT_NOT_FOLLOWED, WARNING, "drift_not_followed") /* what events said of drift was not believed */               \
  X(MESSAGES_ONE_WAY, WARNING, "messages_one_way")     /* how long they take is assumed */                            \
  X(MATCHES_ASSUMED, WARNING, "matches_assumed")       /* nothing says which events belong together */                \
  X(MATCHES_THROWN_OUT, WARNING, "matches_thrown_out")                                                                \
  X(ALIGNMENT_AMBIGUOUS, WARNING, "alignment_ambiguous") /* other events may belong together as well */               \
  X(EVENTS_UNMATCHED, INFO, "events_unmatched")          /* events that the other input has not */                    \
  X(MESSAGES_BACKWARDS, WARNING, "messages_backwards")   /* some still arrive before they were sent */                \
  X(MESSAGE_BACKWARDS, INFO, "message_backwards")        /* one of them */                                            \
  X(CLOCK_STEP, WARNING, "clock_step")                   /* a wall clock was set */                                   \
  X(BOOT_UNCLEAR, WARNING, "boot_unclear")               /* of another input's boot, or of another one */             \
  X(READINGS_THROWN_OUT, WARNING, "readings_thrown_out") /* clocks were read late */                                  \
  X(SUSPEND, INFO, "suspend")                            /* its machine slept while it recorded */                    \
  X(FLOWS_NOT_JOINED, WARNING, "flows_not_joined")       /* they cross machines: no arrows */                         \
  X(STATE_MISSING, WARNING, "state_missing")             /* packets need what was said before its start */            \
  X(PART_JOINED, INFO, "part_joined")                    /* it continues another input, and is read with it */        \
  X(SAME_INPUT, WARNING, "same_input")                   /* it is the same as one before it */                        \
  X(UNREAD, WARNING, "unread")                           /* something else is in the archive or page that it is in */ \
  X(PUT_AT_START, WARNING, "put_at_start")                                                                            \
  X(ALL_MOVED, INFO, "all_moved")                                                                                     \
  X(OWN_MACHINE, INFO, "own_machine")                                                                                 \
  X(TIMES_UNKNOWN, WARNING, "times_unknown")                                                                          \
  X(MANIFEST_ENTRY_UNUSED, WARNING, "manifest_entry_unused")                                                          \
  X(PARTS_UNORDERED, WARNING, "parts_unordered")       /* a part, but nothing shows behind which other one */         \
  X(PART_UNCLEAR, WARNING, "part_unclear")             /* perhaps a part of another input, which nothing shows */     \
  X(PACKETS_DAMAGED, WARNING, "packets_damaged")       /* damaged inside, they stay as they are */                    \
  X(TIMES_AFTER_DAMAGE, WARNING, "times_after_damage") /* written as differences, they are too early */               \
  X(NAMES_CONTRADICT, WARNING, "names_contradict")     /* a process has another name: another machine, perhaps */

enum tb_merge_note_code {
#define TB_MERGE_NOTE_ENUM(code, level, name) TB_MERGE_NOTE_##code,
  TB_MERGE_NOTE_LIST(TB_MERGE_NOTE_ENUM)
#undef TB_MERGE_NOTE_ENUM
};

enum tb_merge_note_level {
  TB_MERGE_NOTE_INFO,
  TB_MERGE_NOTE_WARNING /* the result may not be what was wanted */
};

#define TB_MERGE_NO_INPUT SIZE_MAX

/* Owned by the report. */
struct tb_merge_note {
  enum tb_merge_note_code code;
  enum tb_merge_note_level level;
  size_t input;     /* index of the input that it is about; TB_MERGE_NO_INPUT: the whole merge */
  const char *text; /* one line that does not name the input; NUL-terminated, never NULL */
  bool has_time;
  int64_t time_ns, size_ns; /* when it was, on the merged trace's clock, and how large; where has_time */
  uint64_t packets;         /* how many it is about; 0: that does not apply */
};

/* A constant word for `code`, such as "clock_assumed"; never NULL. */
TB_API const char *tb_merge_note_name(enum tb_merge_note_code code);

/* Which input `name` (of `len` bytes) means: the one with this path, else the one that is the same file, else the one
 * whose path ends so, from one of its `/` on. TB_OK, and *index; TB_INVALID where none does, or several do, which
 * *error (may be NULL) then names. */
TB_MUST_CHECK TB_API enum tb_status tb_merge_find_input(const struct tb_merge_input *inputs, size_t count,
                                                        const char *name, size_t len, size_t *index,
                                                        struct tb_error *error);

struct tb_merge_report; /* opaque; made by tb_merge, freed by tb_merge_report_free */

/* The merge as a whole. */
struct tb_merge_summary {
  const char *trace_clock; /* the merged trace's, "" where it is not known */
  int64_t shift_ns;        /* by which all was moved, so that no time is negative */
  uint64_t packets_out, bytes_out;
};
/* Owned by the report; never NULL. */
TB_API const struct tb_merge_summary *tb_merge_report_summary(const struct tb_merge_report *report);

TB_API size_t tb_merge_report_count(const struct tb_merge_report *report);
/* NULL where `index` is not below the count. Owned by the report. */
TB_API const struct tb_merge_input_report *tb_merge_report_input(const struct tb_merge_report *report, size_t index);
TB_API size_t tb_merge_report_note_count(const struct tb_merge_report *report);
/* NULL where `index` is not below the count. Owned by the report. */
TB_API const struct tb_merge_note *tb_merge_report_note(const struct tb_merge_report *report, size_t index);
/* Where an input was refused since nothing places it: line by line what each input says of time, what was tried and
 * what would place it. NULL past the last line. Owned by the report. */
TB_API const char *tb_merge_report_advice(const struct tb_merge_report *report, size_t index);
/* What converting the merged trace to the format of the output's name did and lost; NULL where that is Perfetto's.
 * Owned by the report. */
TB_API const struct tb_convert_report *tb_merge_report_conversion(const struct tb_merge_report *report);

enum tb_merge_report_format {
  TB_MERGE_REPORT_TEXT, /* for people */
  TB_MERGE_REPORT_JSON, /* one object */
  /* One page, which is XML too and needs nothing else; its drawings have the report's numbers, as data-*-ns. */
  TB_MERGE_REPORT_HTML,
  TB_MERGE_REPORT_FORMAT_COUNT
};

/* The whole report; NUL-terminated, owned by the report. NULL: out of memory, or no such format. */
TB_API const char *tb_merge_report_render(struct tb_merge_report *report, enum tb_merge_report_format format);
TB_API void tb_merge_report_free(struct tb_merge_report *report); /* NULL is ignored */

/* Merges `count` inputs into the file `out` ("-": standard output; a name that ends in .gz or .zst compresses; ignored
 * and may be NULL where options->dry_run). What is written is a Perfetto trace; where the name says another format it
 * is converted to that, as by tb_convert. Packets that need no change are byte-identical in the output; one input alone
 * passes through unchanged. Order: by time between inputs, ties by their order; an input's own order stays.
 *
 * Returns TB_OK; TB_PARTIAL when the output is there but some of an input was lost (damage, skipped inputs, what the
 * format of the output cannot say: see the report); else the code of *error, and nothing is under the name:
 * TB_REFUSED (the output is one of the inputs or the manifest; an input that nothing places; an event to align on that
 * fewer than two inputs have, or by which a clock certainly drifts more than it may), TB_INVALID (no input, a bad
 * manifest or option), TB_UNKNOWN_FORMAT, TB_UNSUPPORTED, TB_BAD_DATA, TB_IO, TB_NO_MEMORY, TB_LIMIT, TB_CANCELLED.
 * Archives are read by libarchive, which itself ends the process where it gets no memory for a member's name. It is not
 * asked where there is no memory left at all, so that this is rare; where it must not be, unpack archives before.
 * *report (may be NULL) is set whatever is returned, to NULL only when memory is out; the caller frees it. error may be
 * NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_merge(const struct tb_merge_input *inputs, size_t count, const char *out,
                                             const struct tb_merge_options *options, struct tb_merge_report **report,
                                             struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif
