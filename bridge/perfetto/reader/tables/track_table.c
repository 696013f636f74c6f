/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/reader/tables/track_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/tracks.h"

enum { TRACKS_MAX = 1 << 26 };

static struct tb_map_key uuid_of(const void *tracks, uint32_t index) {
  const struct tb_track *track = &tb_tracks_at(tracks, index)->track;
  return (struct tb_map_key){track->uuid, track->machine};
}

/* One number for pid and machine. Two pairs that fall together would still differ in the thread that is found, which is
 * checked. */
static uint64_t process_key(int64_t pid, uint32_t machine) { return (uint64_t)pid ^ (uint64_t)machine << 40; }

static struct tb_map_key tid_of(const void *tracks, uint32_t index) {
  const struct tb_track *track = &tb_tracks_at(tracks, index)->track;
  return (struct tb_map_key){(uint64_t)track->tid, track->machine};
}

static struct tb_map_key ids_of(const void *tracks, uint32_t index) {
  const struct tb_track *track = &tb_tracks_at(tracks, index)->track;
  return (struct tb_map_key){(uint64_t)track->tid, process_key(track->pid, track->machine)};
}

void tb_tracks_init(struct tb_tracks *tracks, struct tb_limit_allocator *budget, struct tb_intern *pool) {
  *tracks = (struct tb_tracks){.budget = budget, .pool = pool};
  tb_arena_init(&tracks->arena, &budget->allocator, 0);
  tb_arena_init(&tracks->scratch, &budget->allocator, 0);
  tb_index_map_init(&tracks->by_uuid, &budget->allocator, uuid_of);
  tb_map_init(&tracks->processes, &budget->allocator);
  tracks->tracks.allocator = tracks->more.allocator = &budget->allocator;
  tb_index_map_init(&tracks->threads, &budget->allocator, tid_of);
  tb_index_map_init(&tracks->threads_of_process, &budget->allocator, ids_of);
  tb_map_init(&tracks->threads_before, &budget->allocator);
  tb_map_init(&tracks->threads_of_process_before, &budget->allocator);
  tb_map_init(&tracks->counters, &budget->allocator);
  tb_map_init(&tracks->customs, &budget->allocator);
  tb_map_init(&tracks->other_numbers, &budget->allocator);
}

void tb_tracks_free(struct tb_tracks *tracks) {
  tb_pages_free(&tracks->tracks, sizeof(struct tb_perfetto_track));
  tb_pages_free(&tracks->more, sizeof(struct tb_track_more));
  tb_index_map_free(&tracks->by_uuid);
  tb_map_free(&tracks->processes);
  tb_index_map_free(&tracks->threads);
  tb_index_map_free(&tracks->threads_of_process);
  tb_map_free(&tracks->threads_before);
  tb_map_free(&tracks->threads_of_process_before);
  tb_map_free(&tracks->counters);
  tb_map_free(&tracks->customs);
  tb_map_free(&tracks->other_numbers);
  tb_arena_free(&tracks->arena);
  tb_arena_free(&tracks->scratch);
}

static struct tb_perfetto_track *add_track(struct tb_tracks *tracks, enum tb_track_type type, uint32_t machine) {
  if (tb_pages_reach(&tracks->tracks, tracks->count, sizeof(struct tb_perfetto_track), TRACKS_MAX) != TB_OK)
    return NULL;
  struct tb_perfetto_track *track = tb_tracks_at(tracks, tracks->first_index + (uint32_t)tracks->count);
  track->track.index = tracks->first_index + (uint32_t)tracks->count++;
  track->track.type = type;
  track->track.machine = machine;
  return track;
}

const struct tb_track_more tb_track_no_more = {.unit_multiplier = 1};

struct tb_track_more *tb_tracks_own_more(struct tb_tracks *tracks, struct tb_perfetto_track *track) {
  if (!track->more) {
    if (tb_pages_reach(&tracks->more, tracks->more_count, sizeof(tb_track_no_more), TRACKS_MAX) != TB_OK) return NULL;
    track->more = (uint32_t)++tracks->more_count;
    *(struct tb_track_more *)tb_pages_at(&tracks->more, track->more - 1, sizeof(tb_track_no_more)) = tb_track_no_more;
  }
  return tb_pages_at(&tracks->more, track->more - 1, sizeof(tb_track_no_more));
}

