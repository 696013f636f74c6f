/* SPDX-License-Identifier: Apache-2.0 */
#include "model/track_counts.h"

#include "base/intern.h"

void tb_track_counts_init(struct tb_track_counts *t, const struct tb_allocator *allocator) {
  *t = (struct tb_track_counts){.allocator = allocator};
  tb_map_init(&t->counters, allocator);
}

void tb_track_counts_free(struct tb_track_counts *t) {
  tb_free(t->allocator, t->met, t->met_capacity);
  tb_map_free(&t->counters);
}

static enum tb_status meet(struct tb_track_counts *t, const struct tb_track *track, struct tb_writer_summary *summary) {
  for (; track && (track->index >= t->met_capacity || !t->met[track->index]); track = track->parent) {
    size_t before = t->met_capacity;
    void *met = t->met;
    if (tb_grow_array(t->allocator, &met, &t->met_capacity, (size_t)track->index + 1, 1, (size_t)UINT32_MAX + 1) !=
        TB_OK)
      return TB_NO_MEMORY;
    t->met = met;
    if (t->met_capacity > before) memset(t->met + before, 0, t->met_capacity - before);
    t->met[track->index] = 1;
    summary->processes += track->type == TB_TRACK_PROCESS;
    summary->threads += track->type == TB_TRACK_THREAD;
  }
  return TB_OK;
}

/* Each argument is a series, a counter of its own. */
static enum tb_status meet_counters(struct tb_track_counts *t, const struct tb_event *event,
                                    struct tb_writer_summary *summary) {
  uint64_t counter = tb_str_hash(event->id.text, tb_str_hash(event->name, event->id.kind));
  for (uint32_t i = 0; i < event->arg_count; i += event->args[i].span) {
    uint64_t series = tb_str_hash(event->args[i].name, counter);
    uint32_t track = event->track ? event->track->index : UINT32_MAX;
    if (tb_map_find(&t->counters, series, track)) continue;
    if (tb_map_put(&t->counters, series, track, 1) != TB_OK) return TB_NO_MEMORY;
    summary->counters++;
  }
  return TB_OK;
}

enum tb_status tb_track_counts_add(struct tb_track_counts *t, const struct tb_event *event,
                                   struct tb_writer_summary *summary) {
  enum tb_status status = meet(t, event->track, summary);
  if (status == TB_OK) status = meet(t, event->thread, summary);
  if (status == TB_OK && event->type == TB_EVENT_COUNTER) status = meet_counters(t, event, summary);
  return status;
}
