/* SPDX-License-Identifier: Apache-2.0
 *
 * Counter values of TrackEvents: absolute, whatever increments and units they come in.
 */
#include "perfetto/reader/track_event_importer.h"

const char TB_PERFETTO_LOSS_COUNTER[] = "a counter value on a track that is no counter";

/* The counter's last value on the packet's sequence; NULL when memory is exhausted. */
static int64_t *last_value(struct tb_perfetto_reader *r, struct tb_perfetto_track *track) {
  struct tb_sequence_state *sequence = r->context.sequence;
  const struct tb_track_more *known = tb_tracks_more(&r->tracks, track);
  if (known->value_sequence == sequence && known->value_generation == sequence->generation)
    return &sequence->extras->counter_values[known->value_place];
  int64_t *last = tb_sequence_counter(&r->state, sequence, track->track.uuid);
  struct tb_track_more *own = last ? tb_tracks_own_more(&r->tracks, track) : NULL;
  if (!own) {
    r->out_of_memory = true;
    return NULL;
  }
  own->value_sequence = sequence;
  own->value_generation = sequence->generation;
  own->value_place = (uint32_t)(last - sequence->extras->counter_values);
  return last;
}

/* An absolute value in the counter's own unit. */
static int64_t integer_value(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, uint64_t raw) {
  uint64_t value = raw * (uint64_t)tb_tracks_more(&r->tracks, track)->unit_multiplier;
  if (!track->incremental) return (int64_t)value;
  int64_t *last = last_value(r, track);
  if (!last) return 0;
  return *last = (int64_t)((uint64_t)*last + value);
}

static double double_value(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, uint64_t bits) {
  double value = tb_wire_double(bits) * (double)tb_tracks_more(&r->tracks, track)->unit_multiplier;
  if (!track->incremental) return value;
  int64_t *last = last_value(r, track);
  if (!last) return 0;
  /* the sum is kept as a double's bits: a counter is either kind, not both */
  double sum = *last ? tb_wire_double((uint64_t)*last) + value : value;
  memcpy(last, &sum, sizeof(sum));
  return sum;
}

static struct tb_event *emit_counter(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, int64_t ts,
                                     struct tb_arg **value) {
  tb_perfetto_emit_track(r, track);
  struct tb_event *event = tb_perfetto_emit(r, TB_EVENT_COUNTER);
  event->track = &track->track;
  event->has = TB_HAS_TS | TB_HAS_ARGS;
  event->ts = ts;
  event->phase = 'C';
  *value = tb_perfetto_add_arg(r, (struct tb_str){NULL, 0});
  event->args = *value;
  event->arg_count = 1;
  return event;
}

struct tb_event *tb_perfetto_emit_integer(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, int64_t ts,
                                          int64_t number) {
  struct tb_arg *value;
  struct tb_event *event = emit_counter(r, track, ts, &value);
  value->type = TB_ARG_INT;
  value->i = number;
  return event;
}

struct tb_event *tb_perfetto_emit_double(struct tb_perfetto_reader *r, struct tb_perfetto_track *track, int64_t ts,
                                         double number) {
  struct tb_arg *value;
  struct tb_event *event = emit_counter(r, track, ts, &value);
  value->type = TB_ARG_DOUBLE;
  value->d = number;
  return event;
}

struct tb_event *tb_perfetto_emit_counter(struct tb_perfetto_reader *r, const struct tb_track_event_parse *e) {
  if (e->fields.has & TB_TE_DOUBLE_COUNTER)
    return tb_perfetto_emit_double(r, e->track, e->ts, double_value(r, e->track, e->fields.counter));
  return tb_perfetto_emit_integer(r, e->track, e->ts, integer_value(r, e->track, e->fields.counter));
}

/* ---- values of a slice ------------------------------------------------------------------------------------------- */

static uint64_t counter_uuid(const struct tb_number_list *own, const struct tb_uuid_list *defaults, uint32_t i) {
  if (own->count) return i < own->count ? own->items[i] : 0;
  return i < defaults->count ? defaults->items[i] : 0;
}

void tb_perfetto_take_extra_counters(struct tb_perfetto_reader *r, struct tb_track_event_parse *e) {
  struct tb_number_list *values = &e->fields.counter_values;
  for (uint32_t i = 0; i < values->count; i++) {
    uint64_t uuid = counter_uuid(&e->fields.counter_uuids, &r->context.sequence->extras->extra_counters, i);
    struct tb_perfetto_track *track = uuid ? tb_perfetto_find_track(r, uuid) : NULL;
    if (!track) {
      e->has_counters = true; /* and is reported as a loss */
      continue;
    }
    int64_t value = integer_value(r, track, values->items[i]);
    values->items[i] = (uint64_t)value;
    if (track->track.is_thread_time) {
      e->has_thread_ts = true;
      e->thread_ts = value;
    } else if (track->track.is_thread_instruction_count) {
      e->has_instructions = true;
      e->instructions = value;
    } else {
      e->has_counters = true;
    }
  }
}

enum tb_status tb_perfetto_emit_extra_counters(struct tb_perfetto_reader *r, const struct tb_track_event_parse *e) {
  const struct tb_sequence_state *sequence = r->context.sequence;
  const struct tb_number_list *values = &e->fields.counter_values, *doubles = &e->fields.double_counter_values;
  enum tb_status status = TB_OK;
  for (uint32_t i = 0; i < values->count && status == TB_OK; i++) {
    uint64_t uuid = counter_uuid(&e->fields.counter_uuids, &sequence->extras->extra_counters, i);
    struct tb_perfetto_track *track = uuid ? tb_perfetto_find_track(r, uuid) : NULL;
    if (!track || track->track.type != TB_TRACK_COUNTER) {
      status = tb_perfetto_lose(r, TB_PERFETTO_LOSS_COUNTER);
    } else if (!track->track.is_thread_time && !track->track.is_thread_instruction_count) {
      tb_perfetto_emit_integer(r, track, e->ts, (int64_t)values->items[i]);
    }
  }
  for (uint32_t i = 0; i < doubles->count && status == TB_OK; i++) {
    uint64_t uuid = counter_uuid(&e->fields.double_counter_uuids, &sequence->extras->extra_double_counters, i);
    struct tb_perfetto_track *track = uuid ? tb_perfetto_find_track(r, uuid) : NULL;
    if (!track || track->track.type != TB_TRACK_COUNTER) {
      status = tb_perfetto_lose(r, TB_PERFETTO_LOSS_COUNTER);
    } else {
      tb_perfetto_emit_double(r, track, e->ts, double_value(r, track, doubles->items[i]));
    }
  }
  return status;
}