void tb_tracks_before_change(struct tb_tracks *tracks) {
  if (tracks->before_change) tracks->before_change(tracks->change_ctx);
}

static struct tb_perfetto_track *find(const struct tb_tracks *tracks, const struct tb_map *map, uint64_t first,
                                      uint64_t second) {
  uint32_t index;
  return tb_map_get(map, first, second, &index) ? tb_tracks_at(tracks, index) : NULL;
}

struct tb_perfetto_track *tb_tracks_known_by_uuid(const struct tb_tracks *tracks, uint64_t uuid, uint32_t machine) {
  uint32_t index;
  return tb_index_map_get(&tracks->by_uuid, tracks, uuid, machine, &index) ? tb_tracks_at(tracks, index) : NULL;
}

enum tb_status tb_tracks_set_uuid(struct tb_tracks *tracks, struct tb_perfetto_track *track, uint64_t uuid) {
  track->track.uuid = uuid;
  return tb_index_map_put(&tracks->by_uuid, tracks, track->track.index);
}

struct tb_perfetto_track *tb_tracks_by_uuid(struct tb_tracks *tracks, uint64_t uuid, uint32_t machine,
                                            uint32_t sequence) {
  struct tb_perfetto_track **recent = &tracks->recent[(uuid ^ uuid >> 32) % TB_TRACKS_RECENT], *track = *recent;
  if (track && track->track.uuid == uuid && track->track.machine == machine) return track;
  track = tb_tracks_known_by_uuid(tracks, uuid, machine);
  if (!track) {
    track = add_track(tracks, uuid ? TB_TRACK_CUSTOM : TB_TRACK_GLOBAL, machine);
    if (!track || tb_tracks_set_uuid(tracks, track, uuid) != TB_OK) return NULL;
    track->track.sequence = sequence;
    track->described = uuid == 0;
  }
  return *recent = track;
}

bool tb_tracks_is_first_machine(struct tb_tracks *tracks, uint32_t machine) {
  if (!tracks->has_first_machine) tracks->first_machine = machine;
  tracks->has_first_machine = true;
  return tracks->first_machine == machine;
}

int64_t tb_tracks_id(struct tb_tracks *tracks, int64_t id, uint32_t machine) {
  if (!tracks->one_machine || tb_tracks_is_first_machine(tracks, machine) || id < 0 || id >> TB_PID_BITS) return id;
  uint64_t *known = tb_map_find(&tracks->other_numbers, machine, 0);
  uint64_t number = known ? *known : tracks->other_numbers.count + 1;
  if (!known && tb_map_put(&tracks->other_numbers, machine, 0, number) != TB_OK) return id;
  return number >> (31 - TB_PID_BITS) ? id : id | (int64_t)(number << TB_PID_BITS);
}

int64_t tb_tracks_another_id(struct tb_tracks *tracks, int64_t id, uint32_t index) {
  const int64_t plain = ((int64_t)1 << TB_PID_BITS) - 1;
  uint64_t number = tracks->other_numbers.count + 1;
  if (!tracks->one_machine || id < 0 || number >> (31 - TB_PID_BITS)) return id;
  if (tb_map_put(&tracks->other_numbers, index, 1, number) != TB_OK) return id;
  tracks->renumbered++;
  return (id & plain) | (int64_t)(number << TB_PID_BITS);
}

enum tb_status tb_tracks_label_machine(struct tb_tracks *tracks, struct tb_track *track) {
  if (!tb_tracks_has_machine_label(tracks, track) || tb_track_get_details(track)->label_count) return TB_OK;
  struct tb_str *label = tb_arena_alloc(&tracks->arena, sizeof(*label));
  struct tb_track_details *details = tb_track_own_details(&tracks->arena, track);
  char text[32];
  int len = snprintf(text, sizeof(text), "machine %" PRIu32, track->machine);
  if (!label || !details || len < 0) return TB_NO_MEMORY;
  details->labels = label;
  details->label_count = 1;
  return tb_text_pool_add(tracks->pool, (struct tb_str){text, (size_t)len}, label);
}

