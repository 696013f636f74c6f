/* SPDX-License-Identifier: Apache-2.0
 *
 * The Perfetto writer's fast path for thread slices with only times, name, categories and arguments, as most are.
 * All other events go through perfetto/writer/encode/track_event_encoder.c.
 */
#include "perfetto/writer/encode/track_event_packet.h"
#include "perfetto/writer/slice_events.h"
#include "perfetto/writer/staged/streamed_sequence.h"
#include "perfetto/writer/staging.h"
#include "perfetto/writer/writer.h"
#include "protobuf/wire.h"
#include "protos/field_numbers.h"

enum { BODY_ROOM = 64 + TB_PACKET_BYTES_AHEAD }; /* without categories and arguments */

/* Whether an event's body would contain only name, categories and arguments, and its times all have their place in the
 * packets of a slice. */
static inline bool is_plain(const struct tb_event *event) {
  enum { OF_ALL = TB_HAS_TS | TB_HAS_NAME | TB_HAS_CATEGORIES | TB_HAS_ARGS | TB_HAS_THREAD_TS };
  const struct tb_frame *location = &event->source_location;
  uint32_t rest = event->has & ~(uint32_t)OF_ALL;
  if (event->type == TB_EVENT_SLICE_COMPLETE) {
    if (rest & TB_HAS_THREAD_DUR && !(event->has & TB_HAS_THREAD_TS)) return false;
    if ((rest & ~(uint32_t)TB_HAS_THREAD_DUR) != TB_HAS_DUR || event->dur < 0) return false;
  } else if (rest || event->type > TB_EVENT_SLICE_COMPLETE) {
    return false;
  }
  return !(event->extra_count | event->flow_count | event->terminating_flow_count) &&
         !(event->id.kind | event->bind_id.kind) && !tb_stack_is_there(&event->stack) &&
         !tb_stack_is_there(&event->end_stack) &&
         !(location->function.len | location->file.len | location->line | event->log_level) &&
         (event->name.len || event->type == TB_EVENT_SLICE_END);
}

static inline uint8_t kind_of(const struct tb_event *event) {
  static const uint8_t kinds[] = {[TB_EVENT_SLICE_BEGIN] = TB_STAGED_BEGIN,
                                  [TB_EVENT_SLICE_END] = TB_STAGED_END,
                                  [TB_EVENT_SLICE_COMPLETE] = TB_STAGED_COMPLETE};
  return event->has & TB_HAS_DUR && event->dur == 0 ? TB_STAGED_ZERO_LENGTH_SLICE : kinds[event->type];
}

/* Encodes the body of an entry, whose name is interned. */
static inline enum tb_status encode(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                    const struct tb_event *event, const struct tb_category_list *list,
                                    struct tb_staged_event *entry) {
  struct tb_buffer *body = &p->encoder.body;
  size_t room = BODY_ROOM + (list ? list->encoded_len : 0) +
                (event->arg_count ? tb_encode_args_room(event->args, event->arg_count) : 0);
  if (room > body->capacity) {
    body->len = 0;
    enum tb_status status = tb_buffer_reserve(body, room);
    if (status != TB_OK) return status;
  }
  char *at = body->data;
  if (entry->kind != TB_STAGED_END) {
    at = tb_wire_put_uint(at, TB_TRACK_EVENT_NAME_IID, entry->name);
    if (list) at = tb_packet_put_bytes_ahead(at, (struct tb_str){list->encoded, list->encoded_len});
  }
  if (event->arg_count) at = tb_encode_args(&p->encoder, sequence->uses, event, at, room);
  if (!at) return TB_NO_MEMORY;
  entry->body = (struct tb_str){body->data, (size_t)(at - body->data)};
  entry->joinable = entry->kind == TB_STAGED_END && event->arg_count && entry->body.len == p->encoder.args_end;
  return TB_OK;
}

/* As tb_perfetto_add_entry of an entry without flows. Most go to a streamed sequence, which is called directly. */
static inline enum tb_status add_entry(struct tb_perfetto_writer *p, struct tb_writer_sequence *sequence,
                                       struct tb_staged_event *entry) {
  struct tb_streamed_sequence *streamed = tb_stager_as(&sequence->stager, &tb_form_streamed);
  if (!streamed || sequence->binder.waiting_count) return tb_perfetto_add_entry(p, sequence, entry);
  enum tb_status status = tb_streamed_sequence_put(streamed, entry, sequence->thread_times_in_us, p->instant);
  if (status == TB_OK && streamed->closed) {
    status = tb_stager_next(&sequence->stager, &p->writer->error);
    return status == TB_OK ? tb_perfetto_add_entry(p, sequence, entry) : status;
  }
  p->staging.unchecked += entry->body.len;
  return status;
}

enum tb_status tb_perfetto_put_plain_slice(struct tb_perfetto_writer *p, const struct tb_event *event, bool *taken) {
  struct tb_writer_sequence *sequence = tb_perfetto_known_sequence(p, event->track);
  *taken = sequence && is_plain(event);
  if (!*taken) return TB_OK;
  struct tb_staged_event entry = {.ts = event->ts, .dur = event->dur, .kind = kind_of(event)};
  const struct tb_category_list *list = NULL;
  if (event->name.len) {
    entry.name = tb_interned_iid(&p->interned, sequence->uses, TB_INTERNED_NAMES, event->name);
    if (!entry.name) return TB_NO_MEMORY;
  }
  if (event->categories.len) {
    list = tb_interned_categories(&p->interned, sequence->uses, event->categories, &entry.categories);
    if (!list) return TB_NO_MEMORY;
  }
  enum tb_status status = encode(p, sequence, event, list, &entry);
  if (status != TB_OK) return status;
  if (event->has & TB_HAS_THREAD_TS) tb_perfetto_set_thread_times(sequence, event, &entry);
  return add_entry(p, sequence, &entry);
}
