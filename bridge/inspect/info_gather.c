/* SPDX-License-Identifier: Apache-2.0
 *
 * From tallies to what tb_info says: processes, threads and the rest, sorted, in memory of its own.
 */
#include <stdlib.h>

#include "base/time_text.h"
#include "inspect/info_state.h"
#include "model/reader_ops.h"
#include "model/tracks.h"

static struct tb_str keep(struct tb_info_state *s, struct tb_str text) {
  if (!text.len) return (struct tb_str){NULL, 0};
  struct tb_str copy = tb_arena_copy(&s->arena, text);
  if (!copy.ptr) s->out_of_memory = true;
  return copy;
}

static void *make(struct tb_info_state *s, size_t count, size_t size) {
  void *items = tb_arena_alloc(&s->arena, count ? count * size : 1);
  if (items)
    memset(items, 0, count * size);
  else
    s->out_of_memory = true;
  return items;
}

static int compare_numbers(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_threads(const void *a, const void *b) {
  const struct tb_info_thread *x = a, *y = b;
  if (x->events != y->events) return compare_numbers(y->events, x->events);
  if (x->machine != y->machine) return compare_numbers(x->machine, y->machine);
  if (x->pid != y->pid) return x->pid < y->pid ? -1 : 1;
  return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int compare_packets(const void *a, const void *b) {
  const struct tb_info_packets *x = a, *y = b;
  if (x->bytes != y->bytes) return compare_numbers(y->bytes, x->bytes);
  return compare_numbers(x->field, y->field);
}

static int compare_producers(const void *a, const void *b) {
  const struct tb_info_producer *x = a, *y = b;
  if (x->bytes != y->bytes) return compare_numbers(y->bytes, x->bytes);
  if (x->machine != y->machine) return compare_numbers(x->machine, y->machine);
  if (x->pid != y->pid) return x->pid < y->pid ? -1 : 1;
  return x->uid < y->uid ? -1 : x->uid > y->uid;
}

static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  if (count) qsort(items, count, size, compare);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* Whose name its process has, where that has none of its own. */
static bool is_main_thread(const struct tb_track *track) {
  return track->type == TB_TRACK_THREAD && track->has_pid && track->has_tid && track->pid == track->tid;
}

/* A thread may have learned its process behind its last event. */
static bool see_processes(struct tb_info_state *s) {
  for (size_t i = 0; i < s->track_count; i++)
    if (s->tracks[i].track && !tb_info_see_above(s, s->tracks[i].track)) return false;
  return true;
}

static void count_tracks(struct tb_info_state *s, size_t counts[TB_TRACK_COUNTER + 1]) {
  if (!see_processes(s)) return;
  for (size_t i = 0; i < s->track_count; i++) {
    const struct tb_track *track = s->tracks[i].track;
    if (!track) continue;
    counts[track->type]++;
    s->odd[TB_ODD_OPEN] += s->tracks[i].open;
    const struct tb_track *process = tb_track_process(track);
    if (!process) continue;
    s->tracks[process->index].all_events += s->tracks[i].events;
    struct tb_info_track *whole = &s->tracks[process->index];
    whole->threads += track->type == TB_TRACK_THREAD;
    if (is_main_thread(track) && !whole->name.len) whole->name = track->name.len ? track->name : s->tracks[i].name;
    if (s->tracks[i].first_event < whole->first_event) whole->first_event = s->tracks[i].first_event;
    if (s->tracks[i].last_event > whole->last_event) whole->last_event = s->tracks[i].last_event;
  }
}

static void fill(struct tb_info_state *s, struct tb_info_thread *to, const struct tb_info_track *from) {
  const struct tb_track *track = from->track;
  bool is_process = track->type == TB_TRACK_PROCESS;
  *to = (struct tb_info_thread){.pid = track->pid,
                                .tid = track->tid,
                                .has_pid = track->has_pid,
                                .has_tid = track->has_tid,
                                .pid_text = keep(s, tb_track_get_details(track)->pid_text),
                                .tid_text = keep(s, tb_track_get_details(track)->tid_text),
                                .machine = track->machine,
                                .name = keep(s, track->name.len ? track->name : from->name),
                                .threads = from->threads,
                                .first_ts = from->first_event,
                                .last_ts = from->last_event,
                                .events = is_process ? from->all_events : from->events};
}

static void gather_tracks(struct tb_info_state *s) {
  size_t counts[TB_TRACK_COUNTER + 1] = {0};
  count_tracks(s, counts);
  struct tb_info *info = &s->info;
  struct tb_info_thread *processes = make(s, counts[TB_TRACK_PROCESS], sizeof(*processes));
  struct tb_info_thread *threads = make(s, counts[TB_TRACK_THREAD], sizeof(*threads));
  if (!processes || !threads) return;
  for (size_t i = 0; i < s->track_count; i++) {
    const struct tb_track *track = s->tracks[i].track;
    if (track && track->type == TB_TRACK_PROCESS) fill(s, &processes[info->process_count++], &s->tracks[i]);
    if (track && track->type == TB_TRACK_THREAD) fill(s, &threads[info->thread_count++], &s->tracks[i]);
  }
  sort(processes, info->process_count, sizeof(*processes), compare_threads);
  sort(threads, info->thread_count, sizeof(*threads), compare_threads);
  info->processes = processes;
  info->threads = threads;
  info->custom_tracks = counts[TB_TRACK_CUSTOM];
  info->counter_tracks = counts[TB_TRACK_COUNTER];
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static void name_producers(struct tb_info_state *s) {
  for (size_t i = 0; i < s->producer_count; i++)
    for (size_t k = 0; k < s->info.process_count; k++) {
      const struct tb_info_thread *process = &s->info.processes[k];
      if (process->pid != s->producers[i].pid || process->machine != s->producers[i].machine) continue;
      s->producers[i].name = process->name;
      break;
    }
}

static void gather_oddities(struct tb_info_state *s) {
  static const char *const texts[TB_ODD_COUNT] = {
      [TB_ODD_DISORDER] = "begins and ends out of the order of time on their track",
      [TB_ODD_ORPHAN_END] = "ends of slices that did not begin",
      [TB_ODD_OPEN] = "slices that do not end",
      [TB_ODD_NEGATIVE_DURATION] = "durations below zero",
      [TB_ODD_NEGATIVE_TIME] = "times below zero",
      [TB_ODD_NO_TIME] = "events without a time",
      [TB_ODD_DATA_LOSS] = "places where the recorder lost packets",
      [TB_ODD_UNREADABLE] = "packets that need state that was lost",
      [TB_ODD_UNRELATED_CLOCK] = "packets whose clock nothing relates to the trace's",
      [TB_ODD_UNKNOWN_PACKET] = "packets of a kind that our schema does not know"};
  struct tb_info_oddity *oddities = make(s, TB_ODD_COUNT, sizeof(*oddities));
  if (!oddities) return;
  for (size_t i = 0; i < TB_ODD_COUNT; i++)
    if (s->odd[i]) oddities[s->info.oddity_count++] = (struct tb_info_oddity){texts[i], s->odd[i]};
  s->info.oddities = oddities;
}

static int compare_records(const void *a, const void *b) {
  const struct tb_info_records *x = a, *y = b;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return x->kind && y->kind ? strcmp(x->kind, y->kind) : 0;
}

static void gather_records(struct tb_info_state *s) {
  sort(s->record_kinds, TB_RECORD_KINDS_MAX, sizeof(*s->record_kinds), compare_records);
  while (s->info.record_kind_count < TB_RECORD_KINDS_MAX && s->record_kinds[s->info.record_kind_count].count)
    s->info.record_kind_count++;
  s->info.records = s->record_kinds;
  s->info.providers = s->providers;
  s->info.provider_count = s->provider_count;
}

/* A copy of `count` entries; *kept of them, none where memory ran out. */
static const struct tb_loss *copy_losses(struct tb_info_state *s, const struct tb_loss *entries, size_t count,
                                         size_t *kept) {
  struct tb_loss *copy = make(s, count, sizeof(*copy));
  *kept = copy ? count : 0;
  if (*kept) memcpy(copy, entries, count * sizeof(*copy));
  return copy;
}

/* What the wall clock read at the first event: by a snapshot of it and the trace's clock, or where that is the wall
 * clock. */
static void gather_wall_time(struct tb_info_state *s) {
  struct tb_info *info = &s->info;
  for (size_t i = 0; i < info->clock_count && !info->has_wall_time; i++) {
    const struct tb_info_clock *clock = &info->clocks[i];
    if (clock->machine || clock->id != TB_CLOCK_REALTIME || (i && !clock->has_offset)) continue;
    info->wall_ns = (int64_t)((uint64_t)info->first_ts + (uint64_t)clock->offset_ns);
    info->has_wall_time = info->first_ts <= info->last_ts && tb_is_wall_time(info->wall_ns);
  }
}

void tb_info_gather(struct tb_info_state *s, const struct tb_loss *losses, size_t loss_count,
                    const struct tb_losses *notes) {
  struct tb_info *info = &s->info;
  tb_info_gather_cpu_points(s);
  gather_tracks(s);
  tb_info_gather_names(s);
  tb_info_gather_recorder(s);
  gather_oddities(s);
  info->losses = copy_losses(s, losses, loss_count, &info->loss_count);
  info->notes = copy_losses(s, notes->entries, notes->count, &info->note_count);
  for (size_t i = 0; i < loss_count; i++) info->is_cut |= tb_loss_is_cut(&losses[i]);
  for (size_t i = 0; i < notes->count; i++)
    if (strcmp(notes->entries[i].reason, TB_NOTE_ANOTHER_TRACE) == 0) info->another_traces = notes->entries[i].count;
  gather_records(s);
  name_producers(s);
  sort(s->packets, s->packet_count, sizeof(*s->packets), compare_packets);
  sort(s->producers, s->producer_count, sizeof(*s->producers), compare_producers);
  for (size_t i = 0; i < s->track_count; i++)
    if (s->tracks[i].track && s->tracks[i].track->type <= TB_TRACK_PROCESS &&
        tb_map_put(&s->machines, s->tracks[i].track->machine, 0, 0) != TB_OK)
      s->out_of_memory = true;
  info->machines = s->machines.count ? s->machines.count : 1;
  info->clocks = s->clocks;
  info->clock_count = s->clock_count;
  info->producers = s->producers;
  info->producer_count = s->producer_count;
  info->packets = s->packets;
  info->packet_kind_count = s->packet_count;
  info->sequences = tb_sequence_table_count(&s->sequences);
  gather_wall_time(s);
  info->metadata = s->metadata;
  info->metadata_count = s->metadata_count;
}