struct tb_perfetto_track *tb_tracks_process(struct tb_tracks *tracks, int64_t pid, uint32_t machine) {
  pid = tb_tracks_id(tracks, pid, machine);
  struct tb_perfetto_track *track = find(tracks, &tracks->processes, (uint64_t)pid, machine);
  if (track) return track;
  track = add_track(tracks, TB_TRACK_PROCESS, machine);
  if (!track || tb_map_put(&tracks->processes, (uint64_t)pid, machine, track->track.index) != TB_OK) return NULL;
  if (tb_tracks_label_machine(tracks, &track->track) != TB_OK) return NULL;
  track->track.pid = pid;
  track->track.has_pid = true;
  return track;
}

bool tb_tracks_has_process(struct tb_tracks *tracks, int64_t pid, uint32_t machine) {
  return find(tracks, &tracks->processes, (uint64_t)tb_tracks_id(tracks, pid, machine), machine) != NULL;
}

/* The thread of a key: one that has these ids, or had them. */
static struct tb_perfetto_track *find_thread(const struct tb_tracks *tracks, const struct tb_index_map *map,
                                             const struct tb_map *before, struct tb_map_key key) {
  uint32_t index;
  if (tb_index_map_get(map, tracks, key.first, key.second, &index)) return tb_tracks_at(tracks, index);
  return find(tracks, before, key.first, key.second);
}

/* Where a thread is known by its ids as they are, and no later one is, it is from now on by those that it had. */
static enum tb_status keep_before(struct tb_tracks *tracks, struct tb_index_map *map, struct tb_map *before,
                                  uint32_t index) {
  uint32_t known;
  struct tb_map_key key = map->key_of(tracks, index);
  if (!tb_index_map_get(map, tracks, key.first, key.second, &known) || known != index) return TB_OK;
  tb_index_map_remove(map, tracks, index);
  return tb_map_put(before, key.first, key.second, index);
}

enum tb_status tb_tracks_before_ids(struct tb_tracks *tracks, struct tb_perfetto_track *track) {
  uint32_t index = track->track.index;
  enum tb_status status = keep_before(tracks, &tracks->threads, &tracks->threads_before, index);
  if (status != TB_OK || !track->track.has_pid) return status;
  return keep_before(tracks, &tracks->threads_of_process, &tracks->threads_of_process_before, index);
}

enum tb_status tb_tracks_also_by_ids(struct tb_tracks *tracks, struct tb_perfetto_track *track) {
  struct tb_index_map *map = &tracks->threads_of_process;
  struct tb_map_key key = map->key_of(tracks, track->track.index);
  uint32_t known;
  if (!track->track.has_pid || tb_index_map_get(map, tracks, key.first, key.second, &known)) return TB_OK;
  return tb_index_map_put(map, tracks, track->track.index);
}

static enum tb_status put_thread(struct tb_tracks *tracks, struct tb_index_map *map, struct tb_map *before,
                                 uint32_t index) {
  struct tb_map_key key = map->key_of(tracks, index);
  tb_map_remove(before, key.first, key.second);
  return tb_index_map_put(map, tracks, index);
}

enum tb_status tb_tracks_add_thread(struct tb_tracks *tracks, struct tb_perfetto_track *track) {
  uint32_t index = track->track.index;
  enum tb_status status = put_thread(tracks, &tracks->threads, &tracks->threads_before, index);
  if (status != TB_OK || !track->track.has_pid) return status;
  return put_thread(tracks, &tracks->threads_of_process, &tracks->threads_of_process_before, index);
}

/* The thread becomes one of that process. */
static enum tb_status join_process(struct tb_tracks *tracks, struct tb_perfetto_track *track, int64_t pid) {
  struct tb_perfetto_track *process = tb_tracks_process(tracks, pid, track->track.machine);
  if (!process) return TB_NO_MEMORY;
  track->track.pid = process->track.pid;
  track->track.has_pid = true;
  track->track.parent = &process->track;
  track->emitted = false;
  return tb_tracks_add_thread(tracks, track);
}

