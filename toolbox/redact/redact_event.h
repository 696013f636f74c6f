/* SPDX-License-Identifier: Apache-2.0
 *
 * Events and tracks with pseudonyms for their texts. Every text of struct tb_event and struct tb_track is either
 * replaced here or left out: a member that is added there must be added here.
 */
#ifndef TB_TOOLBOX_REDACT_REDACT_EVENT_H
#define TB_TOOLBOX_REDACT_REDACT_EVENT_H

#include "base/losses.h"
#include "base/map.h"
#include "ftrace/packets_of_text.h"
#include "protobuf/wire.h"
#include "toolbox/redact/pseudonyms.h"
#include "tracebridge/event.h"

/* A track with pseudonyms, as the writer gets it. */
struct tb_redacted_track {
  struct tb_track track;
  bool has_states, has_events; /* states since it has its name, and other events: see tb_redact_end */
};

/* Zero but for `allocator`, `names` and the arenas there are no tracks. */
struct tb_redactor {
  const struct tb_allocator *allocator;
  struct tb_pseudonyms names;
  bool no_args, takes_packets;       /* the target: Perfetto's packets */
  bool one_machine;                  /* the target */
  bool has_tasks;                    /* of the source a thread of no process is a task whose process nothing says */
  struct tb_redacted_track **tracks; /* by index of the source's; NULL: not met yet */
  size_t track_count;
  struct tb_arena lasting;                                         /* of tracks */
  struct tb_arena scratch;                                         /* of the current event */
  char packet[TB_FTRACE_SYSTEM_INFO_MAX + 6 * TB_WIRE_VARINT_MAX]; /* the current event, where it is one */
  struct tb_map ran;                                               /* CPU, machine: a switch of it was met */
  struct tb_losses losses;                                         /* what is left out of what was traced */
  struct tb_losses notes;                                          /* and of what the trace says of its recording */
  struct tb_losses asked;                                          /* what no_args leaves out of events that stay */
};

/* Makes *event, which is a copy of the source's, one without its texts; what it points to lasts until the next call.
 * *left_out: it is of a kind that cannot be. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_redact_event(struct tb_redactor *redactor, struct tb_event *event, bool *left_out);

/* Counts what only the end tells: threads of which no process was ever said. Those that have nothing but states go
 * without a descriptor, which would have to name one. */
void tb_redact_end(struct tb_redactor *redactor);

#endif
