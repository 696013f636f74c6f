/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of the FXT writer: its state, how records are put together, and who turns which events into them.
 */
#ifndef TB_FXT_WRITER_WRITER_H
#define TB_FXT_WRITER_WRITER_H

#include "base/map.h"
#include "fxt/format.h"
#include "fxt/strings.h"
#include "fxt/writer/packed_slices.h"
#include "fxt/writer/ref_cache.h"
#include "model/flow_source.h"
#include "model/writer_ops.h"
#include "timeline/deferred_end.h"
#include "timeline/open_stack.h"

/* One argument as FXT has it: flat, and of FXT's types. */
struct tb_fxt_flat {
  struct tb_str name;
  uint64_t value;     /* of all types but the next */
  struct tb_str text; /* of strings and blobs */
  uint8_t type;       /* enum tb_fxt_arg */
};

struct tb_fxt_flats {
  struct tb_fxt_flat items[TB_FXT_MAX_ARGS];
  uint32_t count;
};

/* A process writes through the provider that metadata gives it, else one of its own. */
struct tb_fxt_out_provider {
  uint32_t id;
  bool loss_written; /* a provider event was written */
  struct tb_fxt_ref_cache strings;
  struct tb_fxt_ref_cache threads; /* texts are two koids */
};

/* What few slices have. */
struct tb_fxt_slice_extras {
  uint64_t id, source_id;         /* of its records; and of the event, where that is a number */
  const struct tb_track *thread;  /* that emitted it, where the track is another one */
  int64_t flow_ts, outer_flow_ts; /* of the last flow event of it, and of those around it; INT64_MIN for none */
  int64_t phase;                  /* of the event, where its records are async ones; 0: none */
};

/* A slice that has begun. One whose record is still to be written is held: it becomes a complete record where nothing
 * in between asks for begin and end. There may be some of these for each of a million tracks, so that what they have is
 * in one block: extras, arguments, name, categories. Where only the last two are left and short, they are in `text`. */
struct tb_fxt_open {
  struct tb_open_frame open;
  char *block; /* NULL: there is none */
  char text[16];
  uint32_t block_size, name_len, category_len;
  uint32_t arg_count : 28;
  uint32_t has_extras : 1;
  uint32_t written : 1;
  /* it overlaps other slices of its thread: it is on a track of its own, but written as a complete record of the
   * thread */
  uint32_t overlaps : 1;
};

/* The open slices of a track: it has them only while there are some, or an end waits. */
struct tb_fxt_slices {
  struct tb_open_stack stack; /* of struct tb_fxt_open */
  const struct tb_track *track;
  uint32_t held_count; /* the innermost ones, whose records are still to be written */
  struct tb_deferred_end waiting;
};

/* What tracks without names and flows have none of. */
struct tb_fxt_track_more {
  uint64_t number; /* see tb_fxt_track_number; 0: not asked for yet */
  uint64_t said;   /* a hash of the labels and the sort index that were written last, or 0 */
  char *name;      /* in the name record written last */
  uint32_t name_len;
  uint32_t first_point, point_count; /* flow points that wait, of one time: the track's latest */
  int64_t arriving_ts;               /* of a flow's end that joins the thread's next slice, where has_arriving */
  int64_t delayed_ts;                /* of the thread's last flow event that waited, where has_delayed, */
  uint64_t delayed_end;              /* and the number behind it */
};

/* What is kept of a track; there may be a million. */
struct tb_fxt_track_state {
  union {
    struct tb_fxt_slices *slices; /* tb_fxt_writer.no_slices where none is open */
    uint32_t packed;              /* where is_packed: the innermost slice, in tb_fxt_writer.packed */
  };
  int64_t last_ts;       /* of the begins and ends */
  int64_t last_inner_ts; /* of begins and other events */
  uint32_t more;         /* place in tb_fxt_writer.more, + 1; 0: it has none of that */
  bool described : 1;    /* a kernel object record was written */
  bool placed : 1;       /* it said the thread's process */
  bool has_text_id : 1;  /* it has no name, and a record that says that its id is a text */
  bool named : 1;        /* it has a name of metadata, which the track itself does not know */
  bool has_points : 1;   /* flow points of it wait */
  bool is_packed : 1;    /* it had no event since room was made; tb_fxt_unpack_slices is for those who need slices */
  bool unordered : 1;    /* its times once went back: no slice is held any more */
  bool has_delayed : 1;  /* a flow event of it waited, see fxt/writer/delayed_flows.c */
  bool has_arriving : 1; /* a flow's end was written that joins the next slice */
  bool has_endless : 1;  /* a slice of it never ends: ends have names from then on, so that they do not end it */
};

