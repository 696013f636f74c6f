/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/split/missed_values.h"

void tb_missed_values_init(struct tb_missed_values *missed, const struct tb_allocator *allocator) {
  *missed = (struct tb_missed_values){.next_state = 1};
  tb_map_init(&missed->sums, allocator);
  tb_map_init(&missed->states, allocator);
}

void tb_missed_values_free(struct tb_missed_values *missed) {
  tb_map_free(&missed->sums);
  tb_map_free(&missed->states);
}

static void add(struct tb_missed_values *missed, const struct tb_track_events *events, uint64_t uuid, int64_t value) {
  if (!tb_map_find(&events->incremental, uuid, 0)) return;
  missed->uuids[missed->count] = uuid;
  missed->values[missed->count++] = value;
}

enum tb_status tb_missed_values_look(struct tb_missed_values *missed, struct tb_track_events *events,
                                     const struct tb_walk *walk, const struct tb_event_view *view) {
  missed->count = 0;
  if (walk->packet.head.cleared) {
    enum tb_status status = tb_map_put(&missed->states, walk->sequence_number, 0, missed->next_state++);
    if (status != TB_OK) return status;
  }
  if (!view || !events->incremental.count) return TB_OK;
  const uint64_t *state = tb_map_find(&missed->states, walk->sequence_number, 0);
  missed->state = (uint64_t)walk->sequence_number << 32 | (state ? (uint32_t)*state : 0);
  if (view->role == TB_ROLE_VALUE && view->has_value) add(missed, events, view->track, view->value);
  if (!view->has_extras) return TB_OK;
  const struct tb_event_extras *extras = tb_track_events_extras(events, walk);
  for (size_t i = 0; i < extras->count; i++) add(missed, events, extras->uuids[i], extras->values[i]);
  return TB_OK;
}

static uint64_t sum_of(const struct tb_map *sums, uint64_t uuid, uint64_t state) {
  const uint64_t *sum = tb_map_find(sums, uuid, state);
  return sum ? *sum : 0;
}

/* The same counter may be there twice. */
enum tb_status tb_missed_values_add_up(const struct tb_missed_values *missed, struct tb_map *seen, struct tb_cut *cut) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < missed->count && status == TB_OK; i++) {
    uint64_t uuid = missed->uuids[i], sum = sum_of(&missed->sums, uuid, missed->state);
    uint64_t grown = sum - sum_of(seen, uuid, missed->state);
    if (grown) status = tb_cut_leave_value_out(cut, uuid, (int64_t)grown);
    if (grown && status == TB_OK) status = tb_map_put(seen, uuid, missed->state, sum);
  }
  for (size_t i = 0; i < missed->count && status == TB_OK; i++) {
    uint64_t uuid = missed->uuids[i];
    uint64_t known = sum_of(seen, uuid, missed->state) + (uint64_t)missed->values[i];
    status = tb_map_put(seen, uuid, missed->state, known);
  }
  return status;
}

enum tb_status tb_missed_values_pass(struct tb_missed_values *missed) {
  enum tb_status status = TB_OK;
  for (size_t i = 0; i < missed->count && status == TB_OK; i++) {
    uint64_t sum = sum_of(&missed->sums, missed->uuids[i], missed->state) + (uint64_t)missed->values[i];
    status = tb_map_put(&missed->sums, missed->uuids[i], missed->state, sum);
  }
  return status;
}
