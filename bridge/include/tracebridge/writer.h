/* SPDX-License-Identifier: Apache-2.0
 *
 * Push writer of traces in any supported format.
 *
 *     struct tb_writer *writer;
 *     struct tb_track thread = {.type = TB_TRACK_THREAD, .has_tid = true, .tid = 7};
 *     struct tb_event slice = {.type = TB_EVENT_SLICE_COMPLETE, .has = TB_HAS_TS | TB_HAS_DUR, .ts = 1000, .dur = 500};
 *     slice.track = &thread;
 *     if (tb_writer_open("trace.perfetto-trace", NULL, &writer, NULL) != TB_OK) return 1;
 *     if (tb_writer_put(writer, &slice) != TB_OK || tb_writer_finish(writer) != TB_OK)
 *       puts(tb_writer_error(writer)->message);
 *     tb_writer_close(writer);
 */
#ifndef TRACEBRIDGE_WRITER_H
#define TRACEBRIDGE_WRITER_H

#include "tracebridge/file.h"
#include "tracebridge/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tb_writer; /* opaque; tb_writer_open, tb_writer_put…, tb_writer_finish, tb_writer_close */

enum { TB_WRITER_MEMORY_MIN = 1 << 20 }; /* the least memory budget: a smaller one counts as this */

/* Options; zero-initialise, then set `size` to sizeof. NULL in place of options means all defaults. */
struct tb_writer_options {
  size_t size;
  enum tb_format format;                /* UNKNOWN: by the name of `path` */
  const struct tb_allocator *allocator; /* NULL: malloc */
  bool compress;                        /* write compressed_packets; of Perfetto alone, TB_INVALID for other formats */
  bool keep_packets; /* packets that FXT cannot express go into a Perfetto blob; of FXT alone, likewise */
  /* Perfetto: memory limit before events spill to a temporary file, at least TB_WRITER_MEMORY_MIN. 0: 64 MiB for data
   * that is in order already, half of the machine's memory for data that must be sorted. JSON, FXT: limit of what
   * slices take that wait for their ends, before they are written as a begin and an end. 0: 64 MiB. */
  size_t memory_budget;
  const char *temporary_directory; /* NULL: $TMPDIR, else /tmp */
  /* The clock that the source's times are on; UNKNOWN: as the source says, else TB_CLOCK_TRACE_FILE, of Perfetto's own
   * TB_CLOCK_BOOTTIME. */
  enum tb_clock clock;
  unsigned threads; /* 1: none but the caller's. 0: 1 */
  /* Perfetto: set it if this trace will be merged with others: unmatched flows keep their ids, and newly assigned ids
   * start here. */
  uint64_t first_new_flow_id;
  enum tb_format source; /* what the events come from, where they go back to it unchanged; UNKNOWN: not said */
  tb_temporary_name temporary_name; /* NULL: not called */
  void *temporary_name_ctx;
  bool no_clobber; /* tb_writer_finish fails, TB_IO, where a file of that name is there by then: it is not replaced */
};

/* What a writer has written: counts from the events that were taken; of a Perfetto trace, of what it has. */
struct tb_writer_summary {
  uint64_t events_by_type[TB_EVENT_TYPE_ROOM]; /* events taken, by their type */
  uint64_t processes, threads, counters, flows;
  int64_t first_ts, last_ts; /* ns; first > last when there was no event with a time */
  uint64_t bytes_written;    /* after compression */
  uint64_t peak_held_bytes;  /* most that was held in memory for ordering */
  uint64_t spilled_bytes;
  uint64_t ftrace_events; /* Perfetto: made of ftrace text */
  /* of TB_EVENT_OTHER: those without a time; of the rest those whose phase is known, but not what they belong to (an
   * async event has no id) */
  uint64_t untimed_events, unmatched_events;
  uint64_t reserved[4]; /* 0 */
};

