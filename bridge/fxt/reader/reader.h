/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of the FXT reader: its state, and the parsers that turn one record into events.
 */
#ifndef TB_FXT_READER_READER_H
#define TB_FXT_READER_READER_H

#include "fxt/reader/tables.h"
#include "model/reader_ops.h"

struct tb_fxt_reader {
  struct tb_reader *reader;
  struct tb_batch *batch; /* the one being filled */
  struct tb_fxt_tables tables;
  size_t text_len, at;  /* of the window, in the batch's text; what is read of it */
  uint64_t text_offset; /* where the window begins in the input */
  /* a bit for each event of the batch: all fields are zero but those of a plain event (fxt/reader/event_fast_path.c) */
  uint64_t plain_events;
  uint64_t skip;     /* bytes still to pass over of a record that is too long */
  bool searching;    /* for where records go on, behind what is none */
  uint64_t searched; /* bytes that were passed over so far, of this search */
  bool is_last;      /* the window goes to the input's end, of which `end` says how it came */
  enum tb_status end;
  bool has_anchor; /* of ticks, the last that was given */
  int64_t anchor_ns, anchor_unix_ns;
  bool ended; /* nothing more will be read */
  bool seen_event;
  uint64_t junk; /* bytes passed over before the first event that are of no record that could be read */
  /* of the current record */
  uint64_t record_offset;
  const char *malformed;    /* why the record cannot be read, with TB_BAD_DATA */
  const char *malformed_at; /* where it shows: a place in the record, or NULL for its start */
  struct tb_arg *args;      /* tb_fxt_parse_args' result */
  size_t arg_capacity;
  uint32_t arg_count;
  bool args_carry;                      /* some of them hold other parts of the event */
  uint8_t trees;                        /* how often it was said that some are trees: see fxt/reader/arg_paths.c */
  uint8_t tree_of_arg[TB_FXT_MAX_ARGS]; /* where that was: by which saying, 0: none */
  const struct tb_arg *rest;            /* what is behind them, as trees */
  uint32_t rest_count;
  struct tb_buffer continuations; /* ends of texts of the next record's arguments (long_strings.c) */
  size_t continuations_read;
  bool is_no_event;                 /* the event of the current record is none */
  struct tb_buffer counter_members; /* JSON: what belongs to the next counter record in addition to its samples */
  bool args_need_types;             /* the types of args do not follow from their values */
};

/* How many events a batch gets, so that they stay in the nearest cache. */
enum { TB_FXT_BATCH_EVENTS = 64 };

/* TB_OK where the input is FXT. TB_UNKNOWN_FORMAT: it is not; TB_UNSUPPORTED: of a big-endian machine; TB_AGAIN:
 * more of it is needed to tell; TB_NO_MEMORY. (fxt/reader/format_check.c) */
TB_MUST_CHECK enum tb_status tb_fxt_check_format(struct tb_reader *reader);

/* Reads the plain records that come next in the window, as many as the batch has room for
 * (fxt/reader/event_fast_path.c). */
void tb_fxt_read_plain(struct tb_fxt_reader *fx);

/* Whether records are at `at`, as what they say of themselves has it: TB_OK, TB_BAD_DATA, or TB_AGAIN where that needs
 * more than there is up to `end`, unless `is_last`: the input ends there. (fxt/reader/record_search.c) */
TB_MUST_CHECK enum tb_status tb_fxt_check_records(const char *at, const char *end, bool is_last);

/* Whether the record at `at`, of whose header all is there, is as long as it says: it has just what its header names,
 * or records go on behind it. As tb_fxt_check_records. (fxt/reader/record_search.c) */
TB_MUST_CHECK enum tb_status tb_fxt_check_size(const char *at, const char *end, bool is_last);

/* Whether a chain of records is between. (fxt/reader/record_search.c) */
bool tb_fxt_has_records(const char *at, const char *end);

/* The place from `at` on, `passed` bytes behind what was no record, where records go on (*status is TB_OK), or may
 * (TB_AGAIN: with more input); else as far as there are none (TB_BAD_DATA). (fxt/reader/record_search.c) */
const char *tb_fxt_find_records(const char *at, const char *end, uint64_t passed, bool is_last, enum tb_status *status);

/* The parsers take a record whose header is `header` and whose other words `cursor` holds. TB_OK: done, events are in
 * the batch. TB_BAD_DATA: fx->malformed says why it is no good. Any other: the reader fails. */
TB_MUST_CHECK enum tb_status tb_fxt_parse_event(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor);
TB_MUST_CHECK enum tb_status tb_fxt_parse_scheduling(struct tb_fxt_reader *fx, uint64_t header,
                                                     struct tb_fxt_cursor cursor);
TB_MUST_CHECK enum tb_status tb_fxt_parse_log(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor);
TB_MUST_CHECK enum tb_status tb_fxt_parse_blob(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor);
TB_MUST_CHECK enum tb_status tb_fxt_parse_large(struct tb_fxt_reader *fx, uint64_t header, struct tb_fxt_cursor cursor);
TB_MUST_CHECK enum tb_status tb_fxt_parse_userspace_object(struct tb_fxt_reader *fx, uint64_t header,
                                                           struct tb_fxt_cursor cursor);
