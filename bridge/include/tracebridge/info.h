/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in a trace: format, producers, clocks, time span, processes and threads, events and packets by kind, losses
 * and oddities. The trace is read once, as a stream; memory grows with its tracks, not with its events.
 *
 *     struct tb_info *info;
 *     enum tb_status status = tb_info_open("trace.json", NULL, &info, NULL);
 *     if (status != TB_OK && status != TB_PARTIAL) return 1;
 *     printf("%llu events\n", (unsigned long long)info->events);
 *     tb_info_close(info);
 */
#ifndef TRACEBRIDGE_INFO_H
#define TRACEBRIDGE_INFO_H

#include "tracebridge/convert.h"
#include "tracebridge/escape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A process or a thread. Names are empty where the trace gives none. */
struct tb_info_thread {
  int64_t pid, tid; /* tid: threads only */
  bool has_pid, has_tid;
  struct tb_str pid_text, tid_text; /* where the source's id is no number: as in tb_track */
  uint32_t machine;
  struct tb_str name;
  uint64_t threads;          /* processes only: threads seen */
  uint64_t events;           /* on its tracks; of a process: on its threads' tracks too */
  int64_t first_ts, last_ts; /* of those; first > last where none has a time */
};

/* Something that is named, and how often it came. */
struct tb_info_name {
  struct tb_str text;
  uint64_t count;
  /* Of slices on tracks where they nest: how long they lasted without the slices in them, exact where each track's come
   * in the order of their begins or of their ends. */
  uint64_t self_ns;
};

/* What a trace says of where and by what it was recorded. */
struct tb_info_fact {
  const char *what; /* a constant: "system", "browser", "command line", ... */
  struct tb_str value;
};

/* A clock that the trace reads. */
struct tb_info_clock {
  uint32_t machine;
  uint32_t id;       /* enum tb_clock, or an id of the trace's own */
  uint64_t readings; /* snapshots that read it */
  int64_t first_ns, last_ns;
  bool has_offset;
  /* first reading minus that of the machine's first clock in the same snapshot; of that clock of a machine other than
   * 0: how far it is ahead of machine 0's as the trace says at its end */
  int64_t offset_ns;
  int64_t offset_change_ns; /* how much that was more in the last snapshot that read both */
};

/* Who wrote packets: a process as the recording service saw it. */
struct tb_info_producer {
  uint32_t machine;
  int32_t uid, pid;
  struct tb_str name; /* of the process where the trace gives it, else empty */
  uint64_t sequences, packets, bytes;
};

/* Packets with one kind of payload. */
struct tb_info_packets {
  uint32_t field;     /* field number of TracePacket; 0: none */
  struct tb_str name; /* empty where our schema does not know the field */
  uint64_t count, bytes;
};

/* Records of one kind (FXT). */
struct tb_info_records {
  const char *kind; /* as tb_dump calls it */
  uint64_t count, bytes;
};

/* Who wrote records (FXT). */
struct tb_info_provider {
  uint32_t id;
  struct tb_str name;
  uint64_t ticks_per_second; /* 0: never said, ticks are ns */
  uint64_t records, bytes;
  uint64_t losses; /* how often it said that its buffer filled up */
};

/* Something that a reader of the trace should know of. */
struct tb_info_oddity {
  const char *text; /* a constant */
  uint64_t count;
};

