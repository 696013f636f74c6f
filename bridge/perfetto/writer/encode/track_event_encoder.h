/* SPDX-License-Identifier: Apache-2.0
 *
 * A tb_event's name, categories, arguments and ids as fields of a TrackEvent.
 */
#ifndef TB_PERFETTO_WRITER_ENCODE_TRACK_EVENT_ENCODER_H
#define TB_PERFETTO_WRITER_ENCODE_TRACK_EVENT_ENCODER_H

#include "json/emitter.h"
#include "model/carried_fields.h"
#include "perfetto/writer/encode/intern_tables.h"
#include "tracebridge/event.h"

/* The times that a packet may have no room for. */
#define TB_CARRIED_TIMES (TB_CARRIED_BIT(DUR) | TB_CARRIED_BIT(THREAD_TS) | TB_CARRIED_BIT(THREAD_DUR))

/* What of an event goes into its `trace_event` annotation, in addition to event->extra: see docs/MAPPING.md. */
struct tb_carried_parts {
  struct tb_str phase; /* empty: the packet implies it */
  bool whole_args;     /* the args, because the packet has no room for them */
  bool emitter;        /* the pid and tid of event->thread */
  bool tid;            /* the tid of event->thread, null where there is none */
  uint64_t fields;     /* of TB_CARRIED_TIMES: those that the packet has no room for, if they are there */
};

static inline bool tb_arg_holds_text(const struct tb_arg *arg) {
  enum { HOLD_TEXT = 1 << TB_ARG_STRING | 1 << TB_ARG_JSON | 1 << TB_ARG_BLOB };
  return HOLD_TEXT >> arg->type & 1;
}

struct tb_event_encoder {
  struct tb_interned *interned;
  struct tb_buffer body;    /* the fields of the last event */
  size_t args_end;          /* where the last arguments end there that were encoded */
  struct tb_json_emit json; /* values that go as JSON text */
};

void tb_event_encoder_init(struct tb_event_encoder *encoder, struct tb_interned *interned);
void tb_event_encoder_free(struct tb_event_encoder *encoder);

/* Whether an event carries the id of its end's stack: a complete slice of a thread has that stack with its end. */
static inline bool tb_carries_end_stack(const struct tb_event *event) {
  if (!event->end_stack.ref.len) return false;
  return event->type != TB_EVENT_SLICE_COMPLETE || event->track->type != TB_TRACK_THREAD || event->dur < 0;
}

/* What to encode of an event. */
enum tb_encode_parts {
  TB_ENCODE_NAME = 1,
  TB_ENCODE_CATEGORIES = 2,
  TB_ENCODE_ARGS = 4,
  TB_ENCODE_IDS = 8,       /* legacy_event: id, scope, the emitting thread */
  TB_ENCODE_NO_NAME = 16,  /* the trace processor's JSON importer names slices without a name; so do we */
  TB_ENCODE_OWN_NAME = 32, /* carried: the packet says another */
  TB_ENCODE_PHASE = 64,    /* the phase in legacy_event, without the emitting thread, which the sequence says */
  TB_ENCODE_ID2 = 128      /* legacy_event: an id that is local or global, and nothing else */
};

/* Encodes into encoder->body. *name and *categories (either may be NULL) are then the interned name's iid and the
 * category list's id, 0 for none. TB_OK, TB_NO_MEMORY or TB_LIMIT (an event of more than 1 GiB). */
TB_MUST_CHECK enum tb_status tb_encode_event(struct tb_event_encoder *encoder, struct tb_interned_uses *uses,
                                             const struct tb_event *event, unsigned parts,
                                             const struct tb_carried_parts *carried, uint32_t *name,
                                             uint32_t *categories);

/* The bytes that tb_encode_args asks for. */
size_t tb_encode_args_room(const struct tb_arg *args, uint32_t count);

/* Encodes the arguments of an event that has nothing else to carry, at `at` in encoder->body, which has `room` bytes
 * at least and may move. Returns the byte after them, NULL without memory. */
char *tb_encode_args(struct tb_event_encoder *encoder, struct tb_interned_uses *uses, const struct tb_event *event,
                     char *at, size_t room);

/* Appends the annotation trace_event with the phase and, where it is not NULL, the thread's time to `at`, which has
 * room for TB_CARRIED_LATE_MAX bytes. NULL without memory. */
enum { TB_CARRIED_LATE_MAX = 64, TB_COUNTER_FOLLOWS = '+' };
char *tb_encode_carried_phase(struct tb_event_encoder *encoder, struct tb_interned_uses *uses, char *at, char phase,
                              const int64_t *thread_ts);

/* The same with that the event has no name, whatever its packet says: what slices without one are called. */
char *tb_encode_carried_no_name(struct tb_event_encoder *encoder, struct tb_interned_uses *uses, char *at);
bool tb_is_no_name(struct tb_str name);

/* The same with how a slice's bind_id binds that joins nothing, and with its number, where it is not NULL. */
char *tb_encode_carried_binding(struct tb_event_encoder *encoder, struct tb_interned_uses *uses, char *at, bool in,
                                bool out, const uint64_t *bind_id);

#endif
