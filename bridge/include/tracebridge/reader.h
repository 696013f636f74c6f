/* SPDX-License-Identifier: Apache-2.0
 *
 * Pull reader of traces in any supported format.
 *
 *     struct tb_reader_options options = {.size = sizeof(options), .sorted = true};
 *     struct tb_reader *reader;
 *     struct tb_error error = {0};
 *     const struct tb_event *event;
 *     if (tb_reader_open("trace.json", &options, &reader, &error) != TB_OK) return puts(error.message);
 *     while (tb_reader_next(reader, &event) == TB_OK)
 *       if (event->type == TB_EVENT_SLICE_COMPLETE) printf("%.*s\n", (int)event->name.len, event->name.ptr);
 *     tb_reader_close(reader);
 */
#ifndef TRACEBRIDGE_READER_H
#define TRACEBRIDGE_READER_H

#include "tracebridge/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two can be read only: FTRACE, the kernel's trace file as text, and TEXT, Perfetto's packets in protobuf's text format
 * (a perfetto.protos.Trace, as tb_dump prints it), which is read as PERFETTO, from files and pipes, and not fed. */
enum tb_format {
  TB_FORMAT_UNKNOWN,
  TB_FORMAT_JSON,
  TB_FORMAT_FXT,
  TB_FORMAT_PERFETTO,
  TB_FORMAT_FTRACE,
  TB_FORMAT_TEXT
};

/* "json", "fxt", "perfetto", "ftrace", "text" or "unknown"; never NULL. */
TB_API const char *tb_format_name(enum tb_format format);

/* The format whose tb_format_name is `name` (a NUL-terminated text), TB_FORMAT_UNKNOWN where there is none. */
TB_API enum tb_format tb_format_from_name(const char *name);

/* The format that a file name's end stands for (.json, .fxt, .perfetto-trace, .pftrace, each also with .gz or .zst, in
 * any case), else TB_FORMAT_UNKNOWN. */
TB_API enum tb_format tb_format_from_path(const char *path);

/* How many bytes of a file name are in front of the ends that tb_format_from_path knows; a name without them is
 * whole. */
TB_API size_t tb_format_stem(const char *path);

/* The end that names of the format's files have, such as ".json"; NULL where the format is not written. Constant. */
TB_API const char *tb_format_suffix(enum tb_format format);

/* Whether there is a writer of the format: tb_writer_open takes it. */
TB_API bool tb_format_is_written(enum tb_format format);

struct tb_reader; /* opaque; tb_reader_open or tb_reader_create_feed, then tb_reader_close */

/* How events come.
 *
 * TB_SHAPE_ONE, the default, is the same whatever the format:
 *   tracks    each comes as a TB_EVENT_TRACK before its first event, with its parents before it, and again when more
 *             of it is known; with `sorted` all that the trace says of them is known by then
 *   slices    BEGIN, END and COMPLETE on a track; an END has its BEGIN's name, categories and slice_id; an END that
 *             ends nothing is no event. Async events are slices and instants, on a CUSTOM track for each id
 *   counters  a COUNTER has a track of type COUNTER and one argument, its value, without a name
 *   flows     TB_EVENT_FLOW_EDGE from slice to slice, next to what the source says: FLOW events and flow ids
 *   kernel    ftrace that is no slice, counter or state: instants of the thread with a CPU, of the category "ftrace",
 *             called by their kind, with its fields as arguments
 *
 * TB_SHAPE_SOURCE is each format's own, as the comments of event.h have it. It goes back to its format unchanged:
 * copies and converters take it, and let the reader know of the writer (tb_reader_set_target in writer.h), since what
 * has no place in another format is given in other ways then.
 *
 * The order of events is the file's, which is no order of time in most Perfetto traces (Android's kernel events come
 * CPU by CPU) and in many of JSON (complete slices come as they end). TB_SHAPE_ONE finds what belongs together in the
 * order in which events come: where that is not the order of time, ends and flows of one track are joined wrongly
 * unless `sorted` is set. */
enum tb_shape { TB_SHAPE_ONE, TB_SHAPE_SOURCE };

/* Of TB_SHAPE_ONE: slices as the source has them; as BEGIN and END; or as COMPLETE, which comes where the slice ends (a
 * slice that never ends stays a BEGIN, at the end of the trace). Without `sorted` a COMPLETE slice of the source that
 * comes as BEGIN and END does so at once. */
enum tb_slice_form { TB_SLICES_EITHER, TB_SLICES_BEGIN_END, TB_SLICES_COMPLETE };

/* Progress of what takes long: bytes of the (stored) input read, its size (0: unknown). Return false to cancel. Called
 * from the thread that called the library, some times a second. */
typedef bool (*tb_progress)(void *ctx, uint64_t bytes_read, uint64_t size);