/* Public to read, owned by the library: tb_info_open, then tb_info_close. Arrays are sorted biggest first. */
struct tb_info {
  struct tb_str file; /* the input; FILE/MEMBER where it is in an archive */
  enum tb_format format;
  uint64_t stored_bytes; /* of the input as it is stored */
  uint64_t events;       /* that happen in time */
  uint64_t events_by_type[TB_EVENT_TYPE_ROOM];
  int64_t first_ts, last_ts; /* ns on the trace's clock; first > last where nothing has a time */
  uint64_t machines, custom_tracks, counter_tracks;
  uint64_t arguments, flows; /* entries of argument trees; ends of flows */
  const struct tb_info_thread *processes, *threads;
  size_t process_count, thread_count;
  const struct tb_info_clock *clocks; /* in order of appearance; the trace's clock is first where it is known */
  size_t clock_count;
  const struct tb_info_producer *producers;
  size_t producer_count;
  const struct tb_info_packets *packets; /* Perfetto */
  size_t packet_kind_count;
  uint64_t packet_count, sequences;
  const struct tb_str *metadata; /* names of what the trace says of itself at top level, in order of appearance */
  size_t metadata_count;
  const struct tb_info_oddity *oddities;
  size_t oddity_count;
  const struct tb_loss *losses; /* as tb_reader_losses */
  size_t loss_count;
  const struct tb_info_records *records; /* FXT */
  size_t record_kind_count;
  uint64_t record_count;
  const struct tb_info_provider *providers; /* FXT, in order of appearance */
  size_t provider_count;
  bool has_wall_time;
  int64_t wall_ns; /* ns since 1970 at first_ts, as the trace's clocks say */
  bool has_timezone;
  int32_t timezone_minutes; /* of the machine, east of Greenwich */
  /* The most frequent of slice_name_total (at most 65536 are counted), and the same of categories. */
  const struct tb_info_name *slice_names;
  size_t slice_name_count, slice_name_total;
  const struct tb_info_name *categories;
  size_t category_count, category_total;
  const struct tb_info_fact *facts;
  size_t fact_count;
  const struct tb_str *data_sources; /* Perfetto: that the recorder was asked for */
  size_t data_source_count;
  const uint64_t *buffer_bytes; /* Perfetto: its buffers */
  size_t buffer_count;
  const struct tb_info_oddity *missed; /* Perfetto: what the recorder lost, by its own account */
  size_t missed_count;
  const struct tb_loss *notes; /* what the reader assumed where the source does not say it; nothing of it is lost */
  size_t note_count;
  const struct tb_info_name *slices_by_self; /* those of slice_names with the longest self_ns, longest first */
  size_t slices_by_self_count;
  const struct tb_info_name *counter_names; /* the most frequent of counter_name_total, by their samples */
  size_t counter_name_count, counter_name_total;
  bool is_cut;             /* it ends early, says one of `losses` */
  uint64_t another_traces; /* that begin in the same file, and were read as one with the first */
  uint64_t flow_arrows;    /* from each end of a flow to its next */
};

struct tb_info_options {
  size_t size;                            /* sizeof */
  const struct tb_reader_options *reader; /* NULL: all defaults */
  tb_progress progress;                   /* NULL: none */
  void *progress_ctx;
};

/* Reads the trace `path` ("-": standard input). TB_OK: *info is set, to be closed by the caller. TB_PARTIAL: the same,
 * but the trace has losses. Any other: *info is NULL and *error (which may be NULL) says why; codes as tb_reader_open
 * and tb_reader_next. `options` may be NULL. */
TB_MUST_CHECK TB_API enum tb_status tb_info_open(const char *path, const struct tb_info_options *options,
                                                 struct tb_info **info, struct tb_error *error);

/* NULL is ignored. */
TB_API void tb_info_close(struct tb_info *info);

/* Writes a line of text for people: file, format, size, when, how long, how much, losses. Statuses as tb_info_text. */
TB_MUST_CHECK TB_API enum tb_status tb_info_line(const struct tb_info *info, tb_text_sink sink, void *ctx);

/* Writes one screen of text for people, or one JSON object for programs, to `sink`. TB_OK; TB_CANCELLED where the sink
 * stopped; TB_NO_MEMORY. */
TB_MUST_CHECK TB_API enum tb_status tb_info_text(const struct tb_info *info, tb_text_sink sink, void *ctx);
TB_MUST_CHECK TB_API enum tb_status tb_info_json(const struct tb_info *info, tb_text_sink sink, void *ctx);

/* A size or a duration for people, in `text`, which is returned: three digits and a unit, "1.16 kB" (1000 bytes), "34.4
 * ms"; from a minute on "2 min 5 s". */
enum { TB_UNIT_TEXT = 32 };
TB_API const char *tb_bytes_text(char text[TB_UNIT_TEXT], uint64_t bytes);
TB_API const char *tb_duration_text(char text[TB_UNIT_TEXT], uint64_t ns);

/* Reads a number with a unit: ns (also none), us, ms, s, min, h, with a sign where wanted, "-1.5ms". TB_OK; TB_INVALID:
 * it is none, or past an int64_t; TB_UNSUPPORTED: no whole number of ns. *ns is set where it is TB_OK alone. */
TB_MUST_CHECK TB_API enum tb_status tb_duration_parse(const char *text, int64_t *ns);

/* "slice begin", "counter", …: a constant English name of the event type, never NULL. */
TB_API const char *tb_event_type_name(enum tb_event_type type);

/* "BOOTTIME", "REALTIME", …; NULL for clocks without a name. */
TB_API const char *tb_clock_id_name(uint32_t clock);

/* The clock of that name, in any case; 0: none. */
TB_API uint32_t tb_clock_id_from_name(struct tb_str name);

#ifdef __cplusplus
}
#endif
#endif
