/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/cut/event_runs.h"

enum { RUNS_MAX = 1 << 18 }; /* 18 MB; what is behind them is in no run */

void tb_event_runs_init(struct tb_event_runs *runs, const struct tb_allocator *allocator) {
  *runs = (struct tb_event_runs){.allocator = allocator, .follows = UINT64_MAX};
}

void tb_event_runs_free(struct tb_event_runs *runs) {
  if (runs->allocator) tb_free(runs->allocator, runs->runs, runs->capacity * sizeof(*runs->runs));
}

void tb_event_runs_end(struct tb_event_runs *runs) {
  struct tb_event_run *open = &runs->open;
  void *all = runs->runs;
  uint64_t count = runs->follows == UINT64_MAX ? 0 : runs->follows - open->events.first;
  open->events.count = (uint32_t)count; /* an event has some bytes */
  runs->follows = UINT64_MAX;
  if (count < TB_EVENT_RUN_LEAST) return;
  enum tb_status status =
      tb_grow_array(runs->allocator, &all, &runs->capacity, runs->count + 1, sizeof(*open), RUNS_MAX);
  runs->runs = all;
  if (status == TB_OK) runs->runs[runs->count++] = *open;
}

void tb_event_runs_begin(struct tb_event_runs *runs, uint64_t number, uint32_t sequence, bool stays) {
  tb_event_runs_end(runs);
  runs->open = (struct tb_event_run){.events = {.first = number, .sequence = sequence}, .stays = stays};
}

void tb_event_runs_add_run(struct tb_event_runs *runs, const struct tb_walk_events *events, bool stays) {
  tb_event_runs_begin(runs, events->first, events->sequence, stays);
  runs->open.events = *events;
  runs->follows = events->first + events->count;
}

void tb_event_runs_add_values(struct tb_event_runs *runs, const struct tb_event_extras *extras) {
  struct tb_event_run *run = &runs->open;
  for (size_t i = 0; i < extras->count; i++) {
    uint8_t at = 0;
    while (at < run->counters && run->uuids[at] != extras->uuids[i]) at++;
    if (at == TB_EVENT_RUN_COUNTERS) {
      runs->follows = UINT64_MAX;
      return;
    }
    if (at == run->counters) run->uuids[run->counters++] = extras->uuids[i];
    run->sums[at] += (uint64_t)extras->values[i];
  }
}