/* A counter record in the making, as samples of one moment may come one by one. */
struct tb_fxt_sampling {
  uint64_t process, thread;
  int64_t ts;
  uint64_t id;
  struct tb_buffer texts; /* name, category, JSON of what else its event says, then the series' names */
  size_t name_len, category_len, members_len;
  struct tb_fxt_flats series; /* names are offsets into texts, see there */
  size_t offsets[TB_FXT_MAX_ARGS];
};

/* A flow record that waits for its flow's begin. `args` is the block. */
struct tb_fxt_held_flow {
  unsigned type; /* enum tb_fxt_event */
  struct tb_str category, name;
  struct tb_fxt_flat *args;
  uint32_t arg_count;
  size_t block_size;
};

/* A flow id that a slice carries, with no word of whether the flow begins, passes or ends there: that is known when
 * all points of the flow are. */
struct tb_fxt_flow_point {
  uint64_t id, process, thread;
  int64_t ts;
  uint64_t place; /* among all points, for those of one time */
  bool terminates, written;
  struct tb_fxt_held_flow *held; /* the record that it was; NULL for an id */
  bool began;                    /* a point before it in the source, and no later, has the id and does not end it */
};

struct tb_fxt_writer {
  struct tb_writer *writer;
  enum tb_status status; /* the first failure; everything then does nothing */
  uint64_t record[TB_FXT_MAX_WORDS + 1];
  size_t words;                    /* in record; more than it holds where a record came out too long */
  struct tb_map providers;         /* id, 0 */
  struct tb_map process_providers; /* process koid, 0 -> provider */
  struct tb_map said;              /* id, hash of a name -> the provider that metadata knows by these */
  struct tb_map sequences;         /* sequence of events, 0 -> the provider that they are of, where the source is FXT */
  struct tb_fxt_out_provider *provider; /* the current one */
  uint32_t last_own_id;                 /* of the providers that metadata knows nothing of */
  bool has_anchor;                      /* base_ns on the trace's clock was unix_ns after the Unix epoch */
  uint64_t base_ns, unix_ns;
  bool is_part;                  /* of a split trace: other parts have slices of its threads */
  bool began;                    /* something came but the tracks and providers that lead */
  const struct tb_track **leads; /* by track index, NULL where it did not lead; until something else comes */
  size_t lead_capacity;
  struct tb_fxt_track_state *track_states; /* by track index */
  size_t track_state_count, track_state_capacity;
  struct tb_pages more; /* of struct tb_fxt_track_more */
  size_t more_count;
  struct tb_fxt_slices no_slices;
  struct tb_open_stacks slices; /* of tracks with open slices */
  struct tb_fxt_packed_slices packed;
  struct tb_map ids;   /* (number, 0) -> hash of the identity that owns the number */
  struct tb_map flows; /* (flow id, 0) that has begun and not ended, as they came -> ts of the first point */
  /* of a source whose ends of flows do not close them: see fxt/writer/flows.c */
  struct tb_map ends;
  struct tb_fxt_flow_point *points;
  size_t point_count, point_capacity;
  struct tb_fxt_delayed_flows {
    struct tb_fxt_flow_point *ring; /* NULL: none yet */
    uint64_t first, end;            /* numbers of those that wait */
  } delayed;
  struct tb_map running; /* (processor, 0) -> thread koid */
  struct tb_fxt_sampling sampling;
  struct tb_event bare_end; /* an end that waited, all other fields 0 */
  struct tb_arena scratch;  /* of the current event */
  struct tb_fxt_flats args; /* likewise */
  struct tb_fxt_switch {
    bool waiting;  /* an outgoing thread waits for the incoming one of the same moment and processor */
    bool may_wake; /* where none comes, it was woken */
    int64_t ts;
    uint32_t cpu, state;
    int32_t priority;
    uint64_t process, thread;
    struct tb_fxt_flat *args; /* the block itself */
    uint32_t arg_count;
    size_t block_size;
  } outgoing;
};

/* ---- records (fxt/writer/record_writer.c) ------------------------------------------------------------------------ */

