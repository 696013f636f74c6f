/* SPDX-License-Identifier: Apache-2.0
 *
 * How a tb_streamed_sequence holds its packets: what perfetto/writer/staged/streamed_sequence.c writes and
 * perfetto/writer/staged/streamed_sequence_reader.c reads.
 *
 * The notes hold what packets do not, for the replay. For each packet, and each flow point, which has no packet, a
 * byte: the kind (enum tb_staged_kind, or TB_NOTE_ENDED_ITSELF for the end of a complete slice) and flags. Then, as
 * varints: name and categories of a BEGIN or an END; what a flow does, its key and its order; of a point of a flow
 * its ts less that of the packet before; dur of a complete slice; thread_dur. An END that TB_NOTE_WHOLE is of has no
 * packet: its ts and thread_ts follow, less those of the packet before, and its body with its length.
 */
#ifndef TB_PERFETTO_WRITER_STAGED_STREAMED_SEQUENCE_INTERNAL_H
#define TB_PERFETTO_WRITER_STAGED_STREAMED_SEQUENCE_INTERNAL_H

#include "perfetto/writer/staged/streamed_sequence.h"

enum tb_replay_note {
  TB_NOTE_KIND = 7,
  TB_NOTE_ENDED_ITSELF = TB_STAGED_COUNTER, /* counters are on no thread */
  TB_NOTE_THREAD_TS = 8,
  TB_NOTE_THREAD_DUR = 16,
  TB_NOTE_FLOW = 32,
  TB_NOTE_WHOLE = 64,    /* a slice that perfetto/writer/encode/legacy_complete_event.h speaks of, or its END */
  TB_NOTE_JOINABLE = 128 /* an END, as tb_staged_event has it */
};

struct tb_streamed_slice {
  int64_t begin;
  int64_t end;        /* of a complete slice; INT64_MAX where an END will tell */
  int64_t first_end;  /* the first end of this slice and those around it */
  int64_t thread_end; /* of a BEGIN its thread time */
  uint64_t place;     /* among the entries */
  uint32_t name, categories;
  bool has_thread_end;
  bool silent;           /* an instant, or its packet says its end: nothing is written there */
  uint64_t packet, body; /* positions of its begin and of that one's body */
  size_t body_len;
};

/* A packet that is passed to the sink by itself: of a slice that flows join or that becomes whole, or a large one. */
struct tb_patch_point {
  uint64_t place;    /* of a large END its own */
  uint64_t packet;   /* its position */
  unsigned sides;    /* enum tb_streamed_side, 0 for a large END */
  int64_t dur;       /* of a BEGIN that its END makes a whole slice; else 0 */
  uint64_t end_body; /* of that END: the position of its body among the notes */
  size_t end_body_len;
};

/* Sorts the marks by their places; of one place the one that makes its slice whole comes first. */
void tb_streamed_sequence_sort_marks(struct tb_streamed_sequence *streamed);
/* Passes packets to a sink by themselves, with what their patch points add. */
struct tb_packet_patcher {
  const struct tb_streamed_sequence *streamed;
  const struct tb_streamed_sequence_sink *sink;
  struct tb_spill_window notes;
  struct tb_error *error;
};

/* tb_spill_window_free of its `notes` frees it. */
struct tb_packet_patcher tb_packet_patcher(const struct tb_streamed_sequence *streamed,
                                           const struct tb_streamed_sequence_sink *sink, struct tb_error *error);
/* Passes a packet, with what its mark has it get. */
TB_MUST_CHECK enum tb_status tb_packet_patcher_put(struct tb_packet_patcher *patcher, struct tb_str packet,
                                                   const struct tb_patch_point *mark);

/* A varint of a packet or a note that perfetto/writer/staged/streamed_sequence.c wrote. */
static inline const char *tb_streamed_sequence_varint(const char *at, uint64_t *v) {
  *v = 0;
  const char *end = tb_wire_read_varint(at, at + TB_WIRE_VARINT_MAX, v);
  return end ? end : at;
}

#endif
