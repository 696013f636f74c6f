/* SPDX-License-Identifier: Apache-2.0
 *
 * The byte form of an event with all that it points to, but its tracks, which last. It is small, since many events are
 * kept at a time, and memory that is touched for the first time costs more than what is done with it: what many events
 * have in common is said once, in tables that the codec keeps for as long as there are bytes of it.
 *
 *   form    which members may be other than 0, with the type and flags (event_form.h): its number, a byte, or, past the
 *           last number, what makes it
 *   words   of the event (eight bytes each), those that the form has: numbers with as many bytes as they need, tracks,
 *           texts
 *   track   varint: of its index, where the codec knows it by that
 *   text    varint: of a text of the table its id * 2 + 1, else its length + 1 times 2, and its bytes
 *   then each array that is pointed to: arguments, other members, frames, flow ids, clocks
 *
 * Whoever keeps the bytes has TB_EVENT_SLACK readable ones behind them.
 */
#ifndef TB_SHAPE_EVENT_CODEC_H
#define TB_SHAPE_EVENT_CODEC_H

#include "base/intern.h"
#include "base/memory.h"
#include "shape/event_form.h"
#include "tracebridge/event.h"

enum { TB_EVENT_SLACK = 16 };

struct tb_event_codec {
  const struct tb_allocator *allocator;
  struct tb_intern texts;
  struct tb_event_forms forms;
  const struct tb_track **tracks; /* by their index; NULL: none was met */
  size_t track_capacity;
};

void tb_event_codec_init(struct tb_event_codec *codec, const struct tb_allocator *allocator);
void tb_event_codec_free(struct tb_event_codec *codec);

/* Appends the event, without its `ts` where it has TB_HAS_TS: whoever keeps it knows that. Behind it the buffer has the
 * slack, which is not of its length. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_event_encode(struct tb_event_codec *codec, struct tb_buffer *to,
                                             const struct tb_event *event);

/* Makes the event of bytes that tb_event_encode wrote; `ts` is its time. It points into memory of the arena and of the
 * codec, and not to the bytes. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_event_decode(struct tb_event_codec *codec, const char *bytes, int64_t ts,
                                             struct tb_arena *arena, struct tb_event *event);

/* The same over an event that was decoded before: *used are the words of it that may be other than 0 (UINT64_MAX: all),
 * and then those of the new one. */
TB_MUST_CHECK enum tb_status tb_event_decode_over(struct tb_event_codec *codec, const char *bytes, int64_t ts,
                                                  struct tb_arena *arena, struct tb_event *event, uint64_t *used);

#endif
