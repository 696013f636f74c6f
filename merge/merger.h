/* SPDX-License-Identifier: Apache-2.0
 *
 * A merge under way: its inputs and what was decided about each.
 */
#ifndef TB_MERGE_MERGER_H
#define TB_MERGE_MERGER_H

#include "io/output.h"
#include "merge/align/align.h"
#include "merge/clocks/input_relations.h"
#include "merge/clocks/sync_graph.h"
#include "merge/input/copy_store.h"
#include "merge/input/prescan.h"
#include "merge/input/raw_packet_reader.h"
#include "merge/manifest/manifest.h"
#include "merge/report/report.h"
#include "merge/rewrite/rewrite.h"

/* What shows that two inputs are of one boot; none of the first three does. */
enum tb_boot_evidence {
  TB_BOOT_UNKNOWN,
  TB_BOOT_OTHER,
  TB_BOOT_UNCLEAR,  /* they slept as long, but recorded at one time by the wall clock */
  TB_BOOT_BY_SLEEP, /* a guess: they slept as long */
  TB_BOOT_BY_NAME,  /* the user gives their machines one name */
  TB_BOOT_BY_WALL   /* wall clocks agree on when it began */
};

/* An input and the one of its boot that was read next to it; of clear evidence, if there is any. */
struct tb_boot_link {
  enum tb_boot_evidence evidence;
  const struct tb_source *other; /* NULL: there is none */
  uint32_t clock;                /* that both have */
  int64_t apart_ns, between;     /* on that clock: how far apart they were read, and the middle */
  int64_t set_by_ns;             /* the wall clock in between */
};

/* What an input's host says of one of its clocks that count up. */
struct tb_boot_readings {
  const struct tb_reading_fit *wall;   /* REALTIME over the clock; NULL where it says nothing */
  const struct tb_reading_fit *asleep; /* MONOTONIC over BOOTTIME; NULL where it does not say */
  struct tb_reading_fit made;          /* for `wall`, where the clock graph has no such relation; to be freed */
};

/* One trace to be merged. */
struct tb_source {
  uint32_t index;
  const char *name;            /* in the report */
  const char *member;          /* its name in its archive; NULL for an input that is a file */
  struct tb_input_place place; /* of the Perfetto trace to read: the input itself, or a copy in the store */
  bool converted;              /* made from another format, ... */
  uint64_t mended_events;      /* of JSON: read from text that is not quite JSON, and where the first is */
  uint64_t mended_offset;
  uint64_t other_recordings; /* of another format, behind the first: they are read as one with it */
  const char *original;      /* ... of the file with this path; NULL: of what cannot be read again */
  enum tb_format format;     /* of the input */
  bool skipped;
  const char *machine_name;                     /* of its host; NULL: unnamed */
  const struct tb_manifest_file *manifest_file; /* its entry, where that names machines; else NULL */
  bool in_manifest;                             /* it has an entry */
  uint32_t clock;                               /* what the user says that its trace clock is; 0: nothing */
  bool has_offset;
  int64_t offset;
  struct tb_prescan prescan;
  struct tb_source *part_of; /* what this is a part of, and is read with; it is skipped then. NULL: none */

  /* placement */
  struct tb_clock_relations relations; /* of its own clocks */
  struct tb_time_map there, back;      /* own trace time to merged time and back */
  bool placed, fixed;                  /* fixed: `there` only adds `moved_by` */
  bool realigned;                      /* a machine's clock is another amount ahead in the merged trace */
  int64_t moved_by;
  int64_t shift; /* of the whole merge, after `there` and before `back` */
  uint32_t boot; /* inputs with the same number were recorded on one machine since one start; 0: unknown */
  struct tb_boot_link boot_link;

  /* ids */
  struct tb_map machines; /* its machine ids to the merged trace's */
  struct tb_map sequence_map, uuid_map, clock_map;
  /* uuids of processes and threads that another input has events on at the same time: that one's */
  struct tb_map described;
  /* the same: what the track of its own is known by that its events go to; 0 once that is described */
  struct tb_map separate;
  struct tb_map identities; /* uuids whose descriptor says what the track is known by: that */
  struct tb_map owned;      /* machine << 32 | clock: readings of this clock stay as they are */
  struct tb_map pid_added;  /* where machines are flattened: machine to what is added to its process and thread ids */
  struct tb_remap remap;
  bool untouched; /* nothing changes, but for events on a track that ... */
  /* ... has its uuid from this merge, as bits below numbered_end; NULL: none. Of the first input alone */
  uint64_t *numbered, numbered_end;