/* Starts writing to the file `path` ("-": standard output; .gz and .zst compress). The file appears under its name
 * only when tb_writer_finish succeeds. On failure *writer is NULL and the code is also in *error (may be NULL): TB_IO,
 * TB_INVALID (no format), TB_NO_MEMORY. */
TB_MUST_CHECK TB_API enum tb_status tb_writer_open(const char *path, const struct tb_writer_options *options,
                                                   struct tb_writer **writer, struct tb_error *error);

/* Takes `len` bytes of an output, all of them; false where it cannot, which is TB_IO. */
typedef bool (*tb_write_bytes)(void *ctx, const void *data, size_t len);

/* As tb_writer_open, to a function of the caller's, which gets the bytes in their order and in pieces of any size; it
 * is called from another thread where options.threads is more than 1, and not after tb_writer_finish or
 * tb_writer_close. `name` stands for the output in errors and is copied; its end says format and compression as a
 * path's does. Bytes come before tb_writer_finish, and stay written where that fails. */
TB_MUST_CHECK TB_API enum tb_status tb_writer_open_callback(const char *name, tb_write_bytes write_bytes, void *ctx,
                                                            const struct tb_writer_options *options,
                                                            struct tb_writer **writer, struct tb_error *error);

/* The same to the descriptor `fd`, which stays the caller's and open. */
TB_MUST_CHECK TB_API enum tb_status tb_writer_open_descriptor(const char *name, int fd,
                                                              const struct tb_writer_options *options,
                                                              struct tb_writer **writer, struct tb_error *error);

/* The same to memory of the writer: tb_writer_bytes gives it once the writer has finished. */
TB_MUST_CHECK TB_API enum tb_status tb_writer_open_memory(const char *name, const struct tb_writer_options *options,
                                                          struct tb_writer **writer, struct tb_error *error);

/* Says that the events of `reader` go to `writer`, as tb_convert does: what one format has no place for is given as it
 * has one. The kernel's events of a Perfetto trace stay packets in a copy, and are lines of text for JSON, say. For a
 * reader of TB_SHAPE_SOURCE before its first event; without it events are as for a writer of the reader's own
 * format. Let the writer know of the reader by tb_writer_options.source. TB_OK; TB_INVALID: another shape, or too late;
 * nothing has changed. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_set_target(struct tb_reader *reader, const struct tb_writer *writer);

/* What a writer to memory wrote; owned by the writer, valid until it is closed. Empty before tb_writer_finish has
 * succeeded, and of any other writer. */
TB_API struct tb_str tb_writer_bytes(const struct tb_writer *writer);

/* Takes one event. Everything is copied, its tracks and texts too. A track is known by its `index`, any number: it may
 * say more of itself later (a name, a pid that was unknown), and by a TB_EVENT_TRACK other things, but one index is one
 * track. Events may come in any order of time.
 *
 * TB_INVALID: this is no event, and nothing has changed; tb_writer_error says what is wrong, until the next call. Types
 * up to TB_EVENT_LOG need TB_HAS_TS, SLICE_COMPLETE also TB_HAS_DUR, and all that happen on a track need one; each
 * argument's span is at least 1. After any other error every further call returns that error. */
TB_MUST_CHECK TB_API enum tb_status tb_writer_put(struct tb_writer *writer, const struct tb_event *event);

/* Writes what is held back and gives the output its name. Once only: TB_INVALID afterwards. On failure no file of that
 * name is left. */
TB_MUST_CHECK TB_API enum tb_status tb_writer_finish(struct tb_writer *writer);

/* What was written and what the target could not hold; owned by the writer. */
TB_API const struct tb_writer_summary *tb_writer_get_summary(const struct tb_writer *writer);
TB_API const struct tb_loss *tb_writer_losses(const struct tb_writer *writer, size_t *count);
TB_API const struct tb_error *tb_writer_error(const struct tb_writer *writer);

/* Frees the writer; an output that was not finished is removed. NULL is ignored. */
TB_API void tb_writer_close(struct tb_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