/* Options; zero-initialise, then set `size` to sizeof. NULL in place of options means all defaults. */
struct tb_reader_options {
  size_t size;
  enum tb_format format;                /* UNKNOWN: detected by the content */
  const struct tb_allocator *allocator; /* NULL: malloc */
  bool strict;                          /* the first loss is an error instead of a count */
  size_t max_record_bytes;              /* an event, packet or record longer than this is a loss; 0: 256 MiB */
  size_t max_interned_bytes;            /* strings kept for the trace; more is an error TB_LIMIT; 0: 4 GiB */
  unsigned threads;                     /* 1: the caller's only; more: decompression in another. 0: 1 */
  bool framing_only;                    /* packet readers: see tb_packet_reader_open */
  size_t max_junk_bytes; /* that are not of the format, before the first event; more are TB_BAD_DATA; 0: 64 MiB */
  enum tb_shape shape;
  enum tb_slice_form slices; /* TB_SHAPE_ONE alone */
  /* Events come in the order of time; those without one come first, those of one time as the source has them, but ENDs
   * of older slices first. It means TB_SHAPE_ONE. The trace is read to its end before the first event comes: a fed
   * reader says TB_AGAIN until then. */
  bool sorted;
  /* The types of events that come: 1 << TB_EVENT_COUNTER and the like; others are read and passed over. 0: all */
  uint64_t event_types;
  size_t memory_budget;            /* of `sorted`: more is spilled to a temporary file. 0: 256 MiB; at least 1 MiB */
  const char *temporary_directory; /* NULL: $TMPDIR, else /tmp; must last as long as the reader */
  /* Not 0: `sorted`, while the input still comes: an event is given as soon as one came that is so many ns later, or
   * the input has ended. All events of that time are held in memory. One that comes later than that is given when it
   * comes, behind events that are later than it, and counted as a loss of its order; and what the trace says of a track
   * may come behind its events. Slices that a COMPLETE is made of end later than the window where they are longer. */
  uint64_t sort_window_ns;
  bool keep_interned; /* packet readers: tb_packet_interned and tb_packet_defaults have something to say */
  /* Called while tb_reader_next reads, which with `sorted` is up to the end of the trace; false: it returns
   * TB_CANCELLED, and the reader has failed. NULL: none. Whole jobs have one of their own, and do not call this. */
  tb_progress progress;
  void *progress_ctx;
};

/* Opens the file `path` ("-": standard input), detects gzip and zstd by content, and the format unless given. On
 * success *reader is the new reader, to be closed by the caller. On failure returns the code that is also in *error
 * (which may be NULL) and sets *reader to NULL: TB_IO (cannot open or read; a directory), TB_UNKNOWN_FORMAT (empty,
 * or no trace), TB_UNSUPPORTED, TB_NO_MEMORY, TB_INVALID. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_open(const char *path, const struct tb_reader_options *options,
                                                   struct tb_reader **reader, struct tb_error *error);

/* Reads up to `capacity` bytes of an input into `to`. Returns how many, at least 1; 0 at its end; less than 0 where it
 * cannot be read, which is TB_IO. */
typedef ptrdiff_t (*tb_read_bytes)(void *ctx, void *to, size_t capacity);

/* As tb_reader_open, of what a function of the caller's reads; it is called from another thread where options.threads
 * is more than 1, and not after tb_reader_close. `name` stands for the input in errors and is copied. Archives and
 * pages with a trace inside are not looked into, and what describes a track behind its events is known late, as where
 * a reader is fed: a file is read ahead for that. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_open_callback(const char *name, tb_read_bytes read_bytes, void *ctx,
                                                            const struct tb_reader_options *options,
                                                            struct tb_reader **reader, struct tb_error *error);

/* The same of `len` bytes in memory, which must stay as they are until the reader is closed; of the descriptor `fd`,
 * from where its offset is, which stays the caller's and open. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_open_memory(const char *name, const void *data, size_t len,
                                                          const struct tb_reader_options *options,
                                                          struct tb_reader **reader, struct tb_error *error);
TB_MUST_CHECK TB_API enum tb_status tb_reader_open_descriptor(const char *name, int fd,
                                                              const struct tb_reader_options *options,
                                                              struct tb_reader **reader, struct tb_error *error);

/* A reader that is fed: nothing is opened. `name` stands for the input in errors and is copied. Else as
 * tb_reader_open. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_create_feed(const char *name, const struct tb_reader_options *options,
                                                          struct tb_reader **reader, struct tb_error *error);

/* Gives `len` more bytes of input to a fed reader, in pieces of any size; they are copied. TB_INVALID on a reader
 * that was opened or after tb_reader_feed_end; TB_NO_MEMORY, nothing taken then. Events that the reader gave stay
 * valid. An event of JSON of more than 8 KiB may be given a quarter of its length of input late. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_feed(struct tb_reader *reader, const void *data, size_t len);

/* Says that a fed reader's input is whole. */
TB_API void tb_reader_feed_end(struct tb_reader *reader);