  /* reading */
  struct tb_raw_packet_reader *packets;
  bool is_common; /* the current packet is in `common`, else in `current` */
  struct tb_common_packet common;
  struct tb_raw_packet current;
  struct tb_merge_sequence *sequence;      /* the current packet's */
  struct tb_merge_packet_time time;        /* the current packet's, ... */
  int64_t merged;                          /* ... and as merged time, where it is resolved */
  int64_t reached;                         /* the latest merged time so far */
  uint32_t last_machine, last_machine_out; /* that was looked up last, where one was */
  bool out_known;
  bool moves_machines; /* a machine of it has another id in the merged trace */
  uint64_t root;       /* uuid of the track of its events without a track, where it is not the first */
  uint64_t packets_in, packets_out, packets_unchanged;
};

/* Whether the input says anything of time. */
static inline bool tb_source_knows_time(const struct tb_source *s) {
  return s->prescan.has_time || tb_input_clocks_related(&s->prescan.clocks);
}

struct tb_merger {
  const struct tb_allocator *allocator;
  struct tb_merge_options options; /* with the defaults filled in */
  struct tb_merge_report *report;
  struct tb_error error;
  struct tb_arena arena; /* of names */
  struct tb_copy_store store;
  struct tb_source *sources;
  size_t source_count, source_capacity;
  struct tb_manifest *manifest; /* NULL: none */
  struct tb_marks marks;        /* until ids are assigned */
  struct tb_messages messages;  /* between inputs, where they are aligned by them */
  struct tb_alignment *alignments;
  size_t alignment_count, alignment_capacity;
  struct tb_sync_graph graph;
  uint32_t reference;   /* the source whose clock is the merged trace's; UINT32_MAX: the first */
  uint32_t target;      /* node of the merged trace's clock */
  uint32_t trace_clock; /* its id */
  int64_t shift;
  struct tb_field_tree fields;
  struct tb_map clock_owner; /* machine out << 32 | clock: index of the source that owns it */
  /* machine ids that the merger made, until they have a RemoteClockSync: what each is known by; how many have none */
  struct tb_map new_machines;
  size_t unintroduced;
  struct tb_map configured; /* machines whose trace_config is written */
  struct tb_map zero_freed; /* machines whose thread 0 is no idle thread */
  struct tb_map starters;   /* machine out to the source whose recording started first on it */
  bool uuid_written;
  const struct tb_prescan_listener *listener; /* of its only input; the caller's; NULL: none */
  struct tb_output *output;
  struct tb_buffer scratch;
  struct tb_message_patch patches; /* of the packet at hand */
  bool partial;
};

/* The report's entry of a source. */
static inline struct tb_merge_input_report *tb_source_report(struct tb_merger *m, const struct tb_source *s) {
  return &m->report->inputs[s->index];
}

/* The machine of the merged trace that one of a source's is. */
static inline uint32_t tb_source_machine_out(const struct tb_source *source, uint32_t machine) {
  const uint64_t *out = tb_map_find(&source->machines, machine, 0);
  return out ? (uint32_t)*out : machine;
}

/* The node of the source's trace clock in the clock graph; false where there is none. */
bool tb_source_node(const struct tb_merger *m, const struct tb_source *source, uint32_t *node);

/* The root of the tree that this node is in, UINT32_MAX where there is none: sources with one root are related. */
uint32_t tb_source_root(const struct tb_merger *m, const struct tb_source *source);

/* The machine id that stands for the input itself: 0, or the only one where it has no packet of machine 0. */
uint32_t tb_source_host(const struct tb_source *source);

/* Time `value` of the trace clock of `machine` as time of the same in the merged trace, for a source of which not all
 * moves by one offset. */
int64_t tb_source_time_by_map(const struct tb_source *source, uint32_t machine, int64_t value);

/* The same for any source. */
static inline int64_t tb_source_time(const struct tb_source *source, uint32_t machine, int64_t value) {
  if (source->fixed && !source->realigned) return (int64_t)((uint64_t)value + (uint64_t)source->moved_by);
  return tb_source_time_by_map(source, machine, value);
}