void tb_fxt_fail(struct tb_fxt_writer *w, enum tb_status status);
void tb_fxt_lose_event(struct tb_fxt_writer *w, const char *reason, const struct tb_event *event);

/* A record is begun with its header, gets words and streams, and is written with its size. */
void tb_fxt_open_record(struct tb_fxt_writer *w, unsigned type, uint64_t header);
void tb_fxt_put_word(struct tb_fxt_writer *w, uint64_t word);
void tb_fxt_put_stream(struct tb_fxt_writer *w, struct tb_str bytes);
void tb_fxt_put_args(struct tb_fxt_writer *w, const struct tb_fxt_flat *args, uint32_t count);
void tb_fxt_close_record(struct tb_fxt_writer *w);

/* Writes a large record: `count` words, whose first gets the size, and bytes. */
void tb_fxt_write_large(struct tb_fxt_writer *w, uint64_t *words, size_t count, struct tb_str bytes);

/* Writes a record that goes before the one being put together. */
void tb_fxt_write_separate_record(struct tb_fxt_writer *w, uint64_t header, struct tb_str bytes);

/* The reference of a string in the current provider's table, which is written there where it is news. */
uint64_t tb_fxt_string_ref(struct tb_fxt_writer *w, struct tb_str text);

/* Makes the process' provider current, and gives the reference of the thread in its table. */
uint64_t tb_fxt_thread_ref(struct tb_fxt_writer *w, uint64_t process, uint64_t thread);

/* An event record. `thread` names process and thread; `last` is at its end where has_last. */
struct tb_fxt_event_record {
  unsigned type; /* enum tb_fxt_event */
  int64_t ts;
  uint64_t process, thread;
  struct tb_str category, name;
  const struct tb_fxt_flat *args;
  uint32_t arg_count;
  bool has_last;
  uint64_t last;
};
void tb_fxt_put_event(struct tb_fxt_writer *w, const struct tb_fxt_event_record *record);

/* ---- providers (fxt/writer/providers.c) -------------------------------------------------------------------------- */

/* Makes the process' provider current. */
void tb_fxt_use_process(struct tb_fxt_writer *w, uint64_t process);
/* Says what ticks are, to the current provider. */
void tb_fxt_write_initialization(struct tb_fxt_writer *w);
/* Takes metadata that names a provider, or says whose it is; false where it is none, or cannot be held to. */
bool tb_fxt_take_provider(struct tb_fxt_writer *w, const struct tb_event *event);
void tb_fxt_put_data_loss(struct tb_fxt_writer *w, const struct tb_event *event);
void tb_fxt_free_providers(struct tb_fxt_writer *w);

/* ---- arguments (fxt/writer/flatten_args.c) ----------------------------------------------------------------------- */

/* Adds the event's arguments to w->args, and what else of it is in arguments (docs/MAPPING.md). */
void tb_fxt_flatten(struct tb_fxt_writer *w, const struct tb_event *event);
void tb_fxt_flatten_metadata(struct tb_fxt_writer *w, const struct tb_event *event);
/* The letter that the event's `fxt_types` has for a top-level argument, '.' where it has none. */
char tb_fxt_type_letter(const struct tb_event *event, uint32_t index);

/* Carries those of `fields`, a constant, that the event has and that are not of FXT's own. */
void tb_fxt_carry_there(struct tb_fxt_writer *w, const struct tb_event *event, uint64_t fields);
static TB_ALWAYS_INLINE void tb_fxt_carry(struct tb_fxt_writer *w, const struct tb_event *event, uint64_t fields) {
  fields = tb_carried_there(event, fields);
  if (fields) tb_fxt_carry_there(w, event, fields);
}
/* Carries one of FXT's own, as a text or as the text of a JSON value. */
void tb_fxt_carry_text(struct tb_fxt_writer *w, enum tb_carried_id id, struct tb_str text);
/* The id, and whose it is where a process or the machine has it. */
void tb_fxt_carry_id(struct tb_fxt_writer *w, const struct tb_id *id);
void tb_fxt_carry_id_kind(struct tb_fxt_writer *w, const struct tb_id *id);
void tb_fxt_carry_json(struct tb_fxt_writer *w, enum tb_carried_id id, struct tb_str text);

/* `count` members as a JSON object, or one value where `members` is false, in scratch; ptr NULL after a failure, and
 * where it nests too deep. */
