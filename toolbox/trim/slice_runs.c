/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/trim/slice_runs.h"

#include <string.h>

#include "protos/field_numbers.h"
#include "toolbox/walk/event_fields.h"
#include "toolbox/walk/track_events.h"

/* 50 MB and 16 MB; what is behind them is of no run. Timestamps that count have no more bits: their sums have 64. */
enum { RUNS_MAX = 1 << 19, PLACES_MAX = 1 << 20, TICKS_BITS = 40 };

void tb_slice_runs_init(struct tb_slice_runs *runs, const struct tb_allocator *allocator) {
  *runs = (struct tb_slice_runs){.allocator = allocator, .follows = UINT64_MAX};
  tb_map_init(&runs->reached, allocator);
  tb_map_init(&runs->disordered, allocator);
}

void tb_slice_runs_free(struct tb_slice_runs *runs) {
  if (!runs->allocator) return;
  tb_free(runs->allocator, runs->runs, runs->capacity * sizeof(*runs->runs));
  tb_free(runs->allocator, runs->places, runs->place_capacity * sizeof(*runs->places));
  tb_map_free(&runs->reached);
  tb_map_free(&runs->disordered);
}

/* ---- whether the events of a track are in order ------------------------------------------------------------------ */

/* Events of the track begin at `time`. Where there is no memory, a later reading finds whether they are in order. */
static void enter_track(struct tb_slice_runs *runs, uint64_t track, int64_t time) {
  runs->reached_of = tb_map_find(&runs->reached, track, 0);
  enum tb_status status = TB_OK;
  if (!runs->reached_of) {
    status = tb_map_put(&runs->reached, track, 0, 0);
    runs->reached_of = tb_map_find(&runs->reached, track, 0);
  } else if (time < (int64_t)*runs->reached_of) {
    status = tb_map_put(&runs->disordered, track, 0, 1);
  }
  (void)status;
}

/* They end at `time`. */
static void leave_track(struct tb_slice_runs *runs, int64_t time) {
  if (runs->reached_of) *runs->reached_of = (uint64_t)time;
  runs->reached_of = NULL;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Its last event was at `last`. */
static void end_run(struct tb_slice_runs *runs, int64_t last) {
  struct tb_slice_run *run = &runs->growing;
  leave_track(runs, last);
  bool keeps = runs->follows != UINT64_MAX && run->count >= TB_SLICE_RUN_LEAST;
  void *all = runs->runs, *places = runs->places;
  runs->follows = UINT64_MAX;
  if (!keeps) return;
  enum tb_status status =
      tb_grow_array(runs->allocator, &all, &runs->capacity, runs->count + 1, sizeof(*run), RUNS_MAX);
  runs->runs = all;
  if (status != TB_OK) return;
  status = tb_grow_array(runs->allocator, &places, &runs->place_capacity, runs->place_count + run->open,
                         sizeof(runs->open[0]), PLACES_MAX);
  runs->places = places;
  if (status != TB_OK) return;
  run->open_at = (uint32_t)runs->place_count;
  if (run->open) memcpy(&runs->places[runs->place_count], runs->open, run->open * sizeof(runs->open[0]));
  runs->place_count += run->open;
  runs->runs[runs->count++] = *run;
}

void tb_slice_runs_end(struct tb_slice_runs *runs) { end_run(runs, runs->time); }

/* What of an event counts for a run. */
struct event {
  uint64_t type, track;
  bool has_track, named;
  uint8_t values;
  uint64_t value[TB_SLICE_RUN_VALUES];
  struct tb_str legacy;
};

/* Passes over a name or category in text; NULL: it is something else. */
static __attribute__((noinline)) const char *pass_text(const char *at, const char *end) {
  struct tb_wire_cursor cursor = tb_wire_cursor((struct tb_str){at, (size_t)(end - at)});
  struct tb_wire_field field;
  bool read = tb_wire_read(&cursor, &field) == TB_OK;
  return read && (field.number == TB_TRACK_EVENT_NAME || field.number == TB_TRACK_EVENT_CATEGORIES) ? cursor.at : NULL;
}

/* False where it says something of counters that runs do not add up, or is damaged. toolbox/walk/track_events.c reads
 * the same fields and looks names up as it goes: one reader of numbers for both took 5 % more of trim and of filter. */
static TB_ALWAYS_INLINE bool read_event(const struct tb_str *payload, struct event *event) {
  const char *at = payload->ptr, *end = at + payload->len;
  event->type = event->track = 0;
  event->has_track = event->named = false;
  event->values = 0;
  event->legacy.ptr = NULL;
  while (at < end) {
    const char *field = at;
    uint64_t value;
    at = tb_wire_read_varint_ahead(field + 1, &value); /* of a longer tag its rest */
    if (!at || at > end) return false;
    switch ((unsigned char)*field) {
      case TB_WIRE_TAG(TB_TRACK_EVENT_TYPE, TB_WIRE_VARINT):
        event->type = value;
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_TRACK_UUID, TB_WIRE_VARINT):
        event->has_track = true;
        event->track = value;
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_NAME_IID, TB_WIRE_VARINT):
      case TB_WIRE_TAG(TB_TRACK_EVENT_CATEGORY_IIDS, TB_WIRE_VARINT):
        event->named = true;
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_EXTRA_COUNTER_VALUES, TB_WIRE_VARINT):
        if (event->values == TB_SLICE_RUN_VALUES) return false;
        event->value[event->values++] = value;
        break;
      case TB_WIRE_TAG(TB_TRACK_EVENT_LEGACY_EVENT, TB_WIRE_BYTES):
        event->legacy = (struct tb_str){at, (size_t)value};
        /* fall through */
      case TB_WIRE_TAG(TB_TRACK_EVENT_DEBUG_ANNOTATIONS, TB_WIRE_BYTES):
      case TB_WIRE_TAG(TB_TRACK_EVENT_TASK_EXECUTION, TB_WIRE_BYTES):
        if (value > (uint64_t)(end - at)) return false;
        at += value;
        break;
      default:
        at = tb_event_fields_pass(field, end).end;
        if (at > field) break;
        at = pass_text(field, end);
        if (!at) return false;
        event->named = true;
    }
  }
  return true;
}