/* Whether times that events of a legacy sequence count in microseconds of MONOTONIC stay right as they are. */
static inline bool tb_source_keeps_counts(const struct tb_source *source) {
  const struct tb_input_clocks *clocks = &source->prescan.clocks;
  return source->fixed && !tb_input_clocks_fit_of(clocks, tb_source_host(source), TB_CLOCK_MONOTONIC);
}

/* How much the clock of `machine` is ahead in the merged trace. */
int64_t tb_source_merged_ahead(const struct tb_source *source, uint32_t machine);

/* When an input's events are, on its trace clock; those made of ftrace text have no packet's time, but their lines'. */
struct tb_prescanned_extent tb_source_extent(const struct tb_source *source);

/* merge.c: a merger with these options and no inputs; then tb_merger_close, and the report is the caller's. What it
 * returns but TB_OK, there is nothing to close. */
TB_MUST_CHECK enum tb_status tb_merger_open(struct tb_merger *m, const struct tb_merge_options *options,
                                            struct tb_error *error);
void tb_merger_close(struct tb_merger *m);
/* inputs.c: makes sources of the inputs. */
TB_MUST_CHECK enum tb_status tb_merger_gather(struct tb_merger *m, const struct tb_merge_input *inputs, size_t count);
/* What becomes of a merge with an input of which reading gave `status`: a bad one ends it, or is left out (TB_OK then
 * too). */
TB_MUST_CHECK enum tb_status tb_merger_settle(struct tb_merger *m, struct tb_source *s, enum tb_status status);
/* merge/input/describe_inputs.c: what all sources themselves say of time, into the report. */
void tb_merger_describe_inputs(struct tb_merger *m);
/* inputs.c: makes s->place of what is in another format. */
TB_MUST_CHECK enum tb_status tb_merger_convert_source(struct tb_merger *m, struct tb_source *s,
                                                      const struct tb_input_place *from);
/* merge/input/same_inputs.c: a warning for each input that is the same as one before it. */
TB_MUST_CHECK enum tb_status tb_merger_note_same_inputs(struct tb_merger *m);
/* Whether two sources are the same, byte for byte. */
bool tb_source_is_same(struct tb_merger *m, const struct tb_source *a, const struct tb_source *b);
/* merge/input/prescan_inputs.c: reads all sources once, several at a time. */
TB_MUST_CHECK enum tb_status tb_merger_prescan(struct tb_merger *m);
/* merge/input/parts.c: parts of one trace become one source; packets whose state no input has are counted in a note. */
TB_MUST_CHECK enum tb_status tb_merger_join_parts(struct tb_merger *m);
/* The entries of sources that are parts, as those that they are parts of have them; after ids are assigned. */
void tb_merger_report_parts(struct tb_merger *m);
/* Packets that need state which the input does not have. */
uint64_t tb_source_lacking(const struct tb_source *source);
/* apply_manifest.c: reads the manifest, applies it to machines, and to the clock graph. */
TB_MUST_CHECK enum tb_status tb_merger_read_manifest(struct tb_merger *m, const struct tb_input_place *place);
TB_MUST_CHECK enum tb_status tb_merger_apply_manifest(struct tb_merger *m);
TB_MUST_CHECK enum tb_status tb_merger_relate_by_manifest(struct tb_merger *m);
/* The name of one of a source's machines; NULL where it has none. */
const char *tb_source_machine_name(const struct tb_source *source, uint32_t machine);
/* align_inputs.c: what events of several inputs say of their clocks. */
TB_MUST_CHECK enum tb_status tb_merger_align(struct tb_merger *m);
/* The same for the messages between them; and keeps an alignment, which it takes over whatever it returns. */
TB_MUST_CHECK enum tb_status tb_merger_align_messages(struct tb_merger *m);
TB_MUST_CHECK enum tb_status tb_merger_keep_alignment(struct tb_merger *m, struct tb_alignment *alignment);
/* The same file: marks of the flows of all inputs alone, in place of those that there are. */
TB_MUST_CHECK enum tb_status tb_merger_read_flows(struct tb_merger *m);
/* flow_notes.c: a note on flows that cross machines of the merged trace; after ids are assigned. */
TB_MUST_CHECK enum tb_status tb_merger_note_flows(struct tb_merger *m);
/* merge/clocks/boots.c: makes one clock of what inputs of one boot read on `clock`; *group counts shared clocks. */
TB_MUST_CHECK enum tb_status tb_merger_join_boots(struct tb_merger *m, uint32_t clock, uint32_t *group);
/* The same file: what the input's host says of the clock. */
TB_MUST_CHECK enum tb_status tb_source_read_boot(struct tb_merger *m, struct tb_source *s, uint32_t clock,
                                                 struct tb_boot_readings *readings);