struct tb_perfetto_track *tb_tracks_thread(struct tb_tracks *tracks, const int64_t *its_pid, int64_t tid,
                                           uint32_t machine) {
  struct tb_perfetto_track *track = NULL;
  int64_t number = its_pid ? tb_tracks_id(tracks, *its_pid, machine) : 0;
  const int64_t *pid = its_pid ? &number : NULL;
  const struct tb_perfetto_track *process =
      its_pid && tracks->renumbered ? find(tracks, &tracks->processes, (uint64_t)number, machine) : NULL;
  if (process) number = process->track.pid;
  tid = tb_tracks_id(tracks, tid, machine);
  if (pid)
    track = find_thread(tracks, &tracks->threads_of_process, &tracks->threads_of_process_before,
                        (struct tb_map_key){(uint64_t)tid, process_key(*pid, machine)});
  if (track && track->track.machine == machine && track->track.pid == *pid) return track;
  track = find_thread(tracks, &tracks->threads, &tracks->threads_before, (struct tb_map_key){(uint64_t)tid, machine});
  if (track && !pid) return track;
  if (track && !track->track.has_pid && !track->described) { /* a descriptor that names no process means none */
    tb_tracks_before_change(tracks);
  } else {
    track = add_track(tracks, TB_TRACK_THREAD, machine);
    if (!track) return NULL;
    track->track.tid = tid;
    track->track.has_tid = true;
  }
  enum tb_status status = pid ? join_process(tracks, track, *pid) : tb_tracks_add_thread(tracks, track);
  return status == TB_OK ? track : NULL;
}

static enum tb_status change_name(struct tb_tracks *tracks, struct tb_perfetto_track *track, struct tb_str name,
                                  struct tb_name_source by) {
  track->named_at = by.ts;
  track->name_rank = by.rank;
  track->renamed = by.renamed;
  if (tb_str_equal(track->track.name, name)) return TB_OK;
  tb_tracks_before_change(tracks);
  track->emitted = false;
  return tb_text_pool_add(tracks->pool, name, &track->track.name);
}

enum tb_status tb_tracks_set_name(struct tb_tracks *tracks, struct tb_perfetto_track *track, struct tb_str name,
                                  struct tb_name_source by) {
  if (by.rank < track->name_rank || (by.rank == track->name_rank && by.ts < track->named_at)) return TB_OK;
  if (!track->renamed || by.ts >= track->named_at) return change_name(tracks, track, name, by);
  track->name_rank = by.rank;
  return TB_OK;
}

enum tb_status tb_tracks_rename(struct tb_tracks *tracks, struct tb_perfetto_track *process, struct tb_str name,
                                int64_t ts) {
  if (process->name_rank != TB_NAME_NONE && ts < process->named_at) return TB_OK;
  struct tb_name_source by = {.ts = ts, .rank = process->name_rank, .renamed = true};
  return change_name(tracks, process, name, by);
}

bool tb_tracks_is_placed(struct tb_perfetto_track *track) {
  if (track->placed) return true;
  /* a tb_track of ours is the first member of its tb_perfetto_track */
  for (const struct tb_track *above = &track->track; above; above = above->parent)
    if (!((const struct tb_perfetto_track *)above)->described) return false;
  return track->placed = true;
}

static struct tb_perfetto_track *named(struct tb_tracks *tracks, struct tb_map *known, enum tb_track_type type,
                                       struct tb_perfetto_track *parent, struct tb_str name) {
  struct tb_str kept;
  if (tb_text_pool_add(tracks->pool, name, &kept) != TB_OK) return NULL;
  uint64_t key = (uint64_t)(uintptr_t)kept.ptr;
  struct tb_perfetto_track *track = find(tracks, known, key, parent->track.index);
  if (track) return track;
  track = add_track(tracks, type, parent->track.machine);
  if (!track || tb_map_put(known, key, parent->track.index, track->track.index) != TB_OK) return NULL;
  track->track.name = kept;
  track->track.parent = &parent->track;
  track->track.pid = parent->track.pid;
  track->track.tid = parent->track.tid;
  track->track.has_pid = parent->track.has_pid;
  track->track.has_tid = parent->track.has_tid;
  track->described = true;
  return track;
}

struct tb_perfetto_track *tb_tracks_named_counter(struct tb_tracks *tracks, struct tb_perfetto_track *parent,
                                                  struct tb_str name) {
  return named(tracks, &tracks->counters, TB_TRACK_COUNTER, parent, name);
}

struct tb_perfetto_track *tb_tracks_named_custom(struct tb_tracks *tracks, struct tb_perfetto_track *parent,
                                                 struct tb_str name) {
  return named(tracks, &tracks->customs, TB_TRACK_CUSTOM, parent, name);
}
