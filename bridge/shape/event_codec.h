/* SPDX-License-Identifier: Apache-2.0
 *
 * The byte form of an event with all that it points to, but its tracks, which last. It is small, since many events are
 * kept at a time, and memory that is touched for the first time costs more than what is done with it: what many events
 * have in common is said once, in tables that the codec keeps for as long as there are bytes of it.
 *
 *   form    which members are not 0, with the type and flags: a number of the table of forms (a byte), or, past the
 *           last number, the three words themselves
 *   words   of the event (eight bytes each), those that are not 0, in their order: varints; of a track its number; of
 *           a text below
 *   text    varint: of a text of the table its id * 2 + 1, else its length * 2 and its bytes
 *   then each array that is pointed to: arguments, other members, frames, flow ids, clocks
 */
#ifndef TB_SHAPE_EVENT_CODEC_H
#define TB_SHAPE_EVENT_CODEC_H

#include "base/intern.h"
#include "base/memory.h"
#include "tracebridge/event.h"

enum { TB_EVENT_FORMS = 255 };

struct tb_event_form {
  uint64_t words; /* a bit for each that is not 0 */
  uint64_t first[2];
};

struct tb_event_codec {
  const struct tb_allocator *allocator;
  struct tb_intern texts;
  struct tb_event_form forms[TB_EVENT_FORMS];
  size_t form_count;
  uint8_t form_of_type[TB_EVENT_TYPE_COUNT]; /* the one that an event of the type had last */
  const struct tb_track **tracks;            /* by their index; NULL: none was met */
  size_t track_capacity;
};

void tb_event_codec_init(struct tb_event_codec *codec, const struct tb_allocator *allocator);
void tb_event_codec_free(struct tb_event_codec *codec);

/* Appends the event, without its `ts` where it has TB_HAS_TS: whoever keeps it knows that. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_event_encode(struct tb_event_codec *codec, struct tb_buffer *to,
                                             const struct tb_event *event);

/* Makes the event of bytes that tb_event_encode wrote; `ts` is its time. It points into memory of the arena and of the
 * codec, and not to the bytes. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_event_decode(struct tb_event_codec *codec, struct tb_str bytes, int64_t ts,
                                             struct tb_arena *arena, struct tb_event *event);

#endif