/* boot_notes.c: why an input is of a boot, where the wall clock does not say it; after placing. NULL: it does. */
const char *tb_source_boot_reason(const struct tb_merger *m, const struct tb_source *source);
/* The same file: a warning where a wall clock was set between inputs of one boot, or a boot is guessed. */
void tb_merger_note_boot(struct tb_merger *m, const struct tb_source *source);
/* merge/clocks/clock_placement.c: the clock graph, and each source's place. */
TB_MUST_CHECK enum tb_status tb_merger_place(struct tb_merger *m);
/* merge/clocks/refusal.c: TB_REFUSED, with advice in the report, for a source that nothing places; `start`: the first
 * time of the others. */
TB_MUST_CHECK enum tb_status tb_merger_refuse(struct tb_merger *m, const struct tb_source *unplaced, int64_t start);
/* placement_notes.c: notes on what placed the sources, and what did not. TB_REFUSED: a drift that is certain and too
 * large. */
TB_MUST_CHECK enum tb_status tb_merger_note_placement(struct tb_merger *m);
/* The same file: a warning on clock_sync events that were answered before they were asked for. */
void tb_merger_note_syncs(struct tb_merger *m, const struct tb_alignment *alignment);
/* The same file: whether neither end of a message is left out; by how much it arrives before it was sent, on the merged
 * clock, less than 0 where it does not. Up to TB_MERGE_ROUNDING_NS do not count. */
enum { TB_MERGE_ROUNDING_NS = 2 };
bool tb_merger_joins_inputs(const struct tb_merger *m, const struct tb_network_message *message);
int64_t tb_merger_backwards_by(const struct tb_merger *m, const struct tb_network_message *message);
/* report_evidence.c: residuals and messages, into the report; after the notes on placement. */
TB_MUST_CHECK enum tb_status tb_merger_report_evidence(struct tb_merger *m);
/* merge/rewrite/machine_ids.c: machines, then what ids become. */
TB_MUST_CHECK enum tb_status tb_merger_assign_ids(struct tb_merger *m);
/* write.c: reads, rewrites and writes all packets of the merger `ctx`. */
TB_MUST_CHECK enum tb_status tb_merger_write(void *ctx);
/* merge/write/output.c: lets `write` write packets to m->output, which becomes the file `out` in the format that its
 * name says. What fails is in m->error. */
typedef enum tb_status (*tb_write_packets)(void *ctx);
/* Whether that is another format than the packets'. */
bool tb_merger_converts_to(const struct tb_merger *m, const char *out);
TB_MUST_CHECK enum tb_status tb_merger_write_out(struct tb_merger *m, const char *out, tb_write_packets write,
                                                 void *ctx);

/* One of the files that are written at once. Zero-initialise, with the first two. */
struct tb_trace_file {
  const char *out;          /* this says its format and whether it is compressed */
  bool is_measured;         /* it is not written under that name: what counts is how large it would be */
  struct tb_output *output; /* for its packets: the merger's, before any are written */
  uint64_t bytes;           /* that it has; before they are compressed, but where packets are measured */
  bool is_written;
  /* its packets, where they are converted or measured */
  struct tb_copy_store store;
  struct tb_input_place copy;
  char copy_name[TB_COPY_STORE_NAME];
};
/* The same of one file or several, of which `write` writes packets to each; m->output is the first one's. Where it
 * fails, those that are written stay. */
TB_MUST_CHECK enum tb_status tb_merger_write_files(struct tb_merger *m, struct tb_trace_file *files, size_t count,
                                                   tb_write_packets write, void *ctx);
/* How many bytes tb_merger_write_out would write; those of a converted trace before they are compressed. */
TB_MUST_CHECK enum tb_status tb_merger_measure(struct tb_merger *m, const char *out, tb_write_packets write, void *ctx,
                                               uint64_t *bytes);

#endif
