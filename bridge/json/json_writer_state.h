/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON writer's own state and what its parts (json_writer*.c) give each other.
 */
#ifndef TB_JSON_WRITER_STATE_H
#define TB_JSON_WRITER_STATE_H

#include "event/writer_ops.h"
#include "json/json_emit.h"
#include "json/spool.h"

struct tb_json_open_slices; /* json_writer_slices.c */
struct tb_json_frames;      /* json_writer_stacks.c */

struct tb_json_writer {
  struct tb_writer *writer;
  struct tb_json_emit out; /* events that wait for being written */
  bool any_event;
  /* members of the outermost object that stand behind the events, each as text without its braces */
  struct tb_spool frames;  /* stackFrames: "id":{…} */
  struct tb_spool samples; /* samples: {…} */
  struct tb_spool system;  /* systemTraceEvents: escaped text */
  struct tb_json_emit top; /* any other: ,"key":value */
  struct tb_json_emit scratch;
};

/* ---- events (json_writer_event.c) ----------------------------------------------------------------------------------- */

/* The members of an event that do not depend on how it is shown: name and categories before, all the others but phase,
 * times and arguments after. Each member begins with a comma. */
void tb_json_event_head(struct tb_json_emit *emit, const struct tb_event *event);
void tb_json_event_tail(struct tb_json_writer *w, struct tb_json_emit *emit, const struct tb_event *event);

/* The event as it is, as one object of phase `phase`. */
void tb_json_event_whole(struct tb_json_writer *w, const struct tb_event *event, char phase);

/* Starts an object in `out`, with the comma that parts it from the one before; the first member's comma becomes the brace
 * when it ends. */
size_t tb_json_object_begin(struct tb_json_writer *w);
void tb_json_object_end(struct tb_json_writer *w, size_t start);

/* `,"pid":…,"tid":…` of a track, as far as the source names them. */
void tb_json_emit_ids(struct tb_json_emit *emit, const struct tb_track *track);

void tb_json_lose(struct tb_json_writer *w, const char *reason, const struct tb_event *event);

#endif