struct tb_str tb_fxt_as_json(struct tb_fxt_writer *w, const struct tb_arg *args, uint32_t count, bool members);

/* Copies arguments with their texts into an aligned block of tb_fxt_args_size bytes. */
struct tb_fxt_flat *tb_fxt_copy_args(const struct tb_fxt_flat *args, uint32_t count, char *block);
/* w->args and the event's name and categories, in this order, in one block of *size bytes, which the caller frees,
 * behind `front` bytes, a multiple of 8. NULL after a failure. */
char *tb_fxt_copy_parts(struct tb_fxt_writer *w, const struct tb_event *event, size_t front, size_t *size);
size_t tb_fxt_args_size(const struct tb_fxt_flat *args, uint32_t count);

/* What a string may hold of an argument's text, the rest being written before the current record (long_strings.c). */
struct tb_str tb_fxt_write_continuation(struct tb_fxt_writer *w, uint64_t name_ref, struct tb_str text);

/* Adds the event's call stacks to w->args. (callstacks.c) */
void tb_fxt_carry_stacks(struct tb_fxt_writer *w, const struct tb_event *event);
void tb_fxt_put_stack_frame(struct tb_fxt_writer *w, const struct tb_event *event);

/* ---- tracks and ids (fxt/writer/koids.c) ------------------------------------------------------------------------- */

/* The number that `text` is in decimal; false where it is none of 64 bits. */
bool tb_fxt_parse_number(struct tb_str text, uint64_t *number);
uint64_t tb_fxt_process_koid(const struct tb_track *track); /* 0 where the track has none */
uint64_t tb_fxt_thread_koid(const struct tb_track *track);
/* The koid of a thread without an id, of the track's process. */
uint64_t tb_fxt_no_thread_koid(const struct tb_track *track);

/* What is kept of the track; NULL after a failure. */
struct tb_fxt_track_state *tb_fxt_track_state_of(struct tb_fxt_writer *w, const struct tb_track *track);

/* What a track has of it, to be read. */
static inline const struct tb_fxt_track_more *tb_fxt_more(const struct tb_fxt_writer *w,
                                                          const struct tb_fxt_track_state *track_state) {
  static const struct tb_fxt_track_more none;
  return track_state->more ? tb_pages_at(&w->more, track_state->more - 1, sizeof(none)) : &none;
}
/* The track's own, to be written; NULL where the writer failed. */
struct tb_fxt_track_more *tb_fxt_own_more(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state);
void tb_fxt_describe(struct tb_fxt_writer *w, const struct tb_track *track);

/* Writes labels and sort index of the process or thread as metadata, unless that was done or metadata of the source
 * does it. */
void tb_fxt_put_track_labels(struct tb_fxt_writer *w, const struct tb_track *track,
                             struct tb_fxt_track_state *track_state);
/* A kernel object for a process or thread that metadata names. */
void tb_fxt_name_track(struct tb_fxt_writer *w, const struct tb_track *track, struct tb_str name);

/* The number that stands for the event's id: its own unless an id of other categories, scope, process (or, with
 * `named`, name) has it. */
uint64_t tb_fxt_id_number(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_id *id, bool named);

/* The number that stands for the event's track in async records without an id: its uuid unless an id has it. The first
 * time that it is asked for, metadata says how the track is called; arguments that are flattened are lost by that. */
uint64_t tb_fxt_track_number(struct tb_fxt_writer *w, const struct tb_event *event);

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* An end of what did not begin becomes one again where it can end nothing; else false. */
bool tb_fxt_put_bare_end(struct tb_fxt_writer *w, const struct tb_event *event);
void tb_fxt_put_slice(struct tb_fxt_writer *w, const struct tb_event *event); /* fxt/writer/slices.c */
void tb_fxt_put_other(struct tb_fxt_writer *w,
                      const struct tb_event *event); /* instants, async, flows, exotic phases */
/* An event of the thread at `ts` comes, a flow's or another: the end that waits for one may be due. Before the
 * event's arguments are flattened. */
void tb_fxt_end_waiting(struct tb_fxt_writer *w, const struct tb_track *track, int64_t ts, bool is_flow);
/* A flow event of the newest slice of its track comes, whatever its time. */
void tb_fxt_note_source_flow(struct tb_fxt_writer *w, const struct tb_event *event);
/* A flow's end was written that joins the thread's next slice: that one must be no complete record, which readers take
 * for one that began before, where it begins at that time. */
