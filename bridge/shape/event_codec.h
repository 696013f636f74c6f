/* SPDX-License-Identifier: Apache-2.0
 *
 * The byte form of an event with all that it points to, but its tracks, which last.
 *
 *   event as words of eight bytes: a bitmap of those that are not 0, then these
 *   then each thing that is pointed to, in the order of the list in event_codec.c: its bytes, and those of its texts;
 *   of an argument what it has, without the pointers: there may be many
 */
#ifndef TB_SHAPE_EVENT_CODEC_H
#define TB_SHAPE_EVENT_CODEC_H

#include "base/memory.h"
#include "tracebridge/event.h"

/* Appends the event. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_event_encode(struct tb_buffer *to, const struct tb_event *event);

/* Makes the event of bytes that tb_event_encode wrote. It points into memory of the arena, and not to the bytes. TB_OK
 * or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_event_decode(struct tb_str bytes, struct tb_arena *arena, struct tb_event *event);

#endif
