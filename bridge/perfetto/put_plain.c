/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer: slices of threads that say nothing but their times, name and categories, as most do. Their bodies are two interned
 * ids, which need none of what event_encoder.c sees to.
 */
#include "perfetto/fields.h"
#include "perfetto/wire.h"
#include "perfetto/writer_state.h"

enum { BODY_ROOM = 64 }; /* without the categories */

/* Whether there is nothing in an event that would stand in its body beside name and categories, and it is a slice that lasts. */
static inline bool is_plain(const struct tb_event *event) {
  enum { PLAIN = TB_HAS_TS | TB_HAS_DUR | TB_HAS_NAME | TB_HAS_CATEGORIES };
  bool lasts =
      event->type == TB_EVENT_SLICE_COMPLETE ? event->has & TB_HAS_DUR && event->dur > 0 : !(event->has & TB_HAS_DUR);
  return lasts && !(event->has & ~(uint32_t)PLAIN) && event->type <= TB_EVENT_SLICE_COMPLETE &&
         !(event->arg_count | event->extra_count | event->flow_count | event->terminating_flow_count) &&
         !(event->id.kind | event->bind_id.kind) && !tb_stack_is_there(&event->stack) &&
         !tb_stack_is_there(&event->end_stack) && (event->name.len || event->type == TB_EVENT_SLICE_END);
}

/* The sequence of a thread that has had events, else NULL. */
static inline struct tb_sequence *known_sequence(const struct tb_perfetto_writer *p, const struct tb_track *track) {
  return track->index < p->track_count ? p->tracks[track->index].sequence : NULL;
}

enum tb_status tb_perfetto_put_plain(struct tb_perfetto_writer *p, const struct tb_event *event) {
  static const uint8_t kinds[] = {[TB_EVENT_SLICE_BEGIN] = TB_ENTRY_BEGIN,
                                  [TB_EVENT_SLICE_END] = TB_ENTRY_END,
                                  [TB_EVENT_SLICE_COMPLETE] = TB_ENTRY_COMPLETE};
  struct tb_sequence *sequence = known_sequence(p, event->track);
  struct tb_buffer *body = &p->encoder.body;
  if (!sequence || !is_plain(event)) return TB_END;
  struct tb_entry entry = {.ts = event->ts, .dur = event->dur, .kind = kinds[event->type]};
  const struct tb_category_list *list = NULL;
  if (event->name.len) {
    entry.name = tb_interned_iid(&p->interned, &sequence->uses, TB_INTERNED_NAMES, event->name);
    if (!entry.name) return TB_NO_MEMORY;
  }
  if (event->categories.len) {
    list = tb_interned_categories(&p->interned, &sequence->uses, event->categories, &entry.categories);
    if (!list) return TB_NO_MEMORY;
  }
  size_t room = BODY_ROOM + (list ? list->encoded_len : 0);
  if (room > body->capacity) {
    body->len = 0;
    enum tb_status status = tb_buffer_reserve(body, room);
    if (status != TB_OK) return status;
  }
  if (entry.kind != TB_ENTRY_END) {
    char *at = tb_wire_put_uint(body->data, TB_TRACK_EVENT_NAME_IID, entry.name);
    if (list) {
      memcpy(at, list->encoded, list->encoded_len);
      at += list->encoded_len;
    }
    entry.body = (struct tb_slice){body->data, (size_t)(at - body->data)};
  }
  return tb_perfetto_add_entry(p, sequence, &entry);
}