void tb_fxt_note_arriving(struct tb_fxt_writer *w, const struct tb_track *thread, int64_t ts);
/* an event of no slice is on it */
void tb_fxt_touch(struct tb_fxt_writer *w, const struct tb_track *track, int64_t ts);
/* The flows of an event, for a slice that is open at `ts`. (fxt/writer/flows.c) */
void tb_fxt_put_flow_ids(struct tb_fxt_writer *w, const struct tb_event *event, int64_t ts);
/* Takes a flow record of a slice, with w->args, whose flow other threads may begin or have begun: false where it is
 * to be written now. */
bool tb_fxt_hold_flow(struct tb_fxt_writer *w, const struct tb_event *event, unsigned type, uint64_t id);
/* A flow event was written: counts the ends of flows that have ended, where the source's may have several. */
void tb_fxt_note_flow_end(struct tb_fxt_writer *w, unsigned type, uint64_t id, int64_t ts);
/* The flow record with w->args; NULL after a failure. */
struct tb_fxt_held_flow *tb_fxt_copy_flow(struct tb_fxt_writer *w, const struct tb_event *event, unsigned type);
void tb_fxt_free_held_flow(struct tb_fxt_writer *w, struct tb_fxt_held_flow *held);
void tb_fxt_put_flow_point(struct tb_fxt_writer *w, unsigned type, const struct tb_fxt_flow_point *point);
void tb_fxt_free_flows(struct tb_fxt_writer *w);
/* Takes a flow event of JSON, with w->args; false where it is to be written now. (fxt/writer/delayed_flows.c) */
bool tb_fxt_delay_flow(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_track *thread,
                       unsigned type, uint64_t id);
/* A slice of the track begins or ends at `ts`, but for a complete one: flow events before it do not wait any more. */
void tb_fxt_write_delayed_flows(struct tb_fxt_writer *w, const struct tb_fxt_track_state *track_state, int64_t ts);
void tb_fxt_finish_delayed_flows(struct tb_fxt_writer *w);
void tb_fxt_free_delayed_flows(struct tb_fxt_writer *w);
/* Another slice begins, or the slice ends, at the time of the track_state's waiting flow points: they are written
 * now. */
void tb_fxt_settle_flows(struct tb_fxt_writer *w, struct tb_fxt_track_state *track_state, int64_t ts);
void tb_fxt_finish_flows(struct tb_fxt_writer *w);
/* Writes slices, where those that are open take more than memory is for. */
void tb_fxt_make_room(struct tb_fxt_writer *w);
void tb_fxt_init_slices(struct tb_fxt_writer *w);
void tb_fxt_finish_slices(struct tb_fxt_writer *w);
void tb_fxt_free_slices(struct tb_fxt_writer *w);
void tb_fxt_put_counter(struct tb_fxt_writer *w, const struct tb_event *event); /* fxt/writer/counters.c */
void tb_fxt_finish_counter(struct tb_fxt_writer *w);
void tb_fxt_put_thread_state(struct tb_fxt_writer *w, const struct tb_event *event); /* fxt/writer/context_switches.c */
void tb_fxt_finish_switch(struct tb_fxt_writer *w);
void tb_fxt_put_log(struct tb_fxt_writer *w, const struct tb_event *event); /* fxt/writer/carried_records.c */
void tb_fxt_put_blob(struct tb_fxt_writer *w, const struct tb_event *event);
/* A large blob record; with metadata it has the event's time and thread, and w->args. */
void tb_fxt_put_large(struct tb_fxt_writer *w, const struct tb_event *event, struct tb_str category, bool has_metadata);
/* True where the event carries a blob, which then is one again (model/fxt_blobs.h). */
bool tb_fxt_put_blob_again(struct tb_fxt_writer *w, const struct tb_event *event);
void tb_fxt_put_metadata(struct tb_fxt_writer *w, const struct tb_event *event);
/* The name of a track, which `number` means in the records of its events, and which track it is below, where they do
 * not say it. `event` is on the track, or on one below it; `parent`: the number of the track above, 0: none. */
void tb_fxt_put_track_name(struct tb_fxt_writer *w, const struct tb_event *event, const struct tb_track *track,
                           uint64_t number, uint64_t parent);
void tb_fxt_put_clocks(struct tb_fxt_writer *w, const struct tb_event *event);

#endif