/* The next event. TB_OK: *event is set, valid until the next call on this reader. TB_END: no more events. TB_AGAIN: a
 * fed reader needs more bytes. Any other: the reader failed for good, see tb_reader_error; events given before are
 * valid. Damage that can be passed over is no error, but counted in tb_reader_losses; TB_BAD_DATA at the end where
 * there was nothing else. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_next(struct tb_reader *reader, const struct tb_event **event);

/* Up to `most` events in a row, *count of them, at least one where it is TB_OK; all are valid until the next call on
 * this reader. How many come at once is the reader's to choose. Statuses as tb_reader_next, and TB_INVALID where `most`
 * is 0. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_next_batch(struct tb_reader *reader, const struct tb_event **events,
                                                         size_t most, size_t *count);

/* With TB_SHAPE_ONE, the tracks that came so far, by their index; NULL behind the last, and where there are none. */
TB_API const struct tb_track *tb_reader_track(const struct tb_reader *reader, size_t index);

/* With TB_SHAPE_ONE, the next track of a type behind `before`, in the order in which they came; the first where
 * `before` is NULL; NULL: there is none. All processes of a trace, once it is read, or `sorted` has given an event:
 *
 *   for (const struct tb_track *p = NULL; (p = tb_reader_next_track(reader, p, TB_TRACK_PROCESS));) ... */
TB_API const struct tb_track *tb_reader_next_track(const struct tb_reader *reader, const struct tb_track *before,
                                                   enum tb_track_type type);

/* With TB_SHAPE_ONE, the first process of that id, or thread, that came so far; NULL: none. Ids come again in traces of
 * several machines or after a process has ended. */
TB_API const struct tb_track *tb_reader_process(const struct tb_reader *reader, int64_t pid);
TB_API const struct tb_track *tb_reader_thread(const struct tb_reader *reader, int64_t tid);

/* A time of an event on another clock of the trace (enum tb_clock, or an id of the trace's own), and back, by the
 * TB_EVENT_CLOCK_SNAPSHOTs that were read so far (of the machine that recorded): by the last one at or before the time,
 * else by the first. Not every trace has them: of JSON some name REALTIME, as FXT does with its anchor. TB_OK, *ns or
 * *ts is set; TB_UNSUPPORTED where nothing relates the clocks; TB_NO_MEMORY; TB_INVALID. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_to_clock(struct tb_reader *reader, int64_t ts, uint32_t clock,
                                                       int64_t *ns);
TB_MUST_CHECK TB_API enum tb_status tb_reader_from_clock(struct tb_reader *reader, uint32_t clock, int64_t ns,
                                                         int64_t *ts);

/* Goes back to the first event: of a file, of memory, of a descriptor that can go back; TB_UNSUPPORTED of what can be
 * read once only, which goes on. The input is opened anew. Events and tracks given before are not valid any more (their
 * indices are the same again), losses are counted from none; texts of tb_reader_intern stay. Any other status: the
 * reader has failed. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_rewind(struct tb_reader *reader);

/* Goes to the first event whose `offset` is this one, as an event had it before: it comes next. What it means depends
 * on what comes before it in the file, so the file is read up to there. TB_END: no event has that offset, and the
 * reader is at its end. TB_INVALID of TB_NO_OFFSET. Else as tb_reader_rewind. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_seek(struct tb_reader *reader, uint64_t offset);

/* Keeps a text, such as an event's name, past the next call: *kept is the reader's own copy, the same one for equal
 * texts, valid until the reader is closed. An empty text stays empty. TB_OK; TB_NO_MEMORY, *kept then empty. */
TB_MUST_CHECK TB_API enum tb_status tb_reader_intern(struct tb_reader *reader, struct tb_str text, struct tb_str *kept);

/* The current format: UNKNOWN until a fed reader has seen enough. */
TB_API enum tb_format tb_reader_format(const struct tb_reader *reader);

/* What was lost so far, by reason; *count entries, owned by the reader, valid until its next call. NULL when none. */
TB_API const struct tb_loss *tb_reader_losses(const struct tb_reader *reader, size_t *count);

/* Bytes of the (possibly compressed) input taken so far, and its size where known (else 0): for progress. */
TB_API uint64_t tb_reader_bytes_read(const struct tb_reader *reader);
TB_API uint64_t tb_reader_size(const struct tb_reader *reader);

/* The error that made the reader fail; code TB_OK where none did. Owned by the reader. */
TB_API const struct tb_error *tb_reader_error(const struct tb_reader *reader);

/* Frees the reader and all that its events pointed to. NULL is ignored. */
TB_API void tb_reader_close(struct tb_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