/* Whether an event is one that runs have: with a type of a slice or an instant, an end without a name, which ends the
 * innermost slice, and no slice that is whole by itself unless that has no length. */
static bool fits(const struct event *event) {
  if (event->type == TB_TRACK_EVENT_TYPE_SLICE_END && event->named) return false;
  if (event->has_track && !event->track) return false;
  if (event->legacy.ptr) return event->type <= TB_TRACK_EVENT_TYPE_INSTANT && tb_legacy_event_is_short(event->legacy);
  return event->type == TB_TRACK_EVENT_TYPE_SLICE_BEGIN || event->type == TB_TRACK_EVENT_TYPE_SLICE_END ||
         event->type == TB_TRACK_EVENT_TYPE_INSTANT;
}

static bool goes_on(const struct tb_slice_runs *runs, uint64_t number, const struct tb_common_packet *packet,
                    const struct event *event, bool counts) {
  const struct tb_slice_run *run = &runs->growing;
  return runs->follows == number && run->sequence == packet->head.sequence && run->counts == counts &&
         run->has_track == event->has_track && run->track == event->track &&
         run->bytes + packet->framed.len <= TB_SLICE_RUN_BYTES && run->open < TB_SLICE_RUN_OPEN &&
         (counts || packet->head.timestamp >= run->last_ticks);
}

static void begin_run(struct tb_slice_runs *runs, uint64_t number, const struct tb_common_packet *packet,
                      const struct event *event, bool counts, int64_t last) {
  end_run(runs, last);
  if (event->has_track) enter_track(runs, event->track, runs->time);
  runs->growing = (struct tb_slice_run){.first = number,
                                        .first_ticks = packet->head.timestamp,
                                        .sequence = packet->head.sequence,
                                        .counts = counts,
                                        .has_track = event->has_track,
                                        .track = event->track};
}

void tb_slice_runs_take(struct tb_slice_runs *runs, uint64_t number, const struct tb_common_packet *packet, bool counts,
                        int64_t time) {
  const struct tb_packet_common *head = &packet->head;
  struct tb_slice_run *run = &runs->growing;
  const int64_t last = runs->time;
  struct event event;
  runs->time = time; /* at once: registers are scarce behind it */
  if ((counts && head->timestamp >> TICKS_BITS) || packet->framed.len > TB_SLICE_RUN_BYTES ||
      !read_event(&head->payload, &event) || !fits(&event)) {
    end_run(runs, last);
    return;
  }
  if (!goes_on(runs, number, packet, &event, counts)) begin_run(runs, number, packet, &event, counts, last);
  run->last_ticks = counts ? run->last_ticks + head->timestamp : head->timestamp;
  const struct tb_slice_run_place place = {run->last_ticks, run->count, run->bytes};
  for (uint8_t i = 0; i < event.values; i++) {
    run->further[i].sum += event.value[i];
    run->further[i].last = place;
  }
  if (event.values > run->values) run->values = event.values;
  if (!event.legacy.ptr && event.type == TB_TRACK_EVENT_TYPE_SLICE_BEGIN) {
    runs->open[run->open++] = place;
  } else if (!event.legacy.ptr && event.type == TB_TRACK_EVENT_TYPE_SLICE_END) {
    if (run->open)
      run->open--;
    else
      run->ends++;
  }
  run->needs_state |= (head->flags & TB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE) != 0;
  run->bytes = (uint16_t)(run->bytes + packet->framed.len);
  run->count++;
  runs->follows = number + 1;
}

static void begin(void *ctx, const struct tb_allocator *allocator) { tb_slice_runs_init(ctx, allocator); }

static void turn_to(void *ctx, const struct tb_merge_sequence *sequence, const struct tb_clock_cursor *clock) {
  struct tb_slice_runs *runs = ctx;
  (void)sequence;
  runs->counts = clock->keep != 0;
}

static bool take_event(void *ctx, const struct tb_common_packet *packet, uint64_t number, int64_t time) {
  struct tb_slice_runs *runs = ctx;
  tb_slice_runs_take(runs, number, packet, runs->counts, time);
  return true;
}

static bool take_packet(void *ctx, const struct tb_scanned_packet *scanned, const struct tb_raw_packet *packet) {
  struct tb_slice_runs *runs = ctx;
  const struct tb_packet_header *head = &packet->head;
  tb_slice_runs_end(runs);
  if (head->kind != TB_TRACE_PACKET_TRACK_EVENT || head->machine || !scanned->time.resolved) return true;
  uint64_t track = tb_wire_find_number(head->payload, TB_TRACK_EVENT_TRACK_UUID);
  if (!track) return true;
  enter_track(runs, track, scanned->time.time);
  leave_track(runs, scanned->time.time);
  return true;
}

struct tb_prescan_listener tb_slice_runs_listen(struct tb_slice_runs *runs) {
  return (struct tb_prescan_listener){runs, begin, turn_to, take_event, take_packet};
}