/* Remembers the name that a metadata event gives its track, so that an identical kernel-object name is not reported
 * again. */
TB_MUST_CHECK enum tb_status tb_fxt_note_name(struct tb_fxt_reader *fx, const struct tb_event *metadata);
TB_MUST_CHECK enum tb_status tb_fxt_parse_kernel_object(struct tb_fxt_reader *fx, uint64_t header,
                                                        struct tb_fxt_cursor cursor);

/* ---- what the parsers share ----------------------------------------------------------------------------------------
 */

/* TB_BAD_DATA with its reason; `at` is the place in the record that shows it, NULL for the record itself. */
enum tb_status tb_fxt_malformed(struct tb_fxt_reader *fx, const char *reason, const char *at);

/* Counts a loss in the current record that leaves the rest of it good. */
TB_MUST_CHECK enum tb_status tb_fxt_lose(struct tb_fxt_reader *fx, const char *reason, const char *at);

/* The text of a string reference, valid UTF-8; an inline one is taken from the cursor. */
TB_MUST_CHECK enum tb_status tb_fxt_resolve_string(struct tb_fxt_reader *fx, uint32_t ref, struct tb_fxt_cursor *cursor,
                                                   struct tb_str *text);

/* The thread of a thread reference; an inline one's koids are taken from the cursor. */
TB_MUST_CHECK enum tb_status tb_fxt_resolve_thread(struct tb_fxt_reader *fx, uint32_t ref, struct tb_fxt_cursor *cursor,
                                                   const struct tb_track **thread);

/* Says which provider the thread's process has, once, where the provider has a name. Process 0 is none: records of no
 * thread name it. */
TB_MUST_CHECK enum tb_status tb_fxt_emit_provider(struct tb_fxt_reader *fx, const struct tb_track *thread);

/* Takes a time in ticks and gives it in ns, exactly floor(ticks × 10⁹ ÷ ticks per second). */
TB_MUST_CHECK enum tb_status tb_fxt_take_time(struct tb_fxt_reader *fx, struct tb_fxt_cursor *cursor, int64_t *ns);

/* Keeps the end of a long text for the argument `name` of the next record, and joins the next such end to its
 * argument. */
TB_MUST_CHECK enum tb_status tb_fxt_keep_continuation(struct tb_fxt_reader *fx, struct tb_str name, struct tb_str text);
TB_MUST_CHECK enum tb_status tb_fxt_join_continuation(struct tb_fxt_reader *fx, struct tb_arg *arg);

/* Takes `count` arguments; the result is in fx->args, valid until the next call. */
TB_MUST_CHECK enum tb_status tb_fxt_parse_args(struct tb_fxt_reader *fx, uint32_t count, struct tb_fxt_cursor *cursor);

/* Whether there is nothing but arguments, as many as a record may have; *count is how many. */
bool tb_fxt_are_args(struct tb_fxt_cursor words, uint32_t *count);

/* Takes arguments up to the record's end, as our writer appends them to records that have none: none where it is
 * anything else. */
TB_MUST_CHECK enum tb_status tb_fxt_parse_appended_args(struct tb_fxt_reader *fx, struct tb_fxt_cursor *cursor);

/* Gives fx->args to an event, with the objects that pointers and koids stand for; `process` is the koid whose userspace
 * objects are meant. */
TB_MUST_CHECK enum tb_status tb_fxt_give_args(struct tb_fxt_reader *fx, const struct tb_track *thread,
                                              struct tb_event *event);

/* Whether an argument holds something else of its event; and giving all such in fx->args to the event. */
bool tb_fxt_is_carried(const struct tb_arg *arg);
TB_MUST_CHECK enum tb_status tb_fxt_restore(struct tb_fxt_reader *fx, struct tb_event *event);

/* Gives an event members: other parts of it that they hold, the others as they are. */
TB_MUST_CHECK enum tb_status tb_fxt_restore_members(struct tb_fxt_reader *fx, struct tb_event *event,
                                                    const struct tb_arg *members, uint32_t count);
/* Gives an event a call stack that an argument carries; false where it carries none. (callstacks.c) */
bool tb_fxt_restore_stack(struct tb_fxt_reader *fx, struct tb_event *event, enum tb_carried_id field,
                          const struct tb_arg *arg);
/* The trace's stack frame `id`, whose parts are fx->args. */
TB_MUST_CHECK enum tb_status tb_fxt_add_stack_frame(struct tb_fxt_reader *fx, struct tb_str id);

/* The arguments from `first` on are trees or not, as the letters say. */
void tb_fxt_note_nested(struct tb_fxt_reader *fx, uint32_t first, struct tb_str letters);
/* Gives fx->args to an event, those as the trees that their names spell that were noted as such. */
TB_MUST_CHECK enum tb_status tb_fxt_nest(struct tb_fxt_reader *fx, struct tb_event *event);

/* A new event of the current record. TB_NO_MEMORY where there is no room. */
TB_MUST_CHECK enum tb_status tb_fxt_add_event(struct tb_fxt_reader *fx, enum tb_event_type type,
                                              const struct tb_track *track, struct tb_event **event);

/* Sets *status of a failed allocation in the reader's error. */
TB_MUST_CHECK enum tb_status tb_fxt_no_memory(struct tb_fxt_reader *fx, enum tb_status status);

#endif
